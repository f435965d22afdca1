/*
 * schedule.c -- the union of the orders of all processes.
 *
 * Nodes are the occurrences of a shape: the k-th construct of that shape on its processes, counted
 * anew after every construct that all processes of the system share (nothing before it can be one
 * statement with anything behind it). A construct of several processes takes the highest number
 * that any of them has reached. The edges of all processes together are a graph over the nodes. A
 * topological order of it, Kahn's, is the listing; where it gets stuck there is a cycle: of the
 * nodes in a strongly connected component that nothing outside leads into, the one with the largest
 * part ready is split, the ready part listed, and the rest stays.
 *
 * Loops that communicate with each other and were kept apart must not meet in one node: nodes are
 * divided by a colouring of those conflicts.
 */
#include "fold/schedule.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/components.h"
#include "base/heap.h"
#include "base/intern.h"
#include "base/mem.h"
#include "fold/connect.h"

#define NONE UINT32_MAX

/* Once looking for cycles has taken so many steps for every place, ready constructs are listed
   without looking further. */
#define PATIENCE 64

struct node {
	uint32_t shape;
	uint64_t level; /* longest way to it */
	size_t first_construct, constructs; /* in .member */
	size_t waiting, ready; /* constructs not listed: those not ready, those ready */
	uint32_t first_ready; /* 1 + a construct; the others follow in .next_ready */
	bool queued;
};

/* How ready a node was once. */
struct readiness {
	uint32_t node;
	size_t ready, waiting;
	uint64_t level;
};

/* The readiest on top. Nodes that have changed since are passed over when they come up. */
struct readiest {
	struct readiness *entry;
	size_t length, capacity;
	bool used;
};

struct scheduler {
	struct schedule *s;
	uint32_t *strand_of; /* by process: 1 + its strand */
	uint32_t strands;
	size_t *first; /* by strand, and one more: in .place */
	uint32_t *place; /* constructs, along the strands */
	size_t *at; /* by strand: the first place not listed */
	uint32_t *node_of; /* by construct */
	struct node *node;
	uint32_t nodes;
	uint32_t *member; /* constructs, by node */
	size_t *arrived; /* by construct: processes that have come to it */
	uint32_t *next_ready; /* by construct: 1 + another of its node; 0: the last */
	struct heap queue; /* complete nodes */
	struct readiest readiest; /* once cycles are no longer looked for */
	size_t listed_constructs;
	uint64_t steps;
};

/* ------------------------------------------------------------------ strands */

static const uint32_t *processes_of(const struct scheduler *x, uint32_t construct)
{
	return x->s->process + x->s->construct[construct].first_process;
}

static uint32_t strand_of(const struct scheduler *x, uint32_t process)
{
	return x->strand_of[process] - 1;
}

static void make_strands(struct scheduler *x, uint32_t limit)
{
	const struct schedule *s = x->s;
	x->strand_of = mem_zero(limit * sizeof *x->strand_of);
	for (size_t i = 0; i < s->processes; i++)
		if (!x->strand_of[s->process[i]])
			x->strand_of[s->process[i]] = ++x->strands;
	x->first = mem_zero((x->strands + 2) * sizeof *x->first);
	for (size_t i = 0; i < s->processes; i++)
		x->first[strand_of(x, s->process[i]) + 2]++;
	for (uint32_t k = 0; k < x->strands; k++)
		x->first[k + 2] += x->first[k + 1];
	x->place = mem_array(s->processes, sizeof *x->place);
	for (uint32_t c = 0; c < s->constructs; c++)
		for (size_t i = 0; i < s->construct[c].processes; i++)
			x->place[x->first[strand_of(x, processes_of(x, c)[i]) + 1]++] = c;
	x->at = mem_array(x->strands, sizeof *x->at);
	for (uint32_t k = 0; k < x->strands; k++)
		x->at[k] = x->first[k];
}

/* ------------------------------------------------------------------ nodes */

struct occurrences {
	struct intern *keys; /* strand and shape */
	struct {
		uint32_t segment, count;
	} * last;
	size_t capacity;
};

