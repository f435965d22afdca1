/*
 * tree.c -- nodes in an arena; sets of lanes, shapes and structures interned.
 */
#include "merge/tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/binary_search.h"
#include "model/dictionary.h"

struct tree_builder *tree_builder_new(uint32_t lanes, const uint32_t *process)
{
	struct tree_builder *b = mem_zero(sizeof *b);
	b->arena = arena_new();
	b->store = indexed_store_new();
	b->shapes = intern_new();
	b->structures = intern_new();
	b->lane_sets = intern_new();
	b->lanes = lanes;
	b->process = arena_copy(b->arena, process, lanes * sizeof *process);
	return b;
}

void tree_builder_free(struct tree_builder *b)
{
	if (!b)
		return;
	indexed_store_free(b->store);
	intern_free(b->shapes);
	intern_free(b->structures);
	intern_free(b->lane_sets);
	arena_free(b->arena);
	free(b->partition);
	free(b->procedure);
	free(b->activation);
	free(b);
}

uint32_t tree_activation(struct tree_builder *b, struct tree_activation a)
{
	if (!b->activations)
		*MEM_PUSH(b->activation, b->activations, b->activation_capacity) = (struct tree_activation){0};
	*MEM_PUSH(b->activation, b->activations, b->activation_capacity) = a;
	return (uint32_t)b->activations - 1;
}

static bool partition_meets(const struct tree_partition *p, const struct ranks *set)
{
	struct ranks_walk walk = {0};
	for (uint32_t process; ranks_next(set, &walk, &process);)
		if (p->group[process] != UINT32_MAX)
			return true;
	return false;
}

struct tree_partition *tree_partition_without(struct tree_builder *b, const struct ranks *set, uint32_t processes)
{
	size_t at = 0;
	while (at < b->partitions && partition_meets(&b->partition[at], set))
		at++;
	if (at == b->partitions) {
		b->partition = mem_grow(b->partition, &b->partition_capacity, at + 1, sizeof *b->partition);
		b->partition[b->partitions++] =
			(struct tree_partition){arena_alloc(b->arena, processes * sizeof(uint32_t)), 0, false};
		memset(b->partition[at].group, 0xff, processes * sizeof(uint32_t));
	}
	return &b->partition[at];
}

/* ------------------------------------------------------------------ sets of lanes */

struct lane_set tree_lanes(const struct tree_builder *b, uint32_t set)
{
	size_t size;
	const uint32_t *lane = intern_data(b->lane_sets, set, &size);
	return (struct lane_set){lane, size / sizeof *lane};
}

uint32_t tree_lane_set(struct tree_builder *b, const uint32_t *lane, size_t length)
{
	return intern_id(b->lane_sets, lane, length * sizeof *lane);
}

static uint32_t tree_lanes_unite(struct tree_builder *b, uint32_t first, uint32_t second)
{
	if (first == second)
		return first;
	struct lane_set x = tree_lanes(b, first), y = tree_lanes(b, second);
	uint32_t *both = mem_array(x.length + y.length, sizeof *both);
	size_t length = 0, i = 0, k = 0;
	while (i < x.length || k < y.length) {
		uint32_t next = k == y.length || (i < x.length && x.lane[i] <= y.lane[k]) ? x.lane[i] : y.lane[k];
		i += i < x.length && x.lane[i] == next;
		k += k < y.length && y.lane[k] == next;
		both[length++] = next;
	}
	uint32_t set = tree_lane_set(b, both, length);
	free(both);
	return set;
}

bool tree_lanes_meet(const struct tree_builder *b, uint32_t first, uint32_t second)
{
	struct lane_set x = tree_lanes(b, first), y = tree_lanes(b, second);
	for (size_t i = 0, k = 0; i < x.length && k < y.length;) {
		if (x.lane[i] == y.lane[k])
			return true;
		if (x.lane[i] < y.lane[k])
			i++;
		else
			k++;
	}
	return false;
}

size_t lane_index(struct lane_set set, uint32_t lane)
{
	if (set.length && lane >= set.lane[0] && lane - set.lane[0] < set.length &&
		set.lane[lane - set.lane[0]] == lane)
		return lane - set.lane[0];
	size_t first;
	SEARCH_FIRST(first, 0, set.length, set.lane[first] >= lane);
	return first;
}

