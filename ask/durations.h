/*
 * durations.h -- how long the iterations of a program's loops took, told the times of the events.
 *
 *	struct durations *d = durations_new(run, 3, false);
 *	durations_event(d, rank, time);		-- for each event of each process, in order
 *	durations_finish(d, rank);
 *	durations_loop(d, i) ...
 *
 * An iteration lasts from its first event to the event that follows it (at the end of a stream: to
 * the last event), so that iterations fill their loop and loops in a row fill the run. Where it is
 * told when events end (durations_done), time between two events belongs to the later one: work
 * stands before the exchange that it is for, and what follows a loop is no part of it. Different
 * processes may be told of from different threads. Memory follows the loops, not the events: from
 * 8,192 iterations on, the median and the 95th percentile are within 1 %.
 */
#ifndef TRACENEST_ASK_DURATIONS_H
#define TRACENEST_ASK_DURATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/run.h"

/* Stretches of iterations that a strip tells of, at most. */
#define DURATIONS_BINS 128

struct durations;

/* Of one loop in one process; times in the unit of what was told. */
struct duration {
	uint64_t occurrences, iterations;
	uint64_t total, least, most, median, percentile95; /* of single iterations, but for total */
	uint64_t inside; /* of the total: inside communication calls */
};

struct duration_loop {
	char *address;
	size_t line; /* of the module: of a loop, or a guard */
	uint32_t depth; /* loops around it */
	bool varies; /* the count is a function of the indices of the loops around; else: */
	uint64_t count; /* iterations of one occurrence */
	uint64_t iterations; /* in the run */
};

/*
 * Loops that are inside fewer than `depth` others, in the order of the text. strips: also keep how
 * durations change over the iterations. Borrows the run, whose module has no calls. O(statements),
 * whatever the processes.
 */
struct durations *durations_new(struct run *, uint64_t depth, bool strips);
void durations_free(struct durations *);

/* One more event of a process, and the last time that is known of it. A time before the one told
   last counts as that. */
void durations_event(struct durations *, uint32_t rank, uint64_t time);
void durations_finish(struct durations *, uint32_t rank);

/* The last event told has ended, or (before the first one) the process begins: what comes from now
   on belongs to the event told next. */
void durations_done(struct durations *, uint32_t rank, uint64_t time);

/* A communication call of the process begins; ends. */
void durations_call(struct durations *, uint32_t rank, uint64_t time);
void durations_return(struct durations *, uint32_t rank, uint64_t time);
bool durations_calls_known(const struct durations *);

/* Events told of a process; the time from its first to its last. */
uint64_t durations_events(const struct durations *, uint32_t rank);
uint64_t durations_run(const struct durations *, uint32_t rank);

size_t durations_loops(const struct durations *);
const struct duration_loop *durations_loop(const struct durations *, size_t i);

/* False if the process has no part in the loop. */
bool durations_of(const struct durations *, size_t loop, uint32_t rank, struct duration *);

/* The first loop from this one on of which the process has a part; SIZE_MAX: there is none. O(log).
   Most processes of an irregular program take part in few of its loops. */
size_t durations_next(const struct durations *, uint32_t rank, size_t loop);

/*
 * What is in no loop: gap i comes before durations_gap_loop(d, i), SIZE_MAX: behind all. False if
 * the process has nothing there; of the result, occurrences are the events, iterations 1.
 */
size_t durations_gaps(const struct durations *);
size_t durations_gap_loop(const struct durations *, size_t gap);
bool durations_gap(const struct durations *, size_t gap, uint32_t rank, struct duration *);
size_t durations_next_gap(const struct durations *, uint32_t rank, size_t gap);

/* Mean durations of the iterations in each of so many stretches; NaN where there was none. 0 if the
   process has no part. */
size_t durations_strip(const struct durations *, size_t loop, uint32_t rank, double mean[DURATIONS_BINS]);

#endif
