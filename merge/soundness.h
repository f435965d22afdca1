/*
 * soundness.h -- can a program be what a run did?
 *
 *	struct soundness s;
 *	soundness_of(program, &s);
 *	if (soundness_holds(&s, &error))
 *		... it is
 *	soundness_clear(&s);
 *
 * Each question is answered, whatever the answer to the one before, but for those that have no
 * meaning then. What the text proves by counting is not run; what it does not is run, if it is not
 * too much.
 */
#ifndef TRACENEST_MERGE_SOUNDNESS_H
#define TRACENEST_MERGE_SOUNDNESS_H

#include "ask/causality.h"
#include "base/error.h"
#include "base/text.h"
#include "merge/merge.h"
#include "model/program.h"

#define SOUNDNESS_CONSTRUCTS (UINT64_C(1) << 22)

/* From so many processes of statements on (16,384 processes in 27-point stencils: 884,736), forms
   are asked before values. */
#define SOUNDNESS_ENDS (UINT64_C(1) << 14)

/* How it was found out. */
enum examined {
	EXAMINED_NOT,
	EXAMINED_COUNTED, /* by formulas over the text: however many iterations */
	EXAMINED_GRAPH, /* bodies whose receives stand before their sends, in one iteration */
	EXAMINED_RUN, /* event by event */
};

/* Of kind ERROR_NONE: it holds, as far as it was examined. */
struct soundness {
	enum examined messages_by;
	struct error messages; /* is every message received, every collective complete? */
	uint64_t never_received; /* if sends alone are not, so many; */
	bool excused; /* ... and the program has a note that it was so in the run */
	enum examined causality_by;
	enum causality causality; /* if so: can every message have been sent before it is received? CAUSALITY_CYCLE: */
	struct text cycle; /* who waits for whom, a line each that begins with a newline and two blanks */
	/* does no message cross the iterations of a loop that spans several processes? The loop's
	   address is one of the program that was given */
	struct error loops;
	enum examined loops_by;
	uint64_t loops_joint; /* such loops of the text, as far as they were counted */
	uint64_t loops_apart; /* besides: loops whose processes are apart (ask/families.h) */
	uint64_t graphs; /* bodies that causality was examined on as graphs */
	uint64_t irregular; /* links that are (ask/families.h) */
	enum examined listing_by;
	/* if no message crosses: do the events of loops without sets stand in an order in which
	   they can happen? */
	struct error listing;
};

/* As families_of; statements and runs of sets where forms say all; O(events) where events are run. */
void soundness_of(struct program *, struct soundness *);

/* Does all of it hold? What is not known is no fault. *error: the first that does not. */
bool soundness_holds(const struct soundness *, struct error *);
/* Is it complete, and can it happen, as far as that was examined? */
bool soundness_ends(const struct soundness *);
void soundness_clear(struct soundness *);

#endif
