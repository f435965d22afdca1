/*
 * at_extents.h -- a parametric text at one number of processes, as a program of its own.
 *
 *	struct draft *made = draft_at(text, &extents, &origin, &error);		-- [x<X-1] p send @(x+1,y)
 *	... draft_free(made);							-- [x<3] p send @(x+1,y)
 */
#ifndef TRACENEST_SIZES_AT_EXTENTS_H
#define TRACENEST_SIZES_AT_EXTENTS_H

#include "model/draft.h"
#include "model/extents.h"

/* In a store of its own. What nobody executes is not in it, nor what is not known (bytes=?).
   origin (may be NULL): by line the text's, the caller's. NULL with *error set where a number does
   not come out. O(text + entries of its tables) */
struct draft *draft_at(const struct draft *text, const struct extents *, size_t **origin, struct error *);

#endif
