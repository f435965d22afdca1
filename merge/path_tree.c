/*
 * path_tree.c -- contexts become a plan of statements; each lane's events are put into it by the
 * iterations of the loops around them.
 */
#include "merge/path_tree.h"

#include <stdlib.h>
#include <string.h>

#include "merge/activations.h"
#include "merge/bounds.h"
#include "merge/step_loops.h"

/* A statement of all lanes: an event, or a loop, which comes before what is in it. */
struct plan_node {
	uint32_t size; /* nodes: itself and all inside */
	uint32_t shape; /* LOOP: it is a loop */
};

#define LOOP UINT32_MAX

/* What stands in a node, by lane and index: of an event its numbers, of a loop its iterations; and
   is it there at all? Iterations are told twice: 0, or nothing, where it is not. */
enum { COUNT, COUNT_THERE, THERE = EVENT_SLOTS, COLUMNS };

/* An event of a lane: its node, and its iterations of the loops around that, the outermost first. */
struct placed {
	uint32_t node;
	size_t index; /* where its iterations begin among those of all */
};

/* The loops of an open activation. */
struct counting {
	uint32_t step; /* the last one */
	uint32_t *iteration; /* by loop around it */
	size_t capacity;
};

struct planting {
	struct tree_builder *builder;
	const struct records *records;
	struct activations *activations;
	struct step_loops *loops;
	struct plan_node *plan;
	size_t length, plan_capacity;
	uint32_t *node_of; /* by context of an event */
	const uint32_t *record; /* of the lane at hand */
	struct placed *placed; /* its events */
	size_t events, placed_capacity;
	uint32_t *index;
	size_t indices, index_capacity;
	struct counting *open; /* by level */
	size_t open_capacity;
	indexed **value; /* by lane: COLUMNS for each node */
	uint64_t cells; /* that may still be filled */
	bool good;
};

/* ------------------------------------------------------------------ the plan */

static void plan_context(struct planting *, uint32_t context);

static void plan_steps(struct planting *p, uint32_t context, struct step_list list, size_t from, size_t to)
{
	for (size_t i = from; i < to; i += list.node[i].size) {
		uint32_t step = list.node[i].step;
		if (step == STEP_NONE) {
			size_t at = p->length;
			*MEM_PUSH(p->plan, p->length, p->plan_capacity) = (struct plan_node){1, LOOP};
			plan_steps(p, context, list, i + 1, i + list.node[i].size);
			p->plan[at].size = (uint32_t)(p->length - at);
			p->length = p->length == at + 1 ? at : p->length;
			continue;
		}
		uint32_t inside = activations_inside(p->activations, context, step);
		if (inside != CONTEXT_NONE)
			plan_context(p, inside);
	}
}

/* Recursion as deep as calls and loops nest. */
static void plan_context(struct planting *p, uint32_t context)
{
	uint32_t within = activations_step_in(p->activations, context);
	if (within == STEP_NONE) {
		p->node_of[context] = (uint32_t)p->length;
		*MEM_PUSH(p->plan, p->length, p->plan_capacity) =
			(struct plan_node){1, activations_shape(p->activations, context)};
		return;
	}
	struct step_list list = step_loops_of(p->loops, activations_function(p->activations, within));
	plan_steps(p, context, list, 0, list.length);
}

/* ------------------------------------------------------------------ where events stand */

static void open_level(void *planting, uint32_t level)
{
	struct planting *p = planting;
	size_t before = p->open_capacity;
	p->open = mem_grow(p->open, &p->open_capacity, (size_t)level + 1, sizeof *p->open);
	if (p->open_capacity > before)
		memset(p->open + before, 0, (p->open_capacity - before) * sizeof *p->open);
	p->open[level].step = STEP_NONE;
}

/* Loops that go on keep their iteration, the one of which another begins has the next, those inside
   begin anew. */
