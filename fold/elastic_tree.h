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

/*
 * The numbers of a place: a row of one for each of `lanes` processes that do the same, execution by
 * execution. Rows that come again and again, as those of an inner loop do, are kept once.
 */
struct numbers {
	int64_t *number;
	size_t executions, rows; /* a multiple of the rows */
	size_t capacity; /* of numbers */
	uint32_t lanes;
};

void numbers_add(struct numbers *, int64_t number); /* of one lane */

static inline int64_t number_at(const struct numbers *n, size_t execution, uint32_t lane)
{
	return n->number[(execution < n->rows ? execution : execution % n->rows) * n->lanes + lane];
}

enum { SLOT_PEER, SLOT_TAG, SLOTS }; /* of an event; of a loop the first are its counts */
#define SLOT_COUNT SLOT_PEER

enum elastic_kind { ELASTIC_EVENT, ELASTIC_LOOP, ELASTIC_GUARD, ELASTIC_KINDS };

struct elastic_list {
	struct elastic_node **node; /* owned */
	size_t length, capacity;
};

struct elastic_node {
	enum elastic_kind kind;
	uint32_t shape; /* of an event */
	uint32_t collective; /* the same for those that differ in their groups alone; 0: it is none */
	uint32_t key; /* the same for trees that differ in numbers alone */
	struct numbers slot[SLOTS]; /* counts are of one lane: all processes have the same */
	struct elastic_list body;
};

uint32_t elastic_event_key(struct intern *keys, uint32_t shape);
uint32_t elastic_given_key(struct intern *keys, uint32_t shape, uint32_t peer); /* that differs by its peer, too */

/* An event that is executed once. Room for its numbers is to be filled: a peer for each lane, and,
   where its shape leaves them out, the numbers of their tags. */
struct elastic_node *elastic_event(uint32_t key, uint32_t shape, uint32_t lanes, bool counted);
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

/* Neighbours of one shape whose peers advance, from one to the next on each lane by the same,
   become a loop. Events are executed once. */
void elastic_loop_advancing(struct elastic_list *, struct intern *keys);

/* Statements that it takes to write. */
size_t elastic_statements(const struct elastic_list *);

/*
 * Make loops in a sequence, each of whose nodes is executed once, where that takes fewer
 * statements.
 */
struct elastic_reducing {
	struct intern *keys; /* of all that is compared, shared by everything that may be joined */
	bool runs; /* are neighbours of one key a loop at any rate? */
	bool partial; /* may the first iterations, and the last, lack what the others begin with? */
	bool would; /* set where it would take fewer statements if they might */
};
void elastic_reduce(struct elastic_list *, struct elastic_reducing *);

#endif
