/*
 * periods.h -- after how many iterations of a loop the counts and conditions inside are the same
 * again, so that they need not be looked at one by one.
 */
#ifndef TRACENEST_MODEL_PERIODS_H
#define TRACENEST_MODEL_PERIODS_H

#include "model/program.h"

/*
 * Gives, for each loop of the program: of its index, the common period of all counts, guards and
 * those who are named inside, 1 where none of them depends on it; 0: there is none, or it is too
 * long to be of use. For indices below PERIODS_INDEX. O(statements x their depth).
 */
#define PERIODS_INDEX (INT64_C(1) << 42)
uint64_t *program_periods(const struct program *);

/* How many iterations of so many have to be looked at; and for how many the one with this number
   stands. */
uint64_t period_of_count(uint64_t period, uint64_t count);
uint64_t period_stands_for(uint64_t period, uint64_t count, uint64_t iteration);

#endif
