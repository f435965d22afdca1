/*
 * unfold.c -- from statements over sets of ranks to the plain ones that they stand for.
 *
 * Loops are made innermost first. The processes of a loop over a set fall into the components in
 * which they exchange messages or meet in syncs inside it (union-find over the channels of its
 * body): each becomes a loop of its own. A body is taken apart into strands, one per process; units
 * are the single events, the loops, and the syncs with the same number on the same channel, all
 * members in one. What syncs would close a cycle are left to their members one by one. listing.h
 * puts the units in order.
 *
 * What is made is a tree until all is known: bodies are lists of its nodes, and a loop that several
 * bodies have is one node. Each node knows the statement that it came from.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/union_find.h"
#include "model/program.h"
#include "model/instances.h"
#include "model/listing.h"
#include "model/matching.h"
#include "model/sides.h"

/* Statements of loops whose index is used that are written out, counted for each of their
   processes: each takes some 250 bytes. */
#define UNFOLD_LIMIT (UINT64_C(1) << 22)

#define NONE UINT32_MAX

/* Messages (syncs) of one side. */
struct flow {
	uint32_t side;
	uint64_t count;
};

/* What one process has of a loop. */
struct part {
	uint32_t process, component;
	size_t first_flow, past_flow; /* in all iterations */
};

struct made_loop {
	struct part *part; /* ascending processes */
	uint32_t parts, components;
	size_t *node; /* by component */
	uint32_t *first; /* by component: its lowest process */
	struct flow *flow;
};

struct item {
	size_t statement;
	uint32_t event; /* NONE: a loop */
	uint32_t part;
};

/* A construct of the plain program: an event, or a loop over nodes of the list of children. */
struct made_node {
	size_t origin; /* statement */
	uint32_t event; /* NONE: a loop */
	uint64_t count;
	size_t first, length;
};

/* How much has passed on a side; where it stands in the matching of a body. */
struct at_side {
	uint64_t count;
	uint32_t stand;
};

struct on_channel {
	uint32_t pieces; /* in the matching of a body */
	struct match_users users; /* strands */
};

struct strands {
	uint32_t *process; /* ascending */
	uint32_t count;
	size_t *first; /* by strand, and one more */
	struct item *item;
};

struct unfolding {
	const struct program *folded;
	struct dictionary *dictionary;
	struct made_node *node;
	size_t nodes, node_capacity;
	size_t *child; /* of all loops */
	size_t children, child_capacity;
	bool relist; /* bodies of plain statements too */
	uint32_t **event; /* by statement: its event on each of its processes */
	struct made_loop *loop; /* by statement */
	uint32_t *side_of; /* by event, for those met so far */
	size_t side_capacity, known;
	struct sides sides;
	/* Scratch, clean between uses. */
	struct at_side *at; /* by side */
	struct on_channel *channel;
	size_t at_capacity, channel_capacity;
	uint32_t *strand_of; /* by process: 1 + its strand */
	uint32_t *process_met;
};

static bool is_folded_body(const struct program *f, size_t from, size_t to)
{
	for (size_t i = from; i < to; i += statement_size(&f->statement[i]))
		if (f->statement[i].set != STATEMENT_PLAIN)
			return true;
	return false;
}

/* ------------------------------------------------------------------ nodes */

static size_t new_node(struct unfolding *u, struct made_node n)
{
	u->node = mem_grow(u->node, &u->node_capacity, u->nodes + 1, sizeof *u->node);
	u->node[u->nodes] = n;
	return u->nodes++;
}

static size_t new_loop(struct unfolding *u, size_t origin, uint64_t count, const size_t *body, size_t length)
{
	struct made_node n = {.origin = origin, .event = NONE, .count = count, .first = u->children, .length = length};
	u->child = mem_grow(u->child, &u->child_capacity, u->children + length, sizeof *u->child);
	if (length)
		memcpy(u->child + u->children, body, length * sizeof *body);
	u->children += length;
	return new_node(u, n);
}

