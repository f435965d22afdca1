/*
 * model.h -- a model: the communication of some processes as one program.
 *
 * A nest whose symbols are the events of a dictionary. The listing of a body is a topological order
 * of its system: the order of the listing, restricted to one process, is T; matching sends with
 * receives (and syncs with syncs) first in, first out is C. A model of one process, or of several
 * that were not merged, is a model like any other (the paper, section III-A).
 */
#ifndef TRACENEST_MODEL_MODEL_H
#define TRACENEST_MODEL_MODEL_H

#include "model/dictionary.h"
#include "model/nest.h"
#include "model/notes.h"

struct model {
	struct dictionary *dictionary; /* owned */
	struct nest *nest; /* owned */
	uint32_t processes; /* ranks are 0 to processes - 1; some may have no events */
	struct notes notes;
};

struct model *model_new(void);
void model_free(struct model *);

/* As nest_constructs has it. */
uint64_t model_constructs(const struct model *);

#endif
