/*
 * nested.h -- a loop around nothing but a loop that goes on where it ended is one loop.
 *
 *	for i0 = 0 to 3 / for i1 = 0 to 14 / @(i1,y)	-- on a grid of 3 x 5:
 *	for i0 = 0 to 59 / @(i0,y)
 *
 * Coordinates and what is taken modulo something may go on where the index of the inner loop starts
 * again, as 15 steps on 3 columns and 5 rows do.
 */
#ifndef TRACENEST_FOLD_NESTED_H
#define TRACENEST_FOLD_NESTED_H

#include "model/program.h"

/* Join such loops of a program without attributes. Loops in which nothing advances are left alone,
   and those whose iterations are too many to be written out. O(statements * depth). */
void nested_join(struct program *);

#endif
