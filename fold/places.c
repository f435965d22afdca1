/*
 * places.c -- which functions explain who talks to whom?
 *
 * First one kind of function alone: p+c, p^c, moves on the grid, numbers. Each explains every pair, by as many functions as there are different
 * constants. No choice can have fewer functions than a process has peers. If none reaches that, kinds are mixed, and the less likely ones are
 * tried as well: coordinates exchanged, mirrored, fixed. Every pair of a sample votes for all functions that would explain it; those with most votes are
 * candidates of a set cover.
 */
#include "fold/places.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/intern.h"
#include "base/mem.h"
#include "fold/cover.h"

#define CANDIDATES 48 /* by votes; */
#define FEW_CANDIDATES 8 /* ... of large populations only so many more than are needed at least, */
#define TRIALS 1000000 /* ... if trying all on all pairs would take more steps than this */
#define HYPOTHESES 100000 /* votes cast at most */
#define ROUNDS 4 /* of candidates for what is left unexplained */
#define CHANCE 8

void places_clear(struct places *p)
{
	free(p->place);
	free(p->of);
	*p = (struct places){0};
}

uint32_t places_least(const struct pair *pair, size_t pairs)
{
	uint32_t most = 0;
	for (size_t i = 0, from = 0; i < pairs; i++) {
		if (pair[i].p != pair[from].p)
			from = i;
		if (i - from + 1 > most)
			most = (uint32_t)(i - from + 1);
	}
	return most;
}

/* ------------------------------------------------------------------ one kind of function */

static void move_of(const struct grid *g, struct pair pair, uint32_t *move)
{
	for (uint32_t i = 0; i < g->axes; i++) {
		move[i] = (pair.q % g->size[i] + g->size[i] - pair.p % g->size[i]) % g->size[i];
		pair.p /= g->size[i];
		pair.q /= g->size[i];
	}
}

static uint64_t move_key(const struct grid *g, struct pair pair)
{
	uint32_t move[GRID_AXES];
	uint64_t key = 0;
	move_of(g, pair, move);
	for (uint32_t i = g->axes; i--;)
		key = key * g->size[i] + move[i];
	return key;
}

static struct place grid_identity(const struct grid *g)
{
	struct place f = {.kind = PLACE_GRID};
	for (uint32_t i = 0; i < g->axes; i++)
		f.axis[i].axis[i] = 1;
	return f;
}

static struct place move_place(const struct grid *g, struct pair pair)
{
	uint32_t move[GRID_AXES];
	struct place f = grid_identity(g);
	move_of(g, pair, move);
	for (uint32_t i = 0; i < g->axes; i++)
		f.axis[i].constant = grid_nearest(move[i], g->size[i]);
	return f;
}

static struct place place_of_kind(enum place_kind kind, const struct grid *g, struct pair pair)
{
	int64_t number = kind == PLACE_OFFSET ? (int64_t)pair.q - pair.p : kind == PLACE_XOR ? pair.p ^ pair.q : pair.q;
	return kind == PLACE_GRID ? move_place(g, pair) : (struct place){.kind = kind, .number = number};
}

static uint64_t key_of_kind(enum place_kind kind, const struct grid *g, struct pair pair)
{
	switch (kind) {
	case PLACE_OFFSET:
		return (uint64_t)pair.q + RANK_LIMIT - pair.p;
	case PLACE_XOR:
		return pair.p ^ pair.q;
	case PLACE_GRID:
		return move_key(g, pair);
	default:
		return pair.q;
	}
}

