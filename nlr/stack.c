/*
 * stack.c -- a stack of terms with linear fingerprints.
 *
 * Three sequences of equal patterns form a loop when their numbers advance: a - 2b + c = 0 for
 * each. A fingerprint that is a linear function of the numbers (modulo 2^64, which wrapping
 * arithmetic is) keeps that, whatever the numbers are: if it holds for all of them it holds for the
 * fingerprint, and hardly ever otherwise. Adding a random salt per pattern takes the patterns in,
 * since s - 2s + s = 0. And a polynomial of fingerprints is linear too, so a triple of any length
 * is tested in constant time by prefix hashes.
 *
 * To find the length L, the fingerprint of the last 8 terms is tested against those L and 2L below
 * for each L from 8 to 23: 32 bits of them stand in an array by height and, for those 2L below, in
 * two arrays of the even and the odd heights, so that both are read in order and many at a time.
 *
 * Longer bodies: the last 16 patterns must come again L below. Heights that end in the same 16
 * patterns are chained; the nearest 64 in the chain are tested. Where so many have the same
 * patterns, there is little in them to tell bodies apart, and all lengths are tried at every eighth
 * height: a long body without a shape of its own is found at most 7 terms late.
 *
 * again[] bounds how many patterns up to a height stand further down as well: one more than at the
 * height below, and fewer than 16 where the last 16 are new. Two copies of a body are that many at
 * least. So behind something new only short bodies are looked for.
 *
 * Whatever fingerprints say is verified number by number: they decide on time, never on results.
 */
#include "nlr/stack.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "nlr/lanes.h"

#define NUMBER_BASE UINT64_C(0x9fb21c651e98df25)
#define TERM_BASE UINT64_C(0xd6e8feb86659fd93)
#define BLOCK 16 /* lengths looked at together */
#define GRAM 8 /* terms */
#define SHORT (GRAM + BLOCK - 1) /* lengths up to here are all tried */
#define KINDS 16 /* patterns that must come again for longer ones */
#define CHAIN 64
#define THOROUGH 8 /* heights divisible by this try all lengths */
#define FIRST_CAPACITY 64

static uint64_t range_hash(const struct stack *p, const uint64_t *hash, size_t from, size_t length)
{
	return hash[from + length] - hash[from] * p->power[length];
}

static uint32_t *bucket_of(const struct stack *p, uint64_t kinds)
{
	return &p->bucket[(kinds ^ kinds >> 32) & (p->capacity - 1)];
}

/* The nearest place below that ends in the same patterns: 1 + place, or 0. */
static uint32_t nearest_alike(const struct stack *p, uint32_t below, uint64_t kinds)
{
	while (below && p->kinds[below - 1] != kinds)
		below = p->previous[below - 1];
	return below;
}

/* The place joins those that end in the same patterns. */
static void chain(struct stack *p, size_t at)
{
	p->kinds[at] = range_hash(p, p->kind_hash, at + 1 - KINDS, KINDS);
	uint32_t *bucket = bucket_of(p, p->kinds[at]);
	p->previous[at] = *bucket;
	*bucket = (uint32_t)at + 1;
}

static void count_again(struct stack *p, size_t at)
{
	p->again[at + 1] = p->again[at] + 1;
	if (at + 1 >= KINDS && p->again[at + 1] >= KINDS && !nearest_alike(p, p->previous[at], p->kinds[at]))
		p->again[at + 1] = KINDS - 1;
}

static void unchain(struct stack *p, size_t at)
{
	*bucket_of(p, p->kinds[at]) = p->previous[at];
}

static void set_capacity(struct stack *p, size_t capacity)
{
	p->term = mem_resize(p->term, capacity, sizeof *p->term);
	p->hash = mem_resize(p->hash, capacity + 1, sizeof *p->hash);
	p->power = mem_resize(p->power, capacity + 1, sizeof *p->power);
	p->print = mem_resize(p->print, capacity, sizeof *p->print);
	p->gram = mem_resize(p->gram, capacity, sizeof *p->gram);
	p->half[0] = mem_resize(p->half[0], capacity / 2, sizeof *p->half[0]);
	p->half[1] = mem_resize(p->half[1], capacity / 2, sizeof *p->half[1]);
	p->kind_hash = mem_resize(p->kind_hash, capacity + 1, sizeof *p->kind_hash);
	p->kind = mem_resize(p->kind, capacity, sizeof *p->kind);
	p->kind_gram = mem_resize(p->kind_gram, capacity, sizeof *p->kind_gram);
	p->loop_below = mem_resize(p->loop_below, capacity, sizeof *p->loop_below);
	p->kinds = mem_resize(p->kinds, capacity, sizeof *p->kinds);
	p->previous = mem_resize(p->previous, capacity, sizeof *p->previous);
	p->again = mem_resize(p->again, capacity + 1, sizeof *p->again);
	free(p->bucket);
	p->bucket = mem_zero(capacity * sizeof *p->bucket);
	p->power[0] = 1;
	for (size_t i = 0; i < capacity; i++)
		p->power[i + 1] = p->power[i] * TERM_BASE;
	p->capacity = capacity;
	for (size_t at = KINDS; at <= p->height; at++)
		chain(p, at - 1);
}

