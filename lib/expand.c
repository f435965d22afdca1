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

/* times: NULL: nobody asks. */
static bool expand_process(struct event_texts *l, struct cursor *c, struct time_series_reader *times, bool call,
	struct output *out, struct error *error)
{
	struct text text = {0}, said = {0};
	struct event_time time;
	bool good = true;
	while (good && !output_failed(out) && cursor_next(c)) {
		good = !times || time_series_next(times, c->line, &time, error);
		if (!good)
			break;
		if (times)
			put_time(&time, call, &said);
		event_texts_put(l, &c->at, c->event, said.data, &text);
		if (text.length >= PIECE)
			output_text(out, &text);
	}
	output_text(out, &text);
	text_clear(&text);
	text_clear(&said);
	return good && environment_good(&c->at, error);
}

bool expand_write(struct run *run, const struct ranks *ranks, const struct expand_options *options, struct output *out,
	struct error *error)
{
	struct time_series *series = options->series;
	bool call = series && time_series_form(series)->keep != COLUMNS_TIMESTAMPS, good = true;
	struct event_texts *l = event_texts_new(run, options->values ? is_asked : NULL, options->values);
	struct ranks_walk walk = {0};
	struct cursor *c = NULL;
	for (uint32_t rank; good && !output_failed(out) && ranks_next(ranks, &walk, &rank);) {
		struct time_series_reader *times = series ? time_series_read(series, rank) : NULL;
		if (c)
			cursor_restart(c, rank);
		else
			c = cursor_new(run, rank);
		good = expand_process(l, c, times, call, out, error);
		time_series_end(times);
	}
	cursor_free(c);
	event_texts_free(l);
	return good;
}
