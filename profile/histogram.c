/*
 * histogram.c -- sums of integers, which are associative; buckets by the leading three bits.
 */
#include "profile/histogram.h"

#include <stdlib.h>
#include <string.h>

#include "base/buckets.h"
#include "base/mem.h"

/* Room for buckets first to last. */
static void reach(struct histogram *t, uint32_t first, uint32_t last)
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

static int earlier(const struct histogram_extreme *a, const struct histogram_extreme *b)
{
	return a->rank != b->rank ? a->rank < b->rank : a->iteration < b->iteration;
}

static void take_extremes(
	struct histogram *t, const struct histogram_extreme *least, const struct histogram_extreme *most)
{
	if (!t->count || least->value < t->least.value || (least->value == t->least.value && earlier(least, &t->least)))
		t->least = *least;
	if (!t->count || most->value > t->most.value || (most->value == t->most.value && earlier(most, &t->most)))
		t->most = *most;
}

void histogram_add(struct histogram *t, uint64_t value, uint32_t rank, uint64_t iteration)
{
	struct histogram_extreme here = {value, iteration, rank};
	uint32_t bucket = bucket_of(value, HISTOGRAM_BITS);
	take_extremes(t, &here, &here);
	reach(t, bucket, bucket);
	t->bucket[bucket - t->first]++;
	t->count++;
	t->sum += value;
	t->squares += (unsigned __int128)value * value;
}

void histogram_merge(struct histogram *t, const struct histogram *from)
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

void histogram_clear(struct histogram *t)
{
	free(t->bucket);
	*t = (struct histogram){0};
}

double histogram_mean(const struct histogram *t)
{
	return t->count ? (double)t->sum / (double)t->count : 0;
}
