/*
 * nest.c -- loops interned in an open-addressing table.
 *
 * A loop is made after the nodes of its body, so the loops of a body have lower indices than the
 * loop itself: going through nest->loop from 0 up meets every loop after all that it holds, and
 * from the top down before.
 */
#include "model/nest.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/saturate.h"

#define FREE_SLOT UINT32_MAX

struct nest *nest_new(void)
{
	return mem_zero(sizeof(struct nest));
}

void nest_free(struct nest *n)
{
	if (!n)
		return;
	free(n->loop);
	free(n->item);
	free(n->table);
	free(n->root);
	free(n);
}

static uint64_t hash_loop(uint64_t count, const node *body, size_t length)
{
	return hash_pair(count, hash_bytes(length ? (const void *)body : "", length * sizeof *body));
}

static bool loop_is(const struct nest *n, uint32_t index, uint64_t count, const node *body, size_t length)
{
	const struct loop *l = &n->loop[index];
	return l->count == count && l->length == length &&
	       (!length || !memcmp(n->item + l->first, body, length * sizeof *body));
}

/* The slot of this loop, or the free one where it belongs. */
static size_t find_slot(const struct nest *n, uint64_t hash, uint64_t count, const node *body, size_t length)
{
	size_t mask = n->table_size - 1, slot = hash & mask;
	while (n->table[slot] != FREE_SLOT && !loop_is(n, n->table[slot], count, body, length))
		slot = (slot + 1) & mask;
	return slot;
}

static void grow_table(struct nest *n)
{
	n->table_size = n->table_size ? 2 * n->table_size : 64;
	n->table = mem_resize(n->table, n->table_size, sizeof *n->table);
	memset(n->table, 0xff, n->table_size * sizeof *n->table);
	size_t mask = n->table_size - 1;
	for (size_t i = 0; i < n->loops; i++) {
		const struct loop *l = &n->loop[i];
		size_t slot = hash_loop(l->count, n->item + l->first, l->length) & mask;
		while (n->table[slot] != FREE_SLOT)
			slot = (slot + 1) & mask;
		n->table[slot] = (uint32_t)i;
	}
}

/* Append the body to the items; it may be a part of them. */
static void store_body(struct nest *n, const node *body, size_t length)
{
	bool inside = n->item && body >= n->item && body < n->item + n->items;
	size_t offset = inside ? (size_t)(body - n->item) : 0;
	n->item =
		/* never NULL: bodies may be empty */
		mem_grow(n->item, &n->item_capacity, n->items + length + 1, sizeof *n->item);
	if (length)
		memcpy(n->item + n->items, inside ? n->item + offset : body, length * sizeof *body);
	n->items += length;
}

static void measure(const struct nest *n, struct loop *l)
{
	uint64_t events = 0;
	l->constructs = 1;
	l->depth = 1;
	for (size_t i = 0; i < l->length; i++) {
		node child = n->item[l->first + i];
		assert(!node_is_loop(child) || (child & ~NEST_LOOP) < n->loops);
		events = saturating_add(events, nest_events(n, child));
		l->constructs = saturating_add(l->constructs, node_is_loop(child) ? nest_get(n, child)->constructs : 1);
		if (node_is_loop(child) && nest_get(n, child)->depth >= l->depth)
			l->depth = nest_get(n, child)->depth + 1;
	}
	l->events = saturating_multiply(l->count, events);
	assert(l->depth <= NEST_DEPTH_LIMIT);
}

node nest_loop(struct nest *n, uint64_t count, const node *body, size_t length)
{
	if (2 * (n->loops + 1) > n->table_size)
		grow_table(n);
	size_t slot = find_slot(n, hash_loop(count, body, length), count, body, length);
	if (n->table[slot] != FREE_SLOT)
		return n->table[slot] | NEST_LOOP;

	assert(n->loops < NEST_LOOP - 1);
	struct loop l = {.count = count, .first = n->items, .length = length};
	store_body(n, body, length);
	measure(n, &l);
	n->table[slot] = (uint32_t)n->loops;
	*MEM_PUSH(n->loop, n->loops, n->loop_capacity) = l;
	return n->table[slot] | NEST_LOOP;
}

