/*
 * generalize.h -- the procedures of a draft, from the lines of their calls: what these have in
 * common, with parameters where they differ (their least general generalization, or
 * anti-unification: G. Plotkin, 1970).
 *
 *	struct module *m = module_of_draft(draft, NULL, NULL);
 *
 * A statement has numbers that a parameter may fill: tags, peers, counts, sizes. Calls of a
 * procedure whose lines are the same but for these numbers are calls of one body; numbers that
 * differ are parameters, and those that differ alike the same one. A number that asks for indices
 * of loops around the calls is one, too, for these have no names inside of the body. One that asks
 * for indices of the body's own loops has to be the same everywhere.
 */
#ifndef TRACENEST_MODEL_GENERALIZE_H
#define TRACENEST_MODEL_GENERALIZE_H

#include "model/draft.h"
#include "model/module_parts.h"

/*
 * The module that a draft becomes: calls whose lines are instances of one body are calls, others
 * stand where they are; it has its notes, its events, and those tables that it asks for. mark: by
 * line, lines whose marks differ are not the same; NULL: they do not. origin (may be NULL): by line
 * the draft's, the caller's; LINE_NONE: a call, the head of a procedure. O(text of the calls x depth
 * of calls).
 */
#define LINE_NONE UINT32_MAX
struct module *module_of_draft(const struct draft *, const uint32_t *mark, struct inlined_line **origin);

/* By line the one that stands for it in the module, wherever in the source they are: the same one
   of the first call of that body, else itself. The caller's. */
size_t *draft_lines_said(const struct draft *);

#endif
