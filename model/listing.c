/*
 * listing.c -- Kahn's algorithm with two heaps: units that are ready, and receives that are but for
 * their send.
 *
 * The second heap is looked at only when the first is empty: a receive whose send comes later in
 * any order. If units remain, the strongly connected components tell which of them close cycles.
 */
#include "model/listing.h"

#include <stdlib.h>

#include "base/components.h"
#include "base/heap.h"
#include "base/mem.h"

struct lister {
	const struct listing *system;
	size_t *first_place; /* by unit, and one more: in `place` */
	size_t *place; /* places of the strands, those of a unit together, ascending */
	uint32_t *strand_of; /* by place of the strands */
	uint32_t *degree; /* by unit: predecessors not listed yet */
	uint64_t *clock;
	bool *done, *queued;
	struct heap ready, waiting;
	uint32_t *order;
	uint32_t listed;
};

/* The unit after a place on its strand. */
static uint32_t successor(const struct lister *l, size_t place)
{
	return place + 1 < l->system->first[l->strand_of[place] + 1] ? l->system->unit[place + 1] : UNIT_NONE;
}

static void gather_places(struct lister *l)
{
	const struct listing *s = l->system;
	size_t places = s->first[s->strands];
	l->first_place = mem_zero((s->units + 1) * sizeof *l->first_place);
	l->place = mem_array(places, sizeof *l->place);
	l->strand_of = mem_array(places, sizeof *l->strand_of);
	l->degree = mem_zero(s->units * sizeof *l->degree);
	for (size_t i = 0; i < places; i++)
		l->first_place[s->unit[i] + 1]++;
	for (uint32_t u = 0; u < s->units; u++)
		l->first_place[u + 1] += l->first_place[u];
	size_t *next = mem_copy(l->first_place, s->units * sizeof *next);
	for (uint32_t k = 0; k < s->strands; k++)
		for (size_t i = s->first[k]; i < s->first[k + 1]; i++) {
			l->place[next[s->unit[i]]++] = i;
			l->strand_of[i] = k;
			l->degree[s->unit[i]] += i > s->first[k];
		}
	free(next);
}

static void queue_unit(struct lister *l, uint32_t unit)
{
	uint32_t partner = l->system->receives[unit] ? l->system->partner[unit] : UNIT_NONE;
	bool waits = partner != UNIT_NONE && !l->done[partner];
	if (partner != UNIT_NONE && !waits && l->clock[unit] <= l->clock[partner])
		l->clock[unit] = l->clock[partner] + 1;
	l->queued[unit] = true;
	uint32_t strand = l->strand_of[l->place[l->first_place[unit]]];
	heap_push(waits ? &l->waiting : &l->ready, (struct heap_entry){l->clock[unit], strand, unit});
}

static void list_unit(struct lister *l, uint32_t unit)
{
	l->done[unit] = true;
	l->order[l->listed++] = unit;
	for (size_t at = l->first_place[unit]; at < l->first_place[unit + 1]; at++) {
		uint32_t next = successor(l, l->place[at]);
		if (next == UNIT_NONE)
			continue;
		if (l->clock[next] <= l->clock[unit])
			l->clock[next] = l->clock[unit] + 1;
		if (!--l->degree[next])
			queue_unit(l, next);
	}
}

static void list_all(struct lister *l)
{
	for (uint32_t u = 0; u < l->system->units; u++)
		if (!l->degree[u] && l->first_place[u + 1] > l->first_place[u])
			queue_unit(l, u);
	while (l->ready.length || l->waiting.length) {
		uint32_t unit = heap_pop(l->ready.length ? &l->ready : &l->waiting).id;
		if (l->done[unit])
			continue;
		list_unit(l, unit);
		uint32_t partner = l->system->receives[unit] ? UNIT_NONE : l->system->partner[unit];
		if (partner != UNIT_NONE && l->queued[partner] && !l->done[partner])
			list_unit(l, partner);
	}
}

/* ------------------------------------------------------------------ cycles */

uint32_t *listing_components(const struct listing *s, uint32_t *component)
{
	size_t edges = 0;
	struct edge *edge = mem_array(s->first[s->strands], sizeof *edge);
	for (uint32_t k = 0; k < s->strands; k++)
		for (size_t i = s->first[k] + 1; i < s->first[k + 1]; i++)
			edge[edges++] = (struct edge){s->unit[i - 1], s->unit[i]};
	uint32_t components = components_find(s->units, edge, edges, component),
		 *size = mem_zero(components * sizeof *size);
	for (uint32_t u = 0; u < s->units; u++)
		size[component[u]]++;
	free(edge);
	return size;
}

static void mark_cycles(const struct listing *s, bool *in_cycle)
{
	uint32_t *component = mem_array(s->units, sizeof *component), *size = listing_components(s, component);
	for (uint32_t u = 0; u < s->units; u++)
		in_cycle[u] = size[component[u]] > 1;
	free(component);
	free(size);
}

uint32_t listing_order(const struct listing *system, uint32_t *order, bool *in_cycle)
{
	uint32_t n = system->units, present = 0;
	struct lister l = {.system = system,
		.order = order,
		.clock = mem_zero(n * sizeof *l.clock),
		.done = mem_zero(n),
		.queued = mem_zero(n)};
	gather_places(&l);
	list_all(&l);
	for (uint32_t u = 0; u < n; u++)
		present += l.first_place[u + 1] > l.first_place[u];
	if (l.listed < present) {
		mark_cycles(system, in_cycle);
		l.listed = 0;
	}
	free(l.first_place);
	free(l.place);
	free(l.strand_of);
	free(l.degree);
	free(l.clock);
	free(l.done);
	free(l.queued);
	heap_clear(&l.ready);
	heap_clear(&l.waiting);
	return l.listed;
}
