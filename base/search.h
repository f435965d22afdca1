/*
 * search.h -- binary search by a condition: where in an ascending array does what is wanted begin?
 *
 *	static bool reaches(const void *set, size_t i) { return ((const struct ranks *)set)->run[i].last >= 7; }
 *	size_t first = search_first(0, set->length, reaches, set);
 *
 * Inlined with its condition, it costs what a loop written in place costs.
 */
#ifndef TRACENEST_BASE_SEARCH_H
#define TRACENEST_BASE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

/* The first i of low <= i < high for which the condition holds, `high` if there is none. Where it
   holds, it must hold from there on. O(log). */
static inline size_t search_first(
	size_t low, size_t high, bool (*holds)(const void *context, size_t i), const void *context)
{
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (holds(context, middle))
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

#endif