static int by_key(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

/* The different keys, ascending. */
static uint64_t *keys_of_kind(enum place_kind kind, const struct grid *g, const struct pair *pair, size_t pairs, uint32_t *count)
{
	uint64_t *key = mem_array(pairs, sizeof *key);
	for (size_t i = 0; i < pairs; i++)
		key[i] = key_of_kind(kind, g, pair[i]);
	qsort(key, pairs, sizeof *key, by_key);
	*count = 0;
	for (size_t i = 0; i < pairs; i++)
		if (!*count || key[*count - 1] != key[i])
			key[(*count)++] = key[i];
	return key;
}

static void choose_kind(struct places *to, enum place_kind kind, const struct grid *g, const struct pair *pair, size_t pairs)
{
	uint64_t *key = keys_of_kind(kind, g, pair, pairs, &to->count);
	to->place = mem_array(to->count, sizeof *to->place);
	to->of = mem_array(pairs, sizeof *to->of);
	for (size_t i = 0; i < pairs; i++) {
		uint64_t own = key_of_kind(kind, g, pair[i]);
		to->of[i] = (uint32_t)((uint64_t *)bsearch(&own, key, to->count, sizeof *key, by_key) - key);
		to->place[to->of[i]] = place_of_kind(kind, g, pair[i]);
	}
	free(key);
}

/* How many different keys, if that is at most `limit`; else limit + 1. */
static uint32_t count_keys(enum place_kind kind, const struct grid *g, const struct pair *pair, size_t pairs, uint32_t limit)
{
	size_t size = 64;
	while (size < 4 * ((size_t)limit < pairs ? limit + 1 : pairs))
		size *= 2;
	uint64_t *slot = mem_array(size, sizeof *slot);
	memset(slot, 0xff, size * sizeof *slot);
	uint32_t count = 0;
	for (size_t i = 0; i < pairs && count <= limit; i++) {
		uint64_t key = key_of_kind(kind, g, pair[i]);
		size_t at = hash_mix(key) & (size - 1);
		while (slot[at] != UINT64_MAX && slot[at] != key)
			at = (at + 1) & (size - 1);
		count += slot[at] != key;
		slot[at] = key;
	}
	free(slot);
	return count;
}

/* How many of all pairs the functions explain that these need. */
static size_t explained_of_all(
	enum place_kind kind, const struct grid *g, const struct pair *pair, size_t pairs, const struct pair *all, size_t alls)
{
	uint32_t count;
	uint64_t *key = keys_of_kind(kind, g, pair, pairs, &count);
	size_t explained = 0;
	for (size_t i = 0; i < alls; i++) {
		uint64_t own = key_of_kind(kind, g, all[i]);
		explained += bsearch(&own, key, count, sizeof *key, by_key) != NULL;
	}
	free(key);
	return explained;
}

/* Only exclusive ors with a single bit are natural. */
static bool is_butterfly(const struct pair *pair, size_t pairs)
{
	for (size_t i = 0; i < pairs; i++)
		if (__builtin_popcount(pair[i].p ^ pair[i].q) > 1)
			return false;
	return true;
}

/* The kind that takes fewest functions; of equals the one whose functions explain most elsewhere. */
static enum place_kind best_kind(
	const struct grid *g, const struct pair *pair, size_t pairs, const struct pair *all, size_t alls, uint32_t *count)
{
	static const enum place_kind kinds[] = {PLACE_OFFSET, PLACE_XOR, PLACE_GRID, PLACE_NUMBER};
	enum place_kind best = PLACE_OFFSET;
	size_t explained = 0;
	*count = UINT32_MAX - 1;
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
		if (kinds[k] == PLACE_GRID && !g->axes)
			continue;
		uint32_t own = count_keys(kinds[k], g, pair, pairs, *count);
		if (own > *count)
			continue;
		size_t elsewhere = 0;
		if (own == *count) {
			explained = explained ? explained : explained_of_all(best, g, pair, pairs, all, alls);
			elsewhere = explained_of_all(kinds[k], g, pair, pairs, all, alls);
			bool unnatural = kinds[k] == PLACE_GRID && best == PLACE_XOR && !is_butterfly(pair, pairs);
			if (elsewhere < explained || (elsewhere == explained && !unnatural))
				continue;
		}
		*count = own;
		best = kinds[k];
		explained = elsewhere;
	}
	return best;
}

uint32_t places_moves(const struct pair *pair, size_t pairs, const struct grid *g)
{
	return count_keys(PLACE_GRID, g, pair, pairs, UINT32_MAX - 1);
}

uint32_t places_of_one_kind(const struct pair *pair, size_t pairs, const struct grid *g)
{
	static const enum place_kind kinds[] = {PLACE_OFFSET, PLACE_XOR, PLACE_GRID, PLACE_NUMBER};
	uint32_t best = UINT32_MAX - 1;
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
		if ((kinds[k] == PLACE_GRID && !g->axes) || (kinds[k] == PLACE_XOR && !is_butterfly(pair, pairs)))
			continue;
		uint32_t own = count_keys(kinds[k], g, pair, pairs, best);
		best = own < best ? own : best;
	}
	return best;
}

/* ------------------------------------------------------------------ kinds mixed */

struct vote {
	uint32_t function, votes, cost;
};

/* A function as the voters name it. Coordinates: where each comes from, and what is added. */
struct ballot {
	int32_t kind, number;
	struct {
		int32_t source, constant; /* source: 1 + an axis, negative if mirrored; 0: only the constant */
	} axis[GRID_AXES];
};

struct election {
	const struct grid *grid;
	const struct pair *pair;
	size_t pairs;
	bool quick;
	uint32_t candidates; /* to take in a round */
	struct intern *functions; /* ballots, as bytes */
	struct vote *vote; /* by function */
	size_t capacity;
	struct cover cover;
	struct place *place; /* by candidate */
	size_t place_capacity;
};

