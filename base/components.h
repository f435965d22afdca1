/*
 * components.h -- the strongly connected components of a directed graph: who can reach each other.
 *
 *	struct edge edge[] = {{0, 1}, {1, 0}, {1, 2}};
 *	uint32_t component[3];
 *	components_find(3, edge, 3, component);		-- 2: component[0] == component[1] != component[2]
 *
 * A node is in a cycle with others if its component has several nodes. (Tarjan, SIAM Journal on
 * Computing 1(2), 1972.)
 */
#ifndef TRACENEST_BASE_COMPONENTS_H
#define TRACENEST_BASE_COMPONENTS_H

#include <stddef.h>
#include <stdint.h>

struct edge {
	uint32_t from, to;
};

/*
 * Fill component by node, numbered from 0, each after all those that it leads to. Returns how many
 * there are. Edges may lead from a node to itself, and stand several times. O(nodes + edges) time
 * and memory, without recursion.
 */
uint32_t components_find(uint32_t nodes, const struct edge *edge, size_t edges, uint32_t *component);

#endif
