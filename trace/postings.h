/*
 * postings.h -- events, in order, with what is known only later: in which calls messages are sent
 * and received, where requests end, and which receive of a channel is first.
 *
 *	postings_take(c, &event, &posting);	-- delivers it, or keeps it until it is known ...
 *	postings_close(c, request, call);	-- ... that the request of this send is complete
 *
 * Where it is wanted, a send tells the call that it is made in, a receive the one that completes
 * it. Where a request is between two calls, `other` is the other one, and `apart` how many events
 * of the process are between: of a send, behind it and before the call that completes it; of a
 * receive, behind the call that posted it and before the one that completes it. In calls that may
 * hold several events, `place` counts those before. What an event carries is in the order of the
 * names then. So a send is known only when its request ends.
 *
 * A receive is known when all that were posted before it are complete: those of one channel that
 * come in another order share out their places (receive_order.h), each place with its time and its
 * call, each receive with what it carries.
 *
 * Events are held back until then, though not more than some thousands, as some recorders never
 * tell that a request is complete.
 */
#ifndef TRACENEST_TRACE_POSTINGS_H
#define TRACENEST_TRACE_POSTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/receive_order.h"

/* Of one event, at most; ... and with all else that it carries. */
#define POSTINGS_ATTRIBUTES 4
#define EVENT_ATTRIBUTES 16

/* Is it the name of one of these attributes? */
bool postings_is_attribute(const char *name, size_t length);

struct postings_held {
	struct trace_event event; /* its attributes are its own */
	struct posting posting;
	uint64_t number; /* events of the process before it */
};

struct postings {
	bool wanted; /* shall events tell their calls? */
	bool (*deliver)(void *context, const struct trace_event *);
	void *context;
	struct receive_order *order; /* of the same stream, borrowed */
	uint64_t arrived, delivered; /* events */
	uint64_t begun; /* that had arrived when the call at hand was entered */
	bool closes; /* requests of sends are ever told to end */
	size_t opens; /* sends in the queue whose requests are not complete */
	struct postings_held *held; /* a queue */
	size_t first, length, capacity;
};

void postings_begin(struct postings *, bool wanted, struct receive_order *,
	bool (*deliver)(void *context, const struct trace_event *), void *context);
void postings_clear(struct postings *);

/* Is nothing kept? */
static inline bool postings_idle(const struct postings *c)
{
	return c->first == c->length;
}

/* Those that return bool may deliver; false: the receiver of the events wants no more. */
bool postings_take(struct postings *, const struct trace_event *, const struct posting *);
bool postings_close(struct postings *, uint64_t request, unsigned call);
bool postings_forget(struct postings *, uint64_t request); /* it was cancelled */
bool postings_end(struct postings *);

#endif
