/*
 * statistics.h -- a program measured without running it.
 *
 *	struct statistics *s = statistics_new(program);
 *	printf("%" PRIu64 " of %" PRIu64 " events in loops\n", s->in_loops, s->events);
 *	statistics_free(s);
 *
 * O(statements + runs of their sets + processes), and the cost of groups_of_loop for each loop over
 * a set, whatever the iteration counts.
 */
#ifndef TRACENEST_ASK_STATISTICS_H
#define TRACENEST_ASK_STATISTICS_H

#include <stdint.h>

#include "model/program.h"

struct statistics {
	uint32_t processes;
	uint64_t events; /* of all processes; a sync of 16 processes is 16 events */
	uint64_t fewest, most; /* of one process */
	uint64_t statements, loops; /* of the text */
	uint32_t depth; /* loops inside each other */
	uint64_t *loops_at; /* [0]: loops of the text at its outermost level; [depth - 1]: innermost */
	/*
	 * Events and loops of the plain listing, which has a line for each event and process, a
	 * loop for each group of processes that communicate in it, and constant numbers: its lines
	 * but for "done". UINT64_MAX: that many or more.
	 */
	uint64_t constructs;
	/*
	 * Events inside loops: of any kind, in which several processes communicate, in which all do
	 * that have events.
	 */
	uint64_t in_loops, in_several, in_all;
};

struct statistics *statistics_new(const struct program *);
uint64_t statistics_joint_events(const struct program *);
void statistics_free(struct statistics *);

#endif
