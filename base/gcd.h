/*
 * gcd.h -- the greatest common divisor, the least common multiple, remainders.
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

/* Of a division that rounds down: not negative. */
static inline int64_t modulo(int64_t a, int64_t modulus)
{
	int64_t rest = a % modulus;
	return rest < 0 ? rest + modulus : rest;
}

/* Of a number from 0 to modulus - 1, there as well; 0: there is none. */
static inline int64_t inverse_modulo(int64_t number, int64_t modulus)
{
	int64_t a = number, b = modulus, x = 1, y = 0;
	while (b) {
		int64_t times = a / b, rest = a - times * b, z = (int64_t)((x - (__int128)times * y) % modulus);
		a = b;
		b = rest;
		x = y;
		y = z;
	}
	return a == 1 ? modulo(x, modulus) : 0;
}

#endif
