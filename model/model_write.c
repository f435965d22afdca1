/*
 * model_write.c -- a model as text: the header, then the listing, two spaces a level (doc/tracenest-model.5).
 */
#include <inttypes.h>

#include "model/model.h"

#define PIECE ((size_t)1 << 16)

struct writer {
	const struct model *model;
	struct text *text;
	struct output *output; /* takes the text in pieces; NULL: the text is all */
	struct text *address; /* of the construct that is being written, to be written behind it; NULL: no */
	const char *part; /* the address of the only construct of the root; NULL: constructs are counted from 0 */
};

static void end_line(struct writer *w)
{
	text_char(w->text, '\n');
	if (w->output && w->text->length >= PIECE)
		output_text(w->output, w->text);
}

static void write_header(struct writer *w)
{
	text_put(w->text, "// tracenest 1\n");
	text_format(w->text, "// processes %" PRIu32 "\n", w->model->processes);
	text_format(w->text, "// events %" PRIu64 "\n", model_events(w->model));
	for (size_t i = 0; i < w->model->notes.length; i++) {
		text_put(w->text, *w->model->notes.line[i] ? "// note " : "// note");
		text_put(w->text, w->model->notes.line[i]);
		end_line(w);
	}
}

static void indent(struct writer *w, unsigned depth)
{
	while (depth--)
		text_add(w->text, "  ", 2);
}

/* Make the address that of construct `index` of the body at hand; gives the length to cut it back to. */
static size_t enter_address(struct writer *w, size_t index)
{
	if (!w->address)
		return 0;
	size_t length = w->address->length;
	if (!length && w->part)
		text_put(w->address, w->part);
	else
		text_format(w->address, length ? ".%zu" : "%zu", index);
	return length;
}

static void write_address(struct writer *w)
{
	if (w->address)
		text_format(w->text, " // %s", w->address->data);
}

static void write_for(struct writer *w, uint64_t count, unsigned depth)
{
	indent(w, depth);
	text_put(w->text, "for i");
	text_number(w->text, depth);
	text_put(w->text, " = 0 to ");
	if (count)
		text_number(w->text, count - 1);
	else
		text_put(w->text, "-1");
}

/* As deep as loops nest, which NEST_DEPTH_LIMIT bounds. */
static void write_body(struct writer *w, struct body body, unsigned depth)
{
	const struct nest *nest = w->model->nest;
	for (size_t i = 0; i < body.length && !(w->output && output_failed(w->output)); i++) {
		node n = body.node[i];
		size_t outside = enter_address(w, i);
		if (node_is_loop(n)) {
			write_for(w, nest_get(nest, n)->count, depth);
			write_address(w);
			end_line(w);
			write_body(w, nest_body(nest, n), depth + 1);
			indent(w, depth);
			text_put(w->text, "done");
		} else {
			indent(w, depth);
			event_print(w->model->dictionary, n, w->text);
			write_address(w);
		}
		if (w->address)
			text_truncate(w->address, outside);
		end_line(w);
	}
}

static void write_model(struct writer *w)
{
	write_header(w);
	write_body(w, (struct body){w->model->nest->root, w->model->nest->root_length}, 0);
}

void model_print(const struct model *m, struct output *output)
{
	struct text text = {0};
	write_model(&(struct writer){.model = m, .text = &text, .output = output});
	output_text(output, &text);
	text_clear(&text);
}

void model_print_text(const struct model *m, struct text *text)
{
	write_model(&(struct writer){.model = m, .text = text});
}

void model_print_addresses(const struct model *m, const char *part, struct output *output)
{
	struct text text = {0}, address = {0};
	write_model(&(struct writer){.model = m, .text = &text, .output = output, .address = &address, .part = part});
	output_text(output, &text);
	text_clear(&text);
	text_clear(&address);
}
