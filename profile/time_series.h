/*
 * time_series.h -- the times of a run's events, from a profile that keeps them and its program; the
 * trace is not needed.
 *
 *	struct time_series *m = time_series_open("run.db", run, "run.nest", &error);
 *	struct time_series_reader *r = time_series_read(m, rank);
 *	while (... cursor_next(c) && time_series_next(r, c->line, &time, &error))
 *		... time.time
 *	time_series_end(r);
 *	time_series_at(m, rank, time, &moment, &error);	-- where the process was
 *	time_series_close(m);
 */
#ifndef TRACENEST_PROFILE_TIME_SERIES_H
#define TRACENEST_PROFILE_TIME_SERIES_H

#include "base/error.h"
#include "model/run.h"
#include "profile/columns.h"
#include "trace/trace.h"

struct time_series;

/* Borrows the run, whose module must be the profile's (as made: module_as_made) and has no calls.
   NULL with *error set. O(statements + segments). */
struct time_series *time_series_open(const char *path, struct run *, const char *model, struct error *);
void time_series_close(struct time_series *);

/* Of the run: its first record, in ticks; the clock, 0: not known; what is kept of times. */
uint64_t time_series_begin(const struct time_series *);
uint64_t time_series_ticks_per_second(const struct time_series *);
const struct columns_form *time_series_form(const struct time_series *);

/* Who stood where when a run ended that did not end well; NULL: this one did. */
const char *time_series_ending(const struct time_series *);

/* ------------------------------------------------------------------ all events of a process */

struct time_series_reader;
struct time_series_reader *time_series_read(struct time_series *, uint32_t rank);
void time_series_end(struct time_series_reader *);

/* The next event, which is on this line. False with *error set: the database is damaged,
   or is of another program. Amortized O(1). */
bool time_series_next(struct time_series_reader *, size_t line, struct event_time *, struct error *);

/* ------------------------------------------------------------------ where it was */

enum time_point_state {
	TIME_POINT_NOTHING, /* the process has no events */
	TIME_POINT_BEFORE, /* its next event is this one; it is outside of that one's call */
	TIME_POINT_INSIDE, /* of that event's call */
	TIME_POINT_BEHIND, /* of its last event, which this is */
};

struct time_point {
	enum time_point_state state;
	uint64_t event; /* its number in the stream, from 0 */
	size_t line;
	size_t loops; /* around it; guards are none */
	int64_t index[INDEX_DEPTH]; /* of these, the outermost first */
	struct event_time time;
	uint64_t since; /* when this state began; of TIME_POINT_BEFORE: the end of the call before */
	const struct trace_stand *inside; /* a call that it had entered by then, and never left; NULL: none */
};

/*
 * At this time, in ticks of the clock: the first event that ends later, where one that is of no
 * call ends with itself. False with *error set: damaged. O(log events + events of a block).
 */
bool time_series_at(struct time_series *, uint32_t rank, uint64_t time, struct time_point *, struct error *);

#endif
