/*
 * window.c -- a stack of terms with two indexes, both undone by popping.
 *
 * Copies of bodies. A copy of the body of the loop at p can only be complete at height p + 1 + the
 * length of the body. So there is a list, by height, of the loops that are due; each is looked at
 * once on the way up.
 *
 * Repetitions of up to 16 terms. For each length it is counted how many terms up to the top are
 * those the length below, by a byte of each term, 16 lengths at a time (advance_near).
 *
 * Longer ones. Grams of 8 terms are picked by what stands there: at every height the one that ends
 * in the term with the least print among the last `spread` terms. So where the last terms come
 * again, at a length L below, the gram picked there was picked L below as well; it is enough to
 * look at the places of one gram, and few of all grams are in the table (about one in 8). Lengths
 * from 64, 256, ... are found likewise by longer grams, which are picked from the places of those
 * that are 4 times shorter. A length is tested by comparing terms from the top down, as far as they
 * were not compared before (same_as_below). Places are few: occurrences of a k-gram at distances
 * below 8k lie a period of the gram apart, and a period of k/r or less were a repetition, which
 * would have been taken before. So there are at most about 8r of them, for any input, and a push
 * costs O(log height).
 *
 * Mostly it costs much less, because mostly it is clear for some terms ahead that nothing can
 * repeat (be_quiet): r copies of L terms need (r-1) L terms that come again, with each term at most
 * one more does, and of what comes again for so many terms that a gram of it was picked, it is
 * known at which lengths. Until then terms are only stored, and grams are picked for all of them at
 * once when it is asked again.
 *
 * `again` bounds how many terms up to a height stand further down as well, in a row: one more than
 * at the height below, and not more than a picked gram takes that is new. Where input goes along
 * with what came before, the gram picked follows the last but one of the gram picked before it
 * (guess_first), and no bucket is read.
 *
 * Whatever hashes say is verified term by term: they decide on time, never on results.
 */
#include "nlr/window.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "nlr/lanes.h"

#define GRAM 8 /* terms of the shortest gram */
#define STEP 4
#define PRINT_BASE UINT64_C(0x9fb21c651e98df25)
#define PRINT_RECORD UINT32_C(0x80000000) /* in prints of records, not in those of loops */
#define PATIENCE 2
#define LIKENESS_LONG 1024 /* what repeats for longer is compared by hashes first */
#define LEVELS 16
#define FIRST_CAPACITY 16

/* A gram that was picked. Places are numbered from 1. */
struct place {
	uint32_t gram; /* 32 bits of its hash */
	uint32_t height; /* where it ends */
	/* when it was picked: the height then; of a longer gram, the place of the shorter ones that
	   had been picked last */
	uint32_t since;
	uint32_t source; /* of a longer gram: the place of the shorter one that it was picked for */
	uint32_t again; /* of the shortest ones: of the height then (see above) */
	uint32_t first; /* the first place of the same gram: it stands for all of them */
	/* the place before of the same gram; of a first one: the first place before it in the
	   bucket, 0 for none */
	uint32_t previous;
	uint32_t last; /* of a first one: the last place of the same gram */
};

