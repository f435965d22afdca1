/*
 * receive_order.c -- receives in the order in which they were posted.
 *
 * A group is what completes between the ENTER and the LEAVE of one call that completes several
 * requests. Where no region of an MPI call was seen at all, it is a run of completions with no
 * other communication, no post and no region between them. Its receives of known requests share out
 * the places that they had among themselves, in the order of their posts; everything else in the
 * group keeps its place. Calls that complete some of their requests, whichever are complete, go on
 * with the group of the one before where nothing else happened in between: who came first is
 * chance, and receives with nothing between them could have come in any order. No MPI call happens
 * inside a wait call, so one that does shows that a LEAVE is missing: it ends the group, and a
 * damaged nesting can never hold back more than what is complete at once.
 *
 * A receive waits for another one if it was posted behind it: whether both are of one channel is
 * known only when that is complete. A channel's receives that wait are sorted, so one that comes
 * behind them is inserted.
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
	bool (*deliver)(void *context, const struct trace_event *, const struct posting *), void *context)
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
	free(o->line);
	free(o->place);
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

static struct receive_order_request take(struct receive_order *o, uint64_t request)
{
	if (!o->open_count)
		return (struct receive_order_request){0};
	size_t at = slot_of(o, request);
	struct receive_order_request found = o->open[at];
	if (found.posted) {
		close_gap(o, at);
		o->open_count--;
	}
	return found;
}

uint64_t receive_order_take(struct receive_order *o, uint64_t request)
{
	return take(o, request).posted;
}

static bool is_open(const struct receive_order *o, const struct receive_order_request *r)
{
	return o->open_count && o->open[slot_of(o, r->request)].posted == r->posted;
}

/* At the end of the line; where that is full, those that are complete leave it. */
static void line_up(struct receive_order *o, const struct receive_order_request *r)
{
	if (o->line_length == o->line_capacity) {
		size_t kept = 0;
		for (size_t i = o->line_first; i < o->line_length; i++)
			if (is_open(o, &o->line[i]))
				o->line[kept++] = o->line[i];
		o->line_first = 0;
		o->line_length = kept;
		o->line = mem_grow(o->line, &o->line_capacity, 2 * kept + 1, sizeof *o->line);
	}
	o->line[o->line_length++] = *r;
}

bool receive_order_waits(struct receive_order *o, uint64_t posted)
{
	while (o->line_first < o->line_length && !is_open(o, &o->line[o->line_first]))
		o->line_first++;
	return (o->line_first < o->line_length && o->line[o->line_first].posted < posted) ||
	       (o->oldest_held && o->oldest_held < posted);
}

bool receive_order_post(struct receive_order *o, uint64_t request, uint64_t events, unsigned call)
{
	bool going_on = o->length ? receive_order_break(o) : true;
	if (o->open_count >= OPEN_LIMIT) {
		memset(o->open, 0, o->open_size * sizeof *o->open);
		o->open_count = o->line_first = o->line_length = 0;
	}
	if (2 * (o->open_count + 1) > o->open_size)
		resize_open(o, o->open_size ? 2 * o->open_size : 64);
	size_t at = slot_of(o, request);
	o->open_count += !o->open[at].posted;
	o->open[at] = (struct receive_order_request){request, ++o->posts, events, call};
	line_up(o, &o->open[at]);
	return going_on;
}

/* ------------------------------------------------------------------ channels */

static bool is_one_channel(const struct receive_channel *a, const struct receive_channel *b)
{
	return a->peer == b->peer && a->communicator == b->communicator && a->tag == b->tag;
}

static void push_place(struct receive_order *o, const struct receive_order_place *place)
{
	*MEM_QUEUE(o->place, o->place_first, o->places, o->place_capacity) = *place;
}

void receive_order_stand(struct receive_order *o, const struct posting *p, uint64_t at,
	void (*exchange)(void *context, uint64_t at, uint64_t with), void *context)
{
	if (!p->posted || (o->place_first == o->places && !receive_order_waits(o, p->posted)))
		return;
	push_place(o, &(struct receive_order_place){p->channel, at, p->posted, o->posts});
	struct receive_order_place *place = &o->place[o->places - 1];
	for (size_t i = o->places - 1; i-- > o->place_first && o->place[i].posts >= p->posted;) {
		struct receive_order_place *before = &o->place[i];
		if (before->posted < p->posted || !is_one_channel(&before->channel, &p->channel))
			continue;
		o->disordered = true;
		if (o->as_recorded)
			return;
		exchange(context, before->at, place->at);
		place->posted = before->posted;
		before->posted = p->posted;
		place = before;
	}
}

