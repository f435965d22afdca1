/*
 * path_tree.c -- contexts become a plan of statements; each lane's events are put into it by the
 * iterations of the loops around them.
 */
#include "merge/path_tree.h"

#include <stdlib.h>
#include <string.h>

#include "merge/activations.h"
#include "merge/bounds.h"
#include "merge/iterations.h"
#include "merge/joined_paths.h"
#include "merge/step_loops.h"
#include "model/dictionary.h"

/* A statement of all lanes: an event, or a loop, which comes before what is in it. */
struct plan_node {
	uint32_t size; /* nodes: itself and all inside */
	uint32_t shape; /* LOOP: it is a loop */
	uint32_t call; /* the innermost one around; 0: none */
};

/* A call of a function, which nodes of the plan are of: [first, end). Drafted ones until there is a
   plan. */
struct plan_call {
	uint32_t function, outer; /* outer: a call; 0: none */
	const char *name; /* in the arena */
	uint32_t calls, frames; /* calls: this one and those around it */
	size_t first, end;
};

/* Of an iteration that is written by itself: what is called in it is another activation. */
struct unrolled_copy {
	size_t loop; /* node */
	uint32_t copy; /* number among all */
};

/* The same before it is known which loops have several iterations anywhere. */
struct draft_node {
	struct plan_node node;
	uint32_t around; /* the loop around; LOOP: none */
	uint32_t planned; /* as a statement of the plan: its number */
	bool kept;
};

#define LOOP UINT32_MAX

/* What stands in a node, by lane and index: of an event its numbers, of a loop its iterations
   (twice: 0, or nothing, where it is not there); and is it there? */
enum { COUNT, COUNT_THERE, THERE = EVENT_SLOTS, COLUMNS };

