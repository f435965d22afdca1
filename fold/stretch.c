/*
 * stretch.c -- cutting and comparing as records, whatever the loops.
 */
#include "fold/stretch.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* ------------------------------------------------------------------ sequences */

void sequence_add(struct sequence *s, node n)
{
	s->node = mem_grow(s->node, &s->capacity, s->length + 1, sizeof *s->node);
	s->node[s->length++] = n;
}

void sequence_add_all(struct sequence *s, const node *n, size_t length)
{
	for (size_t i = 0; i < length; i++)
		sequence_add(s, n[i]);
}

void sequence_add_reversed(struct sequence *s, const struct sequence *from)
{
	for (size_t i = from->length; i > 0; i--)
		sequence_add(s, from->node[i - 1]);
}

bool sequence_equal(const struct sequence *a, const struct sequence *b)
{
	return a->length == b->length && (!a->length || !memcmp(a->node, b->node, a->length * sizeof *a->node));
}

void sequence_clear(struct sequence *s)
{
	free(s->node);
	*s = (struct sequence){0};
}

/* ------------------------------------------------------------------ nests that grow */

void stretches_start(struct stretches *t, unsigned repetitions)
{
	*t = (struct stretches){.nest = nest_new(), .repetitions = repetitions};
	t->digests.nest = t->nest;
}

void stretches_end(struct stretches *t)
{
	digests_clear(&t->digests);
	nest_free(t->nest);
}

uint64_t stretch_constructs(const struct stretches *t, const struct sequence *s)
{
	return nest_constructs(t->nest, s->node, s->length);
}

/* A copy: making loops may move the bodies. */
void stretch_add_body(const struct stretches *t, node loop, struct sequence *s)
{
	struct body body = nest_body(t->nest, loop);
	sequence_add_all(s, body.node, body.length);
}

size_t sequence_period(const struct sequence *s)
{
	for (size_t period = 1; 2 * period <= s->length; period++)
		if (s->length % period == 0 &&
			!memcmp(s->node, s->node + period, (s->length - period) * sizeof *s->node))
			return period;
	return s->length;
}

void stretch_add_loop(struct stretches *t, uint64_t count, const struct sequence *body, struct sequence *to)
{
	size_t period = sequence_period(body);
	if (count < 3 && count < t->repetitions) {
		for (uint64_t k = 0; k < count; k++)
			sequence_add_all(to, body->node, body->length);
		return;
	}
	count *= period ? body->length / period : 1;
	if (period == 1 && node_is_loop(body->node[0])) {
		struct body inner = nest_body(t->nest, body->node[0]);
		count *= nest_get(t->nest, body->node[0])->count;
		sequence_add(to, nest_loop(t->nest, count, inner.node, inner.length));
	} else {
		sequence_add(to, nest_loop(t->nest, count, body->node, period));
	}
}

/* ------------------------------------------------------------------ cutting */

static void cut_body(struct stretches *t, node loop, uint64_t records, struct sequence *a, struct sequence *b);

/* The first records of a node go to a, the others to b. */
static void cut(struct stretches *t, node n, uint64_t records, struct sequence *a, struct sequence *b)
{
	if (!records || records == nest_events(t->nest, n)) {
		sequence_add(records ? a : b, n);
		return;
	}
	uint64_t count = nest_get(t->nest, n)->count, period = digests_period(&t->digests, n);
	uint64_t whole = records / period, rest = records % period;
	struct sequence body = {0};
	stretch_add_body(t, n, &body);
	stretch_add_loop(t, whole, &body, a);
	if (rest)
		cut_body(t, n, rest, a, b);
	stretch_add_loop(t, count - whole - (rest > 0), &body, b);
	sequence_clear(&body);
}

void stretch_cut(
	struct stretches *t, const struct sequence *s, uint64_t records, struct sequence *a, struct sequence *b)
{
	for (size_t i = 0; i < s->length; i++) {
		uint64_t size = nest_events(t->nest, s->node[i]), here = records < size ? records : size;
		cut(t, s->node[i], here, a, b);
		records -= here;
	}
}

/* Of one iteration. */
static void cut_body(struct stretches *t, node loop, uint64_t records, struct sequence *a, struct sequence *b)
{
	struct sequence body = {0};
	stretch_add_body(t, loop, &body);
	stretch_cut(t, &body, records, a, b);
	sequence_clear(&body);
}

void stretch_rotate(struct stretches *t, node loop, uint64_t records, struct sequence *to)
{
	struct sequence front = {0};
	cut_body(t, loop, records, &front, to);
	sequence_add_all(to, front.node, front.length);
	sequence_clear(&front);
}

void stretch_drop_last(struct stretches *t, struct sequence *before, uint64_t records)
{
	struct sequence dropped = {0};
	while (records) {
		node top = before->node[--before->length];
		uint64_t size = nest_events(t->nest, top), here = records < size ? records : size;
		if (here < size)
			cut(t, top, size - here, before, &dropped);
		records -= here;
	}
	sequence_clear(&dropped);
}

void stretch_drop_first(struct stretches *t, struct sequence *behind, uint64_t records)
{
	struct sequence dropped = {0}, kept = {0};
	while (records) {
		node top = behind->node[--behind->length];
		uint64_t size = nest_events(t->nest, top), here = records < size ? records : size;
		if (here < size)
			cut(t, top, here, &dropped, &kept);
		records -= here;
	}
	sequence_add_reversed(behind, &kept);
	sequence_clear(&dropped);
	sequence_clear(&kept);
}

/* ------------------------------------------------------------------ how far a loop goes on */

/* Records that follow `passed` others behind the loop, or stand before them. */
static bool continues(struct stretches *t, node loop, bool back, uint64_t passed, const struct digest *what)
{
	uint64_t period = digests_period(&t->digests, loop), from = passed % period;
	if (back)
		from = (2 * period - from - what->length % period) % period;
	struct digest part = digests_part(&t->digests, loop, from, what->length);
	return digest_same(&part, what);
}

/* Iterations of another loop that do so. */
static uint64_t iterations_matched(struct stretches *t, node loop, bool back, uint64_t passed, node other)
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

uint64_t stretch_matched(struct stretches *t, node loop, bool back, uint64_t passed, node n)
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
		uint64_t here = stretch_matched(t, loop, back, passed + matched, item);
		matched += here;
		if (here < nest_events(t->nest, item))
			break;
	}
	return matched;
}

uint64_t stretch_matched_all(struct stretches *t, node loop, bool back, const struct sequence *stack)
{
	uint64_t matched = 0;
	for (size_t i = stack->length; i > 0; i--) {
		uint64_t here = stretch_matched(t, loop, back, matched, stack->node[i - 1]);
		matched += here;
		if (here < nest_events(t->nest, stack->node[i - 1]))
			break;
	}
	return matched;
}
