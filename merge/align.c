/*
 * align.c -- regularize the loops of one group: find iterations that they all share.
 *
 * Two loops can become one when on every channel between them each iteration sends what the same
 * iteration receives. Three things may be in the way, and each has its remedy (the paper, section
 * III-B.2 and 3):
 *
 *   rates	One sends 2 per iteration where the other receives 1: the second runs twice in each common iteration. The smallest whole
 *		numbers u for which u * flow agrees on all channels are the rates (as in synchronous data flow, Lee & Messerschmitt 1987).
 *		A loop of G * u iterations is *blocked*: G times u.
 *   prologues	One has messages before its loop that the other has inside: the other loop must start later, by the
 *		smallest prologue that carries them. That may carry messages on other channels, for which further loops
 *		must start later. The smallest solution is the least fixed point of "whoever is behind on a channel moves
 *		up to who is ahead"; it does not depend on the order of the moves. A prologue of whole iterations *splits*
 *		the loop; one that ends inside the body *shifts* it: (A B)^n = A (B A)^(n-1) B; and where a copy of A
 *		follows, the count is kept: (A B)^n A = A (B A)^n.
 *   counts	G is what the shortest one allows; of the others the last iterations are split off.
 *
 * Where prologues cost a loop its count although what stands before it repeats the end of its body,
 * all such loops are first rotated back, B (A B)^n = (B A)^n B, and the one with more common
 * iterations wins.
 */
#include "merge/align.h"

#include <stdlib.h>
#include <string.h>

#include "base/gcd.h"

struct member {
	const struct candidate *candidate;
	const struct strand_loop *loop; /* rotated back, perhaps */
	uint64_t *before; /* by flow: messages before the loop */
	uint64_t *passed; /* by flow: before its prologue ends */
	/* by flow: where its channel's parts begin in the group's list; NONE: no constraint */
	uint32_t *part;
	uint64_t prologue; /* in events */
	size_t back; /* items before the loop that it was rotated back over */
	uint64_t rate;
	uint64_t available; /* iterations behind the prologue */
	bool kept; /* the prologue's A is taken from what follows */
};

struct attempt {
	struct reduction *r;
	const struct system *system;
	const struct group *group;
	char *const *claimed;
	struct member *member;
	uint64_t count;
};

/* ------------------------------------------------------------------ rates */

struct ratio {
	uint64_t over, under;
};

#define RATE_LIMIT (UINT64_C(1) << 31)

/* over/under * times / divided, reduced; false where it leaves 31 bits. */
static bool ratio_scale(struct ratio r, uint64_t times, uint64_t divided, struct ratio *result)
{
	uint64_t common = gcd(times, divided);
	times /= common;
	divided /= common;
	common = gcd(r.over, divided);
	r.over /= common;
	divided /= common;
	common = gcd(times, r.under);
	times /= common;
	r.under /= common;
	return !__builtin_mul_overflow(r.over, times, &result->over) &&
	       !__builtin_mul_overflow(r.under, divided, &result->under) && result->over < RATE_LIMIT &&
	       result->under < RATE_LIMIT;
}

static size_t parts_end(const struct group *g, size_t first)
{
	size_t end = first;
	while (end < g->parts && g->part[end].channel == g->part[first].channel)
		end++;
	return end;
}

static uint64_t part_flow(const struct attempt *a, const struct part *p)
{
	return a->member[p->member].loop->flow[p->flow].count;
}

/* Propagate rates from member to member along the channels; all channels must agree in the end. */
static bool propagate_rates(struct attempt *a, struct ratio *ratio, uint32_t *queue)
{
	uint32_t head = 0, tail = 0;
	ratio[0] = (struct ratio){1, 1};
	queue[tail++] = 0;
	while (head < tail) {
		uint32_t m = queue[head++];
		const struct member *from = &a->member[m];
		for (uint32_t k = 0; k < from->loop->flows; k++) {
			if (from->part[k] == NONE)
				continue;
			size_t end = parts_end(a->group, from->part[k]);
			for (size_t i = from->part[k]; i < end; i++) {
				const struct part *p = &a->group->part[i];
				struct ratio other;
				if (!ratio_scale(ratio[m], from->loop->flow[k].count, part_flow(a, p), &other))
					return false;
				if (!ratio[p->member].over) {
					ratio[p->member] = other;
					queue[tail++] = p->member;
				} else if (ratio[p->member].over != other.over ||
					   ratio[p->member].under != other.under) {
					return false;
				}
			}
			/* All parts of the channel are consistent now: nobody needs to look at it
			   again. */
			for (size_t i = from->part[k]; i < end; i++)
				a->member[a->group->part[i].member].part[a->group->part[i].flow] = NONE;
		}
	}
	return tail == a->group->members;
}

