/*
 * unfolding_list.c -- strands in one listing.
 *
 * Units are the single events, the loops, and the collectives of the same number on the same
 * channel, all members in one. What collectives would close a cycle are left to their members one
 * by one. model/listing.h puts units in order; a body without sets keeps its own.
 */
#include "ask/unfolding_work.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/listing.h"

struct units {
	const struct body_items *strands;
	size_t *first; /* by strand, and one more: its first place */
	size_t places;
	const struct strand_item **item; /* by place */
	uint32_t count;
	uint32_t *of; /* by place */
	uint32_t *partner; /* by unit */
	bool *receives, *collective; /* by unit */
	bool *cut; /* by place: a collective that is left to its members one by one */
	size_t *place; /* by unit: the last */
};

static uint32_t new_unit(struct units *n)
{
	n->partner[n->count] = UNIT_NONE;
	n->receives[n->count] = n->collective[n->count] = false;
	return n->count++;
}

static uint32_t event_unit(struct plain_making *u, struct units *n, size_t place)
{
	const struct strand_item *item = n->item[place];
	if (!item->flows || n->cut[place])
		return new_unit(n);
	struct plain_side *side = &u->side[u->flow[item->flow].side];
	struct channel_use *channel = &u->channel[side->channel];
	uint32_t owner = matching_owner(&u->matching, &channel->pieces, &side->stand, side->count, item->key, n->count);
	if (channel->collective && owner != n->count)
		return owner;
	uint32_t unit = new_unit(n);
	n->collective[unit] = channel->collective;
	n->receives[unit] = !channel->collective && side->who == 1;
	if (owner != unit) {
		n->partner[unit] = owner;
		n->partner[owner] = unit;
	}
	return unit;
}

static uint32_t loop_unit(struct plain_making *u, struct units *n, uint32_t loop)
{
	if (u->construct[loop].unit == NO_LOOP)
		u->construct[loop].unit = new_unit(n);
	return u->construct[loop].unit;
}

static void number_units(struct plain_making *u, struct units *n)
{
	n->count = 0;
	matching_empty(&u->matching);
	for (size_t i = 0; i < n->places; i++)
		if (n->item[i]->loop != NO_LOOP)
			u->construct[n->item[i]->loop].unit = NO_LOOP;
	for (size_t i = 0; i < n->places; i++) {
		const struct strand_item *item = n->item[i];
		n->of[i] = item->loop == NO_LOOP ? event_unit(u, n, i) : loop_unit(u, n, item->loop);
		for (size_t k = 0; k < item->flows; k++) /* what follows on the strand comes later on its channel */
			u->side[u->flow[item->flow + k].side].count += u->flow[item->flow + k].count;
	}
	for (size_t i = 0; i < n->places; i++)
		for (size_t k = 0; k < n->item[i]->flows; k++) {
			struct plain_side *side = &u->side[u->flow[n->item[i]->flow + k].side];
			side->count = 0;
			side->stand = u->channel[side->channel].pieces = MATCHING_NONE;
		}
}

static bool cut_cycles(struct units *n, const bool *in_cycle)
{
	bool any = false;
	for (size_t i = 0; i < n->places; i++)
		if (in_cycle[n->of[i]] && n->collective[n->of[i]])
			any = n->cut[i] = true;
	return any;
}

static uint32_t order_units(struct plain_making *u, struct units *n, uint32_t *order)
{
	bool *in_cycle = mem_zero(n->places + 1);
	uint32_t listed;
	for (;;) {
		number_units(u, n);
		struct listing system = {n->strands->count, n->count, n->first, n->of, n->partner, n->receives};
		listed = listing_order(&system, order, in_cycle);
		if (listed || !n->places || !cut_cycles(n, in_cycle))
			break;
	}
	free(in_cycle);
	return listed;
}

