/*
 * channels.c -- a table of channels.
 *
 * The table is not base/intern, which takes twice the time on a stencil of 100,000 processes: there
 * nearly every look finds its channel in the bucket of the sender, a line of the cache, which was
 * just looked at.
 */
#include "model/channels.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/saturate.h"

#define NONE UINT32_MAX

struct line {
	struct channel_sum sum;
	uint32_t print; /* hash */
};

struct slot {
	uint32_t line, print; /* line: NONE where it is free */
};

#define BUCKET 8 /* slots */
#define BUCKETS_MOST 131072

struct channels {
	struct line *line;
	size_t lines, line_capacity;
	struct slot *slot; /* buckets by sender, then open addressing for those that found theirs full */
	size_t buckets, hashed, crowded; /* hashed: slots of the latter, crowded: of these taken */
};

/* ------------------------------------------------------------------ the table */

static uint32_t print_of(const struct channel *c)
{
	return (uint32_t)hash_pair((uint64_t)c->from << 32 | c->to, c->tag);
}

static void make_slots(struct channels *c, size_t hashed)
{
	size_t slots = c->buckets * BUCKET + hashed;
	c->hashed = hashed;
	c->crowded = 0;
	free(c->slot);
	c->slot = mem_array(slots, sizeof *c->slot);
	memset(c->slot, 0xff, slots * sizeof *c->slot);
}

static bool holds(const struct channels *c, const struct slot *slot, uint32_t print, const struct channel *wanted)
{
	if (slot->line == NONE || slot->print != print)
		return false;
	const struct channel *known = &c->line[slot->line].sum.channel;
	return known->from == wanted->from && known->to == wanted->to && known->tag == wanted->tag;
}

/* Where the channel stands, or would. */
static struct slot *find_slot(const struct channels *c, uint32_t print, const struct channel *wanted)
{
	struct slot *bucket = c->slot + (wanted->from & (c->buckets - 1)) * BUCKET;
	for (size_t i = 0; i < BUCKET; i++)
		if (bucket[i].line == NONE || holds(c, &bucket[i], print, wanted))
			return &bucket[i];
	struct slot *hashed = c->slot + c->buckets * BUCKET;
	size_t at = print & (c->hashed - 1);
	while (hashed[at].line != NONE && !holds(c, &hashed[at], print, wanted))
		at = (at + 1) & (c->hashed - 1);
	return &hashed[at];
}

static void take_slot(struct channels *c, struct slot *slot, uint32_t line)
{
	*slot = (struct slot){line, c->line[line].print};
	c->crowded += (size_t)(slot - c->slot) >= c->buckets * BUCKET;
}

static void grow_slots(struct channels *c)
{
	make_slots(c, 2 * c->hashed);
	for (uint32_t i = 0; i < c->lines; i++)
		take_slot(c, find_slot(c, c->line[i].print, &c->line[i].sum.channel), i);
}

static uint32_t line_of(struct channels *c, const struct channel *wanted)
{
	if (2 * c->crowded >= c->hashed)
		grow_slots(c);
	uint32_t print = print_of(wanted);
	struct slot *slot = find_slot(c, print, wanted);
	if (slot->line != NONE)
		return slot->line;
	c->line = mem_grow(c->line, &c->line_capacity, c->lines + 1, sizeof *c->line);
	c->line[c->lines] = (struct line){.sum.channel = *wanted, .print = print};
	take_slot(c, slot, (uint32_t)c->lines);
	return (uint32_t)c->lines++;
}

/* ------------------------------------------------------------------ sums */

struct channels *channels_new(uint32_t processes)
{
	struct channels *c = mem_zero(sizeof *c);
	for (c->buckets = 1; c->buckets < processes && c->buckets < BUCKETS_MOST;)
		c->buckets *= 2;
	make_slots(c, 1024);
	return c;
}

void channels_free(struct channels *c)
{
	if (!c)
		return;
	free(c->line);
	free(c->slot);
	free(c);
}

void channels_pass(struct channels *c, const struct channel *channel, bool sends, uint64_t count)
{
	uint32_t id = line_of(c, channel);
	uint64_t *sum = sends ? &c->line[id].sum.sends : &c->line[id].sum.receives;
	*sum = saturating_add(*sum, count);
}

size_t channels_count(const struct channels *c)
{
	return c->lines;
}

struct channel_sum channels_sum(const struct channels *c, size_t channel)
{
	return c->line[channel].sum;
}
