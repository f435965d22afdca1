/*
 * at.c -- tracenest at: where in the program each process was at a time.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/output.h"
#include "cli/options.h"
#include "cli/talk.h"
#include "cli/verbs.h"
#include "lib/pipeline.h"
#include "model/module_address.h"
#include "model/prepared.h"
#include "profile/database.h"
#include "profile/time_series.h"
#include "report/naming.h"

struct asking {
	const struct settings *settings;
	struct time_series *series;
	struct prepared *program;
	struct module_addresses addresses;
	char **words; /* by line */
	struct ranks ranks;
	struct time_point *moment; /* of each of these */
	struct output *out;
	struct text text;
	struct json json;
};

/* ------------------------------------------------------------------ times */

/* Since the run began; or ticks of the clock. */
static bool read_time(const struct time_series *m, const char *word, uint64_t *time, struct error *error)
{
	double seconds;
	const char *at = word;
	if (text_read_number(&at, INT64_MAX, time) && !strcmp(at, "ticks"))
		return true;
	if (!time_parse(word, &seconds))
		return error_set(error, ERROR_INPUT, "at: '%s' is no time, as in " TIME_EXAMPLES "; or 123ticks", word);
	uint64_t ticks = time_series_ticks_per_second(m);
	if (!ticks)
		return error_set(error, ERROR_INPUT,
			"at: %s: the trace did not say how long a tick is: give ticks, as in 123ticks", word);
	if (seconds * (double)ticks > 9e18)
		return error_set(error, ERROR_INPUT, "at: %s is beyond all clocks", word);
	*time = time_series_begin(m) + (uint64_t)(seconds * (double)ticks + 0.5);
	return true;
}

static double seconds_since(const struct asking *a, uint64_t time, uint64_t since)
{
	uint64_t ticks = time_series_ticks_per_second(a->series);
	double difference = time >= since ? (double)(time - since) : -(double)(since - time);
	return ticks ? difference / (double)ticks : 0;
}

/* ------------------------------------------------------------------ for people */

static bool same_call(const struct trace_stand *a, const struct trace_stand *b)
{
	return a && b ? !strcmp(a->call, b->call) && !strcmp(a->place, b->place) : a == b;
}

/* Processes that are at the same place. */
static bool same_place(const struct time_point *a, const struct time_point *b)
{
	return a->state == b->state && same_call(a->inside, b->inside) &&
	       (a->state == TIME_POINT_NOTHING || (a->line == b->line && a->loops == b->loops &&
							  !memcmp(a->index, b->index, a->loops * sizeof *a->index)));
}

static const char *const state_words[] = {[TIME_POINT_NOTHING] = "nothing",
	[TIME_POINT_BEFORE] = "before",
	[TIME_POINT_INSIDE] = "in",
	[TIME_POINT_BEHIND] = "behind"};

static void put_place(struct asking *a, const struct time_point *m)
{
	const char *words = a->words[m->line];
	text_format(&a->text, "%s %s", state_words[m->state], module_addresses_get(&a->addresses, m->line));
	for (size_t i = 0; i < m->loops; i++)
		text_format(&a->text, " i%zu=%" PRId64, i, m->index[i]);
	text_format(&a->text, ": %s", words ? words : "");
}

/* Of one that never returned. */
static void put_call(struct asking *a, const struct trace_stand *call)
{
	text_put(&a->text, "in ");
	text_put_printable(&a->text, call->call);
	if (*call->place) {
		text_put(&a->text, " (");
		text_put_printable(&a->text, call->place);
		text_char(&a->text, ')');
	}
	text_put(&a->text, ", ");
}

static uint64_t since_of(const struct time_point *m)
{
	return m->inside ? m->inside->since : m->since;
}

/* For how long those at this place have been there. */
static void put_since(struct asking *a, uint64_t time, uint64_t first, uint64_t last)
{
	if (!time_series_ticks_per_second(a->series) || last > time)
		return;
	text_format(&a->text, " // for %s", seconds_of(seconds_since(a, time, last)).words);
	if (first != last)
		text_format(&a->text, " to %s", seconds_of(seconds_since(a, time, first)).words);
}

