/*
 * repeats.h -- what a sequence of numbers repeats: in a row (runs), and anywhere (blocks).
 *
 *	a b a b a c		a run: period 2, from 0 to 5
 *	a b c x a b c		a block: a b c, at 0 and 4
 */
#ifndef TRACENEST_MERGE_REPEATS_H
#define TRACENEST_MERGE_REPEATS_H

#include <stddef.h>
#include <stdint.h>

/* Each number from the start on, up to end - period, is the same again a period later; two periods
   at least. Neither can be moved outwards. */
struct repeat {
	size_t start, end, period;
	size_t part; /* of the period, which is the period of a run from start to end, too; 0: none is
	                known */
};

struct runs {
	struct repeat *run; /* by period, then start */
	size_t length, capacity;
};

/*
 * All runs, but for those of a period above `multiple` that are a run of a part of it, too. Pairs
 * of positions that are a period apart are looked at once per period (Main & Lorentz, Journal of
 * Algorithms 5(3), 1984): O(n log n) pairs, each O(1) expected; O(n) memory.
 */
struct runs runs_find(const uint32_t *number, size_t n, size_t multiple);
void runs_clear(struct runs *);

/* A block that occurs where the suffixes first to last of the order begin, and cannot be made
   longer in all these places; with fewer than `shorter` + 1 numbers it occurs in others, too. */
struct repeated {
	size_t first, last, length, shorter;
};

struct blocks_found {
	size_t *order; /* where suffixes begin, in their order */
	struct repeated *block;
	size_t length, capacity;
};

/* All repeated blocks: the nodes of the suffix tree, by a suffix array (Manber & Myers, SIAM
   Journal on Computing 22(5), 1993) and the lengths of common prefixes (Kasai et al., CPM 2001).
   There are fewer than n. O(n log n) time, O(n) memory. */
struct blocks_found blocks_find(const uint32_t *number, size_t n);
void blocks_found_clear(struct blocks_found *);

#endif
