/*
 * coverage.c -- sets of processes, of the innermost statements first.
 */
#include "ask/coverage.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/rank_sets.h"

struct coverage {
	struct run *run; /* while the coverage is made */
	struct store *store;
	struct rank_sets *sets;
	uint32_t *set; /* by line */
};

static uint32_t cover_body(struct coverage *, node_id body, size_t line, uint32_t around);

/* Those in a domain; around: who executes the loops around. */
static uint32_t set_of(struct coverage *c, node_id domain, uint32_t around)
{
	const struct ranks *who = run_ranks(c->run, domain);
	return who ? rank_sets_id(c->sets, who, NULL) : around;
}

static void cover(struct coverage *c, node_id statement, size_t line, uint32_t around)
{
	const struct node *n = node_of(c->store, statement);
	int64_t last;
	uint32_t set = n->kid[0] ? set_of(c, n->kid[0], around) : around;
	if (n->kind != NODE_EVENT) {
		uint32_t inside = cover_body(c, n->kid[2], line + 1, set);
		set = n->kid[0] ? set : inside;
	}
	bool never = n->kind == NODE_LOOP && number_is_constant(c->store, n->kid[1], &last) && last < 0;
	c->set[line] = never ? RANK_SETS_NOBODY : set;
}

/* Those who execute any of it. Recursion as deep as loops nest. */
static uint32_t cover_body(struct coverage *c, node_id body, size_t line, uint32_t around)
{
	const struct node *n = node_of(c->store, body);
	size_t at = line;
	for (uint32_t k = 0; k < n->kids; at += node_of(c->store, n->kid[k++])->lines)
		cover(c, n->kid[k], at, around);
	rank_sets_start(c->sets);
	for (uint32_t k = 0; k < n->kids; line += node_of(c->store, n->kid[k++])->lines)
		rank_sets_join(c->sets, c->set[line]);
	return rank_sets_union(c->sets);
}

struct coverage *coverage_new(struct run *run)
{
	const struct module *m = run_module(run);
	uint32_t processes = run_environment(run).processes;
	struct ranks all = {0};
	if (processes)
		ranks_add_run(&all, 0, processes - 1);
	struct coverage *c = mem_zero(sizeof *c);
	*c = (struct coverage){run, m->store, rank_sets_new(), mem_array(m->lines + 1, sizeof *c->set)};
	cover_body(c, m->body, 0, rank_sets_id(c->sets, &all, NULL));
	c->run = NULL;
	ranks_clear(&all);
	return c;
}

void coverage_free(struct coverage *c)
{
	if (!c)
		return;
	rank_sets_free(c->sets);
	free(c->set);
	free(c);
}

struct ranks coverage_of(const struct coverage *c, size_t line)
{
	return rank_sets_get(c->sets, c->set[line]);
}
