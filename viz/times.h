/*
 * times.h -- what share of the run time each loop of a listing takes, found on the way down from the root.
 *
 *	struct times *t = times_new(options->time, options->times);
 *	uint32_t place = times_inside(t, TIMES_ROOT, 4);		-- loop 4 of the root, "4"
 *	place = times_inside(t, place, 0);				-- its construct 0, "4.0"
 *	double share = times_share(t, place);
 *	times_free(t);
 *
 * Loops that are written once in a model's nest may stand at several addresses: each has a share of its own.
 */
#ifndef TRACENEST_VIZ_TIMES_H
#define TRACENEST_VIZ_TIMES_H

#include "base/text.h"
#include "viz/viz.h"

#define TIMES_ROOT (UINT32_MAX - 1)
#define TIMES_NOWHERE UINT32_MAX /* nothing is known of it, nor of what is inside */
#define TIMES_UNKNOWN (-1.0) /* a share that nobody told */

struct times;

/* Copies what it is given. */
struct times *times_new(const struct viz_time *, size_t length);
void times_free(struct times *);

/* The place of a construct of the body at a place; the place of an address, whose last dot may be left out ("" is the root). O(1) a step. */
uint32_t times_inside(const struct times *, uint32_t place, uint32_t index);
uint32_t times_at(const struct times *, const char *address);

double times_share(const struct times *, uint32_t place);

/* Shares of different loops together: what is not known does not count. */
double times_add(double, double);

/* The share with which the scale ends: 1, 2 or 5 times a power of ten, no less than any that was told. 0: nothing was told. */
double times_top(const struct times *);

/* "31 %", "3.1 %", "< 0.1 %" */
void times_print(double share, struct text *);

#endif
