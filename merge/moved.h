/*
 * moved.h -- tables over a grid of which one is the other, moved along its axes, become one table.
 *
 *	bytes=$b4[p]		$b4 = 9 7 7 | 8 6 6 | 8 6 6		bytes=$b4[y,x]
 *	bytes=$b5[p]		$b5 = 7 9 7 | 6 8 6 | 6 8 6		bytes=$b4[y,(x+2)%3]
 *
 *	bytes=$b6[p,i0]		$b6 = 4 5 | 1 2			bytes=$b6[p,i0]
 *	bytes=$b7[p,i0]		$b7 = 1 2 | 4 5			bytes=$b6[p-2*x+1,i0]
 *
 * What a process receives is what its neighbour sends, and is said once.
 */
#ifndef TRACENEST_MERGE_MOVED_H
#define TRACENEST_MERGE_MOVED_H

#include "model/draft.h"

/* In place; the numbers are the same. False: there are no such tables, and nothing has changed.
   O(lines + entries + tables^2 + pairs of tables with the same least and greatest entries x
   processes). */
bool moved_share(struct draft *);

/*
 * The same an iteration later, after that: neighbours send back along the lists of the next step.
 *
 *	bytes=$b4[p,i0]		$b4 = 4 4 7 | 5 5 6		bytes=$b4[p,i0]
 *	bytes=$b5[p,i0]		$b5 = 5 6 6 | 4 7 9		bytes=$b4[p-2*x+1,i0+1]
 *
 * Rows become longer by what the last iterations have alone.
 */
bool moved_share_later(struct draft *);

#endif