/* ------------------------------------------------------------------ sides and channels */

/* The sides of the events of one process that the dictionary has by now. */
static void know_events(struct unfolding *u)
{
	struct sides *sides = &u->sides;
	for (; u->known < dictionary_events(u->dictionary); u->known++) {
		struct ranks_run single;
		struct ranks who = event_processes(u->dictionary, (uint32_t)u->known, &single);
		bool alone = ranks_count(&who) == 1;
		u->side_of = mem_grow(u->side_of, &u->side_capacity, u->known + 1, sizeof *u->side_of);
		u->side_of[u->known] = alone ? sides_of(sides, (uint32_t)u->known, who.run->first) : NO_SIDE;
	}
	size_t before = u->at_capacity, channels = u->channel_capacity;
	u->at = mem_grow(u->at, &u->at_capacity, sides_count(sides), sizeof *u->at);
	for (size_t side = before; side < u->at_capacity; side++)
		u->at[side] = (struct at_side){0, MATCHING_NONE};
	u->channel = mem_grow(u->channel, &u->channel_capacity, sides_channels(sides), sizeof *u->channel);
	for (size_t k = channels; k < u->channel_capacity; k++)
		u->channel[k] = (struct on_channel){MATCHING_NONE, MATCH_USERS_NONE};
}

/* The sides that an item uses, on any level. */
static const struct flow *flows_of(
	const struct unfolding *u, const struct item *item, struct flow *single, size_t *flows)
{
	if (item->event != NONE) {
		*single = (struct flow){u->side_of[item->event], 1};
		*flows = single->side != NO_SIDE;
		return single;
	}
	const struct part *p = &u->loop[item->statement].part[item->part];
	*flows = p->past_flow - p->first_flow;
	return u->loop[item->statement].flow + p->first_flow;
}

/* The events of a statement, one per process, in the order of its set. */
static uint32_t *statement_events(struct unfolding *u, const struct statement *s)
{
	struct ranks_run single;
	struct ranks who = program_processes(u->folded, s, &single);
	uint32_t *event = mem_array(ranks_count(&who), sizeof *event);
	size_t k = 0;
	struct ranks_walk walk = {0};
	struct form form = {0};
	if (s->set != STATEMENT_PLAIN)
		form = program_get_form(u->folded, s->event);
	for (uint32_t p; ranks_next(&who, &walk, &p); k++)
		event[k] = s->set == STATEMENT_PLAIN ? event_as(u->dictionary, s->event, p)
						     : program_event(u->folded, &form, p);
	return event;
}

/* ------------------------------------------------------------------ strands */

static void meet_process(struct unfolding *u, struct strands *s, uint32_t process)
{
	if (!u->strand_of[process]++)
		u->process_met[s->count++] = process;
}

static int by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

/* Call visit for every process of every statement of a body, in order. */
static void each_item(struct unfolding *u, size_t from, size_t to, struct strands *s,
	void (*visit)(struct unfolding *, struct strands *, uint32_t process, struct item))
{
	for (size_t i = from; i < to; i += statement_size(&u->folded->statement[i])) {
		const struct statement *at = &u->folded->statement[i];
		if (statement_is_loop(at)) {
			for (uint32_t k = 0; k < u->loop[i].parts; k++)
				visit(u, s, u->loop[i].part[k].process, (struct item){i, NONE, k});
			continue;
		}
		struct ranks_run single;
		struct ranks who = program_processes(u->folded, at, &single);
		struct ranks_walk walk = {0};
		size_t k = 0;
		for (uint32_t p; ranks_next(&who, &walk, &p); k++)
			visit(u, s, p, (struct item){i, u->event[i][k], 0});
	}
}

static void meet_item(struct unfolding *u, struct strands *s, uint32_t process, struct item item)
{
	(void)item;
	meet_process(u, s, process);
}

