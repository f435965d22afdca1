/*
 * series.c -- runs, and copies of runs.
 *
 * Bytes hold tokens: a number of 7-bit groups (the lowest first) whose last bits say what it is.
 *
 *	...0	one number: its distance from the first number of the run before, zigzag
 *	..01	a run: the distance; then the stride (zigzag) and the count
 *	.011	a copy of so many runs; then how many runs back they start
 *	.111	so many single numbers: the bits of each, the least distance (zigzag), and, in words,
 *		by how much each distance is more
 *
 * Bytes stand in blocks, and no token in two of them, so that what has been read for the last time
 * can be given back. Both sides remember the last runs in a ring, which grows with the series to a
 * limit.
 */
#include "base/series.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/hash.h"
#include "base/mem.h"

#define RING_FIRST 16
#define RING_MOST 4096
#define RUN_LEAST 3 /* numbers; of equal ones 2 */
#define SINGLES_MOST 128
#define BLOCK ((size_t)1 << 16)
#define NUMBER_MOST 10 /* bytes: groups of 64 bits and of those that say what it is */
#define TOKEN_MOST (32 + SINGLES_MOST * sizeof(uint64_t)) /* bytes */

/* What a copy takes itself: fewer bytes are not worth one. */
#define COPY_BYTES 5

struct run {
	uint64_t distance; /* of the first number, from that of the run before; modulo 2^64 */
	uint64_t stride, count;
};

struct block {
	unsigned char *byte;
	size_t bytes, capacity;
};

struct series {
	/* the run that grows */
	uint64_t first, next, stride, count;
	/* what is known of all numbers */
	uint64_t length;
	int64_t start;
	bool varies;
	bool drained; /* its numbers are given back as they are read */
	/* runs and copies */
	uint64_t before; /* the first number of the last run that was told */
	struct run *ring;
	uint64_t *last; /* by the hash of two runs: behind which they were seen last, plus one */
	uint32_t ring_size;
	uint64_t runs;
	uint64_t back, copied; /* the copy that grows: how far back, so many runs; back 0: there is none */
	uint64_t saved; /* by the copy: bytes */
	uint64_t *single; /* distances of single numbers that are not told yet */
	size_t singles;
	struct block *block;
	size_t blocks, capacity;
};

struct series *series_new(void)
{
	return mem_zero(sizeof(struct series));
}

void series_free(struct series *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->blocks; i++)
		free(s->block[i].byte);
	free(s->block);
	free(s->ring);
	free(s->last);
	free(s->single);
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

/* For a token, wherever it stands. */
static struct block *make_room(struct series *s, size_t need)
{
	if (!s->blocks || s->block[s->blocks - 1].bytes + TOKEN_MOST > BLOCK) {
		*MEM_PUSH(s->block, s->blocks, s->capacity) = (struct block){0};
	}
	struct block *b = &s->block[s->blocks - 1];
	b->byte = mem_grow(b->byte, &b->capacity, b->bytes + need, sizeof *b->byte);
	return b;
}

