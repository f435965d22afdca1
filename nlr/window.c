/*
 * window.c -- a stack of terms with two indexes, both undone by popping.
 *
 * Copies of bodies. Let H(i) be the hash of the terms below height i. If the loop at p is followed by a copy of its body, the
 * window's hash becomes E(p) = H(p+1) * base^length + hash(body), known as soon as the loop stands there. A table of the E finds
 * the loop that the top completes in one look, whatever the number and the length of the bodies that may come.
 *
 * Repetitions. What ends in r copies of a sequence of length L ends in the same k-gram at heights n and n - L, for any k <= (r-1) L. Short
 * lengths are tried one by one. Lengths from k to 4k - 1, k = 8, 32, 128, ..., are read off a table of k-grams that chains the heights
 * at which a gram ends; a candidate is tested by two hashes. Chains are short: occurrences of a k-gram at distances below 4k lie
 * a period of the gram apart, and a period of k/r or less were a repetition, which would have been taken before. So there are at most
 * about 4r of them, for any input, and a push costs O(log height).
 *
 * Mostly it costs less: a height enters the table of longer grams only if its shorter gram had come before. That leaves out just the
 * first height of each gram, its origin, so the heights that end in the same k-gram are those in the chain and the origin of
 * the next shorter gram; where a gram has no origin but itself, no longer gram comes again.
 *
 * Whatever hashes say is verified term by term: they decide on time, never on results.
 */
#include "nlr/window.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define SHORT 8 /* lengths below are tried one by one */
#define STEP 4
#define GRAMS 16
#define FIRST_CAPACITY 64

struct link {
	uint32_t gram; /* 32 bits of the hash of the gram that ends at this height */
	uint32_t origin; /* the least height where the same gram ends */
	uint32_t previous; /* the next lower height in the bucket, 0 for none */
};

struct grams {
	size_t length;
	uint32_t *bucket; /* by gram: the greatest height where one ends */
	struct link *link; /* by height */
};

static void free_index(struct window *w)
{
	for (unsigned i = 0; i < w->grams; i++) {
		free(w->gram[i].bucket);
		free(w->gram[i].link);
	}
	w->grams = 0;
	free(w->bucket);
}

static void add_grams(struct window *w, size_t length)
{
	struct grams *g = &w->gram[w->grams++];
	g->length = length;
	g->bucket = mem_zero(w->capacity * sizeof *g->bucket);
	g->link = mem_array(w->capacity + 1, sizeof *g->link);
}

static void set_capacity(struct window *w, size_t capacity)
{
	free_index(w);
	w->term = mem_resize(w->term, capacity + 1, sizeof *w->term); /* and a terminator */
	w->ticket = mem_resize(w->ticket, capacity, sizeof *w->ticket);
	w->hash = mem_resize(w->hash, capacity + 1, sizeof *w->hash);
	w->power = mem_resize(w->power, capacity + 1, sizeof *w->power);
	w->chains = mem_resize(w->chains, capacity + 1, sizeof *w->chains);
	w->expected = mem_resize(w->expected, capacity, sizeof *w->expected);
	w->below = mem_resize(w->below, capacity, sizeof *w->below);
	w->bucket = mem_zero(capacity * sizeof *w->bucket);
	w->hash[0] = 0;
	w->power[0] = 1;
	for (size_t i = 0; i < capacity; i++)
		w->power[i + 1] = hash_times(w->power[i], HASH_BASE);
	w->capacity = capacity;
	for (size_t length = SHORT; length <= w->longest && length * w->repetitions <= capacity; length *= STEP)
		add_grams(w, length);
}

struct window *window_new(unsigned repetitions, size_t longest, size_t limit)
{
	struct window *w = mem_zero(sizeof *w);
	w->repetitions = repetitions;
	w->longest = longest;
	w->limit = limit;
	w->gram = mem_array(GRAMS, sizeof *w->gram);
	set_capacity(w, FIRST_CAPACITY);
	return w;
}

void window_free(struct window *w)
{
	if (!w)
		return;
	free_index(w);
	free(w->gram);
	free(w->term);
	free(w->ticket);
	free(w->hash);
	free(w->power);
	free(w->chains);
	free(w->expected);
	free(w->below);
	free(w);
}

/* ------------------------------------------------------------------ hashes of what stands in the window */

static uint64_t range_hash(const struct window *w, size_t from, size_t to)
{
	return hash_reduce(w->hash[to] + HASH_PRIME - hash_times(w->hash[from], w->power[to - from]));
}

