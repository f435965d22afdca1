/*
 * mpi_ending.c -- a program that sends a little and then ends in the way that its argument says.
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	int rank, size, got;
	const char *how = argc > 1 ? argv[1] : "well";
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; i < 100; i++)
		MPI_Sendrecv(&i, 1, MPI_INT, (rank + 1) % size, 1, &got, 1, MPI_INT, (rank + size - 1) % size, 1,
			MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (rank == 0) {
		printf("%s\n", how);
		fflush(stdout);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == size - 1 && strcmp(how, "abort") == 0)
		MPI_Abort(MPI_COMM_WORLD, 9);
	if (rank == size - 1 && strcmp(how, "crash") == 0)
		raise(SIGSEGV);
	if (rank == size - 1 && strcmp(how, "term") == 0)
		raise(SIGTERM);
	if (rank == size - 1 && strcmp(how, "exit") == 0)
		exit(3);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
