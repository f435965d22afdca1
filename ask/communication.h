/*
 * communication.h -- messages between each pair of processes, and calls of collectives, counted
 * from a run without going through it.
 *
 *	struct communication *x = communication_new(run, &(struct communication_part){.whole = true}, &error);
 *	for (size_t i = 0; i < x->cells; i++)
 *		printf("%u -> %u: %" PRIu64 "\n", x->cell[i].source, x->cell[i].destination, x->cell[i].messages);
 *	communication_free(x);
 *
 * A loop of 10^9 iterations costs no more than one of three, but where a peer is a function of its
 * index, or what is asked for is: a tag, a communicator, a size that is not affine. Then its
 * iterations are gone through (RUN_STEPS).
 */
#ifndef TRACENEST_ASK_COMMUNICATION_H
#define TRACENEST_ASK_COMMUNICATION_H

#include "model/member_sets.h"
#include "base/error.h"
#include "base/output.h"
#include "model/run.h"

/* What to count. The module has no procedures (module_inline), but for messages of the whole. */
struct communication_part {
	bool whole;
	size_t line; /* if not the whole: of this statement in all its executions, */
	bool per_iteration; /* ... or of one iteration of this loop; */
	const char *address; /* ... in messages */
	const size_t *group; /* by line: counted in this one of so many results; NULL: all in one */
	size_t groups;
	const char *tag; /* only messages of this tag: "tag3000", "3000", "3000@2"; NULL: of all */
	bool totals; /* no cells and no collectives: what is sent and received in all */
	bool sizes; /* bytes are asked for, too */
	bool collectives;
};

/* What moves from one to the other: whoever calls, who puts sends, who gets is sent to. */
struct communication_cell {
	uint32_t source, destination;
	uint64_t messages, bytes;
};

/* How often the members of a group took part in a collective operation, all together. */
struct communication_collective {
	struct collective_key {
		uint32_t name, group; /* a word of the store; of the members */
		int64_t communicator, named; /* named: is there one? */
	} key;
	uint64_t calls;
	size_t line; /* where it occurs first, for the lowest process */
};

struct communication {
	uint32_t processes;
	size_t groups; /* results, of which this one is the first */
	struct communication_cell *cell; /* by source, then destination */
	size_t cells, cell_capacity;
	struct communication_collective *collective; /* by line */
	size_t collectives, collective_capacity;
	struct member_sets *members;
	uint64_t events, calls; /* of any kind, but for messages of other tags; of collectives, a process each */
	uint64_t sent, received; /* of the messages counted, at their two ends; sent: with */
	uint64_t one_sided; /* ... what was put and got, which nobody receives */
	uint64_t sized, bytes; /* of those sent, with a size; these */
	uint64_t executions; /* of the statement, or its iteration, in the run: of who does it most */
};

/* One, or by group. NULL with *error set: a number does not come out; a peer is no rank of the run; an iteration of what
   is no loop, or of a loop whose iterations differ; no message has the tag: it says which there are.
   Counts saturate. */
struct communication *communication_new(struct run *, const struct communication_part *, struct error *);
void communication_free(struct communication *);

/* By line. */
struct communication *communication_of_lines(struct run *, bool cells, struct error *);

/* The cell of a pair; NULL if it exchanges nothing. O(log cells). */
struct communication_cell *communication_find(const struct communication *, uint32_t source, uint32_t destination);

/* Are these the words of a tag that is asked for, whole or the number alone, with the communicator
   or without? They begin with so many bytes that are no number. */
bool communication_is_tag(const struct text *words, size_t stem, const char *asked);

/* "0-3@2": whom a collective is of. */
void communication_print_group(const struct communication *, const struct communication_collective *, struct text *);

/* "MPI_Bcast of 0-3@2: 12 times", a line each. */
void communication_print_collectives(const struct run *, const struct communication *, struct output *);

#endif
