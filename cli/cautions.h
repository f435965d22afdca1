/*
 * cautions.h -- what misleads whoever takes an answer for the run: it is said in a line, before the
 * answer, and the verb ends with 3, though it answers. With --lenient it is only said.
 *
 *	cautions_say(report, settings, run);	-- all that a program is to be taken with
 *	caution(report, settings, "the run did not end: ...");
 */
#ifndef TRACENEST_CLI_CAUTIONS_H
#define TRACENEST_CLI_CAUTIONS_H

#include "cli/talk.h"
#include "model/run.h"

/* Also when quiet, unless it is lenient. */
void caution(struct report *, const struct settings *, const char *line);

/* What the program does not stand for (ask/shortfalls.h). Its module has no calls. */
void cautions_say(struct report *, const struct settings *, struct run *);

#endif
