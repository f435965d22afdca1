/*
 * order.c -- the partial order of a system: does it hold, and as what listing is it best read?
 *
 * Nodes are units: single events and loops, joints (one for all their members), and the syncs that
 * meet, one for all that carry the same number on the same channel. An edge leads from every item
 * of a strand to the next. Without cycles, the canonical order of model/listing.h lists the units.
 * With cycles, the strongly connected components tell which units close them.
 */
#include "merge/order.h"

#include <assert.h>
#include <stdlib.h>

#include "base/intern.h"
#include "model/dictionary.h"
#include "model/listing.h"

struct place {
	uint32_t strand, position;
};

struct units {
	uint32_t count;
	uint32_t **of; /* by strand and position: the unit */
	uint32_t *first_place; /* by unit, and one more */
	struct place *place; /* ascending strands */
	/* of an event that is sent or received: the other end's unit, if it is an event here; else
	   NONE */
	uint32_t *partner;
	struct sync_cut *sync; /* by unit: channel NONE if it is no sync */
	bool *receives;
};

/* ------------------------------------------------------------------ units */

static int cut_compare(const void *a, const void *b)
{
	const struct sync_cut *x = a, *y = b;
	if (x->channel != y->channel)
		return x->channel < y->channel ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static bool is_cut(const struct order *o, struct sync_cut c)
{
	return o->cuts && bsearch(&c, o->cut, o->cuts, sizeof c, cut_compare);
}

/* Units while they are numbered. */
struct numbering {
	struct reduction *r;
	struct scratch *scratch;
	const struct order *order;
	struct units *units;
	struct matching matching;
	struct intern *ring; /* messages on rings; NULL: none yet */
	uint32_t *on_ring; /* by message: the unit of the end that came first */
	size_t ring_capacity;
};

/* All numbers of messages on a ring are alike: the k-th message to a process and its k-th receive
   meet. */
static uint32_t owner_on_ring(struct numbering *n, const struct item *item, uint32_t side, uint32_t unit)
{
	const struct event *e = dictionary_get_event(n->r->dictionary, item->event);
	uint64_t key[] = {n->r->channel_of[side], n->scratch->count[side],
		kind_receives(e->kind) ? e->process : (uint64_t)item->numbers->peer};
	if (!n->ring)
		n->ring = intern_new();
	uint32_t known = intern_count(n->ring), id = intern_id(n->ring, key, sizeof key);
	if (id < known)
		return n->on_ring[id];
	n->on_ring = mem_grow(n->on_ring, &n->ring_capacity, (size_t)id + 1, sizeof *n->on_ring);
	return n->on_ring[id] = unit;
}

static uint32_t plain_unit(struct units *u)
{
	u->partner[u->count] = NONE;
	u->sync[u->count] = (struct sync_cut){NONE, 0};
	u->receives[u->count] = false;
	return u->count++;
}

static uint32_t sync_unit(struct numbering *n, uint32_t side, uint32_t root)
{
	struct units *u = n->units;
	struct sync_cut c = {n->r->channel_of[side], n->scratch->count[side]};
	if (is_cut(n->order, c))
		return plain_unit(u);
	uint32_t unit = scratch_meet(n->r, n->scratch, &n->matching, side, root, u->count);
	if (unit == u->count)
		u->sync[plain_unit(u)] = c;
	return unit;
}

/* The unit of an event: a new one, or that of the sync it meets. */
static uint32_t event_unit(struct numbering *n, const struct item *item)
{
	struct units *u = n->units;
	uint32_t side = n->r->loops.side_of[item->event];
	if (side == NO_SIDE)
		return plain_unit(u);
	const struct event *e = dictionary_get_event(n->r->dictionary, item->event);
	if (kind_gathers(e->kind))
		return sync_unit(n, side, e->peer);
	uint32_t unit = plain_unit(u), other = item->numbers && item->numbers->ring
						       ? owner_on_ring(n, item, side, unit)
						       : scratch_meet(n->r, n->scratch, &n->matching, side, 0, unit);
	u->receives[unit] = kind_receives(e->kind);
	if (other != unit) {
		u->partner[unit] = other;
		u->partner[other] = unit;
	}
	return unit;
}

struct joint_unit {
	const struct joint *joint;
	uint32_t unit;
};

static int joint_compare(const void *a, const void *b)
{
	const struct joint_unit *x = a, *y = b;
	return x->joint < y->joint ? -1 : x->joint > y->joint;
}

static struct joint_unit *joint_table(const struct system *s)
{
	struct joint_unit *table = mem_array(s->joints, sizeof *table);
	for (size_t i = 0; i < s->joints; i++)
		table[i] = (struct joint_unit){s->joint[i], NONE};
	qsort(table, s->joints, sizeof *table, joint_compare);
	return table;
}

static void place_units(const struct system *s, struct units *u, size_t items)
{
	u->first_place = mem_zero((u->count + 1) * sizeof *u->first_place);
	u->place = mem_array(items, sizeof *u->place);
	for (size_t p = 0; p < s->strands; p++)
		for (size_t i = 0; i < s->strand[p].length; i++)
			u->first_place[u->of[p][i] + 1]++;
	for (uint32_t k = 0; k < u->count; k++)
		u->first_place[k + 1] += u->first_place[k];
	uint32_t *next = mem_copy(u->first_place, u->count * sizeof *next);
	for (uint32_t p = 0; p < s->strands; p++)
		for (uint32_t i = 0; i < s->strand[p].length; i++)
			u->place[next[u->of[p][i]]++] = (struct place){p, i};
	free(next);
}

static void units_make(struct reduction *r, const struct system *s, const struct order *o, struct units *u)
{
	size_t items = 0;
	for (size_t p = 0; p < s->strands; p++)
		items += s->strand[p].length;
	*u = (struct units){.of = mem_array(s->strands, sizeof *u->of),
		.partner = mem_array(items, sizeof *u->partner),
		.sync = mem_array(items, sizeof *u->sync),
		.receives = mem_array(items, sizeof *u->receives)};
	struct numbering n = {.r = r, .scratch = scratch_take(r), .order = o, .units = u};
	struct joint_unit *joints = joint_table(s);
	for (size_t p = 0; p < s->strands; p++) {
		u->of[p] = mem_array(s->strand[p].length, sizeof *u->of[p]);
		for (size_t i = 0; i < s->strand[p].length; i++) {
			const struct item *item = &s->strand[p].item[i];
			if (item_joint(item)) {
				struct joint_unit key = {item->joint, 0},
						  *found = bsearch(&key, joints, s->joints, sizeof key, joint_compare);
				if (found->unit == NONE)
					found->unit = plain_unit(u);
				u->of[p][i] = found->unit;
			} else {
				u->of[p][i] = item->loop ? plain_unit(u) : event_unit(&n, item);
			}
			scratch_count(r, n.scratch, item);
		}
	}
	for (size_t p = 0; p < s->strands; p++)
		for (size_t i = 0; i < s->strand[p].length; i++)
			scratch_forget(r, n.scratch, &s->strand[p].item[i]);
	scratch_give(r, n.scratch);
	matching_clear(&n.matching);
	intern_free(n.ring);
	free(n.on_ring);
	place_units(s, u, items);
	free(joints);
}

static void units_clear(const struct system *s, struct units *u)
{
	for (size_t p = 0; p < s->strands; p++)
		free(u->of[p]);
	free(u->of);
	free(u->first_place);
	free(u->place);
	free(u->partner);
	free(u->sync);
	free(u->receives);
}

static const struct item *unit_item(const struct system *s, const struct units *u, uint32_t unit)
{
	struct place at = u->place[u->first_place[unit]];
	return &s->strand[at.strand].item[at.position];
}

/* The unit after `unit` on the k-th of its strands; NONE at the end. */
static uint32_t successor(const struct system *s, const struct units *u, uint32_t place)
{
	struct place at = u->place[place];
	return at.position + 1 < s->strand[at.strand].length ? u->of[at.strand][at.position + 1] : NONE;
}

static uint32_t *in_degrees(const struct system *s, const struct units *u)
{
	uint32_t *degree = mem_zero(u->count * sizeof *degree);
	for (size_t p = 0; p < s->strands; p++)
		for (size_t i = 1; i < s->strand[p].length; i++)
			degree[u->of[p][i]]++;
	return degree;
}

/* The units as model/listing.h wants them. */
struct strand_units {
	size_t *first;
	uint32_t *unit;
	struct listing listing;
};

static struct strand_units strand_units_of(const struct system *s, const struct units *u)
{
	struct strand_units l = {.first = mem_array(s->strands + 1, sizeof *l.first)};
	l.first[0] = 0;
	for (size_t p = 0; p < s->strands; p++)
		l.first[p + 1] = l.first[p] + s->strand[p].length;
	l.unit = mem_array(l.first[s->strands], sizeof *l.unit);
	for (size_t p = 0; p < s->strands; p++)
		for (size_t i = 0; i < s->strand[p].length; i++)
			l.unit[l.first[p] + i] = u->of[p][i];
	l.listing = (struct listing){(uint32_t)s->strands, u->count, l.first, l.unit, u->partner, u->receives};
	return l;
}

static void strand_units_clear(struct strand_units *l)
{
	free(l->first);
	free(l->unit);
}

/* ------------------------------------------------------------------ cycles */

static bool acyclic(const struct system *s, const struct units *u)
{
	uint32_t *degree = in_degrees(s, u), *stack = mem_array(u->count, sizeof *stack), height = 0, seen = 0;
	for (uint32_t k = 0; k < u->count; k++)
		if (!degree[k])
			stack[height++] = k;
	while (height) {
		uint32_t unit = stack[--height];
		seen++;
		for (uint32_t at = u->first_place[unit]; at < u->first_place[unit + 1]; at++) {
			uint32_t next = successor(s, u, at);
			if (next != NONE && !--degree[next])
				stack[height++] = next;
		}
	}
	free(degree);
	free(stack);
	return seen == u->count;
}

bool order_check(struct reduction *r, const struct system *s, struct order *o)
{
	struct units u;
	units_make(r, s, o, &u);
	bool holds = acyclic(s, &u);
	if (!holds) {
		uint32_t *component = mem_array(u.count, sizeof *component);
		struct strand_units l = strand_units_of(s, &u);
		uint32_t *size = listing_components(&l.listing, component);
		bool *has_joint = mem_zero(u.count + 1);
		for (uint32_t k = 0; k < u.count; k++) {
			struct joint *j = item_joint(unit_item(s, &u, k));
			if (j && !j->settled && size[component[k]] > 1)
				j->bad = has_joint[component[k]] = true;
		}
		for (uint32_t k = 0; k < u.count; k++)
			if (size[component[k]] > 1 && !has_joint[component[k]] && u.sync[k].channel != NONE)
				*MEM_PUSH(o->cut, o->cuts, o->cut_capacity) = u.sync[k];
		if (o->cuts)
			qsort(o->cut, o->cuts, sizeof *o->cut, cut_compare);
		strand_units_clear(&l);
		free(component);
		free(size);
		free(has_joint);
	}
	units_clear(s, &u);
	return holds;
}

/* ------------------------------------------------------------------ the listing */

/* The canonical order of the units (model/listing.h); the caller frees it. */
static uint32_t *canonical_order(const struct system *s, const struct units *u)
{
	struct strand_units l = strand_units_of(s, u);
	uint32_t *order = mem_array(u->count, sizeof *order);
	bool *in_cycle = mem_zero(u->count);
	uint32_t listed = listing_order(&l.listing, order, in_cycle);
	assert(listed == u->count);
	(void)listed;
	free(in_cycle);
	strand_units_clear(&l);
	return order;
}

static void list_unit(struct reduction *r, struct system *s, const struct units *u, uint32_t unit)
{
	uint32_t first = u->first_place[unit], past = u->first_place[unit + 1];
	const struct item *item = unit_item(s, u, unit);
	struct listed_item *line = &s->unit[s->units++];
	*line = (struct listed_item){.item = *item,
		.strand = pool_alloc(r->loops.pool, (past - first) * sizeof *line->strand),
		.strands = past - first};
	for (uint32_t at = first; at < past; at++)
		line->strand[at - first] = u->place[at].strand;
}

void order_list(struct reduction *r, struct system *s, const struct order *o)
{
	struct units u;
	units_make(r, s, o, &u);
	uint32_t *order = canonical_order(s, &u);
	s->unit = pool_alloc(r->loops.pool, u.count * sizeof *s->unit);
	s->units = 0;
	for (uint32_t k = 0; k < u.count; k++)
		list_unit(r, s, &u, order[k]);
	free(order);
	units_clear(s, &u);
}
