/*
 * sequence.h -- what no process orders, in the order in which it can happen: a receive behind its
 * send, members of a collective at once.
 *
 *	[1-3] p-1 recv p tag1			[0-2] p send p+1 tag1
 *	[0-2] p sync MPI_Barrier 0-3	->	[1-3] p-1 recv p tag1
 *	[0-2] p send p+1 tag1			[0-3] p sync MPI_Barrier 0-3
 *	[3] p sync MPI_Barrier 0-3
 *
 * Messages, and loops, of one structure and different lanes become one wherever that is cheaper,
 * with the tables that the whole text has:
 *
 *	[0] p send 1 tag1
 *	[1-6] p-1 recv p tag1		->	[1-6] p-1 recv p tag1
 *	[1-6] p send p+1 tag1			[0-6] p send p+1 tag1
 *
 * The order that each lane has its statements in stays what it is; of what it leaves open, as much
 * as can be stays as it was.
 */
#ifndef TRACENEST_MERGE_SEQUENCE_H
#define TRACENEST_MERGE_SEQUENCE_H

#include "merge/price.h"

/* Members of more collectives than SEQUENCE_MOST stay apart, and what is in longer lists. O(lanes
   of all nodes) expected, and for each two that are tried the length of the list. */
#define SEQUENCE_MOST 2048

/* So many that stand behind each are tried. Of all, an irregular graph of 2,000 processes would
   take three times as long, for nothing. */
#define SEQUENCE_TRIES 4

struct tree_list sequence(struct tree_builder *, struct tree_list);

/* Of the whole text. The same list, if nothing is cheaper joined. It may have calls, which are left
   as they are. */
struct tree_list sequence_joined(struct tree_builder *, struct pricing *, struct tree_list);

#endif
