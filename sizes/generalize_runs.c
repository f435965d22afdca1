/*
 * generalize_runs.c -- the runs are followed by the text of one of them; what its numbers and sets
 * were in each becomes formulas and conditions, and these stand for them in its text.
 *
 * A formula stands in the program as a number that no program has (SYMBOL), so that whoever
 * compares statements, finds calls or writes lines needs to know nothing of formulas; in the text
 * that comes out it is replaced.
 */
#include "sizes/generalize_runs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "model/generalize.h"
#include "model/lines.h"
#include "sizes/follow.h"
#include "sizes/laws_of_coordinates.h"
#include "sizes/restate.h"
#include "sizes/rules.h"
#include "sizes/same_events.h"

/* Numbers of so many digits are formulas; next to each is room for one that is printed less one. */
#define SYMBOL INT64_C(900000000000000000)
#define SYMBOL_DIGITS 18
#define SYMBOL_APART 64

/* Ways to take one survivor of each run that are tried. */
#define PICKS_MOST 512

struct symbol {
	char *text;
	bool sum; /* is it to be put in parentheses before a product? */
};

struct formula_table {
	const struct table *table; /* of the program */
	uint32_t axis; /* of its argument */
	char *formula;
};

struct learning {
	const struct run_of_program *given; /* the runs, the one whose text is taken among them */
	size_t runs, leader;
	struct extents *extents;
	struct guide *guide;
	struct followed **followed; /* by run */
	struct program *restated; /* the leader's text, where it is another one than it came with */
	struct program *made; /* that text, with symbols */
	struct symbol *symbol;
	size_t symbols, symbol_capacity;
	struct formula_table *table;
	size_t tables, table_capacity;
	char **condition; /* by set of the dictionary */
	uint32_t conditions;
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
	size_t rules = rules_of(&(struct learned_runs){&leader, 1}, rule);
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

static void keep_conditions(const struct guide *t, struct guide_set *kept)
{
	for (size_t i = 0; i < t->sets; i++) {
		kept[i] = t->set[i];
		kept[i].condition = mem_array(t->set[i].conditions + 1, sizeof *kept->condition);
		if (t->set[i].conditions)
			memcpy(kept[i].condition, t->set[i].condition, t->set[i].conditions * sizeof *kept->condition);
	}
}

static void restore_conditions(struct guide *t, const struct guide_set *kept)
{
	for (size_t i = 0; i < t->sets; i++) {
		if (kept[i].conditions)
			memcpy(t->set[i].condition, kept[i].condition, kept[i].conditions * sizeof *kept->condition);
		t->set[i].conditions = kept[i].conditions;
	}
}

static bool follow_run(struct learning *l, size_t r)
{
	struct arrangements a = {0};
	struct error best = {0};
	uint64_t furthest = 0;
	const struct run_of_program *run = &l->given[r];
	struct guide_set *kept = mem_array(l->guide->sets + 1, sizeof *kept);
	if (r == l->leader)
		*MEM_PUSH(a.grid, a.length, a.capacity) = l->extents[r].grid;
	else if (run->extents.grid.axes)
		*MEM_PUSH(a.grid, a.length, a.capacity) = run->extents.grid;
	else
		arrangements_of(l, run->program->processes, &a);
	keep_conditions(l->guide, kept);
	for (size_t i = 0; i < a.length && !l->followed[r]; i++) {
		struct error error = {0};
		uint64_t progress = 0;
		l->extents[r].grid = a.grid[i];
		l->followed[r] = follow(l->guide, run->program, &l->extents[r], &progress, &error);
		if (!l->followed[r])
			restore_conditions(l->guide, kept);
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

/* ------------------------------------------------------------------ symbols */

/* A number that stands for this text. */
static int64_t symbol_of(struct learning *l, const char *text, bool sum)
{
	for (size_t i = 0; i < l->symbols; i++)
		if (!strcmp(l->symbol[i].text, text))
			return SYMBOL + SYMBOL_APART * (int64_t)i;
	*MEM_PUSH(l->symbol, l->symbols, l->symbol_capacity) = (struct symbol){mem_text(text), sum};
	return SYMBOL + SYMBOL_APART * (int64_t)(l->symbols - 1);
}

static bool is_sum(const char *text)
{
	int depth = 0;
	for (const char *at = text; *at; at++) {
		depth += (*at == '(') - (*at == ')');
		if (!depth && (*at == '+' || (*at == '-' && at > text)))
			return true;
	}
	return false;
}

static int64_t symbol_of_formula(struct learning *l, const struct formula *f)
{
	struct text text = {0};
	if (f->kind == FORMULA_CONSTANT)
		return f->add;
	formula_print(f, &l->extents[l->leader], &text);
	int64_t symbol = symbol_of(l, text.data, is_sum(text.data));
	text_clear(&text);
	return symbol;
}

/* In the text behind `before`, how it stands there. */
static void put_symbol(
	const struct symbol *s, int64_t more, const char *before, const char *behind, const char *line, struct text *to)
{
	int depth = 0;
	for (const char *at = line; at < before; at++)
		depth += (*at == '{' || *at == '(' || *at == '[') - (*at == '}' || *at == ')' || *at == ']');
	char last = before > line ? before[-1] : ' ';
	bool sum = s->sum || more, factor = strchr("*%^-/", last) || (*behind && strchr("*%^", *behind));
	bool alone = !depth && !strchr("%^+-(*", last), condition = alone && before - line > 2 && before[-2] == '=';
	bool plain = *s->text == '?'; /* what is not known */
	bool parentheses = !plain && ((factor && (sum || strpbrk(s->text, "*/"))) || (condition && sum));
	struct text text = {0};
	text_put(&text, s->text);
	/* X-2+1 */
	const char *end = strrchr(s->text, s->sum && strrchr(s->text, '+') ? '+' : '-');
	uint64_t number;
	if (more && s->sum && end && text_is_number(end + 1, 1000000, &number)) {
		int64_t sum_of = (*end == '-' ? -(int64_t)number : (int64_t)number) + more;
		text_truncate(&text, (size_t)(end - s->text));
		if (sum_of)
			text_format(&text, "%+" PRId64, sum_of);
	} else if (more) {
		text_format(&text, "%+" PRId64, more);
	}
	text_put(to, plain ? "" : alone && !condition ? "{" : parentheses ? "(" : "");
	text_put(to, text.data);
	text_put(to, plain ? "" : alone && !condition ? "}" : parentheses ? ")" : "");
	text_clear(&text);
}

static void replace_symbols(const struct learning *l, const char *text, struct text *to)
{
	const char *line = text;
	for (const char *at = text; *at;) {
		size_t digits = 0;
		bool begins = at == text || !is_digit(at[-1]);
		while (begins && is_digit(at[digits]))
			digits++;
		int64_t number = digits == SYMBOL_DIGITS ? (int64_t)strtoll(at, NULL, 10) - SYMBOL : -1;
		size_t k = (size_t)((number + SYMBOL_APART / 2) / SYMBOL_APART);
		if (number >= -SYMBOL_APART / 2 && digits == SYMBOL_DIGITS && k < l->symbols) {
			put_symbol(&l->symbol[k], number - (int64_t)k * SYMBOL_APART, at, at + digits, line, to);
			at += digits;
			continue;
		}
		digits = digits ? digits : 1;
		line = at[digits - 1] == '\n' ? at + digits : line;
		text_add(to, at, digits);
		at += digits;
	}
}

/* ------------------------------------------------------------------ numbers */

/* The runs that have seen a slot. */
static struct learned_runs seeing_runs(const struct learning *l, const bool *sees, struct extents *room)
{
	struct learned_runs runs = {room, 0};
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
	for (uint32_t i = 0; i < s->words && good; i++) {
		struct formula *f;
		for (size_t r = 0, k = 0; r < l->runs; r++)
			if (sees[r])
				value[k++] = *slot_word(&l->followed[r]->slot[slot].number[pick[r]], s->word[i]);
		good = formulas_of(&runs, value, &f);
		if (good)
			to[i] = f[0];
		free(f);
	}
	free(room);
	free(value);
	return good;
}

/* How much there is to read, and what. */
static int64_t print_all(const struct learning *l, const struct formula *f, uint32_t words, struct text *to)
{
	int64_t length = 0;
	text_truncate(to, 0);
	for (uint32_t i = 0; i < words; i++) {
		length += formula_length(&f[i]);
		formula_print(&f[i], &l->extents[l->leader], to);
		text_char(to, ' ');
	}
	return length;
}

/* The pick with the least to read; how many of these there are that say different things: 0, 1, or
   2 for several. */
static int pick_numbers(struct learning *l, size_t slot, const bool *sees, struct formula *to)
{
	size_t *pick = mem_zero((l->runs + 1) * sizeof *pick);
	uint32_t words = l->guide->slot[slot].words;
	struct formula other[SLOT_WORDS];
	struct text first = {0}, text = {0};
	bool more = true;
	int64_t best = INT64_MAX;
	int found = 0;
	for (size_t r = 0; r < l->runs; r++)
		more &= !sees[r] || l->followed[r]->slot[slot].length;
	for (size_t tried = 0; more; tried++) {
		if (formulas_for(l, slot, pick, sees, other)) {
			int64_t length = print_all(l, other, words, &text);
			if (length < best) {
				best = print_all(l, other, words, &first);
				memcpy(to, other, words * sizeof *to);
				found = 1;
			}
			found += length == best && found == 1 && words && strcmp(first.data, text.data) != 0;
		}
		size_t r = 0;
		while (r < l->runs && (!sees[r] || ++pick[r] == l->followed[r]->slot[slot].length))
			pick[r++] = 0;
		more = r < l->runs && tried < PICKS_MOST;
	}
	free(pick);
	text_clear(&first);
	text_clear(&text);
	return found;
}

static bool cannot_say(struct learning *l, size_t statement, const char *how, const char *what)
{
	struct text line = {0};
	struct addresses addresses = addresses_of(l->guide->program);
	program_print_event(l->guide->program, &l->guide->program->statement[statement], &line);
	error_set(l->error, ERROR_INCONSISTENT, "%s %s of statement %s in all runs: %s", how, what,
		addresses_get(&addresses, statement),
		statement_is_loop(&l->guide->program->statement[statement]) ? "a loop" : line.data);
	addresses_clear(&addresses);
	text_clear(&line);
	return false;
}

/* ------------------------------------------------------------------ numbers by coordinate */

/* What a number is times what an index says alone: then that. */
static bool index_factor(const struct value *v, const struct spot *s, int64_t *factor)
{
	*factor = 1;
	for (int k = 0; value_lookup(v, k); k++) {
		const struct lookup *look = value_lookup(v, k);
		struct value alone = {.lookup = *look};
		alone.lookup.factor = 1;
		int64_t entry;
		if (!value_is_uniform(&alone))
			continue;
		if (!value_fits(&alone, s, &entry))
			return false;
		*factor *= entry;
	}
	return true;
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

static int64_t coordinate_of(const struct spot *s, uint32_t axis)
{
	return axis == GRID_AXES ? s->p : s->axis[axis];
}

/* Is the number one of this coordinate alone, but for the factor? where: it is 0 but where these
   columns of another coordinate are 1; may be NULL. */
static bool columns_of(const struct learning *l, size_t slot, uint32_t axis, const struct columns *where,
	uint32_t other, struct columns *to)
{
	const struct value *v = &l->guide->slot[slot].number.value;
	bool good = true;
	*to = columns_new(l, axis);
	for (size_t r = 0; r < l->runs; r++) {
		const struct points *p = &l->followed[r]->points[slot];
		struct column_of_coordinate *column = &to->seen[r];
		for (size_t k = 0; k < p->length && good; k++) {
			struct spot spot = grid_spot(&l->extents[r].grid, p->process[k]);
			int64_t factor, c = coordinate_of(&spot, axis);
			spot.index = p->index + k * INDEX_DEPTH;
			good = index_factor(v, &spot, &factor);
			factor *= where ? where->seen[r].value[coordinate_of(&spot, other)] : 1;
			good = good && (factor ? p->value[k] % factor == 0 : p->value[k] == 0);
			if (!good || !factor)
				continue;
			good = !column->known[c] || column->value[c] == p->value[k] / factor;
			column->value[c] = p->value[k] / factor;
			column->known[c] = true;
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
		for (size_t k = 0; k < p->length; k++) {
			struct spot spot = grid_spot(&l->extents[r].grid, p->process[k]);
			column->value[coordinate_of(&spot, axis)] |= p->value[k] != 0;
			column->known[coordinate_of(&spot, axis)] = true;
		}
	}
}

static const struct table *table_of_law(struct learning *l, const struct coordinate_law *law, uint32_t axis)
{
	struct text formula = {0};
	coordinate_law_print(law, &l->extents[l->leader], axis, &formula);
	for (size_t i = 0; i < l->tables; i++)
		if (l->table[i].axis == axis && !strcmp(l->table[i].formula, formula.data)) {
			text_clear(&formula);
			return l->table[i].table;
		}
	struct text name = {0};
	text_put(&name, law->share ? "n" : "b");
	dictionary_free_name(l->made->dictionary, &name);
	struct table *t = table_new(name.data, 1);
	text_clear(&name);
	const struct extents *x = &l->extents[l->leader];
	for (uint32_t c = 0; c < extent_along(x, axis); c++) {
		int64_t value = 0;
		coordinate_law_at(law, x, axis, c, &value);
		table_add(t, value);
	}
	table_finish(t);
	dictionary_add_table(l->made->dictionary, t);
	*MEM_PUSH(l->table, l->tables, l->table_capacity) = (struct formula_table){t, axis, formula.data};
	return t;
}

/* The number as a table that a formula defines, times what the index says. */
static bool by_coordinate(struct learning *l, size_t slot, struct value *to)
{
	const struct value *v = &l->guide->slot[slot].number.value;
	struct learned_runs runs = {l->extents, l->runs};
	uint32_t axes = l->extents[l->leader].grid.axes;
	for (uint32_t k = 0; k <= axes; k++) {
		uint32_t axis = k < axes ? k : GRID_AXES;
		struct columns c;
		struct coordinate_law *law = NULL;
		size_t count =
			columns_of(l, slot, axis, NULL, 0, &c) ? coordinate_laws_of(&runs, axis, c.seen, &law) : 0;
		columns_clear(&c);
		if (!count) {
			free(law);
			continue;
		}
		struct affine at = {.p = axis == GRID_AXES};
		if (axis < GRID_AXES)
			at.axis[axis] = 1;
		const struct lookup *uniform = NULL;
		for (int i = 0; value_lookup(v, i); i++) {
			struct value alone = {.lookup = *value_lookup(v, i)};
			uniform = value_is_uniform(&alone) ? value_lookup(v, i) : uniform;
		}
		*to = value_looked_up(table_of_law(l, law, axis), &at);
		if (uniform) {
			to->by = *uniform;
			to->by.factor = 1;
		}
		free(law);
		return true;
	}
	return false;
}

/* What the other end, a rank that advances with an index, has at its x, if others are told by the
   same table. */
static bool by_peer(struct learning *l, size_t slot, struct value *to)
{
	struct learned_runs runs = {l->extents, l->runs};
	struct form form = statement_form(l->made, &l->made->statement[l->guide->slot[slot].statement]);
	struct affine peer = form.peer.value.plain;
	struct value alone = {.plain = peer};
	bool found = false, good = form.peer.kind == PLACE_NUMBER && l->extents[l->leader].grid.axes &&
				   affine_is_uniform(&peer) && value_indices(&alone) && peer.constant < SYMBOL / 2 &&
				   !memcmp(&alone, &form.peer.value, sizeof alone);
	if (!good)
		return false;
	struct columns c = columns_new(l, 0);
	struct coordinate_law *law = NULL;
	for (size_t r = 0; r < l->runs; r++) {
		const struct points *p = &l->followed[r]->points[slot];
		for (size_t k = 0; k < p->length && good; k++) {
			struct spot spot = {.index = p->index + k * INDEX_DEPTH};
			int64_t x = value_at(&alone, &spot) % c.seen[r].length;
			good = x >= 0 && (!c.seen[r].known[x] || c.seen[r].value[x] == p->value[k]);
			c.seen[r].value[good ? x : 0] = p->value[k];
			c.seen[r].known[good ? x : 0] = true;
		}
	}
	if (good && coordinate_laws_of(&runs, 0, c.seen, &law)) {
		struct text formula = {0};
		coordinate_law_print(law, &l->extents[l->leader], 0, &formula);
		for (size_t i = 0; i < l->tables && !found; i++)
			found = l->table[i].axis == 0 && !strcmp(l->table[i].formula, formula.data);
		text_clear(&formula);
	}
	if (found) {
		*to = value_looked_up(table_of_law(l, law, 0), &peer);
		to->lookup.argument[0].modulus = symbol_of(l, "X", false);
	}
	columns_clear(&c);
	free(law);
	return found;
}

/* The same on some lines of the grid, and 0 elsewhere. */
static bool by_coordinates(struct learning *l, size_t slot, struct value *to)
{
	struct learned_runs runs = {l->extents, l->runs};
	uint32_t axes = l->extents[l->leader].grid.axes;
	bool found = false;
	for (uint32_t other = 0; other < axes && !found; other++) {
		struct columns places;
		struct coordinate_law *where;
		places_of(l, slot, other, &places);
		size_t lines = coordinate_laws_of(&runs, other, places.seen, &where);
		for (uint32_t axis = 0; axis < axes && lines && !found; axis++) {
			struct columns c;
			struct coordinate_law *law = NULL;
			if (axis == other)
				continue;
			found = columns_of(l, slot, axis, &places, other, &c) &&
				coordinate_laws_of(&runs, axis, c.seen, &law);
			if (found) {
				struct affine at = {0}, at_other = {0};
				at.axis[axis] = at_other.axis[other] = 1;
				*to = value_looked_up(table_of_law(l, law, axis), &at);
				to->by = value_looked_up(table_of_law(l, where, other), &at_other).lookup;
			}
			columns_clear(&c);
			free(law);
		}
		columns_clear(&places);
		free(where);
	}
	return found;
}

/* ------------------------------------------------------------------ the text */

static void put_value(struct learning *l, size_t slot, const struct value *v)
{
	const struct slot *s = &l->guide->slot[slot];
	struct statement *st = &l->made->statement[s->statement];
	struct attribute attribute[ATTRIBUTES_MOST];
	if (s->kind == SLOT_COUNT || s->kind == SLOT_CONDITION) {
		program_set_count(l->made, st, v);
		return;
	}
	if (s->kind == SLOT_BYTES || s->kind == SLOT_RECEIVED) {
		size_t count = program_get_attributes(l->made, st->attributes, attribute);
		for (size_t i = 0; i < count; i++)
			if (attribute[i].name == l->guide->size_name[s->kind == SLOT_RECEIVED])
				attribute[i].value = *v;
		st->attributes = program_attributes(l->made, attribute, count);
		return;
	}
	struct form form = statement_form(l->made, st);
	if (s->kind == SLOT_COMMUNICATOR)
		form.communicator = *v;
	if (s->kind == SLOT_TAG) {
		form.varies = !value_is_constant(v);
		form.number = form.varies ? 0 : (uint64_t)v->plain.constant;
		form.value = form.varies ? *v : value_of(0);
	}
	st->event = program_form(l->made, &form);
}

static void put_place(struct learning *l, size_t slot, const struct place *p)
{
	struct statement *st = &l->made->statement[l->guide->slot[slot].statement];
	struct form form = statement_form(l->made, st);
	form.peer = *p;
	st->event = program_form(l->made, &form);
}

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
	size_t ranks = l->extents[l->leader].processes, iterations = 0;
	for (size_t k = 0; k < p->length; k++) {
		widen(&all, p->value[k]);
		iterations = p->index[k * INDEX_DEPTH] >= (int64_t)iterations ? (size_t)p->index[k * INDEX_DEPTH] + 1
									      : iterations;
	}
	struct span *of = mem_array(ranks + iterations + 1, sizeof *of);
	for (size_t i = 0; i < ranks + iterations; i++)
		of[i] = SPAN_EMPTY;
	for (size_t k = 0; k < p->length; k++) {
		widen(&of[p->process[k]], p->value[k]);
		widen(&of[ranks + (size_t)p->index[k * INDEX_DEPTH]], p->value[k]);
	}
	text_put(&l->holes, "// hole ");
	program_address(l->guide->program, s->statement, &l->holes);
	text_format(&l->holes, " %s on %zu processes: %" PRId64 "..%" PRId64,
		s->kind == SLOT_RECEIVED ? "received" : "bytes", ranks, all.least, all.most);
	put_spans(&l->holes, "rank", of, ranks);
	put_spans(&l->holes, "i0 =", of + ranks, iterations);
	text_char(&l->holes, '\n');
	free(of);
}

/* What follows the data: from the least to the most. */
static void put_hole(struct learning *l, size_t slot)
{
	struct span all = SPAN_EMPTY;
	struct text text = {0};
	for (size_t r = 0; r < l->runs; r++)
		for (size_t k = 0; k < l->followed[r]->points[slot].length; k++)
			widen(&all, l->followed[r]->points[slot].value[k]);
	tell_hole(l, slot);
	text_format(&text, "?(%" PRId64 "..%" PRId64 ")", all.least, all.most);
	struct value v = value_of(symbol_of(l, text.data, false));
	put_value(l, slot, &v);
	text_clear(&text);
	l->facts->holes++;
}

static bool is_size(const struct slot *s)
{
	return s->kind == SLOT_BYTES || s->kind == SLOT_RECEIVED;
}

static bool put_slot(struct learning *l, size_t slot)
{
	static const char *const what[] = {"the peer", "the tag", "the communicator", "the size", "the size",
		"the number of iterations", "the condition"};
	const struct slot *s = &l->guide->slot[slot];
	struct formula formula[SLOT_WORDS];
	struct value value;
	size_t seen = 0;
	bool *sees = mem_array(l->runs, sizeof *sees);
	for (size_t r = 0; r < l->runs; r++)
		seen += sees[r] = l->followed[r]->seen[slot];
	int picks = pick_numbers(l, slot, sees, formula);
	free(sees);
	if (seen < 2 && !place_asks_table(&s->number))
		return true; /* the instance says where it relies on that */
	if (seen < 2 && !is_size(s))
		return cannot_say(l, s->statement, "only one run shows", what[s->kind]);
	if (picks > 1 && !is_size(s))
		return cannot_say(l, s->statement, "more than one formula explains", what[s->kind]);
	/* a remainder of p that says what the root has, says it of one number of processes */
	bool of_process = is_size(s) && !value_is_uniform(&s->number.value);
	if (of_process && by_coordinate(l, slot, &value)) {
		put_value(l, slot, &value);
		return true;
	}
	if (picks == 1) {
		struct place place = s->number;
		for (uint32_t i = 0; i < s->words; i++)
			*slot_word(&place, s->word[i]) = symbol_of_formula(l, &formula[i]);
		if (s->kind == SLOT_PEER)
			put_place(l, slot, &place);
		else
			put_value(l, slot, &place.value);
		return true;
	}
	if (is_size(s) && ((!of_process && by_coordinate(l, slot, &value)) || by_coordinates(l, slot, &value) ||
				  by_peer(l, slot, &value))) {
		put_value(l, slot, &value);
		return true;
	}
	if (is_size(s)) {
		put_hole(l, slot);
		return true;
	}
	return cannot_say(l, s->statement, "no formula explains", what[s->kind]);
}

static const char *condition_for(void *learning, uint32_t set)
{
	const struct learning *l = learning;
	return set < l->conditions ? l->condition[set] : NULL;
}

static const char *formula_for(void *learning, const struct table *t)
{
	const struct learning *l = learning;
	for (size_t i = 0; i < l->tables; i++)
		if (l->table[i].table == t)
			return l->table[i].formula;
	return NULL;
}

/* Are there conditions for all sets that mean them? */
static bool sets_have_conditions(const struct learning *l)
{
	for (size_t i = 0; i < l->guide->sets; i++) {
		if (l->guide->set[i].conditions)
			continue;
		struct text text = {0};
		struct ranks ranks = dictionary_get_ranks(l->guide->program->dictionary, l->guide->set[i].id);
		ranks_print_short(&ranks, &text);
		error_set(l->error, ERROR_INCONSISTENT,
			"no condition on coordinates says in all runs who executes what processes %s of %" PRIu32 " do",
			text.data, l->extents[l->leader].processes);
		text_clear(&text);
		return false;
	}
	return true;
}

/* The fewest comparisons, then those that stand first in the family. */
static void put_sets(struct learning *l)
{
	for (size_t i = 0; i < l->guide->sets; i++) {
		const struct guide_set *s = &l->guide->set[i];
		struct text text = {0};
		size_t best = 0;
		for (size_t k = 1; k < s->conditions; k++)
			best = condition_compare(&s->condition[k], &s->condition[best]) < 0 ? k : best;
		condition_text(&s->condition[best], &text);
		while (l->conditions <= s->id) {
			l->condition = mem_resize(l->condition, l->conditions + 1, sizeof *l->condition);
			l->condition[l->conditions++] = NULL;
		}
		l->condition[s->id] = text.data;
	}
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
	size_t rules = rules_of(&(struct learned_runs){l->extents, l->runs}, rule);
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

#define BEGINNING "// tracenest 1\n// parametric\n"

/* The text of a program's statements as it is with its calls. */
static void put_calls(const struct program *p, struct text *text)
{
	struct error ignored;
	struct module *m = p->calls.length ? module_parse("", text->data, text->length, &ignored) : NULL;
	if (!m)
		return;
	struct draft *d = draft_of(m);
	draft_take_calls(d, p);
	m = module_of_draft(d, NULL, NULL);
	text_truncate(text, 0);
	module_print_text(m, NULL, text);
	module_free(m);
	draft_free(d);
}

static void make_text(struct learning *l, const struct extents *proven, size_t count, struct text *to)
{
	struct text header = {0}, text = {0};
	put_header(l, proven, count, &header);
	program_print_remarks_text(l->made,
		&(struct program_remarks){
			.header = header.data, .parametric = l, .set = condition_for, .table = formula_for},
		&text);
	struct text whole = {0};
	text_put(&whole, BEGINNING);
	replace_symbols(l, strchr(text.data, '\n') + 1, &whole);
	put_calls(l->made, &whole);
	const char *rest = whole.data + strlen(BEGINNING);
	text_format(to, BEGINNING DIGEST_LINE "%016" PRIx64 "\n%s", text_digest(rest), rest);
	text_clear(&whole);
	text_clear(&header);
	text_clear(&text);
}

/* ------------------------------------------------------------------ learning */

static bool prove_run(const struct learning *l, size_t r, const struct text *text)
{
	struct text told = {0};
	struct program *made =
		program_parse_at("the text of all runs", text->data, text->length, &l->extents[r], l->error);
	if (made)
		program_drop_idle(made, NULL);
	bool good = made &&
		    (same_events(made, l->given[r].program, &told) ||
			    error_set(l->error, ERROR_INCONSISTENT,
				    "the text of all runs does not say what the run of %" PRIu32 " processes does: %s",
				    l->extents[r].processes, told.data ? told.data : "other processes"));
	program_free(made);
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
	for (size_t i = 0; i < l->symbols; i++)
		free(l->symbol[i].text);
	for (size_t i = 0; i < l->tables; i++)
		free(l->table[i].formula);
	for (uint32_t i = 0; i < l->conditions; i++)
		free(l->condition[i]);
	text_clear(&l->holes);
	free(l->symbol);
	free(l->table);
	free(l->condition);
	program_free(l->made);
	program_free(l->restated);
	free(l->extents);
}

/* Statements that name their processes, as those of a set. */
static void name_sets(struct program *p)
{
	for (size_t i = 0; i < p->length; i++) {
		struct statement *s = &p->statement[i];
		if (statement_is_loop(s))
			continue;
		struct ranks_run single;
		struct form form = statement_form(p, s);
		struct ranks who = program_processes(p, s, &single);
		s->set = dictionary_ranks(p->dictionary, &who);
		s->event = program_form(p, &form);
		s->alone = false;
	}
}

/* With the text of the leader. */
static bool learn_from(struct learning *l, struct text *to)
{
	struct program *text = l->restated ? l->restated : l->given[l->leader].program;
	l->extents = mem_array(l->runs, sizeof *l->extents);
	l->followed = mem_zero((l->runs + 1) * sizeof *l->followed);
	l->facts->holes = 0;
	text_truncate(&l->holes, 0);
	for (size_t r = 0; r < l->runs; r++)
		l->extents[r] = l->given[r].extents;
	struct grid *grid = &l->extents[l->leader].grid;
	bool good = !grid->axes || !memcmp(grid, &text->grid, sizeof *grid) ||
		    error_set(l->error, ERROR_INCONSISTENT,
			    "the text of %s is on another grid than the one that is given for it",
			    l->given[l->leader].name);
	*grid = text->grid;
	l->guide = !good ? NULL : guide_of(text, &l->extents[l->leader], true, l->error);
	good = l->guide && sets_have_conditions(l);
	for (size_t r = 0; r < l->runs && good; r++)
		good = follow_run(l, r);
	good = good && sets_have_conditions(l);
	l->made = good ? program_copy(text) : NULL;
	if (good) {
		name_sets(l->made);
		put_sets(l);
	}
	for (size_t i = 0; good && i < l->guide->slots; i++)
		good = put_slot(l, i);
	forget_runs(l);
	if (good)
		make_text(l, NULL, 0, to);
	for (size_t r = 0; r < l->runs && good; r++)
		good = prove_run(l, r, to);
	l->facts->statements = good ? program_statements(l->made) : 0;
	return good;
}

/* Ways to say what the leader does: as it came; without tables of processes; on a wider grid; both. */
enum { AS_IT_CAME, SPLIT, WIDER, SPLIT_WIDER, RESTATEMENTS };

/* On the grid that its run was given, where it says nothing of another one. */
static struct program *on_given_grid(const struct run_of_program *run)
{
	struct program *to = run->extents.grid.axes && !run->program->grid.axes ? program_copy(run->program) : NULL;
	if (to)
		to->grid = run->extents.grid;
	return to;
}

/* NULL: this is no other one. */
static struct program *restate_as(const struct run_of_program *run, int way)
{
	const struct program *p = run->program;
	if (way == AS_IT_CAME || run->extents.grid.axes)
		return way == AS_IT_CAME ? on_given_grid(run) : NULL;
	struct program *split = way == SPLIT || way == SPLIT_WIDER ? restate_split(p) : NULL;
	if (way < WIDER)
		return split;
	struct program *wider = way == WIDER || split ? restate_on_wider_grid(split ? split : p) : NULL;
	program_free(split);
	return wider;
}

/* Does it look up peers or tags by index? These numbers may be those of one number of processes. */
static bool looks_up(const struct program *p)
{
	bool looks = false;
	for (size_t i = 0; i < p->length; i++) {
		if (statement_is_loop(&p->statement[i]))
			continue;
		struct form form = statement_form(p, &p->statement[i]);
		looks |= form.value.lookup.table || (form.peer.kind != PLACE_GRID && form.peer.value.lookup.table);
	}
	return looks;
}

/* The next leader: of the runs whose texts look up nothing, then of the others, the largest. */
static size_t next_leader(const struct run_of_program *given, size_t runs, const bool *tried)
{
	size_t leader = SIZE_MAX;
	bool asks = false;
	for (size_t r = 0; r < runs; r++) {
		if (tried[r])
			continue;
		bool here = looks_up(given[r].program);
		if (leader == SIZE_MAX || (asks && !here) ||
			(asks == here && given[r].program->processes > given[leader].program->processes)) {
			leader = r;
			asks = here;
		}
	}
	return leader;
}

/* With the text of one run that explains all; where none does, with these texts restated. The error
   is of the first one. What was learned is the caller's, to make the text again, where there is one. */
static bool learn(struct learning *l, const struct run_of_program *given, size_t runs, struct text *to,
	struct generalize_facts *facts, struct error *error)
{
	bool *tried = mem_array(runs, sizeof *tried), good = false;
	for (int way = AS_IT_CAME; !good && way < RESTATEMENTS; way++) {
		memset(tried, 0, runs * sizeof *tried);
		for (size_t k = 0; k < runs && !good; k++) {
			struct error other;
			size_t leader = next_leader(given, runs, tried);
			struct program *text = restate_as(&given[leader], way);
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

static bool check_runs(const struct run_of_program *given, size_t runs, struct error *error)
{
	bool several = false;
	if (runs < 2)
		return error_set(
			error, ERROR_INPUT, "generalize needs two runs or more, on different numbers of processes");
	if (runs > RUNS_MOST)
		return error_set(error, ERROR_INPUT, "generalize takes up to %d runs, not %zu", RUNS_MOST, runs);
	for (size_t r = 0; r < runs; r++) {
		if (!given[r].program->processes)
			return error_set(error, ERROR_INPUT, "%s has no processes", given[r].name);
		several |= given[r].program->processes != given[0].program->processes;
		for (size_t k = 0; k < r; k++) {
			if (extents_same(&given[r].extents, &given[k].extents))
				return error_set(error, ERROR_INPUT, "%s and %s are both of %" PRIu32 " processes%s",
					given[k].name, given[r].name, given[r].program->processes,
					given[r].extents.parameters ? " with the same parameters" : "");
		}
	}
	return several || given[0].extents.parameters ||
	       error_set(error, ERROR_INPUT, "all runs are of %" PRIu32 " processes", given[0].program->processes);
}

/* Would the others have foretold it? Then its extents. What they could not is told. */
static bool prove_without(const struct run_of_program *given, size_t runs, size_t left_out, struct extents *proven,
	struct generalize_facts *facts)
{
	struct run_of_program *others = mem_array(runs, sizeof *others);
	struct generalize_facts unused = {0};
	struct learning l;
	struct text text = {0}, told = {0};
	struct doubts doubts = {0};
	struct error error = {0};
	struct extents asked = given[left_out].extents;
	size_t count = 0;
	for (size_t r = 0; r < runs; r++)
		if (r != left_out)
			others[count++] = given[r];
	asked.processes = given[left_out].program->processes;
	struct program *made = NULL;
	if (learn(&l, others, count, &text, &unused, &error)) {
		learning_clear(&l);
		made = instantiate("without it", text.data, text.length, &asked, false, &doubts, &error);
	}
	bool good = made && same_events(made, given[left_out].program, &told);
	if (good) {
		*proven = asked;
		proven->grid = made->grid;
	} else {
		text_format(&facts->told, "%s: not foretold by the others: %s\n", given[left_out].name,
			made ? told.data : error.message);
	}
	program_free(made);
	text_clear(&text);
	doubts_clear(&doubts);
	text_clear(&told);
	free(others);
	return good;
}

bool generalize_runs(const struct run_of_program *given, size_t runs, struct text *to, struct generalize_facts *facts,
	struct error *error)
{
	*facts = (struct generalize_facts){0};
	if (!check_runs(given, runs, error))
		return false;
	struct learning l;
	if (!learn(&l, given, runs, to, facts, error))
		return false;
	struct extents *proven = mem_array(runs, sizeof *proven);
	size_t proofs = 0;
	uint64_t events = 0;
	for (size_t r = 0; r < runs; r++)
		events += program_events(given[r].program);
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
