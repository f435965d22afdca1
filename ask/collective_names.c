/*
 * collective_names.c -- MPI has no name that begins with MPI_I and means another thing than a
 * posted operation, but of those that are no operations.
 */
#include "ask/collective_names.h"

#include <string.h>

/* No operation has other characters. */
#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"

static bool begins(const char *name, const char *stem)
{
	size_t prefix = strlen("MPI_");
	const char *behind = name + prefix;
	return !strncmp(name, "MPI_", prefix) && !name[strspn(name, LETTERS)] &&
	       (!strncmp(behind, stem, strlen(stem)) || (*behind == 'I' && behind[1] == (*stem | 0x20) &&
								!strncmp(behind + 2, stem + 1, strlen(stem + 1))));
}

enum collective_scope collective_scope(const char *name)
{
	return begins(name, "Neighbor_") ? SCOPE_NEIGHBOURS : begins(name, "Inter_") ? SCOPE_SIDES : SCOPE_GROUP;
}

static const char *const operations[] = {"MPI_Barrier", "MPI_Bcast", "MPI_Reduce", "MPI_Gather", "MPI_Gatherv",
	"MPI_Scatter", "MPI_Scatterv", "MPI_Allreduce", "MPI_Allgather", "MPI_Allgatherv", "MPI_Reduce_scatter",
	"MPI_Reduce_scatter_block", "MPI_Alltoall", "MPI_Alltoallv", "MPI_Alltoallw", "MPI_Scan", "MPI_Exscan"};

bool collective_is_known(const char *name)
{
	bool known = false;
	for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
		known = known || begins(name, operations[i] + strlen("MPI_"));
	return known;
}

const char *collective_operation(const char *name)
{
	for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
		const char *stem = operations[i] + strlen("MPI_");
		if (begins(name, stem) && !strcmp(name + strlen(name) - strlen(stem) + 1, stem + 1))
			return operations[i];
	}
	return name;
}

bool collective_differs_by_peer(const char *name)
{
	const char *operation = collective_operation(name);
	return !strcmp(operation, "MPI_Alltoallv") || !strcmp(operation, "MPI_Alltoallw");
}
