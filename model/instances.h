/*
 * instances.h -- the constant statements that those stand for which advance with the indices of loops.
 *
 * A loop whose index stands in some statement inside becomes its iterations, one after the other. One whose count advances, but whose index is not
 * used, becomes nothing, its body, its body twice, or a loop, for counts of 0, 1, 2, and more. A count below 0 is 0.
 */
#ifndef TRACENEST_MODEL_INSTANCES_H
#define TRACENEST_MODEL_INSTANCES_H

#include "model/program.h"

/* No program stands for more statements than this, but for such as are written out; nor for more that processes execute one by one. */
#define INSTANCES_LIMIT (UINT64_C(1) << 20)
#define INSTANCES_EXECUTED_LIMIT (UINT64_C(1) << 26)

/* What is wrong, and with which statement. */
struct instances_error {
	size_t statement;
	const char *what;
};

/*
 * Count the constant statements and the events of all processes (each may be NULL; UINT64_MAX: that many or more). False where a tag, a peer or a root
 * would be none for some indices, or where there would be too many statements. O(statements that it stands for).
 */
bool instances_count(const struct program *, uint64_t *statements, uint64_t *events, struct instances_error *);

/* Replace the statements by the constant ones. instances_count must have been content. */
void instances_write(struct program *);

#endif
