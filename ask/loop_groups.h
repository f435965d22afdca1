/*
 * loop_groups.h -- the groups of processes that communicate in a loop of a run: a loop over a set
 * stands for as many loops side by side as there are groups that exchange messages, or meet in
 * collectives, inside. A loop over no set is one, whatever its processes do.
 *
 *	struct loop_groups g;
 *	if (loop_groups_of(run, loop, line, NULL, &g, &error))
 *		... process p is in number g.of[p] of g.count ...
 *	loop_groups_clear(&g);
 */
#ifndef TRACENEST_ASK_LOOP_GROUPS_H
#define TRACENEST_ASK_LOOP_GROUPS_H

#include "base/error.h"
#include "model/run.h"

#define LOOP_GROUP_NONE UINT32_MAX

struct loop_groups {
	uint32_t count;
	uint32_t *of; /* by process, numbered by their lowest; LOOP_GROUP_NONE: it has no events inside. NULL where
	                 count is 1 at most */
};

/* Of the loop or guard, which is at this line; the module has no procedures (module_inline). among: of those
   of its processes, which go through it together; NULL: of all, of which none are told apart where
   each has its own count. Ends of messages are compared in the first iterations of loops, and in
   all those that peers depend on. False with *error set where a number does not come out.
   O(processes + what differs for them inside). */
bool loop_groups_of(
	struct run *, node_id statement, size_t line, const struct ranks *among, struct loop_groups *, struct error *);
void loop_groups_clear(struct loop_groups *);

/* What stands behind loops of a module, which is borrowed, that are several: "4 side by side: 0-3,
   4-7, ..."; of what procedures say, as it is in the first call. */
struct loop_remarks *loop_remarks_new(const struct module *);
void loop_remarks_free(struct loop_remarks *);
struct module_remarks loop_remarks(const struct loop_remarks *);
/* The module with them. */
void loop_remarks_print(const struct module *, struct output *);

#endif
