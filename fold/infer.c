/*
 * infer.c -- the grid, by trying.
 *
 * Only populations that numbers, p+c and p^c do not explain with as few statements as can be need a
 * grid, or the ring. Every factorization of the number of processes into 2 to 4 sizes, and none,
 * which leaves the ring, is tried on a sample: peers that are unlike the others, where a grid wraps
 * around, and some others. The best few are tried on everything. Of equals, the one wins on which
 * all messages are fewest different moves, then the one on which most peers are neighbours, then
 * the ring, then the one with fewer axes.
 */
#include "fold/infer.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

#define SAMPLE 40 /* processes of a population */
#define POPULATIONS 12 /* looked at in the first round */
#define FINALISTS 4
#define HARDEST 40 /* populations by which these are compared */

struct candidate {
	struct grid grid;
	size_t score; /* statements and groups left; fewer are better */
	bool pure; /* moves on the grid suffice */
	size_t moves; /* different ones, of all populations */
	/* peers of the sample that are one step away, but for populations in which everybody has to
	   do with everybody */
	size_t neighbours;
};

struct inference {
	uint32_t processes;
	const struct population **hard; /* populations that a grid may help */
	size_t hards;
	struct population *sample; /* of the first of them; owned */
	size_t samples;
	struct population *other; /* samples of the others; owned */
	size_t others;
	const struct ranks **group; /* of several processes */
	size_t groups;
	struct candidate *candidate;
	size_t candidates, capacity;
};

/* ------------------------------------------------------------------ groups */

