/*
 * generalize_runs.c -- the runs are followed by the text of one of them; what its numbers and sets
 * were in each becomes formulas and conditions, and these stand for them in its text.
 */
#include "sizes/generalize_runs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ask/sameness.h"
#include "base/mem.h"
#include "model/attributes.h"
#include "model/generalize.h"
#include "model/lines.h"
#include "model/module_address.h"
#include "model/module_read.h"
#include "sizes/follow.h"
#include "sizes/laws_of_coordinates.h"
#include "sizes/parametric.h"
#include "sizes/restate.h"
#include "sizes/rules.h"

/* Ways to take one survivor of each run that are tried. */
#define PICKS_MOST 512

/* A run as it is looked at. */
struct taught {
	const char *name; /* for messages */
	struct extents extents;
	struct draft *draft;
	struct run *run;
};

struct learning {
	const struct taught *given; /* the runs, the one whose text is taken among them */
	size_t runs, leader;
	struct extents *extents;
	struct learned_runs learned; /* these */
	struct guide *guide;
	struct followed **followed; /* by run */
	struct draft *restated; /* the leader's text, where it is another one than it came with */
	struct draft *made; /* that text, for all runs */
	node_id *number; /* by slot: the one that stands there for all runs */
	struct text holes; /* lines of the header */
	struct generalize_facts *facts;
	struct error *error;
};

/* ------------------------------------------------------------------ arrangements */

struct arrangements {
	struct grid *grid;
	size_t length, capacity;
};

static void arrange(struct arrangements *a, struct grid g, uint32_t axis, uint32_t rest)
{
	if (axis + 1 == g.axes) {
		g.size[axis] = rest;
		*MEM_PUSH(a->grid, a->length, a->capacity) = g;
		return;
	}
	for (uint32_t size = 1; size <= rest; size++)
		if (rest % size == 0) {
			g.size[axis] = size;
			arrange(a, g, axis + 1, rest / size);
		}
}

/* All ways to have so many processes on a grid of so many axes; those first that a rule makes which
   holds of the leader. */
static void arrangements_of(const struct learning *l, uint32_t processes, struct arrangements *a)
{
	struct extents leader = l->extents[l->leader];
	struct rule rule[RULES_MOST];
	size_t rules = rules_of(&(struct learned_runs){&leader, 1, NULL}, rule);
	struct grid g = {.axes = leader.grid.axes};
	for (size_t i = 0; i < rules; i++)
		if (rule_apply(&rule[i], g.axes, processes, &g)) {
			size_t k = 0;
			while (k < a->length && memcmp(&a->grid[k], &g, sizeof g) != 0)
				k++;
			if (k == a->length)
				*MEM_PUSH(a->grid, a->length, a->capacity) = g;
		}
	if (!g.axes)
		*MEM_PUSH(a->grid, a->length, a->capacity) = g;
	else
		arrange(a, (struct grid){.axes = g.axes}, 0, processes);
}

/* ------------------------------------------------------------------ following all */

/* to: with room for as many. */
static void copy_conditions(const struct guide_set *from, struct guide_set *to, size_t sets)
{
	for (size_t i = 0; i < sets; i++) {
		to[i].conditions = from[i].conditions;
		if (from[i].conditions)
			memcpy(to[i].condition, from[i].condition, from[i].conditions * sizeof *from->condition);
	}
}

static bool follow_run(struct learning *l, size_t r)
{
	struct arrangements a = {0};
	struct error best = {0};
	uint64_t furthest = 0;
	const struct taught *run = &l->given[r];
	struct guide_set *kept = mem_array(l->guide->sets + 1, sizeof *kept);
	if (r == l->leader)
		*MEM_PUSH(a.grid, a.length, a.capacity) = l->extents[r].grid;
	else if (run->extents.grid.axes)
		*MEM_PUSH(a.grid, a.length, a.capacity) = run->extents.grid;
	else
		arrangements_of(l, run->extents.processes, &a);
	for (size_t i = 0; i < l->guide->sets; i++)
		kept[i].condition = mem_array(l->guide->set[i].conditions + 1, sizeof *kept->condition);
	copy_conditions(l->guide->set, kept, l->guide->sets);
	for (size_t i = 0; i < a.length && !l->followed[r]; i++) {
		struct error error = {0};
		uint64_t progress = 0;
		l->extents[r].grid = a.grid[i];
		l->followed[r] = follow(l->guide, run->run, &l->extents[r], &progress, &error);
		if (!l->followed[r])
			copy_conditions(kept, l->guide->set, l->guide->sets);
		if (!i || progress > furthest)
			best = error;
		furthest = !i || progress > furthest ? progress : furthest;
	}
	for (size_t i = 0; i < l->guide->sets; i++)
		free(kept[i].condition);
	free(kept);
	free(a.grid);
	if (!l->followed[r])
		*l->error = best;
	return l->followed[r];
}

/* ------------------------------------------------------------------ numbers */

