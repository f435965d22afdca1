/*
 * price.c -- prices of slots by what stands in them, of nodes by node and loops around, each found
 * once.
 *
 * Contexts (the loops around) are numbered by their counts, so that trees that were made twice are
 * looked up. A price is without tables; these are numbered, and a node has a set of them, with how
 * often it looks them up: what a text looks up elsewhere, too, is paid for whatever changes here.
 */
#include "merge/price.h"

#include <stdlib.h>
#include <string.h>

#include "ask/cost.h"
#include "base/intern.h"
#include "merge/bounds.h"
#include "model/dictionary.h"

/* What a slot costs that cannot be said: more than what any text saves. */
#define PRICE_UNSAID UINT32_C(100000)

/* A loop below others. */
struct around {
	const struct tree_node *loop;
	uint32_t outer; /* number of the context around it; 0: none */
	uint32_t depth;
};

/* What is known by a node or loop, and the context it stands in; no padding. */
struct standing {
	const struct tree_node *node;
	uint64_t context;
};

struct node_price {
	uint32_t price, tables;
};

struct table_use {
	uint32_t price;
	bool met;
	/* how often it is looked up: in the text, in what goes, in what comes */
	uint64_t text, gone, new;
};

struct pricing {
	struct tree_builder *builder;
	struct fit *fit;

	struct intern *loops; /* struct standing */
	uint32_t *context_of; /* by these */
	size_t context_of_capacity;
	struct intern *contexts; /* words: outer, lanes, kind, counts; the number less one */
	struct around *around; /* by these */
	size_t around_capacity;

	struct intern *slots; /* words: what, lanes, live loops, context, their names, what stands there */
	const struct fitted **fitted; /* by these */
	size_t fitted_capacity;

	struct intern *nodes; /* struct standing */
	struct node_price *priced; /* by these */
	size_t priced_capacity;

	struct intern *tables; /* nodes */
	struct table_use *table; /* by these */
	size_t table_capacity;
	uint32_t *met; /* tables that are counted now */
	size_t met_count, met_capacity;
	struct intern *table_sets; /* words: number of a table, how often; 0: none */

	uint32_t *word; /* room for a key */
	size_t word_capacity;
	struct fitted nothing, unsaid;
};

struct pricing *pricing_new(struct tree_builder *builder, struct fit *fit)
{
	struct pricing *p = mem_zero(sizeof *p);
	p->builder = builder;
	p->fit = fit;
	p->loops = intern_new_keys(sizeof(struct standing));
	p->contexts = intern_new();
	p->slots = intern_new();
	p->nodes = intern_new_keys(sizeof(struct standing));
	p->tables = intern_new_keys(sizeof(node_id));
	p->table_sets = intern_new();
	intern_id(p->table_sets, NULL, 0);
	p->nothing.number = number_constant(fit_store(fit), 0);
	return p;
}

void pricing_free(struct pricing *p)
{
	if (!p)
		return;
	intern_free(p->loops);
	intern_free(p->contexts);
	intern_free(p->slots);
	intern_free(p->nodes);
	intern_free(p->tables);
	intern_free(p->table_sets);
	free(p->context_of);
	free(p->around);
	free(p->fitted);
	free(p->priced);
	free(p->table);
	free(p->met);
	free(p->word);
	free(p);
}

const struct fit *price_fit(const struct pricing *p)
{
	return p->fit;
}

static uint32_t add(uint32_t a, uint32_t b)
{
	return a > UINT32_MAX - b ? UINT32_MAX : a + b;
}

static uint32_t *words(struct pricing *p, size_t count)
{
	return p->word = mem_grow(p->word, &p->word_capacity, count, sizeof *p->word);
}

/* ------------------------------------------------------------------ loops around */

static uint32_t context_inside(struct pricing *p, const struct tree_node *loop, uint32_t outer)
{
	uint32_t known = intern_count(p->loops);
	uint32_t at = intern_id(p->loops, &(struct standing){loop, outer}, sizeof(struct standing));
	if (at < known)
		return p->context_of[at];
	size_t lanes = tree_lanes(p->builder, loop->lanes).length;
	uint32_t *word = words(p, lanes + 3);
	word[0] = outer;
	word[1] = loop->lanes;
	word[2] = loop->kind;
	memcpy(word + 3, loop->slot[0], lanes * sizeof *word);
	uint32_t contexts = intern_count(p->contexts);
	uint32_t context = intern_id(p->contexts, word, (lanes + 3) * sizeof *word);
	if (context == contexts) {
		p->around = mem_grow(p->around, &p->around_capacity, (size_t)context + 1, sizeof *p->around);
		p->around[context] = (struct around){loop, outer, outer ? p->around[outer - 1].depth + 1 : 0};
	}
	p->context_of = mem_grow(p->context_of, &p->context_of_capacity, (size_t)at + 1, sizeof *p->context_of);
	return p->context_of[at] = context + 1;
}

