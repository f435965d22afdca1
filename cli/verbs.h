/*
 * verbs.h -- one function per verb: options in, exit status out. Each stands in a file of its name.
 */
#ifndef TRACENEST_CLI_VERBS_H
#define TRACENEST_CLI_VERBS_H

struct settings;

#define VERB(name, group, arguments, least, most, options, summary, details) int verb_##name(const struct settings *);
#include "cli/verbs.def"
#undef VERB

#endif
