/*
 * gcd.h -- greatest common divisor, least common multiple, remainders, roots, logarithms.
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

/* b is above 0: rounded down, and up. */
static inline int64_t floor_of(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

static inline int64_t ceil_of(int64_t a, int64_t b)
{
	return a / b + (a % b > 0);
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

/* Of numbers above 0: the largest that is not more. */
static inline int64_t floor_log2(int64_t number)
{
	return 63 - __builtin_clzll((unsigned long long)number);
}

/* ... the smallest that is not less. */
static inline int64_t ceil_log2(int64_t number)
{
	return number > 1 ? 1 + floor_log2(number - 1) : 0;
}

/* Of a number that is not negative, by Newton's steps from above. */
static inline int64_t floor_root(int64_t number)
{
	int64_t root = number > 1 ? INT64_C(1) << (floor_log2(number) / 2 + 1) : number;
	while (root > 1 && root > number / root)
		root = (root + number / root) / 2;
	return root;
}

#endif