bool lane_set_has(struct lane_set set, uint32_t lane)
{
	size_t at = lane_index(set, lane);
	return at < set.length && set.lane[at] == lane;
}

/* ------------------------------------------------------------------ nodes */

void lane_class_add(struct lane_class *c, uint32_t lane)
{
	*MEM_PUSH(c->lane, c->lanes, c->capacity) = lane;
}

int lane_class_compare(const void *a, const void *b)
{
	const struct lane_class *x = a, *y = b;
	if (x->lanes != y->lanes)
		return x->lanes < y->lanes ? 1 : -1;
	return (x->lane[0] > y->lane[0]) - (x->lane[0] < y->lane[0]);
}

const struct tree_shape *tree_shape(const struct tree_builder *b, const struct tree_node *event)
{
	return intern_data(b->shapes, event->shape, NULL);
}

indexed tree_standing_at(const struct tree_builder *b, indexed v, const struct tree_standing *at)
{
	for (uint32_t d = 0; d < at->outside; d++)
		v = indexed_at(b->store, v, 0);
	for (size_t i = 0; i < at->loops; i++)
		v = indexed_at(b->store, v, at->index[i]);
	return v;
}

int64_t tree_number(const struct tree_builder *b, const struct tree_node *n, enum tree_slot slot, size_t k,
	const struct tree_standing *at, int64_t otherwise)
{
	uint32_t slots = tree_shape(b, n)->slots;
	if (!(slots >> slot & 1))
		return otherwise;
	indexed v = n->slot[__builtin_popcount(slots & ((UINT32_C(1) << slot) - 1))][k];
	v = tree_standing_at(b, v, at);
	return v == INDEXED_NONE ? otherwise : indexed_get(b->store, v);
}

struct tree_channel tree_channel(
	const struct tree_builder *b, const struct tree_node *n, size_t k, const struct tree_standing *at)
{
	const struct tree_shape *shape = tree_shape(b, n);
	uint32_t own = b->process[tree_lanes(b, n->lanes).lane[k]],
		 peer = (uint32_t)tree_number(b, n, SLOT_IS_PEER, k, at, 0);
	return (struct tree_channel){kind_sends(shape->kind) ? own : peer, kind_sends(shape->kind) ? peer : own,
		shape->word, shape->numbered, tree_number(b, n, SLOT_IS_TAG, k, at, 0),
		tree_number(b, n, SLOT_IS_COMMUNICATOR, k, at, NO_COMMUNICATOR)};
}

enum tree_slot tree_slot_of(const struct tree_builder *b, const struct tree_node *n, uint32_t k)
{
	if (n->kind != TREE_EVENT)
		return n->kind == TREE_LOOP    ? SLOT_IS_COUNT
		       : n->kind == TREE_GUARD ? SLOT_IS_CONDITION
					       : SLOT_IS_ARGUMENT;
	uint32_t slots = tree_shape(b, n)->slots;
	for (; k > 0; k--)
		slots &= slots - 1;
	return (enum tree_slot)__builtin_ctz(slots);
}

indexed **tree_slots(struct tree_builder *b, uint32_t slots, uint32_t set)
{
	size_t lanes = tree_lanes(b, set).length;
	indexed **slot = arena_alloc(b->arena, (slots + 1) * sizeof *slot);
	for (uint32_t k = 0; k < slots; k++)
		slot[k] = arena_alloc(b->arena, lanes * sizeof **slot);
	return slot;
}

static struct tree_node *node_of(struct tree_builder *b, const struct tree_node *n)
{
	return arena_copy(b->arena, n, sizeof *n);
}

/* What is equal for nodes that differ in numbers and lanes alone; bodies by their own. */
static uint32_t structure_of(
	struct tree_builder *b, enum tree_kind kind, uint32_t own, uint32_t parameters, struct tree_list body)
{
	uint32_t *word = mem_array(3 + body.length, sizeof *word);
	word[0] = kind;
	word[1] = own;
	word[2] = parameters;
	for (size_t i = 0; i < body.length; i++)
		word[3 + i] = body.node[i]->structure;
	uint32_t id = intern_id(b->structures, word, (3 + body.length) * sizeof *word);
	free(word);
	return id;
}

