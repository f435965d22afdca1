/*
 * timing.h -- how long the iterations of a program's loops took, from one reading of its trace.
 *
 *	struct timing t;
 *	struct timing_options options = {.depth = 3};
 *	if (timing_read(&t, run, "run.nest", "run/traces.otf2", &options, &error))
 *		... t.loop[0]: the hottest loop
 *	timing_clear(&t);
 *
 * An archive is read with its MPI regions, for the time inside and outside of communication; where
 * they are no events of the program, they only tell that.
 */
#ifndef TRACENEST_TIME_TIMING_H
#define TRACENEST_TIME_TIMING_H

#include "ask/durations.h"
#include "base/error.h"
#include "base/progress.h"
#include "base/ranks.h"
#include "trace/trace.h"

struct timing_options {
	struct trace_options trace; /* as the program's maker read it */
	uint32_t depth; /* loops inside at most so many others */
	const struct ranks *ranks; /* sum up these only; NULL: all. Borrowed */
	bool strips; /* keep the durations over the iterations, for pictures */
	unsigned jobs; /* threads; 0: all cores */
	struct progress progress;
};

/* Times are in ticks of the trace's clock. */
struct loop_time {
	size_t loop; /* of durations_loop; of what is in no loop: of durations_gap_loop */
	struct ranks ranks; /* that have a part in it */
	uint64_t total; /* over the processes */
	uint64_t most; /* of one process */
	uint64_t slowest; /* which one */
	uint64_t iterations, least, longest, inside; /* of all processes */
	uint32_t processes; /* that take part */
	double share; /* of the run time of all processes */
	double imbalance;
};

struct timing {
	struct run *run; /* borrowed */
	struct durations *durations;
	struct loop_time *loop; /* durations_loops of them, the hottest first */
	struct loop_time *gap; /* behind them: durations_gaps, what is in no loop, in the order of the text */
	double whole; /* of all processes */
	uint64_t ticks_per_second; /* 0: not known */
	struct trace_facts trace;
	struct missing_records missing; /* what it does not hold */
};

/* The run's module has no calls. model: what to call it in messages. False with *error set: what
   reading the trace came upon, or it is another program's; to be cleared in any case. O(events). */
bool timing_read(struct timing *, struct run *, const char *model, const char *path, const struct timing_options *,
	struct error *);
void timing_clear(struct timing *);

#endif
