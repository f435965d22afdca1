/*
 * window.c -- a stack of terms with two indexes, both undone by popping.
 *
 * Copies of bodies. A copy of the body of the loop at p can only be complete at height p + 1 + the
 * length of the body. So there is a list, by height, of the loops that are due; each is looked at
 * once on the way up.
 *
 * Repetitions. What ends in r copies of a sequence of length L ends in the same k-gram at heights n
 * and n - L, for any k <= (r-1) L. Short lengths are tried one by one. Lengths from k to 4k - 1, k
 * = 8, 32, 128, ..., are read off a table of k-grams that chains the heights at which a gram ends;
 * a candidate is tested by two hashes. Chains are short: occurrences of a k-gram at distances below
 * 4k lie a period of the gram apart, and a period of k/r or less were a repetition, which would
 * have been taken before. So there are at most about 4r of them, for any input, and a push costs
 * O(log height).
 *
 * Mostly it costs much less. again[] bounds how many terms up to a height stand further down as
 * well: one more than at the height below, and fewer than k where the k-gram is new. All but the
 * last copy of a repetition come again, so behind something new only short lengths are looked for,
 * and tables of longer grams are completed only when a length that they are for comes into
 * question; not even then if the chain of the shorter grams is so short that one can follow it.
 * Where input goes along with what came before, the gram at a height follows the last but one of
 * the gram below it (guess_first), and no bucket is read.
 *
 * Whatever hashes say is verified term by term: they decide on time, never on results.
 */
#include "nlr/window.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "nlr/lanes.h"

#define SHORT 8 /* lengths below are tried one by one */
#define STEP 4
#define ROLLING_BASE UINT64_C(0x9fb21c651e98df25)
#define PATIENCE 2
#define GRAMS 16
#define FIRST_CAPACITY 16

struct link {
	uint32_t gram; /* 32 bits of the hash of the gram that ends at this height */
	uint32_t first; /* the least height where the same gram ends: it stands for all of them */
	/* the next lower height of the same gram; of a first one: the next lower first one in the
	   bucket, 0 for none */
	uint32_t previous;
	uint32_t last; /* of a first one: the greatest height of the same gram */
};

struct grams {
	size_t length;
	size_t indexed; /* height up to which the table is complete */
	uint32_t *bucket; /* by gram: the greatest first height where one ends */
	struct link *link; /* by height */
};

static void free_index(struct window *w)
{
	for (unsigned i = 0; i < w->grams; i++) {
		free(w->gram[i].bucket);
		free(w->gram[i].link);
	}
	w->grams = 0;
	free(w->due);
}

static void add_grams(struct window *w, size_t length)
{
	struct grams *g = &w->gram[w->grams++];
	g->length = length;
	g->indexed = 0;
	g->bucket = mem_zero(w->capacity * sizeof *g->bucket);
	g->link = mem_array(w->capacity + 1, sizeof *g->link);
}

static void set_capacity(struct window *w, size_t capacity)
{
	free_index(w);
	w->term = mem_resize(w->term, capacity + 1, sizeof *w->term); /* and a terminator */
	w->ticket = mem_resize(w->ticket, capacity, sizeof *w->ticket);
	w->print = mem_resize(w->print, capacity, sizeof *w->print);
	w->rolling = mem_resize(w->rolling, capacity + 1, sizeof *w->rolling);
	w->hash = mem_resize(w->hash, capacity + 1, sizeof *w->hash);
	w->power = mem_resize(w->power, capacity + 1, sizeof *w->power);
	w->again = mem_resize(w->again, capacity + 1, sizeof *w->again);
	w->below = mem_resize(w->below, capacity, sizeof *w->below);
	w->due = mem_zero((capacity + 2) * sizeof *w->due);
	w->hash[0] = w->rolling[0] = 0;
	w->again[0] = 0;
	w->power[0] = 1;
	for (size_t i = 0; i < capacity; i++)
		w->power[i + 1] = hash_times(w->power[i], HASH_BASE);
	w->capacity = capacity;
	for (size_t length = SHORT; length <= w->longest && length * w->repetitions <= capacity; length *= STEP)
		add_grams(w, length);
}

struct window *window_new(const struct bodies *bodies, unsigned repetitions, size_t longest, size_t limit)
{
	struct window *w = mem_zero(sizeof *w);
	w->bodies = bodies;
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
	free(w->print);
	free(w->rolling);
	free(w->hash);
	free(w->power);
	free(w->again);
	free(w->below);
	free(w);
}

