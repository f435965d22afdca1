/*
 * system.c -- one merge: the strands of some processes become a system, its loops are joined, and their bodies are merged in turn.
 *
 * The order of things (the paper, section III-B):
 *
 *	link		which loops exchange messages, and how many			link.c
 *	regularize	give the loops of each group common iterations			align.c
 *	coalesce	make them one, unless that closes a cycle in T			here, order.c
 *	recur		merge the bodies of each joint loop
 *	list		choose a topological order, joining syncs that meet		order.c
 *
 * The first three repeat: what a split left over may have a partner of its own. Everything is tried on a copy of the strands: a group that turns out to
 * be on a cycle is undone simply by not applying its replacements (so what does not pay never costs anything), and its loops are marked with the reason.
 *
 * All processes are merged at once, not two by two. The paper allows it ("a single merging operation can operate on any number of systems"),
 * and it makes the result independent of the order of processes: each decision sees all links. Merging a merged
 * system again takes it apart into strands first, so reductions over a tree need nothing more than this.
 */
#include "merge/system.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"

/* Rounds of regularization: each takes off what one partner needs. A loop that meets more loops than this keeps the rest to itself. */
#define ROUNDS 256

/* Constructs that a merge may add in any case: a small budget should not depend on how small the program is. */
#define ROOM 16

/* ------------------------------------------------------------------ what threads share */

struct scratch_shelf {
	pthread_mutex_t lock;
	struct scratch *free;
};

struct tally {
	atomic_uint_fast64_t count[TALLY_KINDS];
};

void tally_add(struct reduction *r, enum tally_kind kind, uint64_t n)
{
	if (n)
		atomic_fetch_add(&r->tally->count[kind], n);
}

uint64_t tally_get(struct reduction *r, enum tally_kind kind) { return atomic_load(&r->tally->count[kind]); }

struct scratch *scratch_take(struct reduction *r)
{
	pthread_mutex_lock(&r->shelf->lock);
	struct scratch *s = r->shelf->free;
	if (s)
		r->shelf->free = s->next;
	pthread_mutex_unlock(&r->shelf->lock);
	if (!s) {
		s = mem_alloc(sizeof *s);
		s->count = mem_zero(r->sides * sizeof *s->count);
		s->slot = mem_array(r->channels, sizeof *s->slot);
		memset(s->slot, 0xff, r->channels * sizeof *s->slot);
	}
	return s;
}

void scratch_give(struct reduction *r, struct scratch *s)
{
	pthread_mutex_lock(&r->shelf->lock);
	s->next = r->shelf->free;
	r->shelf->free = s;
	pthread_mutex_unlock(&r->shelf->lock);
}

void scratch_count(const struct reduction *r, struct scratch *s, const struct item *i)
{
	if (i->loop) {
		for (uint32_t k = 0; k < i->loop->flows; k++)
			s->count[i->loop->flow[k].side] += i->loop->count * i->loop->flow[k].count;
	} else if (r->loops.side_of[i->event] != NO_SIDE) {
		s->count[r->loops.side_of[i->event]]++;
	}
}

void scratch_uncount(const struct reduction *r, struct scratch *s, const struct item *i)
{
	if (i->loop)
		for (uint32_t k = 0; k < i->loop->flows; k++)
			s->count[i->loop->flow[k].side] = 0;
	else if (r->loops.side_of[i->event] != NO_SIDE)
		s->count[r->loops.side_of[i->event]] = 0;
}

void reduction_start(struct reduction *r)
{
	r->loops.pool = pool_new();
	r->shelf = mem_zero(sizeof *r->shelf);
	pthread_mutex_init(&r->shelf->lock, NULL);
	r->tally = mem_zero(sizeof *r->tally);
}

void reduction_end(struct reduction *r)
{
	for (struct scratch *s = r->shelf->free, *next; s; s = next) {
		next = s->next;
		free(s->count);
		free(s->slot);
		free(s);
	}
	pthread_mutex_destroy(&r->shelf->lock);
	free(r->shelf);
	free(r->tally);
	pool_free(r->loops.pool);
}

