/*
 * joined_paths.h -- one kind of call paths on all lanes, where some know others, or none.
 *
 *	lane 0		main.c:7 main > step.c:3 step	send 1		(call sites)
 *	lane 1		main > step			send 0		(regions, entered and left)
 *	lane 2						send 1		(nothing)
 *
 * A lane that knows nothing, or another kind than most can be told by, is compared with the lane of
 * that kind that does most nearly the same, as texts are (E. W. Myers, Algorithmica 1, 1986): what
 * both do happens on the same path, the rest where the same is done otherwise, or where the event
 * before was. Where regions tell which calls are new that stays known, if they are the functions of
 * the path.
 */
#ifndef TRACENEST_MERGE_JOINED_PATHS_H
#define TRACENEST_MERGE_JOINED_PATHS_H

#include "merge/activations.h"

/* Do lanes know several kinds, or some none? */
bool joined_paths_differ(const struct call_paths *, const struct path_events *lane, uint32_t lanes);

/* Call sites on all lanes, if any has them, else regions. event: by lane, equal for what is done in
   the same way, whoever does it. False: a lane differs from those that have them in more than
   JOINED_PATHS_EDITS events. */
bool joined_paths(const struct call_paths *, struct path_events *lane, const uint32_t *const *event, uint32_t lanes);

#endif
