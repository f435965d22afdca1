/*
 * conditions.h -- all conditions on coordinates that say who executes a statement, in every run.
 *
 *	struct condition_of_ranks *c;
 *	size_t count = conditions_of(&runs, set, 0, &c);	-- 0-1 of 3, 0-2 of 4
 *	node_id domain = condition_node(store, &c[0]);		-- x<X-1
 *
 * A condition is up to CONDITION_ATOMS comparisons that all hold, of p or a coordinate with a small
 * number, with the extent less a small number or half of it, or with another coordinate; of its
 * parity, or that of a sum of two; or of an extent alone. Where none of these explains the runs,
 * those of p with a power of two, as steps of trees have them: p<8&&p<P-8, p%16==8.
 */
#ifndef TRACENEST_SIZES_CONDITIONS_H
#define TRACENEST_SIZES_CONDITIONS_H

#include "base/ranks.h"
#include "sizes/number_space.h"

#define CONDITION_ATOMS 3

/* A comparison, and what it is made of. */
struct atom {
	node_id comparison;
	enum node_function relation;
	uint8_t left, plus; /* an axis, AXIS_P, or AXIS_NONE; AXIS_EXTENT + axis: its extent */
	uint8_t modulus; /* 0: none */
	uint8_t right; /* enum atom_right */
	uint8_t other; /* the axis that RIGHT_AXIS means */
	int8_t number;
};

struct condition_of_ranks {
	uint32_t atoms; /* 0: everybody */
	struct atom atom[CONDITION_ATOMS];
};

/*
 * set: by run. The conditions with the fewest comparisons, and those that have up to `more` more.
 * How many; the array is the caller's. O(atoms^CONDITION_ATOMS processes / 64) at worst.
 */
size_t conditions_of(const struct learned_runs *, const struct ranks *set, uint32_t more, struct condition_of_ranks **);

/* Below 0: the first one is to be preferred. */
int condition_compare(const struct condition_of_ranks *, const struct condition_of_ranks *);

/* Of the process at hand. */
bool condition_holds(const struct condition_of_ranks *, struct environment *);
/* As a domain. */
node_id condition_node(struct store *, const struct condition_of_ranks *);

/* Is there one, and do all mean this set at these extents? They are those of the runs. */
bool conditions_agree(const struct learned_runs *, const struct condition_of_ranks *, size_t count,
	const struct extents *, const struct ranks *there);

#endif
