/*
 * reroll.c -- loops over numbers: runs of equal structures in a list, the segments of a run that
 * may be loops, and of all these the set that saves most.
 *
 * Copies are blocks of a period. Lanes at equal places of all blocks are the same, or each block is
 * executed by its lanes as a whole, and then each lane counts the blocks that are its own: either
 * way each lane has its statements in the order in which it had them.
 */
#include "merge/reroll.h"

#include <stdlib.h>
#include <string.h>

#include "ask/cost.h"
#include "base/gcd.h"
#include "merge/bounds.h"
#include "merge/flows.h"
#include "merge/repeats.h"
#include "merge/stencil.h"

/* A loop that may take the place of nodes. */
struct candidate {
	size_t start, period, copies; /* start: in the run, later in the list */
	uint64_t saves;
	uint32_t price;
	struct tree_node *loop;
	enum { FLOWS_UNKNOWN, FLOWS_STAY, FLOWS_CROSS } flows; /* do messages stay in its iterations? */
	uint32_t run; /* it was found in, ... */
	size_t place; /* ... among those found there */
};

struct candidates {
	struct candidate *item;
	size_t length, capacity;
};

struct rerolling {
	struct tree_builder *builder;
	struct pricing *pricing;
	const struct tree_context *context;
	uint32_t depth;
	bool recognized; /* loops of the list are those that were recognized, not made here */
	struct intern *runs; /* that were looked at, by period and nodes */
	struct candidates *found; /* by these; places count from the start of the run */
	size_t found_capacity;
};

/* ------------------------------------------------------------------ copies as a loop */

/* The nodes at one place of all blocks as one below a loop more: each lane's own ones are its
   iterations. */
static struct tree_node *own_iterations(
	struct rerolling *r, struct tree_node *const *copy, size_t copies, uint32_t lanes, indexed *row)
{
	struct tree_builder *b = r->builder;
	const struct tree_node *first = copy[0];
	struct lane_set set = tree_lanes(b, lanes);
	indexed **slot = tree_slots(b, first->slots, lanes), *around = mem_array(r->depth + (size_t)1, sizeof *around);
	for (size_t i = 0; i < set.length; i++) {
		tree_counts_around(b, r->context, set.lane[i], around);
		for (uint32_t k = 0; k < first->slots; k++) {
			size_t own = 0;
			for (size_t c = 0; c < copies; c++) {
				struct lane_set has = tree_lanes(b, copy[c]->lanes);
				if (lane_set_has(has, set.lane[i]))
					row[own++] = copy[c]->slot[k][lane_index(has, set.lane[i])];
			}
			slot[k][i] = indexed_zip(b->store, row, own, r->depth, around);
		}
	}
	free(around);
	struct tree_node **inside = mem_array(copies, sizeof *inside);
	struct tree_node **body = mem_array(first->body.length, sizeof *body);
	for (size_t i = 0; i < first->body.length; i++) {
		for (size_t c = 0; c < copies; c++)
			inside[c] = copy[c]->body.node[i];
		body[i] = own_iterations(r, inside, copies, lanes, row);
	}
	struct tree_node *made;
	if (first->kind == TREE_EVENT)
		made = tree_event(b, first->shape, lanes, slot, first->parameters);
	else if (first->kind == TREE_CALL)
		made = tree_call(b, first->procedure, lanes, slot, first->parameters);
	else
		made = tree_loop(b, first->kind, lanes, slot[0], tree_list_of(b, body, first->body.length));
	free(inside);
	free(body);
	return made;
}

/* Are the lanes at each place of all blocks the same? */
static bool same_lanes(const uint32_t *signature, size_t period, size_t copies)
{
	for (size_t i = period; i < copies * period; i++)
		if (signature[i] != signature[i - period])
			return false;
	return true;
}

/* Is each block executed by its lanes as a whole? */
static bool whole_blocks(struct tree_node *const *from, const uint32_t *signature, size_t period, size_t copies)
{
	for (size_t i = 0; i < copies * period; i++)
		if (signature[i] != from[i]->lanes || from[i]->lanes != from[i - i % period]->lanes)
			return false;
	return true;
}

