/*
 * phase.c -- the whole stretch of records that repeat with a loop's period, and where in it the
 * loop begins.
 *
 * A loop [B]n and the records before and behind it that continue it are a maximal repetition
 * ("run") of period |B|: what a loop's phase depends on is only how many of them are left when it
 * has been divided by |B|. With the rest before the loop (it begins as late as it can), every run
 * has one way to be written, and loops over rotations of one body become loops over the same body
 * wherever their runs end alike. (Runs: Kolpakov & Kucherov, FOCS 1999.)
 *
 * Loops of a sequence are taken from the last to the first, so that what a loop moves to its front
 * is there for the one before it. The sequence is held as two stacks: what is still to come, its
 * last node on top, and what is done, its first node on top.
 */
#include "fold/phase.h"

#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "fold/agree.h"
#include "fold/stretch.h"
#include "nlr/nlr.h"

#define RECORDS_LIMIT (UINT64_C(1) << 60)
#define ROUNDS 8

struct turning {
	struct stretches s;
	node *shortest; /* by loop: what it becomes; NODE_UNKNOWN */
	size_t known, capacity; /* of shortest */
};

/* ------------------------------------------------------------------ turning */

static node shortest(struct turning *, node loop);

/* The loop is done, in its phase; what it leaves before it is still to come. */
static void turn_loop(struct turning *t, node loop, struct sequence *before, struct sequence *behind)
{
	uint64_t period = digests_period(&t->s.digests, loop), count = nest_get(t->s.nest, loop)->count;
	uint64_t follows = stretch_matched_all(&t->s, loop, false, behind);
	uint64_t precedes = stretch_matched_all(&t->s, loop, true, before);
	if (precedes + follows < period)
		precedes = 0;
	if (!precedes && !follows) {
		sequence_add(behind, loop);
		return;
	}
	stretch_drop_last(&t->s, before, precedes);
	stretch_drop_first(&t->s, behind, follows);
	struct sequence iteration = {0}, rest = {0}, body = {0}, whole = {0};
	stretch_rotate(&t->s, loop, (period - precedes % period) % period, &iteration);
	stretch_cut(&t->s, &iteration, (precedes + follows) % period, &rest, &body);
	sequence_add_all(before, rest.node, rest.length);
	body.length = 0;
	stretch_rotate(&t->s, loop, follows % period, &body);
	stretch_add_loop(&t->s, count + (precedes + follows) / period, &body, &whole);
	if (whole.length == 1 && node_is_loop(whole.node[0]))
		whole.node[0] = shortest(t, whole.node[0]);
	sequence_add_reversed(behind, &whole);
	sequence_clear(&iteration);
	sequence_clear(&rest);
	sequence_clear(&body);
	sequence_clear(&whole);
}

static void turn(struct turning *t, const struct sequence *from, struct sequence *to)
{
	struct sequence before = {0}, behind = {0};
	sequence_add_all(&before, from->node, from->length);
	while (before.length) {
		node n = before.node[--before.length];
		if (node_is_loop(n))
			turn_loop(t, n, &before, &behind);
		else
			sequence_add(&behind, n);
	}
	sequence_add_reversed(to, &behind);
	sequence_clear(&before);
	sequence_clear(&behind);
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
		sequence_add(&body, of_terms(t, terms, term, inside.node[i]));
	stretch_add_loop(&t->s, nest_get(terms, n)->count, &body, &loop);
	node result = shortest(t, loop.node[0]);
	sequence_clear(&body);
	sequence_clear(&loop);
	return result;
}

static void fold_terms(struct turning *t, const struct sequence *from, struct sequence *to)
{
	size_t window = from->length < NLR_WINDOW ? from->length : NLR_WINDOW;
	struct nlr *r = nlr_new(&(struct nlr_options){.window = window, .repetitions = t->s.repetitions});
	struct intern *term = intern_new();
	for (size_t i = 0; i < from->length; i++)
		nlr_push(r, intern_id(term, &from->node[i], sizeof from->node[i]));
	struct nest *terms = nlr_finish(r);
	for (size_t i = 0; i < terms->root_length; i++)
		sequence_add(to, of_terms(t, terms, term, terms->root[i]));
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
	bool better = stretch_constructs(&t->s, &folded) <= stretch_constructs(&t->s, s) && !sequence_equal(&folded, s);
	struct sequence old = *s;
	if (better) {
		*s = folded;
		folded = old;
	}
	sequence_clear(&turned);
	sequence_clear(&folded);
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
	if (t->known < t->s.nest->loops) {
		t->shortest = mem_grow(t->shortest, &t->capacity, t->s.nest->loops, sizeof *t->shortest);
		memset(t->shortest + t->known, 0, (t->s.nest->loops - t->known) * sizeof *t->shortest);
		t->known = t->s.nest->loops;
	}
	return &t->shortest[loop & ~NODE_LOOP];
}

static node shortest(struct turning *t, node loop)
{
	node known = *shortest_of(t, loop);
	if (known != NODE_UNKNOWN)
		return known;
	struct sequence body = {0}, whole = {0};
	stretch_add_body(&t->s, loop, &body);
	shorten(t, &body);
	stretch_add_loop(&t->s, nest_get(t->s.nest, loop)->count, &body, &whole);
	node result = whole.length == 1 ? whole.node[0] : loop;
	*shortest_of(t, loop) = result;
	*shortest_of(t, result) = result;
	sequence_clear(&body);
	sequence_clear(&whole);
	return result;
}

struct nest *phase_turned(const struct nest *n, unsigned repetitions)
{
	if (nest_total(n) >= RECORDS_LIMIT)
		return NULL;
	struct turning t = {0};
	stretches_start(&t.s, repetitions);
	nest_append_all(t.s.nest, n, NULL);
	struct sequence recorded = {0}, root = {0};
	sequence_add_all(&recorded, t.s.nest->root, t.s.nest->root_length);
	sequence_add_all(&root, recorded.node, recorded.length);
	shorten(&t, &root);
	phases_agree(&t.s, &root);

	struct nest *turned = NULL;
	if (!sequence_equal(&root, &recorded)) {
		turned = nest_new();
		t.s.nest->root_length = 0;
		for (size_t i = 0; i < root.length; i++)
			nest_append(t.s.nest, root.node[i]);
		nest_append_all(turned, t.s.nest, NULL);
	}
	stretches_end(&t.s);
	free(t.shortest);
	sequence_clear(&recorded);
	sequence_clear(&root);
	return turned;
}
