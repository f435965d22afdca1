/*
 * term.h -- what the recognizer's window holds: records, and loops over interned bodies. Private to
 * nlr/.
 *
 * Bodies are interned, so a loop is two integers and comparing terms is comparing integers, however
 * deep they are. A body is stored with a terminator behind its last term, so that following it
 * needs one comparison per record.
 */
#ifndef TRACENEST_NLR_TERM_H
#define TRACENEST_NLR_TERM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"

/* A record: its number, count 0. A loop: the id of its body, and the iterations. */
struct term {
	uint32_t id, count;
};

#define NO_RECORD UINT32_MAX
#define TERMINATOR ((struct term){NO_RECORD, UINT32_MAX})
#define MOST_ITERATIONS (UINT32_MAX - 1) /* of a loop; more of them are another loop */

static inline bool term_is_record(struct term t)
{
	return t.count == 0;
}
static inline bool term_is_terminator(struct term t)
{
	return t.id == NO_RECORD;
}
static inline bool term_is_loop(struct term t)
{
	return t.count != 0 && !term_is_terminator(t);
}
static inline bool term_equal(struct term a, struct term b)
{
	return a.id == b.id && a.count == b.count;
}

/*
 * Hashes of sequences are polynomials over the Mersenne prime 2^61 - 1. (Modulo 2^64 the
 * multiplication would be free, but Thue-Morse words collide for every base, and programs as
 * regular as that exist.) A hash only ever rules candidates out.
 */
#define HASH_PRIME ((UINT64_C(1) << 61) - 1)
#define HASH_BASE UINT64_C(0x15a4e35f2c3b7d91)

static inline uint64_t hash_reduce(uint64_t x)
{
	x = (x & HASH_PRIME) + (x >> 61);
	return x >= HASH_PRIME ? x - HASH_PRIME : x;
}

static inline uint64_t hash_times(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)a * b;
	return hash_reduce(((uint64_t)product & HASH_PRIME) + (uint64_t)(product >> 61));
}

static inline uint64_t hash_append(uint64_t sequence, struct term t)
{
	return hash_reduce(hash_times(sequence, HASH_BASE) + hash_reduce(hash_pair(t.id, t.count)));
}

#endif
