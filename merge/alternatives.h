/*
 * alternatives.h -- branches that do the same, as one.
 *
 *	if $g[i0]					[0-3] p sync MPI_Bcast 0-3 root=$r[i0]
 *	  p sync MPI_Bcast 0-3 root=p			for i1 = 0 to {$n[i0]-1}
 *	done						  p send 4 tag1
 *	for i1 = 0 to {$g[i0]*$n[i0]-1}		->	done
 *	  p send 4 tag1
 *	done
 *	if {1-$g[i0]}
 *	  p sync MPI_Bcast 0-3 root=$r[i0]
 *	done
 *	for i1 = 0 to ...
 *
 * Who owns what all need calls it elsewhere than those who do not (BLACS: send or receive a
 * broadcast), and goes on with the same loops.
 */
#ifndef TRACENEST_MERGE_ALTERNATIVES_H
#define TRACENEST_MERGE_ALTERNATIVES_H

#include "merge/price.h"

/* Stretches of a list that follow each other, of one structure, of which each lane executes at most
   one in each iteration of the loops around, become one where that is cheaper. The same list, if
   nothing does. O(nodes x ALTERNATIVES_LENGTH) comparisons of structures. */
struct tree_list alternatives(struct tree_builder *, struct pricing *, struct tree_list, const struct tree_context *);

#endif
