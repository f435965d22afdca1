/*
 * behaviours.h -- what processes did, recognized in different places, on its way to the one place
 * that reduces it.
 *
 *	struct behaviours *s = behaviours_new();
 *	behaviours_add(s, rank, &bytes);			-- of each process recognized here
 *	...
 *	transport_gather(transport, &(struct gathering){s, behaviours_unpack, behaviours_pack});
 *	behaviours_free(s);
 *
 * A process is bytes that say what it does relative to itself (model/process_pack.h), so those
 * who do the same are told once, with the set of their ranks: what travels, and what is held where
 * it comes together, follows the different processes, not all.
 */
#ifndef TRACENEST_LIB_BEHAVIOURS_H
#define TRACENEST_LIB_BEHAVIOURS_H

#include <stdint.h>

#include "base/pack.h"

struct behaviours;

struct behaviours *behaviours_new(void);
void behaviours_free(struct behaviours *);

/* What a process does, once for each. */
void behaviours_add(struct behaviours *, uint32_t rank, const void *bytes, size_t size);

/* All in one; and taken in from another place. Bytes that are damaged are not taken in as a
   whole. */
void behaviours_pack(const struct behaviours *, struct text *to);
void behaviours_unpack(struct behaviours *, struct unpack *);

/* How many different ones there are; what they do, and who. Views. */
uint32_t behaviours_count(const struct behaviours *);
const void *behaviours_get(const struct behaviours *, uint32_t i, const struct ranks **who, size_t *size);

#endif
