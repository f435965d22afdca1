/*
 * executions.h -- how often each statement of a program is executed by a process that executes it.
 *
 *	struct executions e;
 *	if (run_executions(run, &e))
 *		... e.times[line] ...
 *	executions_clear(&e);
 *
 * Constant counts multiply; where the count of a loop inside depends on an index, that loop's
 * iterations are gone through. O(statements x such iterations). Saturates at UINT64_MAX.
 */
#ifndef TRACENEST_ASK_EXECUTIONS_H
#define TRACENEST_ASK_EXECUTIONS_H

#include <stdint.h>

#include "model/run.h"

struct executions {
	uint64_t *times; /* by statement: how often control comes to it */
	uint64_t *iterations; /* by loop: in all its executions */
	uint64_t *events; /* by event: of all processes together. Of a run alone */
};

/* By line of a module without calls, the most of any process. O(statements of all classes + what
   differs). False where a number does not come out: less was counted. */
bool run_executions(struct run *, struct executions *);

/* The same of one process. */
bool run_executions_of(struct run *, uint32_t rank, struct executions *);

void executions_clear(struct executions *);

#endif
