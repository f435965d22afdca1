/*
 * sides.c -- channels are interned by what they join. The two sides of a message channel are numbered together when it is first
 * seen, so that most events cost one look into one table; the sides of a sync channel are interned by their member.
 */
#include "merge/sides.h"

#include <stdlib.h>

#include "base/intern.h"
#include "base/mem.h"
#include "merge/strand.h"

struct channel_key {
	uint32_t is_sync, source, destination, subject; /* of a sync channel only the subject */
};

struct member_key {
	uint32_t channel, process;
};

void sides_start(struct sides *s, const struct dictionary *d)
{
	*s = (struct sides){.dictionary = d, .channel = intern_new(), .member = intern_new()};
}

void sides_end(struct sides *s)
{
	intern_free(s->channel);
	intern_free(s->member);
	free(s->channel_of);
	free(s->who);
	free(s->first);
	free(s->of_member);
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

uint32_t sides_of(struct sides *s, uint32_t event, uint32_t process)
{
	const struct event *e = dictionary_get_event(s->dictionary, event);
	struct channel_key key = {0, 0, 0, e->subject};
	switch ((enum event_kind)e->kind) {
	case EVENT_SYNC:
		key.is_sync = 1;
		return member_side(s, intern_id(s->channel, &key, sizeof key), process);
	case EVENT_SEND:
		key.source = e->process;
		key.destination = e->peer;
		return message_side(s, intern_id(s->channel, &key, sizeof key), false);
	case EVENT_RECV:
		key.source = e->peer;
		key.destination = e->process;
		return message_side(s, intern_id(s->channel, &key, sizeof key), true);
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
	return intern_count(s->channel);
}

static const struct channel_key *key_of(const struct sides *s, uint32_t channel)
{
	return intern_data(s->channel, channel, NULL);
}

bool sides_group(const struct sides *s, uint32_t channel, struct ranks *group)
{
	const struct channel_key *key = key_of(s, channel);
	if (!key->is_sync)
		return false;
	*group = dictionary_get_ranks(s->dictionary, dictionary_get_sync(s->dictionary, key->subject)->group);
	return true;
}

bool sides_sends(const struct sides *s, uint32_t side)
{
	return !key_of(s, s->channel_of[side])->is_sync && !s->who[side];
}

uint32_t sides_process(const struct sides *s, uint32_t side)
{
	return s->who[side];
}

void sides_print(const struct sides *s, uint32_t channel, struct text *out)
{
	const struct channel_key *key = key_of(s, channel);
	int64_t communicator;
	if (key->is_sync) {
		const struct sync *sync = dictionary_get_sync(s->dictionary, key->subject);
		struct ranks group = dictionary_get_ranks(s->dictionary, sync->group);
		text_format(out, "%s on ", dictionary_get_word(s->dictionary, sync->name));
		ranks_print(&group, out);
		communicator = sync->communicator;
	} else {
		const struct tag *tag = dictionary_get_tag(s->dictionary, key->subject);
		text_format(out, "%u -> %u %s", key->source, key->destination, dictionary_get_word(s->dictionary, tag->stem));
		if (tag->numbered)
			text_number(out, tag->number);
		communicator = tag->communicator;
	}
	if (communicator != NO_COMMUNICATOR)
		text_format(out, "@%lld", (long long)communicator);
}
