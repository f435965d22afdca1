/*
 * prune.h -- write out some loops of an affine nest. Private to nlr/ and its drivers.
 *
 * Loops are known by their number in the order of the text.
 */
#ifndef TRACENEST_NLR_PRUNE_H
#define TRACENEST_NLR_PRUNE_H

#include "model/affine.h"

/* The nest with the marked loops written out (and those around whose indices their counts need);
   takes the nest. */
struct affine_nest *prune(struct affine_nest *, bool *mark);

#endif
