/*
 * meeting_order.c -- the graph of one iteration of a body: what each process does in it, in its
 * order (T), and what is sent before it is received (C), loops inside contracted.
 */
#include <stdlib.h>

#include "ask/meeting_work.h"
#include "base/mem.h"
#include "base/union_find.h"

/* ------------------------------------------------------------------ the graph of one iteration */

/* What one node passes on at one end of a channel. */
struct passage {
	uint32_t end, process, node;
	uint64_t place, count; /* in the order of the process */
};

struct body_graph {
	struct meeting *m;
	uint32_t *loop; /* by node: the loop that is contracted, or SCOPE_ROOT */
	uint32_t nodes, *group; /* of a loop in which processes meet, one (union-find) */
	size_t node_capacity;
	struct passage *passage;
	size_t passages, passage_capacity;
	uint32_t (*edge)[2];
	size_t edges, edge_capacity;
	uint32_t last; /* node of the process at hand, or UINT32_MAX */
};

static void add_edge(struct body_graph *g, uint32_t from, uint32_t to)
{
	uint32_t *edge = *MEM_PUSH(g->edge, g->edges, g->edge_capacity);
	edge[0] = from;
	edge[1] = to;
}

/* One construct of the body, loops contracted, that passes on something. */
static void add_node(struct body_graph *g, node_id statement, uint32_t at)
{
	struct meeting *m = g->m;
	m->items.length = 0;
	terms_add(m, statement, at);
	if (!m->items.length)
		return;
	bool loop = node_of(m->store, statement)->kind == NODE_LOOP;
	g->loop = mem_grow(g->loop, &g->node_capacity, g->nodes + (size_t)1, sizeof *g->loop);
	g->loop[g->nodes] = loop ? at : SCOPE_ROOT;
	if (g->last != UINT32_MAX)
		add_edge(g, g->last, g->nodes);
	g->last = g->nodes++;
	for (size_t i = 0; i < m->items.length; i++) {
		const struct term_entry *item = &m->items.item[i];
		if (m->channel[item->end >> 1].how & OF_FREE)
			continue;
		struct passage p = {item->end, (uint32_t)m->at.p, g->last, g->passages, item_messages(m, item->item)};
		*MEM_PUSH(g->passage, g->passages, g->passage_capacity) = p;
	}
}

/* What the process executes of a body: nodes that follow each other. */
static void add_strand(struct body_graph *g, node_id body, uint32_t at)
{
	struct meeting *m = g->m;
	size_t length;
	const struct projected *p = run_projection(m->run, body, m->class, &length);
	for (size_t i = 0; i < length && !m->too_much; i++) {
		const struct node *n = node_of(m->store, p[i].statement);
		uint32_t place = at + p[i].place;
		if (n->kind == NODE_GUARD) {
			if (test_holds(&m->at, n->kid[1]))
				add_strand(g, n->kid[2], place + 1);
		} else if (n->kind == NODE_CALL) {
			int64_t argument[PARAMETERS_LIMIT];
			struct call_around around = terms_enter_call(m, p[i].statement, argument);
			add_strand(g, node_kid(m->store, n->kid[0], 0), place);
			terms_leave_call(m, &around);
		} else {
			add_node(g, p[i].statement, place);
		}
	}
}

