/*
 * affine_rotate.c -- the rule rotate: [A B]n A as a loop over B A.
 */
#include "nlr/affine_rotate.h"

#include <stdlib.h>

#include "base/mem.h"
#include "nlr/affine_create.h"

#define RIGHT_ROTATIONS_TRIED 4

/* A loop [A B]n as a loop over B A. b, a: numbers of the iterations that its first B and A are
   taken from. */
static struct loop_parts rotated_new(const struct affine_window *w, const struct pattern *loop, size_t split,
	const int64_t *b, const int64_t *a, int64_t count)
{
	size_t numbers = iteration_numbers(loop), cut = loop->item[split].first, tail = numbers - cut;
	struct loop_parts t = loop_parts_new(count, numbers, loop->length);
	for (size_t i = 0; i < numbers; i++) {
		size_t from = i < tail ? cut + i : i - tail;
		t.number[1 + i] = i < tail ? b[from] : a[from];
		t.step[i] = loop->step[from];
	}
	for (size_t i = 0; i < loop->length; i++)
		t.body[i] = patterns_get(w->patterns, loop->item[(split + i) % loop->length].pattern);
	return t;
}

/* A loop that was taken off the top, closed, its unfinished iteration, and numbers of some of its
   iterations. */
struct rotation {
	const struct pattern *loop;
	int64_t *number; /* its count, and the first iteration */
	int64_t *before; /* iteration -1 */
	int64_t *second;
	int64_t *last; /* the unfinished one */
};

/*
 * [A B]n A, and B of iteration -1 stands before it or is empty: the loop was begun in the middle,
 * because the first B was too short for a loop. *stands: that B stands there, so a longer one may.
 */
static bool rotate_left(struct affine_window *w, const struct rotation *t, size_t split, bool *stands)
{
	size_t records = affine_window_ends_with(w, w->stack->height, t->loop, split, t->before);
	*stands = records <= AFFINE_PART_LIMIT;
	if (!*stands || !affine_window_take_off(w, records))
		return false;
	struct loop_parts rotated = rotated_new(w, t->loop, split, t->before, t->number + 1, t->number[0] + 1);
	affine_window_push_loop(w, &rotated);
	loop_parts_clear(&rotated);
	affine_extend(w);
	return true;
}

/* Does B stand on top, behind any number of B A, and nothing of another one before them? (As
   patterns: numbers may differ.) */
static bool looks_like(const struct affine_window *w, const struct pattern *loop, size_t split)
{
	size_t like = 0, height = w->stack->height, length = loop->length;
	for (; height > 0 && w->stack->term[height - 1].pattern->id == loop->item[length - 1 - like].pattern; height--)
		like = like + 1 < length ? like + 1 : 0;
	return like == length - split;
}

/*
 * [A B]n A is A [B A]n as well. That is better if such a loop is known from before this one; or if
 * B A was there once before, with other numbers, so that A is its end.
 */
static bool rotate_right(struct affine_window *w, const struct rotation *t, size_t split)
{
	struct loop_parts rotated = rotated_new(w, t->loop, split, t->number + 1, t->second, t->number[0]);
	const struct pattern *known = patterns_find_loop(w->patterns, rotated.body, rotated.length, rotated.step);
	bool better = known ? known->id < t->loop->id : looks_like(w, t->loop, split);
	if (better) {
		struct iterating u = affine_window_onto(w);
		iterate_items(&u, t->loop->item, t->loop->item + split, t->number + 1);
		while (w->stack->height && affine_create(w))
			;
		affine_window_push_loop(w, &rotated);
	}
	loop_parts_clear(&rotated);
	return better;
}

/* passed[k]: records of the first k terms of the body in the unfinished iteration; of the places
   behind those pending, pending + 1. */
static uint64_t *passed_up_to(const struct affine_window *w, const struct rotation *t, uint64_t pending)
{
	uint64_t *passed = mem_array(t->loop->length + 1, sizeof *passed), total = 0;
	for (size_t i = 0; i <= t->loop->length; i++) {
		passed[i] = total;
		if (i == t->loop->length || total > pending)
			continue;
		const struct pattern_item *item = &t->loop->item[i];
		const struct pattern *s = patterns_get(w->patterns, item->pattern);
		total += iterate_count(w->patterns, s, t->last + item->first, pending + 1 - total);
	}
	return passed;
}

/* The first place in the body behind which iteration -1 holds nothing. */
static size_t begin_of_nothing(const struct affine_window *w, const struct rotation *t)
{
	size_t at = t->loop->length;
	while (at > 0) {
		const struct pattern_item *item = &t->loop->item[at - 1];
		if (iterate_count(w->patterns, patterns_get(w->patterns, item->pattern), t->before + item->first, 1))
			break;
		at--;
	}
	return at;
}

static bool rotate_somehow(struct affine_window *w, struct rotation *t, uint64_t pending, uint64_t *taken)
{
	const int64_t *first = t->number + 1;
	bool complete = !pending; /* the last iteration may have ended early: then it counts as the unfinished one */
	bool rotated = false, stands = true;
	if (!iteration_at(t->loop, first, -1, t->before) || !iteration_at(t->loop, first, 1, t->second) ||
		!iteration_at(t->loop, first, complete ? t->number[0] - 1 : t->number[0], t->last))
		return false;
	uint64_t limit = complete ? iterate_iteration_count(w->patterns, t->loop, t->last, AFFINE_PART_LIMIT) : pending;
	uint64_t *passed = passed_up_to(w, t, limit);
	bool end_stands =
		affine_window_ends_with_last(w, w->stack->height, t->loop, 0, t->before, 1) != AFFINE_NOT_THERE;
	size_t least = end_stands ? 1 : begin_of_nothing(w, t);
	t->number[0] -= complete;
	for (size_t split = t->loop->length; !rotated && stands && --split >= least && split > 0;) {
		*taken = passed[split];
		if (*taken > 0 && (complete ? *taken == limit : *taken <= limit))
			rotated = rotate_left(w, t, split, &stands);
	}
	t->number[0] += rotated ? 0 : complete;
	unsigned tries = complete ? 0 : RIGHT_ROTATIONS_TRIED;
	for (size_t split = t->loop->length; !rotated && tries && --split > 0;) {
		*taken = passed[split];
		if (*taken == 0 || *taken > limit)
			continue;
		tries--;
		rotated = rotate_right(w, t, split);
	}
	free(passed);
	return rotated;
}

bool affine_rotate(struct affine_window *w, uint64_t pending, uint64_t *taken)
{
	const struct pattern *loop = stack_top(w->stack)->pattern;
	int64_t *number = affine_window_top_numbers(w), *rows = mem_array(3 * loop->numbers, sizeof *rows);
	struct rotation t = {loop, number, rows, rows + loop->numbers, rows + 2 * loop->numbers};
	bool complete = !pending, rotated = false;
	stack_truncate(w->stack, w->stack->height - 1);
	if (loop->length > 1)
		rotated = rotate_somehow(w, &t, pending, taken);
	if (!rotated)
		affine_window_push(w, loop, number);
	if (!rotated || complete)
		*taken = 0;
	free(number);
	free(rows);
	return rotated;
}
