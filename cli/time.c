/*
 * time.c -- tracenest time: where the time goes, loop by loop and process by process, in one
 * reading of the trace.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask/offsets.h"
#include "base/compare.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/output.h"
#include "cli/cautions.h"
#include "cli/colour.h"
#include "cli/definitions.h"
#include "cli/idle.h"
#include "cli/options.h"
#include "cli/talk.h"
#include "cli/verbs.h"
#include "model/module_address.h"
#include "time/timing.h"
#include "viz/heat.h"

/* Loops in a picture. */
#define STRIPS 24

struct view {
	const struct settings *settings;
	struct report *report;
	struct prepared *program;
	struct timing timing;
	char *loop; /* the address of the only one; NULL: all */
	bool picture; /* is asked for, by the name of the output */
	double unit; /* seconds in a tick; 0: not known */
};

/* ------------------------------------------------------------------ as text */

static const char *duration_text(const struct view *t, double duration, char buffer[32])
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
		snprintf(buffer, 32, "%.4g %s", units[i].least > 0 ? seconds / units[i].least : seconds * 1e9,
			units[i].unit);
	return buffer;
}

/* The function that loops, and its callers; nothing where that is not known. */
static struct text path_of(const struct view *t, const struct duration_loop *loop, enum path_length length)
{
	struct text path = {0};
	text_add(&path, "", 0);
	sites_print_paths(&t->program->module->places, t->program->module->sites[loop->line], length, &path);
	return path;
}

/* Processes whose figures agree: within 5 % of the most. */
struct rank_class {
	struct ranks ranks;
	uint64_t processes;
	struct duration sum; /* of sums; least and most of the extremes */
	double median, percentile95; /* sums */
	uint64_t of; /* the total of the first */
};

#define AGREE 0.95

struct figures {
	uint32_t rank;
	struct duration duration;
};

static int by_total(const void *left, const void *right)
{
	const struct figures *a = left, *b = right;
	if (a->duration.occurrences != b->duration.occurrences)
		return a->duration.occurrences > b->duration.occurrences ? -1 : 1;
	if (a->duration.iterations != b->duration.iterations)
		return a->duration.iterations > b->duration.iterations ? -1 : 1;
	return a->duration.total != b->duration.total ? COMPARE(b->duration.total, a->duration.total)
						      : COMPARE(a->rank, b->rank);
}

static bool belongs(const struct rank_class *to, const struct duration *d)
{
	return to->processes && to->sum.occurrences == d->occurrences * to->processes &&
	       to->sum.iterations == d->iterations * to->processes && (double)d->total >= AGREE * (double)to->of;
}

static void add_class(struct rank_class *to, uint32_t rank, const struct duration *d)
{
	ranks_add(&to->ranks, rank);
	if (!to->processes++)
		to->of = d->total;
	if (to->processes == 1 || d->least < to->sum.least)
		to->sum.least = d->least;
	if (d->most > to->sum.most)
		to->sum.most = d->most;
	to->sum.occurrences += d->occurrences;
	to->sum.iterations += d->iterations;
	to->sum.total += d->total;
	to->sum.inside += d->inside;
	to->median += (double)d->median;
	to->percentile95 += (double)d->percentile95;
}

static void put_class(const struct view *t, const struct rank_class *a, bool loop, struct output *out)
{
	char b[6][32];
	struct text ranks = {0};
	double n = (double)a->processes, total = (double)a->sum.total;
	text_put(&ranks, a->processes == 1 ? "rank " : "ranks ");
	ranks_print_short(&a->ranks, &ranks);
	output_format(out, "  %-17s %9" PRIu64 " %11s", ranks.data, a->sum.occurrences / a->processes,
		duration_text(t, total / n, b[0]));
	if (loop)
		output_format(out, " %11s %11s %11s %11s %11s",
			duration_text(t, a->sum.iterations ? total / (double)a->sum.iterations : 0, b[1]),
			duration_text(t, (double)a->sum.least, b[2]), duration_text(t, a->median / n, b[3]),
			duration_text(t, a->percentile95 / n, b[4]), duration_text(t, (double)a->sum.most, b[5]));
	else
		output_format(out, " %59s", "");
	if (durations_calls_known(t->timing.durations))
		output_format(out, " %7.1f", total > 0 ? 100 * (double)a->sum.inside / total : 0);
	output_format(out, "\n");
	text_clear(&ranks);
}

