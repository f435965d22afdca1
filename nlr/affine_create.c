/*
 * affine_create.c -- loops out of adjacent copies: of as many as repetitions ask for, and of two
 * that others confirm.
 */
#include "nlr/affine_create.h"

#include <stdlib.h>

#include "base/mem.h"

#define PAIRS_TRIED 4

/* The topmost terms as copies of a sequence: the loop that they would be. *fits: its steps are
   within 64 bits. */
static struct loop_parts copies_on_top(const struct stack *p, size_t length, unsigned count, bool *fits)
{
	size_t a = p->height - count * length, b = a + length;
	struct loop_parts c = loop_parts_new(count, p->term[b].first - p->term[a].first, length);
	const int64_t *first = stack_numbers(p, a), *second = stack_numbers(p, b);
	*fits = true;
	for (size_t i = 0; i < c.numbers; i++) {
		c.number[1 + i] = first[i];
		*fits &= !__builtin_sub_overflow(second[i], first[i], &c.step[i]);
	}
	for (size_t i = 0; i < length; i++)
		c.body[i] = p->term[a + i].pattern;
	return c;
}

/* They become it. */
static void make_loop(struct affine_window *w, const struct loop_parts *copies)
{
	stack_truncate(w->stack, w->stack->height - (size_t)copies->number[0] * copies->length);
	affine_window_push_loop(w, copies);
}

/* One more iteration at the front of the loop on top. */
static bool extend_once(struct affine_window *w)
{
	const struct pattern *loop = stack_top(w->stack)->pattern;
	int64_t *number = affine_window_top_numbers(w), *before = mem_array(loop->numbers, sizeof *before);
	stack_truncate(w->stack, w->stack->height - 1);
	size_t records = AFFINE_NOT_THERE;
	if (iteration_at(loop, number + 1, -1, before + 1))
		records = affine_window_ends_with(w, w->stack->height, loop, 0, before + 1);
	bool extended = records > 0 && records <= AFFINE_PART_LIMIT && affine_window_take_off(w, records);
	before[0] = number[0] + 1;
	affine_window_push(w, loop, extended ? before : number);
	free(number);
	free(before);
	return extended;
}

void affine_extend(struct affine_window *w)
{
	while (extend_once(w))
		;
}

bool affine_create(struct affine_window *w)
{
	size_t length = stack_find_repetition(w->stack);
	if (!length)
		return false;
	bool fits; /* it does: the stack looks for nothing else */
	struct loop_parts copies = copies_on_top(w->stack, length, w->repetitions, &fits);
	make_loop(w, &copies);
	loop_parts_clear(&copies);
	affine_extend(w);
	return true;
}

/* ------------------------------------------------------------------ pairs */

/* Does the pair's iteration -1 stand before it? */
static bool pair_stands(const struct affine_window *w, const struct loop_parts *c, const struct pattern *sketch)
{
	int64_t *before = mem_array(sketch->numbers, sizeof *before);
	size_t height = w->stack->height - 2 * c->length, records = AFFINE_NOT_THERE;
	if (iteration_at(sketch, c->number + 1, -1, before))
		records = affine_window_ends_with(w, height, sketch, 0, before);
	free(before);
	return records > 0 && records <= AFFINE_PART_LIMIT;
}

/* Would its third iteration begin with this record? */
static bool pair_expects(const struct affine_window *w, const struct loop_parts *c, const struct pattern *sketch,
	const struct affine_record *record)
{
	int64_t *third = mem_array(sketch->numbers, sizeof *third);
	bool same = iteration_at(sketch, c->number + 1, 2, third) &&
		    iterate_begins_with(w->patterns, sketch, third, record);
	free(third);
	return same;
}

static enum affine_pair try_pair(struct affine_window *w, size_t length, const struct affine_record *record)
{
	bool fits;
	struct loop_parts copies = copies_on_top(w->stack, length, 2, &fits);
	enum affine_pair result = PAIR_NONE;
	if (fits) {
		struct pattern *sketch = patterns_sketch(copies.body, length, copies.step);
		if (pair_stands(w, &copies, sketch))
			result = PAIR_LOOP;
		else if (record && pair_expects(w, &copies, sketch, record))
			result = PAIR_ON_TRIAL;
		free(sketch);
	}
	if (result != PAIR_NONE)
		make_loop(w, &copies);
	loop_parts_clear(&copies);
	return result;
}

enum affine_pair affine_try_pair(struct affine_window *w, const struct affine_record *record)
{
	if (w->repetitions > 3)
		return PAIR_NONE;
	size_t length = 0;
	for (unsigned tries = 0; tries < PAIRS_TRIED && (length = stack_find_pair(w->stack, length)); tries++) {
		enum affine_pair result = try_pair(w, length, record);
		if (result == PAIR_LOOP)
			affine_extend(w);
		if (result != PAIR_NONE)
			return result;
	}
	return PAIR_NONE;
}

void affine_give_up_pair(struct affine_window *w)
{
	const struct pattern *loop = stack_top(w->stack)->pattern;
	int64_t *number = affine_window_top_numbers(w);
	struct iterating u = affine_window_onto(w);
	stack_truncate(w->stack, w->stack->height - 1);
	iterate_iterations(&u, loop, number + 1, number[0]);
	free(number);
}
