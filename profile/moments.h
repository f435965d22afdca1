/*
 * moments.h -- the times of a run's events, from a profile that keeps them and the program it is
 * of; the trace is not needed.
 *
 *	struct moments *m = moments_open("run.db", program, "run.nest", &error);
 *	struct moments_reading *r = moments_read(m, rank);
 *	while (... walk_next(walk) && moments_next(r, walk_statement(walk), &time, &error))
 *		... time.time
 *	moments_end(r);
 *	moments_at(m, rank, time, &moment, &error);	-- where the process was
 *	moments_close(m);
 */
#ifndef TRACENEST_PROFILE_MOMENTS_H
#define TRACENEST_PROFILE_MOMENTS_H

#include "base/error.h"
#include "model/program.h"
#include "profile/columns.h"

struct moments;

/* Borrows the program, which must be the profile's (as made: program_as_made). NULL with *error
   set. O(statements + stretches). */
struct moments *moments_open(const char *path, struct program *, const char *model, struct error *);
void moments_close(struct moments *);

/* Of the run: its first record, in ticks; the clock, 0: not known; what is kept of times. */
uint64_t moments_begin(const struct moments *);
uint64_t moments_ticks_per_second(const struct moments *);
const struct columns_form *moments_form(const struct moments *);

/* ------------------------------------------------------------------ all events of a process */

struct moments_reading;
struct moments_reading *moments_read(struct moments *, uint32_t rank);
void moments_end(struct moments_reading *);

/* The next event, which is one of this statement. False with *error set: the database is damaged,
   or is of another program. Amortized O(1). */
bool moments_next(struct moments_reading *, size_t statement, struct event_time *, struct error *);

/* ------------------------------------------------------------------ where it was */

enum moment_state {
	MOMENT_NOTHING, /* the process has no events */
	MOMENT_BEFORE, /* its next event is this one; it is outside of that one's call */
	MOMENT_INSIDE, /* of that event's call */
	MOMENT_BEHIND, /* of its last event, which this is */
};

struct moment {
	enum moment_state state;
	uint64_t event; /* its number in the stream, from 0 */
	size_t statement;
	size_t loops; /* around it; guards are none */
	int64_t index[INDEX_DEPTH]; /* of these, the outermost first */
	struct event_time time;
	uint64_t since; /* when this state began; of MOMENT_BEFORE: the end of the call before */
};

/*
 * At this time, in ticks of the clock: the first event that ends later, where one that is of no
 * call ends with itself. False with *error set: damaged. O(log events + events of a block).
 */
bool moments_at(struct moments *, uint32_t rank, uint64_t time, struct moment *, struct error *);

#endif
