/*
 * omissions.h -- what is said of an archive that does not hold all that its program passed on.
 */
#ifndef TRACENEST_CLI_OMISSIONS_H
#define TRACENEST_CLI_OMISSIONS_H

#include "cli/talk.h"
#include "lib/pipeline.h"
#include "model/run.h"

/* A line about what the run did and the program does not stand for. */
void omissions_say(struct report *, struct run *);

/* A line, where anything was lost. */
void missing_records_say(struct report *, const struct missing_records *);

/* A line where the archive shows why messages are missing. unmatched: some are known to be. */
void missing_records_say_cause(struct report *, const struct missing_records *, bool unmatched);

/* Where no program was made of a trace because messages are missing: what else is known. */
void missing_records_say_beside(struct report *, const struct program_facts *);

#endif
