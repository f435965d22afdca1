/*
 * alternatives.c -- stretches that follow each other, compared node by node.
 */
#include "merge/alternatives.h"

#include <stdlib.h>

#include "merge/bounds.h"

struct alternating {
	struct tree_builder *builder;
	struct pricing *pricing;
	const struct tree_context *context;
	struct tree_node **node;
	size_t length;
};

/* Messages on other communicators are others, whatever else they have in common. Recursion as deep
   as loops nest. */
static bool has_same_communicators(const struct tree_builder *b, const struct tree_node *x, const struct tree_node *y)
{
	struct lane_set lanes = tree_lanes(b, x->lanes), others = tree_lanes(b, y->lanes);
	int64_t own, other;
	bool same = true;
	for (uint32_t k = 0; k < x->slots && x->kind == TREE_EVENT; k++)
		for (size_t i = 0; i < lanes.length && same && tree_slot_of(b, x, k) == SLOT_IS_COMMUNICATOR; i++)
			same = !lane_set_has(others, lanes.lane[i]) ||
			       (indexed_is_constant(b->store, x->slot[k][i], &own) &&
				       indexed_is_constant(b->store, tree_at(b, y, k, lanes.lane[i]), &other) &&
				       own == other);
	for (size_t i = 0; i < x->body.length && same; i++)
		same = has_same_communicators(b, x->body.node[i], y->body.node[i]);
	return same;
}

/* Is it a condition of whoever executes it, or how often it does? What different lanes do is the
   affair of sequence.h. */
static bool may_be_branches(const struct tree_builder *b, const struct tree_node *x, const struct tree_node *y)
{
	return x->structure == y->structure && (x->kind == TREE_LOOP || x->kind == TREE_GUARD) &&
	       tree_lanes_meet(b, x->lanes, y->lanes) && has_same_communicators(b, x, y);
}

/* Does what each lane does stay in its order, if the k-th of one stretch and the k-th of the other
   are one? */
static bool are_alternatives(const struct alternating *a, size_t from, size_t length)
{
	bool good = from + 2 * length <= a->length;
	for (size_t i = 0; i < length && good; i++)
		good = may_be_branches(a->builder, a->node[from + i], a->node[from + length + i]);
	for (size_t i = 0; i < length && good; i++)
		for (size_t k = 0; k <= i && good; k++)
			good = tree_exclude(a->builder, a->node[from + i], a->node[from + length + k]);
	return good;
}

static bool is_joined(struct alternating *a, size_t from, size_t length)
{
	struct tree_node **node = a->node + from;
	struct tree_list both = tree_list_of(a->builder, node, 2 * length);
	struct tree_node **one = mem_array(length, sizeof *one);
	for (size_t i = 0; i < length; i++)
		one[i] = tree_either(a->builder, node[i], node[length + i]);
	struct tree_list joined =
		tree_dissolve(a->builder, tree_list_of(a->builder, one, length), tree_depth(a->context));
	free(one);
	bool cheaper = price_list(a->pricing, joined, a->context) < price_list(a->pricing, both, a->context);
	if (!cheaper || joined.length > 2 * length)
		return false;
	for (size_t i = 0; i < joined.length; i++)
		node[i] = joined.node[i];
	for (size_t i = from + 2 * length; i < a->length; i++)
		a->node[i - 2 * length + joined.length] = a->node[i];
	a->length -= 2 * length - joined.length;
	return true;
}

static bool join_at(struct alternating *a, size_t from)
{
	bool joined = false;
	for (size_t length = 1; length <= ALTERNATIVES_LENGTH && !joined; length++)
		joined = are_alternatives(a, from, length) && is_joined(a, from, length);
	return joined;
}

/* Recursion as deep as loops nest. */
struct tree_list alternatives(
	struct tree_builder *b, struct pricing *pricing, struct tree_list list, const struct tree_context *context)
{
	struct alternating a = {b, pricing, context, mem_array(list.length + 1, sizeof *a.node), list.length};
	bool changed = false;
	for (size_t i = 0; i < list.length; i++) {
		const struct tree_node *n = a.node[i] = list.node[i];
		if (!n->body.length)
			continue;
		struct tree_list body =
			alternatives(b, pricing, n->body, &(struct tree_context){n, context, tree_depth(context)});
		if (body.node != n->body.node)
			a.node[i] = tree_with_body(b, n, body);
		changed = changed || a.node[i] != list.node[i];
	}
	for (size_t i = 0; i < a.length;)
		if (join_at(&a, i))
			changed = true;
		else
			i++;
	if (changed)
		list = tree_list_of(b, a.node, a.length);
	free(a.node);
	return list;
}