static uint32_t context_of(struct pricing *p, const struct tree_context *c)
{
	return c ? context_inside(p, c->loop, context_of(p, c->outer)) : 0;
}

static uint32_t depth_of(const struct pricing *p, uint32_t context)
{
	return context ? p->around[context - 1].depth + 1 : 0;
}

/* ------------------------------------------------------------------ slots */

#define DEPTHS 32 /* bits */

/* The points of a slot as they are collected. */
struct points {
	struct pricing *p;
	const struct tree_node **loop; /* around, by depth */
	uint32_t depth; /* of the slot */
	uint32_t live; /* bits: depths whose iterations are told apart, */
	uint32_t told; /* ... and of them those of loops, */
	uint32_t name[DEPTHS], lives; /* ... whose indices are called so, the outermost first */
	uint32_t lane;
	int64_t index[DEPTHS]; /* by depth */
	uint32_t *process;
	int64_t *number, *indices;
	size_t count, capacity[3], index_count;
	bool many;
};

/* Beyond what can be said the last bit stands for all. same: depths where iterations are not told
   apart, and how many there are is not said. */
static uint32_t live_depths(const struct indexed_store *s, indexed v, uint32_t depth, uint32_t *same)
{
	enum indexed_kind kind = indexed_kind(s, v);
	uint32_t live = 0, own = UINT32_C(1) << (depth < DEPTHS ? depth : DEPTHS - 1);
	if (kind == INDEXED_IS_SAME) {
		*same |= own;
		return live_depths(s, indexed_at(s, v, 0), depth + 1, same);
	}
	if (kind != INDEXED_IS_EACH)
		return 0;
	for (size_t i = 0; i < indexed_length(s, v); i++)
		live |= live_depths(s, indexed_at(s, v, i), depth + 1, same);
	return live | own;
}

/* How often the loop at this depth is iterated at most where the live indices are as they are. */
static int64_t iterations(const struct points *c, indexed count, uint32_t depth, uint32_t loop)
{
	const struct indexed_store *s = c->p->builder->store;
	if (count == INDEXED_NONE)
		return 0;
	if (depth == loop)
		return indexed_get(s, count);
	size_t length = indexed_length(s, count);
	if (!length)
		return iterations(c, indexed_at(s, count, 0), depth + 1, loop);
	if (c->live >> depth & 1)
		return iterations(c, indexed_at(s, count, (size_t)c->index[depth]), depth + 1, loop);
	int64_t most = 0;
	for (size_t i = 0; i < length; i++) {
		int64_t n = iterations(c, indexed_at(s, count, i), depth + 1, loop);
		most = n > most ? n : most;
	}
	return most;
}

static void add_point(struct points *c, int64_t number)
{
	if (c->count == PRICE_POINTS) {
		c->many = true;
		return;
	}
	c->process = mem_grow(c->process, &c->capacity[0], c->count + 1, sizeof *c->process);
	c->number = mem_grow(c->number, &c->capacity[1], c->count + 1, sizeof *c->number);
	c->indices = mem_grow(c->indices, &c->capacity[2], c->index_count + DEPTHS, sizeof *c->indices);
	c->process[c->count] = c->p->builder->process[c->lane];
	c->number[c->count++] = number;
	for (uint32_t told = c->told; told; told &= told - 1)
		c->indices[c->index_count++] = c->index[__builtin_ctz(told)];
}

static void add_points(struct points *c, indexed v, uint32_t depth)
{
	const struct indexed_store *s = c->p->builder->store;
	if (v == INDEXED_NONE || c->many)
		return;
	if (depth == c->depth) {
		add_point(c, indexed_get(s, v));
		return;
	}
	size_t length = indexed_length(s, v);
	int64_t last = (int64_t)length;
	if (!length && depth < DEPTHS && c->live >> depth & 1) {
		const struct tree_node *loop = c->loop[depth];
		struct lane_set set = tree_lanes(c->p->builder, loop->lanes);
		last = lane_set_has(set, c->lane) ? iterations(c, loop->slot[0][lane_index(set, c->lane)], 0, depth)
						  : 1;
	} else if (!length) {
		last = 1;
	}
	for (int64_t i = 0; i < last && !c->many; i++) {
		if (depth < DEPTHS)
			c->index[depth] = i;
		add_points(c, indexed_at(s, v, (size_t)i), depth + 1);
	}
}

