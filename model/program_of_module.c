/*
 * program_of_module.c -- the older form of a program, made of a module in an environment: numbers
 * become values, places and areas, which hold less (three remainders, two powers, one table or a
 * product of two, INDEX_DEPTH loops); calls become marks on what they stand for.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/mem.h"
#include "model/program_of_module.h"
#include "model/lines.h"
#include "model/module_read.h"
#include "model/run.h"

struct crossing {
	const struct module *m;
	struct store *s;
	struct program *p;
	struct environment at; /* of no process */
	struct inlined_line *line; /* by statement of the body without calls */
	size_t lines;
	uint32_t index_depth[NESTED_LIMIT + 1],
		loops; /* of the loops around: how many loops and guards are around it */
	uint32_t depth; /* loops and guards around */
	uint32_t around; /* the set of the loop around that has one, or STATEMENT_PLAIN */
	struct intern *tables, *domains; /* nodes: */
	const struct table **table;
	size_t table_capacity;
	uint32_t *domain; /* sets of the dictionary */
	size_t domain_capacity;
	struct error *error;
};

#define refuse(c, ...) error_set((c)->error, ERROR_INPUT, __VA_ARGS__)

static const struct node *node_in(const struct crossing *c, node_id id)
{
	return node_of(c->s, id);
}

static bool fail_number(struct crossing *c)
{
	return refuse(c, "%s", failure_text(c->at.failure ? c->at.failure : FAILURE_OVERFLOW));
}

/* ------------------------------------------------------------------ numbers */

static node_id settled(struct crossing *, node_id);

/* As a number; what depends on extents alone is what it comes to. */
static node_id settled_factor(struct crossing *c, node_id id)
{
	const struct node *f = node_in(c, id);
	node_id kid[1 + TABLE_ARGUMENTS];
	if (!(f->uses[FOR_ALL] & (USES_PROCESS | USES_INDICES)) && f->kind != NODE_ENTRY) {
		int64_t number = number_at(&c->at, id);
		return c->at.failure ? NODE_NONE : number_constant(c->s, number);
	}
	if (f->kind == NODE_VARIABLE)
		return number_of_factor(c->s, id);
	for (uint32_t k = 0; k < f->kids; k++) {
		kid[k] = f->kind == NODE_ENTRY && !k ? f->kid[k] : settled(c, f->kid[k]);
		if (!kid[k])
			return NODE_NONE;
	}
	return f->kind == NODE_PRODUCT     ? number_multiply(c->s, kid[0], kid[1])
	       : f->kind == NODE_REMAINDER ? number_remainder(c->s, kid[0], kid[1])
	       : f->kind == NODE_POWER     ? number_power(c->s, kid[0], kid[1])
					   : number_of_factor(c->s, node_with(c->s, id, kid));
}

static node_id settled(struct crossing *c, node_id id)
{
	const struct node *n = node_in(c, id);
	if (!c->m->parametric)
		return id;
	if (n->kind != NODE_SUM)
		return settled_factor(c, id);
	node_id sum = number_constant(c->s, n->number);
	for (uint32_t i = 0; i < n->kids && sum; i++) {
		const struct node *t = node_in(c, n->kid[i]);
		node_id factor = settled_factor(c, t->kid[0]);
		sum = factor ? number_add(c->s, sum, factor, t->number) : NODE_NONE;
	}
	return sum;
}

static bool is_small(struct crossing *c, int64_t number, int64_t limit)
{
	return (number >= -limit && number <= limit) || refuse(c, "a number in a formula is too large");
}

static bool add_variable(struct crossing *c, struct affine *a, int64_t variable, int64_t times)
{
	if (!is_small(c, times, FACTOR_LIMIT))
		return false;
	if (variable < VARIABLE_INDEX && variable > VARIABLE_W)
		return refuse(c, "a name stands for nothing here");
	if (variable == VARIABLE_P) {
		a->p = times;
	} else if (variable <= VARIABLE_W) {
		a->axis[variable - VARIABLE_X] = times;
	} else {
		int64_t outwards = variable - VARIABLE_INDEX;
		uint32_t depth = outwards < c->loops ? c->index_depth[c->loops - 1 - outwards] : INDEX_DEPTH;
		if (depth >= INDEX_DEPTH)
			return refuse(c, "indices of loops deeper than %d may not stand in formulas", INDEX_DEPTH);
		a->index[depth] = times;
	}
	return true;
}

