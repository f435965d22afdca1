/*
 * step_loops.c -- strongly connected parts, cut and looked at again.
 */
#include "merge/step_loops.h"

#include <stdlib.h>
#include <string.h>

#include "ask/cost.h"
#include "base/components.h"
#include "base/intern.h"
#include "base/mem.h"
#include "merge/bounds.h"

struct sequence {
	const uint32_t *step;
	size_t length;
};

struct sequences {
	struct sequence *of;
	size_t length, capacity;
	const uint32_t *place; /* by step */
};

/* A list in the making, and what it costs. */
struct forest {
	struct step_node *node;
	size_t length, capacity;
	struct edge *begin; /* edges at which iterations begin, ... */
	uint32_t *loop; /* ... of these nodes */
	size_t begins, begin_capacity, loop_capacity;
	uint64_t cost; /* beyond its steps */
};

struct step_loops {
	const struct activations *activations;
	struct forest *forest; /* by function */
	uint32_t **around; /* by step */
	size_t *loops;
	struct intern *begins; /* struct edge */
	uint32_t *loop; /* by these */
};

static void add_sequence(struct sequences *s, const uint32_t *step, size_t length)
{
	*MEM_PUSH(s->of, s->length, s->capacity) = (struct sequence){step, length};
}

static void forest_clear(struct forest *f)
{
	free(f->node);
	free(f->begin);
	free(f->loop);
	*f = (struct forest){0};
}

static void add_begin(struct forest *f, struct edge begin, uint32_t loop)
{
	f->loop = mem_grow(f->loop, &f->loop_capacity, f->begins + 1, sizeof *f->loop);
	f->loop[f->begins] = loop;
	*MEM_PUSH(f->begin, f->begins, f->begin_capacity) = begin;
}

static void append_forest(struct forest *to, const struct forest *from)
{
	uint32_t base = (uint32_t)to->length;
	for (size_t i = 0; i < from->length; i++)
		*MEM_PUSH(to->node, to->length, to->capacity) = from->node[i];
	for (size_t i = 0; i < from->begins; i++)
		add_begin(to, from->begin[i], base + from->loop[i]);
	to->cost += from->cost;
}

/* ------------------------------------------------------------------ what columns cost */

/* After how many numbers they come again, at least twice; else all. (Knuth, Morris & Pratt.) */
static size_t turn_of(const int64_t *number, size_t length)
{
	size_t *border = mem_array(length + 1, sizeof *border), turn;
	border[0] = 0;
	for (size_t i = 1, k = 0; i < length; i++) {
		while (k && number[i] != number[k])
			k = border[k - 1];
		border[i] = k += number[i] == number[k];
	}
	turn = length ? length - border[length - 1] : 0;
	free(border);
	return 2 * turn <= length ? turn : length;
}

/* A line of numbers is a formula; what follows none is entries, each where it turns. */
static uint64_t cost_of_column(const int64_t *number, size_t length, uint64_t beside)
{
	size_t turn = turn_of(number, length), entries = 1;
	for (size_t i = 2; i < turn; i++)
		entries += number[i] - number[i - 1] != number[i - 1] - number[i - 2];
	if (turn <= 1)
		return 0;
	if (turn == length && turn > 2 && entries == 1)
		return COST_AFFINE;
	return beside + COST_ENTRY * (entries < STEP_LOOPS_ENTRIES ? entries : STEP_LOOPS_ENTRIES);
}

/* Iterations of a loop, 0 where it is not there: a guard, if they are the same wherever it is. */
static uint64_t cost_of_counts(const int64_t *count, size_t length)
{
	int64_t *there = mem_array(length + 1, sizeof *there), first = 0;
	bool same = true;
	for (size_t i = 0; i < length; i++) {
		there[i] = count[i] > 0;
		first = first ? first : count[i];
		same = same && (!count[i] || count[i] == first);
	}
	uint64_t cost = same ? cost_of_column(there, length, COST_GUARD) : cost_of_column(count, length, COST_TABLE);
	free(there);
	return cost;
}

/* ------------------------------------------------------------------ strongly connected parts */

/* Of the steps of a list, what is strongly connected: by local number of the step. */
struct parts {
	uint32_t *of;
	uint32_t count;
	bool *turns; /* does a step of it follow one of it? */
	uint32_t *order; /* parts in the order of the list; NULL: not asked */
};

