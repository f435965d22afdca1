/*
 * executions.c -- what differs of each process, summed up by line; of all the most is kept.
 */
#include "ask/executions.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/saturate.h"

struct tally {
	struct executions own, *most; /* own: of the process at hand */
	size_t *line, lines, line_capacity; /* that it comes to */
	uint64_t processes; /* that are like it */
};

static void add_statement(void *context, struct environment *e, node_id statement, size_t line, uint64_t times)
{
	struct tally *t = context;
	const struct node *n = node_of(e->store, statement);
	if (!t->own.times[line])
		*MEM_PUSH(t->line, t->lines, t->line_capacity) = line;
	t->own.times[line] = saturating_add(t->own.times[line], times);
	if (n->kind == NODE_EVENT) {
		t->most->events[line] = saturating_add(t->most->events[line], saturating_multiply(times, t->processes));
		return;
	}
	uint64_t trips = n->kind == NODE_LOOP ? (uint64_t)loop_trips(e, statement) : test_holds(e, n->kid[1]);
	t->own.iterations[line] = saturating_add(t->own.iterations[line], saturating_multiply(times, trips));
}

static void keep_most(struct tally *t)
{
	for (size_t i = 0; i < t->lines; i++) {
		uint64_t *own[] = {&t->own.times[t->line[i]], &t->own.iterations[t->line[i]]},
			 *most[] = {&t->most->times[t->line[i]], &t->most->iterations[t->line[i]]};
		for (int k = 0; k < 2; k++) {
			*most[k] = *own[k] > *most[k] ? *own[k] : *most[k];
			*own[k] = 0;
		}
	}
	t->lines = 0;
}

static struct executions executions_new(size_t lines)
{
	return (struct executions){mem_zero((lines + 1) * sizeof(uint64_t)), mem_zero((lines + 1) * sizeof(uint64_t)),
		mem_zero((lines + 1) * sizeof(uint64_t))};
}

/* members: of each class how many are alike; NULL: all are told. */
static bool add_ranks(struct run *r, uint32_t first, uint32_t end, const uint64_t *members, struct executions *e)
{
	size_t lines = run_module(r)->lines;
	struct tally t = {.own = executions_new(lines), .most = e};
	struct environment at = {0};
	*e = executions_new(lines);
	for (uint32_t rank = first; rank < end && !at.failure; rank++) {
		uint32_t class = run_class(r, rank);
		if (members && run_class_first(r, class) != rank)
			continue;
		t.processes = members ? members[class] : 1;
		run_start(r, rank, &at);
		run_each_statement(r, &at, add_statement, &t);
		keep_most(&t);
	}
	executions_clear(&t.own);
	free(t.line);
	free(at.index);
	return !at.failure;
}

bool run_executions(struct run *r, struct executions *e)
{
	uint32_t processes = run_environment(r).processes;
	uint64_t *members = mem_zero((run_classes(r) + (size_t)1) * sizeof *members);
	for (uint32_t rank = 0; rank < processes; rank++)
		members[run_class(r, rank)]++;
	bool good = add_ranks(r, 0, processes, run_counts_by_class(r) ? members : NULL, e);
	free(members);
	return good;
}

bool run_executions_of(struct run *r, uint32_t rank, struct executions *e)
{
	return add_ranks(r, rank, rank + 1, NULL, e);
}

void executions_clear(struct executions *e)
{
	free(e->events);
	free(e->times);
	free(e->iterations);
	*e = (struct executions){0};
}
