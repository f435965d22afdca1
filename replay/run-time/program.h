/*
 * program.h -- what a mini-app declares before its functions (skeleton.c prints it), so that these
 * are compiled as they stand.
 */
#ifndef TRACENEST_REPLAY_RUN_TIME_PROGRAM_H
#define TRACENEST_REPLAY_RUN_TIME_PROGRAM_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROCESSES = 4 };
enum { ITERATIONS, BYTES, SCALE_BYTES, SCALE_COMPUTE, ROLE, OPTIONS };

static double option[OPTIONS] = {1, -1, 1, 1, -1};
static char *in, *out;
static size_t room;
static MPI_Request request[1];

static _Noreturn void leave(const char *why)
{
	fprintf(stderr, "%s\n", why);
	MPI_Abort(MPI_COMM_WORLD, 2);
	exit(2);
}

#endif
