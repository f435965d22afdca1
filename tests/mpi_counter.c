/*
 * mpi_counter.c -- a second opinion on what a program sends: a library to be preloaded, before the
 * recorder or alone, that shares nothing with it.
 *
 * Where COUNTER is set, rank R writes to "$COUNTER.R" when it calls MPI_Finalize:
 *
 *	send		SOURCE	DESTINATION	TAG	BYTES	COMMUNICATOR	HOW OFTEN
 *	collective	PROCESS	OPERATION	COMMUNICATOR	HOW OFTEN
 *	call		PROCESS	FUNCTION	HOW OFTEN
 *
 * the last ones, of functions that pass on messages, where COUNTER_CALLS is set.
 *
 * A communicator is "0,2#1": the processes of the world that are in it, ascending, and how many
 * others of the same processes this one has used before.
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

enum { TEXT = 1000 };

static struct line {
	char text[TEXT];
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

/* Ranks of the group in the world; returns how many. */
static int in_world(int (*group_of)(MPI_Comm, MPI_Group *), MPI_Comm comm, int *rank)
{
	MPI_Group world, group;
	int size;
	PMPI_Comm_group(MPI_COMM_WORLD, &world);
	group_of(comm, &group);
	PMPI_Group_size(group, &size);
	int *own = malloc((size_t)size * sizeof *own);
	for (int i = 0; i < size; i++)
		own[i] = i;
	PMPI_Group_translate_ranks(group, size, own, world, rank);
	free(own);
	PMPI_Group_free(&group);
	PMPI_Group_free(&world);
	return size;
}

static int ascending(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* An attribute of the communicator: handles are used again. */
static const char *name(MPI_Comm comm)
{
	static int key = MPI_KEYVAL_INVALID;
	static struct used {
		char members[TEXT / 2];
		struct used *before;
	} * used;
	char *known;
	int found, inter, rank[1024], before = 0;
	if (key == MPI_KEYVAL_INVALID)
		PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
	PMPI_Comm_get_attr(comm, key, &known, &found);
	if (found)
		return known;
	PMPI_Comm_test_inter(comm, &inter);
	int size = in_world(PMPI_Comm_group, comm, rank);
	if (inter)
		size += in_world(PMPI_Comm_remote_group, comm, rank + size);
	qsort(rank, (size_t)size, sizeof *rank, ascending);
	struct used *u = malloc(sizeof *u);
	size_t at = 0;
	for (int i = 0; i < size; i++)
		at += (size_t)snprintf(u->members + at, sizeof u->members - at, i ? ",%d" : "%d", rank[i]);
	for (const struct used *other = used; other; other = other->before)
		before += !strcmp(other->members, u->members);
	u->before = used;
	used = u;
	known = malloc(TEXT);
	snprintf(known, TEXT, "%s#%d", u->members, before);
	PMPI_Comm_set_attr(comm, key, known);
	return known;
}

static int me(void)
{
	int rank;
	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	return rank;
}

static void count_send(int number, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
	char text[TEXT];
	int size, inter, rank[1024];
	if (to == MPI_PROC_NULL)
		return;
	PMPI_Type_size(type, &size);
	PMPI_Comm_test_inter(comm, &inter);
	in_world(inter ? PMPI_Comm_remote_group : PMPI_Comm_group, comm, rank);
	snprintf(text, sizeof text, "send\t%d\t%d\t%d\t%ld\t%s", me(), rank[to], tag, (long)number * size, name(comm));
	count(text);
}

static void count_call(const char *function)
{
	char text[TEXT];
	if (!getenv("COUNTER_CALLS"))
		return;
	snprintf(text, sizeof text, "call\t%d\tMPI_%s", me(), function);
	count(text);
}

static void count_collective(const char *operation, MPI_Comm comm)
{
	char text[TEXT];
	snprintf(text, sizeof text, "collective\t%d\t%s\t%s", me(), operation, name(comm));
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
	WRAP(MPI_##name, (count_call(#name), count_send((int)a1, (MPI_Datatype)a2, (int)a3, (int)a4, (MPI_Comm)a5))) \
	WRAP(mpi_##lower##_, count_send(INT(a1), TYPE(a2), INT(a3), INT(a4), COMM(a5)))
SEND(Send, send) SEND(Bsend, bsend) SEND(Ssend, ssend) SEND(Rsend, rsend)
SEND(Isend, isend) SEND(Ibsend, ibsend) SEND(Issend, issend) SEND(Irsend, irsend)
WRAP(MPI_Recv, count_call("Recv"))
WRAP(MPI_Irecv, count_call("Irecv"))
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
