/*
 * blocks.h -- what stands several times in a program's text, found, so that it can be said once: as
 * a function, or a procedure, that is called.
 *
 *	struct blocks b;
 *	blocks_of(&b, program, &(struct blocks_options){key, context, 5, 1});
 *	... b.body[BLOCKS_TOP].unit[i] ...
 *	blocks_clear(&b);
 *
 * The bodies of a program, that of its text and those of its loops, are sequences of units:
 * statements, or calls of a function, which is a body that stood in several places. What is equal
 * is told by a key that the caller gives each statement (of a loop: what stands in its head), and
 * by the words that stand in holes of it: bodies that differ in some words alone are one function,
 * too, that takes these as arguments. A word may be a value, which is a function of indices: then
 * it is an argument only where the loops of these are around the call. The block that saves most
 * lines becomes a function first, and so on, until none saves any.
 */
#ifndef TRACENEST_MODEL_BLOCKS_H
#define TRACENEST_MODEL_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#include "base/intern.h"
#include "base/text.h"
#include "model/program.h"

#define BLOCKS_TOP 0
#define BLOCKS_NONE SIZE_MAX

/* Arguments of one function. */
#define BLOCK_PARAMETERS 8

/* A hole of a statement, in the order of the text: what stands there, and what it is called. */
struct block_hole {
	uint32_t word, name; /* of `words` */
	uint32_t value; /* of `values`: what the word says; BLOCK_NO_VALUE: just itself */
};
#define BLOCK_NO_VALUE UINT32_MAX

/* Begins the word of a hole that a parameter fills; its number follows. */
#define BLOCK_FILLED '\1'

struct unit {
	size_t statement; /* or the first one of those that it stands for */
	size_t end; /* behind the last one */
	size_t function; /* the body that is called; BLOCKS_NONE: the statement itself */
	uint32_t key;
	uint32_t whole; /* the same, with what stands in the holes */
	uint32_t lines; /* about */
	uint32_t indices; /* that occur in it outside of its holes, a bit each */
	size_t hole; /* the first of its holes in `holes`; of a call: its arguments */
	uint32_t holes;
};

struct block_body {
	size_t loop; /* whose it is; BLOCKS_NONE: a function's, or the text's */
	uint32_t depth; /* loops around */
	struct unit *unit;
	size_t units;
	bool gone; /* it stood in what is said elsewhere */
	uint32_t parameters; /* of a function; */
	struct block_filling { /* which fill these holes of its units */
		size_t hole;
		uint32_t parameter;
	} * filling;
	size_t fillings;
};

struct blocks {
	const struct program *program;
	struct block_body *body;
	size_t bodies, capacity;
	size_t *body_of; /* by loop */
	struct block_hole *hole; /* of all statements */
	size_t *hole_of; /* by statement: its first one; and one more */
	size_t hole_count, hole_capacity;
	size_t *holes; /* units' holes: which */
	size_t holes_listed, holes_capacity;
	struct intern *words, *values; /* struct value */
};

struct blocks_options {
	/* appends what tells a statement from others, below so many loops, and adds its holes
	   (blocks_add_hole); gives the indices that occur outside of these, a bit each */
	uint32_t (*key)(void *context, struct blocks *, size_t statement, uint32_t depth, struct text *);
	void *context;
	uint32_t function_lines, call_lines; /* what a function takes besides its lines; a call of it */
	uint32_t argument_lines; /* what two arguments of a call take */
};

void blocks_of(struct blocks *, const struct program *, const struct blocks_options *);
/* word: the same for values that are the same as seen from their statements; value: NULL: none. */
void blocks_add_hole(struct blocks *, const char *word, const char *name, const struct value *value);
const char *blocks_word(const struct blocks *, uint32_t word);
const struct value *blocks_value(const struct blocks *, const struct block_hole *); /* NULL: none */
void blocks_clear(struct blocks *);

/* Functions that call each other, the deepest: 0: none has been found. */
uint32_t blocks_depth(const struct blocks *);

/* Which indices of loops around the body occur in it, a bit each, but for what parameters fill. */
uint32_t blocks_indices(const struct blocks *, const struct block_body *);
uint32_t block_around(uint32_t depth); /* those of so many loops */

#endif
