/*
 * offsets.h -- where statements stand in the streams of the processes that execute them: how many
 * events a process has had before.
 *
 *	struct offsets *o = offsets_new(run);
 *	struct module_remarks remarks = offsets_remarks(o);	-- "// @{0-3=671+644*i0}", "// #{0-3=644}"
 *	module_print_text(module, &remarks, &text);
 *	offsets_places(o, line, POSITION_START, NULL, &places);	-- {0-3}: 671+644*i0, {4}: 12+3*i0+i0*i0
 *	offsets_free(o);
 *
 * They are polynomials in the indices of the loops around (the paper, section V; here for bounds
 * that are affine, too), and in what guards, tables and other counts come to (ask/unknowns.h). Not
 * known (base/polynomial.h) where 64 bits do not suffice.
 *
 * Processes of a class have the same statements. O(classes x statements of each, log of those), not
 * of the processes.
 */
#ifndef TRACENEST_ASK_OFFSETS_H
#define TRACENEST_ASK_OFFSETS_H

#include "ask/unknowns.h"
#include "base/ranks.h"
#include "model/module_address.h"

struct offsets;

/* The run's module has no calls (module_inline). The run is borrowed. */
struct offsets *offsets_new(struct run *);
void offsets_free(struct offsets *);
const struct unknowns *offsets_unknowns(const struct offsets *);

/* Who executes the statement on this line. to: zero, or replaced. */
void offsets_ranks(const struct offsets *, size_t line, struct ranks *to);

/* Of a class (run_class), borrowed; false: it does not execute the statement on this line. How often
   the loop iterates, the guard holds, or an event happens that is come to. */
bool offsets_count(const struct offsets *, size_t line, uint32_t class, struct polynomial *);

/* ------------------------------------------------------------------ in the stream */

enum position_end {
	POSITION_START, /* of the statement: its first event */
	POSITION_END, /* behind it: the event after its last one */
	/* of an iteration of the loop: its first event; the index behind those around counts the
	   iterations */
	POSITION_ITERATION,
	POSITION_ITERATION_END,
};

/* The same position on all these processes. Starts as {0}. */
struct position_places {
	struct position_place {
		struct ranks ranks;
		struct polynomial position;
	} * place;
	size_t length, capacity;
};
void position_places_clear(struct position_places *);

/* The statements around the one on a line, from the outside, and itself; how many. The caller frees
   them. O(statements of the bodies around). */
size_t offsets_way(const struct offsets *, size_t line, struct located **way);

/*
 * The positions of a statement, of each set of processes that share one, by their lowest ranks.
 * who: those of these processes that have a part in it; NULL: all. O(depth * log of the text) for
 * each run of ranks.
 */
void offsets_places(
	const struct offsets *, size_t line, enum position_end, const struct ranks *who, struct position_places *);

/* ------------------------------------------------------------------ in the iteration around */

/* Behind a statement, "// @{0=671,1=999}" (the paper's Figure 8); below a loop, "// #{0=644}", of
   an iteration. */
struct module_remarks offsets_remarks(const struct offsets *);

#endif
