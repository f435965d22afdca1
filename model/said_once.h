/*
 * said_once.h -- the bodies that a program's text says once, and calls, while it is written.
 *
 *	struct said_once *s = said_once_new();
 *	blocks_of(&s->blocks, program, ...);	-- the writer tells statements apart
 *	... said_call(s, unit, ..., out), said_heading(s, ..., out) ...
 *	said_once_free(s);
 *
 * What the holes of a statement hold is written by the procedure that the statement is written in:
 * a parameter, or nothing, and then what stands there.
 */
#ifndef TRACENEST_MODEL_SAID_ONCE_H
#define TRACENEST_MODEL_SAID_ONCE_H

#include "model/blocks.h"

struct said_once {
	struct blocks blocks;
	bool looking; /* for what repeats: holes are noted, and left out */
	size_t hole; /* the next one of the statement that is written */
	const struct block_body *function; /* that is written; NULL: what is outside */
	struct text parameter[BLOCK_PARAMETERS]; /* of it: their names */
	size_t *called; /* bodies, in the order of their first calls */
	size_t calls, capacity;
	char **name; /* by body; NULL: not called so far */
	struct intern *names;
};

struct said_once *said_once_new(void);
void said_once_free(struct said_once *);

/* What stands in the next hole instead of the word; NULL: the word. name: what it may be called;
   value: what the word says, or NULL (blocks_add_hole). */
const char *said_hole(struct said_once *, const char *name, const char *word, const struct value *value);

/* "call NAME(...)", below loops of which these have no index in the text; "procedure NAME(...)", and
   what is written from here on is its body. */
void said_call(struct said_once *, const struct unit *, uint32_t hidden, struct text *);
void said_heading(struct said_once *, size_t body, struct text *);

#endif
