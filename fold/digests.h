/*
 * digests.h -- are two parts of a nest the same records, however these are written as loops?
 * Private to fold/.
 *
 *	struct digests d = {.nest = n};
 *	struct digest a = digests_of(&d, node), b = digests_part(&d, loop, 3, a.length);
 *	if (digest_same(&a, &b))	-- records 3, 4, ... of the loop are those of the node
 *	digests_clear(&d);
 *
 * The digest of a sequence is that of its parts, so that of a loop takes O(log count), and any
 * stretch of its iterations O(depth * log body). (Karp & Rabin 1987. Two polynomials over the field
 * of 2^61 - 1 elements: different sequences of n records have equal digests with a probability of
 * n^2 / 2^122.)
 */
#ifndef TRACENEST_FOLD_DIGESTS_H
#define TRACENEST_FOLD_DIGESTS_H

#include "model/nest.h"

#define DIGEST_ROWS 2

struct digest {
	uint64_t length; /* records */
	uint64_t value[DIGEST_ROWS]; /* of the polynomial */
	uint64_t power[DIGEST_ROWS]; /* its base to the length */
};

static inline bool digest_same(const struct digest *a, const struct digest *b)
{
	return a->length == b->length && a->value[0] == b->value[0] && a->value[1] == b->value[1];
}

/* This sequence so many times. O(log count). */
struct digest digest_repeat(struct digest, uint64_t count);

struct digests {
	const struct nest *nest; /* may grow; loops have records, all together fewer than 2^62 */
	struct digest *body; /* by loop: of one iteration */
	struct digest *before; /* by item of the nest: of what stands before it in its body */
	size_t loops, body_capacity, before_capacity; /* loops: so many are known */
};

void digests_clear(struct digests *);

/* Of a node; of one iteration of a loop, whose length is its period. */
struct digest digests_of(struct digests *, node);
struct digest digests_body(struct digests *, node loop);
uint64_t digests_period(struct digests *, node loop);

/* Of so many records from the one at `from`, of a loop that goes on for ever. */
struct digest digests_part(struct digests *, node loop, uint64_t from, uint64_t length);

#endif
