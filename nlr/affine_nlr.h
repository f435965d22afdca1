/*
 * affine_nlr.h -- nested loop recognition where numbers may advance: records are a shape and
 * numbers, and the loops found hold affine functions of all enclosing indices, in their records and
 * in their bounds.
 *
 *	struct affine_nlr *r = affine_nlr_new(NULL);
 *	while (more)
 *		affine_nlr_push(r, shape, WIDTH[shape], number);	-- as many numbers in each record of a shape
 *	struct affine_nest *n = affine_nlr_finish(r);		-- r is gone, n is ours
 *	struct affine_walk *w = affine_walk_new(n);		-- of model/affine.h: the records again
 *	while (affine_walk_next(w, &shape, &numbers))
 *		...						-- numbers[0] to numbers[WIDTH[shape] - 1]
 *	affine_walk_free(w);
 *	affine_nest_free(n);
 *
 * Running n gives back exactly the records pushed. Recognition may miss a loop; it never loses or
 * reorders a record. Memory is the window plus the distinct terms, never the trace. (Ketterlin &
 * Clauss, CGO 2008.)
 */
#ifndef TRACENEST_NLR_AFFINE_NLR_H
#define TRACENEST_NLR_AFFINE_NLR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/affine.h"

#define AFFINE_NLR_WINDOW 4096
#define AFFINE_NLR_WINDOW_MOST 1000000
#define AFFINE_NLR_REPETITIONS 3

struct affine_nlr_options {
	size_t window; /* longest loop body searched for, in terms; 1 to AFFINE_NLR_WINDOW_MOST */
	unsigned repetitions; /* adjacent copies that become a loop; 3 to 100 */
	bool slow; /* without fingerprints, without the cursor's frames (for tests: the result is the same) */
};

/* What follows no loop costs this recognizer a share of its window. So one that is longer than
   AFFINE_NLR_WINDOW_MOST was not meant for it (but for that of nlr.h): AFFINE_NLR_WINDOW. */
size_t affine_nlr_window(size_t window);

struct affine_nlr;

/* A recognizer that has seen nothing. options: NULL for the defaults; borrowed for the call. What
   ends a recognizer is affine_nlr_finish or affine_nlr_free. */
struct affine_nlr *affine_nlr_new(const struct affine_nlr_options *);
void affine_nlr_free(struct affine_nlr *);

/*
 * Append one record. shape: any number below AFFINE_SHAPES, small ones for preference (a table is
 * indexed by them); width: how many numbers it has, at most AFFINE_WIDTH, the same for each record
 * of a shape. number: copied. Amortized O(width) while input follows a loop; leaving one costs
 * O(the records of its iteration), and what follows none O(window / 8) at worst. Where 64 bits do
 * not suffice for a function, there is no loop.
 */
void affine_nlr_push(struct affine_nlr *, uint32_t shape, uint32_t width, const int64_t *number);

/* The nest of everything pushed; takes the recognizer. */
struct affine_nest *affine_nlr_finish(struct affine_nlr *);

#endif
