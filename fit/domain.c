/*
 * domain.c -- points as columns, grouped by hashing.
 */
#include "fit/domain.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

/* ------------------------------------------------------------------ sums of sources */

uint32_t linear_terms(const struct linear *a)
{
	uint32_t terms = 0;
	for (int k = 0; k < SOURCES; k++)
		terms += a->factor[k] != 0;
	return terms;
}

node_id source_node(struct store *s, int source)
{
	return number_variable(s, source < SOURCE_INDEX ? VARIABLE_P + source : VARIABLE_INDEX + SOURCES - 1 - source);
}

node_id linear_node(struct store *s, const struct linear *a)
{
	node_id sum = number_constant(s, a->constant);
	for (int k = 0; k < SOURCES; k++)
		if (a->factor[k])
			sum = number_add(s, sum, source_node(s, k), a->factor[k]);
	return sum;
}

/* ------------------------------------------------------------------ points */

struct environment points_environment(struct store *s, uint32_t processes, const struct grid *g, int64_t *index)
{
	memset(index, 0, INDEX_DEPTH * sizeof *index);
	return (struct environment){
		.store = s, .processes = processes, .grid = *g, .index = index, .depth = INDEX_DEPTH};
}

void points_move(struct environment *e, const struct fit_points *points, size_t point)
{
	environment_move(e, points->process[point]);
	for (uint32_t k = 0; k < points->lives; k++)
		if (points->live[k] < INDEX_DEPTH)
			e->index[INDEX_DEPTH - 1 - points->live[k]] = points->index[point * points->lives + k];
	e->failure = FAILURE_NONE;
}

bool points_number(struct environment *e, const struct fit_points *points, size_t point, node_id id, int64_t *number)
{
	points_move(e, points, point);
	*number = node_of(e->store, id)->kind == NODE_TEST ? test_holds(e, id) : number_at(e, id);
	return !e->failure;
}

bool domain_proves(const struct domain *d, const int64_t *number, node_id id)
{
	struct environment e = d->environment;
	int64_t is;
	for (size_t i = 0; i < d->count; i++)
		if (!points_number(&e, d->points, i, id, &is) || is != number[i])
			return false;
	return true;
}

struct column column_of(const int64_t *at, size_t count)
{
	struct column c = {at, count ? at[0] : 0, count ? at[0] : 0};
	for (size_t i = 1; i < count; i++) {
		c.least = at[i] < c.least ? at[i] : c.least;
		c.most = at[i] > c.most ? at[i] : c.most;
	}
	return c;
}

bool column_is_constant(const int64_t *at, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (at[i] != at[0])
			return false;
	return true;
}

/* Kept only where it differs between points. */
static void keep_source(struct domain *d, int source, int64_t *at)
{
	struct column c = column_of(at, d->count);
	if (c.least == c.most) {
		free(at);
		return;
	}
	d->source[source] = at;
	d->column[source] = c;
	d->sources |= UINT32_C(1) << source;
}

static void add_axes(struct domain *d, const uint32_t *process)
{
	const struct grid *g = &d->environment.grid;
	uint64_t below = 1;
	for (uint32_t k = 0; k < g->axes; below *= g->size[k++]) {
		int64_t *column = mem_array(d->count, sizeof *column);
		for (size_t i = 0; i < d->count; i++)
			column[i] = (int64_t)(process[i] / below % g->size[k]);
		keep_source(d, SOURCE_AXIS + (int)k, column);
	}
}

void domain_make(
	struct domain *d, struct store *s, uint32_t processes, const struct grid *g, const struct fit_points *points)
{
	*d = (struct domain){.points = points, .count = points->count};
	d->environment = points_environment(s, processes, g, d->index);
	int64_t *column = mem_array(d->count, sizeof *column);
	for (size_t i = 0; i < d->count; i++)
		column[i] = points->process[i];
	keep_source(d, SOURCE_P, column);
	if (d->sources & OF_P)
		add_axes(d, points->process);
	for (uint32_t k = 0; k < points->lives; k++) {
		if (points->live[k] >= INDEX_DEPTH)
			continue; /* no formula names it */
		column = mem_array(d->count, sizeof *column);
		for (size_t i = 0; i < d->count; i++)
			column[i] = points->index[i * points->lives + k];
		keep_source(d, SOURCES - 1 - (int)points->live[k], column);
	}
}

void domain_clear(struct domain *d)
{
	for (int s = 0; s < SOURCES; s++)
		free(d->source[s]);
}

uint32_t source_size(const struct domain *d, int source)
{
	const struct environment *e = &d->environment;
	return source == SOURCE_P ? e->processes : source < SOURCE_INDEX ? e->grid.size[source - SOURCE_AXIS] : 0;
}

bool domain_has(const struct domain *d, uint32_t sources, size_t least)
{
	size_t *seen = mem_array(least, sizeof *seen), count = 0;
	for (size_t i = 0; i < d->count && count < least; i++) {
		bool same = false;
		for (size_t k = 0; k < count && !same; k++) {
			same = true;
			for (int s = 0; s < SOURCES && same; s++)
				same = !(sources >> s & 1) || d->source[s][i] == d->source[s][seen[k]];
		}
		if (!same)
			seen[count++] = i;
	}
	free(seen);
	return count >= least;
}

