/*
 * blocks.h -- a program's text as bodies of units: statements, and calls of functions.
 *
 *	struct blocks b;
 *	blocks_of(&b, &overview, called, key, context);
 *	... b.body[BLOCKS_TOP].unit[i] ...
 *	blocks_clear(&b);
 *
 * The bodies are those of the text, of its loops, and of functions. Functions are the program's
 * procedures: calls whose statements are equal under a key that the caller gives each statement (of
 * a loop: what stands in its head) are calls of one function.
 */
#ifndef TRACENEST_REPLAY_BLOCKS_H
#define TRACENEST_REPLAY_BLOCKS_H

#include "base/text.h"
#include "ask/overview.h"

#define BLOCKS_TOP 0
#define BLOCKS_NONE SIZE_MAX

struct unit {
	size_t statement; /* its line, or the first one of those that it stands for */
	size_t end; /* behind the last one */
	size_t function; /* the body that is called; BLOCKS_NONE: the statement itself */
	uint32_t lines; /* about */
};

struct block_body {
	size_t loop; /* whose it is; BLOCKS_NONE: a function's, or the text's */
	uint32_t depth; /* loops around */
	char *name; /* of a function: that of the procedure */
	struct unit *unit;
	size_t units;
};

struct blocks {
	struct block_body *body;
	size_t bodies, capacity;
	size_t *body_of; /* by line, of a loop or guard that is a unit */
};

/* Appends what tells a statement from others, as seen from a body with so many loops around. */
typedef void block_key(void *context, size_t statement, uint32_t depth, struct text *key);

/* called: the same program, with its procedures. O(text of the calls x depth of calls +
   statements). */
void blocks_of(struct blocks *, const struct overview *, const struct module *called, block_key *, void *context);
void blocks_clear(struct blocks *);

#endif
