/*
 * check.c -- tracenest check: is a model sound, and is it the model of a trace?
 *
 * The model alone: every message sent is received and every collective is complete, which counts tell without running it; and
 * what merge.h promises of loops. With a trace: the projection on each process is walked beside the process's stream,
 * event by event, so that memory does not grow with either.
 *
 * Events of the two sides speak of two dictionaries. What is compared is their wording, interned once per event; of a sync that several
 * processes share, the wording without the leading rank.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "base/output.h"
#include "cli/options.h"
#include "cli/report.h"
#include "cli/streams.h"
#include "cli/verbs.h"
#include "merge/merge.h"
#include "model/model.h"

#define DIFFERENCES_TOLD 10

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

/* The first differences go to `told`; the error only says that there are some: it has no room for ten of them. */
static bool find_differences(struct comparison *c, struct text *told, struct error *error)
{
	uint64_t differences = 0;
	for (uint32_t rank = 0; rank < c->sides; rank++) {
		struct side *s = &c->side[rank];
		if (s->outcome == SAME && s->walk && walk_next(s->walk, &s->in_model))
			s->outcome = MODEL_LONGER;
		if (s->outcome != SAME && differences++ < DIFFERENCES_TOLD)
			put_difference(c, rank, told);
	}
	if (differences > DIFFERENCES_TOLD)
		text_format(told, "\n  and %" PRIu64 " more ranks", differences - DIFFERENCES_TOLD);
	if (differences == 0)
		return true;
	return error_set(error, ERROR_INCONSISTENT, "the model is not that of the trace, on %" PRIu64 " of %zu ranks:", differences,
		c->sides);
}

static bool compare(struct comparison *c, const struct settings *settings, struct text *told, struct error *error)
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
	if (!streams_read(c->streams, NULL, (unsigned)settings->jobs, &sink, error) || !find_differences(c, told, error))
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

/* ------------------------------------------------------------------ the verb */

/* The options with which the model's maker read the trace, where the user gives none. */
static bool adopt_notes(const struct model *model, struct settings *settings, struct error *error)
{
	static const char mark[] = "options ";
	for (size_t i = 0; i < model->notes.length; i++)
		if (strncmp(model->notes.line[i], mark, strlen(mark)) == 0 &&
			!options_adopt(model->notes.line[i] + strlen(mark), settings, error))
			return false;
	return true;
}

static bool check_trace(
	const struct model *model, const struct settings *given, struct report *report, struct text *told, struct error *error)
{
	struct settings settings = *given;
	if (!adopt_notes(model, &settings, error))
		return false;
	struct comparison c = {.model = model, .streams = streams_open(&settings, settings.argument[1], report, error)};
	bool good = c.streams && compare(&c, &settings, told, error);
	report_clear(report);
	comparison_clear(&c);
	return good || error_at(error, "%s", settings.argument[1]);
}

/* Each of the questions is answered, whatever the answer to the one before; the exit status is that of the first that failed. */
struct verdict {
	struct report *report;
	struct output *out;
	int status;
};

static void failed(struct verdict *v, const struct error *error, const struct text *details)
{
	int status = report_error(v->report, error, details);
	if (v->status == 0)
		v->status = status;
}

static void check_messages(struct verdict *v, const struct model *model, const struct settings *settings)
{
	struct error error = {0};
	if (merge_complete(model, &error)) {
		if (!settings->quiet)
			output_format(v->out, "every message is received, every collective is complete\n");
		return;
	}
	error_at(&error, "%s", settings->argument[0]);
	if (settings->lenient)
		report_say(v->report, "%s", error.message);
	else
		failed(v, &error, NULL);
}

static void check_loops(struct verdict *v, const struct model *model, const struct settings *settings)
{
	struct error error = {0};
	struct merge_links links;
	char inside[32], apart[32];
	if (!merge_verify(model, &links, &error)) {
		error_at(&error, "%s", settings->argument[0]);
		failed(v, &error, NULL);
	} else if (!settings->quiet) {
		output_format(v->out,
			"no message crosses the iterations of the loops that span several processes (%s); irregular links: %s\n",
			grouped(links.inside, inside), grouped(links.irregular, apart));
	}
}

static void check_streams(struct verdict *v, const struct model *model, const struct settings *settings)
{
	struct error error = {0};
	struct text told = {0};
	char events[32];
	if (!check_trace(model, settings, v->report, &told, &error))
		failed(v, &error, &told);
	else if (!settings->quiet)
		output_format(v->out, "%" PRIu32 " processes, %s events: the same as in the trace, in the same order\n",
			model->processes, grouped(model_events(model), events));
	text_clear(&told);
}

static struct model *read_model(const struct settings *settings, struct error *error)
{
	const char *trace = settings->argument[1];
	if (trace && strcmp(trace, "-") == 0 && strcmp(settings->argument[0], "-") == 0) {
		error_set(error, ERROR_INPUT, "check: only one of the two can be standard input");
		return NULL;
	}
	return model_read(settings->argument[0], error);
}

int verb_check(const struct settings *settings)
{
	struct report report = report_start(settings);
	struct error error = {0};
	struct model *model = read_model(settings, &error);
	struct verdict v = {.report = &report, .out = model ? output_open(NULL, &error) : NULL};
	if (v.out) {
		check_messages(&v, model, settings);
		check_loops(&v, model, settings);
		if (settings->argument[1])
			check_streams(&v, model, settings);
		report_close_long(&report, model_events(model));
	}
	model_free(model);
	if (!v.out || !output_close(v.out, &error))
		return report_error(&report, &error, NULL);
	return v.status;
}
