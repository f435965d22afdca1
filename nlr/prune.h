/*
 * prune.h -- write out some loops of an affine nest. Private to nlr/ and its drivers.
 *
 * Loops are known by their number in the order of the text.
 */
#ifndef TRACENEST_FOLD_PRUNE_H
#define TRACENEST_FOLD_PRUNE_H

#include "model/affine.h"

size_t prune_loops(const struct affine_nest *);

/* Mark loops that are no gain: whose index nothing depends on, or that are no shorter than what
   they stand for. lines: by shape. */
void prune_mark_pointless(const struct affine_nest *, const size_t *lines, bool *mark);

/* The nest with the marked loops written out (and those around whose indices their counts need);
   takes the nest. */
struct affine_nest *prune(struct affine_nest *, bool *mark);

#endif