static bool affine_of(struct crossing *c, node_id id, struct affine *a)
{
	const struct node *n = node_in(c, id);
	bool good = id && n->kind == NODE_SUM && is_small(c, n->number, CONSTANT_LIMIT);
	*a = (struct affine){.constant = n->number};
	for (uint32_t i = 0; i < n->kids && good; i++) {
		const struct node *t = node_in(c, n->kid[i]), *f = node_in(c, t->kid[0]);
		good = f->kind == NODE_VARIABLE
			       ? add_variable(c, a, f->number, t->number)
			       : refuse(c, "only a sum of numbers, p, coordinates and indices may stand here");
	}
	return good || (c->error->kind == ERROR_NONE && fail_number(c));
}

/* A modulus, or the base of a power. */
static bool modulus_of(struct crossing *c, node_id id, int64_t least, int64_t *modulus)
{
	return (number_is_constant(c->s, id, modulus) && *modulus >= least && *modulus <= REMAINDER_LIMIT) ||
	       refuse(c, "a modulus, and the base of a power, is a number up to %" PRId64, REMAINDER_LIMIT);
}

static bool formula_table(struct crossing *c, const struct node *t, struct table *to)
{
	int64_t entries = t->sub == 'p' ? c->at.processes : c->at.grid.size[t->sub == 'w' ? 3 : t->sub - 'x'], entry;
	for (int64_t i = 0; i < entries; i++) {
		node_id id = node_make(c->s, NODE_TABLE, t->sub, t->word, 0, 1, t->kid);
		if (!entry_at(&c->at, id, &i, 1, &entry))
			return fail_number(c);
		table_add(to, entry);
	}
	table_finish(to);
	return true;
}

static const struct table *table_of(struct crossing *c, node_id id)
{
	if (!c->p)
		return store_get_table(c->s, (uint32_t)node_in(c, id)->number);
	uint32_t known = intern_count(c->tables), at = intern_id(c->tables, &id, sizeof id);
	const struct node *t = node_in(c, id);
	struct table *table;
	if (at < known)
		return c->table[at];
	if (t->kids) {
		table = table_new(store_get_word(c->s, t->word), 1);
		if (!formula_table(c, t, table)) {
			table_free(table);
			table = NULL;
		}
	} else {
		table = table_named(store_get_table(c->s, (uint32_t)t->number), store_get_word(c->s, t->word));
	}
	c->table = mem_grow(c->table, &c->table_capacity, at + (size_t)1, sizeof *c->table);
	c->table[at] = table;
	if (table)
		dictionary_add_table(c->p->dictionary, table);
	return table;
}

static bool lookup_of(struct crossing *c, const struct node *entry, int64_t factor, struct lookup *l)
{
	*l = (struct lookup){.table = table_of(c, entry->kid[0]), .factor = factor};
	bool good = is_small(c, factor, FACTOR_LIMIT) && l->table;
	for (uint32_t k = 1; k < entry->kids && good; k++) {
		struct argument *a = &l->argument[k - 1];
		const struct node *f = node_in(c, number_single(c->s, entry->kid[k]));
		if (f->kind == NODE_REMAINDER)
			good = affine_of(c, f->kid[0], &a->inside) && modulus_of(c, f->kid[1], 1, &a->modulus);
		else
			good = affine_of(c, entry->kid[k], &a->inside);
	}
	return good;
}

static bool add_remainder(struct crossing *c, struct value *v, const struct node *f, int64_t times)
{
	int i = 0;
	while (i < REMAINDERS && v->remainder[i].modulus)
		i++;
	if (i == REMAINDERS)
		return refuse(c, "more than %d remainders in a formula", REMAINDERS);
	v->remainder[i].factor = times;
	return is_small(c, times, REMAINDER_LIMIT) && affine_of(c, f->kid[0], &v->remainder[i].inside) &&
	       modulus_of(c, f->kid[1], 1, &v->remainder[i].modulus);
}

