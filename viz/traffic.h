/*
 * traffic.h -- which statements of a body pass messages to which: first in, first out on every
 * channel.
 *
 * A body is the root or a loop; what a loop inside lets out counts there as a whole. On a channel
 * with as many sends as receives in an iteration the messages stay inside the iteration (what the
 * reduction guarantees); on any other, all count as going out, since which of them meet inside
 * cannot be said of every iteration. Where numbers advance, a body is looked at in one iteration
 * that it has (drawn_instance); what it lets out is that of all its iterations, but for programs that
 * would take too long.
 */
#ifndef TRACENEST_VIZ_TRAFFIC_H
#define TRACENEST_VIZ_TRAFFIC_H

#include "viz/drawn.h"

/* So many messages from a statement to another. */
struct message {
	uint32_t channel; /* the first one, where several are one */
	uint32_t from, to;
	uint64_t count;
};

/* More of one end of a channel than of the other. */
struct open_end {
	uint32_t channel;
	uint64_t sends, receives;
};

/* What the statements of a body pass to each other, and out of it. */
struct exchange {
	bool executed; /* is there an iteration at all? */
	bool late; /* but none in the first one of the loops around, and what it passes on is not known yet */
	int64_t *index; /* of it and of the loops around */
	struct message *message;
	size_t messages, message_capacity;
	/* what does not stay inside, in all iterations; a channel may stand there several times. Of the
	   root: what has no other end, if that could be found out */
	struct open_end *open;
	size_t opens, open_capacity;
};

struct traffic {
	struct drawn *drawn;
	struct exchange **body; /* by line that is a loop; the root at [lines] */
};

/*
 * lane_of, by rank: messages between the same statements and lanes are one. NULL: messages are kept
 * one by one, as statements are of one process. O(statements and the processes of each).
 */
struct traffic *traffic_new(struct drawn *, const uint32_t *lane_of);
void traffic_free(struct traffic *);

static inline const struct exchange *traffic_of(const struct traffic *t, size_t loop)
{
	return t->body[loop];
}
static inline const struct exchange *traffic_root(const struct traffic *t)
{
	return t->body[t->drawn->module->lines];
}

#endif
