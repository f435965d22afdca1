/*
 * kept.c -- records as words of 32 bits: what it is, whether the number of a request follows, the
 * time since the last one. What does not fit stands in the words behind.
 */
#include "trace/kept.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/intern.h"
#include "base/mem.h"

#ifndef TRACENEST_HOSTILE
#define TIME_BITS 22
#define CHUNK 16384 /* words */
#else
#define TIME_BITS 29
#define CHUNK 6
#endif
#define REQUEST (UINT32_C(1) << TIME_BITS)
#define WHAT_BITS (TIME_BITS + 1)
#define LARGE (UINT32_MAX >> WHAT_BITS) /* in place of what it is: that, and the time, follow */
#define MOST_WORDS 6 /* of a record */

/* What was added lately. */
#define LATELY 256

struct kept_lane {
	struct kept *all;
	uint32_t **chunk;
	size_t chunks, capacity;
	uint32_t *at, *end; /* where the next word goes */
	uint64_t time; /* of the last record */
	struct intern *whats;
	struct {
		struct kept_what what;
		uint32_t id; /* one more; 0: none */
	} * lately;
	size_t words, last; /* once it is whole; last: in the last chunk */
	uint64_t records;
	bool whole;
};

struct kept {
	uint64_t budget;
	atomic_ullong bytes;
	uint32_t lanes;
	struct kept_lane *lane;
	void *archive; /* NULL, or open */
	void (*close)(void *archive);
};

struct kept *kept_new(uint64_t bytes)
{
	struct kept *k = mem_zero(sizeof *k);
	k->budget = bytes;
	return k;
}

static void clear_lane(struct kept_lane *l)
{
	for (size_t i = 0; i < l->chunks; i++)
		free(l->chunk[i]);
	free(l->chunk);
	free(l->lately);
	intern_free(l->whats);
	*l = (struct kept_lane){.all = l->all};
}

void kept_free(struct kept *k)
{
	if (!k)
		return;
	for (uint32_t i = 0; i < k->lanes; i++)
		clear_lane(&k->lane[i]);
	if (k->archive)
		k->close(k->archive);
	free(k->lane);
	free(k);
}

bool kept_leave(struct kept *k, void *archive, void (*close)(void *archive))
{
	if (k->archive)
		return false;
	k->archive = archive;
	k->close = close;
	return true;
}

void *kept_fetch(struct kept *k)
{
	void *archive = k->archive;
	k->archive = NULL;
	return archive;
}

void kept_open(struct kept *k, uint32_t processes)
{
	for (uint32_t i = 0; i < k->lanes && atomic_load(&k->bytes) > k->budget; i++)
		clear_lane(&k->lane[i]);
	if (k->lane)
		return;
	k->lanes = processes;
	k->lane = mem_zero((processes + (size_t)1) * sizeof *k->lane);
	for (uint32_t i = 0; i < processes; i++)
		k->lane[i].all = k;
}

/* ------------------------------------------------------------------ writing */

/* May it take so much more? */
static bool grant(struct kept *k, uint64_t bytes)
{
	return atomic_fetch_add(&k->bytes, bytes) + bytes <= k->budget;
}

struct kept_lane *kept_begin(struct kept *k, uint32_t rank)
{
	struct kept_lane *l = k && rank < k->lanes ? &k->lane[rank] : NULL;
	if (!l || l->whole || atomic_load(&k->bytes) > k->budget)
		return NULL;
	clear_lane(l);
	l->whats = intern_new_keys(sizeof(struct kept_what));
	l->lately = mem_zero(LATELY * sizeof *l->lately);
	return l;
}

/* A record more fits behind l->at; false: it shall not be. */
static bool room(struct kept_lane *l)
{
	if (l->end - l->at >= MOST_WORDS)
		return true;
	if (!l->whats || !grant(l->all, CHUNK * sizeof *l->at)) {
		clear_lane(l);
		return false;
	}
	while (l->at < l->end) /* readers go on with the next chunk */
		*l->at++ = UINT32_MAX;
	l->chunk = mem_grow(l->chunk, &l->capacity, l->chunks + 1, sizeof *l->chunk);
	l->at = l->chunk[l->chunks++] = mem_array(CHUNK, sizeof *l->at);
	l->end = l->at + CHUNK;
	return true;
}

