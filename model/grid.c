/*
 * grid.c -- ranks as coordinates.
 */
#include "model/grid.h"

#include "base/gcd.h"
#include "base/ranks.h"

struct spot grid_spot(const struct grid *g, uint32_t rank)
{
	struct spot s = {.p = rank};
	for (uint32_t i = 0; i < g->axes; i++) {
		s.axis[i] = rank % g->size[i];
		rank /= g->size[i];
	}
	return s;
}

uint64_t grid_ranks(const struct grid *g)
{
	uint64_t product = 1;
	for (uint32_t i = 0; i < g->axes && product <= RANK_LIMIT; i++)
		product *= g->size[i];
	return product;
}

int64_t grid_nearest(int64_t move, uint32_t size)
{
	int64_t rest = modulo(move, size);
	return 2 * rest > size ? rest - size : rest;
}
