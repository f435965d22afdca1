/*
 * executions.c -- one walk from the outermost statements inwards, with the number of executions so
 * far as a factor.
 */
#include "ask/executions.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/saturate.h"
#include "model/iteration.h"

struct counting {
	const struct program *program;
	struct executions result;
	bool *decides; /* by loop: does its index stand in the count of a loop inside? */
	uint64_t *period; /* iteration.h */
	int64_t index[INDEX_DEPTH];
	struct spot spot; /* of the process */
};

/* Loops around by bits: those in whose indices counts inside [from, to) are functions. */
static uint32_t mark_deciding(struct counting *c, size_t from, size_t to, uint32_t depth)
{
	uint32_t used = 0;
	for (size_t i = from; i < to; i += statement_size(&c->program->statement[i])) {
		const struct statement *s = &c->program->statement[i];
		if (!statement_is_loop(s))
			continue;
		uint32_t inside = mark_deciding(c, i + 1, i + s->size, depth + 1);
		c->decides[i] = depth < INDEX_DEPTH && (inside >> depth & 1);
		used |= inside;
		used |= program_indices(c->program, s);
	}
	return used;
}

static void count_body(struct counting *c, size_t from, size_t to, uint32_t depth, uint64_t times);

static void count_loop(struct counting *c, size_t at, uint32_t depth, uint64_t times)
{
	const struct statement *s = &c->program->statement[at];
	uint64_t count = program_count_of(c->program, at, &c->spot), all = saturating_multiply(times, count);
	c->result.iterations[at] = saturating_add(c->result.iterations[at], all);
	if (!c->decides[at]) {
		if (all)
			count_body(c, at + 1, at + s->size, depth + 1, all);
		return;
	}
	struct iteration k = iteration_start(&c->index[depth], count, c->period[at]);
	while (iteration_step(&k))
		count_body(c, at + 1, at + s->size, depth + 1, saturating_multiply(times, k.times));
}

/* Recursion as deep as loops nest. */
static void count_body(struct counting *c, size_t from, size_t to, uint32_t depth, uint64_t times)
{
	for (size_t i = from; i < to; i += statement_size(&c->program->statement[i])) {
		c->result.times[i] = saturating_add(c->result.times[i], times);
		if (statement_is_loop(&c->program->statement[i]))
			count_loop(c, i, depth, times);
	}
}

struct executions executions_of(const struct program *p)
{
	return executions_of_process(p, 0);
}

struct executions executions_of_process(const struct program *p, uint32_t rank)
{
	struct counting c = {.program = p,
		.result = {.times = mem_zero(p->length * sizeof(uint64_t)),
			.iterations = mem_zero(p->length * sizeof(uint64_t))},
		.decides = mem_zero(p->length),
		.period = program_periods(p)};
	c.spot = grid_spot(&p->grid, rank);
	c.spot.index = c.index;
	mark_deciding(&c, 0, p->length, 0);
	count_body(&c, 0, p->length, 0, 1);
	free(c.decides);
	free(c.period);
	return c.result;
}

struct executions executions_most(const struct program *p)
{
	struct executions most = executions_of(p);
	for (uint32_t rank = 1; rank < p->processes && program_is_divergent(p); rank++) {
		struct executions own = executions_of_process(p, rank);
		for (size_t i = 0; i < p->length; i++) {
			most.times[i] = own.times[i] > most.times[i] ? own.times[i] : most.times[i];
			if (own.iterations[i] > most.iterations[i])
				most.iterations[i] = own.iterations[i];
		}
		executions_clear(&own);
	}
	return most;
}

/* ------------------------------------------------------------------ of a run */

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
