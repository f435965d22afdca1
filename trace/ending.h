/*
 * ending.h -- did the run of an archive end? Its last records tell who stands in which call.
 * Private to the reader of OTF2 archives.
 */
#ifndef TRACENEST_TRACE_ENDING_H
#define TRACENEST_TRACE_ENDING_H

#include "trace/otf2.h"
#include "trace/trace.h"

/* Of a process: its last call. */
struct process_stand {
	const struct archive *archive;
	bool inside, finalized, any;
	uint32_t region;
	const char *site;
	uint64_t time;
	const struct otf2_communicator *communicator; /* of a collective; NULL: not known */
};

/* It is in a call. */
bool stand_is_inside(const struct process_stand *);

/* Of "three.c:21" in the words of a site; 0: it has no line. */
size_t stand_place_length(const char *site);

/* The line: "the run did not end: 0 in MPI_Bcast (three.c:21), 1-3 in MPI_Allreduce (three.c:33)",
   and more that is known of it. */
void ending_find(const struct archive *, struct trace_ending *);

#endif
