/*
 * elastic_tree.h -- what one process does as a tree of loops whose bodies stay the same but for
 * numbers: each place of the tree holds the numbers of all its executions, in order.
 *
 *	S->3 S->1 A S->2 A		for i0 = 0 to 1			counts (2)
 *					  for i1 = 0 to {2,1}		counts (2 1)
 *					    S->{3,1,2}			peers (3 1 2)
 *					  A
 *
 * An event is a shape, which is all that must be equal (kind, words, group), and numbers that need
 * not be: its peer, the number of its tag where there are many. So equal parts of a stream are
 * brought together by appending their numbers, whatever the nesting. A guard is a loop of counts 0
 * and 1.
 */
#ifndef TRACENEST_FOLD_ELASTIC_TREE_H
#define TRACENEST_FOLD_ELASTIC_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/intern.h"

/* Numbers, in the order of execution. Those of capacity 0 stand in the node. */
struct series {
	int64_t *number;
	size_t length, capacity;
};

void series_add(struct series *, int64_t number);

enum { SLOT_PEER, SLOT_TAG, SLOTS }; /* of an event; of a loop the first are its counts */
#define SLOT_COUNT SLOT_PEER

enum elastic_kind { ELASTIC_EVENT, ELASTIC_LOOP, ELASTIC_GUARD };

struct elastic_list {
	struct elastic_node **node; /* owned */
	size_t length, capacity;
};

struct elastic_node {
	enum elastic_kind kind;
	uint32_t shape; /* of an event */
	bool collective; /* it is one */
	uint32_t key; /* the same for trees that differ in numbers alone */
	struct series slot[SLOTS];
	int64_t own[SLOTS]; /* numbers of one execution */
	struct elastic_list body;
};

/* tag: below 0: its number, if any, is of the shape. */
struct elastic_node *elastic_event(struct intern *keys, uint32_t shape, int64_t peer, int64_t tag);
struct elastic_node *elastic_loop(struct intern *keys, enum elastic_kind, struct elastic_list *body); /* takes it */
bool elastic_has_runs(const struct elastic_list *); /* neighbours of one key */
void elastic_add(struct elastic_list *, struct elastic_node *); /* takes it */
void elastic_free(struct elastic_node *);
void elastic_clear(struct elastic_list *);

/* All numbers of a tree so many times, one after the other. */
void elastic_repeat(struct elastic_node *, uint64_t times);

/*
 * What is a loop over one event somewhere, of this process or another, becomes a loop of one
 * iteration where it stands alone: first the shapes are marked for which there is such a loop, then
 * the others become loops. looped: by shape. True if anything is changed.
 */
void elastic_mark_looped(const struct elastic_list *, bool *looped);
bool elastic_loop_marked(struct elastic_list *, struct intern *keys, const bool *looped);

/* Statements that it takes to write. */
size_t elastic_statements(const struct elastic_list *);

/*
 * Make loops in a sequence, each of whose nodes is executed once, where that takes fewer
 * statements. keys: of all that is compared, shared by everything that may be joined. runs: are
 * neighbours of one key a loop at any rate?
 */
void elastic_reduce(struct elastic_list *, struct intern *keys, bool runs);

#endif
