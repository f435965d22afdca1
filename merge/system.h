/*
 * system.h -- what the steps of a merge share: a system under work, its links, its groups of loops.
 *
 * Internal to merge/. A system is held as strands, one per process; T is their order. C is never stored: the k-th message on one side of a
 * channel belongs to the k-th on the other, so counting along the strands gives every link as an overlap of intervals.
 */
#ifndef TRACENEST_MERGE_SYSTEM_H
#define TRACENEST_MERGE_SYSTEM_H

#include "merge/merge.h"
#include "merge/strand.h"

#define NONE UINT32_MAX

/* The whole reduction: what all its systems have in common. */
struct reduction {
	struct loop_context loops;
	const struct dictionary *dictionary;
	const uint32_t *channel_of; /* by side */
	uint32_t sides, channels;
	double growth;
	struct scratch_shelf *shelf;
	struct tally *tally;
};

/* Counters of the report, shared by threads. */
enum tally_kind { TALLY_SHIFTED, TALLY_SPLIT, TALLY_BLOCKED, TALLY_UNROLLED, TALLY_KINDS };

/* Set up what threads share (the sides must be known by the first merge), and take it down with everything that was made. */
void reduction_start(struct reduction *);
void reduction_end(struct reduction *);

void tally_add(struct reduction *, enum tally_kind, uint64_t);
uint64_t tally_get(struct reduction *, enum tally_kind);

/* Arrays over all sides and channels that a merge borrows and gives back as it found them: counts all zero, slots all NONE. */
struct scratch {
	struct scratch *next;
	uint64_t *count; /* by side */
	uint32_t *slot;	 /* by channel */
};
struct scratch *scratch_take(struct reduction *);
void scratch_give(struct reduction *, struct scratch *);

/* Count what an item passes on its sides; make those counts 0 again. */
void scratch_count(const struct reduction *, struct scratch *, const struct item *);
void scratch_uncount(const struct reduction *, struct scratch *, const struct item *);

/* Loops of several processes that became one. */
struct joint {
	uint64_t count;
	struct strand *member; /* the bodies, one per process */
	size_t members;
	struct system *body; /* their merge */
	bool bad;	     /* it would close a cycle */
	bool settled;	     /* it is part of the system for good */
};

struct system {
	struct strand *strand; /* while under work */
	size_t strands;
	struct joint **joint;
	size_t joints, joint_capacity;
	struct unit *unit; /* the listing, a topological order; once finished */
	size_t units;
	uint32_t *process; /* by strand; once finished */
};

/* One line of the listing, or one loop. */
struct unit {
	struct joint *joint;		/* a loop of several processes; or */
	const struct strand_loop *loop; /* a loop of one; or */
	uint32_t event;			/* an event: of one process, or of all these that meet in one sync */
	const struct numbers *numbers; /* on a wide channel, of one process */
	uint32_t apart;
	uint32_t *strand; /* the strands that have it, ascending */
	uint32_t strands;
};

/* ------------------------------------------------------------------ link.c: which loops exchange messages? */

/* A loop that may become part of a joint one. */
struct candidate {
	uint32_t strand, item;
	uint32_t group;	 /* NONE: it has no partner */
	uint64_t *first; /* by flow of the loop: messages on that side before the loop */
};

struct part {
	uint32_t channel;
	uint32_t member; /* of the group */
	uint32_t flow;	 /* of the member's loop */
};

/* Loops that exchange messages with each other: a connected component of C. One alone if it must be brought in line with itself. */
struct group {
	uint32_t *candidate; /* members, in the order of strands */
	uint32_t members;
	bool ordered;	   /* a process has several of them */
	struct part *part; /* one per side of a channel that has several sides in the group; sides of a channel stand together */
	size_t parts, part_capacity;
};

struct links {
	struct candidate *candidate;
	uint32_t candidates;
	struct group *group;
	uint32_t groups;
};

void links_find(struct reduction *, struct system *, struct links *);
void links_clear(struct links *);

/* ------------------------------------------------------------------ align.c: regularize the loops of a group */

/* What a member's loop becomes: the items [first, past) of its strand are replaced. */
struct replacement {
	uint32_t strand;
	size_t first, past;
	struct strand with;	 /* its .process is unused */
	const struct strand_loop *loop; /* this member's part of the joint loop, the item of `with` at `at` */
	size_t at;
	bool shifted, split, blocked;
};

struct alignment {
	enum merge_reason reason; /* why not, if not */
	uint64_t count;		  /* iterations of the joint loop; 1: the loops are written out instead */
	struct replacement *replacement; /* one per member */
	uint32_t members;
	int64_t growth; /* constructs added, or saved */
};

/* Find common iterations for all loops of the group, adding at most `budget` constructs. claimed: by strand and item, what other
   replacements of this round took already. */
bool align(struct reduction *, const struct system *, const struct links *, const struct group *, char *const *claimed, int64_t budget,
	struct alignment *);
void alignment_clear(struct alignment *);

/* ------------------------------------------------------------------ unroll.c */

/* Write out the loops of a system that meet single events, where that does not take more constructs. */
void unroll_short(struct reduction *, struct system *);

/* ------------------------------------------------------------------ order.c: the partial order of a system */

/* Syncs of one channel, by number: which must not become one line, because that would close a cycle. */
struct sync_cut {
	uint32_t channel;
	uint64_t number;
};

struct order {
	struct sync_cut *cut; /* sorted */
	size_t cuts, cut_capacity;
};

/*
 * The strongly connected components of T, with joints and syncs as single nodes. Sets `bad` for the joints not yet settled in each that is not trivial, and
 * adds the syncs of those that hold none of these to the cuts. True if all are trivial.
 */
bool order_check(struct reduction *, const struct system *, struct order *);

/* Fill system->unit: a topological order in which a send and its receive stand together where the order allows it. */
void order_list(struct reduction *, struct system *, const struct order *);

/* ------------------------------------------------------------------ system.c */

/* Merge strands (taken) into a system; everything lives in the pool of the reduction. */
struct system *system_merge(struct reduction *, struct strand *, size_t strands, unsigned jobs);

#endif
