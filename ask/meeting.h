/*
 * meeting.h -- C: the k-th message sent on a channel is the k-th received, the k-th collective of a
 * member is that of all others. Do all meet, in the same iteration, and is there an order in which
 * that can happen? Proven on the text, by counting.
 *
 *	struct meeting *m = meeting_new(run, MEETING_BUDGET);
 *	const struct meeting_facts *f = meeting_facts(m);
 *	if (f->known && f->complete && f->crossed == MEETING_NOWHERE)
 *		... no message crosses the iterations of any of f->joint loops
 *	meeting_free(m);
 *
 * What a process executes of the text at one end of a channel is a term: statements, and loops with
 * their runs of equal iterations. Terms are hash-consed, and channels with equal terms at their
 * ends are a family: what holds for one holds for all. LU has 4 of messages on 16 processes and on
 * 4,096. A family is gone through once, pair by pair, and of what both ends repeat one period: a
 * loop that both ends are in is regular if each iteration receives what it sends. A collective is a
 * channel between its first member and each other.
 *
 * Where every send stands before the receive that is its inverse (ask/inverses.h), that says all:
 * so are programs of many processes, and those that exceed the budget, proven.
 *
 * A loop whose index does not matter to who meets whom is gone through once: tags and communicators
 * are functions of its index then, and what meets on equal functions meets in all iterations. Where
 * that does not prove everything, iterations in which tags differ are gone through one by one.
 *
 * Where no receive stands before its send, the order of the text is a schedule. Where one does
 * (wavefronts), the graph of one iteration of the body that it stands in is looked at, loops inside
 * of it contracted: if that has no cycle, the iteration can happen, and so can all.
 *
 * Statements are numbered as they stand in the text.
 */
#ifndef TRACENEST_ASK_MEETING_H
#define TRACENEST_ASK_MEETING_H

#include "base/text.h"
#include "model/run.h"

/* Events that are gone through at most, each time that the program is: a second or two, and 200 MB.
   Binds where peers or conditions follow an index over 10^6 iterations. */
#define MEETING_BUDGET (UINT64_C(1) << 22)
/* Channels that are told of those that are not complete. */
#define MEETING_TOLD 10

#define MEETING_NOWHERE SIZE_MAX

enum meeting_order {
	ORDER_TEXT, /* that of the text is a schedule */
	ORDER_GRAPHS, /* ... but for bodies whose graphs are acyclic */
	ORDER_UNKNOWN /* the events can happen in some order, or cannot */
};

struct meeting_facts {
	enum failure failure; /* a number does not come out: nothing is known */
	bool known; /* false: it was too much */
	bool complete; /* is every message received, and has every collective all its members? */
	uint64_t unmatched, never_received; /* channels of which that is not so; sends, if nothing but sends is left */
	struct text channels; /* the first of these with their counts, a line each behind a newline and two blanks */
	/* loops of the text that several processes communicate in, and those that are loops of each
	   process: messages cross their iterations, but their counts depend on the process */
	uint64_t joint, apart;
	uint64_t irregular; /* links between constructs that carry other parts of a channel */
	/* The first loop whose iterations messages cross, though its count is one for all; a
	   channel of these, and an iteration from which and one into which. */
	size_t crossed;
	struct text channel;
	size_t misplaced; /* the first receive that stands before its send, in a loop, in one iteration */
	enum meeting_order order;
	uint64_t graphs; /* bodies that were looked at as graphs */
};

struct meeting;

/* The run is borrowed; its module has no calls (module_inline). O(events that are gone through, log
   of those of a body), and as much again for graphs. */
struct meeting *meeting_new(struct run *, uint64_t budget);
void meeting_free(struct meeting *);
const struct meeting_facts *meeting_facts(const struct meeting *);

#endif
