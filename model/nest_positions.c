/*
 * nest_positions.c -- bodies bottom up: loops stand in the nest after all that they hold, and equal loops are one.
 *
 * In each body a counter per process runs over the constructs; before a construct is counted, the counters of its processes are its start. What
 * the counters say at the end is the length of an iteration, which the bodies further out need. Only processes that the body covers
 * are ever touched.
 */
#include "model/nest_positions.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/nest_coverage.h"
#include "model/model.h"

/* Runs of one construct or body: a stretch of p->run. */
struct stretch {
	size_t first, runs;
};

struct placed_body {
	size_t first; /* of its constructs in p->start; one more would be the next body's */
	struct stretch length; /* of an iteration */
};

struct nest_positions {
	const struct model *model;
	struct nest_coverage *coverage;
	struct placed_body *body; /* per loop, at the end the root's */
	struct stretch *start;
	size_t starts;
	struct nest_position_run *run;
	size_t runs, capacity;
};

static size_t number_of(const struct nest_positions *p, node body)
{
	return body == NEST_POSITIONS_ROOT ? p->model->nest->loops : body & ~NODE_LOOP;
}

static struct body nodes_of(const struct nest_positions *p, node body)
{
	const struct nest *n = p->model->nest;
	return body == NEST_POSITIONS_ROOT ? (struct body){n->root, n->root_length} : nest_body(n, body);
}

/* ------------------------------------------------------------------ counting */

static void add_run(struct nest_positions *p, struct stretch *s, uint32_t first, uint32_t last, uint64_t value)
{
	struct nest_position_run *before = s->runs ? &p->run[p->runs - 1] : NULL;
	if (before && before->last + 1 == first && before->value == value) {
		before->last = last;
		return;
	}
	p->run = mem_grow(p->run, &p->capacity, p->runs + 1, sizeof *p->run);
	p->run[p->runs++] = (struct nest_position_run){first, last, value};
	s->runs++;
}

/* What the counters say of these ranks, as runs. */
static struct stretch note_counters(struct nest_positions *p, const struct ranks *ranks, const uint64_t *counter)
{
	struct stretch s = {.first = p->runs};
	struct ranks_walk walk = {0};
	for (uint32_t rank; ranks_next(ranks, &walk, &rank);)
		add_run(p, &s, rank, rank, counter[rank]);
	return s;
}

static bool advance_event(const struct ranks *ranks, uint64_t *counter)
{
	struct ranks_walk walk = {0};
	for (uint32_t rank; ranks_next(ranks, &walk, &rank);)
		if (++counter[rank] > INT64_MAX)
			return false;
	return true;
}

static bool advance_loop(const struct nest_positions *p, node loop, uint64_t *counter)
{
	uint64_t count = nest_get(p->model->nest, loop)->count;
	struct stretch length = p->body[number_of(p, loop)].length;
	for (const struct nest_position_run *run = p->run + length.first; length.runs--; run++) {
		uint64_t events;
		if (__builtin_mul_overflow(run->value, count, &events))
			return false;
		for (uint32_t rank = run->first; rank <= run->last; rank++)
			if (__builtin_add_overflow(counter[rank], events, &counter[rank]) || counter[rank] > INT64_MAX)
				return false;
	}
	return true;
}

static void reset_counters(const struct ranks *ranks, uint64_t *counter)
{
	for (size_t i = 0; i < ranks->length; i++)
		memset(counter + ranks->run[i].first, 0, (ranks->run[i].last - ranks->run[i].first + (size_t)1) * sizeof *counter);
}

/* covered: by the body, that is by any of its constructs. */
static bool place_body(struct nest_positions *p, node body, uint32_t covered, uint64_t *counter)
{
	struct body nodes = nodes_of(p, body);
	struct placed_body *placed = &p->body[number_of(p, body)];
	placed->first = p->starts;
	p->starts += nodes.length;
	memset(p->start + placed->first, 0, nodes.length * sizeof *p->start);
	if (covered == NEST_COVERAGE_NONE)
		return true;
	reset_counters(nest_coverage_ranks(p->coverage, covered), counter);
	for (size_t i = 0; i < nodes.length; i++) {
		const struct ranks *ranks = nest_coverage_ranks(p->coverage, nest_coverage_of(p->coverage, nodes.node[i]));
		p->start[placed->first + i] = note_counters(p, ranks, counter);
		bool good = node_is_loop(nodes.node[i]) ? advance_loop(p, nodes.node[i], counter) : advance_event(ranks, counter);
		if (!good)
			return false;
	}
	placed->length = note_counters(p, nest_coverage_ranks(p->coverage, covered), counter);
	return true;
}

static bool place_all(struct nest_positions *p)
{
	const struct nest *n = p->model->nest;
	uint64_t *counter = mem_array(p->model->processes, sizeof *counter);
	bool good = true;
	for (size_t i = 0; i < n->loops && good; i++)
		good = place_body(p, (node)i | NODE_LOOP, nest_coverage_of(p->coverage, (node)i | NODE_LOOP), counter);
	good = good && place_body(p, NEST_POSITIONS_ROOT, nest_coverage_of_root(p->coverage), counter);
	free(counter);
	return good;
}

