/*
 * phase.c -- the whole stretch of records that repeat with a loop's period, and where in it the loop begins.
 *
 * A loop [B]n and the records before and behind it that continue it are a maximal repetition ("run") of period |B|: what a loop's phase depends
 * on is only how many of them are left when it has been divided by |B|. With the rest before the loop (it begins as late as it can), every
 * run has one way to be written, and loops over rotations of one body become loops over the same body wherever their runs end alike.
 * (Runs: Kolpakov & Kucherov, FOCS 1999.)
 *
 * Loops of a sequence are taken from the last to the first, so that what a loop moves to its front is there for the one before it. The
 * sequence is held as two stacks: what is still to come, its last node on top, and what is done, its first node on top.
 */
#include "fold/phase.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "fold/digests.h"
#include "nlr/nlr.h"

#define RECORDS_LIMIT (UINT64_C(1) << 60)
#define ROUNDS 8

struct sequence {
	node *node;
	size_t length, capacity;
};

struct turning {
	struct nest *nest;
	struct digests digests;
	node *shortest; /* by loop: what it becomes; NODE_UNKNOWN */
	size_t known, capacity; /* of shortest */
	unsigned repetitions;
};

#define NODE_UNKNOWN 0 /* a record, which is no loop */

/* ------------------------------------------------------------------ sequences of nodes */

static void add(struct sequence *s, node n)
{
	s->node = mem_grow(s->node, &s->capacity, s->length + 1, sizeof *s->node);
	s->node[s->length++] = n;
}

static void add_all(struct sequence *s, const node *n, size_t length)
{
	for (size_t i = 0; i < length; i++)
		add(s, n[i]);
}

static void add_reversed(struct sequence *s, const struct sequence *from)
{
	for (size_t i = from->length; i > 0; i--)
		add(s, from->node[i - 1]);
}

static bool sequences_equal(const struct sequence *a, const struct sequence *b)
{
	return a->length == b->length && (!a->length || !memcmp(a->node, b->node, a->length * sizeof *a->node));
}

static void take_over(struct sequence *to, struct sequence *from)
{
	free(to->node);
	*to = *from;
	*from = (struct sequence){0};
}

static uint64_t constructs(const struct turning *t, const struct sequence *s)
{
	return nest_constructs(t->nest, s->node, s->length);
}

/* What a body is, which making loops may move. */
static void add_body(const struct turning *t, node loop, struct sequence *s)
{
	struct body body = nest_body(t->nest, loop);
	add_all(s, body.node, body.length);
}

/* So many iterations of a body: no loop where they are too few for one; a body that is just one loop multiplies. */
static void add_loop(struct turning *t, uint64_t count, const struct sequence *body, struct sequence *to)
{
	bool single = body->length == 1 && node_is_loop(body->node[0]);
	if (count < 3 && count < t->repetitions) {
		for (uint64_t k = 0; k < count; k++)
			add_all(to, body->node, body->length);
	} else if (single) {
		struct body inner = nest_body(t->nest, body->node[0]);
		add(to, nest_loop(t->nest, count * nest_get(t->nest, body->node[0])->count, inner.node, inner.length));
	} else {
		add(to, nest_loop(t->nest, count, body->node, body->length));
	}
}

/* ------------------------------------------------------------------ cutting */

static void cut_body(struct turning *t, node loop, uint64_t records, struct sequence *a, struct sequence *b);

/* The first records of a node go to a, the others to b. */
static void cut(struct turning *t, node n, uint64_t records, struct sequence *a, struct sequence *b)
{
	if (!records || records == nest_events(t->nest, n)) {
		add(records ? a : b, n);
		return;
	}
	uint64_t count = nest_get(t->nest, n)->count, period = digests_period(&t->digests, n);
	uint64_t whole = records / period, rest = records % period;
	struct sequence body = {0};
	add_body(t, n, &body);
	add_loop(t, whole, &body, a);
	if (rest)
		cut_body(t, n, rest, a, b);
	add_loop(t, count - whole - (rest > 0), &body, b);
	free(body.node);
}

static void cut_sequence(struct turning *t, const struct sequence *s, uint64_t records, struct sequence *a, struct sequence *b)
{
	for (size_t i = 0; i < s->length; i++) {
		uint64_t size = nest_events(t->nest, s->node[i]), here = records < size ? records : size;
		cut(t, s->node[i], here, a, b);
		records -= here;
	}
}

/* Of one iteration. */
static void cut_body(struct turning *t, node loop, uint64_t records, struct sequence *a, struct sequence *b)
{
	struct sequence body = {0};
	add_body(t, loop, &body);
	cut_sequence(t, &body, records, a, b);
	free(body.node);
}

