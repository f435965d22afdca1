/*
 * link.c -- communication links between loops, and the groups they form.
 *
 * Along each strand, count what passes on every side; a loop then carries an interval of message
 * numbers on each of its sides, and two loops are linked by a channel where their intervals
 * overlap. Where loops are not regular yet, a loop overlaps several: its partner is the one with
 * the largest overlap, the first of these. Loops that are each other's partner on some channel
 * belong to one group; the rest of the overlaps is what regularization takes off. Syncs link each
 * member to the next and to the first, which connects whoever can be without comparing all pairs.
 * Cost: the flows of the loops.
 */
#include "merge/link.h"

#include <stdlib.h>

#include "base/union_find.h"

struct entry {
	uint32_t candidate, flow, side, best;
	uint64_t first, past, overlap;
};

struct bucket {
	uint32_t channel;
	size_t first, length;
};

struct table {
	struct entry *entry; /* by channel, then strand, then order in it */
	size_t entries;
	struct bucket *bucket;
	size_t buckets, bucket_capacity;
};

static bool is_candidate(const struct item *i)
{
	return i->loop && !i->joint && !i->apart;
}

static void find_candidates(struct reduction *r, const struct system *s, struct links *l, struct scratch *scratch)
{
	size_t capacity = 0;
	for (uint32_t p = 0; p < s->strands; p++)
		for (uint32_t i = 0; i < s->strand[p].length; i++) {
			const struct item *item = &s->strand[p].item[i];
			if (is_candidate(item)) {
				uint64_t *first = mem_array(item->loop->flows, sizeof *first);
				for (uint32_t k = 0; k < item->loop->flows; k++)
					first[k] = scratch->count[item->loop->flow[k].side];
				l->candidate =
					mem_grow(l->candidate, &capacity, l->candidates + 1, sizeof *l->candidate);
				l->candidate[l->candidates++] = (struct candidate){p, i, NONE, first};
			}
			scratch_count(r, scratch, item);
		}
	for (size_t p = 0; p < s->strands; p++)
		for (size_t i = 0; i < s->strand[p].length; i++)
			scratch_uncount(r, scratch, &s->strand[p].item[i]);
}

static const struct strand_loop *loop_of(const struct system *s, const struct candidate *c)
{
	return s->strand[c->strand].item[c->item].loop;
}

/* Sort the intervals of all candidates by channel: counting, so linear, and stable, so strands and
   their order are kept. */
static void fill_table(const struct reduction *r, const struct system *s, const struct links *l,
	struct scratch *scratch, struct table *t)
{
	for (uint32_t c = 0; c < l->candidates; c++) {
		const struct strand_loop *loop = loop_of(s, &l->candidate[c]);
		for (uint32_t k = 0; k < loop->flows; k++) {
			uint32_t channel = r->channel_of[loop->flow[k].side], *slot = &scratch->slot[channel];
			if (*slot == NONE) {
				*slot = (uint32_t)t->buckets;
				t->bucket = mem_grow(t->bucket, &t->bucket_capacity, t->buckets + 1, sizeof *t->bucket);
				t->bucket[t->buckets++] = (struct bucket){.channel = channel};
			}
			t->bucket[*slot].length++;
			t->entries++;
		}
	}
	size_t first = 0;
	for (size_t b = 0; b < t->buckets; b++) {
		t->bucket[b].first = first;
		first += t->bucket[b].length;
		t->bucket[b].length = 0;
	}
	t->entry = mem_array(t->entries, sizeof *t->entry);
	for (uint32_t c = 0; c < l->candidates; c++) {
		const struct strand_loop *loop = loop_of(s, &l->candidate[c]);
		for (uint32_t k = 0; k < loop->flows; k++) {
			struct bucket *b = &t->bucket[scratch->slot[r->channel_of[loop->flow[k].side]]];
			uint64_t start = l->candidate[c].first[k];
			t->entry[b->first + b->length++] = (struct entry){.candidate = c,
				.flow = k,
				.side = loop->flow[k].side,
				.first = start,
				.past = start + loop->count * loop->flow[k].count};
		}
	}
	for (size_t b = 0; b < t->buckets; b++)
		scratch->slot[t->bucket[b].channel] = NONE;
}

/* ------------------------------------------------------------------ partners */

static void note_overlap(struct entry *e, uint32_t other, uint64_t overlap)
{
	if (overlap > e->overlap) {
		e->overlap = overlap;
		e->best = other;
	}
}

/* Unite the loops on two sides that are each other's partner. */
static void pair_sides(struct matching *m, struct entry *x, size_t xs, struct entry *y, size_t ys, uint32_t *parent)
{
	uint32_t channel = MATCHING_NONE, of_x = MATCHING_NONE, of_y = MATCHING_NONE;
	struct match match;
	matching_empty(m);
	for (uint32_t i = 0; i < xs; i++) {
		struct match_end end = {x[i].first, x[i].past, i, 0};
		matching_next(m, &channel, &of_x, &end, &match);
		x[i].overlap = 0;
	}
	for (uint32_t j = 0; j < ys; j++) {
		struct match_end end = {y[j].first, y[j].past, j, 0};
		y[j].overlap = 0;
		while (matching_next(m, &channel, &of_y, &end, &match)) {
			note_overlap(&x[match.owner], j, match.count);
			note_overlap(&y[j], match.owner, match.count);
		}
	}
	for (size_t i = 0; i < xs; i++)
		if (x[i].overlap && y[x[i].best].best == i)
			union_find_join(parent, x[i].candidate, y[x[i].best].candidate);
}

static size_t side_length(const struct entry *e, size_t left)
{
	size_t n = 1;
	while (n < left && e[n].side == e->side)
		n++;
	return n;
}

