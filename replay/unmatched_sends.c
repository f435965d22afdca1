/*
 * unmatched_sends.c -- messages are counted per channel.
 */
#include "replay/unmatched_sends.h"

#include <inttypes.h>
#include <stdlib.h>

#include "ask/projection.h"
#include "base/intern.h"
#include "base/mem.h"

struct key {
	uint32_t from, to, word, numbered;
	uint64_t number;
	int64_t communicator;
};

struct counting {
	struct intern *channels;
	int64_t *balance; /* sends less receives, by channel */
	size_t capacity;
};

static void count(struct counting *c, const struct plain_event *e)
{
	bool send = e->kind == EVENT_SEND;
	struct key key = {send ? e->process : e->peer, send ? e->peer : e->process, e->word, e->numbered, e->number,
		e->communicator};
	uint32_t known = intern_count(c->channels), id = intern_id(c->channels, &key, sizeof key);
	if (id == known) {
		c->balance = mem_grow(c->balance, &c->capacity, id + (size_t)1, sizeof *c->balance);
		c->balance[id] = 0;
	}
	c->balance[id] += send ? 1 : -1;
}

static void count_all(struct counting *c, struct program *program)
{
	struct projection *projection = projection_new(program, NULL);
	for (uint32_t rank = 0; rank < program->processes; rank++) {
		struct walk *w = walk_new(projection, rank);
		struct plain_event e;
		while (walk_next(w)) {
			walk_event(w, &e);
			if (e.kind == EVENT_SEND || e.kind == EVENT_RECV)
				count(c, &e);
		}
		walk_free(w);
	}
	projection_free(projection);
}

bool unmatched_sends_of(struct unmatched_sends *l, struct program *program, struct error *error)
{
	struct counting c = {.channels = intern_new()};
	bool good = true;
	*l = (struct unmatched_sends){0};
	count_all(&c, program);
	for (uint32_t i = 0; i < intern_count(c.channels) && good; i++) {
		const struct key *key = intern_data(c.channels, i, NULL);
		if (c.balance[i] < 0)
			good = error_set(error, ERROR_INCONSISTENT,
				"process %" PRIu32 " receives %" PRId64 " messages from %" PRIu32
				" that are never sent: such a program would wait forever",
				key->to, -c.balance[i], key->from);
		if (c.balance[i] <= 0)
			continue;
		*MEM_PUSH(l->item, l->items, l->capacity) = (struct unmatched_send){key->from, key->to, key->word,
			key->numbered, key->number, (uint64_t)c.balance[i], key->communicator};
	}
	intern_free(c.channels);
	free(c.balance);
	return good;
}

void unmatched_sends_clear(struct unmatched_sends *l)
{
	free(l->item);
	*l = (struct unmatched_sends){0};
}
