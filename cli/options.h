/*
 * options.h -- what the user asked for: verbs, their options, and one table from which parsing,
 * checking and --help all come.
 */
#ifndef TRACENEST_CLI_OPTIONS_H
#define TRACENEST_CLI_OPTIONS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/ranks.h"
#include "base/text.h"
#include "trace/trace_options.h"

enum option_id {
#define GROUP(id, heading)
#define OPTION(id, ...) OPTION_##id,
#define VARIANT(id, ...) OPTION_##id,
#include "cli/options.def"
	OPTION_IDS
};

/* A list of options. For verbs.def: one to which --help is added. */
#define OPTIONS(...) ((const enum option_id[]){__VA_ARGS__, OPTION_IDS})
#define TAKES(...) OPTIONS(__VA_ARGS__, OPTION_HELP)
#define OPTIONS_TRACE OPTION_EVENTS, OPTION_ORDER, OPTION_COLLECTIVES
#define OPTIONS_NLR OPTION_WINDOW, OPTION_REPETITIONS

enum language { LANGUAGE_C, LANGUAGE_TEXT };
enum affine_mode { AFFINE_ON, AFFINE_OFF };
enum wanted { WANTED, UNWANTED, WANTED_FUNCTIONS };
enum phase_mode { PHASE_SHORTEST, PHASE_RECORDED };

/* The values of an option that may be given several times, in order. */
#define WORDS_LIMIT 64
struct words {
	const char *word[WORDS_LIMIT];
	size_t count;
};

/* Files named at once: runs of one program, hardly ever more than a dozen. */
#define ARGUMENTS_MOST 64

/* The files named; and a member for each option, as options.def has it. */
struct settings {
	const char *argument[ARGUMENTS_MOST + 1]; /* NULL behind the last */
	char **command; /* of a verb that runs one: its words, NULL behind the last; or NULL */
	bool given[OPTION_IDS]; /* what stood on the command line */
#define GROUP(id, heading)
#define OPTION(id, group, member, letter, name, kind, help) kind member;
#define VARIANT(...)
#define FLAG bool
#define CHOICE(...) uint64_t
#define NUMBER(...) uint64_t
#define FACTOR(...) double
#define TIME_OF_RUN(...) double
#define WORD(...) const char *
#define MAYBE(...) const char *
#define WORDS(...) struct words
#define RANKS(...) struct ranks
#include "cli/options.def"
};

struct report;

enum verb_group { GROUP_RUNS, GROUP_TRACES, GROUP_MODELS, GROUP_RECORDS, VERB_GROUPS };

/* For `most`: the words from the first that is no option, or behind --, are a command. */
#define VERB_COMMAND UINT_MAX
/* The same of the words behind -- alone; without these there are so many arguments at most. */
#define VERB_FILES_OR_COMMAND (UINT_MAX - 1)
#define VERB_FILES_MOST 2

struct verb {
	const char *name;
	enum verb_group group;
	const char *arguments; /* as the help shows them */
	unsigned least, most; /* how many */
	const enum option_id *options; /* OPTION_IDS behind the last */
	const char *summary, *details;
	bool (*run)(const struct settings *, struct report *, struct error *); /* verbs.h */
};

/* Read the words behind a verb. False with a message and a hint in *error. The settings borrow from
   the words; settings_clear releases. */
bool options_read(const struct verb *, int words, char **word, struct settings *, struct error *);
void settings_clear(struct settings *);

/* Arguments that were given. */
size_t settings_arguments(const struct settings *);

/* A time in seconds, or with its unit. False: it is none. */
#define TIME_EXAMPLES "1.5s, 20ms, 7us, 300ns, or 2 for two seconds"
bool time_parse(const char *word, double *seconds);

bool verb_takes(const struct verb *, enum option_id);

/* "growth", as it is written behind "--". */
const char *option_spelling(enum option_id);

/* How the trace is to be read: as the notes of its model say (NULL: as by default), but for what
   the user gave. */
bool settings_trace(const struct settings *, const struct notes *, struct trace_options *, struct error *);

/* Are all ranks that --rank names below `processes`? An error that says which ones there are, if
   not: nothing is left out silently. */
bool selection_exists(const struct settings *, uint32_t processes, struct error *);

/* The ranks asked for; all if none were. */
void selection_ranks(const struct settings *, uint32_t processes, struct ranks *);

/* The help of one verb, with the defaults in force. */
void options_help(const struct verb *, struct text *);

/* The one of `count` names most like a word (of at most two mistakes), or NULL: for "did you
   mean". */
const char *nearest_name(const char *word, size_t length, const char *(*name)(size_t i), size_t count);

#endif
