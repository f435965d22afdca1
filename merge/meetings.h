/*
 * meetings.h -- which events of lanes meet: the k-th send of a channel and its k-th receive, the
 * k-th calls of a collective by its members.
 *
 *	struct meetings *m = meetings_new(builder, grid);
 *	meetings_add(m, &event, 17);		-- each lane in its order
 *	meetings_each(m, take, context);	-- take(context, lane, 17, other lane, 23), ...
 */
#ifndef TRACENEST_MERGE_MEETINGS_H
#define TRACENEST_MERGE_MEETINGS_H

#include "merge/tree.h"
#include "model/dictionary.h"

/* What a lane executes; numbers that the shape lacks: 0, NO_COMMUNICATOR. */
struct meeting_event {
	const struct tree_shape *shape;
	uint32_t lane;
	int64_t peer, tag, communicator;
};

struct meetings;

/* Borrows all. The grid is that of groups that are lines of it. */
struct meetings *meetings_new(const struct tree_builder *, const struct grid *);
void meetings_free(struct meetings *);

/* owner: a number of the caller's. Events that meet nobody are left out. O(sides of what it meets)
   at most, O(1) as long as one lane follows the other. */
void meetings_add(struct meetings *, const struct meeting_event *, size_t owner);

/* Of each meeting, one of its events with each of the others. */
typedef void (*meetings_take)(void *context, uint32_t lane, size_t owner, uint32_t other_lane, size_t other);
void meetings_each(const struct meetings *, meetings_take, void *context);

#endif
