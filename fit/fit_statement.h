/*
 * fit_statement.h -- the numbers that come with the executions of an event, as one function of the
 * process, its place on the grid and the indices of the loops around.
 *
 *	struct fit_series member[] = {{0, a}, {1, b}};		-- by process, in the order of its executions
 *	node_id number = fit_statement(f, FIT_DATA, run, line, member, 2, "b");
 *	... number_at(&cursor->at, number) is that of each execution
 *
 * Functions are looked for on some of the numbers (fit_number.h), and proven on all of them; what
 * contradicts is looked at, too. Where more than SAMPLE_MOST (limits.h) would have to be, numbers
 * become a table that is asked for each execution.
 */
#ifndef TRACENEST_FIT_FIT_STATEMENT_H
#define TRACENEST_FIT_FIT_STATEMENT_H

#include "base/series.h"
#include "fit/fit_number.h"
#include "model/member_sets.h"
#include "model/run.h"

struct fit_series {
	uint32_t rank; /* ascending */
	/* finished; a number for each execution, but a constant one may be of any length */
	const struct series *series;
};

/*
 * f: made for the store of the run's module, which has no procedures. Tables are called so.
 * NODE_NONE: there is no such function. O(numbers); where all processes have the same, those of one;
 * where none varies, O(processes).
 */
node_id fit_statement(struct fit *f, enum fit_what, const struct run *, size_t line, const struct fit_series *,
	size_t count, const char *name);

/*
 * The same of what an event has for each member of its group: a number for each execution and each
 * member, these in the order of ranks; or (once) what is the same in all executions, for each member.
 * The function is of the member's rank, too (VARIABLE_COUNTER).
 */
node_id fit_by_member(struct fit *f, enum fit_what, const struct run *, struct member_sets *, bool once, size_t line,
	const struct fit_series *, size_t count, const char *name);

#endif
