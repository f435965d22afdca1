/*
 * profile.c -- tracenest profile: what was learned of a run's time, kept as a database.
 */
#include "cli/options.h"
#include "cli/talk.h"
#include "cli/verbs.h"
#include "lib/account.h"
#include "lib/database.h"

/* Means of processes of one role that differ by less than this part of them are told together. */
#define AGREE 0.25

static struct profile *times_of(const struct settings *s, const struct trace_options *options, struct program *program,
	struct report *report, struct error *error)
{
	struct progress progress = report_listens(report);
	struct trace *trace = trace_open(s->argument[1], options, error);
	struct profile *profile =
		trace ? profile_read(program, s->argument[0], trace, s->argument[1], NULL, &progress, error) : NULL;
	trace_close(trace);
	if (profile)
		profile_fold(profile, AGREE);
	return profile;
}

/* When each event was, where that is asked for. */
static bool stamps_of(const struct settings *s, const struct trace_options *options, struct program *program,
	struct report *report, struct stamps *to, struct error *error)
{
	struct stamps_options how = {.trace = *options, .progress = report_listens(report)};
	how.form.within = s->within;
	how.form.keep = s->given[OPTION_WITHIN] ? COLUMNS_WITHIN : s->calls ? COLUMNS_CALLS : COLUMNS_STAMPS;
	return (!s->exact && !s->given[OPTION_WITHIN]) ||
	       stamps_read(to, program, s->argument[0], s->argument[1], &how, error);
}

static bool keep(const struct settings *s, const struct account *a, const struct profile *profile,
	const struct stamps *stamps, struct error *error)
{
	struct findings findings;
	findings_of(&findings, a->analysis);
	struct database_content content = {.program = a->program,
		.analysis = a->analysis,
		.findings = &findings,
		.profile = profile,
		.stamps = s->exact || s->given[OPTION_WITHIN] ? stamps : NULL,
		.model = s->argument[0],
		.trace = s->argument[1]};
	bool good = database_write(s->output, &content, error);
	findings_clear(&findings);
	return good;
}

static bool read_account(
	const struct settings *s, struct account *a, struct account_options *options, struct error *error)
{
	struct program *program = program_read(s->argument[0], error);
	if (!program)
		return false;
	bool good = settings_trace(s, &program->notes, &options->program.trace, error);
	program_free(program);
	return good && account_read(a, s->argument[1], s->argument[0], options, error);
}

static bool run(const struct settings *s, struct report *report, struct error *error)
{
	struct account a = {0};
	struct stamps stamps = {0};
	struct account_options options = {ACCOUNT_OPTIONS};
	if (!s->output)
		return error_set(error, ERROR_INPUT, "profile: say with -o which database to write");
	if (s->exact && s->given[OPTION_WITHIN])
		return error_set(error, ERROR_INPUT, "profile: times are kept --exact or --within a factor, not both");
	if (s->within < COLUMNS_WITHIN_LEAST)
		return error_set(error, ERROR_INPUT, "profile: --within: a factor of %g or more; or --exact",
			COLUMNS_WITHIN_LEAST);
	if (s->calls && !s->exact)
		return error_set(error, ERROR_INPUT, "profile: --calls says what --exact keeps: give that, too");
	options.program.lenient = s->lenient;
	options.program.jobs = (unsigned)s->jobs;
	options.program.progress = report_listens(report);
	if (s->given[OPTION_EAGER])
		options.eager = s->eager;
	bool good = read_account(s, &a, &options, error);
	struct profile *profile = good ? times_of(s, &options.program.trace, a.program, report, error) : NULL;
	good = profile && stamps_of(s, &options.program.trace, a.program, report, &stamps, error) &&
	       keep(s, &a, profile, &stamps, error);
	if (good)
		report_close_long(report, a.analysis->records);
	profile_free(profile);
	stamps_clear(&stamps);
	account_clear(&a);
	return good;
}

int verb_profile(const struct settings *settings)
{
	struct report report = report_start(settings);
	struct error error = {0};
	trace_guard();
	return run(settings, &report, &error) ? 0 : report_error(&report, &error, NULL);
}
