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

/* The value for a process at these indices; false where it is not known. O(iterations of its sums).
   */
bool unknowns_value(struct unknowns *, const struct polynomial *, uint32_t rank, const int64_t *index, int64_t *value);

/* "2+3*({i0%7} = 6)" */
void unknowns_print(const struct unknowns *, const struct polynomial *, struct text *);

#endif