struct tree_node *tree_event(struct tree_builder *b, uint32_t shape, uint32_t set, indexed **slot, uint32_t parameters)
{
	const struct tree_shape *s = intern_data(b->shapes, shape, NULL);
	return node_of(b, &(struct tree_node){.kind = TREE_EVENT,
				  .shape = shape,
				  .structure = structure_of(b, TREE_EVENT, shape, parameters, (struct tree_list){0}),
				  .lanes = set,
				  .size = 1,
				  .slots = (uint32_t)__builtin_popcount(s->slots),
				  .parameters = parameters,
				  .slot = (const indexed **)slot});
}

struct tree_node *tree_loop(
	struct tree_builder *b, enum tree_kind kind, uint32_t set, const indexed *count, struct tree_list body)
{
	const indexed **slot = arena_alloc(b->arena, sizeof *slot);
	slot[0] = count;
	return node_of(b, &(struct tree_node){.kind = kind,
				  .structure = structure_of(b, kind, 0, 0, body),
				  .lanes = set,
				  .size = 1 + (uint32_t)tree_size(body),
				  .slots = 1,
				  .slot = slot,
				  .body = body});
}

struct tree_node *tree_with_body(struct tree_builder *b, const struct tree_node *n, struct tree_list body)
{
	struct tree_node *made = tree_loop(b, n->kind, n->lanes, n->slot[0], body);
	made->activation = n->activation;
	return made;
}

struct tree_node *tree_call(
	struct tree_builder *b, const struct tree_procedure *p, uint32_t set, indexed **argument, uint32_t parameters)
{
	return node_of(b, &(struct tree_node){.kind = TREE_CALL,
				  .structure = structure_of(b, TREE_CALL, p->number, parameters, (struct tree_list){0}),
				  .lanes = set,
				  .size = 1,
				  .slots = p->parameters,
				  .parameters = parameters,
				  .slot = (const indexed **)argument,
				  .procedure = p});
}

struct tree_list tree_list_of(struct tree_builder *b, struct tree_node *const *node, size_t length)
{
	return (struct tree_list){arena_copy(b->arena, node, length * sizeof *node), length};
}

size_t tree_size(struct tree_list list)
{
	size_t size = 0;
	for (size_t i = 0; i < list.length; i++)
		size += list.node[i]->size;
	return size;
}

uint32_t tree_list_lanes(struct tree_builder *b, struct tree_list list)
{
	uint32_t set = list.length ? list.node[0]->lanes : tree_lane_set(b, NULL, 0);
	for (size_t i = 1; i < list.length; i++)
		set = tree_lanes_unite(b, set, list.node[i]->lanes);
	return set;
}

indexed tree_at(const struct tree_builder *b, const struct tree_node *n, uint32_t slot, uint32_t lane)
{
	return n->slot[slot][lane_index(tree_lanes(b, n->lanes), lane)];
}

struct tree_node *tree_of_lanes(struct tree_builder *b, struct tree_node *n, const uint32_t *lane, size_t lanes)
{
	uint32_t *own = mem_array(lanes, sizeof *own);
	size_t count = 0;
	for (size_t i = 0; i < lanes; i++)
		if (lane_set_has(tree_lanes(b, n->lanes), lane[i]))
			own[count++] = lane[i];
	struct tree_node *made = count && count == tree_lanes(b, n->lanes).length ? n : NULL;
	if (count && !made) {
		uint32_t set = tree_lane_set(b, own, count);
		indexed **slot = tree_slots(b, n->slots, set);
		for (uint32_t k = 0; k < n->slots; k++)
			for (size_t i = 0; i < count; i++)
				slot[k][i] = tree_at(b, n, k, own[i]);
		struct tree_node **body = mem_array(n->body.length, sizeof *body);
		size_t length = 0;
		for (size_t i = 0; i < n->body.length; i++) {
			body[length] = tree_of_lanes(b, n->body.node[i], own, count);
			length += body[length] != NULL;
		}
		made = n->kind == TREE_EVENT ? tree_event(b, n->shape, set, slot, n->parameters)
					     : tree_loop(b, n->kind, set, slot[0], tree_list_of(b, body, length));
		free(body);
	}
	free(own);
	return made;
}

