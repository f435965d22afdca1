/*
 * restate.h -- the text of a run said otherwise, so that it may tell other runs, too.
 *
 *	struct draft *split = restate_split(text);
 *	struct draft *wider = restate_on_wider_grid(text);
 *
 * What is shortest for one run can be an accident of its number of processes. These are the same
 * events of the same run in a text that says less of it by accident. They are of the same store.
 */
#ifndef TRACENEST_SIZES_RESTATE_H
#define TRACENEST_SIZES_RESTATE_H

#include "model/draft.h"

/* A statement whose peer or tag is looked up by process as one for each of the numbers that are
   found there. NULL: there is none. */
struct draft *restate_split(const struct draft *);

/* With one more axis, the first one, of extent 1. NULL: there is no grid, or no room. */
struct draft *restate_on_wider_grid(const struct draft *);

#endif
