/*
 * affine_unroll.h -- unroll some loops of an affine nest completely. Private to nlr/.
 *
 * Loops are known by their number in the order of the text.
 */
#ifndef TRACENEST_NLR_AFFINE_UNROLL_H
#define TRACENEST_NLR_AFFINE_UNROLL_H

#include "model/affine.h"

/* The nest with the marked loops unrolled (and those around whose indices their counts need);
   takes the nest. */
struct affine_nest *affine_unroll(struct affine_nest *, bool *mark);

#endif
