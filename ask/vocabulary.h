/*
 * vocabulary.h -- events of one program in the words and groups of another.
 *
 *	struct vocabulary v = vocabulary_of(program->dictionary, other->dictionary);
 *	walk_event(walk_of_other, &event);
 *	vocabulary_translate(&v, &event);	-- plain_event_equal to one of the program, or not
 *	vocabulary_clear(&v);
 */
#ifndef TRACENEST_ASK_VOCABULARY_H
#define TRACENEST_ASK_VOCABULARY_H

#include <stddef.h>
#include <stdint.h>

#include "ask/plain_event.h"

/* Ids in the dictionary of the first, by id in that of the other. */
struct vocabulary_ids {
	uint32_t *id;
	size_t length;
};

struct vocabulary {
	struct dictionary *to;
	const struct dictionary *from;
	struct vocabulary_ids words, groups;
};

/* Borrows both; what is translated is added to the first. */
struct vocabulary vocabulary_of(struct dictionary *to, const struct dictionary *from);
void vocabulary_clear(struct vocabulary *);

/* O(1), but for what is new. */
void vocabulary_translate(struct vocabulary *, struct plain_event *);

#endif
