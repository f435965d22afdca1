/*
 * projection.c -- for each body, which of its nodes each process executes.
 *
 * A body's nodes are of three kinds, by their coverage: nobody's (loops without events), common to all processes of the body, and
 * the rest. A body that is all common is walked as it stands; else its common nodes are listed once, and the
 * rest in lists per process ("owners"), found by binary search. A walk merges the two lists by position.
 *
 * So what is kept follows the differences between processes: a loop of one process, or a joint sync, costs no process anything. The
 * same holds for the numbers of events: processes that are no owners of a body execute its common nodes only, all the way
 * down, and so all have the same number of events (`events` of the part).
 */
#include "model/projection.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/nest_coverage.h"
#include "model/model.h"

struct owner {
	uint32_t rank;
	uint32_t length; /* of its list */
	size_t first; /* in p->position */
	uint64_t events; /* of this process in all iterations; saturates */
};

/* How the processes share a body: a loop's, or the root. */
struct part {
	bool whole; /* every node is common */
	size_t common, commons; /* in p->position; none if whole */
	size_t owner, owners; /* in p->owner, by rank */
	uint64_t events; /* in all iterations, of a process that is no owner; saturates */
};

struct projection {
	const struct model *model;
	struct nest_coverage *coverage;
	struct part *part; /* per loop, and at the end the root's */
	struct owner *owner;
	size_t owners, owner_capacity;
	uint32_t *position; /* indices into bodies, ascending in each list */
	size_t positions, position_capacity;
};

