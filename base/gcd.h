/*
 * gcd.h -- the greatest common divisor, the least common multiple.
 */
#ifndef TRACENEST_BASE_GCD_H
#define TRACENEST_BASE_GCD_H

#include <stdint.h>

/* gcd(0, a) is a. */
static inline uint64_t gcd(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

/* Of numbers that are not 0; 0: it is more than the limit. */
static inline uint64_t common_multiple(uint64_t a, uint64_t b, uint64_t limit)
{
	uint64_t multiple;
	return __builtin_mul_overflow(a / gcd(a, b), b, &multiple) || multiple > limit ? 0 : multiple;
}

#endif