/* The runs that have seen a slot. */
static struct learned_runs seeing_runs(const struct learning *l, const bool *sees, struct extents *room)
{
	struct learned_runs runs = {room, 0, l->learned.store};
	for (size_t r = 0; r < l->runs; r++)
		if (sees[r])
			room[runs.length++] = l->extents[r];
	return runs;
}

/* One survivor of each run such that every number of the slot is a formula: these, by word. */
static bool formulas_for(struct learning *l, size_t slot, const size_t *pick, const bool *sees, struct formula *to)
{
	const struct slot *s = &l->guide->slot[slot];
	struct extents *room = mem_array(l->runs, sizeof *room);
	int64_t *value = mem_array(l->runs, sizeof *value);
	struct learned_runs runs = seeing_runs(l, sees, room);
	bool good = true;
	for (uint32_t i = 0; i < s->parts.length && good; i++) {
		struct formula *f;
		for (size_t r = 0, k = 0; r < l->runs; r++)
			if (sees[r])
				value[k++] = l->followed[r]->slot[slot].value[pick[r] * s->parts.length + i];
		good = formulas_of(&runs, value, &f);
		if (good)
			to[i] = f[0];
		free(f);
	}
	free(room);
	free(value);
	return good;
}

/* How much there is to read. */
static int64_t length_of_all(const struct formula *f, uint32_t count)
{
	int64_t length = 0;
	for (uint32_t i = 0; i < count; i++)
		length += f[i].length;
	return length;
}

static bool say_the_same(const struct formula *a, const struct formula *b, uint32_t count)
{
	bool same = true;
	for (uint32_t i = 0; i < count && same; i++)
		same = formula_node(&a[i]) == formula_node(&b[i]);
	return same;
}

/* The pick with the least to read; how many of these there are that say different things: 0, 1, or
   2 for several. */
static int pick_numbers(struct learning *l, size_t slot, const bool *sees, struct formula *to)
{
	size_t *pick = mem_zero((l->runs + 1) * sizeof *pick);
	uint32_t count = l->guide->slot[slot].parts.length;
	struct formula other[PARTS_MOST];
	bool more = true;
	int64_t best = INT64_MAX;
	int found = 0;
	for (size_t r = 0; r < l->runs; r++)
		more &= !sees[r] || l->followed[r]->slot[slot].length;
	for (size_t tried = 0; more; tried++) {
		if (formulas_for(l, slot, pick, sees, other)) {
			int64_t length = length_of_all(other, count);
			if (length < best) {
				best = length;
				memcpy(to, other, count * sizeof *to);
				found = 1;
			}
			found += length == best && found == 1 && !say_the_same(to, other, count);
		}
		size_t r = 0;
		while (r < l->runs && (!sees[r] || ++pick[r] == l->followed[r]->slot[slot].length))
			pick[r++] = 0;
		more = r < l->runs && tried < PICKS_MOST;
	}
	free(pick);
	return found;
}

static bool cannot_say(struct learning *l, size_t line, const char *how, const char *what)
{
	struct text text = {0}, address = {0};
	guide_print(l->guide, line, "a loop", &text);
	module_address(l->guide->module, line, &address);
	error_set(l->error, ERROR_INCONSISTENT, "%s %s of statement %s in all runs: %s", how, what, address.data,
		text.data);
	text_clear(&address);
	text_clear(&text);
	return false;
}

/* ------------------------------------------------------------------ numbers by coordinate */

/* The look-ups of its terms that an index says alone, as one product; NODE_NONE: there are none. */
static node_id index_entries(struct store *s, node_id number)
{
	const struct node *n = node_of(s, number);
	node_id all = NODE_NONE;
	if (n->kind == NODE_ENTRY)
		return n->uses[FOR_ALL] & USES_PROCESS ? NODE_NONE : number_of_factor(s, number);
	for (uint32_t k = 0; k < n->kids && n->looks && n->kind != NODE_GRID; k++) {
		node_id entry = index_entries(s, n->kid[k]);
		all = !all ? entry : entry ? number_multiply(s, all, entry) : all;
	}
	return all;
}

struct columns {
	struct column_of_coordinate *seen; /* by run */
	size_t runs;
};

static struct columns columns_new(const struct learning *l, uint32_t axis)
{
	struct columns c = {mem_array(l->runs, sizeof *c.seen), l->runs};
	for (size_t r = 0; r < l->runs; r++)
		c.seen[r] = column_new(extent_along(&l->extents[r], axis));
	return c;
}

static void columns_clear(struct columns *c)
{
	for (size_t r = 0; r < c->runs; r++)
		column_clear(&c->seen[r]);
	free(c->seen);
}

/* False: it had another number. */
static bool note(struct column_of_coordinate *column, int64_t c, int64_t value)
{
	bool same = !column->known[c] || column->value[c] == value;
	column->value[c] = value;
	column->known[c] = true;
	return same;
}

static int64_t coordinate_of(const struct environment *at, uint32_t axis)
{
	return axis == GRID_AXES ? at->p : at->axis[axis];
}

/* Is the number one of this coordinate alone, but for the factor? where: it is 0 but where these
   columns of another coordinate are 1; may be NULL. */