/* ---------------------------------------------------------- hashes of what stands in the window */

/* Of the terms below a height: as far up as anybody asked, for most noise never. */
static uint64_t hash_at(struct window *w, size_t height)
{
	for (; w->hashed < height; w->hashed++)
		w->hash[w->hashed + 1] = hash_append(w->hash[w->hashed], w->term[w->hashed]);
	return w->hash[height];
}

static uint64_t range_hash(struct window *w, size_t from, size_t to)
{
	uint64_t hash = hash_at(w, to);
	return hash_reduce(hash + HASH_PRIME - hash_times(w->hash[from], w->power[to - from]));
}

static uint64_t roll(uint64_t rolling, uint64_t print)
{
	return rolling * ROLLING_BASE + print;
}

/* 32 bits for the SHORT terms between two rolling hashes. */
static uint32_t short_gram(uint64_t below, uint64_t above)
{
	uint64_t power = ROLLING_BASE;
	for (unsigned i = 1; i < SHORT; i *= 2)
		power *= power;
	return (uint32_t)((above - below * power) >> 32);
}

static uint32_t gram_at(struct window *w, size_t length, size_t height)
{
	if (length == SHORT)
		return short_gram(w->rolling[height - SHORT], w->rolling[height]);
	uint64_t hash = range_hash(w, height - length, height);
	return (uint32_t)(hash ^ hash >> 32);
}

static void print_top(struct window *w)
{
	size_t at = w->height - 1;
	uint64_t print = hash_pair(w->term[at].id, w->term[at].count);
	w->print[at] = (uint32_t)print;
	w->rolling[w->height] = roll(w->rolling[at], print);
	w->looked_up = false;
}

void window_top_changed(struct window *w)
{
	if (w->hashed == w->height)
		w->hashed--;
	print_top(w);
}

/* ------------------------------------------------------------------ the index */

/* What is due higher than the window is now comes to lie there when it grows: the index is made
   anew then. */
static uint32_t *due_of(const struct window *w, size_t at)
{
	size_t height = at + 1 + bodies_get(w->bodies, w->term[at].id)->length;
	return &w->due[height <= w->capacity ? height : w->capacity + 1];
}

static void index_loop(struct window *w, size_t at)
{
	uint32_t *due = due_of(w, at);
	w->below[at] = *due;
	*due = (uint32_t)at + 1;
}

static uint32_t *gram_bucket(const struct window *w, const struct grams *g, uint32_t gram)
{
	return &g->bucket[gram & (w->capacity - 1)];
}

/* The bare top can have no more than this of again[] (see there) before it is looked up. */
static uint32_t most_again(const struct window *w)
{
	return w->again[w->height - 1] + 1;
}

/* Where input follows what came before, the gram that ends here ended one behind the place where
   the one before it did. */
static uint32_t guess_first(const struct grams *g, uint32_t height, uint32_t gram)
{
	const struct link *before = &g->link[height - 1];
	if (height <= g->length || before->first == height - 1)
		return 0;
	const struct link *guess = &g->link[before->previous + 1];
	return guess->gram == gram ? guess->first : 0;
}

/* The first height in the table where this gram ends; 0 if there is none. */
static uint32_t find_first(const struct window *w, const struct grams *g, uint32_t gram)
{
	uint32_t at = *gram_bucket(w, g, gram);
	while (at && g->link[at].gram != gram)
		at = g->link[at].previous;
	return at;
}

/* Note which gram ends here, and whether it came before: not if less came again. The table is
   complete below. */
static bool look_up(const struct window *w, struct grams *g, uint32_t height, uint32_t gram, uint32_t again)
{
	uint32_t first = again < g->length ? 0 : guess_first(g, height, gram);
	if (!first && again >= g->length)
		first = find_first(w, g, gram);
	g->link[height].gram = gram;
	g->link[height].first = first ? first : height;
	return first != 0;
}

static bool comes_again(struct window *w, struct grams *g)
{
	uint32_t height = (uint32_t)w->height, *again = &w->again[height];
	bool found = height >= g->length && look_up(w, g, height, gram_at(w, g->length, height), *again);
	if (!found && *again >= g->length)
		*again = (uint32_t)g->length - 1;
	return found;
}

