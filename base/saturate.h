/*
 * saturate.h -- counts that stop at UINT64_MAX, which stands for that many or more.
 */
#ifndef TRACENEST_BASE_SATURATE_H
#define TRACENEST_BASE_SATURATE_H

#include <stdint.h>

static inline uint64_t saturating_add(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

static inline uint64_t saturating_multiply(uint64_t a, uint64_t b)
{
	uint64_t product;
	return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

#endif