static void cast(struct election *e, const struct ballot *f, uint32_t cost)
{
	uint32_t id = intern_id(e->functions, f, sizeof *f);
	if (id >= e->capacity) {
		size_t before = e->capacity;
		e->vote = mem_grow(e->vote, &e->capacity, id + 1, sizeof *e->vote);
		memset(e->vote + before, 0, (e->capacity - before) * sizeof *e->vote);
	}
	e->vote[id].function = id;
	e->vote[id].votes++;
	e->vote[id].cost = cost;
}

/* What coordinate `axis` of q may be: moved; that of another axis; mirrored; fixed. */
static void cast_axes(struct election *e, const uint32_t *from, const uint32_t *to, uint32_t axis, struct ballot *f, uint32_t cost)
{
	const struct grid *g = e->grid;
	if (axis == g->axes) {
		cast(e, f, 3 + cost);
		return;
	}
	uint32_t size = g->size[axis];
	for (uint32_t j = 0; j < g->axes; j++) {
		if (g->size[j] != size || size == 1)
			continue;
		int32_t c = (int32_t)grid_nearest((to[axis] + size - from[j]) % size, size);
		if (e->quick && j != axis && c)
			continue;
		f->axis[axis].source = (int32_t)j + 1;
		f->axis[axis].constant = c;
		cast_axes(e, from, to, axis + 1, f, cost + (j == axis ? c != 0 : 2 + (c != 0)));
	}
	if (size > 1 && e->quick)
		return;
	f->axis[axis].source = 0;
	f->axis[axis].constant = (int32_t)to[axis];
	cast_axes(e, from, to, axis + 1, f, cost + (size > 1 ? 4 : 0));
	if (size <= 2)
		return;
	f->axis[axis].source = -(int32_t)axis - 1;
	f->axis[axis].constant = (int32_t)((to[axis] + from[axis]) % size);
	cast_axes(e, from, to, axis + 1, f, cost + 5);
}

static struct place place_of_ballot(const struct grid *g, const struct ballot *b)
{
	struct place f = {.kind = b->kind, .number = b->number};
	for (uint32_t i = 0; i < g->axes && b->kind == PLACE_GRID; i++) {
		f.axis[i].constant = b->axis[i].constant;
		if (b->axis[i].source)
			f.axis[i].axis[abs(b->axis[i].source) - 1] = b->axis[i].source > 0 ? 1 : -1;
	}
	return f;
}

static void coordinates(const struct grid *g, uint32_t rank, uint32_t *at)
{
	for (uint32_t i = 0; i < g->axes; i++) {
		at[i] = rank % g->size[i];
		rank /= g->size[i];
	}
}

static void cast_all(struct election *e, struct pair pair)
{
	static const enum place_kind kinds[] = {PLACE_OFFSET, PLACE_XOR, PLACE_NUMBER};
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
		struct ballot f = {.kind = kinds[k], .number = (int32_t)place_of_kind(kinds[k], e->grid, pair).number};
		cast(e, &f, k == 2 ? 9 : (uint32_t)k + 1);
	}
	if (!e->grid->axes)
		return;
	uint32_t from[GRID_AXES], to[GRID_AXES];
	struct ballot f = {.kind = PLACE_GRID};
	coordinates(e->grid, pair.p, from);
	coordinates(e->grid, pair.q, to);
	cast_axes(e, from, to, 0, &f, 0);
}

/* How many functions one pair votes for, about. */
static size_t hypotheses(const struct election *e)
{
	size_t product = 1;
	for (uint32_t i = 0; i < e->grid->axes; i++) {
		size_t equal = 0;
		for (uint32_t j = 0; j < e->grid->axes; j++)
			equal += e->grid->size[j] == e->grid->size[i];
		product *= equal + (e->quick ? 0 : 2);
	}
	return product + 3;
}

static int by_votes(const void *a, const void *b)
{
	const struct vote *x = a, *y = b;
	if (x->votes != y->votes)
		return x->votes > y->votes ? -1 : 1;
	if (x->cost != y->cost)
		return x->cost < y->cost ? -1 : 1;
	return (x->function > y->function) - (x->function < y->function);
}

static size_t find_pair(const struct election *e, struct pair want)
{
	size_t low = 0, high = e->pairs;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct pair *at = &e->pair[middle];
		if (at->p < want.p || (at->p == want.p && at->q < want.q))
			low = middle + 1;
		else
			high = middle;
	}
	return low < e->pairs && e->pair[low].p == want.p && e->pair[low].q == want.q ? low : e->pairs;
}

static void nominate(struct election *e, const struct place *f, uint32_t cost)
{
	uint32_t c = cover_add(&e->cover, cost);
	e->place = mem_grow(e->place, &e->place_capacity, c + 1, sizeof *e->place);
	e->place[c] = *f;
	for (size_t i = 0; i < e->pairs; i++) {
		if (i && e->pair[i].p == e->pair[i - 1].p)
			continue;
		struct spot spot = grid_spot(e->grid, e->pair[i].p);
		int64_t q = place_at(f, e->grid, &spot);
		size_t found = q < 0 || q >= RANK_LIMIT ? e->pairs : find_pair(e, (struct pair){e->pair[i].p, (uint32_t)q});
		if (found < e->pairs)
			cover_set(&e->cover, c, found);
	}
}

