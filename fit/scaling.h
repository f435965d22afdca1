/*
 * scaling.h -- a number measured on several numbers of processes, as a function of these.
 *
 *	struct scaling s;
 *	if (scaling_fit(processes, seconds, runs, &s)) {
 *		scaling_print(&s.best, &text);			-- "0.12 + 3.4*P^-1"
 *		struct scaling_range r = scaling_at(&s, 4096);	-- r.value, r.low, r.high
 *	}
 *
 * Functions are of the performance model normal form, sum of c * P^i * log2(P)^j with i and j of a
 * small set, a constant may be taken off what grows: A. Calotoiu, T. Hoefler, M. Poke, F. Wolf:
 * Using automated performance modeling to find scalability bugs in complex codes (SC 2013). The one
 * that is taken foretells each point from the others best (cross-validation, leaving one out),
 * where a term more has to pay. These are estimates, whatever the range says.
 */
#ifndef TRACENEST_FIT_SCALING_H
#define TRACENEST_FIT_SCALING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* Different numbers of processes that it takes at least: what the paper says. */
#define SCALING_FEWEST 5

#define SCALING_TERMS 3
#define SCALING_RIVALS 32

/* The sum of these. */
struct scaling_function {
	struct {
		double factor;
		signed char numerator, denominator; /* exponent of P */
		signed char log; /* exponent of log2(P) */
	} term[SCALING_TERMS];
	size_t terms;
	double error; /* root mean square of how far off points are foretold by the others, relative */
	/* of the residuals, relative: their spread, with as many degrees of freedom; and the inverse
	   of the root of the normal matrix, for the range */
	double spread, root[SCALING_TERMS][SCALING_TERMS];
	size_t freedom;
};

struct scaling {
	struct scaling_function best;
	struct scaling_function rival[SCALING_RIVALS]; /* that foretell about as well, the best one first */
	size_t rivals;
	double from, to; /* processes measured */
};

/* Points of one number of processes are several measurements. False: fewer numbers of processes
   than SCALING_FEWEST, or values below 0. O(functions x points), 50 us. */
bool scaling_fit(const double *processes, const double *value, size_t count, struct scaling *);

/* The same of as few as three: how it grows where it was measured. What it says elsewhere, and the
   ranges, are worth nothing then. */
#define SCALING_TREND_FEWEST 3
bool scaling_trend(const double *processes, const double *value, size_t count, struct scaling *);

/*
 * What it says for so many processes, and between which numbers a measurement is to be expected:
 * the prediction intervals (95 %) of the function and its rivals. Outside of those measured this is
 * extrapolation, and rivals part. Never below 0.
 */
struct scaling_range {
	double value, low, high;
};
struct scaling_range scaling_at(const struct scaling *, double processes);

/* The fastest growing term first, as in "0.5*log2(P) + 2 + 30*P^-1"; factors with three digits. */
void scaling_print(const struct scaling_function *, struct text *);

#endif
