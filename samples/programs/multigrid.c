/*
 * multigrid.c -- V-cycles over a line of points: on each level every process exchanges points with
 * the processes that are next, which on coarse levels are further away, as there only every second,
 * every fourth, ... process has any left.
 */
#include <stdio.h>

#include "tally.h"

enum { CYCLES = 6, POINTS = 64, SMOOTHING = 2 };

static int rank, size;

/* What the processes `distance` before and behind us have: the nearer half of their points. */
static double before[POINTS / 2], behind[POINTS / 2];

static void exchange(const double *point, int count, int distance, int tag)
{
	int left = rank - distance < 0 ? MPI_PROC_NULL : rank - distance;
	int right = rank + distance >= size ? MPI_PROC_NULL : rank + distance;
	int half = count / 2;
	MPI_Status status;
	MPI_Sendrecv(point, half, MPI_DOUBLE, left, tag, behind, half, MPI_DOUBLE, right, tag, MPI_COMM_WORLD, &status);
	tally_send(left, tag, half, MPI_DOUBLE, MPI_COMM_WORLD);
	tally_recv(&status, MPI_COMM_WORLD);
	MPI_Sendrecv(point + count - half, half, MPI_DOUBLE, right, tag, before, half, MPI_DOUBLE, left, tag,
		MPI_COMM_WORLD, &status);
	tally_send(right, tag, half, MPI_DOUBLE, MPI_COMM_WORLD);
	tally_recv(&status, MPI_COMM_WORLD);
}

static void smooth(double *point, int level)
{
	int count = POINTS >> level > 2 ? POINTS >> level : 2, distance = 1 << level;
	for (int i = 0; i < SMOOTHING && rank % distance == 0; i++) {
		exchange(point, count, distance, 10 + level);
		point[0] += 0.25 * (before[count / 2 - 1] + point[1] - 2 * point[0]);
		point[count - 1] += 0.25 * (behind[0] + point[count - 2] - 2 * point[count - 1]);
		for (int k = 1; k + 1 < count; k++)
			point[k] = 0.25 * (point[k - 1] + 2 * point[k] + point[k + 1]);
	}
}

int main(int argc, char **argv)
{
	double point[POINTS] = {0};
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	point[POINTS / 2] = rank + 1;

	int levels = 1;
	while (1 << levels < size)
		levels++;
	double norm = 0;
	for (int cycle = 0; cycle < CYCLES; cycle++) {
		for (int level = 0; level < levels; level++)
			smooth(point, level);
		for (int level = levels; level-- > 0;)
			smooth(point, level);
		double square = 0;
		for (int k = 0; k < POINTS; k++)
			square += point[k] * point[k];
		MPI_Allreduce(&square, &norm, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
		tally_collective("MPI_Allreduce", MPI_COMM_WORLD);
	}
	if (rank == 0)
		printf("%d processes, %d levels, %d cycles: %.6g\n", size, levels, CYCLES, norm);
	tally_write();
	MPI_Finalize();
	return 0;
}
