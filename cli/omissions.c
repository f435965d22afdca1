/*
 * omissions.c -- the words are trace/missing_records.c's.
 */
#include "cli/omissions.h"

#include "ask/shortfalls.h"

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
