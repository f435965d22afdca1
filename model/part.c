/*
 * part.c -- a part of a model as a model of its own: one construct, or what one process executes.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/nest_coverage.h"
#include "model/model.h"

static struct body root_of(const struct model *m)
{
	return (struct body){m->nest->root, m->nest->root_length};
}

/* Where in an address we are, for messages: what stands before `at`. */
static bool no_construct(struct error *error, const char *address, const char *at, uint64_t index, struct body body)
{
	int before = at > address ? (int)(at - address - 1) : 0;
	const char *where = before ? address : "the model";
	before = before ? before : (int)strlen(where);
	if (!body.length)
		return error_set(error, ERROR_INPUT, "no construct at %s: %.*s has no constructs", address, before, where);
	return error_set(error, ERROR_INPUT, "no construct at %s: the constructs of %.*s are numbered 0 to %zu, not %llu", address,
		before, where, body.length - 1, (unsigned long long)index);
}

bool model_find(const struct model *m, const char *address, node *found, struct error *error)
{
	struct body body = root_of(m);
	for (const char *at = address;; at++) {
		const char *start = at;
		uint64_t index;
		if (!text_read_number(&at, UINT64_MAX, &index) || (*at && *at != '.'))
			return error_set(
				error, ERROR_INPUT, "'%s' is not an address: numbers separated by dots, as in 2.0.1", address);
		if (index >= body.length)
			return no_construct(error, address, start, index, body);
		*found = body.node[index];
		if (!*at)
			return true;
		if (!node_is_loop(*found))
			return error_set(error, ERROR_INPUT, "no construct at %s: %.*s is an event, not a loop", address,
				(int)(at - address), address);
		body = nest_body(m->nest, *found);
	}
}

struct model *model_part(const struct model *m, node n)
{
	struct model *part = model_new();
	part->processes = m->processes;
	uint32_t *events = dictionary_import(part->dictionary, m->dictionary, false);
	node *memo = mem_array(m->nest->loops, sizeof *memo);
	memset(memo, 0xff, m->nest->loops * sizeof *memo);
	nest_append(part->nest, nest_import(part->nest, m->nest, n, events, memo));
	free(memo);
	free(events);
	return part;
}

/* ------------------------------------------------------------------ one process */

struct selection {
	const struct model *from;
	struct model *to;
	const struct nest_coverage *coverage; /* by the one rank */
	uint32_t rank;
	uint32_t *events; /* ids of `from` in to->dictionary */
	node *loops; /* of `from` in to->nest, where the rank executes them */
	node *chosen; /* a body at a time */
	size_t capacity;
};

static node selected(const struct selection *s, node n)
{
	return node_is_loop(n) ? s->loops[n & ~NODE_LOOP] : event_as(s->to->dictionary, s->events[n], s->rank);
}

/* Put what the rank executes of a body into s->chosen. */
static size_t select_body(struct selection *s, struct body body)
{
	size_t length = 0;
	for (size_t i = 0; i < body.length; i++) {
		if (nest_coverage_of(s->coverage, body.node[i]) == NEST_COVERAGE_NONE)
			continue;
		s->chosen = mem_grow(s->chosen, &s->capacity, length + 1, sizeof *s->chosen);
		s->chosen[length++] = selected(s, body.node[i]);
	}
	return length;
}

static void select_all(struct selection *s)
{
	const struct nest *from = s->from->nest;
	for (size_t i = 0; i < from->loops; i++) {
		node loop = (node)i | NODE_LOOP;
		if (nest_coverage_of(s->coverage, loop) == NEST_COVERAGE_NONE)
			continue;
		size_t length = select_body(s, nest_body(from, loop));
		s->loops[i] = nest_loop(s->to->nest, from->loop[i].count, s->chosen, length);
	}
	size_t length = select_body(s, root_of(s->from));
	for (size_t i = 0; i < length; i++)
		nest_append(s->to->nest, s->chosen[i]);
}

struct model *model_of_rank(const struct model *m, uint32_t rank)
{
	struct ranks wanted = {0};
	ranks_add(&wanted, rank);
	struct nest_coverage *coverage = nest_coverage_new(m, &wanted);
	struct model *to = model_new();
	to->processes = m->processes;

	struct selection s = {.from = m, .to = to, .coverage = coverage, .rank = rank};
	s.events = dictionary_import(to->dictionary, m->dictionary, false);
	s.loops = mem_array(m->nest->loops, sizeof *s.loops);
	select_all(&s);

	free(s.events);
	free(s.loops);
	free(s.chosen);
	nest_coverage_free(coverage);
	ranks_clear(&wanted);
	return to;
}
