/*
 * outline.c -- the blocks that stand in several places of all lists, the largest saving first.
 *
 * All lists (the text's, the procedures', and the bodies inside) are one sequence of keys, a key
 * that occurs nowhere else between them. Nodes of one key are the same but for what may be a
 * parameter: a size that is the same in all iterations of the loops inside the block, or an
 * argument. So a block of keys that occurs several times can be a procedure, and a suffix array has
 * all of these. A round takes blocks by what they save; what has to do with one that was taken
 * waits for the next round, which looks at the changed lists.
 *
 * Where nodes tell which activations they are of, the blocks are known: what stands in a list of
 * one activation. Those of one function and of the same keys are a procedure, the innermost first.
 */
#include "merge/outline.h"

#include <stdlib.h>
#include <string.h>

#include "ask/cost.h"
#include "base/compare.h"
#include "base/heap.h"
#include "merge/bounds.h"
#include "merge/repeats.h"
#include "model/function_calls.h"
#include "model/node.h"

#define NOWHERE SIZE_MAX

/* Key of a node that uses indices of loops around its list: it stays where it is. */
#define KEY_NONE UINT32_MAX

/* An item of a list, in the sequence of all. */
struct unit {
	struct tree_node *node; /* NULL: the end of a list */
	size_t list; /* it is in this one; */
	size_t inside; /* and this is its body; NOWHERE: it has none */
};

struct list_of_units {
	struct tree_list nodes;
	size_t start;
	size_t parent; /* unit whose body it is; NOWHERE: none */
	uint32_t depth; /* loops around */
	bool changed;
};

/* A node below so many loops outside of a block; no padding. */
struct below {
	const struct tree_node *node;
	uint64_t depth;
};

struct outlining {
	struct tree_builder *builder;
	bool exact; /* are arguments of calls to be the same? */
	bool tags; /* may tags be parameters, too? */
	struct intern *known; /* struct below */
	uint32_t *key; /* by these */
	size_t key_capacity;
	struct intern *keys; /* words */

	struct unit *unit;
	size_t units, unit_capacity;
	struct list_of_units *list;
	size_t lists, list_capacity;
	uint64_t *before; /* what units in front cost, without numbers */
	bool *changed; /* by unit: something in it or around it was taken in this round */
	struct tree_node **call; /* by unit: where a call begins, which takes its place; */
	size_t *called; /* and that of so many units */
};

/* ------------------------------------------------------------------ keys */

/* Can the number be a parameter: is it the same in all iterations of loops inside of the block? */
static bool is_cell(const struct outlining *o, const struct tree_node *n, uint32_t k, uint32_t depth)
{
	indexed outer;
	enum tree_slot slot = tree_slot_of(o->builder, n, k);
	bool number = SLOT_IS_SIZE(slot) || (o->tags && slot == SLOT_IS_TAG);
	if (n->kind == TREE_CALL ? o->exact : !number)
		return false;
	size_t lanes = tree_lanes(o->builder, n->lanes).length;
	for (size_t i = 0; i < lanes; i++)
		if ((!i || n->slot[k][i] != n->slot[k][i - 1]) &&
			!indexed_outer(o->builder->store, n->slot[k][i], depth, &outer))
			return false;
	return true;
}

/* Adds what must be the same in all calls. False: it uses indices of loops around. */
static bool add_slot(
	const struct outlining *o, const struct tree_node *n, uint32_t k, uint32_t depth, uint32_t *word, size_t *words)
{
	size_t lanes = tree_lanes(o->builder, n->lanes).length;
	bool cell = is_cell(o, n, k, depth);
	if (!cell && n->parameters >> k & 1)
		return false;
	word[(*words)++] = cell;
	for (size_t i = 0; !cell && i < lanes; i++) {
		indexed inner = indexed_inner(o->builder->store, n->slot[k][i], depth);
		if (inner == INDEXED_NONE && n->slot[k][i] != INDEXED_NONE)
			return false;
		word[(*words)++] = inner;
	}
	return true;
}

static uint32_t key_of(struct outlining *, const struct tree_node *, uint32_t depth);

static uint32_t new_key_of(struct outlining *o, const struct tree_node *n, uint32_t depth)
{
	size_t lanes = tree_lanes(o->builder, n->lanes).length, words = 0;
	uint32_t *word = mem_array(3 + n->slots * (lanes + 1) + n->body.length, sizeof *word);
	word[words++] = n->kind;
	word[words++] = n->kind == TREE_EVENT ? n->shape : n->kind == TREE_CALL ? n->procedure->number : 0;
	word[words++] = n->lanes;
	bool good = true;
	for (uint32_t k = 0; k < n->slots && good; k++)
		good = add_slot(o, n, k, depth, word, &words);
	for (size_t i = 0; i < n->body.length && good; i++) {
		uint32_t inside = key_of(o, n->body.node[i], depth);
		good = inside != KEY_NONE;
		word[words++] = inside;
	}
	uint32_t key = good ? intern_id(o->keys, word, words * sizeof *word) : KEY_NONE;
	free(word);
	return key;
}

/* depth: loops outside of the block. */
static uint32_t key_of(struct outlining *o, const struct tree_node *n, uint32_t depth)
{
	struct below place = {n, depth};
	uint32_t known = intern_count(o->known), at = intern_id(o->known, &place, sizeof place);
	if (at < known)
		return o->key[at];
	o->key = mem_grow(o->key, &o->key_capacity, (size_t)at + 1, sizeof *o->key);
	uint32_t key = new_key_of(o, n, depth);
	return o->key[at] = key;
}

