/*
 * idle.h -- options that were given and change nothing on this input: a line each says so. The exit
 * status stays what it is.
 *
 *	idle_say(&report, settings, OPTIONS(OPTION_GROWTH, OPTION_LENIENT), "processes are not merged");
 *	idle_reading(&report, settings, &facts.trace);
 */
#ifndef TRACENEST_CLI_IDLE_H
#define TRACENEST_CLI_IDLE_H

#include "cli/options.h"
#include "cli/talk.h"
#include "model/run.h"
#include "trace/trace.h"

/* Those of these options that were given; why: in a few words. */
void idle_say(struct report *, const struct settings *, const enum option_id *, const char *why);

/* Those that say how to read a trace, of one that was read. */
void idle_reading(struct report *, const struct settings *, const struct trace_facts *);

/* Those of reading, where no trace is read. */
void idle_no_trace(struct report *, const struct settings *);

/* --lenient, where nothing is missing. */
void idle_lenient(struct report *, const struct settings *, const struct error *incomplete, const struct error *lost);

/* The same where nothing but cautions (cautions.h) could be missing. */
void idle_lenient_cautions(struct report *, const struct settings *);

/* The same of a program, which is asked what is incomplete. */
void idle_lenient_on(struct report *, const struct settings *, struct run *, const struct error *lost);

/* Those of reading, of verbs that ask for the times of a model. */
void idle_with_model(struct report *, const struct settings *, const struct module *);

/* --values: names that no statement has: misspelled, mostly. */
void idle_values(struct report *, const struct settings *, const struct module *);

/* Does any event of the module carry what is called so? Is any of this kind? */
bool idle_carries(const struct module *, const char *name, size_t length);
bool idle_has(const struct module *, enum event_kind);

#endif
