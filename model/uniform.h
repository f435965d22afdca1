/*
 * uniform.h -- what program_uniform does (program.h), for those who follow the process that a guard
 * names themselves.
 */
#ifndef TRACENEST_MODEL_UNIFORM_H
#define TRACENEST_MODEL_UNIFORM_H

#include "model/program.h"

/* names: leave these guards as they are. */
struct program *uniform_but_names(const struct program *, bool names, size_t **origin);

#endif
