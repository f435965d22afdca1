/*
 * execution.h -- the events of a program, executed: each process goes on until it must wait for
 * another.
 *
 *	struct execution *x = execution_new(program, SENDS_BUFFERED, NULL);
 *	if (!execution_run(x))
 *		... execution_waits_for(x, rank)
 *	execution_free(x);
 *
 * A receive waits for its send; collectives that MPI names wait as they must: all for all
 * (MPI_Barrier, MPI_Allreduce, ...), the others for the root (MPI_Bcast, MPI_Scatter), the root for
 * the others (MPI_Reduce, MPI_Gather); of any other nothing is known, and nobody waits.
 */
#ifndef TRACENEST_ASK_EXECUTION_H
#define TRACENEST_ASK_EXECUTION_H

#include <stdbool.h>
#include <stdint.h>

#include "ask/projection.h"

/*
 * Who wants to see it. Marks are numbers that go with messages, and with members to collectives:
 * their times, for instance. The walk stands at the event both times.
 */
struct execution_client {
	void *context;
	/* the process comes to its next event: gives the mark of it */
	uint64_t (*comes)(void *context, uint32_t rank, const struct walk *, const struct plain_event *);
	/* it is done; mark: of the send that a receive is for, the largest of those whom a member
	   of a collective has waited for; 0: nobody. False: nothing more is wanted. */
	bool (*done)(void *context, uint32_t rank, const struct walk *, const struct plain_event *, uint64_t mark);
	/* NULL; or the next send or receive that the collective it stands at is made of, which is executed, and
	   told, like any other; false: there are no more, and the collective is done. */
	bool (*part)(void *context, uint32_t rank, const struct walk *, struct plain_event *);
};

/* How long a send waits. Where sends wait, members of every collective wait for all others, as MPI
   allows. */
enum sending {
	SENDS_BUFFERED, /* for nobody */
	/* until its receive is done, before the process sends behind a receive or comes to a
	   collective: neighbours who exchange, by requests or MPI_Sendrecv */
	SENDS_EXCHANGED,
	SENDS_SYNCHRONOUS, /* until its receive is done: MPI_Ssend */
	SENDS_BUFFERED_MEETING, /* for nobody, but collectives wait as above, those that are posted, too */
};

struct execution;

/* client: borrowed; or NULL. */
struct execution *execution_new(struct program *, enum sending, const struct execution_client *);
void execution_free(struct execution *);

/* True: all events were executed, or the client wants no more. O(events), memory of messages under
   way, which are few: processes take turns. */
bool execution_run(struct execution *);

/* After it came to nothing: has the process ended; the one that it waits for, which waits itself
   (EXECUTION_NOBODY: it has ended, or does not wait); the event that it waits in, and how many it
   has executed before. */
#define EXECUTION_NOBODY UINT32_MAX
bool execution_ended(const struct execution *, uint32_t rank);
uint32_t execution_waits_for(struct execution *, uint32_t rank);
const struct plain_event *execution_waits_in(const struct execution *, uint32_t rank, uint64_t *position);
/* Does it wait for its sends? Then before that event, or in it if it is one of them. */
bool execution_settles(const struct execution *, uint32_t rank);

#endif
