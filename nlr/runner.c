/*
 * runner.c -- the cursor once more, on its own copy of the numbers and without an end: the
 * outermost loop is taken to go on.
 */
#include "nlr/runner.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Iterations that do nothing, passed in a row: beyond that it is lost. */
#define IDLE_LIMIT 10000

void runner_clear(struct runner *r)
{
	for (unsigned i = 0; i < r->frames; i++)
		free(r->frame[i].number);
	free(r->frame);
	*r = (struct runner){0};
}

void runner_push(struct runner *r, const struct pattern *loop, const int64_t *number, int64_t count, int64_t done,
	const struct pattern_item *next)
{
	if (r->depth == r->frames) {
		r->frame = mem_resize(r->frame, r->frames + 1, sizeof *r->frame);
		r->frame[r->frames++] = (struct runner_frame){0};
	}
	struct runner_frame *f = &r->frame[r->depth++];
	f->number = mem_grow(f->number, &f->capacity, iteration_numbers(loop) + 1, sizeof *f->number);
	if (iteration_numbers(loop))
		memcpy(f->number, number, iteration_numbers(loop) * sizeof *number);
	f->loop = loop;
	f->next = next;
	f->count = count;
	f->done = done;
}

void runner_copy(struct runner *to, const struct runner *from)
{
	to->patterns = from->patterns;
	to->depth = 0;
	for (unsigned i = 0; i < from->depth; i++) {
		const struct runner_frame *f = &from->frame[i];
		runner_push(to, f->loop, f->number, f->count, f->done, f->next);
	}
}

const struct pattern_item *runner_at(const struct runner *r, const int64_t **number)
{
	if (!r->depth)
		return NULL;
	const struct runner_frame *f = &r->frame[r->depth - 1];
	*number = f->number + f->next->first;
	return f->next;
}

static bool end_iteration(struct runner *r)
{
	struct runner_frame *f = &r->frame[r->depth - 1];
	bool outermost = r->depth == 1;
	if (!outermost && f->done + 1 == f->count) {
		r->depth--;
		r->frame[r->depth - 1].next++;
		return true;
	}
	f->done += !outermost;
	f->next = f->loop->item;
	return iteration_next(f->loop, f->number);
}

static void enter(struct runner *r)
{
	struct runner_frame *f = &r->frame[r->depth - 1];
	const struct pattern_item *place = f->next;
	int64_t count = f->number[place->first];
	if (count <= 0) {
		f->next++;
		return;
	}
	const struct pattern *loop = patterns_get(r->patterns, place->pattern);
	runner_push(r, loop, f->number + place->first + 1, count, 0, loop->item);
}

bool runner_step(struct runner *r)
{
	if (!r->depth)
		return false;
	r->frame[r->depth - 1].next++;
	for (unsigned idle = 0; idle < IDLE_LIMIT; idle++) {
		uint32_t shape = r->frame[r->depth - 1].next->shape;
		if (shape < PATTERN_LOOP)
			return true;
		if (shape == PATTERN_LOOP)
			enter(r);
		else if (!end_iteration(r))
			break;
	}
	r->depth = 0;
	return false;
}