static uint32_t gram_of(uint64_t hash)
{
	return (uint32_t)(hash ^ hash >> 32);
}

static uint32_t gram_at(const struct window *w, size_t length, size_t height)
{
	return gram_of(range_hash(w, height - length, height));
}

void window_hash_top(struct window *w)
{
	w->hash[w->height] = hash_append(w->hash[w->height - 1], *window_top(w));
	w->looked_up = false;
}

/* ------------------------------------------------------------------ the index */

static uint32_t *loop_bucket(const struct window *w, uint64_t expected)
{
	return &w->bucket[(expected ^ expected >> 32) & (w->capacity - 1)];
}

static void index_loop(struct window *w, const struct forms *forms, size_t at)
{
	const struct form *form = forms_get(forms, w->term[at].id);
	w->expected[at] = hash_reduce(hash_times(w->hash[at + 1], w->power[form->length]) + form->hash);
	uint32_t *bucket = loop_bucket(w, w->expected[at]);
	w->below[at] = *bucket;
	*bucket = (uint32_t)at + 1;
	w->loops++;
}

static uint32_t *gram_bucket(const struct window *w, const struct grams *g, uint32_t gram)
{
	return &g->bucket[gram & (w->capacity - 1)];
}

/* The least indexed height where this gram ends; 0 if none. origin: that of the next shorter gram. */
static uint32_t find_origin(const struct window *w, const struct grams *g, uint32_t gram, uint32_t origin)
{
	for (uint32_t at = *gram_bucket(w, g, gram); at; at = g->link[at].previous)
		if (g->link[at].gram == gram)
			return g->link[at].origin;
	return origin >= g->length && gram_at(w, g->length, origin) == gram ? origin : 0;
}

/* Find out which of the bare top's grams came before. */
static void look_up(struct window *w)
{
	uint32_t height = (uint32_t)w->height, origin = 0;
	unsigned i = 0;
	while (i < w->grams && w->gram[i].length <= height && (!i || origin)) {
		struct grams *g = &w->gram[i++];
		uint32_t gram = gram_at(w, g->length, height);
		origin = find_origin(w, g, gram, origin);
		g->link[height] = (struct link){.gram = gram, .origin = origin ? origin : height};
	}
	w->chains[height] = (uint8_t)i;
	w->looked_up = true;
}

static void index_grams(struct window *w, uint32_t height)
{
	if (!w->looked_up)
		look_up(w);
	for (unsigned i = 0; i < w->chains[height]; i++) {
		struct link *link = &w->gram[i].link[height];
		uint32_t *bucket = gram_bucket(w, &w->gram[i], link->gram);
		link->previous = *bucket;
		*bucket = height;
	}
}

void window_index(struct window *w, const struct forms *forms)
{
	assert(w->indexed + 1 == w->height);
	w->indexed = w->height;
	if (term_is_loop(*window_top(w)))
		index_loop(w, forms, w->height - 1);
	index_grams(w, (uint32_t)w->height);
}

/* Only the greatest height can go: it heads all its chains. */
static void unindex(struct window *w)
{
	size_t height = w->indexed--;
	for (unsigned i = 0; i < w->chains[height]; i++)
		*gram_bucket(w, &w->gram[i], w->gram[i].link[height].gram) = w->gram[i].link[height].previous;
	if (term_is_loop(w->term[height - 1])) {
		*loop_bucket(w, w->expected[height - 1]) = w->below[height - 1];
		w->loops--;
	}
}

static void rebuild(struct window *w, const struct forms *forms)
{
	size_t height = w->height;
	w->loops = 0;
	w->indexed = 0;
	for (w->height = 1; w->height <= height; w->height++) {
		window_hash_top(w);
		window_index(w, forms);
	}
	w->height = height;
}

/* ------------------------------------------------------------------ a stack */

void window_push(struct window *w, struct term t)
{
	assert(w->indexed == w->height && w->height < w->limit);
	w->term[w->height++] = t;
	window_hash_top(w);
}

void window_bare(struct window *w)
{
	if (w->indexed == w->height)
		unindex(w);
}

void window_drop(struct window *w, size_t count)
{
	w->height -= count;
	while (w->indexed > w->height)
		unindex(w);
}

void window_reserve(struct window *w, const struct forms *forms)
{
	if (w->height < w->capacity)
		return;
	set_capacity(w, 2 * w->capacity);
	rebuild(w, forms);
}

