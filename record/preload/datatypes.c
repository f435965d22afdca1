/*
 * datatypes.c -- sizes and names of datatypes, asked for once. Those of the program are called by
 * what they were made of, as MPI tells it: vector[4,2,8,MPI_DOUBLE].
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/text.h"
#include "record/preload/recorder.h"

/* Numbers of a construction that are told one by one; of more, how many they are and a hash: an
   unstructured mesh has one for each of its nodes. */
#define TOLD_MOST 64

static const char *name_of_combiner(int combiner)
{
	switch (combiner) {
	case MPI_COMBINER_DUP:
		return "dup";
	case MPI_COMBINER_CONTIGUOUS:
		return "contiguous";
	case MPI_COMBINER_VECTOR:
		return "vector";
	case MPI_COMBINER_HVECTOR:
		return "hvector";
	case MPI_COMBINER_INDEXED:
		return "indexed";
	case MPI_COMBINER_HINDEXED:
		return "hindexed";
	case MPI_COMBINER_INDEXED_BLOCK:
		return "indexed_block";
	case MPI_COMBINER_HINDEXED_BLOCK:
		return "hindexed_block";
	case MPI_COMBINER_STRUCT:
		return "struct";
	case MPI_COMBINER_SUBARRAY:
		return "subarray";
	case MPI_COMBINER_DARRAY:
		return "darray";
	case MPI_COMBINER_RESIZED:
		return "resized";
	default:
		return "derived";
	}
}

static void put_separator(struct text *to)
{
	if (to->data[to->length - 1] != '[')
		text_char(to, ',');
}

static void put_number(struct text *to, int64_t number)
{
	put_separator(to);
	text_put(to, number < 0 ? "-" : "");
	text_number(to, number < 0 ? -(uint64_t)number : (uint64_t)number);
}

static void put_construction(MPI_Datatype, struct text *);

static void put_contents(MPI_Datatype type, int integers, int addresses, int types, struct text *to)
{
	int *integer = mem_array((size_t)integers + 1, sizeof *integer);
	MPI_Aint *address = mem_array((size_t)addresses + 1, sizeof *address);
	MPI_Datatype *inner = mem_array((size_t)types + 1, sizeof *inner);
	recorder.mpi.Type_get_contents(type, integers, addresses, types, integer, address, inner);
	if (integers + addresses > TOLD_MOST) {
		put_number(to, integers + addresses);
		text_format(to, ":%016llx",
			(unsigned long long)hash_pair(hash_bytes(integer, (size_t)integers * sizeof *integer),
				hash_bytes(address, (size_t)addresses * sizeof *address)));
	}
	for (int i = 0; i < integers && integers + addresses <= TOLD_MOST; i++)
		put_number(to, integer[i]);
	for (int i = 0; i < addresses && integers + addresses <= TOLD_MOST; i++)
		put_number(to, address[i]);
	for (int i = 0; i < types; i++) {
		int a, b, c, combiner = MPI_COMBINER_NAMED;
		put_separator(to);
		put_construction(inner[i], to);
		recorder.mpi.Type_get_envelope(inner[i], &a, &b, &c, &combiner);
		if (combiner != MPI_COMBINER_NAMED)
			recorder.mpi.Type_free(&inner[i]); /* MPI has made it for us */
	}
	free(integer);
	free(address);
	free(inner);
}

static void put_construction(MPI_Datatype type, struct text *to)
{
	char name[MPI_MAX_OBJECT_NAME] = "";
	int integers = 0, addresses = 0, types = 0, combiner = MPI_COMBINER_NAMED, length = 0;
	recorder.mpi.Type_get_envelope(type, &integers, &addresses, &types, &combiner);
	if (combiner == MPI_COMBINER_NAMED || !types) { /* a Fortran type of so many digits has none */
		recorder.mpi.Type_get_name(type, name, &length);
		text_put(to, *name ? name : "derived");
		return;
	}
	text_put(to, name_of_combiner(combiner));
	text_char(to, '[');
	put_contents(type, integers, addresses, types, to);
	text_char(to, ']');
}

static struct datatype *learn(MPI_Datatype type)
{
	struct datatype *d = mem_alloc(sizeof *d);
	char name[MPI_MAX_OBJECT_NAME] = "";
	struct text words = {0};
	int length = 0;
	MPI_Count size = 0;
	recorder.mpi.Type_size_x(type, &size);
	recorder.mpi.Type_get_name(type, name, &length);
	if (*name && strncmp(name, "Dup ", 4) != 0) /* Open MPI's own, of one that was resized */
		text_put(&words, name);
	else
		put_construction(type, &words);
	d->size = size > 0 ? (uint64_t)size : 0;
	d->name = recorder_string("string", words.data);
	text_clear(&words);
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
