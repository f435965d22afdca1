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
 * Mostly it costs much less, because mostly it is clear for some terms ahead that nothing can
 * repeat (be_quiet): with each term at most one more comes again, and r copies of L terms need
 * (r-1) L that do. Until then terms are only stored, and the table of the shortest grams is
 * completed for all of them at once when it is asked again.
 *
 * again[] bounds how many terms up to a height stand further down as well: one more than at the
 * height below, and fewer than k where the k-gram is new. All but the last copy of a repetition
 * come again, so behind something new only short lengths are looked for, and tables of longer grams
 * are completed only when a length that they are for comes into question; not even then if the
 * chain of the shorter grams is so short that one can follow it. Where input goes along with what
 * came before, the gram at a height follows the last but one of the gram below it (guess_first),
 * and no bucket is read. How far the top is like what stands a length below is known from when it
 * was looked at last (same_as_below).
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
#define PRINT_BASE UINT64_C(0x9fb21c651e98df25)
#define PATIENCE 2
#define LIKENESS_LONG 1024 /* what repeats for longer is compared by hashes first */
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
	size_t capacity; /* that there is room for; 0: it has not been asked */
	size_t indexed; /* height up to which the table is complete */
	uint32_t *bucket; /* by gram: the greatest first height where one ends */
	struct link *link; /* by height */
};

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
	for (; w->powers < to - from; w->powers++)
		w->power[w->powers + 1] = hash_times(w->power[w->powers], HASH_BASE);
	uint64_t hash = hash_at(w, to);
	return hash_reduce(hash + HASH_PRIME - hash_times(w->hash[from], w->power[to - from]));
}

/* 32 bits for SHORT prints, the last of which is `top`. */
static uint32_t short_gram(const uint32_t *below, uint32_t top)
{
	uint64_t sum = top, power = PRINT_BASE;
#pragma GCC unroll 8
	for (unsigned i = 1; i < SHORT; i++, power *= PRINT_BASE)
		sum += below[-(int)i] * power;
	return (uint32_t)(sum >> 32) ^ (uint32_t)sum;
}

static uint32_t gram_at(struct window *w, size_t length, size_t height)
{
	if (length == SHORT)
		return short_gram(&w->print[height - 1], w->print[height - 1]);
	uint64_t hash = range_hash(w, height - length, height);
	return (uint32_t)(hash ^ hash >> 32);
}

static uint32_t print_of(struct term t)
{
	return (uint32_t)hash_pair(t.id, t.count);
}

/* What was found out about this height, and those above, does not hold any more. */
static void forget_above(struct window *w, size_t height)
{
	if (w->looked_up >= height)
		w->looked_up = 0;
	if (w->quiet_from >= height)
		w->quiet = w->quiet_from = 0;
	if (w->likeness.height >= height)
		w->likeness = (struct likeness){0};
}

