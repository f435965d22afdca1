/*
 * statistics.c -- the text counted statement by statement; events are executions times processes.
 *
 * The plain listing is counted as it would be written: a loop whose index stands in some statement
 * inside becomes its iterations one after the other, a loop over a set one loop for each group; a
 * sync whose members are there is one line. Syncs of one channel in different statements of a body
 * meet in one line, too, each member's first with the others' first: there are as many lines as the
 * busiest member has syncs.
 */
#include "ask/statistics.h"

#include <stdlib.h>

#include "ask/coverage.h"
#include "ask/executions.h"
#include "ask/groups.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/saturate.h"
#include "model/iteration.h"

struct measuring {
	const struct program *program;
	struct coverage *coverage;
	struct executions executions;
	uint64_t everybody; /* processes that have events */
	struct statistics *result;
	uint32_t *groups; /* by loop: how many; 0: not asked yet */
	uint32_t *used, *decides; /* by statement: indices that stand in it or inside; in counts inside; a bit each */
	uint64_t *period; /* periods.h */
	int64_t index[INDEX_DEPTH]; /* of loops that the plain listing writes out */
};

static struct ranks who_executes(const struct measuring *m, size_t at, struct ranks_run *single)
{
	return program_processes(m->program, &m->program->statement[at], single);
}

/* ------------------------------------------------------------------ events */

/* Events of a loop's groups: is each one of them all, or several processes? */
static void add_by_group(struct measuring *m, size_t loop, const struct groups *g)
{
	uint64_t *members = mem_zero(g->count * sizeof *members);
	for (uint32_t p = 0; p < m->program->processes; p++)
		if (g->of[p] != NO_GROUP)
			members[g->of[p]]++;
	for (size_t i = loop + 1; i < loop + m->program->statement[loop].size; i++) {
		if (statement_is_loop(&m->program->statement[i]))
			continue;
		struct ranks_run single;
		struct ranks who = who_executes(m, i, &single);
		struct ranks_walk walk = {0};
		for (uint32_t p; ranks_next(&who, &walk, &p);)
			m->result->in_several += members[g->of[p]] > 1 ? m->executions.times[i] : 0;
	}
	free(members);
}

/* A loop at the outermost level; those inside are of no more processes. */
static void add_shares(struct measuring *m, size_t loop)
{
	struct statistics *s = m->result;
	struct ranks covered = coverage_of(m->coverage, loop);
	uint64_t events = 0;
	for (size_t i = loop + 1; i < loop + m->program->statement[loop].size; i++) {
		if (statement_is_loop(&m->program->statement[i]) || !m->executions.times[i])
			continue;
		struct ranks_run single;
		struct ranks who = who_executes(m, i, &single);
		events += m->executions.times[i] * ranks_count(&who);
	}
	s->in_loops += events;
	if (!events)
		return;
	struct groups g = groups_of_loop(m->program, loop);
	m->groups[loop] = g.count;
	if (g.count > 1)
		add_by_group(m, loop, &g);
	else if (ranks_count(&covered) > 1)
		s->in_several += events;
	if (g.count == 1 && ranks_count(&covered) == m->everybody)
		s->in_all += events;
	groups_clear(&g);
}

static void count_events(struct measuring *m)
{
	const struct program *p = m->program;
	struct statistics *s = m->result;
	uint64_t *change = mem_zero(((size_t)p->processes + 1) * sizeof *change), of_rank = 0;
	for (size_t i = 0; i < p->length; i++) {
		struct ranks_run single;
		uint64_t times = m->executions.times[i];
		if (statement_is_loop(&p->statement[i]) || !times)
			continue;
		struct ranks who = who_executes(m, i, &single);
		s->events += times * ranks_count(&who);
		for (size_t k = 0; k < who.length; k++) {
			change[who.run[k].first] += times;
			change[who.run[k].last + 1] -= times;
		}
	}
	s->fewest = p->processes ? UINT64_MAX : 0;
	for (uint32_t rank = 0; rank < p->processes; rank++) {
		of_rank += change[rank];
		s->fewest = of_rank < s->fewest ? of_rank : s->fewest;
		s->most = of_rank > s->most ? of_rank : s->most;
	}
	free(change);
}

/* ------------------------------------------------------------------ the text */

