/*
 * nest_coverage.c -- sets of processes, bottom up: loops stand in the nest after all that they
 * hold.
 *
 * A body unites the *distinct* sets of its constructs, so that a million sends of 16 processes are
 * 16 sets to unite, and a chain of nested loops hands one set up.
 */
#include "model/nest_coverage.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "model/model.h"

struct nest_coverage {
	const struct model *model;
	struct intern *sets; /* runs as bytes */
	struct ranks *view; /* of each set; made when all are known */
	uint32_t *of_event, *of_loop;
};

/* What uniting needs on the way. */
struct work {
	struct nest_coverage *c;
	uint32_t *seen; /* per set: the body in which it was last met */
	size_t seen_capacity, seen_length;
	uint32_t body; /* number of the body at hand */
	uint32_t *distinct;
	size_t distincts, distinct_capacity;
	struct ranks_run *run;
	size_t runs, run_capacity;
};

static uint32_t set_id(struct nest_coverage *c, const struct ranks *set)
{
	return intern_id(c->sets, set->length ? (const void *)set->run : "", set->length * sizeof *set->run);
}

static struct ranks set_view(const struct nest_coverage *c, uint32_t set)
{
	size_t size;
	const void *runs = intern_data(c->sets, set, &size);
	return (struct ranks){.run = (struct ranks_run *)runs, .length = size / sizeof(struct ranks_run)};
}

static uint32_t clipped_set(struct nest_coverage *c, const struct ranks *set, const struct ranks *wanted)
{
	if (!wanted || (set->length == 1 && set->run->first == set->run->last && ranks_has(wanted, set->run->first)))
		return set_id(c, set);
	if (set->length == 1 && set->run->first == set->run->last)
		return NEST_COVERAGE_NONE;
	struct ranks clipped = {0};
	ranks_intersect(&clipped, set, wanted);
	uint32_t id = set_id(c, &clipped);
	ranks_clear(&clipped);
	return id;
}

static void cover_events(struct nest_coverage *c, const struct ranks *wanted)
{
	uint32_t events = dictionary_events(c->model->dictionary);
	c->of_event = mem_array(events, sizeof *c->of_event);
	for (uint32_t i = 0; i < events; i++) {
		struct ranks_run single;
		struct ranks set = event_processes(c->model->dictionary, i, &single);
		c->of_event[i] = clipped_set(c, &set, wanted);
	}
}

/* ------------------------------------------------------------------ uniting */

static bool first_time(struct work *w, uint32_t set)
{
	if (set >= w->seen_length) {
		w->seen = mem_grow(w->seen, &w->seen_capacity, (size_t)set + 1, sizeof *w->seen);
		memset(w->seen + w->seen_length, 0, (w->seen_capacity - w->seen_length) * sizeof *w->seen);
		w->seen_length = w->seen_capacity;
	}
	bool first = w->seen[set] != w->body;
	w->seen[set] = w->body;
	return first;
}

static void collect_distinct(struct work *w, struct body body)
{
	w->body++;
	w->distincts = 0;
	for (size_t i = 0; i < body.length; i++) {
		uint32_t set = nest_coverage_of(w->c, body.node[i]);
		if (set == NEST_COVERAGE_NONE || !first_time(w, set))
			continue;
		w->distinct = mem_grow(w->distinct, &w->distinct_capacity, w->distincts + 1, sizeof *w->distinct);
		w->distinct[w->distincts++] = set;
	}
}

static void collect_runs(struct work *w)
{
	w->runs = 0;
	for (size_t i = 0; i < w->distincts; i++) {
		struct ranks set = set_view(w->c, w->distinct[i]);
		w->run = mem_grow(w->run, &w->run_capacity, w->runs + set.length, sizeof *w->run);
		memcpy(w->run + w->runs, set.run, set.length * sizeof *w->run);
		w->runs += set.length;
	}
}

static int by_first(const void *a, const void *b)
{
	uint32_t left = ((const struct ranks_run *)a)->first, right = ((const struct ranks_run *)b)->first;
	return (left > right) - (left < right);
}

static uint32_t unite(struct work *w, struct body body)
{
	collect_distinct(w, body);
	if (w->distincts <= 1)
		return w->distincts ? w->distinct[0] : NEST_COVERAGE_NONE;
	collect_runs(w);
	qsort(w->run, w->runs, sizeof *w->run, by_first);
	struct ranks all = {0};
	for (size_t i = 0; i < w->runs; i++)
		ranks_add_run(&all, w->run[i].first, w->run[i].last);
	uint32_t id = set_id(w->c, &all);
	ranks_clear(&all);
	return id;
}

static void cover_loops(struct nest_coverage *c)
{
	const struct nest *n = c->model->nest;
	struct work w = {.c = c};
	c->of_loop = mem_array(n->loops, sizeof *c->of_loop);
	for (size_t i = 0; i < n->loops; i++)
		c->of_loop[i] = n->loop[i].count ? unite(&w, nest_body(n, (node)i | NODE_LOOP)) : NEST_COVERAGE_NONE;
	free(w.seen);
	free(w.distinct);
	free(w.run);
}

/* ------------------------------------------------------------------ in public */

struct nest_coverage *nest_coverage_new(const struct model *m, const struct ranks *wanted)
{
	struct nest_coverage *c = mem_zero(sizeof *c);
	c->model = m;
	c->sets = intern_new();
	uint32_t none = set_id(c, &(struct ranks){0});
	assert(none == NEST_COVERAGE_NONE);
	(void)none;
	cover_events(c, wanted);
	cover_loops(c);
	c->view = mem_array(nest_coverage_sets(c), sizeof *c->view);
	for (uint32_t i = 0; i < nest_coverage_sets(c); i++)
		c->view[i] = set_view(c, i);
	return c;
}

void nest_coverage_free(struct nest_coverage *c)
{
	if (!c)
		return;
	intern_free(c->sets);
	free(c->view);
	free(c->of_event);
	free(c->of_loop);
	free(c);
}

uint32_t nest_coverage_of(const struct nest_coverage *c, node n)
{
	return node_is_loop(n) ? c->of_loop[n & ~NODE_LOOP] : c->of_event[n];
}

const struct ranks *nest_coverage_ranks(const struct nest_coverage *c, uint32_t set)
{
	return &c->view[set];
}

const struct ranks *nest_coverage_loop(const struct nest_coverage *c, node loop)
{
	return nest_coverage_ranks(c, nest_coverage_of(c, loop));
}

uint32_t nest_coverage_sets(const struct nest_coverage *c)
{
	return intern_count(c->sets);
}
