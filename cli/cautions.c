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

void cautions_say_one_sided(struct report *report, const struct settings *s, struct run *run, const char *what)
{
	struct text line = {0};
	shortfalls_tell_one_sided(run, what, &line);
	if (line.length)
		caution(report, s, line.data);
	text_clear(&line);
}

/* ------------------------------------------------------------------ what archives lack */

static void say(struct report *report, struct text *line)
{
	if (line->length)
		report_say(report, "%s", line->data);
	text_clear(line);
}

void omissions_say(struct report *report, struct run *run)
{
	struct text line = {0};
	shortfalls_tell_of(run, &line);
	say(report, &line);
}

void missing_records_say(struct report *report, const struct missing_records *missing)
{
	struct text line = {0};
	missing_records_tell(missing, &line);
	say(report, &line);
}

void missing_records_say_cause(struct report *report, const struct missing_records *missing, bool unmatched)
{
	struct text line = {0};
	missing_records_cause(missing, unmatched, &line);
	say(report, &line);
}

void missing_records_say_beside(struct report *report, const struct program_facts *f)
{
	if (f->incomplete.kind == ERROR_NONE)
		return;
	missing_records_say_cause(report, &f->missing, true);
	if (f->unrecorded.kind != ERROR_NONE)
		report_say(report, "%s", f->unrecorded.message);
}
