/*
 * infer.c -- the grid, by trying.
 *
 * Only populations that numbers, p+c and p^c do not explain with as few functions as can be need a grid. Every factorization of the number of
 * processes into 2 to 4 sizes (and into P times 1, a ring) is tried on a sample: pairs that are unlike the others, where a grid wraps around, and some
 * others. The best few are tried on everything. Of equals, the one wins on which all messages are fewest different
 * moves, then the one on which most pairs are neighbours, then a ring, then the one with fewer axes.
 */
#include "fold/infer.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

#define SAMPLE 40 /* processes of a population */
#define POPULATIONS 12 /* looked at in the first round */
#define FINALISTS 4

struct candidate {
	struct grid grid;
	size_t score; /* functions and groups left; fewer are better */
	bool pure; /* moves on the grid suffice */
	size_t moves; /* different ones, of all populations */
	size_t neighbours; /* pairs of the sample that are one step apart, but for populations in which everybody has to do with everybody */
};

struct inference {
	uint32_t processes;
	struct population *hard; /* populations that a grid may help */
	size_t hards;
	struct population *sample; /* of the first of them; owned */
	size_t samples;
	struct population *other; /* samples of the others; owned */
	size_t others;
	const struct ranks *groups;
	size_t group_count;
	struct candidate *candidate;
	size_t candidates, capacity;
};

/* ------------------------------------------------------------------ groups */

bool infer_area(const struct grid *g, const struct ranks *group, struct area *area)
{
	if (!g->axes || !group->length)
		return false;
	uint64_t members = ranks_count(group);
	struct spot spot = grid_spot(g, group->run->first);
	struct ranks line = {0};
	bool found = false;
	for (uint32_t mask = 1; mask < (1u << g->axes) - 1 && !found; mask++) {
		uint64_t size = 1;
		*area = (struct area){.on_grid = 1};
		for (uint32_t i = 0; i < g->axes; i++) {
			area->all[i] = mask >> i & 1;
			area->axis[i].axis[i] = !area->all[i];
			size *= area->all[i] ? g->size[i] : 1;
		}
		if (size != members)
			continue;
		area_at(area, g, &spot, &line);
		found = ranks_equal(&line, group);
	}
	ranks_clear(&line);
	return found;
}

/* Groups that are no line, and kinds of lines. */
static size_t score_groups(const struct inference *x, const struct grid *g)
{
	size_t score = 0;
	uint32_t kinds = 0; /* bit by mask of axes */
	for (size_t i = 0; i < x->group_count; i++) {
		struct area area;
		if (!infer_area(g, &x->groups[i], &area)) {
			score++;
			continue;
		}
		uint32_t mask = 0;
		for (uint32_t k = 0; k < g->axes; k++)
			mask |= (uint32_t)area.all[k] << k;
		kinds |= 1u << mask;
	}
	return score + (size_t)__builtin_popcount(kinds);
}

/* ------------------------------------------------------------------ populations */

static size_t functions(const struct population *p, const struct grid *g, enum place_choice choice)
{
	struct places places;
	places_choose(&places, p->pair, p->pairs, g, choice, NULL, 0);
	size_t count = places.count;
	places_clear(&places);
	return count;
}

static uint64_t hash_of(const struct population *p)
{
	return hash_bytes(p->pair, p->pairs * sizeof *p->pair);
}

struct hashed {
	uint64_t hash;
	struct population population;
};

static int by_pairs(const void *a, const void *b)
{
	const struct hashed *x = a, *y = b;
	if (x->population.pairs != y->population.pairs)
		return x->population.pairs > y->population.pairs ? -1 : 1;
	return (x->hash > y->hash) - (x->hash < y->hash);
}

/* How many functions of one kind it takes at best. */
static size_t kind_functions(const struct population *p, const struct grid *g)
{
	return places_of_one_kind(p->pair, p->pairs, g);
}

/* Different ones, the largest first. */
static struct hashed *different(const struct population *all, size_t count, size_t *kept)
{
	struct hashed *h = mem_array(count, sizeof *h);
	*kept = 0;
	for (size_t i = 0; i < count; i++)
		h[i] = (struct hashed){hash_of(&all[i]), all[i]};
	if (count)
		qsort(h, count, sizeof *h, by_pairs);
	for (size_t i = 0; i < count; i++)
		if (!*kept || h[*kept - 1].hash != h[i].hash)
			h[(*kept)++] = h[i];
	return h;
}

static struct population sample_of(const struct population *p);

