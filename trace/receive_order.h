/*
 * receive_order.h -- receives completed by one wait call, put in the order in which they were
 * posted: that in which MPI matches the messages of a channel.
 *
 *	receive_order_post(o, request, events, call);	-- MPI_IRECV_REQUEST
 *	receive_order_wait_begins(o);			-- into MPI_Waitall
 *	receive_order_receive(o, &event, request, true);	-- MPI_IRECV: held, if its place is not known yet
 *	receive_order_wait_ends(o);			-- out of it: delivers what was held
 *
 * Every function that returns bool may deliver; false means that the receiver of the events wants
 * no more.
 */
#ifndef TRACENEST_TRACE_RECEIVE_ORDER_H
#define TRACENEST_TRACE_RECEIVE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/trace.h"

struct receive_order_held {
	struct trace_event event;
	uint64_t posted; /* when, counted in posts, from 1; 0: not a receive, or not known: keeps its place */
};

struct receive_order_request {
	uint64_t request, posted; /* posted 0: an empty slot */
	uint64_t events; /* of the process before it was posted, */
	unsigned call; /* ... and the call that did it (names.h) */
};

struct receive_order {
	bool (*deliver)(void *context, const struct trace_event *);
	void *context;
	struct receive_order_held *held, *sorted;
	size_t length, capacity, sorted_capacity;
	struct receive_order_request *open; /* posted and not completed: a hash table, by request */
	size_t open_count, open_size;
	uint64_t posts;
	unsigned waits; /* calls that complete several requests and enclose this moment */
	bool as_recorded; /* are receives left as they come, */
	bool disordered; /* ... and did any of them come in another order than they were posted? */
};

void receive_order_begin(struct receive_order *, bool as_recorded,
	bool (*deliver)(void *context, const struct trace_event *), void *context);
void receive_order_clear(struct receive_order *);

/* Nothing is held, and no call that completes several is going on: events need not come by here. */
static inline bool receive_order_idle(const struct receive_order *o)
{
	return !o->length && !o->waits;
}

bool receive_order_post(struct receive_order *, uint64_t request, uint64_t events, unsigned call);
void receive_order_cancel(struct receive_order *, uint64_t request);

bool receive_order_wait_begins(struct receive_order *);
bool receive_order_wait_ends(struct receive_order *);

/* Something happened that no wait call contains, so that whatever was held is complete: the end of
   the stream is one. */
bool receive_order_break(struct receive_order *);

/* A receive that a request stands for. regions_known: has any region of an MPI call been seen, so
   that wait calls show? */
bool receive_order_receive(struct receive_order *, const struct trace_event *, uint64_t request, bool regions_known);

/* An event that may well happen inside a wait call: it keeps its place among the receives. */
bool receive_order_other(struct receive_order *, const struct trace_event *);

/* A request posted and not completed; NULL: it is none. */
const struct receive_order_request *receive_order_find(const struct receive_order *, uint64_t request);

/* The requests posted and not completed, oldest first, at most so many; SIZE_MAX: there are
   more. */
size_t receive_order_open_requests(const struct receive_order *, uint64_t *request, size_t most);

#endif
