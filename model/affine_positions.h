/*
 * affine_positions.h -- where the constructs of an affine nest stand in its trace, as polynomials
 * in the indices around them.
 *
 *	affine_positions(nest, &visit);		-- visit.construct is told "(i0+i0*i0)/2" for each
 *
 * Not known where a loop's count is negative for some indices (then the number of records is no
 * polynomial), nor where 64 bits do not suffice.
 */
#ifndef TRACENEST_MODEL_AFFINE_POSITIONS_H
#define TRACENEST_MODEL_AFFINE_POSITIONS_H

#include "base/polynomial.h"
#include "model/affine.h"

/*
 * Walks a nest in the order of its text: gives for each construct the records before it (in indices
 * of the loops around it), and for each loop those of one iteration (in these indices and its own).
 */
struct affine_positions_visit {
	void *context;
	void (*construct)(void *context, const struct affine_node *, size_t depth, const struct polynomial *position,
		const struct polynomial *iteration); /* iteration: NULL for records */
	void (*done)(void *context, const struct affine_node *, size_t depth); /* may be NULL */
};
void affine_positions(const struct affine_nest *, const struct affine_positions_visit *);

#endif
