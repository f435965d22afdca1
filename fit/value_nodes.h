/*
 * value_nodes.h -- values and places as number nodes, while the search makes these; it goes when the
 * search makes nodes. Index d of the older form is VARIABLE_INDEX + INDEX_DEPTH - 1 - d.
 */
#ifndef TRACENEST_FIT_VALUE_NODES_H
#define TRACENEST_FIT_VALUE_NODES_H

#include "fit/tabulate.h"
#include "model/number.h"

node_id node_of_value(struct store *, struct tables *, const char *name, const struct value *);
node_id node_of_place(struct store *, struct tables *, const char *name, const struct grid *, const struct place *);

#endif
