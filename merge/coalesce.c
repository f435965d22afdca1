/*
 * coalesce.c -- the third step of a round: what was aligned becomes part of the system, unless that
 * closes a cycle.
 *
 * All is tried on copies of the strands: a group that turns out to be on a cycle is undone by not
 * applying its replacements.
 */
#include "merge/coalesce.h"

#include <stdlib.h>

static int by_place(const void *a, const void *b)
{
	const struct replacement *x = *(const struct replacement *const *)a, *y = *(const struct replacement *const *)b;
	if (x->strand != y->strand)
		return x->strand < y->strand ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

/* All replacements that stand, in order of place. */
static size_t sort_replacements(const struct accepted *list, size_t length, const struct replacement ***result)
{
	size_t count = 0, n = 0;
	for (size_t i = 0; i < length; i++)
		count += list[i].alignment.members;
	const struct replacement **all = mem_array(count, sizeof *all);
	for (size_t i = 0; i < length; i++)
		for (uint32_t k = 0; k < list[i].alignment.members; k++)
			if (!list[i].joint || !list[i].joint->bad)
				all[n++] = &list[i].alignment.replacement[k];
	qsort(all, n, sizeof *all, by_place);
	*result = all;
	return n;
}

/* The strands with all replacements made that stand; strands without any are shared with the old
   ones. */
static struct strand *apply(const struct system *s, const struct accepted *list, size_t length)
{
	const struct replacement **all;
	size_t n = sort_replacements(list, length, &all), k = 0;
	struct strand *made = mem_copy(s->strand, s->strands * sizeof *made);
	while (k < n) {
		uint32_t p = all[k]->strand;
		const struct strand *old = &s->strand[p];
		struct strand fresh = {.process = old->process};
		size_t at = 0;
		for (; k < n && all[k]->strand == p; k++) {
			strand_add_all(&fresh, old->item + at, all[k]->first - at);
			strand_add_all(&fresh, all[k]->with.item, all[k]->with.length);
			at = all[k]->past;
		}
		strand_add_all(&fresh, old->item + at, old->length - at);
		made[p] = fresh;
	}
	free(all);
	return made;
}

static void drop_strands(struct strand *s, size_t strands, const struct strand *keep)
{
	for (size_t p = 0; p < strands; p++)
		if (s[p].item != keep[p].item)
			free(s[p].item);
	free(s);
}

void coalesce(struct reduction *r, struct system *s, struct order *o, const struct links *l,
	const struct accepted *list, size_t length)
{
	size_t joints = s->joints;
	for (;;) {
		struct system tried = *s;
		tried.strand = apply(s, list, length);
		for (size_t i = 0; i < length; i++)
			if (list[i].joint && !list[i].joint->bad)
				*MEM_PUSH(tried.joint, tried.joints, tried.joint_capacity) = list[i].joint;
		bool holds = order_check(r, &tried, o);
		s->joint = tried.joint;
		s->joint_capacity = tried.joint_capacity;
		if (holds) {
			drop_strands(s->strand, s->strands, tried.strand);
			*s = tried;
			for (; joints < s->joints; joints++)
				s->joint[joints]->settled = true;
			return;
		}
		drop_strands(tried.strand, s->strands, s->strand);
		s->joints = joints;
		for (size_t i = 0; i < length; i++)
			if (list[i].joint && list[i].joint->bad)
				links_set_apart(l, list[i].group, s, APART_CYCLE);
	}
}
