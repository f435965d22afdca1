/*
 * stencil.c -- heat flows over a plane that is cut into tiles: each process exchanges the borders
 * of its tile with four neighbours, without waiting for any before all are under way, and every
 * tenth step all learn how much has changed.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tally.h"

enum { STEPS = 40, SIDE = 32, SIDES = 4 };

static double now[SIDE + 2][SIDE + 2], then[SIDE + 2][SIDE + 2];

int main(int argc, char **argv)
{
	int size, rank, dims[2] = {0, 0}, periodic[2] = {0, 0}, neighbour[SIDES];
	MPI_Comm plane;
	MPI_Init(&argc, &argv);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Dims_create(size, 2, dims);
	MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periodic, 0, &plane);
	MPI_Comm_set_name(plane, "plane");
	MPI_Comm_rank(plane, &rank);
	MPI_Cart_shift(plane, 0, 1, &neighbour[0], &neighbour[1]);
	MPI_Cart_shift(plane, 1, 1, &neighbour[2], &neighbour[3]);
	if (rank == 0)
		now[1][1] = 1e6;

	/* Where each side's border is kept, what we send of ours, and how either is laid out. */
	double *halo[SIDES] = {&now[0][1], &now[SIDE + 1][1], &now[1][0], &now[1][SIDE + 1]};
	double *edge[SIDES] = {&now[1][1], &now[SIDE][1], &now[1][1], &now[1][SIDE]};
	MPI_Datatype row, column;
	MPI_Type_contiguous(SIDE, MPI_DOUBLE, &row);
	MPI_Type_vector(SIDE, 1, SIDE + 2, MPI_DOUBLE, &column);
	MPI_Type_commit(&row);
	MPI_Type_commit(&column);

	double change = 0;
	for (int step = 0; step < STEPS; step++) {
		MPI_Request request[2 * SIDES];
		for (int side = 0; side < SIDES; side++)
			MPI_Irecv(halo[side], 1, side < 2 ? row : column, neighbour[side], side, plane, &request[side]);
		for (int side = 0; side < SIDES; side++) {
			MPI_Isend(edge[side], 1, side < 2 ? row : column, neighbour[side], side ^ 1, plane,
				&request[SIDES + side]);
			tally_send(neighbour[side], side ^ 1, SIDE, MPI_DOUBLE, plane);
		}
		MPI_Waitall(2 * SIDES, request, MPI_STATUSES_IGNORE);
		for (int side = 0; side < SIDES; side++)
			tally_recv_from(neighbour[side], side, SIDE, MPI_DOUBLE, plane);

		double changed = 0;
		memcpy(then, now, sizeof now);
		for (int i = 1; i <= SIDE; i++)
			for (int j = 1; j <= SIDE; j++) {
				now[i][j] = 0.25 * (then[i - 1][j] + then[i + 1][j] + then[i][j - 1] + then[i][j + 1]);
				changed += fabs(now[i][j] - then[i][j]);
			}
		if (step % 10 == 9) {
			MPI_Allreduce(&changed, &change, 1, MPI_DOUBLE, MPI_SUM, plane);
			tally_collective("MPI_Allreduce", plane);
		}
	}
	if (rank == 0)
		printf("%d x %d processes, %d steps: the last changed %.6g\n", dims[0], dims[1], STEPS, change);
	tally_write();
	MPI_Type_free(&row);
	MPI_Type_free(&column);
	MPI_Comm_free(&plane);
	MPI_Finalize();
	return 0;
}