static void put_group(struct asking *a, uint64_t time, size_t first, bool *told)
{
	struct ranks ranks = {0}, all = a->ranks;
	struct ranks_walk walk = {0};
	const struct time_point *m = &a->moment[first];
	uint64_t least = since_of(m), most = least;
	size_t i = 0;
	for (uint32_t rank; ranks_next(&all, &walk, &rank); i++) {
		if (told[i] || !same_place(m, &a->moment[i]))
			continue;
		told[i] = true;
		ranks_add(&ranks, rank);
		uint64_t since = since_of(&a->moment[i]);
		least = since < least ? since : least;
		most = since > most ? since : most;
	}
	text_put(&a->text, "  ");
	ranks_print_short(&ranks, &a->text);
	text_char(&a->text, ' ');
	if (m->inside)
		put_call(a, m->inside);
	if (m->state == TIME_POINT_NOTHING)
		text_put(&a->text, "nothing: no events");
	else
		put_place(a, m);
	if (m->inside || m->state != TIME_POINT_NOTHING)
		put_since(a, time, least, most);
	text_char(&a->text, '\n');
	ranks_clear(&ranks);
}

static void put_time(struct asking *a, uint64_t time)
{
	size_t count = (size_t)ranks_count(&a->ranks);
	bool *told = mem_zero(count + 1);
	text_format(&a->text, "at %" PRIu64, time);
	if (time_series_ticks_per_second(a->series))
		text_format(
			&a->text, ", %.8g s after the run began", seconds_since(a, time, time_series_begin(a->series)));
	text_char(&a->text, '\n');
	for (size_t i = 0; i < count; i++)
		if (!told[i])
			put_group(a, time, i, told);
	free(told);
}

/* ------------------------------------------------------------------ for programs */

/* In seconds since the run began, where the clock is known; and in ticks of it. */
static void put_time_json(struct json *j, const struct asking *a, const char *name, const char *ticks, uint64_t time)
{
	if (time_series_ticks_per_second(a->series))
		json_short(j, name, seconds_since(a, time, time_series_begin(a->series)), 9);
	json_number(j, ticks, time);
}

static void put_process(struct json *j, const struct asking *a, uint32_t rank, const struct time_point *m)
{
	json_object(j, NULL, JSON_ROW);
	json_number(j, "rank", rank);
	json_string(j, "state", state_words[m->state]);
	if (m->state != TIME_POINT_NOTHING) {
		json_string(j, "address", module_addresses_get(&a->addresses, m->line));
		json_array(j, "indices", JSON_ROW);
		for (size_t i = 0; i < m->loops; i++)
			json_integer(j, NULL, m->index[i]);
		json_close(j);
		json_number(j, "event", m->event);
		put_time_json(j, a, "since", "since_ticks", m->since);
		if (m->state != TIME_POINT_BEHIND)
			put_time_json(j, a, "until", "until_ticks",
				m->state == TIME_POINT_BEFORE ? m->time.enter : m->time.leave);
	}
	if (m->inside) {
		json_string(j, "call", m->inside->call);
		json_string(j, "place", m->inside->place);
		put_time_json(j, a, "called", "called_ticks", m->inside->since);
	}
	json_close(j);
}

static void put_json(struct asking *a, uint64_t time)
{
	struct json *j = &a->json;
	struct ranks_walk walk = {0};
	size_t i = 0;
	json_object(j, NULL, JSON_LINES);
	put_time_json(j, a, "time", "ticks", time);
	json_array(j, "processes", JSON_LINES);
	for (uint32_t rank; ranks_next(&a->ranks, &walk, &rank); i++)
		put_process(j, a, rank, &a->moment[i]);
	json_close(j);
	json_close(j);
}

static void put_csv(struct asking *a, uint64_t time)
{
	struct ranks_walk walk = {0};
	uint64_t begin = time_series_begin(a->series);
	size_t i = 0;
	for (uint32_t rank; ranks_next(&a->ranks, &walk, &rank); i++) {
		const struct time_point *m = &a->moment[i];
		bool there = m->state != TIME_POINT_NOTHING;
		text_format(&a->text, "%.9f,%" PRIu32 ",%s,%s,", seconds_since(a, time, begin), rank,
			state_words[m->state], there ? module_addresses_get(&a->addresses, m->line) : "");
		for (size_t k = 0; there && k < m->loops; k++)
			text_format(&a->text, "%s%" PRId64, k ? " " : "", m->index[k]);
		text_char(&a->text, ',');
		if (there)
			text_format(&a->text, "%" PRIu64 ",%.9f,", m->event, seconds_since(a, m->since, begin));
		else
			text_put(&a->text, ",,");
		if (there && m->state != TIME_POINT_BEHIND)
			text_format(&a->text, "%.9f",
				seconds_since(a, m->state == TIME_POINT_BEFORE ? m->time.enter : m->time.leave, begin));
		text_char(&a->text, ',');
		text_put_csv(&a->text, m->inside ? m->inside->call : "");
		text_char(&a->text, ',');
		text_put_csv(&a->text, m->inside ? m->inside->place : "");
		text_char(&a->text, ',');
		if (m->inside)
			text_format(&a->text, "%.9f", seconds_since(a, m->inside->since, begin));
		text_char(&a->text, '\n');
	}
}

