/*
 * temporaries.h -- the communicators of a program that are made where it first needs them, and
 * freed where it needs them no more.
 *
 * No MPI has room for any number of communicators at a time (MPICH: 2,048 of a process, some of
 * which are its own). Programs of more than TEMPORARIES_FROM therefore make, in C, each one whose
 * first use is a collective right before it: all its processes come by, and MPI allows each
 * collective to wait for all. Others are made at the start. One is freed behind the last statement
 * that uses it, or behind the loop that uses it in all iterations, where this is so for each of its
 * processes, and what they do last in it is a collective.
 */
#ifndef TRACENEST_REPLAY_TEMPORARIES_H
#define TRACENEST_REPLAY_TEMPORARIES_H

#include "replay/communicators.h"

#define TEMPORARIES_FROM 1000

struct temporaries {
	bool *is; /* by number; NULL: there are none, and nothing else is there */
	bool *opens; /* by statement: a collective that is the first use of some */
	bool *closes; /* by statement: the last use of its communicator, */
	size_t *unit; /* ... which is freed behind this statement: itself, or a loop around */
};

/* requests: by statement, messages that are not passed on where they stand; conditional: statements
   that not all execute who are there. O(events). */
void temporaries_of(struct temporaries *, const struct communicators *, const bool *requests, const bool *conditional);
void temporaries_clear(struct temporaries *);

/* The functions that make one, and free one. */
void temporaries_print(const struct temporaries *, const struct communicators *, struct text *);

#endif
