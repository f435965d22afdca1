/*
 * call_path.h -- the regions of the program that a process is in, as a word: what stands for a call
 * site where none is recorded.
 *
 *	struct call_path path = {0};
 *	call_path_enter(&path, 7, "exchange");
 *	call_path_words(&path);			-- "exchange < solve < main", the innermost first
 *	call_path_entered(&path);		-- 1: exchange
 *	call_path_leave(&path, 7);
 *	call_path_clear(&path);
 *
 * The words of each path are made once. What is deeper than CALL_PATH_FRAMES regions, and what
 * would take more than CALL_PATH_BYTES of words, has the path of the region around it.
 */
#ifndef TRACENEST_TRACE_CALL_PATH_H
#define TRACENEST_TRACE_CALL_PATH_H

#include <stddef.h>
#include <stdint.h>

#define CALL_PATH_BYTES ((size_t)1 << 28) /* of a process; damaged records could ask for any number */

struct call_path_node;

struct call_path_frame {
	uint32_t region;
	struct call_path_node *node;
};

struct call_path {
	struct call_path_node *root; /* all paths that have been met */
	struct call_path_frame *frame; /* the regions at hand, the outermost first */
	size_t depth, capacity;
	size_t bytes; /* of all words */
	uint32_t kept; /* regions of the path that were never left since this was asked for */
};

void call_path_clear(struct call_path *);

/* O(paths that lead on from here). */
void call_path_enter(struct call_path *, uint32_t region, const char *name);

/* Leaves what was entered inside of it, too; a region that was not entered is passed over. */
void call_path_leave(struct call_path *, uint32_t region);

/* The same address for the same path, until it is cleared; NULL outside of all regions. */
const char *call_path_words(const struct call_path *);

/* How many of the path's regions, the innermost ones, were entered since this was asked last. */
uint32_t call_path_entered(struct call_path *);

#endif