static bool columns_of(const struct learning *l, size_t slot, uint32_t axis, const struct columns *where,
	uint32_t other, struct columns *to)
{
	const struct slot *s = &l->guide->slot[slot];
	node_id entries = index_entries(l->learned.store, s->number);
	bool good = true;
	*to = columns_new(l, axis);
	for (size_t r = 0; r < l->runs; r++) {
		const struct points *p = &l->followed[r]->points[slot];
		struct column_of_coordinate *column = &to->seen[r];
		struct environment at = extents_environment(&l->extents[r], l->learned.store);
		for (size_t k = 0; k < p->length && good; k++) {
			point_environment(l->guide, s, p, k, &at);
			int64_t factor = entries ? number_at(&at, entries) : 1, c = coordinate_of(&at, axis);
			factor *= where ? where->seen[r].value[coordinate_of(&at, other)] : 1;
			good = !at.failure && (factor ? p->at[k].value % factor == 0 : p->at[k].value == 0);
			if (good && factor)
				good = note(column, c, p->at[k].value / factor);
		}
	}
	return good;
}

/* By coordinate: 1 where it is ever more than 0. */
static void places_of(const struct learning *l, size_t slot, uint32_t axis, struct columns *to)
{
	*to = columns_new(l, axis);
	for (size_t r = 0; r < l->runs; r++) {
		const struct points *p = &l->followed[r]->points[slot];
		struct column_of_coordinate *column = &to->seen[r];
		struct environment at = extents_environment(&l->extents[r], l->learned.store);
		for (size_t k = 0; k < p->length; k++) {
			environment_set(&at, p->at[k].process);
			column->value[coordinate_of(&at, axis)] |= p->at[k].value != 0;
			column->known[coordinate_of(&at, axis)] = true;
		}
	}
}

static node_id table_of(struct learning *l, node_id law, uint32_t axis)
{
	const struct module *m = l->made->module;
	for (size_t i = 0; i < m->tables; i++) {
		const struct node *t = node_of(m->store, m->table[i]);
		if (t->sub == table_axes[axis] && t->kids && t->kid[0] == law)
			return m->table[i];
	}
	return NODE_NONE;
}

static bool name_is_taken(const struct module *m, uint32_t name)
{
	bool taken = false;
	for (size_t i = 0; i < m->tables && !taken; i++)
		taken = node_of(m->store, m->table[i])->word == name;
	return taken;
}

/* $n, $n2, ...: what is no table's name. */
static uint32_t free_name(const struct module *m, const char *stem)
{
	uint32_t word = store_word(m->store, stem, strlen(stem));
	for (unsigned k = 2; name_is_taken(m, word); k++) {
		struct text name = {0};
		text_format(&name, "%s%u", stem, k);
		word = store_word(m->store, name.data, name.length);
		text_clear(&name);
	}
	return word;
}

/* What a table of the coordinate has, by this argument. */
static node_id entry_of_law(struct learning *l, const struct coordinate_law *law, uint32_t axis, node_id argument)
{
	struct module *m = l->made->module;
	node_id table = table_of(l, law->number, axis);
	if (!table) {
		uint32_t name = free_name(m, law->kind == LAW_OF_SHARES ? "n" : "b");
		table = node_make(m->store, NODE_TABLE, table_axes[axis], name, 0, 1, &law->number);
		*MEM_PUSH(m->table, m->tables, m->table_capacity) = table;
	}
	return number_entry(m->store, table, &argument, 1);
}

/* What a law of one coordinate says, as a table of it. where, other: as of columns_of. NODE_NONE:
   there is none. */
static node_id entry_of_columns(
	struct learning *l, size_t slot, uint32_t axis, const struct columns *where, uint32_t other)
{
	struct columns c;
	struct coordinate_law *law = NULL;
	node_id to = NODE_NONE;
	if (columns_of(l, slot, axis, where, other, &c) && coordinate_laws_of(&l->learned, axis, c.seen, &law))
		to = entry_of_law(l, law, axis, coordinate_number(l->learned.store, axis));
	columns_clear(&c);
	free(law);
	return to;
}

/* The number as a table that a formula defines, times what the index says. NODE_NONE: it is
   none. */
static node_id by_coordinate(struct learning *l, size_t slot)
{
	uint32_t axes = l->extents[l->leader].grid.axes;
	node_id to = NODE_NONE, entries = index_entries(l->learned.store, l->guide->slot[slot].number);
	for (uint32_t k = 0; k <= axes && !to; k++)
		to = entry_of_columns(l, slot, k < axes ? k : GRID_AXES, NULL, 0);
	return to && entries ? number_multiply(l->learned.store, to, entries) : to;
}

/* What the other end, a rank that advances with an index, has at its x, if others are told by the
   same table. */
