/*
 * schedule.h -- the events of a run in an order in which they can happen: each process goes on
 * until it must wait for another.
 *
 *	struct text cycle = {0};
 *	if (schedule_find(run, SCHEDULE_BUDGET, &cycle) == SCHEDULE_CYCLE)
 *		... cycle.data: who waits for whom
 *
 * A receive waits for its send, which waits for nobody; collectives that MPI names wait as they
 * must: all for all (MPI_Barrier, MPI_Allreduce, ...), the others for the root (MPI_Bcast,
 * MPI_Scatter), the root for the others (MPI_Reduce, MPI_Gather); of any other nothing is known,
 * and nobody waits.
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

/* Events that are run at most: some seconds. */
#define SCHEDULE_BUDGET (UINT64_C(1) << 25)
/* Processes of a cycle that are told. */
#define SCHEDULE_TOLD 10

/* cycle: of a cycle, the processes in it, each waiting for the next and the last for the first, a
   line each behind a newline and two blanks. O(events); memory of messages under way, which are
   few: processes take turns. */
enum schedule schedule_find(struct run *, uint64_t budget, struct text *cycle);

#endif
