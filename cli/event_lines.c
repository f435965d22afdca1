/*
 * event_lines.c -- what is stored of an event is its line without the leading rank: that is all in
 * which the lines of a sync that several processes share differ, and every other event belongs to
 * one line.
 */
#include "cli/event_lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct line {
	const char *bytes; /* NULL: not worded yet */
	size_t length;
	bool shared; /* a sync: the rank comes first */
};

struct event_lines {
	const struct dictionary *dictionary;
	struct arena *arena;
	struct line *line;
	size_t lines, capacity;
	struct text word; /* scratch */
};

struct event_lines *event_lines_new(const struct dictionary *dictionary)
{
	struct event_lines *l = mem_zero(sizeof *l);
	l->dictionary = dictionary;
	l->arena = arena_new();
	return l;
}

void event_lines_free(struct event_lines *l)
{
	if (!l)
		return;
	arena_free(l->arena);
	text_clear(&l->word);
	free(l->line);
	free(l);
}

static void make_room(struct event_lines *l, uint32_t event)
{
	if (event < l->lines)
		return;
	l->line = mem_grow(l->line, &l->capacity, (size_t)event + 1, sizeof *l->line);
	memset(l->line + l->lines, 0, (event + 1 - l->lines) * sizeof *l->line);
	l->lines = (size_t)event + 1;
}

static void word_line(struct event_lines *l, uint32_t event, uint32_t rank)
{
	struct line *line = &l->line[event];
	text_truncate(&l->word, 0);
	event_print_as(l->dictionary, event, rank, &l->word);
	text_char(&l->word, '\n');
	line->shared = kind_gathers(dictionary_get_event(l->dictionary, event)->kind);
	size_t skip = line->shared ? strcspn(l->word.data, " ") : 0;
	line->length = l->word.length - skip;
	line->bytes = arena_copy(l->arena, l->word.data + skip, line->length);
}

void event_lines_put(struct event_lines *l, uint32_t event, uint32_t rank, struct text *out)
{
	make_room(l, event);
	if (!l->line[event].bytes)
		word_line(l, event, rank);
	const struct line *line = &l->line[event];
	if (line->shared)
		text_number(out, rank);
	text_add(out, line->bytes, line->length);
}
