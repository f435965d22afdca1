/*
 * program_write.c -- a folded program as text: the header, then the statements, two spaces a level
 * (doc/tracenest-model.5).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/program.h"

#define PIECE ((size_t)1 << 16)

struct writer {
	const struct program *folded;
	struct text *text;
	struct output *output; /* takes the text in pieces; NULL: the text is all */
	const struct program_remarks *remarks;
	const struct program_enough *enough; /* NULL: all is wanted */
	uint32_t guards; /* around, a bit each: these have no index in the text */
	const struct table **table; /* used so far */
	struct text *use; /* of each, as it was first used */
	size_t tables, table_capacity, use_capacity;
};

/* ------------------------------------------------------------------ tables */

static void note_table(struct writer *w, const struct value *v)
{
	const struct table *t = v->lookup.table;
	if (!t)
		return;
	for (size_t i = 0; i < w->tables; i++)
		if (w->table[i] == t)
			return;
	w->table = mem_grow(w->table, &w->table_capacity, w->tables + 1, sizeof *w->table);
	w->use = mem_grow(w->use, &w->use_capacity, w->tables + 1, sizeof *w->use);
	w->table[w->tables] = t;
	w->use[w->tables] = (struct text){0};
	value_print(&(struct value){.lookup = {t, 1,
					    {v->lookup.argument[0], v->lookup.argument[1], v->lookup.argument[2]}}},
		&w->use[w->tables++]);
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

/* As it is written: without the indices of guards. */
static struct value written(struct writer *w, const struct value *v)
{
	struct value value = *v;
	value_squeeze(&value, w->guards);
	note_table(w, &value);
	return value;
}

static void write_value(struct writer *w, const struct value *v)
{
	struct value value = written(w, v);
	value_print(&value, w->text);
}

static void write_attributes(struct writer *w, const struct statement *s)
{
	struct attribute attribute[ATTRIBUTES_MOST];
	size_t count = program_get_attributes(w->folded, s->attributes, attribute);
	for (size_t i = 0; i < count; i++) {
		text_put(w->text, i ? " " : " ; ");
		attribute[i].value = written(w, &attribute[i].value);
		attribute_print(w->folded, &attribute[i], w->text);
	}
}

static void write_place(struct writer *w, const struct place *f)
{
	struct place place = *f;
	place_squeeze(&place, &w->folded->grid, w->guards);
	if (place.kind != PLACE_GRID)
		note_table(w, &place.value);
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
	text_format(w->text, "// processes %" PRIu32 "\n", p->processes);
	text_format(w->text, "// events %" PRIu64 "\n", program_events(p));
	if (p->grid.axes) {
		text_put(w->text, "// grid");
		for (uint32_t i = 0; i < w->folded->grid.axes; i++)
			text_format(w->text, " %" PRIu32, w->folded->grid.size[i]);
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
	if (value_is_constant(communicator))
		text_number(w->text, (uint64_t)communicator->plain.constant);
	else
		write_value(w, communicator);
}

static void write_tag(struct writer *w, const struct form *form)
{
	text_put(w->text, dictionary_get_word(w->folded->dictionary, form->word));
	if (form->varies)
		write_value(w, &form->value);
	else if (form->numbered)
		text_number(w->text, form->number);
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
	while (depth--)
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
	text_format(w->text, "for i%u = 0 to ", depth - guards_of(w));
	if (s->bound != BOUND_NONE) {
		struct value last = program_bound(w->folded, s);
		last.plain.constant--;
		write_value(w, &last);
	} else if (s->count)
		text_number(w->text, s->count - 1);
	else
		text_put(w->text, "-1");
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
	text_put(w->text, "if ");
	condition_print(&condition, w->text);
}

static void write_body(struct writer *w, size_t from, size_t to, unsigned depth);

/* What the guard inside which it stands has is no index of the text. */
static void write_guarded(struct writer *w, size_t at, unsigned depth)
{
	const struct statement *s = &w->folded->statement[at];
	uint32_t around = w->guards;
	w->guards |= depth < INDEX_DEPTH ? UINT32_C(1) << depth : 0;
	write_body(w, at + 1, at + s->size, depth + 1);
	w->guards = around;
}

/* [$w[i0]] p send 0 tag3 */
static void write_named(struct writer *w, size_t at, unsigned depth)
{
	const struct statement *s = &w->folded->statement[at];
	struct value name = program_bound(w->folded, s);
	uint32_t around = w->guards;
	name.test = TEST_NONE;
	name.plain.p = 0;
	value_oppose(&name);
	text_char(w->text, '[');
	write_value(w, &name);
	text_put(w->text, "] ");
	w->guards |= depth < INDEX_DEPTH ? UINT32_C(1) << depth : 0;
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

/* As deep as loops nest, which NEST_DEPTH_LIMIT bounds. */
static void write_body(struct writer *w, size_t from, size_t to, unsigned depth)
{
	size_t before = SIZE_MAX;
	const struct program *f = w->folded;
	for (size_t i = from; i < to && !(w->output && output_failed(w->output));
		before = i, i += statement_size(&f->statement[i])) {
		const struct statement *s = &f->statement[i];
		write_above(w, i, depth);
		indent(w, depth);
		if (statement_guard(s) == GUARD_WHO) {
			write_named(w, i, depth);
			continue;
		}
		if (statement_guard(s) != GUARD_NONE) {
			write_guard(w, before, i, to, depth);
			continue;
		}
		if (!statement_is_plain(s))
			write_set(w, s->set);
		if (statement_is_loop(s)) {
			write_for(w, s, depth);
			write_behind(w, i);
			write_below(w, i, depth + 1);
			write_body(w, i + 1, i + s->size, depth + 1);
			indent(w, depth);
			text_put(w->text, "done");
			end_line(w);
		} else {
			write_event(w, s);
			write_attributes(w, s);
			write_behind(w, i);
		}
	}
}

static const struct program_remarks none;

void program_print_remarks(const struct program *f, const struct program_remarks *remarks, struct output *output)
{
	struct text text = {0};
	struct writer w = {.folded = f, .text = &text, .output = output, .remarks = remarks};
	write_header(&w);
	write_body(&w, 0, f->length, 0);
	program_print_declared_sites(f, &text);
	write_tables(&w);
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
	write_header(&w);
	write_body(&w, 0, f->length, 0);
	program_print_declared_sites(f, text);
	write_tables(&w);
}

void program_print_text(const struct program *f, struct text *text)
{
	program_print_remarks_text(f, &none, text);
}

void program_print_header_text(const struct program *f, struct text *text)
{
	struct writer w = {.folded = f, .text = text, .remarks = &none};
	write_header(&w);
}

bool program_print_statements_text(const struct program *f, const struct program_enough *enough, struct text *text)
{
	struct writer w = {.folded = f, .text = text, .remarks = &none, .enough = enough};
	write_body(&w, 0, f->length, 0);
	return write_tables(&w);
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
	struct form form = program_get_form(f, s->event);
	write_tag(&w, &form);
	forget_tables(&w);
}
