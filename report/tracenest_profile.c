/*
 * tracenest_profile.c -- profiles for callers of the library.
 */
#include "lib/handles.h"
#include "report/profiling.h"
#include "trace/trace_options.h"

/* As the program's maker read the trace. */
static bool read_options(const char *model, struct account_options *to, struct error *error)
{
	if (!model)
		return true;
	to->of = module_of_file(model, NULL, to->program.lenient, error);
	if (to->of && trace_options_of_notes(&to->program.trace, &to->of->notes, error))
		return true;
	module_free(to->of);
	return false;
}

bool tracenest_profile_write(const char *model, const char *trace, const tracenest_profiling *given, const char *path,
	tracenest_error *error)
{
	tracenest_profiling asked = given ? *given : (tracenest_profiling){0};
	struct error why = {0};
	struct account account = {0};
	struct profiling_options options = {.account = {ACCOUNT_OPTIONS}};
	options.account.program.lenient = asked.lenient;
	options.account.program.jobs = asked.jobs;
	options.keep = asked.stamps != TRACENEST_STAMPS_NONE;
	options.form.keep = asked.stamps == TRACENEST_STAMPS_CALLS ? COLUMNS_CALLS : COLUMNS_TIMESTAMPS;
	bool good = read_options(model, &options.account, &why) &&
		    profiling_write(path, model, trace, &options, &account, &why);
	account_clear(&account);
	return tell(good, &why, error);
}
