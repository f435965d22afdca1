/*
 * otf2_threads.h -- the threads of a process become one stream, in an order that can have happened.
 * Private to the reader of OTF2 archives.
 *
 *	threads_open(a, &error);		-- once: finds the order
 *	if (threads_several(a, rank)) {
 *		struct process_reader *p = process_open(a, rank, false, &facts, &error);
 *		while ((event = process_next(p)))
 *			...
 *		good = process_close(p, &error);
 *	}
 */
#ifndef TRACENEST_TRACE_OTF2_THREADS_H
#define TRACENEST_TRACE_OTF2_THREADS_H

#include "base/series.h"
#include "trace/otf2.h"
#include "trace/timeline.h"

/* Which threads communicate, and in which order: false, with the error set, where locations are
   damaged. *without: how many of those looked at communicate nothing. */
bool threads_open(struct archive *, uint32_t *without, struct error *);
void threads_close(struct archive *);

/* Is the stream of this rank made of those of several threads? */
bool threads_several(const struct archive *, uint32_t rank);

/* ------------------------------------------------------------------ one location of several
   threads */

/* Of a recording of ours: other threads than the first have a number, or, in old ones, another call
   site than the call that is recorded around their event. */
struct thread_sense {
	const struct definitions *definitions; /* NULL: there is one thread */
	uint64_t site; /* of the last call that was entered */
};

struct thread_sense thread_sense(const struct archive *, uint32_t rank);
void thread_enters(struct thread_sense *, const struct event_record *);
uint32_t thread_of(const struct thread_sense *, unsigned inside, const struct event_record *);

/* ------------------------------------------------------------------ the merge */

struct thread_item {
	uint64_t time;
	bool local; /* no communication: the order does not count it */
	uint32_t thread;
	union {
		struct trace_event event; /* its attributes are its own */
		struct timeline_record record;
	};
};

struct thread_lane {
	struct thread_item *item; /* a queue */
	size_t first, length, capacity;
	bool ended;
};

struct thread_merge {
	bool apart; /* each thread has a location to itself */
	uint32_t threads;
	struct thread_lane *lane;
	size_t capacity;
	struct series_cursor *order; /* NULL: that is not known */
	int64_t due; /* the thread that communicates next; -1: as time has it */
	uint64_t last;
};

void merge_begin(struct thread_merge *, const struct archive *, uint32_t rank);
void merge_clear(struct thread_merge *);
void merge_put(struct thread_merge *, const struct thread_item *); /* behind those of its thread */

/* The next item of all: borrowed until merge_put. NULL: *thread must be read on first, or, if all
   have ended, there is none. */
struct thread_item *merge_next(struct thread_merge *, uint32_t *thread);

/* ------------------------------------------------------------------ events */

struct process_reader;

/* anonymous: what events are is of no interest. NULL with *error set on failure. */
struct process_reader *process_open(
	struct archive *, uint32_t rank, bool anonymous, struct stream_facts *, struct error *);

/* Borrowed until the next call. NULL: there are no more, or reading failed. */
const struct trace_event *process_next(struct process_reader *);
bool process_close(struct process_reader *, struct error *); /* did all go well? */

#endif
