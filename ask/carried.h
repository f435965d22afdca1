/*
 * carried.h -- what the events of a program carry under chosen names, along a walk.
 *
 *	struct carried c;
 *	carried_of(&c, program, name, names);
 *	while (walk_next(walk))
 *		... carried_at(&c, walk, k)
 *	carried_clear(&c);
 */
#ifndef TRACENEST_ASK_CARRIED_H
#define TRACENEST_ASK_CARRIED_H

#include "ask/projection.h"

struct carried_value;

struct carried {
	const struct program *program;
	uint32_t *name; /* words of its dictionary */
	size_t names;
	struct carried_value *value; /* by statement and name */
};

/* Takes the names. O(statements x names). */
void carried_of(struct carried *, const struct program *, uint32_t *name, size_t names);
void carried_clear(struct carried *);

/* Under the name of this number, by the event that the walk stands at; not there, where the
   statement has none. O(1). */
struct attribute_value carried_at(const struct carried *, const struct walk *, size_t name);

/* " ; bytes=8 type=MPI_INT": a value more, where it is there. */
void carried_put(const struct carried *, size_t name, const struct attribute_value *, struct text *);

#endif
