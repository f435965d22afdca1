/*
 * calls.c -- what an event says is looked at once for each process.
 */
#include "trace/calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct met_events {
	struct call_event *of;
	size_t length, capacity;
};

#define UNSEEN 255

struct calls {
	uint32_t processes;
	struct met_events *met; /* per rank */
};

struct calls *calls_new(uint32_t processes)
{
	struct calls *c = mem_zero(sizeof *c);
	c->processes = processes;
	c->met = mem_zero((processes + (size_t)1) * sizeof *c->met);
	return c;
}

void calls_free(struct calls *c)
{
	if (!c)
		return;
	for (uint32_t rank = 0; rank < c->processes; rank++)
		free(c->met[rank].of);
	free(c->met);
	free(c);
}

static struct call_event look(const struct dictionary *d, uint32_t event)
{
	const struct event *e = dictionary_get_event(d, event);
	if (e->kind != EVENT_LOCAL)
		return (struct call_event){CALL_NONE, 0};
	const char *words = dictionary_get_word(d, e->subject);
	bool call = !strncmp(words, "call ", 5), back = !strncmp(words, "return ", 7);
	const char *name = words + (call ? 5 : 7);
	if ((!call && !back) || !name_is_mpi(name)) /* TAU has regions inside of MPI's, "MPI Collective Sync" */
		return (struct call_event){CALL_OTHER, 0};
	return (struct call_event){call ? CALL_ENTER : CALL_RETURN, (unsigned char)name_sort(name)};
}

struct call_event calls_event(struct calls *c, uint32_t rank, const struct dictionary *d, uint32_t event)
{
	struct met_events *m = &c->met[rank];
	if (event >= m->length) {
		m->of = mem_grow(m->of, &m->capacity, (size_t)event + 1, sizeof *m->of);
		for (; m->length <= event; m->length++)
			m->of[m->length].kind = UNSEEN;
	}
	if (m->of[event].kind == UNSEEN)
		m->of[event] = look(d, event);
	return m->of[event];
}

struct trace *calls_trace(const char *path, const struct trace_options *wanted, bool *extra, struct error *error)
{
	struct trace_options options = *wanted;
	struct trace *trace = trace_open(path, &options, error);
	*extra = trace && trace_facts(trace)->archive && options.events == TRACE_COMM;
	if (!*extra)
		return trace;
	trace_close(trace);
	options.events = TRACE_MPI;
	return trace_open(path, &options, error);
}
