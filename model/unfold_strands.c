/*
 * unfold_strands.c -- a body, taken apart into what each of its processes does: strands; and which
 * of them belong together, because they exchange messages or meet in syncs.
 */
#include "model/unfold.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/mem.h"
#include "base/union_find.h"

/* ------------------------------------------------------------------ sides and channels */

/* The sides of the events of one process that the dictionary has by now. */
void unfold_know_events(struct unfolding *u)
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
const struct unfold_flow *unfold_flows(
	const struct unfolding *u, const struct unfold_item *item, struct unfold_flow *single, size_t *flows)
{
	if (item->event != NONE) {
		*single = (struct unfold_flow){u->side_of[item->event], 1};
		*flows = single->side != NO_SIDE;
		return single;
	}
	const struct unfold_part *p = &u->loop[item->statement].part[item->part];
	*flows = p->past_flow - p->first_flow;
	return u->loop[item->statement].flow + p->first_flow;
}

/* The events of a statement, one per process, in the order of its set. */
uint32_t *unfold_events(struct unfolding *u, const struct statement *s)
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

/* Call visit for every process of every statement of a body, in order. */
static void each_item(struct unfolding *u, size_t from, size_t to, struct strands *s,
	void (*visit)(struct unfolding *, struct strands *, uint32_t process, struct unfold_item))
{
	for (size_t i = from; i < to; i += statement_size(&u->folded->statement[i])) {
		const struct statement *at = &u->folded->statement[i];
		if (statement_is_loop(at)) {
			for (uint32_t k = 0; k < u->loop[i].parts; k++)
				visit(u, s, u->loop[i].part[k].process, (struct unfold_item){i, NONE, k});
			continue;
		}
		struct ranks_run single;
		struct ranks who = program_processes(u->folded, at, &single);
		struct ranks_walk walk = {0};
		size_t k = 0;
		for (uint32_t p; ranks_next(&who, &walk, &p); k++)
			visit(u, s, p, (struct unfold_item){i, u->event[i][k], 0});
	}
}

static void meet_item(struct unfolding *u, struct strands *s, uint32_t process, struct unfold_item item)
{
	(void)item;
	meet_process(u, s, process);
}

static void put_item(struct unfolding *u, struct strands *s, uint32_t process, struct unfold_item item)
{
	s->item[s->first[u->strand_of[process]]++] = item;
}

/* Afterwards strand_of says the strand of each process + 1, until unfold_strands_clear. */
struct strands unfold_strands(struct unfolding *u, size_t from, size_t to)
{
	struct strands s = {0};
	each_item(u, from, to, &s, meet_item);
	s.process = mem_array(s.count, sizeof *s.process);
	memcpy(s.process, u->process_met, s.count * sizeof *s.process);
	if (s.count)
		qsort(s.process, s.count, sizeof *s.process, compare_u32);
	s.first = mem_zero((s.count + 2) * sizeof *s.first);
	for (uint32_t k = 0; k < s.count; k++) {
		s.first[k + 2] = s.first[k + 1] + u->strand_of[s.process[k]];
		u->strand_of[s.process[k]] = k + 1;
	}
	s.item = mem_array(s.first[s.count + 1], sizeof *s.item);
	each_item(u, from, to, &s, put_item); /* moves first[k + 1] from the start of strand k to its end */
	return s;
}

void unfold_strands_clear(struct unfolding *u, struct strands *s)
{
	for (uint32_t k = 0; k < s->count; k++)
		u->strand_of[s->process[k]] = 0;
	free(s->process);
	free(s->first);
	free(s->item);
}

/* ------------------------------------------------------------------ components */

/* A loop inside is one loop, whatever its processes do to be one. */
static void join_loop(const struct unfolding *u, const struct unfold_item *item, uint32_t strand, uint32_t *parent)
{
	const struct made_loop *l = &u->loop[item->statement];
	if (item->event == NONE)
		union_find_join(parent, u->strand_of[l->first[l->part[item->part].component]] - 1, strand);
}

/* A body may use few of all channels: what it used is cleared behind it. */
static void join_item(
	struct unfolding *u, const struct unfold_item *item, uint32_t strand, uint32_t *parent, bool clear)
{
	struct unfold_flow single;
	size_t flows;
	const struct unfold_flow *flow = unfold_flows(u, item, &single, &flows);
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
uint32_t unfold_components(struct unfolding *u, const struct strands *s, uint32_t *component)
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

/* ------------------------------------------------------------------ parts of loops */

/* The flow of one process through all iterations. */
static void add_flows(struct unfolding *u, const struct unfold_item *item, size_t items, uint64_t count,
	struct made_loop *l, size_t *flows, size_t *capacity)
{
	size_t first = *flows;
	for (size_t i = 0; i < items; i++) {
		struct unfold_flow single;
		size_t more;
		const struct unfold_flow *flow = unfold_flows(u, &item[i], &single, &more);
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

void unfold_parts(
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
		l->part[k] = (struct unfold_part){s->process[k], component[k], first, flows};
	}
}
