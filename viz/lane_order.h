/*
 * lane_order.h -- the vertical order of the lanes of one system, and when it changes.
 */
#ifndef TRACENEST_VIZ_LANE_ORDER_H
#define TRACENEST_VIZ_LANE_ORDER_H

#include "viz/scene.h"

/* Items drawn while the lanes keep one order. */
struct stretch {
	uint32_t *slot; /* per lane of the system (by its index there): its place from 0 */
	uint32_t first, items; /* in the placement order */
	bool moved; /* the order is not that of the stretch before (of the first: of the entry) */
};

struct ordering {
	/* all items of the system, in an order in which they can be placed: respects T, and C where
	   it can */
	uint32_t *item;
	struct stretch *stretch;
	uint32_t stretches;
	uint64_t crossings; /* of lanes, from one stretch to the next */
	uint64_t crossings_plain; /* ... had only the barycenters been used */
};

/*
 * entry: per lane of the system its place when the system starts; comes_back: it shall be the same
 * at the end (a loop's body).
 */
struct ordering *ordering_new(const struct scene *, uint32_t system, const uint32_t *entry, bool comes_back);
void ordering_free(struct ordering *);

#endif
