/*
 * joint.h -- a system: the strands of some processes, the joint loops that they share, and the
 * listing that they become.
 *
 * Below the steps of a merge, which all work on it (system.h has the driver). A system is held as
 * strands, one per process; T is their order. C is never stored: the k-th message on one side of a
 * channel belongs to the k-th on the other, so counting along the strands gives every link as an
 * overlap of intervals.
 */
#ifndef TRACENEST_MERGE_JOINT_H
#define TRACENEST_MERGE_JOINT_H

#include "merge/strand.h"

/* Loops of several processes that became one. */
struct joint {
	uint64_t count;
	struct strand *member; /* the bodies, one per process */
	size_t members;
	struct system *body; /* their merge */
	bool bad; /* it would close a cycle */
	bool settled; /* it is part of the system for good */
};

struct system {
	struct strand *strand; /* while under work */
	size_t strands;
	struct joint **joint;
	size_t joints, joint_capacity;
	struct listed_item *unit; /* the listing, a topological order; once finished */
	size_t units;
	uint32_t *process; /* by strand; once finished */
};

/* One line of the listing, or one loop: what it is, and whose. */
struct listed_item {
	struct item item; /* of a joint loop: any process's part; of a sync: the event of one that meets in it */
	uint32_t strands;
	uint32_t *strand; /* the strands that have it, ascending */
};

#endif
