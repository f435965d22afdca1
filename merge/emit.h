/*
 * emit.h -- a joint tree as a program.
 */
#ifndef TRACENEST_MERGE_EMIT_H
#define TRACENEST_MERGE_EMIT_H

#include "merge/price.h"
#include "merge/tree.h"
#include "model/program.h"

/* The statements of a list, with the formulas that its price is of, and its calls, as a program on
   this grid with the dictionary and the notes of this one. NULL: loops are nested too deep, or
   there is no way to say a number. */
struct program *emit(
	struct tree_builder *, struct pricing *, struct tree_list, const struct program *from, const struct grid *);

#endif
