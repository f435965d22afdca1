/*
 * sets.h -- sets of ranks as a program's text writes them: all ranks, a condition on the
 * coordinates of the grid, or the list of base/ranks.h.
 *
 *	*  x>0  x<X-1&&y==0  (x+y)%2==0  x!=y  (0-2)+4*3
 *
 * A condition is comparisons that all hold, joined by &&. Both sides of one are sums of numbers, of
 * coordinates x y z w, of the rank p, of the extents X Y Z W of the grid and the number P of ranks,
 * and of remainders.
 */
#ifndef TRACENEST_MODEL_SETS_H
#define TRACENEST_MODEL_SETS_H

#include "base/ranks.h"
#include "base/text.h"
#include "model/grid.h"

/*
 * "*" where these are all ranks; where there is a grid, the condition, if it has fewer comparisons
 * than the list has numbers; else the list. Looked for are intervals, residue classes and one hole
 * of each coordinate, and one comparison of several coordinates: the order of two, or the residue
 * of a sum. The set is not empty, its ranks are below `ranks`. O(ranks of the set); of one that is
 * no box, O(ranks).
 */
void set_print(const struct ranks *, const struct grid *, uint32_t ranks, struct text *);

#endif
