/*
 * findings.h -- what is to be said of a run: its constructs' faults, the worst first.
 *
 *	struct findings f;
 *	findings_of(&f, analysis);
 *	if (f.told)
 *		finding_print(analysis, &f.finding[f.first[0]], &text);	-- three lines
 *	findings_clear(&f);
 *
 * Every construct has a finding. The largest loss that somebody is to be told of leads; where the
 * run is not efficient, the largest of any kind (where clocks disagree, only those that accuse
 * somebody). MPI_Init and MPI_Finalize lead where nothing else is as large as what stands out.
 * Slowness that all ranks share is not lost: it leads where it is more than the largest
 * loss, unless that accuses somebody.
 */
#ifndef TRACENEST_REPORT_FINDINGS_H
#define TRACENEST_REPORT_FINDINGS_H

#include "report/delays.h"
#include "report/naming.h"
#include "time/analysis.h"

/* Below this part of the run time nothing stands out. */
#define FINDINGS_LEAST 0.05
/* ... and so does nothing whose named part (imbalance, say) is less than this: the rest is
   noise. */
#define FINDINGS_LEAST_PART 0.04 /* transfer that every program has: FINDINGS_LEAST */

struct finding {
	const struct analysis_construct
		*construct; /* borrowed: whose loss it is; of shared slowness, that which varies most */
	const struct analysis_construct *place; /* the same region in the outermost loop that it is judged with */
	double share; /* of the run time; never more than is lost of all */
	double named; /* the same of the part by which the fault is named */
	const struct analysis_construct *with; /* with whose loss it is judged; NULL: with its own */
	struct fault fault; /* its kind is FAULT_NONE where slowness is shared: */
	bool told; /* at the beginning of the page */
	bool shared;
	struct variation variation; /* of the loop, in computation */
	size_t loop; /* which varies: a statement of the program */
	uint32_t loop_depth; /* its place among the loops around the construct */
};

#define FINDINGS_TOLD 3

struct findings {
	struct finding *finding; /* by share; constructs that stand apart last */
	size_t length, capacity;
	/* Which ones the page begins with, the lead first: behind it those that accuse somebody
	   and are not much smaller; after MPI_Init and the like, what leads without these. */
	size_t first[FINDINGS_TOLD], told; /* told: how many */
	struct delay *delay; /* by construct of the analysis */
};

/* Below this parallel efficiency the largest loss leads, whatever its kind. */
#define FINDINGS_EFFICIENT 0.9

/* Borrows the analysis. What a loss comes from is named of so many, the largest first, as can be in
   a second or two; the rest have FAULT_NONE. O(constructs + shares + links + bins) but for
   that, and for a logarithm. */
void findings_of(struct findings *, const struct analysis *);
void findings_clear(struct findings *);

/* Is anybody to be told of it: is it large, and no noise? */
bool finding_accuses(const struct finding *);

/*
 * "26.0 % of the run time is lost in forces (loop 2, 150 iterations): slow computation" and two
 * more lines, the ranks with evidence and the iterations; of MPI_Init and the like that one line.
 */
void finding_print(const struct analysis *, const struct finding *, struct text *out);

/* What the page begins with: these three lines of each that is told, then POP's factors. */
void findings_print(const struct analysis *, const struct findings *, struct text *out);

/* What finding_print prints, from the place on: "forces (loop 2, ..."; NULL: there is none. */
const char *finding_of_words(const char *words);

/* Parts of these: "slow computation"; "12-15", "all"; "17 of 60". */
const char *finding_kind(const struct finding *);
const char *finding_key(const struct finding *); /* for machines: "slow", "variation", "init" */
void finding_print_ranks(const struct analysis *, const struct finding *, struct text *out);
void finding_print_iterations(const struct analysis *, const struct finding *, struct text *out);

#endif