/* Hard are those for which p+c, p^c and numbers do not suffice. */
static void sort_populations(struct inference *x, const struct population *all, size_t count)
{
	static const struct grid none = {0};
	size_t kept;
	struct hashed *h = different(all, count, &kept);
	x->hard = mem_array(kept, sizeof *x->hard);
	x->sample = mem_array(POPULATIONS, sizeof *x->sample);
	x->other = mem_array(POPULATIONS, sizeof *x->other);
	for (size_t i = 0; i < kept; i++) {
		const struct population *p = &h[i].population;
		bool hard = kind_functions(p, &none) > places_least(p->pair, p->pairs);
		if (hard)
			x->hard[x->hards++] = *p;
		if (hard && x->samples < POPULATIONS)
			x->sample[x->samples++] = sample_of(p);
		if (!hard && x->others < POPULATIONS)
			x->other[x->others++] = sample_of(p);
	}
	free(h);
}

struct frequency {
	int64_t offset;
	size_t pair, count;
};

static int by_offset(const void *a, const void *b)
{
	const struct frequency *x = a, *y = b;
	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return (x->pair > y->pair) - (x->pair < y->pair);
}

static int by_rarity(const void *a, const void *b)
{
	const struct frequency *x = a, *y = b;
	if (x->count != y->count)
		return x->count < y->count ? -1 : 1;
	return (x->pair > y->pair) - (x->pair < y->pair);
}

/* Take all pairs of the process of this pair. */
static void take_process(const struct population *p, size_t pair, bool *taken)
{
	size_t i = pair;
	while (i && p->pair[i - 1].p == p->pair[pair].p)
		i--;
	for (; i < p->pairs && p->pair[i].p == p->pair[pair].p; i++)
		taken[i] = true;
}

/* Half of the processes have pairs whose distance is rare, spread over all such; the others are spread over all. */
static struct population sample_of(const struct population *p)
{
	struct frequency *f = mem_array(p->pairs, sizeof *f);
	bool *taken = mem_zero(p->pairs);
	for (size_t i = 0; i < p->pairs; i++)
		f[i] = (struct frequency){(int64_t)p->pair[i].q - p->pair[i].p, i, 0};
	qsort(f, p->pairs, sizeof *f, by_offset);
	for (size_t from = 0, to; from < p->pairs; from = to) {
		for (to = from; to < p->pairs && f[to].offset == f[from].offset;)
			to++;
		for (size_t i = from; i < to; i++)
			f[i].count = to - from;
	}
	qsort(f, p->pairs, sizeof *f, by_rarity);
	size_t rare = p->pairs / 4 + 1, step = rare / (SAMPLE / 2) + 1;
	for (size_t i = 0; i < rare && i < p->pairs; i += step)
		take_process(p, f[i].pair, taken);
	step = p->pairs / (SAMPLE / 2) + 1;
	for (size_t i = 0; i < p->pairs; i += step)
		take_process(p, i, taken);
	struct pair *pair = mem_array(p->pairs, sizeof *pair);
	struct population sample = {pair, 0};
	for (size_t i = 0; i < p->pairs; i++)
		if (taken[i])
			pair[sample.pairs++] = p->pair[i];
	free(f);
	free(taken);
	return sample;
}

/* ------------------------------------------------------------------ grids */

static bool is_neighbour(const struct grid *g, struct pair pair)
{
	uint32_t steps = 0;
	for (uint32_t i = 0; i < g->axes; i++) {
		uint32_t from = pair.p % g->size[i], to = pair.q % g->size[i], size = g->size[i];
		uint32_t move = (to + size - from) % size;
		steps += move == 0 ? 0 : move == 1 || move == size - 1 ? 1 : 2;
		pair.p /= size;
		pair.q /= size;
	}
	return steps == 1;
}

/* Only axes of equal sizes can be exchanged. */
static bool has_equal_axes(const struct grid *g)
{
	for (uint32_t i = 0; i < g->axes; i++)
		for (uint32_t k = 0; k < i; k++)
			if (g->size[i] == g->size[k] && g->size[i] > 1)
				return true;
	return false;
}

/* On the sample; mix: try functions of several kinds, too. */
static size_t score_sample(const struct inference *x, const struct grid *g, bool mix)
{
	size_t sum = x->group_count ? score_groups(x, g) : 0;
	for (size_t i = 0; i < x->samples; i++) {
		size_t own = kind_functions(&x->sample[i], g);
		bool open = mix && own > places_least(x->sample[i].pair, x->sample[i].pairs);
		sum += open ? functions(&x->sample[i], g, CHOOSE_QUICKLY) : own;
	}
	return sum;
}

static size_t score_all(const struct inference *x, const struct grid *g)
{
	size_t sum = x->group_count ? score_groups(x, g) : 0;
	for (size_t i = 0; i < x->hards; i++)
		sum += functions(&x->hard[i], g, CHOOSE_ALL);
	return sum;
}

