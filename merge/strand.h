/*
 * strand.h -- the thread of one process through a system: its constructs in order, and how loops in
 * it are measured and cut.
 *
 * Loops here belong to one process, are immutable, and live in the arena of the reduction, so that
 * threads share them freely. Every loop knows its flow: the number of messages (or syncs) per
 * iteration on each side. A *side* is one end of a channel: the sends of a (source, destination,
 * tag), its receives, or the syncs of one member on a sync channel. All sides of a channel carry
 * the same number of messages in a complete run, in the same order: k-th to k-th.
 *
 * Messages on wide channels (widen.h) have numbers, which may advance with the indices of the loops
 * around. Whatever moves them into, out of or along a loop keeps what they are in each iteration.
 */
#ifndef TRACENEST_MERGE_STRAND_H
#define TRACENEST_MERGE_STRAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "model/sides.h"

/* A heap that threads may share: arenas behind a lock. */
struct pool;
struct pool *pool_new(void);
void *pool_alloc(struct pool *, size_t size);
void pool_free(struct pool *);

struct flow {
	uint32_t side;
	uint64_t count; /* per iteration */
};

struct joint;

/* The number of the tag and the peer of a message, at indices 0; and what is added to them for each
   index of the loops around, the innermost first. */
struct numbers {
	int64_t number, peer;
	uint32_t ring; /* peers are taken modulo this; 0: as they are */
	uint32_t depth; /* loops around, up to the last one that matters */
	struct number_step {
		int64_t number, peer;
	} by[];
};

/* A construct of a strand: an event, a loop, or this process's part of a loop that several
   processes share. */
struct item {
	const struct strand_loop *loop; /* NULL: an event */
	union {
		struct joint *joint; /* the shared loop of which `loop` is this process's part; NULL: none */
		/* of an event on a wide channel, which then is without numbers itself; else NULL */
		const struct numbers *numbers;
	};
	uint32_t event;
	uint32_t apart; /* of a loop that was left apart: 1 + the reason; else 0 */
};

struct strand_loop {
	uint64_t count; /* iterations; at least 2 */
	uint64_t events; /* of one iteration */
	uint64_t constructs; /* this loop, its body, and so on down */
	uint64_t hash; /* of the structure */
	const struct item *body;
	const struct flow *flow; /* ascending sides */
	uint32_t length, flows;
	uint32_t reach; /* so many loops around it have indices that matter inside */
};

struct strand {
	uint32_t process;
	struct item *item;
	size_t length, capacity;
};

/* What loops are made with: where they live, and the side of every event (NO_SIDE: local). */
struct loop_context {
	struct pool *pool;
	const uint32_t *side_of; /* by event */
};

void strand_add(struct strand *, struct item);
void strand_add_all(struct strand *, const struct item *, size_t length);

/* Numbers kept in the pool. */
const struct numbers *numbers_keep(const struct loop_context *, const struct numbers *);

/* Add what a body is in iteration k of its loop: no loop is around it any more. */
void strand_add_iteration(
	struct strand *, const struct loop_context *, const struct item *body, size_t length, int64_t k);

/* Add a body whose iteration i is what iteration i + k was. */
void strand_add_shifted(
	struct strand *, const struct loop_context *, const struct item *body, size_t length, int64_t k);

/* Add a body of a loop whose iterations become two loops, of `inner` iterations within others. */
void strand_add_blocked(
	struct strand *, const struct loop_context *, const struct item *body, size_t length, uint64_t inner);

/* Add the first `count` iterations of a body: a loop; its body itself if count is 1; nothing if it
   is 0. A body that is just one loop multiplies, if its numbers go on from one to the next. */
void strand_add_loop(
	struct strand *, const struct loop_context *, uint64_t count, const struct item *body, size_t length);

/* The loop itself; count at least 2. The body is copied. */
const struct strand_loop *strand_loop_new(
	const struct loop_context *, uint64_t count, const struct item *body, size_t length);

/* The same constructs (events, structure of loops)? */
bool items_equal(const struct item *a, const struct item *b, size_t length);

static inline struct joint *item_joint(const struct item *i)
{
	return i->loop ? i->joint : NULL;
}
static inline uint64_t item_events(const struct item *i)
{
	return i->loop ? i->loop->count * i->loop->events : 1;
}
static inline uint64_t item_constructs(const struct item *i)
{
	return i->loop ? i->loop->constructs : 1;
}

/* Where in its flow a loop has a side; UINT32_MAX: nowhere. O(log flows). */
uint32_t loop_flow_index(const struct strand_loop *, uint32_t side);

/* Messages per iteration on a side; 0 if none. O(log flows). */
uint64_t loop_flow(const struct strand_loop *, uint32_t side);

/* Add to sums (one per flow of the loop, in its order) what the first `events` events of an
   iteration carry. O(body). */
void loop_prefix(const struct strand_loop *, const struct loop_context *, uint64_t events, uint64_t *sums);

/* Events from the start of the loop up to and including the nth message on a side; n at least 1, at
   most all. O(body * depth). */
uint64_t loop_position(const struct strand_loop *, const struct loop_context *, uint32_t side, uint64_t n);

/*
 * Cut a body behind its first `events` events (more than 0, fewer than all): A and B are added to
 * two strands. A loop that the cut goes through is split, and the iteration cut through is itself
 * cut.
 */
void body_cut(const struct loop_context *, const struct item *body, size_t length, uint64_t events, struct strand *a,
	struct strand *b);

#endif
