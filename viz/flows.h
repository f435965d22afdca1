/*
 * flows.h -- what passes through the loops of a nest: events, messages, and the messages whose other end is elsewhere.
 */
#ifndef TRACENEST_VIZ_FLOWS_H
#define TRACENEST_VIZ_FLOWS_H

#include <stddef.h>
#include <stdint.h>

#include "model/model.h"

/* Sends and receives on one channel. */
struct flow {
	uint32_t channel;
	uint64_t sends, receives;
};

struct flows {
	const struct model *model;
	struct intern *channels; /* of struct channel */
	uint64_t *events, *messages; /* per loop: of all its iterations */
	struct flow **open; /* per loop: channels on which an iteration sends more or less than it receives; of all iterations */
	size_t *opens;
};

struct channel {
	uint32_t from, to, tag;
};

struct flows *flows_new(const struct model *);
void flows_free(struct flows *);

/* Of a send or receive. */
uint32_t flows_channel(struct flows *, const struct event *);

#endif
