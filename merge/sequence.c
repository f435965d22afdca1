/*
 * sequence.c -- a topological order in which, of the nodes that may come next, the first one comes
 * that does not wait for a message of this body.
 */
#include "merge/sequence.h"

#include <stdlib.h>
#include <string.h>

#include "base/heap.h"
#include "base/intern.h"
#include "model/dictionary.h"

#define NONE UINT32_MAX

struct edge {
	uint32_t to, next; /* next: of the same node; NONE: the last */
};

struct sequencing {
	struct tree_builder *builder;
	struct tree_list list;
	struct edge *edge;
	size_t edges, capacity;
	uint32_t *first; /* by node: its edges, to those that come behind it */
	uint32_t *before; /* by node: how many edges lead to it */
	uint32_t *as, *next; /* by node: the one that it became part of, or itself; the next part */
	uint32_t *send; /* by node: of a receive, the node that it waits for; else NONE */
	uint32_t *waiting, *later; /* by node: the receives that wait for it; the next of those */
	bool *done;
	bool joined; /* for the sake of the price */
};

static bool has_match(const struct sequencing *s, uint32_t at, enum event_match match)
{
	const struct tree_node *n = s->list.node[at];
	return n->kind == TREE_EVENT && kind_rows[tree_shape(s->builder, n)->kind].match == match;
}

static void add_edge(struct sequencing *s, uint32_t from, uint32_t to)
{
	s->edge = mem_grow(s->edge, &s->capacity, s->edges + 1, sizeof *s->edge);
	s->edge[s->edges] = (struct edge){to, s->first[from]};
	s->first[from] = (uint32_t)s->edges++;
}

static void order_lanes(struct sequencing *s)
{
	uint32_t *last = mem_array(s->builder->lanes + (size_t)1, sizeof *last),
		 *seen = mem_array(s->list.length + 1, sizeof *seen);
	memset(last, 0xff, s->builder->lanes * sizeof *last);
	memset(seen, 0xff, s->list.length * sizeof *seen);
	for (uint32_t i = 0; i < s->list.length; i++) {
		struct lane_set set = tree_lanes(s->builder, s->list.node[i]->lanes);
		for (size_t k = 0; k < set.length; k++) {
			uint32_t from = last[set.lane[k]];
			last[set.lane[k]] = i;
			if (from == NONE || seen[from] == i)
				continue;
			seen[from] = i;
			add_edge(s, from, i);
		}
	}
	free(last);
	free(seen);
}

/* ------------------------------------------------------------------ who waits for whom */

struct message {
	uint32_t from, to, word;
	indexed tag;
};

/* The k-th lane's, if its peer is the same in all iterations. */
static bool message_of(const struct sequencing *s, uint32_t at, size_t k, struct message *m)
{
	const struct tree_node *n = s->list.node[at];
	const struct tree_shape *shape = tree_shape(s->builder, n);
	int64_t peer;
	if (!indexed_is_constant(s->builder->store, n->slot[0][k], &peer))
		return false;
	uint32_t own = s->builder->process[tree_lanes(s->builder, n->lanes).lane[k]];
	*m = (struct message){
		own, (uint32_t)peer, shape->word, shape->slots & 1 << SLOT_IS_TAG ? n->slot[1][k] : INDEXED_NONE};
	if (kind_receives(shape->kind)) {
		m->from = (uint32_t)peer;
		m->to = own;
	}
	return true;
}

/* Messages with the same ends and tag, in the order of the list. */
struct channel {
	uint32_t first, last; /* sends that no receive has taken; NONE: none */
};

struct sent {
	uint32_t node, next; /* next: of the same channel */
};

struct channels {
	struct intern *messages;
	struct channel *channel; /* by these */
	size_t capacity;
	struct sent *sent;
	size_t sends, sent_capacity;
};

static struct channel *channel_of(struct channels *c, const struct message *m)
{
	uint32_t known = intern_count(c->messages), id = intern_id(c->messages, m, sizeof *m);
	c->channel = mem_grow(c->channel, &c->capacity, (size_t)id + 1, sizeof *c->channel);
	if (id == known)
		c->channel[id] = (struct channel){NONE, NONE};
	return &c->channel[id];
}

static void add_sends(struct channels *c, const struct sequencing *s, uint32_t at)
{
	struct message m;
	for (size_t k = 0; k < tree_lanes(s->builder, s->list.node[at]->lanes).length; k++) {
		if (!message_of(s, at, k, &m))
			continue;
		struct channel *channel = channel_of(c, &m);
		uint32_t own = (uint32_t)c->sends++;
		c->sent = mem_grow(c->sent, &c->sent_capacity, c->sends, sizeof *c->sent);
		c->sent[own] = (struct sent){at, NONE};
		*(channel->first == NONE ? &channel->first : &c->sent[channel->last].next) = own;
		channel->last = own;
	}
}

