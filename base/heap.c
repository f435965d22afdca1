/*
 * heap.c -- a binary heap in an array: the children of entry i are 2i + 1 and 2i + 2.
 */
#include "base/heap.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"

static bool before(const struct heap_entry *a, const struct heap_entry *b)
{
	if (a->key != b->key)
		return a->key < b->key;
	return a->tie != b->tie ? a->tie < b->tie : a->id < b->id;
}

void heap_push(struct heap *h, struct heap_entry e)
{
	h->entry = mem_grow(h->entry, &h->capacity, h->length + 1, sizeof *h->entry);
	size_t at = h->length++;
	for (; at && before(&e, &h->entry[(at - 1) / 2]); at = (at - 1) / 2)
		h->entry[at] = h->entry[(at - 1) / 2];
	h->entry[at] = e;
}

/* The first entry is no longer there: this one is, instead. */
static void sink(struct heap *h, const struct heap_entry *e)
{
	size_t at = 0;
	for (size_t child; (child = 2 * at + 1) < h->length; at = child) {
		child += child + 1 < h->length && before(&h->entry[child + 1], &h->entry[child]);
		if (!before(&h->entry[child], e))
			break;
		h->entry[at] = h->entry[child];
	}
	h->entry[at] = *e;
}

struct heap_entry heap_pop(struct heap *h)
{
	assert(h->length);
	struct heap_entry top = h->entry[0], last = h->entry[--h->length];
	sink(h, &last);
	return top;
}

struct heap_entry heap_exchange(struct heap *h, struct heap_entry e)
{
	if (!h->length || before(&e, &h->entry[0]))
		return e;
	struct heap_entry top = h->entry[0];
	sink(h, &e);
	return top;
}

void heap_clear(struct heap *h)
{
	free(h->entry);
	*h = (struct heap){0};
}
