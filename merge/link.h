/*
 * link.h -- which loops of a system exchange messages? The first step of a round.
 */
#ifndef TRACENEST_MERGE_LINK_H
#define TRACENEST_MERGE_LINK_H

#include "merge/context.h"
#include "merge/joint.h"
#include "merge/merge.h"

/* A loop that may become part of a joint one. */
struct candidate {
	uint32_t strand, item;
	uint32_t group; /* NONE: it has no partner */
	uint64_t *first; /* by flow of the loop: messages on that side before the loop */
};

struct part {
	uint32_t channel;
	uint32_t member; /* of the group */
	uint32_t flow; /* of the member's loop */
};

/* Loops that exchange messages with each other: a connected component of C. One alone if it must be
   brought in line with itself. */
struct group {
	uint32_t *candidate; /* members, in the order of strands */
	uint32_t members;
	bool ordered; /* a process has several of them */
	/* one per side of a channel that has several sides in the group; sides of a channel stand
	   together */
	struct part *part;
	size_t parts, part_capacity;
};

struct links {
	struct candidate *candidate;
	uint32_t candidates;
	struct group *group;
	uint32_t groups;
};

void links_find(struct reduction *, const struct system *, struct links *);
void links_clear(struct links *);

/* The loops of the group stay apart, for this reason; they are no candidates any more. */
void links_set_apart(const struct links *, const struct group *, struct system *, enum merge_reason);

#endif
