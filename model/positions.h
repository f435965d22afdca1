/*
 * positions.h -- where in the streams of its processes each construct of a model stands.
 *
 *	struct positions *p = positions_new(m, &error);
 *	const struct position_run *run = positions_starts(p, body, index, &runs);
 *	struct polynomial at = {0};
 *	positions_polynomial(p, &path, POSITION_START, rank, &at, &error);
 *	positions_free(p);
 *
 * Relative to the body that encloses it, a construct starts at the same number of events in every iteration, one number per process; so its
 * position in the stream is a polynomial in the indices of the enclosing loops (the paper, section V). Computed once, it borrows the
 * model, which must not change. O(the sum over constructs of the processes they cover), as runs of ranks with equal numbers.
 */
#ifndef TRACENEST_MODEL_POSITIONS_H
#define TRACENEST_MODEL_POSITIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/output.h"
#include "model/nest.h"
#include "model/polynomial.h"

struct model;
struct positions;

/* Ranks first to last share a number. */
struct position_run {
	uint32_t first, last;
	uint64_t value;
};

/* Instead of a loop: the body that is the whole model. */
#define POSITIONS_ROOT UINT32_MAX

/* NULL with *error set where a number is beyond 64 bits. */
struct positions *positions_new(const struct model *, struct error *);
void positions_free(struct positions *);

/*
 * Where construct `index` of this body starts in each process that it covers, counted from the start of the body's iteration; and what one
 * iteration of the body holds. In the order of ranks, borrowed; none where nothing is ever executed (loops of no iterations).
 */
const struct position_run *positions_starts(const struct positions *, node body, size_t index, size_t *runs);
const struct position_run *positions_lengths(const struct positions *, node body, size_t *runs);

/* The number for one rank among such runs; false if the rank is in none. O(log runs). */
bool position_find(const struct position_run *, size_t runs, uint32_t rank, uint64_t *value);

/* ------------------------------------------------------------------ constructs by their address */

/* The way to a construct: step[d] is its index in the body at depth d, body[d] the loop of that body (body[0]: POSITIONS_ROOT). */
struct position_path {
	size_t depth; /* loops around the construct */
	node body[NEST_DEPTH_LIMIT + 1];
	size_t step[NEST_DEPTH_LIMIT + 1];
	node found; /* the construct itself */
};

/* The path of an address ("2.0.1"): false, with the error set, where there is no such construct. */
bool positions_path(const struct model *, const char *address, struct position_path *, struct error *);

enum position_end {
	POSITION_START, /* of the construct: its first event */
	POSITION_END, /* behind it: the event after its last one */
	POSITION_ITERATION, /* of an iteration of the loop: its first event; index `depth` counts the iterations */
	POSITION_ITERATION_END,
};

/*
 * Events of this process before it gets there, as a polynomial in the indices of the enclosing loops, outermost first. False with the error set where
 * the process has no part in the construct, or where 64 bits do not suffice.
 */
bool positions_polynomial(const struct positions *, const struct position_path *, enum position_end, uint32_t rank,
	struct polynomial *, struct error *);

/* ------------------------------------------------------------------ the text of a model with its positions */

/*
 * As model_print, with comments as in the paper's Figure 8: "// @{0=671,1=999}" behind a construct, its start in each process relative to the body
 * around it; and "// #{0=644}" below a `for`, the events of one iteration. Ranks in a row with the same number stand as one run: "0-3=671".
 */
void model_print_positions(const struct model *, const struct positions *, struct output *);

/* The comments' words: "0-3=671,8=5". */
void position_runs_print(const struct position_run *, size_t runs, struct text *);

#endif
