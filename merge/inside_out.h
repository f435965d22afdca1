/*
 * inside_out.h -- loops whose counts are data: what repeats, however often it does each time.
 *
 *	a b b c  a b c  a b b b c		for i0 = 0 to 2
 *						  a
 *						  for i1 = 0 to {$n[i0]-1}
 *						    b
 *						  done
 *						  c
 *						done
 *
 * Recognition from the outside in (recognize.h) sees no loop in the line on the left: no number of
 * records is a period of it. Here runs of the shortest period become loops first, in all lanes, and
 * loops of one body are equal from then on, whatever their counts; then runs of these. Pivots that
 * follow the data, panels that shrink (ScaLAPACK's LU) are loops so.
 */
#ifndef TRACENEST_MERGE_INSIDE_OUT_H
#define TRACENEST_MERGE_INSIDE_OUT_H

#include "merge/recognize.h"

/*
 * The lists of the classes, the largest first, as recognize() has them; the array is the caller's.
 * Of an event its shape must be equal in a loop's iterations, and if wanted its peer. 0: copies
 * that were left out did not become iterations, or a slot has more than INSIDE_OUT_NUMBERS.
 * O(INSIDE_OUT_PERIOD x INSIDE_OUT_ROUNDS) of each record, at most; what became a loop is not
 * looked at again.
 */
size_t recognize_inside_out(struct tree_builder *, const struct records *, bool peers, struct tree_list **class_of);

#endif
