/*
 * comparison.c -- events of the two sides speak of two dictionaries: those of the trace are put
 * into the words of the program once.
 */
#include "lib/comparison.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ask/walk_values.h"
#include "base/mem.h"
#include "lib/event_values.h"

enum outcome { SAME, DIFFERENT, TRACE_LONGER, MODEL_LONGER };

/* One process: its walk through the model, and where it first left the trace. */
struct side {
	struct walk *walk; /* NULL: the model does not know the process */
	uint64_t position; /* events in which the two agree */
	enum outcome outcome;
	uint32_t in_trace; /* the events at that position */
	struct plain_event in_model;
	struct text trace_carries, model_carries; /* where they differ */
};

struct comparison {
	struct program *program;
	struct streams *streams;
	unsigned jobs;
	struct projection *projection;
	struct walk_values expected; /* under all names of the program */
	struct plain_event *trace_event; /* by event of the streams */
	size_t trace_events, trace_capacity;
	struct side *side; /* by rank */
	size_t sides, side_capacity;
};

/* Bring the trace's events up to date. Those of an archive are all there before threads start
   reading. */
static void know_trace(struct comparison *c, const struct dictionary *d)
{
	uint32_t events = dictionary_events(d);
	c->trace_event = mem_grow(c->trace_event, &c->trace_capacity, events, sizeof *c->trace_event);
	for (; c->trace_events < events; c->trace_events++) {
		uint32_t event = (uint32_t)c->trace_events;
		struct ranks_run single;
		struct ranks who = event_processes(d, event, &single);
		plain_event_of(c->program->dictionary, d, event, who.run->first, &c->trace_event[event]);
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
		c->side[rank] =
			(struct side){.walk = rank < c->program->processes ? walk_new(c->projection, rank) : NULL};
	}
}

static struct attribute_value value_in_trace(
	const struct comparison *c, const struct trace_event *e, size_t name, char digits[EVENT_VALUES_DIGITS])
{
	const char *word = dictionary_get_word(c->program->dictionary, c->expected.name[name]);
	return event_values_value(e, word, strlen(word), digits);
}

/* Does the event carry what the program says? Under the names that occur in the program. */
static bool carries_the_same(const struct comparison *c, struct side *s, const struct trace_event *carried)
{
	char digits[EVENT_VALUES_DIGITS];
	bool same = true;
	for (size_t k = 0; k < c->expected.names && same; k++) {
		struct attribute_value a = walk_values_at(&c->expected, s->walk, k),
				       b = value_in_trace(c, carried, k, digits);
		same = attribute_value_equal(&a, &b);
	}
	for (size_t k = 0; k < c->expected.names && !same; k++) {
		struct attribute_value a = walk_values_at(&c->expected, s->walk, k),
				       b = value_in_trace(c, carried, k, digits);
		walk_values_put(&c->expected, k, &a, &s->model_carries);
		walk_values_put(&c->expected, k, &b, &s->trace_carries);
	}
	return same;
}

static bool compare_event(
	void *context, uint32_t rank, uint32_t event, const struct trace_event *carried, struct error *error)
{
	(void)error;
	struct comparison *c = context;
	make_room(c, (size_t)rank + 1);
	if (event >= c->trace_events)
		know_trace(c, streams_dictionary(c->streams, rank));
	struct side *s = &c->side[rank];
	if (s->outcome != SAME)
		return true;
	bool more = s->walk && walk_next(s->walk);
	if (more)
		walk_event(s->walk, &s->in_model);
	if (more && plain_event_equal(&s->in_model, &c->trace_event[event]) &&
		(!c->expected.names || carries_the_same(c, s, carried))) {
		s->position++;
		return true;
	}
	s->outcome = more ? DIFFERENT : TRACE_LONGER;
	s->in_trace = event;
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
		text_add(out, s->trace_carries.data, s->trace_carries.length);
		text_char(out, '\'');
	}
	text_put(out, ", the model ");
	if (s->outcome == TRACE_LONGER) {
		text_put(out, s->walk ? "ends" : "does not have this rank");
	} else {
		text_put(out, "has '");
		plain_event_print(c->program->dictionary, &s->in_model, out);
		text_add(out, s->model_carries.data, s->model_carries.length);
		text_char(out, '\'');
	}
}

/* The error only says that there are differences: it has no room for ten of them. */
static bool find_differences(struct comparison *c, struct comparison_facts *facts, struct error *error)
{
	for (uint32_t rank = 0; rank < c->sides; rank++) {
		struct side *s = &c->side[rank];
		if (s->outcome == SAME && s->walk && walk_next(s->walk)) {
			walk_event(s->walk, &s->in_model);
			s->outcome = MODEL_LONGER;
		}
		if (s->outcome != SAME && facts->different++ < COMPARISON_TOLD)
			put_difference(c, rank, &facts->told);
	}
	if (facts->different > COMPARISON_TOLD)
		text_format(&facts->told, "\n  and %" PRIu64 " more ranks", facts->different - COMPARISON_TOLD);
	if (facts->different == 0)
		return true;
	return error_set(error, ERROR_INCONSISTENT,
		"the model is not that of the trace, on %" PRIu64 " of %zu ranks:", facts->different, c->sides);
}

static bool compare(struct comparison *c, struct comparison_facts *facts, struct error *error)
{
	c->projection = projection_new(c->program, NULL);
	make_room(c, c->program->processes);
	if (streams_facts(c->streams)->archive) {
		make_room(c, streams_facts(c->streams)->processes);
		for (uint32_t rank = 0; rank < c->sides; rank++)
			if (streams_dictionary(c->streams, rank))
				know_trace(c, streams_dictionary(c->streams, rank));
	}
	struct streams_sink sink = {c, compare_event};
	if (!streams_read(c->streams, NULL, c->jobs, &sink, error))
		return false;
	facts->trace = *streams_facts(c->streams);
	streams_missing_records(c->streams, &facts->missing);
	if (!find_differences(c, facts, error))
		return false;
	uint32_t processes = streams_facts(c->streams)->processes;
	if (processes != c->program->processes)
		return error_set(error, ERROR_INCONSISTENT, "the model has %" PRIu32 " processes, the trace %" PRIu32,
			c->program->processes, processes);
	return true;
}

static void comparison_clear(struct comparison *c)
{
	for (size_t i = 0; i < c->sides; i++) {
		walk_free(c->side[i].walk);
		text_clear(&c->side[i].trace_carries);
		text_clear(&c->side[i].model_carries);
	}
	walk_values_clear(&c->expected);
	free(c->side);
	free(c->trace_event);
	projection_free(c->projection);
	streams_close(c->streams);
}

bool comparison_run(struct program *program, const char *path, const struct streams_options *options,
	struct comparison_facts *facts, struct error *error)
{
	*facts = (struct comparison_facts){0};
	struct comparison c = {.program = program, .jobs = options->jobs};
	struct streams_options asked = *options;
	uint32_t *name;
	size_t names = program_attribute_names(program, &name);
	walk_values_of(&c.expected, program, name, names);
	asked.trace.attributes = c.expected.names > 0;
	for (size_t k = 0; k < c.expected.names; k++)
		asked.trace.calls |=
			event_values_asks_calls(dictionary_get_word(program->dictionary, c.expected.name[k]));
	c.streams = streams_open(path, &asked, error);
	bool good = c.streams && compare(&c, facts, error);
	comparison_clear(&c);
	return good;
}

void comparison_facts_clear(struct comparison_facts *facts)
{
	text_clear(&facts->told);
	missing_records_clear(&facts->missing);
	*facts = (struct comparison_facts){0};
}
