/*
 * rules.h -- from the number of processes to the extents of the grid: all rules that hold of every
 * run.
 *
 *	size_t count = rules_of(&runs, rule);			-- 6: 3 2, 8: 4 2, 12: 4 3
 *	rule_print(&rule[0], 2, &text);				-- X, Y = dims(P)
 *	rule_apply(&rule[0], 2, 20, &grid);			-- 5 4
 *
 * dims(P) is as balanced as can be, descending; greedy(P) is what Open MPI's MPI_Dims_create makes
 * of the prime factors, the largest first, each to the smallest extent so far; equal(P): equal
 * extents; powers2(P): powers of two whose exponents differ by one at most; classes(P): equal
 * powers of two, but for the first, which is what is left, 1 or 2 of three (NPB's CG on 4^k and
 * 2*4^k). Each of these also of the last axes, where the first extent is always the same, if
 * none of all axes explains the runs.
 */
#ifndef TRACENEST_SIZES_RULES_H
#define TRACENEST_SIZES_RULES_H

#include "sizes/number_space.h"

enum rule_kind { RULE_EQUAL, RULE_DIMS, RULE_GREEDY, RULE_POWERS, RULE_CLASSES };

struct rule {
	enum rule_kind kind;
	uint32_t fixed; /* the first extent; 0: it is as the others */
	uint32_t order[GRID_AXES]; /* of the axes that it makes, the k-th largest is this one */
};

#define RULES_MOST 128

/* How many; none where there is no grid. rule: room for RULES_MOST. */
size_t rules_of(const struct learned_runs *, struct rule *rule);

/* False: there is no such grid of so many processes. */
bool rule_apply(const struct rule *, uint32_t axes, uint32_t processes, struct grid *);
void rule_print(const struct rule *, uint32_t axes, struct text *);

#endif
