/*
 * digests.c -- polynomials modulo 2^61 - 1.
 */
#include "fold/digests.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/search.h"

/* ------------------------------------------------------------------ the field */

#define PRIME ((UINT64_C(1) << 61) - 1)

static const uint64_t base[DIGEST_ROWS] = {UINT64_C(0x12d8af4b3c6e5971), UINT64_C(0x0b7a3e9150c4f2d7)};

static uint64_t add(uint64_t a, uint64_t b)
{
	uint64_t sum = a + b;
	return sum >= PRIME ? sum - PRIME : sum;
}

static uint64_t multiply(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)a * b;
	return add((uint64_t)product & PRIME, (uint64_t)(product >> 61));
}

static uint64_t raise(uint64_t a, uint64_t exponent)
{
	uint64_t power = 1;
	for (; exponent; exponent >>= 1, a = multiply(a, a))
		if (exponent & 1)
			power = multiply(power, a);
	return power;
}

/* ------------------------------------------------------------------ sequences */

static const struct digest empty = {.power = {1, 1}};

static struct digest of_record(uint32_t record)
{
	struct digest d = {.length = 1};
	for (int i = 0; i < DIGEST_ROWS; i++) {
		d.value[i] = (uint64_t)record + 1;
		d.power[i] = base[i];
	}
	return d;
}

static struct digest join(const struct digest *a, const struct digest *b)
{
	struct digest d = {.length = a->length + b->length};
	for (int i = 0; i < DIGEST_ROWS; i++) {
		d.value[i] = add(multiply(a->value[i], b->power[i]), b->value[i]);
		d.power[i] = multiply(a->power[i], b->power[i]);
	}
	return d;
}

/* What stands behind `front` in `all`. */
static struct digest rest(const struct digest *all, const struct digest *front)
{
	struct digest d = {.length = all->length - front->length};
	for (int i = 0; i < DIGEST_ROWS; i++) {
		d.power[i] = raise(base[i], d.length);
		d.value[i] = add(all->value[i], PRIME - multiply(front->value[i], d.power[i]));
	}
	return d;
}

struct digest digest_repeat(struct digest d, uint64_t count)
{
	struct digest all = empty;
	for (; count; count >>= 1) {
		if (count & 1)
			all = join(&all, &d);
		d = join(&d, &d);
	}
	return all;
}

/* ------------------------------------------------------------------ nests */

/* The nodes of a body are older than its loop. */
static void know(struct digests *d)
{
	if (d->loops == d->nest->loops)
		return;
	d->body = mem_grow(d->body, &d->body_capacity, d->nest->loops, sizeof *d->body);
	d->before = mem_grow(d->before, &d->before_capacity, d->nest->items + 1, sizeof *d->before);
	while (d->loops < d->nest->loops) {
		const struct loop *l = &d->nest->loop[d->loops];
		struct digest sum = empty;
		for (size_t i = l->first; i < l->first + l->length; i++) {
			node n = d->nest->item[i];
			struct digest one = of_record(n);
			if (node_is_loop(n))
				one = digest_repeat(d->body[n & ~NODE_LOOP], nest_get(d->nest, n)->count);
			d->before[i] = sum;
			sum = join(&sum, &one);
		}
		assert(sum.length);
		d->body[d->loops++] = sum;
	}
}

void digests_clear(struct digests *d)
{
	free(d->body);
	free(d->before);
	*d = (struct digests){0};
}

struct digest digests_body(struct digests *d, node loop)
{
	know(d);
	return d->body[loop & ~NODE_LOOP];
}

uint64_t digests_period(struct digests *d, node loop)
{
	know(d);
	return d->body[loop & ~NODE_LOOP].length;
}

struct digest digests_of(struct digests *d, node n)
{
	return node_is_loop(n) ? digest_repeat(digests_body(d, n), nest_get(d->nest, n)->count) : of_record(n);
}

struct wanted_item {
	const struct digests *digests;
	uint64_t records;
};

static bool item_is_behind(const void *context, size_t i)
{
	const struct wanted_item *w = context;
	return w->digests->before[i].length > w->records;
}

/* The last item of the loop's body before which there are no more records than these. */
static size_t item_at(const struct digests *d, const struct loop *l, uint64_t records)
{
	struct wanted_item w = {d, records};
	return search_first(l->first + 1, l->first + l->length, item_is_behind, &w) - 1;
}

/* The first records of a loop that goes on for ever. */
static struct digest front(const struct digests *d, node loop, uint64_t records)
{
	struct digest sum = empty;
	while (records) {
		const struct loop *l = nest_get(d->nest, loop);
		const struct digest *body = &d->body[loop & ~NODE_LOOP];
		struct digest whole = digest_repeat(*body, records / body->length);
		size_t item = item_at(d, l, records % body->length);
		sum = join(&sum, &whole);
		sum = join(&sum, &d->before[item]);
		records = records % body->length - d->before[item].length;
		loop = d->nest->item[item];
	}
	return sum;
}

struct digest digests_part(struct digests *d, node loop, uint64_t from, uint64_t length)
{
	know(d);
	struct digest skipped = front(d, loop, from), all = front(d, loop, from + length);
	return rest(&all, &skipped);
}
