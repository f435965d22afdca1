/*
 * families.h -- do messages stay in the iterations that they were sent in, and can they happen?
 * Proven on the text, by counting.
 *
 *	struct families f;
 *	if (families_of(program, FAMILIES_BUDGET, &f) && f.crossed == FAMILIES_NONE)
 *		... no message crosses the iterations of any of f.joint loops
 *	families_clear(&f);
 *
 * The projection of the text on one end of a channel is what that process executes of it there.
 * Projections are hash-consed, and channels whose two projections are equal are a family: what
 * holds for one holds for all. LU has 4 of messages on 16 processes and on 4,096. A family is
 * walked once, with the number of messages under way: a loop that both ends are in is regular if
 * none is under way where its iterations begin, and each iteration receives what it sends. A
 * collective is a channel between its first member and each other.
 *
 * A loop is projected once if nothing inside depends on its index, else iteration by iteration.
 *
 * Where no receive stands before its send, the order of the text is a schedule. Where one does
 * (wavefronts), the graph of one iteration of the body that it stands in is looked at, loops inside
 * of it contracted: if that has no cycle, the iteration can happen, and so can all.
 */
#ifndef TRACENEST_ASK_FAMILIES_H
#define TRACENEST_ASK_FAMILIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "model/program.h"

/* Events that are projected at most, and as many again for graphs: a second or two, and 200 MB.
   Binds where tags or conditions follow an index over 10^6 iterations. */
#define FAMILIES_BUDGET (UINT64_C(1) << 22)

#define FAMILIES_NONE SIZE_MAX

enum families_order {
	ORDER_OF_TEXT, /* is a schedule */
	ORDER_OF_GRAPHS, /* ... but for bodies whose graphs are acyclic */
	ORDER_OPEN, /* the events can happen in some order, or cannot */
};

struct families {
	uint64_t count;
	bool complete; /* is every message received, and has every collective all its members? */
	struct text unbalanced; /* else: the first channel of which this is not so, with its counts */
	/* loops of the text that several processes communicate in, and those that are loops of each
	   process: messages cross their iterations, but their counts depend on the process */
	uint64_t joint, apart;
	uint64_t irregular; /* links between constructs that carry other parts of a channel */
	/* The first loop whose iterations messages cross, though its count is one for all; a
	   channel of these, and an iteration from which and one into which. */
	size_t crossed;
	struct text channel;
	uint64_t sent, received;
	size_t misplaced; /* the first receive that stands before its send, in a loop, in one iteration */
	enum families_order order;
	uint64_t graphs; /* bodies that were looked at as graphs */
};

/* False: it is too much. O(events that are projected, log of those of a body), and as much again
   for graphs. */
bool families_of(struct program *, uint64_t budget, struct families *);
void families_clear(struct families *);

#endif
