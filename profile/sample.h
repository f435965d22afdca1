/*
 * sample.h -- some of many values in a row, the same ones of all rows that are as long: so that the
 * k-th of one can be compared with the k-th of another.
 *
 *	struct sample s = {0};
 *	sample_add(&s, 1250);			-- O(1)
 *	... s.kept[i].index, s.kept[i].value
 *	sample_clear(&s);
 */
#ifndef TRACENEST_PROFILE_SAMPLE_H
#define TRACENEST_PROFILE_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

#define SAMPLE_MOST 64

struct sample {
	uint64_t seen;
	uint32_t level; /* one in 2^level is kept */
	struct sampled {
		uint64_t index, value;
	} * kept; /* by index */
	size_t length, capacity;
};

void sample_add(struct sample *, uint64_t value);
void sample_clear(struct sample *);

/* The mean, over what was kept, of the largest of samples of rows that are as long; 0: they are not. */
double sample_mean_of_largest(const struct sample *const *, size_t samples);

#endif