/* ------------------------------------------------------------------ the sequence of all lists */

static void add_list(struct outlining *o, struct tree_list list, size_t parent, uint32_t depth)
{
	size_t start = o->units, number = o->lists;
	o->unit = mem_grow(o->unit, &o->unit_capacity, start + list.length + 1, sizeof *o->unit);
	o->units += list.length + 1;
	o->list = mem_grow(o->list, &o->list_capacity, number + 1, sizeof *o->list);
	o->list[o->lists++] = (struct list_of_units){list, start, parent, depth, false};
	o->unit[start + list.length] = (struct unit){NULL, number, NOWHERE};
	for (size_t i = 0; i < list.length; i++)
		o->unit[start + i] = (struct unit){list.node[i], number, NOWHERE};
	for (size_t i = 0; i < list.length; i++)
		if (list.node[i]->body.length) {
			o->unit[start + i].inside = o->lists;
			add_list(o, list.node[i]->body, start + i, depth + 1);
		}
}

static uint32_t free_arguments(const struct tree_procedure *p)
{
	uint32_t count = 0;
	for (uint32_t k = 0; k < p->parameters; k++)
		count += !p->fixed[k];
	return count;
}

static uint64_t price_without_numbers(const struct tree_node *n)
{
	uint64_t price = n->kind == TREE_GUARD ? COST_GUARD : COST_STATEMENT;
	if (n->kind == TREE_CALL)
		price = price_call(n->procedure) + COST_ARGUMENT * (uint64_t)free_arguments(n->procedure);
	for (size_t i = 0; i < n->body.length; i++)
		price += price_without_numbers(n->body.node[i]);
	return price;
}

/* Gives the numbers of the lists of the text and of the procedures; the caller's. */
static size_t *begin_round(struct outlining *o, struct tree_list text)
{
	size_t *root = mem_array(1 + o->builder->procedures, sizeof *root);
	o->units = o->lists = 0;
	for (size_t i = 0; i <= o->builder->procedures; i++) {
		root[i] = o->lists;
		add_list(o, i ? o->builder->procedure[i - 1]->body : text, NOWHERE, 0);
	}
	o->before = mem_array(o->units + 1, sizeof *o->before);
	o->before[0] = 0;
	for (size_t i = 0; i < o->units; i++)
		o->before[i + 1] = o->before[i] + (o->unit[i].node ? price_without_numbers(o->unit[i].node) : 0);
	o->changed = mem_zero(o->units * sizeof *o->changed);
	o->call = mem_zero(o->units * sizeof *o->call);
	o->called = mem_zero(o->units * sizeof *o->called);
	return root;
}

static void end_round(struct outlining *o)
{
	free(o->before);
	free(o->changed);
	free(o->call);
	free(o->called);
}

/* What stands alone has a number of its own. */
static uint32_t *number_units(struct outlining *o)
{
	uint32_t *number = mem_array(o->units, sizeof *number), alone = UINT32_MAX;
	for (size_t i = 0; i < o->units; i++) {
		const struct tree_node *n = o->unit[i].node;
		uint32_t key = n ? key_of(o, n, o->list[o->unit[i].list].depth) : KEY_NONE;
		number[i] = key == KEY_NONE ? alone-- : key;
	}
	return number;
}

/* ------------------------------------------------------------------ parameters */

/* A number of the block that may be a parameter, as it is where the block stands first: of a node
   inside, below so many loops of the block. */
struct cell {
	const struct tree_node *node;
	uint32_t slot;
};

/* Where a block stands, and the cells of it, in the same order everywhere. */
struct occurrence {
	size_t start;
	uint32_t depth;
	struct cell *cell;
	size_t cells, capacity;
};

struct block {
	struct outlining *o;
	struct occurrence *at;
	size_t occurrences, length;
	uint64_t price;

	size_t cells;
	uint32_t lanes; /* a set: all that execute something */
	/* By cell: for its lanes which parameter it is; NULL: none. */
	uint32_t **parameter;
	uint32_t parameters, free_parameters;
	/* By parameter: the argument in each occurrence, by lane of the block; whether it is the
	   number of a parameter of the procedure that the call stands in. */
	indexed **argument[PARAMETERS_LIMIT];
	bool *passed_on[PARAMETERS_LIMIT];
	bool fixed[PARAMETERS_LIMIT];
	int64_t fixed_number[PARAMETERS_LIMIT];
};

static void find_cells(struct outlining *o, struct occurrence *at, const struct tree_node *n)
{
	for (uint32_t k = 0; k < n->slots; k++)
		if (is_cell(o, n, k, at->depth))
			*MEM_PUSH(at->cell, at->cells, at->capacity) = (struct cell){n, k};
	for (size_t i = 0; i < n->body.length; i++)
		find_cells(o, at, n->body.node[i]);
}

static bool cell_passes_on(const struct cell *c)
{
	return c->node->parameters >> c->slot & 1;
}

/* What stands in a cell, by the loops outside of the block. */
static indexed cell_argument(const struct block *b, size_t occurrence, size_t cell, size_t lane)
{
	const struct occurrence *at = &b->at[occurrence];
	indexed outer = INDEXED_NONE;
	indexed_outer(b->o->builder->store, at->cell[cell].node->slot[at->cell[cell].slot][lane], at->depth, &outer);
	return outer;
}

