/*
 * generalize_runs.h -- one text for every number of processes, from runs on a few; and the program
 * of one number of processes from it.
 *
 *	generalize_runs(runs, count, &text, &facts, &error);
 *	struct draft *made = instantiate("APP.nest", bytes, length, &asked, false, &doubts, &error);
 *
 * The text of the largest run that reads the others (follow.h) is the text of all: its sets become
 * conditions and its numbers formulas that explain every run. Each run is made of it again and
 * compared, event by event, before anybody sees it.
 *
 * The law is: no wrong instance without a warning. An instance is made where all formulas,
 * conditions and rules that explain the learned runs agree on it; the text alone says which these
 * are, because the runs are known from it: it is read at the extents of each.
 */
#ifndef TRACENEST_SIZES_GENERALIZE_RUNS_H
#define TRACENEST_SIZES_GENERALIZE_RUNS_H

#include "model/draft.h"
#include "model/extents.h"
#include "model/run.h"
#include "sizes/doubts.h"

/* Runs that are learned from: each instance is compared with all of them. */
#define RUNS_MOST 64

/* A run that is learned from. */
struct run_of_program {
	const char *name; /* for messages */
	const struct module *module; /* borrowed */
	struct extents extents; /* processes and parameters; a grid only where it is given */
};

struct generalize_facts {
	size_t statements, holes;
	struct text told; /* what is undecided and so on, a line each */
};

/* Events that are read to leave each run out once, together; with more no run is proven. */
#define PROOF_EVENTS (UINT64_C(1) << 26)

/* False with *error set where there is no such text. O(sum of events, times the runs: each is left
   out once). */
bool generalize_runs(
	const struct run_of_program *, size_t runs, struct text *to, struct generalize_facts *, struct error *);

/* Do two runs stand for the same events, process by process? What they carry is compared where both
   carry it. told: the first difference, a line of each. O(events). */
bool same_events(struct run *of, struct run *as, struct text *told);

/* What is asked for: processes, parameters, and a grid or none. lenient: sizes that are not decided
   are left out. doubts: the caller's, empty. NULL with *error set where there is no such
   instance, or those that explain the runs do not agree on one. */
struct draft *instantiate(const char *name, const char *bytes, size_t length, const struct extents *asked, bool lenient,
	struct doubts *doubts, struct error *error);

/* Does the text say so in its header? Is it as it was made, and can it be read at the extents of
   its runs? */
bool text_is_parametric(const char *bytes, size_t length);
bool instantiable(const char *name, const char *bytes, size_t length, struct error *error);

/* Of all that stands behind the line that has it. */
#define DIGEST_LINE "// digest "
uint64_t text_digest(const char *text);

#endif
