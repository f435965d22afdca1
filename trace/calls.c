/*
 * calls.c -- what an event says is looked at once for each process.
 */
#include "trace/calls.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct met_events {
	struct call_event *of;
	size_t length, capacity;
};

#define UNSEEN 255

struct calls {
	struct trace *trace;
	bool extra;
	uint32_t processes;
	struct met_events met[]; /* by rank */
};

void calls_close(struct calls *c)
{
	if (!c)
		return;
	for (uint32_t rank = 0; rank < c->processes; rank++)
		free(c->met[rank].of);
	trace_close(c->trace);
	free(c);
}

struct calls *calls_open(const char *path, const struct trace_options *wanted, uint32_t processes, struct error *error)
{
	struct trace_options options = *wanted;
	struct calls *c = mem_zero(sizeof *c + processes * sizeof *c->met);
	c->processes = processes;
	c->trace = trace_open(path, &options, error);
	c->extra = c->trace && trace_facts(c->trace)->archive && options.events == TRACE_COMM;
	if (c->extra) {
		trace_close(c->trace);
		options.events = TRACE_MPI;
		c->trace = trace_open(path, &options, error);
	}
	if (c->trace)
		return c;
	calls_close(c);
	return NULL;
}

struct trace *calls_trace(const struct calls *c)
{
	return c->trace;
}

static const char call_words[] = "call ", return_words[] = "return ";

struct call_event call_event_of(const struct dictionary *d, uint32_t event, bool extra)
{
	const struct event *e = dictionary_get_event(d, event);
	struct call_event what = {CALL_NONE, 0, (unsigned char)e->kind, e->kind == EVENT_LOCAL && extra};
	if (e->kind != EVENT_LOCAL)
		return what;
	const char *words = dictionary_get_word(d, e->subject);
	bool call = text_begins_with(words, call_words), back = text_begins_with(words, return_words);
	const char *name = words + strlen(call ? call_words : return_words);
	what.kind = CALL_OTHER;
	if ((!call && !back) || !name_is_mpi(name)) /* TAU has regions inside of MPI's, "MPI Collective Sync" */
		return what;
	what.kind = call ? CALL_ENTER : CALL_RETURN;
	what.sort = (unsigned char)name_sort(name);
	return what;
}

const char *call_event_name(const struct dictionary *d, uint32_t event)
{
	const char *words = dictionary_get_word(d, dictionary_get_event(d, event)->subject);
	return words + strlen(text_begins_with(words, call_words) ? call_words : return_words);
}

static struct call_event event_of(struct calls *c, uint32_t rank, uint32_t event)
{
	struct met_events *m = &c->met[rank];
	if (event >= m->length) {
		m->of = mem_grow(m->of, &m->capacity, (size_t)event + 1, sizeof *m->of);
		for (; m->length <= event; m->length++)
			m->of[m->length].kind = UNSEEN;
	}
	if (m->of[event].kind == UNSEEN)
		m->of[event] = call_event_of(trace_dictionary(c->trace, rank), event, c->extra);
	return m->of[event];
}

struct passing {
	struct calls *calls;
	const struct tracker *tracker;
	const struct calls_sink *sink;
};

static bool pass_event(void *context, uint32_t rank, const struct trace_event *e, struct error *error)
{
	const struct passing *p = context;
	if (!tracker_knows(p->tracker, rank, error))
		return false;
	if (!e->timed)
		return error_set(error, ERROR_INPUT, "%s: an event of rank %" PRIu32 " has no time",
			trace_path(p->calls->trace), rank);
	return p->sink->event(p->sink->context, rank, e, event_of(p->calls, rank, e->event), error);
}

bool calls_read(struct calls *c, const struct tracker *tracker, unsigned jobs, const struct calls_sink *sink,
	struct error *error)
{
	struct passing passing = {c, tracker, sink};
	return trace_read(
		c->trace, jobs, NULL, &(struct trace_sink){&passing, pass_event, sink->progress, NULL}, error);
}
