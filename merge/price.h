/*
 * price.h -- what a tree costs its reader, were it written now: the one measure by which a builder
 * decides (the same weights as of a finished text, ask/cost.h).
 *
 *	struct pricing *p = pricing_new(builder, fit);
 *	uint32_t before = price_list(p, list, context);		-- hundredths of a statement
 *
 * Tables that are looked up several times are paid for once in a list. Prices of slots are kept, so
 * that asking again for what was asked before costs a look-up.
 */
#ifndef TRACENEST_MERGE_PRICE_H
#define TRACENEST_MERGE_PRICE_H

#include "fit/fit_number.h"
#include "merge/tree.h"

struct pricing;

struct pricing *pricing_new(struct tree_builder *, struct fit *);
void pricing_free(struct pricing *);

/* What finds the functions. */
const struct fit *price_fit(const struct pricing *);

/* Of a call, but for its arguments. */
uint32_t price_call(const struct tree_procedure *);

/* Of these nodes below these loops; tables included. O(nodes) look-ups. */
uint32_t price_list(struct pricing *, struct tree_list, const struct tree_context *);

/* The same for the whole text: procedures, their heads, and the tables of all. From then on it is
   known what the text looks up: */
uint32_t price_program(struct pricing *, struct tree_list);

/* What the text saves if these nodes of it become those; a table that stays in use elsewhere in it is
   not saved, one that is there costs nothing. price_change: they do. */
int64_t price_saved(struct pricing *, struct tree_list old, struct tree_list now, const struct tree_context *);
void price_change(struct pricing *, struct tree_list old, struct tree_list now, const struct tree_context *);

/* The peer of the one message under this guard, if that is a neighbour by a table of offsets, and
   the guard tells who has one: then both are one line, `where inside`. Else NULL. */
const struct fitted *price_neighbour(struct pricing *, const struct tree_node *guard, const struct tree_context *);

/* What is found for a slot of a node, to be written. Borrowed, until pricing_free. */
const struct fitted *price_fitted(
	struct pricing *, const struct tree_node *, uint32_t slot, const struct tree_context *);

#endif
