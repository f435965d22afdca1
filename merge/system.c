/*
 * system.c -- one merge: the strands of some processes become a system, its loops are joined, and
 * their bodies are merged in turn.
 *
 * The order of things (the paper, section III-B):
 *
 *	write out	short loops that meet single events				unroll.c
 *	link		which loops exchange messages, and how many			link.c
 *	regularize	give the loops of each group common iterations			align.c
 *	coalesce	make them one, unless that closes a cycle in T			coalesce.c, order.c
 *	set apart	what could become one with nothing				apart.c
 *	recur		merge the bodies of each joint loop				here
 *	list		choose a topological order, joining syncs that meet		order.c
 *
 * Link, regularize and coalesce repeat: what a split left over may have a partner of its own.
 * Everything is tried on a copy of the strands: a group that turns out to be on a cycle is undone
 * simply by not applying its replacements (so what does not pay never costs anything), and its
 * loops are marked with the reason.
 *
 * All processes are merged at once, not two by two. The paper allows it ("a single merging
 * operation can operate on any number of systems"), and it makes the result independent of the
 * order of processes: each decision sees all links. Merging a merged system again takes it apart
 * into strands first, so reductions over a tree need nothing more than this.
 */
#include "merge/system.h"

#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "merge/apart.h"
#include "merge/coalesce.h"
#include "merge/unroll.h"

/* Rounds of regularization: each takes off what one partner needs. A loop that meets more loops
   than this keeps the rest to itself. */
#define ROUNDS 256

/* Constructs that a merge may add in any case: a small budget should not depend on how small the
   program is. */
#define ROOM 16

struct merge {
	struct reduction *r;
	struct system *s;
	struct order order;
	uint64_t constructs, limit;
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
			links_set_apart(l, g, m->s, a.reason);
			alignment_clear(&a);
			continue;
		}
		constructs += (uint64_t)a.growth;
		claim(&a, claimed);
		list[length++] =
			(struct accepted){a, g, a.count > 1 && a.members > 1 ? joint_new(m->r, m->s, &a) : NULL};
	}
	for (size_t p = 0; p < m->s->strands; p++)
		free(claimed[p]);
	free(claimed);
	*result = list;
	return length;
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
		coalesce(m->r, m->s, &m->order, &l, list, length);
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

/* Loops that are short enough, or that regularization has left short. Their syncs may close cycles:
   those stay apart. */
static void write_out_short(struct merge *m)
{
	unroll_short(m->r, m->s);
	while (!order_check(m->r, m->s, &m->order))
		;
}

struct system *system_merge(struct reduction *r, const struct strand *strand, size_t strands, unsigned jobs)
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
	apart_from_events(r, s);
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
