/*
 * align.h -- regularize the loops of a group: the second step of a round.
 */
#ifndef TRACENEST_MERGE_ALIGN_H
#define TRACENEST_MERGE_ALIGN_H

#include "merge/link.h"

/* What a member's loop becomes: the items [first, past) of its strand are replaced. */
struct replacement {
	uint32_t strand;
	size_t first, past;
	struct strand with; /* its .process is unused */
	const struct strand_loop *loop; /* this member's part of the joint loop, the item of `with` at `at` */
	size_t at;
	bool shifted, split, blocked;
};

struct alignment {
	enum merge_reason reason; /* why not, if not */
	uint64_t count; /* iterations of the joint loop; 1: the loops are written out instead */
	struct replacement *replacement; /* one per member */
	uint32_t members;
	int64_t growth; /* constructs added, or saved */
};

/* Find common iterations for all loops of the group, adding at most `budget` constructs. claimed:
   by strand and item, what other replacements of this round took already. */
bool align(struct reduction *, const struct system *, const struct links *, const struct group *, char *const *claimed,
	int64_t budget, struct alignment *);
void alignment_clear(struct alignment *);

#endif
