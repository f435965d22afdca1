/*
 * gcd.h -- the greatest common divisor.
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

#endif
