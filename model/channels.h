/*
 * channels.h -- how many messages are sent and received on each channel.
 *
 *	struct channels *c = channels_new(processes);
 *	channels_pass(c, &(struct channel){0, 1, tag}, true, 1);
 *	channels_pass(c, &(struct channel){0, 1, tag}, false, 1);
 *	... channels_sum(c, 0).sends ...
 *	channels_free(c);
 *
 * Processes are best met in their order, as are then those that they talk to: the first channels of
 * each are looked for in a bucket of its own, a line of the cache, and only then by hash.
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

struct channels;

/* For so many processes, or more: senders from 0 on. */
struct channels *channels_new(uint32_t processes);
void channels_free(struct channels *);

/* O(1) expected. */
void channels_pass(struct channels *, const struct channel *, bool sends, uint64_t count);

/* The channels, in the order in which they came first. */
size_t channels_count(const struct channels *);
struct channel_sum channels_sum(const struct channels *, size_t channel);

#endif
