/*
 * heap.h -- a queue of numbers from which the least comes first.
 *
 *	struct heap h = {0};
 *	heap_push(&h, (struct heap_entry){.key = clock, .tie = strand, .id = unit});
 *	while (h.length)
 *		visit(heap_pop(&h).id);
 *	heap_clear(&h);
 */
#ifndef TRACENEST_BASE_HEAP_H
#define TRACENEST_BASE_HEAP_H

#include <stddef.h>
#include <stdint.h>

/* In order of key, then tie, then id. */
struct heap_entry {
	uint64_t key, tie;
	uint32_t id;
};

/* Starts as {0}. The least entry is entry[0]. */
struct heap {
	struct heap_entry *entry;
	size_t length, capacity;
};

void heap_push(struct heap *, struct heap_entry); /* O(log length) */
struct heap_entry heap_pop(struct heap *); /* O(log length); the heap must not be empty */

/* The least of the heap and of this one, the others stay: one step where push and pop are two. */
struct heap_entry heap_exchange(struct heap *, struct heap_entry); /* O(log length) */
void heap_clear(struct heap *);

#endif
