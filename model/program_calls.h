/*
 * program_calls.h -- which statements of a program its text says as calls.
 *
 *	size_t call = program_calls_begin(&program->calls, procedure, program->length);
 *	... the statements of the body are added ...
 *	program_calls_end(&program->calls, call, program->length);
 *
 * A program is its statements, with those of each call in their places. Calls say where its text
 * may be shorter, and what they say holds as far as the statements do: where these are no instances
 * of one body (any more), they are written where they stand (generalize.h). Who makes other
 * statements of a program empties its calls.
 */
#ifndef TRACENEST_MODEL_PROGRAM_CALLS_H
#define TRACENEST_MODEL_PROGRAM_CALLS_H

#include <stddef.h>
#include <stdint.h>

struct program_call {
	size_t start, end; /* its statements, those inside of loops too: [start, end) */
	uint32_t procedure; /* the same number for calls of one procedure */
};

struct program_calls {
	struct program_call *call; /* in the order of the text, a call before those inside of it */
	size_t length, capacity;
	char **name; /* by procedure, of a text that was read; NULL: it has none so far */
	size_t names, name_capacity;
};

/* A call of this procedure begins with the next statement, `at`; it ends before that. A call of
   nothing is none. Calls that are begun inside are ended before. */
size_t program_calls_begin(struct program_calls *, uint32_t procedure, size_t at);
void program_calls_end(struct program_calls *, size_t call, size_t at);

/* The number of the procedure of this name. */
uint32_t program_calls_name(struct program_calls *, const char *name);

void program_calls_copy(struct program_calls *, const struct program_calls *from); /* to: empty */
void program_calls_clear(struct program_calls *); /* then it is empty */

#endif
