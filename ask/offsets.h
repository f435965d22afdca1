/*
 * offsets.h -- where statements stand in the streams of the processes that execute them: how many
 * events a process has had before, from the start of the iteration around.
 *
 *	struct offsets *o = offsets_new(run);
 *	struct module_remarks remarks = offsets_remarks(o);	-- "// @{0-3=671+644*i0}", "// #{0-3=644}"
 *	module_print_text(module, &remarks, &text);
 *	offsets_free(o);
 *
 * They are polynomials in the indices of the loops around, and in what guards, tables and other
 * counts come to (ask/unknowns.h). Not known (base/polynomial.h) where 64 bits do not suffice.
 *
 * Processes of a class have the same statements. O(classes x statements of each, log of those), not
 * of the processes.
 */
#ifndef TRACENEST_ASK_OFFSETS_H
#define TRACENEST_ASK_OFFSETS_H

#include "ask/unknowns.h"

struct offsets;

/* The run's module has no calls (module_inline). The run is borrowed. */
struct offsets *offsets_new(struct run *);
void offsets_free(struct offsets *);

/* Events of a class (run_class) before the statement on this line, in the iteration around it;
   false: it does not execute it. Borrowed. */
bool offsets_before(const struct offsets *, size_t line, uint32_t class, struct polynomial *);

/* What one of them is for a process, at the indices of the loops around: run_depth of them, 0 where
   there are none. False: not known. */
bool offsets_value(struct offsets *, const struct polynomial *, uint32_t rank, const int64_t *index, int64_t *value);

/* Behind a statement, "// @{0=671,1=999}" (the paper's Figure 8); below a loop, "// #{0=644}", of
   an iteration. */
struct module_remarks offsets_remarks(const struct offsets *);

#endif
