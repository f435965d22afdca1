/*
 * schedule.h -- one system, folded: which of its constructs become one statement, and in which
 * order the statements stand.
 */
#ifndef TRACENEST_FOLD_SCHEDULE_H
#define TRACENEST_FOLD_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A construct of the system. */
struct construct {
	uint32_t shape; /* constructs of equal shapes, of different processes, may become one statement */
	size_t first_end; /* of a loop: what leads out of it (connect.h), in schedule.end */
	size_t ends;
	size_t first_process; /* whose it is: in schedule.process, ascending */
	size_t processes;
};

struct open_end;

/* In the order of the listing, which is a topological one. */
struct schedule {
	struct construct *construct;
	size_t constructs, construct_capacity;
	uint32_t *process;
	size_t processes, process_capacity;
	struct open_end *end;
	size_t ends, end_capacity;
	bool hasty; /* do not look for cycles: where the order gets stuck, the readiest node is split */
	/* The result: groups of constructs, in order. */
	uint32_t *order; /* constructs */
	size_t *first; /* by group, and one more: in order */
	size_t groups;
};

/*
 * Group the constructs. limit: processes are below; channels likewise (of the open ends). Groups
 * stand in an order that agrees with that of every process; in a group every process has at most
 * one construct, and no two exchange messages through open ends.
 */
void schedule_make(struct schedule *, uint32_t limit, uint32_t channels);
void schedule_clear(struct schedule *);

#endif
