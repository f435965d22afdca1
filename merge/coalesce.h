/*
 * coalesce.h -- make the aligned loops of each group one: the third step of a round.
 */
#ifndef TRACENEST_MERGE_COALESCE_H
#define TRACENEST_MERGE_COALESCE_H

#include "merge/align.h"
#include "merge/order.h"

/* An alignment that can be had, in some round. */
struct accepted {
	struct alignment alignment;
	const struct group *group;
	struct joint *joint; /* what the loops become; NULL: they are written out, or the group is a loop alone */
};

/*
 * Apply what was accepted, less what closes cycles: such joints are `bad` then, and their loops are
 * set apart. The system changes only when its order holds, for which syncs may have to be cut.
 */
void coalesce(struct reduction *, struct system *, struct order *, const struct links *, const struct accepted *,
	size_t length);

#endif