static bool find_rates(struct attempt *a)
{
	uint32_t members = a->group->members;
	struct ratio *ratio = mem_zero(members * sizeof *ratio);
	uint32_t *queue = mem_array(members, sizeof *queue);
	bool agree = propagate_rates(a, ratio, queue);
	uint64_t under = 1, common = 0;
	for (uint32_t m = 0; agree && m < members; m++) {
		under = under / gcd(under, ratio[m].under) * ratio[m].under;
		agree = under < RATE_LIMIT;
	}
	for (uint32_t m = 0; agree && m < members; m++) {
		a->member[m].rate = ratio[m].over * (under / ratio[m].under);
		common = gcd(common, a->member[m].rate);
	}
	for (uint32_t m = 0; agree && m < members; m++)
		a->member[m].rate /= common;
	free(ratio);
	free(queue);
	return agree;
}

/* ------------------------------------------------------------------ prologues */

static void index_parts(struct attempt *a)
{
	for (uint32_t m = 0; m < a->group->members; m++)
		for (uint32_t k = 0; k < a->member[m].loop->flows; k++)
			a->member[m].part[k] = NONE;
	for (size_t first = 0; first < a->group->parts;) {
		size_t end = parts_end(a->group, first);
		for (size_t i = first; i < end; i++)
			a->member[a->group->part[i].member].part[a->group->part[i].flow] = (uint32_t)first;
		first = end;
	}
}

static void set_prologue(struct attempt *a, struct member *m, uint64_t prologue)
{
	const struct strand_loop *l = m->loop;
	m->prologue = prologue;
	memcpy(m->passed, m->before, l->flows * sizeof *m->passed);
	for (uint32_t k = 0; k < l->flows; k++)
		m->passed[k] += prologue / l->events * l->flow[k].count;
	loop_prefix(l, &a->r->loops, prologue % l->events, m->passed);
}

/* Move everyone on this channel up to who is ahead; other channels of who moved must wait for their
   turn. False: a loop has ended before it could. */
static bool level_channel(struct attempt *a, bool *waiting, uint32_t first)
{
	size_t end = parts_end(a->group, first);
	uint64_t ahead = 0;
	waiting[first] = false;
	for (size_t i = first; i < end; i++) {
		const struct part *p = &a->group->part[i];
		if (a->member[p->member].passed[p->flow] > ahead)
			ahead = a->member[p->member].passed[p->flow];
	}
	for (size_t i = first; i < end; i++) {
		const struct part *p = &a->group->part[i];
		struct member *m = &a->member[p->member];
		if (m->passed[p->flow] >= ahead)
			continue;
		uint64_t need = ahead - m->before[p->flow];
		if (need > m->loop->count * m->loop->flow[p->flow].count)
			return false;
		set_prologue(a, m, loop_position(m->loop, &a->r->loops, m->loop->flow[p->flow].side, need));
		for (uint32_t k = 0; k < m->loop->flows; k++)
			if (m->part[k] != NONE)
				waiting[m->part[k]] = true;
	}
	return true;
}

/* Sweeps over the channels, up and down in turn, before a group counts as one whose iterations
   cannot be brought together. What one prologue pushes along a pipeline or a grid is done in one sweep
   or two, in whichever direction its ranks ascend (Yen 1970, for shortest paths). */
#define SWEEPS 64

static bool find_prologues(struct attempt *a)
{
	const struct group *g = a->group;
	uint32_t *channel = mem_array(g->parts, sizeof *channel), channels = 0;
	bool *waiting = mem_zero(g->parts), found = true, any = g->parts > 0;
	for (uint32_t m = 0; m < g->members; m++)
		set_prologue(a, &a->member[m], 0);
	for (size_t first = 0; first < g->parts; first = parts_end(g, first)) {
		waiting[first] = true;
		channel[channels++] = (uint32_t)first;
	}
	for (unsigned sweep = 0; found && any && sweep < SWEEPS; sweep++) {
		any = false;
		for (uint32_t i = 0; found && i < channels; i++) {
			uint32_t first = channel[sweep % 2 ? channels - 1 - i : i];
			if (!waiting[first])
				continue;
			any = true;
			found = level_channel(a, waiting, first);
		}
	}
	free(channel);
	free(waiting);
	return found && !any;
}