/* In an order that all sequences follow; of several, what comes first in the text. O(parts²). */
static void order_parts(struct parts *p, uint32_t steps, const struct edge *edge, size_t edges)
{
	p->order = mem_array(p->count + (size_t)1, sizeof *p->order);
	uint32_t *before = mem_zero((p->count + (size_t)1) * sizeof *before),
		 *first = mem_array(p->count + (size_t)1, sizeof *first);
	bool *done = mem_zero(p->count + (size_t)1);
	for (uint32_t i = steps; i-- > 0;)
		first[p->of[i]] = i;
	for (size_t i = 0; i < edges; i++)
		before[p->of[edge[i].to]] += p->of[edge[i].from] != p->of[edge[i].to];
	for (uint32_t n = 0; n < p->count; n++) {
		uint32_t next = UINT32_MAX;
		for (uint32_t k = 0; k < p->count; k++)
			if (!done[k] && !before[k] && (next == UINT32_MAX || first[k] < first[next]))
				next = k;
		done[next] = true;
		p->order[n] = next;
		for (size_t i = 0; i < edges; i++)
			before[p->of[edge[i].to]] -= p->of[edge[i].from] == next && p->of[edge[i].to] != next;
	}
	free(before);
	free(first);
	free(done);
}

/* A call that is left and reached again is the same one, whatever function it calls then: from
   there it goes on as it did before. What follows at once may be a tail call of what was called. */
static void add_calls_again(struct intern *known, const uint32_t *local, const struct sequences *s)
{
	struct intern *places = intern_new_keys(sizeof(uint32_t));
	size_t *last = NULL, capacity = 0;
	for (size_t i = 0; i < s->length; i++) {
		const uint32_t *step = s->of[i].step;
		intern_empty(places);
		for (size_t k = 0; k < s->of[i].length; k++) {
			uint32_t before = intern_count(places);
			uint32_t place = intern_id(places, &s->place[step[k]], sizeof *s->place);
			last = mem_grow(last, &capacity, (size_t)place + 1, sizeof *last);
			if (place < before && k - last[place] > 1 && step[last[place]] != step[k])
				intern_id(known, &(struct edge){local[step[k]], local[step[last[place]]]},
					sizeof(struct edge));
			last[place] = k;
		}
	}
	free(last);
	intern_free(places);
}

static struct parts parts_of(uint32_t steps, const struct edge *edge, size_t edges)
{
	struct parts p = {.of = mem_array(steps + (size_t)1, sizeof *p.of)};
	p.count = components_find(steps, edge, edges, p.of);
	p.turns = mem_zero(p.count + (size_t)1);
	for (size_t i = 0; i < edges; i++)
		p.turns[p.of[edge[i].from]] = p.turns[p.of[edge[i].from]] || p.of[edge[i].from] == p.of[edge[i].to];
	return p;
}

static void parts_clear(struct parts *p)
{
	free(p->of);
	free(p->turns);
	free(p->order);
}

/* Which steps follow which. */
static void add_edges(struct intern *known, const uint32_t *local, const struct sequences *s)
{
	for (size_t i = 0; i < s->length; i++)
		for (size_t k = 1; k < s->of[i].length; k++)
			intern_id(known, &(struct edge){local[s->of[i].step[k - 1]], local[s->of[i].step[k]]},
				sizeof(struct edge));
}

/* Once each, but for what leads to a step (STEP_NONE: none). */
static struct edge *edges_of(const struct intern *known, uint32_t without, size_t *edges)
{
	struct edge *edge = mem_array(intern_count(known) + (size_t)1, sizeof *edge);
	*edges = 0;
	for (uint32_t i = 0; i < intern_count(known); i++) {
		const struct edge *e = intern_data(known, i, NULL);
		if (e->to != without)
			edge[(*edges)++] = *e;
	}
	return edge;
}

static struct parts find_parts(const uint32_t *local, uint32_t steps, const struct sequences *s)
{
	struct intern *known = intern_new_keys(sizeof(struct edge));
	size_t edges;
	add_calls_again(known, local, s);
	add_edges(known, local, s);
	struct edge *edge = edges_of(known, STEP_NONE, &edges);
	struct parts p = parts_of(steps, edge, edges);
	order_parts(&p, steps, edge, edges);
	free(edge);
	intern_free(known);
	return p;
}

