/*
 * draft.h -- a program while it is built: a module without procedures, and which ranges of its
 * lines will be calls of them.
 *
 *	struct draft *d = draft_new(store, 16, &grid);
 *	... d->module->body is made; program_calls_begin(&d->calls, procedure, line) ...
 *	draft_free(d);
 *
 * Drafts of one store share what they have in common, so another try costs what differs.
 */
#ifndef TRACENEST_MODEL_DRAFT_H
#define TRACENEST_MODEL_DRAFT_H

#include "model/module.h"
#include "model/program_calls.h"

struct draft {
	struct module *module; /* owned; lines as module.h numbers them */
	struct program_calls calls; /* ranges of lines, nested: each is a call of a body */
	/* by line: of a loop, so many frames of the call paths inside lead to the function that loops;
	   0: not known. NULL: of none */
	uint32_t *frames;
};

/* Without statements, in this store, which it shares. */
struct draft *draft_new(struct store *, uint32_t processes, const struct grid *);
/* Of a module without procedures, which is taken. */
struct draft *draft_of(struct module *);
/* Of any module, which stays: calls are replaced by what they call, and are the draft's. NULL with
   *error set as of module_inline. */
struct draft *draft_of_module(const struct module *, struct error *);
/* Of the same store. O(lines) */
struct draft *draft_copy(const struct draft *);
void draft_free(struct draft *); /* NULL is fine */

/* Into a store without a grid, which it shares then: nothing of it asks for coordinates, and its
   sets are written as lists. O(nodes) */
void draft_move(struct draft *, struct store *);

/*
 * Each statement, those inside of a loop or guard before itself, becomes what `change` gives: a
 * statement of as many lines (line: its own), or itself. NODE_NONE: it can't be had; then the
 * result is false, and the draft stays. The module's body changes; lines, sites, calls and frames
 * stay. O(lines)
 */
typedef node_id draft_change(void *context, size_t line, node_id statement);
bool draft_map(struct draft *, draft_change *, void *context);

/*
 * A draft of other statements, maybe in another store: each becomes the statements that `change`
 * puts, none or up to DRAFT_PARTS; it gives how many. A loop or guard asks for its body by
 * draft_inside: NODE_NONE, and it becomes nothing, if nothing of it is left. to: what is not
 * statements, of the store they are made in; it is taken. origin: by line the one that it was, the
 * caller's. O(lines)
 */
#define DRAFT_PARTS 4
struct draft_walk;
typedef uint32_t draft_parts(void *context, struct draft_walk *, size_t line, node_id statement, node_id *to);
struct draft *draft_of_parts(const struct draft *, struct module *to, draft_parts *, void *context, size_t **origin);
node_id draft_inside(struct draft_walk *, size_t line, node_id statement);

/* Would the reader take its text? Finds how many events there are. As module_check. */
bool draft_check(struct draft *, struct error *);

#endif
