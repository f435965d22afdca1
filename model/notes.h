/*
 * notes.h -- what the header of a program says besides its statements: remarks of its maker,
 * "// note ..." lines; and calls of the run that moved data and are no part of it, "// omits 40
 * MPI_Put".
 */
#ifndef TRACENEST_MODEL_NOTES_H
#define TRACENEST_MODEL_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* One-sided communication and files: what is neither a message nor a collective. */
struct omission {
	char *call; /* "MPI_Put" */
	uint64_t calls; /* of all processes together */
};

/* Starts as {0}; owned lines, without the prefix. */
struct notes {
	char **line;
	size_t length, capacity;
	struct omission *omission; /* the most frequent first */
	size_t omissions, omission_capacity;
	uint64_t never_received; /* sends, in the run itself, as one of the lines says; 0: none does */
};

/* Add a remark: one line, stored with its white space trimmed and control characters made
   spaces. */
void notes_add(struct notes *, const char *text);

/* Add a line that so many sends were never received in the run itself. */
void notes_add_never_received(struct notes *, uint64_t sends);
void notes_add_all(struct notes *, const struct notes *from);
void notes_clear(struct notes *);

/* So many more calls are no part of the program. O(omissions). */
void notes_omit(struct notes *, const char *call, uint64_t calls);

/* "40 MPI_Put, 5 MPI_Get"; nothing where there are none. */
void notes_print_omissions(const struct notes *, struct text *);

/* Functions of MPI that move data are fewer by far; a list of more of them is none. */
#define OMISSIONS_LIMIT 256

/* Add such a list. False, with some of it added, where it is none. */
bool notes_read_omissions(struct notes *, const char *list);

#endif
