/*
 * lanes.h -- four words, or sixteen bytes, at a time. Private to nlr/.
 */
#ifndef TRACENEST_NLR_LANES_H
#define TRACENEST_NLR_LANES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define LANES 4

typedef uint32_t lanes __attribute__((vector_size(4 * LANES)));

typedef uint8_t bytes __attribute__((vector_size(16)));
typedef uint64_t words __attribute__((vector_size(16)));

static inline bool bytes_any(bytes hit)
{
	words word = (words)hit;
	return (word[0] | word[1]) != 0;
}

static inline bool lanes_any(const lanes *hit)
{
	uint64_t word[2];
	memcpy(word, hit, sizeof word);
	return (word[0] | word[1]) != 0;
}

static inline lanes lanes_load(const uint32_t *from)
{
	lanes x;
	memcpy(&x, from, sizeof x);
	return x;
}

#endif
