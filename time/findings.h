/*
 * findings.h -- what an analysis comes to: the constructs that lose, each with its fault, and loops
 * some of whose iterations are slow on all ranks; in the order of what they cost.
 *
 *	struct findings f;
 *	findings_of(&f, analysis);
 *	finding_print(analysis, &f.finding[0], &text);		-- three lines
 *	findings_clear(&f);
 */
#ifndef TRACENEST_TIME_FINDINGS_H
#define TRACENEST_TIME_FINDINGS_H

#include "time/analysis.h"
#include "time/naming.h"

/* Of the run time: below it, nothing stands out. */
#define FINDINGS_LEAST 0.05

struct finding {
	const struct analysis_construct *construct; /* borrowed; NULL: all of a loop */
	size_t loop; /* then: the loop, */
	char *address;
	uint64_t iterations; /* of it */
	double share; /* of the run time */
	double share_known; /* of a construct: what imbalance takes, which no clock can falsify */
	struct fault fault; /* of a construct; of a loop: its iterations */
	struct variation variation; /* of a loop */
};

struct findings {
	struct finding *finding;
	size_t length, capacity;
	size_t lead; /* which one leads the page; length: nothing stands out */
};

/* Borrows the analysis. O(constructs x what naming takes). */
void findings_of(struct findings *, const struct analysis *);
void findings_clear(struct findings *);

/* Three lines: what is lost where; the ranks; the iterations. */
void finding_print(const struct analysis *, const struct finding *, struct text *out);

#endif
