/*
 * transport.h -- how several processes that work on one program pass bytes to each other; who does
 * it (MPI, as a rule) is behind it.
 */
#ifndef TRACENEST_LIB_TRANSPORT_H
#define TRACENEST_LIB_TRANSPORT_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

struct transport {
	uint32_t rank, size; /* this process, of so many */
	void *context;
	/* Blocking; messages of one sender arrive in order, and as long as they are asked for. What fails
	   does not return. */
	void (*send)(void *context, uint32_t to, const void *bytes, size_t size);
	void (*receive)(void *context, uint32_t from, void *bytes, size_t size);
};

/* No message is longer: counts of MPI are ints. */
#define TRANSPORT_PIECE (UINT64_C(1) << 30)

/*
 * A binary tree: each process takes in what those below it have gathered, then sends it on. `add`
 * takes in the bytes of one of them; of rank r these are first those of r+1, then r+2 and r+3
 * together, and so on; `pack` tells all that was taken in. At rank 0 nothing is packed.
 */
struct gathering {
	void *context;
	void (*add)(void *context, const struct text *bytes);
	void (*pack)(void *context, struct text *bytes);
};
void transport_gather(const struct transport *, const struct gathering *);

#endif