static void put_item(struct unfolding *u, struct strands *s, uint32_t process, struct item item)
{
	s->item[s->first[u->strand_of[process]]++] = item;
}

/* Afterwards strand_of says the strand of each process + 1, until strands_clear. */
static struct strands strands_of(struct unfolding *u, size_t from, size_t to)
{
	struct strands s = {0};
	each_item(u, from, to, &s, meet_item);
	s.process = mem_array(s.count, sizeof *s.process);
	memcpy(s.process, u->process_met, s.count * sizeof *s.process);
	if (s.count)
		qsort(s.process, s.count, sizeof *s.process, by_number);
	s.first = mem_zero((s.count + 2) * sizeof *s.first);
	for (uint32_t k = 0; k < s.count; k++) {
		s.first[k + 2] = s.first[k + 1] + u->strand_of[s.process[k]];
		u->strand_of[s.process[k]] = k + 1;
	}
	s.item = mem_array(s.first[s.count + 1], sizeof *s.item);
	each_item(u, from, to, &s, put_item); /* moves first[k + 1] from the start of strand k to its end */
	return s;
}

static void strands_clear(struct unfolding *u, struct strands *s)
{
	for (uint32_t k = 0; k < s->count; k++)
		u->strand_of[s->process[k]] = 0;
	free(s->process);
	free(s->first);
	free(s->item);
}

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
static uint32_t loop_unit(struct unfolding *u, struct units *n, struct item item, uint32_t **unit_of_component)
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
static void count_item(struct unfolding *u, const struct item *item)
{
	struct flow single;
	size_t flows;
	const struct flow *flow = flows_of(u, item, &single, &flows);
	for (size_t k = 0; k < flows; k++)
		u->at[flow[k].side].count += flow[k].count;
}

