/*
 * program_write.c -- a folded program as text: the header, then the statements, two spaces a level (doc/tracenest-model.5).
 */
#include <inttypes.h>

#include "model/program.h"

#define PIECE ((size_t)1 << 16)

struct writer {
	const struct program *folded;
	struct text *text;
	struct output *output; /* takes the text in pieces; NULL: the text is all */
	const struct program_remarks *remarks;
};

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
		value_print(communicator, NULL, w->text);
}

static void write_tag(struct writer *w, const struct form *form, const struct steps *steps)
{
	text_put(w->text, dictionary_get_word(w->folded->dictionary, form->word));
	if (form->varies)
		value_print(&form->value, &steps->of_number, w->text);
	else if (form->numbered)
		text_number(w->text, form->number);
	write_communicator(w, &form->communicator);
}

static void write_message(struct writer *w, const struct form *form, const struct steps *steps)
{
	bool send = form->kind == EVENT_SEND;
	if (send)
		text_put(w->text, "p send ");
	place_print(&form->peer, steps->of_peer, &w->folded->grid, w->text);
	text_put(w->text, send ? " " : " recv p ");
	write_tag(w, form, steps);
}

static void write_sync(struct writer *w, const struct form *form, const struct steps *steps)
{
	const struct dictionary *d = w->folded->dictionary;
	text_put(w->text, "p sync ");
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
		place_print(&form->peer, steps->of_peer, &w->folded->grid, w->text);
	}
}

static void write_form(struct writer *w, const struct form *form, const struct steps *steps)
{
	switch ((enum event_kind)form->kind) {
	case EVENT_SEND:
	case EVENT_RECV:
		write_message(w, form, steps);
		break;
	case EVENT_SYNC:
		write_sync(w, form, steps);
		break;
	case EVENT_LOCAL:
		text_put(w->text, "p local ");
		text_put(w->text, dictionary_get_word(w->folded->dictionary, form->word));
		break;
	}
}

/* ------------------------------------------------------------------ plain events that advance */

static void write_number(struct writer *w, uint64_t constant, int64_t base, const struct advance *advance)
{
	struct value value = value_of(base);
	if (advance_is_none(advance))
		text_number(w->text, constant);
	else
		value_print(&value, advance, w->text);
}

static void write_advancing_message(struct writer *w, const struct event *e, const struct steps *steps)
{
	const struct dictionary *d = w->folded->dictionary;
	const struct tag *tag = dictionary_get_tag(d, e->subject);
	bool send = e->kind == EVENT_SEND;
	if (send)
		text_format(w->text, "%" PRIu32 " send ", e->process);
	write_number(w, e->peer, steps->peer, steps->of_peer);
	if (send)
		text_char(w->text, ' ');
	else
		text_format(w->text, " recv %" PRIu32 " ", e->process);
	text_put(w->text, dictionary_get_word(d, tag->stem));
	if (tag->numbered)
		write_number(w, tag->number, steps->number, &steps->of_number);
	struct value communicator = value_of(tag->communicator);
	write_communicator(w, &communicator);
}

/* Of a sync, the root advances. */
static void write_advancing(struct writer *w, uint32_t event, const struct steps *steps)
{
	const struct dictionary *d = w->folded->dictionary;
	const struct event *e = dictionary_get_event(d, event);
	if (e->kind == EVENT_SEND || e->kind == EVENT_RECV) {
		write_advancing_message(w, e, steps);
		return;
	}
	event_print(d, event, w->text);
	text_truncate(w->text, w->text->length - 1); /* the root's 0 */
	write_number(w, e->peer, steps->peer, steps->of_peer);
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

static void write_for(struct writer *w, const struct statement *s, unsigned depth)
{
	const struct steps *steps = program_steps(w->folded, s);
	text_format(w->text, "for i%u = 0 to ", depth);
	if (s->steps != STEPS_NONE) {
		struct value last = value_of(steps->number - 1);
		value_print(&last, &steps->of_number, w->text);
	} else if (s->count)
		text_number(w->text, s->count - 1);
	else
		text_put(w->text, "-1");
}

static void write_event(struct writer *w, const struct statement *s)
{
	const struct steps *steps = program_steps(w->folded, s);
	if (s->set != STATEMENT_PLAIN)
		write_form(w, program_get_form(w->folded, s->event), steps);
	else if (s->steps != STEPS_NONE)
		write_advancing(w, s->event, steps);
	else
		event_print(w->folded->dictionary, s->event, w->text);
}

static void write_behind(struct writer *w, size_t at)
{
	size_t before = w->text->length;
	text_put(w->text, " // ");
	size_t start = w->text->length;
	if (w->remarks->behind)
		w->remarks->behind(w->remarks->context, at, w->text);
	if (w->text->length == start)
		text_truncate(w->text, before);
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

/* As deep as loops nest, which NEST_DEPTH_LIMIT bounds. */
static void write_body(struct writer *w, size_t from, size_t to, unsigned depth)
{
	const struct program *f = w->folded;
	for (size_t i = from; i < to && !(w->output && output_failed(w->output)); i += statement_size(&f->statement[i])) {
		const struct statement *s = &f->statement[i];
		indent(w, depth);
		if (s->set != STATEMENT_PLAIN)
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
			write_behind(w, i);
		}
	}
}

static const struct program_remarks none;

void program_print_remarks(const struct program *f, const struct program_remarks *remarks, struct output *output)
{
	struct text text = {0};
	struct writer w = {f, &text, output, remarks};
	write_header(&w);
	write_body(&w, 0, f->length, 0);
	output_text(output, &text);
	text_clear(&text);
}

void program_print(const struct program *f, struct output *output)
{
	program_print_remarks(f, &none, output);
}

void program_print_remarks_text(const struct program *f, const struct program_remarks *remarks, struct text *text)
{
	struct writer w = {f, text, NULL, remarks};
	write_header(&w);
	write_body(&w, 0, f->length, 0);
}

void program_print_text(const struct program *f, struct text *text)
{
	program_print_remarks_text(f, &none, text);
}

void program_print_event(const struct program *f, const struct statement *s, struct text *text)
{
	struct writer w = {f, text, NULL, &none};
	if (s->set != STATEMENT_PLAIN)
		write_set(&w, s->set);
	write_event(&w, s);
}

void program_print_tag(const struct program *f, const struct statement *s, struct text *text)
{
	struct writer w = {f, text, NULL, &none};
	write_tag(&w, program_get_form(f, s->event), program_steps(f, s));
}
