/*
 * nest_coverage.c -- sets of processes, bottom up: loops stand in the nest after all that they
 * hold. A chain of nested loops hands one set up.
 */
#include "tests/nest_coverage.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/rank_sets.h"
#include "model/model.h"

struct nest_coverage {
	const struct model *model;
	struct rank_sets *sets;
	uint32_t *of_event, *of_loop;
};

static uint32_t set_of(const struct nest_coverage *c, node n)
{
	return node_is_loop(n) ? c->of_loop[n & ~NEST_LOOP] : c->of_event[n];
}

static void cover_events(struct nest_coverage *c)
{
	uint32_t events = dictionary_events(c->model->dictionary);
	c->of_event = mem_array(events, sizeof *c->of_event);
	for (uint32_t i = 0; i < events; i++) {
		struct ranks_run single;
		struct ranks set = event_processes(c->model->dictionary, i, &single);
		c->of_event[i] = rank_sets_id(c->sets, &set, NULL);
	}
}

static void cover_loops(struct nest_coverage *c)
{
	const struct nest *n = c->model->nest;
	c->of_loop = mem_array(n->loops, sizeof *c->of_loop);
	for (size_t i = 0; i < n->loops; i++) {
		struct body body = nest_body(n, (node)i | NEST_LOOP);
		rank_sets_start(c->sets);
		for (size_t k = 0; k < body.length && n->loop[i].count; k++)
			rank_sets_join(c->sets, set_of(c, body.node[k]));
		c->of_loop[i] = rank_sets_union(c->sets);
	}
}

struct nest_coverage *nest_coverage_new(const struct model *m)
{
	struct nest_coverage *c = mem_zero(sizeof *c);
	c->model = m;
	c->sets = rank_sets_new();
	cover_events(c);
	cover_loops(c);
	return c;
}

void nest_coverage_free(struct nest_coverage *c)
{
	if (!c)
		return;
	rank_sets_free(c->sets);
	free(c->of_event);
	free(c->of_loop);
	free(c);
}

struct ranks nest_coverage_of(const struct nest_coverage *c, node n)
{
	return rank_sets_get(c->sets, set_of(c, n));
}

uint32_t nest_coverage_sets(const struct nest_coverage *c)
{
	return rank_sets_count(c->sets);
}
