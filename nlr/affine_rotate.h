/*
 * affine_rotate.h -- the rule rotate of the affine recognizer (see affine_nlr.c): a loop that was
 * begun in the middle of its body. Private to nlr/.
 */
#ifndef TRACENEST_NLR_AFFINE_ROTATE_H
#define TRACENEST_NLR_AFFINE_ROTATE_H

#include "nlr/affine_window.h"

/*
 * The loop on top is closed, and the records of its unfinished iteration are pending, so many (not
 * on the window). Rotate it where that is better; false if it is not. *taken: how many of the pending
 * records are in the loop then.
 */
bool affine_rotate(struct affine_window *, uint64_t pending, uint64_t *taken);

#endif
