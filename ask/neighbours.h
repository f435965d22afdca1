/*
 * neighbours.h -- processes that moves to neighbours hold together, told from the statements alone.
 */
#ifndef TRACENEST_ASK_NEIGHBOURS_H
#define TRACENEST_ASK_NEIGHBOURS_H

#include "model/program.h"

/*
 * Do messages in the body of this loop over a set, below so many others, so many ranks further on
 * the line of ranks or around the ring of all, or by a step along each axis of the grid, join all
 * that execute it? False where that is not plain to see: others may know. O(statements of the body
 * + runs of their sets, and of those joined by single steps), mostly whatever the processes.
 */
bool neighbours_join_all(const struct program *, size_t loop, uint32_t depth);

#endif
