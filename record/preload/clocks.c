/*
 * clocks.c -- by how much clocks of different hosts differ.
 *
 * The clock is that of the host (CLOCK_MONOTONIC), so all processes of a host share it, and one
 * process per host asks rank 0 what time it is: many times, of which the quickest answer says most.
 * That is done when recording begins and when it ends; in between, clocks are taken to drift
 * evenly. On one host nothing is measured, since nothing can differ.
 */
#include <stdlib.h>
#include <unistd.h>

#include "record/preload/recorder.h"

#define ROUNDS 100
#define TAG 1

/* How many processes the launcher started here, and the number of this one among them. */
static bool launcher_says(const char *const *variables, int *value)
{
	for (; *variables; variables++) {
		const char *text = getenv(*variables);
		if (text && *text) {
			*value = atoi(text);
			return true;
		}
	}
	return false;
}

static const char *const sizes[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", NULL};
static const char *const ranks[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID", NULL};

void clocks_start(void)
{
	int local = 0;
	recorder.hosts = recorder.skewed || (launcher_says(sizes, &local) && local < recorder.processes);
	if (recorder.processes == 1)
		recorder.hosts = false;
	if (recorder.hosts && recorder.mpi.Comm_dup(recorder.mpi.world, &recorder.clocks) != MPI_SUCCESS)
		recorder.hosts = false;
	clocks_compare();
}

static void answer(int rank)
{
	uint64_t time = 0;
	for (int i = 0; i < ROUNDS; i++) {
		recorder.mpi.Recv(&time, 0, recorder.mpi.byte, rank, TAG, recorder.clocks, MPI_STATUS_IGNORE);
		time = recorder_time();
		recorder.mpi.Send(&time, sizeof time, recorder.mpi.byte, rank, TAG, recorder.clocks);
	}
}

static void ask(void)
{
	uint64_t best = UINT64_MAX, when = 0, theirs = 0;
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t begin = recorder_time(), time = 0;
		recorder.mpi.Send(&time, 0, recorder.mpi.byte, 0, TAG, recorder.clocks);
		recorder.mpi.Recv(&time, sizeof time, recorder.mpi.byte, 0, TAG, recorder.clocks, MPI_STATUS_IGNORE);
		uint64_t end = recorder_time();
		if (end - begin < best) {
			best = end - begin;
			when = begin + best / 2;
			theirs = time;
		}
	}
	side_line(&recorder.side, "clock %llu %lld %llu", (unsigned long long)when, (long long)(theirs - when),
		(unsigned long long)(best / 2));
}

/* Rank 0 serves those who ask, one after the other; which they are it hears from all. */
void clocks_compare(void)
{
	int number = 0;
	if (!recorder.hosts)
		return;
	launcher_says(ranks, &number);
	unsigned char asks = recorder.rank && (recorder.skewed || !number);
	unsigned char *all = calloc((size_t)recorder.processes, 1);
	if (recorder.mpi.Allgather(&asks, 1, recorder.mpi.byte, all, 1, recorder.mpi.byte, recorder.clocks) ==
		MPI_SUCCESS) {
		for (int i = 1; recorder.rank == 0 && i < recorder.processes; i++)
			if (all[i])
				answer(i);
		if (asks)
			ask();
	}
	free(all);
}
