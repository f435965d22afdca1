/*
 * common_order.c -- in rounds: those that are next when a round begins are taken in it.
 */
#include "base/common_order.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/compare.h"
#include "base/mem.h"

#define NONE SIZE_MAX

struct next_item {
	uint32_t lists, before; /* that hold it; before all others */
	size_t list; /* the last of these; NONE */
	size_t first; /* that holds it; NONE: none */
	bool taken;
};

struct ready {
	size_t first;
	uint32_t item;
};

struct ordering {
	const uint32_t *item;
	size_t *at, *past,
		*other; /* by list: where it stands, and ends; another one that stands before the same item */
	struct next_item *next;
	struct ready *ready;
	size_t readys, capacity;
};

/* The list stands before its next item. */
static void stand(struct ordering *o, size_t list)
{
	while (o->at[list] < o->past[list] && o->next[o->item[o->at[list]]].taken)
		o->at[list]++;
	if (o->at[list] == o->past[list])
		return;
	uint32_t item = o->item[o->at[list]];
	struct next_item *n = &o->next[item];
	o->other[list] = n->list;
	n->list = list;
	if (++n->before == n->lists)
		*MEM_PUSH(o->ready, o->readys, o->capacity) = (struct ready){n->first, item};
}

static void take(struct ordering *o, uint32_t item)
{
	struct next_item *n = &o->next[item];
	n->taken = true;
	for (size_t list = n->list, other; list != NONE; list = other) {
		other = o->other[list];
		stand(o, list);
	}
}

static int by_first(const void *left, const void *right)
{
	const struct ready *a = left, *b = right;
	return a->first != b->first ? COMPARE(a->first, b->first) : COMPARE(a->item, b->item);
}

size_t common_order(
	size_t lists, const size_t *from, const size_t *length, const uint32_t *item, uint32_t items, uint32_t *order)
{
	size_t ordered = 0, left = 0;
	struct ordering o = {.item = item,
		.at = mem_array(lists, sizeof *o.at),
		.past = mem_array(lists, sizeof *o.past),
		.other = mem_array(lists, sizeof *o.other),
		.next = mem_array(items, sizeof *o.next)};
	for (uint32_t i = 0; i < items; i++)
		o.next[i] = (struct next_item){.list = NONE, .first = NONE};
	for (size_t list = 0; list < lists; list++)
		for (size_t i = from[list]; i < from[list] + length[list]; i++) {
			struct next_item *n = &o.next[item[i]];
			n->lists++;
			n->first = n->first == NONE ? list : n->first;
		}
	for (size_t list = 0; list < lists; list++) {
		o.at[list] = from[list];
		o.past[list] = from[list] + length[list];
		stand(&o, list);
	}
	while (left < lists) {
		size_t round = o.readys;
		struct ready *ready = o.ready;
		if (!round) { /* all are done, or contradict each other */
			left += o.at[left] == o.past[left];
			if (left < lists && o.at[left] < o.past[left])
				take(&o, order[ordered++] = item[o.at[left]]);
			continue;
		}
		qsort(ready, round, sizeof *ready, by_first);
		o.ready = NULL;
		o.readys = o.capacity = 0;
		for (size_t i = 0; i < round; i++)
			take(&o, order[ordered++] = ready[i].item);
		free(ready);
	}
	free(o.at);
	free(o.past);
	free(o.other);
	free(o.next);
	free(o.ready);
	return ordered;
}
