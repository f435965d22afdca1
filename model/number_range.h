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
	const struct store *store;
	uint32_t processes;
	struct range p, axis[GRID_AXES];
	struct grid grid;
	const int64_t *top; /* by loop around, the outermost first: the largest index; borrowed */
	size_t depth;
	uint64_t *steps; /* left for rows of tables that are looked at */
};

/* Of one process; of all in a set that has these at its ends. */
void ranges_of_process(struct ranges *, uint32_t rank);
void ranges_of_processes(struct ranges *, uint32_t first, uint32_t last);

/* False: it may be that it does not come out, or is not known how. Else it lies in the range, and
   comes out whatever the names stand for. O(its nodes, and rows of its tables). */
bool number_range(const struct ranges *, node_id, struct range *);

#endif
