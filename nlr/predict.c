/*
 * predict.c -- a runner per distance keeps as many records ahead of the recognizer's cursor, each
 * one step per record. Only when the cursor does something else than to go on are they sent out
 * anew.
 *
 * While there is no loop to follow, in the first rounds of a loop to be, the last records are
 * looked for in what came before: if the last CONTEXT of them stood there too, the nearest time,
 * what followed then is expected now, over and over.
 */
#include "nlr/predict.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "nlr/runner.h"

#define CONTEXT 3
#define HISTORY (1u << 15) /* records remembered */

struct past {
	uint64_t hash;
	uint32_t shape, width;
};

struct predictor {
	struct affine_nlr *nlr;
	unsigned distances;
	struct runner runner[PREDICT_DISTANCES];
	uint64_t mispredictions; /* of the recognizer when they were sent out */
	bool running;
	/* what came before */
	struct past *past; /* a ring */
	int64_t *number; /* of each, `widest` apart */
	uint32_t widest;
	uint64_t length;
	uint64_t *place; /* by hash of a context: 1 + where it ended last */
	uint64_t recalled; /* 1 + where the present one ended before; 0: nowhere */
};

struct predictor *predictor_new(const struct affine_nlr_options *options, unsigned distances)
{
	assert(distances <= PREDICT_DISTANCES);
	struct predictor *p = mem_zero(sizeof *p);
	p->nlr = affine_nlr_new(options);
	p->distances = distances;
	p->past = mem_array(HISTORY, sizeof *p->past);
	p->place = mem_zero(HISTORY * sizeof *p->place);
	return p;
}

static void clear(struct predictor *p)
{
	for (unsigned k = 0; k < PREDICT_DISTANCES; k++)
		runner_clear(&p->runner[k]);
	free(p->past);
	free(p->number);
	free(p->place);
	free(p);
}

void predictor_free(struct predictor *p)
{
	if (!p)
		return;
	affine_nlr_free(p->nlr);
	clear(p);
}

struct affine_nest *predictor_finish(struct predictor *p)
{
	struct affine_nest *nest = affine_nlr_finish(p->nlr);
	clear(p);
	return nest;
}

/* ------------------------------------------------------------------ what came before */

static size_t slot(uint64_t at)
{
	return at % HISTORY;
}

static void widen(struct predictor *p, uint32_t width)
{
	int64_t *wider = mem_array((size_t)HISTORY * width, sizeof *wider);
	for (size_t i = 0; p->widest && i < HISTORY && i < p->length; i++)
		memcpy(wider + i * width, p->number + i * p->widest, p->widest * sizeof *wider);
	free(p->number);
	p->number = wider;
	p->widest = width;
}

static void store(struct predictor *p, uint32_t shape, uint32_t width, const int64_t *number)
{
	if (width > p->widest)
		widen(p, width);
	size_t at = slot(p->length);
	p->past[at] =
		(struct past){hash_pair(shape, width ? hash_bytes(number, width * sizeof *number) : 0), shape, width};
	if (width)
		memcpy(p->number + at * p->widest, number, width * sizeof *number);
	p->length++;
}

static bool same_context(const struct predictor *p, uint64_t a, uint64_t b)
{
	for (unsigned i = 0; i < CONTEXT; i++)
		if (p->past[slot(a - i)].hash != p->past[slot(b - i)].hash)
			return false;
	return true;
}

static void remember(struct predictor *p, uint32_t shape, uint32_t width, const int64_t *number)
{
	uint64_t at = p->length, hash = 0;
	store(p, shape, width, number);
	p->recalled = 0;
	if (p->length < CONTEXT)
		return;
	for (unsigned i = 0; i < CONTEXT; i++)
		hash = hash_pair(hash, p->past[slot(at - i)].hash);
	uint64_t *place = &p->place[hash % HISTORY];
	if (*place && at - (*place - 1) + CONTEXT < HISTORY && same_context(p, *place - 1, at))
		p->recalled = *place;
	*place = at + 1;
}

static bool recall(const struct predictor *p, uint64_t distance, uint32_t *shape, uint32_t *width, int64_t *number)
{
	if (!p->recalled)
		return false;
	uint64_t then = p->recalled - 1, period = p->length - 1 - then;
	size_t at = slot(then + 1 + (distance - 1) % period);
	*shape = p->past[at].shape;
	*width = p->past[at].width;
	if (*width)
		memcpy(number, p->number + at * p->widest, *width * sizeof *number);
	return true;
}

/* ------------------------------------------------------------------ runners */

static void send_out(struct predictor *p)
{
	uint64_t steps = 0;
	p->mispredictions = affine_nlr_mispredictions(p->nlr);
	p->running = runner_start(&p->runner[0], p->nlr);
	struct runner scout = {0};
	if (p->running)
		runner_start(&scout, p->nlr);
	for (unsigned k = 1; k < p->distances && p->running; k++) {
		while (steps + 1 < UINT64_C(1) << k && runner_step(&scout))
			steps++;
		runner_copy(&p->runner[k], &scout);
	}
	runner_clear(&scout);
}

void predictor_push(struct predictor *p, uint32_t shape, uint32_t width, const int64_t *number)
{
	affine_nlr_push(p->nlr, shape, width, number);
	remember(p, shape, width, number);
	if (!p->running || p->mispredictions != affine_nlr_mispredictions(p->nlr)) {
		send_out(p);
		return;
	}
	for (unsigned k = 0; k < p->distances; k++)
		runner_step(&p->runner[k]);
}

static bool read_off(const struct runner *r, uint32_t *shape, uint32_t *width, int64_t *number)
{
	const int64_t *expected;
	const struct pattern_item *item = runner_at(r, &expected);
	if (!item)
		return false;
	*shape = item->shape;
	*width = item->width;
	if (item->width)
		memcpy(number, expected, item->width * sizeof *number);
	return true;
}

bool predictor_ahead(struct predictor *p, unsigned k, uint32_t *shape, uint32_t *width, int64_t *number)
{
	assert(k < p->distances);
	if (p->running)
		return read_off(&p->runner[k], shape, width, number);
	return recall(p, UINT64_C(1) << k, shape, width, number);
}

bool predictor_at(struct predictor *p, uint64_t distance, uint32_t *shape, uint32_t *width, int64_t *number)
{
	assert(distance > 0);
	struct runner scout = {0};
	bool found = runner_start(&scout, p->nlr);
	if (!found) {
		runner_clear(&scout);
		return recall(p, distance, shape, width, number);
	}
	while (found && --distance)
		found = runner_step(&scout);
	found = found && read_off(&scout, shape, width, number);
	runner_clear(&scout);
	return found;
}