/* How often the strand has had the shape in this segment. */
static uint32_t *occurrence(struct occurrences *o, uint32_t strand, uint32_t shape, uint32_t segment)
{
	uint64_t key = (uint64_t)strand << 32 | shape;
	uint32_t known = intern_count(o->keys), id = intern_id(o->keys, &key, sizeof key);
	if (id == known)
		o->last = mem_grow(o->last, &o->capacity, (size_t)id + 1, sizeof *o->last);
	if (id == known || o->last[id].segment != segment) {
		o->last[id].segment = segment;
		o->last[id].count = 0;
	}
	return &o->last[id].count;
}

/* Count this construct for all its processes. */
static uint32_t count_occurrence(struct scheduler *x, struct occurrences *o, uint32_t construct, uint32_t segment)
{
	const struct construct *c = &x->s->construct[construct];
	uint32_t highest = 0;
	for (size_t i = 0; i < c->processes; i++) {
		uint32_t count = *occurrence(o, strand_of(x, processes_of(x, construct)[i]), c->shape, segment);
		highest = count > highest ? count : highest;
	}
	for (size_t i = 0; i < c->processes; i++)
		*occurrence(o, strand_of(x, processes_of(x, construct)[i]), c->shape, segment) = highest + 1;
	return highest;
}

static void number_nodes(struct scheduler *x)
{
	const struct schedule *s = x->s;
	struct occurrences o = {.keys = intern_new_keys(sizeof(uint64_t))};
	struct intern *keys = intern_new();
	uint32_t segment = 0;
	x->node_of = mem_array(s->constructs, sizeof *x->node_of);
	for (uint32_t c = 0; c < s->constructs; c++) {
		bool shared = s->construct[c].processes == x->strands;
		uint32_t key[3] = {s->construct[c].shape, segment, shared ? NONE : count_occurrence(x, &o, c, segment)};
		x->node_of[c] = intern_id(keys, key, sizeof key);
		segment += shared;
	}
	x->nodes = intern_count(keys);
	intern_free(keys);
	intern_free(o.keys);
	free(o.last);
}

static void gather_nodes(struct scheduler *x)
{
	size_t constructs = x->s->constructs;
	free(x->node);
	free(x->member);
	x->node = mem_zero(x->nodes * sizeof *x->node);
	x->member = mem_array(constructs, sizeof *x->member);
	for (uint32_t c = 0; c < constructs; c++) {
		x->node[x->node_of[c]].shape = x->s->construct[c].shape;
		x->node[x->node_of[c]].waiting++;
	}
	size_t first = 0;
	for (uint32_t n = 0; n < x->nodes; n++) {
		x->node[n].first_construct = first;
		first += x->node[n].waiting;
	}
	for (uint32_t c = 0; c < constructs; c++) {
		struct node *n = &x->node[x->node_of[c]];
		x->member[n->first_construct + n->constructs++] = c;
	}
}

/* ------------------------------------------------------------------ conflicts */

/* Who of a node uses a channel: by kind of event 1 + a colour, in `stamp`. Senders and receivers
   are single; of syncs the highest colour counts. */
struct usage {
	uint32_t colour[4];
	uint32_t stamp;
};

static uint32_t mate_of(uint32_t kind)
{
	return kind == EVENT_SEND ? EVENT_RECV : kind == EVENT_RECV ? EVENT_SEND : EVENT_SYNC;
}

static struct usage *usage_of(struct usage *usage, uint32_t channel, uint32_t stamp)
{
	if (usage[channel].stamp != stamp)
		usage[channel] = (struct usage){.stamp = stamp};
	return &usage[channel];
}

/* The lowest colour that nobody has who communicates with this construct. */
static uint32_t colour_of(const struct schedule *s, const struct construct *c, struct usage *usage, uint32_t stamp)
{
	uint32_t colour = 0;
	bool again = true;
	while (again) {
		again = false;
		for (size_t i = c->first_end; i < c->first_end + c->ends; i++) {
			const struct usage *u = usage_of(usage, s->end[i].channel, stamp);
			uint32_t other = u->colour[mate_of(s->end[i].kind)];
			bool bad = s->end[i].kind == EVENT_SYNC ? other > colour : other == colour + 1;
			colour = bad ? other : colour;
			again |= bad;
		}
	}
	for (size_t i = c->first_end; i < c->first_end + c->ends; i++) {
		struct usage *u = usage_of(usage, s->end[i].channel, stamp);
		u->colour[s->end[i].kind] = colour + 1;
	}
	return colour;
}

