/*
 * affine_fit.c -- equations are taken one at a time: the first point that contradicts what is known
 * becomes one more. So a function of k sources is found from k+1 points, wherever they stand, and a
 * column that follows none is given up at the first equation without a solution.
 *
 * It is counted modulo a prime, where every number but 0 has an inverse, and the result is checked
 * exactly; modulo a size only factors that have an inverse there are solved for, which steps by one
 * have.
 */
#include "fit/affine_fit.h"

#include <stdlib.h>
#include <string.h>

#include "base/gcd.h"
#include "fit/limits.h"

/* The Mersenne prime below 2^61: factors and constants are far smaller. */
#define PRIME ((INT64_C(1) << 61) - 1)

struct system {
	const struct domain *domain;
	const int64_t *number;
	int64_t modulus;
	int source[SOURCES];
	uint32_t unknowns, rank;
	/* rows solved for one unknown each, right-hand side last */
	int64_t row[SOURCES][SOURCES + 1];
	int pivot[SOURCES];
	int64_t factor[SOURCES];
};

static int64_t reduce(__int128 number, int64_t modulus)
{
	int64_t rest = (int64_t)(number % modulus);
	return rest < 0 ? rest + modulus : rest;
}

/* How a point differs from the first one. */
static int64_t moved(const struct system *s, uint32_t unknown, size_t point)
{
	const int64_t *at = s->domain->source[s->source[unknown]];
	return at[point] - at[0];
}

static bool is_right(const struct system *s, size_t point)
{
	__int128 sum = (__int128)s->number[point] - s->number[0];
	for (uint32_t k = 0; k < s->unknowns; k++)
		if (s->factor[k])
			sum -= (__int128)s->factor[k] * moved(s, k, point);
	return sum % s->modulus == 0;
}

/* One more equation; false: it has nothing new to solve for. */
static bool add_equation(struct system *s, size_t point)
{
	int64_t row[SOURCES + 1], m = s->modulus;
	for (uint32_t k = 0; k < s->unknowns; k++)
		row[k] = reduce(moved(s, k, point), m);
	row[s->unknowns] = reduce((__int128)s->number[point] - s->number[0], m);
	for (uint32_t r = 0; r < s->rank; r++) {
		int64_t times = row[s->pivot[r]];
		for (uint32_t k = 0; times && k <= s->unknowns; k++)
			row[k] = reduce(row[k] - (__int128)times * s->row[r][k], m);
	}
	int64_t inverted = 0;
	uint32_t pivot = 0;
	while (pivot < s->unknowns && !(inverted = row[pivot] ? inverse_modulo(row[pivot], m) : 0))
		pivot++;
	if (pivot == s->unknowns)
		return false;
	for (uint32_t k = 0; k <= s->unknowns; k++)
		row[k] = reduce((__int128)row[k] * inverted, m);
	for (uint32_t r = 0; r < s->rank; r++) {
		int64_t times = s->row[r][pivot];
		for (uint32_t k = 0; times && k <= s->unknowns; k++)
			s->row[r][k] = reduce(s->row[r][k] - (__int128)times * row[k], m);
	}
	memcpy(s->row[s->rank], row, sizeof row);
	s->pivot[s->rank++] = (int)pivot;
	for (uint32_t r = 0; r < s->rank; r++) {
		int64_t factor = s->row[r][s->unknowns];
		s->factor[s->pivot[r]] = factor > m / 2 ? factor - m : factor;
	}
	return true;
}

static bool solve(struct system *s)
{
	for (bool again = true; again;) {
		again = false;
		for (size_t i = 1; i < s->domain->count; i++)
			if (!is_right(s, i)) {
				again = add_equation(s, i);
				if (!again && s->modulus == PRIME)
					return false; /* modulo a size, another point may have what can be solved for */
				if (!again)
					continue;
				break;
			}
	}
	for (size_t i = 1; i < s->domain->count; i++)
		if (!is_right(s, i))
			return false;
	return true;
}

static struct system system_of(const struct domain *d, const int64_t *number, uint32_t sources, int64_t modulus)
{
	struct system s = {.domain = d, .number = number, .modulus = modulus};
	for (int k = 0; k < SOURCES; k++)
		if (sources & d->sources & UINT32_C(1) << k)
			s.source[s.unknowns++] = k;
	return s;
}

bool affine_has_evidence(const struct domain *d, const struct linear *a)
{
	uint32_t used = 0;
	for (int k = 0; k < SOURCES; k++)
		used |= (uint32_t)(a->factor[k] != 0) << k;
	return !used || domain_has(d, used, linear_terms(a) + 2);
}

static bool is_exact(const struct domain *d, const int64_t *number, const struct system *s, int64_t constant)
{
	for (size_t i = 0; i < d->count; i++) {
		__int128 sum = constant;
		for (uint32_t k = 0; k < s->unknowns; k++)
			if (s->factor[k])
				sum += (__int128)s->factor[k] * d->source[s->source[k]][i];
		if (sum != number[i])
			return false;
	}
	return true;
}

bool affine_solve(const struct domain *d, const int64_t *number, uint32_t sources, struct linear *a)
{
	struct system s = system_of(d, number, sources, PRIME);
	if (!solve(&s))
		return false;
	__int128 constant = number[0];
	*a = (struct linear){0};
	for (uint32_t k = 0; k < s.unknowns; k++) {
		if (!is_small(s.factor[k], FACTOR_MOST))
			return false;
		constant -= (__int128)s.factor[k] * d->source[s.source[k]][0];
		a->factor[s.source[k]] = s.factor[k];
	}
	a->constant = (int64_t)constant;
	bool small = !linear_terms(a) || is_small(constant, CONSTANT_MOST);
	return small && is_exact(d, number, &s, a->constant);
}

bool affine_find(const struct domain *d, const int64_t *number, uint32_t sources, struct linear *a)
{
	return affine_solve(d, number, sources, a) && affine_has_evidence(d, a);
}

bool affine_solve_modulo(
	const struct domain *d, const int64_t *number, uint32_t sources, uint32_t size, struct linear *a)
{
	struct system s = system_of(d, number, sources, size);
	if (!solve(&s))
		return false;
	__int128 constant = number[0];
	*a = (struct linear){0};
	for (uint32_t k = 0; k < s.unknowns; k++) {
		constant -= (__int128)s.factor[k] * d->source[s.source[k]][0];
		a->factor[s.source[k]] = s.factor[k];
	}
	a->constant = grid_nearest(reduce(constant, size), size);
	return true;
}

bool affine_find_modulo(
	const struct domain *d, const int64_t *number, uint32_t sources, uint32_t size, struct linear *a)
{
	return affine_solve_modulo(d, number, sources, size, a) && affine_has_evidence(d, a);
}
