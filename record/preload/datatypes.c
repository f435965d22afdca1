/*
 * datatypes.c -- sizes and names of datatypes, asked for once.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "record/preload/recorder.h"

static struct datatype *learn(MPI_Datatype type)
{
	struct datatype *d = mem_alloc(sizeof *d);
	char name[MPI_MAX_OBJECT_NAME] = "";
	int length = 0;
	MPI_Count size = 0;
	recorder.mpi.Type_size_x(type, &size);
	recorder.mpi.Type_get_name(type, name, &length);
	d->size = size > 0 ? (uint64_t)size : 0;
	d->name = recorder_string("string", *name ? name : "derived");
	handles_add(&recorder.datatypes, &d->entry, HANDLE_KEY(type));
	return d;
}

const struct datatype *datatype_of(MPI_Datatype type)
{
	if (recorder.last_type && recorder.last_type->entry.key == HANDLE_KEY(type))
		return recorder.last_type;
	struct datatype *d = (struct datatype *)handles_find(&recorder.datatypes, HANDLE_KEY(type));
	recorder.last_type = d ? d : learn(type);
	return recorder.last_type;
}

void datatype_forgotten(MPI_Datatype type)
{
	struct datatype *d = (struct datatype *)handles_find(&recorder.datatypes, HANDLE_KEY(type));
	if (!d)
		return;
	handles_remove(&recorder.datatypes, &d->entry);
	free(d);
	recorder.last_type = NULL;
}

uint64_t bytes_all_int(const int *counts, uint64_t n, MPI_Datatype type)
{
	uint64_t sum = 0;
	for (uint64_t i = 0; i < n; i++)
		sum += (uint64_t)counts[i];
	return n ? sum * datatype_of(type)->size : 0;
}

uint64_t bytes_all_count(const MPI_Count *counts, uint64_t n, MPI_Datatype type)
{
	uint64_t sum = 0;
	for (uint64_t i = 0; i < n; i++)
		sum += (uint64_t)counts[i];
	return n ? sum * datatype_of(type)->size : 0;
}

uint64_t bytes_each_int(const int *counts, const MPI_Datatype *types, uint64_t n)
{
	uint64_t sum = 0;
	for (uint64_t i = 0; i < n; i++)
		sum += bytes_of(counts[i], types[i]);
	return sum;
}

uint64_t bytes_each_count(const MPI_Count *counts, const MPI_Datatype *types, uint64_t n)
{
	uint64_t sum = 0;
	for (uint64_t i = 0; i < n; i++)
		sum += bytes_of(counts[i], types[i]);
	return sum;
}
