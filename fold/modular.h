/*
 * modular.h -- one way to write what coordinates make of a number, so that numbers that differ in
 * their constants alone can be told.
 *
 *	{6000+p}  {5000+(x+y)%4+4*y}		as people read them
 *	{6000+(x)%4+(y)%4*4}  {5000+(x+y)%4+(y)%4*4}	normal: no constant is left out where it is 0
 */
#ifndef TRACENEST_FOLD_MODULAR_H
#define TRACENEST_FOLD_MODULAR_H

#include "model/formula.h"

/* p as coordinates, each coordinate as a remainder modulo its size, the smallest factors first.
   Left as it is where there is no room for that, or an axis has size 1. */
void value_normalize(struct value *, const struct grid *);

/* The other way: remainders of a coordinate by its size are the coordinate, and all coordinates by
   their scale are p. */
void value_simplify(struct value *, const struct grid *);

#endif
