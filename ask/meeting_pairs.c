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
	return runs[0] == 1 && runs[1] == 1 && s[0] == r[0] && p->end[0].levels < 64 && p->end[1].levels < 64 &&
	       term_messages(m, (uint32_t)s[1]) == term_messages(m, (uint32_t)r[1]);
}

/* Where an end stands, as an environment. */
static struct meeting_end met_at(const struct pairing *p, const struct end *e)
{
	const struct meeting *m = p->m;
	uint32_t at = item_statement(m, item_at(e));
	struct meeting_end met = {.event = m->stand[at].node, .statement = at, .at = m->at};
	environment_set(&met.at, e->rank);
	met.at.index = e->index;
	for (uint32_t loop = m->stand[at].around; loop != SCOPE_ROOT; loop = m->stand[loop].around)
		met.at.depth++;
	for (size_t d = 0; d < met.at.depth && d < 64; d++) {
		met.at.trips[d] = e->trips[d];
		met.at.open |= e->trips[d] ? UINT64_C(1) << d : 0;
	}
	return met;
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
			struct meeting_end send = met_at(p, s), receive = met_at(p, r);
			p->take(p->context, &send, &receive, p->times);
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