/* The first lane waits for the send that is next on its channel. */
static void take_sends(struct channels *c, struct sequencing *s, uint32_t at)
{
	struct message m;
	for (size_t k = 0; k < tree_lanes(s->builder, s->list.node[at]->lanes).length; k++) {
		if (!message_of(s, at, k, &m))
			continue;
		struct channel *channel = channel_of(c, &m);
		if (channel->first == NONE)
			continue;
		const struct sent *sent = &c->sent[channel->first];
		channel->first = sent->next;
		if (k == 0)
			s->send[at] = sent->node;
	}
}

/* The k-th receive of a channel waits for its k-th send; asked of the first lane of each receive. */
static void find_sends(struct sequencing *s)
{
	struct channels c = {.messages = intern_new_keys(sizeof(struct message))};
	for (uint32_t i = 0; i < s->list.length; i++)
		if (has_match(s, i, MATCH_OUT))
			add_sends(&c, s, i);
	for (uint32_t i = 0; i < s->list.length; i++)
		if (has_match(s, i, MATCH_IN))
			take_sends(&c, s, i);
	intern_free(c.messages);
	free(c.channel);
	free(c.sent);
	for (uint32_t r = 0; r < s->list.length; r++)
		if (s->send[r] != NONE) {
			s->later[r] = s->waiting[s->send[r]];
			s->waiting[s->send[r]] = r;
		}
}

/* ------------------------------------------------------------------ members of a collective */

static void count_edges(struct sequencing *s)
{
	memset(s->before, 0, (s->list.length + 1) * sizeof *s->before);
	for (uint32_t i = 0; i < s->list.length; i++)
		for (uint32_t e = s->first[i]; e != NONE; e = s->edge[e].next)
			s->before[s->as[s->edge[e].to]]++;
}

/* Nothing that is behind this node has to wait for it any more; told of each that waits for nothing. */
static void leave(struct sequencing *s, uint32_t at, void (*ready)(void *context, uint32_t node), void *context)
{
	for (uint32_t part = at; part != NONE; part = s->next[part])
		for (uint32_t e = s->first[part]; e != NONE; e = s->edge[e].next) {
			uint32_t to = s->as[s->edge[e].to];
			if (--s->before[to] == 0)
				ready(context, to);
		}
}

struct queue {
	uint32_t *node;
	size_t length;
};

static void add_to_queue(void *queue, uint32_t node)
{
	struct queue *q = queue;
	q->node[q->length++] = node;
}

/* Is there an order of the nodes? */
static bool can_be_ordered(struct sequencing *s)
{
	struct queue q = {mem_array(s->list.length + 1, sizeof *q.node), 0};
	size_t nodes = 0, done = 0;
	count_edges(s);
	for (uint32_t i = 0; i < s->list.length; i++) {
		nodes += s->as[i] == i;
		if (s->as[i] == i && !s->before[i])
			add_to_queue(&q, i);
	}
	for (; done < q.length; done++)
		leave(s, q.node[done], add_to_queue, &q);
	free(q.node);
	return done == nodes;
}

/* Receives behind their sends, whatever becomes one, if that is an order now. */
static void order_messages(struct sequencing *s)
{
	uint32_t *first = mem_copy(s->first, (s->list.length + 1) * sizeof *first);
	for (uint32_t r = 0; r < s->list.length; r++)
		if (s->send[r] != NONE)
			add_edge(s, s->send[r], r);
	if (!can_be_ordered(s))
		memcpy(s->first, first, s->list.length * sizeof *first);
	free(first);
}

/* By node: the how manieth of its collective it is for its first lane; the caller's. */
static uint32_t *ordinals(const struct sequencing *s)
{
	struct intern *known = intern_new_keys(2 * sizeof(uint32_t));
	uint32_t *ordinal = mem_zero((s->list.length + 1) * sizeof *ordinal), *times = NULL;
	size_t capacity = 0;
	for (uint32_t i = 0; i < s->list.length; i++) {
		struct lane_set set = tree_lanes(s->builder, s->list.node[i]->lanes);
		for (size_t k = 0; k < set.length && has_match(s, i, MATCH_GROUP); k++) {
			uint32_t key[] = {s->list.node[i]->shape, set.lane[k]}, seen = intern_count(known),
				 id = intern_id(known, key, sizeof key);
			times = mem_grow(times, &capacity, (size_t)id + 1, sizeof *times);
			if (id == seen)
				times[id] = 0;
			if (k == 0)
				ordinal[i] = times[id];
			times[id]++;
		}
	}
	free(times);
	intern_free(known);
	return ordinal;
}

