/*
 * name.c -- tracenest name: names of frames, where debug information came later.
 */
#include <string.h>

#include "base/text.h"
#include "cli/options.h"
#include "cli/talk.h"
#include "cli/verbs.h"
#include "record/name_later.h"

bool verb_name(const struct settings *s, struct report *report, struct error *error)
{
	const char *trace = s->argument[0], *slash = strrchr(trace, '/');
	struct naming_facts facts;
	struct text directory = {0};
	if (!s->debug)
		return error_set(error, ERROR_INPUT, "name: where is the debug information? --debug DIR");
	if (!text_ends_with(trace, ".otf2"))
		text_put(&directory, trace);
	else if (slash)
		text_add(&directory, trace, slash == trace ? 1 : (size_t)(slash - trace));
	else
		text_put(&directory, ".");
	bool good = name_later(directory.data, s->debug, s->output, &facts, error);
	if (good)
		report_say(report, "named what %zu of %zu modules have in their debug information", facts.found,
			facts.modules);
	text_clear(&directory);
	return good;
}
