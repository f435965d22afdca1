/*
 * sameness.h -- do two programs say the same, whatever their texts look like?
 *
 *	struct first_difference difference;
 *	if (runs_sameness(before, after, VALUES_SHARED, UINT64_C(1) << 28, &difference) == SAMENESS_SAME)
 *		... every process does the same in both, event by event
 *	first_difference_clear(&difference);
 *
 * Which statements a program has depends on how it was found: what is folded, turned, tabled. The
 * streams of its processes do not.
 */
#ifndef TRACENEST_ASK_SAMENESS_H
#define TRACENEST_ASK_SAMENESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "model/run.h"

enum sameness { SAMENESS_SAME, SAMENESS_DIFFERENT, SAMENESS_UNKNOWN };

/* What events carry that must be the same, too; but for call sites, which are lines of a source. */
enum compared_values {
	VALUES_NONE,
	VALUES_OF_BOTH, /* under the names that both events carry something under */
	VALUES_SHARED, /* under the names that both programs know */
	VALUES_ALL
};

/* Where streams first differ. */
struct first_difference {
	bool known;
	uint32_t rank;
	uint64_t position; /* events of the rank before it */
	struct text event[2]; /* what stands there, with what it carries; empty: the end */
};
void first_difference_clear(struct first_difference *);

/*
 * So many events are compared at most: of streams that only differ behind them it is unknown, as it
 * is where a number does not come out. difference: may be NULL; to be cleared. O(events up to the
 * first difference).
 */
enum sameness runs_sameness(
	struct run *, struct run *other, enum compared_values, uint64_t events, struct first_difference *difference);

#endif