struct merge {
	struct reduction *r;
	struct system *s;
	struct order order;
	uint64_t constructs, limit;
};

struct accepted {
	struct alignment alignment;
	const struct group *group;
	struct joint *joint;
};

static uint64_t strand_constructs(const struct strand *s, size_t strands)
{
	uint64_t sum = 0;
	for (size_t p = 0; p < strands; p++)
		for (size_t i = 0; i < s[p].length; i++)
			sum += item_constructs(&s[p].item[i]);
	return sum;
}

/* ------------------------------------------------------------------ one round */

static void mark_apart(struct system *s, const struct links *l, const struct group *g, enum merge_reason reason)
{
	for (uint32_t i = 0; i < g->members; i++) {
		const struct candidate *c = &l->candidate[g->candidate[i]];
		s->strand[c->strand].item[c->item].apart = 1 + reason;
	}
}

static bool any_claimed(const struct links *l, const struct group *g, char *const *claimed)
{
	for (uint32_t i = 0; i < g->members; i++) {
		const struct candidate *c = &l->candidate[g->candidate[i]];
		if (claimed[c->strand][c->item])
			return true;
	}
	return false;
}

static void claim(const struct alignment *a, char **claimed)
{
	for (uint32_t i = 0; i < a->members; i++) {
		const struct replacement *x = &a->replacement[i];
		memset(claimed[x->strand] + x->first, 1, x->past - x->first);
	}
}

static struct joint *joint_new(struct reduction *r, const struct system *s, const struct alignment *a)
{
	struct joint *j = pool_alloc(r->loops.pool, sizeof *j);
	*j = (struct joint){.count = a->count, .members = a->members};
	j->member = pool_alloc(r->loops.pool, a->members * sizeof *j->member);
	for (uint32_t i = 0; i < a->members; i++) {
		struct replacement *x = &a->replacement[i];
		j->member[i] = (struct strand){.process = s->strand[x->strand].process};
		x->with.item[x->at].joint = j;
	}
	return j;
}

/* Align every group that can be; returns how many. */
static size_t accept_groups(struct merge *m, const struct links *l, struct accepted **result)
{
	char **claimed = mem_array(m->s->strands, sizeof *claimed);
	for (size_t p = 0; p < m->s->strands; p++)
		claimed[p] = mem_zero(m->s->strand[p].length);
	struct accepted *list = mem_array(l->groups, sizeof *list);
	size_t length = 0;
	uint64_t constructs = m->constructs;
	for (uint32_t k = 0; k < l->groups; k++) {
		const struct group *g = &l->group[k];
		if (any_claimed(l, g, claimed))
			continue;
		struct alignment a;
		if (!align(m->r, m->s, l, g, claimed, (int64_t)(m->limit - constructs), &a)) {
			mark_apart(m->s, l, g, a.reason);
			alignment_clear(&a);
			continue;
		}
		constructs += (uint64_t)a.growth;
		claim(&a, claimed);
		list[length++] = (struct accepted){a, g, a.count > 1 && a.members > 1 ? joint_new(m->r, m->s, &a) : NULL};
	}
	for (size_t p = 0; p < m->s->strands; p++)
		free(claimed[p]);
	free(claimed);
	*result = list;
	return length;
}

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

/* The strands with all replacements made that stand; strands without any are shared with the old ones. */
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

static void add_joint(struct system *s, struct joint *j)
{
	s->joint = mem_grow(s->joint, &s->joint_capacity, s->joints + 1, sizeof *s->joint);
	s->joint[s->joints++] = j;
}

