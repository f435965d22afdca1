/*
 * spread.h -- how long something took, over many occurrences, without keeping them: sums, extremes
 * with where they were seen, a histogram.
 *
 *	struct spread t = {0};
 *	spread_add(&t, 1250, rank, iteration);
 *	spread_merge(&t, &another);
 *	spread_clear(&t);
 *
 * Spreads merge: in any order and grouping the result is the same, bit for bit. Values of a bucket
 * differ from its middle by at most 1/9 of it (of few ticks, not at all).
 */
#ifndef TRACENEST_PROFILE_SPREAD_H
#define TRACENEST_PROFILE_SPREAD_H

#include <stddef.h>
#include <stdint.h>

struct spread_extreme {
	uint64_t value, iteration;
	uint32_t rank;
};

struct spread {
	uint64_t count, sum;
	unsigned __int128 squares;
	struct spread_extreme least, most; /* of equals that of the lowest rank, then iteration */
	uint32_t first; /* bucket that count[0] counts */
	uint32_t buckets, capacity;
	uint64_t *bucket;
};

void spread_add(struct spread *, uint64_t value, uint32_t rank, uint64_t iteration);
void spread_merge(struct spread *, const struct spread *);
void spread_clear(struct spread *);

double spread_mean(const struct spread *);

/* Buckets hold the values from spread_low(b) to spread_low(b + 1) - 1: 0 to 7 one value each, then
   four in each octave. */
uint32_t spread_bucket(uint64_t value);
uint64_t spread_low(uint32_t bucket);

#endif
