/*
 * values.h -- numbers (of tags, of communicators) as functions of the process: few functions for
 * many numbers.
 */
#ifndef TRACENEST_FOLD_VALUES_H
#define TRACENEST_FOLD_VALUES_H

#include "fold/hypotheses.h"

/* Explain numbers by struct value. */
void values_choose(struct explanation *, const struct population *, const struct topology *);
/* The same, if one affine function tells the numbers of each turn, and not all of them are
   constant; else false. */
bool values_choose_by_turn(struct explanation *, const struct population *, const struct topology *);

/* One affine function for all of them (a number per process)? */
bool values_fit(const struct observation *, size_t count, const struct grid *, struct value *);
/* The same, for numbers that differ and are small enough to compute with; sorts the
   observations. */
bool values_fit_several(struct observation *, size_t count, const struct grid *, struct value *);

/* Larger numbers are not computed with. */
#define VALUES_LIMIT (UINT64_C(1) << 50)

#endif
