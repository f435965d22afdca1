/*
 * strand.c -- loops of one process: made, compared, measured and cut.
 *
 * A loop is never changed. Cutting makes new ones, and what was not cut through is shared.
 * Measuring costs the text of a body, never its iterations: inner loops are stepped over by
 * multiplication, and entered only where the measure ends.
 */
#include "merge/strand.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/binary_search.h"
#include "base/hash.h"

struct pool {
	pthread_mutex_t lock;
	struct arena *arena;
};

struct pool *pool_new(void)
{
	struct pool *p = mem_alloc(sizeof *p);
	pthread_mutex_init(&p->lock, NULL);
	p->arena = arena_new();
	return p;
}

void *pool_alloc(struct pool *p, size_t size)
{
	pthread_mutex_lock(&p->lock);
	void *data = arena_alloc(p->arena, size);
	pthread_mutex_unlock(&p->lock);
	return data;
}

void pool_free(struct pool *p)
{
	if (!p)
		return;
	pthread_mutex_destroy(&p->lock);
	arena_free(p->arena);
	free(p);
}

/* ------------------------------------------------------------------ making */

void strand_add(struct strand *s, struct item i)
{
	*MEM_PUSH(s->item, s->length, s->capacity) = i;
}

void strand_add_all(struct strand *s, const struct item *item, size_t length)
{
	if (!length)
		return;
	s->item = mem_grow(s->item, &s->capacity, s->length + length, sizeof *s->item);
	memcpy(s->item + s->length, item, length * sizeof *item);
	s->length += length;
}

/* ------------------------------------------------------------------ numbers that advance */

static bool step_is_none(struct number_step s)
{
	return !s.number && !s.peer;
}

static size_t numbers_size(uint32_t depth)
{
	return sizeof(struct numbers) + depth * sizeof(struct number_step);
}

static int64_t on_ring(int64_t rank, uint32_t ring)
{
	return ring ? (rank % ring + ring) % ring : rank;
}

const struct numbers *numbers_keep(const struct loop_context *c, const struct numbers *n)
{
	uint32_t depth = n->depth;
	while (depth && step_is_none(n->by[depth - 1]))
		depth--;
	struct numbers *kept = pool_alloc(c->pool, numbers_size(depth));
	memcpy(kept, n, numbers_size(depth));
	kept->peer = on_ring(n->peer, n->ring);
	kept->depth = depth;
	return kept;
}

static bool numbers_equal(const struct numbers *a, const struct numbers *b)
{
	return a == b || (a && b && a->depth == b->depth && !memcmp(a, b, numbers_size(a->depth)));
}

static uint32_t item_reach(const struct item *i)
{
	return i->loop ? i->loop->reach : i->numbers ? i->numbers->depth : 0;
}

/* What becomes of the index of a loop around: a constant k; k more; k times that of a further loop,
   around it, and that. Or it goes, and the index of the next loop around, which has as many
   iterations as one of that takes k, counts all. */
enum change { FIX, SHIFT, BLOCK, JOIN };

static const struct numbers *numbers_changed(
	const struct loop_context *c, const struct numbers *old, uint32_t level, enum change change, int64_t k)
{
	struct numbers *n = mem_alloc(numbers_size(old->depth + 1));
	struct number_step step = old->by[level];
	memcpy(n, old, numbers_size(old->depth));
	if (change == FIX || change == SHIFT) {
		n->number += step.number * k;
		n->peer += step.peer * k;
	}
	if (change == FIX) {
		memmove(n->by + level, old->by + level + 1, (old->depth - level - 1) * sizeof step);
		n->depth--;
	} else if (change == BLOCK) {
		memcpy(n->by + level + 1, old->by + level, (old->depth - level) * sizeof step);
		n->by[level + 1] = (struct number_step){step.number * k, step.peer * k};
		n->depth++;
	} else if (change == JOIN && level + 1 < old->depth) {
		memmove(n->by + level + 1, old->by + level + 2, (old->depth - level - 2) * sizeof step);
		n->depth--;
	}
	const struct numbers *kept = numbers_keep(c, n);
	free(n);
	return kept;
}

static struct item item_changed(
	const struct loop_context *c, const struct item *i, uint32_t level, enum change change, int64_t k)
{
	struct item changed = *i;
	if (item_reach(i) <= level)
		return changed;
	if (!i->loop) {
		changed.numbers = numbers_changed(c, i->numbers, level, change, k);
		return changed;
	}
	struct item *body = mem_array(i->loop->length, sizeof *body);
	for (uint32_t j = 0; j < i->loop->length; j++)
		body[j] = item_changed(c, &i->loop->body[j], level + 1, change, k);
	changed.loop = strand_loop_new(c, i->loop->count, body, i->loop->length);
	free(body);
	return changed;
}

