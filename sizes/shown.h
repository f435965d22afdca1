/*
 * shown.h -- what an instance relies on that no learned run shows: that a statement which one run
 * alone executes, or an entry of a table that it alone looks up, is the same elsewhere; in which
 * order a process executes two statements, where no process of any run executes both, and none
 * between them tells.
 */
#ifndef TRACENEST_SIZES_SHOWN_H
#define TRACENEST_SIZES_SHOWN_H

#include "sizes/follow.h"

/* guide: of the text at the extents of each run, and then of the instance. A line each, the first
   of its kind. O(processes x sets + statements^3 / 64), that for up to SHOWN_STATEMENTS. */
#define SHOWN_STATEMENTS 1000
void tell_what_is_not_shown(struct guide *const *, size_t runs, struct text *warnings);

#endif
