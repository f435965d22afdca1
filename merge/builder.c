/*
 * builder.c -- the pipeline: read, recognize, unite, outline, reroll, guard, outline, fit, prove.
 */
#include "merge/builder.h"

#include <stdlib.h>
#include <string.h>

#include "ask/cost.h"
#include "ask/projection.h"
#include "base/hash.h"
#include "base/mem.h"
#include "model/attributes.h"
#include "merge/emit.h"
#include "merge/grids.h"
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

/* A text of no more than this, without tables and guards, is read at a glance. */
#define BUILD_SHORT (12 * COST_STATEMENT)

struct building {
	struct program *from;
	const struct build_options *options;
	struct tree_builder *builder;
	struct records *read; /* as they were read: groups are sets */
	struct records *records; /* groups are lines of the grid, where they can be */
	struct grid grid;
	uint32_t *process; /* by lane */
	uint32_t lanes;
	uint32_t bytes, received; /* words */
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

static bool is_message(const struct plain_event *e)
{
	return e->kind == EVENT_SEND || e->kind == EVENT_RECV;
}

static void add_number(
	struct tree_shape *shape, struct record *record, uint32_t *numbers, enum tree_slot slot, int64_t number)
{
	shape->slots |= 1 << slot;
	record->number[(*numbers)++] = number;
}

/* False: it carries what is no number. */
static bool add_size(const struct building *b, size_t at, const struct spot *spot, uint32_t name, enum tree_slot slot,
	struct tree_shape *shape, struct record *record, uint32_t *numbers)
{
	struct attribute a;
	if (!program_attribute(b->from, at, name, &a))
		return true;
	struct attribute_value v = attribute_at(b->from, &a, spot);
	if (v.there && !v.word)
		add_number(shape, record, numbers, slot, v.number);
	return !v.there || !v.word;
}

/* The record that a walk stands at; false: there is no such one. */
static bool record_here(struct building *b, const struct walk *w, uint32_t *id)
{
	struct plain_event e;
	struct tree_shape shape;
	struct record record;
	uint32_t numbers = 0;
	memset(&shape, 0, sizeof shape);
	memset(&record, 0, sizeof record);
	walk_event(w, &e);
	shape.kind = e.kind;
	shape.word = e.word;
	shape.numbered = e.numbered;
	shape.group = e.kind == EVENT_SYNC ? e.group : 0;
	if (is_message(&e) || (e.kind == EVENT_SYNC && e.peer != NO_ROOT))
		add_number(&shape, &record, &numbers, SLOT_IS_PEER, e.peer);
	if (e.numbered && e.number > INT64_MAX)
		return false;
	if (e.numbered)
		add_number(&shape, &record, &numbers, SLOT_IS_TAG, (int64_t)e.number);
	if (e.kind != EVENT_LOCAL && e.communicator != NO_COMMUNICATOR)
		add_number(&shape, &record, &numbers, SLOT_IS_COMMUNICATOR, e.communicator);
	struct spot spot = walk_spot(w);
	if (!add_size(b, walk_statement(w), &spot, b->bytes, SLOT_IS_BYTES, &shape, &record, &numbers) ||
		!add_size(b, walk_statement(w), &spot, b->received, SLOT_IS_RECEIVED, &shape, &record, &numbers))
		return false;
	record.shape = intern_id(b->builder->shapes, &shape, sizeof shape);
	*id = records_id(b->read, &record);
	return true;
}

/* A statement whose numbers no index and no table decides is the same record each time. */
static bool *statements_that_stay(const struct program *p)
{
	bool *stays = mem_zero(p->length + 1);
	for (size_t i = 0; i < p->length; i++) {
		const struct statement *s = &p->statement[i];
		stays[i] = !statement_is_loop(s) && !program_indices(p, s) &&
			   !program_attributes_indices(p, s->attributes);
	}
	return stays;
}

/* What a process does, record by record: of a statement that stays the same, it is asked once. */
struct reading {
	struct building *b;
	struct walk *walk;
	const bool *stays;
	uint32_t *known; /* by statement; UINT32_MAX: not known */
};

static void begin_reading(struct reading *r, const struct projection *from, uint32_t lane)
{
	r->walk = walk_new(from, r->b->process[lane]);
	memset(r->known, 0xff, r->b->from->length * sizeof *r->known);
}

/* False: the end, or no record can say what stands there: then *good is false. */
static bool read_next(struct reading *r, uint32_t *id, bool *good)
{
	if (!walk_next(r->walk))
		return false;
	size_t at = walk_statement(r->walk);
	*id = r->known[at];
	if (*id == UINT32_MAX)
		*good = record_here(r->b, r->walk, id);
	if (*good && r->stays[at])
		r->known[at] = *id;
	return *good;
}

static bool read_lane(struct reading *r, const struct projection *from, uint32_t lane)
{
	bool good = true;
	uint32_t id;
	begin_reading(r, from, lane);
	while (read_next(r, &id, &good))
		records_push(r->b->read, lane, id);
	walk_free(r->walk);
	return good;
}

static bool read_lanes(struct building *b)
{
	struct projection *from = projection_new(b->from, NULL);
	uint64_t events = 0;
	b->process = mem_array(b->from->processes, sizeof *b->process);
	for (uint32_t rank = 0; rank < b->from->processes; rank++) {
		uint64_t own = projection_events(from, rank);
		if (own)
			b->process[b->lanes++] = rank;
		events = own > BUILD_RECORDS - events ? BUILD_RECORDS : events + own;
	}
	bool good = events && events < BUILD_RECORDS;
	b->builder = tree_builder_new(b->lanes, b->process);
	b->read = records_new(b->lanes);
	bool *stays = statements_that_stay(b->from);
	struct reading r = {b, NULL, stays, mem_array(b->from->length, sizeof *r.known)};
	for (uint32_t lane = 0; lane < b->lanes && good; lane++)
		good = read_lane(&r, from, lane);
	free(r.known);
	free(stays);
	projection_free(from);
	return good;
}

/* ------------------------------------------------------------------ grids */

/* Pairs of processes that messages are passed between: more are not looked at. */
#define PAIRS_MOST ((size_t)1 << 16)

static void find_grids(struct building *b, struct grid grids[GRIDS_MOST], size_t *count)
{
	struct intern *pairs = intern_new_keys(sizeof(struct grid_pair));
	for (uint32_t lane = 0; lane < b->lanes && intern_count(pairs) < PAIRS_MOST; lane++) {
		size_t length;
		const uint32_t *record = records_of(b->read, lane, &length);
		for (size_t i = 0; i < length && intern_count(pairs) < PAIRS_MOST; i++) {
			const struct record *r = records_get(b->read, record[i]);
			const struct tree_shape *shape = intern_data(b->builder->shapes, r->shape, NULL);
			if (shape->kind != EVENT_SEND && shape->kind != EVENT_RECV)
				continue;
			struct grid_pair pair = {b->process[lane], (uint32_t)r->number[0]};
			intern_id(pairs, &pair, sizeof pair);
		}
	}
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
	uint32_t count = records_count(b->read), *to = mem_array(count + (size_t)1, sizeof *to);
	b->grid = *grid;
	records_free(b->records);
	b->records = records_new(b->lanes);
	for (uint32_t i = 0; i < count; i++)
		to[i] = on_grid(b, i);
	for (uint32_t lane = 0; lane < b->lanes; lane++) {
		size_t length;
		const uint32_t *record = records_of(b->read, lane, &length);
		for (size_t i = 0; i < length; i++)
			records_push(b->records, lane, to[record[i]]);
	}
	free(to);
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

/* Is it what the processes did, record by record? */
static bool is_proven(struct building *b, struct program *to)
{
	struct building other = *b;
	other.from = to;
	struct projection *from = projection_new(to, NULL);
	bool good = true, *stays = statements_that_stay(to);
	struct reading r = {&other, NULL, stays, mem_array(to->length, sizeof *r.known)};
	for (uint32_t lane = 0; lane < b->lanes && good; lane++) {
		size_t length, at = 0;
		const uint32_t *record = records_of(b->read, lane, &length);
		begin_reading(&r, from, lane);
		for (uint32_t id; good && read_next(&r, &id, &good); at++)
			good = at < length && id == record[at];
		good = good && at == length;
		walk_free(r.walk);
	}
	free(r.known);
	free(stays);
	projection_free(from);
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

/* What recognition makes of the records, in one of its ways. */
struct recognized {
	struct tree_list *class_of;
	size_t classes, statements;
	size_t structures; /* different ones of classes */
	uint64_t digest;
};

/* Equal lists have equal digests: all that is made is interned. Recursion as deep as loops nest. */
static uint64_t digest_of(const struct tree_builder *b, struct tree_list list)
{
	uint64_t digest = list.length;
	for (size_t i = 0; i < list.length; i++) {
		const struct tree_node *n = list.node[i];
		size_t lanes = tree_lanes(b, n->lanes).length;
		digest = hash_pair(hash_pair(digest, n->structure), n->lanes);
		for (uint32_t k = 0; k < n->slots; k++)
			digest = hash_pair(digest, hash_bytes(n->slot[k], lanes * sizeof **n->slot));
		digest = hash_pair(digest, digest_of(b, n->body));
	}
	return digest;
}

static struct recognized recognize_as(
	struct building *b, const struct records *records, enum recognize_mask mask, enum recognize_iterations how)
{
	struct recognized r = {0};
	struct intern *structures = intern_new();
	r.classes = recognize(b->builder, records, mask, how, &r.class_of);
	for (size_t i = 0; i < r.classes; i++) {
		struct tree_list list = r.class_of[i];
		uint32_t *own = mem_array(list.length, sizeof *own);
		for (size_t k = 0; k < list.length; k++)
			own[k] = list.node[k]->structure;
		intern_id(structures, own, list.length * sizeof *own);
		free(own);
		r.statements += tree_size(list);
		r.digest = hash_pair(r.digest, digest_of(b->builder, list));
	}
	r.structures = intern_count(structures);
	intern_free(structures);
	return r;
}

/* In all ways; without prices. */
static void unite_all(struct building *b, const struct recognized *r, struct attempt *a)
{
	b->builder->procedures = 0;
	bool few = r->classes <= BUILD_CLASSES || r->classes * BUILD_CLASS_LANES <= b->lanes;
	for (int way = 0; way < UNITE_WAYS && few && r->statements <= BUILD_STATEMENTS; way++)
		if (unite(b->builder, r->class_of, r->classes, (enum unite_way)way, &a->way[way].list)) {
			struct tree_list whole = a->way[way].list;
			a->way[way].list = split_by_counts(b->builder, whole);
			a->there[way] = true;
			a->split[way] = tree_size(a->way[way].list) > tree_size(whole);
		}
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
	if (count > 1) {
		struct recognized r = recognize_as(b, b->read, RECOGNIZE_NO_PEERS, RECOGNIZE_ALIKE);
		unite_all(b, &r, &a);
		free(r.class_of);
	}
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
	uint64_t lines; /* statements and guards of the best one whose iterations are alike */
	bool unlike; /* do iterations differ in what is offered now? */
};

/* Loops whose iterations differ are read for the sake of lines that are gone: a third of them, or
   more. Tables and conditions alone are no reason. */
#define UNLIKE_LINES 3
#define UNLIKE_OF 2

static uint64_t lines_of(const struct cost *cost)
{
	return cost->statements + cost->guards;
}

/* Takes the program. */
static void offer(struct building *b, struct choice *c, struct program *to, bool proven)
{
	struct cost own = cost_of(b, to);
	bool fewer = !c->unlike || UNLIKE_LINES * lines_of(&own) <= UNLIKE_OF * c->lines;
	uint64_t cost = fewer ? b->options->cost(b->options->context, to, c->cost) : c->cost;
	bool better = cost < c->cost;
	if (better && !c->unlike)
		c->lines = lines_of(&own);
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

static void build_recognized(struct building *b, const struct recognized *r, const struct grid *grid, struct choice *c)
{
	struct attempt a = {0};
	unite_all(b, r, &a);
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

/* Numbers of events that iterations have in a longer turn than this are those of a loop inside of
   another (the levels of a V-cycle); so are counts, but that work comes again after some steps is
   common. */
#define TURN_OF_NUMBERS 4
#define TURN_OF_COUNTS 16

/* The shortest turn of what stands in these iterations, two of which are there; 0: none. */
static size_t turn_of(const struct indexed_store *s, indexed v, size_t from, size_t to)
{
	size_t length = to - from, matched = 0, *border = mem_zero((length + 1) * sizeof *border);
	for (size_t i = 1; i < length; i++) {
		indexed own = indexed_at(s, v, from + i);
		while (matched && own != indexed_at(s, v, from + matched))
			matched = border[matched - 1];
		matched += own == indexed_at(s, v, from + matched);
		border[i] = matched;
	}
	free(border);
	return 2 * (length - matched) <= length ? length - matched : 0;
}

/* What is before the turns, or behind them, may be a quarter of it. */
static bool turns(const struct indexed_store *s, indexed v, size_t most)
{
	size_t length = indexed_length(s, v);
	if (length)
		return turn_of(s, v, 0, length) > most || turn_of(s, v, length / 4, length) > most ||
		       turn_of(s, v, 0, length - length / 4) > most;
	return v != INDEXED_NONE && indexed_kind(s, v) == INDEXED_IS_SAME && turns(s, indexed_at(s, v, 0), most);
}

/* Is it one long loop of what is loops inside each other? Recursion as deep as loops nest. */
static bool is_flattened(const struct tree_builder *b, struct tree_list list)
{
	for (size_t i = 0; i < list.length; i++) {
		const struct tree_node *n = list.node[i];
		for (uint32_t k = 0; k < n->slots && n->kind != TREE_GUARD; k++)
			if (turns(b->store, n->slot[k][0], n->kind == TREE_LOOP ? TURN_OF_COUNTS : TURN_OF_NUMBERS))
				return true;
		if (is_flattened(b, n->body))
			return true;
	}
	return false;
}

/* Loops whose iterations differ are tried where classes have half of the statements with them, or
   less, or become more alike: a reader pays for each condition with the question when it holds. */
#define UNLIKE_SAVES 2

/* Of these the ways that are so many times as long as the shortest one, at most: what is shortest
   has often tables where others have a loop or two more. */
#define UNLIKE_LONGER 4

struct recognizing_all {
	struct recognized as[RECOGNIZE_ITERATIONS * RECOGNIZE_MASKS];
	size_t ways, alike; /* those whose iterations are alike come first */
	size_t statements, structures; /* the fewest of these */
};

static bool is_worth_building(const struct building *b, const struct recognizing_all *all, const struct recognized *r)
{
	bool known = false;
	for (size_t i = 0; i < all->ways; i++)
		known = known || all->as[i].digest == r->digest;
	if (known)
		return false;
	if (r->statements * UNLIKE_SAVES > all->statements && r->structures >= all->structures)
		return false;
	for (size_t i = 0; i < r->classes; i++)
		if (is_flattened(b->builder, r->class_of[i]))
			return false;
	return true;
}

static void recognize_all(struct building *b, struct recognizing_all *all)
{
	bool new[RECOGNIZE_MASKS];
	uint64_t digest[RECOGNIZE_MASKS];
	all->statements = all->structures = SIZE_MAX;
	for (int how = 0; how < RECOGNIZE_ITERATIONS; how++) {
		for (int mask = 0; mask < RECOGNIZE_MASKS; mask++) {
			digest[mask] = recognize_digest(b->builder, b->records, (enum recognize_mask)mask);
			new[mask] = how != RECOGNIZE_ALIKE || mask != RECOGNIZE_NO_TAGS;
			for (int i = 0; i < mask; i++)
				new[mask] = new[mask] && digest[i] != digest[mask];
			if (!new[mask])
				continue;
			struct recognized r =
				recognize_as(b, b->records, (enum recognize_mask)mask, (enum recognize_iterations)how);
			bool worth = how == RECOGNIZE_ALIKE || is_worth_building(b, all, &r);
			if (how == RECOGNIZE_ALIKE) {
				all->alike++;
				all->statements = r.statements < all->statements ? r.statements : all->statements;
				all->structures = r.structures < all->structures ? r.structures : all->structures;
			}
			if (worth)
				all->as[all->ways++] = r;
			else
				free(r.class_of);
		}
		if (all->statements > BUILD_STATEMENTS)
			return;
	}
}

static void build_all(struct building *b, const struct grid *grid, struct choice *c)
{
	struct recognizing_all all = {0};
	size_t fewest = SIZE_MAX;
	recognize_all(b, &all);
	for (size_t i = all.alike; i < all.ways; i++)
		fewest = all.as[i].statements < fewest ? all.as[i].statements : fewest;
	for (size_t i = 0; i < all.ways; i++) {
		c->unlike = i >= all.alike;
		if (!c->unlike || all.as[i].statements / UNLIKE_LONGER <= fewest)
			build_recognized(b, &all.as[i], grid, c);
		free(all.as[i].class_of);
	}
}

struct program *build(struct program *from, const struct build_options *options)
{
	struct building b = {.from = from, .options = options};
	struct cost cost = cost_of(&b, from);
	struct choice choice = {NULL, cost.total, false, lines_of(&cost), false};
	if (cost.total <= BUILD_SHORT && !cost.tables && !cost.guards)
		return NULL;
	b.bytes = dictionary_word(from->dictionary, "bytes", 5);
	b.received = dictionary_word(from->dictionary, "received", 8);
	if (read_lanes(&b)) {
		struct grid grid = choose_grid(&b);
		put_on_grid(&b, &grid);
		build_all(&b, &grid, &choice);
	}
	if (choice.best && !choice.proven && !is_proven(&b, choice.best)) {
		program_free(choice.best);
		choice.best = NULL;
	}
	tree_builder_free(b.builder);
	records_free(b.records);
	records_free(b.read);
	free(b.process);
	return choice.best;
}
