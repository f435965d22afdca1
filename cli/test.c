/*
 * test.c -- tracenest test: a run beside a golden program.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ask/loop_groups.h"
#include "base/files.h"
#include "base/mem.h"
#include "base/output.h"
#include "cli/definitions.h"
#include "cli/recording.h"
#include "cli/talk.h"
#include "cli/verbs.h"
#include "lib/pipeline.h"
#include "model/generalize.h"
#include "model/prepared.h"
#include "model/source.h"
#include "record/jobs.h"
#include "report/changes.h"
#include "sizes/generalize_runs.h"
#include "sizes/parametric.h"

#define CHANGED 1

/* ------------------------------------------------------------------ the run */

/* Record the command into a directory. */
static bool record(const struct settings *s, const char *directory, struct report *report, struct error *error)
{
	struct settings asked = *s;
	struct recording recording = {0};
	int status = 0;
	asked.output = directory;
	asked.quiet = true;
	asked.require = true;
	asked.jobs = 0;
	if (!recording_wanted(&asked, error))
		return false;
	struct report quiet = {.quiet = true};
	recording_prepare(&recording, &asked, true, &quiet);
	bool good = recording.on;
	if (!good)
		*error = recording.why;
	good = good && launch_run(recording.launch.words, &status, error);
	if (good && status)
		good = error_set(error, ERROR_INPUT, "the program ended with status %d: nothing is compared", status);
	if (good &&
		(quiet.status = recording_finish(&quiet, &asked, recording.name.data, recording.place.data, status))) {
		report->status = quiet.status == ERROR_INTERNAL ? ERROR_INPUT : quiet.status;
		good = false; /* it has said why */
	}
	recording_clear(&recording);
	return good;
}

static struct prepared *program_of_run(
	const struct settings *s, const char *path, struct report *report, struct error *error)
{
	struct program_facts facts = {0};
	struct program_options options = {PROGRAM_OPTIONS, .values = s->update ? CHANGES_VALUES : CHANGES_VALUES_RUN,
		.at_sites = true, .jobs = (unsigned)s->jobs, .progress = report_listens(report)};
	struct prepared *p = prepared_new(module_of_trace(path, &options, &facts, error), error);
	report_clear(report);
	program_facts_clear(&facts);
	return p;
}

/* Where the command is recorded: what --archive says, or for the time being, here. */
static char *choose_directory(const struct settings *s, struct error *error)
{
	if (s->archive)
		return mem_text(s->archive);
	char *directory = mem_text("tracenest-test-XXXXXX");
	if (mkdtemp(directory))
		return directory;
	error_set(error, ERROR_INPUT, "a directory for the recording, here: %s", strerror(errno));
	free(directory);
	return NULL;
}

static struct prepared *run(const struct settings *s, struct report *report, struct error *error)
{
	if (!s->command)
		return program_of_run(s, s->argument[1], report, error);
	char *directory = choose_directory(s, error);
	struct prepared *p = NULL;
	if (directory && record(s, directory, report, error))
		p = program_of_run(s, directory, report, error);
	if (directory && !s->archive) {
		jobs_make_room(directory);
		rmdir(directory);
	}
	free(directory);
	return p;
}

/* ------------------------------------------------------------------ the golden program */

struct golden {
	struct text text;
	struct parametric *app; /* what the text is; or */
	struct prepared *program;
	struct extents extents; /* but for processes, which the run has */
};

static void golden_clear(struct golden *g)
{
	parametric_free(g->app);
	prepared_free(g->program);
	text_clear(&g->text);
}

/* Before anything is run. */
static bool read_golden(const struct settings *s, struct golden *golden, struct error *error)
{
	const char *name = s->argument[0];
	struct text *text = &golden->text;
	if (access(name, F_OK) != 0)
		return error_set(error, ERROR_INPUT, "%s: no such file: --update writes it", name);
	if (!file_read(name, DEFINITIONS_TEXT_MOST, text, error) || !definitions_asked(s, &golden->extents, error))
		return false;
	if (golden->extents.processes)
		return error_set(error, ERROR_INPUT, "--define: P is what the run has");
	text_add(text, "", 0);
	if (text_is_parametric(text->data, text->length))
		golden->app = parametric_read(name, text->data, text->length, error);
	else
		golden->program = prepared_new(module_parse_one(name, text->data, text->length, error), error);
	return golden->app || golden->program;
}

