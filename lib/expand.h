/*
 * expand.h -- the events that a program stands for, as a text trace.
 */
#ifndef TRACENEST_LIB_EXPAND_H
#define TRACENEST_LIB_EXPAND_H

#include "base/output.h"
#include "base/ranks.h"
#include "model/program.h"

/* Print the events of these processes, one after the other. values: with these of what they carry
   (carried.h); NULL: nothing. O(events); stops early where the output has failed. */
void program_expand(struct program *, const struct ranks *, const char *values, struct output *);

#endif
