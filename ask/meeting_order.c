/*
 * meeting_order.c -- graphs of iterations of bodies: what each process does in one, in its order
 * (T), and what is sent before it is received (C), loops inside contracted. One graph has all of
 * them.
 */
#include <stdlib.h>

#include "ask/meeting_work.h"
#include "base/compare.h"
#include "base/components.h"
#include "base/mem.h"
#include "base/union_find.h"

/* ------------------------------------------------------------------ the graph of one iteration */

/* What one node passes on at one end of a channel. */
struct passage {
	uint32_t iteration, end, process, node;
	uint64_t place, count; /* in the order of the process */
};

struct body_graphs {
	struct intern *iterations; /* of bodies: the loop, and where it and those around it are */
	uint32_t *loop; /* by node: the loop that is contracted, or SCOPE_ROOT */
	uint32_t nodes, *group; /* of a loop in which processes meet, one (union-find) */
	size_t node_capacity;
	struct passage *passage;
	size_t passages, passage_capacity;
	struct edge *edge;
	size_t edges, edge_capacity;
};

static void add_edge(struct body_graphs *g, uint32_t from, uint32_t to)
{
	*MEM_PUSH(g->edge, g->edges, g->edge_capacity) = (struct edge){from, to};
}

/* Each statement that passes on something is a node; what it passes on stands in a row. */
void graphs_add_iteration(struct meeting *m, uint32_t loop, size_t from)
{
	struct body_graphs *g = m->graphs;
	size_t words = m->at.depth + 1;
	m->at.index[m->at.depth] = loop; /* there is room for one more */
	uint32_t iteration = intern_id(g->iterations, m->at.index, words * sizeof *m->at.index), last = UINT32_MAX;
	for (size_t i = from; i < m->items.length; i++) {
		const struct term_entry *item = &m->items.item[i];
		uint32_t at = item_statement(m, item->item);
		if (at != last) {
			g->loop = mem_grow(g->loop, &g->node_capacity, g->nodes + (size_t)1, sizeof *g->loop);
			g->loop[g->nodes] = item_repeats(item->item) ? at : SCOPE_ROOT;
			if (last != UINT32_MAX)
				add_edge(g, g->nodes - 1, g->nodes);
			g->nodes++;
			last = at;
		}
		if (m->channel[item->end >> 1].how & OF_FREE)
			continue;
		struct passage p = {iteration, item->end, (uint32_t)m->at.p, g->nodes - 1, g->passages,
			item_messages(m, item->item)};
		*MEM_PUSH(g->passage, g->passages, g->passage_capacity) = p;
	}
}

static int by_side(const void *a, const void *b)
{
	const struct passage *x = a, *y = b;
	int order = COMPARE(x->iteration, y->iteration);
	order = order ? order : COMPARE(x->end, y->end);
	order = order ? order : COMPARE(x->process, y->process);
	return order ? order : COMPARE(x->place, y->place);
}

/* The k-th on one side belongs to the k-th on the other. What meets in a contracted loop, or in
   a collective, is one node. */
static void link_sides(
	struct body_graphs *g, const struct passage *x, size_t xs, const struct passage *y, size_t ys, bool sync)
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
	while (n < left && s[n].iteration == s->iteration && s[n].end == s->end && s[n].process == s->process)
		n++;
	return n;
}

static void link_channels(const struct meeting *m, struct body_graphs *g)
{
	if (g->passages)
		qsort(g->passage, g->passages, sizeof *g->passage, by_side);
	for (size_t at = 0; at < g->passages;) {
		const struct passage *first = g->passage + at;
		size_t n = same_side(first, g->passages - at), next = at + n;
		while (next < g->passages && g->passage[next].iteration == first->iteration &&
			g->passage[next].end >> 1 == first->end >> 1) {
			size_t others = same_side(g->passage + next, g->passages - next);
			link_sides(
				g, first, n, g->passage + next, others, ends_is_collective(&m->ends, first->end >> 1));
			next += others;
		}
		at = next;
	}
}

/* Messages inside of a node are its own matter, two nodes of one process are in order. */
static bool is_acyclic(struct body_graphs *g, size_t in_order)
{
	uint32_t *component = mem_array(g->nodes + (size_t)1, sizeof *component);
	size_t edges = 0;
	bool good = true;
	for (size_t i = 0; i < g->edges; i++) {
		struct edge e = {union_find_root(g->group, g->edge[i].from), union_find_root(g->group, g->edge[i].to)};
		good = good && (e.from != e.to || i >= in_order);
		if (e.from != e.to)
			g->edge[edges++] = e;
	}
	good = good && components_find(g->nodes, g->edge, edges, component) == g->nodes;
	free(component);
	return good;
}

/* ------------------------------------------------------------------ the order of events */

/* Bodies in which something is early, and the loops around them. */
static uint64_t choose_bodies(struct meeting *m)
{
	uint64_t bodies = 0;
	for (size_t i = 0; i < m->statements; i++) {
		uint32_t loop = m->stand[i].around;
		struct stand *body = &m->stand[loop == SCOPE_ROOT ? m->statements : loop];
		if (!m->stand[i].early || body->graph)
			continue;
		body->graph = true;
		bodies++;
		for (; loop != SCOPE_ROOT; loop = m->stand[loop].around)
			m->stand[loop].inspected = true;
	}
	return bodies;
}

/* That channels are empty where an iteration begins is assumed: otherwise receives wait for earlier
   sends, and what is behind them is implied. */
static bool can_happen(struct meeting *m)
{
	struct body_graphs g = {.iterations = intern_new()};
	m->graphs = &g;
	m->left = m->budget;
	for (uint32_t p = 0; p < m->at.processes && !m->too_much; p++)
		terms_of_process(m, p);
	size_t in_order = g.edges;
	g.group = mem_array(g.nodes + (size_t)1, sizeof *g.group);
	union_find_start(g.group, g.nodes);
	if (!m->too_much)
		link_channels(m, &g);
	bool good = !m->too_much && is_acyclic(&g, in_order);
	m->graphs = NULL;
	m->too_much = false;
	intern_free(g.iterations);
	free(g.loop);
	free(g.group);
	free(g.passage);
	free(g.edge);
	return good;
}

void meeting_find_order(struct meeting *m)
{
	struct meeting_facts *f = &m->facts;
	f->graphs = choose_bodies(m);
	f->order = f->graphs ? ORDER_GRAPHS : ORDER_TEXT;
	if (m->unsure || (f->graphs && !can_happen(m)))
		f->order = ORDER_UNKNOWN;
}
