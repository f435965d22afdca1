/*
 * causality.h -- can the events of a program happen at all, each message sent before it is
 * received?
 *
 *	struct text cycle = {0};
 *	if (causality_of(program, CAUSALITY_BUDGET, &cycle) == CAUSALITY_CYCLE)
 *		... cycle.data: who waits for whom
 *
 * What processes do in their order, and what they pass on (T and C), must not close a cycle: a
 * receive waits for its send. Collectives that MPI names wait as they must: all for all
 * (MPI_Barrier, MPI_Allreduce, ...), the others for the root (MPI_Bcast, MPI_Scatter), the root for
 * the others (MPI_Reduce, MPI_Gather); of any other nothing is known, and nothing is asked.
 *
 * Mostly the order of the text proves it, whatever the iteration counts; where it does not, the
 * events are run, each process as far as it comes.
 */
#ifndef TRACENEST_ASK_CAUSALITY_H
#define TRACENEST_ASK_CAUSALITY_H

#include <stdbool.h>
#include <stdint.h>

#include "ask/execution.h"
#include "base/text.h"
#include "model/program.h"

enum causality {
	CAUSALITY_HOLDS,
	CAUSALITY_CYCLE, /* proven, too */
	/*
	 * there are more events than the budget, and the text alone does not tell; or messages are
	 * missing
	 */
	CAUSALITY_UNKNOWN,
};

/* What to say of a cycle; the processes in it follow. */
#define CAUSALITY_WRONG "messages are received before they can have been sent:"

/* Events that are run at most: some seconds. */
#define CAUSALITY_BUDGET (UINT64_C(1) << 25)

/*
 * The communication must be complete (merge_complete_but_sends). cycle: of a cycle, the processes
 * in it, each waiting for the next and the last for the first, a line each that begins with a
 * newline and two blanks. O(sum of the sets' sizes x depth); where events are run, O(events), memory of messages
 * under way.
 */
enum causality causality_of(struct program *, uint64_t budget, struct text *cycle);

/*
 * The two ways, each alone: does the order of the text prove it (false: it may hold all the same);
 * do the events run?
 */
bool causality_proven(const struct program *);
enum causality causality_run(struct program *, enum sending, uint64_t budget, struct text *cycle);

/*
 * Loops out of which no message goes, and from no iteration into another, are executed once where
 * nothing in them depends on the index: with messages inside of iterations there is a cycle in one
 * iteration, or none. In place; what it stands for then is only good for causality_run.
 */
void causality_shorten(struct program *);

/*
 * By statement: is nothing under way whenever the text has been executed to behind it, every
 * message sent that far received? What is behind it then waits for nothing that is before it, so
 * that there processes may wait for all that they have sent: this closes no cycle where there was
 * none. False: not so, or not known. The caller's. O(sum of the sets' sizes x depth).
 */
bool *causality_quiet(const struct program *);

#endif
