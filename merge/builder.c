/*
 * builder.c -- the pipeline: read, recognize, unite, outline, reroll, guard, outline, fit, prove.
 */
#include "merge/builder.h"

#include <stdlib.h>
#include <string.h>

#include "ask/cost.h"
#include "base/mem.h"
#include "base/saturate.h"
#include "model/attributes.h"
#include "merge/emit.h"
#include "merge/grids.h"
#include "merge/lift.h"
#include "merge/masters.h"
#include "merge/outline.h"
#include "merge/recognize.h"
#include "merge/reroll.h"
#include "merge/unite.h"

/* Records of all processes that are looked at one by one: beyond, a program that is recognized
   while it is read is kept as it is. */
#define BUILD_RECORDS (UINT64_C(1) << 22)

/* Statements of all classes together that are looked at: what is longer repeats too little to be
   read as a program (ScaLAPACK's LU without call paths: 40,000). */
#define BUILD_STATEMENTS ((size_t)1 << 13)

/* Classes that are looked at; of more, there are to be four processes for each. Where each does
   something of its own (an irregular graph), what they have in common is no program. */
#define BUILD_CLASSES 32
#define BUILD_CLASS_LANES 4

struct building {
	struct program *from;
	const struct build_options *options;
	struct tree_builder *builder;
	struct lift *lift;
	struct records *read; /* as they were read: groups are sets */
	struct records *records; /* groups are lines of the grid, where they can be */
	uint32_t *to; /* by record as it was read: which it is on the grid */
	size_t to_capacity;
	bool flat; /* are there few enough to look at one after the other? */
	struct grid grid;
	uint32_t *process; /* by lane */
	uint32_t lanes;
};

/* ------------------------------------------------------------------ events as records */

/* Is the set the line, plane, ... of the grid through this process along some axes? The whole run
   is told as a set. */
static bool area_through(
	const struct grid *g, const struct ranks *set, uint32_t rank, uint32_t processes, struct area *area)
{
	uint64_t size = ranks_count(set);
	if (size == processes && processes > 1)
		return false;
	for (uint32_t axes = 0; axes < UINT32_C(1) << g->axes; axes++) {
		uint64_t product = 1;
		memset(area, 0, sizeof *area);
		area->on_grid = 1;
		for (uint32_t k = 0; k < g->axes; k++) {
			area->all[k] = axes >> k & 1;
			product *= axes >> k & 1 ? g->size[k] : 1;
			area->axis[k].axis[k] = !(axes >> k & 1);
		}
		if (product != size)
			continue;
		struct ranks line = {0};
		struct spot spot = grid_spot(g, rank);
		area_at(area, g, &spot, &line);
		bool same = ranks_equal(&line, set);
		ranks_clear(&line);
		if (same)
			return true;
	}
	return false;
}

static bool read_lanes(struct building *b)
{
	b->lanes = lift_processes(b->from, &b->process);
	b->builder = tree_builder_new(b->lanes, b->process);
	b->read = records_new(0);
	b->lift = lift_new(b->builder, b->read, b->from);
	uint64_t events = 0;
	for (uint32_t lane = 0; b->lift && lane < b->lanes; lane++)
		events = saturating_add(events, lift_events(b->lift, lane));
	b->flat = events < BUILD_RECORDS;
	return b->lift && events;
}

/* ------------------------------------------------------------------ grids */

/* Pairs of processes that messages are passed between: more are not looked at. */
#define PAIRS_MOST ((size_t)1 << 16)

struct pairing {
	const struct building *b;
	struct intern *pairs;
	uint32_t process;
};

static void add_pair(void *pairing, uint32_t id)
{
	const struct pairing *p = pairing;
	const struct record *r = records_get(p->b->read, id);
	const struct tree_shape *shape = intern_data(p->b->builder->shapes, r->shape, NULL);
	struct grid_pair pair = {p->process, (uint32_t)r->number[0]};
	if ((shape->kind == EVENT_SEND || shape->kind == EVENT_RECV) && intern_count(p->pairs) < PAIRS_MOST)
		intern_id(p->pairs, &pair, sizeof pair);
}