static struct lane_set cell_lanes(const struct block *b, size_t cell)
{
	return tree_lanes(b->o->builder, b->at[0].cell[cell].node->lanes);
}

/* Is it, for each lane, one number wherever the block stands? */
static bool cell_is_fixed(const struct block *b, size_t cell)
{
	size_t lanes = cell_lanes(b, cell).length;
	const struct indexed_store *s = b->o->builder->store;
	for (size_t q = 0; q < b->occurrences; q++) {
		const struct cell *first = &b->at[0].cell[cell], *here = &b->at[q].cell[cell];
		if (cell_passes_on(here))
			return false;
		if (here->node == first->node && q)
			continue;
		for (size_t i = 0; i < lanes; i++) {
			indexed u = first->node->slot[first->slot][i], v = here->node->slot[here->slot][i];
			int64_t x, y;
			if (u == INDEXED_NONE && v == INDEXED_NONE)
				continue;
			if (!indexed_is_constant(s, u, &x) || !indexed_is_constant(s, v, &y) || x != y)
				return false;
		}
	}
	return true;
}

/* What a cell's number is in all calls, for one lane, or for all of its lanes. */
static uint32_t vector_of(const struct block *b, struct intern *vectors, size_t cell, size_t lane, size_t lanes)
{
	size_t words = 0;
	uint32_t *word = mem_array(b->occurrences * (lanes + 1) + 1, sizeof *word);
	/* cells of other lanes may differ in these */
	word[words++] = lanes > 1 ? b->at[0].cell[cell].node->lanes : 0;
	for (size_t q = 0; q < b->occurrences; q++) {
		word[words++] = cell_passes_on(&b->at[q].cell[cell]);
		for (size_t i = lane; i < lane + lanes; i++)
			word[words++] = cell_argument(b, q, cell, i);
	}
	uint32_t vector = intern_id(vectors, word, words * sizeof *word);
	free(word);
	return vector;
}

static void set_argument(struct block *b, uint32_t parameter, size_t occurrence, size_t cell, size_t lane, size_t lanes)
{
	struct lane_set all = tree_lanes(b->o->builder, b->lanes), has = cell_lanes(b, cell);
	b->passed_on[parameter][occurrence] = cell_passes_on(&b->at[occurrence].cell[cell]);
	for (size_t i = 0; i < all.length; i++) {
		/* lanes that lack the cell take what any has */
		bool own = lanes > 1 && lane_set_has(has, all.lane[i]);
		b->argument[parameter][occurrence][i] =
			cell_argument(b, occurrence, cell, own ? lane_index(has, all.lane[i]) : lane);
	}
}

static void new_parameter(struct block *b, size_t cell, size_t lane, size_t lanes)
{
	uint32_t parameter = b->parameters++;
	size_t all = tree_lanes(b->o->builder, b->lanes).length;
	b->argument[parameter] = mem_array(b->occurrences, sizeof *b->argument[0]);
	b->passed_on[parameter] = mem_array(b->occurrences, sizeof *b->passed_on[0]);
	bool fixed = true;
	int64_t number = 0;
	for (size_t q = 0; q < b->occurrences; q++) {
		indexed *argument = b->argument[parameter][q] = mem_array(all, sizeof *argument);
		set_argument(b, parameter, q, cell, lane, lanes);
		fixed = fixed && !b->passed_on[parameter][q];
		for (size_t i = 0; i < all && fixed; i++) {
			int64_t here = 0;
			fixed = indexed_is_constant(b->o->builder->store, argument[i], &here) &&
				((!q && !i) || here == number);
			number = here;
		}
	}
	b->fixed[parameter] = fixed;
	b->fixed_number[parameter] = number;
	b->free_parameters += !fixed;
}

static void forget_parameters(struct block *b)
{
	for (size_t j = 0; j < b->cells; j++) {
		free(b->parameter[j]);
		b->parameter[j] = NULL;
	}
	for (uint32_t k = 0; k < b->parameters; k++) {
		for (size_t q = 0; q < b->occurrences; q++)
			free(b->argument[k][q]);
		free(b->argument[k]);
		free(b->passed_on[k]);
	}
	b->parameters = b->free_parameters = 0;
}

/*
 * A parameter for what differs in some lane, which lanes select, or for what differs in some cell.
 * False: they are too many.
 */
static bool take_parameters(struct block *b, bool by_lane)
{
	uint32_t most = by_lane ? OUTLINE_BY_LANE : OUTLINE_PARAMETERS;
	struct intern *vectors = intern_new();
	bool good = true;
	for (size_t j = 0; j < b->cells && good; j++) {
		if (cell_is_fixed(b, j))
			continue;
		size_t lanes = cell_lanes(b, j).length;
		b->parameter[j] = mem_array(lanes, sizeof **b->parameter);
		for (size_t i = 0; i < lanes && good; i++) {
			uint32_t vector =
				!by_lane && i ? b->parameter[j][0] : vector_of(b, vectors, j, i, by_lane ? 1 : lanes);
			good = vector < most;
			if (good && vector == b->parameters)
				new_parameter(b, j, i, by_lane ? 1 : lanes);
			b->parameter[j][i] = vector;
		}
	}
	intern_free(vectors);
	return good;
}

/* The fewest. False: they are too many. */
static bool find_parameters(struct block *b)
{
	bool by_cell = take_parameters(b, false);
	uint32_t cells = by_cell ? b->parameters : UINT32_MAX;
	forget_parameters(b);
	if (take_parameters(b, true) && b->parameters <= cells)
		return true;
	forget_parameters(b);
	return by_cell && take_parameters(b, false);
}