/* Sides are adjacent, except that a process talking to itself has both of its sides mixed by loop:
   sort those apart. */
static int by_side_first(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	if (x->side != y->side)
		return x->side < y->side ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

/* A loop whose process talks to itself in it, and that does not receive in an iteration what it
   sends in it: needs a prologue of its own. */
static void find_uneven(const struct entry *x, size_t xs, const struct entry *y, size_t ys, bool *uneven)
{
	for (size_t i = 0, j = 0; i < xs && j < ys;) {
		if (x[i].candidate < y[j].candidate) {
			i++;
		} else if (x[i].candidate > y[j].candidate) {
			j++;
		} else {
			uneven[x[i].candidate] |= x[i].first != y[j].first || x[i].past != y[j].past;
			i++;
			j++;
		}
	}
}

static void find_partners(const struct links *l, struct table *t, uint32_t *parent, bool *uneven)
{
	struct matching m = {0};
	for (size_t b = 0; b < t->buckets; b++) {
		struct entry *e = t->entry + t->bucket[b].first;
		size_t length = t->bucket[b].length;
		bool alone = l->candidate[e->candidate].strand == l->candidate[e[length - 1].candidate].strand;
		if (alone)
			qsort(e, length, sizeof *e, by_side_first);
		size_t first = side_length(e, length), previous = 0, previous_length = first;
		for (size_t at = first; at < length;) {
			size_t n = side_length(e + at, length - at);
			pair_sides(&m, e + previous, previous_length, e + at, n, parent);
			if (alone)
				find_uneven(e, first, e + at, n, uneven);
			if (previous)
				pair_sides(&m, e, first, e + at, n, parent);
			previous = at;
			previous_length = n;
			at += n;
		}
	}
	matching_clear(&m);
}

/* ------------------------------------------------------------------ groups */

static void make_groups(struct links *l, uint32_t *parent, const bool *uneven)
{
	uint32_t *size = mem_zero(l->candidates * sizeof *size);
	for (uint32_t c = 0; c < l->candidates; c++)
		size[union_find_root(parent, c)]++;
	for (uint32_t c = 0; c < l->candidates; c++)
		l->groups += parent[c] == c && (size[c] > 1 || uneven[c]);
	l->group = mem_zero(l->groups * sizeof *l->group);
	l->groups = 0;
	for (uint32_t c = 0; c < l->candidates; c++) {
		uint32_t root = union_find_root(parent, c);
		if (size[root] < 2 && !uneven[c])
			continue;
		if (root == c) {
			l->group[l->groups].candidate = mem_array(size[c], sizeof(uint32_t));
			l->candidate[c].group = l->groups++;
		}
		struct group *g = &l->group[l->candidate[root].group];
		l->candidate[c].group = l->candidate[root].group;
		if (g->members && l->candidate[g->candidate[g->members - 1]].strand == l->candidate[c].strand)
			g->ordered = true;
		g->candidate[g->members++] = c;
	}
	free(size);
}

/* Every group gets the sides of those channels that have several sides in it. */
static void make_parts(struct links *l, const struct table *t, const uint32_t *member_of)
{
	for (size_t b = 0; b < t->buckets; b++) {
		const struct entry *e = t->entry + t->bucket[b].first;
		for (size_t i = 0; i < t->bucket[b].length; i++) {
			if (l->candidate[e[i].candidate].group == NONE)
				continue;
			struct group *g = &l->group[l->candidate[e[i].candidate].group];
			g->part = mem_grow(g->part, &g->part_capacity, g->parts + 1, sizeof *g->part);
			g->part[g->parts++] = (struct part){t->bucket[b].channel, member_of[e[i].candidate], e[i].flow};
		}
	}
	for (uint32_t k = 0; k < l->groups; k++) {
		struct group *g = &l->group[k];
		size_t kept = 0;
		for (size_t i = 0; i < g->parts; i++) {
			bool before = i && g->part[i - 1].channel == g->part[i].channel;
			bool after = i + 1 < g->parts && g->part[i + 1].channel == g->part[i].channel;
			if (before || after)
				g->part[kept++] = g->part[i];
		}
		g->parts = kept;
	}
}

void links_find(struct reduction *r, const struct system *s, struct links *l)
{
	*l = (struct links){0};
	struct scratch *scratch = scratch_take(r);
	struct table t = {0};
	find_candidates(r, s, l, scratch);
	fill_table(r, s, l, scratch, &t);
	scratch_give(r, scratch);

	uint32_t *parent = mem_array(l->candidates, sizeof *parent);
	union_find_start(parent, l->candidates);
	bool *uneven = mem_zero(l->candidates);
	find_partners(l, &t, parent, uneven);
	make_groups(l, parent, uneven);
	free(uneven);
	uint32_t *member_of = parent;
	for (uint32_t k = 0; k < l->groups; k++)
		for (uint32_t m = 0; m < l->group[k].members; m++)
			member_of[l->group[k].candidate[m]] = m;
	make_parts(l, &t, member_of);
	free(parent);
	free(t.entry);
	free(t.bucket);
}

void links_clear(struct links *l)
{
	for (uint32_t c = 0; c < l->candidates; c++)
		free(l->candidate[c].first);
	for (uint32_t k = 0; k < l->groups; k++) {
		free(l->group[k].candidate);
		free(l->group[k].part);
	}
	free(l->candidate);
	free(l->group);
}

void links_set_apart(const struct links *l, const struct group *g, struct system *s, enum merge_reason reason)
{
	for (uint32_t i = 0; i < g->members; i++) {
		const struct candidate *c = &l->candidate[g->candidate[i]];
		s->strand[c->strand].item[c->item].apart = 1 + reason;
	}
}
