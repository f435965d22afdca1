/*
 * fit.h -- the numbers that come with the executions of a statement, as one function of the
 * process, its place on the grid and the indices of the loops around.
 *
 *	struct fit_series member[] = {{0, a}, {1, b}};		-- by process, in the order of its executions
 *	if (fit_statement(program, at, member, 2, "b", &value))
 *		... value_at(&value, &spot) is the number of each execution
 *
 * Tried are, in this order: a constant; an affine function, if its coordinates begin to move one
 * after the other; a sum of functions of one coordinate each, affine and with a remainder; a table
 * of as few coordinates as suffice. What is found is proven on every number. Where functions of the
 * place on the grid and of the rank are as good, the shorter text is taken, and of equals the one
 * on the grid, which says the same for any number of processes.
 */
#ifndef TRACENEST_FOLD_FIT_H
#define TRACENEST_FOLD_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/series.h"
#include "model/program.h"

struct fit_series {
	uint32_t rank; /* ascending */
	struct series *series; /* finished; a number for each execution, but a constant one may be of any length */
};

/*
 * Tables are added to the program's dictionary, with this name, or one that begins so; NULL: none
 * are made, and numbers of which there are many are taken out of their series when they become one:
 * then these have none any more. False: there is no such function, and no table can hold it. O(numbers); where all
 * processes have the same, those of one; where none varies, O(processes).
 */
bool fit_statement(
	struct program *, size_t at, const struct fit_series *, size_t count, const char *name, struct value *);

/* After how many entries they begin anew; their number where they do not do so twice. O(size). */
uint64_t fit_period(const int64_t *entry, uint64_t size);

#endif