/* So many iterations for each lane: of the blocks, those that are its own, or all. */
static const indexed *counts_of(
	struct rerolling *r, uint32_t lanes, struct tree_node *const *from, size_t period, size_t copies, bool own)
{
	struct indexed_store *s = r->builder->store;
	struct lane_set set = tree_lanes(r->builder, lanes);
	indexed *count = tree_slots(r->builder, 1, lanes)[0];
	for (size_t i = 0; i < set.length; i++) {
		size_t blocks = own ? 0 : copies;
		for (size_t c = 0; own && c < copies; c++)
			blocks += lane_set_has(tree_lanes(r->builder, from[c * period]->lanes), set.lane[i]);
		count[i] = indexed_wrap(s, indexed_number(s, (int64_t)blocks), r->depth);
	}
	return count;
}

/* NULL: they cannot be one. O(nodes x lanes). */
static struct tree_node *as_loop(
	struct rerolling *r, struct tree_node *const *from, const uint32_t *signature, size_t period, size_t copies)
{
	struct tree_builder *b = r->builder;
	bool own = !same_lanes(signature, period, copies);
	if (own && !whole_blocks(from, signature, period, copies))
		return NULL;
	uint32_t lanes = tree_list_lanes(b, (struct tree_list){from, own ? period * copies : period});
	struct tree_node **copy = mem_array(copies, sizeof *copy), **body = mem_array(period, sizeof *body);
	indexed *row = mem_array(copies, sizeof *row);
	for (size_t i = 0; i < period; i++) {
		for (size_t c = 0; c < copies; c++)
			copy[c] = from[c * period + i];
		body[i] = own ? own_iterations(r, copy, copies, lanes, row) : tree_zip(b, copy, copies, r->context);
	}
	struct tree_node *loop = tree_loop(
		b, TREE_LOOP, lanes, counts_of(r, lanes, from, period, copies, own), tree_list_of(b, body, period));
	free(copy);
	free(body);
	free(row);
	return loop;
}

/* ------------------------------------------------------------------ segments of a run */

struct segments {
	struct rerolling *r;
	struct tree_node *const *from;
	size_t length, period;
	uint32_t *signature; /* of the lanes of each */
	uint64_t *before; /* what the nodes in front cost, each by itself; one more than nodes */
	uint64_t *least; /* the same without any number */
	struct candidates *found;
	struct candidates shorter; /* found in the same run by a part of the period */
};

static uint64_t least_price(const struct tree_node *n)
{
	uint64_t price = n->kind == TREE_GUARD ? COST_GUARD : COST_STATEMENT;
	for (size_t i = 0; i < n->body.length; i++)
		price += least_price(n->body.node[i]);
	return price;
}

/* Does a parameter stand for the same in all iterations? A text has no way to say which of several
   it is by an index. */
static bool names_parameters(const struct rerolling *r, const struct tree_node *n)
{
	size_t lanes = tree_lanes(r->builder, n->lanes).length;
	int64_t number;
	for (uint32_t k = 0; k < n->slots; k++)
		for (size_t i = 0; n->parameters >> k & 1 && i < lanes; i++)
			if (!indexed_is_constant(r->builder->store, n->slot[k][i], &number))
				return false;
	for (size_t i = 0; i < n->body.length; i++)
		if (!names_parameters(r, n->body.node[i]))
			return false;
	return true;
}

static bool crosses(struct rerolling *r, struct tree_node *const *from, struct candidate *c)
{
	if (c->flows == FLOWS_UNKNOWN)
		c->flows = flows_cross(r->builder, from + c->start, c->period, c->copies, r->depth) ? FLOWS_CROSS
												    : FLOWS_STAY;
	return c->flows == FLOWS_CROSS;
}

/* By a loop of a shorter period, and of all that stands here, which costs no more than this one
   would without a number. */
static bool is_outdone(struct segments *s, size_t start, size_t end, uint64_t least)
{
	for (size_t i = 0; i < s->shorter.length; i++) {
		struct candidate *c = &s->shorter.item[i];
		if (c->price <= least && c->start <= start && c->start + c->period * c->copies >= end &&
			!crosses(s->r, s->from, c))
			return true;
	}
	return false;
}

