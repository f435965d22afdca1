/*
 * payload.h -- what a collective operation moves, from what recorders say of its members.
 *
 *	struct payloads p = payloads_of(&overview);
 *	struct payload payload = payload_of(&p, line, &cursor->at, members);
 *	... payload_part(&payload, rank)
 *
 * Recorders differ in what they call sent and received. Of MPI_Allreduce of 8 bytes on 4 processes
 * ours says 8 and 8, Score-P 32 and 32; of MPI_Bcast ours says of the root that it sent 8, of the
 * others that they received 8; Score-P 32 and 8; EZTrace 8 and 8 of all. The operations with a root
 * tell them apart; where a program has none, they are taken for ours.
 */
#ifndef TRACENEST_REPLAY_PAYLOAD_H
#define TRACENEST_REPLAY_PAYLOAD_H

#include "ask/overview.h"

enum payload_count {
	PAYLOAD_MOVED, /* what goes out and comes in, a vector once */
	PAYLOAD_TIMES_MEMBERS, /* ... a vector as often as there are members (Score-P) */
	PAYLOAD_OF_CALL /* the count of the call, whoever makes it (EZTrace) */
};

struct payloads {
	const struct overview *overview;
	enum payload_count count;
	uint32_t bytes, received, bytes_by_member; /* names of attributes */
};

/* O(statements^2), of those that tell nothing. */
struct payloads payloads_of(const struct overview *);

/* One collective operation, as the process that is there executes it. Borrows the environment. */
struct payload {
	const struct payloads *payloads;
	const struct environment *at;
	size_t line;
	const char *name; /* of the operation, also if it is posted */
	uint32_t members;
	int64_t root; /* below 0: it has none */
};
struct payload payload_of(const struct payloads *, size_t line, const struct environment *, uint32_t members);

/*
 * Bytes of the vector of Bcast, Reduce, Allreduce, Scan, Exscan; of the part that belongs to a
 * process in Gather, Scatter, Allgather, Reduce_scatter; of what one process has for another one, the
 * member of this number, in Alltoall (of a v-variant that tells only what it has for all, equal
 * parts are taken). The same whichever member asks. What the model does not say is 0.
 */
uint64_t payload_vector(const struct payload *);
uint64_t payload_part(const struct payload *, uint32_t rank);
uint64_t payload_pair(const struct payload *, uint32_t rank, uint32_t to, uint32_t member);

/* Does the model say how much the statement, a message or a collective, moves? */
bool payload_known(const struct overview *, size_t line);

#endif
