/*
 * alignment.h -- the heaviest common subsequence of two lists.
 *
 *	size_t *of = mem_array(n + 1, sizeof *of);
 *	alignment_heaviest(n, m, weight, context, of);
 *	... of[i]: the item of the second list that the i-th of the first is, or ALIGNMENT_NONE
 */
#ifndef TRACENEST_ASK_ALIGNMENT_H
#define TRACENEST_ASK_ALIGNMENT_H

#include <stddef.h>
#include <stdint.h>

#define ALIGNMENT_NONE SIZE_MAX

/* What it counts that the i-th of the first list and the k-th of the second are one; 0: they cannot
   be. */
typedef uint32_t alignment_weight(const void *context, size_t i, size_t k);

/* O(n * m) time and bytes. (Needleman & Wunsch, Journal of Molecular Biology 48(3), 1970.) */
void alignment_heaviest(size_t n, size_t m, alignment_weight *, const void *context, size_t *of);

#endif
