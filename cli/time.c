/*
 * time.c -- tracenest time: where the time goes, loop by loop and process by process, in one reading of the trace.
 *
 * An archive is read with its MPI regions, for the time inside and outside of communication; where they are no events of the model, they only tell that.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "ask/durations.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/output.h"
#include "cli/options.h"
#include "cli/report.h"
#include "cli/verbs.h"
#include "trace/trace.h"
#include "viz/heat.h"

/* Loops in a picture. */
#define STRIPS 24

/* What a local event says of communication; how events are told apart, per process and event. */
enum meaning { UNSEEN, PLAIN, CALL, RETURN, OTHER };

struct meanings {
	unsigned char *of;
	size_t length, capacity;
};

struct loop_summary {
	size_t loop;
	struct ranks ranks; /* that have a part in it */
	uint64_t total; /* over the processes */
	uint64_t most; /* of one process */
	uint64_t slowest; /* which one */
	uint64_t iterations, least, longest, inside; /* of all processes */
	uint32_t processes; /* that take part */
	double share; /* of the run time of all processes */
	double imbalance;
};

struct timing {
	const struct settings *settings;
	struct report *report;
	struct program *program;
	struct positions *positions;
	struct durations *durations;
	struct trace *trace;
	struct meanings *meanings; /* per rank */
	bool picture; /* is asked for, by the name of the output */
	bool regions_extra; /* regions are read, but are no events of the model */
	struct loop_summary *summary; /* most uneven first */
	double run; /* of all processes */
	double unit; /* seconds in one; 0: not known */
};

/* ------------------------------------------------------------------ reading */

static enum meaning find_meaning(const struct dictionary *d, uint32_t event)
{
	const struct event *e = dictionary_get_event(d, event);
	if (e->kind != EVENT_LOCAL)
		return PLAIN;
	const char *words = dictionary_get_word(d, e->subject);
	bool call = !strncmp(words, "call ", 5), back = !strncmp(words, "return ", 7);
	if ((!call && !back) || strncasecmp(words + (call ? 5 : 7), "mpi_", 4))
		return OTHER; /* TAU has regions inside of MPI's, "MPI Collective Sync" */
	return call ? CALL : RETURN;
}

static enum meaning meaning_of(struct timing *t, uint32_t rank, uint32_t event)
{
	struct meanings *m = &t->meanings[rank];
	if (event >= m->length) {
		m->of = mem_grow(m->of, &m->capacity, (size_t)event + 1, 1);
		memset(m->of + m->length, UNSEEN, event + 1 - m->length);
		m->length = (size_t)event + 1;
	}
	if (m->of[event] == UNSEEN)
		m->of[event] = (unsigned char)find_meaning(trace_dictionary(t->trace, rank), event);
	return (enum meaning)m->of[event];
}

static bool take_event(void *context, uint32_t rank, const struct trace_event *e, struct error *error)
{
	struct timing *t = context;
	if (rank >= t->program->processes)
		return error_set(error, ERROR_INCONSISTENT, "%s: the trace is not that of the model %s: it has a rank %" PRIu32,
			t->settings->argument[1], t->settings->argument[0], rank);
	if (!e->timed)
		return error_set(
			error, ERROR_INPUT, "%s: an event of rank %" PRIu32 " has no time", t->settings->argument[1], rank);
	enum meaning meaning = meaning_of(t, rank, e->event);
	if (meaning == CALL)
		durations_call(t->durations, rank, e->time);
	if (meaning == PLAIN || !t->regions_extra)
		durations_event(t->durations, rank, e->time);
	if (meaning == RETURN)
		durations_return(t->durations, rank, e->time);
	return true;
}

static void progress(void *context, double share)
{
	report_progress(((struct timing *)context)->report, share);
}

static bool read_trace(struct timing *t, struct error *error)
{
	const char *path = t->settings->argument[1];
	struct trace_options options;
	if (!settings_trace(t->settings, &t->program->notes, &options, error))
		return false;
	t->trace = trace_open(path, &options, error);
	if (!t->trace)
		return false;
	if (trace_facts(t->trace)->archive && options.events == TRACE_COMM) {
		trace_close(t->trace);
		options.events = TRACE_MPI;
		t->regions_extra = true;
		t->trace = trace_open(path, &options, error);
	}
	if (!t->trace)
		return false;
	if (trace_facts(t->trace)->ticks_per_second)
		t->unit = 1 / (double)trace_facts(t->trace)->ticks_per_second;
	return trace_read(t->trace, (unsigned)t->settings->jobs, NULL, &(struct trace_sink){t, take_event, progress}, error);
}

