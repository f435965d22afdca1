/*
 * mpi_arguments.c -- calls that differ in what they say beside peers, tags and sizes. A case each,
 * by name.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size;
static const char *by = "waitall";

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

/* Each to its neighbours; in rows what grows; ranks that count down; posted, of several types. */
static void exchanges(void)
{
	enum { MOST = 64 };
	static char in[MOST * MOST * 16], out[MOST * MOST * 16];
	int to[MOST], from[MOST], place[MOST], bytes_place[MOST], row_rank;
	MPI_Datatype types[MOST], from_types[MOST];
	MPI_Comm row, back;
	MPI_Request request;
	MPI_Comm_split(MPI_COMM_WORLD, rank / 3, rank, &row);
	MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &back);
	MPI_Comm_rank(row, &row_rank);
	for (int i = 0; i < MOST; i++) {
		place[i] = i * MOST;
		bytes_place[i] = i * MOST * 8;
		types[i] = from_types[i] = MPI_BYTE;
	}
	for (int t = 0; t < 5; t++) {
		memset(to, 0, sizeof to);
		memset(from, 0, sizeof from);
		to[(rank + 1) % size] = from[(rank + size - 1) % size] = 4;
		to[(rank + size - 1) % size] = from[(rank + 1) % size] = 2;
		MPI_Alltoallv(in, to, place, MPI_INT, out, from, place, MPI_INT, MPI_COMM_WORLD);
		for (int i = 0; i < 3; i++) {
			to[i] = 1 + row_rank + t;
			from[i] = 1 + i + t;
		}
		MPI_Alltoallv(in, to, place, MPI_INT, out, from, place, MPI_INT, row);
		for (int i = 0; i < size; i++) { /* who is first there is last elsewhere */
			int other = size - 1 - i;
			to[i] = other > rank ? other : 0;
			from[i] = rank > other ? rank : 0;
		}
		MPI_Alltoallv(in, to, place, MPI_INT, out, from, place, MPI_INT, back);
		for (int i = 0; i < size; i++) {
			to[i] = 5 + 4 * i;
			from[i] = 5 + 4 * rank;
		}
		MPI_Ialltoallw(
			in, to, bytes_place, types, out, from, bytes_place, from_types, MPI_COMM_WORLD, &request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
	MPI_Comm_free(&row);
	MPI_Comm_free(&back);
}

/* On a grid that goes around along one axis; on graphs, where not all have as many: what each way
   to ask for it passes on. */
static void neighbours(void)
{
	static char in[4096], out[4096];
	int sides[2] = {3, size / 3}, around[2] = {0, 1};
	int before = (rank + size - 1) % size, behind = (rank + 1) % size, sources[2] = {before, 0},
	    destinations[2] = {behind, rank}, to[2] = {3, 5}, from[2] = {3, 5}, place[2] = {0, 64};
	int many = rank ? 1 : size, given[64], gives[64];
	MPI_Datatype types[2] = {MPI_INT, MPI_SHORT};
	MPI_Comm grid, ring, star;
	MPI_Request request;
	for (int i = 0; i < size; i++)
		given[i] = rank ? 0 : i, gives[i] = rank ? 0 : i;
	MPI_Cart_create(MPI_COMM_WORLD, 2, sides, around, 0, &grid);
	sources[1] = destinations[1] = rank; /* itself, too */
	MPI_Dist_graph_create_adjacent(
		MPI_COMM_WORLD, 2, sources, MPI_UNWEIGHTED, 2, destinations, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &ring);
	MPI_Dist_graph_create_adjacent(
		MPI_COMM_WORLD, many, given, MPI_UNWEIGHTED, many, gives, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &star);
	for (int t = 0; t < 8; t++) {
		MPI_Neighbor_alltoall(in, 2, MPI_DOUBLE, out, 2, MPI_DOUBLE, grid);
		MPI_Ineighbor_allgather(in, 1, MPI_INT, out, 1, MPI_INT, star, &request);
		MPI_Neighbor_alltoallv(in, to, place, MPI_INT, out, from, place, MPI_INT, ring);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		MPI_Neighbor_alltoallw(in, to, (MPI_Aint[]){0, 64}, types, out, from, (MPI_Aint[]){0, 64}, types, ring);
	}
	MPI_Comm_free(&grid);
	MPI_Comm_free(&ring);
	MPI_Comm_free(&star);
}

/* What each process gets from all others, completed by one call or another: who comes first is
   chance. */
static void complete(int requests, MPI_Request *request, const char *call)
{
	int index[64], some, done;
	for (int left = requests; left > 0; left -= some) {
		some = 1;
		if (!strcmp(call, "waitall"))
			MPI_Waitall(some = requests, request, MPI_STATUSES_IGNORE);
		else if (!strcmp(call, "waitany"))
			MPI_Waitany(requests, request, index, MPI_STATUS_IGNORE);
		else if (!strcmp(call, "waitsome"))
			MPI_Waitsome(requests, request, &some, index, MPI_STATUSES_IGNORE);
		else if (!strcmp(call, "testsome"))
			MPI_Testsome(requests, request, &some, index, MPI_STATUSES_IGNORE);
		else
			for (done = 0, some = 0; some < requests && !done; some++)
				if (request[some] != MPI_REQUEST_NULL)
					MPI_Test(&request[some], &done, MPI_STATUS_IGNORE);
		if (!strcmp(call, "test"))
			some = done;
	}
}

static void completion(void)
{
	int in[64], out = rank;
	MPI_Request request[64], sent[64];
	for (int t = 0; t < 100; t++) {
		for (int i = 1; i < size; i++)
			MPI_Irecv(&in[i], 1, MPI_INT, (rank + i) % size, 5, MPI_COMM_WORLD, &request[i - 1]);
		for (int i = 1; i < size; i++)
			MPI_Isend(&out, 1, MPI_INT, (rank + size - i) % size, 5, MPI_COMM_WORLD, &sent[i - 1]);
		complete(size - 1, request, by);
		MPI_Waitall(size - 1, sent, MPI_STATUSES_IGNORE);
	}
}

static void types(void)
{
	static char in[8192], out[8192];
	int lengths[100], places[100], before = (rank + size - 1) % size, behind = (rank + 1) % size;
	MPI_Aint addresses[2] = {0, 256};
	MPI_Datatype type[6], parts[2];
	for (int i = 0; i < 100; i++) {
		lengths[i] = 1 + i % 2;
		places[i] = 4 * i;
	}
	MPI_Type_vector(4, 2, 8, MPI_DOUBLE, &type[0]);
	MPI_Type_indexed(2, lengths, places, MPI_INT, &type[1]);
	parts[0] = type[0];
	parts[1] = MPI_INT;
	MPI_Type_create_struct(2, lengths, addresses, parts, &type[2]);
	MPI_Type_create_resized(MPI_FLOAT, -8, 64, &type[3]);
	MPI_Type_indexed(100, lengths, places, MPI_CHAR, &type[4]);
	MPI_Type_contiguous(3, MPI_SHORT, &type[5]);
	MPI_Type_set_name(type[5], "triple");
	for (int t = 0; t < 6; t++) {
		MPI_Type_commit(&type[t]);
		MPI_Sendrecv(in + 1024, 1, type[t], behind, t, out + 1024, 1, type[t], before, t, MPI_COMM_WORLD,
			MPI_STATUS_IGNORE);
	}
	for (int t = 0; t < 6; t++)
		MPI_Type_free(&type[t]);
}

/* Twenty that are told no, each after some work; then many, one behind the other; then yes. */
static void polls(void)
{
	int in, out = rank, flag;
	MPI_Request request;
	MPI_Irecv(&in, 1, MPI_INT, (rank + 1) % size, 5, MPI_COMM_WORLD, &request);
	for (int i = 0; i < 20; i++) {
		MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
		usleep(1000);
	}
	for (int i = 0; i < 200000; i++)
		MPI_Iprobe(MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Send(&out, 1, MPI_INT, (rank + size - 1) % size, 5, MPI_COMM_WORLD);
	do
		MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
	while (!flag);
}

int main(int count, char **argument)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} cases[] = {{"reductions", reductions}, {"exchanges", exchanges}, {"neighbours", neighbours},
		{"completion", completion}, {"types", types}, {"polls", polls}};
	MPI_Init(&count, &argument);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	by = count > 2 ? argument[2] : by;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (count > 1 && !strcmp(cases[i].name, argument[1]))
			cases[i].run();
	MPI_Finalize();
	return 0;
}
