/*
 * profile.c -- tracenest profile: what was learned of a run's time, kept as a database.
 */
#include <inttypes.h>

#include "cli/cautions.h"
#include "cli/definitions.h"
#include "cli/idle.h"
#include "cli/profiles.h"
#include "cli/talk.h"
#include "cli/verbs.h"
#include "lib/pipeline.h"
#include "lib/scaled_profile.h"
#include "profile/database.h"

/* As the model's maker read the trace. */
static bool read_options(
	const struct settings *s, struct report *report, struct account_options *to, struct error *error)
{
	to->of = module_of_file(s->argument[0], NULL, s->lenient, error);
	bool good = to->of && settings_trace(s, &to->of->notes, &to->program.trace, error);
	if (good)
		idle_with_model(report, s, to->of);
	else
		module_free(to->of);
	return good;
}

/* What says how a trace is read, and what is kept of it, where profiles are read. */
static void say_idle(struct report *report, const struct settings *s)
{
	idle_no_trace(report, s);
	idle_say(report, s, OPTIONS(OPTION_EXACT, OPTION_CALLS, OPTION_WITHIN, OPTION_LENIENT), "no trace is read");
}

/* A parametric program, and profiles of its instances. */
static bool profile_sizes(const struct settings *s, struct report *report, const struct text *app, struct error *error)
{
	struct scaled_profile_facts facts;
	size_t runs = 0;
	while (s->argument[runs + 1])
		runs++;
	bool good = scaled_profile_write(s->output, s->argument[0], app, &s->argument[1], runs, &facts, error);
	definitions_say_doubts(report, &facts.doubts);
	doubts_clear(&facts.doubts);
	if (!good)
		return false;
	report_say(report,
		"times before calls on %" PRIu32 " to %" PRIu32 " processes: %zu statements by role and arrival%s",
		facts.least, facts.most, facts.measured,
		facts.fitted < facts.measured ? "; some are in less than five runs: they take what all roles take"
					      : "");
	say_idle(report, s);
	return true;
}

bool verb_profile(const struct settings *s, struct report *report, struct error *error)
{
	struct profiling_options options;
	struct account account = {0};
	if (!s->output)
		return error_set(error, ERROR_INPUT, "profile: say with -o which database to write");
	struct text app = {0};
	if (definitions_parametric(s, s->argument[0], &app)) {
		bool made = profile_sizes(s, report, &app, error);
		text_clear(&app);
		return made;
	}
	if (s->argument[2])
		return error_set(error, ERROR_INPUT,
			"profile needs MODEL TRACE, or two profiles; several are of a parametric program");
	if (database_is(s->argument[0]) && database_is(s->argument[1])) {
		say_idle(report, s);
		return database_merge(s->output, s->argument[0], s->argument[1], error);
	}
	bool good = profile_options(s, report, &options, error) && read_options(s, report, &options.account, error) &&
		    profiling_write(s->output, s->argument[0], s->argument[1], &options, &account, error);
	if (good) {
		missing_records_say(report, &account.facts.missing);
		idle_lenient_on(report, s, account.analysis->program->run, &account.facts.unrecorded);
		report_close_long(report, account.analysis->records);
	}
	account_clear(&account);
	return good;
}
