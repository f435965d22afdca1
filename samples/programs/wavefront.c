/*
 * wavefront.c -- sweeps over a plane from one corner to the other and back: a process begins when
 * its neighbours before it have done their part of a row of blocks, so that the work runs over the
 * processes as a wave.
 */
#include <stdio.h>

#include "tally.h"

enum { SWEEPS = 5, BLOCKS = 12, LENGTH = 16, TAG = 100 };

static void get(double *border, int from, int tag, MPI_Comm comm)
{
	MPI_Recv(border, LENGTH, MPI_DOUBLE, from, tag, comm, MPI_STATUS_IGNORE);
	tally_recv_from(from, tag, LENGTH, MPI_DOUBLE, comm);
}

static void put(const double *border, int to, int tag, MPI_Comm comm)
{
	MPI_Send(border, LENGTH, MPI_DOUBLE, to, tag, comm);
	tally_send(to, tag, LENGTH, MPI_DOUBLE, comm);
}

int main(int argc, char **argv)
{
	int rank, size, dims[2] = {0, 0}, periodic[2] = {0, 0};
	MPI_Comm plane;
	MPI_Init(&argc, &argv);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Dims_create(size, 2, dims);
	MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periodic, 0, &plane);
	MPI_Comm_set_name(plane, "plane");
	MPI_Comm_rank(plane, &rank);

	double west[LENGTH] = {0}, north[LENGTH] = {0}, sum = 0;
	for (int sweep = 0; sweep < SWEEPS; sweep++) {
		int direction = sweep % 2 ? -1 : 1, from_north, to_south, from_west, to_east;
		MPI_Cart_shift(plane, 0, direction, &from_north, &to_south);
		MPI_Cart_shift(plane, 1, direction, &from_west, &to_east);
		for (int block = 0; block < BLOCKS; block++) {
			get(north, from_north, TAG, plane);
			get(west, from_west, TAG + 1, plane);
			for (int i = 0; i < LENGTH; i++) {
				double value = 1 + 0.5 * (north[i] + west[i]);
				north[i] = west[i] = 0.5 * value;
				sum += value;
			}
			put(north, to_south, TAG, plane);
			put(west, to_east, TAG + 1, plane);
		}
	}
	double total = 0;
	MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, plane);
	tally_collective("MPI_Reduce", plane);
	if (rank == 0)
		printf("%d x %d processes, %d sweeps: %.6g\n", dims[0], dims[1], SWEEPS, total);
	tally_write();
	MPI_Comm_free(&plane);
	MPI_Finalize();
	return 0;
}