/* Processes that agree in a row; totals are of one process then. */
static void put_processes(const struct view *t, const struct loop_time *s, size_t at, bool gap, struct output *out)
{
	struct figures *f = mem_array(s->processes + (size_t)1, sizeof *f);
	struct ranks_walk walk = {0};
	struct rank_class class = {0};
	size_t n = 0;
	for (uint32_t rank; ranks_next(&s->ranks, &walk, &rank);)
		if ((gap ? durations_gap : durations_of)(t->timing.durations, at, rank, &f[n].duration))
			f[n++].rank = rank;
	if (n)
		qsort(f, n, sizeof *f, by_total);
	for (size_t i = 0; i < n; i++) {
		if (class.processes && !belongs(&class, &f[i].duration)) {
			put_class(t, &class, !gap, out);
			ranks_clear(&class.ranks);
			class = (struct rank_class){0};
		}
		add_class(&class, f[i].rank, &f[i].duration);
	}
	if (class.processes)
		put_class(t, &class, !gap, out);
	ranks_clear(&class.ranks);
	free(f);
}

static void put_heads(const struct view *t, const char *first, bool loop, struct output *out)
{
	output_format(out, "  %-17s %9s %11s", "", first, "total");
	output_format(out, loop ? " %11s %11s %11s %11s %11s" : " %s%s%s%s%59s", loop ? "mean" : "",
		loop ? "least" : "", loop ? "median" : "", loop ? "95 %" : "", loop ? "most" : "");
	output_format(out, "%s\n", durations_calls_known(t->timing.durations) ? "  MPI, %" : "");
}

static void put_loop(const struct view *t, const struct offsets *offsets, const struct loop_time *s, struct output *out)
{
	const struct duration_loop *loop = durations_loop(t->timing.durations, s->loop);
	const struct timing *timing = &t->timing;
	struct polynomial count = {0};
	struct text iterations = {0};
	const struct module *m = run_module(timing->run);
	bool guard = node_of(m->store, module_at(m, loop->line).statement)->kind == NODE_GUARD;
	offsets_count(offsets, loop->line, run_class(timing->run, s->ranks.run[0].first), &count);
	text_put(&iterations, guard ? "if " : "");
	unknowns_print(offsets_unknowns(offsets), &count, &iterations);
	struct text path = path_of(t, loop, PATH_SHORT);
	output_format(out, "\n%s%s%s", loop->address, path.length ? " in " : "", path.data);
	text_clear(&path);
	output_format(out, ": %.1f %% of the time; %s%s%s, %" PRIu32 " %s; imbalance %.3f (most: rank %" PRIu64 ")\n",
		100 * s->share, iterations.data, guard ? "" : " iterations",
		!loop->varies && loop->iterations > loop->count ? " each time" : "", s->processes,
		text_plural(s->processes, "process", "processes"), s->imbalance, s->slowest);
	text_clear(&iterations);
	put_heads(t, "entered", true, out);
	put_processes(t, s, s->loop, false, out);
}

/* Where what is in no loop stands. */
static void put_gap(const struct view *t, size_t gap, struct output *out)
{
	const struct loop_time *s = &t->timing.gap[gap];
	size_t behind = durations_gaps(t->timing.durations) - 1;
	const char *before = gap < behind ? durations_loop(t->timing.durations, s->loop)->address : NULL;
	const char *after = gap ? durations_loop(t->timing.durations, t->timing.gap[gap - 1].loop)->address : NULL;
	if (before && after)
		output_format(out, "\nbetween %s and %s", after, before);
	else if (before || after)
		output_format(out, "\n%s %s", before ? "before" : "after", before ? before : after);
	else
		output_format(out, "\nin no loop");
	output_format(out, ": %.1f %% of the time; %" PRIu32 " %s; imbalance %.3f (most: rank %" PRIu64 ")\n",
		100 * s->share, s->processes, text_plural(s->processes, "process", "processes"), s->imbalance,
		s->slowest);
	put_heads(t, "events", false, out);
	put_processes(t, s, gap, true, out);
}