static uint64_t saturating_add(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

static uint64_t saturating_multiply(uint64_t a, uint64_t b)
{
	uint64_t product;
	return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static const struct part *loop_part(const struct projection *p, node loop)
{
	return &p->part[loop & ~NODE_LOOP];
}

static const struct part *root_part(const struct projection *p)
{
	return &p->part[p->model->nest->loops];
}

static const struct owner *find_owner(const struct projection *p, const struct part *part, uint32_t rank)
{
	if (!part->owners)
		return NULL;
	const struct owner *low = p->owner + part->owner, *high = low + part->owners;
	while (low < high) {
		const struct owner *middle = low + (high - low) / 2;
		if (middle->rank == rank)
			return middle;
		if (middle->rank < rank)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

static uint64_t part_events(const struct projection *p, const struct part *part, uint32_t rank)
{
	const struct owner *owner = find_owner(p, part, rank);
	return owner ? owner->events : part->events;
}

static uint64_t node_events(const struct projection *p, node n, uint32_t rank)
{
	return node_is_loop(n) ? part_events(p, loop_part(p, n), rank) : 1;
}

/* ------------------------------------------------------------------ building */

/* One body at a time. */
struct build {
	struct projection *p;
	struct body body;
	uint32_t set; /* its coverage */
	struct part *part;
	uint32_t *slot; /* per rank: 1 + its place among the owners of this body; 0: none */
	node *varied; /* common loops in which the processes have different numbers of events */
	size_t varieds, varied_capacity;
};

enum kind { NOBODYS, COMMON, OWN };

static enum kind kind_of(const struct build *b, node n)
{
	uint32_t set = nest_coverage_of(b->p->coverage, n);
	return set == NEST_COVERAGE_NONE ? NOBODYS : set == b->set ? COMMON : OWN;
}

static struct owner *owner_of(struct build *b, uint32_t rank)
{
	struct projection *p = b->p;
	if (!b->slot[rank]) {
		p->owner = mem_grow(p->owner, &p->owner_capacity, p->owners + 1, sizeof *p->owner);
		p->owner[p->owners++] = (struct owner){.rank = rank};
		b->slot[rank] = (uint32_t)++b->part->owners;
	}
	return &p->owner[b->part->owner + b->slot[rank] - 1];
}

static void add_position(struct projection *p, size_t position)
{
	p->position = mem_grow(p->position, &p->position_capacity, p->positions + 1, sizeof *p->position);
	p->position[p->positions++] = (uint32_t)position;
}

/* A common node: processes differ in it only where they are owners inside. */
static void count_common(struct build *b, node n)
{
	const struct projection *p = b->p;
	b->part->events = saturating_add(b->part->events, node_is_loop(n) ? loop_part(p, n)->events : 1);
	if (!node_is_loop(n) || !loop_part(p, n)->owners)
		return;
	b->varied = mem_grow(b->varied, &b->varied_capacity, b->varieds + 1, sizeof *b->varied);
	b->varied[b->varieds++] = n;
	const struct part *inside = loop_part(p, n);
	for (size_t i = 0; i < inside->owners; i++)
		owner_of(b, p->owner[inside->owner + i].rank);
}

static void count_own(struct build *b, node n)
{
	struct ranks_walk walk = {0};
	const struct ranks *set = nest_coverage_ranks(b->p->coverage, nest_coverage_of(b->p->coverage, n));
	for (uint32_t rank; ranks_next(set, &walk, &rank);)
		owner_of(b, rank)->length++;
}

/* First pass: what kinds there are, who the owners are and how long their lists get. */
static void count(struct build *b)
{
	b->part->whole = true;
	b->part->owner = b->p->owners;
	b->varieds = 0;
	for (size_t i = 0; i < b->body.length; i++) {
		enum kind kind = kind_of(b, b->body.node[i]);
		if (kind != COMMON)
			b->part->whole = false;
		if (kind == COMMON)
			count_common(b, b->body.node[i]);
		else if (kind == OWN)
			count_own(b, b->body.node[i]);
	}
}

static int by_rank(const void *a, const void *b)
{
	uint32_t left = ((const struct owner *)a)->rank, right = ((const struct owner *)b)->rank;
	return (left > right) - (left < right);
}

/* Bring the owners into order and give each room for its list, not filled yet. */
static void lay_out_owners(struct build *b)
{
	struct projection *p = b->p;
	if (!b->part->owners)
		return;
	struct owner *owner = p->owner + b->part->owner;
	qsort(owner, b->part->owners, sizeof *owner, by_rank);
	for (size_t i = 0; i < b->part->owners; i++) {
		b->slot[owner[i].rank] = (uint32_t)i + 1;
		owner[i].first = p->positions;
		p->positions += owner[i].length;
		owner[i].length = 0;
	}
	p->position = mem_grow(p->position, &p->position_capacity, p->positions, sizeof *p->position);
}

static void fill_own(struct build *b, size_t position)
{
	node n = b->body.node[position];
	struct ranks_walk walk = {0};
	const struct ranks *set = nest_coverage_ranks(b->p->coverage, nest_coverage_of(b->p->coverage, n));
	for (uint32_t rank; ranks_next(set, &walk, &rank);) {
		struct owner *owner = owner_of(b, rank);
		b->p->position[owner->first + owner->length++] = (uint32_t)position;
		owner->events = saturating_add(owner->events, node_events(b->p, n, rank));
	}
}

/* Second pass: the lists. */
static void fill(struct build *b)
{
	for (size_t i = 0; i < b->body.length; i++)
		if (kind_of(b, b->body.node[i]) == OWN)
			fill_own(b, i);
	b->part->common = b->p->positions;
	for (size_t i = 0; !b->part->whole && i < b->body.length; i++)
		if (kind_of(b, b->body.node[i]) == COMMON)
			add_position(b->p, i);
	b->part->commons = b->p->positions - b->part->common;
}

/* The owners' numbers of events: so far those of their own nodes, once. */
static void finish_events(struct build *b, uint64_t times)
{
	struct projection *p = b->p;
	uint64_t same = b->part->events;
	for (size_t i = 0; i < b->varieds; i++)
		same -= same == UINT64_MAX ? 0 : loop_part(p, b->varied[i])->events;
	for (size_t i = 0; i < b->part->owners; i++) {
		struct owner *owner = &p->owner[b->part->owner + i];
		for (size_t k = 0; k < b->varieds; k++)
			owner->events = saturating_add(owner->events, node_events(p, b->varied[k], owner->rank));
		owner->events = saturating_multiply(times, saturating_add(owner->events, same));
		b->slot[owner->rank] = 0;
	}
	b->part->events = saturating_multiply(times, b->part->events);
}

static void build_part(struct build *b, struct part *part, struct body body, uint32_t set, uint64_t times)
{
	if (set == NEST_COVERAGE_NONE)
		return;
	assert(body.length <= UINT32_MAX);
	b->part = part;
	b->body = body;
	b->set = set;
	count(b);
	lay_out_owners(b);
	fill(b);
	finish_events(b, times);
}

/* Loops that are executed: a nest may hold others. From the top down, each is marked before its body is looked at. */
static bool *mark_executed(const struct nest *n)
{
	bool *executed = mem_zero(n->loops);
	for (size_t i = 0; i < n->root_length; i++)
		if (node_is_loop(n->root[i]))
			executed[n->root[i] & ~NODE_LOOP] = true;
	for (size_t i = n->loops; i-- > 0;) {
		struct body body = nest_body(n, (node)i | NODE_LOOP);
		for (size_t k = 0; executed[i] && n->loop[i].count && k < body.length; k++)
			if (node_is_loop(body.node[k]))
				executed[body.node[k] & ~NODE_LOOP] = true;
	}
	return executed;
}

static void build(struct projection *p)
{
	const struct nest *n = p->model->nest;
	uint32_t set = nest_coverage_of_root(p->coverage);
	const struct ranks *all = nest_coverage_ranks(p->coverage, set);
	struct build b = {.p = p};
	b.slot = mem_zero((all->length ? (size_t)all->run[all->length - 1].last + 1 : 0) * sizeof *b.slot);
	bool *executed = mark_executed(n);
	for (size_t i = 0; i < n->loops; i++) {
		node loop = (node)i | NODE_LOOP;
		if (executed[i])
			build_part(&b, &p->part[i], nest_body(n, loop), nest_coverage_of(p->coverage, loop), n->loop[i].count);
	}
	build_part(&b, &p->part[n->loops], (struct body){n->root, n->root_length}, set, 1);
	free(executed);
	free(b.slot);
	free(b.varied);
}

struct projection *projection_new(const struct model *m, const struct ranks *wanted)
{
	struct projection *p = mem_zero(sizeof *p);
	p->model = m;
	p->coverage = nest_coverage_new(m, wanted);
	p->part = mem_zero((m->nest->loops + 1) * sizeof *p->part);
	build(p);
	return p;
}

void projection_free(struct projection *p)
{
	if (!p)
		return;
	nest_coverage_free(p->coverage);
	free(p->part);
	free(p->owner);
	free(p->position);
	free(p);
}

static bool executes(const struct projection *p, uint32_t rank)
{
	return ranks_has(nest_coverage_ranks(p->coverage, nest_coverage_of_root(p->coverage)), rank);
}

uint64_t projection_events(const struct projection *p, uint32_t rank)
{
	return executes(p, rank) ? part_events(p, root_part(p), rank) : 0;
}

/* ------------------------------------------------------------------ walking */

/* A body being executed: what is left of its two lists (of a whole part: of the body itself, without common and own). */
struct frame {
	const node *body;
	const uint32_t *common, *own;
	size_t at, end;
	size_t own_at, own_end;
	uint64_t left; /* iterations, this one included */
};

struct walk {
	const struct projection *projection;
	uint32_t rank;
	struct frame *frame;
	size_t depth, capacity;
};

static void enter(struct walk *w, const struct part *part, struct body body, uint64_t times)
{
	const struct projection *p = w->projection;
	struct frame f = {.body = body.node, .end = body.length, .left = times};
	if (!part->whole) {
		const struct owner *owner = find_owner(p, part, w->rank);
		f.common = p->position + part->common;
		f.end = part->commons;
		if (owner) {
			f.own = p->position + owner->first;
			f.own_end = owner->length;
		}
	}
	w->frame = mem_grow(w->frame, &w->capacity, w->depth + 1, sizeof *w->frame);
	w->frame[w->depth++] = f;
}

static node take(struct frame *f)
{
	if (!f->common)
		return f->body[f->at++];
	if (f->at == f->end || (f->own_at < f->own_end && f->own[f->own_at] < f->common[f->at]))
		return f->body[f->own[f->own_at++]];
	return f->body[f->common[f->at++]];
}

struct walk *walk_new(const struct projection *p, uint32_t rank)
{
	struct walk *w = mem_zero(sizeof *w);
	w->projection = p;
	w->rank = rank;
	if (executes(p, rank))
		enter(w, root_part(p), (struct body){p->model->nest->root, p->model->nest->root_length}, 1);
	return w;
}

bool walk_next(struct walk *w, uint32_t *event)
{
	while (w->depth) {
		struct frame *f = &w->frame[w->depth - 1];
		if (f->at == f->end && f->own_at == f->own_end) {
			f->at = f->own_at = 0;
			if (!--f->left)
				w->depth--;
			continue;
		}
		node n = take(f);
		if (!node_is_loop(n)) {
			*event = n;
			return true;
		}
		const struct nest *nest = w->projection->model->nest;
		enter(w, loop_part(w->projection, n), nest_body(nest, n), nest_get(nest, n)->count);
	}
	return false;
}

void walk_free(struct walk *w)
{
	if (!w)
		return;
	free(w->frame);
	free(w);
}
