/*
 * archive_writer.c -- definitions through the OTF2 library.
 */
#include "trace/archive_writer.h"

#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "base/text.h"
#include "trace/event_writer.h"
#include "trace/otf2.h"

struct archive_writer {
	OTF2_Archive *archive;
	OTF2_GlobalDefWriter *global;
	char *anchor;
	struct library_call call;
	struct intern *strings, *groups;
	struct intern *functions, *places, *paths; /* of calls: regions, source code locations, both and the caller */
	uint32_t *function; /* region */
	size_t function_capacity;
	uint32_t nodes, communicators, windows, processes, regions;
	bool fixed; /* groups that every archive has */
	uint32_t *rank; /* of the processes, in the order of definition */
	size_t rank_capacity;
	char failure[256]; /* the first one, in the library's words */
};

static void check(struct archive_writer *a, OTF2_ErrorCode code)
{
	if (code != OTF2_SUCCESS && !a->failure[0])
		snprintf(a->failure, sizeof a->failure, "%s", library_words());
}

/* ------------------------------------------------------------------ begin and end */

#define GROUP_LOCATIONS 0 /* all locations of MPI: what ranks of the world are counted in */
#define GROUP_SELF 1
#define GROUP_FIRST 2

const struct event_attribute_row event_attribute_rows[ATTRIBUTES] = {
	[ATTRIBUTE_SITE] = {"site", "where in the program the call is", OTF2_TYPE_STRING},
	[ATTRIBUTE_TYPE] = {"type", "MPI datatype", OTF2_TYPE_STRING},
	[ATTRIBUTE_COUNT] = {"count", "elements of this type", OTF2_TYPE_UINT64},
	[ATTRIBUTE_REQUEST] = {"request", "number of the call that posted it", OTF2_TYPE_UINT64},
	[ATTRIBUTE_POSTED_SOURCE] = {"posted_source", "-1: posted for any source", OTF2_TYPE_INT32},
	[ATTRIBUTE_POSTED_TAG] = {"posted_tag", "-1: posted for any tag", OTF2_TYPE_INT32},
	[ATTRIBUTE_PATH] = {"path", "who called the site", OTF2_TYPE_CALLING_CONTEXT},
	[ATTRIBUTE_KEPT] = {"kept", "the calls on the path that may have been under way at the event before",
		OTF2_TYPE_CALLING_CONTEXT},
	[ATTRIBUTE_THREAD] = {"thread", "another thread than the first", OTF2_TYPE_UINT32},
	[ATTRIBUTE_PREEMPTED] = {"preempted", "ns between the call before and this one without a core",
		OTF2_TYPE_UINT64},
	[ATTRIBUTE_COMMUNICATOR] = {"communicator", "that a collective begins on", OTF2_TYPE_COMM},
	[ATTRIBUTE_OPERATION] = {"op", "of a reduction", OTF2_TYPE_STRING},
	[ATTRIBUTE_TO] = {"to", "neighbours, each with the bytes for it", OTF2_TYPE_STRING},
	[ATTRIBUTE_FROM] = {"from", "neighbours, each with the bytes of it", OTF2_TYPE_STRING},
	[ATTRIBUTE_BYTES_BY_MEMBER] = {"bytes[q]", "for each member of the communicator, in its order",
		OTF2_TYPE_STRING},
	[ATTRIBUTE_DISPLACEMENT] = {"disp", "in the window of the target, in its units", OTF2_TYPE_INT64},
	[ATTRIBUTE_SIZE] = {"size", "bytes that this process has of the window", OTF2_TYPE_UINT64},
	[ATTRIBUTE_UNIT] = {"unit", "bytes of a displacement", OTF2_TYPE_UINT64},
	[ATTRIBUTE_LOCK] = {"lock", "shared or exclusive", OTF2_TYPE_STRING},
	[ATTRIBUTE_GROUP] = {"group", "ranks that an epoch is of", OTF2_TYPE_STRING},
};

static void define_attributes(struct archive_writer *a)
{
	for (uint32_t i = 0; i < ATTRIBUTES; i++) {
		const struct event_attribute_row *row = &event_attribute_rows[i];
		uint32_t name = archive_writer_string(a, row->name);
		uint32_t description = archive_writer_string(a, row->description);
		check(a, OTF2_GlobalDefWriter_WriteAttribute(a->global, i, name, description, (OTF2_Type)row->type));
	}
}

