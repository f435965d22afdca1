/*
 * iterate.c -- plain recursion over patterns. Numbers of an iteration stand in one row; each loop
 * below has its part of it, and a copy of that part which advances by its steps. Iterations that
 * were never passed by the cursor (those before the first) are computed with care for overflow; for
 * the others the numbers are known to fit.
 */
#include "nlr/iterate.h"

#include <stdlib.h>
#include <string.h>

static const struct pattern *of(const struct patterns *s, const struct pattern_item *item)
{
	return patterns_get(s, item->pattern);
}

static int64_t *copy_numbers(const struct pattern *loop, const int64_t *first)
{
	int64_t *number = mem_array(iteration_numbers(loop) + 1, sizeof *number);
	if (iteration_numbers(loop))
		memcpy(number, first, iteration_numbers(loop) * sizeof *number);
	return number;
}

void iterate_term(const struct iterating *u, const struct pattern *s, const int64_t *number)
{
	if (!pattern_is_loop(s))
		u->term(u->context, s, number);
	else if (!u->keep || number[0] < u->keep)
		iterate_iterations(u, s, number + 1, number[0]);
	else if (iterate_count(u->patterns, s, number, 1))
		u->term(u->context, s, number);
}

void iterate_items(const struct iterating *u, const struct pattern_item *from, const struct pattern_item *to,
	const int64_t *number)
{
	for (; from < to; from++)
		iterate_term(u, of(u->patterns, from), number + from->first);
}

void iterate_iterations(const struct iterating *u, const struct pattern *loop, const int64_t *first, int64_t count)
{
	if (count <= 0)
		return;
	int64_t *number = copy_numbers(loop, first);
	for (int64_t k = 0; k < count; k++) {
		if (k)
			iteration_next(loop, number);
		iterate_items(u, loop->item, loop->item + loop->length, number);
	}
	free(number);
}

/* ------------------------------------------------------------------ so many records */

uint64_t iterate_count(const struct patterns *s, const struct pattern *pattern, const int64_t *number, uint64_t limit)
{
	if (!pattern_is_loop(pattern))
		return 1;
	uint64_t total = 0;
	int64_t *here = copy_numbers(pattern, number + 1);
	for (int64_t k = 0; k < number[0] && total < limit; k++) {
		if (k && !iteration_next(pattern, here)) {
			total = limit;
			break;
		}
		for (size_t i = 0; i < pattern->length && total < limit; i++)
			total += iterate_count(
				s, of(s, &pattern->item[i]), here + pattern->item[i].first, limit - total);
	}
	free(here);
	return total < limit ? total : limit;
}

static uint64_t prefix_of_term(
	const struct iterating *u, const struct pattern *s, const int64_t *number, uint64_t records)
{
	if (!records)
		return 0;
	if (!pattern_is_loop(s)) {
		u->term(u->context, s, number);
		return records - 1;
	}
	int64_t whole = 0;
	uint64_t rest = records;
	int64_t *here = copy_numbers(s, number + 1);
	for (; whole < number[0]; whole++) {
		uint64_t size = 0;
		for (size_t i = 0; i < s->length && size <= rest; i++)
			size += iterate_count(
				u->patterns, of(u->patterns, &s->item[i]), here + s->item[i].first, rest + 1);
		if (size > rest)
			break;
		rest -= size;
		if (whole + 1 < number[0] && !iteration_next(s, here)) {
			whole++;
			break;
		}
	}
	int64_t *term = mem_array(s->numbers, sizeof *term);
	memcpy(term, number, s->numbers * sizeof *term);
	term[0] = whole;
	iterate_term(u, s, term);
	free(term);
	if (whole < number[0])
		rest = iterate_prefix(u, s, here, rest);
	free(here);
	return rest;
}

uint64_t iterate_prefix(const struct iterating *u, const struct pattern *loop, const int64_t *number, uint64_t records)
{
	for (size_t i = 0; i < loop->length && records; i++)
		records = prefix_of_term(u, of(u->patterns, &loop->item[i]), number + loop->item[i].first, records);
	return records;
}

/* ------------------------------------------------------------------ from the end */

/* An iteration without its last records; gives how many of them were not in it. */
static void items_without_tail(
	const struct iterating *u, const struct pattern *loop, const int64_t *number, uint64_t records)
{
	const struct pattern_item *end = loop->item + loop->length;
	uint64_t here = 0;
	while (end > loop->item) {
		here = iterate_count(u->patterns, of(u->patterns, end - 1), number + end[-1].first, records + 1);
		if (here > records)
			break;
		records -= here;
		end--;
	}
	if (end == loop->item)
		return;
	if (!records) {
		iterate_items(u, loop->item, end, number);
		return;
	}
	iterate_items(u, loop->item, end - 1, number);
	iterate_without_tail(u, of(u->patterns, end - 1), number + end[-1].first, records);
}

uint64_t iterate_iteration_count(
	const struct patterns *s, const struct pattern *loop, const int64_t *number, uint64_t limit)
{
	uint64_t total = 0;
	for (size_t i = 0; i < loop->length && total < limit; i++)
		total += iterate_count(s, of(s, &loop->item[i]), number + loop->item[i].first, limit - total);
	return total;
}

