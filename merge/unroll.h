/*
 * unroll.h -- short loops that meet single events are written out: before the rounds and behind
 * them.
 */
#ifndef TRACENEST_MERGE_UNROLL_H
#define TRACENEST_MERGE_UNROLL_H

#include "merge/context.h"
#include "merge/joint.h"

/* Write out the loops of a system that meet single events, where that does not take more
   constructs. */
void unroll_short(struct reduction *, struct system *);

#endif