static void put(struct series *s, unsigned __int128 n)
{
	struct block *b = &s->block[s->blocks - 1];
	b->byte = mem_grow(b->byte, &b->capacity, b->bytes + NUMBER_MOST, sizeof *b->byte);
	do {
		b->byte[b->bytes++] = (unsigned char)((n & 0x7f) | (n > 0x7f ? 0x80 : 0));
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

static size_t length_of(uint64_t n)
{
	return 1 + bits_of(n >> 7) / 7 + (bits_of(n >> 7) % 7 > 0);
}

/* Single numbers, together where this is shorter. */
static void put_singles(struct series *s)
{
	int64_t least = INT64_MAX, most = INT64_MIN;
	size_t apart = 0, singles = s->singles;
	s->singles = 0;
	for (size_t i = 0; i < singles; i++) {
		int64_t distance = (int64_t)s->single[i];
		least = distance < least ? distance : least;
		most = distance > most ? distance : most;
		apart += length_of(zigzag(s->single[i]) << 1);
	}
	unsigned width = singles ? bits_of((uint64_t)most - (uint64_t)least) : 0;
	size_t words = bits_words(singles, width), together = 3 + length_of(zigzag((uint64_t)least)) + words * 8;
	if (apart <= together) {
		for (size_t i = 0; i < singles; i++) {
			make_room(s, 0);
			put(s, (unsigned __int128)zigzag(s->single[i]) << 1);
		}
		return;
	}
	uint64_t word[SINGLES_MOST] = {0};
	for (size_t i = 0; i < singles; i++)
		bits_put(word, i, width, s->single[i] - (uint64_t)least);
	struct block *b = make_room(s, TOKEN_MOST);
	put(s, (unsigned __int128)singles << 3 | 7);
	put(s, width);
	put(s, zigzag((uint64_t)least));
	memcpy(b->byte + b->bytes, word, words * sizeof *word);
	b->bytes += words * sizeof *word;
}

static void put_run(struct series *s, const struct run *r)
{
	if (r->count == 1) {
		if (!s->single)
			s->single = mem_array(SINGLES_MOST, sizeof *s->single);
		s->single[s->singles++] = r->distance;
		if (s->singles == SINGLES_MOST)
			put_singles(s);
		return;
	}
	put_singles(s);
	make_room(s, 0);
	put(s, (unsigned __int128)zigzag(r->distance) << 2 | 1);
	put(s, zigzag(r->stride));
	put(s, r->count);
}

/* Bytes that it takes by itself, about. */
static size_t bytes_of(const struct run *r)
{
	size_t distance = (bits_of(zigzag(r->distance)) + 8) / 8;
	return r->count == 1 ? distance : distance + length_of(zigzag(r->stride)) + length_of(r->count);
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
	if (s->saved >= COPY_BYTES) {
		put_singles(s);
		make_room(s, 0);
		put(s, (unsigned __int128)s->copied << 3 | 3);
		put(s, s->back);
	} else {
		for (uint64_t run = s->runs - s->copied; run < s->runs; run++)
			put_run(s, ring_at(s, run));
	}
	s->back = s->copied = s->saved = 0;
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
		s->saved += s->saved < COPY_BYTES ? bytes_of(&run) : 0;
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
	put_singles(s);
	free(s->ring);
	free(s->last);
	free(s->single);
	s->ring = NULL;
	s->last = s->single = NULL;
	for (size_t i = 0; i < s->blocks; i++)
		s->block[i].byte = mem_resize(s->block[i].byte, s->block[i].capacity = s->block[i].bytes, 1);
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
	assert(!a->drained && !b->drained);
	bool equal = a->length == b->length && a->blocks == b->blocks;
	for (size_t i = 0; equal && i < a->blocks; i++)
		equal = a->block[i].bytes == b->block[i].bytes &&
			!memcmp(a->block[i].byte, b->block[i].byte, a->block[i].bytes);
	return equal;
}

size_t series_bytes(const struct series *s)
{
	size_t bytes = s->singles * sizeof *s->single;
	for (size_t i = 0; i < s->blocks; i++)
		bytes += s->block[i].bytes;
	return bytes;
}

/* ------------------------------------------------------------------ passed on */

void series_pack(const struct series *s, struct text *to)
{
	assert(!s->drained);
	pack_number(to, s->length);
	pack_number(to, (uint64_t)s->start);
	pack_number(to, s->varies);
	pack_number(to, s->ring_size);
	pack_number(to, s->blocks);
	for (size_t i = 0; i < s->blocks; i++)
		pack_bytes(to, s->block[i].byte, s->block[i].bytes);
}

static bool is_number(const unsigned char **at, const unsigned char *end)
{
	const unsigned char *first = *at;
	while (*at < end && **at & 0x80)
		++*at;
	return (*at)++ < end && *at - first <= NUMBER_MOST;
}

/* Do the bytes end where a token does? */
static bool are_tokens(const unsigned char *at, const unsigned char *end)
{
	while (at < end) {
		const unsigned char *token = at;
		if (!is_number(&at, end))
			return false;
		if (!(*token & 1))
			continue;
		if ((*token & 7) != 7) {
			if (!is_number(&at, end) || (!(*token & 2) && !is_number(&at, end)))
				return false;
			continue;
		}
		uint64_t singles = (uint64_t)get(&token) >> 3;
		unsigned width = at < end ? *at : 65;
		if (singles > SINGLES_MOST || width > 64 || !is_number(&at, end) || !is_number(&at, end))
			return false;
		size_t bytes = bits_words(singles, width) * sizeof(uint64_t);
		if ((size_t)(end - at) < bytes)
			return false;
		at += bytes;
	}
	return true;
}

struct series *series_unpack(struct unpack *from)
{
	struct series *s = series_new();
	s->length = unpack_number(from);
	s->start = (int64_t)unpack_number(from);
	s->varies = unpack_below(from, 2);
	s->ring_size = (uint32_t)unpack_below(from, RING_MOST + 1);
	for (size_t blocks = unpack_count(from); blocks > 0 && !from->bad; blocks--) {
		size_t bytes;
		const unsigned char *byte = unpack_bytes(from, &bytes);
		from->bad = from->bad || !byte || !are_tokens(byte, byte + bytes);
		if (from->bad)
			break;
		*MEM_PUSH(s->block, s->blocks, s->capacity) = (struct block){mem_copy(byte, bytes), bytes, bytes};
	}
	if (!from->bad)
		return s;
	series_free(s);
	return NULL;
}

/* ------------------------------------------------------------------ reading */

struct series_cursor {
	const struct block *block, *past;
	struct series *drained; /* NULL: it is only read */
	const unsigned char *at, *end;
	struct run *ring;
	uint32_t ring_size;
	uint64_t runs, back, copies; /* runs still to be copied */
	uint64_t single[SINGLES_MOST]; /* words of single numbers that stand together */
	size_t singles, next_single;
	unsigned width;
	uint64_t least;
	uint64_t before, number, stride, left;
};

struct series_cursor *series_read(const struct series *s)
{
	assert(!s->drained);
	struct series_cursor *c = mem_zero(sizeof *c);
	c->block = s->block;
	c->past = s->block + s->blocks;
	c->ring_size = s->ring_size ? s->ring_size : 1;
	c->ring = mem_zero(c->ring_size * sizeof *c->ring);
	return c;
}

struct series_cursor *series_drain(struct series *s)
{
	struct series_cursor *c = series_read(s);
	c->drained = s;
	s->drained = true;
	return c;
}

void series_cursor_free(struct series_cursor *c)
{
	if (!c)
		return;
	free(c->ring);
	free(c);
}

/* False: there is none. */
static bool next_block(struct series_cursor *c)
{
	if (c->drained && c->end) {
		struct block *read = &c->drained->block[c->block - c->drained->block - 1];
		free(read->byte);
		*read = (struct block){0};
		c->at = c->end = NULL;
	}
	if (c->block == c->past)
		return false;
	c->at = c->block->byte;
	c->end = c->at + c->block->bytes;
	c->block++;
	return true;
}

static void get_singles(struct series_cursor *c, size_t singles)
{
	c->singles = singles;
	c->next_single = 0;
	c->width = (unsigned)get(&c->at);
	c->least = unzigzag((uint64_t)get(&c->at));
	size_t bytes = bits_words(singles, c->width) * sizeof *c->single;
	memcpy(c->single, c->at, bytes);
	c->at += bytes;
}

/* A run of no numbers: it is in the copy, or among the singles, that begin. */
static struct run get_run(struct series_cursor *c)
{
	unsigned __int128 token = get(&c->at);
	if (!(token & 1))
		return (struct run){unzigzag((uint64_t)(token >> 1)), 0, 1};
	if ((token & 7) == 7) {
		get_singles(c, (size_t)(token >> 3));
		return (struct run){0};
	}
	if (token & 2) {
		c->copies = (uint64_t)(token >> 3);
		c->back = (uint64_t)get(&c->at);
		return (struct run){0};
	}
	uint64_t stride = unzigzag((uint64_t)get(&c->at));
	return (struct run){unzigzag((uint64_t)(token >> 2)), stride, (uint64_t)get(&c->at)};
}

static void end_here(struct series_cursor *c)
{
	c->block = c->past;
	c->at = c->end;
	c->copies = 0;
	c->next_single = c->singles;
}

static bool next_run(struct series_cursor *c)
{
	struct run run = {0};
	if (!c->copies && c->next_single == c->singles) {
		while (c->at == c->end)
			if (!next_block(c))
				return false;
		run = get_run(c);
	}
	if (c->copies) {
		run = c->ring[(c->runs - c->back) & (c->ring_size - 1)];
		c->copies--;
	} else if (c->next_single < c->singles) {
		run = (struct run){c->least + bits_get(c->single, c->next_single++, c->width), 0, 1};
	}
	if (!run.count) { /* of damaged bytes: a copy of what never was */
		end_here(c);
		return false;
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

bool series_move(struct series_cursor *c, uint64_t count, struct series *to)
{
	while (count && (c->left || next_run(c))) {
		uint64_t moved = count < c->left ? count : c->left;
		if (c->stride == 0)
			series_push_times(to, (int64_t)c->number, moved);
		else
			for (uint64_t k = 0; k < moved; k++)
				series_push(to, (int64_t)(c->number + k * c->stride));
		series_skip(c, moved);
		count -= moved;
	}
	return !count;
}

bool series_ended(struct series_cursor *c)
{
	return !c->left && !next_run(c);
}
