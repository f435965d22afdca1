/*
 * joined_arguments.h -- numbers that more sources decide than a table has arguments: some that
 * follow each other are one argument.
 *
 *	$g[p,i0,24*i1+6*i2+i3]		the last ones
 *	$g[12*p+4*i0+i1,i2,i3]		those that go equally far, wherever the others are
 *
 * An argument of several sources has room for all iterations of each; where a loop has fewer, that
 * is holes. A row is as long as it is, so that sources that differ in how far they go are better
 * the row, or the rows of a block.
 */
#ifndef TRACENEST_FIT_JOINED_ARGUMENTS_H
#define TRACENEST_FIT_JOINED_ARGUMENTS_H

#include "fit/search.h"

enum joined_by {
	JOINED_LAST, /* what is read first stands by itself */
	JOINED_FEW, /* fewest places */
	JOINED_WAYS
};

struct joined_arguments {
	struct variable argument[TABLE_ARGUMENTS];
	uint32_t arguments;
};

/* tabled: sources that may be asked. False: these do not decide the numbers, go too far, or are so
   few that none are joined, and other ways find no other arguments. What it holds is there until
   joined_arguments_clear. O(points x sources^2). */
bool joined_arguments_find(
	struct joined_arguments *, const struct search *, const int64_t *number, uint32_t tabled, enum joined_by);
void joined_arguments_clear(struct joined_arguments *);

#endif
