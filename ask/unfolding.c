/*
 * unfolding.c -- bodies taken apart into strands, iteration by iteration where these differ.
 */
#include "ask/unfolding.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ask/unfolding_work.h"
#include "base/mem.h"
#include "base/union_find.h"
#include "model/module_address.h"

/* A process that executes what is looked at, and its strand. */
struct member {
	uint32_t process, strand;
};

struct members {
	struct member *member;
	uint32_t count;
};

uint32_t add_construct(struct plain_making *u, struct construct c)
{
	c.unit = NO_LOOP;
	*MEM_PUSH(u->construct, u->constructs, u->construct_capacity) = c;
	return (uint32_t)u->constructs - 1;
}

static bool is_lost(const struct plain_making *u)
{
	return u->too_much || u->at.failure;
}

static void spend(struct plain_making *u, size_t line)
{
	u->too_much = u->too_much || !u->left;
	u->left -= u->left > 0;
	u->failed = line;
}

static void set_process(struct plain_making *u, uint32_t process)
{
	size_t depth = u->at.depth;
	enum failure failure = u->at.failure;
	environment_set(&u->at, process);
	u->at.depth = depth;
	u->at.failure = failure;
}

/* ------------------------------------------------------------------ channels */

uint32_t side_of(struct plain_making *u, uint32_t channel, uint32_t who)
{
	uint32_t key[] = {channel, who}, known = intern_count(u->sides), id = intern_id(u->sides, key, sizeof key);
	size_t channels = u->channel_capacity;
	if (id < known)
		return id;
	u->side = mem_grow(u->side, &u->side_capacity, (size_t)id + 1, sizeof *u->side);
	u->side[id] = (struct plain_side){channel, who, 0, MATCHING_NONE};
	u->channel = mem_grow(u->channel, &u->channel_capacity, (size_t)channel + 1, sizeof *u->channel);
	for (; channels < u->channel_capacity; channels++)
		u->channel[channels] = (struct channel_use){.pieces = MATCHING_NONE, .user = {NO_LOOP, NO_LOOP}};
	u->channel[channel].collective = ends_is_collective(&u->ends, channel);
	return id;
}

static size_t add_flow(struct plain_making *u, uint32_t side, uint64_t count)
{
	*MEM_PUSH(u->flow, u->flows, u->flow_capacity) = (struct passage){side, count};
	return u->flows - 1;
}

/* Without attributes: numbers for all that it says. */
static node_id plain_event(struct plain_making *u, node_id id, uint32_t channel)
{
	const struct node *e = node_of(u->s, id);
	node_id kid[COLUMNS] = {0};
	for (uint32_t k = COLUMN_PEER; k < COLUMNS; k++)
		kid[k] = k == COLUMN_GROUP || !e->kid[k] ? e->kid[k]
							 : number_constant(u->s, number_at(&u->at, e->kid[k]));
	enum node_kind group = (enum node_kind)node_of(u->s, kid[COLUMN_GROUP])->kind;
	if (kid[COLUMN_GROUP] && group != NODE_ALL && group != NODE_RANKS) {
		struct ranks members = ends_group(&u->ends, channel);
		kid[COLUMN_GROUP] = node_make(u->s, NODE_RANKS, 1, 0, store_ranks(u->s, &members), 0, NULL);
	}
	return node_make(u->s, NODE_EVENT, e->sub, e->word, 0, COLUMNS, kid);
}

/* ------------------------------------------------------------------ events */

static void put_item(struct body_items *to, uint32_t strand, struct strand_item item)
{
	struct own_items *s = &to->strand[strand];
	*MEM_PUSH(s->item, s->items, s->capacity) = item;
}

static void take_event(struct plain_making *u, struct body_items *to, node_id id, size_t line, struct member m)
{
	const struct node *e = node_of(u->s, id);
	set_process(u, m.process);
	if (!event_happens(&u->at, id))
		return;
	struct strand_item item = {.occurrence = to->occurrences, .loop = NO_LOOP, .line = line};
	enum event_match match = kind_rows[e->sub].match;
	uint32_t channel = match == MATCH_NONE ? ENDS_NONE : ends_channel(&u->ends, &u->at, id);
	spend(u, line);
	if (is_lost(u))
		return;
	item.event = plain_event(u, id, channel);
	if (match != MATCH_NONE) {
		node_id root = node_kid(u->s, item.event, COLUMN_ROOT);
		item.flow = add_flow(u, side_of(u, channel, match == MATCH_GROUP ? m.process : match == MATCH_IN), 1);
		item.flows = 1;
		item.key = match == MATCH_GROUP && root ? 1 + (uint32_t)node_of(u->s, root)->number : 0;
	}
	put_item(to, m.strand, item);
}

/* ------------------------------------------------------------------ components */

