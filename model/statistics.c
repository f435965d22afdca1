/*
 * statistics.c -- counting on the graph of loops instead of the listing.
 *
 * A loop that occurs in many places is one loop of the nest. How often it runs is the sum over these places of the iterations around
 * it; as the nodes of a body are older than their loop, one pass from the youngest loop to the oldest finds every loop's
 * runs complete when it comes to it. The runs are kept apart by what kind of loop encloses them, the widest one: a loop inside
 * covers no more processes than the one around it.
 */
#include "model/statistics.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum span { SPAN_NONE, SPAN_ONE, SPAN_SEVERAL, SPAN_ALL, SPANS };

struct counts {
	uint64_t of[SPANS];
};

struct measuring {
	const struct model *model;
	struct nest_coverage *coverage;
	uint64_t everybody; /* processes that have events */
	struct counts *runs; /* by loop: iterations of what encloses it */
	struct counts *times; /* by event */
	struct statistics *result;
};

/* ------------------------------------------------------------------ events */

static enum span span_of(const struct measuring *m, uint64_t processes)
{
	if (processes <= 1)
		return processes == 1 && m->everybody == 1 ? SPAN_ALL : SPAN_ONE;
	return processes == m->everybody ? SPAN_ALL : SPAN_SEVERAL;
}

static struct counts *counts_of(struct measuring *m, node n)
{
	return node_is_loop(n) ? &m->runs[n & ~NODE_LOOP] : &m->times[n];
}

static void count_runs(struct measuring *m)
{
	const struct nest *n = m->model->nest;
	for (size_t i = 0; i < n->root_length; i++)
		counts_of(m, n->root[i])->of[SPAN_NONE]++;
	for (size_t l = n->loops; l-- > 0;) {
		enum span own = span_of(m, ranks_count(nest_coverage_loop(m->coverage, (node)l | NODE_LOOP)));
		struct counts inside = {0};
		for (enum span outer = SPAN_NONE; outer < SPANS; outer++)
			inside.of[outer > own ? outer : own] += m->runs[l].of[outer] * n->loop[l].count;
		struct body body = nest_body(n, (node)l | NODE_LOOP);
		for (size_t i = 0; i < body.length; i++)
			for (enum span s = SPAN_ONE; s < SPANS; s++)
				counts_of(m, body.node[i])->of[s] += inside.of[s];
	}
}

/* change[r]: how many events more rank r has than rank r - 1 (modulo 2^64, which the sums forget again). */
static void sum_events(struct measuring *m)
{
	struct statistics *result = m->result;
	uint64_t *change = mem_zero(((size_t)result->processes + 1) * sizeof *change);
	for (uint32_t event = 0; event < dictionary_events(m->model->dictionary); event++) {
		struct ranks_run single;
		struct ranks who = event_processes(m->model->dictionary, event, &single);
		const uint64_t *of = m->times[event].of;
		uint64_t times = of[SPAN_NONE] + of[SPAN_ONE] + of[SPAN_SEVERAL] + of[SPAN_ALL];
		if (times == 0)
			continue;
		for (size_t i = 0; i < who.length; i++) {
			change[who.run[i].first] += times;
			change[who.run[i].last + 1] -= times;
		}
		uint64_t members = ranks_count(&who);
		result->events += times * members;
		result->in_loops += (times - of[SPAN_NONE]) * members;
		result->in_several += (of[SPAN_SEVERAL] + (m->everybody > 1 ? of[SPAN_ALL] : 0)) * members;
		result->in_all += of[SPAN_ALL] * members;
	}
	uint64_t of_rank = 0;
	result->fewest = result->processes ? UINT64_MAX : 0;
	for (uint32_t rank = 0; rank < result->processes; rank++) {
		of_rank += change[rank];
		result->fewest = of_rank < result->fewest ? of_rank : result->fewest;
		result->most = of_rank > result->most ? of_rank : result->most;
	}
	free(change);
}

/* ------------------------------------------------------------------ loops of the listing */

/* The loops at one level of the listing, each with the number of its occurrences there. */
struct level {
	uint64_t *times; /* by loop */
	uint32_t *loop; /* those with any */
	size_t loops;
};

static struct level level_new(const struct nest *n)
{
	return (struct level){mem_zero(n->loops * sizeof(uint64_t)), mem_array(n->loops, sizeof(uint32_t)), 0};
}

static void level_clear(struct level *l)
{
	free(l->times);
	free(l->loop);
}

static void level_add(struct level *l, const node *nodes, size_t length, uint64_t times)
{
	for (size_t i = 0; i < length; i++) {
		if (!node_is_loop(nodes[i]))
			continue;
		uint32_t loop = nodes[i] & ~NODE_LOOP;
		if (l->times[loop] == 0)
			l->loop[l->loops++] = loop;
		l->times[loop] += times;
	}
}

static uint64_t level_take(struct level *from, const struct nest *n, struct level *inner)
{
	uint64_t all = 0;
	while (from->loops > 0) {
		uint32_t loop = from->loop[--from->loops];
		struct body body = nest_body(n, loop | NODE_LOOP);
		level_add(inner, body.node, body.length, from->times[loop]);
		all += from->times[loop];
		from->times[loop] = 0;
	}
	return all;
}

static uint32_t depth_of(const struct nest *n)
{
	uint32_t deepest = 0;
	for (size_t i = 0; i < n->root_length; i++)
		if (node_is_loop(n->root[i]) && nest_get(n, n->root[i])->depth > deepest)
			deepest = nest_get(n, n->root[i])->depth;
	return deepest;
}

static void count_loops(const struct nest *n, struct statistics *result)
{
	result->depth = depth_of(n);
	result->loops_at = mem_zero(result->depth * sizeof *result->loops_at);
	struct level here = level_new(n), inner = level_new(n);
	level_add(&here, n->root, n->root_length, 1);
	for (uint32_t depth = 0; depth < result->depth; depth++) {
		result->loops_at[depth] = level_take(&here, n, &inner);
		result->loops += result->loops_at[depth];
		struct level swap = here;
		here = inner;
		inner = swap;
	}
	level_clear(&here);
	level_clear(&inner);
}

struct statistics *statistics_new(const struct model *model)
{
	struct statistics *result = mem_zero(sizeof *result);
	struct measuring m = {
		.model = model,
		.coverage = nest_coverage_new(model, NULL),
		.runs = mem_zero(model->nest->loops * sizeof *m.runs),
		.times = mem_zero(dictionary_events(model->dictionary) * sizeof *m.times),
		.result = result,
	};
	m.everybody = ranks_count(nest_coverage_ranks(m.coverage, nest_coverage_of_root(m.coverage)));
	result->processes = model->processes;
	result->constructs = nest_constructs(model->nest, model->nest->root, model->nest->root_length);
	count_runs(&m);
	sum_events(&m);
	count_loops(model->nest, result);
	nest_coverage_free(m.coverage);
	free(m.runs);
	free(m.times);
	return result;
}

void statistics_free(struct statistics *s)
{
	if (!s)
		return;
	free(s->loops_at);
	free(s);
}
