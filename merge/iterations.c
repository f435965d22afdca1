/*
 * iterations.c -- loops from the outside in: iterations by lane, united where events meet, then
 * numbered in topological order.
 */
#include "merge/iterations.h"

#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/union_find.h"

#define NONE UINT32_MAX

/* An iteration of a lane, in an execution of its loop. */
struct node {
	uint32_t execution, iteration;
	uint32_t next; /* of the lane in this execution; NONE: the last */
	uint32_t before; /* of the root: edges to its class */
	uint32_t time;
};

struct aligning {
	struct iterated *event;
	size_t events;
	bool *crossed; /* by loop: do events meet that stand in several iterations? */
	uint32_t depth; /* of the loops at hand */
	uint32_t *node_of; /* by event: its iteration; NONE: its loop is not crossed */
	struct node *node;
	uint32_t *class; /* by node: union_find */
	uint32_t *loop; /* by execution */
	uint32_t *most, *times; /* iterations of the lane that has most, and of all together */
};

/* In how many loops, from the outside, two events are in the same iteration. */
static uint32_t common_depth(const struct iterated *a, const struct iterated *b)
{
	uint32_t depth = 0;
	while (depth < a->depth && depth < b->depth && a->loop[depth] == b->loop[depth] &&
		a->iteration[depth] == b->iteration[depth])
		depth++;
	return depth;
}

static void note_crossed(void *aligning, uint32_t lane, size_t at, uint32_t other_lane, size_t other)
{
	struct aligning *a = aligning;
	const struct iterated *x = &a->event[at], *y = &a->event[other];
	uint32_t depth = common_depth(x, y);
	if (lane != other_lane && depth < x->depth && depth < y->depth && x->loop[depth] == y->loop[depth])
		a->crossed[x->loop[depth]] = true;
}

static void unite(void *aligning, uint32_t lane, size_t at, uint32_t other_lane, size_t other)
{
	struct aligning *a = aligning;
	(void)lane;
	(void)other_lane;
	if (a->node_of[at] != NONE && a->node_of[other] != NONE &&
		a->node[a->node_of[at]].execution == a->node[a->node_of[other]].execution)
		union_find_join(a->class, a->node_of[at], a->node_of[other]);
}

/* Gives how many. */
static uint32_t find_nodes(struct aligning *a, uint32_t *executions)
{
	struct intern *known = intern_new();
	uint32_t *key = NULL, nodes = 0, last = NONE;
	size_t capacity = 0;
	for (size_t i = 0; i < a->events; i++) {
		const struct iterated *e = &a->event[i];
		a->node_of[i] = NONE;
		last = i && a->event[i - 1].lane == e->lane ? last : NONE;
		if (e->depth <= a->depth || !a->crossed[e->loop[a->depth]])
			continue;
		key = mem_grow(key, &capacity, (size_t)a->depth + 1, sizeof *key);
		memcpy(key, e->iteration, a->depth * sizeof *key);
		key[a->depth] = e->loop[a->depth];
		uint32_t execution = intern_id(known, key, (a->depth + (size_t)1) * sizeof *key);
		if (last != NONE && a->node[last].execution == execution &&
			a->node[last].iteration == e->iteration[a->depth]) {
			a->node_of[i] = last;
			continue;
		}
		if (last != NONE && a->node[last].execution == execution)
			a->node[last].next = nodes;
		a->node[nodes] = (struct node){execution, e->iteration[a->depth], NONE, 0, 0};
		a->loop[execution] = e->loop[a->depth];
		a->node_of[i] = last = nodes++;
	}
	*executions = intern_count(known);
	intern_free(known);
	free(key);
	return nodes;
}