/* ------------------------------------------------------------------ candidates */

/* Where iterations may begin: at edges to some steps, or at those that lead back. */
struct cut {
	bool back;
	const bool *
		to; /* by local number of the part; or from this one on in the order of the text, and again from the first */
	uint32_t first;
	const bool *from; /* by local number; NULL: from anywhere */
	uint32_t worth; /* what it has to save */
};

/* Steps of a strongly connected part in the order of the text, by local number. */
struct part {
	const uint32_t *step;
	uint32_t steps;
};

static bool begins(const struct cut *c, uint32_t steps, uint32_t from, uint32_t to)
{
	if (!c->back)
		return c->to[to] && (!c->from || c->from[from]);
	return (to + steps - c->first) % steps <= (from + steps - c->first) % steps;
}

static struct forest list_of(
	uint32_t *local, const uint32_t *step, uint32_t steps, const struct sequences *, int depth);

/* local: by step, which of the list at hand it is. */
static void number_steps(uint32_t *local, const struct part *p)
{
	for (uint32_t i = 0; i < p->steps; i++)
		local[p->step[i]] = i;
}

/* The loop of a part under a cut; empty where no iteration begins, of calls that are reached again
   (add_calls_again) in another way than this. */
static struct forest loop_of(
	uint32_t *local, const struct part *p, const struct sequences *inside, const struct cut *cut, int depth)
{
	struct sequences iteration = {.place = inside->place};
	struct forest f = {0};
	struct intern *edges = intern_new_keys(sizeof(struct edge));
	int64_t *count = mem_zero((inside->length + 1) * sizeof *count);
	*MEM_PUSH(f.node, f.length, f.capacity) = (struct step_node){STEP_NONE, 1};
	number_steps(local, p);
	for (size_t i = 0; i < inside->length; i++) {
		const struct sequence *s = &inside->of[i];
		size_t from = 0;
		for (size_t k = 1; s->length && k <= s->length; k++) {
			if (k < s->length && !begins(cut, p->steps, local[s->step[k - 1]], local[s->step[k]]))
				continue;
			add_sequence(&iteration, s->step + from, k - from);
			from = k;
			count[i]++;
			if (k < s->length)
				intern_id(edges, &(struct edge){s->step[k - 1], s->step[k]}, sizeof(struct edge));
		}
	}
	for (uint32_t i = 0; i < intern_count(edges); i++)
		add_begin(&f, *(const struct edge *)intern_data(edges, i, NULL), 0);
	if (f.begins) {
		/* An iteration is as easy to think of as a condition; of two readings, loops are the source's. */
		size_t seen = inside->length < STEP_LOOPS_SEEN ? inside->length : STEP_LOOPS_SEEN;
		f.cost = COST_GUARD + cost_of_counts(count, seen);
		struct forest body = list_of(local, p->step, p->steps, &iteration, depth + 1);
		append_forest(&f, &body);
		f.node[0].size = (uint32_t)f.length;
		forest_clear(&body);
	} else
		forest_clear(&f);
	free(iteration.of);
	free(count);
	intern_free(edges);
	return f;
}

static void try_cut(uint32_t *local, const struct part *p, const struct sequences *inside, const struct cut *cut,
	int depth, struct forest *best)
{
	struct forest f = loop_of(local, p, inside, cut, depth);
	if (f.length && (!best->length || f.cost + cut->worth < best->cost)) {
		struct forest worse = *best;
		*best = f;
		f = worse;
	}
	forest_clear(&f);
}

/* By local number the steps that lead to one, each once; none to the head. */
struct predecessors {
	uint32_t *first, *next, *from; /* edges; STEP_NONE: no more */
	uint32_t *queue; /* room for all steps */
	bool *in;
};