static bool is_same(const struct kept_what *a, const struct kept_what *b)
{
	return a->kind == b->kind && a->peer == b->peer && a->communicator == b->communicator &&
	       a->number == b->number && a->bytes == b->bytes;
}

static uint32_t id_of(struct kept_lane *l, const struct kept_what *what)
{
	uint64_t hash = (what->kind + 16 * (uint64_t)what->peer) * UINT64_C(0x9e3779b97f4a7c15) ^
			(what->number + what->bytes + what->communicator) * UINT64_C(0xbf58476d1ce4e5b9);
	size_t slot = (size_t)(hash >> 56) % LATELY;
	if (l->lately[slot].id && is_same(&l->lately[slot].what, what))
		return l->lately[slot].id - 1;
	uint32_t known = intern_count(l->whats), id = intern_id(l->whats, what, sizeof *what);
	if (id == known)
		grant(l->all, 2 * sizeof *what);
	l->lately[slot].what = *what;
	l->lately[slot].id = id + 1;
	return id;
}

static uint32_t *put_long(uint32_t *at, uint64_t n)
{
	*at++ = (uint32_t)n;
	*at++ = (uint32_t)(n >> 32);
	return at;
}

void kept_add(struct kept_lane *l, const struct kept_what *what, uint64_t time, uint64_t request)
{
	if (!room(l))
		return;
	uint32_t id = id_of(l, what), flag = request ? REQUEST : 0;
	uint64_t since = time - l->time;
	l->time = time;
	if (id < LARGE && since >> TIME_BITS == 0) {
		*l->at++ = id << WHAT_BITS | flag | (uint32_t)since;
	} else {
		*l->at++ = LARGE << WHAT_BITS | flag;
		*l->at++ = id;
		l->at = put_long(l->at, since);
	}
	if (request)
		l->at = put_long(l->at, request);
}

void kept_end(struct kept_lane *l, uint64_t records)
{
	if (!l->whats) /* forgotten */
		return;
	l->words = l->chunks ? (l->chunks - 1) * CHUNK + (size_t)(l->at - l->chunk[l->chunks - 1]) : 0;
	l->records = records;
	l->whole = true;
}

/* ------------------------------------------------------------------ reading */

bool kept_whole(const struct kept *k)
{
	for (uint32_t i = 0; k && i < k->lanes; i++)
		if (!k->lane[i].whole)
			return false;
	return k && k->lane;
}

const struct kept_lane *kept_lane(const struct kept *k, uint32_t rank)
{
	return &k->lane[rank];
}

const struct kept_what *kept_what(const struct kept_lane *l, uint32_t what)
{
	return intern_data(l->whats, what, NULL);
}

uint32_t kept_whats(const struct kept_lane *l)
{
	return intern_count(l->whats);
}

uint64_t kept_records(const struct kept_lane *l)
{
	return l->records;
}

static uint64_t get_long(const uint32_t *at)
{
	return at[0] | (uint64_t)at[1] << 32;
}

bool kept_next(const struct kept_lane *l, struct kept_place *place, uint32_t *what, uint64_t *time, uint64_t *request)
{
	size_t within = place->at % CHUNK;
	if (place->at < l->words && l->chunk[place->at / CHUNK][within] == UINT32_MAX)
		place->at += CHUNK - within;
	if (place->at >= l->words)
		return false;
	const uint32_t *first = &l->chunk[place->at / CHUNK][place->at % CHUNK], *at = first;
	uint32_t word = *at++;
	if (word >> WHAT_BITS != LARGE) {
		*what = word >> WHAT_BITS;
		place->time += word & (REQUEST - 1);
	} else {
		*what = *at++;
		place->time += get_long(at);
		at += 2;
	}
	*time = place->time;
	*request = 0;
	if (word & REQUEST) {
		*request = get_long(at);
		at += 2;
	}
	place->at += (size_t)(at - first);
	return true;
}
