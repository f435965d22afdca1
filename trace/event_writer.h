/*
 * event_writer.h -- the events of one location, written into an event file of OTF2 as they happen.
 *
 *	struct event_writer *w = event_writer_open(&options, &error);
 *	event_writer_enter(w, time, region, NULL);
 *	event_writer_send(w, time, &(struct message_record){.peer = 1, .tag = 3, .bytes = 8}, NULL);
 *	event_writer_leave(w, time, region);
 *	event_writer_close(w);		-- the file is complete
 *
 * Nothing but event files is written here: what ids mean is said by archive_writer.h, by whoever
 * knows it, later. Memory is bounded, and is mapped from a file, so that what was not written yet
 * outlives a process that is killed (event_file_rescue). A record costs some 30 ns, an attribute
 * some 10.
 *
 * A writer belongs to one thread at a time. Nothing here prints or ends the process, also not where
 * memory or disk are full: from then on records are dropped (event_writer_failure).
 */
#ifndef TRACENEST_TRACE_EVENT_WRITER_H
#define TRACENEST_TRACE_EVENT_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "model/event_kinds.h"
#include "trace/event_record.h"

struct event_writer;

#define EVENT_CHUNK_LEAST 262144
#define EVENT_CHUNK_USUAL 1048576

struct event_writer_options {
	const char *directory; /* there, and empty */
	uint64_t location;
	uint64_t buffer; /* bytes in memory; at least EVENT_CHUNK_LEAST */
	const char *rescue; /* path of the file that memory is mapped from; NULL: none */
	bool silent; /* write nothing: all is for the listener; `rescue` has the last call alone */
};

/* The size of the chunks of event files for such a buffer: the archive's anchor names it. */
uint64_t event_chunk_bytes(uint64_t buffer);

/* NULL, with the error set, if files cannot be written. Events go to
   DIRECTORY/traces/LOCATION.evt. */
struct event_writer *event_writer_open(const struct event_writer_options *, struct error *);

/* All that is in memory goes to the file, which is complete then. False if some of it is lost.
   Takes the writer. */
bool event_writer_close(struct event_writer *);

/* As if the process had been killed: what was not written stays where it is (for tests). Takes the
   writer. */
void event_writer_forget(struct event_writer *);

/* Why records are dropped: NULL if none are. Borrowed. */
const char *event_writer_failure(const struct event_writer *);
uint64_t event_writer_records(const struct event_writer *);

/* ------------------------------------------------------------------ attributes */

/* In every archive written here, attributes have these ids. */
enum event_attribute {
	ATTRIBUTE_SITE,
	ATTRIBUTE_TYPE,
	ATTRIBUTE_COUNT,
	ATTRIBUTE_REQUEST,
	ATTRIBUTE_POSTED_SOURCE,
	ATTRIBUTE_POSTED_TAG,
	ATTRIBUTE_PATH,
	ATTRIBUTE_KEPT,
	ATTRIBUTE_THREAD,
	ATTRIBUTE_PREEMPTED,
	ATTRIBUTE_COMMUNICATOR,
	ATTRIBUTE_OPERATION,
	ATTRIBUTE_BYTES_BY_MEMBER,
	ATTRIBUTE_TO,
	ATTRIBUTE_FROM,
	ATTRIBUTE_DISPLACEMENT,
	ATTRIBUTE_SIZE,
	ATTRIBUTE_UNIT,
	ATTRIBUTE_LOCK,
	ATTRIBUTE_GROUP,
	ATTRIBUTES
};

extern const struct event_attribute_row {
	const char *name, *description;
	uint32_t type; /* OTF2_Type */
} event_attribute_rows[ATTRIBUTES]; /* in archive_writer.c */

/* What records carry beyond their fields. */
struct event_attributes {
	uint32_t have; /* bits of 1 << enum event_attribute */
	uint32_t site, type, operation, bytes_by_member, to, from; /* strings */
	uint32_t path, kept; /* calling contexts */
	uint32_t entered; /* calls on the path further in than the latter */
	uint64_t count, request, preempted;
	int64_t displacement;
	uint32_t lock, group; /* strings */
	uint64_t size, unit; /* of a window: of what this process has of it, of a displacement */
	/* posted_source and posted_tag have one value, -1: any */
};

/* ------------------------------------------------------------------ records */

struct message_record {
	uint32_t peer; /* of the communicator (of an intercommunicator: of the other group) */
	uint32_t communicator, tag;
	uint64_t bytes;
	uint64_t request; /* where it has one */
};

#define COLLECTIVE_NO_ROOT UINT32_MAX /* what OTF2 calls NONE, SELF and THIS_GROUP */
#define COLLECTIVE_ROOT_IS_ME (UINT32_MAX - 1)
#define COLLECTIVE_ROOT_IN_MY_GROUP (UINT32_MAX - 2)
/* OTF2 has no operation of neighbours: it is the one of all, which has no root, with itself as
   root. */