static struct predecessors predecessors_of(
	const uint32_t *local, const struct part *p, const struct sequences *inside, uint32_t head)
{
	size_t count;
	struct intern *known = intern_new_keys(sizeof(struct edge));
	add_edges(known, local, inside);
	struct edge *edge = edges_of(known, head, &count);
	intern_free(known);
	struct predecessors g = {.first = mem_array(p->steps + (size_t)1, sizeof *g.first),
		.next = mem_array(count + 1, sizeof *g.next),
		.from = mem_array(count + 1, sizeof *g.from),
		.queue = mem_array(p->steps + (size_t)1, sizeof *g.queue),
		.in = mem_array(p->steps + (size_t)1, sizeof *g.in)};
	memset(g.first, 0xff, (p->steps + (size_t)1) * sizeof *g.first);
	for (uint32_t i = 0; i < count; i++) {
		g.from[i] = edge[i].from;
		g.next[i] = g.first[edge[i].to];
		g.first[edge[i].to] = i;
	}
	free(edge);
	return g;
}

static void predecessors_clear(struct predecessors *g)
{
	free(g->first);
	free(g->next);
	free(g->from);
	free(g->queue);
	free(g->in);
}

/* How many steps lead to one without passing the head: those of the natural loop of an edge from
   there to the head. (Aho, Sethi & Ullman, 10.4.) */
static uint32_t natural_loop(const struct predecessors *g, const struct part *p, uint32_t head, uint32_t last)
{
	uint32_t steps = 0;
	memset(g->in, 0, (p->steps + (size_t)1) * sizeof *g->in);
	g->in[head] = g->in[last] = true;
	if (last != head)
		g->queue[steps++] = last;
	for (uint32_t done = 0; done < steps; done++)
		for (uint32_t i = g->first[g->queue[done]]; i != STEP_NONE; i = g->next[i])
			if (!g->in[g->from[i]]) {
				g->in[g->from[i]] = true;
				g->queue[steps++] = g->from[i];
			}
	return steps + 1;
}

/* Two loops with one head: where an iteration of the outer one begins with the inner one, steps
   lead to it from the end of both. The inner one is a small part of the outer one: of "a a b c d a a
   b c d" the first step is a loop, of "a b c a b c a b c d" the last one is under a condition. NULL:
   there is one loop. */
static bool *ends_of_outer(const uint32_t *local, const struct part *p, const struct sequences *inside, uint32_t head)
{
	bool *end = mem_zero(p->steps + (size_t)1), *outer = mem_zero(p->steps + (size_t)1);
	uint32_t inner = 0, ends = 0, times = STEP_LOOPS_INNER;
	for (size_t i = 0; i < inside->length; i++)
		for (size_t k = 1; k < inside->of[i].length; k++) {
			uint32_t from = local[inside->of[i].step[k - 1]], to = local[inside->of[i].step[k]];
			end[from] = end[from] || to == head;
			times = from == to && to != head ? STEP_LOOPS_INNER_BESIDE : times;
		}
	struct predecessors g = predecessors_of(local, p, inside, head);
	for (uint32_t i = 0; i < p->steps; i++) {
		outer[i] = end[i] && times * natural_loop(&g, p, head, i) > p->steps;
		ends += end[i];
		inner += end[i] && !outer[i];
	}
	predecessors_clear(&g);
	free(end);
	if (inner && inner < ends)
		return outer;
	free(outer);
	return NULL;
}

/* How many steps are in cycles that one is not in. */
static uint32_t beside(const struct parts *p, uint32_t steps)
{
	uint32_t inner = 0;
	for (uint32_t i = 0; i < steps; i++)
		inner += p->turns[p->of[i]];
	return inner;
}

/* The step that most iterations have: without what leads to it, fewest are in cycles.
   STEP_NONE: all are. */
static uint32_t common_step(const struct part *p, const struct intern *known)
{
	uint32_t least = p->steps, common = STEP_NONE;
	for (uint32_t head = 0; head < p->steps && head < STEP_LOOPS_HEADS && least; head++) {
		size_t edges;
		struct edge *edge = edges_of(known, head, &edges);
		struct parts parts = parts_of(p->steps, edge, edges);
		uint32_t inner = beside(&parts, p->steps);
		common = inner < least ? head : common;
		least = inner < least ? inner : least;
		parts_clear(&parts);
		free(edge);
	}
	return common;
}

/* By part, does it lead to the end of a sequence? */
static bool *leads_to_end(const uint32_t *local, const struct parts *p, const struct edge *edge, size_t edges,
	const struct sequences *inside)
{
	bool *leads = mem_zero(p->count + (size_t)1);
	for (size_t i = 0; i < inside->length; i++)
		if (inside->of[i].length)
			leads[p->of[local[inside->of[i].step[inside->of[i].length - 1]]]] = true;
	for (uint32_t n = p->count; n-- > 0;)
		for (size_t i = 0; i < edges; i++)
			if (p->of[edge[i].from] == p->order[n] && leads[p->of[edge[i].to]])
				leads[p->order[n]] = true;
	return leads;
}

