/*
 * export.c -- outputs are opened, then written process by process.
 */
#include "replay/export.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ask/consistency.h"
#include "ask/executions.h"
#include "ask/overview.h"
#include "base/folder.h"
#include "base/mem.h"
#include "base/output.h"
#include "base/unfinished.h"
#include "lib/scaled_profile.h"
#include "model/module_address.h"
#include "profile/database.h"
#include "replay/formats.h"

struct export
{
	struct run *run;
	const struct module *module; /* its own */
	const char *model, *path;
	const struct export_options *options;
	struct pace *pace;
	struct actions *actions; /* of SMPI and GOAL */
	struct export_facts *facts;
	struct error *error;
};

/* ------------------------------------------------------------------ can it be run? */

/* Whoever replays it waits for messages that never come. The details are what `check` tells. */
static bool can_run(const struct export *x)
{
	struct consistency c;
	bool good = true;
	consistency_of(x->run, &c);
	if (c.messages.kind != ERROR_NONE && !c.excused)
		good = error_set(x->error, ERROR_INCONSISTENT, "%s: cannot be run again: %.*s (see tracenest check)",
			x->model, (int)strcspn(c.messages.message, ":\n"), c.messages.message);
	else if (c.schedule == SCHEDULE_CYCLE)
		good = error_set(x->error, ERROR_INCONSISTENT,
			"%s: cannot be run again: messages are received before they can have been sent (see tracenest check)",
			x->model);
	consistency_clear(&c);
	return good;
}

/* ------------------------------------------------------------------ formats */

static const char *const files_of_smpi[] = {"rank-*.txt", NULL};

static bool write_rank(const struct export *x, const char *directory, uint32_t rank)
{
	struct text name = {0};
	text_format(&name, "%s/rank-%" PRIu32 ".txt", directory, rank);
	struct output *out = output_open(name.data, x->error);
	text_clear(&name);
	if (!out)
		return false;
	output_do_not_wait(out);
	bool good = smpi_write(x->actions, x->module->processes, rank, x->options->speed, out, x->error) ||
		    error_at(x->error, "%s", x->model);
	return output_finish(out, good, x->error);
}

/* Both or none: a directory that was not there goes again where the list cannot be written. */
static bool close_both(const struct export *x, const char *directory, struct folder *folder, struct output *list)
{
	char *made = access(directory, F_OK) ? mem_text(directory) : NULL;
	bool entered = made && unfinished_enter(UNFINISHED_FOLDER, made);
	bool good = output_finish(list, folder_close(folder, x->error), x->error);
	if (entered && !good)
		unfinished_remove(made);
	else if (!entered || unfinished_leave(UNFINISHED_FOLDER, made))
		free(made);
	return good;
}

static bool write_smpi(const struct export *x)
{
	struct text directory = {0};
	bool good = x->path && strcmp(x->path, "-");
	if (!good)
		return error_set(x->error, ERROR_INPUT,
			"export: say with -o which file is to list those of the processes, as smpirun reads it");
	text_format(&directory, "%s_files", x->path);
	struct output *list = output_open(x->path, x->error);
	struct folder *folder = list ? folder_open(directory.data, files_of_smpi, x->error) : NULL;
	good = folder;
	for (uint32_t rank = 0; good && rank < x->module->processes; rank++)
		good = write_rank(x, folder_path(folder), rank);
	if (good) {
		for (uint32_t rank = 0; rank < x->module->processes; rank++)
			output_format(list, "%s/rank-%" PRIu32 ".txt\n", directory.data, rank);
		good = close_both(x, directory.data, folder, list);
	} else {
		folder_abandon(folder);
		output_abandon(list);
	}
	text_clear(&directory);
	return good;
}