static bool add_power(struct crossing *c, struct value *v, const struct node *f, int64_t times)
{
	int i = 0;
	while (i < POWERS && v->power[i].base)
		i++;
	if (i == POWERS)
		return refuse(c, "more than %d powers in a formula", POWERS);
	v->power[i].factor = times;
	return is_small(c, times, CONSTANT_LIMIT) && affine_of(c, f->kid[1], &v->power[i].exponent) &&
	       modulus_of(c, f->kid[0], 2, &v->power[i].base);
}

static bool add_factor(struct crossing *c, struct value *v, node_id factor, int64_t times)
{
	const struct node *f = node_in(c, factor), *left = f, *right = NULL;
	switch ((enum node_kind)f->kind) {
	case NODE_VARIABLE:
		return add_variable(c, &v->plain, f->number, times);
	case NODE_REMAINDER:
		return add_remainder(c, v, f, times);
	case NODE_POWER:
		return add_power(c, v, f, times);
	case NODE_PRODUCT:
		left = node_in(c, f->kid[0]);
		right = node_in(c, f->kid[1]);
		/* fall through */
	case NODE_ENTRY:
		if (v->lookup.table || left->kind != NODE_ENTRY || (right && right->kind != NODE_ENTRY))
			return refuse(c, "more than one table in a formula, but for a product of two");
		return lookup_of(c, left, times, &v->lookup) && (!right || lookup_of(c, right, 1, &v->by));
	default:
		return refuse(c, "a formula says more than a sum here");
	}
}

static bool value_of_number(struct crossing *c, node_id id, struct value *v)
{
	id = settled(c, id);
	const struct node *n = node_in(c, id);
	bool good = id && n->kind == NODE_SUM && (!n->kids || is_small(c, n->number, CONSTANT_LIMIT));
	*v = value_of(n->number);
	for (uint32_t i = 0; i < n->kids && good; i++) {
		const struct node *t = node_in(c, n->kid[i]);
		good = add_factor(c, v, t->kid[0], t->number);
	}
	return good || (c->error->kind == ERROR_NONE && fail_number(c));
}

/* ------------------------------------------------------------------ places */

/* x+1+$dx[i0] */
static bool coordinate_of(struct crossing *c, node_id id, uint32_t axis, struct place *place)
{
	struct value v;
	if (!value_of_number(c, id, &v))
		return false;
	place->axis[axis] = v.plain;
	if (v.remainder[0].modulus || v.power[0].base || v.by.table || (v.lookup.table && v.lookup.factor != 1) ||
		(v.lookup.table && v.lookup.argument[0].modulus))
		return refuse(c, "a coordinate is a sum, and perhaps an entry of a table of offsets");
	if (v.lookup.table && place_asks_table(place) &&
		memcmp(&place->at, &v.lookup.argument[0].inside, sizeof place->at) != 0)
		return refuse(
			c, "tables of offsets are all asked for the same function of indices: @(x+$dx[i0],y+$dy[i0])");
	place->offset[axis] = v.lookup.table;
	if (v.lookup.table)
		place->at = v.lookup.argument[0].inside;
	return affine_is_uniform(&place->at) || refuse(c, "tables of offsets are asked for a function of indices");
}

static bool place_of_number(struct crossing *c, node_id id, struct place *place)
{
	*place = (struct place){.kind = PLACE_NONE};
	if (!id)
		return true;
	id = settled(c, id);
	if (!id)
		return fail_number(c);
	enum number_shape shape = number_shape(c->s, id, true);
	const struct node *f = node_in(c, number_single(c->s, id));
	node_id own = number_variable(c->s, VARIABLE_P);
	bool good = true;
	switch (shape) {
	case SHAPE_XOR:
		place->kind = PLACE_XOR;
		return value_of_number(c, f->kid[0], &place->value) &&
		       (place->value.lookup.table || value_is_uniform(&place->value) ||
			       refuse(c,
				       "what p is combined with is the same for all processes, p^{2^i0}, but for a table"));
	case SHAPE_GRID:
		place->kind = PLACE_GRID;
		for (uint32_t a = 0; a < f->kids && good; a++)
			good = coordinate_of(c, f->kid[a], a, place);
		return good;
	case SHAPE_RING:
		place->kind = PLACE_RING;
		return modulus_of(c, f->kid[1], 1, &place->modulus) &&
		       value_of_number(c, number_add(c->s, f->kid[0], own, -1), &place->value);
	case SHAPE_OFFSET:
		place->kind = PLACE_OFFSET;
		return value_of_number(c, number_add(c->s, id, own, -1), &place->value);
	default:
		place->kind = PLACE_NUMBER;
		return value_of_number(c, id, &place->value);
	}
}

