/*
 * meeting_work.h -- what the parts of meeting.h share: terms (meeting_terms.c), the walk over both
 * ends of a channel (meeting_pairs.c), graphs of bodies (meeting_order.c).
 *
 * A term is what one end of a channel executes of a body: an array of items in the order of the
 * text, each a statement or a repetition. A repetition is a loop with its runs, (times, term) each,
 * from iteration 0 on. Guards leave no trace.
 */
#ifndef TRACENEST_ASK_MEETING_WORK_H
#define TRACENEST_ASK_MEETING_WORK_H

#include "ask/ends.h"
#include "ask/meeting.h"
#include "base/intern.h"

#define TERM_NOTHING 0 /* the term of no items */
#define SCOPE_ROOT UINT32_MAX /* the scope of what stands in no loop */

/* Of one process, while it is gone through: an item of a body on one end, or a few iterations. */
struct term_entry {
	uint32_t end; /* 2 * channel, + 1 of receives */
	uint32_t item; /* or the term of a run */
	uint64_t from, count; /* its place in the body; the first iteration, and how many */
};

struct term_entries {
	struct term_entry *item;
	size_t length, capacity;
};

struct met_channel {
	uint32_t how, statement; /* the first that has an end of it */
	uint32_t term[2]; /* sent, received; of a collective: the first member's, and how many were met */
	bool differs; /* a member of the collective comes less, or more often than the first */
};

/* What is asked about the walk over two terms. */
enum {
	OF_SYNC = 1,
	OF_ONE = 2, /* a process that sends to itself */
	OF_FREE = 4, /* a collective in which nobody waits */
};

/* Of a statement. */
struct stand {
	uint32_t around; /* the loop around, guards left out; or SCOPE_ROOT */
	bool divergent; /* a loop whose count depends on the process */
	bool joint, apart, alone; /* of a loop: ...; does a process send to itself across its iterations? */
	bool early; /* is something received before it is sent, in the order of the text? */
	bool graph, inspected; /* of a loop: is the graph of its body looked at; ... or of one inside? */
};

struct meeting {
	struct run *run;
	const struct store *store;
	enum purpose purpose; /* loops that do not matter for it are open */
	uint64_t budget, left;
	bool too_much;
	struct ends ends;
	struct stand *stand; /* by statement; the last is the whole */
	uint32_t statements;
	struct environment at; /* of the process at hand */
	uint32_t class;
	struct term_entries items;
	struct intern *terms, *repetitions, *families;
	uint64_t *term_count, *repetition_count; /* messages */
	size_t term_capacity, repetition_capacity;
	struct met_channel *channel;
	size_t channel_capacity;
	uint64_t *family_size;
	uint32_t *family_channel;
	size_t size_capacity, first_capacity;
	uint32_t crossed_on; /* a channel that crosses the iterations of a loop */
	bool unsure; /* is anything received in an earlier iteration than it is sent? */
	uint64_t sent, received; /* iterations of that crossing */
	struct body_graphs *graphs; /* NULL, but while the order of events is looked for */
	struct meeting_facts facts;
};

/* The items of a term; the runs of a repetition, behind its loop: times and term by turns.
   Borrowed. */
const uint32_t *term_items(const struct meeting *, uint32_t term, size_t *length);
const uint64_t *item_runs(const struct meeting *, uint32_t item, size_t *runs);
static inline bool item_repeats(uint32_t item)
{
	return item & 1;
}

/* The statement of an item; messages (times, of a collective) of an item, and of a term. */
uint32_t item_statement(const struct meeting *, uint32_t item);
uint64_t item_messages(const struct meeting *, uint32_t item);
uint64_t term_messages(const struct meeting *, uint32_t term);

/* The ends of a process become its items: a term for each. */
void terms_of_process(struct meeting *, uint32_t rank);

/* Go through both ends of a channel of the family, which have these terms, and mark what is found
   of loops and statements. Gives the links that are irregular. */
uint64_t meeting_walk_family(struct meeting *, uint32_t channel, uint32_t sends, uint32_t receives);

/* Is the order of the text a schedule, but for bodies that graphs prove? */
void meeting_find_order(struct meeting *);

/* meeting->graphs get one iteration of the body of this loop, whose items are those from a place
   on. */
void graphs_add_iteration(struct meeting *, uint32_t loop, size_t from);

#endif