/* ------------------------------------------------------------------ procedures */

/* A node of the block as it stands in the procedure; *cell: the next one. inside: loops of the
   block around it. */
static struct tree_node *in_procedure(const struct block *b, const struct tree_node *n, uint32_t inside, size_t *cell)
{
	struct tree_builder *t = b->o->builder;
	size_t lanes = tree_lanes(t, n->lanes).length;
	uint32_t depth = b->at[0].depth, parameters = 0;
	indexed **slot = tree_slots(t, n->slots, n->lanes);
	for (uint32_t k = 0; k < n->slots; k++) {
		const uint32_t *parameter = NULL;
		if (*cell < b->cells && b->at[0].cell[*cell].node == n && b->at[0].cell[*cell].slot == k)
			parameter = b->parameter[(*cell)++];
		parameters |= parameter ? UINT32_C(1) << k : 0;
		for (size_t i = 0; i < lanes; i++)
			slot[k][i] = parameter ? indexed_wrap(t->store, indexed_number(t->store, parameter[i]), inside)
					       : indexed_inner(t->store, n->slot[k][i], depth);
	}
	if (n->kind == TREE_EVENT)
		return tree_event(t, n->shape, n->lanes, slot, parameters);
	if (n->kind == TREE_CALL) {
		struct tree_node *call = tree_call(t, n->procedure, n->lanes, slot, parameters);
		call->activation = n->activation;
		return call;
	}
	struct tree_node **body = mem_array(n->body.length, sizeof *body);
	for (size_t i = 0; i < n->body.length; i++)
		body[i] = in_procedure(b, n->body.node[i], inside + 1, cell);
	struct tree_node *made = tree_loop(t, n->kind, n->lanes, slot[0], tree_list_of(t, body, n->body.length));
	made->activation = n->activation;
	free(body);
	return made;
}

static struct tree_procedure *procedure_of(const struct block *b)
{
	struct tree_builder *t = b->o->builder;
	struct tree_node **body = mem_array(b->length, sizeof *body);
	size_t cell = 0;
	for (size_t i = 0; i < b->length; i++)
		body[i] = in_procedure(b, b->o->unit[b->at[0].start + i].node, 0, &cell);
	struct tree_procedure *p = arena_alloc(t->arena, sizeof *p);
	*p = (struct tree_procedure){
		.number = t->procedures ? t->procedure[t->procedures - 1]->number + 1 : 0,
		.body = tree_list_of(t, body, b->length),
		.parameters = b->parameters,
		.fixed = arena_copy(t->arena, b->fixed, b->parameters * sizeof *b->fixed),
		.fixed_number = arena_copy(t->arena, b->fixed_number, b->parameters * sizeof *b->fixed_number),
	};
	free(body);
	t->procedure =
		mem_grow(t->procedure, &t->procedure_capacity, t->procedures + 1, sizeof(struct tree_procedure *));
	return t->procedure[t->procedures++] = p;
}

static void mark_inside(struct outlining *o, size_t unit)
{
	o->changed[unit] = true;
	if (o->unit[unit].inside == NOWHERE)
		return;
	const struct list_of_units *list = &o->list[o->unit[unit].inside];
	for (size_t i = 0; i < list->nodes.length; i++)
		mark_inside(o, list->start + i);
}

static void put_call(struct block *b, size_t occurrence, const struct tree_procedure *p)
{
	struct outlining *o = b->o;
	size_t start = b->at[occurrence].start, lanes = tree_lanes(o->builder, b->lanes).length;
	uint32_t passed_on = 0;
	indexed **argument = tree_slots(o->builder, b->parameters, b->lanes);
	for (uint32_t k = 0; k < b->parameters; k++) {
		memcpy(argument[k], b->argument[k][occurrence], lanes * sizeof **argument);
		passed_on |= b->passed_on[k][occurrence] ? UINT32_C(1) << k : 0;
	}
	o->call[start] = tree_call(o->builder, p, b->lanes, argument, passed_on);
	o->called[start] = b->length;
	for (size_t i = 0; i < b->length; i++)
		mark_inside(o, start + i);
	for (size_t list = o->unit[start].list;;) {
		o->list[list].changed = true;
		size_t parent = o->list[list].parent;
		if (parent == NOWHERE)
			break;
		o->changed[parent] = true;
		list = o->unit[parent].list;
	}
}

/* ------------------------------------------------------------------ the largest saving first */

/* A block of the suffix array, or so much of its beginning, with what it saves at most; once it was
   looked at, what it saves. */
struct offer {
	size_t block, length;
	int64_t saves;
};

struct offers {
	struct outlining *o;
	struct blocks_found found;
	struct offer *item;
	size_t length, capacity;
	struct heap queue; /* of these */
};

static size_t offered_at(const struct offers *all, const struct offer *f)
{
	return all->found.order[all->found.block[f->block].first];
}

static int64_t saving_of(uint64_t price, size_t occurrences, uint32_t arguments, bool function)
{
	uint64_t call = (function ? COST_FUNCTION_CALL : COST_STATEMENT) + (uint64_t)arguments * COST_ARGUMENT;
	return (int64_t)(price * (occurrences - 1)) - (function ? 0 : COST_PROCEDURE) - (int64_t)(occurrences * call);
}

static int64_t saving(uint64_t price, size_t occurrences, uint32_t arguments)
{
	return saving_of(price, occurrences, arguments, false);
}