/* An iteration that begins behind so many records of the body. */
static void rotate(struct turning *t, node loop, uint64_t records, struct sequence *to)
{
	struct sequence front = {0};
	cut_body(t, loop, records, &front, to);
	add_all(to, front.node, front.length);
	free(front.node);
}

/* Take records off the stack of what is to come, or of what is done. */
static void drop_before(struct turning *t, struct sequence *before, uint64_t records)
{
	struct sequence dropped = {0};
	while (records) {
		node top = before->node[--before->length];
		uint64_t size = nest_events(t->nest, top), here = records < size ? records : size;
		if (here < size)
			cut(t, top, size - here, before, &dropped);
		records -= here;
	}
	free(dropped.node);
}

static void drop_behind(struct turning *t, struct sequence *behind, uint64_t records)
{
	struct sequence dropped = {0}, kept = {0};
	while (records) {
		node top = behind->node[--behind->length];
		uint64_t size = nest_events(t->nest, top), here = records < size ? records : size;
		if (here < size)
			cut(t, top, here, &dropped, &kept);
		records -= here;
	}
	add_reversed(behind, &kept);
	free(dropped.node);
	free(kept.node);
}

/* ------------------------------------------------------------------ how far a loop goes on */

/* Records that follow `passed` others behind the loop, or stand before them. */
static bool continues(struct turning *t, node loop, bool back, uint64_t passed, const struct digest *what)
{
	uint64_t period = digests_period(&t->digests, loop), from = passed % period;
	if (back)
		from = (2 * period - from - what->length % period) % period;
	struct digest part = digests_part(&t->digests, loop, from, what->length);
	return digest_same(&part, what);
}

