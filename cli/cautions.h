/*
 * cautions.h -- what misleads whoever takes an answer for the run: it is said in a line, before the
 * answer, and the verb ends with 3, though it answers. With --lenient it is only said. And what is
 * said of an archive that does not hold all that its program passed on.
 *
 *	cautions_say(report, settings, run);	-- all that a program is to be taken with
 *	caution(report, settings, "the run did not end: ...");
 */
#ifndef TRACENEST_CLI_CAUTIONS_H
#define TRACENEST_CLI_CAUTIONS_H

#include "cli/talk.h"
#include "lib/pipeline.h"
#include "model/run.h"

/* Also when quiet, unless it is lenient. */
void caution(struct report *, const struct settings *, const char *line);

/* What the program does not stand for (ask/shortfalls.h). Its module has no calls. */
void cautions_say(struct report *, const struct settings *, struct run *);

/* What is one-sided, of which a simulator of messages knows nothing. what: "export" */
void cautions_say_one_sided(struct report *, const struct settings *, struct run *, const char *what);

/* ------------------------------------------------------------------ what archives lack */

/* A line about what the run did and the program does not stand for. */
void omissions_say(struct report *, struct run *);

/* A line, where anything was lost. */
void missing_records_say(struct report *, const struct missing_records *);

/* A line where the archive shows why messages are missing. unmatched: some are known to be. */
void missing_records_say_cause(struct report *, const struct missing_records *, bool unmatched);

/* Where no program was made of a trace because messages are missing: what else is known. */
void missing_records_say_beside(struct report *, const struct program_facts *);

#endif
