/*
 * unfold_list.c -- strands in one listing.
 *
 * Units are the single events, the loops, and the syncs with the same number on the same channel,
 * all members in one. What syncs would close a cycle are left to their members one by one.
 * listing.h puts the units in order.
 */
#include "model/unfold.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/listing.h"

/* ------------------------------------------------------------------ units */

struct units {
	uint32_t count;
	uint32_t *of; /* by place: the unit */
	uint32_t *partner; /* by unit */
	bool *receives, *syncs; /* by unit */
	bool *cut; /* by place: a sync that is left to its members one by one */
	struct matching matching;
};

static uint32_t new_unit(struct units *n)
{
	n->partner[n->count] = UNIT_NONE;
	n->receives[n->count] = n->syncs[n->count] = false;
	return n->count++;
}

static uint32_t event_unit(struct unfolding *u, struct units *n, size_t place, uint32_t event)
{
	uint32_t side = u->side_of[event], unit = n->count;
	if (side == NO_SIDE || n->cut[place])
		return new_unit(n);
	const struct event *e = dictionary_get_event(u->dictionary, event);
	bool sync = e->kind == EVENT_SYNC;
	struct at_side *at = &u->at[side];
	uint32_t owner = matching_owner(&n->matching, &u->channel[u->sides.channel_of[side]].pieces, &at->stand,
		at->count, sync ? e->peer : 0, unit);
	if (sync && owner != unit)
		return owner;
	new_unit(n);
	n->receives[unit] = e->kind == EVENT_RECV;
	n->syncs[unit] = sync;
	if (owner != unit) {
		n->partner[unit] = owner;
		n->partner[owner] = unit;
	}
	return unit;
}

/* The unit of each component of the loop in this body. */
static uint32_t loop_unit(struct unfolding *u, struct units *n, struct unfold_item item, uint32_t **unit_of_component)
{
	const struct made_loop *l = &u->loop[item.statement];
	uint32_t **units = &unit_of_component[item.statement];
	if (!*units) {
		*units = mem_array(l->components, sizeof **units);
		memset(*units, 0xff, l->components * sizeof **units);
	}
	uint32_t *unit = &(*units)[l->part[item.part].component];
	if (*unit == NONE)
		*unit = new_unit(n);
	return *unit;
}

/* What follows on its strand comes later on its channel. */
static void count_item(struct unfolding *u, const struct unfold_item *item)
{
	struct unfold_flow single;
	size_t flows;
	const struct unfold_flow *flow = unfold_flows(u, item, &single, &flows);
	for (size_t k = 0; k < flows; k++)
		u->at[flow[k].side].count += flow[k].count;
}

static void uncount_item(struct unfolding *u, const struct unfold_item *item)
{
	struct unfold_flow single;
	size_t flows;
	const struct unfold_flow *flow = unfold_flows(u, item, &single, &flows);
	for (size_t k = 0; k < flows; k++) {
		u->at[flow[k].side] = (struct at_side){0, MATCHING_NONE};
		u->channel[u->sides.channel_of[flow[k].side]].pieces = MATCHING_NONE;
	}
}

/* first: the statement from which unit_of_component counts. */
static void number_units(struct unfolding *u, const struct strands *s, struct units *n, uint32_t **unit_of_component)
{
	n->count = 0;
	matching_empty(&n->matching);
	for (uint32_t k = 0; k < s->count; k++)
		for (size_t i = s->first[k]; i < s->first[k + 1]; i++) {
			const struct unfold_item *item = &s->item[i];
			n->of[i] = item->event == NONE ? loop_unit(u, n, *item, unit_of_component)
						       : event_unit(u, n, i, item->event);
			count_item(u, item);
		}
	for (size_t i = 0; i < s->first[s->count]; i++)
		uncount_item(u, &s->item[i]);
}

static struct units units_for(const struct strands *s)
{
	size_t places = s->first[s->count];
	return (struct units){.of = mem_array(places, sizeof(uint32_t)),
		.partner = mem_array(places, sizeof(uint32_t)),
		.receives = mem_array(places, 1),
		.syncs = mem_array(places, 1),
		.cut = mem_zero(places)};
}

