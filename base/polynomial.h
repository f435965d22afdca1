/*
 * polynomial.h -- polynomials in the indices of loops, with rational coefficients.
 *
 *	struct polynomial p = {0};				-- 0
 *	polynomial_add(&p, 671, NULL, 0);			-- 671
 *	polynomial_add(&p, 644, (uint16_t[]){0}, 1);		-- 671+644*i0
 *	polynomial_print(&p, &text);
 *	polynomial_clear(&p);
 *
 * Counting what loops do gives nothing else: below loops of constant bounds a sum of multiples of
 * indices; where a bound is affine, sums over it make products and fractions (Faulhaber's
 * formulas), though the values are whole. A polynomial that 64 bits do not suffice for, or whose
 * products are too long, is not known; what is made from one that is not known is not known either,
 * so that only the end of a computation has to be looked at.
 */
#ifndef TRACENEST_BASE_POLYNOMIAL_H
#define TRACENEST_BASE_POLYNOMIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* Factors of a product of indices: a sum over so many triangular loops has a divisor of 19!, and
   the next would not fit 64 bits. */
#define POLYNOMIAL_DEGREE 19

/* Plain bytes without padding; indices behind the degree are 0. */
struct polynomial_term {
	int64_t coefficient; /* never 0 */
	uint16_t degree;
	uint16_t index[POLYNOMIAL_DEGREE]; /* of the loops, ascending, one as often as its power */
};

/* Terms in order: by degree, then by index. Starts as {0}, which is 0; release with
   polynomial_clear. */
struct polynomial {
	struct polynomial_term *term;
	size_t terms, capacity;
	int64_t divisor; /* of all terms, without a common factor: 2 and more; 0: none */
	bool unknown;
};

void polynomial_clear(struct polynomial *);
void polynomial_copy(struct polynomial *to, const struct polynomial *from); /* to: initialized, replaced */

/* Say that it is not known. */
void polynomial_lose(struct polynomial *);

/* Add coefficient * index[0] * ... * index[degree - 1] (ascending). */
void polynomial_add(struct polynomial *, int64_t coefficient, const uint16_t *index, size_t degree);

/* p += q; p += q * factor. */
void polynomial_add_all(struct polynomial *p, const struct polynomial *q);
void polynomial_add_product(struct polynomial *p, const struct polynomial *q, const struct polynomial *factor);

/* p += the sum of q over the values 0 to n - 1 of an index; n does not contain it. */
void polynomial_add_sum(struct polynomial *p, const struct polynomial *q, uint16_t index, const struct polynomial *n);

/*
 * Variables from this number on are no indices: somebody else knows what they are worth, and how
 * they are written. Sums treat them as constants.
 */
#define POLYNOMIAL_OTHERS 1024
struct polynomial_others {
	const void *context;
	bool (*value)(const void *context, uint16_t variable, int64_t *value); /* false: not known */
	void (*print)(const void *context, uint16_t variable, struct text *); /* indices, too */
};

/* The value at value[i] for each index i; no others (NULL) where there are none. False where it is
   not known, or 64 bits do not suffice. */
bool polynomial_value(
	const struct polynomial *, const int64_t *value, const struct polynomial_others *, int64_t *result);
void polynomial_print_with(const struct polynomial *, bool spaced, const struct polynomial_others *, struct text *);

/* "671+644*i0", "(i0+i0*i0)/2": an expression of C, too. "?": not known. */
void polynomial_print(const struct polynomial *, struct text *);

#endif
