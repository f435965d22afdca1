/*
 * buckets.h -- the buckets of histograms of durations: so many of equal width in each octave, so
 * that a value differs from the middle of its bucket by the same part at most, however large it is.
 *
 * With `bits`, 2^bits buckets are an octave; values below 2^(bits + 1) have one each.
 */
#ifndef TRACENEST_BASE_BUCKETS_H
#define TRACENEST_BASE_BUCKETS_H

#include <stdint.h>

static inline uint32_t bucket_of(uint64_t value, unsigned bits)
{
	unsigned octave = value >> bits ? 63 - (unsigned)__builtin_clzll(value) - bits : 0;
	return (octave << bits) + (uint32_t)(value >> octave);
}

/* The least value of a bucket; UINT64_MAX behind the last. */
static inline uint64_t bucket_low(uint32_t bucket, unsigned bits)
{
	unsigned octave = bucket >> bits ? (bucket >> bits) - 1 : 0;
	uint64_t step = bucket - (octave << bits);
	return octave > 63 - bits ? UINT64_MAX : step << octave;
}

#endif