static void add_changed(struct strand *s, const struct loop_context *c, const struct item *body, size_t length,
	enum change change, int64_t k)
{
	for (size_t i = 0; i < length; i++)
		strand_add(s, item_changed(c, &body[i], 0, change, k));
}

void strand_add_iteration(
	struct strand *s, const struct loop_context *c, const struct item *body, size_t length, int64_t k)
{
	add_changed(s, c, body, length, FIX, k);
}

void strand_add_shifted(
	struct strand *s, const struct loop_context *c, const struct item *body, size_t length, int64_t k)
{
	add_changed(s, c, body, length, SHIFT, k);
}

void strand_add_blocked(
	struct strand *s, const struct loop_context *c, const struct item *body, size_t length, uint64_t inner)
{
	add_changed(s, c, body, length, BLOCK, (int64_t)inner);
}

/* Do the numbers go on where the loop at this level, of `count` iterations, ends and begins anew in
   the next one? */
static bool goes_on(const struct item *i, uint32_t level, int64_t count)
{
	if (item_reach(i) <= level)
		return true;
	for (uint32_t j = 0; i->loop && j < i->loop->length; j++)
		if (!goes_on(&i->loop->body[j], level + 1, count))
			return false;
	if (i->loop)
		return true;
	struct number_step step = i->numbers->by[level], next = {0, 0};
	if (level + 1 < i->numbers->depth)
		next = i->numbers->by[level + 1];
	return next.number == count * step.number && !on_ring(next.peer - count * step.peer, i->numbers->ring);
}

static bool body_goes_on(const struct strand_loop *l)
{
	for (uint32_t j = 0; j < l->length; j++)
		if (!goes_on(&l->body[j], 0, (int64_t)l->count))
			return false;
	return true;
}

void strand_add_loop(
	struct strand *s, const struct loop_context *c, uint64_t count, const struct item *body, size_t length)
{
	if (!count || !length)
		return;
	if (count == 1) {
		strand_add_iteration(s, c, body, length, 0);
	} else if (length == 1 && body->loop && body_goes_on(body->loop)) {
		struct strand inside = {0};
		add_changed(&inside, c, body->loop->body, body->loop->length, JOIN, 0);
		strand_add(s, (struct item){.loop = strand_loop_new(
						    c, count * body->loop->count, inside.item, inside.length)});
		free(inside.item);
	} else {
		strand_add(s, (struct item){.loop = strand_loop_new(c, count, body, length)});
	}
}

/* ------------------------------------------------------------------ loops */

static int by_side(const void *a, const void *b)
{
	const struct flow *x = a, *y = b;
	return (x->side > y->side) - (x->side < y->side);
}

/* The flow of a body: the sum over its constructs, gathered and sorted. */
static uint32_t body_flow(
	const struct loop_context *c, const struct item *body, size_t length, const struct flow **result)
{
	size_t gathered = 0;
	for (size_t i = 0; i < length; i++)
		gathered += body[i].loop ? body[i].loop->flows : 1;
	struct flow *all = mem_array(gathered, sizeof *all);
	size_t n = 0;
	for (size_t i = 0; i < length; i++) {
		const struct strand_loop *inner = body[i].loop;
		if (!inner && c->side_of[body[i].event] != NO_SIDE)
			all[n++] = (struct flow){c->side_of[body[i].event], 1};
		for (uint32_t k = 0; inner && k < inner->flows; k++)
			all[n++] = (struct flow){inner->flow[k].side, inner->flow[k].count * inner->count};
	}
	qsort(all, n, sizeof *all, by_side);
	size_t kept = 0;
	for (size_t i = 0; i < n; i++)
		if (kept && all[kept - 1].side == all[i].side)
			all[kept - 1].count += all[i].count;
		else
			all[kept++] = all[i];
	struct flow *stored = pool_alloc(c->pool, kept * sizeof *stored);
	memcpy(stored, all, kept * sizeof *stored);
	free(all);
	*result = stored;
	return (uint32_t)kept;
}

static uint64_t item_hash(const struct item *i)
{
	if (i->loop)
		return hash_pair(i->loop->hash, i->loop->count);
	uint64_t hash = hash_mix(i->event + UINT64_C(1));
	return i->numbers ? hash_pair(hash, hash_bytes(i->numbers, numbers_size(i->numbers->depth))) : hash;
}

