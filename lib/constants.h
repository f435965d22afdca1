/*
 * constants.h -- the processes' own loop nests once more, each number by itself.
 *
 * Numbers that count up to some size, in loops inside others, and start again somewhere else on
 * each process, make loops that do not fit each other. As constants they are what repeats in the
 * loops around, which fit, and are found to advance together when the program is whole
 * (fold/roll.h).
 */
#ifndef TRACENEST_LIB_CONSTANTS_H
#define TRACENEST_LIB_CONSTANTS_H

#include "model/model.h"

struct constants {
	struct nest *nest, *turned; /* turned: NULL where not asked for, or the same */
};

/*
 * Of a model of single processes, one after the other: the nests over events without steps, which
 * are added to its dictionary. O(events); memory of what does not repeat. False where messages that
 * differ are too many, or all together.
 */
bool constants_of(struct model *, size_t window, unsigned repetitions, bool turn, struct constants *);
void constants_clear(struct constants *);

#endif
