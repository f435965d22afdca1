/*
 * coverage.h -- who executes each statement of a program.
 *
 *	struct coverage *c = coverage_new(program);
 *	struct ranks who = coverage_of(c, at);
 *	coverage_free(c);
 *
 * Statements with a set say so themselves; a loop without one is executed by those who execute
 * something inside, and a loop of no iterations by nobody. Equal sets are stored once and have
 * equal ids. Computed once, in O(statements + runs of the distinct sets of each body); borrows the
 * program, which must not change.
 */
#ifndef TRACENEST_ASK_COVERAGE_H
#define TRACENEST_ASK_COVERAGE_H

#include <stddef.h>

#include "base/ranks.h"
#include "model/program.h"

struct coverage;

struct coverage *coverage_new(const struct program *);

/* The same as if there were no processes but these. NULL: all. */
struct coverage *coverage_within(const struct program *, const struct ranks *wanted);
void coverage_free(struct coverage *);

/* Who executes the statement at a place: a view that lives as long as the coverage. */
struct ranks coverage_of(const struct coverage *, size_t at);

#endif
