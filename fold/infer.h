/*
 * infer.h -- on which grid do the processes stand?
 */
#ifndef TRACENEST_FOLD_INFER_H
#define TRACENEST_FOLD_INFER_H

#include "fold/places.h"

/* Pairs that one function should explain as far as possible: of one tag, say. */
struct population {
	const struct pair *pair; /* distinct, ascending in p, then in q */
	size_t pairs;
};

/*
 * The grid on which fewest functions explain all populations and the groups; without axes, if none does better than no grid. groups: sets of ranks that
 * are groups of collectives, several of one name. O(factorizations of `processes` times a sample, + the best ones times the pairs).
 */
struct grid infer_grid(uint32_t processes, const struct population *, size_t populations, const struct ranks *groups, size_t count);

/* Is the group a line (a plane, ...) of the grid? Then its area, with coordinates of the process in the other axes. */
bool infer_area(const struct grid *, const struct ranks *group, struct area *);

#endif
