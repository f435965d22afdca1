/*
 * nest_positions.h -- where in the streams of its processes each construct of a model stands.
 *
 *	struct nest_positions *p = nest_positions_new(m, &error);
 *	const struct nest_position_run *run = nest_positions_starts(p, body, index, &runs);
 *	struct polynomial at = {0};
 *	nest_positions_polynomial(p, &path, NEST_POSITION_START, rank, &at, &error);
 *	nest_positions_free(p);
 *
 * Relative to the body that encloses it, a construct starts at the same number of events in every iteration, one number per process; so its
 * position in the stream is a polynomial in the indices of the enclosing loops (the paper, section V). Computed once, it borrows the
 * model, which must not change. O(the sum over constructs of the processes they cover), as runs of ranks with equal numbers.
 */
#ifndef TRACENEST_MODEL_NEST_POSITIONS_H
#define TRACENEST_MODEL_NEST_POSITIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/output.h"
#include "model/nest.h"
#include "base/polynomial.h"

struct model;
struct nest_positions;

/* Ranks first to last share a number. */
struct nest_position_run {
	uint32_t first, last;
	uint64_t value;
};

/* Instead of a loop: the body that is the whole model. */
#define NEST_POSITIONS_ROOT UINT32_MAX

/* NULL with *error set where a number is beyond 64 bits. */
struct nest_positions *nest_positions_new(const struct model *, struct error *);
void nest_positions_free(struct nest_positions *);

/*
 * Where construct `index` of this body starts in each process that it covers, counted from the start of the body's iteration; and what one
 * iteration of the body holds. In the order of ranks, borrowed; none where nothing is ever executed (loops of no iterations).
 */
const struct nest_position_run *nest_positions_starts(const struct nest_positions *, node body, size_t index, size_t *runs);
const struct nest_position_run *nest_positions_lengths(const struct nest_positions *, node body, size_t *runs);

/* The number for one rank among such runs; false if the rank is in none. O(log runs). */
bool nest_position_find(const struct nest_position_run *, size_t runs, uint32_t rank, uint64_t *value);

/* ------------------------------------------------------------------ constructs by their address */

/* The way to a construct: step[d] is its index in the body at depth d, body[d] the loop of that body (body[0]: NEST_POSITIONS_ROOT). */
struct nest_position_path {
	size_t depth; /* loops around the construct */
	node body[NEST_DEPTH_LIMIT + 1];
	size_t step[NEST_DEPTH_LIMIT + 1];
	node found; /* the construct itself */
};

/* The path of an address ("2.0.1"): false, with the error set, where there is no such construct. */
bool nest_positions_path(const struct model *, const char *address, struct nest_position_path *, struct error *);

enum nest_position_end {
	NEST_POSITION_START, /* of the construct: its first event */
	NEST_POSITION_END, /* behind it: the event after its last one */
	NEST_POSITION_ITERATION, /* of an iteration of the loop: its first event; index `depth` counts the iterations */
	NEST_POSITION_ITERATION_END,
};

/*
 * Events of this process before it gets there, as a polynomial in the indices of the enclosing loops, outermost first. False with the error set where
 * the process has no part in the construct, or where 64 bits do not suffice.
 */
bool nest_positions_polynomial(const struct nest_positions *, const struct nest_position_path *, enum nest_position_end, uint32_t rank,
	struct polynomial *, struct error *);

#endif