struct stack *stack_new(size_t longest, unsigned repetitions, bool plain)
{
	struct stack *p = mem_zero(sizeof *p);
	p->longest = longest;
	p->repetitions = repetitions;
	p->plain = plain;
	set_capacity(p, FIRST_CAPACITY);
	p->hash[0] = p->kind_hash[0] = 0;
	p->again[0] = 0;
	return p;
}

void stack_free(struct stack *p)
{
	if (!p)
		return;
	free(p->term);
	free(p->number);
	free(p->hash);
	free(p->power);
	free(p->print);
	free(p->half[0]);
	free(p->half[1]);
	free(p->kind_hash);
	free(p->kind);
	free(p->kind_gram);
	free(p->loop_below);
	free(p->gram);
	free(p->kinds);
	free(p->previous);
	free(p->again);
	free(p->bucket);
	free(p);
}

void stack_top_changed(struct stack *p)
{
	size_t at = p->height - 1;
	const struct stack_term *top = &p->term[at];
	const int64_t *number = p->number + top->first;
	uint64_t print = 0;
	for (size_t i = 0; i < top->pattern->numbers; i++)
		print = print * NUMBER_BASE + (uint64_t)number[i];
	print = print * NUMBER_BASE + top->pattern->salt;
	p->hash[at + 1] = p->hash[at] * TERM_BASE + print;
	p->print[at] = (uint32_t)print;
	p->gram[at] = p->half[at & 1][at >> 1] =
		at + 1 < GRAM ? 0 : (uint32_t)range_hash(p, p->hash, at + 1 - GRAM, GRAM);
}

static void index_top(struct stack *p)
{
	size_t at = p->height - 1;
	const struct pattern *s = p->term[at].pattern;
	p->kind_hash[at + 1] = p->kind_hash[at] * TERM_BASE + s->salt;
	p->kind[at] = (uint32_t)s->salt;
	p->kind_gram[at] = at + 1 < GRAM ? 0 : (uint32_t)range_hash(p, p->kind_hash, at + 1 - GRAM, GRAM);
	p->loop_below[at] = pattern_is_loop(s) ? (uint32_t)at + 1 : at ? p->loop_below[at - 1] : 0;
	if (at + 1 >= KINDS)
		chain(p, at);
	count_again(p, at);
	stack_top_changed(p);
}

void stack_push(struct stack *p, const struct pattern *s, const int64_t *number)
{
	if (p->height == p->capacity)
		set_capacity(p, 2 * p->capacity);
	if (p->numbers + s->numbers >= p->number_capacity)
		p->number = mem_grow(p->number, &p->number_capacity, p->numbers + s->numbers + 1, sizeof *p->number);
	if (s->numbers)
		memcpy(p->number + p->numbers, number, s->numbers * sizeof *number);
	p->term[p->height++] = (struct stack_term){s, p->numbers};
	p->numbers += s->numbers;
	index_top(p);
}

void stack_truncate(struct stack *p, size_t height)
{
	assert(height <= p->height);
	if (height < p->height)
		p->numbers = p->term[height].first;
	for (; p->height > height; p->height--)
		if (p->height >= KINDS)
			unchain(p, p->height - 1);
}

static void lower(uint32_t *number, size_t length, uint32_t least, uint32_t by)
{
	for (size_t i = 0; i < length; i++)
		number[i] = number[i] > by + least ? number[i] - by : 0;
}

static void lower_terms(struct stack *p, size_t count)
{
	size_t from = count < p->height ? p->term[count].first : p->numbers;
	p->numbers -= from;
	if (p->numbers)
		memmove(p->number, p->number + from, p->numbers * sizeof *p->number);
	p->height -= count;
	memmove(p->term, p->term + count, p->height * sizeof *p->term);
	for (size_t i = 0; i < p->height; i++)
		p->term[i].first -= from;
}

/* The index goes down with the terms: what fingerprints say of sequences does not depend on where
   they stand. */
