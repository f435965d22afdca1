/*
 * timed.h -- computing between the calls of a mini-app: durations as tables of C, and the function
 * that takes as long.
 *
 *	struct timed t;
 *	timed_of(&t, program, pace);
 *	... compute(timed_number(&t, statement)); before each event, iteration(timed_depth(&t, loop), i); in each loop
 *	timed_print(&t, &text);
 *	timed_clear(&t);
 */
#ifndef TRACENEST_REPLAY_TIMED_H
#define TRACENEST_REPLAY_TIMED_H

#include "base/text.h"
#include "model/program.h"
#include "replay/pace.h"

struct timed {
	const struct program *program;
	const struct pace *pace;
	uint32_t *number; /* by statement: events before it, local ones aside */
	uint32_t *depth; /* by statement: loops around, guards aside */
};

/* Borrows both. */
void timed_of(struct timed *, const struct program *, const struct pace *);
void timed_clear(struct timed *);

/* Behind find_place(): p is our rank. */
void timed_print(const struct timed *, struct text *);

#endif
