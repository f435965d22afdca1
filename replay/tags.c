/*
 * tags.c -- one kind of tag is known beforehand, all others are numbered as they come.
 */
#include "replay/tags.h"

#include <stdlib.h>

#include "base/intern.h"
#include "base/mem.h"

struct tags {
	bool by_communicator;
	bool any; /* there are messages whose tags have numbers: the word and the communicator of the first */
	uint32_t word;
	int64_t communicator;
	struct intern *others;
};

struct tags *tags_new(const struct overview *o, bool by_communicator)
{
	struct tags *t = mem_zero(sizeof *t);
	t->by_communicator = by_communicator;
	t->communicator = EVENT_UNSAID;
	t->others = intern_new();
	for (size_t i = 0; i < o->lines && !t->any; i++) {
		const struct node *n = overview_node(o, i);
		if (overview_match(o, i) != MATCH_OUT && overview_match(o, i) != MATCH_IN)
			continue;
		node_id communicator = by_communicator ? n->kid[COLUMN_COMMUNICATOR] : NODE_NONE;
		t->any = n->kid[COLUMN_TAG] &&
			 (!communicator || number_is_constant(o->store, communicator, &t->communicator));
		t->word = n->word;
	}
	return t;
}

void tags_free(struct tags *t)
{
	if (t)
		intern_free(t->others);
	free(t);
}

struct key {
	uint64_t word;
	int64_t number, communicator;
};

uint32_t tags_number(struct tags *t, const struct event_numbers *e)
{
	int64_t communicator = t->by_communicator ? e->number[COLUMN_COMMUNICATOR] : EVENT_UNSAID;
	int64_t number = e->number[COLUMN_TAG];
	if (t->any && e->word == t->word && communicator == t->communicator && number >= 0 && number < TAG_OTHER)
		return (uint32_t)number;
	struct key key = {e->word, number, communicator};
	return TAG_OTHER + intern_id(t->others, &key, sizeof key) % TAG_OTHER;
}
