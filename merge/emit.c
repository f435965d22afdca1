/*
 * emit.c -- nodes become statements, fitted slots the functions in them, calls the statements of
 * their bodies.
 */
#include "merge/emit.h"

#include <stdlib.h>
#include <string.h>

#include "merge/outline.h"
#include "model/attributes.h"
#include "model/body_names.h"
#include "model/program_of_module.h"

struct emitting {
	struct tree_builder *builder;
	struct pricing *pricing;
	struct program *to;
	bool on_grid; /* does anything ask where on the grid a process is? */
	/* Inside of calls: so many frames of paths more than activations of their procedures say; is
	   that not known? */
	int64_t frames;
	bool vague;
	struct intern *procedures; /* numbers of the builder's */
	uint32_t *number; /* by these: those of the program */
	size_t numbers, number_capacity;
};

/* Tables belong to the program from now on, under names that no other one has. */
static void adopt(struct emitting *e, struct value *v)
{
	const struct table **table[] = {&v->lookup.table, &v->by.table, &v->among};
	e->on_grid = e->on_grid || value_asks_grid(v);
	for (size_t k = 0; k < sizeof table / sizeof *table; k++)
		if (*table[k])
			*table[k] = dictionary_adopt(e->to->dictionary, *table[k], table_name(*table[k]));
}

/* How many loops and guards are around each loop, the outermost first. */
static uint32_t loop_depths(const struct tree_context *c, uint32_t *depth)
{
	if (!c)
		return 0;
	uint32_t loops = loop_depths(c->outer, depth);
	if (c->loop->kind == TREE_LOOP && loops < INDEX_DEPTH)
		depth[loops++] = c->depth;
	return loops;
}

/* What was found as the older form has it; false: it cannot say it. */
static bool value_of_fitted(struct emitting *e, const struct fitted *f, const struct tree_context *c, struct value *v)
{
	uint32_t depth[INDEX_DEPTH], loops = loop_depths(c, depth);
	return f->number && value_of_node(fit_store(price_fit(e->pricing)), f->number, depth, loops, v);
}

static bool place_of_fitted(
	struct emitting *e, const struct fitted *f, const struct tree_context *c, struct place *place)
{
	uint32_t depth[INDEX_DEPTH], loops = loop_depths(c, depth);
	return f->number && place_of_node(fit_store(price_fit(e->pricing)), f->number, depth, loops, place);
}

static uint32_t set_of(struct emitting *e, const struct tree_node *n)
{
	struct lane_set lanes = tree_lanes(e->builder, n->lanes);
	struct ranks ranks = {0};
	for (size_t i = 0; i < lanes.length; i++)
		ranks_add(&ranks, e->builder->process[lanes.lane[i]]);
	uint32_t set = dictionary_ranks(e->to->dictionary, &ranks);
	ranks_clear(&ranks);
	return set;
}

