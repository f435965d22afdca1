/*
 * tabulate.h -- numbers that follow no law as a table: the one that prints shortest.
 */
#ifndef TRACENEST_FIT_TABULATE_H
#define TRACENEST_FIT_TABULATE_H

#include "fit/domain.h"
#include "model/node.h"

/* Tables that are kept: equal ones are one and the same, whatever they are called. */
struct tables;
struct tables *tables_new(struct store *);
void tables_free(struct tables *);
/* What they are called from now on; NULL: as who finds them first says. */
void tables_call(struct tables *, const char *name);

/* Keep one that there is; the one that is kept and says the same, or NULL. */
void tables_keep(struct tables *, const struct table *);
const struct table *tables_same(struct tables *, const struct table *);

/* Entries as they are printed; each letter of a packed word is one. Of a table that is kept it is known. */
uint64_t tables_entries(struct tables *, const struct table *);

/* A table that holds these cells, as a node; what nothing asks for is filled in so that it prints
   shortest. NODE_NONE: it would be mostly that. */
node_id tabulate(struct tables *, const char *name, const struct cells *);

/* The set of these numbers, ascending and not negative, as conditions have it: a table of the
   store. */
uint32_t tabulate_set(struct tables *, const int64_t *number, size_t count);

#endif
