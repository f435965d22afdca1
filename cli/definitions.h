/*
 * definitions.h -- numbers that an option names: --param n=64, -D P=4096, --grid 8x4; and the
 * instance of a parametric text that they ask for.
 */
#ifndef TRACENEST_CLI_DEFINITIONS_H
#define TRACENEST_CLI_DEFINITIONS_H

#include "base/error.h"
#include "cli/options.h"
#include "cli/talk.h"
#include "model/extents.h"
#include "model/prepared.h"
#include "sizes/doubts.h"

struct definition {
	char name[EXTENTS_NAME + 1]; /* in capital letters: in texts, small ones are coordinates, indices, arguments */
	int64_t value;
};

bool definition_read(const char *text, const char *option, struct definition *, struct error *);
bool definition_grid(const char *text, struct grid *, struct error *);

/* What -D and --grid ask for; without the number of processes: 0. */
bool definitions_asked(const struct settings *, struct extents *, struct error *);

/* Longer texts are no program that anybody reads. */
#define DEFINITIONS_TEXT_MOST ((size_t)1 << 30)

/* Is it a parametric text, and not asked for on a number of processes? Then the text; standard
   input and pipes are none, because they cannot be read again. */
bool definitions_parametric(const struct settings *, const char *path, struct text *);

/* The first argument of a verb: as module_of_file; or the instance of a parametric text that -D and
   --grid ask for, whose doubts are said; lenient: as of both. With --strict there is none that has any. */
struct module *definitions_module(
	const struct settings *, struct report *, const char *values, bool lenient, struct error *);

/* The same, to be asked. */
struct prepared *definitions_prepared(const struct settings *, struct report *, struct error *);

/* The same; sizes of messages that one end says are those of the other, too (lib/carried.h). */
struct prepared *definitions_sized(const struct settings *, struct report *, struct error *);

/* ... and what is plain is folded as its maker does it (module_as_made). */
struct prepared *definitions_folded(
	const struct settings *, struct report *, const char *values, bool lenient, struct error *);

/* A warning each. */
void definitions_say_doubts(struct report *, const struct doubts *);

#endif