/* The places of a block that do not overlap, from the first one on, in order; nearest: the least
   distance of two that may. The caller frees. */
static size_t *places_of(const struct offers *all, const struct offer *f, size_t *count, size_t *nearest)
{
	const struct repeated *r = &all->found.block[f->block];
	size_t *place = mem_copy(all->found.order + r->first, (r->last - r->first + 1) * sizeof *place);
	size_t places = r->last - r->first + 1, kept = 0;
	qsort(place, places, sizeof *place, compare_u64);
	*nearest = SIZE_MAX;
	for (size_t i = 1; i < places; i++)
		*nearest = place[i] - place[i - 1] < *nearest ? place[i] - place[i - 1] : *nearest;
	for (size_t i = 0; i < places; i++)
		if (!kept || place[i] >= place[kept - 1] + f->length)
			place[kept++] = place[i];
	*count = kept;
	return place;
}

static uint64_t price_of(const struct outlining *o, size_t start, size_t length)
{
	return o->before[start + length] - o->before[start];
}

static size_t statements_of(const struct outlining *o, size_t start, size_t length)
{
	size_t size = 0;
	for (size_t i = start; i < start + length && size < OUTLINE_STATEMENTS; i++)
		size += o->unit[i].node->size;
	return size;
}

/* What saves most comes first; of the same, what stands first. */
static void offer(struct offers *all, struct offer f)
{
	if (f.saves < OUTLINE_SAVES)
		return;
	all->item = mem_grow(all->item, &all->capacity, all->length + 1, sizeof *all->item);
	all->item[all->length] = f;
	heap_push(&all->queue,
		(struct heap_entry){UINT64_MAX - (uint64_t)f.saves, offered_at(all, &f), (uint32_t)all->length++});
}

/* By unit: the end of the longest run that it is in, and its period. What is a run itself is left
   to be a loop. */
static struct repeat *runs_around(const uint32_t *number, size_t n)
{
	struct repeat *around = mem_zero(n * sizeof *around);
	struct runs all = runs_find(number, n, 1);
	for (size_t r = 0; r < all.length; r++)
		for (size_t i = all.run[r].start; i < all.run[r].end; i++)
			if (all.run[r].end - all.run[r].start > around[i].end - around[i].start)
				around[i] = all.run[r];
	runs_clear(&all);
	return around;
}

static void offer_blocks(struct offers *all)
{
	uint32_t *number = number_units(all->o);
	struct repeat *around = runs_around(number, all->o->units);
	all->found = blocks_find(number, all->o->units);
	for (size_t i = 0; i < all->found.length; i++) {
		const struct repeated *r = &all->found.block[i];
		size_t start = all->found.order[r->first];
		if (around[start].period && 2 * around[start].period <= r->length &&
			start + r->length <= around[start].end)
			continue;
		offer(all, (struct offer){i, r->length,
				   saving(price_of(all->o, start, r->length), r->last - r->first + 1, 0)});
	}
	free(around);
	free(number);
}

static bool is_touched(const struct outlining *o, const size_t *place, size_t places, size_t length)
{
	for (size_t q = 0; q < places; q++)
		for (size_t i = 0; i < length; i++)
			if (o->changed[place[q] + i])
				return true;
	return false;
}

static struct block block_at(struct outlining *o, const size_t *place, size_t places, size_t length)
{
	struct block b = {.o = o, .occurrences = places, .length = length, .price = price_of(o, place[0], length)};
	b.at = mem_zero(places * sizeof *b.at);
	struct tree_node **inside = mem_array(length, sizeof *inside);
	for (size_t q = 0; q < places; q++) {
		b.at[q].start = place[q];
		b.at[q].depth = o->list[o->unit[place[q]].list].depth;
		for (size_t i = 0; i < length; i++)
			find_cells(o, &b.at[q], o->unit[place[q] + i].node);
	}
	for (size_t i = 0; i < length; i++)
		inside[i] = o->unit[place[0] + i].node;
	b.lanes = tree_list_lanes(o->builder, (struct tree_list){inside, length});
	free(inside);
	b.cells = b.at[0].cells;
	b.parameter = mem_zero(b.cells * sizeof *b.parameter);
	return b;
}

static void block_clear(struct block *b)
{
	forget_parameters(b);
	for (size_t q = 0; q < b->occurrences; q++)
		free(b->at[q].cell);
	free(b->at);
	free(b->parameter);
}

/* Is it there twice, side by side? Two calls cost what a loop and one call do, so that they would
   stay, whereas more of them become a loop, and its body is not called then. */
static bool is_twice(const struct outlining *o, const size_t *place, size_t places, size_t length)
{
	return places == 2 && place[1] - place[0] == length && o->unit[place[1]].list == o->unit[place[0]].list;
}

/* The block, if it saves as much as is offered; else it is offered for what it saves. As long as
   copies may become loops, two equal ones are left to be one. */
