/*
 * matrix.h -- messages between each pair of processes, counted from a model without running it.
 *
 *	struct matrix *x = matrix_new(m, &(struct matrix_part){.whole = true});
 *	for (size_t i = 0; i < x->cells; i++)
 *		printf("%u -> %u: %" PRIu64 "\n", x->cell[i].source, x->cell[i].destination, x->cell[i].messages);
 *	matrix_free(x);
 *
 * One pass over the constructs: a loop of 10^9 iterations costs no more than one of three. Messages are counted where they are sent.
 */
#ifndef TRACENEST_MODEL_MATRIX_H
#define TRACENEST_MODEL_MATRIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "model/nest.h"

struct model;

/* What to count: everything, or a construct in all its executions, or one iteration of a loop. */
struct matrix_part {
	bool whole;
	const char *address; /* if not the whole: of the construct */
	bool per_iteration;
	const char *tag; /* only messages of this tag: its words or its number alone, on all communicators or on one ("tag3000", "3000@2"); NULL: of all */
};

/* Pairs that exchange messages; bytes is for whoever knows them. */
struct matrix_cell {
	uint32_t source, destination;
	uint64_t messages, bytes;
};

/* How often the members of a group took part in a collective operation, all together. */
struct matrix_collective {
	uint32_t sync; /* channel: dictionary_get_sync */
	uint64_t calls;
};

struct matrix {
	uint32_t processes;
	struct matrix_cell *cell; /* by source, then destination */
	size_t cells;
	struct matrix_collective *collective; /* by sync channel */
	size_t collectives;
	uint64_t sent, received; /* of the messages counted, at their two ends */
	uint64_t executions; /* of the construct, or its iteration, in the run (1 for the whole) */
};

/* NULL with *error set: no such construct; an iteration of what is no loop. */
struct matrix *matrix_new(const struct model *, const struct matrix_part *, struct error *);
void matrix_free(struct matrix *);

/* The cell of a pair; NULL if it exchanges nothing. O(log cells). */
struct matrix_cell *matrix_find(const struct matrix *, uint32_t source, uint32_t destination);

/* Is this event a message of that tag (NULL: of any)? */
bool matrix_counts(const struct model *, uint32_t event, const char *tag);

/* Is there any message of that tag? Else *error says which tags there are. */
bool matrix_has_tag(const struct model *, const char *tag, struct error *);

#endif
