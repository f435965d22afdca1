/*
 * mismatches.h -- calls of a run that MPI matches with each other and that contradict each other.
 *
 *	struct mismatches found = {0};
 *	if (mismatches_find(path, &options, true, &found, &error))
 *		... found.line[0].text: "1 calls MPI_Bcast with root 0 (a.c:3) where 0,2-3 have root 1 (a.c:3)"
 *	mismatches_clear(&found);
 *
 * The k-th collective of each member of a communicator is one: its name, its root, its operation,
 * as much data as MPI asks for, of types that are alike. So is the k-th message of a channel with
 * the k-th receive: no longer than was asked for, of a type that is alike. Posted collectives are
 * counted apart from others.
 *
 * Of collectives of other tracers, whose sizes and roots each have their own meaning, names alone
 * are compared. Of a run that ended, only where all members of the communicator have as many.
 */
#ifndef TRACENEST_LIB_MISMATCHES_H
#define TRACENEST_LIB_MISMATCHES_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/progress.h"
#include "base/text.h"
#include "trace/trace.h"

struct mismatch {
	char *text; /* for people */
	uint64_t times; /* as often was it so */
};

struct mismatches {
	struct mismatch *line; /* in the order in which they were met */
	size_t lines, capacity;
};

/* path: an archive; ended: of a run that did. Reads it once, all processes together; memory follows what is under way. False
   with *error set where it cannot be read. */
bool mismatches_find(const char *path, const struct trace_options *, bool ended, struct mismatches *, struct error *);
void mismatches_clear(struct mismatches *);

#endif