/* Steps in the order of an iteration from the common one on, as many of them as may be behind where
   all ends. Returns how many are not. */
static uint32_t order_from(uint32_t common, uint32_t *to, const uint32_t *local, const struct part *p,
	const struct sequences *inside, const struct intern *known)
{
	size_t edges;
	struct edge *edge = edges_of(known, common, &edges);
	struct parts parts = parts_of(p->steps, edge, edges);
	order_parts(&parts, p->steps, edge, edges);
	bool *leads = leads_to_end(local, &parts, edge, edges, inside);
	uint32_t length = 0, before = 0;
	for (int behind = 0; behind < 2; behind++) {
		before = length;
		for (uint32_t n = 0; n < parts.count; n++)
			for (uint32_t i = 0; i < p->steps && leads[parts.order[n]] == !behind; i++)
				if (parts.of[i] == parts.order[n])
					to[length++] = p->step[i];
	}
	free(leads);
	parts_clear(&parts);
	free(edge);
	return before;
}

/* What most iterations do, they do in one order: from a step that is in all of them to that one
   again. They begin behind what the last one ends with, or where the first one begins. (LAMMPS
   exchanges atoms in some steps of time, sends what has moved in the others, then computes
   forces.) It has to save something: a loop may be left in the middle. */
static void try_common(
	uint32_t *local, const struct part *p, const struct sequences *inside, int depth, struct forest *best)
{
	uint32_t *step = mem_array(p->steps + (size_t)1, sizeof *step);
	struct part turned = {step, p->steps};
	struct intern *known = intern_new_keys(sizeof(struct edge));
	number_steps(local, p);
	add_edges(known, local, inside);
	uint32_t common = common_step(p, known);
	if (common != STEP_NONE) {
		uint32_t behind = order_from(common, step, local, p, inside, known) % p->steps, first = behind;
		try_cut(local, &turned, inside, &(struct cut){.back = true, .first = behind, .worth = COST_GUARD},
			depth, best);
		number_steps(local, &turned);
		for (size_t i = inside->length; i-- > 0;)
			first = inside->of[i].length ? local[inside->of[i].step[0]] : first;
		if (first != behind)
			try_cut(local, &turned, inside,
				&(struct cut){.back = true, .first = first, .worth = COST_GUARD}, depth, best);
	}
	intern_free(known);
	free(step);
}

/* Each way to begin iterations: at all steps where the part is entered, at one of these, or where
   the text leads back, from its first step on or from where the part is entered first, or what most
   iterations do; where there is one entry, behind the end of the outer one of two loops. */
static struct forest best_loop(uint32_t *local, const struct part *p, const struct sequences *inside, int depth)
{
	bool *entered = mem_zero(p->steps + (size_t)1), *one = mem_zero(p->steps + (size_t)1);
	struct forest best = {0};
	uint32_t entries = 0, first = 0;
	number_steps(local, p);
	for (size_t i = 0; i < inside->length; i++) {
		if (!inside->of[i].length)
			continue;
		uint32_t own = local[inside->of[i].step[0]];
		first = entries ? first : own;
		entries += !entered[own];
		entered[own] = true;
	}
	try_cut(local, p, inside, &(struct cut){.to = entered}, depth, &best);
	for (uint32_t i = 0, tried = 0;
		i < p->steps && p->steps > 1 && entries > 1 && tried < STEP_LOOPS_ENTERED && depth < STEP_LOOPS_DEPTH;
		i++) {
		if (!entered[i])
			continue;
		one[i] = true;
		try_cut(local, p, inside, &(struct cut){.to = one}, depth, &best);
		one[i] = false;
		tried++;
	}
	if (p->steps > 1)
		try_cut(local, p, inside, &(struct cut){.back = true}, depth, &best);
	if (p->steps > 1 && first)
		try_cut(local, p, inside, &(struct cut){.back = true, .first = first}, depth, &best);
	if (p->steps > 1 && depth < STEP_LOOPS_DEPTH)
		try_common(local, p, inside, depth, &best);
	number_steps(local, p);
	bool *outer = entries == 1 && p->steps > 1 ? ends_of_outer(local, p, inside, first) : NULL;
	if (outer)
		try_cut(local, p, inside, &(struct cut){.to = entered, .from = outer}, depth, &best);
	free(outer);
	for (uint32_t i = 0, none = !best.length; none && i < p->steps; i++)
		*MEM_PUSH(best.node, best.length, best.capacity) = (struct step_node){p->step[i], 1};
	free(entered);
	free(one);
	return best;
}

