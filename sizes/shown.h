/*
 * shown.h -- what an instance relies on that no learned run shows: that a statement which one run
 * alone executes, or an entry of a table that it alone looks up, is the same elsewhere; in which
 * order a process executes two statements, where no process of any run executes both, and none
 * between them tells.
 */
#ifndef TRACENEST_SIZES_SHOWN_H
#define TRACENEST_SIZES_SHOWN_H

#include "sizes/follow.h"

/* who: by run, and then of the instance, of each set of the guide; there: its extents. A line each, the
   first of its kind. O(processes x sets + statements^3 / 64), that for up to SHOWN_STATEMENTS. */
#define SHOWN_STATEMENTS 1000
void tell_what_is_not_shown(const struct guide *, const struct learned_runs *, const struct ranks *const *who,
	struct environment *there, struct text *warnings);

#endif
