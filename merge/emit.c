/*
 * emit.c -- the tree's nodes become statements, fitted slots the numbers in them, calls the
 * statements of their bodies and a range of lines. What is made is what the reader would make of
 * its text: what one process alone does is written without a set where that can say it, and a guard
 * behind its opposite is an `else`.
 */
#include "merge/emit.h"

#include <stdlib.h>
#include <string.h>

#include "merge/grids.h"
#include "merge/outline.h"
#include "model/body_names.h"
#include "model/module_parts.h"

struct emitting {
	struct tree_builder *builder;
	struct pricing *pricing;
	struct store *s;
	const struct dictionary *words; /* of events, and their groups */
	struct tables *there;
	struct draft *to;
	struct environment at; /* of one process */
	bool on_grid; /* does anything ask where on the grid a process is? */
	size_t line; /* the next one */
	size_t frame_capacity;
	node_id *kid; /* a stack: statements of the bodies around */
	size_t kids, kid_capacity;
	/* Inside of calls: so many frames of paths more than activations of their procedures say; is
	   that not known? */
	int64_t frames;
	bool vague;
	struct intern *procedures; /* numbers of the builder's */
	uint32_t *number; /* by these: those of the draft */
	size_t numbers, number_capacity;
};

static void add(struct emitting *e, node_id statement)
{
	*MEM_PUSH(e->kid, e->kids, e->kid_capacity) = statement;
}

/* The statements since there were `first`. */
static node_id take_body(struct emitting *e, size_t first)
{
	node_id body =
		node_make(e->s, NODE_SEQUENCE, 0, 0, 0, (uint32_t)(e->kids - first), e->kid ? e->kid + first : NULL);
	e->kids = first;
	return body;
}

static void add_line(struct emitting *e, uint32_t frames)
{
	e->to->frames = mem_grow(e->to->frames, &e->frame_capacity, e->line + 1, sizeof *e->to->frames);
	e->to->frames[e->line++] = frames;
}

/* ------------------------------------------------------------------ numbers and sets */

/* Coordinates, not as a place that they are. */
static bool asks_grid(const struct store *s, node_id id)
{
	const struct node *n = node_of(s, id);
	bool asks = n->kind == NODE_VARIABLE && n->number >= VARIABLE_X && n->number <= VARIABLE_W;
	for (uint32_t k = 0; k < n->kids && !asks; k++)
		asks = asks_grid(s, n->kid[k]);
	return asks;
}

static bool is_on_grid(const struct store *s, node_id place)
{
	return node_of(s, number_single(s, place))->kind == NODE_GRID;
}

/* With tables called as those of the program that there is which say the same. */
static node_id called_as_there(struct emitting *e, node_id id)
{
	const struct node *n = node_of(e->s, id);
	if (n->kind == NODE_TABLE) {
		const struct table *there = tables_same(e->there, store_get_table(e->s, (uint32_t)n->number));
		const char *name = there ? table_name(there) : store_get_word(e->s, n->word);
		return node_make(e->s, NODE_TABLE, 0, store_word(e->s, name, strlen(name)), n->number, 0, NULL);
	}
	if (!n->looks)
		return id;
	node_id kid[NUMBER_TERMS];
	for (uint32_t k = 0; k < n->kids; k++)
		kid[k] = called_as_there(e, n->kid[k]);
	return node_with(e->s, id, kid);
}

/* What stands there; NODE_NONE: it cannot be said. */
static node_id fitted_slot(struct emitting *e, const struct tree_node *n, uint32_t k, const struct tree_context *c)
{
	node_id number = called_as_there(e, price_fitted(e->pricing, n, k, c)->number);
	e->on_grid = e->on_grid || (!is_on_grid(e->s, number) && asks_grid(e->s, number));
	return number;
}

/* As it is on the process at hand. */
static struct substitution put_process(struct emitting *e, uint32_t rank)
{
	environment_set(&e->at, rank);
	return (struct substitution){.store = e->s, .at = &e->at, .kept = USES_INDICES};
}

/* bare: as a column; one of all: is it `*`? */
static node_id set_node(struct emitting *e, const struct ranks *ranks, bool bare, bool all)
{
	if (all && ranks_count(ranks) == e->to->module->processes)
		return node_make(e->s, NODE_ALL, bare, 0, 0, 0, NULL);
	return node_make(e->s, NODE_RANKS, bare, 0, store_ranks(e->s, ranks), 0, NULL);
}

