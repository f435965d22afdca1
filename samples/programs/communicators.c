/*
 * communicators.c -- the same ring on communicators of every origin: duplicates, rows and columns,
 * parts, grids and graphs, the two sides of an inter-communicator and what they merge to; some are
 * freed, and made again.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tally.h"

/* Each process sends `rank + 1` numbers to the next one of the communicator; then all meet. */
static void ring(MPI_Comm comm, int tag)
{
	int rank, size;
	MPI_Comm_rank(comm, &rank);
	MPI_Comm_size(comm, &size);
	int *numbers = calloc(size + 1, sizeof *numbers), *received = calloc(size + 1, sizeof *received);
	MPI_Status status;
	MPI_Sendrecv(numbers, rank + 1, MPI_INT, (rank + 1) % size, tag, received, size, MPI_INT,
		(rank + size - 1) % size, tag, comm, &status);
	tally_send((rank + 1) % size, tag, rank + 1, MPI_INT, comm);
	tally_recv(&status, comm);
	MPI_Barrier(comm);
	tally_collective("MPI_Barrier", comm);
	free(numbers);
	free(received);
}

static void ring_named(MPI_Comm *comm, const char *name, int tag)
{
	if (*comm == MPI_COMM_NULL)
		return;
	MPI_Comm_set_name(*comm, name);
	ring(*comm, tag);
	MPI_Comm_free(comm);
}

/* Even and odd processes as the two sides: rank k of one writes to rank k of the other. */
static void two_sides(int rank, int size)
{
	MPI_Comm side, between, merged;
	int mine, others, got = 0;
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &side);
	MPI_Comm_set_name(side, rank % 2 ? "odd" : "even");
	MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, 1 - rank % 2, 99, &between);
	MPI_Comm_set_name(between, "between");
	MPI_Comm_rank(between, &mine);
	MPI_Comm_remote_size(between, &others);
	if (mine < others) {
		MPI_Request request;
		MPI_Status status;
		MPI_Isend(&mine, 1, MPI_INT, mine, 41, between, &request);
		tally_send(mine, 41, 1, MPI_INT, between);
		MPI_Recv(&got, 1, MPI_INT, mine, 41, between, &status);
		tally_recv(&status, between);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
	MPI_Barrier(between);
	tally_collective("MPI_Barrier", between);
	MPI_Intercomm_merge(between, rank % 2, &merged);
	MPI_Comm_free(&between);
	ring(side, 42);
	MPI_Comm_free(&side);
	ring_named(&merged, "merged", 43);
	(void)size;
}

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Comm comm;
	MPI_Group world, group;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	int width = size > 3 ? 2 : 1;

	ring(MPI_COMM_WORLD, 1);
	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	ring_named(&comm, "dup", 2);
	MPI_Request request;
	MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	ring_named(&comm, "idup", 3);
	MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &comm);
	ring_named(&comm, "dup with info", 4);
	for (int again = 0; again < 3; again++) { /* handles are used again, communicators are others */
		char name[32];
		MPI_Comm_split(MPI_COMM_WORLD, rank / width, -rank, &comm);
		snprintf(name, sizeof name, "row %d.%d", rank / width, again);
		ring_named(&comm, name, 5);
	}
	MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 0, rank, &comm);
	ring_named(&comm, "all but the first", 6);
	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &comm);
	ring_named(&comm, "one machine", 7);

	int some[1][3] = {{0, size - 1, 2}}; /* every second process */
	MPI_Group_range_incl(world, 1, some, &group);
	MPI_Comm_create(MPI_COMM_WORLD, group, &comm);
	ring_named(&comm, "every second", 8);
	if (rank % 2 == 0) {
		MPI_Comm_create_group(MPI_COMM_WORLD, group, 17, &comm);
		ring_named(&comm, "every second, alone", 9);
	}
	MPI_Group_free(&group);
	MPI_Group_free(&world);

	int dims[2] = {0, 0}, periodic[2] = {1, 1}, keep[2] = {0, 1};
	MPI_Comm line;
	MPI_Dims_create(size, 2, dims);
	MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periodic, 0, &comm);
	MPI_Cart_sub(comm, keep, &line);
	char name[32];
	snprintf(name, sizeof name, "line %d", rank / dims[1]);
	ring_named(&line, name, 10);
	ring_named(&comm, "torus", 11);

	int *end = calloc(size, sizeof *end), *to = calloc(size, sizeof *to);
	for (int i = 0; i < size; i++) {
		end[i] = i + 1;
		to[i] = (i + 1) % size;
	}
	MPI_Graph_create(MPI_COMM_WORLD, size, end, to, 0, &comm);
	ring_named(&comm, "graph", 12);
	int from = (rank + size - 1) % size;
	MPI_Dist_graph_create_adjacent(
		MPI_COMM_WORLD, 1, &from, MPI_UNWEIGHTED, 1, &to[rank], MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
	int passed[2] = {rank, -1};
	MPI_Comm_set_name(comm, "neighbours");
	MPI_Neighbor_allgather(&passed[0], 1, MPI_INT, &passed[1], 1, MPI_INT, comm);
	tally_collective("MPI_Allgather", comm); /* archives have no word of their own for it */
	ring_named(&comm, "neighbours", 13);
	int one = 1;
	MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &one, &to[rank], MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
	ring_named(&comm, "neighbours again", 14);
	free(end);
	free(to);

	two_sides(rank, size);
	if (rank == 0)
		printf("%d processes: the one before the first is %d\n", size, passed[1]);
	tally_write();
	MPI_Finalize();
	return 0;
}