struct grams {
	size_t length;
	size_t least; /* length of the repetitions that are looked for by them */
	size_t spread; /* one of so many terms in a row is picked */
	size_t depth; /* that is picked so many terms below the top, at most */
	size_t done; /* up to where grams were picked: a height, or a place of the shorter ones */
	size_t places, capacity;
	struct place *place; /* [0]: none */
	uint32_t *bucket; /* by gram: the last first place of one */
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

/* For GRAM prints, the last of which is `top`. */
static inline uint64_t gram_of(const uint32_t *below, uint32_t top)
{
	uint64_t sum = top, power = PRINT_BASE;
#pragma GCC unroll 8
	for (unsigned i = 1; i < GRAM; i++, power *= PRINT_BASE)
		sum += below[-(int)i] * power;
	return sum;
}

static inline uint32_t shortened(uint64_t gram)
{
	return (uint32_t)(gram >> 32) ^ (uint32_t)gram;
}

/* Of the terms up to a height. */
static uint32_t gram_at(const struct window *w, size_t length, size_t height)
{
	const uint32_t *last = &w->print[height - 1];
	uint64_t gram = gram_of(last, *last);
	for (size_t i = GRAM; i < length; i += GRAM)
		gram = hash_pair(gram, gram_of(last - i, *(last - i)));
	return shortened(gram);
}

static inline uint32_t print_of(struct term t)
{
	uint32_t hash = (uint32_t)hash_pair(t.id, t.count);
	return term_is_record(t) ? hash | PRINT_RECORD : hash & ~PRINT_RECORD;
}

/* What was found out about this height, and those above, does not hold any more. */
static void forget_above(struct window *w, size_t height)
{
	if (w->near.height >= height)
		w->near.height = SIZE_MAX;
	if (w->quiet_from >= height)
		w->quiet = w->quiet_from = 0;
	if (w->bound.height >= height)
		w->bound.height = 0;
	if (w->likeness.height >= height)
		w->likeness = (struct likeness){0};
}

void window_top_changed(struct window *w)
{
	if (w->hashed == w->height)
		w->hashed--;
	w->print[w->height - 1] = print_of(*window_top(w));
	forget_above(w, w->height);
	w->quiet = 0;
}

/* ------------------------------------------------------------------ the index */

/* What is due higher than the window is now comes to lie there when it grows: the index is made
   anew then. */
static uint32_t *due_of(const struct window *w, uint32_t at)
{
	size_t height = at + 1 + bodies_get(w->bodies, w->term[at].id)->length;
	return &w->due[height <= w->capacity ? height : w->capacity + 1];
}

static void index_loop(struct window *w, size_t i)
{
	struct window_loop *loop = &w->loop[i];
	uint32_t *due = due_of(w, loop->at);
	loop->below = *due;
	*due = (uint32_t)i + 1;
}

static uint32_t *gram_bucket(const struct grams *g, uint32_t gram)
{
	return &g->bucket[gram & (g->capacity - 1)];
}

/* ------------------------------------------------------------------ grams */

/* Where input follows what came before, the gram behind this place is the one behind the last but
   one of the same gram. */
static inline uint32_t guess_first(const struct grams *g, uint32_t place, uint32_t gram)
{
	const struct place *before = &g->place[place];
	if (before->first == place)
		return 0;
	const struct place *guess = &g->place[before->previous + 1];
	return guess->gram == gram ? guess->first : 0;
}

/* The first place of a gram; 0 if there is none. */
static inline uint32_t find_first(const struct grams *g, uint32_t gram)
{
	uint32_t at = *gram_bucket(g, gram);
	while (at && g->place[at].gram != gram)
		at = g->place[at].previous;
	return at;
}

static void fill_buckets(const struct grams *g)
{
	for (uint32_t i = 1; i <= g->places; i++) {
		struct place *place = &g->place[i];
		if (place->first == i) {
			uint32_t *bucket = gram_bucket(g, place->gram);
			place->previous = *bucket;
			*bucket = i;
		}
	}
}

static void make_room(struct grams *g)
{
	g->capacity *= 2;
	g->place = mem_resize(g->place, g->capacity, sizeof *g->place);
	free(g->bucket);
	g->bucket = mem_zero(g->capacity * sizeof *g->bucket);
	fill_buckets(g);
}

/* Is the last gram picked new? */
static inline bool is_new(const struct grams *g)
{
	return g->place[g->places].first == g->places;
}

/* Add a place: its gram, height and when are known. */
static inline struct place *add_place(struct grams *g, uint32_t gram, size_t height, size_t since)
{
	if (g->places + 1 == g->capacity)
		make_room(g);
	uint32_t at = (uint32_t)g->places + 1, first = guess_first(g, at - 1, gram);
	if (!first)
		first = find_first(g, gram);
	struct place *place = &g->place[at];
	*place = (struct place){.gram = gram, .height = (uint32_t)height, .since = (uint32_t)since};
	place->first = first ? first : at;
	uint32_t *before = first ? &g->place[first].last : gram_bucket(g, gram);
	place->previous = *before;
	*before = at;
	place->last = at;
	g->places++;
	return place;
}

static void remove_place(struct grams *g)
{
	uint32_t at = (uint32_t)g->places--;
	const struct place *place = &g->place[at];
	*(place->first == at ? gram_bucket(g, place->gram) : &g->place[place->first].last) = place->previous;
}

/*
 * If the last so many terms came before, they came with the gram that was picked last, which is not
 * new then. Of what is picked from what stands there, that the terms that come again are all that
 * it can depend on: depth terms below the top, and a gram, or what a shorter gram was picked by.
 */
static size_t telling(const struct window *w, const struct grams *g)
{
	if (g > w->gram)
		return g->depth + g->length;
	size_t length = w->height - g->place[g->places].height + GRAM;
	return length < g->spread ? g->spread : length;
}

/* The last height of the least print, of the `spread` up to this one. */
static size_t pick_height(const struct window *w, size_t spread, size_t height)
{
	size_t end = height - GRAM < spread ? GRAM - 1 : height - spread, best = height;
	uint32_t least = w->print[best - 1];
	for (size_t i = height - 1; i > end; i--) {
		uint32_t print = w->print[i - 1];
		best = print < least ? i : best;
		least = print < least ? print : least;
	}
	return best;
}

/* Behind a term of this print what has a greater one is not picked; loops always are. */
static inline uint32_t least_behind(uint32_t print)
{
	return print > ~PRINT_RECORD ? print : ~PRINT_RECORD;
}

/* Pick the shortest grams up to this height; and whatever ends in a loop: prints of loops are less
   than those of records. */
static void pick_shortest(struct window *w, size_t height)
{
	struct grams *g = w->gram;
	const uint32_t *print = w->print;
	size_t at = g->place[g->places].height, i = g->done < GRAM ? GRAM : g->done + 1, spread = g->spread;
	for (uint32_t least = at ? least_behind(print[at - 1]) : 0; i <= height; i++) {
		if (at + spread > i && print[i - 1] > least)
			continue;
		at = at + spread > i ? i : pick_height(w, spread, i);
		least = least_behind(print[at - 1]);
		const struct place *before = &g->place[g->places];
		uint32_t again = before->again + (uint32_t)i - before->since;
		struct place *place = add_place(g, gram_at(w, GRAM, at), at, i);
		size_t known = i - at + GRAM < spread ? spread : i - at + GRAM;
		place->again = is_new(g) && again >= known ? (uint32_t)known - 1 : again;
	}
	g->done = height > g->done ? height : g->done;
}

/* The last place with the least gram, of those `spread` terms up to this one. */
static uint32_t pick_place(const struct grams *from, size_t spread, uint32_t place)
{
	uint32_t best = place, height = from->place[place].height;
	for (uint32_t i = place - 1; i && from->place[i].height + spread > height; i--)
		if (from->place[i].gram < from->place[best].gram)
			best = i;
	return best;
}

/* Pick longer grams, as far as shorter ones were picked. */
static void pick_longer(struct window *w, struct grams *g)
{
	const struct grams *from = g - 1;
	for (uint32_t i = (uint32_t)g->done + 1; i <= from->places; i++) {
		uint32_t before = g->place[g->places].source, height = from->place[i].height, source = i;
		if (height < g->length)
			continue;
		if (before && from->place[before].height + g->spread > height) {
			if (from->place[i].gram > from->place[before].gram)
				continue;
		} else {
			source = pick_place(from, g->spread, i);
		}
		height = from->place[source].height;
		if (height >= g->length)
			add_place(g, gram_at(w, g->length, height), height, i)->source = source;
	}
	g->done = from->places;
}

static void forget_grams(struct window *w, size_t height)
{
	for (struct grams *g = w->gram; g < w->gram + w->grams; height = g->places, g++) {
		while (g->place[g->places].since > height)
			remove_place(g);
		g->done = g->done < height ? g->done : height;
	}
}

static void add_grams(struct window *w, size_t length)
{
	struct grams *g = &w->gram[w->grams++];
	*g = (struct grams){.length = length, .least = 2 * length, .capacity = FIRST_CAPACITY};
	/* shortest sequence that comes again and is to be found: WINDOW_NEAR terms */
	size_t spread = w->repetitions < 3 ? GRAM : 2 * GRAM;
	g->spread = g == w->gram ? spread : spread * (length / GRAM) / STEP * (STEP - 1);
	g->depth = g->spread - 1 + (g == w->gram ? 0 : (g - 1)->depth);
	g->place = mem_zero(g->capacity * sizeof *g->place);
	g->bucket = mem_zero(g->capacity * sizeof *g->bucket);
}

void window_index(struct window *w)
{
	if (w->indexed == w->height)
		return;
	w->indexed = w->height;
	if (!term_is_loop(*window_top(w)))
		return;
	if (w->loops == w->loop_capacity)
		w->loop = mem_grow(w->loop, &w->loop_capacity, w->loops + 1, sizeof *w->loop);
	w->loop[w->loops] = (struct window_loop){.at = (uint32_t)w->height - 1};
	index_loop(w, w->loops++);
}

size_t window_loop_from(const struct window *w, size_t at)
{
	size_t i = w->loops;
	while (i && w->loop[i - 1].at >= at)
		i--;
	return i;
}

/* Only the greatest heights can go: they head all their chains. */
static void unindex(struct window *w, size_t height)
{
	forget_grams(w, height);
	for (; w->loops && w->loop[w->loops - 1].at >= height; w->loops--)
		*due_of(w, w->loop[w->loops - 1].at) = w->loop[w->loops - 1].below;
	w->indexed = w->indexed < height ? w->indexed : height;
}

/* ------------------------------------------------------------------ room */

static void index_loops(struct window *w)
{
	for (size_t i = 0; i < w->loops; i++)
		index_loop(w, i);
}

static void set_capacity(struct window *w, size_t capacity)
{
	w->term = mem_resize(w->term, capacity + 1, sizeof *w->term); /* and a terminator */
	w->print = mem_resize(w->print, capacity, sizeof *w->print);
	w->hash = mem_resize(w->hash, capacity + 1, sizeof *w->hash);
	w->power = mem_resize(w->power, capacity + 1, sizeof *w->power);
	free(w->due);
	w->due = mem_zero((capacity + 2) * sizeof *w->due);
	w->capacity = capacity;
	index_loops(w);
	size_t length = w->grams ? w->gram[w->grams - 1].length * STEP : GRAM;
	for (; 2 * length <= w->longest && 2 * length * w->repetitions <= capacity; length *= STEP)
		add_grams(w, length);
}

struct window *window_new(const struct bodies *bodies, unsigned repetitions, size_t longest, size_t limit)
{
	struct window *w = mem_zero(sizeof *w);
	w->bodies = bodies;
	w->repetitions = repetitions;
	w->longest = longest;
	w->limit = limit;
	w->gram = mem_array(LEVELS, sizeof *w->gram);
	set_capacity(w, FIRST_CAPACITY);
	w->hash[0] = 0;
	w->power[0] = 1;
	w->near.height = SIZE_MAX;
	for (unsigned i = 0; i < WINDOW_NEAR; i++) {
		unsigned enough = (repetitions - 1) * (i + 1);
		w->near_lacking[i] = (uint8_t)(enough < UINT8_MAX ? enough : UINT8_MAX);
	}
	return w;
}

void window_free(struct window *w)
{
	if (!w)
		return;
	for (unsigned i = 0; i < w->grams; i++) {
		free(w->gram[i].bucket);
		free(w->gram[i].place);
	}
	free(w->gram);
	free(w->due);
	free(w->term);
	free(w->print);
	free(w->hash);
	free(w->power);
	free(w->loop);
	free(w);
}

/* ------------------------------------------------------------------ a stack */

/* ---------------------------------------------------------- what the top has right below */

/* The bytes of the terms below a height, where they were not kept. Any number of terms may be like
   those below them. */
static void start_near(struct near *near, const uint32_t *print, size_t height)
{
	*near = (struct near){.height = height};
	memset(&near->lacking, 1, sizeof near->lacking);
	for (unsigned i = 0; i < WINDOW_NEAR && i < height; i++)
		near->recent[i / 8] |= (uint64_t)(uint8_t)print[height - 1 - i] << i % 8 * 8;
}

/* One term more: false if it may repeat a short sequence often enough. */
static inline bool advance_near(struct near *near, bytes lacking, uint32_t print)
{
	uint64_t byte = (uint8_t)print, all = byte * UINT64_C(0x0101010101010101);
	words recent = near->recent, top = {all, all};
	bytes like = (bytes)((bytes)recent == (bytes)top);
	near->lacking = ((near->lacking + like) & like) | (lacking & ~like);
	near->recent = recent << 8 | (words){byte, recent[0] >> 56};
	near->height++;
	return !bytes_any((bytes)(near->lacking == 0));
}

void window_push(struct window *w, struct term t)
{
	assert(w->height < w->limit);
	window_index(w);
	if (term_is_loop(t))
		w->quiet = 0;
	w->print[w->height] = print_of(t);
	w->term[w->height++] = t;
}

bool window_push_quietly(struct window *w, uint32_t record)
{
	size_t at = w->height;
	struct term t = {record, 0};
	uint32_t print = print_of(t);
	if (at >= w->quiet)
		return false;
	if (w->near.height != at)
		start_near(&w->near, w->print, at);
	struct near near = w->near;
	if (!advance_near(&near, w->near_lacking, print))
		return false;
	w->near = near;
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

/* The index goes down with the terms: what hashes say of sequences does not depend on where they
   stand. */
void window_forget(struct window *w, size_t count)
{
	forget_above(w, 0);
	forget_grams(w, 0);
	w->height -= count;
	w->indexed -= count;
	memmove(w->term, w->term + count, w->height * sizeof *w->term);
	memmove(w->print, w->print + count, w->height * sizeof *w->print);
	memmove(w->hash, w->hash + count, (w->height + 1) * sizeof *w->hash);
	if (w->hashed < count)
		w->hash[0] = 0;
	w->hashed = w->hashed < count ? 0 : w->hashed - count;
	memset(w->due, 0, (w->capacity + 2) * sizeof *w->due);
	size_t gone = window_loop_from(w, count);
	w->loops -= gone;
	if (gone)
		memmove(w->loop, w->loop + gone, w->loops * sizeof *w->loop);
	for (size_t i = 0; i < w->loops; i++)
		w->loop[i].at -= (uint32_t)count;
	index_loops(w);
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
	for (uint32_t i = w->due[w->height]; i; i = w->loop[i - 1].below) {
		size_t at = w->loop[i - 1].at;
		const struct term *body = bodies_get(w->bodies, w->term[at].id)->term;
		if (same_terms(w->term + at + 1, body, w->height - at - 1))
			return w->height - at - 1;
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

static bool seems_to_repeat(struct window *w, size_t length)
{
	size_t overlap = (w->repetitions - 1) * length, height = w->height;
	return range_hash(w, height - overlap, height) == range_hash(w, height - overlap - length, height - length);
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

/* So many terms more there must be, at least, before a sequence of this length can stand on top so
   many times: all but the last copy come again then. */
static size_t lacking_for(const struct window *w, size_t length, size_t again)
{
	if (length > w->longest)
		return SIZE_MAX;
	size_t all = w->repetitions * length, more = all - length > again ? all - length - again : 0;
	return w->height + more < all ? all - w->height : more;
}

/* At most so many terms up to the top stand further down as well, in a row, as far as it is
   known. */
static size_t most_again(const struct window *w)
{
	const struct grams *g = w->gram;
	const struct place *place = &g->place[g->places];
	size_t again = place->again + w->height - place->since;
	if (w->bound.height && w->bound.again + w->height - w->bound.height < again)
		again = w->bound.again + w->height - w->bound.height;
	return again;
}

static size_t find_short_repetition(struct window *w)
{
	struct near *near = &w->near;
	if (near->height != w->height) {
		if (near->height + 1 != w->height)
			start_near(near, w->print, w->height - 1);
		if (advance_near(near, w->near_lacking, w->print[w->height - 1]))
			return 0;
	}
	for (size_t length = 1; length <= WINDOW_NEAR; length++) {
		if (near->lacking[length - 1])
			continue;
		size_t overlap = (w->repetitions - 1) * length, lacks = lacking_for(w, length, SIZE_MAX);
		if (!lacks)
			lacks = overlap - same_as_below(w, length, overlap);
		if (!lacks)
			return length;
		near->lacking[length - 1] = (uint8_t)(lacks < UINT8_MAX ? lacks : UINT8_MAX);
	}
	return 0;
}

static void lower(size_t *number, size_t to)
{
	if (to < *number)
		*number = to;
}

/*
 * The least length at which the gram picked last was picked before, of those these are for, or 0.
 * *all: no greater length is left to be looked for. *lacking: lowered to the number of terms more
 * before which no length looked at can be one.
 */
static size_t find_long_repetition(struct window *w, const struct grams *g, bool *all, size_t *lacking)
{
	const struct place *top = &g->place[g->places];
	size_t again = most_again(w);
	uint32_t at = (uint32_t)g->places;
	for (unsigned tried = 0; at != top->first; tried++) {
		at = g->place[at].previous;
		size_t length = top->height - g->place[at].height, lacks = lacking_for(w, length, again);
		if (lacks) {
			lower(lacking, lacks);
			break;
		}
		if (tried >= PATIENCE && length >= STEP * g->least)
			return 0;
		if (length >= g->least && is_repeated(w, length, &lacks))
			return length;
		if (length >= g->least)
			lower(lacking, lacks);
	}
	*all = true;
	return 0;
}

/* Nothing repeats, nor will before so many terms more. No loop will be complete below `quiet`, and
   there is room. */
static void be_quiet(struct window *w, size_t lacking)
{
	size_t most = w->capacity < w->limit ? w->capacity : w->limit, quiet = w->height;
	if (lacking - 1 < most - w->height)
		most = w->height + lacking - 1;
	if (term_is_loop(*window_top(w)))
		return;
	while (quiet < most && !w->due[quiet + 1])
		quiet++;
	w->quiet_from = w->height;
	w->quiet = quiet;
}

/* Go up from the shortest grams to those by which longer repetitions are looked for. */
static size_t find_by_grams(struct window *w)
{
	size_t lacking = SIZE_MAX, found = 0;
	bool all = false;
	pick_shortest(w, w->height);
	for (struct grams *g = w->gram; !all && g < w->gram + w->grams; g++) {
		size_t again = most_again(w), lacks = lacking_for(w, g->least, again);
		if (lacks) {
			lower(&lacking, lacks);
			all = true;
			break;
		}
		if (g > w->gram)
			pick_longer(w, g);
		size_t known = telling(w, g);
		lower(&lacking, (w->repetitions - 1) * g->least - (known - 1));
		if (!g->places || is_new(g)) {
			w->bound.height = w->height;
			w->bound.again = known - 1 < again ? known - 1 : again;
			all = true;
			break;
		}
		found = find_long_repetition(w, g, &all, &lacking);
		if (found)
			return found;
	}
	if (lacking > 1)
		be_quiet(w, lacking);
	return 0;
}

size_t window_find_repetition(struct window *w)
{
	size_t found = find_short_repetition(w);
	if (found || !w->grams || w->height <= w->quiet)
		return found;
	size_t lacks = lacking_for(w, WINDOW_NEAR, most_again(w));
	if (!lacks)
		return find_by_grams(w);
	if (lacks > 1)
		be_quiet(w, lacks);
	return 0;
}

/* Do the WINDOW_NEAR terms right below the top stand further down as well, as far as the gram tells
   that was picked there? */
static bool surroundings_known(struct window *w)
{
	size_t below = w->height - 1;
	if (below < WINDOW_NEAR)
		return false;
	forget_grams(w, below);
	pick_shortest(w, below);
	return !is_new(w->gram) || w->gram->place[w->gram->places].height + GRAM < below;
}

unsigned window_surroundings(struct window *w)
{
	unsigned lengths = 0;
	size_t height = w->height;
	for (size_t length = 1; length <= WINDOW_NEAR && 2 * length <= height; length++)
		if (same_terms(w->term + height - length, w->term + height - 2 * length, length - 1))
			lengths |= 1u << length;
	return lengths | (w->grams && surroundings_known(w));
}

bool window_may_repeat(const struct window *w, struct term top, unsigned surroundings)
{
	size_t height = w->height;
	if (w->repetitions < 3)
		return true;
	for (unsigned lengths = surroundings >> 1, length = 1; lengths; lengths >>= 1, length++)
		if ((lengths & 1) && term_equal(w->term[height - 1 - length], top))
			return true;
	return (surroundings & 1) && find_first(w->gram, shortened(gram_of(&w->print[height - 1], print_of(top))));
}
