/*
 * soundness.h -- can a program be what a run did?
 *
 *	struct soundness s;
 *	if (soundness_of(program, &s, &error) && soundness_holds(&s, &error))
 *		... it is
 *	soundness_clear(&s);
 *
 * Each question is answered, whatever the answer to the one before, but for those that have no
 * meaning then.
 */
#ifndef TRACENEST_LIB_SOUNDNESS_H
#define TRACENEST_LIB_SOUNDNESS_H

#include "ask/causality.h"
#include "base/error.h"
#include "base/text.h"
#include "merge/merge.h"
#include "model/program.h"

#define SOUNDNESS_CONSTRUCTS (UINT64_C(1) << 22)

/* Programs of no more constructs are always written out, so that each is looked at. */
#define SOUNDNESS_LISTED (UINT64_C(1) << 14)

/* Of kind ERROR_NONE: it holds. */
struct soundness {
	/* a program of more than SOUNDNESS_CONSTRUCTS constructs is not, unless its statements say
	   all (ask/exchanges.h): only what its text proves is known then */
	bool written_out;
	bool messages_known; /* ... that all messages are received, for instance */
	struct error messages; /* is every message received, every collective complete? */
	enum causality causality; /* if so: can every message have been sent before it is received? CAUSALITY_CYCLE: */
	struct text cycle; /* who waits for whom, a line each that begins with a newline and two blanks */
	/* does no message cross the iterations of a loop that spans several processes
	   (merge_verify)? */
	struct error loops;
	struct merge_links links; /* if so: what was counted */
	/* if so: do the events of loops without sets stand in an order in which they can happen? */
	struct error listing;
};

/* O(the constructs that it is written out, or the sum of its sets' sizes; statements and runs of
   sets where these say all). False with *error set
   where it cannot be written out. */
bool soundness_of(struct program *, struct soundness *, struct error *);

/* Does all of it hold? What is not known is no fault. *error: the first that does not. */
bool soundness_holds(const struct soundness *, struct error *);
void soundness_clear(struct soundness *);

#endif
