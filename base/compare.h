/*
 * compare.h -- comparisons of numbers, as qsort and bsearch ask for them: ascending.
 */
#ifndef TRACENEST_BASE_COMPARE_H
#define TRACENEST_BASE_COMPARE_H

#include <stdint.h>

/* Below, at or above 0. */
#define COMPARE(left, right) (((left) > (right)) - ((left) < (right)))

static inline int compare_u32(const void *left, const void *right)
{
	return COMPARE(*(const uint32_t *)left, *(const uint32_t *)right);
}

static inline int compare_u64(const void *left, const void *right)
{
	return COMPARE(*(const uint64_t *)left, *(const uint64_t *)right);
}

static inline int compare_i64(const void *left, const void *right)
{
	return COMPARE(*(const int64_t *)left, *(const int64_t *)right);
}

static inline int compare_double(const void *left, const void *right)
{
	return COMPARE(*(const double *)left, *(const double *)right);
}

#endif