static void find_grids(struct building *b, struct grid grids[GRIDS_MOST], size_t *count)
{
	struct intern *pairs = intern_new_keys(sizeof(struct grid_pair));
	for (uint32_t lane = 0; lane < b->lanes && intern_count(pairs) < PAIRS_MOST; lane++)
		lift_visit(b->lift, lane, add_pair, &(struct pairing){b, pairs, b->process[lane]});
	size_t length = intern_count(pairs);
	struct grid_pair *pair = mem_array(length, sizeof *pair);
	for (size_t i = 0; i < length; i++)
		memcpy(&pair[i], intern_data(pairs, (uint32_t)i, NULL), sizeof *pair);
	*count = grids_of(b->from->processes, pair, length, grids);
	if (b->from->grid.axes > 3)
		grids[(*count)++] = b->from->grid;
	free(pair);
	intern_free(pairs);
}

/* The record on this grid. A group that is a line through one of its members is one through all. */
static uint32_t on_grid(struct building *b, uint32_t id)
{
	struct record record = *records_get(b->read, id);
	struct tree_shape shape = *(const struct tree_shape *)intern_data(b->builder->shapes, record.shape, NULL);
	if (shape.kind != EVENT_SYNC)
		return records_id(b->records, &record);
	struct ranks set = dictionary_get_ranks(b->from->dictionary, (uint32_t)shape.group);
	if (area_through(&b->grid, &set, set.run[0].first, b->from->processes, &shape.area))
		shape.group = 0;
	else
		memset(&shape.area, 0, sizeof shape.area);
	record.shape = intern_id(b->builder->shapes, &shape, sizeof shape);
	return records_id(b->records, &record);
}

static void put_on_grid(struct building *b, const struct grid *grid)
{
	uint32_t count = records_count(b->read);
	b->to = mem_grow(b->to, &b->to_capacity, count + (size_t)1, sizeof *b->to);
	b->grid = *grid;
	records_free(b->records);
	b->records = records_new(b->lanes);
	for (uint32_t i = 0; i < count; i++)
		b->to[i] = on_grid(b, i);
	for (uint32_t lane = 0; lane < b->lanes && b->flat; lane++)
		lift_flatten(b->lift, lane, b->to, b->records);
}

/* ------------------------------------------------------------------ masters */

/* Are there two kinds of lanes, each with counts and statements of its own? kind: by lane of the
   loop. */
static bool has_two_kinds(const struct tree_builder *b, const struct tree_node *loop, bool *kind)
{
	struct lane_set set = tree_lanes(b, loop->lanes);
	bool two = false;
	for (size_t i = 0; i < set.length; i++) {
		kind[i] = loop->slot[0][i] != loop->slot[0][0];
		two = two || kind[i];
	}
	for (size_t i = 0; i < loop->body.length && two; i++) {
		struct lane_set own = tree_lanes(b, loop->body.node[i]->lanes);
		for (size_t k = 1; k < own.length && two; k++)
			two = kind[lane_index(set, own.lane[k])] == kind[lane_index(set, own.lane[0])];
	}
	return two;
}

static struct tree_node *loop_of_kind(
	struct tree_builder *b, const struct tree_node *loop, const bool *kind, bool wanted)
{
	struct lane_set set = tree_lanes(b, loop->lanes);
	uint32_t *lane = mem_array(set.length, sizeof *lane);
	indexed *count = arena_alloc(b->arena, set.length * sizeof *count);
	struct tree_node **body = mem_array(loop->body.length, sizeof *body);
	size_t lanes = 0, length = 0;
	for (size_t i = 0; i < set.length; i++)
		if (kind[i] == wanted) {
			count[lanes] = loop->slot[0][i];
			lane[lanes++] = set.lane[i];
		}
	for (size_t i = 0; i < loop->body.length; i++)
		if (kind[lane_index(set, tree_lanes(b, loop->body.node[i]->lanes).lane[0])] == wanted)
			body[length++] = loop->body.node[i];
	struct tree_node *made =
		tree_loop(b, TREE_LOOP, tree_lane_set(b, lane, lanes), count, tree_list_of(b, body, length));
	free(lane);
	free(body);
	return made;
}

/* Loops of lanes that have nothing but the loop in common, each by itself: they were united because
   messages of one are those of the other, but an iteration of a master is none of a worker. */
