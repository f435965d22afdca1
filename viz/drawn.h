/*
 * drawn.h -- the statements that a picture shows: of a program, or of one statement of it, as a
 * program of their own.
 *
 *	struct drawn *d = drawn_new(program, from, past, unfolded);
 *	... d->program->statement[i], for scene items ...
 *	drawn_address(d, i, &text);		-- as the text of the program has it
 *	drawn_free(d);
 *
 * A call is a loop of one iteration around its statements, so that a box is drawn for it.
 *
 * Where the lines of a picture are processes, the statements are written out for each of them; each
 * still knows the one that it comes from.
 */
#ifndef TRACENEST_VIZ_DRAWN_H
#define TRACENEST_VIZ_DRAWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ask/coverage.h"
#include "ask/messages.h"
#include "base/text.h"
#include "model/program.h"

#define CALL_NONE SIZE_MAX

struct drawn {
	const struct program *source;
	/* a copy, with a dictionary to add to; what stands in loops, as in their first
	   iterations */
	struct program *program;
	size_t *origin; /* by statement: that of the source */
	/* by statement that one of its processes executes, each time another: the function that
	   names it (program_bound); else BOUND_NONE. NULL: there is none */
	uint32_t *named;
	/* by call of the source, and by statement that is the box of one which: else CALL_NONE */
	char **label;
	size_t *call;
	struct addresses address; /* of the source's statements, in the text it has */
	struct coverage *coverage;
	uint64_t *times; /* by statement: how often control comes to it in all */
	/*
	 * By statement, of one execution: by all processes, in all iterations. A statement whose
	 * executions differ has their mean. Saturate.
	 */
	uint64_t *events, *messages; /* messages: those sent */
};

/*
 * The statements from `from` up to `past` of the program, which must outlive this; unfolded:
 * written out process by process; NULL with *error set where that cannot be.
 */
struct drawn *drawn_new(const struct program *, size_t from, size_t past, bool unfolded, struct error *);
void drawn_free(struct drawn *);

/* The channels of a statement, in these iterations (messages.h): of one that names its process, of
   this process. */
void drawn_messages_each(const struct drawn *, size_t at, const int64_t *index,
	void (*take)(void *context, const struct channel *, bool sends), void *context);
bool drawn_is_named(const struct drawn *, size_t at);

/* Does it depend on tables or conditions, so that writing it out process by process would say each
   iteration by itself? */
bool drawn_is_irregular(const struct program *);

/* "exchange(640)", if the statement is the box of a call; else NULL. */
const char *drawn_label(const struct drawn *, size_t at);

/* The address of a statement in the text of the source; of a box that of the first one in it. */
void drawn_address(const struct drawn *, size_t at, struct text *out);

/*
 * Indices of the loops around a statement at which control comes to it, the first iterations
 * preferred. False: there are none.
 */
bool drawn_instance(const struct program *, size_t at, int64_t index[INDEX_DEPTH]);

/*
 * How often a loop runs (a guard: once or never) for the process that runs it most often. Does the
 * process decide? Then O(processes), else O(1).
 */
uint64_t drawn_count(const struct program *, size_t at, const int64_t *index);
bool drawn_is_divergent(const struct program *, size_t at);

#endif
