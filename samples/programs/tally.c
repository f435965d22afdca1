/*
 * tally.c -- a list of lines and how often each was met; a program has few.
 */
#include "tally.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct line {
	char text[MPI_MAX_OBJECT_NAME + 128];
	long count;
};

static struct line *lines;
static size_t length, capacity;

static int wanted(void)
{
	return getenv("TALLY") != NULL;
}

static void add(const char *text)
{
	size_t i = 0;
	while (i < length && strcmp(lines[i].text, text) != 0)
		i++;
	if (i == capacity) {
		capacity = capacity ? 2 * capacity : 64;
		lines = realloc(lines, capacity * sizeof *lines);
		if (!lines)
			abort();
	}
	if (i == length) {
		snprintf(lines[i].text, sizeof lines[i].text, "%s", text);
		lines[i].count = 0;
		length++;
	}
	lines[i].count++;
}

int tally_come(int flag)
{
	if (!flag)
		usleep(50);
	return flag;
}

static int world_rank(void)
{
	int rank;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	return rank;
}

/* The rank in the world of a rank that messages on this communicator go to. */
static int peer_in_world(int rank, MPI_Comm comm)
{
	int two_sides, in_world;
	MPI_Group world, group;
	MPI_Comm_test_inter(comm, &two_sides);
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	(two_sides ? MPI_Comm_remote_group : MPI_Comm_group)(comm, &group);
	MPI_Group_translate_ranks(group, 1, &rank, world, &in_world);
	MPI_Group_free(&group);
	MPI_Group_free(&world);
	return in_world;
}

static void message(const char *kind, int source, int destination, int tag, long bytes, MPI_Comm comm)
{
	char name[MPI_MAX_OBJECT_NAME], text[sizeof lines->text];
	int n;
	MPI_Comm_get_name(comm, name, &n);
	snprintf(text, sizeof text, "%s\t%d\t%d\t%d\t%ld\t%s", kind, source, destination, tag, bytes, name);
	add(text);
}

static long bytes_of(int count, MPI_Datatype type)
{
	int size;
	MPI_Type_size(type, &size);
	return (long)count * size;
}

void tally_send(int to, int tag, int count, MPI_Datatype type, MPI_Comm comm)
{
	if (wanted() && to != MPI_PROC_NULL)
		message("send", world_rank(), peer_in_world(to, comm), tag, bytes_of(count, type), comm);
}

void tally_recv_from(int from, int tag, int count, MPI_Datatype type, MPI_Comm comm)
{
	if (wanted() && from != MPI_PROC_NULL)
		message("recv", peer_in_world(from, comm), world_rank(), tag, bytes_of(count, type), comm);
}

void tally_recv(const MPI_Status *status, MPI_Comm comm)
{
	int bytes;
	MPI_Get_count(status, MPI_BYTE, &bytes);
	tally_recv_from(status->MPI_SOURCE, status->MPI_TAG, bytes, MPI_BYTE, comm);
}

void tally_collective(const char *operation, MPI_Comm comm)
{
	char name[MPI_MAX_OBJECT_NAME], text[sizeof lines->text];
	int n;
	if (!wanted())
		return;
	MPI_Comm_get_name(comm, name, &n);
	snprintf(text, sizeof text, "collective\t%d\t%s\t%s", world_rank(), operation, name);
	add(text);
}

void tally_write(void)
{
	char path[4096];
	if (!wanted())
		return;
	snprintf(path, sizeof path, "%s.%d", getenv("TALLY"), world_rank());
	FILE *out = fopen(path, "w");
	for (size_t i = 0; out && i < length; i++)
		fprintf(out, "%s\t%ld\n", lines[i].text, lines[i].count);
	if (!out || fclose(out) != 0)
		perror(path);
	free(lines);
	lines = NULL;
	length = capacity = 0;
}
