/*
 * context.c -- what the threads of a reduction share: arrays that merges borrow from a shelf, and
 * counters.
 */
#include "merge/context.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct scratch_shelf {
	pthread_mutex_t lock;
	struct scratch *free;
};

struct tally {
	atomic_uint_fast64_t count[TALLY_KINDS];
};

void tally_add(struct reduction *r, enum tally_kind kind, uint64_t n)
{
	if (n)
		atomic_fetch_add(&r->tally->count[kind], n);
}

uint64_t tally_get(struct reduction *r, enum tally_kind kind)
{
	return atomic_load(&r->tally->count[kind]);
}

struct scratch *scratch_take(struct reduction *r)
{
	pthread_mutex_lock(&r->shelf->lock);
	struct scratch *s = r->shelf->free;
	if (s)
		r->shelf->free = s->next;
	pthread_mutex_unlock(&r->shelf->lock);
	if (!s) {
		s = mem_alloc(sizeof *s);
		s->count = mem_zero(r->sides * sizeof *s->count);
		s->slot = mem_array(r->channels, sizeof *s->slot);
		memset(s->slot, 0xff, r->channels * sizeof *s->slot);
		s->stand = mem_array(r->sides, sizeof *s->stand);
		memset(s->stand, 0xff, r->sides * sizeof *s->stand);
	}
	return s;
}

void scratch_give(struct reduction *r, struct scratch *s)
{
	pthread_mutex_lock(&r->shelf->lock);
	s->next = r->shelf->free;
	r->shelf->free = s;
	pthread_mutex_unlock(&r->shelf->lock);
}

void scratch_count(const struct reduction *r, struct scratch *s, const struct item *i)
{
	if (i->loop) {
		for (uint32_t k = 0; k < i->loop->flows; k++)
			s->count[i->loop->flow[k].side] += i->loop->count * i->loop->flow[k].count;
	} else if (r->loops.side_of[i->event] != NO_SIDE) {
		s->count[r->loops.side_of[i->event]]++;
	}
}

void scratch_uncount(const struct reduction *r, struct scratch *s, const struct item *i)
{
	if (i->loop)
		for (uint32_t k = 0; k < i->loop->flows; k++)
			s->count[i->loop->flow[k].side] = 0;
	else if (r->loops.side_of[i->event] != NO_SIDE)
		s->count[r->loops.side_of[i->event]] = 0;
}

uint32_t scratch_meet(
	const struct reduction *r, struct scratch *s, struct matching *m, uint32_t side, uint32_t key, uint32_t owner)
{
	return matching_owner(m, &s->slot[r->channel_of[side]], &s->stand[side], s->count[side], key, owner);
}

static void leave_side(const struct reduction *r, struct scratch *s, uint32_t side, bool channel)
{
	s->count[side] = 0;
	s->stand[side] = MATCHING_NONE;
	if (channel)
		s->slot[r->channel_of[side]] = MATCHING_NONE;
}

static void leave_item(const struct reduction *r, struct scratch *s, const struct item *i, bool channels)
{
	if (i->loop)
		for (uint32_t k = 0; k < i->loop->flows; k++)
			leave_side(r, s, i->loop->flow[k].side, channels);
	else if (r->loops.side_of[i->event] != NO_SIDE)
		leave_side(r, s, r->loops.side_of[i->event], channels);
}

void scratch_rewind(const struct reduction *r, struct scratch *s, const struct item *i)
{
	leave_item(r, s, i, false);
}

void scratch_forget(const struct reduction *r, struct scratch *s, const struct item *i)
{
	leave_item(r, s, i, true);
}

void reduction_start(struct reduction *r)
{
	r->loops.pool = pool_new();
	r->shelf = mem_zero(sizeof *r->shelf);
	pthread_mutex_init(&r->shelf->lock, NULL);
	r->tally = mem_zero(sizeof *r->tally);
}

void reduction_end(struct reduction *r)
{
	for (struct scratch *s = r->shelf->free, *next; s; s = next) {
		next = s->next;
		free(s->count);
		free(s->slot);
		free(s->stand);
		free(s);
	}
	pthread_mutex_destroy(&r->shelf->lock);
	free(r->shelf);
	free(r->tally);
	pool_free(r->loops.pool);
}