static void join(uint32_t *parent, uint32_t *user, uint32_t strand)
{
	if (*user != NO_LOOP)
		union_find_join(parent, *user, strand);
}

static void join_flow(struct plain_making *u, const struct passage *flow, uint32_t strand, uint32_t *parent)
{
	struct plain_side *side = &u->side[flow->side];
	struct channel_use *channel = &u->channel[side->channel];
	uint32_t own = channel->collective ? 0 : side->who;
	join(parent, &channel->user[channel->collective ? 0 : !own], strand);
	channel->user[own] = strand;
}

static void join_item(struct plain_making *u, const struct strand_item *item, uint32_t strand, uint32_t *parent)
{
	if (item->loop != NO_LOOP) {
		join(parent, &u->construct[item->loop].unit, strand);
		u->construct[item->loop].unit = strand;
	}
	for (size_t k = 0; k < item->flows; k++)
		join_flow(u, &u->flow[item->flow + k], strand, parent);
}

static void leave_item(struct plain_making *u, const struct strand_item *item)
{
	if (item->loop != NO_LOOP)
		u->construct[item->loop].unit = NO_LOOP;
	for (size_t k = 0; k < item->flows; k++) {
		struct channel_use *channel = &u->channel[u->side[u->flow[item->flow + k].side].channel];
		channel->user[0] = channel->user[1] = NO_LOOP;
	}
}

/* By strand its component, numbered by their lowest strands. Gives how many. */
static uint32_t find_components(struct plain_making *u, const struct body_items *s, uint32_t *component)
{
	uint32_t components = 0, *number = mem_array(s->count, sizeof *number);
	union_find_start(component, s->count);
	for (uint32_t k = 0; k < s->count; k++)
		for (size_t i = 0; i < s->strand[k].items; i++)
			join_item(u, &s->strand[k].item[i], k, component);
	for (uint32_t k = 0; k < s->count; k++)
		for (size_t i = 0; i < s->strand[k].items; i++)
			leave_item(u, &s->strand[k].item[i]);
	for (uint32_t k = 0; k < s->count; k++) {
		uint32_t top = union_find_root(component, k);
		number[k] = top == k ? components++ : number[top];
	}
	memcpy(component, number, s->count * sizeof *component);
	free(number);
	return components;
}

/* ------------------------------------------------------------------ strands */

static struct body_items strands_of(const struct members *m)
{
	struct body_items s = {.strand = mem_zero((m->count + (size_t)1) * sizeof *s.strand), .count = m->count};
	for (uint32_t k = 0; k < m->count; k++)
		s.strand[k].process = m->member[k].process;
	return s;
}

/* Only those that have something. */
static void drop_idle(struct body_items *s)
{
	uint32_t kept = 0;
	for (uint32_t k = 0; k < s->count; k++)
		if (s->strand[k].items)
			s->strand[kept++] = s->strand[k];
	s->count = kept;
}

static void strands_clear(struct body_items *s)
{
	for (uint32_t k = 0; k < s->count; k++)
		free(s->strand[k].item);
	free(s->strand);
}

/* ------------------------------------------------------------------ loops */

static void expand(struct plain_making *, struct body_items *, node_id body, size_t line, const struct members *);

/* What passes in all iterations of a strand. */
static void add_flows(struct plain_making *u, const struct own_items *s, uint64_t times, struct strand_item *to)
{
	to->flow = u->flows;
	for (size_t i = 0; i < s->items; i++)
		for (size_t k = 0; k < s->item[i].flows; k++) {
			struct passage flow = u->flow[s->item[i].flow + k];
			if (!u->side[flow.side].count)
				add_flow(u, flow.side, 0);
			/* loops of no iterations have sides, too */
			u->side[flow.side].count += flow.count + !flow.count;
		}
	to->flows = u->flows - to->flow;
	for (size_t k = to->flow; k < u->flows; k++) {
		struct plain_side *side = &u->side[u->flow[k].side];
		u->flow[k].count = side->count * times;
		side->count = 0;
	}
}

static uint32_t strand_of(const struct members *m, uint32_t process)
{
	uint32_t low = 0, high = m->count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (m->member[middle].process < process)
			low = middle + 1;
		else
			high = middle;
	}
	return m->member[low].strand;
}

