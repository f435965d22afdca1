/*
 * neighbours.h -- processes that moves to neighbours hold together, told from the statements alone.
 */
#ifndef TRACENEST_ASK_NEIGHBOURS_H
#define TRACENEST_ASK_NEIGHBOURS_H

#include "model/program.h"

/*
 * Do messages in the body of this loop over a set, to the next process on a line of ranks, on a
 * ring, or along each axis of the grid, join all that execute it? False where that is not plain to
 * see: others may know. O(statements of the body), whatever the processes.
 */
bool neighbours_join_all(const struct program *, size_t loop);

#endif
