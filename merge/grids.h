/*
 * grids.h -- on which grid may the processes stand? That on which the messages of a run make fewest
 * different moves, and its groups are lines.
 */
#ifndef TRACENEST_MERGE_GRIDS_H
#define TRACENEST_MERGE_GRIDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/ranks.h"
#include "model/grid.h"

/* Who sends to whom. Tags are compared only. */
struct grid_pair {
	uint32_t from, to;
	uint64_t tag;
};

struct grid_traffic {
	const struct grid_pair *pair; /* each once */
	size_t pairs;
	const struct ranks *group; /* of collectives, none of them empty or the whole run */
	size_t groups;
};

/*
 * The best grid of two axes and more; axes 0: there is none. True if it says the traffic better
 * than processes in a row do. O((pairs log pairs + members of groups) x factorizations of the
 * number of processes).
 */
bool grid_of(uint32_t processes, const struct grid_traffic *, struct grid *);

/* Is the set the line, plane, ... of the grid through its lowest rank along some axes, a bit each?
   */
bool grid_line_of(const struct grid *, const struct ranks *set, uint32_t *axes);

/* The lowest rank of the line through this one. */
uint32_t grid_line_first(const struct grid *, uint32_t axes, uint32_t rank);

#endif
