/*
 * rank_sets.h -- sets of ranks, each stored once under an id, and their unions.
 *
 *	struct rank_sets *s = rank_sets_new();
 *	uint32_t id = rank_sets_id(s, &ranks, NULL);
 *	rank_sets_start(s);
 *	rank_sets_join(s, id);				-- O(1), if it was joined before
 *	uint32_t all = rank_sets_union(s);
 *	... rank_sets_get(s, all)
 *	rank_sets_free(s);
 *
 * A union is of the *distinct* sets that are joined: a million sends of 16 processes are 16 sets.
 */
#ifndef TRACENEST_BASE_RANK_SETS_H
#define TRACENEST_BASE_RANK_SETS_H

#include <stdint.h>

#include "base/ranks.h"

#define RANK_SETS_NOBODY 0 /* the id of the empty set */

struct rank_sets;

struct rank_sets *rank_sets_new(void);
void rank_sets_free(struct rank_sets *);

/* wanted: of these ranks alone; NULL: of all. */
uint32_t rank_sets_id(struct rank_sets *, const struct ranks *, const struct ranks *wanted);

/* Borrowed. */
struct ranks rank_sets_get(const struct rank_sets *, uint32_t id);

/* Ids are 0 to this minus 1. */
uint32_t rank_sets_count(const struct rank_sets *);

/* One union at a time. */
void rank_sets_start(struct rank_sets *);
void rank_sets_join(struct rank_sets *, uint32_t id);
uint32_t rank_sets_union(struct rank_sets *);

#endif
