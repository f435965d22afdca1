/*
 * balance.c -- do sends and receives balance on every channel, with the communicators as they were
 * recorded?
 *
 * Ids of tags mean something within one dictionary only: all are brought into one.
 */
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "base/saturate.h"
#include "trace/trace.h"

struct channel {
	uint32_t from, to, tag;
};

struct balance {
	struct dictionary *tags;
	struct intern *channels;
	uint64_t (*passed)[2]; /* by channel: received, sent */
	size_t count, capacity;
	bool names_any;
};

struct balance *balance_new(void)
{
	struct balance *b = mem_zero(sizeof *b);
	b->tags = dictionary_new();
	b->channels = intern_new_keys(sizeof(struct channel));
	return b;
}

void balance_free(struct balance *b)
{
	if (!b)
		return;
	dictionary_free(b->tags);
	intern_free(b->channels);
	free(b->passed);
	free(b);
}

void balance_add_message(
	struct balance *b, const struct dictionary *d, const struct event *e, const struct tag *tag, uint64_t times)
{
	const char *stem = dictionary_get_word(d, tag->stem);
	struct tag own = *tag;
	own.stem = dictionary_word(b->tags, stem, strlen(stem));
	bool sent = kind_sends(e->kind);
	struct channel channel = {
		sent ? e->process : e->peer, sent ? e->peer : e->process, dictionary_tag(b->tags, &own)};
	uint32_t id = intern_id(b->channels, &channel, sizeof channel);
	b->passed = mem_grow(b->passed, &b->capacity, id + (size_t)1, sizeof *b->passed);
	for (; b->count <= id; b->count++)
		b->passed[b->count][0] = b->passed[b->count][1] = 0;
	b->passed[id][sent] = saturating_add(b->passed[id][sent], times);
	b->names_any |= tag->communicator != NO_COMMUNICATOR;
}

static void add(struct balance *b, const struct dictionary *d, uint32_t event, uint64_t times)
{
	const struct event *e = dictionary_get_event(d, event);
	if (kind_gathers(e->kind))
		b->names_any |= dictionary_get_sync(d, e->subject)->communicator != NO_COMMUNICATOR;
	if (kind_is_message(e->kind))
		balance_add_message(b, d, e, dictionary_get_tag(d, e->subject), times);
}

void balance_add_all(struct balance *b, const struct dictionary *d, const uint64_t *times, size_t events)
{
	for (size_t event = 0; event < events; event++)
		if (times[event])
			add(b, d, (uint32_t)event, times[event]);
}

void balance_add_name(struct balance *b)
{
	b->names_any = true;
}

bool balance_names_any(const struct balance *b)
{
	return b->names_any;
}

bool balance_unnamed(const struct balance *b)
{
	bool even = true;
	for (size_t i = 0; even && i < b->count; i++)
		even = b->passed[i][1] >= b->passed[i][0]; /* what is sent may stay so */
	return b->names_any && !even;
}