static bool start(struct archive_writer *a, const char *directory, uint64_t chunk)
{
	a->archive = library_archive(directory, chunk, EVENT_CHUNK_USUAL);
	if (!a->archive)
		return false;
	check(a, OTF2_Archive_SetCreator(a->archive, ARCHIVE_CREATOR TRACENEST_VERSION));
	check(a, OTF2_Archive_OpenDefFiles(a->archive));
	a->global = OTF2_Archive_GetGlobalDefWriter(a->archive);
	return a->global && !a->failure[0];
}

void archive_writer_property(struct archive_writer *a, const char *name, const char *value)
{
	check(a, OTF2_Archive_SetProperty(a->archive, name, value, true));
}

static void finish(struct archive_writer *a)
{
	library_leave();
	intern_free(a->strings);
	intern_free(a->groups);
	intern_free(a->functions);
	intern_free(a->places);
	intern_free(a->paths);
	free(a->function);
	free(a->rank);
	free(a->anchor);
	free(a);
}

struct archive_writer *archive_writer_open(const char *directory, uint64_t chunk, struct error *error)
{
	struct archive_writer *a = mem_zero(sizeof *a);
	struct text anchor = {0};
	text_format(&anchor, "%s/traces.otf2", directory);
	a->anchor = anchor.data;
	a->call.path = a->anchor;
	a->strings = intern_new();
	a->groups = intern_new();
	a->functions = intern_new();
	a->places = intern_new();
	a->paths = intern_new();
	library_listen();
	library_enter(&a->call);
	if (start(a, directory, chunk)) {
		archive_writer_string(a, "");
		define_attributes(a);
		return a;
	}
	error_set(error, ERROR_INPUT, "%s: cannot be written: %s", a->anchor, library_words());
	finish(a);
	return NULL;
}

bool archive_writer_close(struct archive_writer *a, const struct archive_clock *clock, struct error *error)
{
	uint64_t length = clock->last > clock->first ? clock->last - clock->first : 0;
	check(a, OTF2_GlobalDefWriter_WriteClockProperties(a->global, clock->resolution, clock->first, length,
			 clock->realtime ? clock->realtime : OTF2_UNDEFINED_TIMESTAMP));
	check(a, OTF2_Archive_CloseDefFiles(a->archive));
	check(a, OTF2_Archive_Close(a->archive));
	bool good = !a->failure[0] && !library_complained();
	if (!good)
		error_set(error, ERROR_INPUT, "%s: cannot be written: %s", a->anchor,
			a->failure[0] ? a->failure : library_words());
	finish(a);
	return good;
}

/* The anchor is written when an archive is closed; this one is not. */
void archive_writer_abandon(struct archive_writer *a)
{
	if (a)
		finish(a);
}

/* ------------------------------------------------------------------ global definitions */

uint32_t archive_writer_string(struct archive_writer *a, const char *text)
{
	uint32_t known = intern_count(a->strings), id = intern_id(a->strings, text, strlen(text));
	if (id == known)
		check(a, OTF2_GlobalDefWriter_WriteString(a->global, id, text));
	return id;
}

uint32_t archive_writer_node(struct archive_writer *a, const char *name, const char *class, uint32_t parent)
{
	uint32_t name_id = archive_writer_string(a, name), class_id = archive_writer_string(a, class);
	check(a, OTF2_GlobalDefWriter_WriteSystemTreeNode(a->global, a->nodes, name_id, class_id, parent));
	return a->nodes++;
}

void archive_writer_process(struct archive_writer *a, uint32_t rank, uint32_t node, const char *name, uint64_t records)
{
	uint32_t name_id = archive_writer_string(a, name), thread = archive_writer_string(a, "Master thread");
	check(a, OTF2_GlobalDefWriter_WriteLocationGroup(a->global, rank, name_id, OTF2_LOCATION_GROUP_TYPE_PROCESS,
			 node, OTF2_UNDEFINED_LOCATION_GROUP));
	check(a, OTF2_GlobalDefWriter_WriteLocation(
			 a->global, rank, thread, OTF2_LOCATION_TYPE_CPU_THREAD, records, rank));
	*MEM_PUSH(a->rank, a->processes, a->rank_capacity) = rank;
}

