/*
 * folded_write.c -- a folded program as text: the header, then the statements, two spaces a level (doc/tracenest-model.5).
 */
#include <inttypes.h>

#include "model/folded.h"

#define PIECE ((size_t)1 << 16)

struct writer {
	const struct folded *folded;
	struct text *text;
	struct output *output; /* takes the text in pieces; NULL: the text is all */
};

static void end_line(struct writer *w)
{
	text_char(w->text, '\n');
	if (w->output && w->text->length >= PIECE)
		output_text(w->output, w->text);
}

static void write_header(struct writer *w)
{
	const struct model *head = w->folded->head;
	text_put(w->text, "// tracenest 1\n");
	text_format(w->text, "// processes %" PRIu32 "\n", head->processes);
	text_format(w->text, "// events %" PRIu64 "\n", folded_events(w->folded));
	if (w->folded->grid.axes) {
		text_put(w->text, "// grid");
		for (uint32_t i = 0; i < w->folded->grid.axes; i++)
			text_format(w->text, " %" PRIu32, w->folded->grid.size[i]);
		end_line(w);
	}
	for (size_t i = 0; i < head->notes; i++) {
		text_put(w->text, *head->note[i] ? "// note " : "// note");
		text_put(w->text, head->note[i]);
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
		value_print(communicator, w->text);
}

static void write_tag(struct writer *w, const struct form *form)
{
	text_put(w->text, dictionary_get_word(w->folded->head->dictionary, form->word));
	if (form->varies)
		value_print(&form->value, w->text);
	else if (form->numbered)
		text_number(w->text, form->number);
	write_communicator(w, &form->communicator);
}

static void write_message(struct writer *w, const struct form *form)
{
	bool send = form->kind == EVENT_SEND;
	if (send)
		text_put(w->text, "p send ");
	place_print(&form->peer, &w->folded->grid, w->text);
	text_put(w->text, send ? " " : " recv p ");
	write_tag(w, form);
}

static void write_sync(struct writer *w, const struct form *form)
{
	const struct dictionary *d = w->folded->head->dictionary;
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
		place_print(&form->peer, &w->folded->grid, w->text);
	}
}

static void write_form(struct writer *w, const struct form *form)
{
	switch ((enum event_kind)form->kind) {
	case EVENT_SEND:
	case EVENT_RECV:
		write_message(w, form);
		break;
	case EVENT_SYNC:
		write_sync(w, form);
		break;
	case EVENT_LOCAL:
		text_put(w->text, "p local ");
		text_put(w->text, dictionary_get_word(w->folded->head->dictionary, form->word));
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
	struct ranks ranks = dictionary_get_ranks(w->folded->head->dictionary, set);
	text_char(w->text, '[');
	ranks_print_short(&ranks, w->text);
	text_put(w->text, "] ");
}

static void write_for(struct writer *w, uint64_t count, unsigned depth)
{
	text_format(w->text, "for i%u = 0 to ", depth);
	if (count)
		text_number(w->text, count - 1);
	else
		text_put(w->text, "-1");
}

/* As deep as loops nest, which NEST_DEPTH_LIMIT bounds. */
static void write_body(struct writer *w, size_t from, size_t to, unsigned depth)
{
	const struct folded *f = w->folded;
	for (size_t i = from; i < to && !(w->output && output_failed(w->output)); i += statement_size(&f->statement[i])) {
		const struct statement *s = &f->statement[i];
		indent(w, depth);
		if (s->set != STATEMENT_PLAIN)
			write_set(w, s->set);
		if (statement_is_loop(s)) {
			write_for(w, s->count, depth);
			end_line(w);
			write_body(w, i + 1, i + s->size, depth + 1);
			indent(w, depth);
			text_put(w->text, "done");
		} else if (s->set == STATEMENT_PLAIN) {
			event_print(f->head->dictionary, s->event, w->text);
		} else {
			write_form(w, folded_get_form(f, s->event));
		}
		end_line(w);
	}
}

void folded_print(const struct folded *f, struct output *output)
{
	struct text text = {0};
	struct writer w = {f, &text, output};
	write_header(&w);
	write_body(&w, 0, f->length, 0);
	output_text(output, &text);
	text_clear(&text);
}

void folded_print_text(const struct folded *f, struct text *text)
{
	struct writer w = {f, text, NULL};
	write_header(&w);
	write_body(&w, 0, f->length, 0);
}
