/*
 * channels.h -- who passes what to whom: the k-th message sent on a channel is the k-th received.
 *
 *	struct channels *c = channels_new(processes);
 *	channels_add(c, &(struct channel){0, 1, tag}, true, 1, statement);	-- ends, in the order of every process
 *	channels_add(c, &(struct channel){0, 1, tag}, false, 1, other);
 *	channels_match(c, CHANNELS_ALL, take, context);				-- take(context, &match), for every send and its receive
 *	channels_empty(c);							-- for the next body
 *	channels_free(c);
 *
 * An end may be several messages, and belongs to whatever its owner is to the caller. Processes are
 * best met in their order, as are then those that they talk to: the first channels of each are
 * looked for in a bucket of its own, a line of the cache, and only then by hash.
 */
#ifndef TRACENEST_MODEL_CHANNELS_H
#define TRACENEST_MODEL_CHANNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct channel {
	uint32_t from, to; /* ranks; the receiver need not exist */
	uint32_t tag; /* a number for tag and communicator, equal for both ends */
};

/* What is on a channel. Saturates. */
struct channel_sum {
	struct channel channel;
	uint64_t sends, receives;
};

/* Messages from one end to another. */
struct channel_match {
	struct channel channel;
	uint32_t from, to; /* owners */
	uint64_t count;
};

struct channels;

/* For so many processes, or more: senders from 0 on. */
struct channels *channels_new(uint32_t processes);
void channels_free(struct channels *);

/* Messages that are to be summed up alone. O(1) expected. */
void channels_pass(struct channels *, const struct channel *, bool sends, uint64_t count);

/* An end behind all that are there. O(1) expected. */
void channels_add(struct channels *, const struct channel *, bool sends, uint64_t count, uint32_t owner);

/*
 * How many ends there are; the channels, in the order of their first ends (valid until the next
 * call).
 */
size_t channels_ends(const struct channels *);
size_t channels_count(const struct channels *);
struct channel_sum channels_sum(const struct channels *, size_t channel);

/* Tell the processes of all channels that have both ends: they belong together. */
void channels_join(const struct channels *, void (*join)(void *context, uint32_t from, uint32_t to), void *context);

enum channels_which {
	CHANNELS_ALL,
	CHANNELS_BALANCED, /* those with as many sends as receives */
};

/*
 * Tell all matches, in the order of what comes later of the two ends; once, as it uses the ends up.
 * O(ends).
 */
void channels_match(struct channels *, enum channels_which, void (*take)(void *context, const struct channel_match *),
	void *context);

/* As new, with the memory kept. O(channels). */
void channels_empty(struct channels *);

#endif
