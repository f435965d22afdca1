/*
 * losses.h -- what is said of an archive that does not hold all that its program passed on.
 */
#ifndef TRACENEST_CLI_LOSSES_H
#define TRACENEST_CLI_LOSSES_H

#include "cli/talk.h"
#include "lib/pipeline.h"

/* A line about calls that moved data and are no part of the program. */
void omissions_say(struct report *, const struct program *);

/* A line, where anything was lost. */
void losses_say(struct report *, const struct trace_losses *);

/* A line where the archive shows why messages are missing. unmatched: some are known to be. */
void losses_say_cause(struct report *, const struct trace_losses *, bool unmatched);

/* Where no program was made of a trace because messages are missing: what else is known. */
void losses_say_beside(struct report *, const struct program_facts *);

#endif
