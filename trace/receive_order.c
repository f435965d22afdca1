/*
 * receive_order.c -- receives of one wait call, put in the order in which they were posted.
 *
 * A group is what completes between the ENTER and the LEAVE of one call that completes several
 * requests. Where no region of an MPI call was seen at all, it is a run of completions with no
 * other communication, no post and no region between them. Its receives of known requests share out
 * the places that they had among themselves, in the order of their posts; everything else in the
 * group keeps its place. No MPI call happens inside a wait call, so one that does shows that a
 * LEAVE is missing: it ends the group, and a damaged nesting can never hold back more than one wait
 * call's receives.
 *
 * Request ids are addresses, used again and again: a post replaces what was known of its id, a
 * completion or cancellation forgets it.
 */
#include "trace/receive_order.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/hash.h"
#include "base/mem.h"

/* More requests are open at once in no program, only in records whose completions are missing:
   those are forgotten. */
#define OPEN_LIMIT ((size_t)1 << 20)
/* What is held without being a receive of a known request: more of it ends the group. */
#define HELD_LIMIT ((size_t)1 << 16)

void receive_order_begin(struct receive_order *o, bool as_recorded,
	bool (*deliver)(void *context, const struct trace_event *), void *context)
{
	*o = (struct receive_order){.deliver = deliver, .context = context, .as_recorded = as_recorded};
}

void receive_order_clear(struct receive_order *o)
{
	for (size_t i = 0; i < o->length; i++)
		if (o->held[i].event.attribute_count)
			free((void *)(uintptr_t)o->held[i].event.attribute);
	free(o->held);
	free(o->sorted);
	free(o->open);
	*o = (struct receive_order){0};
}

/* ------------------------------------------------------------------ open requests */

static size_t home(const struct receive_order *o, uint64_t request)
{
	return (size_t)hash_mix(request) & (o->open_size - 1);
}

/* The slot of a request, or the empty one where it belongs. The table is never full. */
static size_t slot_of(const struct receive_order *o, uint64_t request)
{
	size_t at = home(o, request);
	while (o->open[at].posted && o->open[at].request != request)
		at = (at + 1) & (o->open_size - 1);
	return at;
}

static void resize_open(struct receive_order *o, size_t size)
{
	struct receive_order_request *old = o->open;
	size_t old_size = o->open_size;
	o->open = mem_zero(size * sizeof *o->open);
	o->open_size = size;
	for (size_t i = 0; i < old_size; i++)
		if (old[i].posted)
			o->open[slot_of(o, old[i].request)] = old[i];
	free(old);
}

/* Close the gap at `gap`, so that every request can still be reached from its home. */
static void close_gap(struct receive_order *o, size_t gap)
{
	size_t mask = o->open_size - 1;
	for (size_t at = (gap + 1) & mask; o->open[at].posted; at = (at + 1) & mask) {
		size_t away = (at - home(o, o->open[at].request)) & mask;
		if (away >= ((at - gap) & mask)) {
			o->open[gap] = o->open[at];
			gap = at;
		}
	}
	o->open[gap].posted = 0;
}

/* When the request was posted, 0 if that is not known; forgets it. */
static uint64_t take(struct receive_order *o, uint64_t request)
{
	if (!o->open_count)
		return 0;
	size_t at = slot_of(o, request);
	uint64_t posted = o->open[at].posted;
	if (posted) {
		close_gap(o, at);
		o->open_count--;
	}
	return posted;
}

const struct receive_order_request *receive_order_find(const struct receive_order *o, uint64_t request)
{
	const struct receive_order_request *slot = o->open_count ? &o->open[slot_of(o, request)] : NULL;
	return slot && slot->posted ? slot : NULL;
}

bool receive_order_post(struct receive_order *o, uint64_t request, uint64_t events, unsigned call)
{
	bool going_on = o->length ? receive_order_break(o) : true;
	if (o->open_count >= OPEN_LIMIT) {
		memset(o->open, 0, o->open_size * sizeof *o->open);
		o->open_count = 0;
	}
	if (2 * (o->open_count + 1) > o->open_size)
		resize_open(o, o->open_size ? 2 * o->open_size : 64);
	size_t at = slot_of(o, request);
	o->open_count += !o->open[at].posted;
	o->open[at] = (struct receive_order_request){request, ++o->posts, events, call};
	return going_on;
}

