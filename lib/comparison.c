/*
 * comparison.c -- events of the two sides speak of two dictionaries. What is compared is their wording, interned once per event; of a
 * sync that several processes share, the wording without the leading rank.
 */
#include "lib/comparison.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"

enum outcome { SAME, DIFFERENT, TRACE_LONGER, MODEL_LONGER };

/* One process: its walk through the model, and where it first left the trace. */
struct side {
	struct walk *walk; /* NULL: the model does not know the process */
	uint64_t position; /* events in which the two agree */
	enum outcome outcome;
	uint32_t in_trace, in_model; /* the events at that position */
};

struct comparison {
	const struct model *model;
	struct streams *streams;
	unsigned jobs;
	struct projection *projection;
	struct intern *wordings;
	uint32_t *model_wording; /* by event of the model */
	uint32_t *trace_wording; /* by event of the streams; INTERN_NONE: the model has no such event */
	size_t trace_events, trace_capacity;
	struct side *side; /* by rank */
	size_t sides, side_capacity;
	struct text scratch;
};

/* ------------------------------------------------------------------ wordings */

static const char *event_wording(const struct dictionary *d, uint32_t event, struct text *text)
{
	text_truncate(text, 0);
	event_print(d, event, text);
	bool shared = dictionary_get_event(d, event)->kind == EVENT_SYNC;
	return text->data + (shared ? strcspn(text->data, " ") : 0);
}

static void word_model(struct comparison *c)
{
	const struct dictionary *d = c->model->dictionary;
	c->wordings = intern_new();
	c->model_wording = mem_array(dictionary_events(d), sizeof *c->model_wording);
	for (uint32_t event = 0; event < dictionary_events(d); event++) {
		const char *wording = event_wording(d, event, &c->scratch);
		c->model_wording[event] = intern_id(c->wordings, wording, strlen(wording));
	}
}

/* Bring the wordings of the trace's events up to date. Those of an archive are all there before threads start reading. */
static void word_trace(struct comparison *c, const struct dictionary *d)
{
	uint32_t events = dictionary_events(d);
	c->trace_wording = mem_grow(c->trace_wording, &c->trace_capacity, events, sizeof *c->trace_wording);
	for (; c->trace_events < events; c->trace_events++) {
		const char *wording = event_wording(d, (uint32_t)c->trace_events, &c->scratch);
		c->trace_wording[c->trace_events] = intern_find(c->wordings, wording, strlen(wording));
	}
}

/* ------------------------------------------------------------------ side by side */

static void make_room(struct comparison *c, size_t sides)
{
	if (sides <= c->sides)
		return;
	c->side = mem_grow(c->side, &c->side_capacity, sides, sizeof *c->side);
	for (; c->sides < sides; c->sides++) {
		uint32_t rank = (uint32_t)c->sides;
		c->side[rank] = (struct side){.walk = rank < c->model->processes ? walk_new(c->projection, rank) : NULL};
	}
}

static bool compare_event(void *context, uint32_t rank, uint32_t event, struct error *error)
{
	(void)error;
	struct comparison *c = context;
	make_room(c, (size_t)rank + 1);
	if (event >= c->trace_events)
		word_trace(c, streams_dictionary(c->streams, rank));
	struct side *s = &c->side[rank];
	if (s->outcome != SAME)
		return true;
	if (!s->walk || !walk_next(s->walk, &s->in_model)) {
		s->outcome = TRACE_LONGER;
		s->in_trace = event;
	} else if (c->model_wording[s->in_model] != c->trace_wording[event]) {
		s->outcome = DIFFERENT;
		s->in_trace = event;
	} else {
		s->position++;
	}
	return true;
}

static void put_difference(struct comparison *c, uint32_t rank, struct text *out)
{
	const struct side *s = &c->side[rank];
	text_format(out, "\n  rank %" PRIu32 ", position %" PRIu64 ": the trace ", rank, s->position);
	if (s->outcome == MODEL_LONGER) {
		text_put(out, "ends");
	} else {
		text_put(out, "has '");
		event_print(streams_dictionary(c->streams, rank), s->in_trace, out);
		text_char(out, '\'');
	}
	text_put(out, ", the model ");
	if (s->outcome == TRACE_LONGER) {
		text_put(out, s->walk ? "ends" : "does not have this rank");
	} else {
		text_put(out, "has '");
		event_print_as(c->model->dictionary, s->in_model, rank, out);
		text_char(out, '\'');
	}
}

/* The error only says that there are differences: it has no room for ten of them. */
static bool find_differences(struct comparison *c, struct comparison_facts *facts, struct error *error)
{
	for (uint32_t rank = 0; rank < c->sides; rank++) {
		struct side *s = &c->side[rank];
		if (s->outcome == SAME && s->walk && walk_next(s->walk, &s->in_model))
			s->outcome = MODEL_LONGER;
		if (s->outcome != SAME && facts->different++ < COMPARISON_TOLD)
			put_difference(c, rank, &facts->told);
	}
	if (facts->different > COMPARISON_TOLD)
		text_format(&facts->told, "\n  and %" PRIu64 " more ranks", facts->different - COMPARISON_TOLD);
	if (facts->different == 0)
		return true;
	return error_set(error, ERROR_INCONSISTENT, "the model is not that of the trace, on %" PRIu64 " of %zu ranks:", facts->different,
		c->sides);
}

static bool compare(struct comparison *c, struct comparison_facts *facts, struct error *error)
{
	c->projection = projection_new(c->model, NULL);
	word_model(c);
	make_room(c, c->model->processes);
	if (streams_facts(c->streams)->archive) {
		make_room(c, streams_facts(c->streams)->processes);
		for (uint32_t rank = 0; rank < c->sides; rank++)
			if (streams_dictionary(c->streams, rank))
				word_trace(c, streams_dictionary(c->streams, rank));
	}
	struct streams_sink sink = {c, compare_event};
	if (!streams_read(c->streams, NULL, c->jobs, &sink, error))
		return false;
	facts->events = streams_facts(c->streams)->events;
	if (!find_differences(c, facts, error))
		return false;
	uint32_t processes = streams_facts(c->streams)->processes;
	if (processes != c->model->processes)
		return error_set(error, ERROR_INCONSISTENT, "the model has %" PRIu32 " processes, the trace %" PRIu32,
			c->model->processes, processes);
	return true;
}

static void comparison_clear(struct comparison *c)
{
	for (size_t i = 0; i < c->sides; i++)
		walk_free(c->side[i].walk);
	free(c->side);
	free(c->model_wording);
	free(c->trace_wording);
	intern_free(c->wordings);
	projection_free(c->projection);
	streams_close(c->streams);
	text_clear(&c->scratch);
}

bool comparison_run(const struct model *model, const char *path, const struct streams_options *options, struct comparison_facts *facts,
	struct error *error)
{
	*facts = (struct comparison_facts){0};
	struct comparison c = {.model = model, .streams = streams_open(path, options, error), .jobs = options->jobs};
	bool good = c.streams && compare(&c, facts, error);
	comparison_clear(&c);
	return good;
}

void comparison_facts_clear(struct comparison_facts *facts)
{
	text_clear(&facts->told);
	*facts = (struct comparison_facts){0};
}
