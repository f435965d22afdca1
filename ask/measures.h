/*
 * measures.h -- a run measured without going through it: the row of `tracenest stat --csv`.
 *
 *	struct measures s;
 *	if (measures_of(run, &s, &error))
 *		printf("%" PRIu64 " of %" PRIu64 " events in loops\n", s.in_loops, s.events);
 */
#ifndef TRACENEST_ASK_MEASURES_H
#define TRACENEST_ASK_MEASURES_H

#include "base/error.h"
#include "model/run.h"

struct measures {
	uint32_t processes;
	uint64_t events; /* of all processes; a collective of 16 processes is 16 events */
	uint64_t fewest, most; /* of one process */
	uint64_t in_loops; /* inside loops and guards of the outermost level, */
	uint64_t in_several, in_all; /* ... in which several processes communicate, all do that have events */
	uint64_t sent, sized, bytes; /* messages; of these, with a size; these sizes */
	uint64_t statements, loops; /* of the text, calls replaced */
	uint32_t depth; /* loops inside each other */
	uint64_t *loops_at; /* [0]: loops of the text at its outermost level; [depth - 1]: innermost */
	uint64_t constructs; /* listing_lines.h */
	uint32_t roles; /* sets of processes that do the same, and something */
};

/* The module has no procedures (module_inline); to be cleared in any case. False with *error set where a number does not come
   out. O(statements of all classes + processes + what differs). Counts saturate. */
bool measures_of(struct run *, struct measures *, struct error *);
void measures_clear(struct measures *);

/* in_several alone; 0 where it is not known. */
uint64_t measures_in_several(struct run *);

#endif
