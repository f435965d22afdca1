/*
 * laws.h -- numbers that are no affine function, but still follow a law: remainders, powers,
 * digits. NODE_NONE: they do not.
 */
#ifndef TRACENEST_FIT_LAWS_H
#define TRACENEST_FIT_LAWS_H

#include "fit/domain.h"

/* Numbers of one source alone, by what it is, ascending. */
struct univariate {
	int source;
	uint32_t size; /* how many times the source goes; 0: an index */
	size_t count;
	const int64_t *at, *number;
};

/* a*u + b*((u+c)%m) + d; sources that step evenly. O(count). */
node_id univariate_wave(struct store *, const struct univariate *);

/* c0 + c1*b^u, c0 + c1*a^u + c2*b^u, u or the distance to the last one. O(count). */
node_id univariate_power(struct store *, const struct univariate *);

/* base + f*((affine)%m) and base + f*((affine)%m) + f*m*((affine)%n), of these sources; m, n: sizes
   of the axes, or the processes. O(points x sizes^2). */
node_id digits_find(const struct domain *, const int64_t *number, uint32_t sources);

#endif
