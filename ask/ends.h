/*
 * ends.h -- channels: what sends and receives, and members of collectives, find each other by.
 *
 *	struct ends ends = ends_new(run);
 *	uint32_t channel = ends_channel(&ends, &cursor->at, cursor->event);
 *	ends_print(&ends, channel, &text);				-- "3 -> 4 tag0"
 *	ends_clear(&ends);
 *
 * Messages: both processes, the tag, the communicator. Collectives: the name, the group, the
 * communicator. Channels are numbered as they are seen first. Where loops are open (number.h), tags
 * and communicators that depend on their indices are functions of these: equal functions over equal
 * loops are equal numbers, however often.
 */
#ifndef TRACENEST_ASK_ENDS_H
#define TRACENEST_ASK_ENDS_H

#include "base/intern.h"
#include "base/text.h"
#include "model/member_sets.h"

#define ENDS_NONE UINT32_MAX

/* A number of a channel. */
enum end_number { END_NO_NUMBER, END_NUMBER, END_FUNCTION };

struct channel_key {
	uint32_t from, to; /* ENDS_NONE, and a group */
	uint32_t word;
	uint16_t tag_is, communicator_is; /* enum end_number */
	int64_t tag, communicator;
};

struct ends {
	const struct store *store;
	struct member_sets *members;
	struct intern *channels, *functions;
	bool any_function; /* is any number one? */
	bool unfit; /* a group depends on the index of an open loop, or a function has no name */
};

struct ends ends_new(struct run *);
void ends_clear(struct ends *);

/* Of a send, receive or collective that happens in this environment. O(1) expected; of a group, its
   runs. */
uint32_t ends_channel(struct ends *, struct environment *, node_id event);

static inline const struct channel_key *ends_key(const struct ends *e, uint32_t channel)
{
	return intern_data(e->channels, channel, NULL);
}
static inline bool ends_is_collective(const struct ends *e, uint32_t channel)
{
	return ends_key(e, channel)->from == ENDS_NONE;
}
struct ranks ends_group(const struct ends *, uint32_t channel); /* of a collective; borrowed */
void ends_print(const struct ends *, uint32_t channel, struct text *);

/* Who belongs together: those who come to the same, or to the other side of what others come to. */
struct together {
	uint32_t count, *parent; /* of base/union_find */
	struct intern *known;
	struct together_first {
		uint32_t side[2];
	} * first; /* by what is known: who came first to each side; ENDS_NONE: nobody */
	size_t firsts, first_capacity;
};
struct together together_new(uint32_t count);
/* Comes to a side of {what, id}, 0 or 1, and meets the first who came to the other, which may be the same: were they
   apart? */
bool together_come(struct together *, uint32_t who, uint64_t what, uint64_t id, uint32_t side, uint32_t other);
/* Numbers the groups of those that are among, by their lowest; UINT32_MAX: others. Gives how many,
   and clears. */
uint32_t together_number(struct together *, const bool *among, uint32_t *number);

/* Whom the members of a collective wait for, as far as MPI names it. */
enum collective_wait { WAITS_FOR_NOBODY, WAITS_FOR_ALL, WAITS_FOR_ROOT, ROOT_WAITS_FOR_ALL };
enum collective_wait collective_wait_of(const struct store *, node_id event);

#endif