/* Pairs that no candidate explains yet vote; `item` says which. Functions with few votes, against what each of `least` would have, stand no chance. */
static void elect(struct election *e, const size_t *item, size_t items, uint32_t least)
{
	size_t most = HYPOTHESES / hypotheses(e), step = items > most ? items / most + 1 : 1, voters = (items + step - 1) / step;
	e->functions = intern_new();
	for (size_t i = 0; i < items; i += step)
		cast_all(e, e->pair[item[i]]);
	uint32_t count = intern_count(e->functions);
	struct vote *ranked = mem_copy(e->vote, count * sizeof *ranked);
	qsort(ranked, count, sizeof *ranked, by_votes);
	for (uint32_t i = 0; i < count && i < e->candidates && (size_t)ranked[i].votes * least * CHANCE >= voters; i++) {
		struct place f = place_of_ballot(e->grid, intern_data(e->functions, ranked[i].function, NULL));
		nominate(e, &f, ranked[i].cost);
	}
	free(ranked);
	free(e->vote);
	e->vote = NULL;
	e->capacity = 0;
	intern_free(e->functions);
}

static bool explained(const struct election *e, const uint32_t *chosen, uint32_t count, size_t item)
{
	for (uint32_t k = 0; k < count; k++)
		if (cover_has(&e->cover, chosen[k], item))
			return true;
	return false;
}

/* What the last rounds left is explained by p+c. */
static void nominate_offsets(struct election *e, const size_t *item, size_t items)
{
	for (size_t i = 0; i < items; i++) {
		bool known = false;
		for (uint32_t k = 0; k < e->cover.candidates && !known; k++)
			known = cover_has(&e->cover, k, item[i]);
		struct place f = place_of_kind(PLACE_OFFSET, e->grid, e->pair[item[i]]);
		if (!known)
			nominate(e, &f, 1);
	}
}

/* Mixed kinds, if that takes fewer than `enough` functions: true. */
static bool choose_mixed(
	struct places *to, const struct pair *pair, size_t pairs, const struct grid *g, bool quick, uint32_t enough)
{
	struct election e = {.grid = g, .pair = pair, .pairs = pairs, .quick = quick, .candidates = CANDIDATES};
	if (pairs * CANDIDATES > TRIALS)
		e.candidates = places_least(pair, pairs) + FEW_CANDIDATES;
	cover_start(&e.cover, pairs);
	size_t *item = mem_array(pairs, sizeof *item), left = pairs;
	uint32_t *chosen = NULL, count = 0;
	for (size_t i = 0; i < pairs; i++)
		item[i] = i;
	for (int round = 0; left && round < ROUNDS; round++) {
		if (round < ROUNDS - 1)
			elect(&e, item, left, places_least(pair, pairs));
		else if (left < enough)
			nominate_offsets(&e, item, left);
		chosen = mem_resize(chosen, e.cover.candidates + 1, sizeof *chosen);
		count = cover_choose(&e.cover, chosen, &left);
		if (count >= enough || left > pairs / 2)
			break;
		left = 0;
		for (size_t i = 0; i < pairs; i++)
			if (!explained(&e, chosen, count, i))
				item[left++] = i;
	}
	bool better = !left && count < enough;
	if (better) {
		to->count = count;
		to->place = mem_array(count, sizeof *to->place);
		to->of = mem_array(pairs, sizeof *to->of);
		for (uint32_t k = 0; k < count; k++)
			to->place[k] = e.place[chosen[k]];
		for (size_t i = 0; i < pairs; i++)
			for (uint32_t k = count; k--;)
				if (cover_has(&e.cover, chosen[k], i))
					to->of[i] = k;
	}
	free(item);
	free(chosen);
	free(e.place);
	cover_clear(&e.cover);
	return better;
}

void places_choose(struct places *to, const struct pair *pair, size_t pairs, const struct grid *g, enum place_choice choice,
	const struct pair *all, size_t alls)
{
	*to = (struct places){0};
	if (choice == CHOOSE_OFFSETS) {
		choose_kind(to, PLACE_OFFSET, g, pair, pairs);
		return;
	}
	uint32_t least = places_least(pair, pairs), count;
	enum place_kind kind = best_kind(g, pair, pairs, all, alls, &count);
	if (count > least && choose_mixed(to, pair, pairs, g, choice == CHOOSE_QUICKLY, count))
		return;
	choose_kind(to, kind, g, pair, pairs);
}
