/*
 * iterations.h -- which iterations of a loop are the same one on several lanes.
 *
 *	lane 0		a b   a b   b			iterations 0, 1, 2
 *	lane 1		      A b   A b		->	iterations 1, 2 for 0, 1: a meets A
 *
 * Who does nothing in an iteration of the source has an iteration less in his stream (blocks of a
 * matrix of which a process has none). Events that meet are in one iteration, and those of a lane
 * stay in their order: an iteration is the longest path to it (L. Lamport, CACM 21(7), 1978). So
 * all have the same iterations, and lanes that had fewer do nothing in some.
 */
#ifndef TRACENEST_MERGE_ITERATIONS_H
#define TRACENEST_MERGE_ITERATIONS_H

#include "merge/meetings.h"

/* An event in loops, the outermost first; loops are numbers of the caller's, below `loops`. */
struct iterated {
	const uint32_t *loop;
	uint32_t *iteration;
	uint32_t depth, lane;
};

/*
 * Changes iterations of loops of which events that meet stand in several; but none of loops that
 * would have more iterations than any lane has (what is passed on to a later one: pipelines), or no
 * order.
 * event: lane after lane, in order; owners of the meetings are their numbers. O(events x depth).
 */
void iterations_align(struct iterated *event, size_t events, uint32_t loops, const struct meetings *);

#endif
