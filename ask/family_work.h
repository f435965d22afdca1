/*
 * family_work.h -- what the parts of families.h share: terms and their projection (family_terms.c),
 * the walk over both ends of a channel (families.c), graphs of bodies (family_order.c).
 *
 * A term is what one end of a channel executes of a body: an array of items in the order of the
 * text, each a statement or a repetition. A repetition is a loop with its runs, (times, term) each,
 * from iteration 0 on. Guards leave no trace.
 */
#ifndef TRACENEST_ASK_FAMILY_WORK_H
#define TRACENEST_ASK_FAMILY_WORK_H

#include "ask/families.h"
#include "ask/projection.h"
#include "base/intern.h"

#define FAMILY_NOTHING 0 /* the term of no items */
#define FAMILY_ROOT SIZE_MAX /* the scope of what stands in no loop */
#define FAMILY_STATEMENTS 4096 /* that are kept taken apart: a kilobyte each */

/* Of one process, while it is projected: an item of a body on one end, or a run of iterations. */
struct end_item {
	uint32_t end; /* 2 * channel, + 1 of receives */
	uint32_t item; /* or the term of a run */
	uint64_t at, count; /* its place in the body; the first iteration, and how many */
};

struct end_items {
	struct end_item *entry;
	size_t length, capacity;
};

/* Of each pair of processes that exchange messages: small. */
struct channel_ends {
	uint32_t process, peer; /* of an event that was met on it; */
	uint32_t form; /* ... and the rest of it, in work->forms */
	uint32_t term[2]; /* sent, received; of a collective: the first member's, and how many were met */
};

/* What is asked about the walk over two terms. */
enum {
	OF_SYNC = 1,
	OF_ONE = 2, /* a process that sends to itself */
	OF_FREE = 4, /* a collective in which nobody waits */
	UNSURE = 8, /* messages under way differ from one iteration to the next, or are received too early */
};

struct family_work {
	struct program *program;
	struct projection *projection;
	struct plain_statement **event; /* by statement: taken apart, once met; NULL where there are too many */
	uint64_t budget;
	bool huge;
	size_t *around; /* by statement: the loop around, guards left out */
	uint32_t *depth; /* by statement: of loops and guards around */
	bool *varies, *divergent; /* by loop: does its body depend on its index, its count on the process? */
	bool *joint, *apart, *alone; /* by loop: ...; does a process send to itself across its iterations? */
	bool *early; /* by statement: is something received before it is sent, in the order of the text? */
	bool unsure;
	struct spot spot; /* of the process at hand */
	int64_t index[INDEX_DEPTH];
	struct end_items items;
	struct intern *terms, *repetitions;
	uint64_t *term_count, *repetition_count; /* messages */
	size_t term_capacity, repetition_capacity;
	struct intern *channels, *forms; /* forms: struct plain_event, of no process */
	struct channel_ends *channel;
	size_t channel_capacity;
	struct intern *families; /* {term, term, how} */
	uint64_t *family_size;
	uint32_t *family_channel;
	size_t size_capacity, first_capacity;
	uint32_t family, crossed_on; /* that is walked; a channel that crosses the iterations of a loop */
	struct intern *walked;
	uint64_t *irregular; /* by what was walked */
	size_t irregular_capacity;
	struct families *found;
};

/* The items of a term; the runs of a repetition: times and term by turns. Borrowed. */
const uint32_t *family_items(const struct family_work *, uint32_t term, size_t *length);
const uint64_t *family_runs(const struct family_work *, uint32_t item, size_t *runs);
static inline bool family_is_repetition(uint32_t item)
{
	return item & 1;
}

/* The statement of an item; messages (times, of a collective) of an item, and of a term. */
size_t family_item_statement(const struct family_work *, uint32_t item);
uint64_t family_item_messages(const struct family_work *, uint32_t item);
uint64_t family_messages(const struct family_work *, uint32_t term);

/* Add what the process of work->spot executes to work->items; false: the budget is used up. Items
   from a place on become a term for each end. */
bool family_project(struct family_work *, const struct projection_entry *from, const struct projection_entry *past);
void family_close_body(struct family_work *, size_t from);
void family_set_index(struct family_work *, uint32_t depth, uint64_t index);

static inline bool family_is_sync(const struct family_work *w, const struct channel_ends *c)
{
	return ((const struct plain_event *)intern_data(w->forms, c->form, NULL))->kind == EVENT_SYNC;
}

uint32_t family_how(const struct family_work *, const struct channel_ends *sync);

/* Is the order of the text a schedule, but for bodies that graphs prove? */
void family_find_order(struct family_work *);

#endif
