/*
 * listing_lines.c -- bodies with those who execute them, of whom loops and guards that depend on
 * the process make parts.
 */
#include "ask/listing_lines.h"

#include <stdlib.h>

#include "ask/ends.h"
#include "ask/loop_groups.h"
#include "base/compare.h"
#include "base/mem.h"
#include "base/saturate.h"

/* A run of members of a collective: at the first rank so often more, behind the last less. */
struct step {
	uint32_t channel, rank;
	int64_t times;
};

/* Collectives of a body, and of what is written out inside. */
struct meetings {
	struct step *step;
	size_t length, capacity;
};

struct listing {
	struct run *run;
	struct environment at;
	struct ends ends;
	bool folded; /* are there statements over sets? */
	uint32_t *groups; /* by line, of a loop whose processes go through it together: how many, and one more */
	struct meetings *meetings; /* NULL: lines are counted; else these collected */
	uint64_t times; /* ... for so many iterations */
	struct error *error;
	bool failed;
};

static bool is_lost(const struct listing *l)
{
	return l->failed || l->at.failure;
}

/* ------------------------------------------------------------------ collectives */

static int by_channel_and_rank(const void *left, const void *right)
{
	const struct step *a = left, *b = right;
	if (a->channel != b->channel)
		return COMPARE(a->channel, b->channel);
	return a->rank != b->rank ? COMPARE(a->rank, b->rank) : COMPARE(a->times, b->times);
}

static uint64_t busiest(struct meetings *m)
{
	uint64_t lines = 0;
	int64_t most = 0, here = 0;
	if (m->length)
		qsort(m->step, m->length, sizeof *m->step, by_channel_and_rank);
	for (size_t i = 0; i < m->length; i++) {
		here += m->step[i].times;
		most = here > most ? here : most;
		if (i + 1 == m->length || m->step[i + 1].channel != m->step[i].channel) {
			lines += (uint64_t)most;
			most = 0;
		}
	}
	return lines;
}

static void add_members(struct listing *l, uint32_t channel, struct ranks_run run)
{
	struct meetings *m = l->meetings;
	int64_t times = l->times < INT64_MAX ? (int64_t)l->times : INT64_MAX;
	*MEM_PUSH(m->step, m->length, m->capacity) = (struct step){channel, run.first, times};
	*MEM_PUSH(m->step, m->length, m->capacity) = (struct step){channel, run.last + 1, -times};
}

static void add_collective(struct listing *l, node_id event, const struct ranks *who)
{
	const struct node *n = node_of(l->at.store, event);
	uint64_t uses = node_of(l->at.store, n->kid[COLUMN_COMMUNICATOR])->uses[FOR_ALL] |
			node_of(l->at.store, n->kid[COLUMN_GROUP])->uses[FOR_ALL];
	enum node_kind group = (enum node_kind)node_of(l->at.store, n->kid[COLUMN_GROUP])->kind;
	bool several = uses & USES_PROCESS || (group != NODE_ALL && group != NODE_RANKS);
	uint32_t channel = 0;
	for (size_t i = 0; i < who->length; i++) {
		for (uint32_t rank = who->run[i].first; several && rank <= who->run[i].last; rank++) {
			environment_move(&l->at, rank);
			add_members(l, ends_channel(&l->ends, &l->at, event), (struct ranks_run){rank, rank});
		}
		if (several)
			continue;
		environment_move(&l->at, who->run[i].first);
		channel = i ? channel : ends_channel(&l->ends, &l->at, event);
		add_members(l, channel, who->run[i]);
	}
}

/* ------------------------------------------------------------------ who */

/* Of those that are among: who has nothing inside does not ask how often. */
static bool anybody_comes(struct listing *l, const struct node *statement, const struct ranks *among)
{
	struct ranks who = run_who(l->run, &l->at, statement->kid[0], among);
	struct ranks_walk walk = {0};
	bool any = false;
	for (uint32_t rank; !any && ranks_next(&who, &walk, &rank);)
		any = run_is_inside(l->run, statement->kid[2], rank);
	ranks_clear(&who);
	return any;
}

/* ------------------------------------------------------------------ lines */

static uint64_t body_lines(struct listing *, node_id body, size_t line, const struct ranks *among);

static uint64_t event_lines(struct listing *l, node_id id, const struct ranks *among)
{
	const struct node *n = node_of(l->at.store, id);
	if (!l->folded)
		return l->times;
	struct ranks who = run_who(l->run, &l->at, n->kid[COLUMN_WHO], among), inside = {0};
	struct ranks_walk walk = {0};
	for (uint32_t rank; n->number && ranks_next(&who, &walk, &rank);) {
		environment_move(&l->at, rank);
		if (event_happens(&l->at, id))
			ranks_add(&inside, rank);
	}
	const struct ranks *happens = n->number ? &inside : &who;
	bool collective = kind_rows[n->sub].match == MATCH_GROUP;
	if (collective && !is_lost(l))
		add_collective(l, id, happens);
	uint64_t lines = collective ? 0 : saturating_multiply(ranks_count(happens), l->times);
	ranks_clear(&who);
	ranks_clear(&inside);
	return lines;
}

