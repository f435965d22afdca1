/*
 * affine.c -- affine nests as trees, and running them.
 *
 * Below d loops a vector has 1 + d entries, so in a body of a loop at depth d the factor of that
 * loop's index is entry 1 + d. A walk keeps the indices of the loops it is in and evaluates the
 * values of each record it comes to.
 */
#include "model/affine.h"

#include <stdlib.h>
#include <string.h>

#include "base/saturate.h"

struct affine_nest *affine_nest_new(void)
{
	struct affine_nest *n = mem_zero(sizeof *n);
	n->arena = arena_new();
	return n;
}

void affine_nest_free(struct affine_nest *n)
{
	if (!n)
		return;
	arena_free(n->arena);
	free(n->root);
	free(n);
}

void affine_nest_append(struct affine_nest *n, const struct affine_node *node)
{
	*MEM_PUSH(n->root, n->length, n->capacity) = *node;
}

bool affine_value(const int64_t *vector, const int64_t *index, size_t depth, int64_t *value)
{
	__int128 sum = vector[0]; /* a part of the sum may be wider than the sum */
	for (size_t i = 0; i < depth; i++)
		if (__builtin_add_overflow(sum, (__int128)vector[1 + i] * index[i], &sum))
			return false;
	*value = (int64_t)sum;
	return sum == *value;
}

/* Each index, the innermost first, is put where it makes the value least: at 0, or at the last
   iteration. */
bool affine_never_negative(const int64_t *vector, const int64_t *const *around, size_t depth)
{
	int64_t *value = mem_copy(vector, (1 + depth) * sizeof *value);
	bool good = true;
	for (size_t k = depth; k-- > 0 && good;) {
		int64_t factor = value[1 + k];
		if (factor >= 0)
			continue;
		for (size_t i = 0; i <= k && good; i++) {
			int64_t way;
			good = !__builtin_mul_overflow(factor, around[k][i], &way) &&
			       !__builtin_add_overflow(value[i], way, &value[i]);
		}
		good = good && !__builtin_sub_overflow(value[0], factor, &value[0]);
	}
	good = good && value[0] >= 0;
	free(value);
	return good;
}

uint64_t affine_constructs(const struct affine_node *node, size_t length)
{
	uint64_t total = 0;
	for (size_t i = 0; i < length; i++) {
		uint64_t here = 1 + (affine_is_loop(&node[i]) ? affine_constructs(node[i].body, node[i].length) : 0);
		total = saturating_add(total, here);
	}
	return total;
}

size_t affine_loops(const struct affine_node *node, size_t length)
{
	size_t loops = 0;
	for (size_t i = 0; i < length; i++)
		if (affine_is_loop(&node[i]))
			loops += 1 + affine_loops(node[i].body, node[i].length);
	return loops;
}

/* ------------------------------------------------------------------ running a nest */

struct place {
	const struct affine_node *body;
	size_t length, next;
	int64_t count; /* of the loop whose body this is */
};

struct affine_walk {
	struct place *place; /* by depth */
	int64_t *index; /* of the loop whose body is at depth d: index[d - 1] */
	size_t depth, capacity;
	bool overflowed;
	uint64_t idle; /* iterations since the last record */
	int64_t number[AFFINE_WIDTH];
};

static void enter(struct affine_walk *w, const struct affine_node *body, size_t length, int64_t count)
{
	if (w->depth == w->capacity) {
		size_t capacity = w->capacity;
		w->place = mem_grow(w->place, &w->capacity, w->depth + 1, sizeof *w->place);
		w->index = mem_grow(w->index, &capacity, w->capacity, sizeof *w->index);
	}
	w->place[w->depth] = (struct place){body, length, 0, count};
	w->index[w->depth++] = 0;
}

struct affine_walk *affine_walk_new(const struct affine_nest *n)
{
	struct affine_walk *w = mem_zero(sizeof *w);
	enter(w, n->root, n->length, 1);
	return w;
}

void affine_walk_free(struct affine_walk *w)
{
	if (!w)
		return;
	free(w->place);
	free(w->index);
	free(w);
}

bool affine_walk_overflowed(const struct affine_walk *w)
{
	return w->overflowed;
}

bool affine_walk_idle(const struct affine_walk *w)
{
	return w->idle > AFFINE_IDLE_LIMIT;
}

/* The end of a body: once more, or on behind its loop. */
static void turn(struct affine_walk *w)
{
	struct place *p = &w->place[w->depth - 1];
	w->idle++;
	if (++w->index[w->depth - 1] < p->count)
		p->next = 0;
	else
		w->depth--;
}

static bool evaluate(struct affine_walk *w, const struct affine_node *n)
{
	size_t depth = w->depth - 1;
	for (uint32_t i = 0; i < n->width; i++)
		if (!affine_value(n->value + i * (1 + depth), w->index + 1, depth, &w->number[i]))
			return false;
	return true;
}

bool affine_walk_next(struct affine_walk *w, uint32_t *shape, const int64_t **number)
{
	while (w->depth && !w->overflowed && !affine_walk_idle(w)) {
		struct place *p = &w->place[w->depth - 1];
		if (p->next == p->length) {
			turn(w);
			continue;
		}
		const struct affine_node *n = &p->body[p->next++];
		if (!affine_is_loop(n)) {
			w->idle = 0;
			w->overflowed = !evaluate(w, n);
			*shape = n->shape;
			*number = w->number;
			return !w->overflowed;
		}
		int64_t count;
		w->overflowed = !affine_value(n->value, w->index + 1, w->depth - 1, &count);
		if (!w->overflowed && count > 0 && n->length)
			enter(w, n->body, n->length, count);
	}
	return false;
}
