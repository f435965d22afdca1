/*
 * affine_positions.h -- where the constructs of an affine nest stand in its trace, as polynomials in the indices around them.
 *
 *	affine_positions(nest, &visit);		-- visit.construct is told "(i0+i0*i0)/2" for each
 *
 * Below loops of constant bounds a position is a sum of multiples of indices; where a bound is affine, sums over it make products. There is
 * none where a loop's count is negative for some indices (then the number of records is no polynomial), nor where 64 bits do not suffice.
 */
#ifndef TRACENEST_MODEL_AFFINE_POSITIONS_H
#define TRACENEST_MODEL_AFFINE_POSITIONS_H

#include "base/text.h"
#include "model/affine.h"

/* Loops around a construct whose position is computed. */
#define AFFINE_POSITIONS_DEPTH 8

/* A polynomial with rational coefficients: whole ones, and what all are divided by. */
struct affine_polynomial {
	struct affine_monomial {
		int64_t coefficient;
		uint8_t power[AFFINE_POSITIONS_DEPTH]; /* of each index */
	} * term;
	size_t terms, capacity;
	int64_t divisor;
	bool known;
};

void affine_polynomial_clear(struct affine_polynomial *);

/* The value at these indices. False where it is not known, or 64 bits do not suffice. */
bool affine_polynomial_value(const struct affine_polynomial *, const int64_t *index, int64_t *value);
void affine_polynomial_print(const struct affine_polynomial *, struct text *);

/*
 * Walks a nest in the order of its text: gives for each construct the records before it (in indices of the loops around it), and for each loop those of one
 * iteration (in these indices and its own).
 */
struct affine_positions_visit {
	void *context;
	bool relative; /* positions count from the start of the iteration of the body around */
	void (*construct)(void *context, const struct affine_node *, size_t depth, const struct affine_polynomial *position,
		const struct affine_polynomial *iteration); /* iteration: NULL for records */
	void (*done)(void *context, const struct affine_node *, size_t depth); /* may be NULL */
};
void affine_positions(const struct affine_nest *, const struct affine_positions_visit *);

#endif
