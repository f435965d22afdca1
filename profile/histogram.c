/*
 * spread.c -- sums of integers, which are associative; buckets by the leading three bits.
 */
#include "profile/spread.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define EXACT 8 /* values below have a bucket each */
#define STEPS 4 /* buckets of an octave */

uint32_t spread_bucket(uint64_t value)
{
	if (value < EXACT)
		return (uint32_t)value;
	uint32_t octave = 63 - (uint32_t)__builtin_clzll(value);
	return EXACT + (octave - 3) * STEPS + (uint32_t)(value >> (octave - 2) & (STEPS - 1));
}

uint64_t spread_low(uint32_t bucket)
{
	if (bucket < EXACT)
		return bucket;
	uint32_t octave = (bucket - EXACT) / STEPS + 3, step = (bucket - EXACT) % STEPS;
	return octave > 63 ? UINT64_MAX : (UINT64_C(1) << octave) + ((uint64_t)step << (octave - 2));
}

/* Room for buckets first to last. */
static void reach(struct spread *t, uint32_t first, uint32_t last)
{
	if (!t->buckets) {
		t->first = first;
	} else {
		first = first < t->first ? first : t->first;
		last = last > t->first + t->buckets - 1 ? last : t->first + t->buckets - 1;
	}
	uint32_t need = last - first + 1, before = t->first - first;
	if (need == t->buckets)
		return;
	if (need > t->capacity) {
		t->capacity = need + 4;
		t->bucket = mem_resize(t->bucket, t->capacity, sizeof *t->bucket);
	}
	memmove(t->bucket + before, t->bucket, t->buckets * sizeof *t->bucket);
	memset(t->bucket, 0, before * sizeof *t->bucket);
	memset(t->bucket + before + t->buckets, 0, (need - before - t->buckets) * sizeof *t->bucket);
	t->first = first;
	t->buckets = need;
}

static int earlier(const struct spread_extreme *a, const struct spread_extreme *b)
{
	return a->rank != b->rank ? a->rank < b->rank : a->iteration < b->iteration;
}

static void take_extremes(struct spread *t, const struct spread_extreme *least, const struct spread_extreme *most)
{
	if (!t->count || least->value < t->least.value || (least->value == t->least.value && earlier(least, &t->least)))
		t->least = *least;
	if (!t->count || most->value > t->most.value || (most->value == t->most.value && earlier(most, &t->most)))
		t->most = *most;
}

void spread_add(struct spread *t, uint64_t value, uint32_t rank, uint64_t iteration)
{
	struct spread_extreme here = {value, iteration, rank};
	uint32_t bucket = spread_bucket(value);
	take_extremes(t, &here, &here);
	reach(t, bucket, bucket);
	t->bucket[bucket - t->first]++;
	t->count++;
	t->sum += value;
	t->squares += (unsigned __int128)value * value;
}

void spread_merge(struct spread *t, const struct spread *from)
{
	if (!from->count)
		return;
	take_extremes(t, &from->least, &from->most);
	reach(t, from->first, from->first + from->buckets - 1);
	for (uint32_t i = 0; i < from->buckets; i++)
		t->bucket[from->first - t->first + i] += from->bucket[i];
	t->count += from->count;
	t->sum += from->sum;
	t->squares += from->squares;
}

void spread_clear(struct spread *t)
{
	free(t->bucket);
	*t = (struct spread){0};
}

double spread_mean(const struct spread *t)
{
	return t->count ? (double)t->sum / (double)t->count : 0;
}