static void try_segment(struct segments *s, size_t start, size_t copies)
{
	size_t end = start + copies * s->period;
	uint64_t least = COST_STATEMENT + s->least[start + s->period] - s->least[start];
	if (copies < 2 || s->before[end] - s->before[start] <= least + REROLL_SAVES || is_outdone(s, start, end, least))
		return;
	for (size_t i = 0; i < s->found->length; i++)
		if (s->found->item[i].start == start && s->found->item[i].copies == copies)
			return;
	struct tree_node *loop = as_loop(s->r, s->from + start, s->signature + start, s->period, copies);
	if (!loop || !names_parameters(s->r, loop))
		return;
	int64_t saves = price_saved(s->r->pricing, (struct tree_list){s->from + start, end - start},
		(struct tree_list){&loop, 1}, s->r->context);
	if (saves <= REROLL_SAVES)
		return;
	s->found->item = mem_grow(s->found->item, &s->found->capacity, s->found->length + 1, sizeof *s->found->item);
	s->found->item[s->found->length++] = (struct candidate){start, s->period, copies, (uint64_t)saves,
		price_list(s->r->pricing, (struct tree_list){&loop, 1}, s->r->context), loop, FLOWS_UNKNOWN, 0, 0};
}

typedef bool (*advancing)(const struct indexed_store *, indexed a, indexed b, indexed c);

/* The same, or numbers that go on by as much? */
static bool advances_evenly(const struct indexed_store *s, indexed a, indexed b, indexed c)
{
	int64_t x, y, z;
	if (a == b && b == c)
		return true;
	return indexed_is_constant(s, a, &x) && indexed_is_constant(s, b, &y) && indexed_is_constant(s, c, &z) &&
	       (uint64_t)y - (uint64_t)x == (uint64_t)z - (uint64_t)y;
}

/* The same, or numbers that go on growing, or shrinking, as the sizes of levels do? */
static bool advances_one_way(const struct indexed_store *s, indexed a, indexed b, indexed c)
{
	int64_t x, y, z;
	if (a == b && b == c)
		return true;
	return indexed_is_constant(s, a, &x) && indexed_is_constant(s, b, &y) && indexed_is_constant(s, c, &z) &&
	       ((x < y && y < z) || (x > y && y > z));
}

static bool nodes_advance(const struct tree_builder *t, const struct tree_node *a, const struct tree_node *b,
	const struct tree_node *c, advancing advances)
{
	size_t lanes = tree_lanes(t, a->lanes).length;
	for (uint32_t k = 0; k < a->slots; k++)
		for (size_t i = 0; i < lanes; i++)
			if (!advances(t->store, a->slot[k][i], b->slot[k][i], c->slot[k][i]))
				return false;
	for (size_t i = 0; i < a->body.length; i++)
		if (!nodes_advance(t, a->body.node[i], b->body.node[i], c->body.node[i], advances))
			return false;
	return true;
}

/* Every segment of few copies. */
static void try_segments(struct segments *s, size_t start, size_t copies)
{
	for (size_t first = 0; first + 2 <= copies; first++)
		for (size_t count = copies - first; count >= 2; count--)
			try_segment(s, start + first * s->period, count);
}

/* Of many copies a phase that loses one gains nothing, but the first or the last may be unlike the
   others. */
static void try_phases(struct segments *s, size_t start, size_t length)
{
	size_t copies = length / s->period;
	for (size_t phase = 0; phase < s->period && phase < REROLL_PHASES && phase + 2 * s->period <= length; phase++)
		if (copies <= REROLL_ALL)
			try_segments(s, start + phase, (length - phase) / s->period);
		else if (phase <= length % s->period)
			try_segment(s, start + phase, copies);
	if (copies > REROLL_ALL) {
		try_segment(s, start, copies - 1);
		try_segment(s, start + s->period, copies - 1);
	}
}

/* Stretches where a test holds at each place, which looks at what is behind by `periods`
   periods. */