/* Of these depths the loops, guards left out, a bit each. name: of the loops how many stand
   between, the outermost first. */
static uint32_t loops_told(const struct pricing *p, uint32_t context, uint32_t live, uint32_t *name)
{
	uint32_t told = 0, between = 0, count = 0;
	for (uint32_t at = live ? context : 0; at; at = p->around[at - 1].outer) {
		uint32_t depth = p->around[at - 1].depth;
		if (p->around[at - 1].loop->kind != TREE_LOOP)
			continue;
		if (depth < DEPTHS && live >> depth & 1) {
			told |= UINT32_C(1) << depth;
			name[count++] = between;
		}
		between++;
	}
	for (uint32_t i = 0; i < count / 2; i++) {
		uint32_t other = name[i];
		name[i] = name[count - 1 - i];
		name[count - 1 - i] = other;
	}
	return told;
}

/* Of a slot of these lanes in this context; false: too many. points_clear in any case. */
static bool points_gather(
	struct points *c, struct pricing *p, const indexed *slot, struct lane_set set, uint32_t live, uint32_t context)
{
	*c = (struct points){.p = p, .live = live, .depth = depth_of(p, context)};
	c->loop = mem_array(c->depth + 1, sizeof *c->loop);
	for (uint32_t at = context; at; at = p->around[at - 1].outer)
		c->loop[p->around[at - 1].depth] = p->around[at - 1].loop;
	c->told = loops_told(p, context, live, c->name);
	c->lives = (uint32_t)__builtin_popcount(c->told);
	for (size_t i = 0; i < set.length && !c->many; i++) {
		c->lane = set.lane[i];
		add_points(c, slot[i], 0);
	}
	return !c->many && !(c->live >> (DEPTHS - 1) & 1);
}

static struct fit_points points_told(const struct points *c)
{
	return (struct fit_points){.process = c->process,
		.index = c->indices,
		.number = c->number,
		.count = c->count,
		.live = c->name,
		.lives = c->lives};
}

static void points_clear(struct points *c)
{
	free(c->loop);
	free(c->process);
	free(c->number);
	free(c->indices);
}

static const struct fitted *fit_slot(struct pricing *p, const indexed *slot, struct lane_set set, enum fit_what what,
	uint32_t live, uint32_t context)
{
	struct points c;
	const struct fitted *found = points_gather(&c, p, slot, set, live, context) ? &p->nothing : &p->unsaid;
	struct fit_points points = points_told(&c);
	if (c.count && found->number)
		found = fit_points(p->fit, what, &points);
	points_clear(&c);
	return found;
}

static enum fit_what fit_as(const struct pricing *p, const struct tree_node *n, uint32_t k)
{
	static const enum fit_what what[TREE_SLOTS] = {
		[SLOT_IS_PEER] = FIT_PEER,
		[SLOT_IS_TAG] = FIT_TAG,
		[SLOT_IS_COMMUNICATOR] = FIT_NUMBER,
		[SLOT_IS_BYTES] = FIT_SIZE,
		[SLOT_IS_RECEIVED] = FIT_SIZE,
		[SLOT_IS_COUNT] = FIT_COUNT,
		[SLOT_IS_CONDITION] = FIT_CONDITION,
		[SLOT_IS_ARGUMENT] = FIT_SIZE, /* no other slot is filled by parameters */
	};
	/* of a parameter it is the number of which one that stands there */
	return n->parameters >> k & 1 ? FIT_NUMBER : what[tree_slot_of(p->builder, n, k)];
}

