/*
 * mpi_arguments.c -- calls that differ in what they say beside peers, tags and sizes. A case each, by name.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

static void longest(void *from, void *to, int *count, MPI_Datatype *type)
{
	(void)type;
	for (int i = 0; i < *count; i++)
		((int *)to)[i] = ((int *)from)[i] > ((int *)to)[i] ? ((int *)from)[i] : ((int *)to)[i];
}

static void reductions(void)
{
	int in[8] = {0}, out[8];
	MPI_Op commutes, ordered;
	MPI_Request request;
	MPI_Op_create(longest, 1, &commutes);
	MPI_Op_create(longest, 0, &ordered);
	for (int i = 0; i < 10; i++) {
		MPI_Allreduce(in, out, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
		MPI_Allreduce(in, out, 4, MPI_INT, i % 2 ? commutes : ordered, MPI_COMM_WORLD);
		MPI_Reduce(in, out, 3, MPI_INT, MPI_BXOR, 1, MPI_COMM_WORLD);
		MPI_Iallreduce(in, out, 2, MPI_2INT, MPI_MINLOC, MPI_COMM_WORLD, &request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		MPI_Reduce_scatter_block(in, out, 1, MPI_INT, MPI_PROD, MPI_COMM_WORLD);
		MPI_Exscan(in, out, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
	}
	MPI_Op_free(&commutes);
	MPI_Op_free(&ordered);
}

int main(int count, char **argument)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} cases[] = {{"reductions", reductions}};
	MPI_Init(&count, &argument);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (count > 1 && !strcmp(cases[i].name, argument[1]))
			cases[i].run();
	MPI_Finalize();
	return 0;
}
