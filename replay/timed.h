/*
 * timed.h -- computing between the calls of a mini-app: durations as tables of C, and the function
 * that takes as long.
 *
 *	struct timed t;
 *	timed_of(&t, &overview, pace, NULL);
 *	... compute(t.number[at]); before each event, iteration(loops around, i); in each loop
 *	timed_print(&t, &text);
 *	timed_clear(&t);
 */
#ifndef TRACENEST_REPLAY_TIMED_H
#define TRACENEST_REPLAY_TIMED_H

#include "base/text.h"
#include "profile/pace.h"
#include "ask/overview.h"

/* Seconds before each event, by process, then statement, then execution. */
struct exact {
	double *seconds;
	size_t length;
	size_t *first; /* of a process and the number of a statement's event: process * (events + 1) + number */
};
void exact_clear(struct exact *);

struct timed {
	const struct overview *overview;
	const struct pace *pace;
	const struct exact *exact; /* NULL: they are not known one by one */
	uint32_t *number; /* by line: events before it, local ones aside */
};

/* Events of the program's text, local ones aside; those before each line (the caller's). */
uint32_t *timed_numbers(const struct overview *);

/* Borrows all of them. */
void timed_of(struct timed *, const struct overview *, const struct pace *, const struct exact *);
void timed_clear(struct timed *);

/* Does the program have to say where control is? */
bool timed_tracks(const struct timed *);

/* Behind find_place(): p is our rank. */
void timed_print(const struct timed *, struct text *);

#endif
