/*
 * family_order.c -- the graph of one iteration of a body: what each process does in it, in its
 * order (T), and what is sent before it is received (C), loops inside contracted.
 */
#include <stdlib.h>

#include "ask/family_work.h"
#include "base/mem.h"
#include "base/union_find.h"

/* ------------------------------------------------------------------ the graph of one iteration */

/* What one node passes on at one end of a channel. */
struct span_of_node {
	uint32_t end, process, node;
	uint64_t place, count; /* in the order of the process */
};

struct body_graph {
	struct family_work *w;
	size_t scope;
	size_t *loop; /* by node: the loop that is contracted, or FAMILY_ROOT */
	uint32_t nodes, *group; /* of a loop in which processes meet, one (union-find) */
	size_t node_capacity;
	struct span_of_node *span;
	size_t spans, span_capacity;
	uint32_t (*edge)[2];
	size_t edges, edge_capacity;
};

static void add_edge(struct body_graph *g, uint32_t from, uint32_t to)
{
	g->edge = mem_grow(g->edge, &g->edge_capacity, g->edges + 1, sizeof *g->edge);
	g->edge[g->edges][0] = from;
	g->edge[g->edges++][1] = to;
}

/* What the process does between two such constructs is one node each; they follow each other. */
static bool add_strand(struct body_graph *g, uint32_t rank, const struct projection_entry *from,
	const struct projection_entry *past, uint32_t *last)
{
	struct family_work *w = g->w;
	for (const struct projection_entry *e = from; e < past; e += e->size) {
		const struct statement *s = &w->program->statement[e->statement];
		if (statement_guard(s) != GUARD_NONE) {
			if (program_count_of(w->program, e->statement, &w->spot) &&
				!add_strand(g, rank, e + 1, e + e->size, last))
				return false;
			continue;
		}
		w->items.length = 0;
		if (!family_project(w, e, e + e->size))
			return false;
		if (!w->items.length)
			continue;
		g->loop = mem_grow(g->loop, &g->node_capacity, g->nodes + (size_t)1, sizeof *g->loop);
		g->loop[g->nodes] = statement_is_loop(s) ? e->statement : FAMILY_ROOT;
		if (*last != UINT32_MAX)
			add_edge(g, *last, g->nodes);
		*last = g->nodes++;
		for (size_t i = 0; i < w->items.length; i++) {
			const struct end_item *entry = &w->items.entry[i];
			const struct channel_ends *c = &w->channel[entry->end >> 1];
			if (family_is_sync(w, c) && family_how(w, c) & OF_FREE)
				continue;
			g->span = mem_grow(g->span, &g->span_capacity, g->spans + 1, sizeof *g->span);
			g->span[g->spans] = (struct span_of_node){
				entry->end, rank, *last, g->spans, family_item_messages(w, entry->item)};
			g->spans++;
		}
	}
	return true;
}

