/*
 * agree.c -- count for every phase (the digest of a body) the loops that could have it, then let
 * each loop choose.
 */
#include "fold/agree.h"

#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"

struct phase {
	size_t loops; /* that could have it */
	node loop; /* one that has it; NODE_UNKNOWN: none */
};

struct agreement {
	struct stretches *s;
	struct intern *phases; /* digests of bodies */
	struct phase *phase;
	size_t capacity;
	size_t loops; /* of the nest, to begin with */
	bool *counted; /* by loop: its body */
	node *agreed; /* by loop: what it becomes; NODE_UNKNOWN */
};

static struct phase *phase_of(struct agreement *a, const struct digest *body)
{
	uint32_t id = intern_id(a->phases, body->value, sizeof body->value);
	size_t known = a->capacity;
	a->phase = mem_grow(a->phase, &a->capacity, (size_t)id + 1, sizeof *a->phase);
	if (a->capacity > known)
		memset(a->phase + known, 0, (a->capacity - known) * sizeof *a->phase);
	return &a->phase[id];
}

/* Go back from a loop by one node of the `length` before it, `*records` behind which are passed:
   where is it if the loop begins there? NULL: it cannot. */
static struct phase *earlier(struct agreement *a, node loop, const struct sequence *s, size_t length, uint64_t *records)
{
	uint64_t period = digests_period(&a->s->digests, loop);
	if (!length)
		return NULL;
	node n = s->node[length - 1];
	uint64_t size = nest_events(a->s->nest, n);
	if (size >= period - *records || stretch_matched(a->s, loop, true, *records, n) < size)
		return NULL;
	*records += size;
	struct digest body = digests_part(&a->s->digests, loop, period - *records, period);
	return phase_of(a, &body);
}

/* ------------------------------------------------------------------ counting */

static void count(struct agreement *a, const struct sequence *s)
{
	for (size_t i = 0; i < s->length; i++) {
		node loop = s->node[i];
		if (!node_is_loop(loop))
			continue;
		struct digest body = digests_body(&a->s->digests, loop);
		struct phase *phase = phase_of(a, &body);
		phase->loop = phase->loop == NODE_UNKNOWN ? loop : phase->loop;
		uint64_t records = 0;
		for (size_t length = i; phase; phase = earlier(a, loop, s, length--, &records))
			phase->loops++;
		if (a->counted[loop & ~NODE_LOOP])
			continue;
		a->counted[loop & ~NODE_LOOP] = true;
		struct sequence inside = {0};
		stretch_add_body(a->s, loop, &inside);
		count(a, &inside);
		sequence_clear(&inside);
	}
}

/* ------------------------------------------------------------------ choosing */

static node agreed(struct agreement *, node loop);

/* The loop as it begins so many records earlier. */
static node begun_earlier(struct agreement *a, node loop, const struct phase *phase, uint64_t records)
{
	struct sequence body = {0}, whole = {0};
	if (phase->loop != NODE_UNKNOWN)
		stretch_add_body(a->s, agreed(a, phase->loop), &body);
	else
		stretch_rotate(a->s, loop, digests_period(&a->s->digests, loop) - records, &body);
	stretch_add_loop(a->s, nest_get(a->s->nest, loop)->count, &body, &whole);
	node result = whole.length == 1 ? whole.node[0] : loop;
	sequence_clear(&body);
	sequence_clear(&whole);
	return result;
}

/* Put a loop behind the others; what it gives up goes behind it. */
static void choose(struct agreement *a, node loop, struct sequence *to)
{
	struct digest body = digests_body(&a->s->digests, loop);
	struct phase best = *phase_of(a, &body);
	uint64_t records = 0, best_records = 0;
	size_t length = to->length, best_length = length;
	for (struct phase *phase; (phase = earlier(a, loop, to, length, &records));) {
		length--;
		if (phase->loops <= best.loops)
			continue;
		best = *phase;
		best_records = records;
		best_length = length;
	}
	node begun = best_records ? begun_earlier(a, loop, &best, best_records) : loop;
	if (nest_get(a->s->nest, begun)->constructs > nest_get(a->s->nest, loop)->constructs || begun == loop) {
		sequence_add(to, loop);
		return;
	}
	size_t moved = to->length - best_length;
	sequence_add(to, begun);
	memmove(to->node + best_length + 1, to->node + best_length, moved * sizeof *to->node);
	to->node[best_length] = begun;
}

static void choose_all(struct agreement *a, struct sequence *s)
{
	struct sequence chosen = {0};
	for (size_t i = 0; i < s->length; i++) {
		if (node_is_loop(s->node[i]))
			choose(a, agreed(a, s->node[i]), &chosen);
		else
			sequence_add(&chosen, s->node[i]);
	}
	sequence_clear(s);
	*s = chosen;
}

/* Its body chosen; loops that were made meanwhile are as they shall be. */
static node agreed(struct agreement *a, node loop)
{
	if ((loop & ~NODE_LOOP) >= a->loops)
		return loop;
	if (a->agreed[loop & ~NODE_LOOP] != NODE_UNKNOWN)
		return a->agreed[loop & ~NODE_LOOP];
	struct sequence body = {0};
	stretch_add_body(a->s, loop, &body);
	choose_all(a, &body);
	node result = nest_loop(a->s->nest, nest_get(a->s->nest, loop)->count, body.node, body.length);
	a->agreed[loop & ~NODE_LOOP] = result;
	sequence_clear(&body);
	return result;
}

void phases_agree(struct stretches *s, struct sequence *sequence)
{
	struct agreement a = {.s = s, .phases = intern_new(), .loops = s->nest->loops};
	a.counted = mem_zero(a.loops * sizeof *a.counted);
	a.agreed = mem_zero(a.loops * sizeof *a.agreed);
	count(&a, sequence);
	choose_all(&a, sequence);
	intern_free(a.phases);
	free(a.phase);
	free(a.counted);
	free(a.agreed);
}
