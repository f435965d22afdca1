/*
 * reroll.h -- copies of a body that differ in numbers alone become loops over these numbers, where
 * that is cheaper (loop rerolling).
 *
 * (Design 17, step 6.)
 */
#ifndef TRACENEST_MERGE_REROLL_H
#define TRACENEST_MERGE_REROLL_H

#include "merge/price.h"
#include "merge/tree.h"

/* Of a list below these loops, the bodies inside first, and of all procedures' bodies
   (reroll_procedures). The best set of loops beside each other is taken (weighted interval
   scheduling), again until nothing changes. */
struct tree_list reroll(struct tree_builder *, struct pricing *, struct tree_list, const struct tree_context *);
void reroll_procedures(struct tree_builder *, struct pricing *);

#endif
