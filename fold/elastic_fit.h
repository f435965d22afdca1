/*
 * elastic_fit.h -- numbers of several processes, execution by execution, as one function of the
 * process and of the indices around; a table, where there is no formula.
 */
#ifndef TRACENEST_FOLD_ELASTIC_FIT_H
#define TRACENEST_FOLD_ELASTIC_FIT_H

#include "fold/elastic_tree.h"
#include "model/program.h"

/*
 * When a place is executed by a process: the indices of the loops around, execution by execution;
 * and its numbers. What comes after these executions is the same again.
 */
struct fit_times {
	uint32_t process, lane;
	size_t executions;
	int64_t *const *index; /* by depth; not asked for where no process's numbers vary */
	const struct numbers *number; /* what is to be said */
};

struct fitting {
	struct program *program; /* its dictionary takes the tables */
	const struct fit_times *times; /* by process */
	size_t processes;
	uint32_t depth; /* loops and guards around; what is a guard has no index: */
	uint32_t guards; /* a bit each */
	const char *name; /* of a table */
	size_t room; /* bytes that tables may take, about; less those that are made */
	int64_t extent[INDEX_DEPTH]; /* of each index, one more than the most; 0: not looked for yet */
};

/* False: more than TABLE_ARGUMENTS would be needed, or more room than there is. */
bool fit_value(struct fitting *, struct value *);
bool fit_place(struct fitting *, struct place *); /* a rank */
bool fit_condition(struct fitting *, struct value *); /* numbers are 0 and 1 */

#endif
