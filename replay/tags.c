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
	uint32_t kept; /* its numbers below this stay */
	uint32_t groups; /* numbers from here on are those of groups */
	struct intern *others;
};

/* The highest number of tags; TAG_END: it is not known, or they are not all of the first kind. */
static uint32_t highest(const struct tags *t, const struct overview *o)
{
	int64_t most = 0, communicator;
	for (size_t i = 0; i < o->lines; i++) {
		const struct node *n = overview_node(o, i);
		struct range range;
		if (overview_match(o, i) != MATCH_OUT && overview_match(o, i) != MATCH_IN)
			continue;
		node_id on = t->by_communicator ? n->kid[COLUMN_COMMUNICATOR] : NODE_NONE;
		if (!n->kid[COLUMN_TAG] || n->word != t->word ||
			(on ? !number_is_constant(o->store, on, &communicator) || communicator != t->communicator
			    : t->communicator != EVENT_UNSAID) ||
			!overview_range(o, i, n->kid[COLUMN_TAG], &range) || range.low < 0 || range.high >= TAG_END)
			return TAG_END;
		most = range.high > most ? range.high : most;
	}
	return (uint32_t)most;
}

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
	uint32_t most = highest(t, o);
	t->kept = most < TAG_END ? TAG_END : TAG_OTHER;
	t->groups = most < TAG_LIMIT || most >= TAG_END - 1 ? TAG_LIMIT : most + 1;
	return t;
}

void tags_free(struct tags *t)
{
	if (t)
		intern_free(t->others);
	free(t);
}

uint32_t tags_of_group(const struct tags *t, uint32_t group)
{
	return t->groups + group % (TAG_END - t->groups);
}

struct key {
	uint64_t word;
	int64_t number, communicator;
};

uint32_t tags_number(struct tags *t, const struct event_numbers *e)
{
	int64_t communicator = t->by_communicator ? e->number[COLUMN_COMMUNICATOR] : EVENT_UNSAID;
	int64_t number = e->number[COLUMN_TAG];
	if (t->any && e->word == t->word && communicator == t->communicator && number >= 0 && number < t->kept)
		return (uint32_t)number;
	struct key key = {e->word, number, communicator};
	return TAG_OTHER + intern_id(t->others, &key, sizeof key) % TAG_OTHER;
}
