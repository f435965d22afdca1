/*
 * decompose.h -- collective operations as messages between their members.
 *
 *	struct collective_call c = {COLLECTIVE_ALLREDUCE, .members = 16, .me = 3, .size = &sizes};
 *	decompose(&c, decompose_usual(c.operation), &(struct exchange_sink){context, take});
 *
 * What a member does is told step by step: it passes on, or waits for, some of the blocks that the
 * operation is about. Sends do not wait for their receivers; then no order of the members can make
 * them wait for each other.
 *
 * The algorithms are those of R. Thakur, R. Rabenseifner, W. Gropp: Optimization of collective
 * communication operations in MPICH (IJHPCA 19(1), 2005); pairwise: every two members that have
 * something for each other meet directly.
 */
#ifndef TRACENEST_REPLAY_DECOMPOSE_H
#define TRACENEST_REPLAY_DECOMPOSE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

enum collective_kind {
	COLLECTIVE_BARRIER,
	COLLECTIVE_BCAST,
	COLLECTIVE_REDUCE,
	COLLECTIVE_GATHER,
	COLLECTIVE_SCATTER,
	COLLECTIVE_ALLREDUCE,
	COLLECTIVE_ALLGATHER,
	COLLECTIVE_REDUCE_SCATTER,
	COLLECTIVE_ALLTOALL,
	COLLECTIVE_SCAN,
	COLLECTIVE_EXSCAN,
	COLLECTIVE_KINDS
};

/* "MPI_Allgatherv" is an ALLGATHER, and so is the posted one. False: MPI has no collective of this
   name. */
bool collective_kind_of(const char *name, enum collective_kind *);
bool collective_has_root(enum collective_kind);

enum algorithm { ALGORITHM_BINOMIAL, ALGORITHM_DOUBLING, ALGORITHM_RING, ALGORITHM_PAIRWISE, ALGORITHMS };

/* What each kind is decomposed by. */
struct algorithms {
	enum algorithm of[COLLECTIVE_KINDS];
};

/* Trees for what has a root, recursive doubling for short results that all need, a ring for
   Allgather, pairs for Alltoall and Reduce_scatter. */
struct algorithms algorithms_usual(void);

/*
 * "ring": by rings what can be; "allreduce=ring,bcast=pairwise": these alone. What an algorithm
 * cannot do stays as it is. False with *error set: no such algorithm, or operation.
 */
bool algorithms_choose(struct algorithms *, const char *words, struct error *);

/*
 * The blocks of an operation: of vectors (BCAST, REDUCE, ALLREDUCE, SCAN, EXSCAN) as many pieces of
 * the one vector; of GATHER, SCATTER, ALLGATHER, REDUCE_SCATTER what belongs to each member; of
 * ALLTOALL what one has for another; of BARRIER nothing.
 */
struct collective_sizes {
	void *context;
	/* bytes of `count` blocks, which do not go round; from: of ALLTOALL the one who has them */
	uint64_t (*blocks)(void *context, uint32_t from, uint32_t first, uint32_t count);
};

struct collective_call {
	enum collective_kind kind;
	uint32_t members, me, root; /* numbers of members, from 0 */
	const struct collective_sizes *sizes;
	uint64_t first, most; /* of its messages so many at most, from this one on; most 0: all */
};

/* One message, as one of its ends sees it. */
struct collective_message {
	bool sends;
	uint32_t peer;
	/*
	 * so many blocks from this one on, the first following the last; of SCAN and EXSCAN all
	 * blocks, and these are the members whose contributions are in them
	 */
	uint32_t first, count;
	bool combines; /* the receiver adds them to what it has; else they are the result */
	uint64_t bytes;
};

struct exchange_sink {
	void *context;
	void (*take)(void *context, const struct collective_message *);
};

/* All that the member does, in order. O(its messages), and what it takes to tell the bytes of the
   blocks in each that is told. */
void decompose(const struct collective_call *, enum algorithm, const struct exchange_sink *);

#endif
