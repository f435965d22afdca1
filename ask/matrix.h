/*
 * matrix.h -- messages between each pair of processes, counted from a program without running it.
 *
 *	struct matrix *x = matrix_new(program, &(struct matrix_part){.whole = true}, &error);
 *	for (size_t i = 0; i < x->cells; i++)
 *		printf("%u -> %u: %" PRIu64 "\n", x->cell[i].source, x->cell[i].destination, x->cell[i].messages);
 *	matrix_free(x);
 *
 * Messages are counted where they are sent: the executions of a statement for each of its
 * processes. A loop of 10^9 iterations costs no more than one of three, but where a peer (or, if it
 * is asked for, a tag) is a function of its index, or a size that is not affine: then its
 * iterations are gone through.
 */
#ifndef TRACENEST_ASK_MATRIX_H
#define TRACENEST_ASK_MATRIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "model/program.h"

/* What to count: everything, or a statement in all its executions, or one iteration of a loop. */
struct matrix_part {
	bool whole;
	const char *address; /* if not the whole: of the statement */
	bool per_iteration;
	const bool *at; /* by sites of statements (model/sites.h): only of those; NULL: of all */
	bool totals; /* no cells: what is sent and received in all, whoever it is for */
	/*
	 * only messages of this tag: its words or its number alone, on all communicators or on one
	 * ("tag3000", "3000@2"); NULL: of all
	 */
	const char *tag;
};

/* Pairs that exchange messages; bytes as the program has them (attributes.h), or as whoever knows
   better puts them. */
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
	uint64_t sized; /* of those sent, with a size */
	uint64_t bytes; /* of these */
	uint64_t locals; /* events that are no communication */
	uint64_t executions; /* of the statement, or its iteration, in the run (1 for the whole) */
};

/*
 * NULL with *error set: no such statement; an iteration of what is no loop, or of a loop whose
 * iterations differ. Adds sync channels to the dictionary.
 */
struct matrix *matrix_new(struct program *, const struct matrix_part *, struct error *);
void matrix_free(struct matrix *);

/* The cell of a pair; NULL if it exchanges nothing. O(log cells). */
struct matrix_cell *matrix_find(const struct matrix *, uint32_t source, uint32_t destination);

/* The same of each statement alone, by statement; of a loop nothing. The caller's. */
struct matrix_totals {
	uint64_t events; /* in the run, of all its processes */
	uint64_t sent, received, sized, bytes; /* as above */
};
struct matrix_totals *matrix_statements(const struct program *);

/* Each statement after the other, with its cells; one that had to be taken apart (program_is_divergent)
   comes several times. The matrix is borrowed, until the next one. */
void matrix_each(
	const struct program *, void (*take)(void *context, size_t statement, const struct matrix *), void *context);

/* Is this event of a dictionary a message of that tag (NULL: of any)? */
bool matrix_counts(const struct dictionary *, uint32_t event, const char *tag);

/* Is there any message of that tag? Else *error says which tags there are. */
bool matrix_has_tag(struct program *, const char *tag, struct error *);

#endif
