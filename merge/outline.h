/*
 * outline.h -- bodies that stand in several places but for sizes become procedures (outlining).
 *
 * (Design 17, steps 5 and 8.) The block that saves most becomes a procedure first, and so on, until
 * none saves more than OUTLINE_SAVES.
 */
#ifndef TRACENEST_MERGE_OUTLINE_H
#define TRACENEST_MERGE_OUTLINE_H

#include "merge/price.h"
#include "merge/tree.h"

/* The same list with calls; procedures are added to the builder's, and those that there are get
   calls in their bodies, too. tags: these may be parameters as sizes are; as long as copies may
   become loops, tags tell what belongs to which, and what is there twice, side by side, is left to be
   a loop. O(rounds x nodes log nodes). */
struct tree_list outline(struct tree_builder *, struct tree_list, bool tags);

/* The same of the calls of functions of the source, whose activations the nodes tell, where two of
   one function do the same but for numbers: a call is one of the function then (struct
   tree_procedure). O(rounds x nodes x depth of calls). */
struct tree_list outline_functions(struct tree_builder *, struct tree_list);

/* The body of a procedure as this call has it, below so many loops: arguments are numbers in their
   places, also those of calls inside. */
struct tree_list outline_called(struct tree_builder *, const struct tree_node *call, uint32_t depth);

/* The same list without calls: the bodies stand where they are called, arguments in their
   places. */
struct tree_list outline_undo(struct tree_builder *, struct tree_list);

/* The same list without the calls of procedures that cost more than their statements in place of
   them (inlining); price: what the text costs then. */
struct tree_list outline_inline(struct tree_builder *, struct pricing *, struct tree_list, uint32_t *price);

#endif