/* Who executes it, over a set, or named in the event. */
static node_id who_node(struct emitting *e, const struct tree_node *n, bool named)
{
	struct lane_set lanes = tree_lanes(e->builder, n->lanes);
	struct ranks ranks = {0};
	for (size_t i = 0; i < lanes.length; i++)
		ranks_add(&ranks, e->builder->process[lanes.lane[i]]);
	node_id who = set_node(e, &ranks, named, !named);
	ranks_clear(&ranks);
	return who;
}

/* ------------------------------------------------------------------ groups */

/* Does it part the processes alike, whatever the indices? */
static bool tells_groups(const struct store *s, node_id communicator)
{
	const struct node *n = node_of(s, communicator);
	bool tells = true;
	for (uint32_t k = 0; k < n->kids; k++) {
		const struct node *f = node_of(s, node_kid(s, n->kid[k], 0));
		tells = tells && (f->kind == NODE_VARIABLE || !(f->uses[FOR_ALL] & USES_INDICES));
	}
	return tells;
}

/* Which slot of the node it is; n->slots: none. */
static uint32_t slot_of(const struct emitting *e, const struct tree_node *n, enum tree_slot wanted)
{
	uint32_t k = 0;
	while (k < n->slots && tree_slot_of(e->builder, n, k) != wanted)
		k++;
	return k;
}

/*
 * The group of a collective whose groups are parts of all processes: that of all lanes, or what the
 * communicator tells. NODE_NONE: that tells others, or not all members are here.
 */
static node_id partition_node(struct emitting *e, const struct tree_node *n, node_id communicator, bool alone)
{
	const uint32_t *partition = e->builder->partition[tree_shape(e->builder, n)->group].group;
	struct lane_set lanes = tree_lanes(e->builder, n->lanes);
	const indexed *number = n->slot[slot_of(e, n, SLOT_IS_COMMUNICATOR)];
	struct intern *groups = intern_new_keys(sizeof(uint32_t)), *numbers = intern_new_keys(sizeof(indexed));
	bool alike = true;
	uint64_t members = 0;
	for (size_t i = 0; i < lanes.length && alike; i++) {
		uint32_t group = partition[e->builder->process[lanes.lane[i]]], known = intern_count(groups);
		struct ranks set_of_group = dictionary_get_ranks(e->words, group);
		alike = intern_id(groups, &group, sizeof group) == intern_id(numbers, &number[i], sizeof number[i]);
		members += intern_count(groups) > known ? ranks_count(&set_of_group) : 0;
	}
	node_id group = NODE_NONE;
	if (alike && intern_count(groups) == 1) {
		struct ranks set = dictionary_get_ranks(e->words, partition[e->builder->process[lanes.lane[0]]]);
		group = set_node(e, &set, true, !alone);
	} else if (alike && members == lanes.length && tells_groups(e->s, communicator)) {
		group = node_make(e->s, NODE_BY_COMMUNICATOR, 0, 0, 0, 0, NULL);
	}
	intern_free(groups);
	intern_free(numbers);
	return group;
}

/* The line of the grid through each process, or through one. */
static node_id line_node(struct emitting *e, uint64_t all)
{
	node_id coordinate[GRID_AXES];
	uint32_t axes = e->to->module->grid.axes;
	for (uint32_t k = 0; k < axes; k++)
		coordinate[k] = all >> k & 1 ? NODE_NONE : number_variable(e->s, VARIABLE_X + k);
	return axes ? node_make(e->s, NODE_LINE, 0, 0, 0, axes, coordinate)
		    : node_make(e->s, NODE_SELF, 0, 0, 0, 0, NULL);
}

static node_id line_of_process(struct emitting *e, uint64_t all, uint32_t rank)
{
	const struct module *m = e->to->module;
	struct ranks line = {0};
	uint32_t first = grid_line_first(&m->grid, (uint32_t)all, rank);
	for (uint32_t other = first; other < m->processes; other++)
		if (grid_line_first(&m->grid, (uint32_t)all, other) == first)
			ranks_add(&line, other);
	node_id group = set_node(e, &line, true, false);
	ranks_clear(&line);
	return group;
}

/* NODE_NONE: it cannot be said. */
static node_id group_node(struct emitting *e, const struct tree_node *n, node_id communicator, bool alone)
{
	const struct tree_shape *shape = tree_shape(e->builder, n);
	if (shape->grouped == GROUP_IS_IN_PARTITION)
		return partition_node(e, n, communicator, alone);
	if (shape->grouped == GROUP_IS_LINE) {
		uint32_t first = tree_lanes(e->builder, n->lanes).lane[0];
		return alone ? line_of_process(e, shape->group, e->builder->process[first])
			     : line_node(e, shape->group);
	}
	struct ranks set = dictionary_get_ranks(e->words, (uint32_t)shape->group);
	return set_node(e, &set, true, !alone);
}