static node_id by_peer(struct learning *l, size_t slot)
{
	const struct slot *s = &l->guide->slot[slot];
	struct store *store = l->learned.store;
	size_t of_peer = l->guide->line[s->line].first_slot;
	node_id peer = l->guide->slot[of_peer].kind == SLOT_PEER ? l->number[of_peer] : NODE_NONE, to = NODE_NONE;
	const struct node *n = node_of(store, peer);
	bool good = n->uses[FOR_ALL] && !(n->uses[FOR_ALL] & ~USES_INDICES) && !n->looks && !n->marks &&
		    l->extents[l->leader].grid.axes;
	if (!good)
		return NODE_NONE;
	struct columns c = columns_new(l, 0);
	struct coordinate_law *law = NULL;
	for (size_t r = 0; r < l->runs; r++) {
		const struct points *p = &l->followed[r]->points[slot];
		struct environment at = extents_environment(&l->extents[r], store);
		for (size_t k = 0; k < p->length && good; k++) {
			point_environment(l->guide, s, p, k, &at);
			int64_t x = number_at(&at, peer) % c.seen[r].length;
			good = x >= 0 && note(&c.seen[r], x, p->at[k].value);
		}
	}
	if (good && coordinate_laws_of(&l->learned, 0, c.seen, &law) && table_of(l, law->number, 0))
		to = entry_of_law(l, law, 0, number_remainder(store, peer, number_variable(store, VARIABLE_SIZE)));
	columns_clear(&c);
	free(law);
	return to;
}

/* The same on some lines of the grid, and 0 elsewhere. */
static node_id by_coordinates(struct learning *l, size_t slot)
{
	uint32_t axes = l->extents[l->leader].grid.axes;
	node_id to = NODE_NONE;
	for (uint32_t other = 0; other < axes && !to; other++) {
		struct columns places;
		struct coordinate_law *where;
		places_of(l, slot, other, &places);
		size_t lines = coordinate_laws_of(&l->learned, other, places.seen, &where);
		for (uint32_t axis = 0; axis < axes && lines && !to; axis++)
			to = axis == other ? NODE_NONE : entry_of_columns(l, slot, axis, &places, other);
		if (to)
			to = number_multiply(l->learned.store, to,
				entry_of_law(l, where, other, coordinate_number(l->learned.store, other)));
		columns_clear(&places);
		free(where);
	}
	return to;
}

/* ------------------------------------------------------------------ the text */

struct span {
	int64_t least, most;
};

#define SPAN_EMPTY ((struct span){INT64_MAX, INT64_MIN})

static void widen(struct span *s, int64_t value)
{
	s->least = value < s->least ? value : s->least;
	s->most = value > s->most ? value : s->most;
}

/* Spans of a hole that are told one by one. */
#define SPANS_TOLD 16

/* Of ranks or iterations: those next to each other that have the same span together, as in
   "; rank 0 8..16, 1-3 8"; nothing where all have. */
static void put_spans(struct text *to, const char *what, const struct span *s, size_t length)
{
	size_t told = 0, behind;
	struct text text = {0};
	for (size_t i = 0; i < length; i = behind) {
		for (behind = i + 1; behind < length && !memcmp(&s[behind], &s[i], sizeof *s);)
			behind++;
		if (s[i].least > s[i].most || told++ >= SPANS_TOLD)
			continue;
		text_format(&text, "%s %zu", told > 1 ? "," : what, i);
		if (behind > i + 1)
			text_format(&text, "-%zu", behind - 1);
		text_format(&text, " %" PRId64, s[i].least);
		if (s[i].most > s[i].least)
			text_format(&text, "..%" PRId64, s[i].most);
	}
	if (told > 1)
		text_format(to, "; %s%s", text.data, told > SPANS_TOLD ? " and so on" : "");
	text_clear(&text);
}

/* By rank, and by iteration of the outermost loop, in the run whose text it is. */
static void tell_hole(struct learning *l, size_t slot)
{
	const struct points *p = &l->followed[l->leader]->points[slot];
	const struct slot *s = &l->guide->slot[slot];
	struct span all = SPAN_EMPTY;
	size_t ranks = l->extents[l->leader].processes, iterations = 0, depth = l->guide->line[s->line].depth;
	for (size_t k = 0; k < p->length; k++) {
		size_t index = depth ? (size_t)p->index[k * depth] : 0;
		widen(&all, p->at[k].value);
		iterations = index >= iterations ? index + 1 : iterations;
	}
	struct span *of = mem_array(ranks + iterations + 1, sizeof *of);
	for (size_t i = 0; i < ranks + iterations; i++)
		of[i] = SPAN_EMPTY;
	for (size_t k = 0; k < p->length; k++) {
		widen(&of[p->at[k].process], p->at[k].value);
		widen(&of[ranks + (depth ? (size_t)p->index[k * depth] : 0)], p->at[k].value);
	}
	text_put(&l->holes, "// hole ");
	module_address(l->guide->module, s->line, &l->holes);
	text_format(&l->holes, " %s on %zu processes: %" PRId64 "..%" PRId64, size_names[s->kind - SLOT_SIZES], ranks,
		all.least, all.most);
	put_spans(&l->holes, "rank", of, ranks);
	put_spans(&l->holes, "i0 =", of + ranks, iterations);
	text_char(&l->holes, '\n');
	free(of);
}

