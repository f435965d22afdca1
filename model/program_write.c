/*
 * program_write.c -- a folded program as text: the header, then the statements, two spaces a level
 * (doc/tracenest-model.5).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/deflated.h"
#include "base/mem.h"
#include "model/procedures.h"
#include "model/program.h"
#include "model/said_once.h"

#define PIECE ((size_t)1 << 16)

/* Programs of more statements are not searched for what they say several times. */
#define SEARCHED ((size_t)1 << 17)

/* Larger numbers are no arguments. */
#define NUMBER_FILLED (INT64_C(1) << 60)

struct writer {
	const struct program *folded;
	struct text *text;
	struct output *output; /* takes the text in pieces; NULL: the text is all */
	const struct program_remarks *remarks;
	const struct program_enough *enough; /* NULL: all is wanted */
	uint32_t guards; /* around, a bit each: these have no index in the text */
	struct said_once *said; /* NULL: everything is said where it stands */
	int outside; /* of what is written, levels that its lines are not indented by */
	unsigned depth; /* loops around the statement whose key is made; */
	uint32_t path; /* which of these are guards */
	uint32_t indices; /* of it, outside of holes */
	const struct table **table; /* used so far */
	struct text *use; /* of each, as it was first used */
	size_t tables, table_capacity, use_capacity;
};

/* ------------------------------------------------------------------ tables */

static void note_table(struct writer *w, const struct lookup *l)
{
	const struct table *t = l->table;
	for (size_t i = 0; i < w->tables; i++)
		if (w->table[i] == t)
			return;
	w->table = mem_grow(w->table, &w->table_capacity, w->tables + 1, sizeof *w->table);
	w->use = mem_grow(w->use, &w->use_capacity, w->tables + 1, sizeof *w->use);
	w->table[w->tables] = t;
	w->use[w->tables] = (struct text){0};
	struct value alone = {.lookup = *l};
	alone.lookup.factor = 1;
	value_print(&alone, &w->use[w->tables++]);
}

static void note_tables(struct writer *w, const struct value *v)
{
	for (int k = 0; value_lookup(v, k); k++)
		note_table(w, value_lookup(v, k));
}

static void forget_tables(struct writer *w)
{
	for (size_t i = 0; i < w->tables; i++)
		text_clear(&w->use[i]);
	free(w->table);
	free(w->use);
}

static void take_text(void *writer)
{
	struct writer *w = writer;
	if (w->output)
		output_text(w->output, w->text);
}

static bool write_tables(struct writer *w)
{
	bool enough = false;
	if (w->tables)
		text_put(w->text, "// tables\n");
	for (size_t i = 0; i < w->tables && !enough; i++) {
		enough = w->enough && w->enough->is(w->enough->context, w->text, w->table[i]);
		if (enough)
			break;
		text_put(w->text, w->use[i].data);
		text_put(w->text, " =");
		table_print_pieces(w->table[i], w->text, take_text, w);
		text_char(w->text, '\n');
	}
	forget_tables(w);
	return !enough;
}

/* Is a key made? Then the indices of its statement are as seen from inside. */
static unsigned turned(const struct writer *w)
{
	return w->said && w->said->looking ? w->depth : 0;
}

/* Without the indices of guards. */
static struct value squeezed(struct writer *w, const struct value *v)
{
	struct value value = *v;
	value_squeeze(&value, w->guards);
	note_tables(w, &value);
	value_turn(&value, turned(w));
	return value;
}

/* As it is written. What its tables are asked for are holes (fill_tables). */
static struct value written(struct writer *w, const struct value *v)
{
	struct value rest = *v;
	memset(&rest.lookup, 0, sizeof rest.lookup);
	memset(&rest.by, 0, sizeof rest.by);
	w->indices |= value_indices(&rest);
	return squeezed(w, v);
}

/* ------------------------------------------------------------------ what procedures may fill */

/* What stands here instead of this number; NULL: nothing. Of one that looks up a table, the table
   and what it is asked for may be filled (fill_tables). */
