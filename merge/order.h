/*
 * order.h -- the partial order of a system: does it hold, and what listing is it?
 */
#ifndef TRACENEST_MERGE_ORDER_H
#define TRACENEST_MERGE_ORDER_H

#include "merge/context.h"
#include "merge/joint.h"

/* Syncs of one channel, by number: which must not become one line, because that would close a
   cycle. */
struct sync_cut {
	uint32_t channel;
	uint64_t number;
};

struct order {
	struct sync_cut *cut; /* sorted */
	size_t cuts, cut_capacity;
};

/*
 * The strongly connected components of T, with joints and syncs as single nodes. Sets `bad` for the
 * joints not yet settled in each that is not trivial, and adds the syncs of those that hold none of
 * these to the cuts. True if all are trivial.
 */
bool order_check(struct reduction *, const struct system *, struct order *);

/* Fill system->unit: a topological order in which a send and its receive stand together where the
   order allows it. */
void order_list(struct reduction *, struct system *, const struct order *);

#endif
