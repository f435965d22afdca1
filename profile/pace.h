/*
 * pace.h -- how long a program computes before its events, and stays in its calls, as a profile
 * says.
 *
 *	struct pace *pace = pace_new(processes, ticks_per_second);
 *	pace_add(pace, line, ARRIVAL_NEXT, &ranks, &times);		-- for all rows
 *	struct pacing *p = pacing_new(pace, rank);
 *	while (cursor_next(c))
 *		struct pace_step step = pacing_next(p, c);
 *	pacing_free(p);
 *
 * Means are handed out so that their sums are those of the profile: what is left of a tick is added
 * to the next time, and of events of which several share a call as many have one of their own as it
 * says.
 */
#ifndef TRACENEST_PROFILE_PACE_H
#define TRACENEST_PROFILE_PACE_H

#include <stdbool.h>
#include <stdint.h>

#include "ask/arrival.h"
#include "base/error.h"
#include "base/ranks.h"
#include "model/run.h"

/* Of all executions of a statement by some processes, when control came in one way. */
struct pace_times {
	uint64_t occurrences;
	uint64_t calls; /* of them with a call of their own; the others are completed by the one before */
	uint64_t before, call; /* ticks: sums */
	double longest; /* of `before` of the same execution by all of them, in the mean; 0: not known */
};

/* Of a process: ticks from the beginning of the run to its first record, from its last event to the
   end of its last call, and then to its last record. */
struct pace_process {
	uint64_t first, after_call, after;
	uint64_t apart; /* in MPI_Init, MPI_Finalize and I/O, wherever that was */
	uint64_t work; /* outside of calls, of the whole run */
};

/* Times before events of which so many lie from low to high. */
struct pace_bin {
	uint64_t low, high, times; /* ticks */
};

struct pace;

/* ticks_per_second 0: not known, taken for ns. Lines are those of a module without calls. */
struct pace *pace_new(uint32_t processes, uint64_t ticks_per_second);
void pace_free(struct pace *);
uint64_t pace_ticks_per_second(const struct pace *); /* never 0 */

/* The time of the first record of the run, by its clock; 0 where nobody has said it. */
void pace_set_begin(struct pace *, uint64_t ticks);
uint64_t pace_begin(const struct pace *);

void pace_add(struct pace *, size_t line, enum arrival, const struct ranks *, const struct pace_times *);
void pace_set_longest(struct pace *, size_t row, double ticks);
/* How the times before of a row, counted from 0 as they were added, are distributed. */
void pace_add_bin(struct pace *, size_t row, const struct pace_bin *);
/* Of an estimate, the least and the most of `before`; which of these, or what was added, is told
   by pacings that are made later. */
enum pace_end { PACE_ESTIMATE, PACE_LEAST, PACE_MOST };
void pace_set_range(struct pace *, size_t row, uint64_t least, uint64_t most);
bool pace_is_estimate(const struct pace *); /* has a row a range? false of NULL */
void pace_choose(struct pace *, enum pace_end);
void pace_set_process(struct pace *, uint32_t rank, const struct pace_process *);
struct pace_process pace_get_process(const struct pace *, uint32_t rank);

/* What was added, in order; borrowed. */
struct pace_row {
	size_t line;
	enum arrival arrival;
	const struct ranks *ranks;
	const struct pace_times *times;
	const struct pace_bin *bin;
	size_t bins;
};
size_t pace_rows(const struct pace *);
struct pace_row pace_get_row(const struct pace *, size_t row);

/* Where times of all events are kept: these then, not means; the pace closes them. What cannot be
   read later is told in *error, the first that happens, which must live as long. */
struct time_series;
void pace_set_series(struct pace *, struct time_series *, struct error *);
bool pace_is_exact(const struct pace *); /* false of NULL */

/* ------------------------------------------------------------------ one process */

struct pace_step {
	bool own; /* has the event a call of its own? */
	uint64_t before, call; /* ticks */
	uint64_t other; /* in calls without events before; of means: 0, it is in `call` */
	bool timed; /* from the beginning of the run: */
	uint64_t enter, leave, time;
};

struct pacing;
struct pacing *pacing_new(const struct pace *, uint32_t rank); /* O(rows of the statements) */
void pacing_free(struct pacing *);

/* The times of the event that the cursor stands at, which is not `local`; to be asked once for each,
   in order. What the profile says nothing of, or cannot be read, takes no time. */
struct pace_step pacing_next(struct pacing *, const struct cursor *);

#endif