static bool check_counts(const struct timing *t, struct error *error)
{
	for (uint32_t rank = 0; rank < t->program->processes; rank++) {
		uint64_t told = durations_events(t->durations, rank), wanted = positions_stream(t->positions, rank);
		if (told != wanted)
			return error_set(error, ERROR_INCONSISTENT,
				"%s: the trace is not that of the model %s: rank %" PRIu32 " has %" PRIu64
				" events in the trace, %" PRIu64 " in the model",
				t->settings->argument[1], t->settings->argument[0], rank, told, wanted);
	}
	return true;
}

/* ------------------------------------------------------------------ summing up */

static void sum_up(const struct timing *t, size_t loop, struct loop_summary *s)
{
	struct duration d;
	struct ranks_walk walk = {0};
	*s = (struct loop_summary){.loop = loop};
	positions_ranks(t->positions, durations_loop(t->durations, loop)->statement, &s->ranks);
	for (uint32_t rank; ranks_next(&s->ranks, &walk, &rank);) {
		if (!durations_of(t->durations, loop, rank, &d))
			continue;
		if (!s->processes++ || d.least < s->least)
			s->least = d.least;
		if (d.most > s->longest)
			s->longest = d.most;
		if (d.total > s->most || s->processes == 1) {
			s->most = d.total;
			s->slowest = rank;
		}
		s->total += d.total;
		s->iterations += d.iterations;
		s->inside += d.inside;
	}
	s->share = t->run > 0 ? (double)s->total / t->run : 0;
	s->imbalance = s->total ? (double)s->most * s->processes / (double)s->total : 1;
}

static int by_imbalance(const void *left, const void *right)
{
	const struct loop_summary *a = left, *b = right;
	if (a->imbalance != b->imbalance)
		return a->imbalance > b->imbalance ? -1 : 1;
	return (a->loop > b->loop) - (a->loop < b->loop);
}

static void sum_up_all(struct timing *t)
{
	size_t loops = durations_loops(t->durations);
	for (uint32_t rank = 0; rank < t->program->processes; rank++)
		t->run += (double)durations_run(t->durations, rank);
	t->summary = mem_array(loops + 1, sizeof *t->summary);
	for (size_t i = 0; i < loops; i++)
		sum_up(t, i, &t->summary[i]);
	qsort(t->summary, loops, sizeof *t->summary, by_imbalance);
}

/* ------------------------------------------------------------------ as text */

static const char *duration_text(const struct timing *t, double duration, char buffer[32])
{
	static const struct {
		double least;
		const char *unit;
	} units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {0, "ns"}};
	double seconds = duration * t->unit;
	size_t i = 0;
	while (seconds < units[i].least)
		i++;
	if (t->unit <= 0)
		snprintf(buffer, 32, "%.6g", duration);
	else
		snprintf(buffer, 32, "%.4g %s", units[i].least > 0 ? seconds / units[i].least : seconds * 1e9, units[i].unit);
	return buffer;
}

static void put_process(const struct timing *t, size_t loop, uint32_t rank, struct output *out)
{
	struct duration d;
	char b[6][32];
	if (!durations_of(t->durations, loop, rank, &d))
		return;
	output_format(out, "  rank %-6" PRIu32 " %9" PRIu64 " %11s %11s %11s %11s %11s %11s", rank, d.occurrences,
		duration_text(t, (double)d.total, b[0]), duration_text(t, (double)d.total / (double)d.iterations, b[1]),
		duration_text(t, (double)d.least, b[2]), duration_text(t, (double)d.median, b[3]),
		duration_text(t, (double)d.percentile95, b[4]), duration_text(t, (double)d.most, b[5]));
	if (durations_calls_known(t->durations))
		output_format(out, " %7.1f", d.total ? 100 * (double)d.inside / (double)d.total : 0);
	output_format(out, "\n");
}

static void put_loop(const struct timing *t, const struct loop_summary *s, struct output *out)
{
	const struct duration_loop *loop = durations_loop(t->durations, s->loop);
	struct ranks_walk walk = {0};
	struct polynomial count = {0};
	struct text iterations = {0};
	positions_count(t->positions, loop->statement, &count);
	polynomial_print(&count, &iterations);
	output_format(out,
		"\n%s: %s iterations%s, %" PRIu32 " processes; imbalance %.3f (most: rank %" PRIu64 "), %.1f %% of the time\n",
		loop->address, iterations.data, !loop->varies && loop->iterations > loop->count ? " each time" : "", s->processes,
		s->imbalance, s->slowest, 100 * s->share);
	polynomial_clear(&count);
	text_clear(&iterations);
	output_format(out, "  %-11s %9s %11s %11s %11s %11s %11s %11s%s\n", "", "entered", "total", "mean", "least", "median",
		"95 %", "most", durations_calls_known(t->durations) ? "  MPI, %" : "");
	for (uint32_t rank; ranks_next(&s->ranks, &walk, &rank);)
		put_process(t, s->loop, rank, out);
}

