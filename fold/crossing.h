/*
 * crossing.h -- loops of a nest over statements across whose iterations messages would go. Private
 * to fold/.
 */
#ifndef TRACENEST_FOLD_CROSSING_H
#define TRACENEST_FOLD_CROSSING_H

#include "model/program.h"
#include "fold/absorb.h"

/*
 * The records of the nest are written (absorb.h) as the statements of a body: statement[i] is the
 * place of the i-th in the program. Marks (prune.h) every loop in which a send of one iteration is
 * received in another, or the members of a sync meet from different ones; first in, first out,
 * within the body.
 */
void crossing_mark(const struct program *, const size_t *statement, size_t statements, const struct affine_nest *,
	const struct absorb_rules *, bool *mark);

#endif
