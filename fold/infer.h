/*
 * infer.h -- on which grid do the processes stand?
 */
#ifndef TRACENEST_FOLD_INFER_H
#define TRACENEST_FOLD_INFER_H

#include "fold/places.h"

/*
 * The grid on which the populations (peers, of one tag each, say) take fewest statements, and
 * groups are fewest kinds of lines; without axes, if none does better than no grid. groups:
 * different sets of ranks that are groups of collectives, several of one name; those of one process
 * say nothing. O(factorizations of `processes` times a sample, + the best ones times the
 * observations).
 */
struct grid infer_grid(
	uint32_t processes, const struct population *, size_t populations, const struct ranks *groups, size_t count);

/* Is the group a line (a plane, ...) of the grid, or one process? Then its area, with coordinates
   of the process in the other axes. */
bool infer_area(const struct grid *, const struct ranks *group, struct area *);

#endif
