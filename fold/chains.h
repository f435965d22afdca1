/*
 * chains.h -- loops in which one process sends to the next, along a line.
 *
 *	process p:  for 12 { send to p+1 }  for 12 { receive from p-1 }
 *
 * Merging makes a loop of each pair, {0 send 1, 0 recv 1}, {1 send 2, 1 recv 2}, ..., and each
 * process stands in two of them, in the wrong order: the pairs come one after the other, and are as
 * many statements as there are processes. Taken apart again they are two, as on a ring, where they
 * are not merged.
 */
#ifndef TRACENEST_FOLD_CHAINS_H
#define TRACENEST_FOLD_CHAINS_H

#include "model/model.h"

/*
 * The same model with loops of such pairs taken apart into those of the sender and those of the
 * receiver, if it folds into fewer statements then; else NULL. Deterministic. O(model), and
 * folding, where there are any.
 */
struct model *chains_apart(const struct model *);

#endif
