/*
 * options.h -- what the user asked for: verbs, their options, and one table from which parsing, checking and --help all come.
 */
#ifndef TRACENEST_CLI_OPTIONS_H
#define TRACENEST_CLI_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/ranks.h"
#include "base/text.h"
#include "trace/options.h"

enum option_id {
	OPTION_EVENTS,
	OPTION_ORDER,
	OPTION_COLLECTIVES,
	OPTION_LOCAL,
	OPTION_UNFOLDED,
	OPTION_LANGUAGE,
	OPTION_GROWTH,
	OPTION_WINDOW,
	OPTION_REPETITIONS,
	OPTION_AFFINE,
	OPTION_EXPAND,
	OPTION_PREDICT,
	OPTION_LENIENT,
	OPTION_RANK,
	OPTION_ONE_RANK,
	OPTION_LOOP,
	OPTION_LOOPS,
	OPTION_PER_ITERATION,
	OPTION_TAG,
	OPTION_DEPTH,
	OPTION_AT,
	OPTION_GET,
	OPTION_RANKS,
	OPTION_OPENED,
	OPTION_OPEN_DEPTH,
	OPTION_SKIP_SHORT,
	OPTION_ROLES,
	OPTION_LABELS,
	OPTION_WIDTH,
	OPTION_TIMES,
	OPTION_START,
	OPTION_END,
	OPTION_BOTH,
	OPTION_INSIDE,
	OPTION_UNFOLD,
	OPTION_POSITIONS,
	OPTION_NEST_POSITIONS,
	OPTION_ADDRESSES,
	OPTION_BYTES,
	OPTION_BINARY,
	OPTION_CSV,
	OPTION_JSON,
	OPTION_OUTPUT,
	OPTION_PICTURE,
	OPTION_RUN,
	OPTION_PROGRAM,
	OPTION_JOBS,
	OPTION_QUIET,
	OPTION_VERBOSE,
	OPTION_HELP,
	OPTION_IDS
};

#define BIT(option) (UINT64_C(1) << (option))
#define OPTIONS_TRACE (BIT(OPTION_EVENTS) | BIT(OPTION_ORDER) | BIT(OPTION_COLLECTIVES))
#define OPTIONS_NLR (BIT(OPTION_WINDOW) | BIT(OPTION_REPETITIONS))

enum language { LANGUAGE_C, LANGUAGE_TEXT };
enum affine_mode { AFFINE_ON, AFFINE_OFF };

/* The values of an option that may be given several times, in order. */
#define WORDS_LIMIT 64
struct words {
	const char *word[WORDS_LIMIT];
	size_t count;
};

struct settings {
	const char *argument[2]; /* the files named; NULL behind the last */
	uint64_t given; /* bits of the options that stood on the command line */
	uint64_t events, order, collectives; /* choices, as of enum trace_option */
	bool local, lenient, unfolded;
	uint64_t language;
	double growth;
	uint64_t window, repetitions;
	uint64_t affine, predict; /* enum affine_mode; a distance, 0: do not */
	bool expand;
	struct ranks ranks; /* empty: all */
	const char *loop;
	bool positions, addresses;
	struct words loops;
	bool per_iteration;
	const char *tag, *bytes;
	struct words at, get;
	bool start, end, both, inside;
	const char *run, *program;
	bool binary;
	uint64_t depth;
	uint64_t open_depth, labels, width; /* of pictures; 0: as it comes, enum viz_labels, 0: as it comes */
	bool skip_short, folded;
	const char *times;
	bool csv, verbose;
	bool json;
	const char *output; /* NULL: standard output */
	uint64_t jobs; /* 0: all cores */
	bool quiet;
	bool help;
};

enum verb_group { GROUP_TRACES, GROUP_MODELS, GROUP_RECORDS, VERB_GROUPS };

struct verb {
	const char *name;
	enum verb_group group;
	const char *arguments; /* as the help shows them */
	unsigned least, most; /* how many */
	uint64_t options; /* bits */
	const char *summary, *details;
	int (*run)(const struct settings *); /* gives the exit status */
};

/* Read the words behind a verb. False with a message and a hint in *error. The settings borrow from the words; settings_clear releases. */
bool options_read(const struct verb *, int words, char **word, struct settings *, struct error *);
void settings_clear(struct settings *);

/* How the trace is to be read: as the notes of its model say (NULL: as by default), but for what the user gave. */
bool settings_trace(const struct settings *, const struct notes *, struct trace_options *, struct error *);

/* The help of one verb, with the defaults in force. */
void options_help(const struct verb *, struct text *);

/* The one of `count` names most like a word (of at most two mistakes), or NULL: for "did you mean". */
const char *nearest_name(const char *word, size_t length, const char *(*name)(size_t i), size_t count);

#endif
