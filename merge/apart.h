/*
 * apart.h -- loops that stayed apart from single events they exchange messages with: the last step
 * of a merge, for the report.
 */
#ifndef TRACENEST_MERGE_APART_H
#define TRACENEST_MERGE_APART_H

#include "merge/context.h"
#include "merge/joint.h"

/* Set apart the loops, single or joint, that have partners here besides their own kind, if no
   reason is known yet. O(flows). */
void apart_from_events(struct reduction *, struct system *);

#endif
