/*
 * components.c -- Tarjan's algorithm, with the path from the start to the node at hand as an
 * explicit stack.
 *
 * number: the order in which nodes are met. low: the lowest number known to be reachable among the
 * open nodes, those whose component is not complete. A node that reaches none lower than itself
 * closes its component: itself and all that were opened after it.
 */
#include "base/components.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define NONE UINT32_MAX

struct search {
	size_t *first; /* by node, and one more: its edges, in .target */
	uint32_t *target;
	size_t *at; /* by node: the edge to look at next */
	uint32_t *number, *low; /* number 0: not met yet */
	uint32_t *path, *open;
	uint32_t paths, opens, numbers, components;
	uint32_t *component; /* NONE: not complete */
};

/* Sort the edges by where they start: first[v + 1] moves from the start of v's to their end. */
static void gather_edges(struct search *s, uint32_t nodes, const struct edge *edge, size_t edges)
{
	s->first = mem_zero(((size_t)nodes + 2) * sizeof *s->first);
	s->target = mem_array(edges, sizeof *s->target);
	for (size_t i = 0; i < edges; i++)
		s->first[edge[i].from + (size_t)2]++;
	for (size_t v = 0; v < nodes; v++)
		s->first[v + 2] += s->first[v + 1];
	for (size_t i = 0; i < edges; i++)
		s->target[s->first[edge[i].from + (size_t)1]++] = edge[i].to;
}

static void close_component(struct search *s, uint32_t v)
{
	uint32_t w;
	do {
		w = s->open[--s->opens];
		s->component[w] = s->components;
	} while (w != v);
	s->components++;
}

static void open_node(struct search *s, uint32_t v)
{
	s->number[v] = s->low[v] = ++s->numbers;
	s->at[v] = s->first[v];
	s->open[s->opens++] = v;
	s->path[s->paths++] = v;
}

static void search_from(struct search *s, uint32_t start)
{
	open_node(s, start);
	while (s->paths) {
		uint32_t v = s->path[s->paths - 1];
		if (s->at[v] < s->first[v + (size_t)1]) {
			uint32_t w = s->target[s->at[v]++];
			if (!s->number[w])
				open_node(s, w);
			else if (s->component[w] == NONE && s->number[w] < s->low[v])
				s->low[v] = s->number[w];
			continue;
		}
		if (s->low[v] == s->number[v])
			close_component(s, v);
		s->paths--;
		uint32_t before = s->paths ? s->path[s->paths - 1] : v;
		if (s->low[v] < s->low[before])
			s->low[before] = s->low[v];
	}
}

uint32_t components_find(uint32_t nodes, const struct edge *edge, size_t edges, uint32_t *component)
{
	struct search s = {.at = mem_array(nodes, sizeof *s.at),
		.number = mem_zero(nodes * sizeof *s.number),
		.low = mem_array(nodes, sizeof *s.low),
		.path = mem_array(nodes, sizeof *s.path),
		.open = mem_array(nodes, sizeof *s.open),
		.component = component};
	memset(component, 0xff, nodes * sizeof *component);
	gather_edges(&s, nodes, edge, edges);
	for (uint32_t v = 0; v < nodes; v++)
		if (!s.number[v])
			search_from(&s, v);
	free(s.first);
	free(s.target);
	free(s.at);
	free(s.number);
	free(s.low);
	free(s.path);
	free(s.open);
	return s.components;
}
