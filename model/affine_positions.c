/*
 * affine_positions.c -- records before a construct = records before its loop + those of the iterations done + those before it in its body.
 *
 * Let p be the number of records in iteration i of a loop, a polynomial in i and the indices outside. The records of n iterations are the sum of p over
 * i < n, a polynomial in n (Faulhaber's formulas): with n the count, the records of the loop; with n = i, those of the iterations done.
 */
#include "model/affine_positions.h"

#include <stdlib.h>
#include <string.h>

#define DEPTH AFFINE_POSITIONS_DEPTH
#define POWERS 6 /* of an index that is summed over */

/* Sum of i^k over 0 <= i < n, times its divisor: factors of n, n^2, ... */
static const struct {
	int64_t divisor, factor[POWERS + 1];
} sum_of_powers[POWERS + 1] = {
	{1, {1}},
	{2, {-1, 1}},
	{6, {1, -3, 2}},
	{4, {0, 1, -2, 1}},
	{30, {-1, 0, 10, -15, 6}},
	{12, {0, -1, 0, 5, -6, 2}},
	{42, {1, 0, -7, 0, 21, -21, 6}},
};

typedef struct affine_polynomial polynomial;
typedef struct affine_monomial monomial;

void affine_polynomial_clear(polynomial *p)
{
	free(p->term);
	*p = (polynomial){0};
}

static polynomial zero(void)
{
	return (polynomial){.divisor = 1, .known = true};
}

static void lose(polynomial *p)
{
	p->terms = 0;
	p->divisor = 1;
	p->known = false;
}

static int64_t gcd(int64_t a, int64_t b)
{
	while (b) {
		int64_t rest = a % b;
		a = b;
		b = rest;
	}
	return a < 0 ? -a : a;
}

static void add_monomial(polynomial *p, const monomial *m)
{
	for (size_t i = 0; i < p->terms; i++) {
		if (memcmp(p->term[i].power, m->power, DEPTH) != 0)
			continue;
		if (__builtin_add_overflow(p->term[i].coefficient, m->coefficient, &p->term[i].coefficient))
			lose(p);
		else if (!p->term[i].coefficient)
			p->term[i] = p->term[--p->terms];
		return;
	}
	p->term = mem_grow(p->term, &p->capacity, p->terms + 1, sizeof *p->term);
	p->term[p->terms++] = *m;
}

static void scale(polynomial *p, int64_t factor)
{
	for (size_t i = 0; i < p->terms && p->known; i++)
		if (__builtin_mul_overflow(p->term[i].coefficient, factor, &p->term[i].coefficient))
			lose(p);
}

static void reduce(polynomial *p)
{
	int64_t common = p->divisor;
	for (size_t i = 0; i < p->terms && common > 1; i++)
		common = gcd(common, p->term[i].coefficient);
	for (size_t i = 0; i < p->terms && common > 1; i++)
		p->term[i].coefficient /= common;
	if (common > 1)
		p->divisor /= common;
}

/* p += q * m / divisor, with one term m. */
static void add_multiple(polynomial *p, const polynomial *q, const monomial *m, int64_t divisor)
{
	int64_t both;
	if (!q->known || !p->known || __builtin_mul_overflow(q->divisor, divisor, &both)) {
		lose(p);
		return;
	}
	int64_t common = gcd(p->divisor, both), up = both / common;
	scale(p, up);
	if (!p->known || __builtin_mul_overflow(p->divisor, up, &p->divisor)) {
		lose(p);
		return;
	}
	for (size_t i = 0; i < q->terms && p->known; i++) {
		monomial product = q->term[i];
		if (__builtin_mul_overflow(product.coefficient, m->coefficient, &product.coefficient) ||
			__builtin_mul_overflow(product.coefficient, p->divisor / both, &product.coefficient)) {
			lose(p);
			return;
		}
		for (size_t k = 0; k < DEPTH; k++)
			product.power[k] = (uint8_t)(product.power[k] + m->power[k]);
		add_monomial(p, &product);
	}
	reduce(p);
}

static const monomial one = {.coefficient = 1};

static void add(polynomial *p, const polynomial *q)
{
	add_multiple(p, q, &one, 1);
}

