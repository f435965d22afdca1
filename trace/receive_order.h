/*
 * receive_order.h -- receives in the order in which they were posted: that in which MPI matches the
 * messages of a channel.
 *
 *	receive_order_post(o, request, events, call);	-- MPI_IRECV_REQUEST
 *	receive_order_wait_begins(o);			-- into MPI_Waitall
 *	receive_order_receive(o, &event, posting, request, true); -- MPI_IRECV: held, if its place is not known yet
 *	receive_order_wait_ends(o);			-- out of it: delivers what was held
 *
 * What one wait call completes is put in order as a whole; so is what several complete, one behind
 * the other, that complete what happens to be complete (MPI_Waitany). Receives of one channel that
 * several calls complete share out their places, which are told for that, in the order of the
 * stream:
 *
 *	receive_order_stand(o, &posting, place, exchange, context);
 *	settled = receive_order_settled(o, forget);	-- nothing before this place changes any more
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

/* So many places of a stream wait for a receive that was posted before them; what is further apart
   stays as it came, as some requests are open all the time, and memory must not follow the run. */
#define RECEIVE_ORDER_SPAN 4096

/* From whom, as recorded. */
struct receive_channel {
	uint32_t peer, communicator, tag;
};

/* Of a receive and of a send: between which calls it is under way. */
struct posting {
	struct receive_channel channel; /* of a receive */
	uint64_t posted; /* when a receive was, counted in posts, from 1; 0: not a receive, or not known */
	unsigned call, other; /* the call that it is told in, the one at the other end (names.h) */
	bool has_other, is_open; /* is that known? will it be, as a send has this request? */
	uint64_t request;
	uint64_t begun, events; /* of the process, before the call; before the other one */
};

struct receive_order_held {
	struct trace_event event;
	struct posting posting;
};

struct receive_order_request {
	uint64_t request, posted; /* posted 0: an empty slot */
	uint64_t events; /* of the process before it was posted, */
	unsigned call; /* ... and the call that did it (names.h) */
};

/* A receive that some receive posted before it may have to change places with. */
struct receive_order_place {
	struct receive_channel channel;
	uint64_t at, posted;
	uint64_t posts; /* so many there had been when it came */
};

struct receive_order {
	bool (*deliver)(void *context, const struct trace_event *, const struct posting *);
	void *context;
	struct receive_order_held *held, *sorted;
	size_t length, capacity, sorted_capacity;
	uint64_t oldest_held; /* what was posted first of those that are held; 0: none */
	struct receive_order_request *open; /* posted and not completed: a hash table, by request */
	size_t open_count, open_size;
	struct receive_order_request *line; /* the same as they were posted, and some that are complete */
	size_t line_first, line_length, line_capacity;
	struct receive_order_place *place; /* a queue */
	size_t place_first, places, place_capacity;
	uint64_t posts;
	unsigned waits; /* calls that complete several requests and enclose this moment */
	bool lasts; /* what is held may be followed by what the next such call completes */
	bool as_recorded; /* are receives left as they come, */
	bool disordered; /* ... and did any of them come in another order than they were posted? */
};

void receive_order_begin(struct receive_order *, bool as_recorded,
	bool (*deliver)(void *context, const struct trace_event *, const struct posting *), void *context);
void receive_order_clear(struct receive_order *);

/* Nothing is held, and no call that completes several is going on: events need not come by here. */
static inline bool receive_order_idle(const struct receive_order *o)
{
	return !o->length && !o->waits;
}

bool receive_order_post(struct receive_order *, uint64_t request, uint64_t events, unsigned call);
/* When it was posted, 0 if that is not known; it is complete. */
uint64_t receive_order_take(struct receive_order *, uint64_t request);

/* A receive that is posted and complete at once. */
static inline uint64_t receive_order_at_once(struct receive_order *o)
{
	return o->open_count ? ++o->posts : 0;
}

/*
 * It stands at this place, behind all others. Where it was posted before some of its channel, what
 * they are is exchanged, pairwise. O(places since it was posted).
 */
void receive_order_stand(struct receive_order *, const struct posting *, uint64_t at,
	void (*exchange)(void *context, uint64_t at, uint64_t with), void *context);

/* All places before this one are settled; those before `forget` need not be asked for any more. */
uint64_t receive_order_settled(struct receive_order *, uint64_t forget);

/* Must a receive posted then wait for another one? */
bool receive_order_waits(struct receive_order *, uint64_t posted);

bool receive_order_wait_begins(struct receive_order *);
bool receive_order_wait_ends(struct receive_order *);

/* Into, and out of, a call that completes some of its requests: what is held then stays so until
   something else happens. */
bool receive_order_some_begins(struct receive_order *);
void receive_order_some_ends(struct receive_order *);

/* Something happened that no wait call contains, so that whatever was held is complete: the end of
   the stream is one. */
bool receive_order_break(struct receive_order *);

/* A receive that a request stands for; who posted it goes into its posting. regions_known: has any
   region of an MPI call been seen, so that wait calls show? */
bool receive_order_receive(
	struct receive_order *, const struct trace_event *, struct posting *, uint64_t request, bool regions_known);

/* An event that may well happen inside a wait call: it keeps its place among the receives. */
bool receive_order_other(struct receive_order *, const struct trace_event *, const struct posting *);

/* The requests posted and not completed, oldest first, at most so many; SIZE_MAX: there are
   more. */
size_t receive_order_open_requests(const struct receive_order *, uint64_t *request, size_t most);

#endif