/* On as many processes as the run has. */
static bool instantiate_golden(const struct settings *s, struct golden *golden, const struct module *run,
	struct report *report, struct error *error)
{
	struct doubts doubts = {0};
	if (!golden->app)
		return golden->program->module->processes == run->processes ||
		       error_set(error, ERROR_INPUT,
			       "%s: of %" PRIu32 " processes, and the run has %" PRIu32
			       ": --update makes one of this run, 'tracenest generalize' one of all numbers of processes",
			       s->argument[0], golden->program->module->processes, run->processes);
	golden->extents.processes = run->processes;
	struct draft *made = parametric_instance(golden->app, &golden->extents, true, &doubts, NULL, error);
	golden->program = prepared_new(made ? module_of_draft(made, NULL, NULL) : NULL, error);
	draft_free(made);
	definitions_say_doubts(report, &doubts);
	doubts_clear(&doubts);
	return golden->program;
}

/* ------------------------------------------------------------------ what came of it */

static bool write_golden(const struct settings *s, const struct module *run, struct report *report, struct error *error)
{
	struct output *out = output_open(s->argument[0], error);
	if (!out)
		return false;
	loop_remarks_print(run, out);
	if (!output_close(out, error))
		return false;
	report_say(report, "%s: written", s->argument[0]);
	return true;
}

static bool write_sarif(
	const struct settings *s, const struct module *run, const struct changes *c, struct error *error)
{
	struct error ignored = {0};
	struct output *out = output_open(s->sarif, error);
	if (!out)
		return false;
	struct source *source = source_open(s->source ? s->source : ".", &run->places, &ignored);
	struct json json = {.out = out};
	changes_print_sarif(c, s->argument[0], source, &json);
	json_finish(&json);
	source_close(source);
	return output_close(out, error);
}

static bool write_junit(const struct settings *s, const struct changes *c, double seconds, struct error *error)
{
	struct text text = {0};
	changes_print_junit(c, s->argument[0], seconds, &text);
	bool good = output_all_text(s->junit, &text, error);
	text_clear(&text);
	return good;
}

static bool write_lines(
	const struct settings *s, const struct module *run, const struct changes *c, struct error *error)
{
	struct text text = {0};
	text_add(&text, "", 0);
	changes_print(c, &text);
	if (!s->quiet && c->length)
		text_format(
			&text, "%s: %zu %s\n", s->argument[0], c->length, text_plural(c->length, "change", "changes"));
	else if (!s->quiet)
		text_format(&text, "%s: nothing has changed (%" PRIu32 " %s)\n", s->argument[0], run->processes,
			text_plural(run->processes, "process", "processes"));
	bool good = output_all_text(s->output, &text, error);
	text_clear(&text);
	return good;
}

static bool read_ignored(const struct settings *s, struct changes_options *to, struct error *error)
{
	for (size_t i = 0; i < s->ignore.count; i++) {
		const char *word = s->ignore.word[i];
		to->ignore_bytes |= !strcmp(word, "bytes");
		to->ignore_calls |= !strcmp(word, "calls");
		to->ignore_order |= !strcmp(word, "order");
		if (strcmp(word, "bytes") && strcmp(word, "calls") && strcmp(word, "order"))
			return error_set(error, ERROR_INPUT, "--ignore %s: not one of bytes, calls, order", word);
	}
	to->loose = s->loose.word;
	to->loose_count = s->loose.count;
	return true;
}

bool verb_test(const struct settings *s, struct report *report, struct error *error)
{
	struct changes_options options = {0};
	struct changes changes = {0};
	struct golden golden = {0};
	struct prepared *now = NULL;
	if (!s->command == !s->argument[1])
		return error_set(error, ERROR_INPUT,
			"test needs a command behind --, or a trace: 'tracenest test app.nest -- mpirun -n 4 ./app'");
	bool good = read_ignored(s, &options, error) && (s->update || read_golden(s, &golden, error));
	now = good ? run(s, report, error) : NULL;
	good = now;
	if (good && s->update)
		good = write_golden(s, now->text, report, error);
	else if (good)
		good = instantiate_golden(s, &golden, now->module, report, error) &&
		       changes_of(golden.program->run, now->run, &options, &changes, error) &&
		       write_lines(s, now->module, &changes, error) &&
		       (!s->junit || write_junit(s, &changes, report_seconds(report), error)) &&
		       (!s->sarif || write_sarif(s, now->module, &changes, error));
	if (good)
		report->status = changes.length ? CHANGED : 0;
	else if (!now && report->status)
		good = true; /* what failed has been said */
	changes_clear(&changes);
	golden_clear(&golden);
	prepared_free(now);
	return good;
}