static bool take(struct offers *all, const struct offer *f)
{
	struct outlining *o = all->o;
	const struct repeated *r = &all->found.block[f->block];
	size_t places, nearest;
	size_t *place = places_of(all, f, &places, &nearest);
	/* copies that overlap: a part of the block may stand in more places */
	if (nearest < f->length && nearest > r->shorter)
		offer(all, (struct offer){f->block, nearest,
				   saving(price_of(o, place[0], nearest), r->last - r->first + 1, 0)});
	bool taken = false;
	if (places > 1 && statements_of(o, place[0], f->length) >= OUTLINE_STATEMENTS &&
		saving(price_of(o, place[0], f->length), places, 0) >= OUTLINE_SAVES &&
		!is_touched(o, place, places, f->length)) {
		struct block b = block_at(o, place, places, f->length);
		int64_t saves = find_parameters(&b) ? saving(b.price, places, b.free_parameters) : 0;
		bool loop = !o->tags && !b.free_parameters && is_twice(o, place, places, f->length);
		if (saves < f->saves) {
			offer(all, (struct offer){f->block, f->length, saves});
		} else if (!loop) {
			const struct tree_procedure *p = procedure_of(&b);
			for (size_t q = 0; q < places; q++)
				put_call(&b, q, p);
			taken = true;
		}
		block_clear(&b);
	}
	free(place);
	return taken;
}

static bool take_blocks(struct outlining *o)
{
	struct offers all = {.o = o};
	bool any = false;
	offer_blocks(&all);
	while (all.queue.length) {
		struct offer f = all.item[heap_pop(&all.queue).id];
		any |= take(&all, &f);
	}
	heap_clear(&all.queue);
	blocks_found_clear(&all.found);
	free(all.item);
	return any;
}

/* ------------------------------------------------------------------ the changed lists */

static struct tree_list changed_list(struct outlining *o, size_t number)
{
	const struct list_of_units list = o->list[number];
	struct tree_builder *b = o->builder;
	if (!list.changed)
		return list.nodes;
	struct tree_node **made = mem_array(list.nodes.length, sizeof *made);
	size_t length = 0;
	for (size_t i = 0; i < list.nodes.length;) {
		size_t unit = list.start + i;
		struct tree_node *n = o->unit[unit].node;
		if (o->call[unit]) {
			made[length++] = o->call[unit];
			i += o->called[unit];
			continue;
		}
		if (o->unit[unit].inside != NOWHERE && o->list[o->unit[unit].inside].changed)
			n = tree_with_body(b, n, changed_list(o, o->unit[unit].inside));
		made[length++] = n;
		i++;
	}
	struct tree_list changed = tree_list_of(b, made, length);
	free(made);
	return changed;
}

/* ------------------------------------------------------------------ functions of the source */

/* What stands in a list of one activation. */
struct group {
	uint32_t activation, alike; /* equal for groups that can be calls of one procedure */
	size_t start, length, statements;
};

struct groups {
	struct outlining *o;
	const uint32_t *number; /* by unit: its key */
	struct intern *known; /* function, keys */
	struct group *group;
	size_t length, capacity;
};

static bool is_part_of(const struct tree_builder *b, uint32_t activation, uint32_t of)
{
	while (activation && activation != of)
		activation = b->activation[activation].outer;
	return activation == of;
}

/* The units from the first one on that are parts of an activation. */
static void add_group(struct groups *g, const struct list_of_units *list, size_t first, uint32_t activation)
{
	const struct outlining *o = g->o;
	size_t end = first, statements = 0, words = 0;
	uint32_t *word = mem_array(list->nodes.length - first + 1, sizeof *word);
	word[words++] = o->builder->activation[activation].function;
	for (; end < list->nodes.length && is_part_of(o->builder, list->nodes.node[end]->activation, activation);
		end++) {
		statements += list->nodes.node[end]->size;
		word[words++] = g->number[list->start + end];
	}
	*MEM_PUSH(g->group, g->length, g->capacity) = (struct group){activation,
		intern_id(g->known, word, words * sizeof *word), list->start + first, end - first, statements};
	free(word);
}

static void find_groups_of(struct groups *g, const struct list_of_units *list)
{
	const struct tree_builder *b = g->o->builder;
	uint32_t around = list->parent == NOWHERE ? 0 : g->o->unit[list->parent].node->activation, before = 0;
	for (size_t i = 0; i < list->nodes.length; before = list->nodes.node[i++]->activation) {
		uint32_t own = list->nodes.node[i]->activation;
		for (; own && is_part_of(b, own, around) && own != around; own = b->activation[own].outer)
			if (!i || !is_part_of(b, before, own))
				add_group(g, list, i, own);
	}
}

static int by_likeness(const void *left, const void *right)
{
	const struct group *a = left, *b = right;
	return a->statements != b->statements ? COMPARE(a->statements, b->statements)
	       : a->alike != b->alike         ? COMPARE(a->alike, b->alike)
					      : COMPARE(a->start, b->start);
}

/* Are these calls of one function worth a procedure? */
static bool take_function(struct outlining *o, const struct group *group, size_t groups)
{
	size_t *place = mem_array(groups, sizeof *place);
	for (size_t i = 0; i < groups; i++)
		place[i] = group[i].start;
	bool taken = false;
	if (groups > 1 && group->statements >= FUNCTION_STATEMENTS && !is_touched(o, place, groups, group->length)) {
		struct block b = block_at(o, place, groups, group->length);
		taken = find_parameters(&b) && saving_of(b.price, groups, b.free_parameters, true) > 0;
		struct tree_procedure *p = taken ? procedure_of(&b) : NULL;
		for (size_t i = 0; i < groups && taken; i++) {
			put_call(&b, i, p);
			o->call[place[i]]->activation = o->builder->activation[group[i].activation].outer;
		}
		if (taken) {
			p->function = o->builder->activation[group->activation].name;
			p->outer = o->builder->activation[group->activation].outer;
		}
		block_clear(&b);
	}
	free(place);
	return taken;
}

