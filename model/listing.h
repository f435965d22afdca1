/*
 * listing.h -- the listing in which a system of several processes reads best.
 *
 * A system here is strands, one per process, each a sequence of units; a unit that several strands
 * have (a sync, a loop of several processes) stands once in each. Any topological order is a
 * listing; this one is canonical: it depends on the strands alone.
 */
#ifndef TRACENEST_MODEL_LISTING_H
#define TRACENEST_MODEL_LISTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UNIT_NONE UINT32_MAX

struct listing {
	uint32_t strands, units;
	const size_t *first; /* by strand, and one more: its first place */
	const uint32_t *unit; /* by place */
	/* by unit: the other end of a message, if it is a unit of this system; else UNIT_NONE */
	const uint32_t *partner;
	const bool *receives; /* by unit: does it receive? */
};

/*
 * Fill order with all units that are in a strand: the earliest by a Lamport clock first, then the
 * one of the lowest strand; a receive waits for its send and follows it directly where its process
 * is ready for it. Returns their number. If the strands contradict each other, so that there is no
 * order, returns 0 and marks the units that are in cycles. O(places log strands).
 */
uint32_t listing_order(const struct listing *, uint32_t *order, bool *in_cycle);

/*
 * Fill component by unit: the same number for units that each come before the other. Returns how
 * many units each component has, the caller's. O(places + units).
 */
uint32_t *listing_components(const struct listing *, uint32_t *component);

#endif