static void try_stretches(struct segments *s, bool (*holds)(const struct segments *, size_t), size_t periods)
{
	for (size_t at = 0, start = 0; at + periods * s->period <= s->length; at++) {
		if (at + periods * s->period < s->length && holds(s, at))
			continue;
		if (at > start)
			try_phases(s, start, at + periods * s->period - start);
		start = at + 1;
	}
}

static bool is_of_same_lanes(const struct segments *s, size_t at)
{
	return s->signature[at] == s->signature[at + s->period];
}

/* A sweep in one direction, after which the next one begins. */
static bool nodes_have_same_peers(const struct tree_builder *t, const struct tree_node *a, const struct tree_node *b)
{
	bool peer = a->kind == TREE_EVENT && tree_shape(t, a)->slots >> SLOT_IS_PEER & 1;
	if (peer && memcmp(a->slot[0], b->slot[0], tree_lanes(t, a->lanes).length * sizeof *a->slot[0]) != 0)
		return false;
	for (size_t i = 0; i < a->body.length; i++)
		if (!nodes_have_same_peers(t, a->body.node[i], b->body.node[i]))
			return false;
	return true;
}

static bool is_to_same_peers(const struct segments *s, size_t at)
{
	return is_of_same_lanes(s, at) && nodes_have_same_peers(s->r->builder, s->from[at], s->from[at + s->period]);
}

static bool advances_at(const struct segments *s, size_t at, advancing advances)
{
	size_t w = s->period;
	return is_of_same_lanes(s, at) && is_of_same_lanes(s, at + w) &&
	       nodes_advance(s->r->builder, s->from[at], s->from[at + w], s->from[at + 2 * w], advances);
}

static bool is_even(const struct segments *s, size_t at)
{
	return advances_at(s, at, advances_evenly);
}

static bool is_one_way(const struct segments *s, size_t at)
{
	return advances_at(s, at, advances_one_way);
}

static void try_run(struct rerolling *r, struct tree_node *const *from, const struct repeat *run,
	struct candidates shorter, struct candidates *found)
{
	size_t length = run->end - run->start, copies = length / run->period;
	struct segments s = {r, from, length, run->period, mem_array(length, sizeof *s.signature),
		mem_array(length + 1, sizeof *s.before), mem_array(length + 1, sizeof *s.least), found, shorter};
	s.before[0] = s.least[0] = 0;
	for (size_t i = 0; i < length; i++) {
		s.signature[i] = tree_lane_signature(r->builder, from[i]);
		s.before[i + 1] = s.before[i] + price_list(r->pricing, (struct tree_list){from + i, 1}, r->context);
		s.least[i + 1] = s.least[i] + least_price(from[i]);
	}
	/* several periods as one are of use where numbers advance by these */
	if (!run->part || copies <= REROLL_ALL)
		try_phases(&s, 0, length);
	if (copies > REROLL_ALL) {
		try_stretches(&s, is_even, 2);
		try_stretches(&s, is_one_way, 2);
	}
	if (copies > REROLL_ALL && !run->part) {
		try_stretches(&s, is_of_same_lanes, 1);
		try_stretches(&s, is_to_same_peers, 1);
	}
	free(s.signature);
	free(s.before);
	free(s.least);
}

/* The same run (the very nodes) is looked at once, however many rounds there are. */
static const struct candidates *candidates_of_run(
	struct rerolling *r, struct tree_node *const *from, const struct repeat *run)
{
	struct candidates shorter = {0};
	if (run->part)
		shorter = *candidates_of_run(r, from, &(struct repeat){run->start, run->end, run->part, 0});
	size_t length = run->end - run->start;
	const void **word = mem_array(length + 1, sizeof *word);
	word[0] = (const void *)(uintptr_t)run->period;
	memcpy(word + 1, from, length * sizeof *word);
	uint32_t known = intern_count(r->runs);
	uint32_t at = intern_id(r->runs, word, (length + 1) * sizeof *word);
	free(word);
	if (at == known) {
		r->found = mem_grow(r->found, &r->found_capacity, (size_t)at + 1, sizeof *r->found);
		struct candidates found = {0};
		try_run(r, from, run, shorter, &found);
		r->found[at] = found;
	}
	return &r->found[at];
}

/* ------------------------------------------------------------------ lists */

