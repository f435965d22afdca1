/*
 * bridge.h -- between the two forms of a program, through their text, while rooms move from the one
 * (program.h) to the other (module.h). It goes with the older one.
 */
#ifndef TRACENEST_MODEL_BRIDGE_H
#define TRACENEST_MODEL_BRIDGE_H

#include "model/module.h"
#include "model/program.h"

/* The same program, with its calls; name: where its text is from, for messages. NULL with *error
   set. The caller frees it. O(text). */
struct module *module_of_program(const struct program *, const char *name, struct error *);

/* In an environment (NULL: the module's own): of a parametric text an instance, in which what
   nobody executes stands over an empty set. False with *error, without a place, where the older form
   cannot say it. */
struct program *program_of_module(struct module *, const struct environment *, struct error *);

/* By statement of the program its line in the module when calls are replaced (module_inline): a
   guard in the line of its event has that of the event. The caller frees it. O(statements). */
size_t *bridge_lines(const struct program *);

#endif