void window_forget(struct window *w, const struct forms *forms, size_t count)
{
	w->height -= count;
	memmove(w->term, w->term + count, w->height * sizeof *w->term);
	memmove(w->ticket, w->ticket + count, w->height * sizeof *w->ticket);
	memset(w->bucket, 0, w->capacity * sizeof *w->bucket);
	for (unsigned i = 0; i < w->grams; i++)
		memset(w->gram[i].bucket, 0, w->capacity * sizeof *w->gram[i].bucket);
	rebuild(w, forms);
}

/* ------------------------------------------------------------------ what the top repeats */

static bool same_terms(const struct term *a, const struct term *b, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (!term_equal(a[i], b[i]))
			return false;
	return true;
}

size_t window_find_copy(const struct window *w, const struct forms *forms)
{
	if (!w->loops)
		return 0;
	uint64_t hash = w->hash[w->height];
	for (uint32_t at = *loop_bucket(w, hash); at; at = w->below[at - 1]) {
		if (w->expected[at - 1] != hash)
			continue;
		const struct form *form = forms_get(forms, w->term[at - 1].id);
		if (at + form->length == w->height && same_terms(w->term + at, form->term, form->length))
			return form->length;
	}
	return 0;
}

/* Do the topmost terms repeat those `length` below, long enough for all copies? Compared from the top, where they differ first. */
static bool repeats(const struct window *w, size_t length)
{
	const struct term *top = w->term + w->height;
	for (size_t i = 1; i <= (w->repetitions - 1) * length; i++)
		if (!term_equal(top[-i], top[-i - length]))
			return false;
	return true;
}

static bool seems_to_repeat(const struct window *w, size_t length)
{
	size_t overlap = (w->repetitions - 1) * length, height = w->height;
	return range_hash(w, height - overlap, height) == range_hash(w, height - overlap - length, height - length);
}

static bool is_repeated(const struct window *w, size_t length)
{
	return seems_to_repeat(w, length) && repeats(w, length);
}

static size_t find_short_repetition(const struct window *w, size_t longest)
{
	for (size_t length = 1; length < SHORT && length <= longest; length++)
		if (repeats(w, length))
			return length;
	return 0;
}

/* One of the lengths that this table is for; 0 if none. */
static size_t find_long_repetition(const struct window *w, const struct grams *g, size_t longest)
{
	const struct link *top = &g->link[w->height];
	for (uint32_t at = *gram_bucket(w, g, top->gram); at; at = g->link[at].previous) {
		size_t length = w->height - at;
		if (length >= STEP * g->length || length > longest)
			break;
		if (g->link[at].gram == top->gram && length >= g->length && is_repeated(w, length))
			return length;
	}
	size_t length = w->height - top->origin;
	return length >= g->length && length < STEP * g->length && length <= longest && is_repeated(w, length) ? length : 0;
}

size_t window_find_repetition(struct window *w)
{
	size_t longest = w->height / w->repetitions;
	if (longest > w->longest)
		longest = w->longest;
	size_t found = find_short_repetition(w, longest);
	if (found || longest < SHORT)
		return found;
	look_up(w);
	for (unsigned i = 0; !found && i < w->chains[w->height] && w->gram[i].length <= longest; i++)
		found = find_long_repetition(w, &w->gram[i], longest);
	return found;
}

/* Do the SHORT terms right below the top stand further down as well? */
static bool surroundings_known(const struct window *w)
{
	size_t below = w->height - 1;
	return below >= SHORT && w->chains[below] && w->gram->link[below].origin < below;
}

unsigned window_surroundings(const struct window *w)
{
	unsigned lengths = 0;
	size_t height = w->height;
	for (size_t length = 1; length <= SHORT && 2 * length <= height; length++)
		if (same_terms(w->term + height - length, w->term + height - 2 * length, length - 1))
			lengths |= 1u << length;
	return lengths | (w->grams && height >= SHORT && surroundings_known(w));
}

bool window_may_repeat(const struct window *w, struct term top, unsigned surroundings)
{
	size_t height = w->height;
	if (w->repetitions < 3)
		return true;
	for (unsigned lengths = surroundings >> 1, length = 1; lengths; lengths >>= 1, length++)
		if ((lengths & 1) && term_equal(w->term[height - 1 - length], top))
			return true;
	if (!(surroundings & 1))
		return false;
	size_t below = height - SHORT;
	uint64_t hash = hash_append(w->hash[height - 1], top);
	hash = hash_reduce(hash + HASH_PRIME - hash_times(w->hash[below], w->power[SHORT]));
	uint32_t origin = find_origin(w, w->gram, gram_of(hash), 0);
	return origin && origin < height;
}
