/*
 * vocabulary.c -- each id is looked up once.
 */
#include "ask/vocabulary.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define ID_UNKNOWN UINT32_MAX /* not asked yet */

struct vocabulary vocabulary_of(struct dictionary *to, const struct dictionary *from)
{
	return (struct vocabulary){.to = to, .from = from};
}

void vocabulary_clear(struct vocabulary *v)
{
	free(v->words.id);
	free(v->groups.id);
	*v = (struct vocabulary){0};
}

static uint32_t *slot_of(struct vocabulary_ids *ids, uint32_t id)
{
	if (id >= ids->length) {
		size_t to = 2 * (size_t)id + 16;
		ids->id = mem_resize(ids->id, to, sizeof *ids->id);
		memset(ids->id + ids->length, 0xff, (to - ids->length) * sizeof *ids->id);
		ids->length = to;
	}
	return &ids->id[id];
}

static uint32_t word_of(struct vocabulary *v, uint32_t word)
{
	uint32_t *id = slot_of(&v->words, word);
	if (*id == ID_UNKNOWN) {
		const char *text = dictionary_get_word(v->from, word);
		*id = dictionary_word(v->to, text, strlen(text));
	}
	return *id;
}

static uint32_t group_of(struct vocabulary *v, uint32_t group)
{
	uint32_t *id = slot_of(&v->groups, group);
	if (*id == ID_UNKNOWN) {
		struct ranks ranks = dictionary_get_ranks(v->from, group);
		*id = dictionary_ranks(v->to, &ranks);
	}
	return *id;
}

void vocabulary_translate(struct vocabulary *v, struct plain_event *e)
{
	e->word = word_of(v, e->word);
	if (e->kind == EVENT_SYNC)
		e->group = group_of(v, e->group);
}
