/*
 * heat.c -- heat in a rod that is cut into pieces: each rank exchanges its ends with its
 * neighbours, and every tenth step all learn how much has changed.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>

enum { STEPS = 40, POINTS = 100, TO_LEFT = 1, TO_RIGHT = 2 };

static double now[POINTS + 2], then[POINTS + 2];

static void exchange(int left, int right)
{
	MPI_Request request[4];
	MPI_Irecv(&now[0], 1, MPI_DOUBLE, left, TO_RIGHT, MPI_COMM_WORLD, &request[0]);
	MPI_Irecv(&now[POINTS + 1], 1, MPI_DOUBLE, right, TO_LEFT, MPI_COMM_WORLD, &request[1]);
	MPI_Isend(&now[1], 1, MPI_DOUBLE, left, TO_LEFT, MPI_COMM_WORLD, &request[2]);
	MPI_Isend(&now[POINTS], 1, MPI_DOUBLE, right, TO_RIGHT, MPI_COMM_WORLD, &request[3]);
	MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
	int rank, size;
	double change = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
	now[1] = rank == 0 ? 1e3 : 0;
	for (int step = 0; step < STEPS; step++) {
		double changed = 0;
		exchange(left, right);
		for (int i = 0; i < POINTS + 2; i++)
			then[i] = now[i];
		for (int i = 1; i <= POINTS; i++) {
			now[i] = 0.25 * (then[i - 1] + 2 * then[i] + then[i + 1]);
			changed += fabs(now[i] - then[i]);
		}
		if (step % 10 == 9)
			MPI_Allreduce(&changed, &change, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	}
	if (rank == 0)
		printf("%d processes, %d steps: the last changed %.6g\n", size, STEPS, change);
	MPI_Finalize();
	return 0;
}
