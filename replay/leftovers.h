/*
 * leftovers.h -- messages of a program that nobody receives.
 *
 *	struct leftovers l;
 *	if (leftovers_of(&l, program, &error))
 *		... l.item[i]
 *	leftovers_clear(&l);
 */
#ifndef TRACENEST_REPLAY_LEFTOVERS_H
#define TRACENEST_REPLAY_LEFTOVERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "model/program.h"

struct leftover {
	uint32_t from, to;
	uint32_t word; /* of the tag, and its number */
	bool numbered;
	uint64_t number, count;
	int64_t communicator;
};

struct leftovers {
	struct leftover *item;
	size_t items, capacity;
};

/* False with *error set: more is received than was sent, on some channel. O(events). */
bool leftovers_of(struct leftovers *, struct program *, struct error *);
void leftovers_clear(struct leftovers *);

#endif