static const char *number_hole(struct writer *w, const char *name, const struct value *v)
{
	if (!w->said || v->lookup.table || v->plain.constant > NUMBER_FILLED || v->plain.constant < -NUMBER_FILLED) {
		w->indices |= v->lookup.table ? 0 : value_indices(v);
		return NULL;
	}
	struct value value = squeezed(w, v);
	struct text word = {0};
	sum_print(&value, &word);
	const char *given = said_hole(w->said, name, word.data, value_is_constant(v) ? NULL : v);
	text_clear(&word);
	return given;
}

/* The text from there to there becomes this. Gives where it ends. */
static size_t replace_text(struct writer *w, size_t from, size_t to, const char *with)
{
	struct text rest = {0};
	text_add(&rest, w->text->data + to, w->text->length - to);
	text_truncate(w->text, from);
	text_put(w->text, with);
	size_t end = w->text->length;
	text_put(w->text, rest.data);
	text_clear(&rest);
	return end;
}

/* What stands at `start`: NAME[ARGUMENT,...]. Gives where it ends. name: what it is for, with a
   dollar. */
static size_t fill_table(struct writer *w, size_t start, const char *name, const struct lookup *l)
{
	struct text word = {0};
	size_t at = start + strcspn(w->text->data + start, "[");
	text_add(&word, w->text->data + start, at - start);
	const char *given = said_hole(w->said, name, word.data, NULL);
	at = given ? replace_text(w, start, at, given) : at;
	for (uint32_t i = 0; i < table_arguments(l->table); i++) {
		size_t from = at + 1;
		at = from + strcspn(w->text->data + from, ",]");
		given = number_hole(w, "k", &(struct value){.plain = l->argument[i].inside});
		if (!given)
			continue;
		text_truncate(&word, 0);
		text_put(&word, given);
		if (l->argument[i].modulus)
			text_format(&word, "%%%" PRId64, l->argument[i].modulus);
		at = replace_text(w, from, at, word.data);
	}
	text_clear(&word);
	return at;
}

/* What has been written since looks up the tables of the value. */
static void fill_tables(struct writer *w, size_t start, const char *name, const struct value *v)
{
	for (int k = 0; w->said && value_lookup(v, k); k++) {
		start += strcspn(w->text->data + start, "$");
		start = fill_table(w, start, name, value_lookup(v, k));
	}
}

/* name: what it may be called. */
static void write_value(struct writer *w, const char *name, const struct value *v)
{
	const char *given = number_hole(w, name, v);
	if (given) {
		text_format(w->text, "{%s}", given);
		return;
	}
	struct value value = written(w, v);
	size_t start = w->text->length;
	value_print(&value, w->text);
	fill_tables(w, start, "$t", v);
}

/* What is no formula stands without braces. */
static void write_number(struct writer *w, const char *name, const struct value *v)
{
	const char *given = value_is_constant(v) ? number_hole(w, name, v) : NULL;
	if (given)
		text_format(w->text, "{%s}", given);
	else if (value_is_constant(v))
		text_format(w->text, "%" PRId64, v->plain.constant);
	else
		write_value(w, name, v);
}

static void write_attribute(struct writer *w, struct attribute *a)
{
	const char *name = dictionary_get_word(w->folded->dictionary, a->name);
	const char *given = a->choices == CHOICES_NONE ? number_hole(w, name, &a->value) : NULL;
	size_t start = w->text->length;
	if (given) {
		text_format(w->text, "%s={%s}", name, given);
		return;
	}
	struct value value = a->value;
	a->value = written(w, &value);
	attribute_print(w->folded, a, w->text);
	if (!value.lookup.table || !w->said)
		return;
	start += a->choices == CHOICES_NONE ? 0 : strcspn(w->text->data + start, ")");
	struct text table = {0};
	text_format(&table, "$%s", name);
	fill_tables(w, start, table.data, &value);
	text_clear(&table);
}

static void write_attributes(struct writer *w, const struct statement *s)
{
	struct attribute attribute[ATTRIBUTES_MOST];
	size_t count = program_get_attributes(w->folded, s->attributes, attribute);
	for (size_t i = 0; i < count; i++) {
		text_put(w->text, i ? " " : " ; ");
		write_attribute(w, &attribute[i]);
	}
}

