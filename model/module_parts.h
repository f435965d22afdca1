/*
 * module_parts.h -- a module made of another one: one statement of it, or what one process
 * executes, as a module of its own.
 *
 *	if (module_inline(m, &error) && module_find(m, "2.0", &line, &error))
 *		part = module_part(m, line, &origin);
 *
 * Parts are made of modules without calls. They have their call sites, no notes, and their store,
 * which they share. origin (may be NULL): by line the one that it was, the caller's.
 */
#ifndef TRACENEST_MODEL_MODULE_PARTS_H
#define TRACENEST_MODEL_MODULE_PARTS_H

#include "model/module.h"
#include "model/program_calls.h"

/* Where a line comes from: a line of the text, and that of the outermost call around, or itself. */
struct inlined_line {
	uint32_t line, call;
};

/* The header and call sites of a module with other statements; by line where these come from, which
   is taken. */
struct module *module_with(
	const struct module *, node_id body, struct inlined_line *line, struct inlined_line **origin);
/* The same with procedures, whose lines are behind those of the body. */
struct module *module_with_procedures(const struct module *, node_id body, const node_id *procedure, size_t procedures,
	struct inlined_line *line, struct inlined_line **origin);

/* With calls replaced: each call is a loop of one iteration over all who have any of what it calls.
   call: by line the call with its arguments as they are where it stands without such loops;
   NODE_NONE: it is no call. NULL with *error set as below. */
struct module *module_boxed(const struct module *, struct inlined_line **origin, node_id **call, struct error *);

/* The statement of a line with the indices of the loops around it put in. NULL with *error set
   where 64 bits do not suffice. */
struct module *module_settled(const struct module *, size_t line, const struct environment *around,
	struct inlined_line **origin, struct error *);

/* The statement of a line: if it depends on indices of the loops around, with these loops and
   guards. O(nodes) */
struct module *module_part(const struct module *, size_t line, struct inlined_line **origin);

/* A place as the rank that it is on the process of the environment, a function of indices, which
   are kept. NODE_NONE: what stands without a set does not say it. */
node_id rank_put(const struct substitution *, node_id place);

/*
 * What one process executes: plain statements, in which numbers are still functions of indices;
 * what no plain statement can say stays as it is, over a set of one. Loops without anything of the
 * process are left out. NULL with *error set where 64 bits, or the terms of a sum, do not suffice.
 * O(lines)
 */
struct module *module_of_rank(const struct module *, uint32_t rank, struct inlined_line **origin, struct error *);

/* As module_inline; calls, which are empty, are the lines of each. */
bool module_inline_calls(struct module *, struct program_calls *calls, struct error *);

/* The body without calls, and where its lines come from. NODE_NONE, with *wrong and a message
   without a place: loops are nested too deep, or a number is beyond 64 bits. The list is the
   caller's in any case. */
node_id module_inlined(const struct module *, struct inlined_line **, struct inlined_line *wrong, struct error *);

#endif