static struct tree_list split_by_counts(struct tree_builder *b, struct tree_list list)
{
	struct tree_node **made = mem_array(2 * list.length, sizeof *made);
	size_t length = 0;
	for (size_t i = 0; i < list.length; i++) {
		struct tree_node *n = list.node[i];
		if (n->body.length)
			n = tree_loop(b, n->kind, n->lanes, n->slot[0], split_by_counts(b, n->body));
		bool *kind = mem_zero(tree_lanes(b, n->lanes).length + 1);
		if (n->kind == TREE_LOOP && has_two_kinds(b, n, kind)) {
			made[length++] = loop_of_kind(b, n, kind, false);
			n = loop_of_kind(b, n, kind, true);
		}
		made[length++] = n;
		free(kind);
	}
	struct tree_list split = tree_list_of(b, made, length);
	free(made);
	return split;
}

/* ------------------------------------------------------------------ one tree */

struct made {
	struct tree_list list;
	uint32_t price; /* UINT32_MAX: none */
};

static struct made improve(struct building *b, struct pricing *p, struct made m)
{
	m.list = outline(b->builder, m.list);
	m.list = reroll(b->builder, p, m.list, NULL);
	reroll_procedures(b->builder, p);
	if (!b->options->no_guards) {
		m.list = guard(b->builder, p, m.list, NULL);
		guard_procedures(b->builder, p);
	}
	m.list = tree_dissolve(b->builder, m.list, 0);
	for (size_t i = 0; i < b->builder->procedures; i++)
		b->builder->procedure[i]->body = tree_dissolve(b->builder, b->builder->procedure[i]->body, 0);
	m.list = outline(b->builder, m.list);
	m.price = price_program(p, m.list);
	return m;
}

/* Is it what the processes did? */
static bool is_proven(struct building *b, struct program *to)
{
	struct lift *lift = lift_new(b->builder, b->read, to);
	bool good = lift != NULL;
	for (uint32_t lane = 0; lane < b->lanes && good; lane++) {
		struct digest own = lift_digest(b->lift, lane), other = lift_digest(lift, lane);
		good = digest_same(&own, &other);
	}
	lift_free(lift);
	return good;
}

static struct cost cost_of(const struct building *b, struct program *p)
{
	p->said_once = !b->options->no_procedures;
	return program_cost(p);
}

struct attempt {
	struct fit *fit;
	struct pricing *pricing;
	struct made way[UNITE_WAYS];
	bool there[UNITE_WAYS]; /* false: the price is UINT32_MAX */
	bool split[UNITE_WAYS]; /* a master's loop and its workers' are apart: they have to be joined again */
	uint32_t least; /* price */
};

/* Loops as they stand in the program; or as whole records repeat. */
#define AS_IT_STANDS RECOGNIZE_MASKS
#define STRUCTURES (RECOGNIZE_MASKS + 1)

/* In all ways; without prices. */
static void unite_all(struct building *b, int structure, struct attempt *a)
{
	struct tree_list *class_of;
	b->builder->procedures = 0;
	size_t statements = 0, classes =
		structure == AS_IT_STANDS
			? lift_classes(b->lift, b->to, b->records, &class_of)
			: recognize(b->builder, b->records, (enum recognize_mask)structure, &class_of);
	for (size_t i = 0; i < classes; i++)
		statements += tree_size(class_of[i]);
	bool few = classes <= BUILD_CLASSES || classes * BUILD_CLASS_LANES <= b->lanes;
	for (int way = 0; way < UNITE_WAYS && few && statements <= BUILD_STATEMENTS; way++)
		if (unite(b->builder, class_of, classes, (enum unite_way)way, &a->way[way].list)) {
			struct tree_list whole = a->way[way].list;
			a->way[way].list = split_by_counts(b->builder, whole);
			a->there[way] = true;
			a->split[way] = tree_size(a->way[way].list) > tree_size(whole);
		}
	free(class_of);
}

static void price_all(struct building *b, const struct grid *grid, struct attempt *a)
{
	a->fit = fit_new(b->from->processes, grid);
	a->pricing = pricing_new(b->builder, a->fit);
	a->least = UINT32_MAX;
	for (int way = 0; way < UNITE_WAYS; way++) {
		struct made *m = &a->way[way];
		m->price = a->there[way] ? price_list(a->pricing, m->list, NULL) : UINT32_MAX;
		a->least = m->price < a->least ? m->price : a->least;
	}
}

static void attempt_clear(struct attempt *a)
{
	pricing_free(a->pricing);
	fit_free(a->fit);
}

/* A grid is told in the header, and read in each formula: an axis more has to save something. */
#define AXIS_SAVES 50

