/*
 * connect.h -- which processes of a loop communicate inside it, and what leads out of it.
 */
#ifndef TRACENEST_FOLD_CONNECT_H
#define TRACENEST_FOLD_CONNECT_H

#include "model/model.h"

/* One end of a channel whose other ends are not in the loop. */
struct open_end {
	uint32_t channel, kind; /* kind: enum event_kind */
};

struct connections;

/* Borrows both; they must not change. */
struct connections *connections_new(const struct model *, const struct nest_coverage *);
void connections_free(struct connections *);

/* Channels are numbered 0 to n - 1. */
uint32_t connections_channels(const struct connections *);

/*
 * Are all processes of this loop joined by messages and syncs inside it, and does every loop below
 * have events? Adds to ends (*length of *capacity) what leads out. O(the distinct constructs
 * inside, for all their processes).
 */
bool connections_of(struct connections *, node loop, struct open_end **ends, size_t *length, size_t *capacity);

#endif
