/*
 * nlr.h -- nested loop recognition: a stream of records in, loop nests out, one record at a time.
 *
 *	struct nlr *r = nlr_new(NULL);
 *	while (more)
 *		nlr_push(r, record);
 *	struct nest *n = nlr_finish(r);		-- r is gone, n is ours
 *
 * Running n gives back exactly the records pushed. Recognition may miss a loop; it never loses or
 * reorders a record. Memory is the window plus the distinct terms, never the trace. (Ketterlin &
 * Clauss, CGO 2008; the paper, section II-C.)
 */
#ifndef TRACENEST_NLR_NLR_H
#define TRACENEST_NLR_NLR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/nest.h"

/* A body may be as long as what came so far; the window is a bound for small machines. */
#define NLR_WINDOW_MOST 20000000
#define NLR_WINDOW NLR_WINDOW_MOST
#define NLR_REPETITIONS 3
#define NLR_REPETITIONS_MOST 100

struct nlr_options {
	size_t window; /* longest loop body searched for, in terms; 1 to NLR_WINDOW_MOST */
	unsigned repetitions; /* adjacent copies that become a loop; 2 to NLR_REPETITIONS_MOST */
	bool slow; /* without the cursor (for tests: the result is the same) */
};

struct nlr;

/* A recognizer that has seen nothing. options: NULL for the defaults. */
struct nlr *nlr_new(const struct nlr_options *);
void nlr_free(struct nlr *);

/* Append one record (any number below 2^31). O(1) while input follows a loop, else amortized O(log
   window), whatever the input. */
void nlr_push(struct nlr *, uint32_t record);

/* The nest of everything pushed; takes the recognizer. */
struct nest *nlr_finish(struct nlr *);

/* Whether a repetition may have been missed because its body is longer
   than the window (a good guess, not a proof; O(window)). */
bool nlr_window_hit(const struct nlr *);

#endif
