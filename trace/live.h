/*
 * live.h -- the events of one process while it runs: what trace_read would deliver of the archive
 * that is being recorded, from the records as they are made.
 *
 *	struct live *l = live_new(rank, processes, region_names, count, &options, &sink);
 *	live_communicator(l, 2, members, count);	-- before the first record that names it
 *	event_writer_listen(writer, live_take, l);
 *	...
 *	live_finish(l, &error);
 *	trace_pack_reading(live_trace(l), &bytes);
 *	live_free(l);
 *
 * The records go through the reader of archives itself, so what comes out cannot differ; only what
 * ids mean is told instead of read. Communicator 0 is the world, 1 the process by itself.
 */
#ifndef TRACENEST_TRACE_LIVE_H
#define TRACENEST_TRACE_LIVE_H

#include "trace/event_writer.h"
#include "trace/trace.h"

struct live;

/* Everything is borrowed. region: names by id. */
struct live *live_new(uint32_t rank, uint32_t processes, const char *const *region, uint32_t regions,
	const struct trace_options *, const struct trace_sink *);
void live_free(struct live *);

/* Members as ranks of the world; ids ascend. */
void live_communicator(struct live *, uint32_t id, const uint32_t *member, size_t members);

/* What the string of a site, or the path of records that have one, is called; its words are kept. Ids are below 2^24. */
void live_site(struct live *, uint32_t id, const char *words);

/* Another string that records name; ids ascend. */
void live_string(struct live *, uint32_t id, const char *text);

/* Has the type of a listener of event_writer.h; context: the live stream. */
void live_take(void *context, const struct event_record *, const struct event_attributes *);

/* Tell each record to somebody else first: of a collective among neighbours its messages
   instead. */
void live_listen(struct live *, event_listener, void *context);

/* So many calls of this name were made that move data, however many were seen to be entered. */
void live_moved(struct live *, const char *call, uint64_t calls);

/* No more records. False with *error set if any of them could not be understood. */
bool live_finish(struct live *, struct error *);

/* Its facts, missing records and dictionary; not to be read or closed. */
struct trace *live_trace(struct live *);

/* A trace of which there is only what is told of it by trace_add_reading. */
struct trace *trace_of_parts(uint32_t processes);

#endif
