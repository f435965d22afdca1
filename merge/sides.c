/*
 * sides.c -- channels and sides are interned: a channel by what it joins, a side by its channel and who stands there.
 */
#include "merge/sides.h"

#include <stdlib.h>

#include "base/intern.h"
#include "base/mem.h"
#include "merge/strand.h"

struct channel_key {
	uint32_t is_sync, source, destination, subject; /* of a sync channel only the subject */
};

struct side_key {
	uint32_t channel, who; /* 0 sends, 1 receives; of a sync channel: the member */
};

void sides_start(struct sides *s, const struct dictionary *d)
{
	*s = (struct sides){.dictionary = d, .channel = intern_new(), .side = intern_new()};
}

void sides_end(struct sides *s)
{
	intern_free(s->channel);
	intern_free(s->side);
	free(s->channel_of);
}

uint32_t sides_of(struct sides *s, uint32_t event, uint32_t process)
{
	const struct event *e = dictionary_get_event(s->dictionary, event);
	struct channel_key key = {0, 0, 0, e->subject};
	uint32_t who = process;
	switch ((enum event_kind)e->kind) {
	case EVENT_LOCAL:
		return NO_SIDE;
	case EVENT_SYNC:
		key.is_sync = 1;
		break;
	case EVENT_SEND:
		key.source = e->process;
		key.destination = e->peer;
		who = 0;
		break;
	case EVENT_RECV:
		key.source = e->peer;
		key.destination = e->process;
		who = 1;
		break;
	}
	struct side_key side = {intern_id(s->channel, &key, sizeof key), who};
	uint32_t id = intern_id(s->side, &side, sizeof side);
	s->channel_of = mem_grow(s->channel_of, &s->capacity, (size_t)id + 1, sizeof *s->channel_of);
	s->channel_of[id] = side.channel;
	return id;
}

uint32_t sides_count(const struct sides *s) { return intern_count(s->side); }

uint32_t sides_channels(const struct sides *s) { return intern_count(s->channel); }

static const struct channel_key *key_of(const struct sides *s, uint32_t channel) { return intern_data(s->channel, channel, NULL); }

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
	const struct side_key *key = intern_data(s->side, side, NULL);
	return !key_of(s, key->channel)->is_sync && !key->who;
}

uint32_t sides_process(const struct sides *s, uint32_t side) { return ((const struct side_key *)intern_data(s->side, side, NULL))->who; }

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