static int by_end(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	size_t x_end = x->start + x->period * x->copies, y_end = y->start + y->period * y->copies;
	if (x_end != y_end)
		return x_end < y_end ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->period < y->period ? -1 : x->period > y->period;
}

static struct candidates candidates_of_list(struct rerolling *r, struct tree_list list)
{
	struct candidates all = {0};
	uint32_t *structure = mem_array(list.length, sizeof *structure);
	for (size_t i = 0; i < list.length; i++)
		structure[i] = list.node[i]->structure;
	struct runs runs = runs_find(structure, list.length, REROLL_MULTIPLE);
	free(structure);
	for (size_t i = 0; i < runs.length; i++) {
		const struct repeat *run = &runs.run[i];
		const struct candidates *found = candidates_of_run(r, list.node + run->start, run);
		all.item = mem_grow(all.item, &all.capacity, all.length + found->length, sizeof *all.item);
		for (size_t k = 0; k < found->length; k++) {
			struct candidate *own = &all.item[all.length++];
			*own = found->item[k];
			own->start += run->start;
			own->run = (uint32_t)(found - r->found);
			own->place = k;
		}
	}
	runs_clear(&runs);
	if (all.length)
		qsort(all.item, all.length, sizeof *all.item, by_end);
	return all;
}

static struct tree_list reroll_below(
	struct tree_builder *, struct pricing *, struct tree_list, const struct tree_context *, bool recognized);

/* How often the loop is iterated, by all lanes alike and never otherwise; 0: that differs. */
static size_t even_count(const struct rerolling *r, const struct tree_node *loop)
{
	size_t lanes = tree_lanes(r->builder, loop->lanes).length;
	int64_t first = 0, count;
	for (size_t i = 0; i < lanes; i++) {
		if (!indexed_is_constant(r->builder->store, loop->slot[0][i], &count) || (i && count != first))
			return 0;
		first = count;
	}
	return (size_t)first;
}

static size_t period_of_loop(const struct rerolling *r, const struct tree_node *n, size_t iterations)
{
	size_t lanes = tree_lanes(r->builder, n->lanes).length, period = 1;
	for (uint32_t k = 0; k < n->slots; k++)
		for (size_t i = 0; i < lanes && period < iterations; i++)
			period = common_multiple(period,
				indexed_period(r->builder->store, n->slot[k][i], r->depth, iterations), iterations);
	for (size_t i = 0; i < n->body.length && period < iterations; i++)
		period = common_multiple(period, period_of_loop(r, n->body.node[i], iterations), iterations);
	return period;
}

/* Iterations that come again are those of a loop inside, if that is cheaper than what tells them by
   remainders. */
static struct tree_node *block(struct rerolling *r, struct tree_node *loop)
{
	size_t count = loop->kind == TREE_LOOP ? even_count(r, loop) : 0, period = 1;
	for (size_t i = 0; i < loop->body.length && count && period < count; i++)
		period = common_multiple(period, period_of_loop(r, loop->body.node[i], count), count);
	if (period < 2 || period >= count)
		return loop;
	struct tree_node *two = tree_block(r->builder, loop, count, period, r->depth);
	struct tree_list old = {&loop, 1}, now = {&two, 1};
	if (price_saved(r->pricing, old, now, r->context) <= REROLL_SAVES)
		return loop;
	price_change(r->pricing, old, now, r->context);
	return two;
}

/* What stands in the new loop may be runs in turn, now that there are fewer numbers to tell
   apart. */
static struct tree_node *reroll_inside(struct rerolling *r, struct tree_node *loop, bool recognized)
{
	struct tree_list body = reroll_below(
		r->builder, r->pricing, loop->body, &(struct tree_context){loop, r->context, r->depth}, recognized);
	if (body.node != loop->body.node)
		loop = tree_with_body(r->builder, loop, body);
	return block(r, loop);
}

/* Does it still save, now that others are taken? Then the text has it. */
static bool replace(struct rerolling *r, struct tree_list list, const struct candidate *c)
{
	struct tree_list old = {list.node + c->start, c->period * c->copies}, now = {&c->loop, 1};
	if (price_saved(r->pricing, old, now, r->context) <= REROLL_SAVES)
		return false;
	price_change(r->pricing, old, now, r->context);
	return true;
}