static void write_place(struct writer *w, const struct place *f)
{
	struct place place = *f;
	bool value = place.kind != PLACE_GRID;
	const char *given = value ? number_hole(w, place.kind == PLACE_NUMBER ? "rank" : "d", &f->value) : NULL;
	size_t start = w->text->length;
	switch ((enum place_kind)(given ? place.kind : PLACE_NONE)) {
	case PLACE_NUMBER:
		text_format(w->text, "{%s}", given);
		return;
	case PLACE_OFFSET:
		text_format(w->text, "p+%s", given);
		return;
	case PLACE_XOR:
		text_format(w->text, "p^{%s}", given);
		return;
	case PLACE_RING:
		text_format(w->text, "(p+%s)%%%" PRId64, given, place.modulus);
		return;
	case PLACE_GRID:
	case PLACE_NONE:
		break;
	}
	if (value)
		written(w, &f->value);
	else
		w->indices |= place_indices(f);
	place_squeeze(&place, &w->folded->grid, w->guards);
	place_turn(&place, &w->folded->grid, turned(w));
	place_print(&place, &w->folded->grid, w->text);
	if (value)
		fill_tables(w, start, "$to", &f->value);
}

static void end_line(struct writer *w)
{
	text_char(w->text, '\n');
	if (w->output && w->text->length >= PIECE)
		output_text(w->output, w->text);
}

static void write_header(struct writer *w)
{
	const struct program *p = w->folded;
	text_put(w->text, "// tracenest 1\n");
	text_format(w->text, "// processes %" PRIu32 "\n", p->processes);
	text_format(w->text, "// events %" PRIu64 "\n", program_events(p));
	if (p->grid.axes) {
		text_put(w->text, "// grid");
		for (uint32_t i = 0; i < w->folded->grid.axes; i++)
			text_format(w->text, " %" PRIu32, w->folded->grid.size[i]);
		end_line(w);
	}
	if (p->notes.omissions) {
		text_put(w->text, "// omits ");
		notes_print_omissions(&p->notes, w->text);
		end_line(w);
	}
	for (size_t i = 0; i < p->notes.length; i++) {
		text_put(w->text, *p->notes.line[i] ? "// note " : "// note");
		text_put(w->text, p->notes.line[i]);
		end_line(w);
	}
}

/* ------------------------------------------------------------------ forms */

static void write_communicator(struct writer *w, const struct value *communicator)
{
	if (communicator->plain.constant == NO_COMMUNICATOR && value_is_constant(communicator))
		return;
	text_char(w->text, '@');
	write_number(w, "comm", communicator);
}

static void write_tag(struct writer *w, const struct form *form)
{
	text_put(w->text, dictionary_get_word(w->folded->dictionary, form->word));
	struct value number = value_of((int64_t)form->number);
	if (form->varies)
		write_value(w, "tag", &form->value);
	else if (form->numbered && form->number > INT64_MAX)
		text_number(w->text, form->number);
	else if (form->numbered)
		write_number(w, "tag", &number);
	write_communicator(w, &form->communicator);
}

/* Who executes it: p, or in a plain statement the processes. */
static void write_own(struct writer *w, const struct statement *s)
{
	if (!s->alone) {
		text_char(w->text, 'p');
		return;
	}
	struct ranks who = dictionary_get_ranks(w->folded->dictionary, s->set);
	ranks_print(&who, w->text);
}

static void write_message(struct writer *w, const struct statement *s, const struct form *form)
{
	bool send = form->kind == EVENT_SEND;
	if (send) {
		write_own(w, s);
		text_put(w->text, " send ");
	}
	write_place(w, &form->peer);
	if (!send) {
		text_put(w->text, " recv ");
		write_own(w, s);
	}
	text_char(w->text, ' ');
	write_tag(w, form);
}

static void write_sync(struct writer *w, const struct statement *s, const struct form *form)
{
	const struct dictionary *d = w->folded->dictionary;
	write_own(w, s);
	text_put(w->text, " sync ");
	text_put(w->text, dictionary_get_word(d, form->word));
	text_char(w->text, ' ');
	if (form->area.on_grid) {
		area_print(&form->area, &w->folded->grid, w->text);
	} else {
		struct ranks group = dictionary_get_ranks(d, (uint32_t)form->group);
		ranks_print(&group, w->text);
	}
	write_communicator(w, &form->communicator);
	if (form->peer.kind != PLACE_NONE) {
		text_put(w->text, " root=");
		write_place(w, &form->peer);
	}
}

