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
#include "ask/plain_event.h"
#include "base/compare.h"
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
	struct intern *channels; /* of syncs */
	bool folded; /* are there statements over sets? */
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

/* Guards are no loops. */
static void count_loops(const struct program *p, size_t from, size_t to, uint32_t depth, struct statistics *s)
{
	s->depth = depth > s->depth ? depth : s->depth;
	for (size_t i = from; i < to; i += statement_size(&p->statement[i])) {
		if (!statement_is_loop(&p->statement[i]))
			continue;
		bool loop = statement_guard(&p->statement[i]) == GUARD_NONE;
		if (loop) {
			s->loops++;
			s->loops_at[depth]++;
		}
		count_loops(p, i + 1, i + p->statement[i].size, depth + loop, s);
	}
}

static void count_text(const struct program *p, struct statistics *s)
{
	s->statements = program_statements(p);
	s->loops_at = mem_zero(program_depth(p) * sizeof *s->loops_at);
	count_loops(p, 0, p->length, 0, s);
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

/* A statement that is a sync, and one end of a run of its set. */
struct end {
	uint32_t channel, rank;
	int64_t step; /* at the first rank of a run how often, behind its last less by that */
};

static int by_channel_and_rank(const void *a, const void *b)
{
	const struct end *x = a, *y = b;
	if (x->channel != y->channel)
		return x->channel < y->channel ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return COMPARE(x->step, y->step);
}

static uint64_t busiest(const struct end *end, size_t ends)
{
	uint64_t lines = 0;
	int64_t most = 0, here = 0;
	for (size_t i = 0; i < ends; i++) {
		here += end[i].step;
		most = here > most ? here : most;
		if (i + 1 == ends || end[i + 1].channel != end[i].channel) {
			lines += (uint64_t)most;
			most = 0;
		}
	}
	return lines;
}

struct ends {
	struct end *end;
	size_t length, capacity;
};

static void add_run(struct ends *e, uint32_t channel, uint32_t first, uint32_t last, int64_t times)
{
	*MEM_PUSH(e->end, e->length, e->capacity) = (struct end){channel, first, times};
	*MEM_PUSH(e->end, e->length, e->capacity) = (struct end){channel, last + 1, -times};
}

/* What members of a sync have in common; first: the lowest of them. */
static uint32_t channel_of(const struct measuring *m, uint32_t name, int64_t communicator, uint32_t first)
{
	const int64_t key[] = {name, communicator, first};
	return intern_id(m->channels, key, sizeof key);
}

static uint32_t channel_of_rank(const struct measuring *m, const struct plain_statement *s, uint32_t rank)
{
	const struct program *p = m->program;
	struct spot spot = grid_spot(&p->grid, rank);
	struct plain_event e;
	plain_statement_event(s, &spot, m->index, &e);
	uint32_t first = e.group == PLAIN_GROUP_OF_AREA ? program_first_member(p, &s->form, &spot)
							: dictionary_get_ranks(p->dictionary, e.group).run[0].first;
	return channel_of(m, e.word, e.communicator, first);
}

static void add_ends(const struct measuring *m, size_t at, uint64_t executions, struct ends *e)
{
	int64_t times = executions < INT64_MAX ? (int64_t)executions : INT64_MAX;
	struct plain_statement s;
	struct ranks_run single;
	struct ranks who = who_executes(m, at, &single);
	struct ranks_walk walk = {0};
	plain_statement_of(m->program, at, &s);
	bool several = !statement_is_plain(&m->program->statement[at]) &&
		       (s.form.area.kind || !value_is_constant(&s.form.communicator));
	for (uint32_t rank; several && ranks_next(&who, &walk, &rank);)
		add_run(e, channel_of_rank(m, &s, rank), rank, rank, times);
	for (size_t k = 0; !several && k < who.length; k++)
		add_run(e, channel_of_rank(m, &s, who.run[0].first), who.run[k].first, who.run[k].last, times);
}

/* How the plain listing has a loop. */
enum listed {
	LISTED_AS_LOOP,
	LISTED_TIMES, /* its iterations one after the other, which are alike */
	LISTED_EACH /* ... which are not */
};

static enum listed listed_as(const struct measuring *m, size_t at, uint32_t depth)
{
	const struct program *p = m->program;
	const struct statement *s = &p->statement[at];
	bool used = false, decides = false;
	for (size_t k = at + 1; depth < INDEX_DEPTH && k < at + s->size; k += statement_size(&p->statement[k])) {
		used = used || m->used[k] >> depth & 1;
		decides = decides || m->decides[k] >> depth & 1;
	}
	if (decides)
		return LISTED_EACH;
	return used || (s->bound != BOUND_NONE && program_count(p, at, m->index) <= 2) ? LISTED_TIMES : LISTED_AS_LOOP;
}

/* The members of syncs in a body, and in the loops inside that the listing writes out. Recursion as
   deep as loops nest. */
static void collect_ends(struct measuring *m, size_t from, size_t to, uint32_t depth, uint64_t times, struct ends *e)
{
	const struct program *p = m->program;
	for (size_t i = from; i < to; i += statement_size(&p->statement[i])) {
		size_t past = i + statement_size(&p->statement[i]);
		if (!statement_is_loop(&p->statement[i])) {
			if (statement_kind(p, &p->statement[i]) == EVENT_SYNC)
				add_ends(m, i, times, e);
			continue;
		}
		uint64_t count = program_count(p, i, m->index);
		switch (listed_as(m, i, depth)) {
		case LISTED_AS_LOOP:
			break;
		case LISTED_TIMES:
			if (count)
				collect_ends(m, i + 1, past, depth + 1, saturating_multiply(times, count), e);
			break;
		case LISTED_EACH: {
			struct iteration k = iteration_start(&m->index[depth], count, m->period[i]);
			while (iteration_step(&k))
				collect_ends(m, i + 1, past, depth + 1, saturating_multiply(times, k.times), e);
		}
		}
	}
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

static uint64_t other_lines(struct measuring *m, size_t from, size_t to, uint32_t depth);

/* With the syncs inside, which meet each other where there are sets. */
static uint64_t body_lines(struct measuring *m, size_t from, size_t to, uint32_t depth)
{
	struct ends e = {0};
	if (m->folded)
		collect_ends(m, from, to, depth, 1, &e);
	if (e.length)
		qsort(e.end, e.length, sizeof *e.end, by_channel_and_rank);
	uint64_t lines = busiest(e.end, e.length);
	free(e.end);
	return saturating_add(lines, other_lines(m, from, to, depth));
}

static uint64_t loop_lines(struct measuring *m, size_t at, uint32_t depth)
{
	size_t to = at + m->program->statement[at].size;
	uint64_t count = program_count(m->program, at, m->index), lines = 0;
	enum listed listed = listed_as(m, at, depth);
	if (listed == LISTED_AS_LOOP)
		return saturating_add(groups_of(m, at), body_lines(m, at + 1, to, depth + 1));
	if (listed == LISTED_TIMES)
		return count ? saturating_multiply(count, other_lines(m, at + 1, to, depth + 1)) : 0;
	struct iteration k = iteration_start(&m->index[depth], count, m->period[at]);
	while (iteration_step(&k))
		lines = saturating_add(lines, saturating_multiply(k.times, other_lines(m, at + 1, to, depth + 1)));
	return lines;
}

static uint64_t other_lines(struct measuring *m, size_t from, size_t to, uint32_t depth)
{
	const struct program *p = m->program;
	uint64_t lines = 0;
	for (size_t i = from; i < to; i += statement_size(&p->statement[i])) {
		struct ranks_run single;
		if (statement_is_loop(&p->statement[i])) {
			lines = saturating_add(lines, loop_lines(m, i, depth));
		} else if (!m->folded) {
			lines = saturating_add(lines, 1);
		} else if (statement_kind(p, &p->statement[i]) != EVENT_SYNC) {
			struct ranks who = who_executes(m, i, &single);
			lines = saturating_add(lines, ranks_count(&who));
		}
	}
	return lines;
}

/* ------------------------------------------------------------------ all together */

static void count_in_loops(struct measuring *m)
{
	const struct program *p = m->program;
	m->coverage = coverage_new(p);
	struct ranks all = coverage_of_all(m->coverage);
	m->everybody = ranks_count(&all);
	for (size_t i = 0; i < p->length; i += statement_size(&p->statement[i]))
		if (statement_is_loop(&p->statement[i]))
			add_shares(m, i);
	coverage_free(m->coverage);
}

static void count_joint_events(struct measuring *m)
{
	m->executions = executions_of(m->program);
	count_in_loops(m);
	executions_clear(&m->executions);
}

static void count_constructs(struct measuring *m)
{
	size_t length = m->program->length;
	m->used = mem_zero(length * sizeof *m->used);
	m->decides = mem_zero(length * sizeof *m->decides);
	m->period = program_periods(m->program);
	m->folded = program_is_folded(m->program);
	m->channels = intern_new_keys(3 * sizeof(int64_t));
	mark_indices(m);
	m->result->constructs = body_lines(m, 0, length, 0);
	intern_free(m->channels);
	free(m->used);
	free(m->decides);
	free(m->period);
}

static void count_everything(struct measuring *m)
{
	m->executions = executions_of(m->program);
	count_events(m);
	count_in_loops(m);
	executions_clear(&m->executions);
	count_constructs(m);
}

/* Where counts depend on the process, the program in which they do not. */
static struct statistics measure(const struct program *program, void (*count)(struct measuring *))
{
	struct program *uniform = program_is_divergent(program) ? program_uniform(program, NULL) : NULL;
	struct statistics s = {0};
	struct measuring m = {.program = uniform ? uniform : program, .result = &s};
	m.groups = mem_zero(m.program->length * sizeof *m.groups);
	count(&m);
	free(m.groups);
	program_free(uniform);
	return s;
}

uint64_t statistics_joint_events(const struct program *program)
{
	return measure(program, count_joint_events).in_several;
}

struct statistics *statistics_new(const struct program *program)
{
	struct statistics *s = mem_zero(sizeof *s);
	*s = measure(program, count_everything);
	s->processes = program->processes;
	count_text(program, s);
	return s;
}

void statistics_free(struct statistics *s)
{
	if (!s)
		return;
	free(s->loops_at);
	free(s);
}