struct nest_positions *nest_positions_new(const struct model *m, struct error *error)
{
	const struct nest *n = m->nest;
	struct nest_positions *p = mem_zero(sizeof *p);
	p->model = m;
	p->coverage = nest_coverage_new(m, NULL);
	p->body = mem_zero((n->loops + 1) * sizeof *p->body);
	size_t constructs = n->root_length;
	for (size_t i = 0; i < n->loops; i++)
		constructs += n->loop[i].length;
	p->start = mem_array(constructs, sizeof *p->start);
	if (place_all(p))
		return p;
	error_set(error, ERROR_INPUT, "some process has 2^63 events or more: there are no positions");
	nest_positions_free(p);
	return NULL;
}

void nest_positions_free(struct nest_positions *p)
{
	if (!p)
		return;
	nest_coverage_free(p->coverage);
	free(p->body);
	free(p->start);
	free(p->run);
	free(p);
}

/* ------------------------------------------------------------------ asking */

static const struct nest_position_run *stretch_runs(const struct nest_positions *p, struct stretch s, size_t *runs)
{
	*runs = s.runs;
	return p->run + s.first;
}

const struct nest_position_run *nest_positions_starts(const struct nest_positions *p, node body, size_t index, size_t *runs)
{
	return stretch_runs(p, p->start[p->body[number_of(p, body)].first + index], runs);
}

const struct nest_position_run *nest_positions_lengths(const struct nest_positions *p, node body, size_t *runs)
{
	return stretch_runs(p, p->body[number_of(p, body)].length, runs);
}

bool nest_position_find(const struct nest_position_run *run, size_t runs, uint32_t rank, uint64_t *value)
{
	while (runs) {
		size_t middle = runs / 2;
		if (rank < run[middle].first) {
			runs = middle;
		} else if (rank > run[middle].last) {
			run += middle + 1;
			runs -= middle + 1;
		} else {
			*value = run[middle].value;
			return true;
		}
	}
	return false;
}

bool nest_positions_path(const struct model *m, const char *address, struct nest_position_path *path, struct error *error)
{
	if (!model_find(m, address, &path->found, error))
		return false;
	node body = NEST_POSITIONS_ROOT;
	path->depth = 0;
	for (const char *at = address;; at++) {
		uint64_t index = 0;
		text_read_number(&at, UINT64_MAX, &index);
		path->body[path->depth] = body;
		path->step[path->depth] = (size_t)index;
		if (!*at)
			return true;
		body = body == NEST_POSITIONS_ROOT ? m->nest->root[index] : nest_body(m->nest, body).node[index];
		path->depth++;
	}
}

static bool length_of(const struct nest_positions *p, node loop, uint32_t rank, uint64_t *length)
{
	size_t runs;
	const struct nest_position_run *run = nest_positions_lengths(p, loop, &runs);
	return nest_position_find(run, runs, rank, length);
}

/* The starts of the constructs on the way, and the iterations of the loops around. False: the process has no part. */
static bool add_way(const struct nest_positions *p, const struct nest_position_path *path, uint32_t rank, struct polynomial *sum)
{
	for (size_t d = 0; d <= path->depth; d++) {
		size_t runs;
		uint64_t start, length;
		const struct nest_position_run *run = nest_positions_starts(p, path->body[d], path->step[d], &runs);
		if (!nest_position_find(run, runs, rank, &start))
			return false;
		polynomial_add(sum, (int64_t)start, NULL, 0);
		if (d == path->depth)
			return true;
		if (!length_of(p, path->body[d + 1], rank, &length))
			return false;
		polynomial_add(sum, (int64_t)length, &(uint16_t){(uint16_t)d}, 1);
	}
	return true;
}

static bool add_rest(
	const struct nest_positions *p, const struct nest_position_path *path, enum nest_position_end end, uint32_t rank, struct polynomial *sum)
{
	uint64_t length = 1, count = 1;
	if (end == NEST_POSITION_START)
		return true;
	if (node_is_loop(path->found)) {
		count = nest_get(p->model->nest, path->found)->count;
		if (!length_of(p, path->found, rank, &length))
			return false;
	}
	if (end == NEST_POSITION_END) { /* not beyond 64 bits: the body around was counted */
		polynomial_add(sum, (int64_t)(count * length), NULL, 0);
		return true;
	}
	assert(node_is_loop(path->found));
	polynomial_add(sum, (int64_t)length, &(uint16_t){(uint16_t)path->depth}, 1);
	if (end == NEST_POSITION_ITERATION_END)
		polynomial_add(sum, (int64_t)length, NULL, 0);
	return true;
}

bool nest_positions_polynomial(const struct nest_positions *p, const struct nest_position_path *path, enum nest_position_end end, uint32_t rank,
	struct polynomial *result, struct error *error)
{
	polynomial_clear(result);
	bool covered = add_way(p, path, rank, result) && add_rest(p, path, end, rank, result);
	if (covered && !result->unknown)
		return true;
	polynomial_clear(result);
	if (!covered)
		return error_set(error, ERROR_INPUT, "process %" PRIu32 " has no part in the construct", rank);
	return error_set(error, ERROR_INPUT, "a position in process %" PRIu32 " is beyond 64 bits", rank);
}