/* ------------------------------------------------------------------ by hashing */

/* By slot the number of a point and one; 0: empty. Where columns have few different values together,
   each combination has a slot of its own; else slots are found by hashing. */
struct slots {
	uint32_t *point;
	size_t mask;
	bool own;
	int64_t least[SOURCES];
	uint64_t scale[SOURCES];
};

/* Slots of their own: so many times as many as points, and so many. */
#define OWN_RATIO 4
#define OWN_FEW 1024

static struct slots slots_new(size_t count, const struct column *column, uint32_t columns)
{
	struct slots s = {.own = true};
	uint64_t box = 1;
	for (uint32_t k = 0; k < columns; k++) {
		s.least[k] = column[k].least;
		s.scale[k] = box;
		s.own = s.own && !__builtin_mul_overflow(box, (uint64_t)(column[k].most - column[k].least) + 1, &box);
	}
	s.own = s.own && box <= OWN_RATIO * count + OWN_FEW;
	size_t size = s.own ? box : 16;
	while (!s.own && size < 2 * count)
		size *= 2;
	s.mask = size - 1;
	s.point = mem_zero(size * sizeof *s.point);
	return s;
}

/* The slot of a point that is the same in all columns, or an empty one. */
static uint32_t *slot_of(const struct slots *s, const struct column *column, uint32_t columns, size_t point)
{
	uint64_t hash = 0;
	if (s->own) {
		for (uint32_t k = 0; k < columns; k++)
			hash += (uint64_t)(column[k].at[point] - s->least[k]) * s->scale[k];
		return &s->point[hash];
	}
	for (uint32_t k = 0; k < columns; k++)
		hash = hash_pair(hash, (uint64_t)column[k].at[point]);
	for (size_t at = hash & s->mask;; at = (at + 1) & s->mask) {
		uint32_t other = s->point[at];
		bool same = other;
		for (uint32_t k = 0; k < columns && same; k++)
			same = column[k].at[other - 1] == column[k].at[point];
		if (same || !other)
			return &s->point[at];
	}
}

struct point_groups {
	struct slots slots;
	const struct column *column;
	uint32_t columns;
};

struct point_groups *groups_new(size_t count, const struct column *column, uint32_t columns)
{
	struct point_groups *g = mem_alloc(sizeof *g);
	*g = (struct point_groups){slots_new(count, column, columns), column, columns};
	return g;
}

void groups_free(struct point_groups *g)
{
	free(g->slots.point);
	free(g);
}

size_t groups_first(struct point_groups *g, size_t point)
{
	uint32_t *slot = slot_of(&g->slots, g->column, g->columns, point);
	if (!*slot)
		*slot = (uint32_t)point + 1;
	return *slot - 1;
}

struct ordered {
	int64_t at[TABLE_ARGUMENTS], number;
};

static int by_place(const void *a, const void *b)
{
	const struct ordered *x = a, *y = b;
	for (int i = 0; i < TABLE_ARGUMENTS; i++)
		if (x->at[i] != y->at[i])
			return x->at[i] < y->at[i] ? -1 : 1;
	return 0;
}

static void order_cells(struct cells *to, const struct variable *const *v, const int64_t *number, const uint32_t *point)
{
	struct ordered *cell = mem_zero((to->count + 1) * sizeof *cell);
	for (size_t i = 0; i < to->count; i++) {
		cell[i].number = number[point[i]];
		for (uint32_t k = 0; k < to->arguments; k++)
			cell[i].at[k] = v[k]->column.at[point[i]];
	}
	qsort(cell, to->count, sizeof *cell, by_place);
	to->at = mem_array(to->count * to->arguments, sizeof *to->at);
	to->number = mem_array(to->count, sizeof *to->number);
	for (size_t i = 0; i < to->count; i++) {
		to->number[i] = cell[i].number;
		memcpy(to->at + i * to->arguments, cell[i].at, to->arguments * sizeof *to->at);
	}
	free(cell);
}

/* Points that tell whether variables decide anything: where they do not, it shows early. */
#define FIRST_FEW 512

bool cells_make(struct cells *to, const struct domain *d, const int64_t *number, const struct variable *const *v,
	uint32_t arguments)
{
	struct column column[TABLE_ARGUMENTS];
	size_t capacity = 0;
	uint32_t *point = NULL;
	bool good = true;
	*to = (struct cells){.arguments = arguments};
	for (uint32_t k = 0; k < arguments; k++)
		column[k] = v[k]->column;
	for (size_t most = d->count < FIRST_FEW ? d->count : FIRST_FEW;; most = d->count) {
		struct slots s = slots_new(most, column, arguments);
		to->count = 0;
		for (size_t i = 0; i < most && good; i++) {
			uint32_t *slot = slot_of(&s, column, arguments, i);
			if (*slot) {
				good = number[*slot - 1] == number[i];
				continue;
			}
			*slot = (uint32_t)i + 1;
			*MEM_PUSH(point, to->count, capacity) = (uint32_t)i;
		}
		free(s.point);
		if (!good || most == d->count)
			break;
	}
	if (good)
		order_cells(to, v, number, point);
	free(point);
	return good;
}

void cells_clear(struct cells *c)
{
	free(c->at);
	free(c->number);
	*c = (struct cells){0};
}
