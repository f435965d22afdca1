/*
 * unmatched_sends.c -- messages are counted per channel.
 */
#include "replay/unmatched_sends.h"

#include <inttypes.h>
#include <stdlib.h>

#include "ask/ends.h"
#include "base/mem.h"

struct counting {
	struct ends ends;
	int64_t *balance; /* sends less receives, by channel */
	size_t channels, capacity;
};

static void count(struct counting *c, struct cursor *k)
{
	enum event_match match = kind_rows[node_of(k->at.store, k->event)->sub].match;
	if (match != MATCH_OUT && match != MATCH_IN)
		return;
	uint32_t id = ends_channel(&c->ends, &k->at, k->event);
	if (id == c->channels)
		*MEM_PUSH(c->balance, c->channels, c->capacity) = 0;
	c->balance[id] += match == MATCH_OUT ? 1 : -1;
}

bool unmatched_sends_of(struct unmatched_sends *l, struct run *run, struct error *error)
{
	struct counting c = {.ends = ends_new(run)};
	struct cursor *k = cursor_new(run, 0);
	bool good = true;
	*l = (struct unmatched_sends){0};
	for (uint32_t rank = 0; rank < run_module(run)->processes; rank++)
		for (cursor_restart(k, rank); cursor_next(k);)
			count(&c, k);
	for (uint32_t i = 0; i < c.channels && good; i++) {
		const struct channel_key *key = ends_key(&c.ends, i);
		if (c.balance[i] < 0)
			good = error_set(error, ERROR_INCONSISTENT,
				"process %" PRIu32 " receives %" PRId64 " messages from %" PRIu32
				" that are never sent: such a program would wait forever",
				key->to, -c.balance[i], key->from);
		if (c.balance[i] <= 0)
			continue;
		*MEM_PUSH(l->item, l->items, l->capacity) = (struct unmatched_send){key->from, key->to, key->word,
			key->tag_is != END_NO_NUMBER, (uint64_t)key->tag, (uint64_t)c.balance[i],
			key->communicator_is != END_NO_NUMBER ? key->communicator : -1};
	}
	cursor_free(k);
	ends_clear(&c.ends);
	free(c.balance);
	return good;
}

void unmatched_sends_clear(struct unmatched_sends *l)
{
	free(l->item);
	*l = (struct unmatched_sends){0};
}
