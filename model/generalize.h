/*
 * generalize.h -- the bodies of a program's procedures, from the statements of their calls: what
 * these have in common, with parameters where they differ (their least general generalization, or
 * anti-unification: G. Plotkin, 1970).
 *
 *	struct generalized g;
 *	generalize(&g, program, line, context);		-- `line` tells statements apart
 *	... g.call[i].body == BODY_NONE: the i-th call is written where it stands ...
 *	generalized_clear(&g);
 *
 * A statement is a line with holes: for tags, peers, counts, sizes. Calls of a procedure whose
 * lines are the same but for what stands in holes are calls of one body; holes that differ are
 * filled by parameters, and holes that differ alike by the same one. A hole that asks for indices
 * of loops around the calls is filled, too, for these have no names inside of the body. A hole
 * that asks for indices of the body's own loops has to be the same everywhere.
 */
#ifndef TRACENEST_MODEL_GENERALIZE_H
#define TRACENEST_MODEL_GENERALIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/intern.h"
#include "base/text.h"
#include "model/program.h"

#define BODY_NONE SIZE_MAX

/* What stands at one place of a line, or as an argument of a call. */
struct hole {
	uint32_t word; /* of `words`: the same for values that are the same as seen from there */
	uint32_t name; /* of `words`: what it may be called */
	uint32_t value; /* of `values` */
	uint32_t parameter; /* that fills it where the body is written; PARAMETER_NONE: none */
};
#define PARAMETER_NONE UINT32_MAX

/* A statement of a call. */
struct call_line {
	uint32_t key; /* equal for statements that are equal but for holes */
	uint32_t depth; /* loops around, guards too */
	uint32_t indices; /* of loops around that it asks for outside of holes, a bit each */
	size_t hole; /* the first of its holes; */
	uint32_t holes;
};

/* A call, by its number in the program's calls. */
struct placed_call {
	size_t body; /* BODY_NONE: its statements are written where they stand */
	size_t parent; /* the call that it stands in; SIZE_MAX: none */
	bool sound; /* whole statements of one list */
	uint32_t depth, height; /* loops around it; calls inside of each other in it */
	uint32_t guards; /* which of the loops around are guards, a bit each */
	uint32_t indices; /* of loops around that it passes on as they are called, a bit each; */
	size_t argument; /* behind these its arguments: the first of these holes */
};

struct called_body {
	size_t call; /* the first one: its statements are written */
	size_t calls;
	uint32_t parameters;
	size_t *parameter; /* of each the first hole of that call which it fills */
};

struct generalized {
	const struct program *program;
	struct call_line *line; /* by statement; those in no call have no holes */
	struct placed_call *call;
	struct called_body *body;
	size_t bodies, body_capacity;
	struct hole *hole;
	size_t holes, hole_capacity;
	struct intern *words, *values; /* struct value */
};

/* Appends what tells a statement from others but for its holes, which it adds (generalize_hole);
   gives the indices that it asks for outside of these. guards: loops around it that are. */
typedef uint32_t generalize_line(
	void *context, struct generalized *, size_t statement, uint32_t depth, uint32_t guards, struct text *key);

/* O(text of the calls x depth of calls). */
void generalize(struct generalized *, const struct program *, generalize_line *line, void *context);
void generalize_hole(struct generalized *, const char *word, const char *name, const struct value *value);
void generalized_clear(struct generalized *);

const char *generalized_word(const struct generalized *, uint32_t word);
struct value generalized_value(const struct generalized *, const struct hole *);

/* The next call that is one and stands at this statement, among those from *next on, which moves
   behind it; SIZE_MAX: none does. */
size_t generalized_call_at(const struct generalized *, size_t statement, size_t *next);

/* The indices of so many loops, a bit each. */
uint32_t indices_around(uint32_t depth);

#endif
