/*
 * cautions.c -- the lines are made where the facts are; here is what follows from them.
 */
#include "cli/cautions.h"

#include "ask/shortfalls.h"
#include "trace/trace.h"

void caution(struct report *report, const struct settings *s, const char *line)
{
	struct error error = {0};
	report->cautioned = true;
	if (s->lenient) {
		report_say(report, "%s", line);
		return;
	}
	error_set(&error, ERROR_INCONSISTENT, "%s%s", line, trace_may_be_lenient() ? " (--lenient: status 0)" : "");
	report->status = report_error(report, &error, NULL);
}

void cautions_say(struct report *report, const struct settings *s, struct run *run)
{
	struct text line = {0};
	shortfalls_tell_of(run, &line);
	if (line.length)
		caution(report, s, line.data);
	text_clear(&line);
}
