/*
 * names.c -- what the names of regions and the numbers of operations say about MPI calls.
 *
 * One call goes by many names: MPI_Waitall (C), mpi_waitall_ and MPI_WAITALL (Fortran),
 * MPI_Waitall_f08, MPI_Waitall_c (large counts), PMPI_Waitall, "MPI_Waitall()" (TAU). The stem of
 * them all is "waitall".
 */
#include "trace/names.h"

#include <ctype.h>
#include <otf2/otf2.h>
#include <string.h>
#include <strings.h>

#define STEM_ROOM 40

static const struct {
	uint32_t operation;
	bool blocking_call; /* also a call of that name that all processes of a communicator make */
	const char *name;
} operations[] = {
	{OTF2_COLLECTIVE_OP_BARRIER, true, "MPI_Barrier"},
	{OTF2_COLLECTIVE_OP_BCAST, true, "MPI_Bcast"},
	{OTF2_COLLECTIVE_OP_GATHER, true, "MPI_Gather"},
	{OTF2_COLLECTIVE_OP_GATHERV, true, "MPI_Gatherv"},
	{OTF2_COLLECTIVE_OP_SCATTER, true, "MPI_Scatter"},
	{OTF2_COLLECTIVE_OP_SCATTERV, true, "MPI_Scatterv"},
	{OTF2_COLLECTIVE_OP_ALLGATHER, true, "MPI_Allgather"},
	{OTF2_COLLECTIVE_OP_ALLGATHERV, true, "MPI_Allgatherv"},
	{OTF2_COLLECTIVE_OP_ALLTOALL, true, "MPI_Alltoall"},
	{OTF2_COLLECTIVE_OP_ALLTOALLV, true, "MPI_Alltoallv"},
	{OTF2_COLLECTIVE_OP_ALLTOALLW, true, "MPI_Alltoallw"},
	{OTF2_COLLECTIVE_OP_ALLREDUCE, true, "MPI_Allreduce"},
	{OTF2_COLLECTIVE_OP_REDUCE, true, "MPI_Reduce"},
	{OTF2_COLLECTIVE_OP_REDUCE_SCATTER, true, "MPI_Reduce_scatter"},
	{OTF2_COLLECTIVE_OP_SCAN, true, "MPI_Scan"},
	{OTF2_COLLECTIVE_OP_EXSCAN, true, "MPI_Exscan"},
	{OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK, true, "MPI_Reduce_scatter_block"},
	{OTF2_COLLECTIVE_OP_CREATE_HANDLE, false, "MPI_Create_handle"},
	{OTF2_COLLECTIVE_OP_DESTROY_HANDLE, false, "MPI_Destroy_handle"},
	{OTF2_COLLECTIVE_OP_ALLOCATE, false, "MPI_Allocate"},
	{OTF2_COLLECTIVE_OP_DEALLOCATE, false, "MPI_Deallocate"},
	{OTF2_COLLECTIVE_OP_CREATE_HANDLE_AND_ALLOCATE, false, "MPI_Create_handle_and_allocate"},
	{OTF2_COLLECTIVE_OP_DESTROY_HANDLE_AND_DEALLOCATE, false, "MPI_Destroy_handle_and_deallocate"},
};

/* What follows "MPI_" or "PMPI_"; NULL if the name does not begin so. */
static const char *behind_prefix(const char *region)
{
	if (*region == 'P' || *region == 'p')
		region++;
	return strncasecmp(region, "mpi_", 4) ? NULL : region + 4;
}

static size_t without_suffix(const char *stem, size_t length)
{
	static const char *const suffixes[] = {"_f08ts", "_f08", "_f", "_c"};
	while (length && stem[length - 1] == '_')
		length--;
	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
		size_t cut = strlen(suffixes[i]);
		if (length > cut && !strncasecmp(stem + length - cut, suffixes[i], cut))
			return length - cut;
	}
	return length;
}

/* "waitall"; the empty string where there is none. */
static const char *stem_of(const char *region, char stem[STEM_ROOM])
{
	const char *start = behind_prefix(region);
	size_t length = 0;
	while (start && (isalnum((unsigned char)start[length]) || start[length] == '_'))
		length++;
	length = start ? without_suffix(start, length) : 0;
	if (length >= STEM_ROOM)
		length = 0;
	for (size_t i = 0; i < length; i++)
		stem[i] = (char)tolower((unsigned char)start[i]);
	stem[length] = 0;
	return stem;
}

bool name_is_mpi(const char *region)
{
	return behind_prefix(region) != NULL;
}