/* ------------------------------------------------------------------ counts */

static const struct strand *strand_of(const struct attempt *a, const struct member *m)
{
	return &a->system->strand[m->candidate->strand];
}

/* The next `length` items behind the loop, including those that it was rotated back over; NULL if
   there are fewer, or others took them. */
static struct item *items_behind(const struct attempt *a, const struct member *m, size_t length)
{
	const struct strand *s = strand_of(a, m);
	size_t loop = m->candidate->item, rotated = m->back < length ? m->back : length, after = length - rotated;
	if (loop + after >= s->length)
		return NULL;
	for (size_t i = 0; i < after; i++)
		if (a->claimed[m->candidate->strand][loop + 1 + i] || item_joint(&s->item[loop + 1 + i]))
			return NULL;
	struct strand behind = {0};
	strand_add_iteration(&behind, &a->r->loops, m->loop->body, rotated, (int64_t)m->loop->count);
	strand_add_all(&behind, s->item + loop + 1, after);
	return behind.item;
}

static bool prologue_follows(const struct attempt *a, const struct member *m)
{
	struct strand x = {0}, y = {0};
	body_cut(&a->r->loops, m->loop->body, m->loop->length, m->prologue % m->loop->events, &x, &y);
	struct item *behind = items_behind(a, m, x.length);
	struct strand next = {0};
	strand_add_iteration(&next, &a->r->loops, x.item, x.length, (int64_t)m->loop->count);
	bool follows = behind && items_equal(next.item, behind, x.length);
	free(behind);
	free(next.item);
	free(x.item);
	free(y.item);
	return follows;
}

/* Sets the count of the joint loop; returns whether some loop lost an iteration to its prologue. */
static bool find_count(struct attempt *a)
{
	bool lost = false;
	a->count = UINT64_MAX;
	for (uint32_t i = 0; i < a->group->members; i++) {
		struct member *m = &a->member[i];
		bool inside = m->prologue % m->loop->events != 0;
		m->kept = inside && prologue_follows(a, m);
		m->available = m->loop->count - m->prologue / m->loop->events - (inside && !m->kept);
		lost |= inside && !m->kept;
		if (m->available / m->rate < a->count)
			a->count = m->available / m->rate;
	}
	return lost;
}

/* ------------------------------------------------------------------ attempts */

/* How many items before the loop repeat the end of its body? */
static size_t items_repeated(const struct attempt *a, const struct candidate *c)
{
	const struct strand *s = &a->system->strand[c->strand];
	const struct strand_loop *l = s->item[c->item].loop;
	size_t n = 0;
	while (n + 1 < l->length && n < c->item) {
		const struct item *before = &s->item[c->item - 1 - n];
		struct strand last = {0};
		strand_add_iteration(&last, &a->r->loops, &l->body[l->length - 1 - n], 1, -1);
		bool repeats = !item_joint(before) && !a->claimed[c->strand][c->item - 1 - n] &&
			       items_equal(before, last.item, 1);
		free(last.item);
		if (!repeats)
			break;
		n++;
	}
	return n;
}

static void turn_back(struct attempt *a, struct member *m)
{
	m->back = items_repeated(a, m->candidate);
	if (!m->back)
		return;
	const struct strand_loop *l = m->loop;
	struct strand body = {0};
	strand_add_shifted(&body, &a->r->loops, l->body + l->length - m->back, m->back, -1);
	strand_add_all(&body, l->body, l->length - m->back);
	m->loop = strand_loop_new(&a->r->loops, l->count, body.item, body.length);
	free(body.item);
	uint64_t *rotated = mem_zero(l->flows * sizeof *rotated), events = 0;
	for (size_t i = 0; i < m->back; i++)
		events += item_events(&m->loop->body[i]);
	loop_prefix(m->loop, &a->r->loops, events, rotated);
	for (uint32_t k = 0; k < l->flows; k++)
		m->before[k] -= rotated[k];
	free(rotated);
}

