/*
 * ranks.h -- sets of ranks, held and printed as runs: "0-15", "0,4,8-11", or as patterns: "1-15:2",
 * "(1-3)+4*4".
 *
 * A set is a value: a sorted array of runs that neither overlap nor touch, so that equal sets are
 * equal byte for byte (and can be interned as such). Its size follows the number of runs, never the
 * number of ranks.
 */
#ifndef TRACENEST_BASE_RANKS_H
#define TRACENEST_BASE_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

/* Ranks are 0 to RANK_LIMIT - 1: beyond any machine built, and small enough for an array with a
   pointer per rank. */
#define RANK_LIMIT (UINT32_C(1) << 22)

struct ranks_run {
	uint32_t first, last; /* both inside the set; first <= last */
};

struct ranks {
	struct ranks_run *run;
	size_t length, capacity;
};

/* An empty set is {0}; release with ranks_clear, which leaves it empty. */
void ranks_clear(struct ranks *);
void ranks_copy(struct ranks *to, const struct ranks *from); /* to: an initialized set, replaced */

/* Add one rank, or first to last. Amortized O(1) at the upper end, O(runs) elsewhere. */
void ranks_add(struct ranks *, uint32_t rank);
void ranks_add_run(struct ranks *, uint32_t first, uint32_t last);

/* to: initialized, replaced by the result; may not be one of the operands. O(runs of a + runs of
   b). */
void ranks_unite(struct ranks *to, const struct ranks *a, const struct ranks *b);
void ranks_intersect(struct ranks *to, const struct ranks *a, const struct ranks *b);
void ranks_subtract(struct ranks *to, const struct ranks *a, const struct ranks *b);

/* The same of a set that becomes the result. */
void ranks_join(struct ranks *, const struct ranks *more);
void ranks_remove(struct ranks *, const struct ranks *less);

bool ranks_has(const struct ranks *, uint32_t rank); /* O(log runs) */
bool ranks_equal(const struct ranks *a, const struct ranks *b);
bool ranks_meet(const struct ranks *a, const struct ranks *b); /* is the intersection not empty? */
bool ranks_within(const struct ranks *a, const struct ranks *b); /* is a a subset of b? */
uint64_t ranks_count(const struct ranks *);

/* The set as runs: "0-15", "0,4,8-11"; "" when empty. Runs of two print as "0-1". */
void ranks_print(const struct ranks *, struct text *out);

/*
 * The set in a form that is as short as it gets by repetition: besides runs, strided ones, "1-15:2"
 * for 1, 3, ... 15, and repeated groups, "(1-3)+4*4" for 1-3, 5-7, 9-11, 13-15: four copies, 4
 * ranks apart. Groups nest. O(runs) but for a factor of the depth.
 */
void ranks_print_short(const struct ranks *, struct text *out);

/*
 * A condition in C that holds of exactly those ranks below `limit` that are in the set, "p % 4 >=
 * 1"; "1" and "0" where it is all of them or none. variable: the name of the rank. It can be an
 * operand of && as it is.
 */
void ranks_print_condition(const struct ranks *, uint32_t limit, const char *variable, struct text *out);

/*
 * Reads what stands at *at, in any of these forms, up to a character that cannot belong to a set
 * and moves *at there. Errors (false, *error set): an empty set, runs backwards, ranks out of order
 * or twice, copies that overlap, strides or counts of 0, ranks not below RANK_LIMIT.
 */
bool ranks_parse(struct ranks *to, const char **at, struct error *error);

/* for (uint32_t r; ranks_next(set, &walk, &r);) ... : every rank in ascending order; start from
   walk = {0}. */
struct ranks_walk {
	size_t run;
	uint32_t offset;
};
bool ranks_next(const struct ranks *, struct ranks_walk *, uint32_t *rank);

#endif
