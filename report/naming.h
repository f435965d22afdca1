/*
 * naming.h -- what a construct's loss comes from: the kind of fault, the ranks, the iterations.
 *
 * A pure function of figures. A loss is imbalance (ranks that compute longer than the mean),
 * serialization (computation on the critical path beyond what the busiest rank computes) and
 * transfer; the largest part that names something names the construct:
 *
 *	imbalance	the ranks whose excess over the mean stands apart; where none does, but in each
 *			iteration another one: these, in turn
 *	serialization	a chain, where the path passes half of the ranks, or a diagonal of a grid of
 *			them; else who is late
 *	transfer	a collective's own cost, one slow link, messages that grow or are large, or
 *			transfer that nothing overlaps
 *
 * A loss without a pattern has a kind, too, which says how large it is and accuses nobody.
 *
 * Who waits is a victim; so names come from losses and from those who were waited for. The wait
 * states are those of F. Wolf, B. Mohr: Automatic performance analysis of hybrid MPI/OpenMP
 * applications, 2003; losses by the critical path follow D. Boehme et al.: Identifying the root
 * causes of wait states in large-scale parallel applications, 2010.
 */
#ifndef TRACENEST_REPORT_NAMING_H
#define TRACENEST_REPORT_NAMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/ranks.h"
#include "base/text.h"
#include "model/grid.h"
#include "time/analysis.h"

/* ------------------------------------------------------------------ iterations */

/* Something that iterations have: bins of `width` iterations each, the last one perhaps of fewer;
   value: the sum over a bin. Borrowed. */
struct iteration_series {
	const double *value;
	size_t length;
	uint64_t iterations;
	uint64_t width; /* 1: a bin is an iteration */
};

enum iterations_kind {
	ITERATIONS_ALL, /* or none in particular */
	ITERATIONS_FEW, /* those listed */
	ITERATIONS_FIRST, /* 0 to last */
	ITERATIONS_RANGE, /* first to last */
	ITERATIONS_EVERY, /* every `period`-th from `first` on */
	ITERATIONS_TREND, /* all, from `from` in the first to `to` in the last, along a line */
};

#define ITERATIONS_LISTED 8

struct named_iterations {
	enum iterations_kind kind;
	uint64_t total; /* iterations of the loop */
	uint64_t width; /* of what is said: 1, or iterations of a bin */
	uint64_t count; /* those that are concerned */
	uint64_t listed[ITERATIONS_LISTED]; /* the first ones of them, ascending */
	uint64_t first, last, period;
	double from, to; /* a trend: per iteration */
	bool unseen; /* the first ones: of 0 the beginning is not recorded */
	double each, others; /* the mean value of those that are concerned, and of the others */
};

/* Which iterations stand apart; apart: which bins (as many as the series has), or NULL. O(length
   log length). */
struct named_iterations iterations_name(const struct iteration_series *, bool *apart);

/* Is this iteration one of all, or of every so many? Of other kinds: false. */
bool iterations_have(const struct named_iterations *, uint64_t iteration);

/* So many of every so many are known not to be chance. */
#define ITERATIONS_RECUR 4

/* How far values usually are from their median: a standard deviation that few that stand apart do
   not change. n is not 0. */
double series_distance(const double *value, size_t n);

/* "all 150", "17 of 150", "every 8th: 7, 15, 23 ... (18 of 150)", "the first 5 of 150: 0-4", "all
   150, growing 37.6 us -> 1.26 ms"; seconds: of a unit of the values. */
void iterations_print(const struct named_iterations *, double seconds, struct text *out);

/* ------------------------------------------------------------------ faults */

/* What is known of a construct beside its own sums: together with those that it is judged with.
   All times are in ticks; all arrays are borrowed, by rank where nothing else is said, and may be
   NULL where unknown. */
struct evidence {
	const struct analysis *of;
	const struct analysis_construct *construct;
	uint64_t iterations; /* of the outermost loop around; at least 1 */

	/* The loss; of it, and of what the ranks compute, only the iterations that stand apart
	   count where any do: `iterations` is then their number. */
	double imbalance, serialization, transfer;
	const double *computation; /* of each rank */
	const double *always; /* in all iterations; NULL: the same */
	const double *path; /* what of it is on the critical path */
	/* Where most is lost by a rank that computes much longer than the others usually differ, in
	   each iteration another one: how long it and the others compute, and which ranks. */
	double turn, turn_others;
	struct ranks turn_ranks;
	/* ranks that the path visits in an iteration, added up over the iterations */
	uint64_t path_ranks;

