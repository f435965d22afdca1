/*
 * replay_programs.c -- `replay_programs WHICH [SLOW]`: eight small programs that compute by
 * sleeping, so that few cores suffice; prints the seconds from its first collective to its last
 * one, which all processes begin and end with. SLOW: this process computes twice as long.
 */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BYTES = 8000, STEPS = 40 };

static int p, processes;
static double factor = 1;
static char in[16][BYTES], out[BYTES];

/* What sleeping took too long is taken off the next. */
static void compute(double seconds)
{
	static double late;
	double end = MPI_Wtime() + seconds * factor - late, left;
	while ((left = end - MPI_Wtime()) > 0)
		nanosleep(&(struct timespec){.tv_nsec = (long)(left * 1e9)}, NULL);
	late = -left;
}

/* The same numbers in each run. */
static double some(int i)
{
	unsigned n = (unsigned)(i * 7919 + p * 104729 + 12345) * 2654435761u;
	return (n >> 16 & 1023) / 1024.0;
}

static void ring(void)
{
	for (int i = 0; i < STEPS; i++) {
		compute(0.02);
		MPI_Sendrecv(out, BYTES, MPI_BYTE, (p + 1) % processes, 1, in[0], BYTES, MPI_BYTE,
			(p + processes - 1) % processes, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
}

static void stencil(void)
{
	int move[] = {1, processes - 1, 2, processes - 2};
	for (int i = 0; i < STEPS; i++) {
		MPI_Request request[8];
		for (int k = 0; k < 4; k++)
			MPI_Irecv(
				in[k], BYTES, MPI_BYTE, (p + move[k ^ 1]) % processes, k, MPI_COMM_WORLD, &request[k]);
		for (int k = 0; k < 4; k++)
			MPI_Isend(out, BYTES, MPI_BYTE, (p + move[k]) % processes, k, MPI_COMM_WORLD, &request[4 + k]);
		compute(0.015);
		MPI_Waitall(8, request, MPI_STATUSES_IGNORE);
		compute(0.01 + 0.01 * (p % 2));
	}
}

static void wavefront(void)
{
	for (int i = 0; i < STEPS; i++) {
		if (p > 0)
			MPI_Recv(in[0], BYTES, MPI_BYTE, p - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		compute(0.02);
		if (p + 1 < processes)
			MPI_Send(out, BYTES, MPI_BYTE, p + 1, 1, MPI_COMM_WORLD);
	}
}

static void imbalance(void)
{
	for (int i = 0; i < STEPS; i++) {
		double sum, own = p;
		compute(0.01 + 0.03 * (p == i % processes));
		MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	}
}

static void noise(void)
{
	for (int i = 0; i < STEPS; i++) {
		compute(0.01 + 0.02 * some(i));
		MPI_Barrier(MPI_COMM_WORLD);
	}
}

static void reduction(void)
{
	for (int i = 0; i < STEPS; i++) {
		double sum, own = p;
		compute(0.005 + 0.002 * p);
		MPI_Reduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
		if (p == 0)
			compute(0.01);
		MPI_Bcast(&sum, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	}
}

static void butterfly(void)
{
	for (int i = 0; i < STEPS / 2; i++)
		for (int bit = 1; bit < processes; bit *= 2) {
			compute(0.01 + 0.001 * i);
			MPI_Sendrecv(out, BYTES, MPI_BYTE, p ^ bit, bit, in[0], BYTES, MPI_BYTE, p ^ bit, bit,
				MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		}
}

static void growing(void)
{
	for (int i = 0; i < STEPS; i++) {
		compute(0.001 * i);
		MPI_Alltoall(out, BYTES / 16, MPI_BYTE, in, BYTES / 16, MPI_BYTE, MPI_COMM_WORLD);
	}
}

int main(int argc, char **argv)
{
	static void (*const program[])(void) = {
		ring, stencil, wavefront, imbalance, noise, reduction, butterfly, growing};
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &p);
	MPI_Comm_size(MPI_COMM_WORLD, &processes);
	int which = argc > 1 ? atoi(argv[1]) % 8 : 0;
	if (argc > 2 && atoi(argv[2]) == p)
		factor = 2;
	/* what none of them calls: a phase of its own */
	MPI_Allgather(out, 1, MPI_BYTE, in, 1, MPI_BYTE, MPI_COMM_WORLD);
	double start = MPI_Wtime(), took, longest;
	program[which]();
	MPI_Barrier(MPI_COMM_WORLD);
	took = MPI_Wtime() - start;
	MPI_Pcontrol(0); /* what follows is no part of it */
	PMPI_Reduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	if (p == 0)
		printf("%.6f\n", longest);
	MPI_Finalize();
	return 0;
}
