/*
 * balance.c -- do sends and receives balance on every channel, with the communicators as they were
 * recorded?
 *
 * Ids of tags mean something within one dictionary only, so a channel's identity is made of its
 * parts: the ends, the communicator and the tag's number, and the stem in words of our own.
 */
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "trace/trace.h"

struct channel {
	uint32_t source, destination;
	uint64_t number;
	int64_t communicator;
	uint32_t stem, numbered;
};

struct balance {
	struct intern *stems, *channels;
	int64_t *surplus; /* of sends, per channel */
	size_t capacity;
	size_t uneven; /* channels whose surplus is not 0 */
	bool names_any;
};

struct balance *balance_new(void)
{
	struct balance *b = mem_zero(sizeof *b);
	b->stems = intern_new();
	b->channels = intern_new();
	return b;
}

void balance_free(struct balance *b)
{
	if (!b)
		return;
	intern_free(b->stems);
	intern_free(b->channels);
	free(b->surplus);
	free(b);
}

/* The surplus of the channel of a message. */
static int64_t *surplus_of(struct balance *b, const struct event *e, const struct dictionary *d, const struct tag *tag)
{
	const char *stem = dictionary_get_word(d, tag->stem);
	bool sent = e->kind == EVENT_SEND;
	struct channel channel = {.source = sent ? e->process : e->peer,
		.destination = sent ? e->peer : e->process,
		.number = tag->numbered ? tag->number : 0,
		.communicator = tag->communicator,
		.stem = intern_id(b->stems, stem, strlen(stem)),
		.numbered = tag->numbered};
	uint32_t known = intern_count(b->channels), id = intern_id(b->channels, &channel, sizeof channel);
	if (id >= known) {
		b->surplus = mem_grow(b->surplus, &b->capacity, id + 1, sizeof *b->surplus);
		b->surplus[id] = 0;
	}
	return &b->surplus[id];
}

void balance_add_message(
	struct balance *b, const struct dictionary *d, const struct event *e, const struct tag *tag, uint64_t times)
{
	b->names_any |= tag->communicator != NO_COMMUNICATOR;
	int64_t *surplus = surplus_of(b, e, d, tag);
	bool was_even = !*surplus;
	*surplus += e->kind == EVENT_SEND ? (int64_t)times : -(int64_t)times;
	if (was_even && *surplus)
		b->uneven++;
	else if (!was_even && !*surplus)
		b->uneven--;
}

void balance_add(struct balance *b, const struct dictionary *d, uint32_t event, uint64_t times)
{
	const struct event *e = dictionary_get_event(d, event);
	if (e->kind == EVENT_SYNC)
		b->names_any |= dictionary_get_sync(d, e->subject)->communicator != NO_COMMUNICATOR;
	if (e->kind == EVENT_SEND || e->kind == EVENT_RECV)
		balance_add_message(b, d, e, dictionary_get_tag(d, e->subject), times);
}

bool balance_holds(const struct balance *b)
{
	return !b->uneven;
}

bool balance_names_any(const struct balance *b)
{
	return b->names_any;
}
