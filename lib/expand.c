/*
 * expand.c -- statements that do not advance are worded once for each process.
 */
#include "lib/expand.h"

#include <stdlib.h>

#include <string.h>

#include "ask/projection.h"
#include "base/mem.h"
#include "lib/event_values.h"

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
	struct time_series *series;
	struct time_series_reader *times; /* of the process at hand */
	struct error *error;
};

static void put_attributes(struct printer *p, const struct walk *walk, const struct line *line, bool first)
{
	struct spot spot = walk_spot(walk);
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
	put_attributes(p, walk, &p->line[walk_statement(walk)], true);
	text_char(&p->text, '\n');
}

static bool put_timed(struct printer *p, const struct walk *walk)
{
	struct plain_event event;
	struct event_time time;
	if (!time_series_next(p->times, walk_statement(walk), &time, p->error))
		return false;
	walk_event(walk, &event);
	plain_event_print(p->program->dictionary, &event, &p->text);
	text_put(&p->text, " ; time=");
	text_number(&p->text, time.time);
	if (time_series_form(p->series)->keep != COLUMNS_TIMESTAMPS) {
		text_put(&p->text, " enter=");
		text_number(&p->text, time.enter);
		text_put(&p->text, " leave=");
		text_number(&p->text, time.leave);
	}
	put_attributes(p, walk, &p->line[walk_statement(walk)], false);
	text_char(&p->text, '\n');
	return true;
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

static bool print_stream(struct printer *p, const struct projection *projection, uint32_t rank)
{
	struct walk *walk = walk_new(projection, rank);
	bool good = true;
	p->arena = arena_new();
	p->times = p->series ? time_series_read(p->series, rank) : NULL;
	while (good && !output_failed(p->out) && walk_next(walk)) {
		if (p->times)
			good = put_timed(p, walk);
		else
			put_line(p, walk, rank);
		if (p->text.length >= PIECE)
			output_text(p->out, &p->text);
	}
	time_series_end(p->times);
	arena_free(p->arena);
	walk_free(walk);
	return good;
}

/* The attributes of a statement that are asked for. */
static void choose_attributes(struct printer *p, size_t at, const char *values)
{
	struct line *line = &p->line[at];
	struct attribute attribute[ATTRIBUTES_MOST];
	size_t count = values ? program_get_attributes(p->program, p->program->statement[at].attributes, attribute) : 0;
	for (size_t i = 0; i < count; i++) {
		const char *name = dictionary_get_word(p->program->dictionary, attribute[i].name);
		if (!event_values_is_asked(values, name, strlen(name)))
			continue;
		attribute[line->attributes++] = attribute[i];
		line->varies = line->varies || value_indices(&attribute[i].value);
	}
	line->attribute = line->attributes ? mem_copy(attribute, line->attributes * sizeof *attribute) : NULL;
}

bool program_expand(struct program *program, const struct ranks *ranks, const struct expand_options *options,
	struct output *out, struct error *error)
{
	struct projection *projection = projection_new(program, ranks);
	struct printer p = {.program = program,
		.line = mem_zero(program->length * sizeof *p.line),
		.out = out,
		.series = options->series,
		.error = error};
	bool good = true;
	struct ranks_walk walk = {0};
	for (size_t i = 0; i < program->length; i++) {
		p.line[i].varies = program_indices(program, &program->statement[i]) != 0;
		choose_attributes(&p, i, options->values);
	}
	for (uint32_t rank; good && ranks_next(ranks, &walk, &rank);)
		good = print_stream(&p, projection, rank);
	output_text(out, &p.text);
	text_clear(&p.text);
	for (size_t i = 0; i < program->length; i++)
		free(p.line[i].attribute);
	free(p.line);
	projection_free(projection);
	return good;
}