static const struct fitted *slot_fitted_as(
	struct pricing *p, const struct tree_node *n, uint32_t k, uint32_t context, enum fit_what what)
{
	enum { WHAT, LANES, LIVE, CONTEXT, NAMES };
	struct lane_set set = tree_lanes(p->builder, n->lanes);
	uint32_t live = 0, same = 0;
	for (size_t i = 0; i < set.length; i++)
		if (!i || n->slot[k][i] != n->slot[k][i - 1])
			live |= live_depths(p->builder->store, n->slot[k][i], 0, &same);
	/* the counts of loops matter where what stands there does not tell them; of these, those outside
	   of the last such loop; the depth is told */
	uint32_t untold = live & same, depth = untold ? DEPTHS - (uint32_t)__builtin_clz(untold) : 0, around = context;
	while (depth_of(p, around) > depth)
		around = p->around[around - 1].outer;
	uint32_t *word = words(p, NAMES + DEPTHS + set.length);
	word[WHAT] = what;
	word[LANES] = n->lanes;
	word[LIVE] = live;
	word[CONTEXT] = around;
	uint32_t head = NAMES + (uint32_t)__builtin_popcount(loops_told(p, context, live, word + NAMES));
	memcpy(word + head, n->slot[k], set.length * sizeof *word);
	uint32_t known = intern_count(p->slots);
	uint32_t at = intern_id(p->slots, word, (head + set.length) * sizeof *word);
	if (at == known) {
		p->fitted = mem_grow(p->fitted, &p->fitted_capacity, (size_t)at + 1, sizeof *p->fitted);
		p->fitted[at] = fit_slot(p, n->slot[k], set, what, live, context);
	}
	return p->fitted[at];
}

static const struct fitted *slot_fitted(struct pricing *p, const struct tree_node *n, uint32_t k, uint32_t context)
{
	return slot_fitted_as(p, n, k, context, fit_as(p, n, k));
}

/* The depths of loops whose indices are in it. */
static uint32_t depths_used(const struct pricing *p, uint32_t context, node_id number)
{
	uint64_t uses = node_of(fit_store(p->fit), number)->uses[FOR_ALL];
	uint32_t used = 0, between = 0;
	for (uint32_t at = context; at; at = p->around[at - 1].outer) {
		uint32_t depth = p->around[at - 1].depth;
		bool loop = p->around[at - 1].loop->kind == TREE_LOOP;
		if (loop && uses & USES_INDEX(between))
			used |= UINT32_C(1) << (depth < DEPTHS ? depth : DEPTHS - 1);
		between += loop;
	}
	return used;
}

/* Does the guard hold just where this place, the peer of its one message, is inside? */
static bool holds_inside(struct pricing *p, const struct tree_node *guard, uint32_t context, node_id place)
{
	struct points c;
	struct lane_set set = tree_lanes(p->builder, guard->lanes);
	uint32_t live = depths_used(p, context, place), same;
	for (size_t i = 0; i < set.length; i++)
		live |= live_depths(p->builder->store, guard->slot[0][i], 0, &same);
	bool good = points_gather(&c, p, guard->slot[0], set, live, context);
	struct fit_points points = points_told(&c);
	good = good && fit_is_inside(p->fit, place, &points);
	points_clear(&c);
	return good;
}

/* The peer of the one event under this guard, if it is a neighbour on the grid and the guard
   tells who has it; else NULL. */
static const struct fitted *neighbour(struct pricing *p, const struct tree_node *guard, uint32_t context)
{
	const struct tree_node *n = guard->body.length == 1 ? guard->body.node[0] : NULL;
	if (guard->kind != TREE_GUARD || !n || n->kind != TREE_EVENT || n->parameters & 1)
		return NULL;
	enum event_kind kind = (enum event_kind)tree_shape(p->builder, n)->kind;
	if (n->lanes != guard->lanes || !kind_has_peer(kind))
		return NULL;
	const struct fitted *f = slot_fitted_as(p, n, SLOT_IS_PEER, context_inside(p, guard, context), FIT_NEIGHBOUR);
	return f->number && holds_inside(p, guard, context, f->number) ? f : NULL;
}

const struct fitted *price_neighbour(
	struct pricing *p, const struct tree_node *guard, const struct tree_context *context)
{
	return neighbour(p, guard, context_of(p, context));
}

const struct fitted *price_fitted(
	struct pricing *p, const struct tree_node *n, uint32_t slot, const struct tree_context *context)
{
	return slot_fitted(p, n, slot, context_of(p, context));
}

/* ------------------------------------------------------------------ sets of tables */

static struct table_use *meet(struct pricing *p, uint32_t table)
{
	struct table_use *use = &p->table[table];
	if (!use->met) {
		*MEM_PUSH(p->met, p->met_count, p->met_capacity) = table;
		use->met = true;
	}
	return use;
}