static uint32_t groups_of(struct listing *l, node_id loop, size_t line, const struct ranks *among)
{
	struct loop_groups g;
	if (!among && l->groups[line])
		return l->groups[line] - 1;
	l->failed = !loop_groups_of(l->run, loop, line, among, &g, l->error) || l->failed;
	uint32_t count = g.count;
	loop_groups_clear(&g);
	if (!among)
		l->groups[line] = count + 1;
	return count;
}

/* With its collectives, which meet each other alone. */
static uint64_t whole_body_lines(struct listing *l, node_id body, size_t line, const struct ranks *among)
{
	struct meetings own = {0}, *around = l->meetings;
	uint64_t times = l->times;
	l->meetings = &own;
	l->times = 1;
	uint64_t lines = body_lines(l, body, line, among);
	lines = saturating_multiply(saturating_add(lines, busiest(&own)), times);
	free(own.step);
	l->meetings = around;
	l->times = times;
	return lines;
}

/* In iterations that are alike. */
static uint64_t repeated_lines(
	struct listing *l, const struct node *loop, size_t line, const struct ranks *among, uint64_t iterations)
{
	uint64_t times = l->times, lines = 0;
	l->times = saturating_multiply(times, iterations);
	if (iterations)
		lines = body_lines(l, loop->kid[2], line + 1, among);
	l->times = times;
	return lines;
}

/* These have the same count, as a function of indices. */
static uint64_t loop_lines(struct listing *l, node_id id, size_t line, const struct ranks *among)
{
	const struct node *loop = node_of(l->at.store, id), *body = node_of(l->at.store, loop->kid[2]);
	int64_t trips = loop_trips(&l->at, id), period;
	bool function = node_of(l->at.store, loop->kid[1])->uses[FOR_ALL] & USES_INDICES,
	     asked = body->uses[FOR_CHANNEL] & USES_INDEX(0);
	size_t depth = l->at.depth++;
	uint64_t lines = 0;
	l->at.index[depth] = 0;
	if (!asked && !(function && trips <= 2)) {
		lines = saturating_multiply(groups_of(l, id, line, among), l->times);
		lines = saturating_add(lines, whole_body_lines(l, loop->kid[2], line + 1, among));
	} else if (!(body->uses[FOR_COUNT] & USES_INDEX(0))) {
		lines = repeated_lines(l, loop, line, among, (uint64_t)trips);
	} else {
		period = (int64_t)node_period(l->at.store, loop->kid[2], 0, FOR_COUNT);
		period = period && period < trips ? period : trips;
		for (int64_t i = 0; i < period && !is_lost(l); i++) {
			l->at.index[depth] = i;
			lines = saturating_add(
				lines, repeated_lines(l, loop, line, among, (uint64_t)((trips - 1 - i) / period + 1)));
		}
	}
	l->at.depth = depth;
	return lines;
}

static uint64_t statement_lines(struct listing *l, node_id id, size_t line, const struct ranks *among)
{
	const struct node *n = node_of(l->at.store, id);
	bool loop = n->kind == NODE_LOOP;
	uint64_t lines = 0;
	if (n->kind == NODE_EVENT)
		return event_lines(l, id, among);
	if (among && !anybody_comes(l, n, among))
		return 0;
	if (!(node_of(l->at.store, n->kid[1])->uses[FOR_ALL] & USES_PROCESS))
		return loop                            ? loop_lines(l, id, line, among)
		       : test_holds(&l->at, n->kid[1]) ? body_lines(l, n->kid[2], line + 1, among)
						       : 0;
	struct run_parts parts = run_parts(l->run, &l->at, id, among);
	for (size_t i = 0; i < parts.count; i++) {
		const struct ranks *part = &parts.part[i];
		environment_move(&l->at, part->run[0].first);
		lines = saturating_add(
			lines, loop ? loop_lines(l, id, line, part) : body_lines(l, n->kid[2], line + 1, part));
	}
	run_parts_clear(&parts);
	return lines;
}

/* As deep as loops nest. */
static uint64_t body_lines(struct listing *l, node_id body, size_t line, const struct ranks *among)
{
	const struct node *n = node_of(l->at.store, body);
	uint64_t lines = 0;
	for (uint32_t k = 0; k < n->kids && !is_lost(l) && run_may_go_on(l->run, &l->at); k++) {
		lines = saturating_add(lines, statement_lines(l, n->kid[k], line, among));
		line += node_of(l->at.store, n->kid[k])->lines;
	}
	return lines;
}

bool listing_lines(struct run *r, uint64_t *lines, struct error *error)
{
	const struct module *m = run_module(r);
	struct listing l = {.run = r,
		.at = run_environment(r),
		.ends = ends_new(r),
		.folded = module_is_folded(m),
		.groups = mem_zero((m->lines + 1) * sizeof *l.groups),
		.times = 1,
		.error = error};
	struct store_mark mark = store_mark(m->store);
	l.at.index = mem_zero((run_depth(r) + 1) * sizeof *l.at.index);
	*lines = l.at.processes ? whole_body_lines(&l, m->body, 0, NULL) : 0;
	store_release(m->store, mark, NULL, 0);
	bool good = !l.failed && environment_good(&l.at, error);
	free(l.at.index);
	free(l.groups);
	ends_clear(&l.ends);
	return good;
}