static void units_clear(struct units *n)
{
	free(n->of);
	free(n->partner);
	free(n->receives);
	free(n->syncs);
	free(n->cut);
	matching_clear(&n->matching);
}

/* ------------------------------------------------------------------ a body in order */

static uint32_t met_event(
	struct unfolding *u, uint32_t event, const struct strands *s, const uint32_t *strand, size_t members)
{
	if (members == 1)
		return event;
	struct ranks who = {0};
	for (size_t k = 0; k < members; k++)
		ranks_add(&who, s->process[strand[k]]);
	struct event e = *dictionary_get_event(u->dictionary, event);
	e.process = dictionary_ranks(u->dictionary, &who);
	ranks_clear(&who);
	return dictionary_event(u->dictionary, &e);
}

/* The strands of each unit, ascending. */
static uint32_t *members_of_units(const struct strands *s, const struct units *n, size_t *first)
{
	size_t places = s->first[s->count];
	uint32_t *member = mem_array(places, sizeof *member);
	memset(first, 0, (n->count + 2) * sizeof *first);
	for (size_t i = 0; i < places; i++)
		first[n->of[i] + 2]++;
	for (uint32_t k = 0; k < n->count; k++)
		first[k + 2] += first[k + 1];
	for (uint32_t k = 0; k < s->count; k++)
		for (size_t i = s->first[k]; i < s->first[k + 1]; i++)
			member[first[n->of[i] + 1]++] = k;
	return member;
}

static uint32_t order_units(
	struct unfolding *u, const struct strands *s, struct units *n, uint32_t **unit_of_component, uint32_t *order)
{
	size_t places = s->first[s->count];
	bool *in_cycle = mem_array(places, 1);
	uint32_t listed;
	for (;;) {
		number_units(u, s, n, unit_of_component);
		struct listing system = {s->count, n->count, s->first, n->of, n->partner, n->receives};
		listed = listing_order(&system, order, in_cycle);
		if (listed || !places)
			break;
		bool cut = false;
		for (size_t i = 0; i < places; i++)
			if (in_cycle[n->of[i]] && n->syncs[n->of[i]])
				cut = n->cut[i] = true;
		assert(cut);
		(void)cut;
		for (uint32_t k = 0; k < s->count; k++)
			for (size_t i = s->first[k]; i < s->first[k + 1]; i++)
				if (s->item[i].event == NONE) {
					free(unit_of_component[s->item[i].statement]);
					unit_of_component[s->item[i].statement] = NULL;
				}
	}
	free(in_cycle);
	return listed;
}

/* component: by strand. */
struct unfold_listing unfold_list(struct unfolding *u, const struct strands *s, const uint32_t *component,
	uint32_t components, uint32_t **unit_of_component)
{
	struct units n = units_for(s);
	size_t places = s->first[s->count];
	uint32_t *order = mem_array(places, sizeof *order);
	uint32_t listed = order_units(u, s, &n, unit_of_component, order);
	size_t *first = mem_array(n.count + 2, sizeof *first),
	       *place_of_unit = mem_array(n.count, sizeof *place_of_unit);
	uint32_t *member = members_of_units(s, &n, first);
	for (size_t i = 0; i < places; i++)
		place_of_unit[n.of[i]] = i;
	struct unfold_listing l = {mem_array(listed, sizeof *l.node), mem_zero((components + 2) * sizeof *l.first)};
	for (uint32_t i = 0; i < listed; i++)
		l.first[component[member[first[order[i]]]] + 2]++;
	for (uint32_t k = 0; k < components; k++)
		l.first[k + 2] += l.first[k + 1];
	for (uint32_t i = 0; i < listed; i++) {
		uint32_t unit = order[i];
		const struct unfold_item *item = &s->item[place_of_unit[unit]];
		const struct made_loop *loop = item->event == NONE ? &u->loop[item->statement] : NULL;
		size_t members = first[unit + 1] - first[unit];
		size_t x =
			loop ? loop->node[loop->part[item->part].component]
			     : unfold_node(u,
				       (struct made_node){.origin = item->statement,
					       .event = met_event(u, item->event, s, member + first[unit], members)});
		l.node[l.first[component[member[first[unit]]] + 1]++] = x;
	}
	free(order);
	free(first);
	free(place_of_unit);
	free(member);
	units_clear(&n);
	return l;
}
