/*
 * places.h -- peers as functions of the process: few functions for many pairs.
 */
#ifndef TRACENEST_FOLD_PLACES_H
#define TRACENEST_FOLD_PLACES_H

#include "model/formula.h"

/* Process p has to do with q. */
struct pair {
	uint32_t p, q;
};

struct places {
	struct place *place;
	uint32_t count;
	uint32_t *of; /* by pair: which place explains it */
};

enum place_choice {
	CHOOSE_OFFSETS, /* p+c alone */
	CHOOSE_ALL,
	CHOOSE_QUICKLY, /* no search among the less likely functions */
};

/*
 * pairs: distinct, ascending in p, then in q. all: every pair of the model, to tell which functions are natural in it, where several explain as much;
 * may be none.
 */
void places_choose(struct places *, const struct pair *, size_t pairs, const struct grid *, enum place_choice,
	const struct pair *all, size_t alls);
void places_clear(struct places *);

/* How many functions of one kind (p+c; p^c where c is a single bit; moves on the grid; numbers) explain all pairs, of the best kind. */
uint32_t places_of_one_kind(const struct pair *, size_t pairs, const struct grid *);

/* How many different moves on the grid the pairs are. */
uint32_t places_moves(const struct pair *, size_t pairs, const struct grid *);

/* No choice can have fewer functions: the most pairs of any process. */
uint32_t places_least(const struct pair *, size_t pairs);

#endif
