/*
 * digest.h -- are two sequences of numbers the same, however they are written as loops?
 *
 *	struct digest a = digest_empty, one = digest_of(17);
 *	a = digest_join(&a, &one);
 *	a = digest_repeat(a, 1000000);
 *	if (digest_same(&a, &b))
 *		...
 *
 * The digest of a sequence is that of its parts, so that of a loop takes O(log count). (Karp &
 * Rabin 1987. Two polynomials over the field of 2^61 - 1 elements: different sequences of n numbers
 * have equal digests with a probability of n^2 / 2^122.)
 */
#ifndef TRACENEST_BASE_DIGEST_H
#define TRACENEST_BASE_DIGEST_H

#include <stdbool.h>
#include <stdint.h>

#define DIGEST_ROWS 2

struct digest {
	uint64_t length; /* numbers, modulo 2^64 */
	uint64_t value[DIGEST_ROWS]; /* of the polynomial */
	uint64_t power[DIGEST_ROWS]; /* its base to the length */
};

static inline bool digest_same(const struct digest *a, const struct digest *b)
{
	return a->length == b->length && a->value[0] == b->value[0] && a->value[1] == b->value[1];
}

extern const struct digest digest_empty;

/* Of a sequence of one number; of one sequence behind the other; O(1). */
struct digest digest_of(uint32_t);
struct digest digest_join(const struct digest *, const struct digest *);

/* This sequence so many times. O(log count). */
struct digest digest_repeat(struct digest, uint64_t count);

#endif
