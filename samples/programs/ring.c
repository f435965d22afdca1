/*
 * ring.c -- a number goes around the ring of all processes, a little longer each time.
 */
#include <stdio.h>

#include "tally.h"

enum { ROUNDS = 20, TAG = 7, MOST = 64 };

int main(int argc, char **argv)
{
	int rank, size, number[MOST] = {0};
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	int next = (rank + 1) % size, previous = (rank + size - 1) % size;

	for (int round = 0; round < ROUNDS; round++) {
		int count = 1 + round;
		if (rank == 0) {
			MPI_Send(number, count, MPI_INT, next, TAG, MPI_COMM_WORLD);
			tally_send(next, TAG, count, MPI_INT, MPI_COMM_WORLD);
		}
		MPI_Status status;
		MPI_Recv(number, MOST, MPI_INT, previous, TAG, MPI_COMM_WORLD, &status);
		tally_recv(&status, MPI_COMM_WORLD);
		number[0]++;
		if (rank != 0) {
			MPI_Send(number, count, MPI_INT, next, TAG, MPI_COMM_WORLD);
			tally_send(next, TAG, count, MPI_INT, MPI_COMM_WORLD);
		}
	}
	MPI_Bcast(number, 1, MPI_INT, 0, MPI_COMM_WORLD);
	tally_collective("MPI_Bcast", MPI_COMM_WORLD);
	if (rank == 0)
		printf("%d processes, %d rounds: %d\n", size, ROUNDS, number[0]);
	tally_write();
	MPI_Finalize();
	return 0;
}
