/*
 * widen.h -- channels wide enough for messages whose tags and peers advance.
 *
 *	merge_widen(model);			-- of single processes, one after the other
 *	merge_complete_but_sends(model, &never_received, &error);
 *	global = merge_reduce(model, &options, &report);
 *
 * In a loop that sends tag{i0} each message has a channel of its own. Counting them, as the
 * reduction does, needs channels that take in all of them, on which the k-th message sent is still
 * the k-th one received:
 *
 *	pair	the tags of one stem and communicator, in some range of numbers, from one process to another: if both ends tell the same numbers in
 *		the same order, then first in, first out on each tag is first in, first out on all of them.
 *	ring	the same tags among all processes: if the k-th send of each process p goes to p+f(k) on the ring of all ranks, and the k-th receive
 *		of each is from p-f(k), with equal tags, then the k-th sends and receives of all belong together.
 *
 * Proven on the loops, not on their iterations, wherever both ends are looped alike. What cannot be
 * proven is written out: each of its messages is on the channel of its own tag and peer.
 */
#ifndef TRACENEST_MERGE_WIDEN_H
#define TRACENEST_MERGE_WIDEN_H

#include "model/model.h"

/* Each construct of the model's root is of one process. O(constructs), and O(messages) where ends
   are looped differently. */
void merge_widen(struct model *);

#endif