static void count_loops(struct statistics *s, const struct program *p, size_t from, size_t to, uint32_t depth)
{
	for (size_t i = from; i < to; i += statement_size(&p->statement[i])) {
		if (!statement_is_loop(&p->statement[i]))
			continue;
		bool guard = statement_guard(&p->statement[i]) != GUARD_NONE;
		s->loops += !guard;
		s->loops_at[depth] += !guard;
		count_loops(s, p, i + 1, i + p->statement[i].size, depth + 1);
	}
}

/* ------------------------------------------------------------------ the plain listing */

static void mark_indices(struct measuring *m)
{
	const struct program *p = m->program;
	for (size_t i = p->length; i-- > 0;) {
		const struct statement *s = &p->statement[i];
		m->used[i] = program_indices(p, s);
		m->decides[i] = statement_is_loop(s) ? m->used[i] : 0;
		for (size_t k = i + 1; k < i + s->size; k += statement_size(&p->statement[k])) {
			m->used[i] |= m->used[k];
			m->decides[i] |= m->decides[k];
		}
	}
}

/* Groups that the processes of a statement are in. */
static uint64_t distinct_groups(const struct program *p, const struct form *form, const struct ranks *who)
{
	struct intern *groups = intern_new_keys(sizeof(int64_t));
	struct ranks_walk walk = {0};
	for (uint32_t rank; ranks_next(who, &walk, &rank);) {
		struct spot spot = grid_spot(&p->grid, rank);
		int64_t group = program_group_number(p, form, &spot);
		intern_id(groups, &group, sizeof group);
	}
	uint64_t count = intern_count(groups);
	intern_free(groups);
	return count;
}

/* A statement that is a sync, and one end of a run of its set. */
struct end {
	uint32_t form, rank;
	int step; /* +1 at the first rank of a run, -1 behind its last */
};

static int by_form_and_rank(const void *a, const void *b)
{
	const struct end *x = a, *y = b;
	if (x->form != y->form)
		return x->form < y->form ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->step - y->step;
}

static uint64_t busiest(const struct end *end, size_t ends)
{
	uint64_t lines = 0;
	int64_t most = 0, here = 0;
	for (size_t i = 0; i < ends; i++) {
		here += end[i].step;
		most = here > most ? here : most;
		if (i + 1 == ends || end[i + 1].form != end[i].form) {
			lines += (uint64_t)most;
			most = 0;
		}
	}
	return lines;
}

static bool is_sync_over_set(const struct program *p, const struct statement *s)
{
	return !statement_is_loop(s) && !statement_is_plain(s) && statement_kind(p, s) == EVENT_SYNC;
}

/* Those that stand in a body, not deeper. */
static uint64_t sync_lines(const struct program *p, size_t from, size_t to)
{
	struct end *end = NULL;
	size_t ends = 0, capacity = 0;
	uint64_t lines = 0;
	for (size_t i = from; i < to; i += statement_size(&p->statement[i])) {
		const struct statement *s = &p->statement[i];
		if (!is_sync_over_set(p, s))
			continue;
		struct ranks who = dictionary_get_ranks(p->dictionary, s->set);
		struct form form = program_get_form(p, s->event);
		if (form.area.kind) {
			lines += distinct_groups(p, &form, &who);
			continue;
		}
		end = mem_grow(end, &capacity, ends + 2 * who.length, sizeof *end);
		for (size_t k = 0; k < who.length; k++) {
			end[ends++] = (struct end){s->event, who.run[k].first, 1};
			end[ends++] = (struct end){s->event, who.run[k].last + 1, -1};
		}
	}
	if (ends)
		qsort(end, ends, sizeof *end, by_form_and_rank);
	lines += busiest(end, ends);
	free(end);
	return lines;
}

static uint64_t event_lines(const struct program *p, const struct statement *s)
{
	if (statement_is_plain(s))
		return 1;
	struct ranks who = dictionary_get_ranks(p->dictionary, s->set);
	return is_sync_over_set(p, s) ? 0 : ranks_count(&who);
}

static uint32_t groups_of(struct measuring *m, size_t loop)
{
	if (!m->groups[loop]) {
		struct groups g = groups_of_loop(m->program, loop);
		m->groups[loop] = g.count;
		groups_clear(&g);
	}
	return m->groups[loop];
}