static void take_step(void *planting, uint32_t level, uint32_t from, uint32_t to)
{
	struct planting *p = planting;
	struct counting *c = &p->open[level];
	size_t before = 0, loops, same = 0;
	const uint32_t *last = from == STEP_NONE ? NULL : step_loops_around(p->loops, from, &before),
		       *around = step_loops_around(p->loops, to, &loops);
	uint32_t next = from == STEP_NONE ? STEP_NONE : step_loops_between(p->loops, from, to);
	c->iteration = mem_grow(c->iteration, &c->capacity, loops + 1, sizeof *c->iteration);
	while (same < loops && same < before && last[same] == around[same] && around[same] != next)
		same++;
	if (same < loops && same < before && around[same] == next && last[same] == next)
		c->iteration[same++]++;
	memset(c->iteration + same, 0, (loops - same) * sizeof *c->iteration);
	c->step = to;
}

static void take_event(void *planting, uint32_t level, uint32_t of)
{
	struct planting *p = planting;
	*MEM_PUSH(p->placed, p->events, p->placed_capacity) = (struct placed){p->node_of[of], p->indices};
	for (uint32_t k = 0; k <= level; k++) {
		size_t loops;
		step_loops_around(p->loops, p->open[k].step, &loops);
		for (size_t i = 0; i < loops; i++)
			*MEM_PUSH(p->index, p->indices, p->index_capacity) = p->open[k].iteration[i];
	}
}

/* ------------------------------------------------------------------ what a lane does */

static void fill_event(struct planting *p, size_t at, size_t node, indexed *value)
{
	struct indexed_store *store = p->builder->store;
	const struct record *record = records_get(p->records, p->record[at]);
	const struct tree_shape *shape = intern_data(p->builder->shapes, record->shape, NULL);
	p->good = p->good && record->shape == p->plan[node].shape;
	for (int s = 0; s < __builtin_popcount(shape->slots) && p->good; s++)
		value[s] = indexed_number(store, record->number[s]);
}

static void fill_list(struct planting *, size_t from, size_t to, size_t first, size_t last, size_t depth, indexed *value);

static uint32_t iteration_at(const struct planting *p, size_t event, size_t depth)
{
	return p->index[p->placed[event].index + depth];
}

/* value: COLUMNS of the loop and of what is in it. */
static void fill_loop(struct planting *p, size_t node, size_t first, size_t last, size_t depth, indexed *value)
{
	struct indexed_store *store = p->builder->store;
	size_t columns = COLUMNS * (p->plan[node].size - (size_t)1),
	       count = first < last ? iteration_at(p, last - 1, depth) + (size_t)1 : 0;
	value[COUNT] = indexed_number(store, (int64_t)count);
	value[COUNT_THERE] = count ? value[COUNT] : INDEXED_NONE;
	p->good = p->good && columns * count <= p->cells;
	if (!count || !p->good)
		return;
	p->cells -= columns * count;
	indexed *row = mem_zero(columns * count * sizeof *row), *column = mem_array(count, sizeof *column);
	for (size_t k = 0, at = first, end; k < count && p->good; k++, at = end) {
		end = at;
		while (end < last && iteration_at(p, end, depth) == k)
			end++;
		fill_list(p, node + 1, node + p->plan[node].size, at, end, depth + 1, row + k * columns);
	}
	for (size_t c = 0; c < columns; c++) {
		for (size_t k = 0; k < count; k++)
			column[k] = row[k * columns + c];
		value[COLUMNS + c] = indexed_each(store, column, count);
	}
	free(row);
	free(column);
}

/* Events of these nodes, in this order, once each; value: COLUMNS of each node, which are 0 so
   far. */
static void fill_list(struct planting *p, size_t from, size_t to, size_t first, size_t last, size_t depth, indexed *value)
{
	size_t at = first;
	for (size_t node = from; node < to; node += p->plan[node].size) {
		size_t end = at;
		indexed *own = value + COLUMNS * (node - from);
		while (end < last && p->placed[end].node >= node && p->placed[end].node < node + p->plan[node].size)
			end++;
		own[THERE] = indexed_number(p->builder->store, end > at);
		if (p->plan[node].shape == LOOP)
			fill_loop(p, node, at, end, depth, own);
		else if (end > at)
			fill_event(p, at, node, own);
		p->good = p->good && (p->plan[node].shape == LOOP || end - at <= 1);
		at = end;
	}
	p->good = p->good && at == last;
}

