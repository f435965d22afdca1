/*
 * statement_positions.h -- where the statements of a program that advances stand in the streams of its processes.
 *
 *	struct statement_positions *p = statement_positions_new(f);
 *	program_print_positions(f, p, output);
 *	statement_positions_free(p);
 *
 * Where bounds are functions of indices, so are positions relative to the body around: polynomials in these indices. Processes of one role share them.
 * Computed once, it borrows the program. O(statements times roles). (The paper, section V; here for affine bounds.)
 */
#ifndef TRACENEST_MODEL_STATEMENT_POSITIONS_H
#define TRACENEST_MODEL_STATEMENT_POSITIONS_H

#include "model/program.h"

struct statement_positions;

struct statement_positions *statement_positions_new(const struct program *);
void statement_positions_free(struct statement_positions *);

/*
 * As remarks: "0-3=671,4=2*i0", the events of each process that executes the statement from the start of the iteration around it; for a loop with
 * `iteration`, the events of one iteration. A "?" where it is no polynomial: a count below 0 counts as 0.
 */
void statement_positions_text(const struct statement_positions *, size_t statement, bool iteration, struct text *);

#endif
