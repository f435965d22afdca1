/*
 * timestamps.c -- process by process; the events of a call wait until it has ended.
 */
#include "profile/timestamps.h"

#include <stdlib.h>

#include "base/mem.h"
#include "trace/calls.h"

struct waiting {
	uint64_t time;
	enum event_kind kind;
};

struct reading {
	struct tracker *tracker;
	struct columns *columns;
	/* the process at hand */
	bool any;
	uint32_t rank;
	uint64_t last;
	uint64_t end; /* of the last call that held events */
	uint64_t enter, other;
	unsigned depth; /* of calls */
	struct waiting *waiting; /* events of the call that is open */
	size_t waits, capacity;
};

/* The call that the waiting events were in. */
static bool tell_call(struct reading *t, uint64_t enter, uint64_t leave, struct error *error)
{
	/* events that stand in another order than they were recorded, or clocks */
	enter = enter > t->end ? enter : t->end;
	leave = leave > enter ? leave : enter;
	uint64_t other = t->other < enter - t->end ? t->other : enter - t->end;
	for (size_t i = 0; i < t->waits; i++) {
		struct event_time time = {t->waiting[i].time, enter, leave, other, i > 0};
		const struct cursor *at = tracker_next(t->tracker, t->rank, t->waiting[i].kind, error);
		if (!at)
			return false;
		columns_add(t->columns, at, &time);
	}
	t->end = leave;
	t->other = 0;
	t->waits = 0;
	return true;
}

static bool end_process(struct reading *t, struct error *error)
{
	if (!t->any)
		return true;
	t->any = false;
	return (!t->waits || tell_call(t, t->enter, t->last, error)) && tracker_end(t->tracker, t->rank, error);
}

static bool begin_process(struct reading *t, uint32_t rank, uint64_t time, struct error *error)
{
	if (!end_process(t, error))
		return false;
	t->any = true;
	t->rank = rank;
	t->other = 0;
	t->end = t->last = time;
	t->depth = 0;
	t->waits = 0;
	columns_begin(t->columns, rank, time);
	return true;
}

static void enter(struct reading *t, uint64_t time)
{
	if (!t->depth++)
		t->enter = time;
}

static bool leave(struct reading *t, uint64_t time, struct error *error)
{
	if (!t->depth || --t->depth)
		return true;
	if (t->waits)
		return tell_call(t, t->enter, time, error);
	t->other += time > t->enter ? time - t->enter : 0;
	return true;
}

static bool take_event(
	void *context, uint32_t rank, const struct trace_event *e, struct call_event what, struct error *error)
{
	struct reading *t = context;
	if ((!t->any || t->rank != rank) && !begin_process(t, rank, e->time, error))
		return false;
	bool call = what.sort == NAME_COMMUNICATES;
	t->last = e->time > t->last ? e->time : t->last;
	if (what.kind == CALL_ENTER && call)
		enter(t, e->time);
	if (!what.extra) {
		t->waiting = mem_grow(t->waiting, &t->capacity, t->waits + 1, sizeof *t->waiting);
		t->waiting[t->waits++] = (struct waiting){e->time, (enum event_kind)what.of};
		if (!t->depth)
			return tell_call(t, e->time, e->time, error);
	}
	return what.kind != CALL_RETURN || !call || leave(t, e->time, error);
}

void timestamps_clear(struct timestamps *s)
{
	columns_kept_clear(&s->kept);
	*s = (struct timestamps){0};
}

/* ------------------------------------------------------------------ the whole */

bool timestamps_read(struct timestamps *s, struct run *run, const char *model, const char *path,
	const struct timestamps_options *options, struct error *error)
{
	uint32_t processes = run_module(run)->processes;
	*s = (struct timestamps){.form = options->form};
	struct calls *calls = calls_open(path, &options->trace, processes, error);
	if (!calls)
		return false;
	struct stored_numbers numbers = stored_numbers_of(run_module(run));
	struct reading t = {.tracker = tracker_new(run, model, calls_trace(calls), true),
		.columns = columns_new(&numbers, &options->form, &s->kept)};
	struct calls_sink sink = {&t, take_event, &options->progress};
	bool good = calls_read(calls, t.tracker, 1, &sink, error) && end_process(&t, error) &&
		    tracker_end_all(t.tracker, error);
	columns_finish(t.columns);
	for (uint32_t rank = 0; rank < processes; rank++)
		s->events += tracker_events(t.tracker, rank);
	columns_free(t.columns);
	stored_numbers_clear(&numbers);
	tracker_free(t.tracker);
	calls_close(calls);
	free(t.waiting);
	return good;
}