/* What follows the data: from the least to the most. */
static node_id hole_of(struct learning *l, size_t slot)
{
	struct span all = SPAN_EMPTY;
	struct text text = {0};
	for (size_t r = 0; r < l->runs; r++)
		for (size_t k = 0; k < l->followed[r]->points[slot].length; k++)
			widen(&all, l->followed[r]->points[slot].at[k].value);
	tell_hole(l, slot);
	text_format(&text, "?(%" PRId64 "..%" PRId64 ")", all.least, all.most);
	node_id word = node_make(
		l->learned.store, NODE_WORD, 1, store_word(l->learned.store, text.data, text.length), 0, 0, NULL);
	text_clear(&text);
	l->facts->holes++;
	return word;
}

/* What stands there for all runs. */
static bool find_number(struct learning *l, size_t slot)
{
	static const char *const what[] = {"the peer", "the tag", "the communicator", "the size", "the size",
		"the number of iterations", "the condition"};
	const struct slot *s = &l->guide->slot[slot];
	struct formula formula[PARTS_MOST];
	size_t seen = 0;
	bool *sees = mem_array(l->runs, sizeof *sees), size = slot_is_size(s);
	for (size_t r = 0; r < l->runs; r++)
		seen += sees[r] = l->followed[r]->seen[slot];
	int picks = pick_numbers(l, slot, sees, formula);
	free(sees);
	node_id *to = &l->number[slot];
	*to = s->number;
	if (seen < 2 && !node_of(l->learned.store, s->number)->looks)
		return true; /* the instance says where it relies on that */
	if (seen < 2 && !size)
		return cannot_say(l, s->line, "only one run shows", what[s->kind]);
	if (picks > 1 && !size)
		return cannot_say(l, s->line, "more than one formula explains", what[s->kind]);
	/* a remainder of p that says what the root has, says it of one number of processes */
	bool of_process = size && node_of(l->learned.store, s->number)->uses[FOR_ALL] & USES_PROCESS;
	if (of_process && (*to = by_coordinate(l, slot)))
		return true;
	node_id part[PARTS_MOST];
	for (uint32_t i = 0; picks == 1 && i < s->parts.length; i++)
		part[i] = formula_node(&formula[i]);
	if (picks == 1)
		*to = number_with_parts(l->learned.store, s->number, slot_parts(s), part);
	if (picks == 1 && *to)
		return true;
	if (!size)
		return cannot_say(l, s->line, "no formula explains", what[s->kind]);
	if (!of_process)
		*to = by_coordinate(l, slot);
	*to = *to ? *to : by_coordinates(l, slot);
	*to = *to ? *to : by_peer(l, slot);
	*to = *to ? *to : hole_of(l, slot);
	return true;
}

/* Are there conditions for all sets that mean them? */
static bool sets_have_conditions(const struct learning *l)
{
	for (size_t i = 0; i < l->guide->sets; i++) {
		if (l->guide->set[i].conditions)
			continue;
		struct text text = {0};
		node_print(l->guide->module, l->guide->set[i].domain, 0, &text);
		error_set(l->error, ERROR_INCONSISTENT,
			"no condition on coordinates says in all runs who executes what processes %s of %" PRIu32 " do",
			text.data, l->extents[l->leader].processes);
		text_clear(&text);
		return false;
	}
	return true;
}

/* The fewest comparisons, then those that stand first in the family. */
static node_id domain_of(const struct learning *l, size_t set)
{
	const struct guide_set *s = &l->guide->set[set];
	size_t best = 0;
	for (size_t k = 1; k < s->conditions; k++)
		best = condition_compare(&s->condition[k], &s->condition[best]) < 0 ? k : best;
	return condition_node(l->learned.store, &s->condition[best]);
}

/* What is told of each member is told of those of one number of processes. */
static node_id without_members(struct store *s, node_id statement)
{
	const struct node *n = node_of(s, statement);
	node_id unknown = node_make(s, NODE_WORD, 1, store_word(s, "?", 1), 0, 0, NULL);
	for (uint32_t k = COLUMNS; n->kind == NODE_EVENT && k < n->kids; k++) {
		const struct node *a = node_of(s, n->kid[k]);
		if (a->kid[1] == unknown || !attribute_is_by_member(store_get_word(s, a->word)))
			continue;
		node_id *kid = mem_copy(n->kid, n->kids * sizeof *kid);
		kid[k] = attribute_of(s, a->word, NODE_NONE, unknown);
		statement = node_with(s, statement, kid);
		free(kid);
		n = node_of(s, statement);
	}
	return statement;
}

static node_id put_statement(void *learning, size_t line, node_id statement)
{
	const struct learning *l = learning;
	const struct guide *t = l->guide;
	for (size_t i = t->line[line].first_slot; i < t->line[line + 1].first_slot && statement; i++)
		statement = slot_put(t, &t->slot[i], statement, l->number[i]);
	if (statement)
		statement = without_members(l->learned.store, statement);
	if (!statement || t->line[line].set == SIZE_MAX)
		return statement;
	const struct node *n = node_of(l->learned.store, statement);
	node_id *kid = mem_copy(n->kid, n->kids * sizeof *kid), group;
	kid[0] = domain_of(l, t->line[line].set);
	if (n->kind == NODE_EVENT && (group = kid[COLUMN_GROUP]) &&
		node_of(l->learned.store, group)->kind == NODE_RANKS)
		kid[COLUMN_GROUP] = node_make(l->learned.store, NODE_ALL, 1, 0, 0, 0, NULL);
	statement = node_with(l->learned.store, statement, kid);
	free(kid);
	return statement;
}