static void write_form(struct writer *w, const struct statement *s, const struct form *form)
{
	switch ((enum event_kind)form->kind) {
	case EVENT_SEND:
	case EVENT_RECV:
		write_message(w, s, form);
		break;
	case EVENT_SYNC:
		write_sync(w, s, form);
		break;
	case EVENT_LOCAL:
		write_own(w, s);
		text_put(w->text, " local ");
		text_put(w->text, dictionary_get_word(w->folded->dictionary, form->word));
		break;
	}
}

/* ------------------------------------------------------------------ statements */

static void indent(struct writer *w, unsigned depth)
{
	for (int level = (int)depth - w->outside; level > 0; level--)
		text_add(w->text, "  ", 2);
}

static void write_set(struct writer *w, uint32_t set)
{
	struct ranks ranks = dictionary_get_ranks(w->folded->dictionary, set);
	text_char(w->text, '[');
	ranks_print_short(&ranks, w->text);
	text_put(w->text, "] ");
}

static unsigned guards_of(const struct writer *w)
{
	return (unsigned)__builtin_popcount(w->guards);
}

static void write_for(struct writer *w, const struct statement *s, unsigned depth)
{
	if (w->said && w->said->looking)
		text_put(w->text, "for ");
	else
		text_format(w->text, "for i%u = 0 to ", depth - guards_of(w));
	if (s->bound != BOUND_NONE) {
		struct value last = program_bound(w->folded, s);
		last.plain.constant--;
		write_value(w, "n", &last);
	} else {
		struct value last = value_of((int64_t)(s->count - 1));
		write_number(w, "n", &last);
	}
}

static void write_event(struct writer *w, const struct statement *s)
{
	if (s->set == STATEMENT_PLAIN) {
		event_print(w->folded->dictionary, s->event, w->text);
		return;
	}
	struct form form = program_get_form(w->folded, s->event);
	write_form(w, s, &form);
}

/* The remark on a statement, and its sites. */
static void write_behind(struct writer *w, size_t at)
{
	uint32_t sites = w->folded->statement[at].sites;
	size_t before = w->text->length;
	text_put(w->text, " // ");
	size_t start = w->text->length;
	if (w->remarks->behind)
		w->remarks->behind(w->remarks->context, at, w->text);
	if (w->text->length == start)
		text_truncate(w->text, before);
	if (sites != SITES_NONE) {
		text_put(w->text, " // ");
		program_print_sites(w->folded, sites, w->text);
	}
	end_line(w);
}

static void write_below(struct writer *w, size_t at, unsigned depth)
{
	size_t before = w->text->length;
	indent(w, depth);
	text_put(w->text, "// ");
	size_t start = w->text->length;
	if (w->remarks->below)
		w->remarks->below(w->remarks->context, at, w->text);
	if (w->text->length == start)
		text_truncate(w->text, before);
	else
		end_line(w);
}

static void write_above(struct writer *w, size_t at, unsigned depth)
{
	struct text lines = {0};
	if (w->remarks->above)
		w->remarks->above(w->remarks->above_context, at, &lines);
	for (const char *line = lines.data, *end; line && (end = strchr(line, '\n')); line = end + 1) {
		indent(w, depth);
		text_put(w->text, "// ");
		text_add(w->text, line, (size_t)(end - line));
		end_line(w);
	}
	text_clear(&lines);
}

static void write_if(struct writer *w, const struct statement *s)
{
	struct value bound = program_bound(w->folded, s), condition = written(w, &bound);
	size_t start = w->text->length;
	text_put(w->text, "if ");
	condition_print(&condition, w->text);
	fill_tables(w, start, "$g", &bound);
}

static void write_inside(struct writer *w, size_t loop, unsigned depth);

static uint32_t guard_at(unsigned depth)
{
	return depth < INDEX_DEPTH ? UINT32_C(1) << depth : 0;
}