enum archive_role archive_role_of(const char *name)
{
	static const struct {
		const char *part;
		enum archive_role role;
	} roles[] = {{"_File_", ROLE_FILE}, {"_Win_", ROLE_ONE_SIDED}, {"Put", ROLE_ONE_SIDED}, {"put", ROLE_ONE_SIDED},
		{"Get", ROLE_ONE_SIDED}, {"_Rget", ROLE_ONE_SIDED}, {"ccumulate", ROLE_ONE_SIDED},
		{"_and_", ROLE_ONE_SIDED}, {"arrier", ROLE_BARRIER}, {"send", ROLE_MESSAGE}, {"Send", ROLE_MESSAGE},
		{"recv", ROLE_MESSAGE}, {"Recv", ROLE_MESSAGE}, {"Wait", ROLE_MESSAGE}, {"Test", ROLE_MESSAGE},
		{"robe", ROLE_MESSAGE}, {"Start", ROLE_MESSAGE}, {"Pready", ROLE_MESSAGE}, {"_Comm_", ROLE_COLLECTIVE},
		{"cast", ROLE_COLLECTIVE}, {"ather", ROLE_COLLECTIVE}, {"catter", ROLE_COLLECTIVE},
		{"lltoall", ROLE_COLLECTIVE}, {"educe", ROLE_COLLECTIVE}, {"can", ROLE_COLLECTIVE}};
	for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
		if (strstr(name, roles[i].part))
			return roles[i].role;
	return ROLE_OTHER;
}

static uint32_t write_region(struct archive_writer *a, const char *name, OTF2_RegionRole role, OTF2_Paradigm paradigm)
{
	uint32_t name_id = archive_writer_string(a, name);
	uint32_t file = archive_writer_string(a, paradigm == OTF2_PARADIGM_MPI ? "MPI" : "");
	check(a, OTF2_GlobalDefWriter_WriteRegion(a->global, a->regions, name_id, name_id, 0, role, paradigm,
			 OTF2_REGION_FLAG_NONE, file, 0, 0));
	return a->regions++;
}

uint32_t archive_writer_region(struct archive_writer *a, const char *name, enum archive_role role)
{
	static const OTF2_RegionRole roles[] = {[ROLE_MESSAGE] = OTF2_REGION_ROLE_POINT2POINT,
		[ROLE_COLLECTIVE] = OTF2_REGION_ROLE_COLL_OTHER,
		[ROLE_BARRIER] = OTF2_REGION_ROLE_BARRIER,
		[ROLE_FILE] = OTF2_REGION_ROLE_FILE_IO,
		[ROLE_ONE_SIDED] = OTF2_REGION_ROLE_RMA,
		[ROLE_OTHER] = OTF2_REGION_ROLE_FUNCTION};
	return write_region(a, name, roles[role], OTF2_PARADIGM_MPI);
}

/* ------------------------------------------------------------------ paths */

static uint32_t function_region(struct archive_writer *a, const char *name)
{
	uint32_t known = intern_count(a->functions), id = intern_id(a->functions, name, strlen(name));
	a->function = mem_grow(a->function, &a->function_capacity, (size_t)id + 1, sizeof *a->function);
	if (id == known)
		a->function[id] = write_region(a, name, OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_SAMPLING);
	return a->function[id];
}

static uint32_t place_of(struct archive_writer *a, const char *file, uint32_t line)
{
	if (!file)
		return OTF2_UNDEFINED_SOURCE_CODE_LOCATION;
	uint32_t key[] = {archive_writer_string(a, file), line};
	uint32_t known = intern_count(a->places), id = intern_id(a->places, key, sizeof key);
	if (id == known)
		check(a, OTF2_GlobalDefWriter_WriteSourceCodeLocation(a->global, id, key[0], line));
	return id;
}

uint32_t archive_writer_path(
	struct archive_writer *a, uint32_t caller, const char *function, const char *file, uint32_t line)
{
	uint32_t key[] = {caller, function_region(a, function), place_of(a, file, line)};
	uint32_t known = intern_count(a->paths), id = intern_id(a->paths, key, sizeof key);
	if (id == known)
		check(a, OTF2_GlobalDefWriter_WriteCallingContext(a->global, id, key[1], key[2], caller));
	return id;
}

