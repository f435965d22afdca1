/*
 * affine_peel.h -- the rule peel of the affine recognizer (see affine.c): a closed loop gives back
 * a loop at its end, which goes on. Private to nlr/.
 */
#ifndef TRACENEST_NLR_AFFINE_PEEL_H
#define TRACENEST_NLR_AFFINE_PEEL_H

#include "nlr/affine_window.h"

/* The last loop that was peeled, to undo that. Starts as {0}; number: to be freed. */
struct affine_peeled {
	size_t below; /* the height below it */
	const struct pattern *loop;
	int64_t *number;
	int64_t count; /* of the loop that it left on top */
};

/*
 * The top is a closed loop. If the record continues a loop at the end of its last iteration (or at
 * the end of that one's, and so on), take it apart: that loop is on top then, if it has enough
 * iterations for one, else they are.
 */
bool affine_peel(struct affine_window *, const struct affine_record *, struct affine_peeled *);

/* As it was: nothing may have left the window since, nor come to it. */
void affine_peel_undo(struct affine_window *, const struct affine_peeled *);

#endif
