/*
 * event_places.c -- a channel is known by its ends and its tag, a room by its members.
 */
#include "lib/event_places.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ask/collective_names.h"
#include "base/intern.h"
#include "base/mem.h"

struct event_places {
	struct trace *trace;
	struct intern *channels, *rooms, *words;
	struct place_room *room;
	uint32_t room_count;
	size_t room_capacity;
	struct places_of_process {
		struct event_place *event;
		size_t capacity;
	} * process;
	uint32_t processes;
};

struct event_places *event_places_new(struct trace *trace)
{
	struct event_places *p = mem_zero(sizeof *p);
	p->trace = trace;
	p->channels = intern_new_keys(sizeof(struct place_channel));
	p->rooms = intern_new();
	p->words = intern_new();
	p->processes = trace_facts(trace)->processes;
	p->process = mem_zero((p->processes + (size_t)1) * sizeof *p->process);
	return p;
}

void event_places_free(struct event_places *p)
{
	for (uint32_t i = 0; i < p->room_count; i++)
		ranks_clear(&p->room[i].members);
	for (uint32_t rank = 0; rank < p->processes; rank++)
		free(p->process[rank].event);
	intern_free(p->channels);
	intern_free(p->rooms);
	intern_free(p->words);
	free(p->room);
	free(p->process);
	free(p);
}

uint32_t event_places_room(struct event_places *p, const struct ranks *members, int64_t communicator, const char *name)
{
	struct text key = {0};
	bool posted = strcmp(collective_operation(name), name) != 0;
	ranks_print(members, &key);
	text_format(&key, " %" PRId64 " %d %d", communicator, posted, collective_scope(name));
	uint32_t number = intern_id(p->rooms, key.data, key.length);
	if (number == p->room_count) {
		struct place_room *r = MEM_PUSH(p->room, p->room_count, p->room_capacity);
		*r = (struct place_room){.processes = (uint32_t)ranks_count(members),
			.communicator = communicator,
			.between = trace_is_between(p->trace, communicator)};
		ranks_copy(&r->members, members);
	}
	text_clear(&key);
	return number;
}

static uint32_t channel_of(struct event_places *p, const struct dictionary *d, const struct event *e, uint32_t rank)
{
	const struct tag *tag = dictionary_get_tag(d, e->subject);
	const char *stem = dictionary_get_word(d, tag->stem);
	struct place_channel key = {.number = tag->numbered ? tag->number : 0,
		.communicator = tag->communicator,
		.source = kind_sends(e->kind) ? rank : e->peer,
		.destination = kind_sends(e->kind) ? e->peer : rank,
		.stem = intern_id(p->words, stem, strlen(stem) + 1)};
	return intern_id(p->channels, &key, sizeof key);
}

static void look(struct event_places *p, uint32_t rank, uint32_t event, struct event_place *to)
{
	const struct dictionary *d = trace_dictionary(p->trace, rank);
	const struct event *e = dictionary_get_event(d, event);
	*to = (struct event_place){.looked = true, .sends = kind_sends(e->kind), .root = NO_ROOT};
	if (kind_is_message(e->kind)) {
		to->kind = PLACE_CHANNEL;
		to->number = channel_of(p, d, e, rank);
	} else if (kind_gathers(e->kind)) {
		const struct sync *sync = dictionary_get_sync(d, e->subject);
		struct ranks group = dictionary_get_ranks(d, sync->group);
		const char *name = dictionary_get_word(d, sync->name);
		to->name = intern_data(p->words, intern_id(p->words, name, strlen(name) + 1), NULL);
		to->root = e->peer;
		to->kind = ranks_has(&group, rank) ? PLACE_ROOM : PLACE_NONE;
		to->number = to->kind ? event_places_room(p, &group, sync->communicator, name) : 0;
	}
}

const struct event_place *event_place_of(struct event_places *p, uint32_t rank, uint32_t event)
{
	struct event_place *at = MEM_AT(p->process[rank].event, p->process[rank].capacity, event);
	if (!at->looked)
		look(p, rank, event, at);
	return at;
}

const struct place_channel *event_places_get_channel(const struct event_places *p, uint32_t number)
{
	return intern_data(p->channels, number, NULL);
}

const struct place_room *event_places_get_room(const struct event_places *p, uint32_t number)
{
	return &p->room[number];
}

uint32_t event_places_channels(const struct event_places *p)
{
	return intern_count(p->channels);
}

uint32_t event_places_rooms(const struct event_places *p)
{
	return p->room_count;
}
