/*
 * fission.h -- loops that processes only seem to share are taken apart, one for each of them (loop
 * fission): a message that is sent in one iteration and received in another is no regular link
 * (the paper, III-B).
 */
#ifndef TRACENEST_MERGE_FISSION_H
#define TRACENEST_MERGE_FISSION_H

#include "merge/tree.h"

/*
 * Loops of several lanes in which the k-th send of a channel and its k-th receive, or the k-th
 * calls of a collective, stand in different iterations become loops of those lanes that agree.
 * False: there are none. Of a whole program, without calls, of at most FISSION_EVENTS events.
 * O(events x depth), FISSION_ROUNDS times at most.
 */
bool fission(struct tree_builder *, const struct grid *, struct tree_list *);

#endif
