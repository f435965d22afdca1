/*
 * tracker.c -- a cursor of each process that has begun and not ended.
 */
#include "trace/tracker.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"

struct tracker {
	struct run *run;
	const char *model;
	const struct trace *trace;
	bool locals;
	uint32_t processes;
	struct tracked {
		struct cursor *cursor; /* NULL: before its first event, or behind its last */
		uint64_t events;
		bool ended;
	} process[];
};

struct tracker *tracker_new(struct run *run, const char *model, const struct trace *trace, bool locals)
{
	uint32_t processes = run_module(run)->processes;
	struct tracker *t = mem_zero(sizeof *t + processes * sizeof *t->process);
	t->run = run;
	t->model = model;
	t->trace = trace;
	t->locals = locals;
	t->processes = processes;
	return t;
}

void tracker_free(struct tracker *t)
{
	for (uint32_t rank = 0; t && rank < t->processes; rank++)
		cursor_free(t->process[rank].cursor);
	free(t);
}

/* ------------------------------------------------------------------ what is wrong */

bool trace_is_other(const char *model, const char *path, struct error *error)
{
	return error_at(error, "%s: the trace is not that of the model %s", path, model);
}

bool tracker_is_other(const struct tracker *t, struct error *error)
{
	return trace_is_other(t->model, trace_path(t->trace), error);
}

bool trace_has_other_processes(
	const char *model, const char *path, uint32_t in_trace, uint32_t in_model, struct error *error)
{
	error_set(error, ERROR_INCONSISTENT, "it has %" PRIu32 " processes, the model %" PRIu32, in_trace, in_model);
	return trace_is_other(model, path, error);
}

bool tracker_takes(const struct tracker *t, struct error *error)
{
	uint32_t processes = trace_facts(t->trace)->processes;
	return !trace_facts(t->trace)->archive || processes == t->processes ||
	       trace_has_other_processes(t->model, trace_path(t->trace), processes, t->processes, error);
}

bool tracker_knows(const struct tracker *t, uint32_t rank, struct error *error)
{
	return rank < t->processes || error_set(error, ERROR_INCONSISTENT, "it has a rank %" PRIu32, rank) ||
	       tracker_is_other(t, error);
}

/* ------------------------------------------------------------------ event by event */

static struct cursor *cursor_of(struct tracker *t, uint32_t rank)
{
	struct tracked *p = &t->process[rank];
	return p->cursor ? p->cursor : (p->cursor = cursor_new(t->run, rank));
}

static bool step(const struct tracker *t, struct cursor *c)
{
	bool more;
	while ((more = cursor_next(c)) && !t->locals && !kind_is_call(node_of(c->at.store, c->event)->sub))
		;
	return more;
}

bool tracker_differs(const struct tracker *t, uint32_t rank, struct error *error)
{
	error_set(error, ERROR_INCONSISTENT, "event %" PRIu64 " of rank %" PRIu32 " is another one in the model",
		t->process[rank].events - 1, rank);
	return tracker_is_other(t, error);
}

struct cursor *tracker_next(struct tracker *t, uint32_t rank, enum event_kind kind, struct error *error)
{
	if (!tracker_knows(t, rank, error))
		return NULL;
	struct tracked *p = &t->process[rank];
	struct cursor *c = cursor_of(t, rank);
	if (!step(t, c)) {
		if (environment_good(&c->at, error)) {
			error_set(error, ERROR_INCONSISTENT,
				"rank %" PRIu32 " has more than the %" PRIu64 " events of the model", rank, p->events);
			tracker_is_other(t, error);
		}
		return NULL;
	}
	p->events++;
	return node_of(c->at.store, c->event)->sub == (int)kind || tracker_differs(t, rank, error) ? c : NULL;
}

uint64_t tracker_events(const struct tracker *t, uint32_t rank)
{
	return t->process[rank].events;
}

bool tracker_end(struct tracker *t, uint32_t rank, struct error *error)
{
	struct tracked *p = &t->process[rank];
	struct cursor *c = p->ended ? NULL : cursor_of(t, rank);
	bool more = c && step(t, c), good = !c || environment_good(&c->at, error);
	cursor_free(c);
	p->cursor = NULL;
	p->ended = true;
	if (!good || !more)
		return good;
	error_set(error, ERROR_INCONSISTENT, "rank %" PRIu32 " has %" PRIu64 " events in the trace, more in the model",
		rank, p->events);
	return tracker_is_other(t, error);
}

bool tracker_end_all(struct tracker *t, struct error *error)
{
	bool good = true;
	for (uint32_t rank = 0; rank < t->processes && good; rank++)
		good = tracker_end(t, rank, error);
	return good;
}
