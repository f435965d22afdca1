/*
 * postings.c -- events wait in a queue for the ends of their requests.
 *
 * When an event arrives, its place in the call is not known, as receives that one call completes
 * are put in order before they are delivered (receive_order.h): `place` is the number of events
 * before the call until then.
 */
#include "trace/postings.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "trace/names.h"

#define HELD_MOST 4096

static const char name_of_place[] = "place";

bool postings_is_attribute(const char *name, size_t length)
{
	static const char *const names[POSTINGS_ATTRIBUTES] = {"call", name_of_place, "other", "apart"};
	for (size_t i = 0; i < POSTINGS_ATTRIBUTES; i++)
		if (strlen(names[i]) == length && !memcmp(names[i], name, length))
			return true;
	return false;
}

void postings_begin(
	struct postings *c, bool wanted, bool (*deliver)(void *context, const struct trace_event *), void *context)
{
	*c = (struct postings){.wanted = wanted, .deliver = deliver, .context = context};
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

static uint32_t put_number(struct trace_attribute *to, const char *name, uint64_t number)
{
	*to = (struct trace_attribute){.name = name, .length = strlen(name), .number = (int64_t)number};
	return 1;
}

static uint32_t put_word(struct trace_attribute *to, const char *name, const char *word)
{
	*to = (struct trace_attribute){.name = name, .length = strlen(name), .word = word};
	return word ? 1 : 0;
}

/* The other end of a request, `apart` events away. */
static uint32_t put_other(struct trace_attribute *to, unsigned call, uint64_t apart)
{
	uint32_t count = put_word(to, "other", call_name(call));
	return count + (count ? put_number(to + count, "apart", apart) : 0);
}

uint32_t postings_tell(
	struct postings *c, unsigned call, const struct receive_order_request *posted, struct trace_attribute *to)
{
	const char *name = call_name(call);
	uint32_t count = put_word(to, "call", name);
	c->arrived++;
	if (name && may_hold_several(name))
		count += put_number(to + count, name_of_place, c->begun);
	if (name && posted && posted->events <= c->begun)
		count += put_other(to + count, posted->call, c->begun - posted->events);
	return count;
}

static int by_name(const void *left, const void *right)
{
	return strcmp(((const struct trace_attribute *)left)->name, ((const struct trace_attribute *)right)->name);
}

/* ------------------------------------------------------------------ the queue */

/* Room for the attributes that it may get. */
static void keep(struct postings *c, const struct trace_event *event, bool open)
{
	struct trace_attribute *attribute = mem_array(event->attribute_count + 2, sizeof *attribute);
	if (c->first && c->length == c->capacity) {
		memmove(c->held, c->held + c->first, (c->length - c->first) * sizeof *c->held);
		c->length -= c->first;
		c->first = 0;
	}
	c->held = mem_grow(c->held, &c->capacity, c->length + 1, sizeof *c->held);
	if (event->attribute_count)
		memcpy(attribute, event->attribute, event->attribute_count * sizeof *attribute);
	struct postings_held *h = &c->held[c->length++];
	*h = (struct postings_held){*event, c->delivered, c->request, open};
	h->event.attribute = attribute;
	if (!event->attribute_count)
		free(attribute);
}

static bool release(struct postings *c, size_t most)
{
	bool going_on = true;
	while (c->first < c->length && (!c->held[c->first].open || c->length - c->first > most)) {
		struct trace_event *e = &c->held[c->first++].event;
		going_on = going_on && c->deliver(c->context, e);
		clear_event(e);
	}
	if (c->first == c->length)
		c->first = c->length = 0;
	return going_on;
}

void postings_open(struct postings *c, uint64_t request)
{
	c->opening = true;
	c->request = request;
}

static struct postings_held *find_open(struct postings *c, uint64_t request)
{
	size_t i = c->first;
	while (i < c->length && !(c->held[i].open && c->held[i].request == request))
		i++;
	return i < c->length ? &c->held[i] : NULL;
}

/* A request that is used again without an end has ended unseen. */
bool postings_take(struct postings *c, const struct trace_event *event)
{
	struct trace_event e = *event;
	struct trace_attribute attribute[EVENT_ATTRIBUTES];
	bool open = c->opening && e.attribute_count;
	for (uint32_t i = 0; i < e.attribute_count; i++) {
		attribute[i] = e.attribute[i];
		if (attribute[i].name == name_of_place)
			attribute[i].number = (int64_t)(c->delivered - (uint64_t)attribute[i].number);
	}
	qsort(attribute, e.attribute_count, sizeof *attribute, by_name);
	e.attribute = attribute;
	c->opening = false;
	if (open && !postings_forget(c, c->request))
		return false;
	if (c->length - c->first >= HELD_MOST && !c->closes) {
		for (size_t i = c->first; i < c->length; i++)
			c->held[i].open = false;
		open = false;
	}
	bool going_on = release(c, HELD_MOST);
	if (open || c->first < c->length)
		keep(c, &e, open);
	else
		going_on = going_on && c->deliver(c->context, &e);
	c->delivered++;
	return going_on;
}

bool postings_close(struct postings *c, uint64_t request, unsigned call)
{
	struct postings_held *h = find_open(c, request);
	c->closes = true;
	if (!h)
		return true;
	struct trace_attribute *attribute = (struct trace_attribute *)(uintptr_t)h->event.attribute;
	h->event.attribute_count += put_other(
		attribute + h->event.attribute_count, call, c->begun > h->number ? c->begun - h->number - 1 : 0);
	qsort(attribute, h->event.attribute_count, sizeof *attribute, by_name);
	h->open = false;
	return release(c, SIZE_MAX);
}

bool postings_forget(struct postings *c, uint64_t request)
{
	struct postings_held *h = find_open(c, request);
	if (h)
		h->open = false;
	return !h || release(c, SIZE_MAX);
}

bool postings_end(struct postings *c)
{
	return release(c, 0);
}