static void put_run(const struct extents *x, const char *how, struct text *to)
{
	text_format(to, "// %s %" PRIu32, how, x->processes);
	for (uint32_t i = 0; i < x->grid.axes; i++)
		text_format(to, "%s%" PRIu32, i ? " * " : " = ", x->grid.size[i]);
	for (uint32_t i = 0; i < x->parameters; i++)
		text_format(to, ", %s = %" PRId64, x->parameter[i].name, x->parameter[i].value);
	text_char(to, '\n');
}

static void put_header(const struct learning *l, const struct extents *proven, size_t count, struct text *to)
{
	const struct extents *x = &l->extents[l->leader];
	struct rule rule[RULES_MOST];
	size_t rules = rules_of(&(struct learned_runs){l->extents, l->runs, NULL}, rule);
	text_put(to, "// processes ");
	text_put(to, x->grid.axes ? "X" : "P");
	for (uint32_t i = 1; i < x->grid.axes; i++)
		text_format(to, " * %c", "XYZW"[i]);
	text_char(to, '\n');
	for (size_t i = 0; i < rules; i++) {
		text_put(to, i ? "// or " : "// rule ");
		rule_print(&rule[i], x->grid.axes, to);
		text_char(to, '\n');
	}
	for (uint32_t i = 0; i < x->parameters; i++)
		text_format(to, "// parameter %s\n", x->parameter[i].name);
	for (size_t r = 0; r < l->runs; r++)
		put_run(&l->extents[r], "learned", to);
	for (size_t r = 0; r < count; r++)
		put_run(&proven[r], "proven", to);
	text_add(to, l->holes.data, l->holes.length);
}

static void make_text(struct learning *l, const struct extents *proven, size_t count, struct text *to)
{
	struct text header = {0}, text = {0};
	text_put(&header, "// tracenest 1\n");
	put_header(l, proven, count, &header);
	struct module *m = module_of_draft(l->made, NULL, NULL);
	free(m->header);
	m->header = header.data;
	module_print_text(m, NULL, &text);
	const char *rest = strchr(text.data, '\n') + 1;
	text_add(to, text.data, (size_t)(rest - text.data));
	text_format(to, "// parametric\n" DIGEST_LINE "%016" PRIx64 "\n%s", text_digest(rest), rest);
	module_free(m);
	text_clear(&text);
}

/* ------------------------------------------------------------------ learning */

bool same_events(struct run *of, struct run *as, struct text *told)
{
	struct first_difference d = {0};
	bool same = runs_sameness(of, as, VALUES_OF_BOTH, UINT64_MAX, &d) == SAMENESS_SAME;
	if (d.known)
		text_format(told, "'%s' instead of '%s'", d.event[0].length ? d.event[0].data : "the end",
			d.event[1].length ? d.event[1].data : "the end");
	first_difference_clear(&d);
	return same;
}

static bool prove_run(const struct learning *l, size_t r, const struct text *text)
{
	static const char *const name = "the text of all runs";
	struct text told = {0};
	struct inlined_line wrong;
	uint64_t events;
	struct module *m = module_parse(name, text->data, text->length, l->error);
	if (!m)
		return false;
	struct environment at = extents_environment(&l->extents[r], m->store);
	bool good = module_check(m, &at, &events, &wrong, l->error) || module_error_at(m, name, wrong, l->error);
	struct run *run = good ? run_new(m, &at) : NULL;
	if (run && !same_events(run, l->given[r].run, &told))
		good = error_set(l->error, ERROR_INCONSISTENT,
			"the text of all runs does not say what the run of %" PRIu32 " processes does: %s",
			l->extents[r].processes, told.data ? told.data : "other processes");
	run_free(run);
	module_free(m);
	text_clear(&told);
	return good;
}

/* What the text does not need. */
static void forget_runs(struct learning *l)
{
	for (size_t r = 0; r < l->runs && l->followed; r++)
		followed_free(l->followed[r]);
	free(l->followed);
	l->followed = NULL;
	guide_free(l->guide);
	l->guide = NULL;
}

static void learning_clear(struct learning *l)
{
	forget_runs(l);
	text_clear(&l->holes);
	free(l->number);
	draft_free(l->made);
	draft_free(l->restated);
	free(l->extents);
}

/* The draft that stands for all runs: of a parametric text. */
static struct draft *draft_for_all(const struct learning *l, const struct draft *text)
{
	struct draft *made = draft_copy(text);
	struct module *m = made->module;
	const struct extents *x = &l->extents[l->leader];
	m->parametric = true;
	m->processes = 0;
	m->grid = (struct grid){.axes = m->grid.axes};
	m->symbols = x->parameters;
	for (uint32_t i = 0; i < m->symbols; i++)
		m->symbol[i] = store_word(m->store, x->parameter[i].name, strlen(x->parameter[i].name));
	notes_clear(&m->notes);
	return made;
}

