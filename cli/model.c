/*
 * model.c -- tracenest model: from a trace to a program of loop nests.
 */
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "ask/loop_groups.h"
#include "base/output.h"
#include "cli/cautions.h"
#include "cli/colour.h"
#include "cli/idle.h"
#include "cli/options.h"
#include "cli/talk.h"
#include "cli/verbs.h"
#include "lib/pipeline.h"
#include "model/prepared.h"
#include "record/several.h"

/* ------------------------------------------------------------------ what came out, for people */

static void say_reading(struct report *report, const struct program_facts *f, const struct settings *settings)
{
	char number[32];
	if (f->trace.locations_without)
		report_say(
			report, "%" PRIu32 " locations without communication are left out", f->trace.locations_without);
	if (f->trace.to_nobody)
		report_say(report, "%s messages to or from MPI_PROC_NULL are left out",
			grouped(f->trace.to_nobody, number));
	if (f->trace.collective_regions_seen && !f->trace.collectives_recorded && !settings->collectives)
		report_say(report,
			"no collective is recorded, but regions named as collectives are: consider --collectives regions");
	missing_records_say_cause(report, &f->missing, f->incomplete.kind != ERROR_NONE);
	if (f->communicators_dropped)
		report_say(report, "communicators are not named: sends and receives do not balance with them");
	if (f->window_hit.length) {
		struct text ranks = {0};
		ranks_print(&f->window_hit, &ranks);
		report_say(report,
			"repetitions longer than the window may have been missed on ranks %s: consider a larger --window",
			ranks.data);
		text_clear(&ranks);
	}
}

static void say_sizes(struct report *report, const char *what, const struct measures *s)
{
	char constructs[32], loops[32];
	report_say(report, "%s: %s constructs, one for %.1f events; loops: %s, depth %" PRIu32, what,
		grouped(s->constructs, constructs), s->constructs ? (double)s->events / (double)s->constructs : 0,
		grouped(s->loops, loops), s->depth);
}

static void say_events(struct report *report, uint32_t processes, const struct measures *s)
{
	char all[32], fewest[32], most[32];
	bool even = s->fewest == s->most;
	report_say(report, "%" PRIu32 " %s, %s %s, %s%s%s per process", processes,
		text_plural(processes, "process", "processes"), grouped(s->events, all),
		text_plural(s->events, "event", "events"), even ? "" : grouped(s->fewest, fewest), even ? "" : " to ",
		grouped(s->most, most));
}

static void say_merging(struct report *report, const struct program_facts *f)
{
	double events = f->global.events ? (double)f->global.events : 1;
	report_say(report, "events in loops of several processes: %.1f %%; of all processes: %.1f %%",
		100 * (double)f->global.in_several / events, 100 * (double)f->global.in_all / events);
	for (size_t i = 0; i < f->apart.length; i++)
		report_say(report, "%s", f->apart.line[i]);
}

static void say_folding(struct report *report, const struct module *m, const struct program_facts *f)
{
	char number[32];
	struct text grid = {0};
	text_add(&grid, "", 0);
	for (uint32_t i = 0; i < m->grid.axes; i++)
		text_format(&grid, "%s%" PRIu32, i ? " x " : "; grid: ", m->grid.size[i]);
	report_say(report, "folded over the processes: %s statements; different roles: %" PRIu32 "%s",
		grouped(m->lines, number), f->roles, grid.data);
	text_clear(&grid);
}

static void say_program(struct report *report, const struct module *m, const struct program_facts *f)
{
	char number[32];
	if (module_is_folded(m))
		say_folding(report, m, f);
	else if (module_varies(m))
		report_say(
			report, "numbers advance with the indices of loops: %s statements", grouped(m->lines, number));
}