/* Iterations of another loop that do so. */
static uint64_t iterations_matched(struct turning *t, node loop, bool back, uint64_t passed, node other)
{
	uint64_t low = 0, high = nest_get(t->nest, other)->count;
	while (high - low > 1) {
		uint64_t middle = low + (high - low) / 2;
		struct digest some = digest_repeat(digests_body(&t->digests, other), middle);
		if (continues(t, loop, back, passed, &some))
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Records of a node, from its begin (back: from its end), that do so. A loop is divided only for one of a longer body. */
static uint64_t records_matched(struct turning *t, node loop, bool back, uint64_t passed, node n)
{
	struct digest all = digests_of(&t->digests, n);
	if (continues(t, loop, back, passed, &all))
		return all.length;
	if (!node_is_loop(n) || digests_period(&t->digests, n) >= digests_period(&t->digests, loop))
		return 0;
	uint64_t matched = iterations_matched(t, loop, back, passed, n) * digests_period(&t->digests, n);
	struct body body = nest_body(t->nest, n);
	for (size_t i = 0; i < body.length; i++) {
		node item = body.node[back ? body.length - 1 - i : i];
		uint64_t here = records_matched(t, loop, back, passed + matched, item);
		matched += here;
		if (here < nest_events(t->nest, item))
			break;
	}
	return matched;
}

/* Of a stack. */
static uint64_t stack_matched(struct turning *t, node loop, bool back, const struct sequence *stack)
{
	uint64_t matched = 0;
	for (size_t i = stack->length; i > 0; i--) {
		uint64_t here = records_matched(t, loop, back, matched, stack->node[i - 1]);
		matched += here;
		if (here < nest_events(t->nest, stack->node[i - 1]))
			break;
	}
	return matched;
}

/* ------------------------------------------------------------------ turning */

static node shortest(struct turning *, node loop);

/* The loop is done, in its phase; what it leaves before it is still to come. */
static void turn_loop(struct turning *t, node loop, struct sequence *before, struct sequence *behind)
{
	uint64_t period = digests_period(&t->digests, loop), count = nest_get(t->nest, loop)->count;
	uint64_t follows = stack_matched(t, loop, false, behind), precedes = stack_matched(t, loop, true, before);
	if (precedes + follows < period)
		precedes = 0;
	if (!precedes && !follows) {
		add(behind, loop);
		return;
	}
	drop_before(t, before, precedes);
	drop_behind(t, behind, follows);
	struct sequence iteration = {0}, rest = {0}, body = {0}, whole = {0};
	rotate(t, loop, (period - precedes % period) % period, &iteration);
	cut_sequence(t, &iteration, (precedes + follows) % period, &rest, &body);
	add_all(before, rest.node, rest.length);
	body.length = 0;
	rotate(t, loop, follows % period, &body);
	add_loop(t, count + (precedes + follows) / period, &body, &whole);
	if (whole.length == 1 && node_is_loop(whole.node[0]))
		whole.node[0] = shortest(t, whole.node[0]);
	add_reversed(behind, &whole);
	free(iteration.node);
	free(rest.node);
	free(body.node);
	free(whole.node);
}

static void turn(struct turning *t, const struct sequence *from, struct sequence *to)
{
	struct sequence before = {0}, behind = {0};
	add_all(&before, from->node, from->length);
	while (before.length) {
		node n = before.node[--before.length];
		if (node_is_loop(n))
			turn_loop(t, n, &before, &behind);
		else
			add(&behind, n);
	}
	add_reversed(to, &behind);
	free(before.node);
	free(behind.node);
}

/* ------------------------------------------------------------------ folding terms */

/* A node of a nest whose records are terms of ours. */
static node of_terms(struct turning *t, const struct nest *terms, const struct intern *term, node n)
{
	if (!node_is_loop(n))
		return *(const node *)intern_data(term, n, NULL);
	struct sequence body = {0}, loop = {0};
	struct body inside = nest_body(terms, n);
	for (size_t i = 0; i < inside.length; i++)
		add(&body, of_terms(t, terms, term, inside.node[i]));
	add_loop(t, nest_get(terms, n)->count, &body, &loop);
	node result = shortest(t, loop.node[0]);
	free(body.node);
	free(loop.node);
	return result;
}

static void fold_terms(struct turning *t, const struct sequence *from, struct sequence *to)
{
	struct nlr_options options = {.window = from->length < NLR_WINDOW ? from->length : NLR_WINDOW, .repetitions = t->repetitions};
	struct nlr *r = nlr_new(&options);
	struct intern *term = intern_new();
	for (size_t i = 0; i < from->length; i++)
		nlr_push(r, intern_id(term, &from->node[i], sizeof from->node[i]));
	struct nest *terms = nlr_finish(r);
	for (size_t i = 0; i < terms->root_length; i++)
		add(to, of_terms(t, terms, term, terms->root[i]));
	nest_free(terms);
	intern_free(term);
}

/* ------------------------------------------------------------------ the shortest */

/* Turn and fold once. False: it would be longer, or is as it was. */
static bool shorten_once(struct turning *t, struct sequence *s)
{
	struct sequence turned = {0}, folded = {0};
	turn(t, s, &turned);
	fold_terms(t, &turned, &folded);
	bool better = constructs(t, &folded) <= constructs(t, s) && !sequences_equal(&folded, s);
	if (better)
		take_over(s, &folded);
	free(turned.node);
	free(folded.node);
	return better;
}

static void shorten(struct turning *t, struct sequence *s)
{
	bool loops = false;
	for (size_t i = 0; i < s->length; i++) {
		if (!node_is_loop(s->node[i]))
			continue;
		s->node[i] = shortest(t, s->node[i]);
		loops = true;
	}
	for (int round = 0; loops && round < ROUNDS && shorten_once(t, s); round++)
		;
}

static node *shortest_of(struct turning *t, node loop)
{
	if (t->known < t->nest->loops) {
		t->shortest = mem_grow(t->shortest, &t->capacity, t->nest->loops, sizeof *t->shortest);
		memset(t->shortest + t->known, 0, (t->nest->loops - t->known) * sizeof *t->shortest);
		t->known = t->nest->loops;
	}
	return &t->shortest[loop & ~NODE_LOOP];
}

static node shortest(struct turning *t, node loop)
{
	node known = *shortest_of(t, loop);
	if (known != NODE_UNKNOWN)
		return known;
	struct sequence body = {0}, whole = {0};
	add_body(t, loop, &body);
	shorten(t, &body);
	add_loop(t, nest_get(t->nest, loop)->count, &body, &whole);
	node result = whole.length == 1 ? whole.node[0] : loop;
	*shortest_of(t, loop) = result;
	*shortest_of(t, result) = result;
	free(body.node);
	free(whole.node);
	return result;
}

struct nest *phase_turned(const struct nest *n, unsigned repetitions)
{
	if (nest_total(n) >= RECORDS_LIMIT)
		return NULL;
	struct turning t = {.nest = nest_new(), .repetitions = repetitions};
	t.digests.nest = t.nest;
	nest_append_all(t.nest, n, NULL);
	struct sequence root = {0};
	add_all(&root, t.nest->root, t.nest->root_length);
	shorten(&t, &root);

	struct nest *turned = NULL;
	if (root.length != t.nest->root_length || (root.length && memcmp(root.node, t.nest->root, root.length * sizeof *root.node) != 0)) {
		turned = nest_new();
		t.nest->root_length = 0;
		for (size_t i = 0; i < root.length; i++)
			nest_append(t.nest, root.node[i]);
		nest_append_all(turned, t.nest, NULL);
	}
	nest_free(t.nest);
	digests_clear(&t.digests);
	free(t.shortest);
	free(root.node);
	return turned;
}
