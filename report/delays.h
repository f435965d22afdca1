/*
 * delays.h -- who pays for what some processes compute longer than others: delay costs.
 *
 *	struct delay *delay = delays_of(analysis);
 *	... delay[i].direct, .late, .payer: of analysis->construct[i]
 *	free(delay);
 *
 * In each iteration of the outermost loop, what all processes wait is shared out among that loop's
 * constructs as they delay the run there: the largest computation of a process in them beyond the
 * mean. What is waited where processes meet next is their direct cost, what is waited later the
 * long-term cost. (After D. Boehme et al.: Identifying the root causes of wait states in
 * large-scale parallel applications, ICPP 2010; there intervals between two meetings of two
 * processes take the place of iterations.)
 */
#ifndef TRACENEST_REPORT_DELAYS_H
#define TRACENEST_REPORT_DELAYS_H

#include "time/analysis.h"

struct delay {
	double direct, late; /* ticks of all processes */
	const struct analysis_construct *payer; /* where most of `late` is waited; NULL: nowhere */
	double most; /* of it, there */
};

/* By construct; the caller's. Nothing is known of those in no loop, and where clocks disagree. O(bins
   x constructs + pairs of constructs of a loop x bins that wait). */
struct delay *delays_of(const struct analysis *);

#endif
