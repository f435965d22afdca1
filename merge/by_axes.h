/*
 * by_axes.h -- tables by rank as they are by the coordinates of a grid, one axis outermost.
 *
 *	$b[p] = 9 7 7 8 6 6		$b[y,x] = 9 7 7 | 8 6 6		$b[x,y] = 9 8 | 7 6 | 7 6
 */
#ifndef TRACENEST_MERGE_BY_AXES_H
#define TRACENEST_MERGE_BY_AXES_H

#include "model/module.h"

/* Is the grid one that has coordinates for all ranks, and a table arguments for these? */
bool by_axes_possible(const struct module *);

/* Is the first argument of a look-up nothing but the rank? */
bool by_axes_rank(struct store *, node_id entry);

/* The table of one argument, which has an entry for each rank, as one that has `outer` as its first
   argument, then the other axes, the first one last; the caller's. O(entries). */
struct table *by_axes_table(const struct table *, const struct grid *, uint32_t outer);

/* Which axis its k-th argument is. */
uint32_t by_axes_argument(const struct grid *, uint32_t outer, uint32_t k);

#endif
