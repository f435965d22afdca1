/*
 * walk_values.h -- what the events of a program carry under chosen names, along a walk.
 *
 *	struct walk_values c;
 *	walk_values_of(&c, program, name, names);
 *	while (walk_next(walk))
 *		... walk_values_at(&c, walk, k)
 *	walk_values_clear(&c);
 */
#ifndef TRACENEST_ASK_WALK_VALUES_H
#define TRACENEST_ASK_WALK_VALUES_H

#include "ask/projection.h"

struct walk_value;

struct walk_values {
	const struct program *program;
	uint32_t *name; /* words of its dictionary */
	size_t names;
	struct walk_value *value; /* by statement and name */
};

/* Takes the names. O(statements x names). */
void walk_values_of(struct walk_values *, const struct program *, uint32_t *name, size_t names);
void walk_values_clear(struct walk_values *);

/* Under the name of this number, by the event that the walk stands at; not there, where the
   statement has none. O(1). */
struct attribute_value walk_values_at(const struct walk_values *, const struct walk *, size_t name);

/* " ; bytes=8 type=MPI_INT": a value more, where it is there. */
void walk_values_put(const struct walk_values *, size_t name, const struct attribute_value *, struct text *);

#endif
