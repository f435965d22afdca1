/*
 * times.h -- shares of the run time: summed up, scaled, written.
 */
#ifndef TRACENEST_VIZ_TIMES_H
#define TRACENEST_VIZ_TIMES_H

#include <stddef.h>

#include "base/text.h"
#include "viz/drawn.h"
#include "viz/viz.h"

#define TIMES_UNKNOWN (-1.0) /* a share that nobody told */

/*
 * The share of each statement drawn; the caller's, NULL where nothing is told. A loop of the
 * program that is drawn as several (those of groups of processes that do not communicate with each
 * other, those of iterations written out) is shared out by their events.
 */
double *times_shares(const struct drawn *, const struct viz_time *, size_t length);

/* Shares of different loops together: what is not known does not count. */
double times_add(double, double);

/*
 * The share with which the scale ends: 1, 2 or 5 times a power of ten, no less than any that was
 * told. 0: nothing was told.
 */
double times_top(const struct viz_time *, size_t length);

/* "31 %", "3.1 %", "< 0.1 %" */
void times_print(double share, struct text *);

#endif
