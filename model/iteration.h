/*
 * iteration.h -- the cursor that goes through the iterations of a loop; and after how many of them
 * the counts and conditions inside are the same again, so that not each is looked at.
 */
#ifndef TRACENEST_MODEL_ITERATION_H
#define TRACENEST_MODEL_ITERATION_H

#include "model/program.h"

/*
 * Gives, for each loop of the program: of its index, the common period of all counts, guards and
 * those who are named inside, 1 where none of them depends on it; 0: there is none, or it is too
 * long to be of use. For indices below PERIODS_INDEX. O(statements x their depth).
 */
#define PERIODS_INDEX (INT64_C(1) << 42)
uint64_t *program_periods(const struct program *);

/*
 * The cursor that all who go through the iterations of a loop share:
 *
 *	struct iteration k = iteration_start(&index[depth], count, period);
 *	while (iteration_step(&k))
 *		... the body at this index, which stands for k.times iterations
 *
 * With a period (program_periods), as many iterations as it is long stand for all; 0: each for
 * itself. The index is 0 again at the end.
 */
struct iteration {
	int64_t *index; /* NULL: the loop is too deep for one */
	uint64_t next, seen, count, times;
};

struct iteration iteration_start(int64_t *index, uint64_t count, uint64_t period);
bool iteration_step(struct iteration *);

#endif
