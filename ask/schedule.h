/*
 * schedule.h -- the events of a run in an order in which they can happen: each process goes on
 * until it must wait for another.
 *
 *	struct text cycle = {0};
 *	if (schedule_find(run, SENDS_BUFFERED, SCHEDULE_BUDGET, &cycle) == SCHEDULE_CYCLE)
 *		... cycle.data: who waits for whom
 *
 * A receive waits for its send; collectives that MPI names wait as they must: all for all
 * (MPI_Barrier, MPI_Allreduce, ...), the others for the root (MPI_Bcast, MPI_Scatter), the root for
 * the others (MPI_Reduce, MPI_Gather); of any other nothing is known, and nobody waits.
 */
#ifndef TRACENEST_ASK_SCHEDULE_H
#define TRACENEST_ASK_SCHEDULE_H

#include "base/text.h"
#include "model/run.h"

enum schedule {
	SCHEDULE_THERE,
	SCHEDULE_CYCLE, /* there is none: these processes wait for each other */
	SCHEDULE_UNKNOWN /* there are more events than the budget; messages are missing; a number does not come out */
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

/* Events that are run at most: some seconds. */
#define SCHEDULE_BUDGET (UINT64_C(1) << 25)
/* Processes of a cycle that are told. */
#define SCHEDULE_TOLD 10

/* cycle: of a cycle, the processes in it, each waiting for the next and the last for the first, a
   line each behind a newline and two blanks. O(events); memory of messages under way, which are
   few: processes take turns. */
enum schedule schedule_find(struct run *, enum sending, uint64_t budget, struct text *cycle);

/* ------------------------------------------------------------------ who wants to see it */

/* A message that a collective is made of. */
struct schedule_part {
	uint32_t peer;
	bool sends;
};

/*
 * Marks are numbers that go with messages, and with members to collectives: their times, for
 * instance. The cursor stands at the event both times; part: NULL, or what is executed of it.
 */
struct schedule_client {
	void *context;
	/* the process comes to its next event: gives the mark of it */
	uint64_t (*comes)(void *context, uint32_t rank, struct cursor *, const struct schedule_part *);
	/* it is done; mark: of the send that a receive is for, the largest of those whom a member
	   of a collective has waited for; 0: nobody. False: nothing more is wanted. */
	bool (*done)(void *context, uint32_t rank, struct cursor *, const struct schedule_part *, uint64_t mark);
	/* NULL; or the next message that the collective it stands at is made of, which is executed, and told,
	   like any other; false: there are no more, and the collective is done. */
	bool (*part)(void *context, uint32_t rank, struct cursor *, struct schedule_part *);
};

/* With sends that wait for nobody. True: all events were executed, or the client wants no more. */
bool schedule_run(struct run *, const struct schedule_client *);

#endif