/* ------------------------------------------------------------------ a list */

/* Steps that stand in some of the sequences alone are guarded; the same guard is read once. What
   holds where another does not is said by the same table, if that is not read anyway. Loops have
   counts. */
static uint64_t cost_of_guards(const uint32_t *local, const struct parts *p, const struct sequences *s)
{
	size_t seen = s->length < STEP_LOOPS_SEEN ? s->length : STEP_LOOPS_SEEN;
	int64_t *there = mem_zero((p->count * seen + 1) * sizeof *there);
	struct intern *known = intern_new(), *otherwise = intern_new();
	uint64_t cost = 0;
	for (size_t i = 0; i < seen; i++)
		for (size_t k = 0; k < s->of[i].length; k++)
			there[p->of[local[s->of[i].step[k]]] * seen + i] = 1;
	for (uint32_t k = 0; k < p->count; k++) {
		uint32_t before = intern_count(known);
		int64_t *own = there + k * seen;
		if (p->turns[k] || intern_id(known, own, seen * sizeof *own) != before)
			continue;
		uint64_t column = cost_of_column(own, seen, COST_GUARD);
		bool read = column < COST_GUARD + COST_ENTRY * STEP_LOOPS_ENTRIES;
		bool other = !read && intern_find(otherwise, own, seen * sizeof *own) != INTERN_NONE;
		cost += other ? COST_GUARD : column;
		for (size_t i = 0; i < seen; i++)
			own[i] = !own[i];
		intern_id(otherwise, own, seen * sizeof *own);
	}
	free(there);
	intern_free(known);
	intern_free(otherwise);
	return cost;
}

/* The stretch of each sequence in one part, which may be empty. */
static struct sequences stretches_of(
	const uint32_t *local, const struct parts *p, uint32_t part, const struct sequences *s)
{
	struct sequences inside = {.place = s->place};
	for (size_t i = 0; i < s->length; i++) {
		size_t from = 0, to;
		while (from < s->of[i].length && p->of[local[s->of[i].step[from]]] != part)
			from++;
		for (to = from; to < s->of[i].length && p->of[local[s->of[i].step[to]]] == part;)
			to++;
		add_sequence(&inside, s->of[i].step + from, to - from);
	}
	return inside;
}

/* step: in the order of the text. Recursion as deep as loops nest. */
static struct forest list_of(
	uint32_t *local, const uint32_t *step, uint32_t steps, const struct sequences *s, int depth)
{
	struct forest f = {0};
	struct part all = {step, steps};
	uint32_t *own = mem_array(steps + (size_t)1, sizeof *own);
	number_steps(local, &all);
	struct parts p = find_parts(local, steps, s);
	f.cost = cost_of_guards(local, &p, s);
	for (uint32_t n = 0; n < p.count; n++) {
		uint32_t count = 0, part = p.order[n];
		for (uint32_t i = 0; i < steps; i++)
			if (p.of[i] == part)
				own[count++] = step[i];
		if (!p.turns[part]) {
			*MEM_PUSH(f.node, f.length, f.capacity) = (struct step_node){own[0], 1};
			continue;
		}
		number_steps(local, &all);
		struct sequences inside = stretches_of(local, &p, part, s);
		struct forest loop = best_loop(local, &(struct part){own, count}, &inside, depth);
		append_forest(&f, &loop);
		forest_clear(&loop);
		free(inside.of);
	}
	free(own);
	parts_clear(&p);
	return f;
}

/* ------------------------------------------------------------------ all functions */

static int by_order(const void *x, const void *y, void *activations)
{
	return activations_order(activations, *(const uint32_t *)x, *(const uint32_t *)y);
}