void iterate_without_tail(const struct iterating *u, const struct pattern *s, const int64_t *number, uint64_t records)
{
	if (!pattern_is_loop(s)) {
		if (!records)
			u->term(u->context, s, number);
		return;
	}
	int64_t left = number[0];
	int64_t *here = copy_numbers(s, number + 1);
	for (; left > 0; left--) {
		iteration_at(s, number + 1, left - 1, here);
		uint64_t size = iterate_iteration_count(u->patterns, s, here, records + 1);
		if (size > records)
			break;
		records -= size;
	}
	int64_t whole = records && left > 0 ? left - 1 : left;
	int64_t *term = mem_array(s->numbers, sizeof *term);
	memcpy(term, number, s->numbers * sizeof *term);
	term[0] = whole;
	iterate_term(u, s, term);
	if (whole < left)
		items_without_tail(u, s, here, records);
	free(term);
	free(here);
}

void record_list_clear(struct record_list *l)
{
	free(l->record);
	free(l->number);
	*l = (struct record_list){0};
}

void record_list_empty(struct record_list *l)
{
	l->length = l->numbers = 0;
}

void record_list_add(void *list, const struct pattern *s, const int64_t *number)
{
	struct record_list *l = list;
	if (l->length == l->capacity)
		l->record = mem_grow(l->record, &l->capacity, l->length + 1, sizeof *l->record);
	if (l->numbers + s->numbers >= l->number_capacity)
		l->number = mem_grow(l->number, &l->number_capacity, l->numbers + s->numbers + 1, sizeof *l->number);
	l->record[l->length++] = (struct listed){s, l->numbers};
	if (s->numbers)
		memcpy(l->number + l->numbers, number, s->numbers * sizeof *number);
	l->numbers += s->numbers;
}

bool record_list_same(const struct record_list *a, size_t i, const struct record_list *b, size_t j)
{
	const struct pattern *s = a->record[i].pattern;
	return s == b->record[j].pattern &&
	       (!s->numbers || !memcmp(a->number + a->record[i].first, b->number + b->record[j].first,
				       s->numbers * sizeof *a->number));
}

bool iterate_last(const struct patterns *s, const struct pattern *pattern, const int64_t *number, size_t need,
	struct record_list *list)
{
	if (list->length >= need)
		return true;
	if (!pattern_is_loop(pattern)) {
		record_list_add(list, pattern, number);
		return true;
	}
	bool good = true;
	int64_t *here = copy_numbers(pattern, number + 1);
	for (int64_t k = number[0] - 1; good && k >= 0 && list->length < need; k--)
		good = iteration_at(pattern, number + 1, k, here) && iterate_last_part(s, pattern, 0, here, need, list);
	free(here);
	return good;
}

bool iterate_last_part(const struct patterns *s, const struct pattern *loop, size_t from, const int64_t *number,
	size_t need, struct record_list *list)
{
	bool good = true;
	for (size_t i = loop->length; good && i-- > from;)
		good = iterate_last(s, of(s, &loop->item[i]), number + loop->item[i].first, need, list);
	return good;
}

/* ------------------------------------------------------------------ the first record */

/* False if there is none. number_at: its numbers. */
static bool find_first(const struct patterns *s, const struct pattern *loop, const int64_t *number, uint32_t *shape,
	int64_t *number_at)
{
	for (size_t i = 0; i < loop->length; i++) {
		const struct pattern_item *item = &loop->item[i];
		if (item->shape != PATTERN_LOOP) {
			*shape = item->shape;
			if (item->width)
				memcpy(number_at, number + item->first, item->width * sizeof *number);
			return true;
		}
		const struct pattern *inner = of(s, item);
		int64_t count = number[item->first];
		if (count <= 0)
			continue;
		int64_t *here = copy_numbers(inner, number + item->first + 1);
		bool found = false;
		for (int64_t k = 0; !found && k < count && k < 1000; k++) {
			if (k && !iteration_next(inner, here))
				break;
			found = find_first(s, inner, here, shape, number_at);
		}
		free(here);
		if (found)
			return true;
	}
	return false;
}

bool iterate_begins_with(
	const struct patterns *s, const struct pattern *loop, const int64_t *number, const struct affine_record *record)
{
	uint32_t shape;
	int64_t first[AFFINE_WIDTH];
	return find_first(s, loop, number, &shape, first) && affine_record_is(record, shape, first);
}

/* ------------------------------------------------------------------ a finished nest */

/* vector: of each number of the term, 1 + depth entries. */
static void node_at(const struct patterns *s, const struct pattern *pattern, const int64_t *vector, size_t depth,
	struct arena *arena, struct affine_node *node)
{
	size_t entries = 1 + depth;
	if (!pattern_is_loop(pattern)) {
		*node = (struct affine_node){.shape = pattern->shape, .width = (uint32_t)pattern->numbers};
		if (pattern->numbers)
			node->value = arena_copy(arena, vector, pattern->numbers * entries * sizeof *vector);
		return;
	}
	*node = (struct affine_node){.shape = AFFINE_LOOP, .length = pattern->length};
	node->value = arena_copy(arena, vector, entries * sizeof *vector);
	node->body = arena_alloc(arena, pattern->length * sizeof *node->body);
	size_t numbers = iteration_numbers(pattern);
	int64_t *inside = mem_array(numbers + 1, (entries + 1) * sizeof *inside);
	for (size_t i = 0; i < numbers; i++) {
		memcpy(inside + i * (entries + 1), vector + (1 + i) * entries, entries * sizeof *inside);
		inside[i * (entries + 1) + entries] = pattern->step[i];
	}
	for (size_t i = 0; i < pattern->length; i++) {
		const struct pattern_item *item = &pattern->item[i];
		node_at(s, of(s, item), inside + item->first * (entries + 1), depth + 1, arena, &node->body[i]);
	}
	free(inside);
}

void iterate_node(const struct patterns *s, const struct pattern *pattern, const int64_t *number, struct arena *arena,
	struct affine_node *node)
{
	node_at(s, pattern, number, 0, arena, node);
}
