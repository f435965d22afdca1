/*
 * multiples.h -- tables of sizes of which one is a multiple of the other become one table.
 *
 *	bytes=$b[z]		$b = 112 104 104		bytes={8*$b[z]}		$b = 14 13 13
 *	bytes=$b2[z]		$b2 = 1344 1248 1248		bytes={96*$b[z]}
 *
 *	bytes=$b[p,i0]		$b = 8 7 9 | 0 0 0 | 0 0 0	bytes=$b[p]*$b2[i0]	$b = 1 0 0
 *	received=$r[p,i0]	$r = 0 0 0 | 8 7 9 | 8 7 9	received=$r[p]*$b2[i0]	$r = 0 1 1, $b2 = 8 7 9
 *
 * What the dimensions of a grid are is said once, and how many bytes that is by the statement; so is
 * how much a root sends, and by a table of 1 and 0 who that is.
 */
#ifndef TRACENEST_MERGE_MULTIPLES_H
#define TRACENEST_MERGE_MULTIPLES_H

#include "model/draft.h"

/* In place; the numbers are the same. False: there are no such tables, and nothing has changed.
   O(lines + entries). */
bool multiples_share(struct draft *);

#endif
