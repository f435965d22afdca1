/*
 * absorb.c -- write down the iteration before the first (or behind the last), and compare.
 */
#include "fold/absorb.h"

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

/* Records in a row that end, or start, here. */
static size_t room_before(const struct affine_node *end, const struct affine_node *first)
{
	size_t room = 0;
	while (end > first && !affine_is_loop(--end))
		room++;
	return room;
}

static size_t room_behind(const struct affine_node *start, const struct affine_node *past)
{
	size_t room = 0;
	while (start < past && !affine_is_loop(start++))
		room++;
	return room;
}

static bool expect_iteration(struct absorbing *a, const struct affine_node *loop, int64_t index, size_t room)
{
	a->expected.length = 0;
	a->index[0] = index;
	return expect(a, loop->body, loop->length, 1, room);
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

/* The iterations that stand at the end of n's first `kept` nodes. Those that are left. */
static size_t absorb_before(struct absorbing *a, const struct affine_nest *n, size_t kept, struct affine_node *loop)
{
	size_t room = room_before(n->root + kept, n->root);
	while (expect_iteration(a, loop, -1, room)) {
		size_t found = a->expected.length;
		if (!found || !same_records(a->expected.node, n->root + kept - found, found))
			break;
		start_earlier(loop->body, loop->length, 1);
		loop->value[0]++;
		kept -= found;
		room -= found;
	}
	return kept;
}

/* The iterations that start at node `next`. The node behind them. */
static size_t absorb_behind(struct absorbing *a, const struct affine_nest *n, size_t next, struct affine_node *loop)
{
	size_t room = room_behind(n->root + next, n->root + n->length);
	while (expect_iteration(a, loop, loop->value[0], room)) {
		size_t found = a->expected.length;
		if (!found || !same_records(a->expected.node, n->root + next, found))
			break;
		loop->value[0]++;
		next += found;
		room -= found;
	}
	return next;
}

/* What stays moves to the front: root[0] to root[kept - 1]. */
bool absorb(struct affine_nest *n, const struct absorb_rules *rules)
{
	struct absorbing a = {.rules = rules, .expected.arena = arena_new()};
	size_t kept = 0, length = n->length;
	for (size_t next = 0; next < length;) {
		struct affine_node node = n->root[next++];
		if (affine_is_loop(&node)) {
			kept = absorb_before(&a, n, kept, &node);
			next = absorb_behind(&a, n, next, &node);
		}
		n->root[kept++] = node;
	}
	n->length = kept;
	arena_free(a.expected.arena);
	free(a.expected.node);
	return kept < length;
}
