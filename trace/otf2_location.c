/*
 * otf2_location.c -- one location of an archive: a reader of the OTF2 library to itself, and what
 * can be told at a glance.
 */
#include "trace/otf2.h"

#include <stdio.h>
#include <string.h>

static bool refuse(struct error *error, const char *what)
{
	return error_set(error, ERROR_INPUT, "%s: %s", what, library_words());
}

/* Local definitions hold the tables that lead from the ids in the records to those of the global
   definitions, and the clock's offsets. */
static bool read_local_definitions(struct location_reader *l, uint64_t location, struct error *error)
{
	uint64_t read = 0;
	if (!l->file.definitions)
		return true;
	OTF2_DefReader *definitions = OTF2_Reader_GetDefReader(l->reader, location);
	if (!definitions)
		return l->file.definitions == UINT64_MAX || refuse(error, "its definitions cannot be opened");
	if (OTF2_Reader_ReadLocalDefinitions(l->reader, definitions, l->file.definitions, &read) != OTF2_SUCCESS)
		return refuse(error, "its definitions cannot be read");
	OTF2_Reader_CloseDefReader(l->reader, definitions);
	return true;
}

bool location_open_unchecked(struct location_reader *l, const struct archive *a, uint64_t location,
	const OTF2_EvtReaderCallbacks *callbacks, void *context, struct error *error)
{
	l->reader = OTF2_Reader_Open(a->files.anchor);
	if (!l->reader || OTF2_Reader_SetSerialCollectiveCallbacks(l->reader) != OTF2_SUCCESS)
		return refuse(error, "cannot be opened");
	if (OTF2_Reader_SelectLocation(l->reader, location) != OTF2_SUCCESS ||
		OTF2_Reader_OpenDefFiles(l->reader) != OTF2_SUCCESS)
		return refuse(error, "its definitions cannot be opened");
	if (!read_local_definitions(l, location, error))
		return false;
	OTF2_Reader_CloseDefFiles(l->reader);
	if (OTF2_Reader_OpenEvtFiles(l->reader) != OTF2_SUCCESS ||
		!(l->events = OTF2_Reader_GetEvtReader(l->reader, location)) ||
		OTF2_Reader_RegisterEvtCallbacks(l->reader, l->events, callbacks, context) != OTF2_SUCCESS)
		return refuse(error, "its events cannot be opened");
	return true;
}

/* Whose files are damaged, and what to do; whoever is lenient reads the others. */
static bool check_files(struct location_reader *l, const struct archive *a, uint64_t location, struct error *error)
{
	const struct definitions *d = &a->definitions;
	uint32_t rank = 0;
	if (files_check_location(&a->files, location, &l->file, error))
		return true;
	if (a->options.lenient) {
		*error = (struct error){0};
		l->file = (struct event_file){0};
		l->gap = true;
		return true;
	}
	while (rank < d->processes && d->location[rank] != location)
		rank++;
	if (rank < d->processes)
		error_at(error, "rank %u", rank);
	const char *advice = archive_advice();
	size_t used = strlen(error->message);
	snprintf(error->message + used, sizeof error->message - used, "%s", advice);
	return false;
}

/* All with one reader of the library, for what it holds of an archive is large. */
bool locations_open(struct location_reader *l, const struct archive *a, uint32_t *failed, struct error *error)
{
	const struct definitions *d = &a->definitions;
	OTF2_Reader *reader = OTF2_Reader_Open(a->files.anchor);
	*failed = 0;
	if (!reader || OTF2_Reader_SetSerialCollectiveCallbacks(reader) != OTF2_SUCCESS)
		return refuse(error, "cannot be opened");
	for (uint32_t i = 0; i < d->threads; i++) {
		l[i].reader = reader;
		*failed = i;
		if (!check_files(&l[i], a, d->thread[i].location, error))
			return false;
		if (!l[i].gap && OTF2_Reader_SelectLocation(reader, d->thread[i].location) != OTF2_SUCCESS)
			return refuse(error, "cannot be selected");
	}
	if (OTF2_Reader_OpenDefFiles(reader) != OTF2_SUCCESS)
		return refuse(error, "its definitions cannot be opened");
	for (*failed = 0; *failed < d->threads; ++*failed)
		if (!read_local_definitions(&l[*failed], d->thread[*failed].location, error))
			return false;
	OTF2_Reader_CloseDefFiles(reader);
	*failed = 0;
	return OTF2_Reader_OpenEvtFiles(reader) == OTF2_SUCCESS || refuse(error, "its events cannot be opened");
}

bool locations_start(struct location_reader *l, const struct archive *a, uint32_t thread,
	const OTF2_EvtReaderCallbacks *callbacks, void *context, struct error *error)
{
	if (l[thread].gap)
		return true;
	l[thread].events = OTF2_Reader_GetEvtReader(l[thread].reader, a->definitions.thread[thread].location);
	return (l[thread].events && OTF2_Reader_RegisterEvtCallbacks(
					    l[thread].reader, l[thread].events, callbacks, context) == OTF2_SUCCESS) ||
	       refuse(error, "its events cannot be opened");
}

