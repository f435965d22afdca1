/*
 * expand.c -- statements that do not advance are worded once for each process.
 */
#include "lib/expand.h"

#include <stdlib.h>

#include <string.h>

#include "ask/projection.h"
#include "base/mem.h"
#include "lib/carried.h"

#define PIECE (size_t)(1 << 16) /* bytes gathered before they are written */

/* The line of a statement, as the process at hand has it. */
struct line {
	const char *bytes;
	uint32_t length;
	uint32_t rank; /* + 1; of another: there is none yet */
	bool varies; /* it depends on indices: there is never one */
	struct attribute *attribute; /* those that are asked for */
	uint32_t attributes;
};

struct printer {
	const struct program *program;
	struct line *line; /* by statement */
	struct arena *arena; /* lines of the process at hand */
	struct text text; /* not yet written */
	struct output *out;
};

static void put_attributes(struct printer *p, const struct walk *walk, const struct line *line)
{
	struct spot spot = walk_spot(walk);
	bool first = true;
	for (uint32_t i = 0; i < line->attributes; i++) {
		struct attribute_value v = attribute_at(p->program, &line->attribute[i], &spot);
		if (!v.there)
			continue;
		text_put(&p->text, first ? " ; " : " ");
		text_put(&p->text, dictionary_get_word(p->program->dictionary, line->attribute[i].name));
		text_char(&p->text, '=');
		attribute_value_print(&v, &p->text);
		first = false;
	}
}

static void put_event(struct printer *p, const struct walk *walk)
{
	struct plain_event event;
	walk_event(walk, &event);
	plain_event_print(p->program->dictionary, &event, &p->text);
	put_attributes(p, walk, &p->line[walk_statement(walk)]);
	text_char(&p->text, '\n');
}

static void put_line(struct printer *p, const struct walk *walk, uint32_t rank)
{
	size_t at = walk_statement(walk), start = p->text.length;
	struct line *line = &p->line[at];
	if (line->varies) {
		put_event(p, walk);
	} else if (line->rank != rank + 1) {
		put_event(p, walk);
		line->length = (uint32_t)(p->text.length - start);
		line->bytes = arena_copy(p->arena, p->text.data + start, line->length);
		line->rank = rank + 1;
	} else {
		text_add(&p->text, line->bytes, line->length);
	}
}

static void print_stream(struct printer *p, const struct projection *projection, uint32_t rank)
{
	struct walk *walk = walk_new(projection, rank);
	p->arena = arena_new();
	while (!output_failed(p->out) && walk_next(walk)) {
		put_line(p, walk, rank);
		if (p->text.length >= PIECE)
			output_text(p->out, &p->text);
	}
	arena_free(p->arena);
	walk_free(walk);
}

/* The attributes of a statement that are asked for. */
static void choose_attributes(struct printer *p, size_t at, const char *values)
{
	struct line *line = &p->line[at];
	struct attribute attribute[ATTRIBUTES_MOST];
	size_t count = values ? program_get_attributes(p->program, p->program->statement[at].attributes, attribute) : 0;
	for (size_t i = 0; i < count; i++) {
		const char *name = dictionary_get_word(p->program->dictionary, attribute[i].name);
		if (!carried_is_asked(values, name, strlen(name)))
			continue;
		attribute[line->attributes++] = attribute[i];
		line->varies = line->varies || value_indices(&attribute[i].value);
	}
	line->attribute = line->attributes ? mem_copy(attribute, line->attributes * sizeof *attribute) : NULL;
}

void program_expand(struct program *program, const struct ranks *ranks, const char *values, struct output *out)
{
	struct projection *projection = projection_new(program, ranks);
	struct printer p = {.program = program, .line = mem_zero(program->length * sizeof *p.line), .out = out};
	struct ranks_walk walk = {0};
	for (size_t i = 0; i < program->length; i++) {
		p.line[i].varies = program_indices(program, &program->statement[i]) != 0;
		choose_attributes(&p, i, values);
	}
	for (uint32_t rank; ranks_next(ranks, &walk, &rank);)
		print_stream(&p, projection, rank);
	output_text(out, &p.text);
	text_clear(&p.text);
	for (size_t i = 0; i < program->length; i++)
		free(p.line[i].attribute);
	free(p.line);
	projection_free(projection);
}
