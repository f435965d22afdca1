/*
 * neighbours.c -- sends by a constant step and the receives that they meet.
 *
 * Ranks are joined to intervals by p+1 sent and received from p-1, or the other way round;
 * intervals are joined by steps from some rank of one to one of the other: rows by what goes from
 * row to row. A grid is joined by a step along each of its axes that has more than one place, where
 * all send and all receive; a ring, by steps that have no divisor in common with its size and each
 * other.
 */
#include "ask/neighbours.h"

#include <stdlib.h>
#include <string.h>

#include "ask/partners.h"
#include "base/binary_search.h"
#include "base/gcd.h"
#include "base/mem.h"
#include "base/union_find.h"

#define LINE GRID_AXES /* the ranks themselves, along no axis */
#define ROUND (GRID_AXES + 1) /* they go round, all of them, and perhaps further in each iteration */
#define NO_STEP (GRID_AXES + 2)

/* Does a coordinate stay what it is, but for a constant? */
static bool is_move(const struct affine *a, uint32_t axis, int64_t *step)
{
	struct affine same = {.constant = a->constant};
	same.axis[axis] = 1;
	*step = a->constant;
	return !memcmp(a, &same, sizeof same);
}

static uint32_t grid_step(const struct place *f, const struct grid *g, int64_t *step)
{
	uint32_t along = NO_STEP;
	for (uint32_t i = 0; i < g->axes; i++) {
		int64_t here;
		if (!is_move(&f->axis[i], i, &here) || (here && along != NO_STEP))
			return NO_STEP;
		if (here) {
			along = i;
			*step = here;
		}
	}
	return along;
}

static bool is_on_ring_of(const struct place *f, uint32_t processes)
{
	struct value plain = {.plain = f->value.plain};
	return f->kind == PLACE_RING && f->modulus == processes && !memcmp(&plain, &f->value, sizeof plain);
}

/* Along what the peer is some steps away at first (of the grid: one), and in which direction. */
static uint32_t step_of(const struct program *p, const struct place *f, bool everybody, int64_t *step)
{
	*step = 0;
	if (place_asks_table(f))
		return NO_STEP;
	if (f->kind == PLACE_GRID) {
		uint32_t along = grid_step(f, &p->grid, step);
		return everybody && (*step == 1 || *step == -1) ? along : NO_STEP;
	}
	if (everybody && is_on_ring_of(f, p->processes))
		return ROUND;
	if (f->kind != PLACE_OFFSET && !is_on_ring_of(f, p->processes))
		return NO_STEP;
	*step = f->value.plain.constant;
	return LINE;
}

/* One end of messages to neighbours. */
struct end {
	struct form form;
	struct ranks who;
	uint32_t along;
	int64_t step;
};

/* As many of a kind are looked at. */
#define ENDS_MOST 16

struct ends {
	struct end send[ENDS_MOST], recv[ENDS_MOST];
	size_t sends, recvs;
};

static void note_end(const struct program *p, const struct statement *s, struct ends *ends)
{
	struct end e = {.form = program_get_form(p, s->event), .who = dictionary_get_ranks(p->dictionary, s->set)};
	bool send = e.form.kind == EVENT_SEND;
	if (!send && e.form.kind != EVENT_RECV)
		return;
	e.along = step_of(p, &e.form.peer, ranks_count(&e.who) == p->processes, &e.step);
	if (e.along == NO_STEP)
		return;
	if (send && ends->sends < ENDS_MOST)
		ends->send[ends->sends++] = e;
	else if (!send && ends->recvs < ENDS_MOST)
		ends->recv[ends->recvs++] = e;
}

static bool grid_holds_together(const struct program *p, const struct ends *ends)
{
	bool joined[NO_STEP] = {false}, grid = p->grid.axes;
	for (size_t i = 0; i < ends->sends; i++)
		for (size_t k = 0; k < ends->recvs; k++)
			if (partners_meet(&p->grid, &ends->send[i].form, &ends->recv[k].form))
				joined[ends->send[i].along] = true;
	for (uint32_t i = 0; i < p->grid.axes; i++)
		grid = grid && (joined[i] || p->grid.size[i] == 1);
	return grid;
}

/* In the first iterations of the loop, and of those around it the first. */
static bool ring_holds_together(const struct program *p, const struct ends *ends, size_t loop, uint32_t depth)
{
	static const int64_t first[INDEX_DEPTH];
	bool advances = depth < INDEX_DEPTH && program_count(p, loop, first) > 1;
	uint64_t step = p->processes;
	for (size_t i = 0; i < ends->sends; i++)
		for (size_t k = 0; k < ends->recvs; k++) {
			const struct end *send = &ends->send[i], *recv = &ends->recv[k];
			const struct affine *move = &send->form.peer.value.plain;
			if (send->along != ROUND || recv->along != ROUND ||
				!partners_meet(&p->grid, &send->form, &recv->form))
				continue;
			step = gcd((uint64_t)llabs(move->constant % p->processes), step);
			step = gcd(advances ? (uint64_t)llabs(move->index[depth] % p->processes) : 0, step);
		}
	return step == 1;
}

/* ------------------------------------------------------------------ on the line of all ranks */

/* Those of a set send so far, and it is received. */
struct line_step {
	struct ranks who; /* owned */
	int64_t step;
};