/* Make one of both, if that can be ordered. */
static bool join(struct sequencing *s, struct tree_node **node, uint32_t at, uint32_t other)
{
	uint32_t last = at;
	while (s->next[last] != NONE)
		last = s->next[last];
	s->as[other] = at;
	s->next[last] = other;
	if (!can_be_ordered(s)) {
		s->as[other] = other;
		s->next[last] = NONE;
		return false;
	}
	node[at] = tree_either(s->builder, node[at], node[other]);
	return true;
}

static void join_members(struct sequencing *s)
{
	uint32_t *ordinal = ordinals(s), *sync = mem_array(s->list.length + 1, sizeof *sync);
	struct tree_node **node = mem_copy(s->list.node, s->list.length * sizeof *node);
	size_t syncs = 0;
	for (uint32_t i = 0; i < s->list.length; i++)
		if (has_match(s, i, MATCH_GROUP))
			sync[syncs++] = i;
	for (size_t i = 0; i < syncs && syncs <= SEQUENCE_MOST; i++)
		for (size_t k = i + 1; k < syncs && s->as[sync[i]] == sync[i]; k++)
			if (s->as[sync[k]] == sync[k] && node[sync[i]]->shape == node[sync[k]]->shape &&
				ordinal[sync[i]] == ordinal[sync[k]] &&
				!tree_lanes_meet(s->builder, node[sync[i]]->lanes, node[sync[k]]->lanes))
				join(s, node, sync[i], sync[k]);
	s->list = tree_list_of(s->builder, node, s->list.length);
	free(ordinal);
	free(sync);
	free(node);
}

/* ------------------------------------------------------------------ what different lanes do */

/* In the text as it is then: with the tables that others look up. */
static bool join_if_cheaper(struct sequencing *s, struct pricing *pricing, struct tree_node **node, uint32_t at,
	uint32_t other, const struct tree_context *context)
{
	struct tree_node *apart[] = {node[at], node[other]}, *both = tree_either(s->builder, node[at], node[other]);
	struct tree_list old = tree_list_of(s->builder, apart, 2), now = tree_list_of(s->builder, &both, 1);
	if (price_saved(pricing, old, now, context) <= 0 || !join(s, node, at, other))
		return false;
	price_change(pricing, old, now, context);
	return true;
}

/* What has a peer, or a loop, with no call in it. Recursion as deep as loops nest. */
static bool may_be_joined(const struct sequencing *s, const struct tree_node *n)
{
	bool good = n->kind == TREE_LOOP || n->kind == TREE_GUARD;
	if (n->kind == TREE_EVENT) {
		enum event_kind kind = tree_shape(s->builder, n)->kind;
		return kind_has_peer(kind);
	}
	for (size_t i = 0; i < n->body.length && good; i++)
		good = n->body.node[i]->kind == TREE_EVENT || may_be_joined(s, n->body.node[i]);
	return good;
}

/* Those of one structure. */
static void join_alike(struct sequencing *s, struct pricing *pricing, const struct tree_context *context)
{
	uint32_t length = s->list.length <= SEQUENCE_MOST ? (uint32_t)s->list.length : 0;
	struct tree_node **node = mem_copy(s->list.node, s->list.length * sizeof *node);
	for (uint32_t i = 0; i < length; i++) {
		int tries = SEQUENCE_TRIES;
		if (s->as[i] != i || !may_be_joined(s, node[i]))
			continue;
		for (uint32_t k = i + 1; k < length && tries; k++) {
			if (s->as[k] != k || node[i]->structure != node[k]->structure ||
				tree_lanes_meet(s->builder, node[i]->lanes, node[k]->lanes))
				continue;
			tries--;
			s->joined |= join_if_cheaper(s, pricing, node, i, k, context);
		}
	}
	s->list = tree_list_of(s->builder, node, s->list.length);
	free(node);
}

/* ------------------------------------------------------------------ the order */

static bool waits(const struct sequencing *s, uint32_t at)
{
	return s->send[at] != NONE && !s->done[s->as[s->send[at]]];
}

/* Waiting ones come behind all others. */
static void push(const struct sequencing *s, struct heap *ready, uint32_t at)
{
	heap_push(ready, (struct heap_entry){.key = waits(s, at), .tie = at, .id = at});
}

