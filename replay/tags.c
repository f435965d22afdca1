/*
 * tags.c -- one kind of tag is known beforehand, all others are numbered as they come.
 */
#include "replay/tags.h"

#include <stdlib.h>

#include "base/mem.h"

struct tags {
	bool by_communicator;
	bool any; /* there are messages whose tags have numbers: the word and the communicator of the first */
	uint32_t word;
	int64_t communicator;
	struct intern *others;
};

struct tags *tags_new(const struct program *program, bool by_communicator)
{
	struct tags *t = mem_zero(sizeof *t);
	t->by_communicator = by_communicator;
	t->communicator = NO_COMMUNICATOR;
	t->others = intern_new();
	for (size_t i = 0; i < program->length && !t->any; i++) {
		const struct statement *s = &program->statement[i];
		if (statement_is_loop(s) || statement_kind(program, s) > EVENT_RECV)
			continue;
		struct form form = statement_form(program, s);
		struct spot spot = grid_spot(&program->grid, 0);
		t->any = form.numbered && (!by_communicator || value_is_constant(&form.communicator));
		t->word = form.word;
		if (t->any && by_communicator)
			t->communicator = value_at(&form.communicator, &spot);
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
	uint32_t word, numbered;
	uint64_t number;
	int64_t communicator;
};

uint32_t tags_number(struct tags *t, const struct plain_event *e)
{
	int64_t communicator = t->by_communicator ? e->communicator : NO_COMMUNICATOR;
	if (t->any && e->numbered && e->word == t->word && communicator == t->communicator && e->number < TAG_OTHER)
		return (uint32_t)e->number;
	struct key key = {e->word, e->numbered, e->number, communicator};
	return TAG_OTHER + intern_id(t->others, &key, sizeof key) % TAG_OTHER;
}
