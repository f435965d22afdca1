/*
 * flat.h -- what all lanes do, event by event, as one list: without loops, which are found in
 * it.
 *
 *	struct tree_list list;
 *	if (flat_list(builder, processes, &grid, records, FLAT_EVENTS, &list))
 *		... emit, rewrite.h ...
 */
#ifndef TRACENEST_MERGE_FLAT_H
#define TRACENEST_MERGE_FLAT_H

#include "merge/recognize.h"

/*
 * Two events of two lanes may be one if they have one shape, and the same peer and tag as most
 * others have them: as they are, or relative to the process (a peer on the grid, a tag also to
 * the peer). The k-th of a kind that two lanes do equally often is the k-th; between these the
 * longest common order is kept. False: a lane has more than so many events, or copies of its
 * records were left out, or lanes that differ have too many events together. O(events log events
 * x classes of lanes).
 */
bool flat_list(struct tree_builder *, uint32_t processes, const struct grid *, const struct records *, size_t most,
	struct tree_list *);

#endif
