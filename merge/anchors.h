/*
 * anchors.h -- loops whose iterations differ: what stands in some of them alone is guarded, what
 * stands there several times is a loop of as many iterations.
 *
 *	a b  a b c  a b  a b c		for 0 to 3 / a / b / if 0 1 0 1 / c
 *	a b b b  a  a b			for 0 to 2 / a / for 3 0 1 / b
 *
 * A sequence is cut before each occurrence of one symbol, the anchor; the shortest sequence that
 * has all iterations as subsequences is the body. The anchor is taken that leaves the fewest
 * statements, then what is before and behind is cut.
 */
#ifndef TRACENEST_MERGE_ANCHORS_H
#define TRACENEST_MERGE_ANCHORS_H

#include "base/mem.h"
#include "merge/tree.h"

struct pieces {
	struct piece **piece;
	size_t length, capacity;
};

/* A place of the body of loops, with what it is in each execution, in order. */
struct piece {
	enum tree_kind kind; /* TREE_EVENT, TREE_LOOP, TREE_GUARD */
	uint32_t key; /* equal: the same but for executions */
	uint32_t statements;
	uint32_t *each; /* an event: its position; a loop: its iterations; a guard: 0 or 1 */
	size_t executions, capacity;
	struct pieces body;
};

struct anchoring {
	const uint32_t *symbol; /* by position */
	const int64_t *partner; /* with whom a message is exchanged */
	size_t length;
	bool runs; /* are neighbours of one symbol a loop at any rate? */
	bool partial; /* may the first iterations, and the last, lack the anchor? */
};

/* Does a process do as much as it takes to say it? To look at each record of more would not pay. */
bool anchors_pay(uint64_t records, size_t statements);

/*
 * What the sequence does; nothing (length 0): no loop has iterations that differ. The pieces live in
 * the arena. O(length) for each anchor and loop, and ANCHORS_CELLS comparisons of iterations.
 */
struct pieces anchors_find(struct arena *, const struct anchoring *);

#endif
