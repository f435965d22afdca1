/*
 * meeting_pairs.c -- both ends of a channel, gone through side by side, the k-th message of one
 * with that of the other. Where both ends begin iterations of loops, what is done until both do so
 * again is gone through once.
 */
#include <stdlib.h>

#include "ask/meeting_work.h"
#include "base/gcd.h"
#include "base/mem.h"
#include "base/saturate.h"

/* One end: the way from the whole to the item that it stands at. */
struct level {
	const uint32_t *item; /* of a term */
	size_t items, at;
	/* the loop around the term, which is not there around the whole: its runs, how many are
	   left, and iterations of this one */
	const uint64_t *run;
	size_t runs;
	uint64_t left;
};

struct end {
	struct level *level;
	size_t levels, capacity; /* 0: it is at its end */
	int64_t *index; /* by loop around */
};

struct pairing {
	struct meeting *m;
	struct end end[2]; /* sends, receives */
	uint32_t channel;
	uint64_t irregular;
};

/* ------------------------------------------------------------------ where an end stands */

static struct level *top(const struct end *e)
{
	return &e->level[e->levels - 1];
}

static uint32_t item_in(const struct level *l)
{
	return l->item[l->at];
}

/* The first iteration of the next run in which anything is passed on; false: there is none. */
static bool enter_run(const struct meeting *m, struct end *e)
{
	struct level *l = top(e);
	for (; l->runs && !term_messages(m, (uint32_t)l->run[1]); l->run += 2, l->runs--)
		e->index[e->levels - 2] += (int64_t)l->run[0];
	if (!l->runs)
		return false;
	l->left = l->run[0];
	l->item = term_items(m, (uint32_t)l->run[1], &l->items);
	return true;
}

static void enter_loop(const struct meeting *m, struct end *e)
{
	struct level l = {0};
	l.run = item_runs(m, item_in(top(e)), &l.runs);
	e->index[e->levels - 1] = 0;
	*MEM_PUSH(e->level, e->levels, e->capacity) = l;
	enter_run(m, e);
}

static void start(const struct meeting *m, struct end *e, uint32_t term)
{
	*MEM_PUSH(e->level, e->levels, e->capacity) = (struct level){0};
	e->level->item = term_items(m, term, &e->level->items);
	e->levels = term != TERM_NOTHING;
}

/* Behind the item at hand, so many more iterations, and out of loops that are done with. */
static void step(const struct meeting *m, struct end *e, uint64_t iterations)
{
	struct level *l = top(e);
	l->at++;
	if (iterations) {
		l->at = l->items;
		l->left -= iterations - 1;
		e->index[e->levels - 2] += (int64_t)iterations - 1;
	}
	for (; l->at == l->items; l = top(e)) {
		if (!--e->levels)
			return;
		++e->index[e->levels - 1];
		l->at = 0;
		bool more = --l->left;
		if (!more) {
			l->run += 2;
			l->runs--;
		}
		e->levels++;
		if (!more && !enter_run(m, e)) {
			e->levels--;
			top(e)->at++;
		}
	}
}

/* ------------------------------------------------------------------ facts */

static bool has_repetition(const struct level *l)
{
	bool any = false;
	for (size_t i = 0; i < l->items && !any; i++)
		any = item_repeats(l->item[i]);
	return any;
}

static void mark_crossed(struct pairing *p, uint32_t loop, int64_t sent, int64_t received)
{
	struct meeting *m = p->m;
	uint32_t how = m->channel[p->channel].how;
	m->unsure |= !(how & OF_FREE) && (sent > received || how & OF_SYNC);
	if (m->stand[loop].divergent) {
		m->stand[loop].apart = true;
	} else if (how & OF_ONE) {
		m->stand[loop].alone = true;
	} else if (loop < m->facts.crossed) {
		m->facts.crossed = loop;
		m->sent = (uint64_t)sent;
		m->received = (uint64_t)received;
		m->crossed_on = p->channel;
	}
}

/* In one iteration of what is around; what loops inside pass on may be what is received, which no
   listing can help. */
static void mark_early(struct pairing *p, uint32_t at, const struct level *sends, const struct level *receives)
{
	struct meeting *m = p->m;
	uint32_t how = m->channel[p->channel].how;
	if (how & OF_FREE)
		return;
	m->stand[at].early = true;
	if (!(how & (OF_SYNC | OF_ONE)) && !has_repetition(sends) && !has_repetition(receives) &&
		m->stand[at].around != SCOPE_ROOT && at < m->facts.misplaced)
		m->facts.misplaced = at;
}

/* The level on which both ends differ, or the last of one of them; false: it is an iteration of the
   loop of that level. */
static bool common_level(const struct pairing *p, size_t *level)
{
	const struct end *s = &p->end[0], *r = &p->end[1];
	for (*level = 0; *level + 1 < s->levels && *level + 1 < r->levels; ++*level) {
		uint32_t loop = item_statement(p->m, item_in(&s->level[*level]));
		if (loop != item_statement(p->m, item_in(&r->level[*level])))
			break;
		if (s->index[*level] != r->index[*level])
			return false;
	}
	return true;
}

