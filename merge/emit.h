/*
 * emit.h -- a joint tree as a program.
 */
#ifndef TRACENEST_MERGE_EMIT_H
#define TRACENEST_MERGE_EMIT_H

#include "fit/tabulate.h"
#include "merge/price.h"
#include "merge/tree.h"
#include "model/dictionary.h"
#include "model/draft.h"

struct emit_options {
	uint32_t processes;
	struct grid grid;
	const struct dictionary *words; /* of the events, and their groups */
	struct tables *there; /* those that say the same keep these names */
	struct store *without_grid; /* where what asks nothing of the grid goes */
};

/* The statements of a list, with the numbers that its price is of, and its calls, in the store of
   the fit: what the reader makes of their text. NULL: loops are nested too deep, or there is no way to
   say a number. */
struct draft *emit(struct tree_builder *, struct pricing *, struct tree_list, const struct emit_options *);

#endif