/* A unit for each statement, as it stands. */
static uint32_t keep_order(struct units *n, uint32_t *order)
{
	n->count = n->strands->occurrences;
	bool *there = mem_zero(n->count + (size_t)1);
	uint32_t listed = 0;
	for (size_t i = 0; i < n->places; i++)
		there[n->of[i] = n->item[i]->occurrence] = true;
	for (uint32_t k = 0; k < n->count; k++)
		if (there[k])
			order[listed++] = k;
	free(there);
	return listed;
}

static struct units units_of(const struct body_items *s)
{
	struct units n = {.strands = s, .first = mem_array(s->count + (size_t)1, sizeof *n.first)};
	for (uint32_t k = 0; k < s->count; k++) {
		n.first[k] = n.places;
		n.places += s->strand[k].items;
	}
	n.first[s->count] = n.places;
	n.item = mem_array(n.places, sizeof *n.item);
	for (uint32_t k = 0; k < s->count; k++)
		for (size_t i = 0; i < s->strand[k].items; i++)
			n.item[n.first[k] + i] = &s->strand[k].item[i];
	n.of = mem_array(n.places, sizeof *n.of);
	n.partner = mem_array(n.places, sizeof *n.partner);
	n.receives = mem_zero(n.places + 1);
	n.collective = mem_zero(n.places + 1);
	n.cut = mem_zero(n.places + 1);
	return n;
}

static void units_clear(struct units *n)
{
	free(n->first);
	free(n->item);
	free(n->of);
	free(n->partner);
	free(n->receives);
	free(n->collective);
	free(n->cut);
}

/* The processes of each unit, and a place of it. */
struct members {
	struct ranks *who;
	size_t *place;
	uint32_t *strand; /* its lowest */
};

static struct members members_of(const struct units *n)
{
	size_t count = n->count + (size_t)1;
	struct members m = {
		mem_zero(count * sizeof *m.who), mem_zero(count * sizeof *m.place), mem_zero(count * sizeof *m.strand)};
	for (uint32_t k = 0; k < n->strands->count; k++)
		for (size_t i = n->first[k]; i < n->first[k + 1]; i++) {
			uint32_t unit = n->of[i];
			if (!m.who[unit].length)
				m.strand[unit] = k;
			ranks_add(&m.who[unit], n->strands->strand[k].process);
			m.place[unit] = i;
		}
	return m;
}

static uint32_t construct_of_unit(struct plain_making *u, const struct units *n, const struct members *m, uint32_t unit)
{
	const struct strand_item *item = n->item[m->place[unit]];
	if (item->loop != NO_LOOP)
		return item->loop;
	const struct node *e = node_of(u->s, item->event);
	node_id *kid = mem_copy(e->kid, e->kids * sizeof *kid);
	kid[COLUMN_WHO] = node_make(u->s, NODE_RANKS, 1, 0, store_ranks(u->s, &m->who[unit]), 0, NULL);
	node_id event = node_with(u->s, item->event, kid);
	free(kid);
	return add_construct(u, (struct construct){.event = event, .line = item->line});
}

struct listed list_strands(
	struct plain_making *u, const struct body_items *s, const uint32_t *component, uint32_t components)
{
	struct units n = units_of(s);
	uint32_t *order = mem_array(n.places + s->occurrences + 1, sizeof *order);
	uint32_t listed = s->folded ? order_units(u, &n, order) : keep_order(&n, order);
	struct members m = members_of(&n);
	struct listed l = {
		mem_array(listed, sizeof *l.construct), mem_zero((components + (size_t)2) * sizeof *l.first)};
	for (uint32_t i = 0; i < listed; i++)
		l.first[component[m.strand[order[i]]] + 2]++;
	for (uint32_t k = 0; k < components; k++)
		l.first[k + 2] += l.first[k + 1];
	for (uint32_t i = 0; i < listed; i++) {
		size_t at = l.first[component[m.strand[order[i]]] + 1]++;
		l.construct[at] = construct_of_unit(u, &n, &m, order[i]);
	}
	for (uint32_t k = 0; k < n.count; k++)
		ranks_clear(&m.who[k]);
	free(m.who);
	free(m.place);
	free(m.strand);
	free(order);
	units_clear(&n);
	return l;
}
