/*
 * series.c -- runs, and copies of runs.
 *
 * Bytes hold tokens: a number of 7-bit groups (the lowest first) whose last bits say what it is.
 *
 *	...0	one number: its distance from the first number of the run before, zigzag
 *	..01	a run: the distance; then the stride (zigzag) and the count
 *	..11	a copy of so many runs; then how many runs back they start
 *
 * Both sides remember the last runs in a ring, which grows with the series to a limit.
 */
#include "base/series.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

#define RING_FIRST 16
#define RING_MOST 4096
#define RUN_LEAST 3 /* numbers; of equal ones 2 */
#define COPY_LEAST 2 /* runs */

struct run {
	uint64_t distance; /* of the first number, from that of the run before; modulo 2^64 */
	uint64_t stride, count;
};

struct series {
	/* the run that grows */
	uint64_t first, next, stride, count;
	/* what is known of all numbers */
	uint64_t length;
	int64_t start;
	bool varies;
	/* runs and copies */
	uint64_t before; /* the first number of the last run that was told */
	struct run *ring;
	uint64_t *last; /* by the hash of two runs: behind which they were seen last, plus one */
	uint32_t ring_size;
	uint64_t runs;
	uint64_t back, copied; /* the copy that grows: how far back, so many runs; back 0: there is none */
	unsigned char *byte;
	size_t bytes, capacity;
};

struct series *series_new(void)
{
	return mem_zero(sizeof(struct series));
}

void series_free(struct series *s)
{
	if (!s)
		return;
	free(s->ring);
	free(s->last);
	free(s->byte);
	free(s);
}

/* ------------------------------------------------------------------ bytes */

static uint64_t zigzag(uint64_t n)
{
	return n << 1 ^ (uint64_t)((int64_t)n >> 63);
}

static uint64_t unzigzag(uint64_t n)
{
	return n >> 1 ^ -(n & 1);
}

static void put(struct series *s, unsigned __int128 n)
{
	s->byte = mem_grow(s->byte, &s->capacity, s->bytes + 10, sizeof *s->byte);
	do {
		s->byte[s->bytes++] = (unsigned char)((n & 0x7f) | (n > 0x7f ? 0x80 : 0));
		n >>= 7;
	} while (n);
}

static unsigned __int128 get(const unsigned char **at)
{
	unsigned __int128 n = 0;
	for (unsigned shift = 0;; shift += 7) {
		unsigned char byte = *(*at)++;
		n |= (unsigned __int128)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return n;
	}
}

static void put_run(struct series *s, const struct run *r)
{
	unsigned __int128 distance = zigzag(r->distance);
	if (r->count == 1) {
		put(s, distance << 1);
		return;
	}
	put(s, distance << 2 | 1);
	put(s, zigzag(r->stride));
	put(s, r->count);
}

/* ------------------------------------------------------------------ copies */

static bool equal_runs(const struct run *a, const struct run *b)
{
	return a->distance == b->distance && a->stride == b->stride && a->count == b->count;
}

static struct run *ring_at(const struct series *s, uint64_t run)
{
	return &s->ring[run & (s->ring_size - 1)];
}

static uint64_t *last_of(const struct series *s, uint64_t run)
{
	const struct run *a = ring_at(s, run - 1), *b = ring_at(s, run);
	uint64_t h = hash_pair(hash_pair(a->distance, a->stride), a->count);
	h = hash_pair(h, hash_pair(hash_pair(b->distance, b->stride), b->count));
	return &s->last[h & (s->ring_size - 1)];
}

/* The ring doubles as long as it may: what it holds keeps its place. */
static void grow_ring(struct series *s)
{
	uint32_t before = s->ring_size;
	s->ring_size = before ? 2 * before : RING_FIRST;
	s->ring = mem_resize(s->ring, s->ring_size, sizeof *s->ring);
	free(s->last);
	s->last = mem_zero(s->ring_size * sizeof *s->last);
	for (uint64_t run = 1; run < before; run++)
		*last_of(s, run) = run + 1;
}

static void end_copy(struct series *s)
{
	if (s->copied >= COPY_LEAST) {
		put(s, (unsigned __int128)s->copied << 2 | 3);
		put(s, s->back);
	} else {
		for (uint64_t run = s->runs - s->copied; run < s->runs; run++)
			put_run(s, ring_at(s, run));
	}
	s->back = s->copied = 0;
}

static void tell_run(struct series *s, struct run run)
{
	if (s->runs == s->ring_size && s->ring_size < RING_MOST)
		grow_ring(s);
	bool goes_on = s->back && equal_runs(ring_at(s, s->runs - s->back), &run);
	if (s->back && !goes_on)
		end_copy(s);
	*ring_at(s, s->runs++) = run;
	if (goes_on) {
		s->copied++; /* where these two runs were last is known from there */
		return;
	}
	put_run(s, &run);
	if (s->runs < 2)
		return;
	uint64_t *last = last_of(s, s->runs - 1);
	/* a copy reaches back less than the ring is long, so that a reader finds it there, too */
	if (!s->back && *last && s->runs - *last < s->ring_size)
		s->back = s->runs - *last;
	*last = s->runs;
}

/* ------------------------------------------------------------------ runs */

static void tell(struct series *s, uint64_t count)
{
	tell_run(s, (struct run){s->first - s->before, count > 1 ? s->stride : 0, count});
	s->before = s->first;
}

static void start_run(struct series *s, uint64_t number)
{
	s->first = s->next = number;
	s->stride = 0;
	s->count = 1;
}

