/*
 * affine_window.c -- the window of the affine recognizer: what comes to it and leaves it, and the
 * records that its terms end with.
 */
#include "nlr/affine_window.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void affine_window_start(struct affine_window *w, const struct affine_nlr_options *options)
{
	w->repetitions = options->repetitions;
	w->longest = options->window;
	w->stack = stack_new(options->window, options->repetitions, options->slow);
	w->patterns = patterns_new();
	w->nest = affine_nest_new();
	w->compared = mem_zero(2 * sizeof *w->compared);
}

void affine_window_clear(struct affine_window *w)
{
	record_list_clear(&w->compared[0]);
	record_list_clear(&w->compared[1]);
	free(w->compared);
	stack_free(w->stack);
	patterns_free(w->patterns);
	affine_nest_free(w->nest);
}

/* ------------------------------------------------------------------ what comes and leaves */

static size_t height_kept(const struct affine_window *w)
{
	return (w->repetitions + 1) * w->longest;
}

static size_t height_limit(const struct affine_window *w)
{
	return height_kept(w) < 32 ? 64 : 2 * height_kept(w);
}

void affine_window_leave(struct affine_window *w, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct affine_node node;
		iterate_node(w->patterns, w->stack->term[i].pattern, stack_numbers(w->stack, i), w->nest->arena, &node);
		affine_nest_append(w->nest, &node);
	}
	stack_forget(w->stack, count);
}

void affine_window_push(struct affine_window *w, const struct pattern *s, const int64_t *number)
{
	if (w->stack->height >= height_limit(w))
		affine_window_leave(w, w->stack->height - height_kept(w));
	stack_push(w->stack, s, number);
}

static void push_term(void *context, const struct pattern *s, const int64_t *number)
{
	affine_window_push(context, s, number);
}

struct iterating affine_window_onto(struct affine_window *w)
{
	return (struct iterating){.patterns = w->patterns, .keep = w->repetitions, .context = w, .term = push_term};
}

int64_t *affine_window_top_numbers(struct affine_window *w)
{
	const struct stack_term *top = stack_top(w->stack);
	int64_t *number = mem_array(top->pattern->numbers + 1, sizeof *number);
	if (top->pattern->numbers)
		memcpy(number, w->stack->number + top->first, top->pattern->numbers * sizeof *number);
	return number;
}

/* ------------------------------------------------------------------ loops to be */

struct loop_parts loop_parts_new(int64_t count, size_t numbers, size_t length)
{
	struct loop_parts p = {.numbers = numbers, .length = length};
	p.number = mem_alloc(2 * (1 + numbers) * sizeof *p.number + length * sizeof *p.body);
	p.step = p.number + 1 + numbers;
	p.body = (const struct pattern **)(p.step + 1 + numbers);
	p.number[0] = count;
	return p;
}

void loop_parts_clear(struct loop_parts *p)
{
	free(p->number);
}

void affine_window_push_loop(struct affine_window *w, const struct loop_parts *p)
{
	affine_window_push(w, patterns_loop(w->patterns, p->body, p->length, p->step), p->number);
}

/* ------------------------------------------------------------------ the records at its end */

/* The last records of the terms below this height. */
static bool last_records(const struct affine_window *w, size_t height, size_t need, struct record_list *list)
{
	bool good = true;
	while (good && height-- > 0 && list->length < need)
		good = iterate_last(
			w->patterns, w->stack->term[height].pattern, stack_numbers(w->stack, height), need, list);
	return good;
}

size_t affine_window_ends_with_last(const struct affine_window *w, size_t height, const struct pattern *loop,
	size_t from, const int64_t *number, size_t need)
{
	struct record_list *part = &w->compared[0], *there = &w->compared[1];
	record_list_empty(part);
	record_list_empty(there);
	bool good = iterate_last_part(w->patterns, loop, from, number, need, part) &&
		    last_records(w, height, part->length, there) && there->length == part->length;
	for (size_t i = 0; good && i < part->length; i++)
		good = record_list_same(part, i, there, i);
	return good ? part->length : AFFINE_NOT_THERE;
}

/* More and more of them, since most attempts fail soon. */
size_t affine_window_ends_with(
	const struct affine_window *w, size_t height, const struct pattern *loop, size_t from, const int64_t *number)
{
	for (size_t need = 1;; need = need < AFFINE_PART_LIMIT ? 16 * need : AFFINE_PART_LIMIT + 1) {
		size_t length = affine_window_ends_with_last(w, height, loop, from, number, need);
		if (length == AFFINE_NOT_THERE || length < need || need > AFFINE_PART_LIMIT)
			return length;
	}
}

static uint64_t constructs_above(const struct stack *p, size_t height)
{
	uint64_t total = 0;
	for (size_t i = height; i < p->height; i++)
		total += p->term[i].pattern->constructs;
	return total;
}

static void stack_term(void *context, const struct pattern *s, const int64_t *number)
{
	stack_push(context, s, number);
}

bool affine_window_take_off(struct affine_window *w, uint64_t records)
{
	struct stack *p = w->stack;
	size_t from = p->height;
	uint64_t left = records;
	for (; left; from--) {
		uint64_t here =
			iterate_count(w->patterns, p->term[from - 1].pattern, stack_numbers(p, from - 1), left + 1);
		if (here > left)
			break;
		left -= here;
	}
	if (!left) {
		stack_truncate(p, from);
		return true;
	}
	const struct pattern *cut = p->term[from - 1].pattern;
	int64_t *number = mem_array(cut->numbers, sizeof *number);
	memcpy(number, stack_numbers(p, from - 1), cut->numbers * sizeof *number);
	struct stack *rest = stack_new(1, w->repetitions, true);
	struct iterating u = {.patterns = w->patterns, .keep = w->repetitions, .context = rest, .term = stack_term};
	iterate_without_tail(&u, cut, number, left);
	bool pays = constructs_above(rest, 0) <= constructs_above(p, from - 1);
	if (pays) {
		stack_truncate(p, from - 1);
		for (size_t i = 0; i < rest->height; i++)
			stack_push(p, rest->term[i].pattern, stack_numbers(rest, i));
	}
	stack_free(rest);
	free(number);
	return pays;
}
