/*
 * actions.h -- what a process does, as simulators of messages want to be told: computing, sends,
 * receives, and collective operations, or the messages that these are made of.
 *
 *	struct actions *a = actions_new(run, &options);
 *	for (uint32_t rank = 0; rank < processes; rank++)
 *		actions_of(a, rank, &(struct action_sink){context, take});
 *	actions_free(a);
 */
#ifndef TRACENEST_REPLAY_ACTIONS_H
#define TRACENEST_REPLAY_ACTIONS_H

#include "profile/pace.h"
#include "replay/decompose.h"
#include "replay/payload.h"

enum action_kind {
	ACTION_COMPUTE,
	ACTION_SEND,
	ACTION_RECV,
	ACTION_COLLECTIVE,
	ACTION_QUIET /* here it may wait for all that it has sent (causality_quiet) */
};

#define ACTION_NO_ROOT UINT32_MAX

struct action {
	enum action_kind kind;
	double seconds; /* COMPUTE */
	uint32_t peer; /* SEND, RECV: a rank; COLLECTIVE: the root, or ACTION_NO_ROOT */
	uint32_t
		/* below 2^31: messages of one channel of the run, and these alone, share it between
		   two processes */
		tag;
	uint64_t bytes;
	enum collective_kind collective; /* of all processes; its sizes: */
	const struct collective_sizes *sizes;
};

struct action_sink {
	void *context;
	void (*take)(void *context, const struct action *);
};

struct actions_options {
	const struct pace *pace; /* NULL: computing takes no time */
	bool native; /* operations of all processes stay what they are; those of fewer are decomposed always */
	struct algorithms algorithms;
	uint64_t size; /* of messages, and parts of collectives, whose size the model does not have */
};

struct actions_facts {
	uint64_t unsized; /* statements that move something, and do not say how much */
	const char *unknown; /* the first collective that MPI does not have, taken for a barrier; or NULL */
};

struct actions;

/* Borrows run and pace; the run's module has no calls. */
struct actions *actions_new(struct run *, const struct actions_options *);
void actions_free(struct actions *);
struct actions_facts actions_facts(struct run *); /* the word is the store's */

/* All that the process does, in order. O(its events), and messages of collectives. */
void actions_of(struct actions *, uint32_t rank, const struct action_sink *);

/* Of the event that the cursor stands at alone: a send, a receive or a collective, of its messages
   so many at most, from this one on. */
void actions_at(struct actions *, struct cursor *, uint64_t first, uint64_t most, const struct action_sink *);

/* Bytes of the message that it stands at. */
uint64_t actions_bytes(const struct actions *, struct cursor *);

#endif