/* What the loops alone come to is known before anything is written. */
static bool fits_goal(const struct export *x)
{
	struct executions executions;
	struct overview o;
	bool good = true;
	run_executions(x->run, &executions);
	overview_of(&o, x->run);
	for (size_t i = 0; i < o.lines && good; i++) {
		if (!overview_is_event(&o, i) || executions.times[i] <= GOAL_OPERATIONS)
			continue;
		struct text address = {0};
		module_address(x->module, i, &address);
		good = error_set(x->error, ERROR_INPUT,
			"%s: a process executes statement %s %" PRIu64 " times, and GOAL has %" PRIu32
			" operations of a process at most",
			x->model, address.data, executions.times[i], GOAL_OPERATIONS);
		text_clear(&address);
	}
	overview_clear(&o);
	executions_clear(&executions);
	return good;
}

static bool write_goal(const struct export *x)
{
	struct output *out = fits_goal(x) ? output_open(x->path, x->error) : NULL;
	if (!out)
		return false;
	bool good = goal_write(x->actions, x->module->processes, out) ||
		    error_set(x->error, ERROR_INPUT,
			    "%s: a process has more than the %" PRIu32 " operations that GOAL has at most", x->model,
			    GOAL_OPERATIONS);
	return output_finish(out, good, x->error);
}

static const char *const files_of_archive[] = {"traces.otf2", "traces.def", "traces/*.evt", "traces/*.def", NULL};

static bool write_otf2(const struct export *x)
{
	if (!x->path || !strcmp(x->path, "-"))
		return error_set(x->error, ERROR_INPUT, "export: say with -o which directory the archive is to be in");
	struct folder *folder = folder_open(x->path, files_of_archive, x->error);
	if (!folder)
		return false;
	if (archive_write(x->run, x->pace, folder_path(folder), x->error))
		return folder_close(folder, x->error);
	folder_abandon(folder);
	return error_at(x->error, "%s", x->model);
}

static bool write_perfetto(const struct export *x)
{
	struct perfetto_window window = x->options->window;
	uint64_t line = 0;
	if (x->options->loop && !module_find(x->module, x->options->loop, &line, x->error))
		return error_at(x->error, "%s", x->model);
	window.line = line;
	window.inside = x->options->loop;
	struct output *out = output_open(x->path, x->error);
	if (!out)
		return false;
	bool good = perfetto_write(x->run, x->pace, &window, out, &x->facts->perfetto) ||
		    error_set(x->error, ERROR_INCONSISTENT, "%s: its events cannot all happen", x->model);
	return output_finish(out, good, x->error);
}

/* ------------------------------------------------------------------ all of it */

static bool write_format(struct export *x)
{
	static bool (*const writers[])(const struct export *) = {[EXPORT_SMPI] = write_smpi,
		[EXPORT_GOAL] = write_goal,
		[EXPORT_OTF2] = write_otf2,
		[EXPORT_PERFETTO] = write_perfetto};
	struct actions_options options = x->options->actions;
	if (x->options->format != EXPORT_SMPI && x->options->format != EXPORT_GOAL)
		return writers[x->options->format](x);
	options.pace = x->pace;
	options.native = x->options->format == EXPORT_SMPI && options.native;
	x->actions = actions_new(x->run, &options);
	x->facts->actions = actions_facts(x->run);
	bool good = writers[x->options->format](x);
	actions_free(x->actions);
	return good;
}

bool export_write(struct run *run, const char *model, const char *path, const struct export_options *options,
	struct export_facts *facts, struct error *error)
{
	struct export x = {
		run, run_module(run), .model = model, .path = path, .options = options, .facts = facts, .error = error};
	*facts = (struct export_facts){0};
	bool good = can_run(&x);
	if (good && options->profile) {
		x.pace = scaled_profile_pace(options->profile, run, model, error);
		bool keeps = false;
		good = x.pace && database_keeps_times(options->profile, &keeps, error) &&
		       (!keeps || database_pace_times(x.pace, options->profile, run, model, error));
	}
	good = good && write_format(&x);
	pace_free(x.pace);
	return good && error->kind == ERROR_NONE;
}
