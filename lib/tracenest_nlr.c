/*
 * tracenest_nlr.c -- the recognizer of records behind its handle: with predictions where they will
 * be asked for, else without what they cost.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "lib/handles.h"
#include "model/affine_text.h"
#include "nlr/affine_nlr.h"
#include "nlr/nlr.h"
#include "nlr/predict.h"

struct tracenest_nlr {
	struct affine_shapes *shapes;
	uint32_t known; /* shapes are numbered from 0 */
	struct affine_nlr *nlr; /* one of these two */
	struct predictor *predictor;
	uint64_t ahead;
};

_Static_assert(TRACENEST_NLR_WIDTH == AFFINE_WIDTH, "numbers of a record");

static size_t between(size_t least, size_t number, size_t most)
{
	return number < least ? least : number > most ? most : number;
}

tracenest_nlr *tracenest_nlr_new(size_t window, unsigned repetitions, uint64_t ahead)
{
	struct affine_nlr_options options = {
		.window = window ? between(1, window, AFFINE_NLR_WINDOW_MOST) : AFFINE_NLR_WINDOW,
		.repetitions =
			repetitions ? (unsigned)between(3, repetitions, NLR_REPETITIONS_MOST) : AFFINE_NLR_REPETITIONS,
	};
	tracenest_nlr *r = mem_zero(sizeof *r);
	r->shapes = affine_shapes_new(true);
	r->ahead = between(0, ahead, UINT64_C(1) << (PREDICT_DISTANCES - 1));
	unsigned distances = 0;
	while (UINT64_C(1) << distances <= r->ahead)
		distances++;
	if (distances)
		r->predictor = predictor_new(&options, distances);
	else
		r->nlr = affine_nlr_new(&options);
	return r;
}

void tracenest_nlr_free(tracenest_nlr *r)
{
	if (!r)
		return;
	affine_nlr_free(r->nlr);
	predictor_free(r->predictor);
	affine_shapes_free(r->shapes);
	free(r);
}

static void push(tracenest_nlr *r, uint32_t shape, uint32_t width, const int64_t *number)
{
	if (r->predictor)
		predictor_push(r->predictor, shape, width, number);
	else
		affine_nlr_push(r->nlr, shape, width, number);
}

static uint32_t read_line(tracenest_nlr *r, const char *line, uint32_t *width, int64_t *number)
{
	if (line[strcspn(line, "\n\r")])
		return TRACENEST_NONE;
	uint32_t shape = affine_shapes_line(r->shapes, line, strlen(line), width, number);
	if (shape >= r->known)
		r->known = shape + 1;
	return shape;
}

uint32_t tracenest_nlr_shape(tracenest_nlr *r, const char *line, uint32_t *width)
{
	int64_t number[AFFINE_WIDTH];
	uint32_t unused;
	return read_line(r, line, width ? width : &unused, number);
}

bool tracenest_nlr_push(tracenest_nlr *r, uint32_t shape, const int64_t *number)
{
	if (shape >= r->known)
		return false;
	push(r, shape, affine_shapes_width(r->shapes, shape), number);
	return true;
}

bool tracenest_nlr_push_line(tracenest_nlr *r, const char *line)
{
	int64_t number[AFFINE_WIDTH];
	uint32_t width, shape = read_line(r, line, &width, number);
	if (shape == TRACENEST_NONE)
		return false;
	push(r, shape, width, number);
	return true;
}

bool tracenest_nlr_ahead(tracenest_nlr *r, uint64_t distance, uint32_t *shape, int64_t *number)
{
	uint32_t width;
	if (distance == 0 || distance > r->ahead)
		return false;
	if (distance & (distance - 1))
		return predictor_at(r->predictor, distance, shape, &width, number);
	return predictor_ahead(r->predictor, (unsigned)__builtin_ctzll(distance), shape, &width, number);
}

char *tracenest_nlr_line(const tracenest_nlr *r, uint32_t shape, const int64_t *number)
{
	if (shape >= r->known)
		return NULL;
	struct text text = {0};
	affine_shapes_print(r->shapes, shape, number, &text);
	text_truncate(&text, text.length - 1); /* the newline */
	return give(&text, NULL);
}

char *tracenest_nlr_finish(tracenest_nlr *r, size_t *length)
{
	struct affine_nest *nest = r->predictor ? predictor_finish(r->predictor) : affine_nlr_finish(r->nlr);
	struct text text = {0};
	affine_print_text(nest, r->shapes, false, &text);
	affine_nest_free(nest);
	r->predictor = NULL;
	r->nlr = NULL;
	tracenest_nlr_free(r);
	return give(&text, length);
}
