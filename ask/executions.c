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

bool run_executions(struct run *r, struct executions *e)
{
	const struct module *m = run_module(r);
	struct tally t = {.own = executions_new(m->lines), .most = e};
	bool alike = run_counts_by_class(r);
	uint64_t *members = mem_zero((run_classes(r) + (size_t)1) * sizeof *members);
	struct environment at = {0};
	*e = executions_new(m->lines);
	for (uint32_t rank = 0; rank < run_environment(r).processes; rank++)
		members[run_class(r, rank)]++;
	for (uint32_t rank = 0; rank < run_environment(r).processes && !at.failure; rank++) {
		uint32_t class = run_class(r, rank);
		if (alike && run_class_first(r, class) != rank)
			continue;
		t.processes = alike ? members[class] : 1;
		run_start(r, rank, &at);
		run_each_statement(r, &at, add_statement, &t);
		keep_most(&t);
	}
	executions_clear(&t.own);
	free(t.line);
	free(members);
	free(at.index);
	return !at.failure;
}

bool run_executions_of(struct run *r, uint32_t rank, struct executions *e)
{
	struct tally t = {.own = executions_new(run_module(r)->lines), .most = e, .processes = 1};
	struct environment at = {0};
	*e = executions_new(run_module(r)->lines);
	run_start(r, rank, &at);
	run_each_statement(r, &at, add_statement, &t);
	keep_most(&t);
	executions_clear(&t.own);
	free(t.line);
	free(at.index);
	return !at.failure;
}

void executions_clear(struct executions *e)
{
	free(e->events);
	free(e->times);
	free(e->iterations);
	*e = (struct executions){0};
}
