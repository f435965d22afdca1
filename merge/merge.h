/*
 * merge.h -- the reduction: from the models of single processes to one global program.
 *
 *	struct model *global = merge_reduce(local, &options, &report);
 *
 * Loops of different processes that exchange messages, or meet in collectives, become one loop
 * whose body is the merge of their bodies, recursively. Loops that do not communicate are never
 * joined. The projection of the result on a process, expanded, is exactly what the projection of
 * the input was (the paper, sections III-A and III-B; the rules in full in merge/system.c).
 */
#ifndef TRACENEST_MERGE_MERGE_H
#define TRACENEST_MERGE_MERGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "model/model.h"

#define MERGE_GROWTH 2.0

struct merge_options {
	unsigned jobs; /* threads; 0: all cores. The result is the same for any number. */
	double growth; /* no merge of some bodies may take more than so many times their constructs; 1 and more */
};

/* Why loops that communicate were left apart. */
enum merge_reason {
#define REASON(name, text) APART_##name,
#include "merge/reasons.def"
#undef REASON
	APART_REASONS
};

const char *merge_reason_text(enum merge_reason);

struct merge_report {
	uint64_t constructs_local; /* of the input */
	uint64_t constructs_global; /* of the result */
	uint64_t joined; /* loops of the result that span several processes */
	uint64_t shifted; /* loops of the input whose iterations now begin elsewhere in their body, */
	uint64_t split; /* ... that were divided into several, */
	uint64_t blocked; /* ... that became a loop of loops, */
	uint64_t unrolled; /* ... that were written out */
	uint64_t apart[APART_REASONS];
};

/*
 * Reduce a model, usually the concatenation of the models of single processes; but processes
 * already merged are fine, and so are models in which some ends of messages are missing (what is
 * not there yet is no constraint). Deterministic, and independent of the order in which processes
 * are listed. options: NULL for the defaults; report: may be NULL. O(constructs + flows) per round
 * of regularization, of which there are few; iteration counts do not matter.
 */
struct model *merge_reduce(const struct model *, const struct merge_options *, struct merge_report *);

/* Is the communication of a model complete? ERROR_INCONSISTENT with up to ten channels and their
   counts, and how many more, if not. *never_received: where sends alone are left over, so many;
   else 0. */
bool merge_complete_but_sends(const struct model *, uint64_t *never_received, struct error *);

#endif