/* Steps that occur, in the order of the text. */
static uint32_t *steps_of(const struct activations *a, const struct sequences *s, uint32_t *steps)
{
	struct intern *known = intern_new_keys(sizeof(uint32_t));
	for (size_t i = 0; i < s->length; i++)
		for (size_t k = 0; k < s->of[i].length; k++)
			intern_id(known, &s->of[i].step[k], sizeof(uint32_t));
	*steps = intern_count(known);
	uint32_t *step = mem_array(*steps + (size_t)1, sizeof *step);
	for (uint32_t i = 0; i < *steps; i++)
		step[i] = *(const uint32_t *)intern_data(known, i, NULL);
	qsort_r(step, *steps, sizeof *step, by_order, (void *)a);
	intern_free(known);
	return step;
}

/* Recursion as deep as loops nest. */
static void note_around(
	struct step_loops *l, const struct forest *f, size_t from, size_t to, uint32_t *around, size_t loops)
{
	for (size_t i = from; i < to; i += f->node[i].size) {
		uint32_t step = f->node[i].step;
		if (step == STEP_NONE) {
			around[loops] = (uint32_t)i;
			note_around(l, f, i + 1, i + f->node[i].size, around, loops + 1);
			continue;
		}
		l->around[step] = mem_copy(around, loops * sizeof *around);
		l->loops[step] = loops;
	}
}

static void make_function(struct step_loops *l, uint32_t function, const struct sequences *s, uint32_t *local)
{
	uint32_t steps, *step = steps_of(l->activations, s, &steps);
	struct forest *f = &l->forest[function];
	*f = list_of(local, step, steps, s, 0);
	uint32_t *around = mem_array(f->length + 1, sizeof *around);
	note_around(l, f, 0, f->length, around, 0);
	for (size_t i = 0; i < f->begins; i++) {
		uint32_t id = intern_id(l->begins, &f->begin[i], sizeof f->begin[i]);
		l->loop[id] = f->loop[i];
	}
	free(around);
	free(step);
}

struct step_loops *step_loops_new(const struct activations *a)
{
	struct step_loops *l = mem_zero(sizeof *l);
	uint32_t steps = activations_steps(a);
	struct sequences *of = mem_zero((steps + (size_t)1) * sizeof *of);
	uint32_t *local = mem_array(steps + (size_t)1, sizeof *local),
		 *place = mem_array(steps + (size_t)1, sizeof *place);
	size_t total = 0;
	*l = (struct step_loops){.activations = a,
		.forest = mem_zero((steps + (size_t)1) * sizeof *l->forest),
		.around = mem_zero((steps + (size_t)1) * sizeof *l->around),
		.loops = mem_zero((steps + (size_t)1) * sizeof *l->loops),
		.begins = intern_new_keys(sizeof(struct edge))};
	for (size_t i = 0; i < activations_runs(a); i++) {
		struct activation_run run = activations_run(a, i);
		add_sequence(&of[run.function], run.step, run.length);
		total += run.length;
	}
	l->loop = mem_array(total + 1, sizeof *l->loop);
	for (uint32_t step = 0; step < steps; step++)
		place[step] = activations_place(a, step);
	for (uint32_t f = 0; f < steps; f++) {
		of[f].place = place;
		if (of[f].length)
			make_function(l, f, &of[f], local);
		free(of[f].of);
	}
	free(of);
	free(local);
	free(place);
	return l;
}

void step_loops_free(struct step_loops *l)
{
	if (!l)
		return;
	for (uint32_t i = 0; i < activations_steps(l->activations); i++) {
		forest_clear(&l->forest[i]);
		free(l->around[i]);
	}
	free(l->forest);
	free(l->around);
	free(l->loops);
	free(l->loop);
	intern_free(l->begins);
	free(l);
}

struct step_list step_loops_of(const struct step_loops *l, uint32_t function)
{
	return (struct step_list){l->forest[function].node, l->forest[function].length};
}

const uint32_t *step_loops_around(const struct step_loops *l, uint32_t step, size_t *loops)
{
	*loops = l->loops[step];
	return l->around[step];
}

uint32_t step_loops_between(const struct step_loops *l, uint32_t from, uint32_t to)
{
	struct edge begin = {from, to};
	uint32_t id = intern_find(l->begins, &begin, sizeof begin);
	return id == INTERN_NONE ? STEP_NONE : l->loop[id];
}