static int by_side(const void *a, const void *b)
{
	const struct span_of_node *x = a, *y = b;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

/* The k-th on one side belongs to the k-th on the other. What meets in a contracted loop, or in
   a collective, is one node. */
static void link_sides(struct body_graph *g, const struct span_of_node *x, size_t xs, const struct span_of_node *y,
	size_t ys, bool sync)
{
	uint64_t first[2] = {0, 0};
	for (size_t i = 0, k = 0; i < xs && k < ys;) {
		uint64_t past[] = {first[0] + x[i].count, first[1] + y[k].count};
		bool same = g->loop[x[i].node] == g->loop[y[k].node] && g->loop[x[i].node] != FAMILY_ROOT;
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

static size_t same_side(const struct span_of_node *s, size_t left)
{
	size_t n = 1;
	while (n < left && s[n].end == s->end && s[n].process == s->process)
		n++;
	return n;
}

static void link_channels(struct body_graph *g)
{
	if (g->spans)
		qsort(g->span, g->spans, sizeof *g->span, by_side);
	for (size_t at = 0; at < g->spans;) {
		const struct span_of_node *first = g->span + at;
		bool sync = family_is_sync(g->w, &g->w->channel[first->end >> 1]);
		size_t n = same_side(first, g->spans - at), next = at + n;
		while (next < g->spans && g->span[next].end >> 1 == first->end >> 1) {
			size_t others = same_side(g->span + next, g->spans - next);
			link_sides(g, first, n, g->span + next, others, sync);
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
	size_t head = 0;
	for (uint32_t i = 0; i < g->nodes; i++) {
		start[i + 1] += start[i];
		if (g->group[i] != i)
			continue;
		roots++;
		if (!waits[i])
			ready[done++] = i;
	}
	for (; head < done; head++)
		for (size_t i = start[ready[head]]; i < start[ready[head] + 1]; i++)
			if (!--waits[g->edge[i][1]])
				ready[done++] = g->edge[i][1];
	free(waits);
	free(ready);
	free(start);
	return good && done == roots;
}

/* Does the process come to this iteration of the body? Then what it executes of it. */
static const struct projection_entry *entry_of(struct family_work *w, size_t scope, uint32_t rank, size_t *length)
{
	const struct projection_entry *entry = projection_list(w->projection, rank, length), *past = entry + *length;
	w->spot = grid_spot(&w->program->grid, rank);
	w->spot.index = w->index;
	if (scope == FAMILY_ROOT)
		return entry;
	while (entry < past) {
		size_t at = entry->statement;
		bool inside = at + statement_size(&w->program->statement[at]) > scope;
		if (!inside) {
			entry += entry->size;
			continue;
		}
		uint64_t index = w->depth[at] < INDEX_DEPTH ? (uint64_t)w->index[w->depth[at]] : 0;
		if (at > scope || program_count_of(w->program, at, &w->spot) <= index)
			break;
		*length = entry->size - 1;
		if (at == scope)
			return entry + 1;
		entry++;
	}
	*length = 0;
	return entry;
}

/* In these iterations of the loops around, and this one of its own. That channels are empty
   where it begins is assumed: otherwise receives wait for earlier sends, and what is behind
   them is implied. */
static bool can_happen(struct family_work *w, size_t scope)
{
	struct body_graph g = {.w = w, .scope = scope};
	bool good = true;
	for (uint32_t p = 0; good && p < w->program->processes; p++) {
		size_t length;
		uint32_t last = UINT32_MAX;
		const struct projection_entry *entry = entry_of(w, scope, p, &length);
		good = w->budget > 0 && add_strand(&g, p, entry, entry + length, &last);
		w->budget -= w->budget > 0;
	}
	size_t in_order = g.edges;
	g.group = mem_array(g.nodes + (size_t)1, sizeof *g.group);
	union_find_start(g.group, g.nodes);
	if (good)
		link_channels(&g);
	good = good && is_acyclic(&g, in_order);
	free(g.loop);
	free(g.group);
	free(g.span);
	free(g.edge);
	return good;
}

static uint64_t most_iterations(struct family_work *w, size_t at)
{
	const struct statement *s = &w->program->statement[at];
	uint64_t most = s->bound == BOUND_NONE ? s->count : 0;
	for (uint32_t p = 0; s->bound != BOUND_NONE && p < w->program->processes; p++) {
		struct spot spot = grid_spot(&w->program->grid, p);
		spot.index = w->index;
		uint64_t count = program_count_of(w->program, at, &spot);
		most = count > most ? count : most;
		w->budget -= w->budget > 0;
	}
	return most;
}

/* The indices that decide what happens in a body: those that it depends on, and the loops
   around it; those of loops that some leave earlier. */
static uint32_t indices_of(const struct family_work *w, size_t scope)
{
	const struct statement *s = w->program->statement;
	uint32_t used = 0;
	for (size_t i = 0; i < scope + s[scope].size; i++) {
		bool around = statement_is_loop(&s[i]) && i <= scope && i + s[i].size > scope;
		if (around || i > scope)
			used |= program_indices(w->program, &s[i]);
		if (around && w->divergent[i] && w->depth[i] < INDEX_DEPTH)
			used |= UINT32_C(1) << w->depth[i];
	}
	return used;
}

/* In all iterations of the loops around that differ. at: the loop of these, from the outside in. */
static bool can_always_happen(struct family_work *w, size_t scope, size_t at, uint32_t used)
{
	const struct statement *s = w->program->statement;
	while (at <= scope && (!statement_is_loop(&s[at]) || at + s[at].size <= scope))
		at += statement_size(&s[at]);
	if (at > scope)
		return can_happen(w, scope);
	uint32_t depth = w->depth[at];
	bool guard = statement_guard(&s[at]) != GUARD_NONE, good = true,
	     all = !guard && depth < INDEX_DEPTH && used >> depth & 1;
	uint64_t count = all ? most_iterations(w, at) : 1;
	for (uint64_t i = 0; good && i < count; i++) {
		family_set_index(w, depth, i);
		good = w->budget > 0 && can_always_happen(w, scope, at + 1, used);
	}
	family_set_index(w, depth, 0);
	return good;
}

void family_find_order(struct family_work *w)
{
	struct families *f = w->found;
	size_t length = w->program->length;
	bool *asked = mem_zero((length + 1) * sizeof *asked), good = !w->unsure;
	f->order = ORDER_OF_TEXT;
	for (size_t i = 0; good && i < length; i++) {
		size_t scope = w->around[i];
		if (!w->early[i] || asked[scope == FAMILY_ROOT ? length : scope])
			continue;
		asked[scope == FAMILY_ROOT ? length : scope] = true;
		f->graphs++;
		f->order = ORDER_OF_GRAPHS;
		good = scope == FAMILY_ROOT ? can_happen(w, FAMILY_ROOT)
					    : can_always_happen(w, scope, 0, indices_of(w, scope));
	}
	f->order = good ? f->order : ORDER_OPEN;
	free(asked);
}