void locations_end(struct location_reader *l, uint32_t thread)
{
	if (l[thread].events)
		OTF2_Reader_CloseEvtReader(l[thread].reader, l[thread].events);
	l[thread].events = NULL;
}

void locations_close(struct location_reader *l, uint32_t n)
{
	OTF2_Reader *reader = n ? l[0].reader : NULL;
	for (uint32_t i = 0; i < n; i++)
		locations_end(l, i);
	if (reader)
		OTF2_Reader_Close(reader);
}

bool location_open(struct location_reader *l, const struct archive *a, uint64_t location,
	const OTF2_EvtReaderCallbacks *callbacks, void *context, struct error *error)
{
	return check_files(l, a, location, error) &&
	       (l->gap || location_open_unchecked(l, a, location, callbacks, context, error));
}

OTF2_ErrorCode location_read(struct location_reader *l, uint64_t records, uint64_t *read)
{
	*read = 0;
	return l->gap ? OTF2_SUCCESS : OTF2_Reader_ReadLocalEvents(l->reader, l->events, records, read);
}

void location_close(struct location_reader *l)
{
	if (l->events)
		OTF2_Reader_CloseEvtReader(l->reader, l->events);
	if (l->reader)
		OTF2_Reader_Close(l->reader);
}

/* ------------------------------------------------------------------ a look at a location */

struct look {
	const struct archive *archive;
	bool found;
};

static OTF2_CallbackCode found(void *context)
{
	((struct look *)context)->found = true;
	return OTF2_CALLBACK_INTERRUPT;
}

static OTF2_CallbackCode found_region(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *context,
	OTF2_AttributeList *attributes, OTF2_RegionRef region)
{
	(void)location, (void)time, (void)position, (void)attributes;
	const struct definitions *d = &((struct look *)context)->archive->definitions;
	return definitions_region(d, region)->flags & REGION_MPI ? found(context) : OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode found_message(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *context,
	OTF2_AttributeList *attributes, uint32_t peer, OTF2_CommRef communicator, uint32_t tag, uint64_t bytes)
{
	(void)location, (void)time, (void)position, (void)attributes, (void)peer, (void)communicator, (void)tag,
		(void)bytes;
	return found(context);
}

static OTF2_CallbackCode found_request(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *context,
	OTF2_AttributeList *attributes, uint32_t peer, OTF2_CommRef communicator, uint32_t tag, uint64_t bytes,
	uint64_t request)
{
	(void)location, (void)time, (void)position, (void)attributes, (void)peer, (void)communicator, (void)tag,
		(void)bytes, (void)request;
	return found(context);
}

static OTF2_CallbackCode found_collective(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
	void *context, OTF2_AttributeList *attributes, OTF2_CollectiveOp operation, OTF2_CommRef communicator,
	uint32_t root, uint64_t sent, uint64_t received)
{
	(void)location, (void)time, (void)position, (void)attributes, (void)operation, (void)communicator, (void)root,
		(void)sent, (void)received;
	return found(context);
}

bool location_communicates(
	const struct archive *a, uint64_t location, enum location_look what, bool *result, struct error *error)
{
	struct library_call call = {.path = a->files.anchor};
	struct location_reader l = {0};
	OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();
	struct look look = {a, false};
	OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(callbacks, found_collective);
	if (what == LOOK_FOR_CALLS)
		OTF2_EvtReaderCallbacks_SetEnterCallback(callbacks, found_region);
	if (what != LOOK_FOR_COLLECTIVES) {
		OTF2_EvtReaderCallbacks_SetMpiSendCallback(callbacks, found_message);
		OTF2_EvtReaderCallbacks_SetMpiRecvCallback(callbacks, found_message);
		OTF2_EvtReaderCallbacks_SetMpiIsendCallback(callbacks, found_request);
		OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(callbacks, found_request);
	}
	library_enter(&call);
	bool good = location_open(&l, a, location, callbacks, &look, error);
	for (uint64_t total = 0, read = LOCATION_SLICE; good && !look.found && read == LOCATION_SLICE; total += read) {
		OTF2_ErrorCode code = location_read(&l, LOCATION_SLICE, &read);
		if (!look.found && (code != OTF2_SUCCESS || total + read > l.file.limit))
			good = error_set(error, ERROR_INPUT, "damaged or cut off: %s", library_words());
	}
	if (!good)
		error_at(error, "%s: location %llu", a->files.anchor, (unsigned long long)location);
	location_close(&l);
	library_leave();
	OTF2_EvtReaderCallbacks_Delete(callbacks);
	*result = look.found;
	return good;
}

uint64_t location_records(const struct archive *a, uint32_t rank)
{
	struct event_file file;
	struct error ignored;
	uint64_t records = 0;
	for (uint32_t i = a->definitions.first_thread[rank]; i < a->definitions.first_thread[rank + 1]; i++) {
		if (!files_check_location(&a->files, a->definitions.thread[i].location, &file, &ignored) ||
			file.records == UINT64_MAX)
			return 0;
		records += file.records;
	}
	return records;
}