static void uncount_item(struct unfolding *u, const struct item *item)
{
	struct flow single;
	size_t flows;
	const struct flow *flow = flows_of(u, item, &single, &flows);
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
			const struct item *item = &s->item[i];
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

/* A listing, distributed to the components of its processes. */
struct listed {
	size_t *node;
	size_t *first; /* by component, and one more */
};

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
static struct listed list_strands(struct unfolding *u, const struct strands *s, const uint32_t *component,
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
	struct listed l = {mem_array(listed, sizeof *l.node), mem_zero((components + 2) * sizeof *l.first)};
	for (uint32_t i = 0; i < listed; i++)
		l.first[component[member[first[order[i]]]] + 2]++;
	for (uint32_t k = 0; k < components; k++)
		l.first[k + 2] += l.first[k + 1];
	for (uint32_t i = 0; i < listed; i++) {
		uint32_t unit = order[i];
		const struct item *item = &s->item[place_of_unit[unit]];
		const struct made_loop *loop = item->event == NONE ? &u->loop[item->statement] : NULL;
		size_t members = first[unit + 1] - first[unit];
		size_t x =
			loop ? loop->node[loop->part[item->part].component]
			     : new_node(u,
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

/* ------------------------------------------------------------------ components */

/* A loop inside is one loop, whatever its processes do to be one. */
static void join_loop(const struct unfolding *u, const struct item *item, uint32_t strand, uint32_t *parent)
{
	const struct made_loop *l = &u->loop[item->statement];
	if (item->event == NONE)
		union_find_join(parent, u->strand_of[l->first[l->part[item->part].component]] - 1, strand);
}

/* A body may use few of all channels: what it used is cleared behind it. */
static void join_item(struct unfolding *u, const struct item *item, uint32_t strand, uint32_t *parent, bool clear)
{
	struct flow single;
	size_t flows;
	const struct flow *flow = flows_of(u, item, &single, &flows);
	for (size_t j = 0; j < flows; j++) {
		struct match_users *users = &u->channel[u->sides.channel_of[flow[j].side]].users;
		if (clear)
			*users = MATCH_USERS_NONE;
		else
			match_users_join(users, sides_kind(&u->sides, flow[j].side), strand, parent);
	}
}

static void join_strands(struct unfolding *u, const struct strands *s, uint32_t *parent)
{
	for (uint32_t k = 0; k < s->count; k++)
		for (size_t i = s->first[k]; i < s->first[k + 1]; i++) {
			join_loop(u, &s->item[i], k, parent);
			join_item(u, &s->item[i], k, parent, false);
		}
	for (uint32_t k = 0; k < s->count; k++)
		for (size_t i = s->first[k]; i < s->first[k + 1]; i++)
			join_item(u, &s->item[i], k, parent, true);
}

/* By strand: its component, numbered by their lowest strands. Returns how many. */
static uint32_t components_of(struct unfolding *u, const struct strands *s, uint32_t *component)
{
	union_find_start(component, s->count);
	join_strands(u, s, component);
	uint32_t components = 0, *number = mem_array(s->count, sizeof *number);
	for (uint32_t k = 0; k < s->count; k++) {
		uint32_t top = union_find_root(component, k);
		number[k] = top == k ? components++ : number[top];
	}
	memcpy(component, number, s->count * sizeof *component);
	free(number);
	return components;
}

/* ------------------------------------------------------------------ loops */

/* The flow of one process through all iterations. */
static void add_flows(struct unfolding *u, const struct item *item, size_t items, uint64_t count, struct made_loop *l,
	size_t *flows, size_t *capacity)
{
	size_t first = *flows;
	for (size_t i = 0; i < items; i++) {
		struct flow single;
		size_t more;
		const struct flow *flow = flows_of(u, &item[i], &single, &more);
		for (size_t j = 0; j < more; j++) {
			if (!u->at[flow[j].side].count) {
				l->flow = mem_grow(l->flow, capacity, *flows + 1, sizeof *l->flow);
				l->flow[(*flows)++].side = flow[j].side;
			}
			/* loops of no iterations have sides, too */
			u->at[flow[j].side].count += flow[j].count + !flow[j].count;
		}
	}
	for (size_t k = first; k < *flows; k++) {
		l->flow[k].count = u->at[l->flow[k].side].count * count;
		u->at[l->flow[k].side].count = 0;
	}
}

static void make_parts(
	struct unfolding *u, const struct strands *s, const uint32_t *component, uint64_t count, struct made_loop *l)
{
	size_t flows = 0, capacity = 0;
	l->parts = s->count;
	l->part = mem_array(s->count, sizeof *l->part);
	l->first = mem_array(l->components, sizeof *l->first);
	memset(l->first, 0xff, l->components * sizeof *l->first);
	for (uint32_t k = 0; k < s->count; k++) {
		if (l->first[component[k]] == NONE)
			l->first[component[k]] = s->process[k];
		size_t first = flows;
		add_flows(u, s->item + s->first[k], s->first[k + 1] - s->first[k], count, l, &flows, &capacity);
		l->part[k] = (struct part){s->process[k], component[k], first, flows};
	}
}

/* The constructs of a body of plain statements, as they stand. */
static size_t *plain_listing(struct unfolding *u, size_t from, size_t to, size_t *length)
{
	size_t *listing = mem_array(to - from, sizeof *listing);
	*length = 0;
	for (size_t i = from; i < to; i += statement_size(&u->folded->statement[i])) {
		const struct statement *s = &u->folded->statement[i];
		listing[(*length)++] = statement_is_loop(s)
					       ? u->loop[i].node[0]
					       : new_node(u, (struct made_node){.origin = i, .event = s->event});
	}
	return listing;
}

/* Loops that nobody executes anything of are in no strand: they come first. */
static void add_empty(struct unfolding *u, size_t from, size_t to, struct listed *l)
{
	size_t empty = 0, listed = l->first[1];
	for (size_t i = from; i < to; i += statement_size(&u->folded->statement[i]))
		empty += statement_is_loop(&u->folded->statement[i]) && !u->loop[i].parts && u->loop[i].components;
	if (!empty)
		return;
	size_t *all = mem_array(listed + empty, sizeof *all);
	size_t at = 0;
	for (size_t i = from; i < to; i += statement_size(&u->folded->statement[i]))
		if (statement_is_loop(&u->folded->statement[i]) && !u->loop[i].parts && u->loop[i].components)
			all[at++] = u->loop[i].node[0];
	memcpy(all + at, l->node, listed * sizeof *all);
	free(l->node);
	l->node = all;
	l->first[1] = listed + empty;
}

/* One body as one listing, if it belongs together whatever its processes do. */
static struct listed list_whole(
	struct unfolding *u, size_t from, size_t to, const struct strands *s, uint32_t **unit_of_component)
{
	uint32_t *component = mem_zero(s->count * sizeof *component);
	struct listed l;
	if (u->relist || is_folded_body(u->folded, from, to)) {
		l = list_strands(u, s, component, 1, unit_of_component);
		add_empty(u, from, to, &l);
	} else {
		l.first = mem_zero(2 * sizeof *l.first);
		l.node = plain_listing(u, from, to, &l.first[1]);
	}
	free(component);
	return l;
}

static void make_loop(struct unfolding *u, size_t at, uint32_t **unit_of_component)
{
	const struct statement *loop = &u->folded->statement[at];
	struct made_loop *made = &u->loop[at];
	size_t from = at + 1, to = at + loop->size;
	struct strands s = strands_of(u, from, to);
	uint32_t *component = mem_zero(s.count * sizeof *component);
	bool whole = loop->set == STATEMENT_PLAIN;
	struct listed l;
	if (whole) {
		made->components = 1;
		l = list_whole(u, from, to, &s, unit_of_component);
	} else {
		made->components = components_of(u, &s, component);
		l = list_strands(u, &s, component, made->components, unit_of_component);
	}
	made->node = mem_array(made->components, sizeof *made->node);
	for (uint32_t k = 0; k < made->components; k++)
		made->node[k] = new_loop(u, at, loop->count, l.node + l.first[k], l.first[k + 1] - l.first[k]);
	make_parts(u, &s, component, loop->count, made);
	free(component);
	free(l.node);
	free(l.first);
	strands_clear(u, &s);
}

static void clear_made(struct made_loop *l)
{
	free(l->part);
	free(l->node);
	free(l->first);
	free(l->flow);
	*l = (struct made_loop){0};
}

/* Statements below are done with, once the loop around them is made. */
static void forget(struct unfolding *u, size_t from, size_t to, uint32_t **unit_of_component)
{
	for (size_t i = from; i < to; i++) {
		clear_made(&u->loop[i]);
		free(u->event[i]);
		free(unit_of_component[i]);
		u->event[i] = unit_of_component[i] = NULL;
	}
}

/* Recursion as deep as loops nest. */
static void make_body(struct unfolding *u, size_t from, size_t to, uint32_t **unit_of_component)
{
	for (size_t i = from; i < to; i += statement_size(&u->folded->statement[i])) {
		const struct statement *s = &u->folded->statement[i];
		if (statement_is_loop(s)) {
			make_body(u, i + 1, i + s->size, unit_of_component);
			make_loop(u, i, unit_of_component);
			forget(u, i + 1, i + s->size, unit_of_component);
		} else {
			u->event[i] = statement_events(u, s);
		}
	}
	know_events(u);
}

/* ------------------------------------------------------------------ as a program */

/* What is made, and where each of its statements came from. */
struct plain {
	struct program *program;
	size_t *origin, capacity;
	const size_t *source; /* by statement of what was unfolded: NULL: as it is */
};

static void note_origin(struct plain *to, size_t statement)
{
	to->origin = mem_grow(to->origin, &to->capacity, to->program->length, sizeof *to->origin);
	to->origin[to->program->length - 1] = to->source ? to->source[statement] : statement;
}

/* Recursion as deep as loops nest. */
static void write_node(const struct unfolding *u, const struct made_node *n, struct plain *to)
{
	if (n->event != NONE) {
		program_add(to->program, STATEMENT_PLAIN, n->event);
		note_origin(to, n->origin);
		return;
	}
	size_t loop = program_open(to->program, STATEMENT_PLAIN, n->count);
	note_origin(to, n->origin);
	for (size_t i = 0; i < n->length; i++)
		write_node(u, &u->node[u->child[n->first + i]], to);
	program_close(to->program, loop);
}

static void unfold_root(struct unfolding *u, struct plain *to)
{
	size_t length = u->folded->length;
	uint32_t **unit_of_component = mem_zero(length * sizeof *unit_of_component);
	make_body(u, 0, length, unit_of_component);
	struct strands s = strands_of(u, 0, length);
	struct listed l = list_whole(u, 0, length, &s, unit_of_component);
	for (size_t i = 0; i < l.first[1]; i++)
		write_node(u, &u->node[l.node[i]], to);
	free(l.node);
	free(l.first);
	strands_clear(u, &s);
	forget(u, 0, length, unit_of_component);
	free(unit_of_component);
}

/* Statements none of which has a set, nor depends on an index. */
static void copy_plain(const struct program *f, struct plain *to)
{
	for (size_t i = 0; i < f->length; i++) {
		const struct statement *s = &f->statement[i];
		program_add(to->program, STATEMENT_PLAIN, s->event);
		to->program->statement[i] = *s;
		to->program->statement[i].attributes = ATTRIBUTES_NONE;
		note_origin(to, i);
	}
}

static void unfold(const struct program *f, bool relist, struct plain *to)
{
	if (!relist && !program_is_folded(f)) {
		copy_plain(f, to);
		return;
	}
	struct unfolding u = {.folded = f,
		.dictionary = f->dictionary,
		.relist = relist,
		.event = mem_zero(f->length * sizeof *u.event),
		.loop = mem_zero(f->length * sizeof *u.loop),
		.strand_of = mem_zero(f->processes * sizeof *u.strand_of),
		.process_met = mem_array(f->processes, sizeof *u.process_met)};
	sides_start(&u.sides, f->dictionary);
	unfold_root(&u, to);
	free(u.node);
	free(u.child);
	free(u.event);
	free(u.loop);
	free(u.side_of);
	free(u.at);
	free(u.channel);
	free(u.strand_of);
	free(u.process_met);
	sides_end(&u.sides);
}

static bool refuse(const struct program *f, const struct instances_error *wrong, struct error *error)
{
	struct text address = {0};
	program_address(f, wrong->statement, &address);
	error_set(error, ERROR_INPUT, "the program cannot be unfolded: at %s %s", address.data, wrong->what);
	text_clear(&address);
	return false;
}

static struct program *unfolded(const struct program *source, bool relist, size_t **origin, struct error *error)
{
	struct program *f = program_copy(source);
	struct plain to = {.program = program_new()};
	struct instances_error wrong;
	size_t *instance_of = NULL;
	bool good = instances_write(f, UNFOLD_LIMIT, &instance_of, &wrong) || refuse(source, &wrong, error);
	to.source = instance_of;
	if (good) {
		unfold(f, relist, &to);
		program_adopt(to.program, f);
	} else {
		program_free(to.program);
		to.program = NULL;
	}
	if (origin && good) {
		*origin = to.origin;
		to.origin = NULL;
	}
	free(to.origin);
	free(instance_of);
	program_free(f);
	return to.program;
}

struct program *program_unfold(const struct program *source, size_t **origin, struct error *error)
{
	return unfolded(source, false, origin, error);
}

struct program *program_relist(const struct program *plain)
{
	struct error none;
	return unfolded(plain, true, NULL, &none);
}
