/*
 * program_of_module.h -- the older form of a program (program.h) from a module (module.h), while
 * rooms move from the one to the other. It goes with the older one.
 */
#ifndef TRACENEST_MODEL_PROGRAM_OF_MODULE_H
#define TRACENEST_MODEL_PROGRAM_OF_MODULE_H

#include "model/module_parts.h"
#include "model/program.h"

/* In an environment (NULL: the module's own): of a parametric text an instance, in which what
   nobody executes stands over an empty set. NULL with the line and *error, without a place, where
   the older form cannot say it. The caller frees it. O(text). */
struct program *program_of_module(
	struct module *, const struct environment *, struct inlined_line *line, struct error *);

#endif
