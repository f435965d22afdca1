/*
 * sides.c -- channels are interned by what they join. The two sides of a message channel are
 * numbered together when it is first seen, so that most events cost one look into one table, which
 * holds the keys themselves: with a million channels every look is a cache miss, and one is enough.
 * The sides of a sync channel are interned by their member.
 */
#include "merge/sides.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/intern.h"
#include "base/mem.h"
#include "merge/strand.h"

struct channel_key {
	uint32_t source, destination; /* IS_SYNC, 0: a sync channel; IS_WIDE, 0: a wide one */
	uint32_t subject;
};

#define IS_SYNC UINT32_MAX
#define IS_WIDE (UINT32_MAX - 1)

struct channel_slot {
	struct channel_key key;
	uint32_t channel; /* NO_SIDE: free */
};

struct member_key {
	uint32_t channel, process;
};

void sides_start(struct sides *s, const struct dictionary *d)
{
	*s = (struct sides){.dictionary = d, .member = intern_new(), .end = intern_new()};
}

void sides_end(struct sides *s)
{
	free(s->key);
	free(s->slot);
	intern_free(s->member);
	intern_free(s->end);
	free(s->channel_of);
	free(s->who);
	free(s->first);
	free(s->of_member);
	free(s->of_end);
}

static struct channel_slot *find_slot(const struct sides *s, const struct channel_key *key)
{
	size_t at = hash_pair(hash_pair(key->source, key->destination), key->subject) & (s->slots - 1);
	while (s->slot[at].channel != NO_SIDE && memcmp(&s->slot[at].key, key, sizeof *key))
		at = (at + 1) & (s->slots - 1);
	return &s->slot[at];
}

static void double_slots(struct sides *s)
{
	s->slots = s->slots ? 2 * s->slots : 64;
	free(s->slot);
	s->slot = mem_array(s->slots, sizeof *s->slot);
	for (size_t i = 0; i < s->slots; i++)
		s->slot[i].channel = NO_SIDE;
	for (uint32_t channel = 0; channel < s->keys; channel++)
		*find_slot(s, &s->key[channel]) = (struct channel_slot){s->key[channel], channel};
}

static uint32_t channel_of_key(struct sides *s, struct channel_key key)
{
	if (2 * ((size_t)s->keys + 1) > s->slots)
		double_slots(s);
	struct channel_slot *slot = find_slot(s, &key);
	if (slot->channel == NO_SIDE) {
		s->key = mem_grow(s->key, &s->key_capacity, (size_t)s->keys + 1, sizeof *s->key);
		s->key[s->keys] = key;
		*slot = (struct channel_slot){key, s->keys++};
	}
	return slot->channel;
}

static uint32_t add_side(struct sides *s, uint32_t channel, uint32_t who)
{
	s->channel_of = mem_grow(s->channel_of, &s->capacity, (size_t)s->count + 1, sizeof *s->channel_of);
	s->who = mem_grow(s->who, &s->who_capacity, (size_t)s->count + 1, sizeof *s->who);
	s->channel_of[s->count] = channel;
	s->who[s->count] = who;
	return s->count++;
}

static uint32_t message_side(struct sides *s, uint32_t channel, bool receives)
{
	if (channel == s->channels) {
		s->first = mem_grow(s->first, &s->first_capacity, ++s->channels, sizeof *s->first);
		s->first[channel] = add_side(s, channel, 0);
		add_side(s, channel, 1);
	}
	return s->first[channel] + receives;
}

static uint32_t member_side(struct sides *s, uint32_t channel, uint32_t process)
{
	struct member_key key = {channel, process};
	uint32_t known = intern_count(s->member), id = intern_id(s->member, &key, sizeof key);
	if (channel == s->channels)
		s->first = mem_grow(s->first, &s->first_capacity, ++s->channels, sizeof *s->first);
	if (id == known) {
		s->of_member = mem_grow(s->of_member, &s->member_capacity, (size_t)id + 1, sizeof *s->of_member);
		s->of_member[id] = add_side(s, channel, process);
	}
	return s->of_member[id];
}