/* Ranks fall into intervals, numbered in their order. */
struct line {
	struct line_step *step;
	size_t steps, capacity;
	struct ranks joined; /* with the next rank */
	uint32_t *before; /* by run of these: ranks in the runs before; one more: in all */
	uint32_t *parent; /* by interval */
	uint64_t alone; /* intervals, less the joins that there have been */
};

/* Of `senders` those who go to a rank of `receivers`, so many ranks away. */
static void add_step(struct line *l, const struct ranks *senders, const struct ranks *receivers, int64_t step)
{
	struct ranks from = {0}, who = {0};
	for (size_t i = 0; i < receivers->length; i++) {
		int64_t first = receivers->run[i].first - step, last = receivers->run[i].last - step;
		if (last >= 0 && first < RANK_LIMIT)
			ranks_add_run(&from, first < 0 ? 0 : (uint32_t)first, (uint32_t)last);
	}
	ranks_intersect(&who, senders, &from);
	ranks_clear(&from);
	*MEM_PUSH(l->step, l->steps, l->capacity) = (struct line_step){who, step};
}

/* On a ring, the way back is a step, too. */
static void add_steps(const struct program *p, const struct ends *ends, struct line *l)
{
	for (size_t i = 0; i < ends->sends; i++)
		for (size_t k = 0; k < ends->recvs; k++) {
			const struct end *send = &ends->send[i], *recv = &ends->recv[k];
			int64_t around = send->step > 0 ? -(int64_t)p->processes : p->processes;
			if (send->along != LINE || !partners_meet(&p->grid, &send->form, &recv->form))
				continue;
			add_step(l, &send->who, &recv->who, send->step);
			if (send->form.peer.kind == PLACE_RING)
				add_step(l, &send->who, &recv->who, send->step + around);
		}
}

static void make_intervals(struct line *l, const struct program *p, uint64_t ranks)
{
	struct ranks one = {0}, both = {0};
	for (size_t i = 0; i < l->steps; i++) {
		const struct ranks *who = &l->step[i].who;
		if (l->step[i].step != 1 && l->step[i].step != -1)
			continue;
		ranks_clear(&one);
		for (size_t k = 0; k < who->length; k++)
			ranks_add_run(&one, who->run[k].first - (l->step[i].step < 0),
				who->run[k].last - (l->step[i].step < 0));
		ranks_unite(&both, &l->joined, &one);
		ranks_copy(&l->joined, &both);
	}
	ranks_clear(&one);
	ranks_clear(&both);
	l->before = mem_array(l->joined.length + 1, sizeof *l->before);
	l->before[0] = 0;
	for (size_t i = 0; i < l->joined.length; i++)
		l->before[i + 1] = l->before[i] + l->joined.run[i].last - l->joined.run[i].first + 1;
	l->alone = ranks - l->before[l->joined.length];
	l->parent = mem_array(p->processes - l->before[l->joined.length], sizeof *l->parent);
	union_find_start(l->parent, p->processes - l->before[l->joined.length]);
}

/* The interval of a rank, and its last rank. */
static uint32_t interval_of(const struct line *l, uint32_t rank, uint32_t *last)
{
	size_t i;
	SEARCH_FIRST(i, 0, l->joined.length, l->joined.run[i].last >= rank);
	bool inside = i < l->joined.length && l->joined.run[i].first <= rank;
	*last = inside ? l->joined.run[i].last + 1 : rank;
	return (inside ? l->joined.run[i].first : rank) - l->before[i];
}

/* Those of a run with those who are so many ranks away. */
static void join_intervals(struct line *l, struct ranks_run run, int64_t step)
{
	for (uint32_t at = run.first, here, there; at <= run.last && l->alone > 1; at = here + 1) {
		uint32_t a = union_find_root(l->parent, interval_of(l, at, &here)),
			 b = union_find_root(l->parent, interval_of(l, (uint32_t)(at + step), &there));
		if (there - step < here)
			here = (uint32_t)(there - step);
		l->alone -= a != b;
		union_find_join(l->parent, a, b);
	}
}

static bool line_holds_together(const struct program *p, const struct ends *ends, const struct ranks *who)
{
	struct line l = {0};
	add_steps(p, ends, &l);
	make_intervals(&l, p, ranks_count(who));
	for (size_t i = 0; i < l.steps; i++)
		for (size_t k = 0; k < l.step[i].who.length; k++)
			join_intervals(&l, l.step[i].who.run[k], l.step[i].step);
	for (size_t i = 0; i < l.steps; i++)
		ranks_clear(&l.step[i].who);
	free(l.step);
	ranks_clear(&l.joined);
	free(l.before);
	free(l.parent);
	return l.alone == 1;
}

bool neighbours_join_all(const struct program *p, size_t loop, uint32_t depth)
{
	const struct statement *l = &p->statement[loop];
	struct ranks who = dictionary_get_ranks(p->dictionary, l->set);
	struct ends ends = {.sends = 0};
	for (size_t i = loop + 1; i < loop + l->size; i += statement_size(&p->statement[i])) {
		const struct statement *s = &p->statement[i];
		if (!statement_is_loop(s) && s->set != STATEMENT_PLAIN)
			note_end(p, s, &ends);
	}
	bool everybody = ranks_count(&who) == p->processes;
	return (everybody && (grid_holds_together(p, &ends) || ring_holds_together(p, &ends, loop, depth))) ||
	       line_holds_together(p, &ends, &who);
}
