/*
 * leftovers.h -- requests of a run that ended which nobody completed or freed.
 *
 *	struct text lines = {0};
 *	leftovers_tell(trace, &lines);		-- "8 MPI_Isend (ring.c:17) on 0-3\n"
 */
#ifndef TRACENEST_LIB_LEFTOVERS_H
#define TRACENEST_LIB_LEFTOVERS_H

#include "base/text.h"
#include "trace/trace.h"

/* A line for each call and place in the source; nothing of what `record` did not make. */
void leftovers_tell(const struct trace *, struct text *lines);

#endif
