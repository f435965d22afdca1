/*
 * places.h -- peers as functions of the process: few statements for many messages.
 */
#ifndef TRACENEST_FOLD_PLACES_H
#define TRACENEST_FOLD_PLACES_H

#include "fold/hypotheses.h"

enum place_choice {
	CHOOSE_OFFSETS, /* p+c alone */
	CHOOSE_ALL,
	CHOOSE_QUICKLY, /* no search among the less likely functions */
};

/* Which functions are natural in a model: how many of all its pairs of process and peer they
   explain. */
struct familiar;
struct familiar *familiar_new(const struct observation *all, size_t count, const struct topology *);
void familiar_free(struct familiar *);

/* Explain peers by struct place. Of functions that explain as much the familiar ones are preferred;
   NULL: none is. */
void places_choose(struct explanation *, const struct population *, const struct topology *, enum place_choice,
	const struct familiar *);

/*
 * How many statements it takes with functions of one natural kind, of the best: p+c; p^c where c is
 * a single bit, or where that is as few as can be; moves on the grid; if wanted, the ring; numbers.
 */
uint32_t places_statements(const struct population *, const struct topology *, bool ring);

/* How many different moves on the grid there are; without one, on the ring. */
uint32_t places_moves(const struct population *, const struct topology *);

#endif
