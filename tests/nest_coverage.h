/*
 * nest_coverage.h -- the processes that have events in each construct of a model.
 *
 *	struct nest_coverage *c = nest_coverage_new(m);
 *	struct ranks who = nest_coverage_of(c, loop);
 *	nest_coverage_free(c);
 *
 * Equal sets are stored once and have equal ids. Computed once, it borrows the model, which must
 * not change. O(nest + the distinct sets of each body).
 */
#ifndef TRACENEST_TESTS_NEST_COVERAGE_H
#define TRACENEST_TESTS_NEST_COVERAGE_H

#include <stdint.h>

#include "base/ranks.h"
#include "model/nest.h"

struct model;
struct nest_coverage;

struct nest_coverage *nest_coverage_new(const struct model *);
void nest_coverage_free(struct nest_coverage *);

/* Who executes something of this node. Borrowed. */
struct ranks nest_coverage_of(const struct nest_coverage *, node);

/* How many sets there are. */
uint32_t nest_coverage_sets(const struct nest_coverage *);

#endif
