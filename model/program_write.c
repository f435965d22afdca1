/*
 * program_write.c -- a folded program as text: the header, then the statements, two spaces a level
 * (doc/tracenest-model.5).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/declared_sites.h"
#include "model/generalize.h"
#include "model/program_nodes.h"
#include "model/sets.h"

#define PIECE ((size_t)1 << 16)

#define WHERE_INSIDE " where inside"

struct writer {
	const struct program *folded;
	struct text *text;
	struct output *output; /* takes the text in pieces; NULL: the text is all */
	const struct program_remarks *remarks;
	const struct program_enough *enough; /* NULL: all is wanted */
	uint32_t guards; /* around, a bit each: these have no index in the text */
	struct declared_sites *declared; /* NULL: nobody has asked yet */
	const struct table **table; /* used so far */
	struct text *use; /* of each, as it was first used */
	size_t tables, table_capacity, use_capacity;
	struct text *set; /* as it is written, by its id in the dictionary */
	size_t sets, set_capacity;
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

static void writer_clear(struct writer *w)
{
	for (size_t i = 0; i < w->sets; i++)
		text_clear(&w->set[i]);
	free(w->set);
	for (size_t i = 0; i < w->tables; i++)
		text_clear(&w->use[i]);
	free(w->table);
	free(w->use);
	declared_sites_free(w->declared);
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
		const char *formula = w->remarks->table ? w->remarks->table(w->remarks->parametric, w->table[i]) : NULL;
		if (formula)
			text_format(w->text, " %s", formula);
		else
			table_print(w->table[i], w->text, take_text, w);
		text_char(w->text, '\n');
	}
	writer_clear(w);
	return !enough;
}

/* As it is written: without the indices of guards. */
static struct value written(struct writer *w, const struct value *v)
{
	struct value value = *v;
	value_squeeze(&value, w->guards);
	note_tables(w, &value);
	return value;
}

static void write_value(struct writer *w, const struct value *v)
{
	struct value value = written(w, v);
	value_print(&value, w->text);
}

/* What is no formula stands without braces. */
static void write_number(struct writer *w, const struct value *v)
{
	if (value_is_constant(v))
		text_format(w->text, "%" PRId64, v->plain.constant);
	else
		write_value(w, v);
}

static void write_attribute(struct writer *w, struct attribute *a)
{
	a->value = written(w, &a->value);
	attribute_print(w->folded, a, w->text);
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
	if (value)
		written(w, &f->value);
	place_squeeze(&place, &w->folded->grid, w->guards);
	for (uint32_t i = 0; i < GRID_AXES && !value; i++)
		if (place.offset[i])
			note_table(w, &(struct lookup){.table = place.offset[i], .argument[0].inside = place.at});
	place_print(&place, &w->folded->grid, w->text);
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
	if (w->remarks->header) {
		text_put(w->text, w->remarks->header);
		return;
	}
	text_format(w->text, "// processes %" PRIu32 "\n", p->processes);
	if (!w->remarks->uncounted)
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
	write_number(w, communicator);
}

