/*
 * absorb.h -- let loops of an affine nest take in the iterations before and behind them that were
 * not written as loops. Private to fold/.
 *
 *	a  b a  b b a  for 3: b; a  for 4: b; a ...
 *
 * Bodies whose inner loop runs fewer than three times stand there without it; seen with the loop
 * behind them, they are its first iterations.
 */
#ifndef TRACENEST_FOLD_ABSORB_H
#define TRACENEST_FOLD_ABSORB_H

#include "model/affine.h"

/* Records one after the other. */
struct absorb_list {
	struct affine_node *node; /* in depth 0 */
	size_t length, capacity;
	struct arena *arena;
};

void absorb_add(struct absorb_list *, uint32_t shape, uint32_t width, const int64_t *number);

struct absorb_rules {
	void *context;
	/* Append what a record is written as, which is the record itself but for short loops.
	   False: there is no such record. */
	bool (*write)(void *context, uint32_t shape, uint32_t width, const int64_t *number, struct absorb_list *);
};

/* For the loops that stand in no other: was there anything? O(nest) for each iteration taken in. */
bool absorb(struct affine_nest *, const struct absorb_rules *);

#endif
