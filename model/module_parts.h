/*
 * module_parts.h -- a module again, or a part of it as a module of its own: one statement, or what
 * one process executes.
 *
 *	struct module *flat = module_copy(m);
 *	if (module_inline(flat, &error) && module_find(flat, "2.0", &line, &error))
 *		part = module_part(flat, line, &origin);
 *
 * Parts are made of modules without calls, and have no notes. What is made has the call sites of
 * what it is made of. origin (may be NULL): by line the one that it was, the caller's.
 */
#ifndef TRACENEST_MODEL_MODULE_PARTS_H
#define TRACENEST_MODEL_MODULE_PARTS_H

#include "model/module.h"

/* The same in a store of its own. O(nodes + lines) */
struct module *module_copy(const struct module *);

/* The statement of a line: if it depends on indices of the loops around, with these loops and
   guards. O(nodes) */
struct module *module_part(const struct module *, size_t line, size_t **origin);

/*
 * What one process executes: plain statements, in which numbers are still functions of indices;
 * what no plain statement can say stays as it is, over a set of one. Loops without anything of the
 * process are left out. NULL with *error set where 64 bits, or the terms of a sum, do not suffice.
 * O(lines)
 */
struct module *module_of_rank(const struct module *, uint32_t rank, size_t **origin, struct error *);

/* Is there any statement over a set? */
bool module_is_folded(const struct module *);

/* The same statement without the one before it: an `else` becomes a guard. */
node_id guard_alone(struct store *, node_id);

/* A list of statements that become a body; their lines. */
struct making {
	struct module *to; /* has all but the statements */
	size_t *origin; /* by line */
	size_t lines, capacity;
};
struct making making_start(const struct module *from);
void making_line(struct making *, size_t origin); /* of the next statement */
/* Takes the lines. */
struct module *making_finish(struct making *, const struct module *from, node_id body, size_t **origin);

#endif
