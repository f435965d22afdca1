/*
 * coverage.h -- who executes each statement of a program.
 *
 *	struct coverage *c = coverage_new(run);
 *	struct ranks who = coverage_of(c, line);
 *	coverage_free(c);
 *
 * Statements with a domain say so themselves; a loop or guard without one is executed by those who
 * execute something inside, and a loop of no iterations by nobody. Who is named by something else
 * than a table may be all that are in the loops around. Equal sets are stored once. Of modules
 * without calls. O(lines + runs of the distinct sets of each body).
 */
#ifndef TRACENEST_ASK_COVERAGE_H
#define TRACENEST_ASK_COVERAGE_H

#include "base/ranks.h"
#include "model/run.h"

struct coverage;

struct coverage *coverage_new(struct run *);
void coverage_free(struct coverage *); /* NULL is fine */

/* Who executes the statement at a line: a view that lives as long as the coverage. */
struct ranks coverage_of(const struct coverage *, size_t line);

#endif
