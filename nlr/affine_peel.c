/*
 * affine_peel.c -- the rule peel: the loop at the end of a closed one goes on.
 */
#include "nlr/affine_peel.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* How many loops, each the last term of the one outside, is it from the closed loop on top to one
   that this record would continue? 0: none. */
static unsigned grows(struct affine_window *w, const struct affine_record *record)
{
	const struct pattern *loop = stack_top(w->stack)->pattern;
	const int64_t *number = w->stack->number + stack_top(w->stack)->first;
	int64_t count = number[0], *row = mem_array(loop->numbers, sizeof *row),
		*ahead = mem_array(loop->numbers, sizeof *ahead);
	unsigned levels = 0, found = 0;
	bool good = iteration_at(loop, number + 1, count - 1, row);
	while (good && !found && loop->item[loop->length - 1].shape == PATTERN_LOOP) {
		const struct pattern_item *last = &loop->item[loop->length - 1];
		const struct pattern *inner = patterns_get(w->patterns, last->pattern);
		count = row[last->first];
		if (count <= 0)
			break;
		levels++;
		if (iteration_at(inner, row + last->first + 1, count, ahead) &&
			iterate_begins_with(w->patterns, inner, ahead, record))
			found = levels;
		good = iteration_at(inner, row + last->first + 1, count - 1, ahead);
		int64_t *swap = row;
		row = ahead;
		ahead = swap;
		loop = inner;
	}
	free(row);
	free(ahead);
	return found;
}

/* Take the last iteration of the top apart, and of its last loop, and so on, down to so many
   levels. Gives the count of the last one. */
static int64_t take_apart(struct affine_window *w, unsigned levels)
{
	const struct pattern *loop = stack_top(w->stack)->pattern;
	int64_t *number = affine_window_top_numbers(w), *row = mem_array(loop->numbers, sizeof *row);
	struct iterating u = affine_window_onto(w);
	stack_truncate(w->stack, w->stack->height - 1);
	while (levels--) {
		int64_t count = number[0]--;
		iterate_term(&u, loop, number);
		iteration_at(loop, number + 1, count - 1, row);
		const struct pattern_item *last = &loop->item[loop->length - 1];
		iterate_items(&u, loop->item, last, row);
		loop = patterns_get(w->patterns, last->pattern);
		memcpy(number, row + last->first, loop->numbers * sizeof *number);
	}
	iterate_term(&u, loop, number);
	int64_t count = number[0];
	free(number);
	free(row);
	return count;
}

bool affine_peel(struct affine_window *w, const struct affine_record *record, struct affine_peeled *peeled)
{
	unsigned levels = grows(w, record);
	if (!levels)
		return false;
	free(peeled->number);
	peeled->below = w->stack->height - 1;
	peeled->loop = stack_top(w->stack)->pattern;
	peeled->number = affine_window_top_numbers(w);
	peeled->count = take_apart(w, levels);
	return true;
}

void affine_peel_undo(struct affine_window *w, const struct affine_peeled *peeled)
{
	stack_truncate(w->stack, peeled->below);
	affine_window_push(w, peeled->loop, peeled->number);
}
