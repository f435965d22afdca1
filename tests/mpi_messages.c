/*
 * mpi_messages.c -- `mpi_messages NUMBER`: so many messages of a process to itself; prints what
 * memory that took, in MB.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

int main(int argc, char **argv)
{
	long number = argc > 1 ? atol(argv[1]) : 1000;
	double out[8] = {0}, in[8];
	struct rusage usage;
	MPI_Init(&argc, &argv);
	for (long i = 0; i < number; i++) {
		MPI_Request request;
		MPI_Irecv(in, 8, MPI_DOUBLE, 0, 1, MPI_COMM_SELF, &request);
		MPI_Send(out, 8, MPI_DOUBLE, 0, 1, MPI_COMM_SELF);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
	getrusage(RUSAGE_SELF, &usage);
	printf("peak %ld\n", usage.ru_maxrss / 1024);
	MPI_Finalize();
	return 0;
}