/* A loop for each component of these processes; one, without a set. */
static void keep_loop(struct plain_making *u, struct body_items *to, const struct node *loop, size_t line,
	int64_t trips, const struct members *m)
{
	struct body_items inside = strands_of(m);
	struct members own = {mem_array(m->count, sizeof *own.member), m->count};
	for (uint32_t k = 0; k < m->count; k++)
		own.member[k] = (struct member){m->member[k].process, k};
	u->at.index[u->at.depth++] = 0;
	expand(u, &inside, loop->kid[2], line + 1, &own);
	u->at.depth--;
	drop_idle(&inside);
	uint32_t *component = mem_zero((inside.count + (size_t)1) * sizeof *component), components = 1;
	if (loop->kid[0]) {
		components = find_components(u, &inside, component);
		inside.folded = true;
	}
	struct listed l = {0};
	if (!is_lost(u))
		l = list_strands(u, &inside, component, components);
	uint32_t first = (uint32_t)u->constructs;
	for (uint32_t k = 0; l.construct && k < components; k++) {
		size_t length = l.first[k + 1] - l.first[k];
		add_construct(u, (struct construct){.line = line,
					 .last = trips - 1,
					 .inside = mem_copy(l.construct + l.first[k], length * sizeof *l.construct),
					 .length = (uint32_t)length});
	}
	for (uint32_t k = 0; l.construct && k < inside.count; k++) {
		struct strand_item item = {
			.occurrence = to->occurrences + component[k], .loop = first + component[k], .line = line};
		add_flows(u, &inside.strand[k], (uint64_t)trips, &item);
		put_item(to, strand_of(m, inside.strand[k].process), item);
	}
	to->occurrences += components;
	free(l.construct);
	free(l.first);
	free(component);
	free(own.member);
	strands_clear(&inside);
}

/* These have the same count, as a function of indices. */
static void take_loop(struct plain_making *u, struct body_items *to, node_id id, size_t line, const struct members *m)
{
	const struct node *loop = node_of(u->s, id), *body = node_of(u->s, loop->kid[2]);
	set_process(u, m->member->process);
	int64_t trips = loop_trips(&u->at, id);
	bool function = node_of(u->s, loop->kid[1])->uses[FOR_ALL] & USES_INDICES,
	     asked = body->uses[FOR_CHANNEL] & USES_INDEX(0);
	if (is_lost(u) || (!trips && (asked || function || loop->uses[FOR_CHANNEL] & USES_INDICES)))
		return;
	if (!asked && !(function && trips <= 2)) {
		keep_loop(u, to, loop, line, trips, m);
		return;
	}
	for (int64_t i = 0; i < trips && !is_lost(u); i++) {
		spend(u, line);
		u->at.index[u->at.depth++] = i;
		expand(u, to, loop->kid[2], line + 1, m);
		u->at.depth--;
	}
}

static node_id number_of_process(const struct substitution *put, int64_t variable, uint32_t depth)
{
	const struct environment *at = put->context;
	(void)depth;
	return variable > VARIABLE_W
		       ? NODE_NONE
		       : number_constant(put->store, variable == VARIABLE_P ? at->p : at->axis[variable - VARIABLE_X]);
}

static node_id count_of_process(struct plain_making *u, node_id last, uint32_t process)
{
	struct substitution put = {.store = u->s, .of = number_of_process, .context = &u->at, .at = &u->at};
	if (!(node_of(u->s, last)->uses[FOR_ALL] & USES_PROCESS))
		return last;
	set_process(u, process);
	return substitute(&put, last, 0);
}

static void take_parts(struct plain_making *u, struct body_items *to, node_id id, size_t line, const struct members *m)
{
	node_id last = node_kid(u->s, id, 1), *count = mem_array(m->count, sizeof *count);
	struct members part = {mem_array(m->count, sizeof *part.member), 0};
	for (uint32_t k = 0; k < m->count; k++)
		count[k] = count_of_process(u, last, m->member[k].process);
	for (uint32_t k = 0; k < m->count; k++) {
		node_id own = count[k];
		part.count = 0;
		for (uint32_t j = k; own && j < m->count; j++) {
			if (count[j] != own)
				continue;
			part.member[part.count++] = m->member[j];
			count[j] = NODE_NONE;
		}
		if (part.count && !is_lost(u))
			take_loop(u, to, id, line, &part);
	}
	free(count);
	free(part.member);
}

static void take_guard(
	struct plain_making *u, struct body_items *to, const struct node *guard, size_t line, const struct members *m)
{
	struct members inside = {mem_array(m->count, sizeof *inside.member), 0};
	for (uint32_t k = 0; k < m->count; k++) {
		set_process(u, m->member[k].process);
		if (test_holds(&u->at, guard->kid[1]))
			inside.member[inside.count++] = m->member[k];
	}
	if (inside.count)
		expand(u, to, guard->kid[2], line + 1, &inside);
	free(inside.member);
}

/* Who has nothing inside does not ask how often. */
static bool has_some(struct plain_making *u, const struct node *statement, uint32_t process)
{
	size_t length = 1;
	if (statement->kid[0] && !run_has(u->run, statement->kid[0], process))
		return false;
	if (statement->kind != NODE_EVENT)
		run_projection(u->run, statement->kid[2], run_class(u->run, process), &length);
	return length;
}

