/*
 * raws.c -- what is common to raws of processes and of roles.
 */
#include "viz/raws.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/saturate.h"

uint32_t raws_find(struct builder *b, uint32_t r)
{
	while (b->raw[r].into != r)
		r = b->raw[r].into = b->raw[b->raw[r].into].into;
	return r;
}

static uint32_t raws_unite(struct builder *b, uint32_t x, uint32_t y)
{
	x = raws_find(b, x);
	y = raws_find(b, y);
	if (x == y)
		return x;
	if (y < x) {
		uint32_t t = x;
		x = y;
		y = t;
	}
	struct raw *to = &b->raw[x], *from = &b->raw[y];
	b->out_of_step |= to->kind != from->kind;
	from->into = x;
	to->multiplicity += from->multiplicity;
	to->events = saturating_add(to->events, from->events);
	to->messages = saturating_add(to->messages, from->messages);
	to->share = times_add(to->share, from->share);
	b->raw[to->last].next = y;
	to->last = from->last;
	return x;
}

uint32_t raws_add(struct builder *b, enum item_kind kind, size_t statement)
{
	b->raw = mem_grow(b->raw, &b->raw_capacity, b->raws + 1, sizeof *b->raw);
	uint32_t id = (uint32_t)b->raws++;
	b->raw[id] = (struct raw){.kind = kind,
		.into = id,
		.statement = statement,
		.past = statement + 1,
		.index = b->scene->drawn->first,
		.multiplicity = 1,
		.share = TIMES_UNKNOWN,
		.next = SCENE_NONE,
		.last = id};
	return id;
}

void raws_open(struct builder *b, size_t statement, uint32_t raws)
{
	b->raw_of = mem_grow(b->raw_of, &b->raw_of_capacity, b->raw_ofs + raws, sizeof *b->raw_of);
	memset(b->raw_of + b->raw_ofs, 0xff, raws * sizeof *b->raw_of);
	b->first_raw[statement] = b->raw_ofs;
	b->raw_ofs += raws;
}

uint32_t raws_at(const struct builder *b, size_t statement, uint32_t lane)
{
	size_t first = b->first_raw[statement];
	return first == SIZE_MAX ? SCENE_NONE : b->raw_of[first + (b->scene->roles ? lane : 0)];
}

void raws_append(struct builder *b, uint32_t lane, uint32_t raw)
{
	struct row *p = &b->row[lane];
	*MEM_PUSH(p->raw, p->length, p->capacity) = raw;
}

/* The construct as seen by one rank. */
void raws_put(struct builder *b, uint32_t rank, uint32_t raw)
{
	uint32_t lane = b->lane_of[rank];
	struct row *p = &b->row[lane];
	if (b->scene->mixed[lane]) {
		if (!p->length || raws_find(b, p->raw[p->length - 1]) != raws_find(b, raw))
			raws_append(b, lane, raw);
		return;
	}
	uint32_t k = b->counter[rank]++;
	if (k < p->length)
		raws_unite(b, p->raw[k], raw);
	else
		raws_append(b, lane, raw);
}

void raws_put_all(struct builder *b, const struct ranks *set, uint32_t raw)
{
	struct ranks_walk walk = {0};
	for (uint32_t r; ranks_next(set, &walk, &r);)
		raws_put(b, r, raw);
}

static uint32_t next_count(struct builder *b, uint32_t member, uint32_t channel)
{
	uint32_t key[2] = {member, channel}, known = intern_count(b->counts),
		 id = intern_id(b->counts, key, sizeof key);
	b->part_count = mem_grow(b->part_count, &b->count_capacity, id + 1, sizeof *b->part_count);
	if (id == known)
		b->part_count[id] = 0;
	return b->part_count[id]++;
}

void raws_join_part(struct builder *b, uint32_t channel, uint32_t member, uint32_t raw)
{
	uint32_t key[2] = {channel, next_count(b, member, channel)};
	uint32_t known = intern_count(b->parts), id = intern_id(b->parts, key, sizeof key);
	b->part_raw = mem_grow(b->part_raw, &b->part_capacity, id + 1, sizeof *b->part_raw);
	if (id == known)
		b->part_raw[id] = raw;
	else
		raws_unite(b, b->part_raw[id], raw);
}

/* ------------------------------------------------------------------ order */

/* Kahn's algorithm over the steps alone. */
bool raws_circular(struct builder *b, const uint32_t *lane, uint32_t lanes)
{
	size_t left = 0;
	size_t *at = mem_zero((lanes + 1) * sizeof *at);
	uint32_t *missing = mem_zero((b->raws + 1) * sizeof *missing), *ready = mem_array(lanes + 1, sizeof *ready);
	for (uint32_t i = 0; i < lanes; i++)
		for (size_t k = 0; k < b->row[lane[i]].length; k++, left++)
			missing[raws_find(b, b->row[lane[i]].raw[k])]++;
	/*
	 * An item may go when it is at the front of all its lanes; lanes are looked at again when
	 * their front changes.
	 */
	uint32_t *arrived = mem_zero((b->raws + 1) * sizeof *arrived);
	uint32_t **waiting = mem_zero((b->raws + 1) * sizeof *waiting);
	uint32_t todo = 0;
	for (uint32_t i = 0; i < lanes; i++)
		ready[todo++] = i;
	while (todo) {
		uint32_t i = ready[--todo];
		struct row *p = &b->row[lane[i]];
		if (at[i] == p->length)
			continue;
		uint32_t r = raws_find(b, p->raw[at[i]]);
		if (!waiting[r])
			waiting[r] = mem_array(missing[r], sizeof **waiting);
		waiting[r][arrived[r]++] = i;
		if (arrived[r] < missing[r])
			continue;
		for (uint32_t k = 0; k < arrived[r]; k++) {
			at[waiting[r][k]]++;
			ready[todo++] = waiting[r][k];
			left--;
		}
	}
	for (size_t r = 0; r < b->raws; r++)
		free(waiting[r]);
	free(waiting);
	free(arrived);
	free(missing);
	free(ready);
	free(at);
	return left > 0;
}