static void fill_lane(struct planting *p, uint32_t lane)
{
	struct activation_client client = {p, open_level, take_step, take_event};
	size_t length;
	p->events = p->indices = 0;
	p->record = records_of(p->records, lane, &length);
	activations_walk(p->activations, lane, &client);
	p->value[lane] = mem_zero((p->length * COLUMNS + 1) * sizeof **p->value);
	p->good = p->good && p->events == length;
	if (p->good)
		fill_list(p, 0, p->length, 0, p->events, 0, p->value[lane]);
}

/* ------------------------------------------------------------------ nodes */

/* Lanes that have a node anywhere; is it there always? */
struct there {
	uint32_t set;
	struct lane_set lanes;
	bool always;
};

static struct there find_there(struct planting *p, size_t node)
{
	struct tree_builder *b = p->builder;
	uint32_t *lane = mem_array(b->lanes + (size_t)1, sizeof *lane);
	struct there t = {.always = true};
	size_t lanes = 0;
	for (uint32_t i = 0; i < b->lanes; i++) {
		int64_t number;
		indexed v = p->value[i][COLUMNS * node + THERE];
		bool constant = indexed_is_constant(b->store, v, &number);
		if (v == INDEXED_NONE || (constant && !number))
			continue;
		t.always = t.always && constant;
		lane[lanes++] = i;
	}
	t.set = lanes ? tree_lane_set(b, lane, lanes) : 0;
	t.lanes = lanes ? tree_lanes(b, t.set) : (struct lane_set){0};
	free(lane);
	return t;
}

static indexed *column_of(struct planting *p, const struct there *t, size_t node, int column)
{
	indexed *slot = arena_alloc(p->builder->arena, t->lanes.length * sizeof *slot);
	for (size_t i = 0; i < t->lanes.length; i++)
		slot[i] = p->value[t->lanes.lane[i]][COLUMNS * node + column];
	return slot;
}

static bool has_same(const indexed *a, const indexed *b, size_t length)
{
	return !memcmp(a, b, length * sizeof *a);
}

struct inserting {
	struct indexed_store *store;
	uint32_t depth;
};

static indexed insert(void *inserting, indexed v)
{
	struct inserting *i = inserting;
	return v == INDEXED_NONE ? v : indexed_insert(i->store, v, i->depth);
}

static struct tree_list nodes_of(struct planting *p, size_t from, size_t to, uint32_t depth);

/* A loop of as many iterations wherever it is there is guarded elsewhere; else it has none there. */
static bool needs_guard(struct planting *p, const struct there *t, size_t node)
{
	bool constant = true;
	int64_t number;
	for (size_t i = 0; i < t->lanes.length && p->plan[node].shape == LOOP && constant; i++)
		constant = indexed_is_constant(
			p->builder->store, p->value[t->lanes.lane[i]][COLUMNS * node + COUNT_THERE], &number);
	return !t->always && constant;
}

static struct tree_node *node_of(struct planting *p, const struct there *t, size_t node, bool guarded, uint32_t depth)
{
	struct tree_builder *b = p->builder;
	if (p->plan[node].shape == LOOP) {
		struct tree_list body = nodes_of(p, node + 1, node + p->plan[node].size, depth + 1);
		return tree_loop(b, TREE_LOOP, t->set, column_of(p, t, node, guarded ? COUNT_THERE : COUNT), body);
	}
	const struct tree_shape *shape = intern_data(b->shapes, p->plan[node].shape, NULL);
	uint32_t slots = (uint32_t)__builtin_popcount(shape->slots);
	indexed **slot = tree_slots(b, slots, t->set);
	for (uint32_t s = 0; s < slots; s++)
		for (size_t i = 0; i < t->lanes.length; i++)
			slot[s][i] = p->value[t->lanes.lane[i]][COLUMNS * node + s];
	return tree_event(b, p->plan[node].shape, t->set, slot, 0);
}