static int by_side(const void *a, const void *b)
{
	const struct passage *x = a, *y = b;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

/* The k-th on one side belongs to the k-th on the other. What meets in a contracted loop, or in
   a collective, is one node. */
static void link_sides(
	struct body_graph *g, const struct passage *x, size_t xs, const struct passage *y, size_t ys, bool sync)
{
	uint64_t first[2] = {0, 0};
	for (size_t i = 0, k = 0; i < xs && k < ys;) {
		uint64_t past[] = {first[0] + x[i].count, first[1] + y[k].count};
		bool same = g->loop[x[i].node] == g->loop[y[k].node] && g->loop[x[i].node] != SCOPE_ROOT;
		if (first[0] < past[1] && first[1] < past[0] && (sync || same))
			union_find_join(g->group, x[i].node, y[k].node);
		else if (first[0] < past[1] && first[1] < past[0])
			add_edge(g, x[i].node, y[k].node);
		bool next = past[0] > past[1];
		first[next] = past[next];
		i += !next;
		k += next;
	}
}

static size_t same_side(const struct passage *s, size_t left)
{
	size_t n = 1;
	while (n < left && s[n].end == s->end && s[n].process == s->process)
		n++;
	return n;
}

static void link_channels(struct body_graph *g)
{
	if (g->passages)
		qsort(g->passage, g->passages, sizeof *g->passage, by_side);
	for (size_t at = 0; at < g->passages;) {
		const struct passage *first = g->passage + at;
		size_t n = same_side(first, g->passages - at), next = at + n;
		while (next < g->passages && g->passage[next].end >> 1 == first->end >> 1) {
			size_t others = same_side(g->passage + next, g->passages - next);
			link_sides(g, first, n, g->passage + next, others,
				ends_is_collective(&g->m->ends, first->end >> 1));
			next += others;
		}
		at = next;
	}
}

static int by_source(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;
	return x[0] != y[0] ? (x[0] < y[0] ? -1 : 1) : (x[1] > y[1]) - (x[1] < y[1]);
}

/* Kahn's algorithm. Messages inside of a node are its own matter, two nodes of one process are
   in order. */
static bool is_acyclic(struct body_graph *g, size_t in_order)
{
	uint32_t *waits = mem_zero(g->nodes * sizeof *waits), *ready = mem_array(g->nodes, sizeof *ready);
	size_t *start = mem_zero((g->nodes + (size_t)1) * sizeof *start), length = 0, done = 0, roots = 0;
	bool good = true;
	for (size_t i = 0; i < g->edges; i++) {
		uint32_t *e = g->edge[i], from = union_find_root(g->group, e[0]), to = union_find_root(g->group, e[1]);
		good = good && (from != to || i >= in_order);
		if (from == to)
			continue;
		g->edge[length][0] = from;
		g->edge[length++][1] = to;
		waits[to]++;
		start[from + 1]++;
	}
	if (length)
		qsort(g->edge, length, sizeof *g->edge, by_source);
	for (uint32_t i = 0; i < g->nodes; i++) {
		start[i + 1] += start[i];
		if (g->group[i] != i)
			continue;
		roots++;
		if (!waits[i])
			ready[done++] = i;
	}
	for (size_t head = 0; head < done; head++)
		for (size_t i = start[ready[head]]; i < start[ready[head] + 1]; i++)
			if (!--waits[g->edge[i][1]])
				ready[done++] = g->edge[i][1];
	free(waits);
	free(ready);
	free(start);
	return good && done == roots;
}

/* ------------------------------------------------------------------ iterations of a body */

/* The body of a loop, in iterations of the loops around it. */
struct body_scope {
	uint32_t loop; /* or SCOPE_ROOT */
	uint32_t depth; /* loops around its body */
	/* The indices that decide what happens in it, a bit each from the outermost: those that it
	   depends on, of itself or by the counts and guards around it; those of loops that some
	   leave earlier. */
	uint64_t matters;
	int64_t *iteration; /* by loop around */
	uint32_t wanted; /* how often this one of them is gone through; or depth: its body */
	int64_t most; /* ... by any process */
};

static bool index_matters(const struct body_scope *s, uint32_t depth)
{
	return s->matters >> (depth < 63 ? depth : 63) & 1;
}

static void descend(struct body_graph *g, struct body_scope *s, node_id body, uint32_t at);

static void descend_loop(struct body_graph *g, struct body_scope *s, node_id loop, uint32_t at)
{
	struct meeting *m = g->m;
	uint32_t depth = (uint32_t)m->at.depth;
	int64_t trips = loop_trips(&m->at, loop);
	node_id body = node_kid(m->store, loop, 2);
	if (depth == s->wanted)
		s->most = trips > s->most ? trips : s->most;
	if (depth == s->wanted || trips <= s->iteration[depth])
		return;
	bool open = !index_matters(s, depth) && depth < 64;
	m->at.open |= (uint64_t)open << (depth & 63);
	m->at.trips[depth & 63] = trips;
	m->at.index[m->at.depth++] = s->iteration[depth];
	if (at == s->loop)
		add_strand(g, body, at + 1);
	else
		descend(g, s, body, at + 1);
	m->at.open &= ~((uint64_t)open << (depth & 63));
	m->at.depth--;
}

/* To the scope, if the process at hand comes to it. The recursion keeps the arguments of calls. */
static void descend(struct body_graph *g, struct body_scope *s, node_id body, uint32_t at)
{
	struct meeting *m = g->m;
	size_t length, i = 0;
	const struct projected *p = run_projection(m->run, body, m->class, &length);
	while (i + 1 < length && at + p[i + 1].place <= s->loop)
		i++;
	if (!length || at + p[i].place > s->loop ||
		at + p[i].place + node_of(m->store, p[i].statement)->statements <= s->loop)
		return;
	const struct node *n = node_of(m->store, p[i].statement);
	uint32_t place = at + p[i].place;
	if (n->kind == NODE_LOOP) {
		descend_loop(g, s, p[i].statement, place);
	} else if (n->kind == NODE_GUARD) {
		if (test_holds(&m->at, n->kid[1]))
			descend(g, s, n->kid[2], place + 1);
	} else {
		int64_t argument[PARAMETERS_LIMIT];
		struct call_around around = terms_enter_call(m, p[i].statement, argument);
		descend(g, s, node_kid(m->store, n->kid[0], 0), place);
		terms_leave_call(m, &around);
	}
}

static void descend_all(struct body_graph *g, struct body_scope *s)
{
	struct meeting *m = g->m;
	node_id body = run_module(m->run)->body;
	for (uint32_t p = 0; p < m->at.processes && !m->too_much; p++) {
		m->too_much = !m->left;
		m->left -= m->left > 0;
		terms_start(m, p);
		g->last = UINT32_MAX;
		if (s->loop == SCOPE_ROOT)
			add_strand(g, body, 0);
		else
			descend(g, s, body, 0);
	}
}

/* In these iterations. That channels are empty where each begins is assumed: otherwise receives
   wait for earlier sends, and what is behind them is implied. */
static bool can_happen(struct meeting *m, struct body_scope *s)
{
	struct body_graph g = {.m = m};
	s->wanted = s->depth;
	descend_all(&g, s);
	size_t in_order = g.edges;
	g.group = mem_array(g.nodes + (size_t)1, sizeof *g.group);
	union_find_start(g.group, g.nodes);
	if (!m->too_much)
		link_channels(&g);
	bool good = !m->too_much && is_acyclic(&g, in_order);
	free(g.loop);
	free(g.group);
	free(g.passage);
	free(g.edge);
	return good;
}

static int64_t most_iterations(struct meeting *m, struct body_scope *s, uint32_t depth)
{
	struct body_graph none = {.m = m};
	s->wanted = depth;
	s->most = 0;
	descend_all(&none, s);
	return s->most;
}

/* In all iterations of the loops around that differ, from this one inwards. */
static bool can_always_happen(struct meeting *m, struct body_scope *s, uint32_t depth)
{
	if (depth == s->depth)
		return can_happen(m, s);
	int64_t trips = index_matters(s, depth) ? most_iterations(m, s, depth) : 1;
	bool good = true;
	for (int64_t i = 0; good && i < trips; i++) {
		s->iteration[depth] = i;
		good = m->left > 0 && can_always_happen(m, s, depth + 1);
	}
	s->iteration[depth] = 0;
	return good;
}

/* What is around the scope, and what its body depends on. */
static void survey(
	const struct meeting *m, struct body_scope *s, node_id body, uint32_t at, const struct dependence *parameter)
{
	const struct node *b = node_of(m->store, body);
	uint32_t i = 0;
	for (; at + node_of(m->store, b->kid[i])->statements <= s->loop; i++)
		at += node_of(m->store, b->kid[i])->statements;
	const struct node *n = node_of(m->store, b->kid[i]);
	if (n->kind == NODE_CALL) {
		struct dependence argument[PARAMETERS_LIMIT] = {0};
		dependences_of_call(m->store, b->kid[i], s->depth, parameter, argument);
		survey(m, s, node_kid(m->store, n->kid[0], 0), at, argument);
		return;
	}
	struct dependence d = dependence_of(node_of(m->store, n->kid[1])->uses[FOR_ALL], s->depth, parameter);
	s->matters |= d.loops;
	if (n->kind == NODE_LOOP) {
		s->matters |= (uint64_t)d.process << (s->depth < 63 ? s->depth : 63);
		s->depth++;
	}
	if (at < s->loop)
		survey(m, s, n->kid[2], at + 1, parameter);
	else
		s->matters |= dependence_of(node_of(m->store, n->kid[2])->uses[m->purpose], s->depth, parameter).loops;
}

static bool scope_can_happen(struct meeting *m, uint32_t loop)
{
	struct body_scope s = {.loop = loop};
	node_id body = run_module(m->run)->body;
	if (loop != SCOPE_ROOT)
		survey(m, &s, body, 0, NULL);
	s.iteration = mem_zero((s.depth + (size_t)1) * sizeof *s.iteration);
	bool good = can_always_happen(m, &s, 0);
	free(s.iteration);
	return good;
}

void meeting_find_order(struct meeting *m)
{
	struct meeting_facts *f = &m->facts;
	bool *asked = mem_zero((m->statements + 1) * sizeof *asked), good = !m->unsure;
	f->order = ORDER_TEXT;
	m->left = m->budget;
	for (size_t i = 0; good && i < m->statements; i++) {
		uint32_t scope = m->stand[i].around;
		bool *known = &asked[scope == SCOPE_ROOT ? m->statements : scope];
		if (!m->stand[i].early || *known)
			continue;
		*known = true;
		f->graphs++;
		f->order = ORDER_GRAPHS;
		good = scope_can_happen(m, scope);
	}
	f->order = good ? f->order : ORDER_UNKNOWN;
	m->too_much = false;
	free(asked);
}