/* A message, or a member and another of a collective. */
static void examine(struct pairing *p)
{
	struct meeting *m = p->m;
	uint32_t how = m->channel[p->channel].how;
	size_t level;
	bool together = common_level(p, &level);
	const struct level *s = &p->end[0].level[level], *r = &p->end[1].level[level];
	for (size_t i = 0; i < level + !together && !(how & OF_ONE); i++)
		m->stand[item_statement(m, item_in(&p->end[0].level[i]))].joint = true;
	uint32_t sent = item_statement(m, item_in(s)), received = item_statement(m, item_in(r));
	if (!together)
		mark_crossed(p, sent, p->end[0].index[level], p->end[1].index[level]);
	else if (received < sent || (how & OF_SYNC && received != sent))
		mark_early(p, received < sent ? received : sent, s, r);
}

/* Constructs of one body that carry parts of each other's messages. */
static uint64_t irregular_links(const struct pairing *p)
{
	size_t at[2] = {0, 0};
	uint64_t first[2] = {0, 0}, past[2], irregular = 0;
	while (at[0] < top(&p->end[0])->items && at[1] < top(&p->end[1])->items) {
		for (int i = 0; i < 2; i++)
			past[i] = first[i] + item_messages(p->m, top(&p->end[i])->item[at[i]]);
		bool meet = first[0] < past[1] && first[1] < past[0];
		irregular += meet && (first[0] != first[1] || past[0] != past[1]);
		int next = past[0] <= past[1] ? 0 : 1;
		first[next] = past[next];
		at[next]++;
	}
	return irregular;
}

/* ------------------------------------------------------------------ pairs */

/* Both ends begin an iteration: messages of one, if all the others of this run are like it. */
static uint64_t messages_of_iteration(const struct pairing *p, const struct end *e)
{
	const struct level *l = top(e);
	return e->levels > 1 && !l->at ? term_messages(p->m, (uint32_t)l->run[1]) : 0;
}

/* Messages until both ends begin an iteration again, and how often that is so; 0: they are in the
   midst of something. */
static uint64_t find_period(const struct pairing *p, uint64_t most, uint64_t *times)
{
	uint64_t each[2], period;
	for (int i = 0; i < 2; i++) {
		each[i] = messages_of_iteration(p, &p->end[i]);
		if (!each[i])
			return 0;
		uint64_t all = saturating_multiply(each[i], top(&p->end[i])->left);
		most = all < most ? all : most;
	}
	period = saturating_multiply(each[0] / gcd(each[0], each[1]), each[1]);
	*times = most / period;
	return period;
}

static bool pair_up(struct pairing *p, uint64_t messages);

/* Are both ends in the same iteration of a loop that both are in, or as many apart, wherever they
   are? */
static bool go_together(const struct pairing *p)
{
	const struct end *s = &p->end[0], *r = &p->end[1];
	size_t level;
	common_level(p, &level);
	bool equal = s->levels == r->levels && messages_of_iteration(p, s) == messages_of_iteration(p, r);
	return equal || (s->levels > level + 2 && r->levels > level + 2);
}

/* Go through the first of so many periods, or the first two and the last: between these, it does
   not matter. Gives the messages that are done with; 0: it is too much. */
static uint64_t pair_periods(struct pairing *p, uint64_t period, uint64_t times, bool together)
{
	uint64_t first = together ? 1 : 2, skipped = together ? times - 1 : times - 3, each[2];
	for (int i = 0; i < 2; i++)
		each[i] = messages_of_iteration(p, &p->end[i]);
	if (!pair_up(p, first * period))
		return 0;
	for (int i = 0; i < 2 && skipped; i++)
		step(p->m, &p->end[i], skipped * (period / each[i]));
	return (first + skipped) * period;
}

/* From here on so many messages, if there are. False: the budget is used up. */
static bool pair_up(struct pairing *p, uint64_t messages)
{
	struct end *s = &p->end[0], *r = &p->end[1];
	uint64_t times, done;
	for (; messages && s->levels && r->levels; messages -= done) {
		if (!p->m->left)
			return false;
		p->m->left--;
		uint64_t period = find_period(p, messages, &times);
		done = 0;
		bool together = period && times > 1 && go_together(p);
		if (together || (period && times > 3)) {
			done = pair_periods(p, period, times, together);
			if (!done)
				return false;
			continue;
		}
		size_t level;
		if (!top(s)->at && !top(r)->at && s->levels == r->levels && common_level(p, &level) &&
			level + 1 == s->levels)
			p->irregular += irregular_links(p);
		bool loops[] = {item_repeats(item_in(top(s))), item_repeats(item_in(top(r)))};
		for (int i = 0; i < 2; i++)
			if (loops[i])
				enter_loop(p->m, &p->end[i]);
		if (loops[0] || loops[1])
			continue;
		examine(p);
		step(p->m, s, 0);
		step(p->m, r, 0);
		done = 1;
	}
	return true;
}

/* ------------------------------------------------------------------ channels */

uint64_t meeting_walk_family(struct meeting *m, uint32_t channel, uint32_t sends, uint32_t receives)
{
	struct pairing p = {.m = m, .channel = channel};
	for (int i = 0; i < 2; i++) {
		p.end[i].index = mem_zero((run_depth(m->run) + 1) * sizeof *p.end[i].index);
		start(m, &p.end[i], i ? receives : sends);
	}
	m->too_much |= !pair_up(&p, UINT64_MAX);
	for (int i = 0; i < 2; i++) {
		free(p.end[i].level);
		free(p.end[i].index);
	}
	return p.irregular;
}