const struct strand_loop *strand_loop_new(
	const struct loop_context *c, uint64_t count, const struct item *body, size_t length)
{
	struct strand_loop *l = pool_alloc(c->pool, sizeof *l);
	struct item *copy = pool_alloc(c->pool, length * sizeof *copy);
	*l = (struct strand_loop){.count = count, .constructs = 1, .body = copy, .length = (uint32_t)length};
	for (size_t i = 0; i < length; i++) {
		copy[i] = (struct item){.loop = body[i].loop, .event = body[i].event};
		if (!body[i].loop)
			copy[i].numbers = body[i].numbers;
		l->reach = item_reach(&body[i]) > l->reach + 1 ? item_reach(&body[i]) - 1 : l->reach;
		l->events += item_events(&body[i]);
		l->constructs += item_constructs(&body[i]);
		l->hash = hash_pair(l->hash, item_hash(&body[i]));
	}
	l->flows = body_flow(c, copy, length, &l->flow);
	return l;
}

static bool item_equal(const struct item *a, const struct item *b)
{
	if (a->loop == b->loop)
		return a->loop || (a->event == b->event && numbers_equal(a->numbers, b->numbers));
	if (!a->loop || !b->loop || a->loop->hash != b->loop->hash || a->loop->count != b->loop->count ||
		a->loop->length != b->loop->length)
		return false;
	return items_equal(a->loop->body, b->loop->body, a->loop->length);
}

bool items_equal(const struct item *a, const struct item *b, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (!item_equal(&a[i], &b[i]))
			return false;
	return true;
}

/* ------------------------------------------------------------------ measuring */

uint32_t loop_flow_index(const struct strand_loop *l, uint32_t side)
{
	size_t at;
	SEARCH_FIRST(at, 0, l->flows, l->flow[at].side >= side);
	return at < l->flows && l->flow[at].side == side ? (uint32_t)at : UINT32_MAX;
}

uint64_t loop_flow(const struct strand_loop *l, uint32_t side)
{
	uint32_t at = loop_flow_index(l, side);
	return at == UINT32_MAX ? 0 : l->flow[at].count;
}

static void add_flow(
	const struct strand_loop *whole, const struct strand_loop *part, uint64_t iterations, uint64_t *sums)
{
	for (uint32_t k = 0; iterations && k < part->flows; k++)
		sums[loop_flow_index(whole, part->flow[k].side)] += iterations * part->flow[k].count;
}

static void prefix(const struct strand_loop *whole, const struct loop_context *c, const struct item *body,
	uint64_t events, uint64_t *sums)
{
	for (const struct item *i = body; events; i++) {
		uint64_t size = item_events(i);
		if (!i->loop) {
			if (c->side_of[i->event] != NO_SIDE)
				sums[loop_flow_index(whole, c->side_of[i->event])]++;
		} else if (size <= events) {
			add_flow(whole, i->loop, i->loop->count, sums);
		} else {
			add_flow(whole, i->loop, events / i->loop->events, sums);
			prefix(whole, c, i->loop->body, events % i->loop->events, sums);
			return;
		}
		events -= size;
	}
}

void loop_prefix(const struct strand_loop *l, const struct loop_context *c, uint64_t events, uint64_t *sums)
{
	prefix(l, c, l->body, events, sums);
}

uint64_t loop_position(const struct strand_loop *l, const struct loop_context *c, uint32_t side, uint64_t n)
{
	uint64_t each = loop_flow(l, side), events = (n - 1) / each * l->events;
	n = (n - 1) % each + 1;
	for (const struct item *i = l->body;; i++) {
		uint64_t here = i->loop ? i->loop->count * loop_flow(i->loop, side) : c->side_of[i->event] == side;
		if (here >= n)
			return events + (i->loop ? loop_position(i->loop, c, side, n) : 1);
		n -= here;
		events += item_events(i);
	}
}

/* ------------------------------------------------------------------ cutting */

/* The iterations of a loop from the k-th on. */
static void add_rest(struct strand *s, const struct loop_context *c, const struct strand_loop *l, uint64_t k)
{
	struct strand body = {0};
	strand_add_shifted(&body, c, l->body, l->length, (int64_t)k);
	strand_add_loop(s, c, l->count - k, body.item, body.length);
	free(body.item);
}

void body_cut(const struct loop_context *c, const struct item *body, size_t length, uint64_t events, struct strand *a,
	struct strand *b)
{
	size_t i = 0;
	for (; i < length && item_events(&body[i]) <= events; i++)
		events -= item_events(&body[i]);
	strand_add_all(a, body, i);
	if (events) {
		const struct strand_loop *l = body[i++].loop;
		uint64_t whole = events / l->events, rest = events % l->events;
		struct strand last = {0};
		strand_add_loop(a, c, whole, l->body, l->length);
		if (rest) {
			strand_add_iteration(&last, c, l->body, l->length, (int64_t)whole);
			body_cut(c, last.item, last.length, rest, a, b);
		}
		add_rest(b, c, l, whole + (rest > 0));
		free(last.item);
	}
	strand_add_all(b, body + i, length - i);
}