/* What was given, and could not matter. */
static void say_idle(
	struct report *report, const struct module *m, const struct program_facts *f, const struct settings *s)
{
	idle_reading(report, s, &f->trace);
	if (s->local)
		idle_say(report, s, OPTIONS(OPTION_GROWTH, OPTION_LENIENT), "processes are not merged");
	else
		idle_lenient(report, s, f->incomplete.kind == ERROR_NONE ? &f->cyclic : &f->incomplete, &f->unrecorded);
	if (s->local || s->plain)
		idle_say(report, s, OPTIONS(OPTION_UNFOLDED),
			s->plain ? "--plain says it" : "processes that are not merged are not folded");
	if (s->plain)
		idle_say(report, s, OPTIONS(OPTION_VALUES, OPTION_APART_BY_SITE, OPTION_SITES, OPTION_AFFINE),
			"the plain notation has none");
	else
		idle_values(report, s, m);
	if (s->local || s->unfolded || s->plain || s->affine == AFFINE_OFF)
		idle_say(report, s,
			f->left_out ? OPTIONS(OPTION_GUARDS, OPTION_PROCEDURES)
				    : OPTIONS(OPTION_TABLES, OPTION_GUARDS, OPTION_PROCEDURES),
			"only models that are folded, and whose numbers advance, have any");
	if (!s->plain && !intern_count(m->places.sets))
		idle_say(report, s, OPTIONS(OPTION_APART_BY_SITE),
			"the trace does not tell where in the source calls are");
}

/* program: NULL where none was made. */
static void say_all(struct report *report, const struct prepared *program, const struct program_facts *f,
	const struct settings *settings)
{
	say_events(report, f->trace.processes, &f->local);
	say_reading(report, f, settings);
	say_sizes(report, "local models", &f->local);
	if (!program)
		report_say(
			report, "no global model (--lenient builds one all the same, --local those of the processes):");
	else if (f->incomplete.kind != ERROR_NONE)
		report_say(report, "%s", f->incomplete.message);
	if (f->unrecorded.kind != ERROR_NONE && (program || f->incomplete.kind != ERROR_NONE))
		report_say(report, "%s", f->unrecorded.message);
	if (program && f->cyclic.kind != ERROR_NONE)
		report_say(report, "%s", f->cyclic.message);
	if (program && f->merged) {
		say_sizes(report, "global model", &f->global);
		say_merging(report, f);
	}
	if (program) {
		say_program(report, program->module, f);
		omissions_say(report, program->run);
	}
	if (f->left_out)
		report_say(report,
			"warning: %s: what some events carry follows no formula, so the model does not tell it%s",
			f->left_out, settings->tables == UNWANTED ? " (a table would: leave out --tables=off)" : "");
	if (program)
		say_idle(report, program->module, f, settings);
}

/* ------------------------------------------------------------------ the verb */

static struct module *build(const struct settings *s, const struct several *several, struct report *report,
	struct program_options *options, struct program_facts *facts, struct error *error)
{
	bool no_values = s->values && !strcmp(s->values, "none");
	*options = (struct program_options){
		.window = (size_t)s->window,
		.repetitions = (unsigned)s->repetitions,
		.growth = s->growth,
		.local = s->local,
		.unfolded = s->unfolded || s->plain,
		.constant = s->affine == AFFINE_OFF || s->plain,
		.values = s->plain ? "none" : s->values,
		.at_sites = s->by_site,
		.no_sites = s->plain || s->sites == UNWANTED || (!s->given[OPTION_SITES] && !s->by_site && no_values),
		.no_tables = s->tables == UNWANTED,
		.no_guards = s->guards == UNWANTED,
		.no_procedures = s->procedures == UNWANTED,
		.recorded = s->phase == PHASE_RECORDED,
		.lenient = s->lenient,
		.jobs = (unsigned)s->jobs,
		.transport = several->on ? &several->transport : NULL,
		.progress = report_listens(report),
	};
	if (!settings_trace(s, NULL, &options->trace, error))
		return NULL;
	return module_of_trace(s->argument[0], options, facts, error);
}

/* ------------------------------------------------------------------ is it the same without? */

/* Events of a trace that is read once more for each such option: that takes less than a second. */
#define AGAIN_MOST 500000