/* ------------------------------------------------------------------ events */

/* Its numbers; peer: what is known of that, or NODE_NONE. False: one of them cannot be said. */
struct event_columns {
	node_id kid[COLUMNS + 2];
	uint32_t kids;
};

static bool put_numbers(struct emitting *e, const struct tree_node *n, const struct tree_context *c, node_id peer,
	struct event_columns *to)
{
	static const enum event_column column[TREE_SLOTS] = {
		[SLOT_IS_PEER] = COLUMN_PEER, [SLOT_IS_TAG] = COLUMN_TAG, [SLOT_IS_COMMUNICATOR] = COLUMN_COMMUNICATOR};
	bool rooted = kind_gathers(tree_shape(e->builder, n)->kind);
	*to = (struct event_columns){.kids = COLUMNS};
	for (uint32_t k = 0; k < n->slots; k++) {
		node_id number = peer && k == SLOT_IS_PEER ? peer : fitted_slot(e, n, k, c);
		enum tree_slot slot = tree_slot_of(e->builder, n, k);
		if (!number)
			return false;
		if (!SLOT_IS_SIZE(slot)) {
			to->kid[rooted && slot == SLOT_IS_PEER ? COLUMN_ROOT : column[slot]] = number;
			continue;
		}
		const char *name = slot == SLOT_IS_BYTES ? "bytes" : "received";
		to->kid[to->kids++] = node_make(e->s, NODE_ATTRIBUTE, 0, store_word(e->s, name, strlen(name)), 0, 2,
			(node_id[]){number, NODE_NONE});
	}
	return true;
}

/* As what one process does, without a set. False: so it cannot be said; nothing is changed. */
static bool put_alone(struct emitting *e, const struct tree_node *n, struct event_columns *to)
{
	struct lane_set lanes = tree_lanes(e->builder, n->lanes);
	if (lanes.length != 1)
		return false;
	struct substitution put = put_process(e, e->builder->process[lanes.lane[0]]);
	struct event_columns own = *to;
	int64_t constant;
	for (uint32_t k = 0; k < own.kids; k++) {
		bool place = k == COLUMN_PEER || k == COLUMN_ROOT;
		if (own.kid[k] && k < COLUMNS)
			own.kid[k] = place ? rank_put(&put, own.kid[k]) : number_put(&put, own.kid[k]);
		else if (own.kid[k])
			own.kid[k] = node_with(e->s, own.kid[k],
				(node_id[]){number_put(&put, node_kid(e->s, own.kid[k], 0)), NODE_NONE});
		if (!own.kid[k] != !to->kid[k])
			return false;
	}
	if (own.kid[COLUMN_COMMUNICATOR] && !number_is_constant(e->s, own.kid[COLUMN_COMMUNICATOR], &constant))
		return false;
	*to = own;
	return true;
}

static void add_event(struct emitting *e, const struct tree_node *n, const struct event_columns *columns, bool inside)
{
	const struct tree_shape *shape = tree_shape(e->builder, n);
	const char *word = dictionary_get_word(e->words, shape->word);
	add(e, node_make(e->s, NODE_EVENT, (int)shape->kind, store_word(e->s, word, strlen(word)), inside,
		       columns->kids, columns->kid));
	add_line(e, 0);
}

static bool emit_event(struct emitting *e, const struct tree_node *n, const struct tree_context *c)
{
	struct event_columns own;
	if (!put_numbers(e, n, c, NODE_NONE, &own))
		return false;
	bool alone = put_alone(e, n, &own), sync = kind_gathers(tree_shape(e->builder, n)->kind);
	own.kid[COLUMN_WHO] = who_node(e, n, alone);
	own.kid[COLUMN_GROUP] = sync ? group_node(e, n, own.kid[COLUMN_COMMUNICATOR], alone) : NODE_NONE;
	if (sync && !own.kid[COLUMN_GROUP])
		return false;
	bool line = sync && tree_shape(e->builder, n)->grouped == GROUP_IS_LINE;
	e->on_grid =
		e->on_grid ||
		(!alone && (line || is_on_grid(e->s, own.kid[COLUMN_PEER]) || is_on_grid(e->s, own.kid[COLUMN_ROOT])));
	add_event(e, n, &own, false);
	return true;
}