/* Divide the nodes whose loops communicate. */
static void divide_nodes(struct scheduler *x, uint32_t channels)
{
	if (!x->s->ends)
		return;
	struct usage *usage = mem_zero(channels * sizeof *usage);
	uint32_t nodes = x->nodes;
	for (uint32_t n = 0; n < nodes; n++) {
		uint32_t colours = 1, base = x->nodes;
		for (size_t i = 0; x->node[n].constructs > 1 && i < x->node[n].constructs; i++) {
			uint32_t c = x->member[x->node[n].first_construct + i];
			uint32_t colour = colour_of(x->s, &x->s->construct[c], usage, n + 1);
			if (colour)
				x->node_of[c] = base + colour - 1;
			colours = colour + 1 > colours ? colour + 1 : colours;
		}
		x->nodes += colours - 1;
	}
	free(usage);
	if (x->nodes > nodes)
		gather_nodes(x);
}

/* ------------------------------------------------------------------ the order */

/* A complete node: its level does not change any more. */
static void queue_node(struct scheduler *x, uint32_t n)
{
	heap_push(&x->queue, (struct heap_entry){.key = x->node[n].level, .tie = x->node[n].shape, .id = n});
	x->node[n].queued = true;
}

/* Is a larger part of a ready than of b? If equal: more of it; earlier. */
static bool readier(const struct scheduler *x, const struct readiness *a, const struct readiness *b)
{
	unsigned __int128 left = (unsigned __int128)a->ready * (b->ready + b->waiting),
			  right = (unsigned __int128)b->ready * (a->ready + a->waiting);
	if (left != right)
		return left > right;
	if (a->ready != b->ready)
		return a->ready > b->ready;
	if (a->level != b->level)
		return a->level < b->level;
	uint32_t shape = x->node[a->node].shape, other = x->node[b->node].shape;
	return shape != other ? shape < other : a->node < b->node;
}

static struct readiness readiness_of(const struct scheduler *x, uint32_t n)
{
	return (struct readiness){n, x->node[n].ready, x->node[n].waiting, x->node[n].level};
}

static void readiest_push(struct scheduler *x, uint32_t n)
{
	struct readiest *h = &x->readiest;
	struct readiness own = readiness_of(x, n);
	h->entry = mem_grow(h->entry, &h->capacity, h->length + 1, sizeof *h->entry);
	size_t at = h->length++;
	for (; at && readier(x, &own, &h->entry[(at - 1) / 2]); at = (at - 1) / 2)
		h->entry[at] = h->entry[(at - 1) / 2];
	h->entry[at] = own;
}

static struct readiness readiest_pop(struct scheduler *x)
{
	struct readiest *h = &x->readiest;
	struct readiness top = h->entry[0], last = h->entry[--h->length];
	size_t at = 0;
	for (size_t child; (child = 2 * at + 1) < h->length; at = child) {
		child += child + 1 < h->length && readier(x, &h->entry[child + 1], &h->entry[child]);
		if (!readier(x, &h->entry[child], &last))
			break;
		h->entry[at] = h->entry[child];
	}
	h->entry[at] = last;
	return top;
}

/* The strand stands before its next construct, which comes behind a node of that level. */
static void arrive(struct scheduler *x, uint32_t strand, uint64_t level)
{
	if (x->at[strand] == x->first[strand + 1])
		return;
	uint32_t c = x->place[x->at[strand]];
	struct node *n = &x->node[x->node_of[c]];
	n->level = level > n->level ? level : n->level;
	if (++x->arrived[c] < x->s->construct[c].processes)
		return;
	x->next_ready[c] = n->first_ready;
	n->first_ready = c + 1;
	n->ready++;
	n->waiting--;
	if (!n->waiting && !n->queued)
		queue_node(x, x->node_of[c]);
	else if (x->readiest.used && n->waiting)
		readiest_push(x, x->node_of[c]);
}

static int by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