/* No grid can do better. */
static size_t least_score(const struct inference *x)
{
	size_t sum = x->group_count > 0;
	for (size_t i = 0; i < x->samples; i++)
		sum += places_least(x->sample[i].pair, x->sample[i].pairs);
	return sum;
}

static void try_grid(struct inference *x, const struct grid *g)
{
	struct candidate c = {.grid.axes = g->axes, .score = score_sample(x, g, false)};
	memcpy(c.grid.size, g->size, g->axes * sizeof *g->size);
	c.pure = c.score == least_score(x);
	for (size_t i = 0; i < x->samples; i++) {
		c.moves += places_moves(x->sample[i].pair, x->sample[i].pairs, g);
		bool everybody = places_least(x->sample[i].pair, x->sample[i].pairs) + 1 >= x->processes;
		for (size_t k = 0; k < x->sample[i].pairs && !everybody; k++)
			c.neighbours += is_neighbour(g, x->sample[i].pair[k]);
	}
	for (size_t i = 0; i < x->others; i++)
		c.moves += places_moves(x->other[i].pair, x->other[i].pairs, g);
	x->candidate = mem_grow(x->candidate, &x->capacity, x->candidates + 1, sizeof *x->candidate);
	x->candidate[x->candidates++] = c;
}

/* All ways to write `rest` as the product of the sizes from `axes` on. */
static void try_sizes(struct inference *x, struct grid *g, uint32_t rest)
{
	uint32_t axis = g->axes++;
	if (g->axes >= 2) {
		g->size[axis] = rest;
		try_grid(x, g);
	}
	for (uint32_t size = 2; g->axes < GRID_AXES && size <= rest / 2; size++) {
		if (rest % size)
			continue;
		g->size[axis] = size;
		try_sizes(x, g, rest / size);
	}
	g->axes--;
}

static bool is_ring(const struct grid *g)
{
	return g->axes == 2 && g->size[1] == 1;
}

static int by_score(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	if (x->score != y->score)
		return x->score < y->score ? -1 : 1;
	if (x->pure != y->pure)
		return x->pure ? -1 : 1;
	if (x->pure && x->moves != y->moves)
		return x->moves < y->moves ? -1 : 1;
	if (!x->pure && x->grid.axes != y->grid.axes)
		return x->grid.axes < y->grid.axes ? -1 : 1;
	if (x->neighbours != y->neighbours)
		return x->neighbours > y->neighbours ? -1 : 1;
	if (is_ring(&x->grid) != is_ring(&y->grid))
		return is_ring(&x->grid) ? -1 : 1;
	if (x->grid.axes != y->grid.axes)
		return x->grid.axes < y->grid.axes ? -1 : 1;
	return memcmp(x->grid.size, y->grid.size, sizeof x->grid.size);
}

static struct grid best_grid(struct inference *x)
{
	static const struct grid none = {0};
	qsort(x->candidate, x->candidates, sizeof *x->candidate, by_score);
	if (x->candidate->score > least_score(x)) {
		for (size_t i = 0; i < x->candidates; i++)
			if (has_equal_axes(&x->candidate[i].grid))
				x->candidate[i].score = score_sample(x, &x->candidate[i].grid, true);
		qsort(x->candidate, x->candidates, sizeof *x->candidate, by_score);
	}
	if (x->candidate->score == least_score(x))
		return x->candidate->score < score_sample(x, &none, false) ? x->candidate->grid : none;
	size_t finalists = x->candidates < FINALISTS ? x->candidates : FINALISTS;
	for (size_t i = 0; i < finalists; i++)
		x->candidate[i].score = score_all(x, &x->candidate[i].grid);
	qsort(x->candidate, finalists, sizeof *x->candidate, by_score);
	return x->candidate->score < score_all(x, &none) ? x->candidate->grid : none;
}

struct grid infer_grid(
	uint32_t processes, const struct population *all, size_t populations, const struct ranks *groups, size_t count)
{
	struct inference x = {.processes = processes, .groups = groups, .group_count = count};
	struct grid found = {0}, ring = {2, {processes, 1}}, sizes = {0};
	sort_populations(&x, all, populations);
	if (processes > 2 && (x.hards || count)) {
		try_sizes(&x, &sizes, processes);
		try_grid(&x, &ring);
		found = best_grid(&x);
	}
	for (size_t i = 0; i < x.samples; i++)
		free((struct pair *)x.sample[i].pair);
	for (size_t i = 0; i < x.others; i++)
		free((struct pair *)x.other[i].pair);
	free(x.sample);
	free(x.other);
	free(x.hard);
	free(x.candidate);
	return found;
}
