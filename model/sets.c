/*
 * sets.c -- sets of ranks as conditions.
 *
 * A set is the product of its projections on the axes, or a part of the product that one comparison
 * of several coordinates cuts out. Every projection must be an interval, a residue class or all but
 * one coordinate. What is equal to the set, is found by counting: each comparison holds of all its
 * ranks, so that the condition is the set where both have as many.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/gcd.h"
#include "base/mem.h"
#include "model/number.h"
#include "model/sets.h"

static const char axis_name[] = "xyzw", extent_name[] = "XYZW";

/* ------------------------------------------------------------------ from a set to its condition */

/* Two of each axis, and one of several. */
#define COMPARISONS (2 * GRID_AXES + 1)

/* The sum of coordinates, modulo something unless that is 0, compared with a number. */
struct comparison {
	int64_t factor[GRID_AXES];
	int64_t modulus, number;
	enum node_function relation;
};

struct condition {
	const struct grid *grid;
	struct comparison comparison[COMPARISONS];
	uint32_t comparisons;
};

static int64_t sum_at(const struct comparison *c, const struct spot *spot)
{
	int64_t sum = 0;
	for (int i = 0; i < GRID_AXES; i++)
		sum += c->factor[i] * spot->axis[i];
	return sum;
}

static bool holds(const struct comparison *c, const struct spot *spot)
{
	int64_t sum = sum_at(c, spot);
	return relation_holds(c->relation, c->modulus ? sum % c->modulus : sum, c->number);
}

/* Of how many ranks does it hold? Without one comparison. */
static uint64_t count_without(const struct condition *c, uint32_t without)
{
	uint64_t count = 0;
	uint32_t ranks = (uint32_t)grid_ranks(c->grid);
	for (uint32_t rank = 0; rank < ranks; rank++) {
		struct spot spot = grid_spot(c->grid, rank);
		bool all = true;
		for (uint32_t i = 0; i < c->comparisons && all; i++)
			all = i == without || holds(&c->comparison[i], &spot);
		count += all;
	}
	return count;
}

static void compare_axis(
	struct condition *c, uint32_t axis, enum node_function relation, int64_t number, int64_t modulus)
{
	struct comparison *new = &c->comparison[c->comparisons++];
	*new = (struct comparison){.modulus = modulus, .number = number, .relation = relation};
	new->factor[axis] = 1;
}

/* The coordinates of a set on one axis. */
struct projection {
	bool *has; /* by coordinate */
	int64_t size, first, last, step, count; /* step: the greatest common divisor of distances */
};

static void project(struct projection *p, const struct ranks *set, const struct grid *grid)
{
	uint32_t rank;
	for (uint32_t i = 0; i < grid->axes; i++)
		p[i] = (struct projection){.has = mem_zero(grid->size[i]), .size = grid->size[i]};
	for (struct ranks_walk walk = {0}; ranks_next(set, &walk, &rank);) {
		struct spot spot = grid_spot(grid, rank);
		for (uint32_t i = 0; i < grid->axes; i++)
			p[i].has[spot.axis[i]] = true;
	}
	for (uint32_t i = 0; i < grid->axes; i++) {
		p[i].first = -1;
		for (int64_t at = 0; at < p[i].size; at++) {
			if (!p[i].has[at])
				continue;
			p[i].first = p[i].first < 0 ? at : p[i].first;
			p[i].step = (int64_t)gcd((uint64_t)p[i].step, (uint64_t)(at - p[i].first));
			p[i].last = at;
			p[i].count++;
		}
	}
}

/* `step` apart, as far as they go. */
static void compare_interval(struct condition *c, uint32_t axis, const struct projection *p, int64_t step)
{
	if (p->first >= step)
		compare_axis(c, axis, FUNCTION_MORE, p->first - step, 0);
	if (p->last + step < p->size)
		compare_axis(c, axis, FUNCTION_LESS, p->last + step, 0);
}

/* False: it is neither an interval, nor a residue class, nor all but one coordinate. */
static bool compare_projection(struct condition *c, uint32_t axis, const struct projection *p)
{
	if (p->count == 1 && p->size > 2) {
		compare_axis(c, axis, FUNCTION_EQUAL, p->first, 0);
	} else if (p->count == p->last - p->first + 1) {
		compare_interval(c, axis, p, 1);
	} else if (p->count == p->size - 1) {
		int64_t hole = 0;
		while (p->has[hole])
			hole++;
		compare_axis(c, axis, FUNCTION_DIFFERS, hole, 0);
	} else if (p->count == (p->last - p->first) / p->step + 1 && 2 * p->step <= p->size) {
		compare_axis(c, axis, FUNCTION_EQUAL, p->first % p->step, p->step);
		compare_interval(c, axis, p, p->step);
	} else {
		return false;
	}
	return true;
}

/* What the sum comes to: the least, the most, is 0 among it, and the greatest common divisor of
   distances. Up to where it is seen to fit no comparison. */
struct sums {
	int64_t least, most, step;
	bool zero;
};

static bool fits_none(const struct sums *s, bool order)
{
	return order ? s->least < 0 && s->most > 0 && s->zero : s->step == 1;
}

static struct sums sums_of(const struct ranks *set, const struct grid *grid, const struct comparison *c, bool order)
{
	struct sums s = {INT64_MAX, INT64_MIN, 0, false};
	uint32_t rank;
	for (struct ranks_walk walk = {0}; !fits_none(&s, order) && ranks_next(set, &walk, &rank);) {
		struct spot spot = grid_spot(grid, rank);
		int64_t sum = sum_at(c, &spot);
		s.step = s.least > s.most ? 0 : (int64_t)gcd((uint64_t)s.step, (uint64_t)llabs(sum - s.least));
		s.least = sum < s.least ? sum : s.least;
		s.most = sum > s.most ? sum : s.most;
		s.zero |= sum == 0;
	}
	return s;
}

