/*
 * statistics.h -- a model measured without running it.
 *
 *	struct statistics *s = statistics_new(m);
 *	printf("%" PRIu64 " of %" PRIu64 " events in loops\n", s->in_loops, s->events);
 *	statistics_free(s);
 *
 * O(nest + processes), whatever the iteration counts.
 */
#ifndef TRACENEST_MODEL_STATISTICS_H
#define TRACENEST_MODEL_STATISTICS_H

#include <stdint.h>

#include "model/model.h"

struct statistics {
	uint32_t processes;
	uint64_t events; /* of all processes; a sync of 16 processes is 16 events */
	uint64_t fewest, most; /* of one process */
	uint64_t constructs; /* events and loops of the listing: the lines of the text but for "done" */
	uint64_t loops; /* of the listing */
	uint32_t depth; /* loops inside each other */
	uint64_t *loops_at; /* [0]: loops of the listing at its outermost level; [depth - 1]: innermost */
	/* Events inside loops: of any kind, that span several processes, that span all processes which have events. */
	uint64_t in_loops, in_several, in_all;
};

struct statistics *statistics_new(const struct model *);
void statistics_free(struct statistics *);

#endif
