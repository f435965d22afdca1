/*
 * alignment.c -- from the ends to the beginnings, one row of weights at a time; of the ways a byte
 * for each pair is kept.
 */
#include "ask/alignment.h"

#include <stdlib.h>

#include "base/mem.h"

enum step { SKIP_FIRST, SKIP_SECOND, TAKE_BOTH };

/* way[i * (m + 1) + k]: the best way to go on from i and k. */
static void weigh(size_t n, size_t m, alignment_weight *weight, const void *context, unsigned char *way)
{
	uint32_t *best = mem_zero((m + 1) * sizeof *best);
	for (size_t i = n; i-- > 0;) {
		uint32_t across = 0; /* best[k + 1] of the row below */
		for (size_t k = m; k-- > 0;) {
			uint32_t below = best[k], right = best[k + 1], pair = weight(context, i, k);
			unsigned char step = below >= right ? SKIP_FIRST : SKIP_SECOND;
			uint32_t most = below >= right ? below : right;
			if (pair && across + pair >= most) {
				most = across + pair;
				step = TAKE_BOTH;
			}
			across = below;
			best[k] = most;
			way[i * (m + 1) + k] = step;
		}
	}
	free(best);
}

void alignment_heaviest(size_t n, size_t m, alignment_weight *weight, const void *context, size_t *of)
{
	unsigned char *way = mem_alloc((n + 1) * (m + 1));
	weigh(n, m, weight, context, way);
	for (size_t i = 0; i < n; i++)
		of[i] = ALIGNMENT_NONE;
	for (size_t i = 0, k = 0; i < n && k < m;) {
		unsigned char step = way[i * (m + 1) + k];
		if (step == TAKE_BOTH)
			of[i] = k;
		i += step != SKIP_SECOND;
		k += step != SKIP_FIRST;
	}
	free(way);
}