/* ------------------------------------------------------------------ all times */

static bool ask(struct asking *a, const char *word, struct error *error)
{
	struct ranks_walk walk = {0};
	uint64_t time;
	size_t i = 0;
	if (!read_time(a->series, word, &time, error))
		return false;
	for (uint32_t rank; ranks_next(&a->ranks, &walk, &rank); i++)
		if (!time_series_at(a->series, rank, time, &a->moment[i], error))
			return false;
	if (a->settings->json)
		put_json(a, time);
	else if (a->settings->csv)
		put_csv(a, time);
	else
		put_time(a, time);
	output_text(a->out, &a->text);
	return true;
}

static bool ask_lines(struct asking *a, const char *path, struct error *error)
{
	FILE *file = strcmp(path, "-") ? fopen(path, "r") : stdin;
	char *line = NULL;
	size_t capacity = 0, number = 0;
	bool good = file || error_set(error, ERROR_INPUT, "%s: %s", path, strerror(errno));
	for (ssize_t length; good && (length = getline(&line, &capacity, file)) >= 0;) {
		number++;
		line[strcspn(line, "\r\n")] = 0;
		if (*line && *line != '#')
			good = ask(a, line, error) || error_at(error, "%s:%zu", path, number);
	}
	free(line);
	if (file && file != stdin)
		fclose(file);
	return good;
}

static bool ask_all(struct asking *a, struct error *error)
{
	const struct settings *s = a->settings;
	bool good = true;
	if (s->json)
		json_array(&a->json, NULL, JSON_LINES);
	if (s->csv)
		output_format(a->out, "time,rank,state,address,indices,event,since,until,call,place,called\n");
	for (size_t i = 0; i < s->time.count && good; i++)
		good = ask(a, s->time.word[i], error);
	good = good && (!s->time_list || ask_lines(a, s->time_list, error));
	if (s->json && good) {
		json_close(&a->json);
		json_finish(&a->json);
	}
	return good;
}

static bool answer(struct asking *a, struct error *error)
{
	a->out = output_open(a->settings->output, error);
	if (!a->out)
		return false;
	a->json.out = a->out;
	return output_finish(a->out, ask_all(a, error), error);
}

bool verb_at(const struct settings *s, struct report *report, struct error *error)
{
	struct asking a = {.settings = s};
	if (!s->time.count && !s->time_list)
		return error_set(error, ERROR_INPUT, "at: say when, with --time: 1.5s after the run began");
	if (!s->profile)
		return error_set(
			error, ERROR_INPUT, "at: name the profile that keeps the times of the run: --profile RUN.db");
	struct module *m = module_as_made(module_of_file(s->argument[0], NULL, false, error), error);
	a.program = prepared_new(m, error);
	bool good = a.program && selection_exists(s, a.program->module->processes, error);
	if (good)
		a.series = time_series_open(s->profile, a.program->run, s->argument[0], error);
	if (a.series) {
		if (time_series_ending(a.series))
			report_say(report, "%s: %s", s->profile, time_series_ending(a.series));
		selection_ranks(s, a.program->module->processes, &a.ranks);
		a.moment = mem_zero((a.program->module->processes + (size_t)1) * sizeof *a.moment);
		a.words = database_line_words(a.program->module);
		a.addresses = module_addresses_of(a.program->module);
		good = answer(&a, error);
		module_addresses_clear(&a.addresses);
	}
	for (size_t i = 0; a.words && i < a.program->module->lines; i++)
		free(a.words[i]);
	free(a.words);
	free(a.moment);
	ranks_clear(&a.ranks);
	text_clear(&a.text);
	time_series_close(a.series);
	prepared_free(a.program);
	return good && a.series;
}