static polynomial times(const polynomial *a, const polynomial *b)
{
	polynomial product = zero();
	if (!b->known)
		lose(&product);
	for (size_t i = 0; i < b->terms; i++)
		add_multiple(&product, a, &b->term[i], b->divisor);
	return product;
}

static polynomial of_vector(const int64_t *vector, size_t depth)
{
	polynomial p = zero();
	for (size_t i = 0; i <= depth; i++) {
		monomial m = {.coefficient = vector[i]};
		if (i)
			m.power[i - 1] = 1;
		if (vector[i])
			add_monomial(&p, &m);
	}
	return p;
}

/* The sum of p over index number `depth` from 0 to n - 1. */
static polynomial sum(const polynomial *p, size_t depth, const polynomial *n)
{
	polynomial total = zero(), power[POWERS + 2] = {zero()};
	add_monomial(&power[0], &one);
	for (size_t k = 0; k <= POWERS; k++)
		power[k + 1] = times(&power[k], n);
	if (!p->known)
		lose(&total);
	for (size_t i = 0; i < p->terms && total.known; i++) {
		monomial rest = p->term[i];
		uint8_t k = rest.power[depth];
		int64_t divisor;
		rest.power[depth] = 0;
		if (k > POWERS || __builtin_mul_overflow(p->divisor, sum_of_powers[k].divisor, &divisor)) {
			lose(&total);
			break;
		}
		for (size_t e = 0; e <= k; e++) {
			monomial m = rest;
			if (__builtin_mul_overflow(rest.coefficient, sum_of_powers[k].factor[e], &m.coefficient))
				lose(&total);
			else if (m.coefficient)
				add_multiple(&total, &power[e + 1], &m, divisor);
		}
	}
	for (size_t k = 0; k <= POWERS + 1; k++)
		affine_polynomial_clear(&power[k]);
	return total;
}

/* ------------------------------------------------------------------ what a polynomial says */

bool affine_polynomial_value(const polynomial *p, const int64_t *index, int64_t *value)
{
	__int128 total = 0;
	if (!p->known)
		return false;
	for (size_t i = 0; i < p->terms; i++) {
		__int128 product = p->term[i].coefficient;
		for (size_t k = 0; k < DEPTH; k++)
			for (uint8_t e = 0; e < p->term[i].power[k]; e++)
				if (__builtin_mul_overflow(product, (__int128)index[k], &product))
					return false;
		if (__builtin_add_overflow(total, product, &total))
			return false;
	}
	total /= p->divisor;
	if (total > INT64_MAX || total < INT64_MIN)
		return false;
	*value = (int64_t)total;
	return true;
}

static unsigned degree(const monomial *m)
{
	unsigned sum_of = 0;
	for (size_t k = 0; k < DEPTH; k++)
		sum_of += m->power[k];
	return sum_of;
}

/* By degree, then the outer indices first. */
static int by_degree(const void *a, const void *b)
{
	const monomial *x = a, *y = b;
	if (degree(x) != degree(y))
		return degree(x) < degree(y) ? -1 : 1;
	return -memcmp(x->power, y->power, DEPTH);
}

static void print_monomial(const monomial *m, bool first, struct text *out)
{
	uint64_t magnitude = m->coefficient < 0 ? 0 - (uint64_t)m->coefficient : (uint64_t)m->coefficient;
	bool factor = magnitude != 1 || !degree(m);
	if (m->coefficient < 0 || !first)
		text_char(out, m->coefficient < 0 ? '-' : '+');
	if (factor)
		text_number(out, magnitude);
	for (size_t k = 0; k < DEPTH; k++)
		for (uint8_t e = 0; e < m->power[k]; e++) {
			text_format(out, "%si%zu", factor ? "*" : "", k);
			factor = true;
		}
}

void affine_polynomial_print(const polynomial *p, struct text *out)
{
	if (!p->known || !p->terms) {
		text_put(out, p->known ? "0" : "?");
		return;
	}
	monomial *sorted = mem_copy(p->term, p->terms * sizeof *sorted);
	qsort(sorted, p->terms, sizeof *sorted, by_degree);
	if (p->divisor != 1)
		text_char(out, '(');
	for (size_t i = 0; i < p->terms; i++)
		print_monomial(&sorted[i], !i, out);
	if (p->divisor != 1)
		text_format(out, ")/%lld", (long long)p->divisor);
	free(sorted);
}

