/*
 * representation_run.c -- what `tracenest expand`, `matrix --csv` and `stat --csv` say.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask/communication.h"
#include "ask/event_texts.h"
#include "ask/measures.h"
#include "lib/event_values.h"
#include "model/module_address.h"
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
	uint64_t place = 0;
	if (loop && !module_find(m, loop, &place, &error))
		return finish(false, NULL, &error);
	part.line = (size_t)place;
	struct run *r = run_new(m, NULL);
	struct communication *x = communication_new(r, &part, &error);
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
	struct text text = {0};
	uint64_t cost = module_cost(m);
	module_print_text(m, NULL, &text);
	if (!module_inline(m, &error))
		return finish(false, NULL, &error);
	struct run *r = run_new(m, NULL);
	bool good = measures_of(r, &s, &error);
	run_free(r);
	uint64_t bytes = text.length;
	text_clear(&text);
	measures_clear(&s);
	if (!good)
		return finish(false, NULL, &error);
	const uint64_t row[] = {s.processes, s.events, s.loops, s.depth, s.in_loops, s.in_several, s.in_all, s.sent,
		s.sized, s.bytes, s.statements, s.roles, bytes};
	printf("processes,events,loops,depth,events_in_loops,events_of_several,events_of_all,messages,messages_sized,"
	       "bytes_sent,statements,roles,bytes,cost\n");
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		printf("%" PRIu64 ",", row[i]);
	printf("%.2f\n", (double)cost / COST_UNIT);
	return 0;
}
