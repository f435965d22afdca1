/*
 * long_periods.h -- notices repetitions whose bodies are too long for the window. Private to nlr/.
 */
#ifndef TRACENEST_NLR_LONG_PERIODS_H
#define TRACENEST_NLR_LONG_PERIODS_H

#include "nlr/term.h"

struct long_periods;

struct long_periods *long_periods_new(size_t window, unsigned repetitions);
struct long_periods *long_periods_copy(const struct long_periods *);
void long_periods_free(struct long_periods *);

/* The next term that leaves the window. O(1) */
void long_periods_add(struct long_periods *, struct term);

/* Did something come `repetitions` times at equal distances that are longer than the window? */
bool long_periods_any(const struct long_periods *);

#endif
