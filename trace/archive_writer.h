/*
 * archive_writer.h -- the definitions of an OTF2 archive, and its anchor; events are written by
 * event_writer.h, into the same directory, before or after.
 *
 *	struct archive_writer *a = archive_writer_open("run.trace", EVENT_CHUNK_USUAL, &error);
 *	uint32_t host = archive_writer_node(a, "node17", "node", ARCHIVE_NO_ID);
 *	archive_writer_process(a, 0, host, "MPI Rank 0", records);
 *	uint32_t group = archive_writer_group(a, members, count);	-- once all processes are defined
 *	uint32_t world = archive_writer_communicator(a, "MPI_COMM_WORLD", group, ARCHIVE_NO_ID);
 *	uint32_t send = archive_writer_region(a, "MPI_Send", ROLE_MESSAGE);
 *	archive_writer_close(a, &clock, &error);
 *
 * Ids are given in the order of definition, from 0; those of locations are ranks. What failed is
 * remembered and told by archive_writer_close.
 */
#ifndef TRACENEST_TRACE_ARCHIVE_WRITER_H
#define TRACENEST_TRACE_ARCHIVE_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define ARCHIVE_NO_ID UINT32_MAX

struct archive_writer;

/* How what archives say of their makers begins, before the version. */
#define ARCHIVE_CREATOR "tracenest "

/* The property of archives that has the calls which moved data and are no events: "40 MPI_Put, 5
   MPI_Get" (notes.h). */
#define ARCHIVE_OMITTED "TRACENEST::OMITTED"

/* The property of archives in which records of a process are of several threads, which have
   numbers. */
#define ARCHIVE_THREADS "TRACENEST::THREADS"

/* The property of archives that has the ids of communicators which are intercommunicators:
   "5 7". */
#define ARCHIVE_BETWEEN "TRACENEST::INTERCOMMUNICATORS"

/* directory: there; the archive is DIRECTORY/traces.otf2. chunk: of the event files. */
struct archive_writer *archive_writer_open(const char *directory, uint64_t chunk, struct error *);

struct archive_clock {
	uint64_t resolution; /* ticks per second */
	uint64_t first, last; /* times of the first and last record */
	uint64_t realtime; /* of the first one, ns since 1970; 0: not known */
};

/* All definitions and the anchor are on disk then. Takes the writer. */
bool archive_writer_close(struct archive_writer *, const struct archive_clock *, struct error *);
void archive_writer_abandon(struct archive_writer *);

void archive_writer_property(struct archive_writer *, const char *name, const char *value);

/* ------------------------------------------------------------------ global definitions */

/* The same text has the same id. */
uint32_t archive_writer_string(struct archive_writer *, const char *text);

/* A node of the system tree below `parent` (ARCHIVE_NO_ID: at the top). class: "machine", "node" */
uint32_t archive_writer_node(struct archive_writer *, const char *name, const char *class, uint32_t parent);

/* A process on a node, and its one location: both have its rank as their id. */
void archive_writer_process(struct archive_writer *, uint32_t rank, uint32_t node, const char *name, uint64_t records);

/* Of region_role of OTF2, those that MPI calls have. */
enum archive_role { ROLE_MESSAGE, ROLE_COLLECTIVE, ROLE_BARRIER, ROLE_FILE, ROLE_ONE_SIDED, ROLE_OTHER };
enum archive_role archive_role_of(const char *name); /* of an MPI call */
uint32_t archive_writer_region(struct archive_writer *, const char *name, enum archive_role);

/* A call that a function makes which was called on the path `caller` (ARCHIVE_NO_ID: nothing called
   it), as a calling context. function: "" if not known. file: NULL if not known; with line 0 it is
   MODULE+0xOFFSET. The same call has the same id. */
uint32_t archive_writer_path(
	struct archive_writer *, uint32_t caller, const char *function, const char *file, uint32_t line);

/* Processes as ranks of the world. The same list has the same id. */
uint32_t archive_writer_group(struct archive_writer *, const uint32_t *rank, uint32_t count);
uint32_t archive_writer_communicator(
	struct archive_writer *, const char *name /* or NULL */, uint32_t group, uint32_t parent);
/* A window, whose communicator is that of no other. */
uint32_t archive_writer_window(struct archive_writer *, uint32_t communicator);
/* The communicator of a process by itself, for all of them. */
uint32_t archive_writer_self(struct archive_writer *);

/* ------------------------------------------------------------------ definitions of a location */

struct archive_clock_offset {
	uint64_t time; /* of this location's clock */
	int64_t offset; /* what is to be added to it */
	double deviation;
};

/* What ids in the events of a location mean: entry i of the tables is what i means (ARCHIVE_NO_ID:
   itself); and its clock. Once per location, in any order. */
struct archive_local {
	uint32_t location;
	const uint32_t *string, *region, *communicator, *path;
	const uint32_t *window; /* by communicator; NULL: none is one of a window */
	uint32_t strings, regions, communicators, paths;
	const struct archive_clock_offset *offset;
	size_t offsets;
};
void archive_writer_local(struct archive_writer *, const struct archive_local *);

#endif
