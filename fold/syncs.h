/*
 * syncs.h -- collectives as functions of the processes that execute them: groups that are lines of
 * the grid, roots on them.
 */
#ifndef TRACENEST_FOLD_SYNCS_H
#define TRACENEST_FOLD_SYNCS_H

#include "fold/chooser.h"

/* Different groups of names that have several: an array for the caller, of sets that are
   borrowed. */
struct ranks *syncs_groups(const struct chooser *, size_t *count);

/* Choose the forms of all syncs, on the topology that is known by now. */
void syncs_explain(struct chooser *);

#endif