/* ------------------------------------------------------------------ domains */

static bool set_of_domain(struct crossing *c, node_id id, uint32_t *set)
{
	struct ranks ranks = {0};
	const struct node *d = node_in(c, id);
	node_id key = node_make(c->s, (enum node_kind)d->kind, 0, 0, d->number, d->kids, d->kid);
	uint32_t known = intern_count(c->domains), at = intern_id(c->domains, &key, sizeof key);
	if (at == known) {
		struct environment here = c->at;
		bool good = true;
		if (d->kind == NODE_RANKS)
			ranks_copy(&ranks, store_get_ranks(c->s, (uint32_t)d->number));
		else if (d->kind == NODE_WHERE)
			good = where_holds(&here, id, &ranks) || refuse(c, "%s", failure_text(here.failure));
		else if (c->at.processes)
			ranks_add_run(&ranks, 0, c->at.processes - 1);
		c->domain = mem_grow(c->domain, &c->domain_capacity, at + (size_t)1, sizeof *c->domain);
		c->domain[at] = dictionary_ranks(c->p->dictionary, &ranks);
		ranks_clear(&ranks);
		if (!good)
			return false;
	}
	*set = c->domain[at];
	return true;
}

/* ------------------------------------------------------------------ events */

static uint32_t word_of(struct crossing *c, uint32_t word)
{
	const char *bytes = store_get_word(c->s, word);
	return dictionary_word(c->p->dictionary, bytes, strlen(bytes));
}

static bool group_of(struct crossing *c, const struct node *event, uint32_t set, struct form *form)
{
	const struct node *g = node_in(c, event->kid[COLUMN_GROUP]);
	uint32_t group;
	bool good = true;
	switch ((enum node_kind)g->kind) {
	case NODE_SELF:
		form->area.kind = AREA_ON_GRID;
		return true;
	case NODE_BY_COMMUNICATOR:
		form->area.kind = AREA_BY_COMMUNICATOR;
		form->group = set;
		return true;
	case NODE_LINE:
		form->area.kind = AREA_ON_GRID;
		for (uint32_t a = 0; a < g->kids && good; a++) {
			form->area.all[a] = !g->kid[a];
			good = !g->kid[a] || affine_of(c, settled(c, g->kid[a]), &form->area.axis[a]);
		}
		return good;
	default:
		good = set_of_domain(c, event->kid[COLUMN_GROUP], &group);
		form->group = group;
		return good;
	}
}

static const enum event_kind older_kind[KINDS_OF_EVENTS] = {
	[KIND_SEND] = EVENT_SEND, [KIND_RECV] = EVENT_RECV, [KIND_SYNC] = EVENT_SYNC, [KIND_LOCAL] = EVENT_LOCAL};

static bool form_of(struct crossing *c, const struct node *event, uint32_t set, struct form *form)
{
	node_id tag = event->kid[COLUMN_TAG], communicator = event->kid[COLUMN_COMMUNICATOR];
	struct value number = value_of(0);
	memset(form, 0, sizeof *form);
	form->kind = older_kind[event->sub];
	form->word = word_of(c, event->word);
	form->communicator = value_of(NO_COMMUNICATOR);
	form->numbered = tag != NODE_NONE;
	bool good = (!tag || value_of_number(c, tag, &number)) &&
		    (!communicator || value_of_number(c, communicator, &form->communicator)) &&
		    place_of_number(c, event->kid[event->kid[COLUMN_PEER] ? COLUMN_PEER : COLUMN_ROOT], &form->peer);
	form->varies = !value_is_constant(&number);
	if (form->varies)
		form->value = number;
	else
		form->number = (uint64_t)number.plain.constant;
	return good && (!event->kid[COLUMN_GROUP] || group_of(c, event, set, form));
}

