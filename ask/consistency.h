/*
 * consistency.h -- can a program be what a run did: do all messages and collectives meet, and is
 * there an order in which that can happen?
 *
 *	struct consistency c;
 *	consistency_of(run, &c);
 *	if (!consistency_holds(&c, &error))
 *		... error says what does not
 *	consistency_clear(&c);
 *
 * What the text proves by counting is not run (ask/meeting.h); what it does not is run, if it is
 * not too much (ask/schedule.h).
 */
#ifndef TRACENEST_ASK_CONSISTENCY_H
#define TRACENEST_ASK_CONSISTENCY_H

#include "ask/meeting.h"
#include "ask/schedule.h"
#include "base/error.h"
#include "model/run.h"

struct consistency {
	struct meeting *meeting; /* owned */
	const struct meeting_facts *facts; /* of it */
	/* Of kind ERROR_NONE: it holds, as far as it is known. Does everything meet; does no
	   message cross the iterations of a loop; if so, is there a receive before its send in a
	   text of processes one by one? */
	struct error messages, loops, listing;
	bool excused; /* messages are not received, and the program has a note that it was so in the run */
	enum schedule schedule; /* if everything meets */
	bool run; /* the events were run, as the text did not tell */
	struct text cycle;
};

/* The run's module has no calls (module_inline). */
void consistency_of(struct run *, struct consistency *);
void consistency_clear(struct consistency *);

/* What to say of a cycle; the processes in it follow. */
#define CONSISTENCY_CYCLE "messages are received before they can have been sent:"

/* False: *error is the first that does not hold. */
bool consistency_holds(const struct consistency *, struct error *);

/* Does it come to its end, as far as that is known: everything meets, and nobody waits for ever? */
bool consistency_ends(const struct consistency *);

#endif