static void print_text(const struct timing *t, struct output *out)
{
	size_t loops = durations_loops(t->durations);
	char run[32];
	double processes = t->program->processes ? t->program->processes : 1;
	output_format(out,
		"%" PRIu32 " process%s, mean run time %s; %zu loop%s, the most uneven first; durations are those of iterations\n",
		t->program->processes, t->program->processes == 1 ? "" : "es", duration_text(t, t->run / processes, run), loops,
		loops == 1 ? "" : "s");
	for (size_t i = 0; i < loops; i++)
		put_loop(t, &t->summary[i], out);
}

/* ------------------------------------------------------------------ CSV and JSON: in ticks of the trace's clock */

static void print_csv(const struct timing *t, struct output *out)
{
	output_format(out, "loop,rank,occurrences,iterations,total,mean,min,median,p95,max%s\n",
		durations_calls_known(t->durations) ? ",inside,outside" : "");
	for (size_t i = 0; i < durations_loops(t->durations); i++) {
		struct ranks_walk walk = {0};
		for (uint32_t rank; ranks_next(&t->summary[i].ranks, &walk, &rank);) {
			struct duration d;
			if (!durations_of(t->durations, t->summary[i].loop, rank, &d))
				continue;
			output_format(out,
				"%s,%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.3f,%" PRIu64 ",%" PRIu64 ",%" PRIu64
				",%" PRIu64,
				durations_loop(t->durations, t->summary[i].loop)->address, rank, d.occurrences, d.iterations,
				d.total, (double)d.total / (double)d.iterations, d.least, d.median, d.percentile95, d.most);
			if (durations_calls_known(t->durations))
				output_format(out, ",%" PRIu64 ",%" PRIu64, d.inside, d.total - d.inside);
			output_format(out, "\n");
		}
	}
}

static void put_process_json(const struct timing *t, uint32_t rank, const struct duration *d, struct json *j)
{
	json_object(j, NULL, JSON_ROW);
	json_number(j, "rank", rank);
	json_number(j, "occurrences", d->occurrences);
	json_number(j, "iterations", d->iterations);
	json_number(j, "total", d->total);
	json_real(j, "mean", (double)d->total / (double)d->iterations, 3);
	json_number(j, "min", d->least);
	json_number(j, "median", d->median);
	json_number(j, "p95", d->percentile95);
	json_number(j, "max", d->most);
	if (durations_calls_known(t->durations)) {
		json_number(j, "inside", d->inside);
		json_number(j, "outside", d->total - d->inside);
	}
	json_close(j);
}

static void put_loop_json(const struct timing *t, const struct loop_summary *s, struct json *j)
{
	const struct duration_loop *loop = durations_loop(t->durations, s->loop);
	struct duration d;
	struct ranks_walk walk = {0};
	json_object(j, NULL, JSON_LINES);
	json_string(j, "address", loop->address);
	json_number(j, "depth", loop->depth);
	if (loop->varies)
		json_real(j, "count", NAN, 0);
	else
		json_number(j, "count", loop->count);
	json_number(j, "iterations", loop->iterations);
	json_real(j, "share", s->share, 6);
	json_real(j, "imbalance", s->imbalance, 6);
	json_number(j, "slowest", s->slowest);
	json_array(j, "processes", JSON_LINES);
	for (uint32_t rank; ranks_next(&s->ranks, &walk, &rank);)
		if (durations_of(t->durations, s->loop, rank, &d))
			put_process_json(t, rank, &d, j);
	json_close(j);
	json_close(j);
}

static void print_json(const struct timing *t, struct output *out)
{
	struct json j = {.out = out};
	json_object(&j, NULL, JSON_LINES);
	json_number(&j, "processes", t->program->processes);
	json_number(&j, "ticks_per_second", trace_facts(t->trace)->ticks_per_second);
	json_array(&j, "loops", JSON_LINES);
	for (size_t i = 0; i < durations_loops(t->durations); i++)
		put_loop_json(t, &t->summary[i], &j);
	json_close(&j);
	json_close(&j);
	json_finish(&j);
}

/* ------------------------------------------------------------------ the picture: a strip per loop */

static int by_share(const void *left, const void *right)
{
	const struct loop_summary *a = left, *b = right;
	if (a->share != b->share)
		return a->share > b->share ? -1 : 1;
	return (a->loop > b->loop) - (a->loop < b->loop);
}

