/*
 * sides.c -- channels are interned by what they join. The two sides of a message channel are
 * numbered together when one is first seen, so that most events cost one look into one table. The
 * sides of a sync channel are interned by their member.
 */
#include "model/sides.h"

#include <stdlib.h>

#include "base/intern.h"
#include "base/mem.h"

struct channel_key {
	uint32_t source, destination; /* IS_SYNC, 0: a sync channel; IS_WIDE, 0: a wide one */
	uint32_t subject;
};

#define IS_SYNC UINT32_MAX
#define IS_WIDE (UINT32_MAX - 1)

/* Each process has both ends of a ring. */
struct side_key {
	uint32_t channel, process, receives;
};

void sides_start(struct sides *s, const struct dictionary *d)
{
	*s = (struct sides){.dictionary = d,
		.channel = intern_new_keys(sizeof(struct channel_key)),
		.of = intern_new_keys(sizeof(struct side_key))};
}

void sides_end(struct sides *s)
{
	intern_free(s->channel);
	intern_free(s->of);
	free(s->channel_of);
	free(s->who);
	free(s->first);
	free(s->side);
}

/* One more than its number. */
static uint32_t add_side(struct sides *s, uint32_t channel, uint32_t who)
{
	*MEM_AT(s->channel_of, s->capacity, s->count) = channel;
	*MEM_AT(s->who, s->who_capacity, s->count) = who;
	return ++s->count;
}

static uint32_t message_side(struct sides *s, uint32_t channel, bool receives)
{
	uint32_t *first = MEM_AT(s->first, s->first_capacity, channel);
	if (!*first) {
		*first = add_side(s, channel, 0);
		add_side(s, channel, 1);
	}
	return *first - 1 + receives;
}

/* who: as sides have it. */
static uint32_t own_side(struct sides *s, uint32_t channel, uint32_t process, bool receives, uint32_t who)
{
	struct side_key key = {channel, process, receives};
	uint32_t id = intern_id(s->of, &key, sizeof key), *side = MEM_AT(s->side, s->side_capacity, id);
	if (!*side)
		*side = add_side(s, channel, who);
	return *side - 1;
}

static struct channel_key channel_key(const struct event *e, const struct event_steps *steps)
{
	if (steps->channel)
		return (struct channel_key){IS_WIDE, 0, steps->channel};
	if (kind_gathers(e->kind))
		return (struct channel_key){IS_SYNC, 0, e->subject};
	bool send = kind_sends(e->kind);
	return (struct channel_key){send ? e->process : e->peer, send ? e->peer : e->process, e->subject};
}

uint32_t sides_of(struct sides *s, uint32_t event, uint32_t process)
{
	const struct event *e = dictionary_get_event(s->dictionary, event);
	if (!kind_matches(e->kind))
		return NO_SIDE;
	const struct event_steps *steps = dictionary_get_steps(s->dictionary, e->steps);
	struct channel_key key = channel_key(e, steps);
	uint32_t channel = intern_id(s->channel, &key, sizeof key);
	bool receives = kind_receives(e->kind);
	if (kind_gathers(e->kind))
		return own_side(s, channel, process, false, process);
	return steps->ring && steps->channel ? own_side(s, channel, e->process, receives, receives)
					     : message_side(s, channel, receives);
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
