/*
 * predict.h -- what comes next: from the loop under construction, or else from what followed when
 * the same was there before.
 *
 *	struct predictor *p = predictor_new(NULL, 7);				-- distances 1, 2, 4, ... 64
 *	int64_t number[AFFINE_WIDTH];
 *	while (more) {
 *		if (predictor_ahead(p, 6, &shape, &width, number))		-- the record 64 places from here
 *			...
 *		predictor_push(p, shape, width, number);
 *	}
 *	struct affine_nest *n = predictor_finish(p);		-- p is gone, n is ours
 *
 * The recognizer inside is that of affine_nlr.h and makes the same nest. Predictions are guesses:
 * nothing that is pushed depends on them. Nothing here fails but for want of memory, which ends the
 * program. (Ketterlin & Clauss, CGO 2008, section 5.)
 */
#ifndef TRACENEST_NLR_PREDICT_H
#define TRACENEST_NLR_PREDICT_H

#include "nlr/affine_nlr.h"

/* Distances are powers of two below 2^PREDICT_DISTANCES. */
#define PREDICT_DISTANCES 21

struct predictor;

/* That has seen nothing. options: of its recognizer, NULL for the defaults; borrowed for the call.
   distances: how many powers of two predictor_ahead will be asked for, at most
   PREDICT_DISTANCES. */
struct predictor *predictor_new(const struct affine_nlr_options *, unsigned distances);
void predictor_free(struct predictor *);

/* Append one record: see affine_nlr_push. Amortized O(distances) while input follows a loop;
   leaving one costs O(the greatest distance). */
void predictor_push(struct predictor *, uint32_t shape, uint32_t width, const int64_t *number);

/* The record 2^k places from here (2^0 is the next): false where there is nothing to go by. number:
   room for AFFINE_WIDTH. O(width). */
bool predictor_ahead(struct predictor *, unsigned k, uint32_t *shape, uint32_t *width, int64_t *number);

/* At any distance from 1. O(distance). */
bool predictor_at(struct predictor *, uint64_t distance, uint32_t *shape, uint32_t *width, int64_t *number);

/* The nest of everything pushed; takes the predictor. */
struct affine_nest *predictor_finish(struct predictor *);

#endif
