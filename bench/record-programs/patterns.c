/*
 * patterns.c -- what bench/record times: `patterns PATTERN ROUNDS`. Prints the seconds that rank 0
 * spent between two barriers; of self and deep, those that its processor spent.
 *
 *	self		empty messages of each process to itself: no waiting, so what it takes is work
 *	deep		the same below 16 functions, each message with its receive from another one
 *	pingpong	empty messages between pairs of processes, one at a time
 *	stencil		four neighbours on a torus: Irecv, Isend, Waitall
 *	wavefront	from the left and the upper neighbour, to the right and the lower one
 *	finalize	some of the stencil; each process prints how long MPI_Finalize takes it
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int rank, size;

static void self(long rounds)
{
	for (long i = 0; i < rounds; i++) {
		MPI_Request request;
		MPI_Irecv(NULL, 0, MPI_BYTE, 0, 1, MPI_COMM_SELF, &request);
		MPI_Send(NULL, 0, MPI_BYTE, 0, 1, MPI_COMM_SELF);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
}

/* Every call has a new frame or two, and most that are as they were. */
__attribute__((noinline)) static long deep(int depth, long rounds)
{
	long sent = 0;
	for (long i = 0; i < (depth % 4 ? 1 : 2); i++)
		sent += depth ? deep(depth - 1, rounds) : 1;
	if (!depth)
		self(sent);
	return sent;
}

static void pingpong(long rounds)
{
	int other = rank ^ 1;
	for (long i = 0; other < size && i < rounds; i++)
		if (rank & 1) {
			MPI_Recv(NULL, 0, MPI_BYTE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			MPI_Send(NULL, 0, MPI_BYTE, other, 1, MPI_COMM_WORLD);
		} else {
			MPI_Send(NULL, 0, MPI_BYTE, other, 1, MPI_COMM_WORLD);
			MPI_Recv(NULL, 0, MPI_BYTE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		}
}

static void stencil(long rounds, MPI_Comm grid)
{
	static double in[4][64], out[4][64];
	int to[4];
	MPI_Cart_shift(grid, 0, 1, &to[0], &to[1]);
	MPI_Cart_shift(grid, 1, 1, &to[2], &to[3]);
	for (long i = 0; i < rounds; i++) {
		MPI_Request request[8];
		for (int k = 0; k < 4; k++)
			MPI_Irecv(in[k], 64, MPI_DOUBLE, to[k], k ^ 1, grid, &request[k]);
		for (int k = 0; k < 4; k++)
			MPI_Isend(out[k], 64, MPI_DOUBLE, to[k], k, grid, &request[4 + k]);
		MPI_Waitall(8, request, MPI_STATUSES_IGNORE);
	}
}

static void wavefront(long rounds, MPI_Comm line)
{
	int before, behind;
	double value = rank;
	MPI_Cart_shift(line, 0, 1, &before, &behind);
	for (long i = 0; i < rounds; i++) {
		MPI_Recv(&value, 1, MPI_DOUBLE, before, 1, line, MPI_STATUS_IGNORE);
		MPI_Send(&value, 1, MPI_DOUBLE, behind, 1, line);
	}
}

static double seconds(const char *pattern)
{
	struct timespec spent;
	clock_gettime(strcmp(pattern, "self") && strcmp(pattern, "deep") ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID,
		&spent);
	return (double)spent.tv_sec + (double)spent.tv_nsec / 1e9;
}

static void run(const char *pattern, long rounds)
{
	bool finalize = !strcmp(pattern, "finalize");
	int dimensions = finalize || !strcmp(pattern, "stencil") ? 2 : 1, extent[2] = {0},
	    around[2] = {dimensions == 2, dimensions == 2};
	MPI_Comm grid;
	MPI_Dims_create(size, dimensions, extent);
	MPI_Cart_create(MPI_COMM_WORLD, dimensions, extent, around, 0, &grid);
	MPI_Barrier(grid);
	double start = seconds(pattern);
	if (!strcmp(pattern, "self"))
		self(rounds);
	else if (!strcmp(pattern, "deep"))
		for (long done = 0; done < rounds;)
			done += deep(16, rounds);
	else if (!strcmp(pattern, "pingpong"))
		pingpong(rounds);
	else if (dimensions == 2)
		stencil(rounds, grid);
	else
		wavefront(rounds, grid);
	MPI_Barrier(grid);
	if (rank == 0 && !finalize)
		printf("%.6f\n", seconds(pattern) - start);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (argc == 3)
		run(argv[1], atol(argv[2]));
	double start = seconds("");
	MPI_Finalize();
	if (argc == 3 && !strcmp(argv[1], "finalize"))
		printf("%.6f\n", seconds("") - start);
	return argc != 3;
}