#define COLLECTIVE_ROOT_AMONG_NEIGHBOURS COLLECTIVE_ROOT_IS_ME

/* As OTF2 numbers them. */
enum collective_operation {
	OPERATION_BARRIER,
	OPERATION_BCAST,
	OPERATION_GATHER,
	OPERATION_GATHERV,
	OPERATION_SCATTER,
	OPERATION_SCATTERV,
	OPERATION_ALLGATHER,
	OPERATION_ALLGATHERV,
	OPERATION_ALLTOALL,
	OPERATION_ALLTOALLV,
	OPERATION_ALLTOALLW,
	OPERATION_ALLREDUCE,
	OPERATION_REDUCE,
	OPERATION_REDUCE_SCATTER,
	OPERATION_SCAN,
	OPERATION_EXSCAN,
	OPERATION_REDUCE_SCATTER_BLOCK,
	/* of windows */
	OPERATION_CREATE_HANDLE,
	OPERATION_DESTROY_HANDLE,
	OPERATION_ALLOCATE,
	OPERATION_DEALLOCATE,
	OPERATION_CREATE_HANDLE_AND_ALLOCATE
};

/* Tags of messages that are what a collective among neighbours passes on: its name, "MPI_Neighbor_alltoall";
   NULL, or false: it is none. */
const char *neighbour_tag(uint32_t number);
bool neighbour_tag_of(const char *name, uint32_t *number);

struct collective_record {
	enum collective_operation operation;
	uint32_t communicator, root;
	uint64_t sent, received;
	uint64_t request;
};

/* A window goes by the number of its communicator. */
struct one_sided_record {
	enum event_kind kind;
	uint32_t peer, window; /* peer: ONE_SIDED_NO_PEER: it is of all, or a group */
	uint64_t bytes, received;
	bool exclusive; /* a lock */
};
#define ONE_SIDED_NO_PEER UINT32_MAX

/* The records from here on are of this thread of the process, by the order in which they first came; 0: the first. */
void event_writer_thread(struct event_writer *, uint32_t thread);

/* Tell each record to somebody else, too; attributes: NULL if it has none. */
typedef void (*event_listener)(void *context, const struct event_record *, const struct event_attributes *);
void event_writer_listen(struct event_writer *, event_listener, void *context);

/* Attributes may be NULL everywhere. Times do not go back. */
void event_writer_enter(struct event_writer *, uint64_t time, uint32_t region, const struct event_attributes *);
void event_writer_leave(struct event_writer *, uint64_t time, uint32_t region);
void event_writer_measurement(struct event_writer *, uint64_t time, bool on);
void event_writer_send(
	struct event_writer *, uint64_t time, const struct message_record *, const struct event_attributes *);
void event_writer_isend(
	struct event_writer *, uint64_t time, const struct message_record *, const struct event_attributes *);
void event_writer_isend_complete(struct event_writer *, uint64_t time, uint64_t request);
void event_writer_recv(
	struct event_writer *, uint64_t time, const struct message_record *, const struct event_attributes *);
void event_writer_irecv_request(
	struct event_writer *, uint64_t time, uint64_t request, const struct event_attributes *);
void event_writer_irecv(
	struct event_writer *, uint64_t time, const struct message_record *, const struct event_attributes *);
void event_writer_cancelled(struct event_writer *, uint64_t time, uint64_t request);
void event_writer_collective_begin(
	struct event_writer *, uint64_t time, uint32_t communicator, const struct event_attributes *);
void event_writer_collective_end(
	struct event_writer *, uint64_t time, const struct collective_record *, const struct event_attributes *);
void event_writer_collective_request(
	struct event_writer *, uint64_t time, uint32_t communicator, uint64_t request, const struct event_attributes *);
void event_writer_collective_complete(
	struct event_writer *, uint64_t time, const struct collective_record *, const struct event_attributes *);

void event_writer_one_sided(
	struct event_writer *, uint64_t time, const struct one_sided_record *, const struct event_attributes *);
/* communicator: of the window, or where there is none yet of who makes it; of the record it is the window. */
void event_writer_window_begin(struct event_writer *, uint64_t time, uint32_t communicator);
void event_writer_window_end(
	struct event_writer *, uint64_t time, const struct collective_record *, const struct event_attributes *);

/* ------------------------------------------------------------------ after a process was killed */

struct event_file_facts {
	uint64_t records;
	uint64_t last; /* time of the last one */
	uint64_t bytes;
};

/*
 * Append what the file `rescue` holds to an event file that was never closed, and complete it.
 * True also where there was nothing to do. rescue: NULL or missing: what is in the event file is
 * all.
 */
bool event_file_complete(
	const char *path, const char *rescue, uint64_t chunk, struct event_file_facts *, struct error *);

/* An event file of the last call alone, which a silent writer left in `rescue`. */
bool event_file_of_stand(const char *rescue, const struct event_writer_options *, struct error *);

#endif