/* The holes of this statement are next. */
static void begin_statement(struct writer *w, size_t at)
{
	if (w->said && !w->said->looking)
		w->said->hole = w->said->blocks.hole_of[at];
}

/* What the guard inside which it stands has is no index of the text. */
static void write_guarded(struct writer *w, size_t at, unsigned depth)
{
	uint32_t around = w->guards;
	w->guards |= guard_at(depth);
	write_inside(w, at, depth + 1);
	w->guards = around;
}

/* [$w[i0]] */
static void write_name(struct writer *w, const struct statement *s)
{
	struct value name = program_bound(w->folded, s);
	name.test = TEST_NONE;
	name.plain.p = 0;
	value_oppose(&name);
	text_char(w->text, '[');
	write_value(w, "rank", &name);
	text_put(w->text, "] ");
}

/* [$w[i0]] p send 0 tag3 */
static void write_named(struct writer *w, size_t at, unsigned depth)
{
	const struct statement *s = &w->folded->statement[at];
	uint32_t around = w->guards;
	write_name(w, s);
	w->guards |= guard_at(depth);
	begin_statement(w, at + 1);
	write_event(w, s + 1);
	write_attributes(w, s + 1);
	w->guards = around;
	write_behind(w, at);
}

/* Does this guard say `else` to the one before it? */
static bool is_otherwise(const struct program *f, size_t before, size_t at)
{
	const struct statement *a = &f->statement[before], *b = &f->statement[at];
	if (statement_guard(b) != GUARD_ELSE || statement_guard(a) != GUARD_IF || a->set != b->set)
		return false;
	struct value x = program_bound(f, a), y = program_bound(f, b), opposite = value_negated(&x);
	return a->bound != BOUND_NONE && !memcmp(&opposite, &y, sizeof y);
}

static void write_guard(struct writer *w, size_t before, size_t at, size_t to, unsigned depth)
{
	const struct program *f = w->folded;
	const struct statement *s = &f->statement[at];
	if (before != SIZE_MAX && is_otherwise(f, before, at))
		text_put(w->text, "else");
	else
		write_if(w, s);
	write_behind(w, at);
	write_below(w, at, depth + 1);
	write_guarded(w, at, depth);
	size_t behind = at + s->size;
	if (behind < to && is_otherwise(f, at, behind))
		return;
	indent(w, depth);
	text_put(w->text, "done");
	end_line(w);
}

/* before: the statement before it in its body, or SIZE_MAX; to: the end of that. As deep as loops
   nest, which NEST_DEPTH_LIMIT bounds. */
static void write_statement(struct writer *w, size_t before, size_t at, size_t to, unsigned depth)
{
	const struct statement *s = &w->folded->statement[at];
	write_above(w, at, depth);
	indent(w, depth);
	begin_statement(w, at);
	if (statement_guard(s) == GUARD_WHO) {
		write_named(w, at, depth);
	} else if (statement_guard(s) != GUARD_NONE) {
		write_guard(w, before, at, to, depth);
	} else if (statement_is_loop(s)) {
		if (!statement_is_plain(s))
			write_set(w, s->set);
		write_for(w, s, depth);
		write_behind(w, at);
		write_below(w, at, depth + 1);
		write_inside(w, at, depth + 1);
		indent(w, depth);
		text_put(w->text, "done");
		end_line(w);
	} else {
		if (!statement_is_plain(s))
			write_set(w, s->set);
		write_event(w, s);
		write_attributes(w, s);
		write_behind(w, at);
	}
}

static void write_units(struct writer *w, const struct block_body *body, unsigned depth)
{
	size_t before = SIZE_MAX, to = body->units ? body->unit[body->units - 1].end : 0;
	for (size_t i = 0; i < body->units; i++) {
		const struct unit *unit = &body->unit[i];
		if (unit->function == BLOCKS_NONE) {
			write_statement(w, before, unit->statement, to, depth);
			before = unit->statement;
			continue;
		}
		indent(w, depth);
		said_call(w->said, unit, w->guards, w->text);
		end_line(w);
		before = SIZE_MAX;
	}
}

