/*
 * expand.c -- times are read beside the walk: the k-th event of a process has the k-th one.
 */
#include "lib/expand.h"

#include <string.h>

#include "ask/event_texts.h"
#include "trace/event_values.h"

#define PIECE (size_t)(1 << 16) /* bytes gathered before they are written */

static bool is_asked(const void *names, const char *name)
{
	return event_values_is_asked(names, name, strlen(name));
}

static void put_time(const struct event_time *t, bool call, struct text *to)
{
	text_truncate(to, 0);
	text_put(to, "time=");
	text_number(to, t->time);
	if (!call)
		return;
	text_put(to, " enter=");
	text_number(to, t->enter);
	text_put(to, " leave=");
	text_number(to, t->leave);
}

static bool expand_timed(
	struct event_texts *l, struct cursor *c, struct time_series *series, struct output *out, struct error *error)
{
	struct time_series_reader *times = time_series_read(series, (uint32_t)c->at.p);
	bool call = time_series_form(series)->keep != COLUMNS_TIMESTAMPS, good = true;
	struct text text = {0}, said = {0};
	struct event_time time;
	while (good && !output_failed(out) && cursor_next(c)) {
		good = time_series_next(times, c->line, &time, error);
		if (!good)
			break;
		put_time(&time, call, &said);
		event_texts_put(l, &c->at, c->event, said.data, &text);
		if (text.length >= PIECE)
			output_text(out, &text);
	}
	output_text(out, &text);
	time_series_end(times);
	text_clear(&text);
	text_clear(&said);
	return good && environment_good(&c->at, error);
}

bool expand_write(struct run *run, const struct ranks *ranks, const struct expand_options *options, struct output *out,
	struct error *error)
{
	event_texts_asked *asked = options->values ? is_asked : NULL;
	struct ranks_walk walk = {0};
	bool good = true;
	if (!options->series)
		return run_expand(run, ranks, asked, options->values, out, error);
	struct event_texts *l = event_texts_new(run, asked, options->values);
	for (uint32_t rank; good && ranks_next(ranks, &walk, &rank);) {
		struct cursor *c = cursor_new(run, rank);
		good = expand_timed(l, c, options->series, out, error);
		cursor_free(c);
	}
	event_texts_free(l);
	return good;
}