/* ------------------------------------------------------------------ attributes */

/* As a list of words has it (attributes.h). */
static void put_choice(struct crossing *c, node_id id, struct text *to)
{
	struct text plain = {0};
	struct error error;
	int64_t number;
	const struct node *w = node_in(c, id);
	const char *at = id && w->kind == NODE_WORD ? store_get_word(c->s, w->word) : "";
	bool quoted = *at == '"';
	if (quoted)
		text_read_word(&at, &plain, &error);
	else
		text_put(&plain, at);
	const char *word = plain.data ? plain.data : "";
	if (id && w->kind == NODE_SUM && number_is_constant(c->s, id, &number))
		text_format(to, "%c%" PRId64, CHOICE_MARK, number);
	else if (quoted && choice_needs_mark(word))
		text_format(to, "%c%s", CHOICE_MARK, word);
	else
		text_put(to, word);
	text_clear(&plain);
}

static bool attribute_of_node(struct crossing *c, const struct node *n, struct attribute *a)
{
	const struct node *words = node_in(c, n->kid[1]);
	memset(a, 0, sizeof *a);
	a->name = word_of(c, n->word);
	if (n->kid[1]) {
		size_t count = words->kind == NODE_WORDS ? words->kids : 1;
		char **word = mem_zero(count * sizeof *word);
		for (size_t i = 0; i < count; i++) {
			struct text choice = {0};
			text_add(&choice, "", 0);
			put_choice(c, words->kind == NODE_WORDS ? words->kid[i] : n->kid[1], &choice);
			word[i] = choice.data;
		}
		a->choices = program_choices(c->p, (const char *const *)word, count);
		for (size_t i = 0; i < count; i++)
			free(word[i]);
		free(word);
	}
	return !n->kid[0] || value_of_number(c, n->kid[0], &a->value);
}

static bool attributes_of(struct crossing *c, const struct node *event, uint32_t *id)
{
	struct attribute attribute[ATTRIBUTES_MOST];
	size_t count = 0;
	for (uint32_t k = COLUMNS; k < event->kids; k++) {
		const struct node *n = node_in(c, event->kid[k]), *w = node_in(c, n->kid[1]);
		bool unknown = n->kid[1] && w->kind == NODE_WORD && w->sub; /* bytes=?(8..640) */
		if (!unknown && !attribute_of_node(c, n, &attribute[count++]))
			return false;
	}
	*id = count ? program_attributes(c->p, attribute, count) : ATTRIBUTES_NONE;
	return true;
}

/* ------------------------------------------------------------------ statements */

/* What is the same for all indices is right for all who execute it, of a plain event for the first; 0 stands
   for the rest. */
static bool check_form(struct crossing *c, struct form form, uint32_t set, bool plain)
{
	struct ranks who = dictionary_get_ranks(c->p->dictionary, set);
	struct ranks_run first = {who.length ? who.run->first : 0, who.length ? who.run->first : 0};
	uint32_t peer = place_indices(&form.peer);
	bool around = (form.peer.kind == PLACE_GRID || form.peer.kind == PLACE_RING) && !(peer & INDEX_TABLE);
	if (value_indices(&form.value))
		form.value = value_of(0);
	if (value_indices(&form.communicator))
		form.communicator = value_of(0);
	if (peer && !around)
		form.peer = place_of(PLACE_NUMBER, 0);
	return program_check(c->p, &form, plain ? &(struct ranks){.run = &first, .length = 1} : &who, c->error);
}

/* All whom a statement may name in any iteration: those in the table that it looks up, else all
   that execute the loops around (NULL: anybody may). */
static void add_namable(
	const struct program *p, const struct value *named, const struct ranks *around, struct ranks *to)
{
	if (value_is_entry(named))
		table_add_ranks(named->lookup.table, named->plain.constant, p->processes, to);
	else if (around)
		ranks_copy(to, around);
	else if (p->processes)
		ranks_add_run(to, 0, p->processes - 1);
}