/* Is the set what the comparisons so far and this one leave? Then it is one of them. */
static bool takes(struct condition *c, const struct comparison *more, uint64_t count)
{
	c->comparison[c->comparisons++] = *more;
	if (count_without(c, COMPARISONS) == count)
		return true;
	c->comparisons--;
	return false;
}

static bool compare_order(struct condition *c, const struct ranks *set, uint64_t count)
{
	for (uint32_t a = 0; a < c->grid->axes; a++)
		for (uint32_t b = a + 1; b < c->grid->axes; b++) {
			struct comparison x = {0};
			x.factor[a] = 1;
			x.factor[b] = -1;
			struct sums s = sums_of(set, c->grid, &x, true);
			x.relation = s.least == 0 && s.most == 0 ? FUNCTION_EQUAL
				     : s.most < 0                ? FUNCTION_LESS
				     : s.least > 0               ? FUNCTION_MORE
				     : s.most == 0               ? FUNCTION_AT_MOST
				     : s.least == 0              ? FUNCTION_AT_LEAST
								 : FUNCTION_DIFFERS;
			bool sides = x.relation != FUNCTION_EQUAL && x.relation != FUNCTION_DIFFERS;
			if (sides && (c->grid->size[a] < 3 || c->grid->size[b] < 3))
				continue; /* every set of three of four is ordered */
			if ((x.relation != FUNCTION_DIFFERS || !s.zero) && takes(c, &x, count))
				return true;
		}
	return false;
}

static bool compare_residue(struct condition *c, const struct ranks *set, uint64_t count)
{
	for (uint32_t axes = 0; axes < UINT32_C(1) << c->grid->axes; axes++) {
		struct comparison x = {.relation = FUNCTION_EQUAL};
		if (__builtin_popcount(axes) < 2)
			continue;
		for (uint32_t i = 0; i < c->grid->axes; i++)
			x.factor[i] = axes >> i & 1;
		struct sums s = sums_of(set, c->grid, &x, false);
		if (s.step < 2)
			continue;
		x.modulus = s.step;
		x.number = s.least % s.step;
		if (takes(c, &x, count))
			return true;
	}
	return false;
}

static void drop_implied(struct condition *c, uint64_t count)
{
	for (uint32_t i = 0; i < c->comparisons;) {
		if (count_without(c, i) != count) {
			i++;
			continue;
		}
		c->comparisons--;
		memmove(&c->comparison[i], &c->comparison[i + 1], (c->comparisons - i) * sizeof c->comparison[i]);
	}
}

static bool compare(struct condition *c, const struct ranks *set)
{
	struct projection axis[GRID_AXES];
	uint64_t count = ranks_count(set), box = 1;
	bool good = true;
	project(axis, set, c->grid);
	for (uint32_t i = 0; i < c->grid->axes; i++) {
		good = good && compare_projection(c, i, &axis[i]);
		box *= (uint64_t)axis[i].count;
		free(axis[i].has);
	}
	if (!good || box == count)
		return good;
	if (!compare_order(c, set, count) && !compare_residue(c, set, count))
		return false;
	drop_implied(c, count);
	return true;
}

/* A number next to the extent is that less something. */
static void print_coordinate(int64_t number, uint32_t axis, const struct grid *grid, struct text *out)
{
	int64_t before = grid->size[axis] - number;
	if (before == 1 || (before > 0 && before < number))
		text_format(out, "%c-%" PRId64, extent_name[axis], before);
	else
		text_format(out, "%" PRId64, number);
}

static void print_comparison(const struct comparison *c, const struct grid *grid, struct text *out)
{
	uint32_t first = GRID_AXES, second = GRID_AXES;
	for (uint32_t i = GRID_AXES; i-- > 0;)
		if (c->factor[i]) {
			second = first;
			first = i;
		}
	bool several = second < GRID_AXES, order = several && c->factor[second] < 0;
	text_put(out, several && !order ? "(" : "");
	text_char(out, axis_name[first]);
	for (uint32_t i = second; i < GRID_AXES && !order; i++)
		if (c->factor[i])
			text_format(out, "+%c", axis_name[i]);
	text_put(out, several && !order ? ")" : "");
	if (c->modulus)
		text_format(out, "%%%" PRId64, c->modulus);
	text_put(out, function_rows[c->relation].text);
	if (order)
		text_char(out, axis_name[second]);
	else if (several || c->modulus)
		text_format(out, "%" PRId64, c->number);
	else
		print_coordinate(c->number, first, grid, out);
}

static uint32_t numbers_in(const char *text)
{
	uint32_t numbers = 0;
	for (; *text; text++)
		numbers += text[0] >= '0' && text[0] <= '9' && !(text[1] >= '0' && text[1] <= '9');
	return numbers;
}

void set_print(const struct ranks *set, const struct grid *grid, uint32_t ranks, struct text *out)
{
	struct text list = {0};
	struct condition c = {.grid = grid};
	if (ranks_count(set) == ranks) {
		text_char(out, '*');
		return;
	}
	ranks_print_short(set, &list);
	uint32_t numbers = numbers_in(list.data);
	if (grid->axes && numbers > 1 && compare(&c, set) && c.comparisons < numbers) {
		for (uint32_t i = 0; i < c.comparisons; i++) {
			text_put(out, i ? "&&" : "");
			print_comparison(&c.comparison[i], grid, out);
		}
	} else {
		text_put(out, list.data);
	}
	text_clear(&list);
}
