/*
 * lookups.h -- look-ups of tables in what events carry, and other ones in their place.
 *
 *	bytes={8+2*$b[p]*$c[i0]}	$b[p], 2 times, in a product; $c[i0], the same
 */
#ifndef TRACENEST_MERGE_LOOKUPS_H
#define TRACENEST_MERGE_LOOKUPS_H

#include "model/draft.h"

/*
 * Asks for each look-up in a number that is an attribute, in the order of the text, for the number
 * that stands in its place; NODE_NONE: it stays. entry: a factor (NODE_ENTRY) of a table of the
 * store, which stands there so many times, alone or in a product. Gives whether any number has
 * changed; then tables are numbered anew. O(lines)
 */
typedef node_id lookup_change(void *context, node_id entry, int64_t times, bool alone);
bool lookups_change(struct draft *, lookup_change *, void *context);

/* The table of a node; NULL: it has none, it is a formula or a parameter. */
const struct table *lookup_get_table(const struct store *, node_id table);

/* A number that looks up a table at as many arguments as it has. */
node_id lookup_number(struct store *, node_id table, const node_id *argument);

/* The tables of a draft, which may get more. O(nodes) */
struct draft_tables;
struct draft_tables *draft_tables_of(const struct draft *);
void draft_tables_free(struct draft_tables *);

/* A table that is finished, and taken, as a node: the first one of the draft that says the same,
   under any name; else this one. O(tables) */
node_id draft_tables_adopt(struct draft_tables *, struct table *);

#endif
