/*
 * hash.h -- hash functions for tables in memory (never stored, never compared between runs).
 */
#ifndef TRACENEST_BASE_HASH_H
#define TRACENEST_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Scramble 64 bits so that every bit of the result depends on every bit of x (the finalizer of
   splitmix64). */
static inline uint64_t hash_mix(uint64_t x)
{
	x ^= x >> 30;
	x *= UINT64_C(0xbf58476d1ce4e5b9);
	x ^= x >> 27;
	x *= UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

static inline uint64_t hash_pair(uint64_t a, uint64_t b)
{
	return hash_mix(a * UINT64_C(0x9e3779b97f4a7c15) + b);
}

static inline uint64_t hash_bytes(const void *data, size_t size)
{
	const unsigned char *at = data;
	uint64_t h = size;
	for (; size >= 8; at += 8, size -= 8) {
		uint64_t word;
		memcpy(&word, at, 8);
		h = hash_pair(h, word);
	}
	uint64_t rest = 0;
	memcpy(&rest, at, size);
	return hash_pair(h, rest);
}

#endif