/* Find out whether the bare top's shortest gram came before. */
static void look_up_top(struct window *w)
{
	w->again[w->height] = most_again(w);
	if (w->grams)
		comes_again(w, w->gram);
	w->looked_up = true;
}

/* Put the next height, which was looked up, into the table. */
static void join(const struct window *w, struct grams *g, uint32_t height)
{
	struct link *link = &g->link[height];
	g->indexed = height;
	if (height < g->length)
		return;
	uint32_t *before = link->first == height ? gram_bucket(w, g, link->gram) : &g->link[link->first].last;
	link->previous = *before;
	*before = height;
	g->link[link->first].last = height;
}

/* Take the greatest height out. */
static void part(const struct window *w, struct grams *g)
{
	uint32_t height = (uint32_t)g->indexed--;
	const struct link *link = &g->link[height];
	if (height >= g->length)
		*(link->first == height ? gram_bucket(w, g, link->gram) : &g->link[link->first].last) = link->previous;
}

/* Complete a table up to the bare top. */
static void catch_up(struct window *w, struct grams *g)
{
	for (uint32_t height = (uint32_t)g->indexed + 1; height <= w->indexed; height++) {
		if (height >= g->length)
			look_up(w, g, height, gram_at(w, g->length, height), w->again[height]);
		join(w, g, height);
	}
}

void window_index(struct window *w)
{
	if (w->indexed == w->height)
		return;
	w->indexed = w->height;
	if (term_is_loop(*window_top(w)))
		index_loop(w, w->height - 1);
	if (!w->looked_up)
		look_up_top(w);
	if (w->grams)
		join(w, w->gram, (uint32_t)w->height);
}

/* Only the greatest heights can go: they head all their chains. */
static void unindex(struct window *w, size_t height)
{
	for (unsigned i = 0; i < w->grams; i++)
		while (w->gram[i].indexed > height)
			part(w, &w->gram[i]);
	for (; w->indexed > height; w->indexed--) {
		size_t at = w->indexed - 1;
		if (term_is_loop(w->term[at]))
			*due_of(w, at) = w->below[at];
	}
}

static void rebuild(struct window *w)
{
	size_t height = w->height;
	w->indexed = w->hashed = 0;
	for (w->height = 1; w->height <= height; w->height++) {
		print_top(w);
		window_index(w);
	}
	w->height = height;
}

/* ------------------------------------------------------------------ a stack */

void window_push(struct window *w, struct term t)
{
	assert(w->height < w->limit);
	window_index(w);
	w->term[w->height++] = t;
	print_top(w);
}

void window_bare(struct window *w)
{
	unindex(w, w->height - 1);
}

void window_drop(struct window *w, size_t count)
{
	w->height -= count;
	if (w->hashed > w->height)
		w->hashed = w->height;
	unindex(w, w->height);
}

void window_reserve(struct window *w)
{
	if (w->height < w->capacity)
		return;
	set_capacity(w, 2 * w->capacity);
	rebuild(w);
}

static void lower_grams(const struct window *w, struct grams *g, size_t by)
{
	size_t old = g->indexed;
	memset(g->bucket, 0, w->capacity * sizeof *g->bucket);
	g->indexed = 0;
	for (size_t height = 1; height + by <= old; height++) {
		if (height >= g->length)
			look_up(w, g, (uint32_t)height, g->link[height + by].gram, w->again[height]);
		join(w, g, (uint32_t)height);
	}
}

/* The index goes down with the terms: what hashes say of sequences does not depend on where they
   stand. */
void window_forget(struct window *w, size_t count)
{
	w->height -= count;
	w->indexed -= count;
	memmove(w->term, w->term + count, w->height * sizeof *w->term);
	memmove(w->ticket, w->ticket + count, w->height * sizeof *w->ticket);
	memmove(w->print, w->print + count, w->height * sizeof *w->print);
	memmove(w->rolling, w->rolling + count, (w->height + 1) * sizeof *w->rolling);
	memmove(w->hash, w->hash + count, (w->height + 1) * sizeof *w->hash);
	if (w->hashed < count)
		w->hash[0] = 0;
	w->hashed = w->hashed < count ? 0 : w->hashed - count;
	memmove(w->again, w->again + count, (w->height + 1) * sizeof *w->again);
	memset(w->due, 0, (w->capacity + 2) * sizeof *w->due);
	for (size_t at = 0; at < w->indexed; at++)
		if (term_is_loop(w->term[at]))
			index_loop(w, at);
	for (unsigned i = 0; i < w->grams; i++)
		lower_grams(w, &w->gram[i], count);
}

