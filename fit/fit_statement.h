/*
 * fit_statement.h -- the numbers that come with the executions of a statement, as one function of
 * the process, its place on the grid and the indices of the loops around.
 *
 *	struct fit_series member[] = {{0, a}, {1, b}};		-- by process, in the order of its executions
 *	node_id number = fit_statement(f, FIT_DATA, program, at, member, 2, "b");
 *	... number_at(&environment, number) is that of each execution
 *
 * Functions are looked for on some of the numbers (fit_number.h), and proven on all of them; what
 * contradicts is looked at, too. Where more than SAMPLE_MOST (limits.h) would have to be, numbers
 * become a table that is asked for each execution.
 */
#ifndef TRACENEST_FIT_FIT_STATEMENT_H
#define TRACENEST_FIT_FIT_STATEMENT_H

#include "base/series.h"
#include "fit/fit_number.h"
#include "model/program.h"

struct fit_series {
	uint32_t rank; /* ascending */
	struct series *series; /* finished; a number for each execution, but a constant one may be of any length */
};

/*
 * f: made for the program's processes and grid. As the statement sees it: indices are counted from
 * there, and guards have none. Tables are called so. Numbers that become a table which is asked for
 * each execution are taken out of their series: then these have none any more. NODE_NONE: there is
 * no such function. O(numbers); where all processes have the same, those of one; where none varies,
 * O(processes).
 */
node_id fit_statement(struct fit *f, enum fit_what, const struct program *, size_t at, const struct fit_series *,
	size_t count, const char *name);

#endif
