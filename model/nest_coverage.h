/*
 * nest_coverage.h -- the processes that have events in each construct of a model.
 *
 *	struct nest_coverage *c = nest_coverage_new(m, NULL);
 *	ranks_print(nest_coverage_loop(c, loop), &text);
 *	nest_coverage_free(c);
 *
 * Equal sets are stored once and have equal ids. Computed once, it borrows the model, which must
 * not change. O(nest + the distinct sets of each body).
 */
#ifndef TRACENEST_MODEL_NEST_COVERAGE_H
#define TRACENEST_MODEL_NEST_COVERAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/ranks.h"
#include "model/nest.h"

struct model;
struct nest_coverage;

/* The id of the empty set: of loops that nobody executes an event of, as those of no iterations. */
#define NEST_COVERAGE_NONE 0

/* wanted: coverage by these ranks only, as if the others did not exist; NULL: all. */
struct nest_coverage *nest_coverage_new(const struct model *, const struct ranks *wanted);
void nest_coverage_free(struct nest_coverage *);

/* Who executes something of this loop. Borrowed. */
const struct ranks *nest_coverage_loop(const struct nest_coverage *, node loop);

/* The same by set ids, of any node. */
uint32_t nest_coverage_of(const struct nest_coverage *, node);
const struct ranks *nest_coverage_ranks(const struct nest_coverage *, uint32_t set);

/* Distinct sets: ids are 0 to n - 1. */
uint32_t nest_coverage_sets(const struct nest_coverage *);

#endif