void window_top_changed(struct window *w)
{
	if (w->hashed == w->height)
		w->hashed--;
	w->print[w->height - 1] = print_of(*window_top(w));
	forget_above(w, w->height);
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

static uint32_t *gram_bucket(const struct grams *g, uint32_t gram)
{
	return &g->bucket[gram & (g->capacity / 2 - 1)];
}

/* ------------------------------------------------------------------ what came before */

/* The bare top can have no more than this of again[] (see there), as far as it is known. */
static uint32_t most_again(const struct window *w)
{
	size_t known = w->grams ? w->gram->indexed : 0;
	return (uint32_t)(w->height - known) + w->again[known];
}

/* Where input follows what came before, the gram that ends here ended one behind the place where
   the one before it did. */
static inline uint32_t guess_first(const struct grams *g, uint32_t height, uint32_t gram)
{
	const struct link *before = &g->link[height - 1];
	if (height <= g->length || before->first == height - 1)
		return 0;
	const struct link *guess = &g->link[before->previous + 1];
	return guess->gram == gram ? guess->first : 0;
}

/* The first height in the table where this gram ends; 0 if there is none. */
static inline uint32_t find_first(const struct grams *g, uint32_t gram)
{
	uint32_t at = *gram_bucket(g, gram);
	while (at && g->link[at].gram != gram)
		at = g->link[at].previous;
	return at;
}

/* Note which gram ends here, and whether it came before: not if less came again. The table is
   complete below. */
static inline bool look_up(struct grams *g, uint32_t height, uint32_t gram, uint32_t again)
{
	uint32_t first = again < g->length ? 0 : guess_first(g, height, gram);
	if (!first && again >= g->length)
		first = find_first(g, gram);
	g->link[height].gram = gram;
	g->link[height].first = first ? first : height;
	return first != 0;
}

static inline bool comes_again(struct window *w, struct grams *g, uint32_t height)
{
	uint32_t *again = &w->again[height];
	bool found = height >= g->length && look_up(g, height, gram_at(w, g->length, height), *again);
	if (!found && *again >= g->length)
		*again = (uint32_t)g->length - 1;
	return found;
}

/* Find out whether the shortest gram there came before; the table is complete below. */
static inline void look_up_shortest(struct window *w, uint32_t height)
{
	if (w->looked_up == height)
		return;
	w->again[height] = w->again[height - 1] + 1;
	comes_again(w, w->gram, height);
	w->looked_up = height;
}

/* Put the next height, which was looked up, into the table. */
static inline void join(struct grams *g, uint32_t height)
{
	struct link *link = &g->link[height];
	g->indexed = height;
	if (height < g->length)
		return;
	uint32_t *before = link->first == height ? gram_bucket(g, link->gram) : &g->link[link->first].last;
	link->previous = *before;
	*before = height;
	g->link[link->first].last = height;
}

/* Take the greatest height out. */
static void part(struct grams *g)
{
	uint32_t height = (uint32_t)g->indexed--;
	const struct link *link = &g->link[height];
	if (height >= g->length)
		*(link->first == height ? gram_bucket(g, link->gram) : &g->link[link->first].last) = link->previous;
}

static void add_grams(struct window *w, size_t length)
{
	w->gram[w->grams++] = (struct grams){.length = length};
}

/* The bare top, and what is not in the table yet, are of no interest to its buckets. */
static void fill_buckets(const struct window *w, struct grams *g)
{
	g->bucket = mem_zero(w->capacity / 2 * sizeof *g->bucket);
	for (uint32_t height = (uint32_t)g->length; height <= g->indexed; height++) {
		struct link *link = &g->link[height];
		if (link->first == height) {
			uint32_t *bucket = gram_bucket(g, link->gram);
			link->previous = *bucket;
			*bucket = height;
		}
	}
}

/* A table takes memory when it is first asked. */
static void make_room(const struct window *w, struct grams *g)
{
	if (g->capacity == w->capacity)
		return;
	free(g->bucket);
	g->link = mem_resize(g->link, w->capacity + 1, sizeof *g->link);
	g->capacity = w->capacity;
	fill_buckets(w, g);
}

/* Complete the table of the shortest grams up to the bare top. */
static void catch_up_shortest(struct window *w)
{
	for (uint32_t height = (uint32_t)w->gram->indexed + 1; height <= w->indexed; height++) {
		look_up_shortest(w, height);
		join(w->gram, height);
	}
}

/* The same for another table. */
static void catch_up(struct window *w, struct grams *g)
{
	make_room(w, g);
	for (uint32_t height = (uint32_t)g->indexed + 1; height <= w->indexed; height++) {
		if (height >= g->length)
			look_up(g, height, gram_at(w, g->length, height), w->again[height]);
		join(g, height);
	}
}

void window_index(struct window *w)
{
	if (w->indexed == w->height)
		return;
	w->indexed = w->height;
	if (term_is_loop(*window_top(w)))
		index_loop(w, w->height - 1);
}

/* Only the greatest heights can go: they head all their chains. */
static void unindex(struct window *w, size_t height)
{
	for (unsigned i = 0; i < w->grams; i++)
		while (w->gram[i].indexed > height)
			part(&w->gram[i]);
	for (; w->indexed > height; w->indexed--) {
		size_t at = w->indexed - 1;
		if (term_is_loop(w->term[at]))
			*due_of(w, at) = w->below[at];
	}
}

/* ------------------------------------------------------------------ room */

static void index_loops(struct window *w)
{
	for (size_t at = 0; at < w->indexed; at++)
		if (term_is_loop(w->term[at]))
			index_loop(w, at);
}

static void set_capacity(struct window *w, size_t capacity)
{
	w->term = mem_resize(w->term, capacity + 1, sizeof *w->term); /* and a terminator */
	w->ticket = mem_resize(w->ticket, capacity, sizeof *w->ticket);
	w->print = mem_resize(w->print, capacity, sizeof *w->print);
	w->hash = mem_resize(w->hash, capacity + 1, sizeof *w->hash);
	w->power = mem_resize(w->power, capacity + 1, sizeof *w->power);
	w->again = mem_resize(w->again, capacity + 1, sizeof *w->again);
	w->below = mem_resize(w->below, capacity, sizeof *w->below);
	free(w->due);
	w->due = mem_zero((capacity + 2) * sizeof *w->due);
	w->capacity = capacity;
	index_loops(w);
	size_t length = w->grams ? w->gram[w->grams - 1].length * STEP : SHORT;
	for (; length <= w->longest && length * w->repetitions <= capacity; length *= STEP)
		add_grams(w, length);
	if (w->grams)
		make_room(w, w->gram);
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
	w->hash[0] = 0;
	w->again[0] = 0;
	w->power[0] = 1;
	return w;
}

void window_free(struct window *w)
{
	if (!w)
		return;
	for (unsigned i = 0; i < w->grams; i++) {
		free(w->gram[i].bucket);
		free(w->gram[i].link);
	}
	free(w->gram);
	free(w->due);
	free(w->term);
	free(w->ticket);
	free(w->print);
	free(w->hash);
	free(w->power);
	free(w->again);
	free(w->below);
	free(w);
}

/* ------------------------------------------------------------------ a stack */

void window_push(struct window *w, struct term t)
{
	assert(w->height < w->limit);
	window_index(w);
	w->print[w->height] = print_of(t);
	w->term[w->height++] = t;
}

/* Is this the print of one of the SHORT terms below? */
static inline bool is_among(const uint32_t *below, uint32_t print)
{
	lanes hit = (lanes)(lanes_load(below - 4) == print) | (lanes)(lanes_load(below - 8) == print);
	return lanes_any(&hit);
}

bool window_push_quietly(struct window *w, uint32_t record)
{
	size_t at = w->height;
	struct term t = {record, 0};
	uint32_t print = print_of(t);
	if (at >= w->quiet || at >= w->capacity || at >= w->limit || at < SHORT || w->due[at + 1] ||
		term_is_loop(w->term[at - 1]) || is_among(&w->print[at], print))
		return false;
	w->indexed = at;
	w->print[at] = print;
	w->term[w->height++] = t;
	return true;
}

void window_bare(struct window *w)
{
	unindex(w, w->height - 1);
	forget_above(w, w->height);
}

void window_drop(struct window *w, size_t count)
{
	w->height -= count;
	if (w->hashed > w->height)
		w->hashed = w->height;
	unindex(w, w->height);
	forget_above(w, w->height + 1);
}

void window_reserve(struct window *w)
{
	if (w->height < w->capacity)
		return;
	set_capacity(w, 2 * w->capacity);
}

static void lower_grams(const struct window *w, struct grams *g, size_t by)
{
	size_t old = g->indexed;
	if (!g->capacity)
		return;
	memset(g->bucket, 0, g->capacity / 2 * sizeof *g->bucket);
	g->indexed = 0;
	for (size_t height = 1; height + by <= old; height++) {
		if (height >= g->length)
			look_up(g, (uint32_t)height, g->link[height + by].gram, w->again[height]);
		join(g, (uint32_t)height);
	}
}

/* The index goes down with the terms: what hashes say of sequences does not depend on where they
   stand. */
void window_forget(struct window *w, size_t count)
{
	if (w->grams)
		catch_up_shortest(w);
	forget_above(w, 0);
	w->height -= count;
	w->indexed -= count;
	memmove(w->term, w->term + count, w->height * sizeof *w->term);
	memmove(w->ticket, w->ticket + count, w->height * sizeof *w->ticket);
	memmove(w->print, w->print + count, w->height * sizeof *w->print);
	memmove(w->hash, w->hash + count, (w->height + 1) * sizeof *w->hash);
	if (w->hashed < count)
		w->hash[0] = 0;
	w->hashed = w->hashed < count ? 0 : w->hashed - count;
	memmove(w->again, w->again + count, (w->height + 1) * sizeof *w->again);
	memset(w->due, 0, (w->capacity + 2) * sizeof *w->due);
	index_loops(w);
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

/* How many of the topmost terms are those `length` below, at most so many. Compared from the top,
   where they differ first, as far as it was not known lower down. */
static size_t same_as_below(struct window *w, size_t length, size_t most)
{
	struct likeness *known = &w->likeness;
	const struct term *top = w->term + w->height - 1;
	size_t more = known->length == length ? w->height - known->height : SIZE_MAX, same = 0;
	while (same < most && same < more && term_equal(*(top - same), *(top - same - length)))
		same++;
	if (same == more)
		same += known->same;
	*known = (struct likeness){length, w->height, same};
	return same < most ? same : most;
}

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

/* *lacking: so many terms more must be like those below, at least. */
static bool is_repeated(struct window *w, size_t length, size_t *lacking)
{
	size_t overlap = (w->repetitions - 1) * length;
	*lacking = 1;
	if (overlap > LIKENESS_LONG && w->likeness.length != length && !seems_to_repeat(w, length))
		return false;
	*lacking = overlap - same_as_below(w, length, overlap);
	return !*lacking;
}

/* Is the top, as far as prints tell, among the terms below that a short repetition would have it
   from? */
static bool is_near(const struct window *w)
{
	const uint32_t *top = &w->print[w->height - 1];
	return w->height <= SHORT || is_among(top, *top);
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
 * before. *all: no greater length is left to be looked for, because the chain is short. *lacking:
 * lowered to the number of terms more before which no length looked at can be one.
 */
static size_t find_long_repetition(struct window *w, const struct grams *g, bool *all, size_t *lacking)
{
	uint32_t first = g->link[w->height].first, at = g->link[first].last, again = w->again[w->height];
	for (unsigned tried = 0;; at = g->link[at].previous, tried++) {
		size_t length = w->height - at, lacks = (w->repetitions - 1) * length;
		*all = !may_repeat(w, length, again);
		if (*all) {
			lacks = lacks > again ? lacks - again : 1;
			*lacking = lacks < *lacking ? lacks : *lacking;
		}
		if (*all || (tried >= PATIENCE && length >= STEP * g->length))
			return 0;
		if (length >= g->length) {
			lacks = 1;
			if (second_ends_alike(w, g, length) && is_repeated(w, length, &lacks))
				return length;
			*lacking = lacks < *lacking ? lacks : *lacking;
		}
		*all = at == first;
		if (*all)
			return 0;
	}
}

/*
 * Nothing repeats, nor will before so many terms more, as far as it ends in a gram that came before
 * by now. What ends in another one takes more than what the shortest lengths need beyond a gram: so
 * for some terms nothing can repeat.
 */
static void be_quiet(struct window *w, size_t lacking)
{
	size_t most = (w->repetitions - 2) * (size_t)SHORT;
	w->quiet_from = w->height;
	w->quiet = w->height + (lacking - 1 < most ? lacking - 1 : most);
}

size_t window_find_repetition(struct window *w)
{
	uint32_t again = most_again(w);
	size_t found = find_short_repetition(w, again);
	if (found || !w->grams || w->height <= w->quiet || !may_repeat(w, SHORT, again))
		return found;
	catch_up_shortest(w);
	look_up_shortest(w, (uint32_t)w->height);
	again = w->again[w->height];
	size_t least = (w->repetitions - 1) * (size_t)SHORT, lacking = least > again ? least - again : SIZE_MAX;
	bool all = least > again;
	for (unsigned i = 0; !found && !all && i < w->grams && may_repeat(w, w->gram[i].length, w->again[w->height]);
		i++) {
		struct grams *g = &w->gram[i];
		if (i)
			catch_up(w, g);
		if (i && !comes_again(w, g, (uint32_t)w->height))
			break;
		found = find_long_repetition(w, g, &all, &lacking);
	}
	if (!found && all && lacking > 1)
		be_quiet(w, lacking);
	return found;
}

/* Do the SHORT terms right below the top stand further down as well? */
static bool surroundings_known(const struct window *w)
{
	size_t below = w->height - 1;
	return below >= SHORT && w->gram->link[below].first < below;
}

unsigned window_surroundings(struct window *w)
{
	if (w->grams)
		catch_up_shortest(w);
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
	uint32_t first = find_first(w->gram, short_gram(&w->print[height - 1], print_of(top)));
	return first && first < height;
}