/* ------------------------------------------------------------------ counts that are never negative */

/* The counts of the loops around a place, outermost first. */
struct around {
	const int64_t *count[DEPTH];
	size_t depth;
};

/* Is this function at least 0 wherever the loops around go? Each index is put where it makes the value least. */
static bool never_negative(const struct around *a, const int64_t *vector)
{
	int64_t value[1 + DEPTH];
	memcpy(value, vector, (1 + a->depth) * sizeof *value);
	for (size_t k = a->depth; k-- > 0;) {
		int64_t factor = value[1 + k];
		if (factor >= 0)
			continue;
		for (size_t i = 0; i <= k; i++) {
			int64_t way;
			if (__builtin_mul_overflow(factor, a->count[k][i], &way) ||
				__builtin_add_overflow(value[i], way, &value[i]))
				return false;
		}
		if (__builtin_sub_overflow(value[0], factor, &value[0]))
			return false;
	}
	return value[0] >= 0;
}

/* ------------------------------------------------------------------ all constructs */

static polynomial records_of(struct around *a, const struct affine_node *n);

static polynomial records_of_body(struct around *a, const struct affine_node *body, size_t length)
{
	polynomial total = zero();
	for (size_t i = 0; i < length; i++) {
		polynomial here = records_of(a, &body[i]);
		add(&total, &here);
		affine_polynomial_clear(&here);
	}
	return total;
}

static polynomial iteration_of(struct around *a, const struct affine_node *loop)
{
	polynomial inside = zero();
	if (a->depth == DEPTH) {
		lose(&inside);
		return inside;
	}
	a->count[a->depth++] = loop->value;
	inside = records_of_body(a, loop->body, loop->length);
	a->depth--;
	return inside;
}

static polynomial records_of(struct around *a, const struct affine_node *n)
{
	polynomial result = zero();
	if (!affine_is_loop(n)) {
		add_monomial(&result, &one);
		return result;
	}
	polynomial inside = iteration_of(a, n);
	if (!inside.known || !never_negative(a, n->value)) {
		lose(&result);
	} else {
		polynomial count = of_vector(n->value, a->depth);
		result = sum(&inside, a->depth, &count);
		affine_polynomial_clear(&count);
	}
	affine_polynomial_clear(&inside);
	return result;
}

static void visit_body(const struct affine_positions_visit *v, struct around *a, const struct affine_node *body, size_t length,
	const polynomial *start);

static void visit_loop(
	const struct affine_positions_visit *v, struct around *a, const struct affine_node *loop, const polynomial *position)
{
	polynomial inside = iteration_of(a, loop), index = zero();
	v->construct(v->context, loop, a->depth, position, &inside);
	polynomial start = zero();
	if (a->depth < DEPTH && v->relative) {
		a->count[a->depth] = loop->value;
	} else if (a->depth < DEPTH) {
		monomial i = {.coefficient = 1};
		i.power[a->depth] = 1;
		add_monomial(&index, &i);
		start = sum(&inside, a->depth, &index);
		add(&start, position);
		a->count[a->depth] = loop->value;
	} else {
		lose(&start);
	}
	a->depth++;
	visit_body(v, a, loop->body, loop->length, &start);
	a->depth--;
	affine_polynomial_clear(&inside);
	affine_polynomial_clear(&index);
	affine_polynomial_clear(&start);
}

static void visit_body(const struct affine_positions_visit *v, struct around *a, const struct affine_node *body, size_t length,
	const polynomial *start)
{
	polynomial position = zero();
	add(&position, start);
	for (size_t i = 0; i < length; i++) {
		if (affine_is_loop(&body[i]))
			visit_loop(v, a, &body[i], &position);
		else
			v->construct(v->context, &body[i], a->depth, &position, NULL);
		if (v->done)
			v->done(v->context, &body[i], a->depth);
		polynomial here = zero();
		if (a->depth <= DEPTH)
			here = records_of(a, &body[i]);
		else
			lose(&here);
		add(&position, &here);
		affine_polynomial_clear(&here);
	}
	affine_polynomial_clear(&position);
}

void affine_positions(const struct affine_nest *n, const struct affine_positions_visit *v)
{
	struct around a = {0};
	polynomial start = zero();
	visit_body(v, &a, n->root, n->length, &start);
	affine_polynomial_clear(&start);
}
