/*
 * coverage.h -- the processes that have events in each construct of a model.
 *
 *	struct coverage *c = coverage_new(m, NULL);
 *	ranks_print(coverage_loop(c, loop), &text);
 *	coverage_free(c);
 *
 * Equal sets are stored once and have equal ids. Computed once, it borrows the model, which must not change.
 * O(nest + the distinct sets of each body).
 */
#ifndef TRACENEST_MODEL_COVERAGE_H
#define TRACENEST_MODEL_COVERAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/ranks.h"
#include "model/nest.h"

struct model;
struct coverage;

/* The id of the empty set: of loops that nobody executes an event of, as those of no iterations. */
#define COVERAGE_NONE 0

/* wanted: coverage by these ranks only, as if the others did not exist; NULL: all. */
struct coverage *coverage_new(const struct model *, const struct ranks *wanted);
void coverage_free(struct coverage *);

/* Who executes something of this loop. Borrowed. */
const struct ranks *coverage_loop(const struct coverage *, node loop);

/* The same by set ids, of any node and of the whole model. */
uint32_t coverage_of(const struct coverage *, node);
uint32_t coverage_of_root(const struct coverage *);
const struct ranks *coverage_ranks(const struct coverage *, uint32_t set);

/* Distinct sets: ids are 0 to n - 1. */
uint32_t coverage_sets(const struct coverage *);

#endif
