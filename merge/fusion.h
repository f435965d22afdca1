/*
 * fusion.h -- loop fusion across processes: a master's loop and its workers' as one.
 *
 *	[0] for i0 = 0 to 3999			[0-7] for i0 = 0 to 3999
 *	  [0] $peer[i0] recv p tag3		  [$peer[i0]] p send 0 tag3
 *	done				to	  [0] $peer[i0] recv p tag3
 *	[1-7] for i0 = 0 to {$n[p]-1}		done
 *	  [1-7] p send 0 tag3
 *	done
 *
 * One process exchanges messages with others whom a table names, and does so in each iteration in
 * the same way; each of these does its part as often as it is named. Then whoever is named does it
 * in that iteration. A loop of workers that begins in the middle of an exchange is rotated, and
 * what others do between the two loops stays beside them.
 */
#ifndef TRACENEST_MERGE_FUSION_H
#define TRACENEST_MERGE_FUSION_H

#include "model/draft.h"

/* Join such loops of a draft without attributes: a statement and a table less for each. True if
   there are any. O(events) for each, and the statements between loops of messages alone. */
bool fusion(struct draft *);

#endif