/* Is this one, or inside of this one, asked for? */
static bool is_wanted(const struct view *t, const struct loop_time *s)
{
	const char *loop = t->loop, *address = durations_loop(t->timing.durations, s->loop)->address;
	size_t length = loop ? strlen(loop) : 0;
	return s->processes &&
	       (!loop || (!strncmp(address, loop, length) && (!address[length] || address[length] == '.')));
}

static int gap_by_total(const void *left, const void *right)
{
	const struct loop_time *a = *(const struct loop_time *const *)left,
			       *b = *(const struct loop_time *const *)right;
	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	return (a > b) - (a < b);
}

/* Where there is something, the hottest first. */
static const struct loop_time **sort_gaps(const struct view *t, size_t *count)
{
	size_t gaps = durations_gaps(t->timing.durations), n = 0;
	const struct loop_time **sorted = mem_array(gaps, sizeof *sorted);
	for (size_t i = 0; i < gaps && !t->settings->loop; i++)
		if (t->timing.gap[i].processes)
			sorted[n++] = &t->timing.gap[i];
	if (n)
		qsort(sorted, n, sizeof *sorted, gap_by_total);
	*count = n;
	return sorted;
}

static void print_text(const struct view *t, struct output *out)
{
	size_t loops = durations_loops(t->timing.durations), gaps, gap = 0;
	const struct loop_time **sorted = sort_gaps(t, &gaps);
	struct offsets *offsets = offsets_new(t->program->run);
	char run[32];
	double processes = t->program->module->processes ? t->program->module->processes : 1;
	if (t->settings->ranks.length)
		processes = (double)ranks_count(&t->settings->ranks);
	output_format(out,
		"%.0f process%s, mean run time %s; the hottest first: loops, whose durations are those of iterations, and what is in none\n",
		processes, processes == 1 ? "" : "es", duration_text(t, t->timing.whole / processes, run));
	for (size_t i = 0; i <= loops; i++) {
		for (; gap < gaps && (i == loops || sorted[gap]->total > t->timing.loop[i].total); gap++)
			put_gap(t, (size_t)(sorted[gap] - t->timing.gap), out);
		if (i < loops && is_wanted(t, &t->timing.loop[i]))
			put_loop(t, offsets, &t->timing.loop[i], out);
	}
	offsets_free(offsets);
	free(sorted);
}

/* ------------------------------------------------------------------ CSV and JSON */

/* In seconds; in ticks where the clock is not known. */
static double in_seconds(const struct view *t, double ticks)
{
	return t->unit > 0 ? ticks * t->unit : ticks;
}

static void put_time_json(const struct view *t, const char *name, double ticks, struct json *j)
{
	json_real(j, name, in_seconds(t, ticks), 9);
}

/* Of a process, those of calls only where they are known: how many. */
enum { TIMES = 8 };
static const char *const time_names[TIMES] = {"total", "mean", "min", "median", "p95", "max", "inside", "outside"};

static size_t times_of(const struct view *t, const struct duration *d, double to[TIMES])
{
	const double times[TIMES] = {(double)d->total, (double)d->total / (double)d->iterations, (double)d->least,
		(double)d->median, (double)d->percentile95, (double)d->most, (double)d->inside,
		(double)(d->total - d->inside)};
	memcpy(to, times, sizeof times);
	return durations_calls_known(t->timing.durations) ? TIMES : 6;
}

static void print_csv(const struct view *t, struct output *out)
{
	double times[TIMES];
	output_format(out, "loop,rank,occurrences,iterations,");
	for (size_t k = 0; k < times_of(t, &(struct duration){0}, times); k++)
		output_format(out, "%s,", time_names[k]);
	output_format(out, "path\n");
	for (size_t i = 0; i < durations_loops(t->timing.durations); i++) {
		const struct loop_time *s = &t->timing.loop[i];
		const struct duration_loop *loop = durations_loop(t->timing.durations, s->loop);
		struct ranks_walk walk = {0};
		if (!is_wanted(t, s))
			continue;
		struct text path = path_of(t, loop, PATH_WHOLE);
		for (uint32_t rank; ranks_next(&s->ranks, &walk, &rank);) {
			struct duration d;
			if (!durations_of(t->timing.durations, s->loop, rank, &d))
				continue;
			output_format(out, "%s,%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",", loop->address, rank,
				d.occurrences, d.iterations);
			for (size_t k = 0; k < times_of(t, &d, times); k++)
				output_format(out, "%.9f,", in_seconds(t, times[k]));
			output_csv(out, path.data);
			output_format(out, "\n");
		}
		text_clear(&path);
	}
}

