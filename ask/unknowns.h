/*
 * unknowns.h -- what counts come to that are no polynomials in indices: guards, tables, remainders,
 * counts that depend on the process, and their sums over the iterations of loops.
 *
 *	for i0 = 0 to 699
 *	  if {i0%7} = 6			-- the body, ({i0%7} = 6) times
 *	...
 *	0 send 1 t			-- behind sum(k0<700: {k0%7} = 6) of its events
 *
 * Each is a variable of polynomials (base/polynomial.h), numbered from POLYNOMIAL_OTHERS on: equal
 * ones are one. Numbers are kept as nodes in which the loops around are counted as if all that
 * nest were around, so that the index of the outermost is the same node wherever it is asked for.
 */
#ifndef TRACENEST_ASK_UNKNOWNS_H
#define TRACENEST_ASK_UNKNOWNS_H

#include "base/polynomial.h"
#include "model/run.h"

/* Sums that depend on nothing are numbers, if this many iterations tell: of one period where there
   is one. */
#define UNKNOWN_ITERATIONS (INT64_C(1) << 16)

struct unknowns;

enum unknown_kind { UNKNOWN_COUNT, UNKNOWN_TEST, UNKNOWN_INSIDE, UNKNOWN_SUM };

/* What an unknown is, for those who write it as code. */
struct unknown {
	struct unknown_key {
		uint32_t kind;
		node_id node; /* a number, clipped at 0; a test; a place that may be outside of the grid */
		uint64_t index; /* of a sum: the product, but for its coefficient, over 0 to n - 1 of it */
		int64_t divisor; /* of n */
		struct polynomial_term product;
	} is;
	struct polynomial n;
	uint64_t indices; /* that it depends on, a bit each from the outermost */
	bool process;
};

/* The run's module has no calls. */
struct unknowns *unknowns_new(struct run *);
void unknowns_free(struct unknowns *);

/* Into the body of a loop with this last index, and out of it. Numbers and tests stand in it. */
void unknowns_enter(struct unknowns *, node_id last);
void unknowns_leave(struct unknowns *);
uint16_t unknowns_depth(const struct unknowns *); /* loops around, and the number of the next index */

/* p += the number, or 0 where that is below, for these processes; 1, where the test holds; where
   the place is inside of the open grid. */
void unknowns_add_count(struct unknowns *, struct polynomial *p, node_id number, uint32_t first, uint32_t last);
void unknowns_add_test(struct unknowns *, struct polynomial *p, node_id test);
void unknowns_add_inside(struct unknowns *, struct polynomial *p, node_id place);

/* polynomial_add_sum where q may have unknowns. */
void unknowns_add_sum(struct unknowns *, struct polynomial *p, const struct polynomial *q, uint16_t index,
	const struct polynomial *n);

/* The value for the environment's process at its indices, all run_depth of which may be written to;
   false where it is not known. O(iterations of its sums). For any thread. */
bool unknowns_value(const struct unknowns *, const struct polynomial *, struct environment *, int64_t *value);

/* Borrowed until others are added. */
const struct unknown *unknowns_get(const struct unknowns *, uint16_t variable);
uint32_t unknowns_loops(const struct unknowns *); /* as many are around its nodes */

/* "2+3*({i0%7} = 6)" */
void unknowns_print(const struct unknowns *, const struct polynomial *, struct text *);

#endif