/* With the text of the leader. */
static bool learn_from(struct learning *l, struct text *to)
{
	const struct draft *text = l->restated ? l->restated : l->given[l->leader].draft;
	l->extents = mem_array(l->runs, sizeof *l->extents);
	l->followed = mem_zero((l->runs + 1) * sizeof *l->followed);
	l->facts->holes = 0;
	text_truncate(&l->holes, 0);
	for (size_t r = 0; r < l->runs; r++)
		l->extents[r] = l->given[r].extents;
	struct grid *grid = &l->extents[l->leader].grid;
	l->learned = (struct learned_runs){l->extents, l->runs, text->module->store};
	bool good = !grid->axes || !memcmp(grid, &text->module->grid, sizeof *grid) ||
		    error_set(l->error, ERROR_INCONSISTENT,
			    "the text of %s is on another grid than the one that is given for it",
			    l->given[l->leader].name);
	*grid = text->module->grid;
	l->guide = !good ? NULL : guide_of(text->module, &l->extents[l->leader], true, l->error);
	good = l->guide && sets_have_conditions(l);
	for (size_t r = 0; r < l->runs && good; r++)
		good = follow_run(l, r);
	good = good && sets_have_conditions(l);
	l->made = good ? draft_for_all(l, text) : NULL;
	l->number = good ? mem_zero((l->guide->slots + 1) * sizeof *l->number) : NULL;
	for (size_t i = 0; good && i < l->guide->slots; i++)
		good = find_number(l, i);
	good = good &&
	       (draft_map(l->made, put_statement, l) ||
		       error_set(l->error, ERROR_INCONSISTENT, "the text of all runs has numbers beyond 64 bits"));
	forget_runs(l);
	if (good)
		make_text(l, NULL, 0, to);
	for (size_t r = 0; r < l->runs && good; r++)
		good = prove_run(l, r, to);
	l->facts->statements = good ? l->made->module->lines : 0;
	return good;
}

/* Ways to say what the leader does: as it came; without tables of processes; on a wider grid; both. */
enum { AS_IT_CAME, SPLIT, WIDER, RESTATEMENTS = 4 };

/* NULL: this is no other one. As it came, it is on the grid that its run was given, where it says
   nothing of another one. */
static struct draft *restate_as(const struct taught *run, int way)
{
	struct draft *split = NULL, *to = NULL;
	if (way == AS_IT_CAME && run->extents.grid.axes && !run->draft->module->grid.axes) {
		to = draft_copy(run->draft);
		to->module->grid = run->extents.grid;
	}
	if (way == AS_IT_CAME || run->extents.grid.axes)
		return to;
	if (way & SPLIT && (!(split = restate_split(run->draft)) || !(way & WIDER)))
		return split;
	to = restate_on_wider_grid(split ? split : run->draft);
	draft_free(split);
	return to;
}

/* Does it look up peers or tags by index? These numbers may be those of one number of processes. */
static bool looks_up(const struct store *s, node_id statement)
{
	const struct node *n = node_of(s, statement);
	bool looks = false;
	if (n->kind == NODE_EVENT) {
		node_id peer = n->kid[n->kid[COLUMN_PEER] ? COLUMN_PEER : COLUMN_ROOT];
		bool grid = node_of(s, number_single(s, peer))->kind == NODE_GRID;
		return node_of(s, n->kid[COLUMN_TAG])->looks || (!grid && node_of(s, peer)->looks);
	}
	for (uint32_t k = n->kind == NODE_SEQUENCE ? 0 : 2; k < n->kids && !looks; k++)
		looks = looks_up(s, n->kid[k]);
	return looks;
}

/* The next leader: of the runs whose texts look up nothing, then of the others, the largest. */
static size_t next_leader(const struct taught *given, size_t runs, const bool *tried)
{
	size_t leader = SIZE_MAX;
	bool asks = false;
	for (size_t r = 0; r < runs; r++) {
		if (tried[r])
			continue;
		bool here = looks_up(given[r].draft->module->store, given[r].draft->module->body);
		if (leader == SIZE_MAX || (asks && !here) ||
			(asks == here && given[r].extents.processes > given[leader].extents.processes)) {
			leader = r;
			asks = here;
		}
	}
	return leader;
}

/* With the text of one run that explains all; where none does, with these texts restated. The error
   is of the first one. What was learned is the caller's, to make the text again, where there is one. */
static bool learn(struct learning *l, const struct taught *given, size_t runs, struct text *to,
	struct generalize_facts *facts, struct error *error)
{
	bool *tried = mem_array(runs, sizeof *tried), good = false;
	for (int way = AS_IT_CAME; !good && way < RESTATEMENTS; way++) {
		memset(tried, 0, runs * sizeof *tried);
		for (size_t k = 0; k < runs && !good; k++) {
			struct error other;
			size_t leader = next_leader(given, runs, tried);
			struct draft *text = restate_as(&given[leader], way);
			tried[leader] = true;
			if (way != AS_IT_CAME && !text)
				continue;
			text_truncate(to, 0);
			*l = (struct learning){.given = given,
				.runs = runs,
				.leader = leader,
				.restated = text,
				.facts = facts,
				.error = way != AS_IT_CAME || k ? &other : error};
			good = learn_from(l, to);
			l->error = NULL;
			if (!good)
				learning_clear(l);
		}
	}
	free(tried);
	return good;
}

