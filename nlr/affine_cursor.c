/*
 * affine_cursor.c -- what a loop expects next: a frame per loop that is being passed, its numbers
 * advanced by its steps.
 */
#include "nlr/affine_cursor.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Terms of the body of a loop that do nothing are passed for free, but not forever: an affine bound
   can ask for 2^63 empty iterations. */
#define IDLE_LIMIT 10000

static const struct pattern_item nowhere = {.shape = PATTERN_END};

void affine_cursor_start(struct affine_cursor *c, const struct patterns *patterns, bool slow)
{
	*c = (struct affine_cursor){.next = &nowhere, .patterns = patterns, .slow = slow};
}

void affine_cursor_clear(struct affine_cursor *c)
{
	for (unsigned i = 0; i < c->frames; i++)
		free(c->frame[i].number);
	free(c->frame);
}

static struct cursor_frame *frame_at(struct affine_cursor *c, unsigned depth, const struct pattern *loop)
{
	if (depth == c->frames) {
		c->frame = mem_resize(c->frame, depth + 1, sizeof *c->frame);
		c->frame[c->frames++] = (struct cursor_frame){0};
	}
	struct cursor_frame *f = &c->frame[depth];
	f->number = mem_grow(f->number, &f->capacity, iteration_numbers(loop) + 1, sizeof *f->number);
	f->loop = loop;
	f->done = 0;
	f->place = NULL;
	c->depth = depth;
	c->current = f->number;
	return f;
}

static void enter(struct affine_cursor *c, const struct pattern_item *place, int64_t count)
{
	const struct pattern *loop = patterns_get(c->patterns, place->pattern);
	unsigned outside = c->depth;
	struct cursor_frame *f = frame_at(c, outside + 1, loop);
	f->count = count;
	f->place = place;
	if (iteration_numbers(loop))
		memcpy(f->number, c->frame[outside].number + place->first + 1,
			iteration_numbers(loop) * sizeof *f->number);
	c->next = loop->item;
}

/* Nothing is expected, though the loop may have been followed so far. */
static void lose(struct affine_cursor *c)
{
	c->stop = c->next;
	c->next = &nowhere;
}

bool affine_cursor_lost(const struct affine_cursor *c)
{
	return c->next == &nowhere;
}

/* The end of an iteration of the open loop: it is part of it now. False if there is no other
   one. */
static bool count_outermost(struct affine_cursor *c)
{
	struct cursor_frame *f = &c->frame[0];
	c->next = f->loop->item;
	if (c->records == c->boundary)
		return false;
	f->done++;
	c->boundary = c->records;
	return iteration_next(f->loop, f->number);
}

/* The end of an iteration of an inner loop. False where its next one has numbers beyond 64 bits. */
static bool count_inner(struct affine_cursor *c)
{
	struct cursor_frame *f = &c->frame[c->depth];
	if (f->done + 1 == f->count) {
		c->next = f->place + 1;
		c->current = c->frame[--c->depth].number;
		return true;
	}
	if (!iteration_next(f->loop, f->number))
		return false;
	f->done++;
	c->next = f->loop->item;
	return true;
}

void affine_cursor_advance(struct affine_cursor *c)
{
	for (unsigned idle = 0; c->next->shape >= PATTERN_LOOP; idle++) {
		bool good = idle < IDLE_LIMIT;
		if (c->next->shape == PATTERN_LOOP) {
			int64_t count = c->current[c->next->first];
			if (count > 0)
				enter(c, c->next, count);
			else
				c->next++;
		} else if (good) {
			good = c->depth ? count_inner(c) : count_outermost(c);
		}
		if (!good) {
			lose(c);
			return;
		}
	}
}

/* The same when only so many records have passed it: a record that is counted already may be the
   first of the iteration. */
static void advance_from(struct affine_cursor *c, uint64_t passed)
{
	uint64_t records = c->records;
	c->records = passed;
	affine_cursor_advance(c);
	c->records = records;
}

void affine_cursor_open(struct affine_cursor *c, const struct pattern *loop, const int64_t *number, uint64_t boundary)
{
	struct cursor_frame *f = frame_at(c, 0, loop);
	c->boundary = boundary;
	c->next = loop->item;
	if (!iteration_at(loop, number + 1, number[0], f->number))
		lose(c);
	else if (!c->slow)
		advance_from(c, boundary);
}

int64_t affine_cursor_close(struct affine_cursor *c)
{
	if (!affine_cursor_lost(c))
		lose(c);
	return c->frame[0].done;
}

/* Of each inner loop: the iterations done, then a part of one. */
void affine_cursor_passed(const struct affine_cursor *c, const struct iterating *u, uint64_t pending)
{
	if (c->slow) {
		iterate_prefix(u, c->frame[0].loop, c->frame[0].number, pending);
		return;
	}
	for (unsigned i = 0; pending && i <= c->depth; i++) {
		const struct cursor_frame *f = &c->frame[i];
		const struct pattern_item *to = i < c->depth ? c->frame[i + 1].place : c->stop;
		iterate_items(u, f->loop->item, to, f->number);
		if (i == c->depth)
			break;
		const struct cursor_frame *inner = f + 1;
		int64_t *term = mem_array(inner->loop->numbers, sizeof *term);
		memcpy(term, f->number + to->first, inner->loop->numbers * sizeof *term);
		term[0] = inner->done;
		iterate_term(u, inner->loop, term);
		free(term);
	}
}

static bool expects_slowly(const struct affine_cursor *c, const struct affine_record *record, uint64_t pending)
{
	struct record_list list = {0};
	struct iterating u = {.patterns = c->patterns, .context = &list, .term = record_list_add};
	bool missing = iterate_prefix(&u, c->frame[0].loop, c->frame[0].number, pending + 1) > 0;
	const struct listed *last = list.length ? &list.record[list.length - 1] : NULL;
	bool same = !missing && last && affine_record_is(record, last->pattern->shape, list.number + last->first);
	record_list_clear(&list);
	return same;
}

bool affine_cursor_expects(const struct affine_cursor *c, const struct affine_record *record)
{
	if (affine_cursor_lost(c))
		return false;
	if (c->slow)
		return expects_slowly(c, record, c->records - 1 - c->boundary);
	return affine_record_is(record, c->next->shape, c->current + c->next->first);
}

static void accept_slowly(struct affine_cursor *c)
{
	const struct cursor_frame *f = &c->frame[0];
	uint64_t pending = c->records - c->boundary;
	struct record_list whole = {0};
	struct iterating u = {.patterns = c->patterns, .context = &whole, .term = record_list_add};
	iterate_items(&u, f->loop->item, f->loop->item + f->loop->length, f->number);
	bool complete = whole.length == pending;
	record_list_clear(&whole);
	if (complete && !count_outermost(c))
		lose(c);
}

void affine_cursor_accept(struct affine_cursor *c)
{
	if (c->slow) {
		accept_slowly(c);
		return;
	}
	c->next++;
	if (c->next->shape >= PATTERN_LOOP)
		affine_cursor_advance(c);
}
