/*
 * postings.c -- events wait in a queue for the ends of their requests, and for receives that were
 * posted before them.
 *
 * The place of a receive in its call is known only when the call is over, as receives that one call
 * completes are put in order before they come here (receive_order.h).
 */
#include "trace/postings.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "trace/names.h"

static const char *const told[POSTINGS_ATTRIBUTES] = {"call", "place", "other", "apart"};
enum { CALL, PLACE, OTHER, APART };

bool postings_is_attribute(const char *name, size_t length)
{
	for (size_t i = 0; i < POSTINGS_ATTRIBUTES; i++)
		if (strlen(told[i]) == length && !memcmp(told[i], name, length))
			return true;
	return false;
}

void postings_begin(struct postings *c, bool wanted, struct receive_order *order,
	bool (*deliver)(void *context, const struct trace_event *), void *context)
{
	*c = (struct postings){.wanted = wanted, .order = order, .deliver = deliver, .context = context};
}

static void clear_event(struct trace_event *e)
{
	if (e->attribute_count)
		free((void *)(uintptr_t)e->attribute);
}

void postings_clear(struct postings *c)
{
	for (size_t i = c->first; i < c->length; i++)
		clear_event(&c->held[i].event);
	free(c->held);
	*c = (struct postings){0};
}

/* ------------------------------------------------------------------ what is told */

static bool may_hold_several(const char *call)
{
	return name_completes_several(call) || !strncmp(call, "MPI_Sendrecv", 12) || !strcmp(call, "MPI_Startall");
}

static uint32_t put_number(struct trace_attribute *to, int what, uint64_t number)
{
	*to = (struct trace_attribute){.name = told[what], .length = strlen(told[what]), .number = (int64_t)number};
	return 1;
}

static uint32_t put_word(struct trace_attribute *to, int what, const char *word)
{
	*to = (struct trace_attribute){.name = told[what], .length = strlen(told[what]), .word = word};
	return word ? 1 : 0;
}

/* Events between the two ends. */
static uint64_t apart(const struct posting *p, uint64_t number)
{
	if (p->posted)
		return p->begun > p->events ? p->begun - p->events : 0;
	return p->events > number ? p->events - number - 1 : 0;
}

static uint32_t tell(const struct posting *p, uint64_t number, struct trace_attribute *to)
{
	const char *name = call_name(p->call);
	uint32_t count = put_word(to, CALL, name), other;
	if (name && may_hold_several(name))
		count += put_number(to + count, PLACE, number - p->begun);
	if (!name || !p->has_other)
		return count;
	other = put_word(to + count, OTHER, call_name(p->other));
	count += other;
	return other ? count + put_number(to + count, APART, apart(p, number)) : count;
}

static int by_name(const void *left, const void *right)
{
	return strcmp(((const struct trace_attribute *)left)->name, ((const struct trace_attribute *)right)->name);
}

static bool hand_over(struct postings *c, const struct trace_event *event, const struct posting *p, uint64_t number)
{
	struct trace_event e = *event;
	struct trace_attribute attribute[EVENT_ATTRIBUTES];
	if (!c->wanted)
		return c->deliver(c->context, event);
	if (e.attribute_count > EVENT_ATTRIBUTES - POSTINGS_ATTRIBUTES)
		e.attribute_count = EVENT_ATTRIBUTES - POSTINGS_ATTRIBUTES;
	if (e.attribute_count)
		memcpy(attribute, e.attribute, e.attribute_count * sizeof *attribute);
	e.attribute = attribute;
	e.attribute_count += tell(p, number, attribute + e.attribute_count);
	qsort(attribute, e.attribute_count, sizeof *attribute, by_name);
	return c->deliver(c->context, &e);
}

/* ------------------------------------------------------------------ the queue */

static void keep(struct postings *c, const struct trace_event *event, const struct posting *p)
{
	struct postings_held *h = MEM_QUEUE(c->held, c->first, c->length, c->capacity);
	*h = (struct postings_held){*event, *p, c->delivered};
	c->opens += p->is_open;
	if (event->attribute_count)
		h->event.attribute = mem_copy(event->attribute, event->attribute_count * sizeof *event->attribute);
}

