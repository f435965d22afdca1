/*
 * call_paths.h -- call paths as a tree of frames, the one form in which paths are read.
 *
 *	struct call_paths *t = call_paths_new();
 *	uint32_t path = call_paths_know(t, "rhs.f:203 compute_rhs < main.f:12 main");
 *	for (const struct call_frame *f; (f = call_paths_frame(t, path)); path = f->caller)
 *		... f->words, f->function
 *	call_paths_free(t);
 *
 * A path is the frame of its innermost call; equal paths are equal numbers. It is made of words as
 * trace_event.site has them, the innermost call first: of recorded call sites "FILE:LINE FUNCTION"
 * or "MODULE+0xOFFSET FUNCTION" (sites.h), of regions the name of the function alone.
 */
#ifndef TRACENEST_MODEL_CALL_PATHS_H
#define TRACENEST_MODEL_CALL_PATHS_H

#include <stdbool.h>
#include <stdint.h>

/* The path of no call: outside of all functions, or not known. */
#define CALL_PATH_NONE UINT32_C(0)

#define CALL_FUNCTION_UNKNOWN UINT32_MAX

/* Frames of a path that are looked at: those that are further outside are left out, as is what
   calls main. */
#define CALL_PATH_FRAMES 128

/* Between frames as words, the innermost first; or the outermost first. */
#define CALL_PATH_OUTSIDE " < "
#define CALL_PATH_INSIDE " > "

struct call_frame {
	uint32_t caller; /* the path without this frame */
	uint32_t depth; /* frames of the path */
	uint32_t place; /* equal for equal words, wherever they are called from */
	/* in which the call is: equal for equal names, and in main, whatever is known of it;
	   CALL_FUNCTION_UNKNOWN */
	uint32_t function;
	const char *words; /* "rhs.f:203 compute_rhs" */
	const char *name; /* of the function; "": not known */
	uint64_t position; /* of the call in its file or module: the line, or the offset; 0: not known */
};

/* Where something happened, and which of the calls there were made since the process's event
   before. */
struct call_point {
	uint32_t path;
	uint32_t entered; /* so many of the innermost frames were: nothing of before is in them */
	bool exact; /* the others were surely not; else they may have been */
};

struct call_paths;

struct call_paths *call_paths_new(void);
struct call_paths *call_paths_copy(const struct call_paths *); /* of the same numbers */
void call_paths_free(struct call_paths *);

/* The path of these words; NULL: CALL_PATH_NONE. O(1) expected for what is known, else O(length). */
uint32_t call_paths_know(struct call_paths *, const char *words);

/* The path that this call, "rhs.f:203 compute_rhs", is made on. O(length). */
uint32_t call_paths_inside(struct call_paths *, uint32_t caller, const char *words);

/* The same; CALL_PATH_NONE: there is none yet. O(length). */
uint32_t call_paths_find(const struct call_paths *, uint32_t caller, const char *words);

/* Borrowed until the next path is made; NULL: CALL_PATH_NONE. O(1). */
const struct call_frame *call_paths_frame(const struct call_paths *, uint32_t path);

/* Is it the name of a region alone, as of a function whose calls are not told? */
bool call_frame_is_region(const struct call_frame *);

/* Is it code that was made at run time, "?+0x7fff0020"? Its frames are all the same, and mostly the
   outermost of a path, because nothing tells who called it. */
bool call_frame_is_in_no_module(const struct call_frame *);

/* Paths are below this number. */
uint32_t call_paths_count(const struct call_paths *);

/* The path without its innermost frames, as deep as this. O(frames that are left out). */
uint32_t call_paths_outer(const struct call_paths *, uint32_t path, uint32_t depth);

#endif
