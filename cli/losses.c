/*
 * losses.c -- the words are trace/losses.c's.
 */
#include "cli/losses.h"

static void say(struct report *report, struct text *line)
{
	if (line->length)
		report_say(report, "%s", line->data);
	text_clear(line);
}

void omissions_say(struct report *report, const struct program *program)
{
	struct text line = {0};
	notes_tell_omissions(&program->notes, OMITTED, &line);
	say(report, &line);
}

void losses_say(struct report *report, const struct trace_losses *losses)
{
	struct text line = {0};
	trace_losses_tell(losses, &line);
	say(report, &line);
}

void losses_say_cause(struct report *report, const struct trace_losses *losses, bool unmatched)
{
	struct text line = {0};
	trace_losses_cause(losses, unmatched, &line);
	say(report, &line);
}

void losses_say_beside(struct report *report, const struct program_facts *f)
{
	if (f->incomplete.kind == ERROR_NONE)
		return;
	losses_say_cause(report, &f->losses, true);
	if (f->unrecorded.kind != ERROR_NONE)
		report_say(report, "%s", f->unrecorded.message);
}
