/*
 * meeting_pairs.c -- both ends of a channel, gone through side by side: where two loops pass on
 * equally much in each of their iterations, in one of them for all; else message by message.
 */
#include <stdlib.h>

#include "ask/meeting_work.h"
#include "base/mem.h"
#include "base/saturate.h"

/* One end of a channel: the way from the whole term to the message that it stands at. */
struct level {
	const uint32_t *item; /* of a term */
	size_t items, at;
	/* the loop around the term, which is not there around the whole: its runs, how many are
	   left, and iterations of this one */
	const uint64_t *run;
	size_t runs;
	uint64_t left;
	bool open; /* all its iterations at once: it is left together with the other end's */
};

struct end {
	uint32_t rank;
	struct level *level;
	size_t levels, capacity;
	int64_t *index, *trips; /* by loop around */
};

struct pairing {
	struct meeting *m;
	struct end end[2]; /* sends, receives */
	uint64_t times;
	meeting_take *take;
	void *context;
	struct meeting_end met[2];
};

/* ------------------------------------------------------------------ where an end stands */

static uint32_t item_at(const struct end *e)
{
	const struct level *l = &e->level[e->levels - 1];
	return l->item[l->at];
}

static void enter_term(struct pairing *p, struct end *e, uint32_t term, const struct level *around)
{
	struct level *l = MEM_PUSH(e->level, e->levels, e->capacity);
	*l = around ? *around : (struct level){0};
	l->item = term_items(p->m, term, &l->items);
	l->at = 0;
}

/* To the next run in which anything is passed on; false: there is none. */
static bool enter_run(struct pairing *p, struct end *e, struct level l)
{
	int64_t *index = &e->index[e->levels - 1];
	for (; l.runs && !term_messages(p->m, (uint32_t)l.run[1]); l.run += 2, l.runs--)
		*index += (int64_t)l.run[0];
	if (!l.runs)
		return false;
	l.left = l.run[0];
	enter_term(p, e, (uint32_t)l.run[1], &l);
	return true;
}

/* Into the first iteration of the loop at hand that passes on anything. */
static void enter_loop(struct pairing *p, struct end *e, bool open)
{
	struct level l = {.open = open};
	l.run = item_runs(p->m, item_at(e), &l.runs);
	e->index[e->levels - 1] = 0;
	e->trips[e->levels - 1] = open ? (int64_t)l.run[0] : 0;
	enter_run(p, e, l);
}

/* Behind the item at hand; out of loops that are done with, but for those that are open. True: of
   such a one the iteration, or of the whole everything, is done. */
static bool step(struct pairing *p, struct end *e)
{
	struct level *l = &e->level[e->levels - 1];
	while (++l->at == l->items) {
		if (l->open || e->levels == 1)
			return true;
		struct level around = *l;
		uint32_t term = (uint32_t)around.run[1];
		e->levels--;
		++e->index[e->levels - 1];
		if (--around.left) {
			enter_term(p, e, term, &around);
			return false;
		}
		around.run += 2;
		around.runs--;
		if (enter_run(p, e, around))
			return false;
		l = &e->level[e->levels - 1];
	}
	return false;
}

/* May both loops be gone through at once? */
static bool are_alike(const struct pairing *p, uint32_t sends, uint32_t receives)
{
	const struct meeting *m = p->m;
	size_t runs[2];
	const uint64_t *s = item_runs(m, sends, &runs[0]), *r = item_runs(m, receives, &runs[1]);
	bool calls = m->stand[item_statement(m, sends)].calls || m->stand[item_statement(m, receives)].calls;
	return runs[0] == 1 && runs[1] == 1 && s[0] == r[0] && !calls && p->end[0].levels < 64 &&
	       p->end[1].levels < 64 && term_messages(m, (uint32_t)s[1]) == term_messages(m, (uint32_t)r[1]);
}

/* ------------------------------------------------------------------ environments */

/* From the body on to the statement of an end, whose arguments the recursion keeps; then the other
   end, then whoever takes both. */
static void go_to(struct pairing *p, int which, node_id body, uint32_t at);

static void arrive(struct pairing *p, int which, node_id event)
{
	p->met[which].event = event;
	if (!which) {
		struct meeting *m = p->m;
		struct environment *at = &p->met[1].at;
		*at = m->at;
		environment_set(at, p->end[1].rank);
		at->index = p->end[1].index;
		go_to(p, 1, run_module(m->run)->body, 0);
		return;
	}
	p->take(p->context, &p->met[0], &p->met[1], p->times);
}

