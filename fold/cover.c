/*
 * cover.c -- greedy set cover over rows of bits.
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

static uint32_t choose(const struct cover *c, const bool *banned, uint64_t *left, uint32_t *chosen)
{
	uint32_t count = 0;
	fill_left(c, left);
	for (;;) {
		size_t best_gain = 0;
		uint32_t best = 0;
		for (uint32_t k = 0; k < c->candidates; k++) {
			if (banned[k])
				continue;
			size_t g = gain(c, k, left);
			if (g > best_gain || (g && g == best_gain && c->cost[k] < c->cost[best])) {
				best_gain = g;
				best = k;
			}
		}
		if (!best_gain)
			return count;
		chosen[count++] = best;
		for (size_t w = 0; w < c->words; w++)
			left[w] &= ~c->bits[best * c->words + w];
	}
}

static size_t count_left(const struct cover *c, const uint64_t *left)
{
	size_t count = 0;
	for (size_t w = 0; w < c->words; w++)
		count += (size_t)__builtin_popcountll(left[w]);
	return count;
}

uint32_t cover_choose(const struct cover *c, uint32_t *chosen, size_t *left)
{
	uint64_t *rest = mem_array(c->words, sizeof *rest);
	bool *banned = mem_zero(c->candidates + 1);
	uint32_t *other = mem_array(c->candidates, sizeof *other);
	uint32_t count = choose(c, banned, rest, chosen);
	*left = count_left(c, rest);
	for (uint32_t i = 0; i < count && count <= REVISED; i++) {
		uint32_t without = chosen[i];
		banned[without] = true;
		uint32_t fewer = choose(c, banned, rest, other);
		if (fewer < count && count_left(c, rest) == *left) {
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
	return count;
}
