/*
 * tree_text.h -- trees of the builder as text.
 */
#ifndef TRACENEST_TESTS_TREE_TEXT_H
#define TRACENEST_TESTS_TREE_TEXT_H

#include "merge/tree.h"

/* A line per node with what stands in each slot, by lane where lanes differ; procedures behind. */
void tree_print(const struct tree_builder *, struct tree_list, struct text *);

#endif