static void write_tag(struct writer *w, const struct form *form)
{
	text_put(w->text, dictionary_get_word(w->folded->dictionary, form->word));
	struct value number = value_of((int64_t)form->number);
	if (form->varies)
		write_value(w, &form->value);
	else if (form->numbered && form->number > INT64_MAX)
		text_number(w->text, form->number);
	else if (form->numbered)
		write_number(w, &number);
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
	if (form->area.kind == AREA_ON_GRID) {
		area_print(&form->area, &w->folded->grid, w->text);
	} else if (form->area.kind == AREA_FIXED || value_is_constant(&form->communicator)) {
		struct ranks group = dictionary_get_ranks(d, (uint32_t)form->group);
		if (!s->alone && ranks_count(&group) == w->folded->processes)
			text_char(w->text, '*');
		else
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
	for (unsigned level = 0; level < depth; level++)
		text_add(w->text, "  ", 2);
}

static void write_set(struct writer *w, uint32_t set)
{
	w->set = mem_grow(w->set, &w->set_capacity, (size_t)set + 1, sizeof *w->set);
	while (w->sets <= set)
		w->set[w->sets++] = (struct text){0};
	if (!w->set[set].length) {
		const char *condition = w->remarks->set ? w->remarks->set(w->remarks->parametric, set) : NULL;
		struct ranks ranks = dictionary_get_ranks(w->folded->dictionary, set);
		if (condition)
			text_put(&w->set[set], condition);
		else
			set_print(&ranks, &w->folded->grid, w->folded->processes, &w->set[set]);
	}
	text_format(w->text, "[%s] ", w->set[set].data);
}

static unsigned guards_of(const struct writer *w)
{
	return (unsigned)__builtin_popcount(w->guards);
}

static void write_for(struct writer *w, const struct statement *s, unsigned depth)
{
	text_format(w->text, "for i%u = 0 to ", depth - guards_of(w));
	if (s->bound != BOUND_NONE) {
		struct value last = program_bound(w->folded, s);
		last.plain.constant--;
		write_value(w, &last);
	} else {
		struct value last = value_of((int64_t)(s->count - 1));
		write_number(w, &last);
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

static struct declared_sites *declared_by(struct writer *w)
{
	if (w->declared)
		return w->declared;
	struct program *p = (struct program *)w->folded;
	w->declared = declared_sites_new(&p->places);
	for (size_t i = 0; i < p->length; i++)
		declared_sites_use(w->declared, p->statement[i].sites);
	return w->declared;
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
		declared_sites_name(declared_by(w), sites, statement_is_loop(&w->folded->statement[at]), w->text);
	}
	end_line(w);
}

static void write_if(struct writer *w, const struct statement *s)
{
	struct value bound = program_bound(w->folded, s), condition = written(w, &bound);
	text_put(w->text, "if ");
	condition_print(&condition, w->text);
}

static void write_inside(struct writer *w, size_t loop, unsigned depth);

static uint32_t guard_at(unsigned depth)
{
	return depth < INDEX_DEPTH ? UINT32_C(1) << depth : 0;
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
	write_value(w, &name);
	text_put(w->text, "] ");
}

/* [$w[i0]] p send 0 tag3; [0-15] p send p+$d[i0] tag3 where inside */
static void write_in_line(struct writer *w, size_t at, unsigned depth)
{
	const struct statement *s = &w->folded->statement[at];
	uint32_t around = w->guards;
	bool inside = statement_guard(s) == GUARD_INSIDE;
	if (inside)
		write_set(w, s[1].set);
	else
		write_name(w, s);
	w->guards |= guard_at(depth);
	write_event(w, s + 1);
	text_put(w->text, inside ? WHERE_INSIDE : "");
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
	indent(w, depth);
	if (statement_is_in_line(s)) {
		write_in_line(w, at, depth);
	} else if (statement_guard(s) != GUARD_NONE) {
		write_guard(w, before, at, to, depth);
	} else if (statement_is_loop(s)) {
		if (!statement_is_plain(s))
			write_set(w, s->set);
		write_for(w, s, depth);
		write_behind(w, at);
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

static void write_body(struct writer *w, size_t from, size_t to, unsigned depth)
{
	size_t before = SIZE_MAX;
	for (size_t i = from; i < to && !(w->output && output_failed(w->output));) {
		write_statement(w, before, i, to, depth);
		before = i;
		i += statement_size(&w->folded->statement[i]);
	}
}

static void write_inside(struct writer *w, size_t loop, unsigned depth)
{
	write_body(w, loop + 1, loop + w->folded->statement[loop].size, depth);
}

static const struct program_remarks none;

static void print_whole(struct writer *w)
{
	write_header(w);
	write_body(w, 0, w->folded->length, 0);
	declared_sites_print(declared_by(w), w->text);
	write_tables(w);
}

/* ------------------------------------------------------------------ with calls, as a module */

struct line_remarks {
	const struct program *folded;
	const struct program_remarks *remarks;
	const struct program_nodes *nodes;
	const struct inlined_line *origin;
};

static void behind_line(const void *context, size_t line, struct text *text)
{
	const struct line_remarks *r = context;
	size_t before = text->length;
	if (r->origin[line].line == LINE_NONE)
		return;
	text_put(text, " // ");
	size_t start = text->length;
	r->remarks->behind(r->remarks->context, r->nodes->statement[r->origin[line].line], text);
	if (text->length == start)
		text_truncate(text, before);
}

/* Lines that are not told the same are not the same. */
static uint32_t *marks_of(const struct line_remarks *r, size_t lines)
{
	struct intern *said = intern_new();
	uint32_t *mark = mem_array(lines + 1, sizeof *mark);
	struct text text = {0};
	for (size_t i = 0; i < lines; i++) {
		text_truncate(&text, 0);
		r->remarks->behind(r->remarks->context, r->nodes->statement[i], &text);
		mark[i] = intern_id(said, text.data, text.length);
	}
	text_clear(&text);
	intern_free(said);
	return mark;
}

/* False: nothing is printed, where nobody could read it. */
static bool print_module(
	const struct program *f, const struct program_remarks *remarks, struct output *output, struct text *text)
{
	struct error ignored;
	struct draft *d = remarks->procedures && f->calls.length ? draft_of_program(f, &ignored) : NULL;
	if (!d)
		return false;
	struct inlined_line *origin;
	struct line_remarks lines = {f, remarks, program_nodes(f, &ignored), NULL};
	struct module_remarks behind = {.context = &lines, .behind = remarks->behind ? behind_line : NULL};
	uint32_t *mark = remarks->behind ? marks_of(&lines, d->module->lines) : NULL;
	struct module *m = module_of_draft(d, mark, &origin);
	lines.origin = origin;
	notes_clear(&m->notes);
	notes_add_all(&m->notes, &f->notes);
	if (output)
		module_print(m, &behind, output);
	else
		module_print_text(m, &behind, text);
	module_free(m);
	draft_free(d);
	free(origin);
	free(mark);
	return true;
}

void program_print_remarks(const struct program *f, const struct program_remarks *remarks, struct output *output)
{
	struct text text = {0};
	struct writer w = {.folded = f, .text = &text, .output = output, .remarks = remarks};
	if (print_module(f, remarks, output, NULL))
		return;
	print_whole(&w);
	output_text(output, &text);
	text_clear(&text);
}

void program_print_remarks_text(const struct program *f, const struct program_remarks *remarks, struct text *text)
{
	struct writer w = {.folded = f, .text = text, .remarks = remarks};
	if (!print_module(f, remarks, NULL, text))
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

/* Those of the statements come in the order of the text with calls. */
static void order_tables(struct writer *w)
{
	struct error ignored;
	struct module *m = module_of_program(w->folded, &ignored);
	node_id *table = NULL;
	size_t tables = m ? module_tables_in_text(m, &table) : 0, next = 0;
	for (size_t i = 0; i < tables; i++)
		for (size_t k = next; k < w->tables; k++) {
			const struct table *t = w->table[k];
			if (strcmp(table_name(t), store_get_word(m->store, node_of(m->store, table[i])->word)) != 0)
				continue;
			w->table[k] = w->table[next];
			w->table[next++] = t;
			break;
		}
	free(table);
	module_free(m);
}

void program_keep_tables(struct program *f)
{
	struct text text = {0};
	struct writer w = {.folded = f, .text = &text, .remarks = &none};
	write_body(&w, 0, f->length, 0);
	if (f->calls.length)
		order_tables(&w);
	for (size_t i = 0; i < f->length; i++)
		if (statement_is_loop(&f->statement[i])) {
			struct value bound = program_bound(f, &f->statement[i]);
			if (bound.among)
				note_table(&w, &(struct lookup){.table = bound.among});
			if (statement_guard(&f->statement[i]) == GUARD_INSIDE)
				note_tables(&w, &bound);
		}
	dictionary_keep_tables(f->dictionary, w.table, w.tables);
	program_nodes_free(f->nodes); /* which have the old names */
	f->nodes = NULL;
	writer_clear(&w);
	text_clear(&text);
}

void program_print_event(const struct program *f, const struct statement *s, struct text *text)
{
	struct writer w = {.folded = f, .text = text, .remarks = &none};
	if (!statement_is_plain(s))
		write_set(&w, s->set);
	write_event(&w, s);
	writer_clear(&w);
}

void program_print_tag(const struct program *f, const struct statement *s, struct text *text)
{
	struct writer w = {.folded = f, .text = text, .remarks = &none};
	struct form form = statement_form(f, s);
	write_tag(&w, &form);
	writer_clear(&w);
}