/* A message where its peer is on the grid; the guard tells no more. */
static bool emit_neighbour(
	struct emitting *e, const struct tree_node *guard, const struct tree_context *c, const struct fitted *peer)
{
	const struct tree_node *n = guard->body.node[0];
	struct event_columns own;
	if (!put_numbers(
		    e, n, &(struct tree_context){guard, c, tree_depth(c)}, called_as_there(e, peer->number), &own) ||
		tree_depth(c) == INDEX_DEPTH)
		return false;
	own.kid[COLUMN_WHO] = who_node(e, n, false);
	e->on_grid = e->on_grid || is_on_grid(e->s, peer->number);
	add_event(e, n, &own, true);
	return true;
}

/* ------------------------------------------------------------------ guards */

/* Is one of them 0 and the other 1, wherever they are? */
static bool are_opposite(const struct indexed_store *s, indexed a, indexed b)
{
	enum indexed_kind kind = indexed_kind(s, a);
	if (kind == INDEXED_IS_NUMBER && indexed_kind(s, b) == INDEXED_IS_NUMBER)
		return indexed_get(s, a) != indexed_get(s, b);
	if (a == INDEXED_NONE || b == INDEXED_NONE || kind == INDEXED_IS_NUMBER ||
		indexed_length(s, a) != indexed_length(s, b))
		return a == b;
	bool opposite = are_opposite(s, indexed_at(s, a, 0), indexed_at(s, b, 0));
	for (size_t i = 1; i < indexed_length(s, a) && opposite; i++)
		opposite = are_opposite(s, indexed_at(s, a, i), indexed_at(s, b, i));
	return opposite;
}

/* Do the same lanes do exactly one of both, each time? */
static bool is_else(const struct emitting *e, const struct tree_node *before, const struct tree_node *n)
{
	bool opposite = before && before->kind == TREE_GUARD && n->kind == TREE_GUARD && before->lanes == n->lanes;
	for (size_t i = 0; opposite && i < tree_lanes(e->builder, n->lanes).length; i++)
		opposite = are_opposite(e->builder->store, before->slot[0][i], n->slot[0][i]);
	return opposite;
}

/* As a TEST. */
static node_id condition_node(struct emitting *e, node_id number)
{
	bool test = !number || node_of(e->s, number)->kind == NODE_TEST;
	return test ? number : test_make(e->s, NODE_TEST_NOT_ZERO, 0, number);
}

/* The guard before the node at hand: it is open, what was added since is its body. */
struct guard_before {
	const struct tree_node *node; /* NULL: there is none, or it has its `else` */
	size_t first;
	node_id condition;
	bool otherwise; /* is it an `else`? */
};

static void close_guard(struct emitting *e, struct guard_before *g)
{
	if (g->node)
		add(e, node_make(e->s, NODE_GUARD, g->otherwise, 0, 0, 3,
			       (node_id[]){NODE_NONE, g->condition, take_body(e, g->first)}));
	g->node = NULL;
}

static bool emit_list(struct emitting *, struct tree_list, const struct tree_context *);

/* Guards beside each other that say the same, of other lanes each, are one. */
static bool emit_guard(
	struct emitting *e, const struct tree_node *n, const struct tree_context *c, struct guard_before *before)
{
	bool otherwise = is_else(e, before->node, n);
	node_id number = otherwise ? NODE_NONE : fitted_slot(e, n, 0, c);
	int64_t constant;
	if (tree_depth(c) == INDEX_DEPTH || (!otherwise && !number))
		return false;
	node_id condition = otherwise ? test_opposite(e->s, before->condition) : condition_node(e, number);
	if (!otherwise && number_is_constant(e->s, number, &constant) && constant == 1) { /* it always holds */
		close_guard(e, before);
		return emit_list(e, n->body, &(struct tree_context){n, c, tree_depth(c)});
	}
	if (otherwise || !before->node || condition != before->condition || before->otherwise) {
		close_guard(e, before);
		*before = (struct guard_before){n, e->kids, condition, otherwise};
		add_line(e, 0);
	}
	bool good = emit_list(e, n->body, &(struct tree_context){n, c, tree_depth(c)});
	before->node = n;
	if (otherwise)
		close_guard(e, before);
	return good;
}

/* ------------------------------------------------------------------ calls */

static bool has_name(const struct program_calls *c, const char *name)
{
	size_t i = 0;
	while (i < c->names && strcmp(c->name[i], name) != 0)
		i++;
	return i < c->names;
}

/* A function may do several things, each of which is a procedure. */
static uint32_t name_anew(struct program_calls *c, struct text *name)
{
	size_t length = name->length;
	for (unsigned i = 2; has_name(c, name->data); i++)
		body_name_number(name, length, i);
	return program_calls_name(c, name->data);
}

