/*
 * blocks.h -- what stands several times in a program's text, found, so that it can be said once: as
 * a function that is called.
 *
 *	struct blocks b;
 *	blocks_of(&b, program, key, context);
 *	... b.body[BLOCKS_TOP].unit[i] ...
 *	blocks_clear(&b);
 *
 * The bodies of a program, that of its text and those of its loops, are sequences of units:
 * statements, or calls of a function, which is a body that stood in several places. What is equal
 * is told by a key that the caller gives each statement (of a loop: what stands in its head).
 */
#ifndef TRACENEST_REPLAY_BLOCKS_H
#define TRACENEST_REPLAY_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "model/program.h"

#define BLOCKS_TOP 0
#define BLOCKS_NONE SIZE_MAX

struct unit {
	size_t statement; /* or the first one of those that it stands for */
	size_t function; /* the body that is called; BLOCKS_NONE: the statement itself */
	uint32_t key;
	uint32_t lines; /* of C, about */
};

struct block_body {
	size_t loop; /* whose it is; BLOCKS_NONE: a function's, or the text's */
	uint32_t depth; /* loops around */
	struct unit *unit;
	size_t units;
	bool gone; /* it stood in what is said elsewhere */
};

struct blocks {
	const struct program *program;
	struct block_body *body;
	size_t bodies, capacity;
	size_t *body_of; /* by loop */
};

/* key: appends what tells a statement from others, below so many loops. O(statements^2 x longest
   block) at worst; long texts are left as they are. */
void blocks_of(struct blocks *, const struct program *,
	void (*key)(void *context, size_t statement, uint32_t depth, struct text *), void *context);
void blocks_clear(struct blocks *);

#endif