uint64_t receive_order_settled(struct receive_order *o, uint64_t forget)
{
	while (o->place_first < o->places) {
		const struct receive_order_place *first = &o->place[o->place_first];
		if (first->at >= forget && receive_order_waits(o, first->posted))
			return first->at;
		o->place_first++;
	}
	return UINT64_MAX;
}

/* ------------------------------------------------------------------ groups */

static int by_post(const void *left, const void *right)
{
	return COMPARE(((const struct receive_order_held *)left)->posting.posted,
		((const struct receive_order_held *)right)->posting.posted);
}

static bool in_order(const struct receive_order *o)
{
	uint64_t last = 0;
	for (size_t i = 0; i < o->length; i++) {
		if (o->held[i].posting.posted && o->held[i].posting.posted < last)
			return false;
		if (o->held[i].posting.posted)
			last = o->held[i].posting.posted;
	}
	return true;
}

static void sort_held(struct receive_order *o)
{
	size_t count = 0;
	o->sorted = mem_grow(o->sorted, &o->sorted_capacity, o->length, sizeof *o->sorted);
	for (size_t i = 0; i < o->length; i++)
		if (o->held[i].posting.posted)
			o->sorted[count++] = o->held[i];
	qsort(o->sorted, count, sizeof *o->sorted, by_post);
	for (size_t i = o->length; i-- > 0;) {
		struct trace_event *e = &o->held[i].event;
		if (!o->held[i].posting.posted)
			continue;
		uint32_t entered = e->entered; /* since the event before, whichever this is */
		o->held[i] = o->sorted[--count];
		e->entered = entered;
	}
}

/* What an event carries is copied while it is held. */
static const struct trace_attribute *keep_attributes(const struct trace_event *e)
{
	return e->attribute_count ? mem_copy(e->attribute, e->attribute_count * sizeof *e->attribute) : NULL;
}

static bool deliver_one(struct receive_order *o, const struct receive_order_held *h, bool going_on)
{
	going_on = going_on && o->deliver(o->context, &h->event, &h->posting);
	if (h->event.attribute_count)
		free((void *)(uintptr_t)h->event.attribute);
	return going_on;
}

static bool deliver_held(struct receive_order *o)
{
	bool disordered = !in_order(o);
	o->disordered |= disordered;
	if (disordered && !o->as_recorded)
		sort_held(o);
	size_t length = o->length, next = 0;
	bool going_on = true;
	o->lasts = false;
	o->length = 0;
	for (size_t i = 0; i < length; i++) {
		for (next = next > i ? next : i + 1; next < length && !o->held[next].posting.posted;)
			next++;
		o->oldest_held = next < length ? o->held[next].posting.posted : 0;
		going_on = deliver_one(o, &o->held[i], going_on);
	}
	return going_on;
}

static bool hold(struct receive_order *o, const struct trace_event *event, const struct posting *p)
{
	if (!p->posted && o->length >= HELD_LIMIT && !deliver_held(o))
		return false;
	if (p->posted && (!o->oldest_held || p->posted < o->oldest_held))
		o->oldest_held = p->posted;
	o->held = mem_grow(o->held, &o->capacity, o->length + 1, sizeof *o->held);
	o->held[o->length] = (struct receive_order_held){*event, *p};
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

bool receive_order_some_begins(struct receive_order *o)
{
	if (!o->waits && !o->lasts && !deliver_held(o))
		return false;
	o->waits++;
	return true;
}

void receive_order_some_ends(struct receive_order *o)
{
	if (o->waits)
		o->waits--;
	o->lasts = !o->waits;
}

bool receive_order_break(struct receive_order *o)
{
	o->waits = 0;
	return deliver_held(o);
}

bool receive_order_receive(struct receive_order *o, const struct trace_event *event, struct posting *p,
	uint64_t request, bool regions_known)
{
	struct receive_order_request post = take(o, request);
	bool in_group = o->waits || !regions_known;
	p->posted = post.posted;
	p->has_other = post.posted && post.events <= p->begun;
	p->other = post.call;
	p->events = post.events;
	if (in_group && (p->posted || o->length))
		return hold(o, event, p);
	return o->deliver(o->context, event, p);
}

bool receive_order_other(struct receive_order *o, const struct trace_event *event, const struct posting *p)
{
	return o->length ? hold(o, event, p) : o->deliver(o->context, event, p);
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
