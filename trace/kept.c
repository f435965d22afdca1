/*
 * kept.c -- records as words of 32 bits: what it is, whether the number of a request follows, the
 * time since the last one. What does not fit stands in the words behind.
 */
#include "trace/kept.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

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
	uint64_t granted;
	struct intern *whats; /* records without time and request, their attributes behind */
	struct {
		const void *what; /* one of them; NULL */
		size_t size;
		uint32_t id;
	} * lately;
	const struct event_record **known; /* whats by id, once there are no more */
	struct event_record *what; /* the one at hand */
	size_t what_capacity;
};

struct kept {
	uint64_t budget;
	atomic_ullong bytes;
	void *archive; /* NULL, or open */
	void (*close)(void *archive);
};

struct kept *kept_new(uint64_t bytes)
{
	struct kept *k = mem_zero(sizeof *k);
	k->budget = bytes;
	return k;
}

void kept_free(struct kept *k)
{
	if (k && k->archive)
		k->close(k->archive);
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

/* ------------------------------------------------------------------ writing */

bool kept_affords(const struct kept *k, uint64_t records)
{
	return records <= k->budget / sizeof(uint32_t) &&
	       atomic_load(&k->bytes) + records * sizeof(uint32_t) <= k->budget;
}

static bool grant(struct kept_lane *l, uint64_t bytes)
{
	l->granted += bytes;
	return atomic_fetch_add(&l->all->bytes, bytes) + bytes <= l->all->budget;
}

struct kept_lane *kept_lane_new(struct kept *k)
{
	struct kept_lane *l = mem_zero(sizeof *l);
	l->all = k;
	l->whats = intern_new();
	l->lately = mem_zero(LATELY * sizeof *l->lately);
	return l;
}

void kept_lane_free(struct kept_lane *l)
{
	if (!l)
		return;
	atomic_fetch_sub(&l->all->bytes, l->granted);
	for (size_t i = 0; i < l->chunks; i++)
		free(l->chunk[i]);
	free(l->chunk);
	free(l->lately);
	free(l->what);
	free(l->known);
	intern_free(l->whats);
	free(l);
}

/* A record more fits behind l->at. */
static bool room(struct kept_lane *l)
{
	if (l->end - l->at >= MOST_WORDS)
		return true;
	if (!grant(l, CHUNK * sizeof *l->at))
		return false;
	while (l->at < l->end) /* readers go on with the next chunk */
		*l->at++ = UINT32_MAX;
	l->chunk = mem_grow(l->chunk, &l->capacity, l->chunks + 1, sizeof *l->chunk);
	l->at = l->chunk[l->chunks++] = mem_array(CHUNK, sizeof *l->at);
	l->end = l->at + CHUNK;
	return true;
}

/* The id of what is at hand. */
static uint32_t id_of(struct kept_lane *l, size_t size)
{
	const uint64_t *word = (const uint64_t *)l->what;
	uint64_t hash = 0;
	for (size_t i = offsetof(struct event_record, bytes) / sizeof *word; i < size / sizeof *word; i++)
		hash = (hash ^ word[i]) * UINT64_C(0x9e3779b97f4a7c15);
	size_t slot = hash >> 56;
	if (l->lately[slot].size != size || memcmp(l->lately[slot].what, word, size)) {
		uint32_t known = intern_count(l->whats), id = intern_id(l->whats, word, size);
		if (id == known)
			grant(l, 2 * size);
		l->lately[slot].what = intern_data(l->whats, id, NULL);
		l->lately[slot].size = size;
		l->lately[slot].id = id;
	}
	return l->lately[slot].id;
}

/* An attribute that repeats the number of the request, which differs each time: its place instead,
   and one, as the request. */
static void mark_request(struct event_record *what, uint64_t request)
{
	struct record_attribute *attribute = (struct record_attribute *)(what + 1);
	uint32_t i = 0, looked_at = request && what->attributes <= KEPT_ATTRIBUTES ? what->attributes : 0;
	while (i < looked_at && attribute[i].value != request)
		i++;
	if (i < looked_at) {
		attribute[i].value = 0;
		what->request = i + 1;
	}
}

static uint32_t *put_long(uint32_t *at, uint64_t n)
{
	*at++ = (uint32_t)n;
	*at++ = (uint32_t)(n >> 32);
	return at;
}

bool kept_add(struct kept_lane *l, const struct event_record *r)
{
	size_t attributes = r->attributes * sizeof *r->attribute, size = sizeof *r + attributes;
	if (!room(l))
		return false;
	if (size > l->what_capacity)
		l->what = mem_grow(l->what, &l->what_capacity, size, 1);
	*l->what = *r;
	l->what->time = l->what->request = 0;
	l->what->attribute = NULL;
	if (attributes)
		memcpy(l->what + 1, r->attribute, attributes);
	mark_request(l->what, r->request);
	uint32_t id = id_of(l, size), flag = r->request ? REQUEST : 0;
	uint64_t since = r->time - l->time;
	l->time = r->time;
	if (id < LARGE && since >> TIME_BITS == 0) {
		*l->at++ = id << WHAT_BITS | flag | (uint32_t)since;
	} else {
		*l->at++ = LARGE << WHAT_BITS | flag;
		*l->at++ = id;
		l->at = put_long(l->at, since);
	}
	if (r->request)
		l->at = put_long(l->at, r->request);
	return true;
}

void kept_end(struct kept_lane *l)
{
	uint32_t *last = l->chunks ? l->chunk[l->chunks - 1] : NULL;
	size_t words = last ? (size_t)(l->at - last) : 0;
	if (last) {
		l->at = l->chunk[l->chunks - 1] = mem_resize(last, words, sizeof *last);
		l->end = l->at += words;
		l->granted -= (CHUNK - words) * sizeof *last;
		atomic_fetch_sub(&l->all->bytes, (CHUNK - words) * sizeof *last);
	}
	free(l->lately);
	free(l->what);
	l->lately = NULL;
	l->what = NULL;
	l->known = mem_array(intern_count(l->whats), sizeof(void *));
	for (uint32_t i = 0; i < intern_count(l->whats); i++)
		l->known[i] = intern_data(l->whats, i, NULL);
}

/* ------------------------------------------------------------------ reading */

static uint64_t get_long(const uint32_t *at)
{
	return at[0] | (uint64_t)at[1] << 32;
}

bool kept_next(const struct kept_lane *l, struct kept_place *place, struct event_record *r)
{
	size_t chunk = place->at / CHUNK, within = place->at % CHUNK;
	if (chunk < l->chunks && &l->chunk[chunk][within] != l->at && l->chunk[chunk][within] == UINT32_MAX) {
		place->at += CHUNK - within;
		chunk++;
		within = 0;
	}
	if (chunk >= l->chunks || &l->chunk[chunk][within] == l->at)
		return false;
	const uint32_t *first = &l->chunk[chunk][within], *at = first;
	uint32_t word = *at++, what = word >> WHAT_BITS;
	if (what != LARGE) {
		place->time += word & (REQUEST - 1);
	} else {
		what = *at++;
		place->time += get_long(at);
		at += 2;
	}
	const struct event_record *known = l->known[what];
	*r = *known;
	r->attribute = (const struct record_attribute *)(known + 1);
	r->time = place->time;
	if (word & REQUEST) {
		r->request = get_long(at);
		at += 2;
	}
	if (known->request) {
		memcpy(place->attribute, r->attribute, r->attributes * sizeof *r->attribute);
		place->attribute[known->request - 1].value = r->request;
		r->attribute = place->attribute;
	}
	place->at += (size_t)(at - first);
	return true;
}
