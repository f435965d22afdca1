/*
 * sameness.h -- do two programs say the same, whatever their texts look like?
 *
 *	if (programs_sameness(before, after, "bytes", UINT64_C(1) << 25) == SAMENESS_SAME)
 *		... every process does the same in both, event by event
 *
 * Which statements a program has depends on how it was found: what is folded, turned, tabled. The
 * streams of its processes do not.
 */
#ifndef TRACENEST_ASK_SAMENESS_H
#define TRACENEST_ASK_SAMENESS_H

#include <stdbool.h>
#include <stdint.h>

#include "ask/projection.h"

enum sameness { SAMENESS_SAME, SAMENESS_DIFFERENT, SAMENESS_UNKNOWN };

/*
 * value: what events carry by this name must be the same, too, where it is known in both (NULL:
 * nothing). Programs of more than so many events are not compared: unknown. Words and groups of the
 * other one are added to the dictionary of the first. O(events up to the first difference).
 */
enum sameness programs_sameness(struct program *, struct program *other, const char *value, uint64_t events);

/* Of all processes of the other one, where words and groups have the same ids in both. */
bool streams_same(const struct projection *, struct program *other);

#endif
