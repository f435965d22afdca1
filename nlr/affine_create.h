/*
 * affine_create.h -- the rules create, extend and try of the affine recognizer (see affine.c):
 * adjacent copies become a loop. Private to nlr/.
 */
#ifndef TRACENEST_NLR_AFFINE_CREATE_H
#define TRACENEST_NLR_AFFINE_CREATE_H

#include "nlr/affine_window.h"

/* The top is what it will be: make the loop that ends there, the shortest, and extend it. False if
   there is none. */
bool affine_create(struct affine_window *);

/* Put iterations at the front of the loop on top for as long as their records stand before it. */
void affine_extend(struct affine_window *);

enum affine_pair {
	PAIR_NONE,
	PAIR_LOOP, /* iteration -1 stands before it */
	PAIR_ON_TRIAL, /* its third iteration would begin with the record */
};

/*
 * Loops that shrink are too short for a loop soon, loops that grow were: two copies with a loop in
 * each are made a loop already where one of these speaks for them. record: the next one, or NULL.
 */
enum affine_pair affine_try_pair(struct affine_window *, const struct affine_record *record);

/* The loop on top was a pair on trial, and none: as it was before. */
void affine_give_up_pair(struct affine_window *);

#endif
