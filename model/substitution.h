/*
 * substitution.h -- statements and numbers with sums in place of variables: arguments for
 * parameters, numbers for the process, the one iteration of a loop that is written out.
 */
#ifndef TRACENEST_MODEL_SUBSTITUTION_H
#define TRACENEST_MODEL_SUBSTITUTION_H

#include "model/number.h"

struct substitution {
	struct store *store;
	/* A sum (of a parameter, perhaps a table) for a variable with so many loops of the
	   statement around it, which for an index are those that it is not of: INDEX + depth is the
	   first one outside. NODE_NONE: it stays. */
	node_id (*of)(const struct substitution *, int64_t variable, uint32_t depth);
	const void *context;
	/* Also puts numbers where they are known then: an entry at these arguments, the rank at
	   these coordinates. NULL: leaves them. */
	struct environment *at;
};

/* NODE_NONE where 64 bits, or the terms of a sum, do not suffice. depth: loops around. O(the nodes
   as a tree) */
node_id substitute(const struct substitution *, node_id, uint32_t depth);

/* The sum as it is so many loops further in. */
node_id number_inside(struct store *, node_id, uint32_t loops);

#endif
