/*
 * communicators.h -- what the communicators of a program are in C, and the calls that make them.
 *
 *	struct communicators c;
 *	if (communicators_of(&c, &overview, &error)) ...
 *	communicators_put(&c, &x, at, &text);	-- MPI_COMM_WORLD, comm[2], row, group_1
 *	communicators_print(&c, &temporaries, &x, &declarations);
 *	communicators_clear(&c);
 *
 * Those that the program numbers have the same number in C. Collectives tell who is in one; one of
 * which only messages are known is a duplicate of the world; where each process is alone in its own,
 * it is MPI_COMM_SELF, which has one number. Groups without a number have one
 * communicator each, the lines of a grid one for all lines alike. Members are numbered in the order
 * of their ranks.
 */
#ifndef TRACENEST_REPLAY_COMMUNICATORS_H
#define TRACENEST_REPLAY_COMMUNICATORS_H

#include "base/error.h"
#include "base/intern.h"
#include "base/text.h"
#include "model/member_sets.h"
#include "ask/overview.h"
#include "scangen/c_text.h"

/* UNTOLD: only messages are known. SELF: of each process by itself. */
enum communicator_sort { COMMUNICATOR_UNTOLD, COMMUNICATOR_WORLD, COMMUNICATOR_PART, COMMUNICATOR_SELF };

struct communicators {
	const struct overview *overview;
	struct member_sets *members;
	struct intern *groups; /* without a number: nodes, or sets */
	struct ranks *member; /* by number; nobody: that number does not occur */
	enum communicator_sort *sort; /* by number */
	size_t numbers, capacity;
	bool rank_in, world_rank; /* functions that were called */
};

/* False with *error set: numbers that are too large, or one for several sets of processes. O(statements x processes; where a number
   depends on an index, events). */
bool communicators_of(struct communicators *, const struct overview *, struct error *);
void communicators_clear(struct communicators *);

/* The communicator of a message or of a collective; a rank of the world, as `rank` has it, in it; or
   (from) of its process of this number the rank in the world: the same where it numbers as the world
   does. */
void communicators_put(struct communicators *, struct c_text *, size_t at, struct text *);
void communicators_put_rank(
	struct communicators *, struct c_text *, size_t at, bool from, const char *rank, struct text *);

/* How many are in that of a collective, of this process. */
uint64_t communicators_size(const struct communicators *, size_t at, uint32_t rank);

/* A collective whose groups are told by communicators: of these members of it, those whose groups
   are as large as the first one. to: initialized, replaced. */
void communicators_part(const struct communicators *, size_t at, const struct ranks *who, struct ranks *to);

/* Variables, and a function that makes them, but for those that are temporary (replay/temporaries),
   make_communicators(), if there are any (else false). */
struct temporaries;
bool communicators_print(const struct communicators *, const struct temporaries *, struct c_text *, struct text *);

#endif
