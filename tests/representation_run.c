/*
 * representation_run.c -- what `tracenest expand`, `matrix --csv` and `stat --csv` say.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask/communication.h"
#include "ask/event_lines.h"
#include "ask/measures.h"
#include "lib/event_values.h"
#include "tests/representation.h"

static const char *option_of(int options, char **option, const char *name)
{
	for (int i = 0; i < options; i++)
		if (!strcmp(option[i], name))
			return i + 1 < options ? option[i + 1] : "";
	return NULL;
}

static int finish(bool good, struct output *out, struct error *error)
{
	if (good && output_close(out, error))
		return 0;
	if (!good)
		output_abandon(out);
	fprintf(stderr, "tracenest: %s\n", error->message);
	return (int)error->kind;
}

static bool is_asked(const void *names, const char *name)
{
	return event_values_is_asked(names, name, strlen(name));
}

/* [--values NAMES] */
int representation_expand(struct module *m, const char *path, int options, char **option)
{
	(void)path;
	struct error error = {0};
	struct run *r = run_new(m, NULL);
	struct ranks ranks = {0};
	const char *values = option_of(options, option, "--values");
	struct output *out = output_open(NULL, &error);
	if (m->processes)
		ranks_add_run(&ranks, 0, m->processes - 1);
	bool good = run_expand(r, &ranks, values ? is_asked : NULL, values, out, &error);
	ranks_clear(&ranks);
	run_free(r);
	return finish(good, out, &error);
}

/* The line of "2.0.1". */
static size_t line_at(const struct module *m, const char *address)
{
	size_t line = 0;
	for (node_id body = m->body;; body = node_kid(m->store, body, 2)) {
		char *next;
		unsigned long k = strtoul(address, &next, 10), kids = node_of(m->store, body)->kids;
		for (uint32_t i = 0; i < k && i < kids; i++)
			line += node_of(m->store, node_kid(m->store, body, i))->lines;
		if (!*next || k >= kids)
			return line;
		body = node_kid(m->store, body, (uint32_t)k);
		line++;
		address = next + 1;
	}
}

/* [--bytes] [--tag TAG] [--loop ADDRESS [--per-iteration]] [--collectives] */
int representation_matrix(struct module *m, const char *path, int options, char **option)
{
	(void)path;
	struct error error = {0};
	const char *loop = option_of(options, option, "--loop");
	struct communication_part part = {.whole = !loop,
		.address = loop,
		.per_iteration = option_of(options, option, "--per-iteration"),
		.tag = option_of(options, option, "--tag"),
		.sizes = option_of(options, option, "--bytes"),
		.collectives = option_of(options, option, "--collectives")};
	bool inline_calls = loop || part.tag || part.sizes || part.collectives;
	if (inline_calls && !module_inline(m, &error))
		return finish(false, NULL, &error);
	part.line = loop ? line_at(m, loop) : 0;
	struct run *r = run_new(m, NULL);
	bool has = !part.tag || communication_has_tag(r, part.tag, &error);
	struct communication *x = has ? communication_new(r, &part, &error) : NULL;
	struct output *out = x ? output_open(NULL, &error) : NULL;
	if (x && part.collectives)
		communication_print_collectives(r, x, out);
	else if (x)
		communication_print_csv(x, part.sizes, out);
	if (x && loop)
		fprintf(stderr, "%" PRIu64 " executions, %" PRIu64 " sent, %" PRIu64 " received\n", x->executions,
			x->sent, x->received);
	communication_free(x);
	run_free(r);
	return finish(x, out, &error);
}

int representation_stat(struct module *m, const char *path, int options, char **option)
{
	(void)path, (void)options, (void)option;
	struct error error = {0};
	struct measures s;
	uint64_t cost = module_cost(m);
	if (!module_inline(m, &error))
		return finish(false, NULL, &error);
	struct run *r = run_new(m, NULL);
	bool good = measures_of(r, &s, &error);
	run_free(r);
	if (!good)
		return finish(false, NULL, &error);
	printf("processes,events,loops,depth,events_in_loops,messages,messages_sized,bytes_sent,statements,roles,cost\n");
	printf("%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
	       ",%" PRIu64 ",%" PRIu32 ",%.2f\n",
		s.processes, s.events, s.loops, s.depth, s.in_loops, s.sent, s.sized, s.bytes, s.statements, s.roles,
		(double)cost / COST_UNIT);
	return 0;
}
