/*
 * otf2_bare.c -- the yardstick: what it takes to read an archive with the OTF2 library when nothing
 * is done with the records.
 *
 *	otf2_bare ARCHIVE JOBS
 *
 * Reads as the library's users do: global definitions, then location by location the local
 * definitions and all events, with a callback that returns at once for each kind of record that
 * communication consists of. Several threads have a reader each. Prints the number of records, the
 * seconds from opening to closing, and the peak of memory in kilobytes.
 */
#include <otf2/otf2.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "base/mem.h"

struct work {
	const char *path;
	uint64_t *location;
	size_t locations, capacity;
	atomic_size_t next;
	atomic_ullong records;
};

static void must(int good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "otf2_bare: %s\n", what);
	exit(2);
}

static OTF2_CallbackCode on_location(void *context, OTF2_LocationRef self, OTF2_StringRef name, OTF2_LocationType type,
	uint64_t events, OTF2_LocationGroupRef group)
{
	(void)name, (void)type, (void)events, (void)group;
	struct work *w = context;
	w->location = mem_grow(w->location, &w->capacity, w->locations + 1, sizeof *w->location);
	w->location[w->locations++] = self;
	return OTF2_CALLBACK_SUCCESS;
}

#define RECORD                                                                                                         \
	OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *context, OTF2_AttributeList *attributes
#define UNUSED (void)location, (void)time, (void)position, (void)context, (void)attributes

static OTF2_CallbackCode on_message(RECORD, uint32_t peer, OTF2_CommRef communicator, uint32_t tag, uint64_t bytes)
{
	UNUSED, (void)peer, (void)communicator, (void)tag, (void)bytes;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_requested(
	RECORD, uint32_t peer, OTF2_CommRef communicator, uint32_t tag, uint64_t bytes, uint64_t request)
{
	UNUSED, (void)peer, (void)communicator, (void)tag, (void)bytes, (void)request;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_request(RECORD, uint64_t request)
{
	UNUSED, (void)request;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_collective(
	RECORD, OTF2_CollectiveOp operation, OTF2_CommRef communicator, uint32_t root, uint64_t sent, uint64_t received)
{
	UNUSED, (void)operation, (void)communicator, (void)root, (void)sent, (void)received;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_region(RECORD, OTF2_RegionRef region)
{
	UNUSED, (void)region;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_Reader *open_reader(const char *path)
{
	OTF2_Reader *reader = OTF2_Reader_Open(path);
	must(reader && OTF2_Reader_SetSerialCollectiveCallbacks(reader) == OTF2_SUCCESS, "cannot open the archive");
	return reader;
}

static void list_locations(struct work *w)
{
	OTF2_Reader *reader = open_reader(w->path);
	OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(reader);
	OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
	OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, on_location);
	OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, w);
	uint64_t read = 0;
	must(OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &read) == OTF2_SUCCESS,
		"cannot read the definitions");
	OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
	OTF2_Reader_Close(reader);
}

static void read_definitions(OTF2_Reader *reader, uint64_t location)
{
	uint64_t read;
	OTF2_Reader_OpenDefFiles(reader);
	OTF2_DefReader *definitions = OTF2_Reader_GetDefReader(reader, location);
	if (definitions) {
		OTF2_Reader_ReadAllLocalDefinitions(reader, definitions, &read);
		OTF2_Reader_CloseDefReader(reader, definitions);
	}
	OTF2_Reader_CloseDefFiles(reader);
}

static void read_location(struct work *w, uint64_t location, const OTF2_EvtReaderCallbacks *callbacks)
{
	OTF2_Reader *reader = open_reader(w->path);
	OTF2_Reader_SelectLocation(reader, location);
	read_definitions(reader, location);
	OTF2_Reader_OpenEvtFiles(reader);
	OTF2_EvtReader *events = OTF2_Reader_GetEvtReader(reader, location);
	must(events != NULL, "cannot open the events");
	OTF2_Reader_RegisterEvtCallbacks(reader, events, callbacks, w);
	uint64_t read = 0;
	must(OTF2_Reader_ReadAllLocalEvents(reader, events, &read) == OTF2_SUCCESS, "cannot read the events");
	atomic_fetch_add(&w->records, read);
	OTF2_Reader_CloseEvtReader(reader, events);
	OTF2_Reader_Close(reader);
}

static void *run(void *argument)
{
	struct work *w = argument;
	OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();
	OTF2_EvtReaderCallbacks_SetMpiSendCallback(callbacks, on_message);
	OTF2_EvtReaderCallbacks_SetMpiIsendCallback(callbacks, on_requested);
	OTF2_EvtReaderCallbacks_SetMpiRecvCallback(callbacks, on_message);
	OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(callbacks, on_requested);
	OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(callbacks, on_request);
	OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(callbacks, on_request);
	OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(callbacks, on_collective);
	OTF2_EvtReaderCallbacks_SetEnterCallback(callbacks, on_region);
	OTF2_EvtReaderCallbacks_SetLeaveCallback(callbacks, on_region);
	for (size_t i; (i = atomic_fetch_add(&w->next, 1)) < w->locations;)
		read_location(w, w->location[i], callbacks);
	OTF2_EvtReaderCallbacks_Delete(callbacks);
	return NULL;
}

static double seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
	int jobs = argc == 3 ? atoi(argv[2]) : 0;
	must(jobs >= 1 && jobs <= 1024, "usage: otf2_bare ARCHIVE JOBS");
	struct work w = {.path = argv[1]};
	double start = seconds();
	list_locations(&w);
	pthread_t thread[1024];
	int started = 0;
	while (started < jobs - 1 && !pthread_create(&thread[started], NULL, run, &w))
		started++;
	run(&w);
	for (int i = 0; i < started; i++)
		pthread_join(thread[i], NULL);
	double took = seconds() - start;
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	printf("%llu records %.4f seconds %ld kB\n", (unsigned long long)w.records, took, usage.ru_maxrss);
	free(w.location);
	return 0;
}
