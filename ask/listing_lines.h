/*
 * listing_lines.h -- how long a program is in plain words: lines of a listing (unfolding.h) of a
 * line for each event and process, counted without making it.
 *
 * A loop whose index stands in some statement inside becomes its iterations one after the other,
 * another one a loop for each group of processes that communicate in it (loop_groups.h); a
 * collective whose members are there is one line. Collectives of one channel in different
 * statements of a body meet in one line, too, each member's first with the others' first: there are
 * as many lines as the busiest member has collectives.
 */
#ifndef TRACENEST_ASK_LISTING_LINES_H
#define TRACENEST_ASK_LISTING_LINES_H

#include "base/error.h"
#include "model/run.h"

/* Lines, but for "done"; UINT64_MAX: that many or more. The module has no procedures. False with
   *error set where a number does not come out. */
bool listing_lines(struct run *, uint64_t *lines, struct error *);

#endif
