/*
 * terms.h -- what counts come to that are no polynomials: guards, tables, remainders, counts that
 * depend on the process, and their sums over the iterations of loops.
 *
 *	for i0 = 0 to 699
 *	  if {i0%7} = 6			-- the body, ({i0%7} = 6) times
 *	...
 *	0 send 1 t			-- behind sum(k0<700: {k0%7} = 6) of its events
 *
 * Each is a variable of polynomials (base/polynomial.h), numbered from POLYNOMIAL_OTHERS on: equal
 * ones are one. A sum over what only a remainder, a plain index or the last argument of a table
 * counts on is found by a formula, by sums before every 64th entry of the table, or by searching
 * where in the table a number occurs: in O(log). Others are summed up once, and every 32nd sum is
 * kept.
 */
#ifndef TRACENEST_ASK_TERMS_H
#define TRACENEST_ASK_TERMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/polynomial.h"
#include "model/program.h"

struct terms;

/* What a term is, for those who write it as code. */
struct sum_term {
	bool is_sum;
	bool process; /* does it depend on the process? */
	uint64_t indices; /* on those of the loops around: a bit each */
	uint64_t guards; /* which loops around have no index in the text: a bit each */
	struct value count; /* of a count: below 0 it is 0 */
	/* of a sum: the product (but for its coefficient) over 0 to n - 1 of this index */
	uint16_t index;
	struct polynomial_term product;
	struct polynomial n;
};

struct terms *terms_new(const struct program *);
void terms_free(struct terms *);

/* p += the value, or 0 where that is below. never_negative: it is not, whatever the indices. */
void terms_add_count(struct terms *, struct polynomial *p, const struct value *, bool never_negative, uint64_t guards);

/* polynomial_add_sum where q may have terms. */
void terms_add_sum(struct terms *, struct polynomial *p, const struct polynomial *q, uint16_t index,
	const struct polynomial *n, uint64_t guards);

/* The value for a process, at these indices of so many loops around. False where it is not known.
   For any thread. */
bool terms_value(
	struct terms *, const struct polynomial *, uint32_t rank, const int64_t *index, size_t depth, int64_t *result);

/* "2+3*({i0%7} = 6)". guards: of the loops around, those that have no index in the text. */
void terms_print(const struct terms *, const struct polynomial *, uint64_t guards, struct text *);

/* How an index is called in the text. */
unsigned terms_index(uint64_t guards, uint16_t index);

const struct sum_term *terms_get(const struct terms *, uint16_t variable);

#endif
