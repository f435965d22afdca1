/*
 * polynomial.h -- polynomials in the indices of enclosing loops, with whole coefficients of 64 bits.
 *
 *	struct polynomial p = {0};				-- 0
 *	polynomial_add(&p, 671, NULL, 0);			-- 671
 *	polynomial_add(&p, 644, (uint32_t[]){0}, 1);		-- 671 + 644*i0
 *	polynomial_print(&p, &text);
 *	polynomial_clear(&p);
 *
 * Loops of constant bounds give sums of multiples of single indices; products are there for bounds that are affine in other indices.
 */
#ifndef TRACENEST_MODEL_POLYNOMIAL_H
#define TRACENEST_MODEL_POLYNOMIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* Factors of a product of indices; loops that share a position deeper than this have no place on a page. */
#define POLYNOMIAL_DEGREE 4

struct polynomial_term {
	int64_t coefficient; /* never 0 */
	uint32_t degree;
	uint32_t index[POLYNOMIAL_DEGREE]; /* of the loops, ascending, one as often as its power */
};

/* Terms in order: by degree, then by index. Starts as {0}; release with polynomial_clear. */
struct polynomial {
	struct polynomial_term *term;
	size_t terms, capacity;
};

void polynomial_clear(struct polynomial *);

/* Add coefficient * index[0] * ... * index[degree - 1] (ascending). False, nothing changed, where 64 bits do not suffice. */
bool polynomial_add(struct polynomial *, int64_t coefficient, const uint32_t *index, uint32_t degree);

/* The value at value[i] for each index i. False where 64 bits do not suffice. */
bool polynomial_value(const struct polynomial *, const int64_t *value, int64_t *result);

/* How often this very term stands in it; 0 if it does not. */
int64_t polynomial_coefficient(const struct polynomial *, const uint32_t *index, uint32_t degree);

bool polynomial_equal(const struct polynomial *, const struct polynomial *);

/* "671 + 644 * i0", an expression of C. */
void polynomial_print(const struct polynomial *, struct text *);

#endif