static bool add_named(struct crossing *c, const struct node *event, node_id name)
{
	struct value named;
	struct form form;
	struct ranks who = {0}, around = {0};
	if (!value_of_number(c, name, &named))
		return false;
	struct value condition = value_naming(&named);
	program_open_guard(c->p, GUARD_WHO, &condition);
	if (c->around != STATEMENT_PLAIN)
		around = dictionary_get_ranks(c->p->dictionary, c->around);
	add_namable(c->p, &named, c->around != STATEMENT_PLAIN ? &around : NULL, &who);
	bool good = form_of(c, event, STATEMENT_PLAIN, &form) &&
		    (who.length || refuse(c, "there is no process that could execute this"));
	uint32_t set = dictionary_ranks(c->p->dictionary, &who);
	ranks_clear(&who);
	if (good)
		program_add(c->p, set, program_form(c->p, &form));
	return good && check_form(c, form, set, false);
}

static bool add_event(struct crossing *c, const struct node *event)
{
	node_id who = event->kid[COLUMN_WHO];
	const struct node *w = node_in(c, who);
	struct form form;
	uint32_t set = STATEMENT_PLAIN, attributes;
	size_t guard = c->p->length;
	bool inside = event->number, named = w->kind == NODE_NAMED;
	c->depth += named || inside;
	if (named) {
		if (!add_named(c, event, w->kid[0]))
			return false;
	} else {
		if (!set_of_domain(c, who, &set) || !form_of(c, event, set, &form) || !check_form(c, form, set, w->sub))
			return false;
		if (inside) {
			struct value condition;
			uint64_t entries;
			if (!place_stencil(&form.peer, &entries))
				return refuse(c, "'where inside' asks for a peer by a table of offsets, p+$d[i0] or "
						 "@(x+$dx[i0],y+$dy[i0])");
			if (!program_inside(c->p, &form.peer, &condition))
				return refuse(c, "processes and offsets together are more than %llu",
					(unsigned long long)TABLE_LIMIT);
			program_open_guard(c->p, GUARD_INSIDE, &condition);
		}
		if (w->sub && (!value_is_constant(&form.communicator) ||
				      (form_indices(&form) && form.peer.kind > PLACE_NUMBER)))
			return refuse(c,
				"in a statement without a set, a rank is a number or a function of indices in braces, a communicator a number");
		if (!w->sub)
			program_add(c->p, set, program_form(c->p, &form));
		else if (form_indices(&form))
			program_add_alone(c->p, set, program_form(c->p, &form));
		else
			program_add(c->p, STATEMENT_PLAIN, program_event_of(c->p, set, &form));
	}
	if (!attributes_of(c, event, &attributes))
		return false;
	c->p->statement[c->p->length - 1].attributes = attributes;
	c->depth -= named || inside;
	if (named || inside)
		program_close(c->p, guard);
	return true;
}

static bool condition_of(struct crossing *c, node_id id, struct value *condition)
{
	const struct node *t = node_in(c, id);
	if (!value_of_number(c, t->kid[0], condition))
		return false;
	bool among = t->sub >= NODE_TEST_AMONG;
	condition->test = t->sub == NODE_TEST_NOT_ZERO  ? TEST_DIFFERS
			  : t->sub == NODE_TEST_EQUAL   ? TEST_EQUAL
			  : t->sub == NODE_TEST_DIFFERS ? TEST_DIFFERS
			  : t->sub == NODE_TEST_AMONG   ? TEST_AMONG
							: TEST_NOT_AMONG;
	if (among && !c->p)
		condition->among = store_get_table(c->s, (uint32_t)t->number);
	else if (among)
		condition->among =
			dictionary_table(c->p->dictionary, table_share(store_get_table(c->s, (uint32_t)t->number)));
	else
		condition->number = t->sub == NODE_TEST_NOT_ZERO ? 0 : t->number;
	if (value_is_flag(condition))
		condition->test = TEST_NONE;
	return true;
}

static bool add_body(struct crossing *, const struct node *own, const struct node *inlined, uint32_t *k);

static bool add_whole(struct crossing *c, node_id own, node_id inlined)
{
	uint32_t k = 0;
	return add_body(c, node_in(c, own), node_in(c, inlined), &k);
}

