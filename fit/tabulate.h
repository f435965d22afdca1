/*
 * tabulate.h -- numbers that follow no law as a table: the one that prints shortest.
 */
#ifndef TRACENEST_FIT_TABULATE_H
#define TRACENEST_FIT_TABULATE_H

#include "fit/domain.h"
#include "model/node.h"

/* Tables that are kept: equal ones are one and the same. */
struct tables;
struct tables *tables_new(void);
void tables_free(struct tables *);

/* Entries as they are printed; each letter of a packed word is one. Of a table that is kept it is known. */
uint64_t tables_entries(struct tables *, const struct table *);

/* A table that is kept as a node, which is called so; NULL: as the table is. */
node_id tables_node(struct tables *, struct store *, const char *name, const struct table *);

/* A table that holds these cells; what nothing asks for is filled in so that it prints shortest.
   NULL: it would be mostly that. */
const struct table *tabulate(struct tables *, const char *name, const struct cells *);

/* The set of these numbers, ascending and not negative, as conditions have it. */
const struct table *tabulate_set(struct tables *, const int64_t *number, size_t count);

#endif
