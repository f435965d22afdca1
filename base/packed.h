/*
 * packed.h -- bytes as one frame of zstd, and back.
 *
 * The library of zstd is opened when it is needed: what is built without it reads and writes all
 * that is not compressed, and says what is missing where something is.
 */
#ifndef TRACENEST_BASE_PACKED_H
#define TRACENEST_BASE_PACKED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/text.h"

/* The first bytes of a frame. */
#define PACKED_MARK "\x28\xb5\x2f\xfd"
#define PACKED_MARK_LENGTH 4

/* Larger contents are refused: a frame of a few bytes may claim anything. */
#define PACKED_LIMIT ((size_t)1 << 32)

/* to: replaced. False with *error (without a place) set. */
bool packed_make(const char *bytes, size_t length, struct text *to, struct error *);
bool packed_make_quickly(const char *bytes, size_t length, struct text *to, struct error *); /* for streams: larger */
bool packed_open(const char *bytes, size_t length, struct text *to, struct error *);

#endif