static bool check_runs(const struct taught *given, size_t runs, struct error *error)
{
	bool several = false;
	if (runs < 2)
		return error_set(
			error, ERROR_INPUT, "generalize needs two runs or more, on different numbers of processes");
	if (runs > RUNS_MOST)
		return error_set(error, ERROR_INPUT, "generalize takes up to %d runs, not %zu", RUNS_MOST, runs);
	for (size_t r = 0; r < runs; r++) {
		if (!given[r].extents.processes)
			return error_set(error, ERROR_INPUT, "%s has no processes", given[r].name);
		several |= given[r].extents.processes != given[0].extents.processes;
		for (size_t k = 0; k < r; k++) {
			if (extents_same(&given[r].extents, &given[k].extents))
				return error_set(error, ERROR_INPUT, "%s and %s are both of %" PRIu32 " processes%s",
					given[k].name, given[r].name, given[r].extents.processes,
					given[r].extents.parameters ? " with the same parameters" : "");
		}
	}
	return several || given[0].extents.parameters ||
	       error_set(error, ERROR_INPUT, "all runs are of %" PRIu32 " processes", given[0].extents.processes);
}

/* Does the text at what is left out say the same? */
static bool foretells(const struct text *text, const struct taught *run, struct extents *proven, struct text *told,
	struct error *error)
{
	struct doubts doubts = {0};
	bool good = false;
	struct parametric *app = parametric_read("without it", text->data, text->length, error);
	struct run *made = app ? parametric_run(app, &run->extents, &doubts, error) : NULL;
	if (made)
		good = same_events(made, run->run, told);
	*proven = run->extents;
	if (made)
		proven->grid = run_environment(made).grid;
	run_free(made);
	parametric_free(app);
	doubts_clear(&doubts);
	return good;
}

/* Would the others have foretold it? Then its extents. What they could not is told. */
static bool prove_without(const struct taught *given, size_t runs, size_t left_out, struct extents *proven,
	struct generalize_facts *facts)
{
	struct taught *others = mem_array(runs, sizeof *others);
	struct generalize_facts unused = {0};
	struct learning l;
	struct text text = {0}, told = {0};
	struct error error = {0};
	size_t count = 0;
	for (size_t r = 0; r < runs; r++)
		if (r != left_out)
			others[count++] = given[r];
	bool good = learn(&l, others, count, &text, &unused, &error);
	if (good) {
		learning_clear(&l);
		good = foretells(&text, &given[left_out], proven, &told, &error);
	}
	if (!good)
		text_format(&facts->told, "%s: not foretold by the others: %s\n", given[left_out].name,
			error.kind == ERROR_NONE && told.data ? told.data : error.message);
	text_clear(&text);
	text_clear(&told);
	free(others);
	return good;
}

static bool generalize_taught(
	const struct taught *given, size_t runs, struct text *to, struct generalize_facts *facts, struct error *error)
{
	struct learning l;
	if (!check_runs(given, runs, error) || !learn(&l, given, runs, to, facts, error))
		return false;
	struct extents *proven = mem_array(runs, sizeof *proven);
	size_t proofs = 0;
	uint64_t events = 0;
	for (size_t r = 0; r < runs; r++)
		events += run_events(given[r].run, &(enum failure){FAILURE_NONE});
	bool many = events > PROOF_EVENTS / runs;
	if (runs > 2 && many)
		text_format(&facts->told,
			"no run was left out to prove the others: %" PRIu64 " events in %zu runs are too many\n",
			events, runs);
	for (size_t r = 0; r < runs && runs > 2 && !many; r++)
		proofs += prove_without(given, runs, r, &proven[proofs], facts);
	text_truncate(to, 0);
	make_text(&l, proven, proofs, to);
	learning_clear(&l);
	free(proven);
	return true;
}

bool generalize_runs(const struct run_of_program *given, size_t runs, struct text *to, struct generalize_facts *facts,
	struct error *error)
{
	struct taught *taught = mem_zero((runs + 1) * sizeof *taught);
	bool good = true;
	*facts = (struct generalize_facts){0};
	for (size_t r = 0; r < runs && good; r++) {
		taught[r].name = given[r].name;
		taught[r].extents = given[r].extents;
		taught[r].extents.processes = given[r].module->processes;
		taught[r].draft = draft_of_module(given[r].module, error);
		good = taught[r].draft;
		taught[r].run = good ? run_new(taught[r].draft->module, NULL) : NULL;
	}
	good = good && generalize_taught(taught, runs, to, facts, error);
	for (size_t r = 0; r < runs; r++) {
		run_free(taught[r].run);
		draft_free(taught[r].draft);
	}
	free(taught);
	return good;
}