void name_standard(const char *region, struct text *out)
{
	char room[STEM_ROOM];
	const char *stem = stem_of(region, room);
	if (*stem)
		text_format(out, "MPI_%c%s", toupper((unsigned char)*stem), stem + 1);
	else
		text_put(out, region);
}

bool name_is_main(const char *region)
{
	static const char *const names[] = {
		"main", "MAIN__", "main_", "taupreload_main", "program", "Working", "EZTrace finalize"};
	bool is = !strncmp(region, "int main(", 9);
	for (size_t i = 0; i < sizeof names / sizeof *names && !is; i++)
		is = !strcmp(region, names[i]);
	return is;
}

enum name_sort name_sort(const char *region)
{
	char room[STEM_ROOM];
	const char *stem = stem_of(region, room);
	if (!strcmp(stem, "init") || !strcmp(stem, "init_thread"))
		return NAME_BEGINS;
	if (!strcmp(stem, "finalize"))
		return NAME_ENDS;
	return strncmp(stem, "file_", 5) ? NAME_COMMUNICATES : NAME_FILE;
}

static bool is_one_of(const char *region, const char *const *calls)
{
	char room[STEM_ROOM];
	const char *stem = stem_of(region, room);
	while (*calls && strcmp(stem, *calls) != 0)
		calls++;
	return *calls;
}

bool name_completes_several(const char *region)
{
	return is_one_of(region, (const char *const[]){"waitall", "waitsome", "testall", "testsome", NULL});
}

bool name_completes_some(const char *region)
{
	return is_one_of(region, (const char *const[]){"waitany", "waitsome", "test", "testany", "testsome", NULL});
}

const char *name_of_collective_region(const char *region)
{
	char room[STEM_ROOM];
	const char *stem = stem_of(region, room);
	for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
		if (operations[i].blocking_call && !strcasecmp(stem, operations[i].name + 4))
			return operations[i].name;
	return NULL;
}

/* Only calls that are whole in themselves leave records: what MPI_Start begins, or a non-blocking
   collective, many recorders tell elsewhere or never. */