/* Functions of the source have names, and those with names the lower numbers. */
static uint32_t number_of_procedure(struct emitting *e, const struct tree_procedure *p)
{
	struct text name = {0};
	uint32_t at = intern_id(e->procedures, &p->number, sizeof p->number);
	if (at < e->numbers)
		return e->number[at];
	if (p->function)
		body_name_of_function(p->function, &name);
	uint32_t number = (uint32_t)e->builder->procedures + p->number;
	if (name.length)
		number = name_anew(&e->to->calls, &name);
	text_clear(&name);
	return *MEM_PUSH(e->number, e->numbers, e->number_capacity) = number;
}

/* Its statements, and that they are a call. */
static bool emit_call(struct emitting *e, const struct tree_node *n, const struct tree_context *c)
{
	struct program_calls *calls = &e->to->calls;
	size_t call = program_calls_begin(calls, number_of_procedure(e, n->procedure), e->line);
	int64_t frames = e->frames;
	bool vague = e->vague, known = n->procedure->function && n->activation && n->procedure->outer;
	if (known)
		e->frames += (int64_t)e->builder->activation[n->activation].frames -
			     e->builder->activation[n->procedure->outer].frames;
	e->vague = e->vague || !known;
	bool good = emit_list(e, outline_called(e->builder, n, tree_depth(c)), c);
	e->frames = frames;
	e->vague = vague;
	program_calls_end(calls, call, e->line);
	return good;
}

/* ------------------------------------------------------------------ all together */

/* That of one process is written without a set. */
static bool emit_loop(struct emitting *e, const struct tree_node *n, const struct tree_context *c)
{
	struct lane_set lanes = tree_lanes(e->builder, n->lanes);
	node_id count = fitted_slot(e, n, 0, c);
	size_t first = e->kids;
	if (!count || tree_depth(c) == INDEX_DEPTH)
		return false;
	if (lanes.length <= 1) {
		struct substitution put = put_process(e, e->builder->process[lanes.lane[0]]);
		count = number_put(&put, count);
	}
	node_id last = number_add(e->s, count, number_constant(e->s, 1), -1);
	uint32_t frames = e->builder->activations ? e->builder->activation[n->activation].frames : 0;
	add_line(e, frames && !e->vague ? (uint32_t)(frames + e->frames) : 0);
	bool good = last && emit_list(e, n->body, &(struct tree_context){n, c, tree_depth(c)});
	if (good)
		add(e, node_make(e->s, NODE_LOOP, 0, 0, 0, 3,
			       (node_id[]){lanes.length > 1 ? who_node(e, n, false) : NODE_NONE, last,
				       take_body(e, first)}));
	return good;
}

/* Recursion as deep as loops nest and procedures are called. */
static bool emit_list(struct emitting *e, struct tree_list list, const struct tree_context *c)
{
	struct guard_before before = {0};
	bool good = true;
	for (size_t i = 0; i < list.length && good; i++) {
		const struct tree_node *n = list.node[i];
		bool mapped = n->kind == TREE_LOOP || n->kind == TREE_GUARD;
		const struct fitted *peer = mapped ? price_neighbour(e->pricing, n, c) : NULL;
		if (n->kind == TREE_GUARD && !peer) {
			good = emit_guard(e, n, c, &before);
			continue;
		}
		close_guard(e, &before);
		good = n->kind == TREE_EVENT  ? emit_event(e, n, c)
		       : n->kind == TREE_CALL ? emit_call(e, n, c)
		       : peer                 ? emit_neighbour(e, n, c, peer)
					      : emit_loop(e, n, c);
	}
	close_guard(e, &before);
	return good;
}

struct draft *emit(struct tree_builder *b, struct pricing *p, struct tree_list list, const struct emit_options *o)
{
	struct store *s = fit_store(price_fit(p));
	struct emitting e = {.builder = b,
		.pricing = p,
		.s = s,
		.words = o->words,
		.there = o->there,
		.to = draft_new(s, o->processes, &o->grid),
		.at = {.store = s, .processes = o->processes, .grid = o->grid},
		.procedures = intern_new_keys(sizeof(uint32_t))};
	bool good = emit_list(&e, list, NULL);
	if (good)
		module_set_body(e.to->module, take_body(&e, 0));
	if (good && !e.on_grid && o->grid.axes)
		draft_move(e.to, o->without_grid);
	if (!good) {
		draft_free(e.to);
		e.to = NULL;
	}
	intern_free(e.procedures);
	free(e.number);
	free(e.kid);
	return e.to;
}
