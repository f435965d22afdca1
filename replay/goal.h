/*
 * goal.h -- a run as a schedule in GOAL, the group operation assembly language that LogGOPSim
 * reads (T. Hoefler, T. Schneider, A. Lumsdaine: LogGOPSim, HPDC 2010).
 *
 *	rank 0 {
 *	l1: calc 1200
 *	l2: send 64b to 1 tag 3
 *	l2 requires l1
 *	l3: recv 64b from 1 tag 3
 *	l3 irequires l2
 *	}
 *
 * What a process does next requires what it did before; but where that is a send, only its begin
 * (irequires): sends do not wait for their receivers, whatever their size. calc is in ns.
 */
#ifndef TRACENEST_REPLAY_GOAL_H
#define TRACENEST_REPLAY_GOAL_H

#include "base/output.h"
#include "replay/actions.h"

/* LogGOPSim numbers the operations of a process in 32 bits. */
#define GOAL_OPERATIONS UINT32_MAX

/* All processes. The actions must have no native collectives. False: a process has more operations
   than GOAL_OPERATIONS. */
bool goal_write(struct actions *, uint32_t processes, struct output *);

#endif