static bool add_loop(struct crossing *c, const struct node *own, const struct node *inlined)
{
	struct value count;
	uint32_t set = STATEMENT_PLAIN, around = c->around;
	if ((inlined->kid[0] && !set_of_domain(c, inlined->kid[0], &set)) ||
		!value_of_number(c, number_add(c->s, inlined->kid[1], number_constant(c->s, 1), 1), &count))
		return false;
	size_t at = program_open_by(c->p, set, &count);
	c->index_depth[c->loops++] = c->depth++;
	c->around = set == STATEMENT_PLAIN ? around : set;
	bool good = add_whole(c, own->kid[2], inlined->kid[2]);
	c->around = around;
	c->loops--;
	c->depth--;
	if (good)
		program_close(c->p, at);
	return good;
}

static bool add_guard(struct crossing *c, const struct node *own, const struct node *inlined)
{
	struct value condition;
	if (!condition_of(c, inlined->kid[1], &condition))
		return false;
	size_t at = program_open_guard(c->p, inlined->sub ? GUARD_ELSE : GUARD_IF, &condition);
	c->depth++;
	bool good = add_whole(c, own->kid[2], inlined->kid[2]);
	c->depth--;
	if (good)
		program_close(c->p, at);
	return good;
}

static bool add_statement(struct crossing *c, node_id own, node_id inlined)
{
	const struct node *n = node_in(c, inlined), *o = node_in(c, own);
	size_t at = c->p->length, line = c->lines++;
	bool good = n->kind == NODE_EVENT  ? add_event(c, n)
		    : n->kind == NODE_LOOP ? add_loop(c, o, n)
					   : add_guard(c, o, n);
	if (!good)
		return false;
	uint32_t sites = c->m->sites[c->line[line].line];
	c->p->statement[at].sites = sites;
	if (statement_is_in_line(&c->p->statement[at]))
		c->p->statement[at + 1].sites = sites;
	return true;
}

/* A body beside the same one without calls, of which it comes to the kids from *k on. */
static bool add_body(struct crossing *c, const struct node *own, const struct node *inlined, uint32_t *k)
{
	bool good = true;
	for (uint32_t i = 0; i < own->kids && good; i++) {
		const struct node *s = node_in(c, own->kid[i]);
		if (s->kind != NODE_CALL) {
			good = add_statement(c, own->kid[i], inlined->kid[(*k)++]);
			continue;
		}
		const struct node *procedure = node_in(c, s->kid[0]);
		uint32_t name = program_calls_name(&c->p->calls, store_get_word(c->s, procedure->word));
		size_t call = program_calls_begin(&c->p->calls, name, c->p->length);
		good = add_body(c, node_in(c, procedure->kid[0]), inlined, k);
		program_calls_end(&c->p->calls, call, c->p->length);
	}
	return good;
}

/* ------------------------------------------------------------------ all together */

static struct program *cross(
	struct module *m, const struct environment *at, struct inlined_line *wrong, struct error *error)
{
	struct crossing c = {.m = m, .s = m->store, .at = *at, .around = STATEMENT_PLAIN, .error = error};
	struct program *p = c.p = program_new();
	c.tables = intern_new_keys(sizeof(node_id));
	c.domains = intern_new_keys(sizeof(node_id));
	p->processes = at->processes;
	p->grid = at->grid;
	notes_add_all(&p->notes, &m->notes);
	site_places_free(&p->places);
	p->places = site_places_copy(&m->places);
	uint32_t k = 0;
	error->kind = ERROR_NONE;
	node_id body = module_inlined(m, &c.line, wrong, error);
	bool good = body && add_body(&c, node_in(&c, m->body), node_in(&c, body), &k);
	if (body && !good)
		*wrong = c.line[c.lines - 1];
	for (size_t i = 0; i < m->tables && good; i++)
		if (!(good = table_of(&c, m->table[i])))
			*wrong = INLINED_NOWHERE;
	intern_free(c.tables);
	intern_free(c.domains);
	free(c.line);
	free(c.table);
	free(c.domain);
	if (good)
		return p;
	program_free(p);
	return NULL;
}

struct program *program_of_module(
	struct module *m, const struct environment *at, struct inlined_line *wrong, struct error *error)
{
	struct environment own = module_environment(m);
	struct store_mark mark = store_mark(m->store);
	struct program *p = cross(m, at ? at : &own, wrong, error);
	store_release(m->store, mark, NULL, 0);
	return p;
}
