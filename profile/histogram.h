/*
 * histogram.h -- how long something took, over many occurrences, without keeping them: sums,
 * extremes with where they were seen, buckets.
 *
 *	struct histogram t = {0};
 *	histogram_add(&t, 1250, rank, iteration);
 *	histogram_merge(&t, &another);
 *	histogram_clear(&t);
 *
 * Histograms merge: in any order and grouping the result is the same, bit for bit. Values of a
 * bucket differ from its middle by at most 1/9 of it (of few ticks, not at all).
 */
#ifndef TRACENEST_PROFILE_HISTOGRAM_H
#define TRACENEST_PROFILE_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

#define HISTOGRAM_NOT_KNOWN UINT64_MAX

struct histogram_extreme {
	uint64_t value, iteration; /* iteration: or HISTOGRAM_NOT_KNOWN */
	uint32_t rank;
};

struct histogram {
	uint64_t count, sum;
	unsigned __int128 squares;
	struct histogram_extreme least, most; /* of equals that of the lowest rank, then iteration */
	uint32_t first; /* bucket that count[0] counts */
	uint32_t buckets, capacity;
	uint64_t *bucket;
};

void histogram_add(struct histogram *, uint64_t value, uint32_t rank, uint64_t iteration);
void histogram_merge(struct histogram *, const struct histogram *);
void histogram_clear(struct histogram *);

double histogram_mean(const struct histogram *);

#define HISTOGRAM_BITS 2 /* of base/buckets.h */

#endif