void stack_forget(struct stack *p, size_t count)
{
	uint32_t by = (uint32_t)count;
	lower_terms(p, count);
	memmove(p->hash, p->hash + count, (p->height + 1) * sizeof *p->hash);
	memmove(p->kind_hash, p->kind_hash + count, (p->height + 1) * sizeof *p->kind_hash);
	memmove(p->again, p->again + count, (p->height + 1) * sizeof *p->again);
	memmove(p->print, p->print + count, p->height * sizeof *p->print);
	memmove(p->gram, p->gram + count, p->height * sizeof *p->gram);
	memmove(p->kind, p->kind + count, p->height * sizeof *p->kind);
	memmove(p->kind_gram, p->kind_gram + count, p->height * sizeof *p->kind_gram);
	memmove(p->loop_below, p->loop_below + count, p->height * sizeof *p->loop_below);
	memmove(p->kinds, p->kinds + count, p->height * sizeof *p->kinds);
	memmove(p->previous, p->previous + count, p->height * sizeof *p->previous);
	for (size_t i = 0; i < p->height; i++)
		p->half[i & 1][i >> 1] = p->gram[i];
	lower(p->loop_below, p->height, 0, by);
	lower(p->previous, p->height, KINDS - 1, by); /* the lowest ones end in too few patterns */
	lower(p->bucket, p->capacity, KINDS - 1, by);
}

/* ------------------------------------------------------------------ what the top repeats */

static bool same_skeletons(const struct stack *p, size_t a, size_t b, size_t length)
{
	for (size_t i = length; i-- > 0;)
		if (p->term[a + i].pattern != p->term[b + i].pattern)
			return false;
	return true;
}

/* Do the numbers that begin at a, b and c advance? */
static bool advance(const int64_t *a, const int64_t *b, const int64_t *c, size_t numbers)
{
	for (size_t i = 0; i < numbers; i++) {
		int64_t step, again;
		if (__builtin_sub_overflow(b[i], a[i], &step) || __builtin_sub_overflow(c[i], b[i], &again) ||
			step != again)
			return false;
	}
	return true;
}

static bool repeats(const struct stack *p, size_t length)
{
	for (unsigned k = p->repetitions; k >= 3; k--) {
		size_t a = p->height - k * length, b = a + length, c = b + length;
		if (!same_skeletons(p, a, b, length) || !same_skeletons(p, b, c, length))
			return false;
		size_t numbers = p->term[b].first - p->term[a].first;
		if (!advance(stack_numbers(p, a), stack_numbers(p, b), stack_numbers(p, c), numbers))
			return false;
	}
	return true;
}

static bool seems_to_repeat(const struct stack *p, size_t length)
{
	size_t at = p->height - 3 * length;
	return range_hash(p, p->hash, at, length) - 2 * range_hash(p, p->hash, at + length, length) +
		       range_hash(p, p->hash, at + 2 * length, length) ==
	       0;
}

/* Is x a last word of a triple: its fingerprint against those L and 2L below? */
static bool advances(uint32_t x, uint32_t y, uint32_t z)
{
	return x - 2 * y + z == 0;
}

/* The next length, from this one (at least GRAM) up, for which the top may end a triple; beyond
   `longest` if none. */
static size_t next_advance(const struct stack *p, size_t length, size_t longest)
{
	size_t top = p->height - 1;
	const uint32_t *near = p->gram + top, *far = p->half[top & 1] + (top >> 1);
	uint32_t gram = *near;
	for (; length <= longest && 2 * (length + BLOCK - 1) <= top; length += BLOCK) {
		const uint32_t *x = near - length - (BLOCK - 1), *y = far - length - (BLOCK - 1);
		lanes hit = {0};
		for (int i = 0; i < BLOCK; i += LANES)
			hit |= (lanes)(lanes_load(y + i) - 2 * lanes_load(x + i) + gram == 0);
		if (lanes_any(&hit))
			break;
	}
	while (length <= longest && !advances(gram, *(near - length), *(far - length)))
		length++;
	return length;
}

static bool is_repeated(const struct stack *p, size_t length)
{
	return seems_to_repeat(p, length) && repeats(p, length);
}

static size_t find_repetition_from(const struct stack *p, size_t length, size_t longest)
{
	const uint32_t *top = p->print + p->height - 1;
	for (; length < GRAM && length <= longest; length++)
		if (advances(*top, *(top - length), *(top - 2 * length)) && is_repeated(p, length))
			return length;
	for (; (length = next_advance(p, length, longest)) <= longest; length++)
		if (is_repeated(p, length))
			return length;
	return 0;
}

/* Of three copies, the last terms advance, and the second ends in the patterns that the first ends
   in; for those that are longer than SHORT. */
static bool is_chained_repetition(const struct stack *p, size_t length)
{
	size_t top = p->height - 1, at = top - length;
	return advances(p->gram[top], p->gram[at], p->gram[at - length]) && p->kinds[at] == p->kinds[at - length] &&
	       is_repeated(p, length);
}

/* The nearest place that ends in the top's patterns, more than `above` below it: 1 + place, or 0.
   Along the chain, and from there down: what comes first. */
