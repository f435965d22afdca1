/*
 * agree.h -- one phase for the loops over rotations of one body. Private to fold/.
 *
 *	x y 6(z x y) w 15(x y z)	->	6(x y z) x y w 15(x y z)
 *
 * Loops that begin as late as they can begin differently where the records before them end
 * differently. Each could begin earlier, too, by what stands before it and continues it to the
 * front; it begins where most loops of the nest could, as late as possible among these.
 */
#ifndef TRACENEST_FOLD_AGREE_H
#define TRACENEST_FOLD_AGREE_H

#include "fold/stretch.h"

/* The loops of a sequence and all below; no more constructs. O(constructs log (their records)). */
void phases_agree(struct stretches *, struct sequence *);

#endif
