/*
 * affine_fit.h -- numbers as an affine function of sources, exactly, or modulo a size.
 */
#ifndef TRACENEST_FIT_AFFINE_FIT_H
#define TRACENEST_FIT_AFFINE_FIT_H

#include "fit/domain.h"

/*
 * One that is right for each point, of these sources alone. False: there is none, or (affine_find)
 * no more points that differ in the sources it uses than it has factors and a constant. O(points x
 * sources).
 */
bool affine_find(const struct domain *, const int64_t *number, uint32_t sources, struct linear *);
bool affine_solve(const struct domain *, const int64_t *number, uint32_t sources, struct linear *);

/* The same modulo a size: the remainder of it is the remainder of the number. Factors and constant
   are as next to 0 as can be. */
bool affine_find_modulo(const struct domain *, const int64_t *number, uint32_t sources, uint32_t size, struct linear *);
bool affine_solve_modulo(
	const struct domain *, const int64_t *number, uint32_t sources, uint32_t size, struct linear *);

/* Are there more points that differ in what it uses than it has factors and a constant? */
bool affine_has_evidence(const struct domain *, const struct linear *);

#endif
