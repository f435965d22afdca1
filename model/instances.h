/*
 * instances.h -- the constant statements that those stand for which depend on the indices of loops.
 *
 * A loop whose index stands in some statement inside becomes its iterations, one after the other.
 * One whose count is a function, but whose index is not used, becomes nothing, its body, its body
 * twice, or a loop, for counts of 0, 1, 2, and more. A count below 0 is 0.
 */
#ifndef TRACENEST_MODEL_INSTANCES_H
#define TRACENEST_MODEL_INSTANCES_H

#include "model/program.h"

/* Besides those of the text itself: statements that may be written out or looked at one by one; the
   same, for each process that executes them. */
#define INSTANCES_LIMIT (UINT64_C(1) << 20)
#define INSTANCES_EXECUTED_LIMIT (UINT64_C(1) << 26)

/* What is wrong, and with which statement. */
struct instances_error {
	size_t statement;
	const char *what;
};

/*
 * Replace the statements of a program that was read by the constant ones, where these are within
 * the limits. origin (may be NULL): by new statement the old one, the caller's; NULL: nothing
 * changed.
 */
bool instances_write(struct program *, uint64_t executed_limit, size_t **origin, struct instances_error *);

#endif
