/*
 * union_find.h -- what belongs together, told pair by pair.
 *
 *	union_find_start(parent, n);
 *	union_find_join(parent, 3, 7);
 *	union_find_root(parent, 7);		-- 3
 *
 * The array is the caller's. Elements of one set have the same root, which is their lowest:
 * parent[x] == x holds for roots alone. An operation takes O(log n) amortized (path halving: Tarjan
 * & van Leeuwen, Journal of the ACM 31(2), 1984).
 */
#ifndef TRACENEST_BASE_UNION_FIND_H
#define TRACENEST_BASE_UNION_FIND_H

#include <stdbool.h>
#include <stdint.h>

/* Every element alone. */
static inline void union_find_start(uint32_t *parent, uint32_t elements)
{
	for (uint32_t x = 0; x < elements; x++)
		parent[x] = x;
}

static inline uint32_t union_find_root(uint32_t *parent, uint32_t x)
{
	while (parent[x] != x)
		x = parent[x] = parent[parent[x]];
	return x;
}

/* Were they apart? */
static inline bool union_find_join(uint32_t *parent, uint32_t a, uint32_t b)
{
	a = union_find_root(parent, a);
	b = union_find_root(parent, b);
	if (a < b)
		parent[b] = a;
	else
		parent[a] = b;
	return a != b;
}

#endif