/* The loops beside each other that save most in sum: best[i] for the first i nodes, last[i] the one
   that ends there (weighted interval scheduling). */
static void schedule(size_t length, struct candidates *all, uint64_t *best, struct candidate **last)
{
	size_t next = 0;
	best[0] = 0;
	for (size_t i = 1; i <= length; i++) {
		best[i] = best[i - 1];
		last[i] = NULL;
		for (; next < all->length; next++) {
			struct candidate *c = &all->item[next];
			if (c->start + c->period * c->copies != i)
				break;
			if (c->flows != FLOWS_CROSS && best[c->start] + c->saves > best[i]) {
				best[i] = best[c->start] + c->saves;
				last[i] = c;
			}
		}
	}
}

/* Messages are followed in what would be taken alone: that takes longest. False: some cross. */
static bool stay(struct rerolling *r, struct tree_list list, struct candidate *const *last)
{
	bool all = true;
	for (size_t i = list.length; i > 0;) {
		struct candidate *c = last[i];
		if (!c) {
			i--;
			continue;
		}
		all = !crosses(r, list.node, c) && all;
		r->found[c->run].item[c->place].flows = c->flows;
		i = c->start;
	}
	return all;
}

static struct tree_list take_best(struct rerolling *r, struct tree_list list, struct candidates *all)
{
	uint64_t *best = mem_array(list.length + 1, sizeof *best);
	struct candidate **last = mem_array(list.length + 1, sizeof *last);
	struct tree_node **from = mem_array(list.length, sizeof *from);
	size_t put = list.length;
	do
		schedule(list.length, all, best, last);
	while (!stay(r, list, last));
	for (size_t i = list.length; i > 0;) {
		const struct candidate *c = last[i];
		if (c && replace(r, list, c)) {
			from[--put] = reroll_inside(r, c->loop, false);
			i = c->start;
		} else {
			from[--put] = list.node[--i];
		}
	}
	struct tree_list made = tree_list_of(r->builder, from + put, list.length - put);
	free(best);
	free(last);
	free(from);
	return made;
}

static struct tree_list reroll_list(struct rerolling *r, struct tree_list list)
{
	list = stencil(r->builder, r->pricing, list, r->context);
	for (;;) {
		struct candidates all = candidates_of_list(r, list);
		size_t length = list.length;
		if (all.length)
			list = take_best(r, list, &all);
		free(all.item);
		if (list.length == length)
			return list;
	}
}

/* Do numbers differ from iteration to iteration, but none of inner loops? */
static bool numbers_vary(const struct rerolling *r, const struct tree_node *n, bool *counts)
{
	size_t lanes = tree_lanes(r->builder, n->lanes).length;
	bool varies = false;
	for (uint32_t k = 0; k < n->slots && !varies; k++)
		for (size_t i = 0; i < lanes && !varies; i++)
			varies = indexed_varies(r->builder->store, n->slot[k][i], r->depth);
	*counts = *counts || (varies && n->body.length);
	for (size_t i = 0; i < n->body.length; i++)
		varies = numbers_vary(r, n->body.node[i], counts) || varies;
	return varies;
}

/* A loop that was recognized without its numbers, such as all exchanges of a V-cycle, is copies
   again, if loops of these, or they themselves, are cheaper. The same list: they are not. */
static struct tree_list reroll_again(struct rerolling *r, struct tree_list loop)
{
	const struct tree_node *n = loop.node[0];
	size_t count = n->kind == TREE_LOOP ? even_count(r, n) : 0;
	bool varies = false, counts = false;
	for (size_t i = 0; i < n->body.length; i++)
		varies = numbers_vary(r, n->body.node[i], &counts) || varies;
	if (!varies || counts || count < 2 || count * tree_size(n->body) > REROLL_UNROLLED)
		return loop;
	/* what is told otherwise is a loop and a statement more */
	if (price_list(r->pricing, loop, r->context) <= least_price(n) + 2 * COST_STATEMENT)
		return loop;
	struct tree_list copies = tree_unroll(r->builder, n, count, r->depth);
	price_change(r->pricing, loop, copies, r->context);
	struct tree_list again = reroll_list(r, copies);
	price_change(r->pricing, again, loop, r->context);
	if (price_saved(r->pricing, loop, again, r->context) <= REROLL_SAVES)
		return loop;
	price_change(r->pricing, loop, again, r->context);
	return again;
}