static void forget_met(struct pricing *p)
{
	for (size_t i = 0; i < p->met_count; i++) {
		struct table_use *use = &p->table[p->met[i]];
		use->met = false;
		use->gone = use->new = 0;
	}
	p->met_count = 0;
}

struct use {
	uint32_t table, times;
};

static const struct use *uses_of(const struct pricing *p, uint32_t set, size_t *length)
{
	size_t size;
	const struct use *use = intern_data(p->table_sets, set, &size);
	*length = size / sizeof *use;
	return use;
}

static void meet_new(struct pricing *p, uint32_t set)
{
	size_t length;
	const struct use *use = uses_of(p, set, &length);
	for (size_t i = 0; i < length; i++)
		meet(p, use[i].table)->new += use[i].times;
}

static void meet_gone(struct pricing *p, uint32_t set)
{
	size_t length;
	const struct use *use = uses_of(p, set, &length);
	for (size_t i = 0; i < length; i++)
		meet(p, use[i].table)->gone += use[i].times;
}

static void meet_table(struct pricing *p, node_id id, uint32_t price)
{
	if (!id)
		return;
	uint32_t known = intern_count(p->tables);
	uint32_t table = intern_id(p->tables, &id, sizeof id);
	if (table == known) {
		p->table = mem_grow(p->table, &p->table_capacity, (size_t)table + 1, sizeof *p->table);
		p->table[table] = (struct table_use){.price = price};
	}
	meet(p, table)->new ++;
}

/* The tables that have been met as a set. */
static uint32_t met_set(struct pricing *p)
{
	uint32_t *word = words(p, 2 * p->met_count);
	for (size_t i = 0; i < p->met_count; i++) {
		uint64_t times = p->table[p->met[i]].new;
		word[2 * i] = p->met[i];
		word[2 * i + 1] = times < UINT32_MAX ? (uint32_t)times : UINT32_MAX;
	}
	uint32_t set = intern_id(p->table_sets, word, 2 * p->met_count * sizeof *word);
	forget_met(p);
	return set;
}

static uint32_t met_price(struct pricing *p)
{
	uint32_t sum = 0;
	for (size_t i = 0; i < p->met_count; i++)
		sum = add(sum, p->table[p->met[i]].price);
	forget_met(p);
	return sum;
}

/* ------------------------------------------------------------------ nodes */

static bool costs_nothing(const struct tree_node *n, uint32_t slot)
{
	return n->kind == TREE_CALL && n->procedure->fixed && n->procedure->fixed[slot];
}

/* Of what stands in it, whose tables are met; peer: what is known of that, or NULL. */
static uint32_t price_slots(struct pricing *p, const struct tree_node *n, uint32_t context, const struct fitted *peer)
{
	uint32_t price = 0;
	for (uint32_t k = 0; k < n->slots; k++) {
		if (costs_nothing(n, k))
			continue;
		const struct fitted *f = peer && k == SLOT_IS_PEER ? peer : slot_fitted(p, n, k, context);
		price = add(price, f->number ? f->price : PRICE_UNSAID);
		price = add(price, n->kind == TREE_CALL ? COST_ARGUMENT : 0);
		for (size_t i = 0; i < sizeof f->table / sizeof *f->table; i++)
			meet_table(p, f->table[i].table, f->table[i].price);
	}
	return price;
}

static struct node_price price_node(struct pricing *p, const struct tree_node *n, uint32_t context);

uint32_t price_call(const struct tree_procedure *p)
{
	return p->function ? COST_FUNCTION_CALL : COST_STATEMENT;
}

/* Of a list together, and each of it: all are priced before tables are met. */
static uint32_t price_nodes(struct pricing *p, struct tree_list list, uint32_t context, struct node_price *each)
{
	uint32_t price = 0;
	for (size_t i = 0; i < list.length; i++) {
		each[i] = price_node(p, list.node[i], context);
		price = add(price, each[i].price);
	}
	return price;
}

static void meet_nodes(
	struct pricing *p, const struct node_price *each, size_t length, void (*met)(struct pricing *, uint32_t set))
{
	for (size_t i = 0; i < length; i++)
		met(p, each[i].tables);
}

