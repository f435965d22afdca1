/*
 * model.c -- tracenest model: from a trace to a program of loop nests.
 */
#include <inttypes.h>

#include "base/output.h"
#include "cli/local_models.h"
#include "cli/options.h"
#include "cli/report.h"
#include "cli/verbs.h"
#include "fold/fold.h"
#include "merge/merge.h"
#include "model/statistics.h"
#include "fold/roll.h"

/* ------------------------------------------------------------------ what the reader noticed */

static void say_reading(struct report *report, const struct local_models *local, const struct settings *settings)
{
	const struct trace_facts *f = &local->facts;
	char number[32];
	if (f->locations_without)
		report_say(report, "%" PRIu32 " locations without communication are left out", f->locations_without);
	if (f->to_nobody)
		report_say(report, "%s messages to or from MPI_PROC_NULL are left out", grouped(f->to_nobody, number));
	if (f->collective_regions_seen && !f->collectives_recorded && settings->collectives != COLLECTIVES_REGIONS)
		report_say(
			report, "no collective is recorded, but regions named as collectives are: consider --collectives regions");
	if (local->unnamed)
		report_say(report, "communicators are not named: sends and receives do not balance with them");
	if (local->window_hit.length) {
		struct text ranks = {0};
		ranks_print(&local->window_hit, &ranks);
		report_say(report,
			"repetitions longer than the window may have been missed on ranks %s: consider a larger --window",
			ranks.data);
		text_clear(&ranks);
	}
}

static void say_sizes(struct report *report, const char *what, const struct statistics *s)
{
	char constructs[32], loops[32];
	report_say(report, "%s: %s constructs, one for %.1f events; loops: %s, depth %" PRIu32, what,
		grouped(s->constructs, constructs), s->constructs ? (double)s->events / (double)s->constructs : 0,
		grouped(s->loops, loops), s->depth);
}

static void say_events(struct report *report, const struct statistics *s)
{
	char all[32], fewest[32], most[32];
	bool even = s->fewest == s->most;
	report_say(report, "%" PRIu32 " processes, %s events, %s%s%s per process", s->processes, grouped(s->events, all),
		even ? "" : grouped(s->fewest, fewest), even ? "" : " to ", grouped(s->most, most));
}

/* ------------------------------------------------------------------ merging */

static void say_merging(struct report *report, const struct merge_report *m, const struct statistics *s)
{
	char number[32];
	double events = s->events ? (double)s->events : 1;
	report_say(report,
		"loops that span several processes: %s; %.1f %% of the events are in such loops, %.1f %% in loops of all",
		grouped(m->joined, number), 100 * (double)s->in_several / events, 100 * (double)s->in_all / events);
}

/* The local models become the global one. What merging noted of it is said; what was noted of the reading is kept. */
static void merge(struct local_models *local, const struct settings *settings, struct report *report)
{
	struct merge_options options = {.jobs = (unsigned)settings->jobs, .growth = settings->growth};
	struct merge_report merged;
	struct model *global = merge_reduce(local->model, &options, &merged);
	struct statistics *statistics = statistics_new(global);
	say_sizes(report, "global model", statistics);
	say_merging(report, &merged, statistics);
	statistics_free(statistics);
	for (size_t i = 0; i < global->notes.length; i++)
		report_say(report, "%s", global->notes.line[i]);
	for (size_t i = 0; i < local->model->notes.length; i++)
		notes_add(&global->notes, local->model->notes.line[i]);
	model_free(local->model);
	local->model = global;
}

/* Missing messages forbid a global model, but for --lenient; local models stand on their own. */
static bool check_complete(
	const struct local_models *local, const struct settings *settings, struct report *report, struct error *error)
{
	if (merge_complete(local->model, error))
		return true;
	if (!settings->local && !settings->lenient) {
		report_say(report, "no global model (--lenient builds one all the same, --local those of the processes):");
		return error_at(error, "%s", settings->argument[0]);
	}
	report_say(report, "%s", error->message);
	return true;
}

static bool build(struct local_models *local, const struct settings *settings, struct report *report, struct error *error)
{
	if (!local_models_read(settings, settings->argument[0], report, local, error))
		return false;
	struct statistics *statistics = statistics_new(local->model);
	say_events(report, statistics);
	say_reading(report, local, settings);
	say_sizes(report, "local models", statistics);
	statistics_free(statistics);
	if (!check_complete(local, settings, report, error))
		return false;
	if (!settings->local)
		merge(local, settings, report);
	return true;
}

static void say_folding(struct report *report, const struct program *f)
{
	char number[32];
	struct text grid = {0};
	uint32_t idle, roles = program_roles(f, &idle);
	text_add(&grid, "", 0);
	for (uint32_t i = 0; i < f->grid.axes; i++)
		text_format(&grid, "%s%" PRIu32, i ? " x " : "; grid: ", f->grid.size[i]);
	report_say(report, "folded over the processes: %s statements; different roles: %" PRIu32 "%s", grouped(f->length, number), roles, grid.data);
	text_clear(&grid);
}

/* Local models are what single processes do. */
static struct program *fold_model(const struct model *model, const struct settings *settings)
{
	return settings->local || settings->unfolded ? program_of_plain(model) : fold(model, NULL);
}

static void print(const struct model *model, const struct settings *settings, struct report *report, struct output *out)
{
	struct program *folded = fold_model(model, settings);
	if (settings->affine == AFFINE_ON && !roll(folded))
		report_say(report, "numbers that advance are left constant: they are too large, or the model's statements too many (--affine in the manual)");
	char number[32];
	if (program_is_folded(folded))
		say_folding(report, folded);
	else if (program_varies(folded))
		report_say(report, "numbers advance with the indices of loops: %s statements", grouped(folded->length, number));
	report_clear(report);
	program_print(folded, out);
	program_free(folded);
}

static bool run(const struct settings *settings, struct report *report, struct error *error)
{
	struct output *out = output_open(settings->output, error);
	struct local_models local = {0};
	if (!out)
		return false;
	bool good = build(&local, settings, report, error);
	if (good) {
		report_clear(report);
		print(local.model, settings, report, out);
		good = output_close(out, error);
	} else {
		output_abandon(out);
	}
	if (good)
		report_close(report, local.facts.events, "events");
	local_models_clear(&local);
	return good;
}

int verb_model(const struct settings *settings)
{
	struct report report = report_start(settings);
	struct error error = {0};
	return run(settings, &report, &error) ? 0 : report_error(&report, &error, NULL);
}