/* NONE: all are done. */
static uint32_t next_of(const struct sequencing *s, struct heap *ready)
{
	while (ready->length) {
		struct heap_entry e = heap_pop(ready);
		if (s->done[e.id])
			continue;
		if (!e.key || waits(s, e.id) || !ready->length)
			return e.id;
		push(s, ready, e.id); /* what it waited for is there */
	}
	return NONE;
}

struct ordering {
	const struct sequencing *sequencing;
	struct heap ready;
};

static void add_ready(void *ordering, uint32_t node)
{
	struct ordering *o = ordering;
	push(o->sequencing, &o->ready, node);
}

static struct tree_list in_order(struct sequencing *s)
{
	struct tree_node **made = mem_array(s->list.length + 1, sizeof *made);
	struct ordering o = {.sequencing = s};
	size_t length = 0;
	count_edges(s);
	for (uint32_t i = 0; i < s->list.length; i++)
		if (s->as[i] == i && !s->before[i])
			add_ready(&o, i);
	while (o.ready.length) {
		uint32_t at = next_of(s, &o.ready);
		if (at == NONE)
			break;
		made[length++] = s->list.node[at];
		s->done[at] = true;
		leave(s, at, add_ready, &o);
		for (uint32_t part = at; part != NONE; part = s->next[part])
			for (uint32_t r = s->waiting[part]; r != NONE; r = s->later[r])
				if (!s->done[s->as[r]] && !s->before[s->as[r]])
					add_ready(&o, s->as[r]);
	}
	struct tree_list list = tree_list_of(s->builder, made, length);
	heap_clear(&o.ready);
	free(made);
	return list;
}

static struct tree_list sequence_below(
	struct tree_builder *, struct pricing *, struct tree_list, const struct tree_context *);

/* The same list if no body has changed. */
static struct tree_list sequence_bodies(
	struct tree_builder *b, struct pricing *pricing, struct tree_list list, const struct tree_context *context)
{
	struct tree_node **made = mem_array(list.length + 1, sizeof *made);
	bool changed = false;
	for (size_t i = 0; i < list.length; i++) {
		const struct tree_node *n = made[i] = list.node[i];
		if (n->kind != TREE_LOOP && n->kind != TREE_GUARD)
			continue;
		struct tree_list body =
			sequence_below(b, pricing, n->body, &(struct tree_context){n, context, tree_depth(context)});
		if (body.node == n->body.node)
			continue;
		made[i] = tree_with_body(b, n, body);
		changed = true;
	}
	if (changed)
		list = tree_list_of(b, made, list.length);
	free(made);
	return list;
}

/* With prices the same list, if nothing is cheaper. */
static struct tree_list sequence_below(
	struct tree_builder *b, struct pricing *pricing, struct tree_list list, const struct tree_context *context)
{
	size_t n = list.length + 1;
	struct tree_list own = sequence_bodies(b, pricing, list, context);
	struct sequencing s = {.builder = b,
		.list = own,
		.first = mem_array(n, sizeof *s.first),
		.before = mem_zero(n * sizeof *s.before),
		.send = mem_array(n, sizeof *s.send),
		.waiting = mem_array(n, sizeof *s.waiting),
		.later = mem_array(n, sizeof *s.later),
		.as = mem_array(n, sizeof *s.as),
		.next = mem_array(n, sizeof *s.next),
		.done = mem_zero(n * sizeof *s.done)};
	memset(s.first, 0xff, n * sizeof *s.first);
	memset(s.send, 0xff, n * sizeof *s.send);
	memset(s.waiting, 0xff, n * sizeof *s.waiting);
	memset(s.next, 0xff, n * sizeof *s.next);
	for (uint32_t i = 0; i < s.list.length; i++)
		s.as[i] = i;
	order_lanes(&s);
	find_sends(&s);
	order_messages(&s);
	if (pricing)
		join_alike(&s, pricing, context);
	else
		join_members(&s);
	if (!pricing || s.joined)
		own = in_order(&s);
	free(s.edge);
	free(s.first);
	free(s.before);
	free(s.send);
	free(s.waiting);
	free(s.later);
	free(s.as);
	free(s.next);
	free(s.done);
	return own;
}

struct tree_list sequence(struct tree_builder *b, struct tree_list list)
{
	return sequence_below(b, NULL, list, NULL);
}

struct tree_list sequence_joined(struct tree_builder *b, struct pricing *pricing, struct tree_list list)
{
	price_program(pricing, list);
	return sequence_below(b, pricing, list, NULL);
}