static void go_to(struct pairing *p, int which, node_id body, uint32_t at)
{
	struct meeting *m = p->m;
	struct environment *e = &p->met[which].at;
	const struct end *end = &p->end[which];
	size_t length, i = 0;
	uint32_t wanted = (uint32_t)p->met[which].statement;
	const struct projected *list = run_projection(m->run, body, run_class(m->run, end->rank), &length);
	while (i + 1 < length && at + list[i + 1].place <= wanted)
		i++;
	const struct node *n = node_of(m->store, list[i].statement);
	uint32_t place = at + list[i].place;
	struct environment around = *e;
	int64_t argument[PARAMETERS_LIMIT];
	if (n->kind == NODE_EVENT) {
		arrive(p, which, list[i].statement);
	} else if (n->kind == NODE_CALL) {
		enter_call(e, list[i].statement, argument);
		go_to(p, which, node_kid(m->store, n->kid[0], 0), place);
	} else {
		if (n->kind == NODE_LOOP) {
			e->trips[e->depth & 63] = end->trips[e->depth];
			e->open |= end->trips[e->depth] ? UINT64_C(1) << e->depth : 0;
			e->depth++;
		}
		go_to(p, which, n->kid[2], place + 1);
	}
	e->depth = around.depth;
	e->base = around.base;
	e->parameter = around.parameter;
	e->open = around.open;
}

static void give(struct pairing *p)
{
	for (int i = 0; i < 2; i++)
		p->met[i].statement = item_statement(p->m, item_at(&p->end[i]));
	struct environment *at = &p->met[0].at;
	*at = p->m->at;
	environment_set(at, p->end[0].rank);
	at->index = p->end[0].index;
	go_to(p, 0, run_module(p->m->run)->body, 0);
}

/* ------------------------------------------------------------------ channels */

/* Both ends from here to the end of what they have open together. False: the budget is used up. */
static bool pair_up(struct pairing *p)
{
	struct end *s = &p->end[0], *r = &p->end[1];
	for (;;) {
		uint32_t sends = item_at(s), receives = item_at(r);
		bool loops = item_repeats(sends) && item_repeats(receives);
		if (!p->m->left)
			return false;
		p->m->left--;
		if (loops && are_alike(p, sends, receives)) {
			uint64_t times = p->times;
			enter_loop(p, s, true);
			enter_loop(p, r, true);
			p->times = saturating_multiply(times, s->level[s->levels - 1].left);
			if (!pair_up(p))
				return false;
			p->times = times;
			s->levels--;
			r->levels--;
			s->trips[s->levels - 1] = r->trips[r->levels - 1] = 0;
		} else if (item_repeats(sends) || item_repeats(receives)) {
			enter_loop(p, item_repeats(sends) ? s : r, false);
			continue;
		} else {
			give(p);
		}
		bool done = step(p, s);
		if (step(p, r) || done)
			return true;
	}
}

bool meeting_each(struct meeting *m, meeting_take *take, void *context)
{
	const struct meeting_facts *f = &m->facts;
	if (f->known && f->complete && !m->terms && !meeting_examine(m, FOR_PEER) && m->left)
		meeting_examine(m, FOR_CHANNEL);
	if (!f->known || !f->complete || !m->terms)
		return false;
	struct pairing p = {.m = m, .times = 1, .take = take, .context = context};
	size_t depth = run_depth(m->run) + 1;
	bool good = true;
	m->left = m->budget;
	for (int i = 0; i < 2; i++) {
		p.end[i].index = mem_zero(depth * sizeof *p.end[i].index);
		p.end[i].trips = mem_zero(depth * sizeof *p.end[i].trips);
	}
	for (uint32_t c = 0; c < intern_count(m->ends.channels) && good; c++) {
		if (ends_is_collective(&m->ends, c))
			continue;
		const struct channel_key *key = ends_key(&m->ends, c);
		for (int i = 0; i < 2; i++) {
			p.end[i].rank = i ? key->to : key->from;
			p.end[i].levels = 0;
			enter_term(&p, &p.end[i], m->channel[c].term[i], NULL);
		}
		good = pair_up(&p);
	}
	for (int i = 0; i < 2; i++) {
		free(p.end[i].level);
		free(p.end[i].index);
		free(p.end[i].trips);
	}
	return good;
}