void nest_append(struct nest *n, node item)
{
	*MEM_PUSH(n->root, n->root_length, n->root_capacity) = item;
}

node *nest_extend(struct nest *n, size_t length)
{
	if (n->root_capacity - n->root_length < length)
		n->root = mem_grow(n->root, &n->root_capacity, n->root_length + length, sizeof *n->root);
	n->root_length += length;
	return n->root + n->root_length - length;
}

/* A node with the loops below it. memo: by loop of `from`, UINT32_MAX: not yet. */
static node import_node(struct nest *to, const struct nest *from, node n, const uint32_t *map, node *memo)
{
	if (!node_is_loop(n))
		return map ? map[n] : n;
	node *known = &memo[n & ~NEST_LOOP];
	if (*known == UINT32_MAX) {
		size_t length = nest_get(from, n)->length;
		node *body = mem_array(length, sizeof *body);
		for (size_t i = 0; i < length; i++)
			body[i] = import_node(to, from, nest_body(from, n).node[i], map, memo);
		*known = nest_loop(to, nest_get(from, n)->count, body, length);
		free(body);
	}
	return *known;
}

void nest_append_all(struct nest *to, const struct nest *from, const uint32_t *map)
{
	node *memo = mem_array(from->loops, sizeof *memo);
	memset(memo, 0xff, from->loops * sizeof *memo);
	for (size_t i = 0; i < from->root_length; i++)
		nest_append(to, import_node(to, from, from->root[i], map, memo));
	free(memo);
}

uint64_t nest_events(const struct nest *n, node item)
{
	return node_is_loop(item) ? nest_get(n, item)->events : 1;
}

uint64_t nest_constructs(const struct nest *n, const node *nodes, size_t length)
{
	uint64_t total = 0;
	for (size_t i = 0; i < length; i++)
		total = saturating_add(total, node_is_loop(nodes[i]) ? nest_get(n, nodes[i])->constructs : 1);
	return total;
}

/* Recursion as deep as loops nest. */
static void run_nodes(const struct nest *n, const node *nodes, size_t length,
	void (*take)(void *context, uint32_t symbol), void *context)
{
	for (size_t i = 0; i < length; i++) {
		if (!node_is_loop(nodes[i])) {
			take(context, nodes[i]);
			continue;
		}
		struct body body = nest_body(n, nodes[i]);
		for (uint64_t k = nest_get(n, nodes[i])->count; k > 0; k--)
			run_nodes(n, body.node, body.length, take, context);
	}
}

void nest_run(const struct nest *n, void (*take)(void *context, uint32_t symbol), void *context)
{
	run_nodes(n, n->root, n->root_length, take, context);
}

/* The nodes of a body are older than its loop: so outer loops come first, backwards. */
void nest_times(const struct nest *n, uint64_t *times)
{
	uint64_t *runs = mem_zero(n->loops * sizeof *runs); /* of each loop */
	for (size_t i = 0; i < n->root_length; i++)
		(node_is_loop(n->root[i]) ? runs : times)[n->root[i] & ~NEST_LOOP]++;
	for (size_t l = n->loops; l-- > 0;) {
		struct body body = nest_body(n, (node)l | NEST_LOOP);
		uint64_t iterations = runs[l] * n->loop[l].count;
		for (size_t i = 0; i < body.length; i++)
			(node_is_loop(body.node[i]) ? runs : times)[body.node[i] & ~NEST_LOOP] += iterations;
	}
	free(runs);
}

void nest_mark(const struct nest *n, bool *there)
{
	for (size_t i = 0; i < n->items; i++)
		if (!node_is_loop(n->item[i]))
			there[n->item[i]] = true;
	for (size_t i = 0; i < n->root_length; i++)
		if (!node_is_loop(n->root[i]))
			there[n->root[i]] = true;
}