static struct tree_node *with_body(
	struct tree_builder *b, const struct tree_node *n, indexed **slot, struct tree_list body)
{
	struct tree_node *made = node_of(b, n);
	made->slot = (const indexed **)slot;
	made->body = body;
	return made;
}

/* Recursion as deep as loops nest. */
struct tree_node *tree_map(struct tree_builder *b, const struct tree_node *n, tree_change change, void *context)
{
	size_t lanes = tree_lanes(b, n->lanes).length;
	indexed **slot = tree_slots(b, n->slots, n->lanes);
	for (uint32_t k = 0; k < n->slots; k++)
		for (size_t i = 0; i < lanes; i++)
			slot[k][i] = change(context, n->slot[k][i]);
	struct tree_node **node = arena_alloc(b->arena, (n->body.length + 1) * sizeof *node);
	for (size_t i = 0; i < n->body.length; i++)
		node[i] = tree_map(b, n->body.node[i], change, context);
	return with_body(b, n, slot, (struct tree_list){node, n->body.length});
}

void tree_counts_around(const struct tree_builder *b, const struct tree_context *c, uint32_t lane, indexed *count)
{
	for (; c; c = c->outer) {
		struct lane_set set = tree_lanes(b, c->loop->lanes);
		count[c->depth] = lane_set_has(set, lane) ? c->loop->slot[0][lane_index(set, lane)] : INDEXED_NONE;
	}
}

struct tree_node *tree_zip(
	struct tree_builder *b, struct tree_node *const *copy, size_t copies, const struct tree_context *context)
{
	const struct tree_node *first = copy[0];
	struct lane_set set = tree_lanes(b, first->lanes);
	uint32_t depth = tree_depth(context);
	indexed **slot = tree_slots(b, first->slots, first->lanes), *row = mem_array(copies, sizeof *row),
		*around = mem_array(depth + (size_t)1, sizeof *around);
	for (size_t i = 0; i < set.length; i++) {
		tree_counts_around(b, context, set.lane[i], around);
		for (uint32_t k = 0; k < first->slots; k++) {
			for (size_t c = 0; c < copies; c++)
				row[c] = copy[c]->slot[k][i];
			slot[k][i] = indexed_zip(b->store, row, copies, depth, around);
		}
	}
	free(row);
	free(around);
	struct tree_node **node = arena_alloc(b->arena, (first->body.length + 1) * sizeof *node),
			 **inside = mem_array(copies, sizeof *inside);
	for (size_t i = 0; i < first->body.length; i++) {
		for (size_t c = 0; c < copies; c++)
			inside[c] = copy[c]->body.node[i];
		node[i] = tree_zip(b, inside, copies, context);
	}
	free(inside);
	return with_body(b, first, slot, (struct tree_list){node, first->body.length});
}

/* Recursion as deep as loops nest. */
struct tree_node *tree_either(struct tree_builder *b, const struct tree_node *x, const struct tree_node *y)
{
	struct tree_node *made = node_of(b, x);
	made->joint = 0;
	made->activation = x->activation == y->activation ? x->activation : 0;
	made->lanes = tree_lanes_unite(b, x->lanes, y->lanes);
	struct lane_set all = tree_lanes(b, made->lanes), of_x = tree_lanes(b, x->lanes);
	indexed **slot = tree_slots(b, x->slots, made->lanes);
	for (uint32_t k = 0; k < x->slots; k++)
		for (size_t i = 0; i < all.length; i++)
			slot[k][i] = tree_at(b, lane_set_has(of_x, all.lane[i]) ? x : y, k, all.lane[i]);
	struct tree_node **node = arena_alloc(b->arena, (x->body.length + 1) * sizeof *node);
	for (size_t i = 0; i < x->body.length; i++)
		node[i] = tree_either(b, x->body.node[i], y->body.node[i]);
	made->slot = (const indexed **)slot;
	made->body = (struct tree_list){node, x->body.length};
	return made;
}

