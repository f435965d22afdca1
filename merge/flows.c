/*
 * flows.c -- sends less receives of each channel, by iteration; and whether the first iteration can
 * happen with nothing under way.
 */
#include "merge/flows.h"

#include <stdlib.h>
#include <string.h>

#include "merge/bounds.h"
#include "model/dictionary.h"

/* A channel, and in which iteration. All bytes are the identity. */
struct flow {
	struct tree_channel channel;
	uint64_t iteration;
};

/* Messages of the first iteration, in the order of a lane: those of a loop whose iterations are the
   same are told at once. */
struct passing {
	uint32_t flow;
	bool received;
	int64_t times;
};

struct flows {
	const struct tree_builder *builder;
	struct passing *first; /* lane after lane */
	size_t firsts, first_capacity;
	size_t *start; /* by lane, and one more */
	struct intern *known; /* struct flow */
	int64_t *net; /* by these */
	size_t capacity, events;
	uint32_t lane;
	uint64_t iteration;
	uint32_t depth;
	int64_t times; /* iterations of loops around that are the same */
};

static void add_message(struct flows *f, const struct tree_node *n, size_t at, const size_t *index, size_t loops)
{
	const struct tree_shape *shape = tree_shape(f->builder, n);
	if (!kind_is_message(shape->kind))
		return;
	struct flow flow = {
		tree_channel(f->builder, n, at, &(struct tree_standing){f->depth, index, loops}), f->iteration};
	uint32_t known = intern_count(f->known), id = intern_id(f->known, &flow, sizeof flow);
	f->net = mem_grow(f->net, &f->capacity, (size_t)id + 1, sizeof *f->net);
	if (id == known)
		f->net[id] = 0;
	f->net[id] += kind_sends(shape->kind) ? f->times : -f->times;
	f->events++;
	if (f->iteration)
		return;
	*MEM_PUSH(f->first, f->firsts, f->first_capacity) = (struct passing){id, kind_receives(shape->kind), f->times};
}

static void add_list(struct flows *, struct tree_list, const size_t *index, size_t loops);

/* Do all iterations of the loop around, at these indices, come to the same for the lane? */
static bool is_same(const struct flows *f, struct tree_list list, const size_t *index, size_t loops)
{
	struct tree_standing at = {f->depth, index, loops};
	bool same = true;
	for (size_t i = 0; i < list.length && same; i++) {
		const struct tree_node *n = list.node[i];
		struct lane_set set = tree_lanes(f->builder, n->lanes);
		if (!lane_set_has(set, f->lane))
			continue;
		for (uint32_t k = 0; k < n->slots && same; k++) {
			indexed v = tree_standing_at(f->builder, n->slot[k][lane_index(set, f->lane)], &at);
			same = indexed_kind(f->builder->store, v) != INDEXED_IS_EACH;
		}
		same = same && is_same(f, n->body, index, loops);
	}
	return same;
}

/* Of a lane that executes it. Calls are procedures' bodies: what these pass on depends on no
   argument. */
static void add_node(struct flows *f, const struct tree_node *n, const size_t *index, size_t loops)
{
	struct lane_set set = tree_lanes(f->builder, n->lanes);
	if (!lane_set_has(set, f->lane) || f->events > FLOWS_MOST || loops == INDEX_DEPTH)
		return;
	size_t at = lane_index(set, f->lane), inside[INDEX_DEPTH + 1];
	if (n->kind == TREE_EVENT) {
		add_message(f, n, at, index, loops);
	} else if (n->kind == TREE_CALL) {
		uint32_t depth = f->depth;
		f->depth = 0;
		add_list(f, n->procedure->body, index, 0);
		f->depth = depth;
	} else {
		indexed v =
			tree_standing_at(f->builder, n->slot[0][at], &(struct tree_standing){f->depth, index, loops});
		int64_t count = v == INDEXED_NONE ? 0 : indexed_get(f->builder->store, v);
		int64_t times = f->times;
		memcpy(inside, index, loops * sizeof *index);
		if (count > 1 && !__builtin_mul_overflow(times, count, &f->times) &&
			is_same(f, n->body, index, loops)) {
			inside[loops] = 0;
			add_list(f, n->body, inside, loops + 1);
			f->times = times;
			return;
		}
		f->times = times;
		for (int64_t i = 0; i < count && f->events <= FLOWS_MOST; i++) {
			inside[loops] = (size_t)i;
			add_list(f, n->body, inside, loops + 1);
		}
	}
}

