/*
 * cover.c -- greedy set cover over rows of bits.
 *
 * What a candidate explains of what is left never grows, so its gain when it was last counted is a
 * bound: only those whose bound is the highest are counted again.
 */
#include "fold/cover.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Larger solutions are not looked over again. */
#define REVISED 16

void cover_start(struct cover *c, size_t items)
{
	*c = (struct cover){.items = items, .words = (items + 63) / 64};
}

void cover_clear(struct cover *c)
{
	free(c->bits);
	free(c->cost);
	*c = (struct cover){0};
}

uint32_t cover_add(struct cover *c, uint32_t cost)
{
	if (c->candidates == c->capacity) {
		c->capacity = c->capacity ? 2 * c->capacity : 16;
		c->bits = mem_resize(c->bits, c->capacity * c->words, sizeof *c->bits);
		c->cost = mem_resize(c->cost, c->capacity, sizeof *c->cost);
	}
	memset(c->bits + c->candidates * c->words, 0, c->words * sizeof *c->bits);
	c->cost[c->candidates] = cost;
	return c->candidates++;
}

bool cover_has(const struct cover *c, uint32_t candidate, size_t item)
{
	return c->bits[candidate * c->words + item / 64] >> item % 64 & 1;
}

static size_t gain(const struct cover *c, uint32_t candidate, const uint64_t *left)
{
	const uint64_t *row = c->bits + candidate * c->words;
	size_t count = 0;
	for (size_t w = 0; w < c->words; w++)
		count += (size_t)__builtin_popcountll(row[w] & left[w]);
	return count;
}

static void fill_left(const struct cover *c, uint64_t *left)
{
	memset(left, 0xff, c->words * sizeof *left);
	if (c->items % 64)
		left[c->words - 1] = (UINT64_C(1) << c->items % 64) - 1;
}

static bool promises_more(const struct cover *c, const size_t *bound, uint32_t x, uint32_t y)
{
	return bound[x] != bound[y] ? bound[x] > bound[y] : c->cost[x] < c->cost[y];
}

/* The candidate that explains most of what is left; c->candidates: none explains any. */
static uint32_t find_best(const struct cover *c, size_t *bound, const uint64_t *left)
{
	for (;;) {
		uint32_t best = c->candidates;
		for (uint32_t k = 0; k < c->candidates; k++)
			if (bound[k] && (best == c->candidates || promises_more(c, bound, k, best)))
				best = k;
		if (best == c->candidates)
			return best;
		size_t own = gain(c, best, left);
		if (own == bound[best])
			return best;
		bound[best] = own;
	}
}

/* whole: what each explains of all. */
static uint32_t choose(const struct cover *c, const size_t *whole, const bool *banned, uint64_t *left, uint32_t *chosen)
{
	size_t *bound = mem_array(c->candidates, sizeof *bound);
	uint32_t count = 0, best;
	fill_left(c, left);
	for (uint32_t k = 0; k < c->candidates; k++)
		bound[k] = banned[k] ? 0 : whole[k];
	while ((best = find_best(c, bound, left)) < c->candidates) {
		chosen[count++] = best;
		for (size_t w = 0; w < c->words; w++)
			left[w] &= ~c->bits[best * c->words + w];
	}
	free(bound);
	return count;
}

static bool is_empty(const struct cover *c, const uint64_t *left, const uint64_t *but)
{
	for (size_t w = 0; w < c->words; w++)
		if (left[w] & ~but[w])
			return false;
	return true;
}

uint32_t cover_choose(const struct cover *c, uint32_t *chosen, uint64_t *left)
{
	uint64_t *rest = mem_array(c->words, sizeof *rest);
	bool *banned = mem_zero(c->candidates + 1);
	uint32_t *other = mem_array(c->candidates, sizeof *other);
	size_t *whole = mem_array(c->candidates, sizeof *whole);
	fill_left(c, left);
	for (uint32_t k = 0; k < c->candidates; k++)
		whole[k] = gain(c, k, left);
	uint32_t count = choose(c, whole, banned, left, chosen);
	for (uint32_t i = 0; i < count && count <= REVISED; i++) {
		uint32_t without = chosen[i];
		banned[without] = true;
		uint32_t fewer = choose(c, whole, banned, rest, other);
		if (fewer < count && is_empty(c, rest, left)) {
			memcpy(chosen, other, fewer * sizeof *chosen);
			count = fewer;
			i = UINT32_MAX; /* from the start again */
		} else {
			banned[without] = false;
		}
	}
	free(rest);
	free(banned);
	free(other);
	free(whole);
	return count;
}
