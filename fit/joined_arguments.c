/*
 * joined_arguments.c -- sources that are needed, points in their order, and for each way to cut the
 * sources into arguments the places of the table.
 */
#include "fit/joined_arguments.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fit/limits.h"

struct joining {
	const struct domain *domain;
	struct variable part[SOURCES]; /* the slowest first; borrowed */
	uint32_t parts;
};

/* Do the parts decide the numbers, without this one (parts: with all)? */
static bool decide(const struct joining *j, const int64_t *number, uint32_t without)
{
	struct column column[SOURCES];
	uint32_t columns = 0;
	for (uint32_t k = 0; k < j->parts; k++)
		if (k != without)
			column[columns++] = j->part[k].column;
	struct point_groups *groups = groups_new(j->domain->count, column, columns);
	bool good = true;
	for (size_t i = 0; i < j->domain->count && good; i++)
		good = number[groups_first(groups, i)] == number[i];
	groups_free(groups);
	return good;
}

/* Without what tells nothing beside the others: of loops the inner ones stay, which are near. */
static bool find_parts(struct joining *j, const struct search *s, const int64_t *number, uint32_t tabled)
{
	for (uint32_t k = 0; k < s->simple; k++)
		if (!(s->variable[k].sources & (OF_AXES | ~tabled)))
			j->part[j->parts++] = s->variable[k];
	bool good = decide(j, number, j->parts);
	for (uint32_t k = 0; k < j->parts && j->parts > TABLE_ARGUMENTS && good;)
		if (decide(j, number, k)) {
			j->parts--;
			memmove(&j->part[k], &j->part[k + 1], (j->parts - k) * sizeof *j->part);
		} else {
			k++;
		}
	return good && j->parts;
}

static int64_t length_of(const struct joining *j, uint32_t part)
{
	return j->part[part].column.most + 1;
}

/* Parts [from, to) as one number. */
static int64_t joined_at(const struct joining *j, uint32_t from, uint32_t to, size_t point)
{
	int64_t at = 0;
	for (uint32_t k = from; k < to; k++)
		at = at * length_of(j, k) + j->part[k].column.at[point];
	return at;
}

static int by_parts(const void *a, const void *b, void *joining)
{
	const struct joining *j = joining;
	size_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	for (uint32_t k = 0; k < j->parts; k++) {
		const int64_t *at = j->part[k].column.at;
		if (at[x] != at[y])
			return at[x] < at[y] ? -1 : 1;
	}
	return x < y ? -1 : x > y;
}

static uint32_t *points_in_order(struct joining *j)
{
	size_t count = j->domain->count;
	uint32_t *point = mem_array(count, sizeof *point);
	bool ordered = true;
	for (size_t i = 0; i < count; i++) {
		point[i] = (uint32_t)i;
		ordered = ordered && (!i || by_parts(&point[i - 1], &point[i], j) < 0);
	}
	if (!ordered)
		qsort_r(point, count, sizeof *point, by_parts, j);
	return point;
}

/* Blocks, rows, and entries of a table whose arguments are the parts before `second`, before
   `third`, and the rest. */
static uint64_t places_of(const struct joining *j, const uint32_t *point, uint32_t second, uint32_t third)
{
	int64_t block = -1, row = -1, entry = -1;
	uint64_t places = 0;
	for (size_t i = 0; i < j->domain->count; i++) {
		int64_t own_block = joined_at(j, 0, second, point[i]), own_row = joined_at(j, second, third, point[i]);
		if (own_block != block || own_row != row)
			places += (uint64_t)entry + 1;
		if (own_block != block)
			places += (uint64_t)row + 1;
		block = own_block;
		row = own_row;
		entry = joined_at(j, third, j->parts, point[i]);
	}
	return places + (uint64_t)entry + (uint64_t)row + (uint64_t)block + 3;
}

/* Can parts [from, to) be written as one? */
static bool fit_in_one(const struct joining *j, uint32_t from, uint32_t to)
{
	int64_t factor = 1;
	for (uint32_t k = from + 1; k < to; k++)
		if (__builtin_mul_overflow(factor, length_of(j, k), &factor) || factor > FACTOR_MOST)
			return false;
	return true;
}

/* Where the arguments after the first one begin such that there are fewest places. */
static void find_cuts(struct joining *j, uint32_t *cut)
{
	uint32_t *point = points_in_order(j);
	uint64_t least = UINT64_MAX;
	for (uint32_t second = 1; second < j->parts; second++)
		for (uint32_t third = second + 1; third < j->parts; third++) {
			if (!fit_in_one(j, 0, second) || !fit_in_one(j, second, third) ||
				!fit_in_one(j, third, j->parts))
				continue;
			uint64_t places = places_of(j, point, second, third);
			if (places >= least)
				continue;
			least = places;
			cut[1] = second;
			cut[2] = third;
		}
	free(point);
}

/* The columns of those that are joined are its own. */
static struct variable argument_of(const struct joining *j, uint32_t from, uint32_t to)
{
	struct variable v = j->part[from];
	if (to == from + 1)
		return v;
	int64_t *at = mem_array(j->domain->count, sizeof *at);
	for (size_t i = 0; i < j->domain->count; i++)
		at[i] = joined_at(j, from, to, i);
	for (uint32_t part = from + 1; part < to; part++)
		for (int k = 0; k < SOURCES; k++) {
			int64_t *factor = &v.as.factor[k];
			*factor = *factor * length_of(j, part) + j->part[part].as.factor[k];
			v.sources |= j->part[part].sources;
		}
	v.column = column_of(at, j->domain->count);
	return v;
}

bool joined_arguments_find(
	struct joined_arguments *to, const struct search *s, const int64_t *number, uint32_t tabled, enum joined_by by)
{
	struct joining j = {.domain = s->domain};
	uint32_t cut[TABLE_ARGUMENTS + 1] = {0, 1, 2, 3};
	*to = (struct joined_arguments){0};
	if (!find_parts(&j, s, number, tabled))
		return false;
	uint32_t arguments = j.parts < TABLE_ARGUMENTS ? j.parts : TABLE_ARGUMENTS;
	if (by == JOINED_FEW && j.parts <= TABLE_ARGUMENTS)
		return false;
	if (by == JOINED_FEW)
		find_cuts(&j, cut);
	cut[arguments] = j.parts;
	for (uint32_t k = 0; k < arguments; k++)
		if (!fit_in_one(&j, cut[k], cut[k + 1]))
			return false;
	to->arguments = arguments;
	for (uint32_t k = 0; k < arguments; k++)
		to->argument[k] = argument_of(&j, cut[k], cut[k + 1]);
	return true;
}

void joined_arguments_clear(struct joined_arguments *a)
{
	for (uint32_t k = 0; k < a->arguments; k++)
		if (__builtin_popcount(a->argument[k].sources) > 1)
			free((int64_t *)a->argument[k].column.at);
	*a = (struct joined_arguments){0};
}