static void write_body(struct writer *w, size_t from, size_t to, unsigned depth)
{
	size_t before = SIZE_MAX;
	const struct program *f = w->folded;
	for (size_t i = from; i < to && !(w->output && output_failed(w->output));
		before = i, i += statement_size(&f->statement[i]))
		write_statement(w, before, i, to, depth);
}

static void write_inside(struct writer *w, size_t loop, unsigned depth)
{
	if (w->said)
		write_units(w, &w->said->blocks.body[w->said->blocks.body_of[loop]], depth);
	else
		write_body(w, loop + 1, loop + w->folded->statement[loop].size, depth);
}

/* ------------------------------------------------------------------ procedures */

/* What a heading and `done` take; a call; two arguments of one. */
#define PROCEDURE_LINES 2
#define CALL_LINES 1
#define ARGUMENT_LINES 1

/* What a statement is, wherever it stands: its line, without what is inside. */
static uint32_t write_key(void *context, struct blocks *blocks, size_t at, uint32_t depth, struct text *key)
{
	struct writer *w = context;
	const struct statement *s = &w->folded->statement[at];
	uint32_t own = guard_at(depth), around = block_around(depth);
	bool guard = statement_guard(s) != GUARD_NONE;
	(void)blocks; /* those of w->said */
	w->text = key;
	w->guards = w->path & around;
	w->path = guard ? w->guards | own : w->guards;
	w->depth = depth - guards_of(w);
	w->indices = 0;
	if (w->depth > INDEX_DEPTH) { /* indices are those of the text, and deeper ones have none */
		text_format(key, "%u ", w->depth);
		w->depth = 0;
	}
	if (!statement_is_plain(s) && !guard)
		write_set(w, s->set);
	if (statement_guard(s) == GUARD_WHO) {
		write_name(w, s);
	} else if (guard) {
		text_put(key, statement_guard(s) == GUARD_ELSE ? "else " : "");
		write_if(w, s);
	} else if (statement_is_loop(s)) {
		write_for(w, s, depth);
	} else {
		write_event(w, s);
		write_attributes(w, s);
	}
	write_behind(w, at);
	return w->indices;
}

static void write_procedures(struct writer *w)
{
	struct said_once *said = w->said;
	for (size_t i = 0; i < said->calls; i++) {
		const struct block_body *body = &said->blocks.body[said->called[i]];
		said_heading(said, said->called[i], w->text);
		end_line(w);
		w->guards = block_around(body->depth) & ~blocks_indices(&said->blocks, body);
		w->outside = (int)body->depth - 1;
		write_units(w, body, body->depth);
		text_put(w->text, "done");
		end_line(w);
	}
	said->function = NULL;
	w->guards = 0;
	w->outside = 0;
}

static size_t line_count(const struct text *text)
{
	size_t lines = 0;
	for (size_t i = 0; i < text->length; i++)
		lines += text->data[i] == '\n';
	return lines;
}

/* Has the other text fewer lines, and so few bytes more that these pay? */
static bool is_shorter(const struct text *text, const struct text *other)
{
	size_t lines = line_count(text), others = line_count(other);
	return others < lines &&
	       deflated_size(other->data, other->length) <= deflated_size(text->data, text->length) + (lines - others);
}

/* All statements, with what they say several times as procedures, where that is shorter. False:
   they say nothing several times that would pay, or are too many: nothing is written. */
static bool write_said_once(struct writer *w)
{
	struct text plain = {0}, said = {0}, *text = w->text;
	struct output *output = w->output;
	size_t statements = 0; /* bytes of what is outside of procedures */
	if (w->folded->length > SEARCHED || !program_is_folded(w->folded))
		return false;
	w->output = NULL;
	w->said = said_once_new();
	w->said->looking = true;
	blocks_of(&w->said->blocks, w->folded,
		&(struct blocks_options){write_key, w, PROCEDURE_LINES, CALL_LINES, ARGUMENT_LINES});
	w->said->looking = false;
	w->guards = w->path = 0;
	uint32_t calls = blocks_depth(&w->said->blocks);
	if (calls && calls <= CALL_DEPTH) {
		w->text = &said;
		write_units(w, &w->said->blocks.body[BLOCKS_TOP], 0);
		statements = said.length;
		write_procedures(w);
	}
	said_once_free(w->said);
	w->said = NULL;
	if (said.length) {
		w->text = &plain;
		write_body(w, 0, w->folded->length, 0);
	}
	bool shorter = said.length && is_shorter(&plain, &said);
	w->text = text;
	w->output = output;
	if (shorter) {
		text_add(text, said.data, statements);
		text_put(text, "// procedures\n");
		text_put(text, said.data + statements);
	}
	text_clear(&said);
	text_clear(&plain);
	return shorter;
}

