/*
 * deflated.c -- the longest earlier copy at each place, and the entropy of what is left: lengths
 * and distances by their powers of two, the bits behind these as they are (RFC 1951).
 */
#include "base/deflated.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define WINDOW 32768
#define LEAST 3
#define MOST 258
#define CHAIN 64 /* copies that are looked at */
#define BUCKETS 4096

struct coding {
	uint64_t symbol[256 + 32], distance[32]; /* how often: bytes, then lengths by their powers of two */
	double bits; /* behind the symbols */
};

static unsigned power_of(size_t number)
{
	return 63 - (unsigned)__builtin_clzll(number);
}

static uint32_t bucket_of(const char *at)
{
	uint32_t a = (unsigned char)at[0], b = (unsigned char)at[1], c = (unsigned char)at[2];
	return (a * 2654435761u ^ b * 40503u ^ c * 97u) % BUCKETS;
}

static size_t common(const char *a, const char *b, size_t most)
{
	size_t length = 0;
	while (length < most && a[length] == b[length])
		length++;
	return length;
}

/* By place: one more than the place of the one before it in its bucket. */
struct earlier {
	size_t *last, *before;
};

static size_t find_copy(const struct earlier *e, const char *text, size_t at, size_t length, size_t *distance)
{
	size_t best = 0, most = length - at < MOST ? length - at : MOST;
	if (most < LEAST)
		return 0;
	size_t place = e->last[bucket_of(text + at)];
	for (unsigned tried = 0; place && at - (place - 1) <= WINDOW && tried < CHAIN; tried++) {
		size_t same = common(text + place - 1, text + at, most);
		if (same > best) {
			best = same;
			*distance = at - (place - 1);
		}
		place = e->before[place - 1];
	}
	return best;
}

static void note_place(struct earlier *e, const char *text, size_t at, size_t length)
{
	if (length - at < LEAST)
		return;
	uint32_t bucket = bucket_of(text + at);
	e->before[at] = e->last[bucket];
	e->last[bucket] = at + 1;
}

static double entropy(const uint64_t *times, size_t symbols)
{
	double bits = 0, all = 0;
	for (size_t i = 0; i < symbols; i++)
		all += (double)times[i];
	for (size_t i = 0; i < symbols; i++)
		if (times[i])
			bits += (double)times[i] * log2(all / (double)times[i]);
	return bits;
}

size_t deflated_size(const char *text, size_t length)
{
	struct coding c = {0};
	struct earlier e = {mem_zero(BUCKETS * sizeof *e.last), mem_zero((length + 1) * sizeof *e.before)};
	for (size_t at = 0; at < length;) {
		size_t distance = 0, copied = find_copy(&e, text, at, length, &distance);
		if (copied < LEAST) {
			c.symbol[(unsigned char)text[at]]++;
			copied = 1;
		} else {
			c.symbol[256 + power_of(copied)]++;
			c.distance[power_of(distance)]++;
			c.bits += power_of(copied) > 3 ? power_of(copied) - 3
						       : 0; /* codes are finer than powers of two */
			c.bits += power_of(distance) ? power_of(distance) - 1 : 0;
		}
		for (; copied--; at++)
			note_place(&e, text, at, length);
	}
	free(e.last);
	free(e.before);
	double bits = c.bits + entropy(c.symbol, sizeof c.symbol / sizeof *c.symbol) +
		      entropy(c.distance, sizeof c.distance / sizeof *c.distance);
	return (size_t)(bits / 8) + 1;
}