static void attempt_start(struct attempt *a, const struct links *links)
{
	a->member = mem_zero(a->group->members * sizeof *a->member);
	for (uint32_t i = 0; i < a->group->members; i++) {
		struct member *m = &a->member[i];
		m->candidate = &links->candidate[a->group->candidate[i]];
		m->loop = strand_of(a, m)->item[m->candidate->item].loop;
		m->before = mem_copy(m->candidate->first, m->loop->flows * sizeof *m->before);
		m->passed = mem_array(m->loop->flows, sizeof *m->passed);
		m->part = mem_array(m->loop->flows, sizeof *m->part);
	}
	index_parts(a);
}

static void attempt_end(struct attempt *a)
{
	for (uint32_t i = 0; i < a->group->members; i++) {
		free(a->member[i].before);
		free(a->member[i].passed);
		free(a->member[i].part);
	}
	free(a->member);
}

/* Prologues and counts; when loops lost iterations, once more with all loops rotated back as far as
   they go. */
static bool attempt_fit(struct attempt *a, const struct links *links)
{
	bool fits = find_prologues(a);
	bool lost = fits && find_count(a);
	if (fits && !lost)
		return true;
	struct attempt back = *a;
	attempt_start(&back, links);
	bool rotated = false;
	for (uint32_t i = 0; i < back.group->members; i++) {
		back.member[i].rate = a->member[i].rate;
		turn_back(&back, &back.member[i]);
		rotated |= back.member[i].back > 0;
	}
	bool better = rotated && find_prologues(&back);
	if (better) {
		find_count(&back);
		better = !fits || back.count > a->count;
	}
	if (!better) {
		attempt_end(&back);
		return fits;
	}
	attempt_end(a);
	*a = back;
	return true;
}

/* ------------------------------------------------------------------ replacements */

static uint64_t constructs(const struct item *item, size_t length)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < length; i++)
		sum += item_constructs(&item[i]);
	return sum;
}

/* The pieces that take the place of a member's loop: prologue, common iterations, what is left
   over. */
static void replace_member(const struct attempt *a, const struct member *m, struct replacement *x)
{
	const struct loop_context *c = &a->r->loops;
	const struct strand_loop *l = m->loop;
	uint64_t whole = m->prologue / l->events, inside = m->prologue % l->events;
	struct strand prologue = {0}, body = {0};
	if (inside)
		body_cut(c, l->body, l->length, inside, &prologue, &body);
	else
		strand_add_all(&body, l->body, l->length);
	size_t rest = body.length;
	/* an iteration of the joint loop; of its loop of `rate` */
	struct strand common = {0}, inner = {0}, blocked = {0};
	strand_add_shifted(&common, c, body.item, body.length, (int64_t)whole);
	strand_add_shifted(&common, c, prologue.item, prologue.length, (int64_t)whole + 1);

	*x = (struct replacement){
		.strand = m->candidate->strand, .first = m->candidate->item - m->back, .past = m->candidate->item + 1};
	strand_add_loop(&x->with, c, whole, l->body, l->length);
	strand_add_iteration(&x->with, c, prologue.item, prologue.length, (int64_t)whole);
	x->at = x->with.length;
	if (a->count > 1 && m->rate > 1) {
		strand_add_blocked(&blocked, c, common.item, common.length, m->rate);
		strand_add_loop(&inner, c, m->rate, blocked.item, blocked.length);
	} else if (a->count > 1) {
		strand_add_all(&inner, common.item, common.length);
	}
	if (a->count > 1) {
		x->loop = strand_loop_new(c, a->count, inner.item, inner.length);
		strand_add(&x->with, (struct item){.loop = x->loop});
	} else {
		for (uint64_t i = 0; i < m->rate; i++)
			strand_add_iteration(&x->with, c, common.item, common.length, (int64_t)i);
	}
	uint64_t done = a->count * m->rate, left = m->available - done;
	struct strand after = {0};
	strand_add_shifted(&after, c, common.item, common.length, (int64_t)done);
	strand_add_loop(&x->with, c, left, after.item, after.length);
	if (inside && !m->kept)
		strand_add_iteration(&x->with, c, common.item, rest, (int64_t)m->available);
	free(common.item);
	free(inner.item);
	free(blocked.item);
	free(after.item);

	/* What the loop was rotated back over stands behind it now, less the copy of the prologue
	   that was used up. */
	size_t used = m->kept ? prologue.length : 0, rotated = used < m->back ? used : m->back;
	strand_add_iteration(&x->with, c, l->body + rotated, m->back - rotated, (int64_t)l->count);
	x->past += used - rotated;
	x->shifted = inside || m->back;
	x->split = whole || left;
	x->blocked = a->count > 1 && m->rate > 1;
	free(prologue.item);
	free(body.item);
}