static void put_process_json(const struct view *t, uint32_t rank, const struct duration *d, struct json *j)
{
	double times[TIMES];
	json_object(j, NULL, JSON_ROW);
	json_number(j, "rank", rank);
	json_number(j, "occurrences", d->occurrences);
	json_number(j, "iterations", d->iterations);
	for (size_t k = 0; k < times_of(t, d, times); k++)
		put_time_json(t, time_names[k], times[k], j);
	json_close(j);
}

static void put_loop_json(const struct view *t, const struct loop_time *s, struct json *j)
{
	const struct duration_loop *loop = durations_loop(t->timing.durations, s->loop);
	struct duration d;
	struct ranks_walk walk = {0};
	json_object(j, NULL, JSON_LINES);
	struct text path = path_of(t, loop, PATH_WHOLE);
	json_string(j, "address", loop->address);
	json_string(j, "path", path.data);
	text_clear(&path);
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
		if (durations_of(t->timing.durations, s->loop, rank, &d))
			put_process_json(t, rank, &d, j);
	json_close(j);
	json_close(j);
}

/* What is in no loop, before the loop told; null: behind all. */
static void put_gap_json(const struct view *t, size_t gap, struct json *j)
{
	const struct loop_time *s = &t->timing.gap[gap];
	json_object(j, NULL, JSON_ROW);
	if (s->loop == SIZE_MAX)
		json_real(j, "before", NAN, 0);
	else
		json_string(j, "before", durations_loop(t->timing.durations, s->loop)->address);
	put_time_json(t, "total", (double)s->total, j);
	put_time_json(t, "inside", (double)s->inside, j);
	json_real(j, "share", s->share, 6);
	json_real(j, "imbalance", s->imbalance, 6);
	json_number(j, "slowest", s->slowest);
	json_close(j);
}

static void print_json(const struct view *t, struct output *out)
{
	struct json j = {.out = out};
	json_object(&j, NULL, JSON_LINES);
	json_number(&j, "processes", t->program->module->processes);
	json_string(&j, "unit", t->unit > 0 ? "s" : "ticks");
	json_array(&j, "loops", JSON_LINES);
	for (size_t i = 0; i < durations_loops(t->timing.durations); i++)
		if (is_wanted(t, &t->timing.loop[i]))
			put_loop_json(t, &t->timing.loop[i], &j);
	json_close(&j);
	json_array(&j, "straight", JSON_LINES);
	for (size_t i = 0; !t->settings->loop && i < durations_gaps(t->timing.durations); i++)
		if (t->timing.gap[i].processes)
			put_gap_json(t, i, &j);
	json_close(&j);
	json_close(&j);
	json_finish(&j);
}

/* ---------------------------------------------------------------- the picture: a strip per loop */

/* Durations as multiples of the loop's mean, so that one scale serves loops of microseconds and of
   minutes. */
static void fill_panel(const struct view *t, const struct loop_time *s, double usual, struct heat_panel *panel)
{
	double mean[DURATIONS_BINS];
	struct ranks_walk walk = {0};
	for (uint32_t rank; ranks_next(&s->ranks, &walk, &rank);) {
		size_t bins = durations_strip(t->timing.durations, s->loop, rank, mean);
		for (size_t i = 0; i < bins; i++)
			if (!isnan(mean[i]))
				heat_set(panel, rank, i, usual > 0 ? mean[i] / usual : 1);
	}
}