/* The run at hand does not go on. */
__attribute__((noinline)) static void push_other(struct series *s, uint64_t number)
{
	if (s->count == 1) {
		s->stride = number - s->first;
		s->next = number + s->stride;
		s->count = 2;
		return;
	}
	if (s->count < RUN_LEAST && s->stride) {
		uint64_t second = s->first + s->stride;
		tell(s, 1);
		start_run(s, second);
		push_other(s, number);
		return;
	}
	if (s->count)
		tell(s, s->count);
	start_run(s, number);
}

void series_push(struct series *s, int64_t number)
{
	if (s->length++ == 0)
		s->start = number;
	s->varies |= number != s->start;
	if (s->count > 1 && (uint64_t)number == s->next) {
		s->next += s->stride;
		s->count++;
	} else {
		push_other(s, (uint64_t)number);
	}
}

void series_push_times(struct series *s, int64_t number, uint64_t times)
{
	for (; times && !(s->count > 1 && !s->stride && (uint64_t)number == s->next); times--)
		series_push(s, number);
	s->count += times;
	s->length += times;
}

void series_finish(struct series *s)
{
	if (s->count == 2 && s->stride) {
		uint64_t second = s->first + s->stride;
		tell(s, 1);
		start_run(s, second);
	}
	if (s->count)
		tell(s, s->count);
	s->count = 0;
	end_copy(s);
	free(s->ring);
	free(s->last);
	s->ring = NULL;
	s->last = NULL;
	if (s->bytes < s->capacity) {
		s->byte = mem_resize(s->byte, s->bytes, sizeof *s->byte);
		s->capacity = s->bytes;
	}
}

/* ------------------------------------------------------------------ what it is */

uint64_t series_length(const struct series *s)
{
	return s->length;
}

bool series_constant(const struct series *s, int64_t *number)
{
	*number = s->start;
	return s->length && !s->varies;
}

bool series_equal(const struct series *a, const struct series *b)
{
	return a->length == b->length && a->bytes == b->bytes && (!a->bytes || !memcmp(a->byte, b->byte, a->bytes));
}

uint64_t series_hash(const struct series *s)
{
	return hash_pair(s->length, s->bytes ? hash_bytes(s->byte, s->bytes) : 0);
}

size_t series_bytes(const struct series *s)
{
	return s->bytes;
}

/* ------------------------------------------------------------------ passed on */

void series_pack(const struct series *s, struct text *to)
{
	pack_number(to, s->length);
	pack_number(to, (uint64_t)s->start);
	pack_number(to, s->varies);
	pack_number(to, s->ring_size);
	pack_bytes(to, s->byte, s->bytes);
}

/* The bytes must end where a token does. */
struct series *series_unpack(struct unpack *from)
{
	struct series *s = series_new();
	s->length = unpack_number(from);
	s->start = (int64_t)unpack_number(from);
	s->varies = unpack_below(from, 2);
	s->ring_size = (uint32_t)unpack_below(from, RING_MOST + 1);
	const void *byte = unpack_bytes(from, &s->bytes);
	from->bad = from->bad || !byte || (s->bytes && ((const unsigned char *)byte)[s->bytes - 1] & 0x80);
	if (from->bad) {
		free(s);
		return NULL;
	}
	s->byte = mem_copy(byte, s->bytes);
	s->capacity = s->bytes;
	return s;
}

/* ------------------------------------------------------------------ reading */

struct series_cursor {
	const unsigned char *at, *end;
	struct run *ring;
	uint32_t ring_size;
	uint64_t runs, back, copies; /* runs still to be copied */
	uint64_t before, number, stride, left;
};

struct series_cursor *series_read(const struct series *s)
{
	struct series_cursor *c = mem_zero(sizeof *c);
	c->at = s->byte;
	c->end = s->byte + s->bytes;
	c->ring_size = s->ring_size ? s->ring_size : 1;
	c->ring = mem_array(c->ring_size, sizeof *c->ring);
	return c;
}

void series_cursor_free(struct series_cursor *c)
{
	if (!c)
		return;
	free(c->ring);
	free(c);
}

static struct run get_run(struct series_cursor *c)
{
	unsigned __int128 token = get(&c->at);
	if (!(token & 1))
		return (struct run){unzigzag((uint64_t)(token >> 1)), 0, 1};
	if (token & 2) {
		c->copies = (uint64_t)(token >> 2);
		c->back = (uint64_t)get(&c->at);
		return (struct run){0};
	}
	uint64_t stride = unzigzag((uint64_t)get(&c->at));
	return (struct run){unzigzag((uint64_t)(token >> 2)), stride, (uint64_t)get(&c->at)};
}

static bool next_run(struct series_cursor *c)
{
	struct run run = {0};
	if (!c->copies) {
		if (c->at == c->end)
			return false;
		run = get_run(c);
	}
	if (c->copies) {
		run = c->ring[(c->runs - c->back) & (c->ring_size - 1)];
		c->copies--;
	}
	c->ring[c->runs++ & (c->ring_size - 1)] = run;
	c->before += run.distance;
	c->number = c->before;
	c->stride = run.stride;
	c->left = run.count;
	return true;
}

bool series_next(struct series_cursor *c, int64_t *number)
{
	if (!c->left && !next_run(c))
		return false;
	*number = (int64_t)c->number;
	c->number += c->stride;
	c->left--;
	return true;
}

uint64_t series_run(struct series_cursor *c, int64_t *number, int64_t *stride)
{
	if (!c->left && !next_run(c))
		return 0;
	*number = (int64_t)c->number;
	*stride = (int64_t)c->stride;
	return c->left;
}

void series_skip(struct series_cursor *c, uint64_t count)
{
	assert(count <= c->left);
	c->number += count * c->stride;
	c->left -= count;
}