void receive_order_cancel(struct receive_order *o, uint64_t request)
{
	take(o, request);
}

/* ------------------------------------------------------------------ groups */

static int by_post(const void *left, const void *right)
{
	return COMPARE(
		((const struct receive_order_held *)left)->posted, ((const struct receive_order_held *)right)->posted);
}

static bool in_order(const struct receive_order *o)
{
	uint64_t last = 0;
	for (size_t i = 0; i < o->length; i++) {
		if (o->held[i].posted && o->held[i].posted < last)
			return false;
		if (o->held[i].posted)
			last = o->held[i].posted;
	}
	return true;
}

static void sort_held(struct receive_order *o)
{
	size_t count = 0;
	o->sorted = mem_grow(o->sorted, &o->sorted_capacity, o->length, sizeof *o->sorted);
	for (size_t i = 0; i < o->length; i++)
		if (o->held[i].posted)
			o->sorted[count++] = o->held[i];
	qsort(o->sorted, count, sizeof *o->sorted, by_post);
	for (size_t i = o->length; i-- > 0;)
		if (o->held[i].posted)
			o->held[i] = o->sorted[--count];
}

/* What an event carries is copied while it is held. */
static const struct trace_attribute *keep_attributes(const struct trace_event *e)
{
	return e->attribute_count ? mem_copy(e->attribute, e->attribute_count * sizeof *e->attribute) : NULL;
}

static bool deliver_one(struct receive_order *o, struct trace_event *e, bool going_on)
{
	going_on = going_on && o->deliver(o->context, e);
	if (e->attribute_count)
		free((void *)(uintptr_t)e->attribute);
	return going_on;
}

static bool deliver_held(struct receive_order *o)
{
	bool disordered = !in_order(o);
	o->disordered |= disordered;
	if (disordered && !o->as_recorded)
		sort_held(o);
	size_t length = o->length;
	bool going_on = true;
	o->length = 0;
	for (size_t i = 0; i < length; i++)
		going_on = deliver_one(o, &o->held[i].event, going_on);
	return going_on;
}

static bool hold(struct receive_order *o, const struct trace_event *event, uint64_t posted)
{
	if (!posted && o->length >= HELD_LIMIT && !deliver_held(o))
		return false;
	o->held = mem_grow(o->held, &o->capacity, o->length + 1, sizeof *o->held);
	o->held[o->length] = (struct receive_order_held){*event, posted};
	o->held[o->length++].event.attribute = keep_attributes(event);
	return true;
}

bool receive_order_wait_begins(struct receive_order *o)
{
	if (!o->waits && !deliver_held(o))
		return false;
	o->waits++;
	return true;
}

bool receive_order_wait_ends(struct receive_order *o)
{
	if (o->waits)
		o->waits--;
	return o->waits || deliver_held(o);
}

bool receive_order_break(struct receive_order *o)
{
	o->waits = 0;
	return deliver_held(o);
}

bool receive_order_receive(
	struct receive_order *o, const struct trace_event *event, uint64_t request, bool regions_known)
{
	uint64_t posted = take(o, request);
	bool in_group = o->waits || !regions_known;
	if (in_group && (posted || o->length))
		return hold(o, event, posted);
	return o->deliver(o->context, event);
}

bool receive_order_other(struct receive_order *o, const struct trace_event *event)
{
	return o->length ? hold(o, event, 0) : o->deliver(o->context, event);
}

static int by_posted(const void *left, const void *right)
{
	return COMPARE(((const struct receive_order_request *)left)->posted,
		((const struct receive_order_request *)right)->posted);
}

size_t receive_order_open_requests(const struct receive_order *o, uint64_t *request, size_t most)
{
	if (o->open_count > most)
		return SIZE_MAX;
	struct receive_order_request *open = mem_array(most, sizeof *open);
	size_t count = 0;
	for (size_t i = 0; i < o->open_size; i++)
		if (o->open[i].posted)
			open[count++] = o->open[i];
	qsort(open, count, sizeof *open, by_posted);
	for (size_t i = 0; i < count; i++)
		request[i] = open[i].request;
	free(open);
	return count;
}
