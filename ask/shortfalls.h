/*
 * shortfalls.h -- what the run did and its program does not stand for, counted, by name: a user of
 * a proxy app, of an export or of a matrix must not be misled by what is not there.
 *
 *	shortfalls_tell_of(run, &line);	-- "not in this model: 40 MPI_Put; sizes by peer of 12 MPI_Alltoallv"
 */
#ifndef TRACENEST_ASK_SHORTFALLS_H
#define TRACENEST_ASK_SHORTFALLS_H

#include "model/run.h"

enum shortfall {
	SHORTFALL_CALLS, /* they moved data and are no event (model/notes.h) */
	SHORTFALL_SIZES, /* collectives whose sizes differ by peer: the model has their sums */
	SHORTFALL_NEIGHBOURS, /* neighbourhood collectives: the model does not say who is whose neighbour */
	SHORTFALL_SIDES, /* collectives of intercommunicators: the model has both groups as one */
	SHORTFALLS
};

struct shortfalls {
	struct notes of[SHORTFALLS]; /* their lists of calls */
};

/* The run's module has no calls (module_inline). O(text); where there are any, O(what differs). */
void shortfalls_of(struct run *, struct shortfalls *);
void shortfalls_clear(struct shortfalls *);

bool shortfalls_none(const struct shortfalls *);
const char *shortfall_name(enum shortfall); /* "sizes by peer"; "" of calls */

/* May a collective be one between the two groups of an intercommunicator? Recordings count these,
   and do not say which they are: one of a name that was counted, on a communicator that is not the
   world, which has no number. */
bool shortfalls_may_be_between(const struct notes *, const char *collective, bool numbered);

/* Of what a recording counted, there is no program of it yet. */
void shortfalls_tell_notes(const struct notes *, struct text *);

/* In one line, without its end; nothing where there are none. */
void shortfalls_tell_of(struct run *, struct text *);

/* What is one-sided, by verb, for whoever has messages alone: "not in this export: 40 put, 5
   get". */
void shortfalls_tell_one_sided(struct run *, const char *what, struct text *);

#endif