/* List what is ready of a node, as one group. */
static void list_node(struct scheduler *x, uint32_t number)
{
	struct node *n = &x->node[number];
	struct schedule *s = x->s;
	size_t from = x->listed_constructs;
	for (uint32_t c = n->first_ready; c; c = x->next_ready[c - 1])
		s->order[x->listed_constructs++] = c - 1;
	n->first_ready = 0;
	n->ready = 0;
	qsort(s->order + from, x->listed_constructs - from, sizeof *s->order, by_number);
	s->first[++s->groups] = x->listed_constructs;
	uint64_t level = n->level + 1;
	for (size_t i = from; i < x->listed_constructs; i++) {
		uint32_t c = s->order[i];
		for (size_t k = 0; k < s->construct[c].processes; k++) {
			uint32_t strand = strand_of(x, processes_of(x, c)[k]);
			x->at[strand]++;
			arrive(x, strand, level);
		}
	}
}

/* ------------------------------------------------------------------ cycles */

/* The edges between nodes along what is left of the strands. */
static struct edge *gather_edges(const struct scheduler *x, size_t *edges)
{
	struct edge *edge = mem_array(x->s->processes, sizeof *edge);
	*edges = 0;
	for (uint32_t k = 0; k < x->strands; k++)
		for (size_t i = x->at[k]; i + 1 < x->first[k + 1]; i++)
			edge[(*edges)++] = (struct edge){x->node_of[x->place[i]], x->node_of[x->place[i + 1]]};
	return edge;
}

/* The node to split: in a component that no other leads into. */
static uint32_t find_split(struct scheduler *x)
{
	size_t edges;
	struct edge *edge = gather_edges(x, &edges);
	uint32_t *component = mem_array(x->nodes, sizeof *component);
	bool *entered = mem_zero(components_find(x->nodes, edge, edges, component) + (size_t)1);
	x->steps += x->s->processes + x->nodes;
	for (size_t i = 0; i < edges; i++)
		if (component[edge[i].from] != component[edge[i].to])
			entered[component[edge[i].to]] = true;
	struct readiness best = {.node = NONE};
	for (uint32_t v = 0; v < x->nodes; v++) {
		struct readiness own = readiness_of(x, v);
		if (own.ready && !entered[component[v]] && (best.node == NONE || readier(x, &own, &best)))
			best = own;
	}
	free(edge);
	free(component);
	free(entered);
	return best.node;
}

static uint32_t find_readiest(struct scheduler *x)
{
	for (uint32_t n = 0; n < x->nodes && !x->readiest.used; n++)
		if (x->node[n].ready)
			readiest_push(x, n);
	x->readiest.used = true;
	while (x->readiest.length) {
		struct readiness then = readiest_pop(x), now = readiness_of(x, then.node);
		if (then.ready != now.ready || then.waiting != now.waiting)
			continue;
		if (then.level == now.level)
			return then.node;
		readiest_push(x, then.node);
	}
	return NONE;
}

static void list_all(struct scheduler *x)
{
	struct schedule *s = x->s;
	for (uint32_t k = 0; k < x->strands; k++)
		arrive(x, k, 0);
	while (x->listed_constructs < s->constructs) {
		if (x->queue.length) {
			list_node(x, heap_pop(&x->queue).id);
			continue;
		}
		bool patient = !s->hasty && x->steps < PATIENCE * (uint64_t)(s->processes + x->nodes);
		uint32_t split = patient ? find_split(x) : find_readiest(x);
		assert(split != NONE);
		list_node(x, split);
	}
}

void schedule_make(struct schedule *s, uint32_t limit, uint32_t channels)
{
	struct scheduler x = {.s = s};
	make_strands(&x, limit);
	number_nodes(&x);
	gather_nodes(&x);
	divide_nodes(&x, channels);
	x.arrived = mem_zero(s->constructs * sizeof *x.arrived);
	x.next_ready = mem_array(s->constructs, sizeof *x.next_ready);
	s->order = mem_array(s->constructs, sizeof *s->order);
	s->first = mem_zero((s->constructs + 1) * sizeof *s->first);
	s->groups = 0;
	list_all(&x);
	free(x.strand_of);
	free(x.first);
	free(x.place);
	free(x.at);
	free(x.node_of);
	free(x.node);
	free(x.member);
	free(x.arrived);
	free(x.next_ready);
	heap_clear(&x.queue);
	free(x.readiest.entry);
}

void schedule_clear(struct schedule *s)
{
	free(s->construct);
	free(s->process);
	free(s->end);
	free(s->order);
	free(s->first);
	*s = (struct schedule){0};
}
