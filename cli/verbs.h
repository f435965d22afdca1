/*
 * verbs.h -- one function per verb: options in, exit status out. Each stands in a file of its name.
 */
#ifndef TRACENEST_CLI_VERBS_H
#define TRACENEST_CLI_VERBS_H

struct settings;

#define VERB_AS(id, ...) int verb_##id(const struct settings *);
#define VERB(name, ...) VERB_AS(name, )
#include "cli/verbs.def"
#undef VERB
#undef VERB_AS

#endif
