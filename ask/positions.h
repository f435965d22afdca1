/*
 * positions.h -- where the statements of a program stand in the streams of the processes that
 * execute them.
 *
 *	struct positions *p = positions_new(program);
 *	struct position_places places = {0};
 *	positions_places(p, statement, POSITION_START, NULL, &places);	-- {0-3}: 671+644*i0, {4}: 12+3*i0+i0*i0
 *	position_places_clear(&places);
 *	positions_free(p);
 *
 * A position is the number of events that the process has had before: a polynomial in the indices
 * of the loops around (the paper, section V; here for bounds that are affine, too), and in what
 * guards, tables and other counts come to (terms.h). It is not known (base/polynomial.h) where 64
 * bits do not suffice.
 *
 * The processes that execute the same statements of a body, equally often, are one role of that
 * body. O(statements + the sum over statements of the roles that execute them, and of the runs of
 * ranks that these are), never of the processes. Borrows the program, which must not change.
 */
#ifndef TRACENEST_ASK_POSITIONS_H
#define TRACENEST_ASK_POSITIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ask/terms.h"
#include "base/polynomial.h"
#include "base/ranks.h"
#include "model/program.h"

struct positions;

struct positions *positions_new(const struct program *);
void positions_free(struct positions *);

/* The events of a process, of which it has had so many at the end of its stream. UINT64_MAX: that
   many or more. O(log roles). */
uint64_t positions_stream(const struct positions *, uint32_t rank);

/* Who has events at all; in a statement. to: initialized, replaced. O(runs). */
void positions_all(const struct positions *, struct ranks *to);
void positions_ranks(const struct positions *, size_t statement, struct ranks *to);

/* The loop around a statement, or: */
#define POSITIONS_PROGRAM SIZE_MAX
size_t positions_around(const struct positions *, size_t statement);

/* The iterations of a loop, in the indices of the loops around. count: initialized, replaced. */
void positions_count(const struct positions *, size_t loop, struct polynomial *count);

/*
 * What a polynomial of positions or counts is for this process, in these iterations of so many
 * loops around; false: not known. In O(log) of the tables in it, but for what terms.h says. As
 * text, where it is of a statement in the body of this loop (or POSITIONS_PROGRAM). For any thread.
 */
bool positions_value(const struct positions *, const struct polynomial *, uint32_t rank, const int64_t *index,
	size_t depth, uint64_t *value);
void positions_print_polynomial(const struct positions *, const struct polynomial *, size_t loop, struct text *);

/* For those who write them as code: the terms; which loops around a statement in that body are
   guards (terms.h). */
const struct terms *positions_terms(const struct positions *);
uint64_t positions_guards(const struct positions *, size_t loop);

/* ------------------------------------------------------------------ in the stream */

enum position_end {
	POSITION_START, /* of the statement: its first event */
	POSITION_END, /* behind it: the event after its last one */
	/* of an iteration of the loop: its first event; the index behind those around counts the
	   iterations */
	POSITION_ITERATION,
	POSITION_ITERATION_END,
};

/* The same position on all these processes. */
struct position_place {
	struct ranks ranks;
	struct polynomial position;
};

/* Starts as {0}. */
struct position_places {
	struct position_place *place;
	size_t length, capacity;
};
void position_places_clear(struct position_places *);

/*
 * The positions of a statement, of each set of processes that share one, by their lowest ranks.
 * who: those of these processes that have a part in it; NULL: all. O(depth * log of the text) for
 * each run of ranks.
 */
void positions_places(const struct positions *, size_t statement, enum position_end, const struct ranks *who,
	struct position_places *);

/* ------------------------------------------------------------------ in the iteration around */

/* The program's text with these as remarks (the paper's Figure 8): "// @{0=671,1=999}" behind a
   statement; "// #{0=644}" below a `for`, of an iteration. */
struct program_remarks positions_remarks(const struct positions *);

/* ------------------------------------------------------------------ as one process meets them */

/* The role of a process in the body of a loop, or of the whole program (POSITIONS_PROGRAM); false:
   it has none. O(log roles). */
bool positions_role(const struct positions *, size_t loop, uint32_t rank, size_t *role);

/* The statements of that body that a role executes, in order. Borrowed. */
const size_t *positions_statements(const struct positions *, size_t role, size_t *length);

/*
 * The events of the first `statements` of these in one iteration: exact, whether the polynomial is
 * known or not. index: of the loops around the body, the last is that of the loop itself. rank: any
 * of the role. UINT64_MAX: that many or more. O(terms); O(events) where the polynomial is not
 * known.
 */
uint64_t positions_events(
	const struct positions *, size_t loop, size_t role, size_t statements, uint32_t rank, const int64_t *index);

/* The same of all statements at once: the length of an iteration. */
uint64_t positions_iteration(const struct positions *, size_t loop, size_t role, uint32_t rank, const int64_t *index);

#endif