/* Each process has both ends of a ring. */
static uint32_t ring_side(struct sides *s, uint32_t channel, uint32_t process, bool receives)
{
	uint32_t key[3] = {channel, process, receives};
	uint32_t known = intern_count(s->end), id = intern_id(s->end, key, sizeof key);
	if (channel == s->channels)
		s->first = mem_grow(s->first, &s->first_capacity, ++s->channels, sizeof *s->first);
	if (id == known) {
		s->of_end = mem_grow(s->of_end, &s->end_capacity, (size_t)id + 1, sizeof *s->of_end);
		s->of_end[id] = add_side(s, channel, receives);
	}
	return s->of_end[id];
}

static uint32_t wide_side(struct sides *s, const struct event *e, const struct event_steps *steps)
{
	uint32_t channel = channel_of_key(s, (struct channel_key){IS_WIDE, 0, steps->channel});
	bool receives = e->kind == EVENT_RECV;
	return steps->ring ? ring_side(s, channel, e->process, receives) : message_side(s, channel, receives);
}

uint32_t sides_of(struct sides *s, uint32_t event, uint32_t process)
{
	const struct event *e = dictionary_get_event(s->dictionary, event);
	const struct event_steps *steps = dictionary_get_steps(s->dictionary, e->steps);
	if (steps->channel)
		return wide_side(s, e, steps);
	switch ((enum event_kind)e->kind) {
	case EVENT_SYNC:
		return member_side(s, channel_of_key(s, (struct channel_key){IS_SYNC, 0, e->subject}), process);
	case EVENT_SEND:
		return message_side(s, channel_of_key(s, (struct channel_key){e->process, e->peer, e->subject}), false);
	case EVENT_RECV:
		return message_side(s, channel_of_key(s, (struct channel_key){e->peer, e->process, e->subject}), true);
	case EVENT_LOCAL:
	default:
		return NO_SIDE;
	}
}

uint32_t sides_count(const struct sides *s)
{
	return s->count;
}

uint32_t sides_channels(const struct sides *s)
{
	return s->keys;
}

static const struct channel_key *key_of(const struct sides *s, uint32_t channel)
{
	return &s->key[channel];
}

bool sides_group(const struct sides *s, uint32_t channel, struct ranks *group)
{
	const struct channel_key *key = key_of(s, channel);
	if (key->source != IS_SYNC)
		return false;
	*group = dictionary_get_ranks(s->dictionary, dictionary_get_sync(s->dictionary, key->subject)->group);
	return true;
}

bool sides_wide(const struct sides *s, uint32_t channel)
{
	return key_of(s, channel)->source == IS_WIDE;
}

bool sides_sends(const struct sides *s, uint32_t side)
{
	return key_of(s, s->channel_of[side])->source != IS_SYNC && !s->who[side];
}

uint32_t sides_process(const struct sides *s, uint32_t side)
{
	return s->who[side];
}

void sides_print(const struct sides *s, uint32_t channel, struct text *out)
{
	const struct channel_key *key = key_of(s, channel);
	int64_t communicator;
	if (key->source == IS_SYNC) {
		const struct sync *sync = dictionary_get_sync(s->dictionary, key->subject);
		struct ranks group = dictionary_get_ranks(s->dictionary, sync->group);
		text_format(out, "%s on ", dictionary_get_word(s->dictionary, sync->name));
		ranks_print(&group, out);
		communicator = sync->communicator;
	} else {
		const struct tag *tag = dictionary_get_tag(s->dictionary, key->subject);
		text_format(out, "%u -> %u %s", key->source, key->destination,
			dictionary_get_word(s->dictionary, tag->stem));
		if (tag->numbered)
			text_number(out, tag->number);
		communicator = tag->communicator;
	}
	if (communicator != NO_COMMUNICATOR)
		text_format(out, "@%lld", (long long)communicator);
}
