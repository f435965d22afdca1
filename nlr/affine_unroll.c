/*
 * affine_unroll.c -- unrolled loops leave their index as a number in what was their body.
 */
#include "nlr/affine_unroll.h"

#include <stdlib.h>

struct unrolling {
	struct affine_nest *to;
	bool *mark;
	struct {
		bool out;
		int64_t index;
		size_t loop; /* its number */
	} level[AFFINE_DEPTH];
};

struct nodes {
	struct affine_node *node;
	size_t length, capacity;
};

/* A count that is to be known must not depend on an index that stays. Returns the number behind. */
static size_t mark_needed(struct unrolling *p, const struct affine_node *n, size_t length, size_t depth, size_t id)
{
	for (size_t i = 0; i < length; i++) {
		if (!affine_is_loop(&n[i]))
			continue;
		p->level[depth].loop = id;
		size_t next = mark_needed(p, n[i].body, n[i].length, depth + 1, id + 1);
		for (size_t k = 0; p->mark[id] && k < depth; k++)
			if (n[i].value[1 + k])
				p->mark[p->level[k].loop] = true;
		id = next;
	}
	return id;
}

/* Of `values` vectors below `depth` loops, of which some are written out. */
static int64_t *unroll_values(struct unrolling *p, const int64_t *value, size_t values, size_t depth)
{
	size_t kept = 0;
	for (size_t k = 0; k < depth; k++)
		kept += !p->level[k].out;
	int64_t *result = arena_alloc(p->to->arena, (values ? values : 1) * (1 + kept) * sizeof *result), *at = result;
	for (size_t i = 0; i < values; i++, value += 1 + depth) {
		int64_t *first = at++;
		/* values that records had: no overflow at the end, and it wraps till then */
		uint64_t constant = (uint64_t)value[0];
		for (size_t k = 0; k < depth; k++) {
			if (p->level[k].out)
				constant += (uint64_t)value[1 + k] * (uint64_t)p->level[k].index;
			else
				*at++ = value[1 + k];
		}
		*first = (int64_t)constant;
	}
	return result;
}

static void add_node(struct nodes *to, const struct affine_node *n)
{
	*MEM_PUSH(to->node, to->length, to->capacity) = *n;
}

static size_t unroll_nodes(
	struct unrolling *p, const struct affine_node *n, size_t length, size_t depth, size_t id, struct nodes *to);

static size_t keep_loop(struct unrolling *p, const struct affine_node *n, size_t depth, size_t id, struct nodes *to)
{
	struct nodes body = {0};
	struct affine_node loop = *n;
	loop.value = unroll_values(p, n->value, 1, depth);
	p->level[depth].out = false;
	size_t next = unroll_nodes(p, n->body, n->length, depth + 1, id + 1, &body);
	loop.length = body.length;
	loop.body = arena_copy(p->to->arena, body.node, body.length * sizeof *body.node);
	free(body.node);
	add_node(to, &loop);
	return next;
}

static size_t write_loop(struct unrolling *p, const struct affine_node *n, size_t depth, size_t id, struct nodes *to)
{
	int64_t count = *unroll_values(p, n->value, 1, depth);
	for (int64_t k = 0; k < count; k++) {
		p->level[depth].out = true;
		p->level[depth].index = k;
		unroll_nodes(p, n->body, n->length, depth + 1, id + 1, to);
	}
	return id + 1 + affine_loops(n->body, n->length);
}

static size_t unroll_nodes(
	struct unrolling *p, const struct affine_node *n, size_t length, size_t depth, size_t id, struct nodes *to)
{
	for (size_t i = 0; i < length; i++) {
		if (affine_is_loop(&n[i])) {
			id = (p->mark[id] ? write_loop : keep_loop)(p, &n[i], depth, id, to);
			continue;
		}
		struct affine_node record = n[i];
		record.value = unroll_values(p, n[i].value, n[i].width, depth);
		add_node(to, &record);
	}
	return id;
}

struct affine_nest *affine_unroll(struct affine_nest *n, bool *mark)
{
	struct unrolling *p = mem_zero(sizeof *p);
	struct nodes root = {0};
	p->to = affine_nest_new();
	p->mark = mark;
	mark_needed(p, n->root, n->length, 0, 0);
	unroll_nodes(p, n->root, n->length, 0, 0, &root);
	p->to->root = root.node;
	p->to->length = root.length;
	p->to->capacity = root.capacity;
	struct affine_nest *to = p->to;
	affine_nest_free(n);
	free(p);
	return to;
}
