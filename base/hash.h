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

/* Both halves of the product: what two words come to. */
static inline uint64_t hash_fold(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)a * b;
	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Two words a step, as in wyhash (Wang Yi): structs of a kilobyte are interned by the million. */
static inline uint64_t hash_bytes(const void *data, size_t size)
{
	const unsigned char *at = data;
	uint64_t h = size, word[2];
	for (; size > sizeof word; at += sizeof word, size -= sizeof word) {
		memcpy(word, at, sizeof word);
		h = hash_fold(word[0] ^ UINT64_C(0xa0761d6478bd642f), word[1] ^ UINT64_C(0xe7037ed1a0b428db) ^ h);
	}
	word[0] = word[1] = 0;
	if (size)
		memcpy(word, at, size);
	return hash_pair(hash_pair(h, word[0]), word[1]);
}

#endif