bool infer_area(const struct grid *g, const struct ranks *group, struct area *area)
{
	if (ranks_count(group) == 1) {
		*area = (struct area){.on_grid = 1};
		for (uint32_t i = 0; i < g->axes; i++)
			area->axis[i].axis[i] = 1;
		return true;
	}
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
	for (size_t i = 0; i < x->groups; i++) {
		struct area area;
		if (!infer_area(g, x->group[i], &area)) {
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

static uint32_t statements(const struct population *p, const struct topology *t, enum place_choice choice)
{
	struct explanation places;
	places_choose(&places, p, t, choice, NULL);
	uint32_t count = population_statements(p, places.of, places.count);
	explanation_clear(&places);
	return count;
}

struct hashed {
	uint64_t hash;
	const struct population *population;
};

static int by_count(const void *a, const void *b)
{
	const struct hashed *x = a, *y = b;
	if (x->population->count != y->population->count)
		return x->population->count > y->population->count ? -1 : 1;
	return (x->hash > y->hash) - (x->hash < y->hash);
}

/* Different ones, the largest first. */
static struct hashed *different(const struct population *all, size_t count, size_t *kept)
{
	struct hashed *h = mem_array(count, sizeof *h);
	*kept = 0;
	for (size_t i = 0; i < count; i++)
		h[i] = (struct hashed){hash_bytes(all[i].seen, all[i].count * sizeof *all[i].seen), &all[i]};
	if (count)
		qsort(h, count, sizeof *h, by_count);
	for (size_t i = 0; i < count; i++)
		if (!*kept || h[*kept - 1].hash != h[i].hash)
			h[(*kept)++] = h[i];
	return h;
}

static struct population sample_of(const struct population *p);

/* Hard are those that take more statements without a grid than can be. */
static void sort_populations(struct inference *x, const struct population *all, size_t count)
{
	struct topology none = {.processes = x->processes};
	size_t kept;
	struct hashed *h = different(all, count, &kept);
	x->hard = mem_array(kept, sizeof *x->hard);
	x->sample = mem_array(POPULATIONS, sizeof *x->sample);
	x->other = mem_array(POPULATIONS, sizeof *x->other);
	for (size_t i = 0; i < kept; i++) {
		const struct population *p = h[i].population;
		bool hard = places_statements(p, &none, false) > p->least;
		if (hard)
			x->hard[x->hards++] = p;
		if (hard && x->samples < POPULATIONS)
			x->sample[x->samples++] = sample_of(p);
		if (!hard && x->others < POPULATIONS)
			x->other[x->others++] = sample_of(p);
	}
	free(h);
}

struct frequency {
	int64_t offset;
	size_t at, count;
};

static int by_offset(const void *a, const void *b)
{
	const struct frequency *x = a, *y = b;
	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

static int by_rarity(const void *a, const void *b)
{
	const struct frequency *x = a, *y = b;
	if (x->count != y->count)
		return x->count < y->count ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

/* Take all that this process has to do with. */
static void take_process(const struct population *p, size_t at, bool *taken)
{
	size_t i = at;
	while (i && p->seen[i - 1].p == p->seen[at].p)
		i--;
	for (; i < p->count && p->seen[i].p == p->seen[at].p; i++)
		taken[i] = true;
}

/* Half of the processes have peers at rare distances, spread over all such; the others are spread
   over all. */
static struct population sample_of(const struct population *p)
{
	struct frequency *f = mem_array(p->count, sizeof *f);
	bool *taken = mem_zero(p->count);
	for (size_t i = 0; i < p->count; i++)
		f[i] = (struct frequency){(int64_t)p->seen[i].number - p->seen[i].p, i, 0};
	qsort(f, p->count, sizeof *f, by_offset);
	for (size_t from = 0, to; from < p->count; from = to) {
		for (to = from; to < p->count && f[to].offset == f[from].offset;)
			to++;
		for (size_t i = from; i < to; i++)
			f[i].count = to - from;
	}
	qsort(f, p->count, sizeof *f, by_rarity);
	size_t rare = p->count / 4 + 1, step = rare / (SAMPLE / 2) + 1;
	for (size_t i = 0; i < rare && i < p->count; i += step)
		take_process(p, f[i].at, taken);
	step = p->count / (SAMPLE / 2) + 1;
	for (size_t i = 0; i < p->count; i += step)
		take_process(p, i, taken);
	struct observation *seen = mem_array(p->count, sizeof *seen);
	size_t count = 0;
	for (size_t i = 0; i < p->count; i++)
		if (taken[i])
			seen[count++] = p->seen[i];
	free(f);
	free(taken);
	return population_of(seen, count);
}

static void free_samples(struct population *sample, size_t samples)
{
	for (size_t i = 0; i < samples; i++) {
		free((struct observation *)sample[i].seen);
		population_clear(&sample[i]);
	}
	free(sample);
}

/* ------------------------------------------------------------------ grids */

static uint32_t steps_on(uint32_t size, uint32_t from, uint32_t to)
{
	uint32_t move = (to + size - from) % size;
	return move == 0 ? 0 : move == 1 || move == size - 1 ? 1 : 2;
}

static bool is_neighbour(const struct topology *t, const struct observation *o)
{
	const struct grid *g = &t->grid;
	uint32_t p = o->p, q = (uint32_t)o->number, steps = g->axes ? 0 : steps_on(t->processes, p, q);
	for (uint32_t i = 0; i < g->axes; i++) {
		steps += steps_on(g->size[i], p % g->size[i], q % g->size[i]);
		p /= g->size[i];
		q /= g->size[i];
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
	struct topology t = {x->processes, *g};
	size_t sum = x->groups ? score_groups(x, g) : 0;
	for (size_t i = 0; i < x->samples; i++) {
		uint32_t own = places_statements(&x->sample[i], &t, true);
		sum += mix && own > x->sample[i].least ? statements(&x->sample[i], &t, CHOOSE_QUICKLY) : own;
	}
	return sum;
}

static size_t score_all(const struct inference *x, const struct grid *g)
{
	struct topology t = {x->processes, *g};
	size_t sum = x->groups ? score_groups(x, g) : 0;
	for (size_t i = 0; i < x->hards && i < HARDEST; i++)
		sum += statements(x->hard[i], &t, CHOOSE_ALL);
	return sum;
}

/* No grid can do better. */
static size_t least_score(const struct inference *x)
{
	size_t sum = x->groups > 0;
	for (size_t i = 0; i < x->samples; i++)
		sum += x->sample[i].least;
	return sum;
}

static void try_grid(struct inference *x, const struct grid *g)
{
	struct candidate c = {.grid.axes = g->axes, .score = score_sample(x, g, false)};
	memcpy(c.grid.size, g->size, g->axes * sizeof *g->size);
	c.pure = c.score == least_score(x);
	struct topology t = {x->processes, c.grid};
	for (size_t i = 0; i < x->samples; i++) {
		const struct population *p = &x->sample[i];
		c.moves += places_moves(p, &t);
		for (size_t k = 0; k < p->count && p->least + 1 < x->processes; k++)
			c.neighbours += is_neighbour(&t, &p->seen[k]);
	}
	for (size_t i = 0; i < x->others; i++)
		c.moves += places_moves(&x->other[i], &t);
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
	if (x->grid.axes != y->grid.axes)
		return x->grid.axes < y->grid.axes ? -1 : 1; /* none: the ring */
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
		return x->candidate->grid;
	size_t finalists = x->candidates < FINALISTS ? x->candidates : FINALISTS;
	for (size_t i = 0; i < finalists; i++)
		x->candidate[i].score = score_all(x, &x->candidate[i].grid);
	qsort(x->candidate, finalists, sizeof *x->candidate, by_score);
	return x->candidate->score < score_all(x, &none) ? x->candidate->grid : none;
}

struct grid infer_grid(
	uint32_t processes, const struct population *all, size_t populations, const struct ranks *groups, size_t count)
{
	struct inference x = {.processes = processes, .group = mem_array(count, sizeof *x.group)};
	struct grid found = {0}, none = {0}, sizes = {0};
	for (size_t i = 0; i < count; i++)
		if (ranks_count(&groups[i]) > 1)
			x.group[x.groups++] = &groups[i];
	sort_populations(&x, all, populations);
	if (x.hards || x.groups) {
		try_grid(&x, &none);
		try_sizes(&x, &sizes, processes);
		found = best_grid(&x);
	}
	free_samples(x.sample, x.samples);
	free_samples(x.other, x.others);
	free(x.hard);
	free(x.group);
	free(x.candidate);
	return found;
}