static bool is_same(const char *trace, const struct program_options *options, const struct text *statements)
{
	struct text other = {0};
	struct program_facts facts = {0};
	struct error error = {0};
	struct prepared *p = prepared_new(module_of_trace(trace, options, &facts, &error), &error);
	if (p)
		module_print_statements(p->module, &other);
	bool same = p && !strcmp(other.data, statements->data);
	text_clear(&other);
	program_facts_clear(&facts);
	prepared_free(p);
	return same;
}

/*
 * What an option of the recognition changes is seen by making the model without it alone. That is
 * done where nobody waits for it: of small traces, which can be read once more.
 */
static void say_same(struct report *report, const struct settings *s, const struct module *m,
	const struct program_options *options, const struct program_facts *facts)
{
	static const struct program_options usual = {PROGRAM_OPTIONS};
	static const struct {
		enum option_id id;
		size_t at, size; /* of what it sets */
		bool varying; /* it matters only where numbers vary */
	} recognizing[] = {
#define OF(member) offsetof(struct program_options, member), sizeof usual.member
		{OPTION_GROWTH, OF(growth), false},
		{OPTION_WINDOW, OF(window), false},
		{OPTION_REPETITIONS, OF(repetitions), false},
		{OPTION_PHASE, OF(recorded), false},
		{OPTION_AFFINE, OF(constant), false},
		{OPTION_TABLES, OF(no_tables), true},
		{OPTION_GUARDS, OF(no_guards), true},
#undef OF
	};
	struct stat file;
	struct text statements = {0};
	if (s->quiet || options->local || options->unfolded || options->transport || facts->trace.events > AGAIN_MOST ||
		stat(s->argument[0], &file) != 0 || !(S_ISREG(file.st_mode) || S_ISDIR(file.st_mode)))
		return;
	module_print_statements(m, &statements);
	for (size_t i = 0; i < sizeof recognizing / sizeof *recognizing; i++) {
		struct program_options without = *options;
		size_t at = recognizing[i].at;
		if (!s->given[recognizing[i].id] || (recognizing[i].varying && options->constant))
			continue;
		memcpy((char *)&without + at, (const char *)&usual + at, recognizing[i].size);
		without.progress = (struct progress){0};
		if (is_same(s->argument[0], &without, &statements))
			idle_say(report, s, OPTIONS(recognizing[i].id), "the model is the same without it");
	}
	text_clear(&statements);
}

static bool write_model(
	const struct settings *settings, const struct several *several, struct report *report, struct error *error)
{
	struct output *out = output_open(settings->output, error);
	if (!several_agree(several, out))
		return false;
	colour_program(out);
	struct program_facts facts = {0};
	struct program_options options;
	struct prepared *program = prepared_new(build(settings, several, report, &options, &facts, error), error);
	bool good = program;
	if (program || facts.incomplete.kind != ERROR_NONE || facts.unrecorded.kind != ERROR_NONE ||
		facts.cyclic.kind != ERROR_NONE)
		say_all(report, program, &facts, settings);
	if (program)
		say_same(report, settings, program->module, &options, &facts);
	report_clear(report);
	if (good)
		loop_remarks_print(program->text, out);
	good = output_finish(out, good, error);
	if (good)
		report_close(report, facts.trace.events, "events");
	program_facts_clear(&facts);
	prepared_free(program);
	return good;
}

/* One of several that is not the first: the first one writes, and tells what there is to tell. */
static void read_share(const struct settings *settings, const struct several *several)
{
	struct settings quiet = *settings;
	quiet.quiet = true;
	struct report report = report_start(&quiet);
	struct program_options options;
	struct program_facts facts = {0};
	struct error error = {0};
	if (several_agree(several, true))
		build(&quiet, several, &report, &options, &facts, &error);
	program_facts_clear(&facts);
}

bool verb_model(const struct settings *settings, struct report *report, struct error *error)
{
	struct several several;
	bool good = several_join(&several, error);
	if (good && several.on && several.transport.rank > 0)
		read_share(settings, &several);
	else if (!good || !write_model(settings, &several, report, error))
		report->status = report_error(report, error, NULL);
	several_leave(&several);
	return true;
}
