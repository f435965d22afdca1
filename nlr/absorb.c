/*
 * absorb.c -- write down the iteration before the first (or behind the last), and compare.
 */
#include "nlr/absorb.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct absorbing {
	const struct absorb_rules *rules;
	struct absorb_list expected;
	int64_t index[AFFINE_DEPTH];
};

void absorb_add(struct absorb_list *l, uint32_t shape, uint32_t width, const int64_t *number)
{
	l->node = mem_grow(l->node, &l->capacity, l->length + 1, sizeof *l->node);
	l->node[l->length++] = (struct affine_node){
		.shape = shape, .width = width, .value = arena_copy(l->arena, number, width * sizeof *number)};
}

/* What a body is written as at the indices; no more than there is to compare it with. */
static bool expect(struct absorbing *a, const struct affine_node *n, size_t length, size_t depth, size_t room)
{
	for (size_t i = 0; i < length; i++) {
		int64_t number[AFFINE_WIDTH], count;
		if (a->expected.length > room)
			return false;
		if (!affine_is_loop(&n[i])) {
			for (uint32_t k = 0; k < n[i].width; k++)
				if (!affine_value(n[i].value + k * (1 + depth), a->index, depth, &number[k]))
					return false;
			if (!a->rules->write(a->rules->context, n[i].shape, n[i].width, number, &a->expected))
				return false;
			continue;
		}
		if (!affine_value(n[i].value, a->index, depth, &count))
			return false;
		for (int64_t k = 0; k < count; k++) {
			a->index[depth] = k;
			if (!expect(a, n[i].body, n[i].length, depth + 1, room))
				return false;
		}
	}
	return a->expected.length <= room;
}

static bool same_records(const struct affine_node *a, const struct affine_node *b, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (a[i].shape != b[i].shape || a[i].width != b[i].width ||
			(a[i].width && memcmp(a[i].value, b[i].value, a[i].width * sizeof *a[i].value) != 0))
			return false;
	return true;
}

/* Records of the root in a row, before or behind `at`. */
static size_t room_before(const struct affine_nest *n, size_t at)
{
	size_t first = at;
	while (first && !affine_is_loop(&n->root[first - 1]))
		first--;
	return at - first;
}

static size_t room_behind(const struct affine_nest *n, size_t at)
{
	size_t past = at + 1;
	while (past < n->length && !affine_is_loop(&n->root[past]))
		past++;
	return past - at - 1;
}

/* The iteration of this index, if it stands in the `room` records that end (or, behind, start) next to the loop: how many they are. */
static size_t find_iteration(struct absorbing *a, const struct affine_nest *n, size_t at, int64_t index, bool behind)
{
	const struct affine_node *loop = &n->root[at];
	size_t room = behind ? room_behind(n, at) : room_before(n, at);
	a->expected.length = 0;
	a->index[0] = index;
	if (!expect(a, loop->body, loop->length, 1, room))
		return 0;
	const struct affine_node *there = behind ? loop + 1 : loop - a->expected.length;
	return same_records(a->expected.node, there, a->expected.length) ? a->expected.length : 0;
}

/* Its first iteration shall have index 1: all values as they are now are those of one more. */
static void start_earlier(struct affine_node *n, size_t length, size_t depth)
{
	for (size_t i = 0; i < length; i++) {
		size_t values = affine_is_loop(&n[i]) ? 1 : n[i].width;
		for (size_t k = 0; k < values; k++)
			n[i].value[k * (1 + depth)] -= n[i].value[k * (1 + depth) + 1];
		if (affine_is_loop(&n[i]))
			start_earlier(n[i].body, n[i].length, depth + 1);
	}
}

static void remove_records(struct affine_nest *n, size_t from, size_t count)
{
	memmove(n->root + from, n->root + from + count, (n->length - from - count) * sizeof *n->root);
	n->length -= count;
}

bool absorb(struct affine_nest *n, const struct absorb_rules *rules)
{
	bool any = false;
	struct absorbing a = {.rules = rules, .expected.arena = arena_new()};
	for (size_t at = 0; at < n->length; at++) {
		if (!affine_is_loop(&n->root[at]))
			continue;
		for (size_t found; (found = find_iteration(&a, n, at, -1, false)); at -= found) {
			struct affine_node *loop = &n->root[at];
			start_earlier(loop->body, loop->length, 1);
			loop->value[0]++;
			remove_records(n, at - found, found);
			any = true;
		}
		for (size_t found; (found = find_iteration(&a, n, at, n->root[at].value[0], true));) {
			n->root[at].value[0]++;
			remove_records(n, at + 1, found);
			any = true;
		}
	}
	arena_free(a.expected.arena);
	free(a.expected.node);
	return any;
}
