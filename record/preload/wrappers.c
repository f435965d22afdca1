/*
 * wrappers.c -- all functions of record/mpi.def, for the MPI that this is compiled for.
 */
#include "record/preload/recorder.h"

/* The names of parameters are used where the table says something about them. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#include "record/preload/wrappers.inc"