static struct members members_in(struct plain_making *u, const struct node *statement, const struct members *m)
{
	struct members in = {mem_array(m->count, sizeof *in.member), 0};
	for (uint32_t k = 0; k < m->count; k++)
		if (has_some(u, statement, m->member[k].process))
			in.member[in.count++] = m->member[k];
	return in;
}

/* As deep as loops nest. */
static void expand(struct plain_making *u, struct body_items *to, node_id body, size_t line, const struct members *m)
{
	const struct node *n = node_of(u->s, body);
	for (uint32_t k = 0; k < n->kids && !is_lost(u); line += node_of(u->s, n->kid[k++])->lines) {
		const struct node *statement = node_of(u->s, n->kid[k]);
		struct members in = members_in(u, statement, m);
		if (statement->kid[0] && !node_of(u->s, statement->kid[0])->sub)
			to->folded = true;
		if (in.count && statement->kind == NODE_LOOP)
			take_parts(u, to, n->kid[k], line, &in);
		else if (in.count && statement->kind == NODE_GUARD)
			take_guard(u, to, statement, line, &in);
		for (uint32_t i = 0; statement->kind == NODE_EVENT && i < in.count && !is_lost(u); i++)
			take_event(u, to, n->kid[k], line, in.member[i]);
		to->occurrences += statement->kind == NODE_EVENT;
		free(in.member);
	}
}

/* ------------------------------------------------------------------ the whole */

static node_id write_construct(struct plain_making *u, struct making *making, uint32_t at)
{
	const struct construct *c = &u->construct[at];
	making_line(making, c->line);
	if (c->event)
		return c->event;
	node_id *kid = mem_array(c->length, sizeof *kid);
	for (uint32_t k = 0; k < c->length; k++)
		kid[k] = write_construct(u, making, c->inside[k]);
	node_id body = node_make(u->s, NODE_SEQUENCE, 0, 0, 0, c->length, kid);
	free(kid);
	return node_make(u->s, NODE_LOOP, 0, 0, 0, 3, (node_id[]){NODE_NONE, number_constant(u->s, c->last), body});
}

static void unfolding_clear(struct plain_making *u)
{
	for (size_t i = 0; i < u->constructs; i++)
		free(u->construct[i].inside);
	free(u->construct);
	free(u->flow);
	free(u->side);
	free(u->channel);
	free(u->at.index);
	intern_free(u->sides);
	matching_clear(&u->matching);
	ends_clear(&u->ends);
	run_free(u->run);
}

static void refuse(const struct plain_making *u, const struct module *from, struct error *error)
{
	struct text address = {0};
	module_address(from, u->failed, &address);
	error_set(error, ERROR_INPUT, "the program cannot be unfolded: at %s %s", address.data,
		u->too_much ? "it stands for too many statements that differ" : failure_text(u->at.failure));
	text_clear(&address);
}

struct module *module_unfold(const struct module *from, size_t **origin, struct error *error)
{
	struct making making = making_start(from);
	struct plain_making u = {
		.to = making.to, .s = making.to->store, .sides = intern_new_keys(2 * sizeof(uint32_t))};
	struct module *m = making.to;
	struct members all = {mem_array(m->processes, sizeof *all.member), m->processes};
	m->body = store_import(u.s, from->store, from->body);
	u.run = run_new(m, NULL);
	u.ends = ends_new(u.run);
	u.at = run_environment(u.run);
	u.at.index = mem_zero((node_of(u.s, m->body)->depth + (size_t)1) * sizeof *u.at.index);
	u.left = UNFOLDING_LIMIT + (uint64_t)from->lines * m->processes;
	for (uint32_t p = 0; p < m->processes; p++)
		all.member[p] = (struct member){p, p};
	struct body_items s = strands_of(&all);
	expand(&u, &s, m->body, 0, &all);
	drop_idle(&s);
	uint32_t *component = mem_zero((s.count + (size_t)1) * sizeof *component);
	struct construct whole = {0};
	bool good = !is_lost(&u);
	if (good) {
		struct listed l = list_strands(&u, &s, component, 1);
		whole.inside = l.construct;
		whole.length = (uint32_t)l.first[1];
		free(l.first);
	} else {
		refuse(&u, from, error);
	}
	node_id *kid = mem_array(whole.length, sizeof *kid);
	for (uint32_t k = 0; k < whole.length; k++)
		kid[k] = write_construct(&u, &making, whole.inside[k]);
	node_id body = node_make(u.s, NODE_SEQUENCE, 0, 0, 0, whole.length, kid);
	free(kid);
	free(whole.inside);
	free(component);
	free(all.member);
	strands_clear(&s);
	unfolding_clear(&u);
	m->grid.axes = 0;
	m = making_finish(&making, from, body, origin);
	notes_add_all(&m->notes, &from->notes);
	if (good)
		return m;
	module_free(m);
	if (origin)
		free(*origin);
	return NULL;
}