static bool take_functions(struct outlining *o)
{
	uint32_t *number = number_units(o);
	struct groups g = {.o = o, .number = number, .known = intern_new()};
	bool any = false;
	for (size_t i = 0; i < o->lists && (!i || o->list[i].parent != NOWHERE); i++) /* those of the text */
		find_groups_of(&g, &o->list[i]);
	if (g.length)
		qsort(g.group, g.length, sizeof *g.group, by_likeness);
	for (size_t i = 0, end; i < g.length; i = end) {
		for (end = i + 1; end < g.length && g.group[end].alike == g.group[i].alike;)
			end++;
		any |= take_function(o, g.group + i, end - i);
	}
	intern_free(g.known);
	free(g.group);
	free(number);
	return any;
}

/* Rounds until nothing is taken any more. */
static struct tree_list outline_by(
	struct tree_builder *b, struct tree_list text, bool tags, bool exact, bool (*take_some)(struct outlining *))
{
	struct outlining o = {.builder = b, .exact = exact, .tags = tags, .keys = intern_new()};
	o.known = intern_new_keys(sizeof(struct below));
	for (bool again = true; again;) {
		size_t *root = begin_round(&o, text), procedures = b->procedures;
		again = take_some(&o);
		text = changed_list(&o, root[0]);
		for (size_t i = 0; i < procedures; i++)
			b->procedure[i]->body = changed_list(&o, root[1 + i]);
		free(root);
		end_round(&o);
	}
	intern_free(o.known);
	intern_free(o.keys);
	free(o.key);
	free(o.unit);
	free(o.list);
	return text;
}

/* Calls of one procedure in a row look alike without their arguments, and would be left to be a
   loop: so what calls with the same arguments comes first. */
struct tree_list outline(struct tree_builder *b, struct tree_list text, bool tags)
{
	size_t procedures;
	do {
		procedures = b->procedures;
		text = outline_by(b, outline_by(b, text, tags, false, take_blocks), tags, true, take_blocks);
	} while (b->procedures > procedures);
	return text;
}

struct tree_list outline_functions(struct tree_builder *b, struct tree_list text)
{
	return outline_by(b, text, true, false, take_functions);
}

/* ------------------------------------------------------------------ without calls */

/* A call as its body is put in its place: that stands below the loops around it, and arguments are
   numbers. */
struct undoing {
	struct tree_builder *builder;
	const indexed *const *argument; /* by parameter and lane */
	uint32_t arguments;
	struct lane_set lanes; /* of the call */
	uint32_t depth; /* loops around the call */
	bool stays; /* the activations are those of the procedure, as where it stands */
};

/* The argument that a selector selects, by the loops around the call, then those of the selector.
   argument: of one lane, below `depth` loops. */
static indexed selected(
	struct indexed_store *s, indexed selector, const indexed *argument, uint32_t arguments, uint32_t depth)
{
	indexed made = INDEXED_NONE;
	if (selector == INDEXED_NONE)
		return INDEXED_NONE;
	if (!depth && indexed_kind(s, selector) == INDEXED_IS_NUMBER)
		return argument[indexed_get(s, selector)];
	size_t length = depth ? 0 : indexed_length(s, selector);
	for (uint32_t k = 0; k < arguments && depth; k++)
		length = indexed_length(s, argument[k]) > length ? indexed_length(s, argument[k]) : length;
	indexed *iteration = mem_array(length + 1, sizeof *iteration);
	indexed *inside = mem_array(arguments, sizeof *inside);
	for (size_t i = 0; i < length + !length; i++) {
		for (uint32_t k = 0; k < arguments && depth; k++)
			inside[k] = indexed_at(s, argument[k], i);
		iteration[i] = depth ? selected(s, selector, inside, arguments, depth - 1)
				     : selected(s, indexed_at(s, selector, i), argument, arguments, 0);
	}
	made = length ? indexed_each(s, iteration, length) : indexed_same(s, iteration[0]);
	free(iteration);
	free(inside);
	return made;
}

static indexed undone_number(const struct undoing *u, const struct tree_node *n, uint32_t k, size_t at, uint32_t lane)
{
	struct indexed_store *s = u->builder->store;
	if (!(n->parameters >> k & 1))
		return indexed_wrap(s, n->slot[k][at], u->depth);
	indexed argument[PARAMETERS_LIMIT];
	size_t column = lane_index(u->lanes, lane);
	/* no procedure of a builder has more */
	uint32_t arguments = u->arguments < PARAMETERS_LIMIT ? u->arguments : PARAMETERS_LIMIT;
	for (uint32_t i = 0; i < arguments; i++)
		argument[i] = u->argument[i][column];
	return selected(s, n->slot[k][at], argument, arguments, u->depth);
}

static struct tree_list undone_list(const struct undoing *, struct tree_list, uint32_t inside);

/* The lanes of a node that execute the call, too. */
static uint32_t undone_lanes(const struct undoing *u, const struct tree_node *n)
{
	struct lane_set has = tree_lanes(u->builder, n->lanes);
	uint32_t *lane = mem_array(has.length, sizeof *lane);
	size_t lanes = 0;
	for (size_t i = 0; i < has.length; i++)
		if (lane_set_has(u->lanes, has.lane[i]))
			lane[lanes++] = has.lane[i];
	uint32_t set = lanes == has.length ? n->lanes : tree_lane_set(u->builder, lane, lanes);
	free(lane);
	return set;
}