static void put_number(struct form *form, const struct value *v)
{
	form->varies = !value_is_constant(v);
	if (form->varies)
		form->value = *v;
	else
		form->number = (uint64_t)v->plain.constant;
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
 * communicator tells. False: that tells others, or not all members are here.
 */
static bool put_partition(const struct emitting *e, const struct tree_node *n, struct form *form, uint32_t set)
{
	const uint32_t *partition = e->builder->partition[form->group].group;
	struct lane_set lanes = tree_lanes(e->builder, n->lanes);
	const indexed *number = n->slot[slot_of(e, n, SLOT_IS_COMMUNICATOR)];
	struct intern *groups = intern_new_keys(sizeof(uint32_t)), *numbers = intern_new_keys(sizeof(indexed));
	bool alike = true;
	uint64_t members = 0;
	for (size_t i = 0; i < lanes.length && alike; i++) {
		uint32_t group = partition[e->builder->process[lanes.lane[i]]], known = intern_count(groups);
		struct ranks set_of_group = dictionary_get_ranks(e->to->dictionary, group);
		alike = intern_id(groups, &group, sizeof group) == intern_id(numbers, &number[i], sizeof number[i]);
		members += intern_count(groups) > known ? ranks_count(&set_of_group) : 0;
	}
	if (alike && intern_count(groups) == 1) {
		form->group = partition[e->builder->process[lanes.lane[0]]];
		form->area.kind = AREA_FIXED;
	} else {
		alike = alike && members == lanes.length && program_tells_groups(&form->communicator);
		form->group = set;
	}
	intern_free(groups);
	intern_free(numbers);
	return alike;
}

/* Of a place. */
static void adopt_place(struct emitting *e, struct place *place)
{
	if (place->kind != PLACE_GRID) {
		adopt(e, &place->value);
		return;
	}
	for (uint32_t i = 0; i < GRID_AXES; i++) {
		struct value offset = {.lookup = place_offset(place, i)};
		adopt(e, &offset);
		place->offset[i] = offset.lookup.table;
	}
}

static struct area area_of(const struct emitting *e, const struct tree_shape *shape)
{
	struct area area = {.kind = shape->grouped == GROUP_IS_LINE           ? AREA_ON_GRID
				    : shape->grouped == GROUP_IS_IN_PARTITION ? AREA_BY_COMMUNICATOR
									      : AREA_FIXED};
	for (uint32_t k = 0; k < e->to->grid.axes && area.kind == AREA_ON_GRID; k++) {
		area.all[k] = (int64_t)(shape->group >> k & 1);
		area.axis[k].axis[k] = !area.all[k];
	}
	return area;
}

/* The form of an event, and what it carries; peer: what is known of that, or NULL. */
static bool form_of_node(struct emitting *e, const struct tree_node *n, const struct tree_context *c,
	const struct fitted *peer, struct form *to, uint32_t *carried)
{
	const struct tree_shape *shape = tree_shape(e->builder, n);
	struct attribute attribute[2];
	size_t attributes = 0;
	struct form form;
	memset(&form, 0, sizeof form);
	memset(attribute, 0, sizeof attribute);
	form.kind = shape->kind;
	form.word = shape->word;
	form.numbered = shape->numbered;
	form.area = area_of(e, shape);
	form.group = shape->grouped == GROUP_IS_LINE ? 0 : shape->group;
	form.communicator = value_of(NO_COMMUNICATOR);
	for (uint32_t k = 0; k < n->slots; k++) {
		const struct fitted *f = peer && k == SLOT_IS_PEER ? peer : price_fitted(e->pricing, n, k, c);
		struct value v;
		enum tree_slot slot = tree_slot_of(e->builder, n, k);
		if (slot == SLOT_IS_PEER) {
			if (!place_of_fitted(e, f, c, &form.peer))
				return false;
			adopt_place(e, &form.peer);
			continue;
		}
		if (!value_of_fitted(e, f, c, &v))
			return false;
		adopt(e, &v);
		if (slot == SLOT_IS_TAG) {
			put_number(&form, &v);
		} else if (slot == SLOT_IS_COMMUNICATOR) {
			form.communicator = v;
		} else {
			const char *name = slot == SLOT_IS_BYTES ? "bytes" : "received";
			attribute[attributes].name = dictionary_word(e->to->dictionary, name, strlen(name));
			attribute[attributes++].value = v;
		}
	}
	*carried = program_attributes(e->to, attribute, attributes);
	*to = form;
	return true;
}

static bool form_put_process(struct form *form, struct program *p, const struct spot *spot)
{
	struct place peer = form->peer;
	if (form->area.kind) {
		struct ranks group = {0};
		program_members(p, form, spot, &group);
		form->group = dictionary_ranks(p->dictionary, &group);
		form->area = (struct area){0};
		ranks_clear(&group);
	}
	if (!place_put_process(&peer, &p->grid, spot))
		return false;
	form->peer = peer;
	value_put_process(&form->communicator, spot);
	value_put_process(&form->value, spot);
	if (form->varies && value_is_constant(&form->value)) {
		form->varies = 0;
		form->number = (uint64_t)form->value.plain.constant;
		form->value = value_of(0);
	}
	return value_is_constant(&form->communicator);
}

/* An event over a set as a form; that of one process is written without a set, as far as that can say
   it. Is it? */
static bool add_form(struct program *p, uint32_t set, const struct form *form)
{
	struct ranks who = dictionary_get_ranks(p->dictionary, set);
	struct spot spot = grid_spot(&p->grid, who.run->first);
	struct form own = *form;
	bool alone = ranks_count(&who) == 1 && form_put_process(&own, p, &spot);
	if (!alone) /* those whose communicators tell groups are all in the set */
		program_add(p, set, program_form(p, form->area.kind == AREA_BY_COMMUNICATOR ? &own : form));
	else if (form_indices(&own))
		program_add_alone(p, set, program_form(p, &own));
	else
		program_add(p, STATEMENT_PLAIN, program_event_of(p, set, &own));
	return alone;
}

static bool emit_event(struct emitting *e, const struct tree_node *n, const struct tree_context *c)
{
	struct form form;
	uint32_t set = set_of(e, n), carried;
	if (!form_of_node(e, n, c, NULL, &form, &carried) ||
		(form.area.kind == AREA_BY_COMMUNICATOR && !put_partition(e, n, &form, set)))
		return false;
	if (add_form(e->to, set, &form)) {
		struct spot spot = grid_spot(&e->to->grid, dictionary_get_ranks(e->to->dictionary, set).run->first);
		carried = program_attributes_put_process(e->to, carried, &spot);
	} else {
		e->on_grid = e->on_grid || form.area.kind == AREA_ON_GRID || form.peer.kind == PLACE_GRID;
	}
	e->to->statement[e->to->length - 1].attributes = carried;
	return true;
}

/* A message and the guard of who has such a neighbour. */
static bool emit_neighbour(
	struct emitting *e, const struct tree_node *guard, const struct tree_context *c, const struct fitted *peer)
{
	const struct tree_node *n = guard->body.node[0];
	struct form form;
	struct value condition;
	uint32_t carried;
	if (!form_of_node(e, n, &(struct tree_context){guard, c, tree_depth(c)}, peer, &form, &carried) ||
		tree_depth(c) == INDEX_DEPTH || !program_inside(e->to, &form.peer, &condition))
		return false;
	size_t opened = program_open_guard(e->to, GUARD_INSIDE, &condition);
	program_add(e->to, set_of(e, n), program_form(e->to, &form));
	e->to->statement[e->to->length - 1].attributes = carried;
	program_close(e->to, opened);
	e->on_grid = e->on_grid || form.peer.kind == PLACE_GRID;
	return true;
}

/* That of one process is written without a set. */
static size_t open_loop(struct emitting *e, const struct tree_node *n, struct value *count)
{
	struct lane_set lanes = tree_lanes(e->builder, n->lanes);
	struct spot spot = grid_spot(&e->to->grid, e->builder->process[lanes.lane[0]]);
	if (lanes.length <= 1)
		value_put_process(count, &spot);
	size_t opened = program_open_by(e->to, lanes.length > 1 ? set_of(e, n) : STATEMENT_PLAIN, count);
	uint32_t frames = e->builder->activations ? e->builder->activation[n->activation].frames : 0;
	e->to->statement[opened].frames = frames && !e->vague ? (uint32_t)(frames + e->frames) : 0;
	return opened;
}

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

/* False: its count, or condition, cannot be said. unless: the guard that it is the `else` of. */
static bool value_of_slot(struct emitting *e, const struct tree_node *n, const struct tree_node *unless,
	const struct tree_context *c, struct value *v)
{
	const struct fitted *f = price_fitted(e->pricing, unless ? unless : n, 0, c);
	if (tree_depth(c) == INDEX_DEPTH || !value_of_fitted(e, f, c, v))
		return false;
	if (unless)
		*v = value_negated(v);
	adopt(e, v);
	return true;
}

/* The guard before the node at hand. */
struct guard_before {
	const struct tree_node *node; /* NULL: there is none, or it has its `else` */
	size_t opened;
	struct value condition;
};

static void close_guard(struct emitting *e, struct guard_before *g)
{
	if (g->node)
		program_close(e->to, g->opened);
	g->node = NULL;
}

static bool emit_list(struct emitting *, struct tree_list, const struct tree_context *);

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
	size_t call = program_calls_begin(calls, number_of_procedure(e, n->procedure), e->to->length);
	int64_t frames = e->frames;
	bool vague = e->vague, known = n->procedure->function && n->activation && n->procedure->outer;
	if (known)
		e->frames += (int64_t)e->builder->activation[n->activation].frames -
			     e->builder->activation[n->procedure->outer].frames;
	e->vague = e->vague || !known;
	bool good = emit_list(e, outline_called(e->builder, n, tree_depth(c)), c);
	e->frames = frames;
	e->vague = vague;
	program_calls_end(calls, call, e->to->length);
	return good;
}

