/*
 * grids.h -- on which grids may the processes stand? Those on which the messages of a run make
 * fewest different moves; which of them it is, the price of the tree decides.
 */
#ifndef TRACENEST_MERGE_GRIDS_H
#define TRACENEST_MERGE_GRIDS_H

#include <stddef.h>
#include <stdint.h>

#include "model/formula.h"

#define GRIDS_MOST 4

/* Who sends to whom, or receives. */
struct grid_pair {
	uint32_t from, to;
};

/*
 * The best grid of two axes and the best of three, after none at all: how many there are. O(pairs x
 * factorizations of the number of processes).
 */
size_t grids_of(uint32_t processes, const struct grid_pair *, size_t pairs, struct grid[GRIDS_MOST]);

#endif
