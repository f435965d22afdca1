/*
 * shares.h -- what processes did, recognized in different places, on its way to the one place that
 * reduces it.
 *
 *	struct shares *s = shares_new();
 *	shares_add(s, rank, &bytes);			-- of each process recognized here
 *	...
 *	transport_gather(transport, &(struct gathering){s, shares_unpack, shares_pack});
 *	shares_free(s);
 *
 * A process is bytes that say what it does relative to itself (model/dictionary_pack.h), so those
 * who do the same are told once, with the set of their ranks: what travels, and what is held where
 * it comes together, follows the different processes, not all.
 */
#ifndef TRACENEST_LIB_SHARES_H
#define TRACENEST_LIB_SHARES_H

#include <stdint.h>

#include "base/pack.h"

struct shares;

struct shares *shares_new(void);
void shares_free(struct shares *);

/* What a process does, once for each. */
void shares_add(struct shares *, uint32_t rank, const void *bytes, size_t size);

/* All in one; and taken in from another place. Bytes that are damaged are not taken in as a
   whole. */
void shares_pack(const struct shares *, struct text *to);
void shares_unpack(struct shares *, struct unpack *);

/* How many different ones there are; what they do, and who. Views. */
uint32_t shares_count(const struct shares *);
const void *shares_get(const struct shares *, uint32_t i, const struct ranks **who, size_t *size);

#endif