static const struct program_remarks none;

static void write_end(struct writer *w)
{
	program_print_declared_sites(w->folded, w->text);
	write_tables(w);
}

/* Is it the program that is read of this text? */
static bool is_read_back(const struct program *f, const char *bytes, size_t length)
{
	struct text own = {0}, read = {0};
	struct error error = {0};
	struct program *again = program_parse("said once", bytes, length, &error);
	if (again) {
		program_print_statements_text(f, NULL, &own);
		program_print_statements_text(again, NULL, &read);
	}
	bool same = again && own.length == read.length && !memcmp(own.data, read.data, own.length);
	program_free(again);
	text_clear(&own);
	text_clear(&read);
	return same;
}

/* With procedures. False: nothing is written; there are none, or what was written is not read as
   the program. Nobody looks at a model as it is written, only at the program that it was made
   from. */
static bool print_said_once(const struct writer *writer)
{
	struct writer w = *writer;
	size_t start = w.text->length;
	w.output = NULL;
	write_header(&w);
	bool good = write_said_once(&w);
	if (good) {
		write_end(&w);
		good = is_read_back(w.folded, w.text->data + start, w.text->length - start);
	} else {
		forget_tables(&w);
	}
	if (!good)
		text_truncate(w.text, start);
	return good;
}

static void print_whole(struct writer *w)
{
	if (w->remarks->procedures && print_said_once(w))
		return;
	write_header(w);
	write_body(w, 0, w->folded->length, 0);
	write_end(w);
}

void program_print_remarks(const struct program *f, const struct program_remarks *remarks, struct output *output)
{
	struct text text = {0};
	struct writer w = {.folded = f, .text = &text, .output = output, .remarks = remarks};
	print_whole(&w);
	output_text(output, &text);
	text_clear(&text);
}

void program_print(const struct program *f, struct output *output)
{
	program_print_remarks(f, &none, output);
}

void program_print_remarks_text(const struct program *f, const struct program_remarks *remarks, struct text *text)
{
	struct writer w = {.folded = f, .text = text, .remarks = remarks};
	print_whole(&w);
}

void program_print_text(const struct program *f, struct text *text)
{
	program_print_remarks_text(f, &none, text);
}

bool program_print_statements_text(const struct program *f, const struct program_enough *enough, struct text *text)
{
	struct writer w = {.folded = f, .text = text, .remarks = &none, .enough = enough};
	write_body(&w, 0, f->length, 0);
	return write_tables(&w);
}

void program_keep_tables(struct program *f)
{
	struct text text = {0};
	struct writer w = {.folded = f, .text = &text, .remarks = &none};
	write_body(&w, 0, f->length, 0);
	for (size_t i = 0; i < f->length; i++)
		if (statement_is_loop(&f->statement[i])) {
			struct value bound = program_bound(f, &f->statement[i]);
			if (bound.among)
				note_table(&w, &(struct lookup){.table = bound.among});
		}
	dictionary_keep_tables(f->dictionary, w.table, w.tables);
	forget_tables(&w);
	text_clear(&text);
}

void program_print_event(const struct program *f, const struct statement *s, struct text *text)
{
	struct writer w = {.folded = f, .text = text, .remarks = &none};
	if (!statement_is_plain(s))
		write_set(&w, s->set);
	write_event(&w, s);
	forget_tables(&w);
}

void program_print_tag(const struct program *f, const struct statement *s, struct text *text)
{
	struct writer w = {.folded = f, .text = text, .remarks = &none};
	struct form form = statement_form(f, s);
	write_tag(&w, &form);
	forget_tables(&w);
}
