/*
 * forms.h -- the bodies of loops, interned, and the loops that somebody relies on. Private to nlr/.
 */
#ifndef TRACENEST_NLR_FORMS_H
#define TRACENEST_NLR_FORMS_H

#include "nlr/term.h"

struct form {
	const struct term *term; /* ends with a terminator, which length does not count */
	size_t length;
	size_t room; /* terms that the window holds at most while one iteration is built in it */
	uint64_t most_known; /* the largest count under which a loop over this body was ever known */
};

struct forms;

struct forms *forms_new(unsigned repetitions);
void forms_free(struct forms *);

/* The id of a body; body[length] is overwritten. */
uint64_t forms_id(struct forms *, struct term *body, size_t length);

const struct form *forms_get(const struct forms *, uint64_t id); /* borrowed until the next forms_id */
size_t forms_count(const struct forms *);

/*
 * A loop is known where it stands in a body, and where it stands in the window under other terms: note it when it is covered,
 * drop it when it is bare again. Only a known loop can be part of a reduction that begins before it.
 */
uint32_t forms_cover(struct forms *, struct term loop); /* gives a ticket for forms_bare */
void forms_bare(struct forms *, uint32_t ticket);

/* Where a loop is known, as far as that matters to a reduction that begins before it. */
enum known {
	KNOWN_NOWHERE,
	KNOWN_IN_WINDOW, /* often enough to be repeated there */
	KNOWN_IN_BODY,
};
enum known forms_known(const struct forms *, struct term loop);

#endif
