/*
 * missed.h -- notices repetitions whose bodies are too long for the window. Private to nlr/.
 */
#ifndef TRACENEST_NLR_MISSED_H
#define TRACENEST_NLR_MISSED_H

#include "nlr/term.h"

struct missed;

struct missed *missed_new(size_t window, unsigned repetitions);
struct missed *missed_copy(const struct missed *);
void missed_free(struct missed *);

/* The next term that leaves the window. O(1) */
void missed_add(struct missed *, struct term);

/* Did something come `repetitions` times at equal distances that are longer than the window? */
bool missed_any(const struct missed *);

#endif