static bool release(struct postings *c, size_t most)
{
	bool going_on = true;
	uint64_t forget = c->length - c->first > most ? c->held[c->length - 1].number + 1 - most : 0;
	uint64_t settled = receive_order_settled(c->order, forget);
	while (c->first < c->length) {
		struct postings_held *h = &c->held[c->first];
		if (h->number >= forget && (h->posting.is_open || h->number >= settled))
			break;
		c->first++;
		c->opens -= h->posting.is_open;
		going_on = going_on && hand_over(c, &h->event, &h->posting, h->number);
		clear_event(&h->event);
	}
	if (c->first == c->length)
		c->first = c->length = 0;
	return going_on;
}

/* Those that are open are mostly the latest ones. */
static struct postings_held *find_open(struct postings *c, uint64_t request)
{
	size_t left = c->opens;
	for (size_t i = c->length; left && i-- > c->first;) {
		left -= c->held[i].posting.is_open;
		if (c->held[i].posting.is_open && c->held[i].posting.request == request)
			return &c->held[i];
	}
	return NULL;
}

static void close_send(struct postings *c, struct postings_held *h)
{
	c->opens -= h->posting.is_open;
	h->posting.is_open = false;
}

/* Two receives of a channel: a place keeps its time, its call, and which calls are new there; and
   where it is, if that is told by regions, which are those of the call that completes it. */
static void exchange(void *context, uint64_t at, uint64_t with)
{
	struct postings *c = context;
	uint64_t first = c->held[c->first].number;
	struct postings_held *a = &c->held[c->first + (at - first)], *b = &c->held[c->first + (with - first)], old = *a;
	*a = (struct postings_held){b->event, b->posting, a->number};
	*b = (struct postings_held){old.event, old.posting, b->number};
	b->event.time = a->event.time;
	a->event.time = old.event.time;
	b->event.entered = a->event.entered;
	a->event.entered = old.event.entered;
	if (a->event.exact || b->event.exact) {
		b->event.site = a->event.site;
		b->event.exact = a->event.exact;
		a->event.site = old.event.site;
		a->event.exact = old.event.exact;
	}
	b->posting.call = a->posting.call;
	b->posting.begun = a->posting.begun;
	a->posting.call = old.posting.call;
	a->posting.begun = old.posting.begun;
}

/* A request that is used again without an end has ended unseen. */
bool postings_take(struct postings *c, const struct trace_event *event, const struct posting *p)
{
	struct posting own = *p;
	own.is_open = p->is_open && c->wanted && call_name(p->call);
	if (own.is_open && !postings_forget(c, p->request))
		return false;
	if (c->wanted && c->length - c->first >= RECEIVE_ORDER_SPAN && !c->closes) {
		for (size_t i = c->first; i < c->length && c->opens; i++)
			close_send(c, &c->held[i]);
		own.is_open = false;
	}
	bool waits = own.is_open || (p->posted && receive_order_waits(c->order, p->posted));
	bool going_on = true;
	if (waits || c->first < c->length) {
		keep(c, event, &own);
		receive_order_stand(c->order, &own, c->delivered, exchange, c);
		going_on = release(c, RECEIVE_ORDER_SPAN);
	} else
		going_on = hand_over(c, event, &own, c->delivered);
	c->delivered++;
	return going_on;
}

bool postings_close(struct postings *c, uint64_t request, unsigned call)
{
	struct postings_held *h = find_open(c, request);
	c->closes = true;
	if (!h)
		return true;
	h->posting.has_other = true;
	h->posting.other = call;
	h->posting.events = c->begun;
	close_send(c, h);
	return release(c, RECEIVE_ORDER_SPAN);
}

bool postings_forget(struct postings *c, uint64_t request)
{
	struct postings_held *h = find_open(c, request);
	if (h)
		close_send(c, h);
	return !h || release(c, RECEIVE_ORDER_SPAN);
}

bool postings_end(struct postings *c)
{
	return release(c, 0);
}