static uint64_t body_lines(struct measuring *m, size_t from, size_t to, uint32_t depth);

static uint64_t loop_lines(struct measuring *m, size_t at, uint32_t depth)
{
	const struct statement *s = &m->program->statement[at];
	uint64_t count = program_count(m->program, at, m->index), lines = 0;
	size_t to = at + s->size;
	bool used = false, decides = false;
	for (size_t k = at + 1; depth < INDEX_DEPTH && k < to; k += statement_size(&m->program->statement[k])) {
		used = used || m->used[k] >> depth & 1;
		decides = decides || m->decides[k] >> depth & 1;
	}
	if (decides) {
		struct iteration k = iteration_start(&m->index[depth], count, m->period[at]);
		while (iteration_step(&k))
			lines = saturating_add(
				lines, saturating_multiply(k.times, body_lines(m, at + 1, to, depth + 1)));
		return lines;
	}
	if (used || (s->bound != BOUND_NONE && count <= 2))
		return saturating_multiply(count, body_lines(m, at + 1, to, depth + 1));
	return saturating_add(groups_of(m, at), body_lines(m, at + 1, to, depth + 1));
}

/* Recursion as deep as loops nest. */
static uint64_t body_lines(struct measuring *m, size_t from, size_t to, uint32_t depth)
{
	uint64_t lines = sync_lines(m->program, from, to);
	for (size_t i = from; i < to; i += statement_size(&m->program->statement[i])) {
		const struct statement *s = &m->program->statement[i];
		lines = saturating_add(
			lines, statement_is_loop(s) ? loop_lines(m, i, depth) : event_lines(m->program, s));
	}
	return lines;
}

/* ------------------------------------------------------------------ all together */

static struct measuring measuring_of(const struct program *program, struct statistics *s)
{
	struct measuring m = {.program = program,
		.coverage = coverage_new(program),
		.executions = executions_of(program),
		.groups = mem_zero(program->length * sizeof *m.groups),
		.used = mem_zero(program->length * sizeof *m.used),
		.decides = mem_zero(program->length * sizeof *m.decides),
		.period = program_periods(program),
		.result = s};
	struct ranks all = coverage_of_all(m.coverage);
	m.everybody = ranks_count(&all);
	return m;
}

static void measuring_clear(struct measuring *m)
{
	executions_clear(&m->executions);
	coverage_free(m->coverage);
	free(m->groups);
	free(m->used);
	free(m->decides);
	free(m->period);
}

static void count_in_loops(struct measuring *m)
{
	const struct program *p = m->program;
	for (size_t i = 0; i < p->length; i += statement_size(&p->statement[i]))
		if (statement_is_loop(&p->statement[i]))
			add_shares(m, i);
}

static void count_constructs(struct measuring *m)
{
	mark_indices(m);
	m->result->constructs = body_lines(m, 0, m->program->length, 0);
}

/* Where counts depend on the process, the program in which they do not; else a copy. */
static struct statistics measure(const struct program *program, void (*count)(struct measuring *))
{
	struct program *uniform = program_is_divergent(program) ? program_uniform(program, NULL) : NULL;
	struct statistics s = {0};
	struct measuring m = measuring_of(uniform ? uniform : program, &s);
	count(&m);
	measuring_clear(&m);
	program_free(uniform);
	return s;
}

uint64_t statistics_constructs(const struct program *program)
{
	return measure(program, count_constructs).constructs;
}

uint64_t statistics_joint_events(const struct program *program)
{
	return measure(program, count_in_loops).in_several;
}

static void count_everything(struct measuring *m)
{
	count_events(m);
	count_in_loops(m);
	count_constructs(m);
}

struct statistics *statistics_new(const struct program *program)
{
	struct statistics *s = mem_zero(sizeof *s);
	*s = measure(program, count_everything);
	s->processes = program->processes;
	s->statements = program_statements(program);
	s->depth = program_depth(program);
	s->loops_at = mem_zero(s->depth * sizeof *s->loops_at);
	count_loops(s, program, 0, program->length, 0);
	return s;
}

void statistics_free(struct statistics *s)
{
	if (!s)
		return;
	free(s->loops_at);
	free(s);
}
