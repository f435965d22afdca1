/*
 * population.h -- what processes were seen to do that functions of the process shall explain: whom
 * they send to, which tags they use.
 *
 *	struct population whom = population_of(seen, count);
 *	... whom.least ...			-- no explanation has fewer functions
 *	population_clear(&whom);
 */
#ifndef TRACENEST_FOLD_POPULATION_H
#define TRACENEST_FOLD_POPULATION_H

#include "model/formula.h"

/* Where processes stand. */
struct topology {
	uint32_t processes;
	struct grid grid; /* without axes: there is none */
};

/* Process p has to do with this number: a peer, a tag, a communicator. */
struct observation {
	uint32_t p;
	uint32_t turn; /* the numbers of a process come in this order */
	uint64_t number; /* below 2^60 */
};

struct population {
	const struct observation *seen; /* borrowed; distinct, ascending in p, then in number */
	size_t count;
	uint32_t *sequence; /* all of them, ascending in p, then in turn */
	uint32_t least; /* the most numbers of any process */
};

struct population population_of(const struct observation *seen, size_t count);
void population_clear(struct population *);

/*
 * Puts observations in the order that a population wants. Of those that are equal but for the turn
 * the earliest stays, and turns of each process are numbered from 0. Returns how many are left.
 */
size_t observations_sort(struct observation *, size_t count);

/*
 * How many statements processes need, about, to do all this in their order, where each function is
 * one if all agree on an order of the functions. of: by observation, the function that explains it,
 * below `functions`; of one process each is of another. O(count log count).
 */
uint32_t population_statements(const struct population *, const uint32_t *of, uint32_t functions);

#endif
