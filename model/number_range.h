/*
 * number_range.h -- between what a number lies, for all processes of some and all indices of the
 * loops around at once: what need not be tried one by one.
 */
#ifndef TRACENEST_MODEL_NUMBER_RANGE_H
#define TRACENEST_MODEL_NUMBER_RANGE_H

#include "model/number.h"

struct range {
	int64_t low, high;
};

/* What names may stand for. */
struct ranges {
	struct environment at; /* of the lowest process; all that does not vary */
	uint32_t last; /* process */
	const int64_t *top; /* by loop around, the outermost first: the largest index; borrowed */
	size_t depth;
	uint64_t steps; /* left for rows of tables that are looked at */
	bool lax; /* what is asked of tables is there */
};

/* False: it may be that it does not come out, or is not known how. Else it lies in the range, and
   comes out whatever the names stand for. O(its nodes, and rows of its tables). */
bool number_range(struct ranges *, node_id, struct range *);

#endif
