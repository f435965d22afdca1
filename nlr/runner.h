/*
 * runner.h -- runs ahead of the recognizer's cursor, for predictions. Private to nlr/.
 */
#ifndef TRACENEST_NLR_RUNNER_H
#define TRACENEST_NLR_RUNNER_H

#include "nlr/affine_nlr.h"
#include "nlr/pattern.h"

struct runner_frame {
	const struct pattern *loop;
	const struct pattern_item *next;
	int64_t *number;
	size_t capacity;
	int64_t count, done; /* of the outermost one: it never ends */
};

/* Starts as {0}. */
struct runner {
	const struct patterns *patterns;
	struct runner_frame *frame;
	unsigned depth, frames; /* depth 0: it is nowhere */
};

void runner_clear(struct runner *);

/* Put it where the cursor of a recognizer is; false if that is nowhere. */
bool runner_start(struct runner *, const struct affine_nlr *);

void runner_copy(struct runner *to, const struct runner *from);

/* The record it stands at; NULL if it is nowhere. numbers: borrowed, until it steps. */
const struct pattern_item *runner_at(const struct runner *, const int64_t **number);

/* Step to the record after it; false when that is nowhere. */
bool runner_step(struct runner *);

/* For runner_start: add a frame, outermost first. Of frames outside the innermost one, next is the
   loop that the next frame is in. */
void runner_push(struct runner *, const struct pattern *, const int64_t *number, int64_t count, int64_t done,
	const struct pattern_item *next);

/* Changes whenever the cursor does not simply go on. */
uint64_t affine_nlr_mispredictions(const struct affine_nlr *);

#endif
