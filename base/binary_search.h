/*
 * binary_search.h -- by a condition: where in an ascending array does what is wanted begin?
 *
 *	size_t run;
 *	SEARCH_FIRST(run, 0, set->length, set->run[run].last >= 7);
 */
#ifndef TRACENEST_BASE_BINARY_SEARCH_H
#define TRACENEST_BASE_BINARY_SEARCH_H

#include <stddef.h>

/* Sets `at`, a size_t, to the first of low <= at < high for which the condition, an expression in
   `at`, holds; to `high` if there is none. Where it holds, it must hold from there on. O(log). */
#define SEARCH_FIRST(at, low, high, condition)                                                                         \
	do {                                                                                                           \
		size_t low_ = (low), high_ = (high);                                                                   \
		while (low_ < high_) {                                                                                 \
			(at) = low_ + (high_ - low_) / 2;                                                              \
			if (condition)                                                                                 \
				high_ = (at);                                                                          \
			else                                                                                           \
				low_ = (at) + 1;                                                                       \
		}                                                                                                      \
		(at) = low_;                                                                                           \
	} while (0)

#endif
