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

#include "base/error.h"
#include "base/output.h"
#include "base/ranks.h"
#include "base/text.h"
#include "model/nest_coverage.h"
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

/* Equal as programs: the same listing of equal events and loops, the same processes and notes. */
bool model_equal(const struct model *, const struct model *);

/* Events of all processes together (a sync of 16 processes is 16 events); UINT64_MAX: that many or
   more. O(nest). */
uint64_t model_events(const struct model *);

/* ------------------------------------------------------ the stored form (doc/tracenest-model.5) */

/* Models stand for fewer events than this; the reader refuses more. */
#define MODEL_EVENTS_LIMIT (UINT64_C(1) << 63)

/* Print the whole model with its header: to an output in pieces, or as one text. */
void model_print(const struct model *, struct output *);
void model_print_text(const struct model *, struct text *);

/* Read a model from a file ("-": standard input). NULL with file:line in the error if anything is
   wrong with it. */
struct model *model_read(const char *path, struct error *);

/* The same from memory; name stands for the file in messages. */
struct model *model_parse(const char *name, const char *bytes, size_t length, struct error *);

#endif
