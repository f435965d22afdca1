/*
 * polynomial.c -- terms in order, each product of indices once.
 */
#include "model/polynomial.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void polynomial_clear(struct polynomial *p)
{
	free(p->term);
	*p = (struct polynomial){0};
}

static int compare_products(const struct polynomial_term *t, const uint32_t *index, uint32_t degree)
{
	if (t->degree != degree)
		return t->degree < degree ? -1 : 1;
	for (uint32_t i = 0; i < degree; i++)
		if (t->index[i] != index[i])
			return t->index[i] < index[i] ? -1 : 1;
	return 0;
}

/* Where this product stands, or would. */
static size_t place_of(const struct polynomial *p, const uint32_t *index, uint32_t degree, bool *there)
{
	size_t at = 0;
	while (at < p->terms && compare_products(&p->term[at], index, degree) < 0)
		at++;
	*there = at < p->terms && compare_products(&p->term[at], index, degree) == 0;
	return at;
}

static void insert(struct polynomial *p, size_t at, int64_t coefficient, const uint32_t *index, uint32_t degree)
{
	p->term = mem_grow(p->term, &p->capacity, p->terms + 1, sizeof *p->term);
	memmove(p->term + at + 1, p->term + at, (p->terms++ - at) * sizeof *p->term);
	p->term[at] = (struct polynomial_term){.coefficient = coefficient, .degree = degree};
	for (uint32_t i = 0; i < degree; i++)
		p->term[at].index[i] = index[i];
}

static void delete (struct polynomial *p, size_t at)
{
	memmove(p->term + at, p->term + at + 1, (--p->terms - at) * sizeof *p->term);
}

bool polynomial_add(struct polynomial *p, int64_t coefficient, const uint32_t *index, uint32_t degree)
{
	bool there;
	size_t at = place_of(p, index, degree, &there);
	if (degree > POLYNOMIAL_DEGREE)
		return false;
	if (!coefficient)
		return true;
	if (!there) {
		insert(p, at, coefficient, index, degree);
		return true;
	}
	int64_t sum;
	if (__builtin_add_overflow(p->term[at].coefficient, coefficient, &sum))
		return false;
	p->term[at].coefficient = sum;
	if (!sum)
		delete (p, at);
	return true;
}

bool polynomial_value(const struct polynomial *p, const int64_t *value, int64_t *result)
{
	*result = 0;
	for (size_t i = 0; i < p->terms; i++) {
		int64_t product = p->term[i].coefficient;
		for (uint32_t k = 0; k < p->term[i].degree; k++)
			if (__builtin_mul_overflow(product, value[p->term[i].index[k]], &product))
				return false;
		if (__builtin_add_overflow(*result, product, result))
			return false;
	}
	return true;
}

int64_t polynomial_coefficient(const struct polynomial *p, const uint32_t *index, uint32_t degree)
{
	bool there;
	size_t at = place_of(p, index, degree, &there);
	return there ? p->term[at].coefficient : 0;
}

bool polynomial_equal(const struct polynomial *a, const struct polynomial *b)
{
	if (a->terms != b->terms)
		return false;
	for (size_t i = 0; i < a->terms; i++)
		if (a->term[i].coefficient != b->term[i].coefficient ||
			compare_products(&a->term[i], b->term[i].index, b->term[i].degree))
			return false;
	return true;
}

/* One term behind others; the absolute value of INT64_MIN is written so that C reads it as what it is. */
static void print_term(const struct polynomial_term *t, bool first, struct text *out)
{
	uint64_t magnitude = t->coefficient < 0 ? 0 - (uint64_t)t->coefficient : (uint64_t)t->coefficient;
	if (first)
		text_put(out, t->coefficient < 0 ? "-" : "");
	else
		text_put(out, t->coefficient < 0 ? " - " : " + ");
	if (magnitude != 1 || !t->degree)
		text_number(out, magnitude);
	for (uint32_t k = 0; k < t->degree; k++)
		text_format(out, "%si%" PRIu32, magnitude != 1 || k ? " * " : "", t->index[k]);
}

void polynomial_print(const struct polynomial *p, struct text *out)
{
	if (!p->terms)
		text_char(out, '0');
	for (size_t i = 0; i < p->terms; i++)
		print_term(&p->term[i], !i, out);
}