/* How many nodes from here on do what those at the beginning of this body do, but for numbers; all of
   them would be an iteration more. */
static size_t same_beginning(const struct rerolling *r, struct tree_list list, size_t at, struct tree_list body)
{
	size_t same = 0;
	while (at + same < list.length && same < body.length &&
		list.node[at + same]->structure == body.node[same]->structure &&
		tree_lane_signature(r->builder, list.node[at + same]) ==
			tree_lane_signature(r->builder, body.node[same]))
		same++;
	return same;
}

/* A loop with so many nodes before and behind it as `front` of these nodes, a loop of the same body
   from there on, and what is left. The same list: that is no cheaper. */
static struct tree_list make_again(
	struct rerolling *r, struct tree_list list, size_t at, size_t count, size_t before, size_t behind, size_t front)
{
	const struct tree_node *loop = list.node[at];
	struct tree_list copies = tree_unroll(r->builder, loop, count, r->depth);
	size_t period = loop->body.length, nodes = before + copies.length + behind, rounds = (nodes - front) / period,
	       left = (nodes - front) % period, first = at - before, next = at + 1 + behind;
	struct tree_node **from = mem_array(nodes, sizeof *from),
			 **made = mem_array(list.length + period, sizeof *made);
	uint32_t *signature = mem_array(nodes, sizeof *signature);
	memcpy(from, list.node + first, before * sizeof *from);
	memcpy(from + before, copies.node, copies.length * sizeof *from);
	memcpy(from + nodes - behind, list.node + at + 1, behind * sizeof *from);
	for (size_t i = front; i < nodes; i++)
		signature[i - front] = tree_lane_signature(r->builder, from[i]);
	memcpy(made, list.node, first * sizeof *made);
	memcpy(made + first, from, front * sizeof *made);
	struct tree_node *again = made[first + front] = as_loop(r, from + front, signature, period, rounds);
	memcpy(made + first + front + 1, from + nodes - left, left * sizeof *made);
	memcpy(made + first + front + 1 + left, list.node + next, (list.length - next) * sizeof *made);
	struct tree_list old = {list.node + first, next - first}, new = {made + first, front + 1 + left};
	if (again && names_parameters(r, again) && price_saved(r->pricing, old, new, r->context) > REROLL_SAVES &&
		!flows_cross(r->builder, from + front, period, rounds, r->depth)) {
		price_change(r->pricing, old, new, r->context);
		list = tree_list_of(r->builder, made, list.length + new.length - old.length);
	}
	free(signature);
	free(from);
	free(made);
	return list;
}

static bool has_peer(const struct rerolling *r, const struct tree_node *n)
{
	return n->kind == TREE_EVENT && n->slots && tree_slot_of(r->builder, n, 0) == SLOT_IS_PEER;
}

/* Is the peer of x, an iteration later, that of y? */
static bool is_later(const struct rerolling *r, const struct tree_node *x, const struct tree_node *y, size_t count)
{
	struct indexed_store *s = r->builder->store;
	size_t lanes = tree_lanes(r->builder, x->lanes).length;
	bool later = has_peer(r, x) && has_peer(r, y) && x->lanes == y->lanes, varies = false;
	for (size_t lane = 0; lane < lanes && later; lane++) {
		indexed a = x->slot[0][lane], b = y->slot[0][lane];
		varies = varies || indexed_varies(s, a, r->depth);
		for (size_t i = 0; i + 1 < count && later; i++)
			later = indexed_remove(s, a, r->depth, i + 1) == indexed_remove(s, b, r->depth, i);
	}
	return later && varies;
}

/* After how many nodes the body could begin, so that messages of different peers are of one; 0: none.
   A master's loop that begins with the answer it sends is one. */
