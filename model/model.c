/*
 * model.c -- a dictionary, a nest over its events, and remarks.
 */
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct model *model_new(void)
{
	struct model *m = mem_zero(sizeof *m);
	m->dictionary = dictionary_new();
	m->nest = nest_new();
	return m;
}

void model_free(struct model *m)
{
	if (!m)
		return;
	dictionary_free(m->dictionary);
	nest_free(m->nest);
	notes_clear(&m->notes);
	free(m);
}

/* Both roots one behind the other in one nest, with one dictionary: there equal nodes have equal
   ids. */
static bool equal_listings(const struct model *a, const struct model *b)
{
	struct dictionary *dictionary = dictionary_new();
	struct nest *nest = nest_new();
	uint32_t *left = dictionary_import(dictionary, a->dictionary, false),
		 *right = dictionary_import(dictionary, b->dictionary, false);
	nest_append_all(nest, a->nest, left);
	nest_append_all(nest, b->nest, right);
	size_t length = a->nest->root_length;
	bool equal = !length || !memcmp(nest->root, nest->root + length, length * sizeof *nest->root);
	free(left);
	free(right);
	nest_free(nest);
	dictionary_free(dictionary);
	return equal;
}

bool model_equal(const struct model *a, const struct model *b)
{
	return a->processes == b->processes && a->nest->root_length == b->nest->root_length &&
	       notes_equal(&a->notes, &b->notes) && equal_listings(a, b);
}

/* Events of a body for all its processes, given those of the loops (in all their iterations). */
static uint64_t body_events(const struct model *m, struct body body, const uint64_t *of_loop)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < body.length; i++) {
		struct ranks_run single;
		uint64_t events;
		if (node_is_loop(body.node[i])) {
			events = of_loop[body.node[i] & ~NODE_LOOP];
		} else {
			struct ranks processes = event_processes(m->dictionary, body.node[i], &single);
			events = ranks_count(&processes);
		}
		if (__builtin_add_overflow(sum, events, &sum))
			return UINT64_MAX;
	}
	return sum;
}

uint64_t model_events(const struct model *m)
{
	const struct nest *n = m->nest;
	uint64_t *of_loop = mem_array(n->loops, sizeof *of_loop);
	for (size_t i = 0; i < n->loops; i++) {
		uint64_t once = body_events(m, nest_body(n, (node)i | NODE_LOOP), of_loop);
		if (__builtin_mul_overflow(once, n->loop[i].count, &of_loop[i]))
			of_loop[i] = UINT64_MAX;
	}
	uint64_t total = body_events(m, (struct body){n->root, n->root_length}, of_loop);
	free(of_loop);
	return total;
}
