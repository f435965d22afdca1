/*
 * operations.h -- what the reductions of a program compute, as the attribute op says it.
 */
#ifndef TRACENEST_REPLAY_OPERATIONS_H
#define TRACENEST_REPLAY_OPERATIONS_H

#include "ask/overview.h"

#define OPERATION_ORDERED ",ordered" /* behind the name of one that does not commute */

enum operands {
	OPERANDS_ANY, /* one of the program's own; or nothing is said */
	OPERANDS_BITS, /* also bytes */
	OPERANDS_NUMBERS,
	OPERANDS_PAIRS /* a number and its place */
};

/* "MPI_MAX": numbers. */
enum operands operation_operands(const char *word);

#define OPERATIONS_MOST 16

struct operation_choice {
	const char *word[OPERATIONS_MOST]; /* one of these, */
	uint32_t words; /* 0: nothing is said, or more */
	node_id number; /* ... by this; NODE_NONE: there is one */
};

struct operation_choice operation_choice_of(const struct overview *, size_t statement);

/* What all of them can reduce. */
enum operands operations_operands(const struct overview *, size_t statement);

#endif