/* Each class behind all that lead to it; those in a cycle keep what leads to them. */
static void find_times(struct aligning *a, uint32_t nodes)
{
	uint32_t *queue = mem_array(nodes + (size_t)1, sizeof *queue),
		 *first = mem_array(nodes + (size_t)1, sizeof *first),
		 *next = mem_array(nodes + (size_t)1, sizeof *next);
	size_t length = 0;
	memset(first, 0xff, (nodes + (size_t)1) * sizeof *first);
	for (uint32_t i = nodes; i-- > 0;) {
		uint32_t own = union_find_root(a->class, i);
		next[i] = first[own];
		first[own] = i;
		if (a->node[i].next != NONE)
			a->node[union_find_root(a->class, a->node[i].next)].before++;
	}
	for (uint32_t i = 0; i < nodes; i++)
		if (union_find_root(a->class, i) == i && !a->node[i].before)
			queue[length++] = i;
	for (size_t done = 0; done < length; done++)
		for (uint32_t i = first[queue[done]]; i != NONE; i = next[i]) {
			if (a->node[i].next == NONE)
				continue;
			struct node *to = &a->node[union_find_root(a->class, a->node[i].next)];
			uint32_t time = a->node[queue[done]].time + 1;
			to->time = time > to->time ? time : to->time;
			if (--to->before == 0)
				queue[length++] = (uint32_t)(to - a->node);
		}
	free(queue);
	free(first);
	free(next);
}

/* Loops that have an order, and no more iterations than before. */
static void judge(struct aligning *a, uint32_t nodes, uint32_t executions)
{
	memset(a->most, 0, (executions + (size_t)1) * sizeof *a->most);
	memset(a->times, 0, (executions + (size_t)1) * sizeof *a->times);
	for (uint32_t i = 0; i < nodes; i++) {
		const struct node *n = &a->node[i], *class = &a->node[union_find_root(a->class, i)];
		uint32_t *most = &a->most[n->execution], *times = &a->times[n->execution];
		*most = n->iteration > *most ? n->iteration : *most;
		*times = class->time > *times ? class->time : *times;
		a->crossed[a->loop[n->execution]] = a->crossed[a->loop[n->execution]] && !class->before;
	}
	for (uint32_t i = 0; i < executions; i++)
		a->crossed[a->loop[i]] = a->crossed[a->loop[i]] && a->times[i] <= a->most[i];
}

/* Gives whether any loop around is that deep. */
static bool align_depth(struct aligning *a, const struct meetings *meetings)
{
	bool deeper = false, any = false;
	meetings_each(meetings, note_crossed, a);
	for (size_t i = 0; i < a->events; i++) {
		deeper = deeper || a->event[i].depth > a->depth;
		any = any || (a->event[i].depth > a->depth && a->crossed[a->event[i].loop[a->depth]]);
	}
	if (!any)
		return deeper;
	uint32_t executions;
	size_t most = a->events + 1;
	a->node_of = mem_array(most, sizeof *a->node_of);
	a->node = mem_array(most, sizeof *a->node);
	a->class = mem_array(most, sizeof *a->class);
	a->loop = mem_array(most, sizeof *a->loop);
	a->most = mem_array(most, sizeof *a->most);
	a->times = mem_array(most, sizeof *a->times);
	uint32_t nodes = find_nodes(a, &executions);
	union_find_start(a->class, nodes);
	meetings_each(meetings, unite, a);
	find_times(a, nodes);
	judge(a, nodes, executions);
	for (size_t i = 0; i < a->events; i++)
		if (a->node_of[i] != NONE && a->crossed[a->event[i].loop[a->depth]])
			a->event[i].iteration[a->depth] = a->node[union_find_root(a->class, a->node_of[i])].time;
	free(a->node_of);
	free(a->node);
	free(a->class);
	free(a->loop);
	free(a->most);
	free(a->times);
	return true;
}

void iterations_align(struct iterated *event, size_t events, uint32_t loops, const struct meetings *meetings)
{
	struct aligning a = {.event = event, .events = events, .crossed = mem_zero(loops + (size_t)1)};
	while (align_depth(&a, meetings))
		a.depth++;
	free(a.crossed);
}
