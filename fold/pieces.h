/*
 * pieces.h -- folded bodies before they are statements: what is done, and by whom.
 */
#ifndef TRACENEST_FOLD_PIECES_H
#define TRACENEST_FOLD_PIECES_H

#include "base/mem.h"
#include "model/model.h"
#include "model/program.h"

struct pieces {
	struct piece *piece;
	size_t length;
};

struct piece {
	uint32_t shape;
	bool plain; /* a loop without a set; or an event as it stands in the model, whose id is `event` */
	uint32_t event, form;
	uint64_t count; /* of a loop */
	struct ranks set; /* runs in the arena */
	struct pieces *inside; /* of a loop; else NULL */
};

/* All in the arena. Pieces are not set yet. */
struct pieces *pieces_new(struct arena *, size_t length);

/* The processes as a set; sorts them. */
struct ranks pieces_set(struct arena *, uint32_t *process, size_t processes);

/* The pieces of several loops of equal shapes, one by one, their sets united. */
struct pieces *pieces_unite(struct arena *, struct pieces *const *all, size_t count);

/* So many they become. */
size_t pieces_statements(const struct pieces *);

/* Adds them to the program as statements; what one process does alone is said plainly. A grid that
   no statement uses is dropped. */
void pieces_put(const struct pieces *, const struct model *, struct program *);

#endif
