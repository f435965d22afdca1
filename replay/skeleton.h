/*
 * skeleton.h -- a folded program for people: as C with MPI calls, or as text in columns.
 */
#ifndef TRACENEST_REPLAY_SKELETON_H
#define TRACENEST_REPLAY_SKELETON_H

#include "base/text.h"
#include "model/program.h"

/*
 * A C program that compiles against mpi.h without warnings: loops, sends, receives and collectives
 * of every process, guarded by conditions on its rank. It is for reading: messages carry one byte,
 * as a model does not know sizes, and blocking calls may wait for each other.
 */
void skeleton_print_c(const struct program *, struct text *);

/* The statements with their sets in one column and what they do in the next. */
void skeleton_print_text(const struct program *, struct text *);

#endif
