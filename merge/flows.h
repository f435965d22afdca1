/*
 * flows.h -- would messages cross the iterations of a loop? Copies of a body are a loop only where
 * each iteration receives what it sends (regular links; the paper, III-B).
 */
#ifndef TRACENEST_MERGE_FLOWS_H
#define TRACENEST_MERGE_FLOWS_H

#include "merge/tree.h"

/*
 * Of nodes that stand one after the other below `depth` loops, in blocks of a period: each lane's
 * blocks are its iterations. A channel that is sent to in one block and received from in another is
 * crossed, and so is one from which the first iteration receives before anything can have been
 * sent; one that is only sent to, or only received from, is not. Looked at is the first iteration
 * of the loops around, and FLOWS_MOST events: beyond, nothing is known, and nothing is said against
 * the loop.
 */
bool flows_cross(
	const struct tree_builder *, struct tree_node *const *node, size_t period, size_t copies, uint32_t depth);

#endif
