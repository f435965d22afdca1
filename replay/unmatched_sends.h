/*
 * unmatched_sends.h -- messages of a program that nobody receives.
 *
 *	struct unmatched_sends l;
 *	if (unmatched_sends_of(&l, run, &error))
 *		... l.item[i]
 *	unmatched_sends_clear(&l);
 */
#ifndef TRACENEST_REPLAY_UNMATCHED_SENDS_H
#define TRACENEST_REPLAY_UNMATCHED_SENDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "model/run.h"

struct unmatched_send {
	uint32_t from, to;
	uint32_t word; /* of the tag, and its number */
	bool numbered;
	uint64_t number, count;
	int64_t communicator; /* below 0: it has no number */
};

struct unmatched_sends {
	struct unmatched_send *item;
	size_t items, capacity;
};

/* False with *error set: more is received than was sent, on some channel. O(events). */
bool unmatched_sends_of(struct unmatched_sends *, struct run *, struct error *);
void unmatched_sends_clear(struct unmatched_sends *);

#endif
