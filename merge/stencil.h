/*
 * stencil.h -- messages to neighbours on an open grid, a statement for each direction that those
 * execute who have such a neighbour, become a loop over a table of offsets.
 *
 *	[x>0] p send @(x-1,y) tag0		for i0 = 0 to 3
 *	[y>0] p send @(x,y-1) tag1	--->	  p send @(x+$dx[i0],y+$dy[i0]) tag{i0} where inside
 *	[y<Y-1] p send @(x,y+1) tag2		done
 *	[x<X-1] p send @(x+1,y) tag3
 *
 * (Design 17, step 9.) In the tree, `where inside` is a guard by process and index around the
 * message; price.h knows that it is one.
 */
#ifndef TRACENEST_MERGE_STENCIL_H
#define TRACENEST_MERGE_STENCIL_H

#include "merge/price.h"
#include "merge/tree.h"

/* All of these in a list below these loops, at once (those that are sent and those that are
   received share their tables), if that is cheaper; the same list: it is not. O(nodes x lanes). */
struct tree_list stencil(struct tree_builder *, struct pricing *, struct tree_list, const struct tree_context *);

#endif
