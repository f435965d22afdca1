/*
 * term_sums.h -- what terms are worth: for terms.c only.
 */
#ifndef TRACENEST_ASK_TERM_SUMS_H
#define TRACENEST_ASK_TERM_SUMS_H

#include "ask/terms.h"

struct term_sums;

struct term_sums *term_sums_new(const struct program *, const struct terms *);
void term_sums_free(struct term_sums *);

bool term_sums_value(struct term_sums *, const struct polynomial *, uint32_t rank, const int64_t *index, size_t depth,
	int64_t *result);

/* Of a term that depends on nothing. */
bool term_value(struct term_sums *, uint16_t variable, int64_t *number);

#endif