/* An event of a lane: its node, and its iterations of the loops around it, the outermost first. */
struct placed {
	uint32_t node, depth;
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
	const struct call_paths *paths;
	struct activations *activations;
	struct step_loops *loops;
	struct draft_node *draft;
	size_t drafted, draft_capacity;
	bool drafting; /* is it not known yet? */
	uint32_t around, within; /* while it is drafted: loop, call */
	uint32_t *path_at; /* by place: a path that ends there */
	struct plan_call *call; /* from 1 on */
	size_t calls, call_capacity;
	struct unrolled_copy *copy; /* those at hand, the outermost first */
	size_t copies, copy_capacity;
	uint32_t unrolled; /* copies so far */
	struct intern *activations_made; /* call, copy, outer activation: builder's activation less what was there */
	uint32_t first_activation;
	uint32_t *draft_of; /* by context of an event */
	struct plan_node *plan;
	size_t length;
	const struct record **record; /* by event, lane after lane */
	struct placed *placed; /* by these */
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

static size_t add_draft(struct planting *p, uint32_t shape)
{
	*MEM_PUSH(p->draft, p->drafted, p->draft_capacity) =
		(struct draft_node){{1, shape, p->within}, p->around, 0, shape != LOOP};
	return p->drafted - 1;
}

static void draft_context(struct planting *, uint32_t context);

/* A frame of a path is a call within its function; of regions, the function itself. */
static void draft_call(struct planting *p, uint32_t context)
{
	uint32_t outer = p->within, call = (uint32_t)p->calls, step = activations_step_in(p->activations, context),
		 place = step == STEP_NONE ? STEP_NONE : activations_place(p->activations, step);
	const struct call_frame *f = place == STEP_NONE ? NULL : call_paths_frame(p->paths, p->path_at[place]);
	const char *name = f ? f->name : "";
	struct plan_call c = {.function = step == STEP_NONE ? STEP_NONE : activations_function(p->activations, step),
		.outer = outer,
		.calls = p->call[outer].calls + 1,
		.name = arena_copy(p->builder->arena, name, strlen(name) + 1),
		.first = p->drafted};
	c.frames = f ? c.calls - call_frame_is_region(f) : 0;
	*MEM_PUSH(p->call, p->calls, p->call_capacity) = c;
	p->within = call;
	draft_context(p, context);
	p->within = outer;
	p->call[call].end = p->drafted;
}

static void draft_steps(struct planting *p, uint32_t context, struct step_list list, size_t from, size_t to)
{
	for (size_t i = from; i < to; i += list.node[i].size) {
		uint32_t step = list.node[i].step;
		if (step == STEP_NONE) {
			uint32_t around = p->around;
			size_t at = add_draft(p, LOOP);
			p->around = (uint32_t)at;
			draft_steps(p, context, list, i + 1, i + list.node[i].size);
			p->around = around;
			p->draft[at].node.size = (uint32_t)(p->drafted - at);
			continue;
		}
		uint32_t inside = activations_inside(p->activations, context, step);
		if (inside != CONTEXT_NONE && activations_calls(p->activations, step))
			draft_call(p, inside);
		else if (inside != CONTEXT_NONE)
			draft_context(p, inside);
	}
}

/* Recursion as deep as calls and loops nest. */
static void draft_context(struct planting *p, uint32_t context)
{
	uint32_t within = activations_step_in(p->activations, context);
	if (within == STEP_NONE) {
		p->draft_of[context] = (uint32_t)add_draft(p, activations_shape(p->activations, context));
		return;
	}
	struct step_list list = step_loops_of(p->loops, activations_function(p->activations, within));
	draft_steps(p, context, list, 0, list.length);
}

static size_t planned_from(const struct planting *p, size_t draft)
{
	return draft < p->drafted ? p->draft[draft].planned : p->length;
}

/* Without loops that have one iteration wherever they are. */
static void make_plan(struct planting *p)
{
	p->plan = mem_array(p->drafted + 1, sizeof *p->plan);
	for (size_t i = 0; i < p->drafted; i++) {
		p->draft[i].planned = (uint32_t)p->length;
		if (p->draft[i].kept)
			p->plan[p->length++] = p->draft[i].node;
	}
	for (size_t i = 0; i < p->drafted; i++) {
		size_t end = i + p->draft[i].node.size;
		uint32_t next = end < p->drafted ? p->draft[end].planned : (uint32_t)p->length;
		if (p->draft[i].kept)
			p->plan[p->draft[i].planned].size = next - p->draft[i].planned;
	}
	for (size_t i = 1; i < p->calls; i++) {
		p->call[i].first = planned_from(p, p->call[i].first);
		p->call[i].end = planned_from(p, p->call[i].end);
	}
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

/* Which loops have several iterations; then where it stands in these. The innermost loop comes
   last. */
static void take_event(void *planting, uint32_t level, uint32_t of)
{
	struct planting *p = planting;
	uint32_t draft = p->draft_of[of], around = p->draft[draft].around;
	size_t before = p->indices, kept = 0;
	for (uint32_t k = 0; k <= level; k++) {
		size_t loops;
		step_loops_around(p->loops, p->open[k].step, &loops);
		for (size_t i = 0; i < loops; i++)
			*MEM_PUSH(p->index, p->indices, p->index_capacity) = p->open[k].iteration[i];
	}
	for (size_t i = p->indices; i-- > before; around = p->draft[around].around) {
		p->draft[around].kept = p->draft[around].kept || (p->drafting && p->index[i]);
		if (p->draft[around].kept)
			p->index[p->indices - ++kept] = p->index[i];
	}
	if (p->drafting) {
		p->indices = before;
		return;
	}
	if (kept)
		memmove(p->index + before, p->index + p->indices - kept, kept * sizeof *p->index);
	p->indices = before + kept;
	*MEM_PUSH(p->placed, p->events, p->placed_capacity) =
		(struct placed){p->draft[draft].planned, (uint32_t)kept, before};
}

/* ------------------------------------------------------------------ what a lane does */

static void fill_event(struct planting *p, size_t at, size_t node, indexed *value)
{
	struct indexed_store *store = p->builder->store;
	const struct record *record = p->record[at];
	const struct tree_shape *shape = intern_data(p->builder->shapes, record->shape, NULL);
	p->good = p->good && record->shape == p->plan[node].shape;
	for (int s = 0; s < __builtin_popcount(shape->slots) && p->good; s++)
		value[s] = indexed_number(store, record->number[s]);
}

static void fill_list(
	struct planting *, size_t from, size_t to, size_t first, size_t last, size_t depth, indexed *value);

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
static void fill_list(
	struct planting *p, size_t from, size_t to, size_t first, size_t last, size_t depth, indexed *value)
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

static void walk_lane(struct planting *p, uint32_t lane)
{
	struct activation_client client = {p, open_level, take_step, take_event};
	activations_walk(p->activations, lane, &client);
}

/* first: its first event. */
static void fill_lane(struct planting *p, uint32_t lane, size_t first)
{
	size_t length;
	records_of(p->records, lane, &length);
	p->value[lane] = mem_zero((p->length * COLUMNS + 1) * sizeof **p->value);
	fill_list(p, 0, p->length, first, first + length, 0, p->value[lane]);
}

/* ------------------------------------------------------------------ iterations of several lanes */

/* By node the loops around, the outermost first: each has room for INDEX_DEPTH. */
static uint32_t *loops_around(const struct planting *p)
{
	uint32_t *around = mem_array((p->length + 1) * INDEX_DEPTH, sizeof *around), depth = 0, open[INDEX_DEPTH];
	for (uint32_t i = 0; i < p->length; i++) {
		while (depth && open[depth - 1] + p->plan[open[depth - 1]].size <= i)
			depth--;
		memcpy(around + (size_t)i * INDEX_DEPTH, open, depth * sizeof *open);
		if (p->plan[i].shape == LOOP && depth < INDEX_DEPTH)
			open[depth++] = i;
	}
	return around;
}

static int64_t number_of(const struct tree_shape *s, const struct record *r, enum tree_slot slot, int64_t otherwise)
{
	return s->slots >> slot & 1 ? r->number[__builtin_popcount(s->slots & ((UINT32_C(1) << slot) - 1))] : otherwise;
}

static void add_meeting(struct planting *p, struct meetings *m, uint32_t lane, size_t event)
{
	const struct record *r = p->record[event];
	const struct tree_shape *s = intern_data(p->builder->shapes, r->shape, NULL);
	struct meeting_event e = {s, lane, number_of(s, r, SLOT_IS_PEER, 0), number_of(s, r, SLOT_IS_TAG, 0),
		number_of(s, r, SLOT_IS_COMMUNICATOR, NO_COMMUNICATOR)};
	meetings_add(m, &e, event);
}

/* What meets is in one iteration, where that is possible. */
static void align_lanes(struct planting *p, const struct grid *grid)
{
	struct meetings *m = meetings_new(p->builder, grid);
	struct iterated *event = mem_array(p->events + 1, sizeof *event);
	uint32_t *around = loops_around(p);
	for (size_t lane = 0, i = 0, end = 0; lane < p->builder->lanes; lane++) {
		size_t length;
		records_of(p->records, (uint32_t)lane, &length);
		for (end += length; i < end; i++) {
			uint32_t depth = p->placed[i].depth < INDEX_DEPTH ? p->placed[i].depth : INDEX_DEPTH;
			event[i] = (struct iterated){around + (size_t)p->placed[i].node * INDEX_DEPTH,
				p->index + p->placed[i].index, depth, (uint32_t)lane};
			add_meeting(p, m, (uint32_t)lane, i);
		}
	}
	iterations_align(event, p->events, (uint32_t)p->length, m);
	meetings_free(m);
	free(event);
	free(around);
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

/* The activation of the builder that a call of the plan is where nodes are made. */
static uint32_t activation_of(struct planting *p, uint32_t call)
{
	if (!call)
		return 0;
	const struct plan_call *c = &p->call[call];
	uint32_t key[] = {call, 0, activation_of(p, c->outer)};
	for (size_t i = p->copies; i-- > 0 && !key[1];)
		if (p->copy[i].loop < c->first)
			key[1] = p->copy[i].copy;
	uint32_t known = intern_count(p->activations_made), made = intern_id(p->activations_made, key, sizeof key);
	return made < known
		       ? p->first_activation + made
		       : tree_activation(p->builder, (struct tree_activation){c->function, c->name, key[2], c->frames});
}

/* The innermost call that all of these nodes are in, and others, too. */
static uint32_t call_around(const struct planting *p, size_t from, size_t to)
{
	uint32_t call = p->plan[from].call;
	while (call && (p->call[call].end < to || (p->call[call].first >= from && p->call[call].end <= to)))
		call = p->call[call].outer;
	return call;
}

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
	struct tree_node *made;
	if (p->plan[node].shape == LOOP) {
		struct tree_list body = nodes_of(p, node + 1, node + p->plan[node].size, depth + 1);
		made = tree_loop(b, TREE_LOOP, t->set, column_of(p, t, node, guarded ? COUNT_THERE : COUNT), body);
		made->activation = activation_of(p, p->plan[node].call);
		return made;
	}
	const struct tree_shape *shape = intern_data(b->shapes, p->plan[node].shape, NULL);
	uint32_t slots = (uint32_t)__builtin_popcount(shape->slots);
	indexed **slot = tree_slots(b, slots, t->set);
	for (uint32_t s = 0; s < slots; s++)
		for (size_t i = 0; i < t->lanes.length; i++)
			slot[s][i] = p->value[t->lanes.lane[i]][COLUMNS * node + s];
	made = tree_event(b, p->plan[node].shape, t->set, slot, 0);
	made->activation = activation_of(p, p->plan[node].call);
	return made;
}

/* Is a statement there for any lane, in this iteration of the loop around? What is in another one
   is only where that is. */
static bool is_there(struct planting *p, size_t node, uint32_t depth, size_t iteration)
{
	for (uint32_t lane = 0; lane < p->builder->lanes; lane++) {
		indexed v = p->value[lane][COLUMNS * node + THERE];
		int64_t number;
		v = v == INDEXED_NONE ? v : indexed_remove(p->builder->store, v, depth, iteration);
		if (v != INDEXED_NONE && (!indexed_is_constant(p->builder->store, v, &number) || number))
			return true;
	}
	return false;
}

/* Statements of these nodes in one iteration of the loop around; where: of each a bit for each in which it is. */
static size_t statements_in(
	struct planting *p, size_t from, size_t to, uint32_t depth, size_t iteration, uint32_t *where)
{
	size_t sum = 0;
	for (size_t i = from; i < to; i += p->plan[i].size) {
		if (!is_there(p, i, depth, iteration))
			continue;
		where[i - from] |= UINT32_C(1) << iteration;
		sum += 1 + statements_in(p, i + 1, i + p->plan[i].size, depth, iteration, where + (i - from) + 1);
	}
	return sum;
}

/* The iterations of a loop, if there are so few in which so little is done that they are read
   faster one after the other than with their conditions; else 0. */
static size_t unrolled(struct planting *p, const struct there *t, size_t node, uint32_t depth)
{
	struct tree_builder *b = p->builder;
	size_t count = 0, end = node + p->plan[node].size, copies = 0, guards = 0;
	for (size_t i = 0; i < t->lanes.length; i++) {
		int64_t own;
		if (!indexed_is_constant(b->store, p->value[t->lanes.lane[i]][COLUMNS * node + COUNT], &own))
			return 0;
		count = (size_t)own > count ? (size_t)own : count;
	}
	if (count == 1 || count > PATH_TREE_UNROLLED || b->lanes * (end - node) * count > PATH_TREE_LOOKED_AT)
		return 0;
	uint32_t before = 0, *where = mem_zero((end - node) * sizeof *where);
	for (size_t k = 0; k < count; k++)
		copies += statements_in(p, node + 1, end, depth, k, where);
	for (size_t i = node + 1; i < end; i += p->plan[i].size) {
		uint32_t own = where[i - node - 1];
		guards += own != before && own != (UINT32_C(1) << count) - 1;
		before = own;
	}
	free(where);
	return copies + PATH_TREE_SAVES <= p->plan[node].size + guards ? count : 0;
}

struct nodes {
	struct tree_node **node;
	size_t length, capacity;
};

static void add_nodes(struct planting *, size_t from, size_t to, uint32_t depth, struct nodes *);

/* Iteration by iteration. */
static void add_unrolled(struct planting *p, size_t node, size_t count, uint32_t depth, struct nodes *to)
{
	struct tree_builder *b = p->builder;
	size_t first = COLUMNS * (node + 1), columns = COLUMNS * (p->plan[node].size - (size_t)1);
	indexed *saved = mem_array(b->lanes * columns + 1, sizeof *saved);
	for (uint32_t lane = 0; lane < b->lanes; lane++)
		memcpy(saved + lane * columns, p->value[lane] + first, columns * sizeof *saved);
	for (size_t k = 0; k < count; k++) {
		*MEM_PUSH(p->copy, p->copies, p->copy_capacity) = (struct unrolled_copy){node, ++p->unrolled};
		for (size_t c = 0; c < b->lanes * columns; c++)
			p->value[c / columns][first + c % columns] =
				saved[c] == INDEXED_NONE ? INDEXED_NONE : indexed_remove(b->store, saved[c], depth, k);
		add_nodes(p, node + 1, node + p->plan[node].size, depth, to);
		p->copies--;
	}
	for (uint32_t lane = 0; lane < b->lanes; lane++)
		memcpy(p->value[lane] + first, saved + lane * columns, columns * sizeof *saved);
	free(saved);
}

/* Neighbours that are there at the same time have one guard: adds it, and gives where it ends. */
static size_t add_guard(
	struct planting *p, const struct there *t, size_t node, size_t to, uint32_t depth, struct nodes *made)
{
	struct tree_builder *b = p->builder;
	struct inserting inserting = {b->store, depth};
	struct nodes inside = {0};
	size_t first = node;
	indexed *there = column_of(p, t, node, THERE);
	for (; node < to; node += p->plan[node].size) {
		struct there other = find_there(p, node);
		if (!other.lanes.length)
			continue;
		if (other.set != t->set || !has_same(there, column_of(p, &other, node, THERE), t->lanes.length))
			break;
		*MEM_PUSH(inside.node, inside.length, inside.capacity) =
			tree_map(b, node_of(p, &other, node, true, depth), insert, &inserting);
	}
	struct tree_node *guard = tree_loop(b, TREE_GUARD, t->set, there, tree_list_of(b, inside.node, inside.length));
	guard->activation = activation_of(p, call_around(p, first, node));
	*MEM_PUSH(made->node, made->length, made->capacity) = guard;
	free(inside.node);
	return node;
}

/* Recursion as deep as loops nest. */
static void add_nodes(struct planting *p, size_t from, size_t to, uint32_t depth, struct nodes *made)
{
	for (size_t node = from, next; node < to; node = next) {
		struct there t = find_there(p, node);
		size_t count = 0;
		next = node + p->plan[node].size;
		if (!t.lanes.length)
			continue;
		if (p->plan[node].shape == LOOP && t.always)
			count = unrolled(p, &t, node, depth);
		if (count)
			add_unrolled(p, node, count, depth, made);
		else if (needs_guard(p, &t, node))
			next = add_guard(p, &t, node, to, depth, made);
		else
			*MEM_PUSH(made->node, made->length, made->capacity) = node_of(p, &t, node, false, depth);
	}
}

static struct tree_list nodes_of(struct planting *p, size_t from, size_t to, uint32_t depth)
{
	struct nodes made = {0};
	add_nodes(p, from, to, depth, &made);
	struct tree_list list = tree_list_of(p->builder, made.node, made.length);
	free(made.node);
	return list;
}

/* ------------------------------------------------------------------ whole paths */

static uint32_t outermost(const struct call_paths *t, uint32_t path)
{
	return call_paths_outer(t, path, 1);
}

/* In the same function? Where that is not known, in the same place. */
static bool begin_alike(const struct call_paths *t, uint32_t a, uint32_t b)
{
	const struct call_frame *x = call_paths_frame(t, outermost(t, a)), *y = call_paths_frame(t, outermost(t, b));
	return x->function == y->function && (x->function != CALL_FUNCTION_UNKNOWN || x->place == y->place);
}

/* How many frames of a path are those of another one behind its first `from`. */
static uint32_t frames_alike(const struct call_paths *t, uint32_t path, uint32_t of, uint32_t from)
{
	uint32_t most = call_paths_frame(t, of)->depth - from, alike = 0;
	for (uint32_t k = 1; k <= most && k <= call_paths_frame(t, path)->depth; k++) {
		const struct call_frame *x = call_paths_frame(t, call_paths_outer(t, path, k)),
					*y = call_paths_frame(t, call_paths_outer(t, of, from + k));
		if (x->place != y->place)
			break;
		alike = k;
	}
	return alike;
}

/* Is nothing known of what is around it? */
static bool is_cut(const struct call_paths *t, uint32_t path)
{
	return path != CALL_PATH_NONE && call_frame_is_in_no_module(call_paths_frame(t, outermost(t, path)));
}

/* The frames of a path that are deeper, in another one. */
static uint32_t with_outside(struct call_paths *t, uint32_t outside, uint32_t path, uint32_t depth)
{
	const struct call_frame *f = call_paths_frame(t, path);
	if (!f || f->depth <= depth)
		return outside;
	const char *words = f->words;
	return call_paths_inside(t, with_outside(t, outside, f->caller, depth), words);
}

/* Around which paths places are called, as whole paths tell; CALL_PATH_NONE: it is not known. */
struct outsides {
	uint32_t *of; /* by place */
	size_t capacity;
};

static void note_outside(struct outsides *o, const struct call_paths *t, uint32_t path)
{
	for (const struct call_frame *f; (f = call_paths_frame(t, path)); path = f->caller) {
		size_t known = o->capacity;
		o->of = mem_grow(o->of, &o->capacity, f->place + (size_t)1, sizeof *o->of);
		memset(o->of + known, 0, (o->capacity - known) * sizeof *o->of);
		o->of[f->place] = f->caller;
	}
}

/* A path that is cut off outside continues the one before where most of its frames are the same; or
   it is called as elsewhere. CALL_PATH_NONE: nothing is. */
static uint32_t grafted(struct call_paths *t, uint32_t path, uint32_t before, const struct outsides *o)
{
	uint32_t best = 0, at = 0, depth = before == CALL_PATH_NONE ? 0 : call_paths_frame(t, before)->depth;
	if (is_cut(t, path))
		path = with_outside(t, CALL_PATH_NONE, path, 1);
	if (path == CALL_PATH_NONE)
		return CALL_PATH_NONE;
	for (uint32_t from = 1; from < depth; from++) {
		uint32_t alike = frames_alike(t, path, before, from);
		at = alike > best ? from : at;
		best = alike > best ? alike : best;
	}
	uint32_t place = call_paths_frame(t, outermost(t, path))->place;
	uint32_t outside = best ? call_paths_outer(t, before, at) : place < o->capacity ? o->of[place] : CALL_PATH_NONE;
	return outside == CALL_PATH_NONE ? CALL_PATH_NONE : with_outside(t, outside, path, 0);
}

/* Are all calls around it known? */
static bool is_whole(const struct call_point *p)
{
	return p->exact || p->path == CALL_PATH_NONE;
}

/* The path that most others begin as; CALL_PATH_NONE: there is none. */
static uint32_t home_of(const struct call_paths *t, const struct path_events *lane, uint32_t lanes)
{
	uint32_t home = CALL_PATH_NONE;
	uint64_t votes = 0; /* (R. S. Boyer, J S. Moore: MJRTY, 1991) */
	for (uint32_t i = 0; i < lanes; i++)
		for (size_t k = 0; k < lane[i].length; k++) {
			uint32_t own = lane[i].point[k].path;
			if (is_whole(&lane[i].point[k]) || is_cut(t, own))
				continue;
			if (!votes)
				home = own;
			votes += !votes || begin_alike(t, own, home) ? 1 : (uint64_t)-1;
		}
	return home;
}

/* By path: does it begin as the one at home does? The caller's. */
static bool *paths_from_home(const struct call_paths *t, uint32_t home)
{
	bool *alike = mem_zero(call_paths_count(t) * sizeof *alike);
	for (uint32_t i = 1; i < call_paths_count(t) && home != CALL_PATH_NONE; i++)
		alike[i] = begin_alike(t, i, home);
	return alike;
}

static bool begins_at_home(const bool *alike, const struct call_point *p)
{
	return is_whole(p) || alike[p->path];
}

/* Of a lane, what is done from the first event in the function that most is done in to the last
   one: what is called before it, or when it has returned (of Python, in Py_FinalizeEx), is called by
   nobody that does more. */
static void find_home(const struct path_events *lane, const bool *alike, size_t *from, size_t *to)
{
	*from = *to = 0;
	for (size_t k = 0; k < lane->length; k++) {
		if (!begins_at_home(alike, &lane->point[k]))
			continue;
		*from = *to ? *from : k;
		*to = k + 1;
	}
}

/* All paths begin in the same function then, but those that are exact, and those before it and
   behind; false: they do not, and tell what called nobody. */
static bool make_whole(struct call_paths *t, struct path_events *lane, uint32_t lanes)
{
	uint32_t home = home_of(t, lane, lanes);
	bool known = home != CALL_PATH_NONE, whole = true, *noted = mem_zero(call_paths_count(t) * sizeof *noted),
	     *alike = paths_from_home(t, home);
	struct outsides outsides = {0};
	for (uint32_t i = 0; i < lanes; i++)
		for (size_t k = 0; k < lane[i].length; k++) {
			const struct call_point *own = &lane[i].point[k];
			known = known || own->exact;
			if (!noted[own->path] && !is_whole(own) && alike[own->path])
				note_outside(&outsides, t, own->path);
			noted[own->path] = true;
		}
	for (uint32_t i = 0; i < lanes && known; i++) {
		size_t from, to;
		find_home(&lane[i], alike, &from, &to);
		for (size_t k = 0; k < lane[i].length && whole; k++) {
			struct call_point *own = &lane[i].point[k];
			if (begins_at_home(alike, own))
				continue;
			uint32_t path =
				grafted(t, own->path, k ? lane[i].point[k - 1].path : CALL_PATH_NONE, &outsides);
			if (path != CALL_PATH_NONE)
				own->path = path;
			else
				whole = to && (k < from || k >= to);
		}
	}
	free(outsides.of);
	free(noted);
	free(alike);
	return known && whole;
}

/* Equal for equal moves, tags and roots: what one statement does, mostly. */
static uint32_t event_like(struct tree_builder *b, const struct record *r, uint32_t process, struct intern *known)
{
	const struct tree_shape *shape = intern_data(b->shapes, r->shape, NULL);
	int64_t key[3] = {r->shape};
	for (uint32_t slot = 0, s = 0; slot <= SLOT_IS_TAG; slot++)
		if (shape->slots >> slot & 1)
			key[1 + slot] = r->number[s++];
	if (!kind_gathers(shape->kind))
		key[1 + SLOT_IS_PEER] -= process;
	return intern_id(known, key, sizeof key);
}

/* One kind of paths on all lanes. */
static bool make_joined(
	struct tree_builder *b, const struct records *records, const struct call_paths *t, struct path_events *lane)
{
	struct intern *known = intern_new_keys(3 * sizeof(int64_t));
	uint32_t **event = mem_array(b->lanes + (size_t)1, sizeof *event);
	for (uint32_t i = 0; i < b->lanes; i++) {
		size_t length;
		const uint32_t *record = records_of(records, i, &length);
		event[i] = mem_array(length + 1, sizeof **event);
		for (size_t k = 0; k < length; k++)
			event[i][k] = event_like(b, records_get(records, record[k]), b->process[i], known);
	}
	bool good = joined_paths(t, lane, (const uint32_t *const *)event, b->lanes);
	for (uint32_t i = 0; i < b->lanes; i++)
		free(event[i]);
	free(event);
	intern_free(known);
	return good;
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
	p->paths = paths;
	p->path_at = mem_zero((call_paths_count(paths) + (size_t)1) * sizeof *p->path_at);
	for (uint32_t i = 1; i < call_paths_count(paths); i++)
		p->path_at[call_paths_frame(paths, i)->place] = i;
	p->draft_of = mem_array(activations_contexts(p->activations), sizeof *p->draft_of);
	p->around = LOOP;
	draft_call(p, CONTEXT_ROOT);
	p->drafting = true;
	for (uint32_t i = 0; i < b->lanes; i++)
		walk_lane(p, i);
	p->drafting = false;
	make_plan(p);
	for (uint32_t i = 0; i < b->lanes; i++)
		walk_lane(p, i);
	step_loops_free(p->loops);
	activations_free(p->activations);
	free(kind);
}

/* What each event of the plan is. */
static void note_records(struct planting *p)
{
	size_t events = 0;
	p->record = mem_array(p->events + 1, sizeof *p->record);
	for (uint32_t lane = 0; lane < p->builder->lanes; lane++) {
		size_t length;
		const uint32_t *record = records_of(p->records, lane, &length);
		for (size_t i = 0; i < length; i++)
			p->record[events++] = records_get(p->records, record[i]);
	}
}

bool path_tree(struct tree_builder *b, const struct path_source *source, struct tree_list *list, bool *joined)
{
	const struct records *records = source->records;
	struct planting p = {.builder = b,
		.records = records,
		.good = true,
		.cells = PATH_TREE_CELLS,
		.activations_made = intern_new_keys(3 * sizeof(uint32_t)),
		.first_activation = b->activations ? (uint32_t)b->activations : 1};
	*MEM_PUSH(p.call, p.calls, p.call_capacity) = (struct plan_call){0};
	struct path_events *lane = mem_zero((b->lanes + (size_t)1) * sizeof *lane);
	uint64_t events = 0;
	for (uint32_t i = 0; i < b->lanes; i++) {
		const uint32_t *record = records_of(records, i, &lane[i].length);
		lane[i].point = mem_copy(source->point_of[i], lane[i].length * sizeof *lane[i].point);
		lane[i].shape = mem_array(lane[i].length + 1, sizeof *lane[i].shape);
		for (size_t k = 0; k < lane[i].length; k++)
			lane[i].shape[k] = records_get(records, record[k])->shape;
		events += lane[i].length;
	}
	p.value = mem_zero((b->lanes + (size_t)1) * sizeof *p.value);
	*joined = joined_paths_differ(source->paths, lane, b->lanes);
	p.good = events && events <= PATH_TREE_EVENTS && (!*joined || make_joined(b, records, source->paths, lane)) &&
		 make_whole(source->paths, lane, b->lanes);
	if (p.good) {
		plan_all(&p, source->paths, lane);
		note_records(&p);
		align_lanes(&p, source->grid);
	}
	for (size_t i = 0, first = 0; i < b->lanes && p.good; first += lane[i++].length)
		fill_lane(&p, (uint32_t)i, first);
	if (p.good)
		*list = nodes_of(&p, 0, p.length, 0);
	for (uint32_t i = 0; i < b->lanes; i++) {
		free(lane[i].point);
		free(lane[i].shape);
		free(p.value[i]);
	}
	for (size_t i = 0; i < p.open_capacity; i++)
		free(p.open[i].iteration);
	free(lane);
	free(p.value);
	free(p.open);
	free(p.plan);
	free(p.draft);
	free(p.draft_of);
	free(p.call);
	free(p.path_at);
	free(p.copy);
	intern_free(p.activations_made);
	free(p.placed);
	free(p.record);
	free(p.index);
	return p.good;
}