/* Neighbours that are there at the same time have one guard. Recursion as deep as loops nest. */
static struct tree_list nodes_of(struct planting *p, size_t from, size_t to, uint32_t depth)
{
	struct tree_builder *b = p->builder;
	struct tree_node **made = mem_array(to - from + 1, sizeof *made), **inside = mem_array(to - from + 1, sizeof *inside);
	struct inserting inserting = {b->store, depth};
	size_t length = 0;
	for (size_t node = from, next; node < to; node = next) {
		struct there t = find_there(p, node), other = t;
		next = node + p->plan[node].size;
		if (!t.lanes.length)
			continue;
		if (!needs_guard(p, &t, node)) {
			made[length++] = node_of(p, &t, node, false, depth);
			continue;
		}
		indexed *there = column_of(p, &t, node, THERE);
		size_t guarded = 0;
		for (next = node; next < to; next += p->plan[next].size) {
			other = find_there(p, next);
			if (!other.lanes.length)
				continue;
			if (other.set != t.set || !has_same(there, column_of(p, &other, next, THERE), t.lanes.length))
				break;
			inside[guarded++] = tree_map(b, node_of(p, &other, next, true, depth), insert, &inserting);
		}
		made[length++] = tree_loop(b, TREE_GUARD, t.set, there, tree_list_of(b, inside, guarded));
	}
	struct tree_list list = tree_list_of(b, made, length);
	free(made);
	free(inside);
	return list;
}

/* ------------------------------------------------------------------ all */

static void plan_all(struct planting *p, const struct call_paths *paths, const struct path_events *lane)
{
	struct tree_builder *b = p->builder;
	uint32_t shapes = intern_count(b->shapes), *kind = mem_array(shapes + (size_t)1, sizeof *kind);
	for (uint32_t i = 0; i < shapes; i++)
		kind[i] = ((const struct tree_shape *)intern_data(b->shapes, i, NULL))->kind;
	p->activations = activations_new(paths, kind, lane, b->lanes);
	p->loops = step_loops_new(p->activations);
	p->node_of = mem_array(activations_contexts(p->activations), sizeof *p->node_of);
	plan_context(p, CONTEXT_ROOT);
	for (uint32_t i = 0; i < b->lanes && p->good; i++)
		fill_lane(p, i);
	activations_free(p->activations);
	step_loops_free(p->loops);
	free(kind);
}

bool path_tree(struct tree_builder *b, const struct records *records, const struct call_paths *paths,
	uint32_t *const *path_of, struct tree_list *list)
{
	struct planting p = {.builder = b, .records = records, .good = true, .cells = PATH_TREE_CELLS};
	struct path_events *lane = mem_zero((b->lanes + (size_t)1) * sizeof *lane);
	uint64_t events = 0;
	for (uint32_t i = 0; i < b->lanes; i++) {
		const uint32_t *record = records_of(records, i, &lane[i].length);
		lane[i].path = path_of[i];
		lane[i].shape = mem_array(lane[i].length + 1, sizeof *lane[i].shape);
		for (size_t k = 0; k < lane[i].length; k++)
			lane[i].shape[k] = records_get(records, record[k])->shape;
		events += lane[i].length;
	}
	p.value = mem_zero((b->lanes + (size_t)1) * sizeof *p.value);
	p.good = events && events <= PATH_TREE_EVENTS;
	if (p.good)
		plan_all(&p, paths, lane);
	if (p.good)
		*list = tree_dissolve(b, nodes_of(&p, 0, p.length, 0), 0);
	for (uint32_t i = 0; i < b->lanes; i++) {
		free(lane[i].shape);
		free(p.value[i]);
	}
	for (size_t i = 0; i < p.open_capacity; i++)
		free(p.open[i].iteration);
	free(lane);
	free(p.value);
	free(p.open);
	free(p.plan);
	free(p.node_of);
	free(p.placed);
	free(p.index);
	return p.good;
}
