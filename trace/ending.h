/*
 * ending.h -- did the run of an archive end? Its last records tell who stands in which call.
 * Private to the reader of OTF2 archives.
 */
#ifndef TRACENEST_TRACE_ENDING_H
#define TRACENEST_TRACE_ENDING_H

#include "trace/otf2.h"
#include "trace/trace.h"

/* The line: "the run did not end: 0 in MPI_Bcast (three.c:21), 1-3 in MPI_Allreduce (three.c:33)",
   and more that is known of it. */
void ending_find(const struct archive *, struct trace_ending *);

#endif
