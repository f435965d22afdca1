/*
 * verbs.h -- one function per verb, each in a file of its name: options in, false with *error set.
 * The exit status of a verb that is done is 0, or what it puts into the report.
 */
#ifndef TRACENEST_CLI_VERBS_H
#define TRACENEST_CLI_VERBS_H

#include <stdbool.h>

struct error;
struct report;
struct settings;

#define VERB_AS(id, ...) bool verb_##id(const struct settings *, struct report *, struct error *);
#define VERB(name, ...) VERB_AS(name, )
#include "cli/verbs.def"
#undef VERB
#undef VERB_AS

#endif
