/*
 * coverage.c -- sets of processes from the innermost statements outwards: a loop stands before all
 * that it holds, so backwards through the program everything inside a loop is known when it is met.
 *
 * A loop without a set unites the *distinct* sets of its body: a million sends of 16 processes are
 * 16 sets.
 */
#include "ask/coverage.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/intern.h"
#include "base/mem.h"

#define COVERAGE_NOBODY 0 /* the id of the empty set */

struct coverage {
	const struct program *program;
	const struct ranks *wanted; /* while the coverage is made */
	struct intern *sets; /* runs as bytes */
	uint32_t *set; /* by statement, and behind the last of all */
};

/* What uniting needs on the way. */
struct union_work {
	uint32_t *seen; /* by set: the union in which it was last met */
	size_t seens, seen_capacity;
	uint32_t number; /* of the union at hand */
	struct ranks_run *run;
	size_t runs, run_capacity;
	uint32_t distinct, last; /* sets met; the last of them */
};

static uint32_t set_id(struct coverage *c, const struct ranks *set)
{
	return intern_id(c->sets, set->length ? (const void *)set->run : "", set->length * sizeof *set->run);
}

static struct ranks coverage_ranks(const struct coverage *c, uint32_t set)
{
	size_t size;
	const void *runs = intern_data(c->sets, set, &size);
	return (struct ranks){.run = (struct ranks_run *)runs, .length = size / sizeof(struct ranks_run)};
}

static uint32_t wanted_id(struct coverage *c, const struct ranks *set)
{
	if (!c->wanted)
		return set_id(c, set);
	if (set->length == 1 && set->run->first == set->run->last)
		return ranks_has(c->wanted, set->run->first) ? set_id(c, set) : COVERAGE_NOBODY;
	struct ranks some = {0};
	ranks_intersect(&some, set, c->wanted);
	uint32_t id = set_id(c, &some);
	ranks_clear(&some);
	return id;
}

/* ------------------------------------------------------------------ loops without sets */

static bool first_time(struct union_work *w, uint32_t set)
{
	if (set >= w->seens) {
		w->seen = mem_grow(w->seen, &w->seen_capacity, (size_t)set + 1, sizeof *w->seen);
		memset(w->seen + w->seens, 0, (w->seen_capacity - w->seens) * sizeof *w->seen);
		w->seens = w->seen_capacity;
	}
	bool first = w->seen[set] != w->number;
	w->seen[set] = w->number;
	return first;
}

static void collect(struct coverage *c, struct union_work *w, uint32_t set)
{
	if (set == COVERAGE_NOBODY || !first_time(w, set))
		return;
	struct ranks ranks = coverage_ranks(c, set);
	w->run = mem_grow(w->run, &w->run_capacity, w->runs + ranks.length, sizeof *w->run);
	memcpy(w->run + w->runs, ranks.run, ranks.length * sizeof *ranks.run);
	w->runs += ranks.length;
	w->distinct++;
	w->last = set;
}

static int by_first(const void *a, const void *b)
{
	return COMPARE(((const struct ranks_run *)a)->first, ((const struct ranks_run *)b)->first);
}

/* Those who execute one of these statements. */
static uint32_t unite(struct coverage *c, struct union_work *w, size_t from, size_t to)
{
	w->number++;
	w->runs = w->distinct = 0;
	for (size_t i = from; i < to; i += statement_size(&c->program->statement[i]))
		collect(c, w, c->set[i]);
	if (w->distinct <= 1)
		return w->distinct ? w->last : COVERAGE_NOBODY;
	qsort(w->run, w->runs, sizeof *w->run, by_first);
	struct ranks all = {0};
	for (size_t i = 0; i < w->runs; i++)
		ranks_add_run(&all, w->run[i].first, w->run[i].last);
	uint32_t id = set_id(c, &all);
	ranks_clear(&all);
	return id;
}

static uint32_t statement_set(struct coverage *c, struct union_work *w, size_t at)
{
	const struct statement *s = &c->program->statement[at];
	if (statement_never_runs(s))
		return COVERAGE_NOBODY;
	if (statement_is_loop(s) && s->set == STATEMENT_PLAIN)
		return unite(c, w, at + 1, at + s->size);
	struct ranks_run single;
	struct ranks who = program_processes(c->program, s, &single);
	return wanted_id(c, &who);
}

/* ------------------------------------------------------------------ in public */

struct coverage *coverage_within(const struct program *program, const struct ranks *wanted)
{
	struct coverage *c = mem_zero(sizeof *c);
	struct union_work w = {0};
	c->program = program;
	c->wanted = wanted;
	c->sets = intern_new();
	c->set = mem_array(program->length + 1, sizeof *c->set);
	uint32_t nobody = set_id(c, &(struct ranks){0});
	assert(nobody == COVERAGE_NOBODY);
	(void)nobody;
	for (size_t i = program->length; i-- > 0;)
		c->set[i] = statement_set(c, &w, i);
	c->set[program->length] = unite(c, &w, 0, program->length);
	free(w.seen);
	free(w.run);
	c->wanted = NULL;
	return c;
}

struct coverage *coverage_new(const struct program *program)
{
	return coverage_within(program, NULL);
}

void coverage_free(struct coverage *c)
{
	if (!c)
		return;
	intern_free(c->sets);
	free(c->set);
	free(c);
}

struct ranks coverage_of(const struct coverage *c, size_t at)
{
	return coverage_ranks(c, c->set[at]);
}

struct ranks coverage_of_all(const struct coverage *c)
{
	return coverage_ranks(c, c->set[c->program->length]);
}