static void add_list(struct flows *f, struct tree_list list, const size_t *index, size_t loops)
{
	for (size_t i = 0; i < list.length; i++)
		add_node(f, list.node[i], index, loops);
}

/* What of a channel does not come out even in an iteration: is the other end in another one? */
static bool any_crosses(const struct flows *f)
{
	struct intern *open = intern_new_keys(sizeof(struct flow));
	bool crosses = false;
	uint8_t *sides = mem_zero(intern_count(f->known) + (size_t)1);
	for (uint32_t i = 0; i < intern_count(f->known) && !crosses; i++) {
		struct flow flow;
		if (!f->net[i])
			continue;
		memcpy(&flow, intern_data(f->known, i, NULL), sizeof flow);
		flow.iteration = 0;
		uint8_t *side = &sides[intern_id(open, &flow, sizeof flow)];
		*side |= f->net[i] > 0 ? 1 : 2;
		crosses = *side == 3;
	}
	free(sides);
	intern_free(open);
	return crosses;
}

/* A lane goes on as far as it comes; it then waits for a message, or is done. */
static void go_on(const struct flows *f, uint32_t lane, size_t *at, int64_t *under_way, uint32_t *waiting)
{
	for (; at[lane] < f->start[lane + 1]; at[lane]++) {
		struct passing p = f->first[at[lane]];
		if (!p.received) {
			under_way[p.flow] += p.times;
			continue;
		}
		if (under_way[p.flow] < p.times) {
			waiting[p.flow] = lane + 1;
			return;
		}
		under_way[p.flow] -= p.times;
	}
}

/* Does the first iteration wait for what is sent before it? A channel without sends in the loop is
   one from outside. */
static bool needs_messages(const struct flows *f)
{
	uint32_t flows = intern_count(f->known), *waiting = mem_zero((flows + (size_t)1) * sizeof *waiting),
		 lanes = f->builder->lanes;
	int64_t *under_way = mem_zero((flows + (size_t)1) * sizeof *under_way);
	size_t *at = mem_copy(f->start, (lanes + (size_t)1) * sizeof *at), done = 0;
	uint32_t *ready = mem_array(lanes + (size_t)1, sizeof *ready), count = 0;
	for (size_t i = 0; i < f->firsts; i++)
		under_way[f->first[i].flow] +=
			f->first[i].received && f->net[f->first[i].flow] < 0 ? f->first[i].times : 0;
	for (uint32_t lane = 0; lane < lanes; lane++)
		ready[count++] = lane;
	while (count) {
		uint32_t lane = ready[--count];
		size_t before = at[lane];
		go_on(f, lane, at, under_way, waiting);
		for (size_t i = before; i < at[lane]; i++) {
			uint32_t flow = f->first[i].flow;
			if (f->first[i].received || !waiting[flow])
				continue;
			ready[count++] = waiting[flow] - 1;
			waiting[flow] = 0;
		}
	}
	for (uint32_t lane = 0; lane < lanes; lane++)
		done += at[lane] == f->start[lane + 1];
	free(under_way);
	free(waiting);
	free(at);
	free(ready);
	return done < lanes;
}

bool flows_cross(
	const struct tree_builder *b, struct tree_node *const *node, size_t period, size_t copies, uint32_t depth)
{
	struct flows f = {.builder = b, .known = intern_new_keys(sizeof(struct flow)), .depth = depth, .times = 1};
	const size_t none[1] = {0};
	f.start = mem_zero((b->lanes + (size_t)1) * sizeof *f.start);
	for (uint32_t lane = 0; lane < b->lanes && f.events <= FLOWS_MOST; lane++) {
		f.lane = lane;
		f.iteration = 0;
		for (size_t c = 0; c < copies; c++) {
			bool any = false;
			for (size_t i = c * period; i < (c + 1) * period; i++) {
				any = any || lane_set_has(tree_lanes(b, node[i]->lanes), lane);
				add_node(&f, node[i], none, 0);
			}
			f.iteration += any;
		}
		f.start[lane + 1] = f.firsts;
	}
	bool crosses = f.events <= FLOWS_MOST && (any_crosses(&f) || needs_messages(&f));
	intern_free(f.known);
	free(f.net);
	free(f.first);
	free(f.start);
	return crosses;
}
