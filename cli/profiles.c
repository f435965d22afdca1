/*
 * profiles.c -- options of profiles.
 */
#include "cli/profiles.h"

#include "lib/scaled_profile.h"

void profile_say_estimate(struct report *report, const struct settings *s)
{
	if (s->profile && scaled_profile_is(s->profile))
		report_say(
			report, "%s: times before calls are estimates, fitted over numbers of processes", s->profile);
}

static bool check(const struct settings *s, struct error *error)
{
	if (s->exact && s->given[OPTION_WITHIN])
		return error_set(error, ERROR_INPUT, "times are kept --exact or --within a factor, not both");
	if (s->within < COLUMNS_WITHIN_LEAST)
		return error_set(
			error, ERROR_INPUT, "--within: a factor of %g or more; or --exact", COLUMNS_WITHIN_LEAST);
	return !s->calls || s->exact ||
	       error_set(error, ERROR_INPUT, "--calls says what --exact keeps: give that, too");
}

struct account_options settings_account(const struct settings *s, struct report *report)
{
	struct account_options options = {ACCOUNT_OPTIONS};
	options.program.lenient = s->lenient;
	options.program.jobs = (unsigned)s->jobs;
	options.program.progress = report_listens(report);
	if (s->given[OPTION_EAGER])
		options.eager = s->eager;
	return options;
}

bool profile_options(const struct settings *s, struct report *report, struct profiling_options *to, struct error *error)
{
	*to = (struct profiling_options){.account = settings_account(s, report)};
	to->keep = s->exact || s->given[OPTION_WITHIN];
	to->form.keep = s->given[OPTION_WITHIN] ? COLUMNS_WITHIN : s->calls ? COLUMNS_CALLS : COLUMNS_TIMESTAMPS;
	to->form.within = s->within;
	return check(s, error);
}
