/*
 * sides.h -- numbers for channels and their sides.
 *
 * A side is one end of a channel. The sends and the receives of a (source, destination, tag) are
 * the two sides of one channel; on a sync channel each member has a side. All sides of a channel
 * carry as many messages in a complete run, in the same order: k-th to k-th (matching.h). Of wide
 * channels (merge/widen.h), those of a pair have two sides, too; on those of a ring each process
 * has two.
 */
#ifndef TRACENEST_MODEL_SIDES_H
#define TRACENEST_MODEL_SIDES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "model/dictionary.h"

struct sides {
	const struct dictionary *dictionary;
	struct intern *channel; /* what they join */
	struct intern *of; /* of processes on sync channels and rings */
	uint32_t *channel_of; /* by side */
	uint32_t *who; /* by side: 0 sends, 1 receives; of a sync channel: the member */
	/* by channel of messages: one more than its sending side, the receiving one is the next; 0: none */
	uint32_t *first;
	uint32_t *side; /* by these */
	uint32_t count;
	size_t capacity, who_capacity, first_capacity, side_capacity;
};

#define NO_SIDE UINT32_MAX

void sides_start(struct sides *, const struct dictionary *);
void sides_end(struct sides *);

/* The channel of an event; its side as one of its processes has it. NO_SIDE for local events. */
uint32_t sides_of(struct sides *, uint32_t event, uint32_t process);
uint32_t sides_count(const struct sides *);
uint32_t sides_channels(const struct sides *);

/* Is it a wide one? Then all sides are known to carry as much. */
bool sides_wide(const struct sides *, uint32_t channel);

/* Is it a sync channel? If so, the members of its group. */
bool sides_group(const struct sides *, uint32_t channel, struct ranks *group);
bool sides_sends(const struct sides *, uint32_t side); /* the sending side of a channel */
uint32_t sides_process(const struct sides *, uint32_t side); /* whose side it is, of a sync channel */

/* A channel for people: "0 -> 3 tag7", "MPI_Bcast on 0-3". */
void sides_print(const struct sides *, uint32_t channel, struct text *);

#endif