/* Apply what was accepted, less what closes cycles; the system changes only when the order holds. */
static void coalesce(struct merge *m, const struct links *l, struct accepted *list, size_t length)
{
	struct system *s = m->s;
	size_t joints = s->joints;
	for (;;) {
		struct system tried = *s;
		tried.strand = apply(s, list, length);
		for (size_t i = 0; i < length; i++)
			if (list[i].joint && !list[i].joint->bad)
				add_joint(&tried, list[i].joint);
		bool holds = order_check(m->r, &tried, &m->order);
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
				mark_apart(s, l, list[i].group, APART_CYCLE);
	}
}

static void tally_accepted(struct merge *m, const struct accepted *x)
{
	const struct alignment *a = &x->alignment;
	for (uint32_t i = 0; i < a->members; i++) {
		struct replacement *p = &a->replacement[i];
		tally_add(m->r, TALLY_SHIFTED, p->shifted);
		tally_add(m->r, TALLY_SPLIT, p->split);
		tally_add(m->r, TALLY_BLOCKED, p->blocked);
		tally_add(m->r, TALLY_UNROLLED, a->count == 1);
		if (x->joint)
			strand_add_all(&x->joint->member[i], p->loop->body, p->loop->length);
	}
}

/* Link, regularize and coalesce once; false when there was nothing to do. */
static bool round_once(struct merge *m)
{
	struct links l;
	links_find(m->r, m->s, &l);
	struct accepted *list = NULL;
	size_t length = l.groups ? accept_groups(m, &l, &list) : 0;
	if (length)
		coalesce(m, &l, list, length);
	for (size_t i = 0; i < length; i++) {
		if (!list[i].joint || !list[i].joint->bad) {
			tally_accepted(m, &list[i]);
			m->constructs += (uint64_t)list[i].alignment.growth;
		}
		alignment_clear(&list[i].alignment);
	}
	free(list);
	links_clear(&l);
	return length > 0;
}

/* ------------------------------------------------------------------ what stayed apart */

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

/* Does the loop meet sides of its channels here that are not its own (`own`: nor those of the loops it is joined with)? */
static bool meets_others(const struct reduction *r, const struct item *item, const struct scratch *here, const struct scratch *own)
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

/* Mark loops, single or joint, that have partners here besides their own kind. */
static void mark_lonely(struct reduction *r, struct system *s)
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

/* ------------------------------------------------------------------ the merge */

struct inner {
	struct reduction *r;
	struct system *s;
	unsigned jobs;
};

static void merge_body(void *context, size_t i)
{
	struct inner *x = context;
	struct joint *j = x->s->joint[i];
	j->body = system_merge(x->r, j->member, j->members, x->jobs);
}

/* Loops that are short enough, or that regularization has left short. Their syncs may close cycles: those stay apart. */
static void write_out_short(struct merge *m)
{
	unroll_short(m->r, m->s);
	while (!order_check(m->r, m->s, &m->order))
		;
}

struct system *system_merge(struct reduction *r, struct strand *strand, size_t strands, unsigned jobs)
{
	struct system *s = pool_alloc(r->loops.pool, sizeof *s);
	*s = (struct system){.strand = mem_copy(strand, strands * sizeof *strand), .strands = strands};
	struct merge m = {.r = r, .s = s, .constructs = strand_constructs(strand, strands)};
	m.limit = (uint64_t)(r->growth * (double)m.constructs) + (r->growth > 1 ? ROOM : 0);
	write_out_short(&m);
	unsigned rounds = 0;
	while (rounds < ROUNDS && round_once(&m))
		rounds++;
	if (rounds)
		write_out_short(&m);
	mark_lonely(r, s);
	struct inner inner = {r, s, s->joints == 1 ? jobs : 1};
	parallel_for(s->joints == 1 ? 1 : jobs, s->joints, merge_body, &inner);
	order_list(r, s, &m.order);
	s->process = pool_alloc(r->loops.pool, strands * sizeof *s->process);
	for (size_t p = 0; p < strands; p++) {
		s->process[p] = s->strand[p].process;
		free(s->strand[p].item);
	}
	free(s->strand);
	s->strand = NULL;
	free(m.order.cut);
	free(s->joint);
	s->joint = NULL;
	return s;
}
