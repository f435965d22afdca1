/*
 * system.h -- the driver of a merge, on top of its steps, which know nothing of it.
 */
#ifndef TRACENEST_MERGE_SYSTEM_H
#define TRACENEST_MERGE_SYSTEM_H

#include "merge/context.h"
#include "merge/joint.h"

/* Merge strands (taken) into a system; everything lives in the pool of the reduction. jobs:
   threads. */
struct system *system_merge(struct reduction *, const struct strand *, size_t strands, unsigned jobs);

#endif
