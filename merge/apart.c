/*
 * apart.c -- which loops exchange messages with single events, and so have no loop to become one
 * with?
 *
 * Per channel, count the sides that the system has, and those that the loops of one joint have
 * among themselves: with more of them outside, somebody else is at the other end.
 */
#include "merge/apart.h"

#include <stdlib.h>

#include "merge/merge.h"

static void see_side(const struct reduction *r, struct scratch *s, uint32_t side)
{
	uint32_t *sides = &s->slot[r->channel_of[side]];
	if (!s->count[side]++)
		*sides = *sides == NONE ? 1 : *sides + 1;
}

static void forget_side(const struct reduction *r, struct scratch *s, uint32_t side)
{
	s->slot[r->channel_of[side]] = NONE;
	s->count[side] = 0;
}

typedef void side_visit(const struct reduction *, struct scratch *, uint32_t side);

static void item_sides(const struct reduction *r, const struct item *item, side_visit *visit, struct scratch *scratch)
{
	if (!item->loop && r->loops.side_of[item->event] != NO_SIDE)
		visit(r, scratch, r->loops.side_of[item->event]);
	for (uint32_t k = 0; item->loop && k < item->loop->flows; k++)
		visit(r, scratch, item->loop->flow[k].side);
}

static void system_sides(const struct reduction *r, const struct system *s, side_visit *visit, struct scratch *scratch)
{
	for (size_t p = 0; p < s->strands; p++)
		for (size_t i = 0; i < s->strand[p].length; i++)
			item_sides(r, &s->strand[p].item[i], visit, scratch);
}

/* Does the loop meet sides of its channels here that are not its own (`own`: nor those of the loops
   it is joined with)? */
static bool meets_others(
	const struct reduction *r, const struct item *item, const struct scratch *here, const struct scratch *own)
{
	for (uint32_t k = 0; k < item->loop->flows; k++) {
		uint32_t channel = r->channel_of[item->loop->flow[k].side];
		if (here->slot[channel] > own->slot[channel])
			return true;
	}
	return false;
}

struct part_of {
	const struct joint *joint;
	struct item *item;
};

static int by_joint(const void *a, const void *b)
{
	const struct part_of *x = a, *y = b;
	return (x->joint > y->joint) - (x->joint < y->joint);
}

/* All loops of the system, those of one joint together. */
static size_t list_loops(struct system *s, struct part_of **result)
{
	size_t length = 0, capacity = 0;
	struct part_of *list = NULL;
	for (size_t p = 0; p < s->strands; p++)
		for (size_t i = 0; i < s->strand[p].length; i++)
			if (s->strand[p].item[i].loop) {
				list = mem_grow(list, &capacity, length + 1, sizeof *list);
				list[length++] = (struct part_of){s->strand[p].item[i].joint, &s->strand[p].item[i]};
			}
	if (length)
		qsort(list, length, sizeof *list, by_joint);
	*result = list;
	return length;
}

void apart_from_events(struct reduction *r, struct system *s)
{
	struct part_of *list;
	size_t length = list_loops(s, &list);
	struct scratch *here = scratch_take(r), *own = scratch_take(r);
	system_sides(r, s, see_side, here);
	for (size_t at = 0, end; at < length; at = end) {
		for (end = at + 1; end < length && list[at].joint && list[end].joint == list[at].joint;)
			end++;
		bool others = false;
		for (size_t i = at; i < end; i++)
			item_sides(r, list[i].item, see_side, own);
		for (size_t i = at; i < end; i++)
			others |= meets_others(r, list[i].item, here, own);
		for (size_t i = at; i < end; i++) {
			item_sides(r, list[i].item, forget_side, own);
			if (others && !list[i].item->apart)
				list[i].item->apart = 1 + APART_EVENTS;
		}
	}
	system_sides(r, s, forget_side, here);
	scratch_give(r, here);
	scratch_give(r, own);
	free(list);
}
