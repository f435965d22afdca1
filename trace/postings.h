/*
 * postings.h -- in which calls messages are sent and received, and where requests begin and end.
 *
 *	count = postings_tell(c, call, posted, attribute);	-- before an event: call=MPI_Isend, ...
 *	postings_open(c, request);				-- what it sends, this request stands for
 *	postings_take(c, &event);				-- delivers it, or keeps it until it is known ...
 *	postings_close(c, request, call);			-- ... that the request is complete
 *
 * A send tells the call that it is made in, a receive the one that completes it. Where a request is
 * between two calls, `other` is the other one, and `apart` how many events of the process are
 * between: of a send, behind it and before the call that completes it; of a receive, behind the
 * call that posted it and before the one that completes it. In calls that may hold several events,
 * `place` counts those before.
 *
 * What an event carries is in the order of the names then.
 *
 * So a send is known only when its request ends: events are held back until then, though not more
 * than some thousands, as some recorders never tell it.
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
	uint64_t number; /* events of the process before it */
	uint64_t request;
	bool open; /* the request is not complete */
};

struct postings {
	bool wanted;
	bool (*deliver)(void *context, const struct trace_event *);
	void *context;
	uint64_t arrived, delivered; /* events */
	uint64_t begun; /* that had arrived when the call at hand was entered */
	bool opening; /* the next event is a send with this request */
	uint64_t request;
	bool closes; /* requests of sends are ever told to end */
	struct postings_held *held; /* a queue */
	size_t first, length, capacity;
};

void postings_begin(
	struct postings *, bool wanted, bool (*deliver)(void *context, const struct trace_event *), void *context);
void postings_clear(struct postings *);

/* How many attributes of an event that arrives now. call: the one at hand (names.h); posted: the
   request of what is received; or NULL. attribute: room for POSTINGS_ATTRIBUTES. */
uint32_t postings_tell(
	struct postings *, unsigned call, const struct receive_order_request *posted, struct trace_attribute *);

/* Those that return bool may deliver; false: the receiver of the events wants no more. */
void postings_open(struct postings *, uint64_t request);
bool postings_take(struct postings *, const struct trace_event *);
bool postings_close(struct postings *, uint64_t request, unsigned call);
bool postings_forget(struct postings *, uint64_t request); /* it was cancelled */
bool postings_end(struct postings *);

#endif
