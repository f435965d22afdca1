/*
 * pack.h -- things as bytes that another process unpacks.
 *
 *	struct text bytes = {0};
 *	pack_number(&bytes, 16384);
 *	pack_bytes(&bytes, "ring", 4);
 *	...
 *	struct unpack from = unpack_start(bytes.data, bytes.length);
 *	uint64_t n = unpack_number(&from);
 *	const void *word = unpack_bytes(&from, &size);
 *	if (!unpack_ended(&from))
 *		...					-- they are not what was packed
 *
 * Numbers take seven bits a byte, the least first, so that small ones take one. Where bytes are
 * missing everything unpacked from there on is 0, or nothing, and unpack_ended tells it: so what
 * unpacks asks once, at its end, but for what it uses as a size or an index (unpack_below).
 */
#ifndef TRACENEST_BASE_PACK_H
#define TRACENEST_BASE_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/ranks.h"
#include "base/text.h"

void pack_number(struct text *, uint64_t);
void pack_signed(struct text *, int64_t);
void pack_bytes(struct text *, const void *, size_t size); /* with their number */
void pack_ranks(struct text *, const struct ranks *);

/* Bytes being unpacked, borrowed. */
struct unpack {
	const unsigned char *at, *end;
	bool bad;
};

struct unpack unpack_start(const void *bytes, size_t size);
uint64_t unpack_number(struct unpack *);
int64_t unpack_signed(struct unpack *);

/* A number below the limit; any other makes the rest bad, and is 0. */
uint64_t unpack_below(struct unpack *, uint64_t limit);

/* How many things follow that take a byte or more each: no more than there are bytes. */
size_t unpack_count(struct unpack *);

/* Borrowed; NULL where they are missing. */
const void *unpack_bytes(struct unpack *, size_t *size);
void unpack_ranks(struct unpack *, struct ranks *to); /* added to the set */

/* Was everything there, and is nothing left? */
bool unpack_ended(const struct unpack *);

#endif