static size_t later_beginning(const struct rerolling *r, const struct tree_node *loop, size_t count)
{
	for (size_t k = 1; k < loop->body.length; k++)
		for (size_t i = 0; i < k; i++)
			if (is_later(r, loop->body.node[i], loop->body.node[k], count))
				return k;
	return 0;
}

/* Recognition begins a loop where it can first. Where a part of the first iteration has numbers of
   its own, and what is behind the loop begins as its body does, it may begin behind that part:
   (A B)^n A' as A0 (B A)^n; for later peers (A B)^n as A0 (B A)^(n-1) B (loop rotation). */
static struct tree_list rotate_loops(struct rerolling *r, struct tree_list list)
{
	for (size_t i = 0; i < list.length; i++) {
		const struct tree_node *n = list.node[i];
		size_t count = n->kind == TREE_LOOP ? even_count(r, n) : 0, size = count * tree_size(n->body),
		       front = count < 2 || size > REROLL_UNROLLED ? 0 : same_beginning(r, list, i + 1, n->body),
		       later = count < 2 || size > REROLL_ROTATED ? 0 : later_beginning(r, n, count);
		bool varies = false, counts = false;
		if (front == n->body.length)
			continue;
		for (size_t k = 0; k < front; k++)
			varies = numbers_vary(r, n->body.node[k], &counts) || varies;
		if (varies)
			list = make_again(r, list, i, count, 0, front, front);
		else if (later)
			list = make_again(r, list, i, count, 0, 0, later);
	}
	return list;
}

/* What is beside a loop may be one iteration more of it. */
static struct tree_list extend_loops(struct rerolling *r, struct tree_list list)
{
	for (size_t i = 0; i < list.length; i++) {
		const struct tree_node *n = list.node[i];
		size_t count = n->kind == TREE_LOOP ? even_count(r, n) : 0, period = n->body.length;
		if (!count || count * tree_size(n->body) > REROLL_UNROLLED)
			continue;
		if (i >= period && same_beginning(r, list, i - period, n->body) == period)
			list = make_again(r, list, i, count, period, 0, 0);
		else if (same_beginning(r, list, i + 1, n->body) == period)
			list = make_again(r, list, i, count, 0, period, 0);
	}
	return list;
}

/* The same list if no body has changed. */
static struct tree_list reroll_bodies(struct rerolling *r, struct tree_list list)
{
	struct tree_node **made = NULL;
	size_t length = 0, capacity = 0;
	bool changed = false;
	for (size_t i = 0; i < list.length; i++) {
		struct tree_node *n = list.node[i];
		struct tree_list now = {&n, 1};
		if (n->body.length) {
			n = reroll_inside(r, n, r->recognized);
			if (r->recognized)
				now = reroll_again(r, now);
		}
		changed = changed || now.length > 1 || now.node[0] != list.node[i];
		made = mem_grow(made, &capacity, length + now.length, sizeof *made);
		memcpy(made + length, now.node, now.length * sizeof *made);
		length += now.length;
	}
	if (changed)
		list = tree_list_of(r->builder, made, length);
	free(made);
	return list;
}

static struct tree_list reroll_below(struct tree_builder *b, struct pricing *pricing, struct tree_list list,
	const struct tree_context *context, bool recognized)
{
	struct rerolling r = {b, pricing, context, tree_depth(context), recognized, intern_new(), NULL, 0};
	list = reroll_bodies(&r, list);
	if (recognized)
		list = extend_loops(&r, rotate_loops(&r, list));
	list = reroll_list(&r, list);
	for (uint32_t i = 0; i < intern_count(r.runs); i++)
		free(r.found[i].item);
	free(r.found);
	intern_free(r.runs);
	return list;
}

struct tree_list reroll(
	struct tree_builder *b, struct pricing *pricing, struct tree_list list, const struct tree_context *context)
{
	if (!context)
		price_program(pricing, list);
	return reroll_below(b, pricing, list, context, true);
}

void reroll_procedures(struct tree_builder *b, struct pricing *pricing)
{
	for (size_t i = 0; i < b->procedures; i++)
		b->procedure[i]->body = reroll_below(b, pricing, b->procedure[i]->body, NULL, true);
}