/* Once all processes are defined: ranks of the world are counted in the first one. */
static void define_fixed_groups(struct archive_writer *a)
{
	if (a->fixed)
		return;
	a->fixed = true;
	uint64_t *member = mem_array(a->processes, sizeof *member);
	for (uint32_t i = 0; i < a->processes; i++)
		member[i] = a->rank[i];
	check(a, OTF2_GlobalDefWriter_WriteGroup(a->global, GROUP_LOCATIONS, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS,
			 OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, a->processes, member));
	check(a, OTF2_GlobalDefWriter_WriteGroup(a->global, GROUP_SELF, 0, OTF2_GROUP_TYPE_COMM_SELF, OTF2_PARADIGM_MPI,
			 OTF2_GROUP_FLAG_NONE, 0, NULL));
	free(member);
}

uint32_t archive_writer_group(struct archive_writer *a, const uint32_t *rank, uint32_t count)
{
	define_fixed_groups(a);
	uint32_t known = intern_count(a->groups), id = intern_id(a->groups, rank, count * sizeof *rank);
	if (id == known) {
		uint64_t *member = mem_array(count, sizeof *member);
		for (uint32_t i = 0; i < count; i++)
			member[i] = rank[i];
		check(a, OTF2_GlobalDefWriter_WriteGroup(a->global, GROUP_FIRST + id, 0, OTF2_GROUP_TYPE_COMM_GROUP,
				 OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, count, member));
		free(member);
	}
	return GROUP_FIRST + id;
}

uint32_t archive_writer_communicator(struct archive_writer *a, const char *name, uint32_t group, uint32_t parent)
{
	uint32_t name_id = archive_writer_string(a, name ? name : "");
	check(a, OTF2_GlobalDefWriter_WriteComm(
			 a->global, a->communicators, name_id, group, parent, OTF2_COMM_FLAG_NONE));
	return a->communicators++;
}

uint32_t archive_writer_window(struct archive_writer *a, uint32_t communicator)
{
	check(a, OTF2_GlobalDefWriter_WriteRmaWin(
			 a->global, a->windows, archive_writer_string(a, ""), communicator, OTF2_RMA_WIN_FLAG_NONE));
	return a->windows++;
}

uint32_t archive_writer_self(struct archive_writer *a)
{
	define_fixed_groups(a);
	return archive_writer_communicator(a, "MPI_COMM_SELF", GROUP_SELF, OTF2_UNDEFINED_COMM);
}

/* ------------------------------------------------------------------ definitions of a location */

static bool maps(const uint32_t *id, uint32_t i)
{
	return id[i] != i && id[i] != ARCHIVE_NO_ID;
}

static void write_mapping(
	struct archive_writer *a, OTF2_DefWriter *local, OTF2_MappingType type, const uint32_t *id, uint32_t count)
{
	uint32_t first = 0;
	while (first < count && !maps(id, first))
		first++;
	if (first == count)
		return; /* readers take no empty table */
	OTF2_IdMap *map = OTF2_IdMap_Create(OTF2_ID_MAP_SPARSE, count);
	for (uint32_t i = first; i < count; i++)
		if (maps(id, i))
			check(a, OTF2_IdMap_AddIdPair(map, i, id[i]));
	check(a, OTF2_DefWriter_WriteMappingTable(local, type, map));
	OTF2_IdMap_Free(map);
}

void archive_writer_local(struct archive_writer *a, const struct archive_local *l)
{
	OTF2_DefWriter *local = OTF2_Archive_GetDefWriter(a->archive, l->location);
	if (!local) {
		check(a, OTF2_ERROR_INVALID);
		return;
	}
	write_mapping(a, local, OTF2_MAPPING_STRING, l->string, l->strings);
	write_mapping(a, local, OTF2_MAPPING_REGION, l->region, l->regions);
	write_mapping(a, local, OTF2_MAPPING_COMM, l->communicator, l->communicators);
	if (l->window)
		write_mapping(a, local, OTF2_MAPPING_RMA_WIN, l->window, l->communicators);
	write_mapping(a, local, OTF2_MAPPING_CALLING_CONTEXT, l->path, l->paths);
	for (size_t i = 0; i < l->offsets; i++)
		check(a, OTF2_DefWriter_WriteClockOffset(
				 local, l->offset[i].time, l->offset[i].offset, l->offset[i].deviation));
	check(a, OTF2_Archive_CloseDefWriter(a->archive, local));
}