static int64_t replacement_growth(const struct attempt *a, const struct member *m, const struct replacement *x)
{
	const struct strand *s = strand_of(a, m);
	return (int64_t)constructs(x->with.item, x->with.length) -
	       (int64_t)constructs(s->item + x->first, x->past - x->first);
}

/* Is enough of at least one loop common to be worth taking the others apart? */
static bool worth(const struct attempt *a)
{
	for (uint32_t i = 0; i < a->group->members; i++) {
		const struct member *m = &a->member[i];
		if (2 * a->count * m->rate >= m->loop->count)
			return true;
	}
	return false;
}

/* So few common iterations do not pay for writing a good part of the bodies once more. */
#define FEW_ITERATIONS 3

static uint64_t group_constructs(const struct attempt *a)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < a->group->members; i++)
		sum += a->member[i].loop->constructs;
	return sum;
}

/* Is one common iteration all there is, because the counts have no common divisor? */
static bool coprime(const struct attempt *a)
{
	bool all = a->count == 1;
	for (uint32_t i = 0; all && i < a->group->members; i++)
		all = !a->member[i].prologue && a->member[i].rate == a->member[i].loop->count;
	return all;
}

/* Coprime loops are written out if the budget has room for it. */
static bool can_unroll(const struct attempt *a, int64_t budget)
{
	for (uint32_t i = 0; i < a->group->members; i++) {
		const struct member *m = &a->member[i];
		uint64_t size;
		if (budget < 0 || __builtin_mul_overflow(m->loop->constructs - 1, m->rate - 1, &size) ||
			size > (uint64_t)budget)
			return false;
		budget -= (int64_t)size;
	}
	return true;
}

/* Can this become a replacement at all? */
static bool usable(const struct attempt *a, int64_t budget, enum merge_reason *reason)
{
	if (coprime(a)) {
		*reason = APART_COPRIME;
		return can_unroll(a, budget);
	}
	*reason = APART_FEW;
	return a->count > 1 && worth(a);
}

bool align(struct reduction *r, const struct system *s, const struct links *links, const struct group *g,
	char *const *claimed, int64_t budget, struct alignment *result)
{
	*result = (struct alignment){.reason = APART_ORDERED};
	if (g->ordered)
		return false;
	struct attempt a = {.r = r, .system = s, .group = g, .claimed = claimed};
	attempt_start(&a, links);
	bool agree = find_rates(&a);
	result->reason = agree ? APART_ACROSS : APART_RATES;
	if (agree) {
		index_parts(&a);
		agree = attempt_fit(&a, links);
	}
	agree = agree && usable(&a, budget, &result->reason);
	if (agree) {
		result->count = a.count;
		result->members = g->members;
		result->replacement = mem_array(g->members, sizeof *result->replacement);
		for (uint32_t i = 0; i < g->members; i++) {
			replace_member(&a, &a.member[i], &result->replacement[i]);
			result->growth += replacement_growth(&a, &a.member[i], &result->replacement[i]);
		}
		if (a.count > 1)
			result->growth -= g->members - 1;
		if (result->growth > 0 && result->growth > budget) {
			result->reason = APART_GROWTH;
			agree = false;
		} else if (a.count < FEW_ITERATIONS && a.count > 1 &&
			   result->growth > (int64_t)(group_constructs(&a) / 10)) {
			result->reason = APART_FEW;
			agree = false;
		}
	}
	attempt_end(&a);
	return agree;
}

void alignment_clear(struct alignment *a)
{
	for (uint32_t i = 0; i < a->members; i++)
		free(a->replacement[i].with.item);
	free(a->replacement);
	*a = (struct alignment){0};
}
