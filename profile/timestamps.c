/*
 * timestamps.c -- process by process; the events of a call wait until it has ended.
 */
#include "profile/timestamps.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "trace/calls.h"

struct waiting {
	uint64_t time;
	enum event_kind kind;
};

struct reading {
	struct timestamps *timestamps;
	const char *model, *path;
	const struct timestamps_options *options;
	struct trace *trace;
	struct calls *calls;
	bool extra; /* calls are no events of the program */
	struct run *run;
	struct columns *columns;
	uint32_t processes;
	struct ranks read;
	/* the process at hand */
	bool any;
	uint32_t rank;
	struct cursor *cursor; /* NULL: of no process yet */
	uint64_t events, last;
	uint64_t end; /* of the last call that held events */
	uint64_t enter, other;
	unsigned depth; /* of calls */
	struct waiting *waiting; /* events of the call that is open */
	size_t waits, capacity;
};

static bool is_another(const struct reading *t, struct error *error)
{
	return error_set(error, ERROR_INCONSISTENT,
		"%s: the trace is not that of the model %s: event %" PRIu64 " of rank %" PRIu32
		" is another one in the model",
		t->path, t->model, t->events, t->rank);
}

/* The call that the waiting events were in. */
static bool tell_call(struct reading *t, uint64_t enter, uint64_t leave, struct error *error)
{
	/* events that stand in another order than they were recorded, or clocks */
	enter = enter > t->end ? enter : t->end;
	leave = leave > enter ? leave : enter;
	uint64_t other = t->other < enter - t->end ? t->other : enter - t->end;
	for (size_t i = 0; i < t->waits; i++) {
		struct event_time time = {t->waiting[i].time, enter, leave, other, i > 0};
		if (!cursor_next(t->cursor) ||
			node_of(t->cursor->at.store, t->cursor->event)->sub != (int)t->waiting[i].kind)
			return is_another(t, error);
		if (!columns_add(t->columns, t->cursor, &time, error))
			return false;
		t->events++;
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
	bool good = !t->waits || tell_call(t, t->enter, t->last, error);
	if (good && cursor_next(t->cursor))
		good = error_set(error, ERROR_INCONSISTENT,
			"%s: the trace is not that of the model %s: rank %" PRIu32 " has %" PRIu64
			" events in the trace, more in the model",
			t->path, t->model, t->rank, t->events);
	t->timestamps->events += t->events;
	t->any = false;
	return good;
}

static bool begin_process(struct reading *t, uint32_t rank, uint64_t time, struct error *error)
{
	if (!end_process(t, error))
		return false;
	t->any = true;
	t->rank = rank;
	if (t->cursor)
		cursor_restart(t->cursor, rank);
	else
		t->cursor = cursor_new(t->run, rank);
	t->events = t->other = 0;
	t->end = t->last = time;
	t->depth = 0;
	t->waits = 0;
	ranks_add(&t->read, rank);
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

static bool take_event(void *context, uint32_t rank, const struct trace_event *e, struct error *error)
{
	struct reading *t = context;
	if (rank >= t->processes)
		return error_set(error, ERROR_INCONSISTENT,
			"%s: the trace is not that of the model %s: it has a rank %" PRIu32, t->path, t->model, rank);
	if (!e->timed)
		return error_set(error, ERROR_INPUT, "%s: an event of rank %" PRIu32 " has no time", t->path, rank);
	if ((!t->any || t->rank != rank) && !begin_process(t, rank, e->time, error))
		return false;
	const struct dictionary *d = trace_dictionary(t->trace, rank);
	struct call_event what = calls_event(t->calls, rank, d, e->event);
	bool call = what.sort == NAME_COMMUNICATES;
	t->last = e->time > t->last ? e->time : t->last;
	if (what.kind == CALL_ENTER && call)
		enter(t, e->time);
	if (what.kind == CALL_NONE || !t->extra) {
		t->waiting = mem_grow(t->waiting, &t->capacity, t->waits + 1, sizeof *t->waiting);
		t->waiting[t->waits++] =
			(struct waiting){e->time, (enum event_kind)dictionary_get_event(d, e->event)->kind};
		if (!t->depth)
			return tell_call(t, e->time, e->time, error);
	}
	return what.kind != CALL_RETURN || !call || leave(t, e->time, error);
}

static void progress(void *context, double share)
{
	progress_tell(&((struct reading *)context)->options->progress, share);
}

/* ------------------------------------------------------------------ what is kept */

static void keep_text(struct text *to, const struct text *from)
{
	text_add(to, from->data, from->length);
}

static bool keep_tables(void *context, const struct text *tables, struct error *error)
{
	struct timestamps *s = context;
	(void)error;
	s->tables = mem_grow(s->tables, &s->tables_capacity, s->tables_length + 1, sizeof *s->tables);
	s->tables[s->tables_length] = (struct text){0};
	keep_text(&s->tables[s->tables_length++], tables);
	return true;
}

static bool keep_segment(void *context, const struct columns_segment *x, struct error *error)
{
	struct timestamps *s = context;
	(void)error;
	s->segment = mem_grow(s->segment, &s->capacity, s->segments + 1, sizeof *s->segment);
	struct timestamps_segment *kept = &s->segment[s->segments++];
	*kept = (struct timestamps_segment){x->rank, x->tables, x->first, x->events, x->begin, {0}, {0}};
	keep_text(&kept->index, x->index);
	keep_text(&kept->data, x->data);
	return true;
}

void timestamps_clear(struct timestamps *s)
{
	for (size_t i = 0; i < s->tables_length; i++)
		text_clear(&s->tables[i]);
	for (size_t i = 0; i < s->segments; i++) {
		text_clear(&s->segment[i].index);
		text_clear(&s->segment[i].data);
	}
	free(s->tables);
	free(s->segment);
	*s = (struct timestamps){0};
}

/* ------------------------------------------------------------------ the whole */

/* Processes that the program has events for, and the archive none. */
static bool check_all_read(struct reading *t, uint32_t processes, struct error *error)
{
	struct cursor *c = processes ? cursor_new(t->run, 0) : NULL;
	bool good = true;
	for (uint32_t rank = 0; rank < processes && good; rank++) {
		if (ranks_has(&t->read, rank))
			continue;
		cursor_restart(c, rank);
		good = !cursor_next(c) || error_set(error, ERROR_INCONSISTENT,
						  "%s: the trace is not that of the model %s: rank %" PRIu32
						  " has no events in the trace, some in the model",
						  t->path, t->model, rank);
	}
	cursor_free(c);
	return good;
}

bool timestamps_read(struct timestamps *s, struct run *run, const char *model, const char *path,
	const struct timestamps_options *options, struct error *error)
{
	*s = (struct timestamps){.form = options->form};
	struct reading t = {.timestamps = s, .model = model, .path = path, .options = options, .run = run};
	t.trace = calls_trace(path, &options->trace, &t.extra, error);
	if (!t.trace)
		return false;
	struct stored_numbers numbers = stored_numbers_of(run_module(run));
	t.processes = run_module(run)->processes;
	t.calls = calls_new(t.processes);
	t.columns = columns_new(&numbers, &options->form, &(struct columns_sink){s, keep_tables, keep_segment});
	bool good = trace_read(t.trace, 1, NULL, &(struct trace_sink){&t, take_event, progress, NULL}, error);
	good = good ? end_process(&t, error) && columns_finish(t.columns, error) &&
			       check_all_read(&t, t.processes, error)
		    : (end_process(&t, &(struct error){0}), false);
	columns_free(t.columns);
	stored_numbers_clear(&numbers);
	cursor_free(t.cursor);
	calls_free(t.calls);
	ranks_clear(&t.read);
	free(t.waiting);
	trace_close(t.trace);
	return good;
}
