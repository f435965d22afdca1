/*
 * fold.h -- from a global model to the program that all processes run: what many do alike is said
 * once.
 *
 *	struct program *program = fold(m, NULL);
 *	program_print(program, output);
 *
 * Constructs of one system that are equal but for the process that executes them become one
 * statement over a set of ranks; loops do if their folded bodies are equal but for the sets.
 * program_unfold gives the model back (up to the order of its listings, if they are not the
 * canonical ones that merge_reduce makes).
 */
#ifndef TRACENEST_FOLD_FOLD_H
#define TRACENEST_FOLD_FOLD_H

#include <stdbool.h>

#include "model/program.h"

struct fold_options {
	bool offsets_only; /* peers as numbers and p+c alone: no exclusive or, no grid */
};

/*
 * Fold a model. Deterministic. options: NULL for the defaults. O(constructs times the processes
 * they cover), but for the inference of a grid, which looks at samples.
 */
struct program *fold(const struct model *, const struct fold_options *options);

#endif
