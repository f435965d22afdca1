/*
 * advice.h -- what would take less, where the trace proves that it would do.
 *
 *	struct advice advice;
 *	advice_of(&advice, analysis);
 *	for (size_t i = 0; i < advice.length; i++)
 *		... advice.line[i].text
 *	advice_clear(&advice);
 *
 * A trace does not say what is computed from what. So advice is given only where nothing can be in
 * the way:
 *
 *	all-to-all by hand	each of some processes sends each other one as many messages of one
 *				size, and nothing is computed in between: MPI_Alltoall
 *	small messages in a row	a loop sends one neighbour more small messages than there are
 *				processes to pass them on, and computes nothing in between: one
 *	lines of the grid	a collective in which others than those of a line of the grid pass
 *				nothing on: a communicator of these
 *
 * and only where the critical path has more of it than the quickest messages of the run would take.
 */
#ifndef TRACENEST_REPORT_ADVICE_H
#define TRACENEST_REPORT_ADVICE_H

#include "base/text.h"
#include "time/analysis.h"

#define ADVICE_MOST 3

enum advice_kind { ADVICE_ALLTOALL, ADVICE_SMALL_MESSAGES, ADVICE_LINE };

struct advice_line {
	enum advice_kind kind;
	const struct analysis_construct *construct; /* borrowed */
	double gain; /* ticks of the critical path, at most */
	struct text text; /* "loop 0.1, transpose: ..." */
};

struct advice {
	struct advice_line line[ADVICE_MOST]; /* the largest gain first */
	size_t length;
};

/* Borrows the analysis. O(links + bins + collectives x processes). */
void advice_of(struct advice *, const struct analysis *);
void advice_clear(struct advice *);

const char *advice_key(enum advice_kind); /* for machines: "alltoall" */

#endif
