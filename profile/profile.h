/*
 * profile.h -- how long the statements of a program took, over all their occurrences: computing
 * before them, and in their calls.
 *
 *	struct profile *p = profile_read(run, "run.nest", trace, NULL, NULL, &error);
 *	profile_fold(p, 0.25);			-- processes that do the same, in the same time: one row
 *	... p->row[i]
 *	profile_free(p);
 *
 * Rows are split by where control came from, as in X. Wu, F. Mueller et al.: ScalaTrace's
 * path-sensitive times. Times of a process are told completely: what its rows hold, what stands
 * apart and what came behind its last event is its run time. Of several events that one call
 * completes, the first has its times.
 *
 * Profiles of the same program merge, in any order and grouping.
 */
#ifndef TRACENEST_PROFILE_PROFILE_H
#define TRACENEST_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ask/arrival.h"
#include "base/error.h"
#include "base/intern.h"
#include "base/progress.h"
#include "base/ranks.h"
#include "model/run.h"
#include "profile/sample.h"
#include "profile/histogram.h"
#include "trace/trace.h"

struct profile_row {
	size_t line;
	enum arrival arrival;
	struct ranks ranks; /* whose times these are */
	uint64_t occurrences; /* of the line; the histograms count those that have a call of their own */
	struct histogram before, call; /* ticks: outside of MPI calls since the event before; in calls since then */
	struct sample sample; /* of `before`, until it is folded; */
	double longest; /* ... of the same occurrence of all its processes, in the mean; 0: not known */
};

struct profile_process {
	uint64_t first, last; /* records, in ticks */
	uint64_t after, after_call; /* behind the last event: outside of and in calls */
	uint64_t apart; /* in MPI_Init, MPI_Finalize and MPI_File_* calls */
	uint64_t events;
	uint64_t work,
		call; /* outside of and in calls, all in all, where times were learned (online_times.h); else 0 */
};

struct profile {
	struct run *run; /* borrowed */
	uint64_t ticks_per_second; /* 0: not known */
	struct profile_process *process;
	struct profile_row *row;
	size_t rows, capacity;
	struct intern *keys; /* of rows */
	uint64_t records; /* where times were learned; else 0 */
};

/*
 * The run's module has no calls. model: what to call the program in messages.
 * The trace is an archive, opened as the program's maker opened it. wanted: of these processes
 * alone; NULL: of all. NULL with *error set: what reading came upon, or the trace is not that of
 * the program. O(records).
 */
struct profile *profile_read(struct run *, const char *model, struct trace *, const struct ranks *wanted,
	const struct progress *, struct error *);
void profile_free(struct profile *);

/* For those who learn the times otherwise: without rows, and processes that are 0; and the row of a
   statement, new if need be. ticks_per_second: 0: not known. */
struct profile *profile_new(struct run *, uint64_t ticks_per_second);
size_t profile_row(struct profile *, size_t line, uint32_t rank, enum arrival);

/* Rows of the same line and arrival, of processes that execute the same statements, become one
   where no mean differs from that of all by more than this part of it; sorted by line,
   arrival, ranks. Nothing can be merged into it any more. */
void profile_fold(struct profile *, double bound);

#endif
