/*
 * mpi_counter.c -- a second opinion on what a program sends: a library to be preloaded, before the
 * recorder or alone, that shares nothing with it.
 *
 * Where COUNTER is set, rank R writes to "$COUNTER.R" when it calls MPI_Finalize:
 *
 *	send		SOURCE	DESTINATION	TAG	BYTES	HOW OFTEN
 *	collective	PROCESS	OPERATION	SIZE OF THE COMMUNICATOR	HOW OFTEN
 *
 * It knows nothing of prototypes: on the machines that we test on, an argument is a register or a
 * slot of eight bytes on the stack, so that thirteen words are passed on whatever they mean.
 * Requests are not followed: of persistent messages it knows nothing, and what is received is what
 * was sent, which others check.
 */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef long word;
#define ARGUMENTS                                                                                                      \
	word a0, word a1, word a2, word a3, word a4, word a5, word a6, word a7, word a8, word a9, word a10, word a11,  \
		word a12
#define PASSED a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12

static struct line {
	char text[100];
	long count;
} * lines;
static size_t length;
static __thread int inside; /* MPI calls itself: what the program called counts */

static void count(const char *text)
{
	size_t i = 0;
	while (i < length && strcmp(lines[i].text, text) != 0)
		i++;
	if (i == length) {
		lines = realloc(lines, ++length * sizeof *lines);
		strcpy(lines[i].text, text);
		lines[i].count = 0;
	}
	lines[i].count++;
}

static int in_world(int rank, MPI_Comm comm)
{
	int inter, world_rank;
	MPI_Group world, group;
	PMPI_Comm_test_inter(comm, &inter);
	(inter ? PMPI_Comm_remote_group : PMPI_Comm_group)(comm, &group);
	PMPI_Comm_group(MPI_COMM_WORLD, &world);
	PMPI_Group_translate_ranks(group, 1, &rank, world, &world_rank);
	PMPI_Group_free(&group);
	PMPI_Group_free(&world);
	return world_rank;
}

static int me(void)
{
	int rank;
	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	return rank;
}

static void count_send(int number, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
	char text[100];
	int size;
	if (to == MPI_PROC_NULL)
		return;
	PMPI_Type_size(type, &size);
	snprintf(text, sizeof text, "send\t%d\t%d\t%d\t%ld", me(), in_world(to, comm), tag, (long)number * size);
	count(text);
}

static void count_collective(const char *operation, MPI_Comm comm)
{
	char text[100];
	int size, inter, others = 0;
	PMPI_Comm_size(comm, &size);
	PMPI_Comm_test_inter(comm, &inter);
	if (inter)
		PMPI_Comm_remote_size(comm, &others);
	size += others;
	snprintf(text, sizeof text, "collective\t%d\t%s\t%d", me(), operation, size);
	count(text);
}

static void write_down(void)
{
	char path[4096];
	snprintf(path, sizeof path, "%s.%d", getenv("COUNTER") ? getenv("COUNTER") : "/dev/null", me());
	FILE *out = getenv("COUNTER") ? fopen(path, "w") : NULL;
	for (size_t i = 0; out && i < length; i++)
		fprintf(out, "%s\t%ld\n", lines[i].text, lines[i].count);
	if (out)
		fclose(out);
}

#define WRAP(symbol, counting)                                                                                         \
	word own_##symbol(ARGUMENTS) __asm__(#symbol);                                                                 \
	word own_##symbol(ARGUMENTS)                                                                                   \
	{                                                                                                              \
		static word (*next)(ARGUMENTS);                                                                        \
		if (!next)                                                                                             \
			next = (word(*)(ARGUMENTS))dlsym(RTLD_NEXT, #symbol);                                          \
		if (inside++ == 0)                                                                                     \
			counting;                                                                                      \
		word result = next(PASSED);                                                                            \
		inside--;                                                                                              \
		return result;                                                                                         \
	}

/* Fortran passes the address of everything, and handles as numbers. */
#define INT(a) (*(int *)(a))
#define TYPE(a) PMPI_Type_f2c(INT(a))
#define COMM(a) PMPI_Comm_f2c(INT(a))

/* clang-format off */
#define SEND(name, lower) \
	WRAP(MPI_##name, count_send((int)a1, (MPI_Datatype)a2, (int)a3, (int)a4, (MPI_Comm)a5)) \
	WRAP(mpi_##lower##_, count_send(INT(a1), TYPE(a2), INT(a3), INT(a4), COMM(a5)))
SEND(Send, send) SEND(Bsend, bsend) SEND(Ssend, ssend) SEND(Rsend, rsend)
SEND(Isend, isend) SEND(Ibsend, ibsend) SEND(Issend, issend) SEND(Irsend, irsend)
WRAP(MPI_Sendrecv, count_send((int)a1, (MPI_Datatype)a2, (int)a3, (int)a4, (MPI_Comm)a10))
WRAP(mpi_sendrecv_, count_send(INT(a1), TYPE(a2), INT(a3), INT(a4), COMM(a10)))
WRAP(MPI_Sendrecv_replace, count_send((int)a1, (MPI_Datatype)a2, (int)a3, (int)a4, (MPI_Comm)a7))
WRAP(mpi_sendrecv_replace_, count_send(INT(a1), TYPE(a2), INT(a3), INT(a4), COMM(a7)))

/* Which argument the communicator is. */
#define COLLECTIVE(name, lower, comm) \
	WRAP(MPI_##name, count_collective("MPI_" #name, (MPI_Comm)comm)) \
	WRAP(MPI_I##lower, count_collective("MPI_" #name, (MPI_Comm)comm)) \
	WRAP(mpi_##lower##_, count_collective("MPI_" #name, COMM(comm)))
COLLECTIVE(Barrier, barrier, a0) COLLECTIVE(Bcast, bcast, a4) COLLECTIVE(Reduce, reduce, a6) COLLECTIVE(Allreduce, allreduce, a5)
COLLECTIVE(Gather, gather, a7) COLLECTIVE(Gatherv, gatherv, a8) COLLECTIVE(Scatter, scatter, a7) COLLECTIVE(Scatterv, scatterv, a8)
COLLECTIVE(Allgather, allgather, a6) COLLECTIVE(Allgatherv, allgatherv, a7) COLLECTIVE(Alltoall, alltoall, a6)
COLLECTIVE(Alltoallv, alltoallv, a8) COLLECTIVE(Alltoallw, alltoallw, a8) COLLECTIVE(Scan, scan, a5) COLLECTIVE(Exscan, exscan, a5)
COLLECTIVE(Reduce_scatter, reduce_scatter, a5) COLLECTIVE(Reduce_scatter_block, reduce_scatter_block, a5)
WRAP(MPI_Neighbor_allgather, count_collective("MPI_Allgather", (MPI_Comm)a6))
WRAP(MPI_Finalize, write_down())
WRAP(mpi_finalize_, write_down())
