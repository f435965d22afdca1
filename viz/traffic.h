/*
 * traffic.h -- which statements of a body pass messages to which, and which processes that joins:
 * first in, first out on every channel.
 *
 * A body is the root or a loop; what a loop inside lets out counts there as a whole. On a channel
 * with as many sends as receives in an iteration the messages stay inside the iteration (what the
 * reduction guarantees); on any other, all count as going out, since which of them meet inside
 * cannot be said of every iteration. Where numbers advance, a body is looked at in one iteration
 * that it has (drawn_instance); what it lets out and whom it joins is that of all its iterations,
 * but for programs that would take too long.
 */
#ifndef TRACENEST_VIZ_TRAFFIC_H
#define TRACENEST_VIZ_TRAFFIC_H

#include "model/channels.h"
#include "viz/drawn.h"

/* What the statements of a body pass to each other, and out of it. */
struct exchange {
	bool executed; /* is there an iteration at all? */
	bool late; /* but none in the first one of the loops around, and what it passes on is not known yet */
	int64_t index[INDEX_DEPTH]; /* of it and of the loops around */
	/* owners: statements of the body; the channel of the first, where several are one */
	struct channel_match *message;
	size_t messages, message_capacity;
	/* what does not stay inside, in all iterations; a channel may stand there several times. Of the
	   root: what has no other end, if that could be found out */
	struct channel_sum *open;
	size_t opens, open_capacity;
	/*
	 * By lane, of a loop over a set (else NULL): the lowest lane of those that its messages and
	 * collectives join; and of these, how many groups they are.
	 */
	uint32_t *joined;
	uint64_t *groups;
};

struct traffic {
	struct drawn *drawn;
	struct exchange **body; /* by statement that is a loop; the root at [length] */
};

/*
 * lane_of, by rank, of so many lanes: messages between the same statements and lanes are one, and
 * processes are joined to lanes. NULL: messages are kept one by one, as statements are of one
 * process. O(statements and the processes of each).
 */
struct traffic *traffic_new(struct drawn *, const uint32_t *lane_of, uint32_t lanes);
void traffic_free(struct traffic *);

static inline const struct exchange *traffic_of(const struct traffic *t, size_t loop)
{
	return t->body[loop];
}
static inline const struct exchange *traffic_root(const struct traffic *t)
{
	return t->body[t->drawn->program->length];
}

#endif