static struct grid choose_grid(struct building *b)
{
	struct grid grids[GRIDS_MOST], best = {0};
	size_t count;
	uint32_t least = UINT32_MAX;
	struct attempt a = {0};
	find_grids(b, grids, &count);
	put_on_grid(b, &best);
	if (count > 1)
		unite_all(b, b->flat ? RECOGNIZE_NO_PEERS : AS_IT_STANDS, &a);
	for (size_t i = 0; i < count && count > 1; i++) {
		price_all(b, &grids[i], &a);
		if (a.least != UINT32_MAX && a.least + AXIS_SAVES * grids[i].axes < least) {
			least = a.least + AXIS_SAVES * grids[i].axes;
			best = grids[i];
		}
		attempt_clear(&a);
	}
	return best;
}

/* The best program so far; NULL: the one that there was. */
struct choice {
	struct program *best;
	uint64_t cost;
	bool proven;
};

/* Takes the program. */
static void offer(struct building *b, struct choice *c, struct program *to, bool proven)
{
	uint64_t cost = b->options->cost(b->options->context, to, c->cost);
	bool better = cost < c->cost;
	program_free(better ? c->best : to);
	c->best = better ? to : c->best;
	c->proven = better ? proven : c->proven;
	c->cost = cost;
}

static struct program *without_sizes(const struct program *p)
{
	struct program *bare = program_copy(p);
	for (size_t i = 0; i < bare->length; i++)
		bare->statement[i].attributes = ATTRIBUTES_NONE;
	return bare;
}

static void write_out(struct building *b, struct attempt *a, struct tree_list list, struct choice *c)
{
	struct program *to = emit(b->builder, a->pricing, list, b->from, &b->grid);
	if (to && cost_of(b, to).total < c->cost)
		offer(b, c, to, false);
	else
		program_free(to);
}

/* A master's loop and that of its workers as one, where they stand side by side. */
static void write_masters(struct building *b, struct attempt *a, struct tree_list list, struct choice *c)
{
	struct program *to = emit(b->builder, a->pricing, list, b->from, &b->grid);
	struct program *bare = to ? without_sizes(to) : NULL;
	if (bare && masters_join(bare) && is_proven(b, to))
		offer(b, c, bare, true);
	else
		program_free(bare);
	program_free(to);
}

/* A way that is dearer may be the better one once copies are loops: so many times as dear, where
   the tree is small. */
#define WAY_DEARER 2
#define WAY_SMALL 1000

static void build_as(struct building *b, int structure, const struct grid *grid, struct choice *c)
{
	struct attempt a = {0};
	unite_all(b, structure, &a);
	price_all(b, grid, &a);
	for (int way = 0; way < UNITE_WAYS; way++) {
		struct made m = a.way[way];
		bool small = tree_size(m.list) <= WAY_SMALL && m.price / WAY_DEARER <= a.least;
		if (m.price == UINT32_MAX || (m.price > a.least && !small))
			continue;
		b->builder->procedures = 0;
		m = improve(b, a.pricing, m);
		struct tree_list list = outline_undo(b->builder, m.list);
		if (!a.split[way])
			write_out(b, &a, list, c);
		if (!b->options->no_tables && !b->options->no_guards)
			write_masters(b, &a, list, c);
	}
	attempt_clear(&a);
}

struct program *build(struct program *from, const struct build_options *options)
{
	struct building b = {.from = from, .options = options};
	struct choice choice = {NULL, UINT64_MAX, false};
	if (read_lanes(&b)) {
		struct grid grid = choose_grid(&b);
		uint64_t digest[RECOGNIZE_MASKS];
		put_on_grid(&b, &grid);
		for (int mask = 0; mask < RECOGNIZE_MASKS && b.flat && !options->as_it_stands; mask++) {
			bool new = true;
			digest[mask] = recognize_digest(b.builder, b.records, (enum recognize_mask)mask);
			for (int i = 0; i < mask; i++)
				new = new &&digest[i] != digest[mask];
			if (new)
				build_as(&b, mask, &grid, &choice);
		}
		build_as(&b, AS_IT_STANDS, &grid, &choice);
	}
	if (choice.best && !choice.proven && !is_proven(&b, choice.best)) {
		program_free(choice.best);
		choice.best = NULL;
	}
	lift_free(b.lift);
	tree_builder_free(b.builder);
	free(b.to);
	records_free(b.records);
	records_free(b.read);
	free(b.process);
	return choice.best;
}