/* ------------------------------------------------------------------ what the top repeats */

static bool same_terms(const struct term *a, const struct term *b, size_t length)
{
	while (length-- > 0)
		if (!term_equal(a[length], b[length]))
			return false;
	return true;
}

size_t window_find_copy(const struct window *w)
{
	for (uint32_t at = w->due[w->height]; at; at = w->below[at - 1]) {
		const struct term *body = bodies_get(w->bodies, w->term[at - 1].id)->term;
		if (same_terms(w->term + at, body, w->height - at))
			return w->height - at;
	}
	return 0;
}

/* Do the topmost terms repeat those `length` below, long enough for all copies? Compared from the
   top, where they differ first. */
static bool repeats(const struct window *w, size_t length)
{
	for (size_t i = w->height, end = i - (w->repetitions - 1) * length; i-- > end;)
		if (!term_equal(w->term[i], w->term[i - length]))
			return false;
	return true;
}

static bool seems_to_repeat(struct window *w, size_t length)
{
	size_t overlap = (w->repetitions - 1) * length, height = w->height;
	return range_hash(w, height - overlap, height) == range_hash(w, height - overlap - length, height - length);
}

/* Of three copies and more, the last but one ends in the gram that the one below ends in. */
static bool second_ends_alike(const struct window *w, const struct grams *g, size_t length)
{
	size_t at = w->height - length;
	return w->repetitions < 3 || g->link[at].gram == g->link[at - length].gram;
}

static bool is_repeated(struct window *w, size_t length)
{
	return seems_to_repeat(w, length) && repeats(w, length);
}

/* Is the top, as far as prints tell, among the terms below that a short repetition would have it
   from? */
static bool is_near(const struct window *w)
{
	const uint32_t *top = &w->print[w->height - 1];
	if (w->height <= SHORT)
		return true;
	lanes hit = (lanes)(lanes_load(top - 4) == *top) | (lanes)(lanes_load(top - 8) == *top);
	return lanes_any(&hit);
}

/* May this sequence stand on top so many times? All but the last copy come again then. */
static bool may_repeat(const struct window *w, size_t length, uint32_t again)
{
	return (w->repetitions - 1) * length <= again && w->repetitions * length <= w->height && length <= w->longest;
}

static size_t find_short_repetition(const struct window *w, uint32_t again)
{
	if (!is_near(w))
		return 0;
	for (size_t length = 1; length < SHORT && may_repeat(w, length, again); length++)
		if (repeats(w, length))
			return length;
	return 0;
}

/*
 * The least length from that of the grams up, of those this table is for, or 0. The top came
 * before. *all: no greater length is left to be looked for, because the chain is short.
 */
static size_t find_long_repetition(struct window *w, const struct grams *g, bool *all)
{
	uint32_t first = g->link[w->height].first, at = g->link[first].last, again = w->again[w->height];
	for (unsigned tried = 0;; at = g->link[at].previous, tried++) {
		size_t length = w->height - at;
		*all = !may_repeat(w, length, again);
		if (*all || (tried >= PATIENCE && length >= STEP * g->length))
			return 0;
		if (length >= g->length && second_ends_alike(w, g, length) && is_repeated(w, length))
			return length;
		*all = at == first;
		if (*all)
			return 0;
	}
}

size_t window_find_repetition(struct window *w)
{
	size_t found = find_short_repetition(w, most_again(w));
	if (found || !may_repeat(w, SHORT, most_again(w)))
		return found;
	look_up_top(w);
	bool all = false;
	for (unsigned i = 0; !found && !all && i < w->grams && may_repeat(w, w->gram[i].length, w->again[w->height]);
		i++) {
		struct grams *g = &w->gram[i];
		catch_up(w, g);
		if (i && !comes_again(w, g))
			break;
		found = find_long_repetition(w, g, &all);
	}
	return found;
}

/* Do the SHORT terms right below the top stand further down as well? */
static bool surroundings_known(const struct window *w)
{
	size_t below = w->height - 1;
	return below >= SHORT && w->gram->link[below].first < below;
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
	uint64_t rolling = roll(w->rolling[height - 1], hash_pair(top.id, top.count));
	uint32_t first = find_first(w, w->gram, short_gram(w->rolling[below], rolling));
	return first && first < height;
}
