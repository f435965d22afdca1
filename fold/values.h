/*
 * values.h -- numbers (of tags, of communicators) as functions of the process: few functions for many numbers.
 */
#ifndef TRACENEST_FOLD_VALUES_H
#define TRACENEST_FOLD_VALUES_H

#include "model/formula.h"

/* Process p uses this number. */
struct figure {
	uint32_t p;
	uint32_t turn; /* which of the process's numbers: functions that explain numbers of the same turn are preferred */
	uint64_t number; /* below 2^60 */
};

struct values {
	struct value *value;
	uint32_t count;
	uint32_t *of; /* by figure: which value explains it */
};

/* figures: distinct, ascending in p, then in number. */
void values_choose(struct values *, const struct figure *, size_t figures, const struct grid *);
/* The same, if one affine function tells the numbers of each turn; else false. */
bool values_choose_by_turn(struct values *, const struct figure *, size_t figures, const struct grid *);
void values_clear(struct values *);

/* One affine function for all of them (a number per process)? */
bool values_fit(const struct figure *, size_t figures, const struct grid *, struct value *);

#endif