static void add_strip(const struct view *t, const struct loop_time *s, struct heat *heat)
{
	const struct duration_loop *loop = durations_loop(t->timing.durations, s->loop);
	uint64_t bins = loop->iterations < DURATIONS_BINS ? loop->iterations : DURATIONS_BINS;
	double usual = s->iterations ? (double)s->total / (double)s->iterations : 0;
	struct text title = {0};
	char mean[32], iterations[32];
	struct text path = path_of(t, loop, PATH_SHORT);
	text_format(&title, "%s%s%s: %s iteration%s of %s, %.1f %% of the time", loop->address,
		path.length ? " in " : "", path.data, grouped(loop->iterations, iterations),
		loop->iterations == 1 ? "" : "s", duration_text(t, usual, mean), 100 * s->share);
	struct heat_panel *panel = heat_panel(heat, title.data, t->program->module->processes, bins);
	panel->row_axis = "rank";
	panel->column_axis = "iteration";
	panel->span = loop->iterations;
	panel->strip = true;
	fill_panel(t, s, usual, panel);
	text_clear(&path);
	text_clear(&title);
}

/* The loops that take most of the time, in this order. */
static bool draw(const struct view *t, const char *path, struct error *error)
{
	size_t loops = durations_loops(t->timing.durations);
	struct text title = {0};
	text_format(&title, "%s: time of an iteration", t->settings->argument[0]);
	struct heat *heat = heat_new(title.data, "times the loop's mean");
	for (size_t i = 0; i < loops && i < STRIPS; i++)
		add_strip(t, &t->timing.loop[i], heat);
	text_clear(&title);
	return heat_write(heat, path, error);
}

/* ------------------------------------------------------------------ the verb */

static bool print(const struct view *t, struct error *error)
{
	if (t->picture)
		return draw(t, t->settings->output, error);
	struct output *out = output_open(t->settings->output, error);
	if (!out)
		return false;
	colour_page(out);
	report_clear(t->report);
	(t->settings->json ? print_json : t->settings->csv ? print_csv : print_text)(t, out);
	return output_close(out, error);
}

static bool read_times(struct view *t, struct error *error)
{
	const struct settings *s = t->settings;
	struct timing_options options = {.depth = (uint32_t)s->depth,
		.ranks = s->ranks.length ? &s->ranks : NULL,
		.strips = t->picture,
		.jobs = (unsigned)s->jobs,
		.progress = report_listens(t->report)};
	if (!settings_trace(s, &t->program->text->notes, &options.trace, error) ||
		!timing_read(&t->timing, t->program->run, s->argument[0], s->argument[1], &options, error))
		return false;
	t->unit = t->timing.ticks_per_second ? 1 / (double)t->timing.ticks_per_second : 0;
	return true;
}

static bool find_loop(struct view *t, struct error *error)
{
	struct text address = {0};
	uint64_t line;
	if (!t->settings->loop)
		return true;
	if (!module_find(t->program->module, t->settings->loop, &line, error))
		return error_at(error, "%s", t->settings->argument[0]);
	module_address(t->program->module, line, &address);
	t->loop = address.data;
	return true;
}

static bool run(struct view *t, struct error *error)
{
	const struct settings *s = t->settings;
	if (!strcmp(s->argument[0], "-") && !strcmp(s->argument[1], "-"))
		return error_set(error, ERROR_INPUT, "time: only one of the two can be standard input");
	if (!picture_asked(s->output, &t->picture, error))
		return false;
	if (t->picture)
		idle_say(t->report, s, OPTIONS(OPTION_CSV, OPTION_JSON), "the output is a picture");
	t->program = definitions_prepared(s, t->report, error);
	if (!t->program || !selection_exists(s, t->program->module->processes, error) || !find_loop(t, error) ||
		!read_times(t, error))
		return false;
	missing_records_say(t->report, &t->timing.missing);
	idle_reading(t->report, s, &t->timing.trace);
	return print(t, error);
}

bool verb_time(const struct settings *settings, struct report *report, struct error *error)
{
	struct view t = {.settings = settings, .report = report};
	bool good = run(&t, error);
	if (good)
		report_close_long(report, t.program->text->events);
	timing_clear(&t.timing);
	free(t.loop);
	prepared_free(t.program);
	return good;
}
