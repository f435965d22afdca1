/*
 * grid.h -- the grid that processes stand on: a rank is its coordinates, the first axis counts
 * fastest.
 *
 *	grid_spot(&(struct grid){2, {4, 3}}, 6).axis	-- 2, 1
 */
#ifndef TRACENEST_MODEL_GRID_H
#define TRACENEST_MODEL_GRID_H

#include <stdint.h>

#define GRID_AXES 4

struct grid {
	uint32_t axes; /* 0: there is no grid; else 2 to GRID_AXES */
	uint32_t size[GRID_AXES];
};

/* Where a process stands. */
struct spot {
	int64_t p, axis[GRID_AXES]; /* axes that the grid lacks: 0 */
};

struct spot grid_spot(const struct grid *, uint32_t rank);
uint64_t grid_ranks(const struct grid *); /* the product of the sizes */

/* A move along an axis of this size, as the number next to 0 that means the same: from -(size-1)/2
   to size/2. */
int64_t grid_nearest(int64_t move, uint32_t size);

#endif
