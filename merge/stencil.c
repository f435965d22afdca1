/*
 * stencil.c -- runs of messages of one shape, each to, or from, the same offset for all of its
 * lanes, and each executed by just those of the run who are inside there.
 */
#include "merge/stencil.h"

#include <stdlib.h>
#include <string.h>

#include "merge/bounds.h"
#include "model/dictionary.h"

struct stencils {
	struct tree_builder *builder;
	struct pricing *pricing;
	const struct fit *fit;
	uint32_t depth; /* of the list */
};

/* Has it a peer, who is always at one offset, which is not none? */
static bool has_offset(const struct stencils *x, const struct tree_node *n, struct fit_offset *offset)
{
	static const struct fit_offset none;
	const struct tree_builder *b = x->builder;
	enum event_kind kind = n->kind == TREE_EVENT ? (enum event_kind)tree_shape(b, n)->kind : EVENT_LOCAL;
	struct lane_set set = tree_lanes(b, n->lanes);
	bool same = kind_has_peer(kind) && !(n->parameters & 1);
	for (size_t i = 0; i < set.length && same; i++) {
		int64_t peer;
		same = indexed_is_constant(b->store, n->slot[SLOT_IS_PEER][i], &peer);
		if (!same)
			break;
		struct fit_offset own = fit_offset(x->fit, b->process[set.lane[i]], (uint32_t)peer);
		same = !i || !memcmp(&own, offset, sizeof own);
		*offset = own;
	}
	return same && memcmp(offset, &none, sizeof none) != 0;
}

/* Of all lanes of the run, does each execute a message just where that is inside? */
static bool is_whole(const struct stencils *x, struct tree_list run, const struct fit_offset *offset, uint32_t lanes)
{
	struct lane_set all = tree_lanes(x->builder, lanes);
	for (size_t k = 0; k < run.length; k++) {
		struct lane_set own = tree_lanes(x->builder, run.node[k]->lanes);
		for (size_t i = 0; i < all.length; i++)
			if (fit_has_offset(x->fit, x->builder->process[all.lane[i]], &offset[k]) !=
				lane_set_has(own, all.lane[i]))
				return false;
	}
	return true;
}

/* By iteration what stands in a slot of the k-th message for this lane; nothing where it has none.
   Below the guard. */
static indexed message_slot(const struct stencils *x, struct tree_list run, uint32_t slot, uint32_t lane, indexed *row)
{
	struct indexed_store *s = x->builder->store;
	for (size_t k = 0; k < run.length; k++) {
		struct lane_set own = tree_lanes(x->builder, run.node[k]->lanes);
		row[k] = lane_set_has(own, lane) ? run.node[k]->slot[slot][lane_index(own, lane)] : INDEXED_NONE;
	}
	return indexed_insert(s, indexed_zip(s, row, run.length, x->depth, NULL), x->depth + 1);
}

static struct tree_node *as_loop(const struct stencils *x, struct tree_list run, uint32_t lanes)
{
	struct tree_builder *b = x->builder;
	const struct tree_node *first = run.node[0];
	struct lane_set all = tree_lanes(b, lanes);
	indexed **slot = tree_slots(b, first->slots, lanes), *holds = tree_slots(b, 1, lanes)[0],
		*count = tree_slots(b, 1, lanes)[0], *row = mem_array(run.length, sizeof *row);
	for (size_t i = 0; i < all.length; i++) {
		for (uint32_t k = 0; k < first->slots; k++)
			slot[k][i] = message_slot(x, run, k, all.lane[i], row);
		for (size_t k = 0; k < run.length; k++) {
			bool there = lane_set_has(tree_lanes(b, run.node[k]->lanes), all.lane[i]);
			row[k] = indexed_wrap(b->store, indexed_number(b->store, there), x->depth);
		}
		holds[i] = indexed_zip(b->store, row, run.length, x->depth, NULL);
		count[i] = indexed_wrap(b->store, indexed_number(b->store, (int64_t)run.length), x->depth);
	}
	free(row);
	struct tree_node *node = tree_event(b, first->shape, lanes, slot, first->parameters);
	node = tree_loop(b, TREE_GUARD, lanes, holds, tree_list_of(b, &node, 1));
	return tree_loop(b, TREE_LOOP, lanes, count, tree_list_of(b, &node, 1));
}

/* From there on: messages of one structure, up to the first that goes where another of them does.
   0: they are none, or not those of a whole stencil. */
static size_t run_length(const struct stencils *x, struct tree_list list, size_t from, struct fit_offset *offset)
{
	size_t length = 0;
	for (bool new = true; from + length < list.length &&new; length += new) {
		const struct tree_node *n = list.node[from + length];
		new = n->structure == list.node[from]->structure &&has_offset(x, n, &offset[length]);
		for (size_t k = 0; k < length && new; k++)
			new = memcmp(&offset[k], &offset[length], sizeof *offset) != 0;
	}
	return length;
}

/* What would be there instead, in `made`; how many nodes. */
static size_t make_loops(const struct stencils *x, struct tree_list list, struct tree_node **made)
{
	struct fit_offset *offset = mem_array(list.length, sizeof *offset);
	size_t length = 0;
	for (size_t i = 0, run; i < list.length; i += run) {
		run = run_length(x, list, i, offset);
		struct tree_list nodes = {list.node + i, run};
		uint32_t lanes = tree_list_lanes(x->builder, nodes);
		bool alone = tree_lanes(x->builder, lanes).length < 2; /* one process names its peers */
		if (run < STENCIL_LEAST || alone || !is_whole(x, nodes, offset, lanes)) {
			run = run ? run : 1;
			memcpy(made + length, list.node + i, run * sizeof *made);
			length += run;
		} else {
			made[length++] = as_loop(x, nodes, lanes);
		}
	}
	free(offset);
	return length;
}

struct tree_list stencil(
	struct tree_builder *b, struct pricing *pricing, struct tree_list list, const struct tree_context *context)
{
	struct stencils x = {b, pricing, price_fit(pricing), tree_depth(context)};
	struct tree_node **made = mem_array(list.length, sizeof *made);
	size_t length = make_loops(&x, list, made);
	struct tree_list now = {made, length};
	if (length < list.length && price_saved(pricing, list, now, context) > REROLL_SAVES) {
		price_change(pricing, list, now, context);
		list = tree_list_of(b, made, length);
	}
	free(made);
	return list;
}