static struct node_price price_node(struct pricing *p, const struct tree_node *n, uint32_t context)
{
	uint32_t known = intern_count(p->nodes);
	uint32_t at = intern_id(p->nodes, &(struct standing){n, context}, sizeof(struct standing));
	if (at < known)
		return p->priced[at];
	p->priced = mem_grow(p->priced, &p->priced_capacity, (size_t)at + 1, sizeof *p->priced);
	const struct fitted *peer = neighbour(p, n, context);
	uint32_t price = n->kind == TREE_GUARD && !peer ? COST_GUARD
			 : n->kind == TREE_CALL         ? price_call(n->procedure)
							: COST_STATEMENT;
	uint32_t inside = n->body.length ? context_inside(p, n, context) : 0;
	if (n->body.length && !peer) {
		struct node_price *each = mem_array(n->body.length, sizeof *each);
		price = add(price, price_nodes(p, n->body, inside, each));
		meet_nodes(p, each, n->body.length, meet_new);
		free(each);
	}
	price = add(price, peer ? price_slots(p, n->body.node[0], inside, peer) : price_slots(p, n, context, NULL));
	return p->priced[at] = (struct node_price){price, met_set(p)};
}

uint32_t price_list(struct pricing *p, struct tree_list list, const struct tree_context *c)
{
	struct node_price *each = mem_array(list.length, sizeof *each);
	uint32_t price = price_nodes(p, list, context_of(p, c), each);
	meet_nodes(p, each, list.length, meet_new);
	free(each);
	return add(price, met_price(p));
}

/* By how much the nodes themselves are cheaper; their tables are met. */
static int64_t meet_change(struct pricing *p, struct tree_list old, struct tree_list new, const struct tree_context *c)
{
	uint32_t context = context_of(p, c);
	struct node_price *gone = mem_array(old.length + new.length, sizeof *gone), *come = gone + old.length;
	int64_t saved = price_nodes(p, old, context, gone);
	saved -= price_nodes(p, new, context, come);
	meet_nodes(p, gone, old.length, meet_gone);
	meet_nodes(p, come, new.length, meet_new);
	free(gone);
	return saved;
}

int64_t price_saved(struct pricing *p, struct tree_list old, struct tree_list new, const struct tree_context *c)
{
	int64_t saved = meet_change(p, old, new, c);
	for (size_t i = 0; i < p->met_count; i++) {
		const struct table_use *use = &p->table[p->met[i]];
		/* what a text does not know of is looked up here alone */
		uint64_t others = use->text > use->gone ? use->text - use->gone : 0;
		saved += others ? 0 : (int64_t)use->price * ((use->gone > 0) - (use->new > 0));
	}
	forget_met(p);
	return saved;
}

void price_change(struct pricing *p, struct tree_list old, struct tree_list new, const struct tree_context *c)
{
	meet_change(p, old, new, c);
	for (size_t i = 0; i < p->met_count; i++) {
		struct table_use *use = &p->table[p->met[i]];
		use->text = (use->text > use->gone ? use->text - use->gone : 0) + use->new;
	}
	forget_met(p);
}

static const struct tree_procedure *procedure_at(const struct intern *called, uint32_t i)
{
	const struct tree_procedure *found;
	memcpy(&found, intern_data(called, i, NULL), sizeof found);
	return found;
}

/* Procedures in the order in which they are met. */
static void find_called(struct intern *called, struct tree_list list)
{
	for (size_t i = 0; i < list.length; i++) {
		const struct tree_procedure *procedure = list.node[i]->procedure;
		find_called(called, list.node[i]->body);
		if (procedure && intern_find(called, &procedure, sizeof procedure) == INTERN_NONE) {
			intern_id(called, &procedure, sizeof procedure);
			find_called(called, procedure->body);
		}
	}
}

uint32_t price_program(struct pricing *p, struct tree_list list)
{
	struct intern *called = intern_new_keys(sizeof(const struct tree_procedure *));
	find_called(called, list);
	uint32_t procedures = intern_count(called);
	size_t length = list.length, at = list.length;
	for (uint32_t i = 0; i < procedures; i++)
		length += procedure_at(called, i)->body.length;
	struct node_price *each = mem_array(length, sizeof *each);
	uint32_t price = price_nodes(p, list, 0, each);
	for (uint32_t i = 0; i < procedures; at += procedure_at(called, i++)->body.length)
		price = add(price, add(procedure_at(called, i)->function ? 0 : COST_PROCEDURE,
					   price_nodes(p, procedure_at(called, i)->body, 0, each + at)));
	meet_nodes(p, each, length, meet_new);
	free(each);
	for (uint32_t i = 0; i < intern_count(p->tables); i++)
		p->table[i].text = p->table[i].new;
	intern_free(called);
	return add(price, met_price(p));
}
