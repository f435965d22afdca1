/*
 * miniapp.c -- what would wait forever is refused.
 */
#include "replay/miniapp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask/collective_names.h"
#include "ask/consistency.h"
#include "base/mem.h"
#include "lib/scaled_profile.h"
#include "profile/database.h"
#include "profile/time_series.h"

/* The first two of several lines, as one. */
static void say_messages(const char *model, struct error *error)
{
	char first[sizeof error->message], second[sizeof error->message] = "";
	snprintf(first, sizeof first, "%.*s", (int)strcspn(error->message, "\n"), error->message);
	const char *behind = strchr(error->message, '\n');
	if (behind)
		snprintf(second, sizeof second, " %.*s", (int)strcspn(behind + 3, "\n"), behind + 3);
	error_set(error, error->kind,
		"%s: %s%s: what nobody receives would be waited for (--lenient: it is received at the end)", model,
		first, second);
}

/* What is not received, or not complete, would be waited for. */
static bool is_sound(struct run *run, const char *model, bool *lenient, struct error *error)
{
	struct consistency c;
	bool good = true;
	consistency_of(run, &c);
	*lenient = c.excused;
	if (c.messages.kind != ERROR_NONE && !c.excused) {
		*error = c.messages;
		say_messages(model, error);
		good = false;
	} else if (c.schedule == SCHEDULE_CYCLE) {
		good = error_set(error, ERROR_INCONSISTENT, "%s: %s%s", model, CONSISTENCY_CYCLE, c.cycle.data);
	}
	consistency_clear(&c);
	return good;
}

/* Collectives that are posted are waited for at once in C: do these wait for what comes behind? */
static bool posted_wait_forever(struct run *run, struct text *cycle)
{
	struct overview o;
	bool any = false;
	overview_of(&o, run);
	for (size_t i = 0; i < o.lines; i++) {
		const char *name = overview_word(&o, i);
		any |= overview_match(&o, i) == MATCH_GROUP && collective_scope(name) == SCOPE_GROUP &&
		       strcmp(name, collective_operation(name)) != 0;
	}
	overview_clear(&o);
	return any && schedule_find(run, SENDS_BUFFERED_MEETING, SCHEDULE_BUDGET, cycle) == SCHEDULE_CYCLE;
}

/* ------------------------------------------------------------------ times */

/* Tables of more numbers take compilers too long: then histograms have to do. */
#define EXACT_MOST ((uint64_t)1 << 22)

struct collecting_times {
	struct run *run;
	const struct pace *pace;
	struct time_series *series;
	struct overview overview;
	uint32_t *number; /* by line */
	struct exact *exact;
};

/* Before the first event of a process; what the calls of MPI_Init leave of it. */
static double start_of(const struct collecting_times *g, uint32_t rank)
{
	for (size_t i = 0; i < pace_rows(g->pace); i++) {
		struct pace_row r = pace_get_row(g->pace, i);
		if (r.arrival == ARRIVAL_START && ranks_has(r.ranks, rank) && r.times->calls)
			return (double)r.times->before / (double)r.times->calls;
	}
	return 0;
}

/* The times of a process, in the order of its events: how many of each statement, or (fill) to
   their places. */
static bool gather(struct collecting_times *g, uint32_t rank, size_t *place, bool fill, struct error *error)
{
	struct time_series_reader *reading = time_series_read(g->series, rank);
	struct cursor *c = cursor_new(g->run, rank);
	double tick = 1 / (double)pace_ticks_per_second(g->pace);
	struct event_time time = {0};
	uint64_t end = 0;
	bool good = true, any = false;
	while (good && cursor_next(c)) {
		if (!overview_is_call(&g->overview, c->line))
			continue;
		if (fill && (good = time_series_next(reading, c->line, &time, error))) {
			double before = !any          ? start_of(g, rank)
					: time.shares ? 0
						      : (double)time.enter - (double)end - (double)time.other;
			g->exact->seconds[place[g->number[c->line]]] = before > 0 ? before * tick : 0;
			end = time.leave > end ? time.leave : end;
			any = true;
		}
		place[g->number[c->line]]++;
	}
	cursor_free(c);
	time_series_end(reading);
	return good;
}

static bool gather_all(struct collecting_times *g, struct error *error)
{
	size_t events = g->number[g->overview.lines], all = 0, *place = mem_array(events + 1, sizeof *place);
	struct exact *e = g->exact;
	bool good = true;
	e->first = mem_zero(((size_t)g->overview.module->processes * (events + 1) + 1) * sizeof *e->first);
	for (uint32_t rank = 0; rank < g->overview.module->processes; rank++) {
		size_t *first = &e->first[rank * (events + 1)];
		memset(place, 0, events * sizeof *place);
		gather(g, rank, place, false, error);
		for (size_t i = 0; i < events; all += place[i++])
			first[i] = all;
		first[events] = all;
	}
	e->length = all;
	e->seconds = mem_array(all + 1, sizeof *e->seconds);
	for (uint32_t rank = 0; rank < g->overview.module->processes && good; rank++) {
		memcpy(place, &e->first[rank * (events + 1)], events * sizeof *place);
		good = gather(g, rank, place, true, error);
	}
	free(place);
	return good;
}

/* What the profile keeps of each event; exact->seconds stays NULL where it keeps none, or not how
   long calls took. */
static bool read_exact(struct run *run, const char *model, const char *profile, const struct pace *pace,
	struct exact *exact, struct error *error)
{
	struct error none = {0};
	struct time_series *series = time_series_open(profile, run, model, &none);
	bool good = true;
	if (series && time_series_form(series)->keep != COLUMNS_TIMESTAMPS && run_module(run)->events <= EXACT_MOST) {
		struct collecting_times g = {run, pace, series, .exact = exact};
		overview_of(&g.overview, run);
		g.number = timed_numbers(&g.overview);
		good = gather_all(&g, error);
		overview_clear(&g.overview);
		free(g.number);
	}
	time_series_close(series);
	return good;
}

bool miniapp_print(const struct prepared *program, const char *model, const struct miniapp_options *options,
	struct text *c, struct error *error)
{
	struct skeleton_options skeleton = {.model = model, .phases = options->phases, .lenient = options->lenient};
	struct pace *pace = NULL;
	struct exact exact = {0};
	struct text cycle = {0};
	bool good = options->lenient || is_sound(program->run, model, &skeleton.lenient, error);
	skeleton.without_posted = good && posted_wait_forever(program->run, &cycle);
	if (options->left_out)
		*options->left_out = skeleton.without_posted;
	if (skeleton.without_posted && !options->lenient)
		good = error_set(error, ERROR_INCONSISTENT,
			"%s: collectives that are posted would wait forever in C, which waits for them at once "
			"(--lenient: they are left out):%s",
			model, cycle.data);
	text_clear(&cycle);
	if (good && options->profile) {
		pace = scaled_profile_pace(options->profile, program->run, model, error);
		good = pace && read_exact(program->run, model, options->profile, pace, &exact, error);
	}
	skeleton.pace = pace;
	skeleton.exact = exact.seconds ? &exact : NULL;
	good = good && skeleton_print_c(program, &skeleton, c, error);
	if (options->pace)
		*options->pace = good ? pace : NULL;
	if (!options->pace || !good)
		pace_free(pace);
	exact_clear(&exact);
	return good;
}
