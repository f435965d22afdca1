/*
 * bodies.h -- the bodies of loops, interned, and the loops that somebody relies on. Private to
 * nlr/.
 */
#ifndef TRACENEST_NLR_BODIES_H
#define TRACENEST_NLR_BODIES_H

#include "nlr/term.h"

struct loop_body {
	const struct term *term; /* ends with a terminator, which length does not count */
	size_t length;
	size_t room; /* terms that the window holds at most while one iteration is built in it */
	uint32_t most_known; /* the largest count under which a loop over this body was ever known */
};

struct bodies;

struct bodies *bodies_new(unsigned repetitions);
void bodies_free(struct bodies *);

/* The id of a body; body[length] is overwritten. */
uint32_t bodies_id(struct bodies *, struct term *body, size_t length);

const struct loop_body *bodies_get(const struct bodies *, uint32_t id); /* borrowed until the next bodies_id */

/*
 * A loop is known where it stands in a body, and where it stands in the window under other terms:
 * note it when it is covered, drop it when it is bare again. Only a known loop can be part of a
 * reduction that begins before it.
 */
uint32_t bodies_cover(struct bodies *, struct term loop); /* gives a ticket for bodies_bare */
void bodies_bare(struct bodies *, uint32_t ticket);

/* Where a loop is known, as far as that matters to a reduction that begins before it. */
enum known {
	KNOWN_NOWHERE,
	KNOWN_IN_WINDOW, /* often enough to be repeated there */
	KNOWN_IN_BODY,
};
enum known bodies_known(const struct bodies *, struct term loop);

#endif