static bool is_once(const struct tree_builder *b, const struct tree_node *n)
{
	size_t lanes = tree_lanes(b, n->lanes).length;
	bool once = n->kind == TREE_LOOP || n->kind == TREE_GUARD;
	for (size_t i = 0; i < lanes && once; i++) {
		int64_t count;
		once = indexed_is_constant(b->store, n->slot[0][i], &count) && count == 1;
	}
	return once;
}

/* A change of the loop at a depth: the number is an iteration, or how many. */
struct loop_change {
	struct indexed_store *store;
	uint32_t depth;
	size_t number;
};

static indexed without_loop(void *change, indexed v)
{
	const struct loop_change *c = change;
	return indexed_remove(c->store, v, c->depth, c->number);
}

static indexed with_blocks(void *change, indexed v)
{
	const struct loop_change *c = change;
	return indexed_block(c->store, v, c->depth, c->number);
}

/* What a loop at this depth is iterated, by all alike. */
static const indexed *same_count(struct tree_builder *b, uint32_t set, size_t iterations, uint32_t depth)
{
	indexed **slot = tree_slots(b, 1, set);
	for (size_t i = 0; i < tree_lanes(b, set).length; i++)
		slot[0][i] = indexed_wrap(b->store, indexed_number(b->store, (int64_t)iterations), depth);
	return slot[0];
}

struct tree_node *tree_block(
	struct tree_builder *b, const struct tree_node *loop, size_t iterations, size_t period, uint32_t depth)
{
	struct tree_node **node = mem_array(loop->body.length, sizeof *node);
	for (size_t i = 0; i < loop->body.length; i++)
		node[i] = tree_map(b, loop->body.node[i], with_blocks, &(struct loop_change){b->store, depth, period});
	struct tree_list body = tree_list_of(b, node, loop->body.length);
	struct tree_node *inner =
		tree_loop(b, loop->kind, loop->lanes, same_count(b, loop->lanes, period, depth + 1), body);
	free(node);
	return tree_loop(b, loop->kind, loop->lanes, same_count(b, loop->lanes, iterations / period, depth),
		tree_list_of(b, &inner, 1));
}

struct tree_list tree_unroll(struct tree_builder *b, const struct tree_node *loop, size_t iterations, uint32_t depth)
{
	size_t length = loop->body.length;
	struct tree_node **node = mem_array(length * iterations, sizeof *node);
	for (size_t i = 0; i < length * iterations; i++)
		node[i] = tree_map(b, loop->body.node[i % length], without_loop,
			&(struct loop_change){b->store, depth, i / length});
	struct tree_list unrolled = tree_list_of(b, node, length * iterations);
	free(node);
	return unrolled;
}

struct tree_list tree_dissolve(struct tree_builder *b, struct tree_list list, uint32_t depth)
{
	struct tree_node **node = NULL;
	size_t length = 0, capacity = 0;
	for (size_t i = 0; i < list.length; i++) {
		const struct tree_node *n = list.node[i];
		struct tree_list body = {0};
		bool inside = n->kind == TREE_LOOP || n->kind == TREE_GUARD, once = is_once(b, n);
		if (inside)
			body = tree_dissolve(b, n->body, depth + 1);
		size_t more = once ? body.length : 1;
		node = mem_grow(node, &capacity, length + more, sizeof *node);
		for (size_t k = 0; k < more; k++)
			node[length++] = once     ? tree_map(b, body.node[k], without_loop,
							    &(struct loop_change){b->store, depth, 0})
					 : inside ? tree_with_body(b, n, body)
						  : list.node[i];
	}
	struct tree_list dissolved = tree_list_of(b, node, length);
	free(node);
	return dissolved;
}

uint32_t tree_lane_signature(struct tree_builder *b, const struct tree_node *n)
{
	if (!n->body.length)
		return n->lanes;
	uint32_t *word = mem_array(n->body.length + 1, sizeof *word);
	word[0] = n->lanes;
	bool same = true;
	for (size_t i = 0; i < n->body.length; i++) {
		word[i + 1] = tree_lane_signature(b, n->body.node[i]);
		same = same && word[i + 1] == n->lanes;
	}
	uint32_t id = n->lanes;
	if (!same)
		id = UINT32_C(0x80000000) | intern_id(b->structures, word, (n->body.length + 1) * sizeof *word);
	free(word);
	return id;
}
