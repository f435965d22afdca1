/*
 * timeline.h -- what the processes of an archive did and when: calls, messages, requests and
 * collectives with their time stamps, each process as a stream that is read as far as one wants.
 *
 *	struct timeline *t = timeline_open(trace, &error);
 *	const struct timeline_record *r;
 *	while ((r = timeline_get(t, rank)))
 *		... timeline_next(t, rank);
 *	if (!timeline_good(t, &error)) ...
 *	timeline_close(t);
 *
 * Streams are read in slices, so that memory does not grow with them; those of all processes can be
 * open at once, for a merge by time. Corrections of the clocks that the archive holds are applied.
 * Records come as they were recorded, but that receives of a channel share out their places in the
 * order in which they were posted (receive_order.h; RECEIVE_ORDER_SPAN counts records here, those of
 * regions, too). What matters to nobody here is passed over.
 * When all streams have ended, trace_missing_records tells what they do not hold, unless they come
 * from where an earlier reading kept them.
 */
#ifndef TRACENEST_TRACE_TIMELINE_H
#define TRACENEST_TRACE_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/trace.h"

enum timeline_kind {
	TIMELINE_ENTER, /* of a region: `id` */
	TIMELINE_LEAVE,
	TIMELINE_SEND, /* a blocking one; `id`: the event in the dictionary of its process */
	TIMELINE_ISEND, /* request */
	TIMELINE_SENT, /* the request of a send is complete */
	TIMELINE_RECV,
	TIMELINE_POST, /* a receive, or a collective, is posted: request */
	TIMELINE_IRECV, /* the receive of a request is complete */
	TIMELINE_SYNC, /* a collective is complete */
	TIMELINE_COMPLETED, /* the same of one that was posted: request */
	TIMELINE_CANCELLED, /* request */
	TIMELINE_ONE_SIDED, /* a put, a get, ... */
	TIMELINE_OTHER, /* it was in this call: a message to or from nobody */
};

struct timeline_record {
	uint64_t time; /* ticks */
	/* Of a message, or passed on by this process in a collective. Of a region that is entered:
	   ns that the process had no core before, though it computed. */
	uint64_t bytes;
	uint64_t request;
	uint16_t kind; /* enum timeline_kind */
	uint16_t thread; /* of the process */
	uint32_t id;
};

/* What a region is. */
enum timeline_sort {
	TIMELINE_PROGRAM, /* of the program itself */
	TIMELINE_MPI,
	TIMELINE_INIT, /* MPI_Init, MPI_Init_thread */
	TIMELINE_FINALIZE,
	TIMELINE_IO, /* MPI_File_* */
	TIMELINE_DEVICE, /* waits for a device: "Synchronize" is a part of its name, "cudaStreamSynchronize" */
	TIMELINE_INTERNAL, /* of the measurement system, or inside of MPI: not told apart from what is around */
};

struct timeline_region {
	const char *name; /* as recorded */
	enum timeline_sort sort;
	bool synchronous; /* MPI_Ssend and the like: never eager */
	bool neighbours; /* a collective of neighbours alone, whatever its processes are recorded to be */
	bool around; /* it stands around the whole program: main */
};

struct timeline;

/* Borrows the trace, which must be an archive; one reader for each process. NULL with *error set on
   failure. */
struct timeline *timeline_open(struct trace *, struct error *);
void timeline_close(struct timeline *);

/* The record that the process stands at, borrowed until timeline_next; NULL: there are no more, or
   reading failed. */
const struct timeline_record *timeline_get(struct timeline *, uint32_t rank);
void timeline_next(struct timeline *, uint32_t rank);

/* How many records stand behind each other from there on: valid until all of them are passed. */
size_t timeline_ahead(const struct timeline *, uint32_t rank);

/* False, with *error set, if reading failed. */
bool timeline_good(const struct timeline *, struct error *);

/* The regions of the archive: ids of records are below their number. */
uint32_t timeline_regions(const struct timeline *);
struct timeline_region timeline_region(const struct timeline *, uint32_t id);

/* Records read so far, and in all; 0: not known. */
uint64_t timeline_records(const struct timeline *);
uint64_t timeline_expected(const struct timeline *);
void timeline_tell(const struct timeline *, const struct progress *); /* the share, if it is known */

#endif