static uint32_t chained_below(const struct stack *p, size_t above)
{
	size_t top = p->height - 1, place = top - above;
	uint32_t at = p->previous[top];
	while (at && top - (at - 1) <= above) {
		if (place >= KINDS && p->kinds[--place] == p->kinds[top])
			return (uint32_t)place + 1;
		at = p->previous[at - 1];
	}
	return nearest_alike(p, at, p->kinds[top]);
}

/* Along the chain, for lengths greater than `above`: `test` says which length is the right one.
   *rest: where there were more than CHAIN, the least length not tried; else 0. */
static size_t find_chained(const struct stack *p, size_t above, size_t longest,
	bool (*test)(const struct stack *, size_t length), size_t *rest)
{
	size_t top = p->height - 1;
	unsigned tried = 0;
	*rest = 0;
	if (p->height < KINDS)
		return 0;
	for (uint32_t at = chained_below(p, above); at && top - (at - 1) <= longest;
		at = nearest_alike(p, p->previous[at - 1], p->kinds[top])) {
		size_t length = top - (at - 1);
		if (tried++ == CHAIN) {
			*rest = length;
			return 0;
		}
		if (test(p, length))
			return length;
	}
	return 0;
}

/* The same without fingerprints. */
static size_t find_plainly(const struct stack *p, size_t from, size_t longest,
	bool (*test)(const struct stack *, size_t length), bool thorough)
{
	unsigned tried = 0;
	for (size_t length = from; length <= longest; length++) {
		bool like = length <= SHORT || same_skeletons(p, p->height - KINDS, p->height - KINDS - length, KINDS);
		if (like && length > SHORT && tried++ >= CHAIN && !thorough)
			return 0;
		if (like && test(p, length))
			return length;
	}
	return 0;
}

/* The longest body that a loop of the top's could have. */
static size_t longest_repeated(const struct stack *p)
{
	size_t longest = p->plain ? p->longest : p->again[p->height] / 2;
	if (longest > p->longest)
		longest = p->longest;
	return longest * p->repetitions > p->height ? p->height / p->repetitions : longest;
}

size_t stack_find_repetition(const struct stack *p)
{
	size_t longest = longest_repeated(p);
	bool thorough = p->height % THOROUGH == 0;
	if (p->plain)
		return find_plainly(p, 1, longest, repeats, thorough);
	size_t found = find_repetition_from(p, 1, longest < SHORT ? longest : SHORT);
	if (found || longest <= SHORT)
		return found;
	size_t rest;
	found = find_chained(p, SHORT, longest, is_chained_repetition, &rest);
	return rest && thorough ? find_repetition_from(p, rest, longest) : found;
}

/* ------------------------------------------------------------------ pairs */

/* The next length, from this one up, at which the last patterns come again, GRAM of them or the
   top's; beyond `longest` if none. */
static size_t next_likeness(const struct stack *p, size_t length, size_t longest)
{
	const uint32_t *top = p->kind + p->height - 1;
	for (; length < GRAM && length <= longest; length++)
		if (*(top - length) == *top)
			return length;
	top = p->kind_gram + p->height - 1;
	for (; length + BLOCK - 1 <= longest; length += BLOCK) {
		const uint32_t *x = top - length - (BLOCK - 1);
		lanes hit = {0};
		for (int i = 0; i < BLOCK; i += LANES)
			hit |= (lanes)(lanes_load(x + i) == *top);
		if (lanes_any(&hit))
			break;
	}
	while (length <= longest && *(top - length) != *top)
		length++;
	return length;
}

static bool paired(const struct stack *p, size_t length)
{
	return same_skeletons(p, p->height - 2 * length, p->height - length, length);
}

/* The topmost loop, which is in the second copy, comes again in the first one. */
static bool is_paired(const struct stack *p, size_t length)
{
	size_t at = p->height - 2 * length, loop = p->loop_below[p->height - 1] - 1;
	return p->kind[loop] == p->kind[loop - length] &&
	       range_hash(p, p->kind_hash, at, length) == range_hash(p, p->kind_hash, at + length, length) &&
	       paired(p, length);
}

size_t stack_find_pair(const struct stack *p, size_t length)
{
	size_t longest = p->height / 2 < p->longest ? p->height / 2 : p->longest;
	if (!p->height || !p->loop_below[p->height - 1])
		return 0;
	size_t least = p->height + 1 - p->loop_below[p->height - 1];
	size_t rest;
	length = length + 1 < least ? least : length + 1;
	if (p->plain)
		return find_plainly(p, length, longest, paired, false);
	if (longest > p->again[p->height])
		longest = p->again[p->height];
	if (length > longest)
		return 0;
	size_t near = longest < SHORT ? longest : SHORT;
	for (; (length = next_likeness(p, length, near)) <= near; length++)
		if (is_paired(p, length))
			return length;
	return longest <= SHORT ? 0 : find_chained(p, length - 1, longest, is_paired, &rest);
}