	double wait[WAIT_KINDS];
	const double *waited[WAIT_KINDS]; /* by the rank that waited */
	const double *caused[WAIT_KINDS]; /* by the rank that was waited for */

	const double *without; /* a core, though it computed; on the path or not */
	/* of the messages of the other constructs: mean size; mean time from when they could start, of
	   each pair the shortest; 0: they have none */
	double sibling_bytes, sibling_takes;

	/* Of each loop around, the outermost first: the loss over its iterations, and the mean size
	   of messages (value: the sum of sizes in a bin / messages in the bin * iterations in the
	   bin). */
	struct iteration_series loss[ANALYSIS_DEPTH], size[ANALYSIS_DEPTH];
	size_t loops;

	double *held[2 * ANALYSIS_DEPTH + 4 + 2 * WAIT_KINDS]; /* whoever made it: what is to be released */
	size_t helds;
};

enum fault_kind {
	FAULT_NONE, /* nothing is lost, or so little beside others that nobody asked */
	/* nobody in particular: */
	FAULT_VARYING, /* computation is uneven */
	FAULT_WAITING, /* ranks wait for each other */
	/* some are to be told of it: */
	FAULT_SLOW, /* some ranks compute longer */
	FAULT_STAGE, /* one computes alone while the others wait */
	FAULT_CHAIN, /* one after the other */
	FAULT_LATE_SENDER,
	FAULT_LATE_RECEIVER,
	FAULT_CORES, /* ranks wait for cores that they share */
	FAULT_COLLECTIVE, /* costs itself */
	FAULT_LINK, /* between two ranks */
	FAULT_GROWING, /* messages that grow */
	FAULT_LARGE, /* messages larger than the others' */
	FAULT_CONTENTION, /* longer than the size of messages explains */
	FAULT_TRANSFER, /* not overlapped */
	FAULT_KINDS
};

struct fault {
	enum fault_kind kind;
	double loss; /* of the part that it is named by */
	bool crowded; /* of transfer: messages wait for processors that are shared, it seems */
	struct ranks ranks; /* the culprits; empty: all, or nobody in particular */
	struct named_iterations iterations; /* of the loop in which fewest are concerned, */
	size_t depth; /* ... so deep, the outermost being 0 */
	struct named_iterations outer; /* of the outermost loop */
	struct text evidence; /* the second line: "ranks 12-15: compute 2.1 ms, the others 1.3 ms" */
};

/* A part of a loss up to so much of it does not name it. */
#define FAULT_TRIFLE 0.25

/* Is anybody to be told of it, given that it is large? */
bool fault_accuses(const struct fault *);

/* The fault of a construct; release with fault_clear. O(processes log processes + links + bins). */
struct fault fault_name(const struct evidence *);
void fault_clear(struct fault *);

const char *fault_words(enum fault_kind); /* "slow computation" */
const char *fault_key(enum fault_kind); /* for machines: "slow", "late-sender" */

/* The third line without its "iterations: ". */
void fault_print_iterations(const struct fault *, double seconds, struct text *out);

/* ------------------------------------------------------------------ variation */

/* Slowness that all ranks share: V = sum over the iterations of (time - median time) where that is
   positive. */
struct variation {
	double loss; /* V; 0 where no iterations stand apart */
	double median; /* time of an iteration */
	double factor; /* of those that stand apart, over the others; a trend: last over first */
	struct named_iterations iterations;
};
struct variation variation_name(const struct iteration_series *times, bool *apart);

/* ------------------------------------------------------------------ words */

/* A number and its unit; its words last as long as the expression it is asked for in. */
struct amount {
	char words[32];
};
struct amount seconds_of(double seconds); /* "37.6 us" */

/* For all times of a column: that in which the largest of them is 1 to 999, or the one asked
   for. */
enum units { UNITS_AUTO, UNITS_S, UNITS_MS, UNITS_US, UNITS_NS };
struct time_unit {
	const char *name;
	double seconds; /* of one */
};
struct time_unit time_unit_of(double largest, enum units);
void put_ranks(struct text *, const struct ranks *, uint32_t processes, const struct grid *); /* "ranks 3,7 (x = 3)" */

/*
 * Which of n values stand apart from the others by their size: those above the widest gap among
 * the upper ones, if it is wide beside how the others differ and at least `least`. Equals are never
 * torn apart. Gives how many, and the value that all of them reach in *limit; 0: none do. O(n log
 * n).
 */
size_t stand_apart(const double *value, size_t n, double least, double *limit);

#endif