/* Durations as multiples of the loop's mean, so that one scale serves loops of microseconds and of minutes. */
static void fill_panel(const struct timing *t, const struct loop_summary *s, double usual, struct heat_panel *panel)
{
	double mean[DURATIONS_BINS];
	struct ranks_walk walk = {0};
	for (uint32_t rank; ranks_next(&s->ranks, &walk, &rank);) {
		size_t bins = durations_strip(t->durations, s->loop, rank, mean);
		for (size_t i = 0; i < bins; i++)
			if (!isnan(mean[i]))
				heat_set(panel, rank, i, usual > 0 ? mean[i] / usual : 1);
	}
}

static void add_strip(const struct timing *t, const struct loop_summary *s, struct heat *heat)
{
	const struct duration_loop *loop = durations_loop(t->durations, s->loop);
	uint64_t bins = loop->iterations < DURATIONS_BINS ? loop->iterations : DURATIONS_BINS;
	double usual = s->iterations ? (double)s->total / (double)s->iterations : 0;
	struct text title = {0};
	char mean[32], iterations[32];
	text_format(&title, "%s: %s iteration%s of %s, %.1f %% of the time", loop->address, grouped(loop->iterations, iterations),
		loop->iterations == 1 ? "" : "s", duration_text(t, usual, mean), 100 * s->share);
	struct heat_panel *panel = heat_panel(heat, title.data, t->program->processes, bins);
	panel->row_axis = "rank";
	panel->column_axis = "iteration";
	panel->span = loop->iterations;
	panel->strip = true;
	fill_panel(t, s, usual, panel);
	text_clear(&title);
}

/* The loops that take most of the time, in this order. */
static bool draw(const struct timing *t, const char *path, struct error *error)
{
	size_t loops = durations_loops(t->durations);
	struct loop_summary *sorted = mem_copy(t->summary, (loops + 1) * sizeof *sorted);
	struct text svg = {0}, title = {0};
	qsort(sorted, loops, sizeof *sorted, by_share);
	text_format(&title, "%s: time of an iteration", t->settings->argument[0]);
	struct heat *heat = heat_new(title.data, "times the loop's mean");
	for (size_t i = 0; i < loops && i < STRIPS; i++)
		add_strip(t, &sorted[i], heat);
	heat_svg(heat, &svg);
	bool good = picture_write(path, &svg, error);
	heat_free(heat);
	text_clear(&svg);
	text_clear(&title);
	free(sorted);
	return good;
}

/* ------------------------------------------------------------------ the verb */

static bool print(const struct timing *t, struct error *error)
{
	if (t->picture)
		return draw(t, t->settings->output, error);
	struct output *out = output_open(t->settings->output, error);
	if (!out)
		return false;
	report_clear(t->report);
	(t->settings->json ? print_json : t->settings->csv ? print_csv : print_text)(t, out);
	return output_close(out, error);
}

static void finish(struct timing *t)
{
	for (uint32_t rank = 0; rank < t->program->processes; rank++)
		durations_finish(t->durations, rank);
	sum_up_all(t);
}

static bool run(struct timing *t, struct error *error)
{
	const struct settings *s = t->settings;
	if (s->json && s->csv)
		return error_set(error, ERROR_INPUT, "--json and --csv exclude each other");
	if (!strcmp(s->argument[0], "-") && !strcmp(s->argument[1], "-"))
		return error_set(error, ERROR_INPUT, "time: only one of the two can be standard input");
	if (!picture_asked(s->output, &t->picture, error))
		return false;
	t->program = program_read(s->argument[0], error);
	if (!t->program)
		return false;
	t->positions = positions_new(t->program);
	t->durations = durations_new(t->program, t->positions, s->depth, t->picture);
	t->meanings = mem_zero((t->program->processes + (size_t)1) * sizeof *t->meanings);
	if (!read_trace(t, error) || !check_counts(t, error))
		return false;
	finish(t);
	return print(t, error);
}

static void timing_clear(struct timing *t)
{
	for (uint32_t rank = 0; t->meanings && rank < t->program->processes; rank++)
		free(t->meanings[rank].of);
	free(t->meanings);
	for (size_t i = 0; t->summary && i < durations_loops(t->durations); i++)
		ranks_clear(&t->summary[i].ranks);
	free(t->summary);
	durations_free(t->durations);
	positions_free(t->positions);
	program_free(t->program);
	trace_close(t->trace);
}

int verb_time(const struct settings *settings)
{
	struct report report = report_start(settings);
	struct error error = {0};
	struct timing t = {.settings = settings, .report = &report};
	trace_guard();
	bool good = run(&t, &error);
	if (good)
		report_close_long(&report, program_events(t.program));
	timing_clear(&t);
	return good ? 0 : report_error(&report, &error, NULL);
}
