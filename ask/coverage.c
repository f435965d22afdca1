/*
 * coverage.c -- sets of processes from the innermost statements outwards: a loop stands before all
 * that it holds, so backwards through the program everything inside a loop is known when it is met.
 */
#include "ask/coverage.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/rank_sets.h"

struct coverage {
	const struct program *program;
	const struct ranks *wanted; /* while the coverage is made */
	struct rank_sets *sets;
	uint32_t *set; /* by statement */
};

/* Those who execute one of these statements. */
static uint32_t unite(struct coverage *c, size_t from, size_t to)
{
	rank_sets_start(c->sets);
	for (size_t i = from; i < to; i += statement_size(&c->program->statement[i]))
		rank_sets_join(c->sets, c->set[i]);
	return rank_sets_union(c->sets);
}

static uint32_t statement_set(struct coverage *c, size_t at)
{
	const struct statement *s = &c->program->statement[at];
	if (statement_never_runs(s))
		return RANK_SETS_NOBODY;
	if (statement_is_loop(s) && s->set == STATEMENT_PLAIN)
		return unite(c, at + 1, at + s->size);
	struct ranks_run single;
	struct ranks who = program_processes(c->program, s, &single);
	return rank_sets_id(c->sets, &who, c->wanted);
}

struct coverage *coverage_within(const struct program *program, const struct ranks *wanted)
{
	struct coverage *c = mem_zero(sizeof *c);
	*c = (struct coverage){program, wanted, rank_sets_new(), mem_array(program->length, sizeof *c->set)};
	for (size_t i = program->length; i-- > 0;)
		c->set[i] = statement_set(c, i);
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
	rank_sets_free(c->sets);
	free(c->set);
	free(c);
}

struct ranks coverage_of(const struct coverage *c, size_t at)
{
	return rank_sets_get(c->sets, c->set[at]);
}