static const struct {
	const char *name;
	enum { CALL_PASSES, CALL_COLLECTIVE, CALL_POSTS, CALL_STARTS, CALL_COMPLETES, CALL_MOVES } sort;
} calls[] = {
	{"MPI_Send", CALL_PASSES},
	{"MPI_Bsend", CALL_PASSES},
	{"MPI_Ssend", CALL_PASSES},
	{"MPI_Rsend", CALL_PASSES},
	{"MPI_Isend", CALL_PASSES},
	{"MPI_Ibsend", CALL_PASSES},
	{"MPI_Issend", CALL_PASSES},
	{"MPI_Irsend", CALL_PASSES},
	{"MPI_Recv", CALL_PASSES},
	{"MPI_Mrecv", CALL_PASSES},
	{"MPI_Sendrecv", CALL_PASSES},
	{"MPI_Sendrecv_replace", CALL_PASSES},
	{"MPI_Irecv", CALL_POSTS},
	{"MPI_Imrecv", CALL_POSTS},
	{"MPI_Mprobe", CALL_POSTS},
	{"MPI_Improbe", CALL_POSTS},
	{"MPI_Start", CALL_STARTS},
	{"MPI_Startall", CALL_STARTS},
	{"MPI_Isendrecv", CALL_POSTS},
	{"MPI_Isendrecv_replace", CALL_POSTS},
	{"MPI_Barrier", CALL_COLLECTIVE},
	{"MPI_Bcast", CALL_COLLECTIVE},
	{"MPI_Gather", CALL_COLLECTIVE},
	{"MPI_Gatherv", CALL_COLLECTIVE},
	{"MPI_Scatter", CALL_COLLECTIVE},
	{"MPI_Scatterv", CALL_COLLECTIVE},
	{"MPI_Allgather", CALL_COLLECTIVE},
	{"MPI_Allgatherv", CALL_COLLECTIVE},
	{"MPI_Alltoall", CALL_COLLECTIVE},
	{"MPI_Alltoallv", CALL_COLLECTIVE},
	{"MPI_Alltoallw", CALL_COLLECTIVE},
	{"MPI_Allreduce", CALL_COLLECTIVE},
	{"MPI_Reduce", CALL_COLLECTIVE},
	{"MPI_Reduce_scatter", CALL_COLLECTIVE},
	{"MPI_Reduce_scatter_block", CALL_COLLECTIVE},
	{"MPI_Scan", CALL_COLLECTIVE},
	{"MPI_Exscan", CALL_COLLECTIVE},
	{"MPI_Neighbor_allgather", CALL_COLLECTIVE},
	{"MPI_Neighbor_allgatherv", CALL_COLLECTIVE},
	{"MPI_Neighbor_alltoall", CALL_COLLECTIVE},
	{"MPI_Neighbor_alltoallv", CALL_COLLECTIVE},
	{"MPI_Neighbor_alltoallw", CALL_COLLECTIVE},
	{"MPI_Wait", CALL_COMPLETES},
	{"MPI_Waitall", CALL_COMPLETES},
	{"MPI_Waitany", CALL_COMPLETES},
	{"MPI_Waitsome", CALL_COMPLETES},
	{"MPI_Test", CALL_COMPLETES},
	{"MPI_Testall", CALL_COMPLETES},
	{"MPI_Testany", CALL_COMPLETES},
	{"MPI_Testsome", CALL_COMPLETES},
	{"MPI_Accumulate", CALL_MOVES},
	{"MPI_Compare_and_swap", CALL_MOVES},
	{"MPI_Fetch_and_op", CALL_MOVES},
	{"MPI_Get", CALL_MOVES},
	{"MPI_Get_accumulate", CALL_MOVES},
	{"MPI_Put", CALL_MOVES},
	{"MPI_Raccumulate", CALL_MOVES},
	{"MPI_Rget", CALL_MOVES},
	{"MPI_Rget_accumulate", CALL_MOVES},
	{"MPI_Rput", CALL_MOVES},
	{"MPI_File_read", CALL_MOVES},
	{"MPI_File_read_all", CALL_MOVES},
	{"MPI_File_read_all_begin", CALL_MOVES},
	{"MPI_File_read_at", CALL_MOVES},
	{"MPI_File_read_at_all", CALL_MOVES},
	{"MPI_File_read_at_all_begin", CALL_MOVES},
	{"MPI_File_read_ordered", CALL_MOVES},
	{"MPI_File_read_ordered_begin", CALL_MOVES},
	{"MPI_File_read_shared", CALL_MOVES},
	{"MPI_File_iread", CALL_MOVES},
	{"MPI_File_iread_all", CALL_MOVES},
	{"MPI_File_iread_at", CALL_MOVES},
	{"MPI_File_iread_at_all", CALL_MOVES},
	{"MPI_File_iread_shared", CALL_MOVES},
	{"MPI_File_write", CALL_MOVES},
	{"MPI_File_write_all", CALL_MOVES},
	{"MPI_File_write_all_begin", CALL_MOVES},
	{"MPI_File_write_at", CALL_MOVES},
	{"MPI_File_write_at_all", CALL_MOVES},
	{"MPI_File_write_at_all_begin", CALL_MOVES},
	{"MPI_File_write_ordered", CALL_MOVES},
	{"MPI_File_write_ordered_begin", CALL_MOVES},
	{"MPI_File_write_shared", CALL_MOVES},
	{"MPI_File_iwrite", CALL_MOVES},
	{"MPI_File_iwrite_all", CALL_MOVES},
	{"MPI_File_iwrite_at", CALL_MOVES},
	{"MPI_File_iwrite_at_all", CALL_MOVES},
	{"MPI_File_iwrite_shared", CALL_MOVES},
};
_Static_assert(sizeof calls / sizeof *calls <= TRACE_NO_CALL, "a number for each call");

unsigned name_of_call(const char *region)
{
	char room[STEM_ROOM];
	const char *stem = stem_of(region, room);
	for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++)
		if (!strcasecmp(stem, calls[i].name + 4))
			return i;
	return TRACE_NO_CALL;
}

const char *call_name(unsigned call)
{
	return call < sizeof calls / sizeof *calls ? calls[call].name : NULL;
}

bool call_completes(unsigned call)
{
	return call_name(call) && calls[call].sort == CALL_COMPLETES;
}

bool call_only_posts(unsigned call)
{
	return call_name(call) && calls[call].sort == CALL_POSTS;
}

bool call_is_collective(unsigned call)
{
	return call_name(call) && calls[call].sort == CALL_COLLECTIVE;
}

bool call_starts(unsigned call)
{
	return call_name(call) && calls[call].sort == CALL_STARTS;
}

bool call_moves(unsigned call)
{
	return call_name(call) && calls[call].sort == CALL_MOVES;
}

const char *name_of_operation(uint32_t operation)
{
	for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
		if (operations[i].operation == operation)
			return operations[i].name;
	return NULL;
}
