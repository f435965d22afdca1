/*
 * tracenest_calls.c -- the calls of a trace across the border, many at once.
 */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "lib/handles.h"
#include "lib/tracenest.h"
#include "trace/call_rows.h"

struct gathering {
	const struct trace_facts *facts;
	tracenest_call *call;
	size_t calls, most;
	bool (*take)(void *context, const tracenest_call *call, size_t calls);
	void *context;
	bool enough;
};

static double seconds(const struct trace_facts *f, bool known, uint64_t ticks)
{
	return known ? call_rows_seconds(f, ticks) : NAN;
}

static bool pass_on(struct gathering *g)
{
	g->enough = g->enough || (g->calls && !g->take(g->context, g->call, g->calls));
	g->calls = 0;
	return !g->enough;
}

static bool gather(void *context, const struct call_row *r, struct error *error)
{
	struct gathering *g = context;
	error->kind = ERROR_NONE;
	g->call[g->calls++] = (tracenest_call){.rank = r->rank,
		.thread = r->thread,
		.peer = r->peer == CALL_ROW_NOBODY ? TRACENEST_NONE : r->peer,
		.numbered = r->numbered,
		.function = r->function,
		.event = r->event,
		.tag = r->tag,
		.number = r->number,
		.communicator = r->passes ? r->communicator : TRACENEST_WORLD,
		.bytes = r->sized ? r->bytes : TRACENEST_UNKNOWN,
		.received = r->exchanged ? r->received : TRACENEST_UNKNOWN,
		.begin = seconds(g->facts, r->begun, r->begin),
		.end = seconds(g->facts, r->ended, r->end),
		.site = r->site,
		.path = r->path};
	return g->calls < g->most || pass_on(g);
}

static bool read_calls(
	struct gathering *g, struct trace *trace, const uint32_t *ranks, size_t count, struct error *error)
{
	struct call_rows *rows = call_rows_new(trace);
	struct call_rows_sink sink = {g, gather, NULL};
	struct ranks wanted = {0};
	for (size_t i = 0; i < count; i++)
		ranks_add(&wanted, ranks[i]);
	bool good = call_rows_read(rows, ranks ? &wanted : NULL, &sink, error) || g->enough;
	if (good)
		pass_on(g);
	ranks_clear(&wanted);
	call_rows_free(rows);
	return good;
}

bool tracenest_calls_read(const char *path, const uint32_t *ranks, size_t count, size_t most,
	bool (*take)(void *context, const tracenest_call *call, size_t calls), void *context, tracenest_error *to)
{
	struct error error = {0};
	struct trace_options options = {0};
	struct gathering g = {.most = most ? most : 1, .take = take, .context = context};
	call_rows_options(&options);
	struct trace *trace = trace_open(path, &options, &error);
	if (!trace)
		return tell(false, &error, to);
	g.facts = trace_facts(trace);
	g.call = mem_array(g.most, sizeof *g.call);
	bool good = read_calls(&g, trace, ranks, count, &error);
	free(g.call);
	trace_close(trace);
	return tell(good, &error, to);
}