/* inside: loops of the procedure around it. NULL: nobody executes it. */
static struct tree_node *undone_node(const struct undoing *u, const struct tree_node *n, uint32_t inside)
{
	struct tree_builder *b = u->builder;
	uint32_t set = undone_lanes(u, n);
	struct lane_set lanes = tree_lanes(b, set), has = tree_lanes(b, n->lanes);
	if (!lanes.length)
		return NULL;
	indexed **slot = tree_slots(b, n->slots, set);
	for (uint32_t k = 0; k < n->slots; k++)
		for (size_t i = 0; i < lanes.length; i++)
			slot[k][i] = undone_number(u, n, k, lane_index(has, lanes.lane[i]), lanes.lane[i]);
	struct tree_node *made = n->kind == TREE_CALL ? tree_call(b, n->procedure, set, slot, 0)
				 : n->kind == TREE_EVENT
					 ? tree_event(b, n->shape, set, slot, 0)
					 : tree_loop(b, n->kind, set, slot[0], undone_list(u, n->body, inside + 1));
	made->activation = u->stays ? n->activation : 0;
	return made;
}

static struct tree_list undone_list(const struct undoing *u, struct tree_list list, uint32_t inside)
{
	struct tree_node **made = mem_array(list.length, sizeof *made);
	size_t length = 0;
	for (size_t i = 0; i < list.length; i++) {
		made[length] = undone_node(u, list.node[i], inside);
		length += made[length] != NULL;
	}
	struct tree_list undone = tree_list_of(u->builder, made, length);
	free(made);
	return undone;
}

static struct tree_list called(struct tree_builder *b, const struct tree_node *call, uint32_t depth, bool stays)
{
	struct undoing u = {b, call->slot, call->slots, tree_lanes(b, call->lanes), depth, stays};
	return undone_list(&u, call->procedure->body, 0);
}

struct tree_list outline_called(struct tree_builder *b, const struct tree_node *call, uint32_t depth)
{
	return called(b, call, depth, true);
}

/* Bodies in the places of calls: of those of one procedure, or of all, also inside of these. */
static struct tree_list undo_at(
	struct tree_builder *b, struct tree_list list, uint32_t depth, const struct tree_procedure *only)
{
	struct tree_node **made = NULL;
	size_t length = 0, capacity = 0;
	for (size_t i = 0; i < list.length; i++) {
		struct tree_node *n = list.node[i];
		bool undone = n->kind == TREE_CALL && (!only || n->procedure == only);
		struct tree_list inside = undone ? undo_at(b, called(b, n, depth, false), depth, only)
						 : undo_at(b, n->body, depth + 1, only);
		made = mem_grow(made, &capacity, length + inside.length + 1, sizeof *made);
		if (undone)
			memcpy(made + length, inside.node, inside.length * sizeof *made);
		else
			made[length] = n->body.length ? tree_with_body(b, n, inside) : n;
		length += undone ? inside.length : 1;
	}
	struct tree_list all = tree_list_of(b, made, length);
	free(made);
	return all;
}

struct tree_list outline_undo(struct tree_builder *b, struct tree_list list)
{
	return undo_at(b, list, 0, NULL);
}

/* ------------------------------------------------------------------ calls that do not pay */

/* How often it is called. passes_on: do arguments of it have to do with parameters of others? */
static size_t calls_of(const struct tree_procedure *p, struct tree_list list, bool *passes_on)
{
	size_t calls = 0;
	for (size_t i = 0; i < list.length; i++) {
		const struct tree_node *n = list.node[i];
		bool own = n->kind == TREE_CALL && n->procedure == p;
		*passes_on = *passes_on || (own && n->parameters);
		calls += own + calls_of(p, n->body, passes_on);
	}
	return calls;
}

/* Was it worth it before others were made inside of it, and is it no more? Functions of the source
   stay as long as they say something. */
static bool may_be_dear(const struct tree_builder *b, const struct tree_procedure *p, struct tree_list text)
{
	bool passes_on = false;
	size_t calls = calls_of(p, text, &passes_on);
	for (size_t i = 0; i < b->procedures; i++)
		calls += calls_of(p, b->procedure[i]->body, &passes_on);
	bool dear = p->function ? tree_size(p->body) < FUNCTION_STATEMENTS
				: saving(tree_size(p->body) * COST_STATEMENT, calls, free_arguments(p)) < OUTLINE_SAVES;
	return calls && !passes_on && dear;
}

struct tree_list outline_inline(struct tree_builder *b, struct pricing *p, struct tree_list text, uint32_t *price)
{
	struct tree_list *body = mem_array(b->procedures, sizeof *body);
	*price = price_program(p, text);
	for (size_t k = b->procedures; k-- > 0;) {
		if (!may_be_dear(b, b->procedure[k], text))
			continue;
		struct tree_list now = undo_at(b, text, 0, b->procedure[k]);
		for (size_t i = 0; i < b->procedures; i++) {
			body[i] = b->procedure[i]->body;
			b->procedure[i]->body = undo_at(b, body[i], 0, b->procedure[k]);
		}
		uint32_t inlined = price_program(p, now);
		bool pays = inlined < *price;
		for (size_t i = 0; i < b->procedures && !pays; i++)
			b->procedure[i]->body = body[i];
		if (!pays)
			continue;
		b->procedures--;
		memmove(b->procedure + k, b->procedure + k + 1, (b->procedures - k) * sizeof *b->procedure);
		text = now;
		*price = inlined;
	}
	free(body);
	return text;
}
