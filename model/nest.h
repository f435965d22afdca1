/*
 * nest.h -- sequences of loop nests over integers.
 *
 * A node is a symbol (an event's id, or whatever the user of the nest means by it) or a loop: an
 * iteration count and a body, a sequence of nodes. Loops are interned: equal loops are one loop
 * with one id, so a nest is a directed acyclic graph and comparing nodes is comparing integers.
 * What a nest says is its root, a sequence of nodes.
 */
#ifndef TRACENEST_MODEL_NEST_H
#define TRACENEST_MODEL_NEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint32_t node;

#define NEST_LOOP UINT32_C(0x80000000) /* set: a loop, the rest is its index; clear: a symbol */
static inline bool node_is_loop(node n)
{
	return (n & NEST_LOOP) != 0;
}

/* Loops nest no deeper than this (readers refuse more), so that recursion over a nest is safe. */
#define NEST_DEPTH_LIMIT 1000

struct body {
	const node *node;
	size_t length;
};

struct loop {
	uint64_t count; /* iterations, 0 and more */
	size_t first; /* of the body in the nest's items */
	size_t length; /* nodes of the body */
	uint64_t events; /* symbols in all iterations; UINT64_MAX: that many or more */
	/* the loop itself and all below, each occurrence counted once; UINT64_MAX: that many or
	   more */
	uint64_t constructs;
	uint32_t depth; /* 1 for a loop without loops */
};

struct nest {
	struct loop *loop;
	size_t loops, loop_capacity;
	node *item;
	size_t items, item_capacity;
	uint32_t *table; /* open addressing over loops, for nest_loop */
	size_t table_size;
	node *root;
	size_t root_length, root_capacity;
};

struct nest *nest_new(void);
void nest_free(struct nest *);

/* The loop of so many iterations over this body; the same node for the same loop. The nodes of the
   body must exist already. */
node nest_loop(struct nest *, uint64_t count, const node *body, size_t length);

static inline const struct loop *nest_get(const struct nest *n, node loop)
{
	return &n->loop[loop & ~NEST_LOOP];
}
static inline struct body nest_body(const struct nest *n, node loop)
{
	const struct loop *l = nest_get(n, loop);
	return (struct body){n->item + l->first, l->length};
}

void nest_append(struct nest *, node); /* to the root */

/* So many nodes more at the end of the root, to be filled in before anything else is done to
   it. */
node *nest_extend(struct nest *, size_t length);

/* Append the whole root of another nest to the root, symbols renamed by map (NULL: as they are).
   Iterative or of bounded depth. */
void nest_append_all(struct nest *to, const struct nest *from, const uint32_t *map);

/* Symbols that a node stands for; UINT64_MAX: that many or more. O(1) per node. */
uint64_t nest_events(const struct nest *, node);

/* Tell all symbols in their order. O(symbols). */
void nest_run(const struct nest *, void (*take)(void *context, uint32_t symbol), void *context);

/* Add how often each symbol occurs, in all iterations; mark those that there are. By symbol.
   O(nest). */
void nest_times(const struct nest *, uint64_t *times);
void nest_mark(const struct nest *, bool *there);

/* Constructs (symbols and loops) as printed, each occurrence counted, loops' bodies once per
   occurrence; saturates. O(length). */
uint64_t nest_constructs(const struct nest *, const node *nodes, size_t length);

#endif
