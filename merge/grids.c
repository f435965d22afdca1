/*
 * grids.c -- the moves between the ends of messages, counted on each grid of the processes.
 */
#include "merge/grids.h"

#include <string.h>

#include "base/intern.h"

/* In hundredths: a move along an axis more, and a grid that is longer than wide, decide only
   between grids of as many different moves. */
#define GRID_MOVE 100
#define GRID_AXIS 30
#define GRID_RATIO 10

/* Moves as they are modulo the size of each axis; intern_new_keys needs keys of one size. */
struct move {
	uint32_t along[GRID_AXES];
};

static uint64_t score_of(const struct grid *g, const struct grid_pair *pair, size_t pairs)
{
	struct intern *moves = intern_new_keys(sizeof(struct move));
	uint64_t score = 0;
	for (size_t i = 0; i < pairs; i++) {
		struct move move = {{0}};
		uint32_t from = pair[i].from, to = pair[i].to, axes = 0;
		for (uint32_t k = 0; k < g->axes; k++) {
			uint32_t size = g->size[k];
			move.along[k] = (to % size + size - from % size) % size;
			axes += move.along[k] != 0;
			from /= size;
			to /= size;
		}
		uint32_t known = intern_count(moves);
		if (intern_id(moves, &move, sizeof move) == known)
			score += GRID_MOVE + GRID_AXIS * axes;
	}
	intern_free(moves);
	uint32_t least = g->size[0], most = g->size[0];
	for (uint32_t k = 1; k < g->axes; k++) {
		least = g->size[k] < least ? g->size[k] : least;
		most = g->size[k] > most ? g->size[k] : most;
	}
	return score + GRID_RATIO * (most - least) / most;
}

struct choice {
	const struct grid_pair *pair;
	size_t pairs;
	uint64_t score;
	struct grid grid; /* axes 0: none so far */
};

/* All ways to write what is left as a product of the axes that are left, each 2 and more. */
static void try_sizes(struct choice *best, struct grid *g, uint32_t axis, uint32_t axes, uint32_t left)
{
	if (axis + 1 == axes) {
		g->axes = axes;
		g->size[axis] = left;
		uint64_t score = left > 1 ? score_of(g, best->pair, best->pairs) : UINT64_MAX;
		if (score < best->score) {
			best->score = score;
			best->grid = *g;
		}
		return;
	}
	for (uint32_t size = 2; size <= left / 2; size++)
		if (left % size == 0) {
			g->size[axis] = size;
			try_sizes(best, g, axis + 1, axes, left / size);
		}
}

size_t grids_of(uint32_t processes, const struct grid_pair *pair, size_t pairs, struct grid grids[GRIDS_MOST])
{
	size_t count = 1;
	memset(grids, 0, GRIDS_MOST * sizeof *grids);
	for (uint32_t axes = 2; axes <= 3 && pairs; axes++) {
		struct choice best = {.pair = pair, .pairs = pairs, .score = UINT64_MAX};
		struct grid g = {0};
		try_sizes(&best, &g, 0, axes, processes);
		if (best.grid.axes)
			grids[count++] = best.grid;
	}
	return count;
}