/* Guards beside each other that say the same, of other lanes each, are one. */
static bool emit_guard(
	struct emitting *e, const struct tree_node *n, const struct tree_context *c, struct guard_before *before)
{
	struct value condition;
	const struct tree_node *unless = is_else(e, before->node, n) ? before->node : NULL;
	if (!value_of_slot(e, n, unless, c, &condition))
		return false;
	if (!unless && value_is_constant(&condition) && condition.plain.constant == 1) { /* it always holds */
		close_guard(e, before);
		return emit_list(e, n->body, &(struct tree_context){n, c, tree_depth(c)});
	}
	if (unless || !before->node || memcmp(&condition, &before->condition, sizeof condition) != 0) {
		close_guard(e, before);
		before->opened = program_open_guard(e->to, unless ? GUARD_ELSE : GUARD_IF, &condition);
	}
	bool good = emit_list(e, n->body, &(struct tree_context){n, c, tree_depth(c)});
	before->node = n;
	before->condition = condition;
	if (unless)
		close_guard(e, before);
	return good;
}

static bool emit_loop(struct emitting *e, const struct tree_node *n, const struct tree_context *c)
{
	struct value count;
	if (!value_of_slot(e, n, NULL, c, &count))
		return false;
	size_t opened = open_loop(e, n, &count);
	bool good = emit_list(e, n->body, &(struct tree_context){n, c, tree_depth(c)});
	program_close(e->to, opened);
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

struct program *emit(struct tree_builder *b, struct pricing *p, struct tree_list list, const struct program *from,
	const struct grid *grid)
{
	struct emitting e = {
		.builder = b, .pricing = p, .to = program_copy(from), .procedures = intern_new_keys(sizeof(uint32_t))};
	bool good;
	program_empty(e.to);
	e.to->grid = *grid;
	good = emit_list(&e, list, NULL);
	if (!e.on_grid)
		e.to->grid = (struct grid){0};
	if (!good) {
		program_free(e.to);
		e.to = NULL;
	}
	intern_free(e.procedures);
	free(e.number);
	return e.to;
}
