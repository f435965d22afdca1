/*
 * otf2_location.c -- the locations of an archive: its one reader of the OTF2 library, the records
 * that it decodes, and those that are kept instead.
 */
#include <otf2/OTF2_Pthread_Locks.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "trace/otf2.h"

struct location {
	bool checked, defined, tried; /* its files are sound; its definitions are read; keeping it was tried */
	struct event_file file;
	struct kept_lane *lane; /* all of its records; NULL */
	uint64_t records; /* then: so many there are, others among them */
};

struct locations {
	OTF2_Reader *reader;
	pthread_mutex_t lock; /* around what follows */
	struct intern *ids;
	struct location **at; /* by number of its id */
	size_t length, capacity;
};

static bool refuse(struct error *error, const char *what)
{
	return error_set(error, ERROR_INPUT, "%s: %s", what, library_words());
}

struct locations *locations_new(OTF2_Reader *reader)
{
	struct locations *all = mem_zero(sizeof *all);
	all->reader = reader;
	all->ids = intern_new_keys(sizeof(uint64_t));
	pthread_mutex_init(&all->lock, NULL);
	return all;
}

bool locations_start(struct locations *all)
{
	return OTF2_Reader_SetSerialCollectiveCallbacks(all->reader) == OTF2_SUCCESS &&
	       OTF2_Pthread_Reader_SetLockingCallbacks(all->reader, NULL) == OTF2_SUCCESS &&
	       OTF2_Reader_OpenDefFiles(all->reader) == OTF2_SUCCESS &&
	       OTF2_Reader_OpenEvtFiles(all->reader) == OTF2_SUCCESS;
}

void locations_free(struct locations *all)
{
	if (!all)
		return;
	for (size_t i = 0; i < all->length; i++) {
		kept_lane_free(all->at[i]->lane);
		free(all->at[i]);
	}
	OTF2_Reader_Close(all->reader);
	pthread_mutex_destroy(&all->lock);
	intern_free(all->ids);
	free(all->at);
	free(all);
}

/* It is used by one thread at a time. */
static struct location *location_of(struct locations *all, uint64_t id)
{
	pthread_mutex_lock(&all->lock);
	uint32_t number = intern_id(all->ids, &id, sizeof id);
	if (number == all->length)
		*MEM_PUSH(all->at, all->length, all->capacity) = mem_zero(sizeof **all->at);
	struct location *of = all->at[number];
	pthread_mutex_unlock(&all->lock);
	return of;
}

/* ------------------------------------------------------------------ what the library decodes */

/* A number of the library's union has the bytes of its type, and others that mean nothing. */
static size_t width_of(OTF2_Type type)
{
	switch (type) {
	case OTF2_TYPE_UINT8:
	case OTF2_TYPE_INT8:
		return 1;
	case OTF2_TYPE_UINT16:
	case OTF2_TYPE_INT16:
		return 2;
	case OTF2_TYPE_UINT64:
	case OTF2_TYPE_INT64:
	case OTF2_TYPE_DOUBLE:
	case OTF2_TYPE_LOCATION:
		return 8;
	default:
		return 4;
	}
}

static void list_attributes(struct location_reader *l, const OTF2_AttributeList *list, struct event_record *r)
{
	uint32_t there = OTF2_AttributeList_GetNumberOfElements(list);
	for (uint32_t i = 0; i < there && r->attributes < UINT16_MAX; i++) {
		OTF2_AttributeRef id;
		OTF2_Type type;
		OTF2_AttributeValue value;
		if (OTF2_AttributeList_GetAttributeByIndex(list, i, &id, &type, &value) != OTF2_SUCCESS)
			continue;
		if (r->attributes == l->capacity)
			l->attribute = mem_grow(l->attribute, &l->capacity, l->capacity + 1, sizeof *l->attribute);
		struct record_attribute *to = &l->attribute[r->attributes++];
		*to = (struct record_attribute){.id = id, .type = type};
		memcpy(&to->value, &value, width_of(type));
	}
	r->attribute = l->attribute;
}

static bool pass_on(struct location_reader *l, const struct event_record *r)
{
	return l->raw ? l->take(l->context, r) : neighbours_pass_on(&l->archive->definitions, r, l->take, l->context);
}

static inline OTF2_CallbackCode give(struct location_reader *l, const OTF2_AttributeList *list, struct event_record r)
{
	if (OTF2_AttributeList_GetNumberOfElements(list))
		list_attributes(l, list, &r);
	return pass_on(l, &r) ? OTF2_CALLBACK_SUCCESS : OTF2_CALLBACK_INTERRUPT;
}

/* What the library tells of each record, and what becomes of it. */
#define EVENT OTF2_LocationRef location, OTF2_TimeStamp when, uint64_t position, void *reader, OTF2_AttributeList *list
#define GIVE(record_kind, ...)                                                                                         \
	((void)location, (void)position,                                                                               \
		give(reader, list, (struct event_record){.kind = record_kind, .time = when, __VA_ARGS__}))

static OTF2_CallbackCode on_enter(EVENT, OTF2_RegionRef region)
{
	return GIVE(RECORD_ENTER, .id = region);
}

static OTF2_CallbackCode on_leave(EVENT, OTF2_RegionRef region)
{
	return GIVE(RECORD_LEAVE, .id = region);
}

static uint32_t region_in(const void *reader, uint32_t context)
{
	const struct location_reader *l = reader;
	const struct calling_context *c = definitions_context(&l->archive->definitions, context);
	return c ? c->region : OTF2_UNDEFINED_REGION;
}

static OTF2_CallbackCode on_context_enter(EVENT, OTF2_CallingContextRef context, uint32_t distance)
{
	return GIVE(RECORD_ENTER, .id = region_in(reader, context), .context = context + 1, .distance = distance);
}

static OTF2_CallbackCode on_context_leave(EVENT, OTF2_CallingContextRef context)
{
	return GIVE(RECORD_LEAVE, .id = region_in(reader, context), .context = context + 1);
}

static OTF2_CallbackCode on_context_sample(
	EVENT, OTF2_CallingContextRef context, uint32_t distance, OTF2_InterruptGeneratorRef generator)
{
	(void)generator;
	return GIVE(RECORD_SAMPLE, .context = context + 1, .distance = distance);
}

static OTF2_CallbackCode on_measurement(EVENT, OTF2_MeasurementMode mode)
{
	return GIVE(RECORD_MEASUREMENT, .id = mode);
}

static OTF2_CallbackCode on_send(EVENT, uint32_t peer, OTF2_CommRef communicator, uint32_t tag, uint64_t bytes)
{
	return GIVE(RECORD_SEND, .id = peer, .communicator = communicator, .number = tag, .bytes = bytes);
}

static OTF2_CallbackCode on_isend(
	EVENT, uint32_t peer, OTF2_CommRef communicator, uint32_t tag, uint64_t bytes, uint64_t request)
{
	return GIVE(RECORD_ISEND, .id = peer, .communicator = communicator, .number = tag, .bytes = bytes,
		.request = request);
}

static OTF2_CallbackCode on_isend_complete(EVENT, uint64_t request)
{
	return GIVE(RECORD_ISEND_COMPLETE, .request = request);
}

static OTF2_CallbackCode on_recv(EVENT, uint32_t peer, OTF2_CommRef communicator, uint32_t tag, uint64_t bytes)
{
	return GIVE(RECORD_RECV, .id = peer, .communicator = communicator, .number = tag, .bytes = bytes);
}

static OTF2_CallbackCode on_irecv_request(EVENT, uint64_t request)
{
	return GIVE(RECORD_IRECV_REQUEST, .request = request);
}

static OTF2_CallbackCode on_irecv(
	EVENT, uint32_t peer, OTF2_CommRef communicator, uint32_t tag, uint64_t bytes, uint64_t request)
{
	return GIVE(RECORD_IRECV, .id = peer, .communicator = communicator, .number = tag, .bytes = bytes,
		.request = request);
}

static OTF2_CallbackCode on_cancelled(EVENT, uint64_t request)
{
	return GIVE(RECORD_CANCELLED, .request = request);
}

static OTF2_CallbackCode on_collective_begin(EVENT)
{
	return GIVE(RECORD_COLLECTIVE_BEGIN, .id = 0);
}

static OTF2_CallbackCode on_collective_end(
	EVENT, OTF2_CollectiveOp operation, OTF2_CommRef communicator, uint32_t root, uint64_t sent, uint64_t received)
{
	return GIVE(RECORD_COLLECTIVE_END, .id = root, .communicator = communicator, .number = operation, .bytes = sent,
		.received = received);
}

static OTF2_CallbackCode on_collective_request(EVENT, uint64_t request)
{
	return GIVE(RECORD_COLLECTIVE_REQUEST, .request = request);
}

static OTF2_CallbackCode on_collective_complete(EVENT, OTF2_CollectiveOp operation, OTF2_CommRef communicator,
	uint32_t root, uint64_t sent, uint64_t received, uint64_t request)
{
	return GIVE(RECORD_COLLECTIVE_COMPLETE, .id = root, .communicator = communicator, .number = operation,
		.bytes = sent, .received = received, .request = request);
}

static OTF2_CallbackCode on_put(EVENT, OTF2_RmaWinRef window, uint32_t peer, uint64_t bytes, uint64_t matching)
{
	(void)matching;
	return GIVE(RECORD_ONE_SIDED, .id = peer, .communicator = window, .number = EVENT_PUT, .bytes = bytes);
}

static OTF2_CallbackCode on_get(EVENT, OTF2_RmaWinRef window, uint32_t peer, uint64_t bytes, uint64_t matching)
{
	(void)matching;
	return GIVE(RECORD_ONE_SIDED, .id = peer, .communicator = window, .number = EVENT_GET, .bytes = bytes);
}

/* Whatever is read and changed at once, but what MPI tells apart, is one element. */
static OTF2_CallbackCode on_atomic(EVENT, OTF2_RmaWinRef window, uint32_t peer, OTF2_RmaAtomicType type, uint64_t sent,
	uint64_t received, uint64_t matching)
{
	(void)matching;
	enum event_kind kind = type == OTF2_RMA_ATOMIC_TYPE_ACCUMULATE || type == OTF2_RMA_ATOMIC_TYPE_INCREMENT
				       ? EVENT_ACCUMULATE
			       : type == OTF2_RMA_ATOMIC_TYPE_COMPARE_AND_SWAP     ? EVENT_COMPARE_AND_SWAP
			       : type == OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE ? EVENT_GET_ACCUMULATE
										   : EVENT_FETCH_AND_OP;
	return GIVE(RECORD_ONE_SIDED, .id = peer, .communicator = window, .number = kind, .bytes = sent,
		.received = received);
}

static OTF2_CallbackCode on_lock(EVENT, OTF2_RmaWinRef window, uint32_t peer, uint64_t lock, OTF2_LockType type)
{
	(void)lock, (void)type;
	return GIVE(RECORD_ONE_SIDED, .id = peer, .communicator = window, .number = EVENT_LOCK);
}

static OTF2_CallbackCode on_unlock(EVENT, OTF2_RmaWinRef window, uint32_t peer, uint64_t lock)
{
	(void)lock;
	return GIVE(RECORD_ONE_SIDED, .id = peer, .communicator = window, .number = EVENT_UNLOCK);
}

/* The region that it is in tells what it is. */
static OTF2_CallbackCode on_epoch(EVENT, OTF2_RmaWinRef window, uint32_t peer, OTF2_RmaSyncType type)
{
	(void)type;
	return GIVE(RECORD_ONE_SIDED, .id = peer, .communicator = window, .number = EVENT_KINDS);
}

static OTF2_CallbackCode on_group_epoch(EVENT, OTF2_RmaSyncLevel level, OTF2_RmaWinRef window, OTF2_GroupRef group)
{
	(void)level, (void)group;
	return GIVE(RECORD_ONE_SIDED, .id = UINT32_MAX, .communicator = window, .number = EVENT_KINDS);
}

static OTF2_CallbackCode on_window_end(EVENT, OTF2_CollectiveOp operation, OTF2_RmaSyncLevel level,
	OTF2_RmaWinRef window, uint32_t root, uint64_t sent, uint64_t received)
{
	(void)level;
	return GIVE(RECORD_WINDOW_SYNC, .id = root, .communicator = window, .number = operation, .bytes = sent,
		.received = received);
}

static OTF2_CallbackCode on_parameter_string(EVENT, OTF2_ParameterRef parameter, OTF2_StringRef string)
{
	return GIVE(RECORD_PARAMETER_STRING, .id = parameter, .bytes = string);
}

static OTF2_CallbackCode on_parameter_int(EVENT, OTF2_ParameterRef parameter, int64_t value)
{
	return GIVE(RECORD_PARAMETER_INT, .id = parameter, .bytes = (uint64_t)value);
}

static OTF2_CallbackCode on_parameter_unsigned(EVENT, OTF2_ParameterRef parameter, uint64_t value)
{
	return GIVE(RECORD_PARAMETER_UNSIGNED, .id = parameter, .bytes = value);
}

static OTF2_CallbackCode on_thread_fork(EVENT, OTF2_Paradigm model, uint32_t threads)
{
	(void)model;
	return GIVE(RECORD_FORK, .id = threads);
}

static OTF2_CallbackCode on_omp_fork(EVENT, uint32_t threads)
{
	return GIVE(RECORD_FORK, .id = threads);
}

static OTF2_CallbackCode on_thread_join(EVENT, OTF2_Paradigm model)
{
	(void)model;
	return GIVE(RECORD_JOIN, .id = 0);
}

static OTF2_CallbackCode on_omp_join(EVENT)
{
	return GIVE(RECORD_JOIN, .id = 0);
}

static OTF2_EvtReaderCallbacks *callbacks_new(bool contexts)
{
	OTF2_EvtReaderCallbacks *to = OTF2_EvtReaderCallbacks_New();
	OTF2_EvtReaderCallbacks_SetEnterCallback(to, on_enter);
	OTF2_EvtReaderCallbacks_SetLeaveCallback(to, on_leave);
	if (contexts) { /* else the library makes ENTER and LEAVE of them */
		OTF2_EvtReaderCallbacks_SetCallingContextEnterCallback(to, on_context_enter);
		OTF2_EvtReaderCallbacks_SetCallingContextLeaveCallback(to, on_context_leave);
		OTF2_EvtReaderCallbacks_SetCallingContextSampleCallback(to, on_context_sample);
	}
	OTF2_EvtReaderCallbacks_SetMeasurementOnOffCallback(to, on_measurement);
	OTF2_EvtReaderCallbacks_SetMpiSendCallback(to, on_send);
	OTF2_EvtReaderCallbacks_SetMpiIsendCallback(to, on_isend);
	OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(to, on_isend_complete);
	OTF2_EvtReaderCallbacks_SetMpiRecvCallback(to, on_recv);
	OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(to, on_irecv_request);
	OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(to, on_irecv);
	OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(to, on_cancelled);
	OTF2_EvtReaderCallbacks_SetMpiCollectiveBeginCallback(to, on_collective_begin);
	OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(to, on_collective_end);
	OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(to, on_collective_request);
	OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(to, on_collective_complete);
	OTF2_EvtReaderCallbacks_SetRmaPutCallback(to, on_put);
	OTF2_EvtReaderCallbacks_SetRmaGetCallback(to, on_get);
	OTF2_EvtReaderCallbacks_SetRmaAtomicCallback(to, on_atomic);
	OTF2_EvtReaderCallbacks_SetRmaAcquireLockCallback(to, on_lock);
	OTF2_EvtReaderCallbacks_SetRmaReleaseLockCallback(to, on_unlock);
	OTF2_EvtReaderCallbacks_SetRmaSyncCallback(to, on_epoch);
	OTF2_EvtReaderCallbacks_SetRmaGroupSyncCallback(to, on_group_epoch);
	OTF2_EvtReaderCallbacks_SetRmaCollectiveBeginCallback(to, on_collective_begin);
	OTF2_EvtReaderCallbacks_SetRmaCollectiveEndCallback(to, on_window_end);
	OTF2_EvtReaderCallbacks_SetParameterStringCallback(to, on_parameter_string);
	OTF2_EvtReaderCallbacks_SetParameterIntCallback(to, on_parameter_int);
	OTF2_EvtReaderCallbacks_SetParameterUnsignedIntCallback(to, on_parameter_unsigned);
	OTF2_EvtReaderCallbacks_SetThreadForkCallback(to, on_thread_fork);
	OTF2_EvtReaderCallbacks_SetThreadJoinCallback(to, on_thread_join);
	OTF2_EvtReaderCallbacks_SetOmpForkCallback(to, on_omp_fork);
	OTF2_EvtReaderCallbacks_SetOmpJoinCallback(to, on_omp_join);
	return to;
}

/* ------------------------------------------------------------------ opening */

/* Local definitions hold the tables that lead from the ids in the records to those of the global
   definitions, and the clock's offsets. */
static bool read_local_definitions(OTF2_Reader *reader, uint64_t records, uint64_t location, struct error *error)
{
	uint64_t read = 0;
	if (!records)
		return true;
	OTF2_DefReader *definitions = OTF2_Reader_GetDefReader(reader, location);
	if (!definitions)
		return records == UINT64_MAX || refuse(error, "its definitions cannot be opened");
	bool good = OTF2_Reader_ReadLocalDefinitions(reader, definitions, records, &read) == OTF2_SUCCESS ||
		    refuse(error, "its definitions cannot be read");
	OTF2_Reader_CloseDefReader(reader, definitions);
	return good;
}

bool location_open_unchecked(struct location_reader *l, const struct archive *a, uint64_t location, record_sink take,
	void *context, struct error *error)
{
	OTF2_Reader *reader = a->locations->reader;
	struct location *of = location_of(a->locations, location);
	l->archive = a;
	l->take = take;
	l->context = context;
	if (!of->defined && (OTF2_Reader_SelectLocation(reader, location) != OTF2_SUCCESS ||
				    !read_local_definitions(reader, l->file.definitions, location, error)))
		return error->kind != ERROR_NONE ? false : refuse(error, "cannot be selected");
	of->defined = true;
	if (!(l->events = OTF2_Reader_GetEvtReader(reader, location)))
		return refuse(error, "its events cannot be opened");
	OTF2_EvtReaderCallbacks *callbacks = callbacks_new(a->definitions.in_contexts);
	bool good = OTF2_Reader_RegisterEvtCallbacks(reader, l->events, callbacks, l) == OTF2_SUCCESS;
	OTF2_EvtReaderCallbacks_Delete(callbacks);
	return good || refuse(error, "its events cannot be opened");
}

static bool keep_record(void *lane, const struct event_record *r)
{
	return kept_add(lane, r);
}

/* All of it; or nothing, where that takes too much, or something is wrong, which its reader will find. */
static void keep_records(struct location *of, const struct archive *a, uint64_t location)
{
	struct location_reader l = {.file = of->file, .raw = true};
	struct error ignored = {0};
	OTF2_ErrorCode code = OTF2_SUCCESS;
	uint64_t read = LOCATION_SLICE;
	of->tried = true;
	if (!kept_affords(a->kept, of->file.records == UINT64_MAX ? 0 : of->file.records))
		return;
	of->lane = kept_lane_new(a->kept);
	bool good = location_open_unchecked(&l, a, location, keep_record, of->lane, &ignored);
	for (of->records = 0; good && read == LOCATION_SLICE; of->records += read) {
		code = location_read(&l, LOCATION_SLICE, &read);
		good = code == OTF2_SUCCESS && of->records + read <= of->file.limit;
	}
	location_close(&l);
	if (good && (of->file.records == UINT64_MAX || of->records == of->file.records)) {
		kept_end(of->lane);
		return;
	}
	kept_lane_free(of->lane);
	of->lane = NULL;
}

bool location_check(const struct archive *a, uint64_t location, struct event_file *file, struct error *error)
{
	struct location *of = location_of(a->locations, location);
	bool good = of->checked || files_check_location(&a->files, location, &of->file, error);
	of->checked = good && a->dictionary;
	*file = of->file;
	return good;
}

/* Whose files are damaged, and what to do; whoever is lenient reads the others. */
static bool check_files(struct location_reader *l, const struct archive *a, uint64_t location, struct error *error)
{
	const struct definitions *d = &a->definitions;
	uint32_t rank = 0;
	if (location_check(a, location, &l->file, error))
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

bool location_open(struct location_reader *l, const struct archive *a, uint64_t location, record_sink take,
	void *context, struct error *error)
{
	if (!check_files(l, a, location, error))
		return false;
	struct location *of = location_of(a->locations, location);
	if (!l->gap && !l->once && !of->tried)
		keep_records(of, a, location);
	if (!l->gap && !of->lane)
		return location_open_unchecked(l, a, location, take, context, error);
	l->archive = a;
	l->take = take;
	l->context = context;
	l->from = l->gap ? NULL : of;
	return true;
}

/* Records of other kinds come last. */
static OTF2_ErrorCode read_kept(struct location_reader *l, uint64_t records, uint64_t *read)
{
	struct event_record r;
	OTF2_ErrorCode code = OTF2_SUCCESS;
	while (*read < records && code == OTF2_SUCCESS && kept_next(l->from->lane, &l->place, &r)) {
		++*read;
		if (!pass_on(l, &r))
			code = OTF2_ERROR_INTERRUPTED_BY_CALLBACK;
	}
	uint64_t others = l->from->records - l->read - *read;
	if (code == OTF2_SUCCESS)
		*read = others < records - *read ? *read + others : records;
	l->read += *read;
	return code;
}

OTF2_ErrorCode location_read(struct location_reader *l, uint64_t records, uint64_t *read)
{
	*read = 0;
	if (l->from)
		return read_kept(l, records, read);
	return l->events ? OTF2_Reader_ReadLocalEvents(l->archive->locations->reader, l->events, records, read)
			 : OTF2_SUCCESS;
}

static bool pass_over(void *context, const struct event_record *r)
{
	(void)context, (void)r;
	return true;
}

bool location_seek(struct location_reader *l, uint64_t record)
{
	uint64_t read;
	record_sink take = l->take;
	if (!l->from)
		return OTF2_EvtReader_Seek(l->events, record) == OTF2_SUCCESS;
	l->place = (struct kept_place){0};
	l->read = 0;
	l->take = pass_over;
	location_read(l, record - 1, &read);
	l->take = take;
	return read == record - 1;
}

void location_close(struct location_reader *l)
{
	if (l->events)
		OTF2_Reader_CloseEvtReader(l->archive->locations->reader, l->events);
	free(l->attribute);
	*l = (struct location_reader){.once = l->once};
}

/* ------------------------------------------------------------------ a look at a location */

struct look {
	const struct archive *archive;
	enum location_look what;
	bool found;
};

static bool look_at(void *context, const struct event_record *r)
{
	struct look *l = context;
	switch (r->kind) {
	case RECORD_ENTER:
		l->found = l->what == LOOK_FOR_CALLS &&
			   definitions_region(&l->archive->definitions, r->id)->flags & REGION_MPI;
		break;
	case RECORD_SEND:
	case RECORD_ISEND:
	case RECORD_RECV:
	case RECORD_IRECV:
	case RECORD_ONE_SIDED:
		l->found = l->what != LOOK_FOR_COLLECTIVES;
		break;
	case RECORD_COLLECTIVE_END:
	case RECORD_WINDOW_SYNC:
		l->found = true;
		break;
	default:
		break;
	}
	return !l->found;
}

bool location_communicates(
	const struct archive *a, uint64_t location, enum location_look what, bool *result, struct error *error)
{
	struct library_call call = {.path = a->files.anchor};
	struct location_reader l = {.once = true};
	struct look look = {a, what, false};
	library_enter(&call);
	bool good = location_open(&l, a, location, look_at, &look, error);
	for (uint64_t total = 0, read = LOCATION_SLICE; good && !look.found && read == LOCATION_SLICE; total += read) {
		OTF2_ErrorCode code = location_read(&l, LOCATION_SLICE, &read);
		if (!look.found && (code != OTF2_SUCCESS || total + read > l.file.limit))
			good = error_set(error, ERROR_INPUT, "damaged or cut off: %s", library_words());
	}
	if (!good)
		error_at(error, "%s: location %llu", a->files.anchor, (unsigned long long)location);
	location_close(&l);
	library_leave();
	*result = look.found;
	return good;
}

uint64_t location_records(const struct archive *a, uint32_t rank)
{
	struct event_file file;
	struct error ignored;
	uint64_t records = 0;
	for (uint32_t i = a->definitions.first_thread[rank]; i < a->definitions.first_thread[rank + 1]; i++) {
		if (!location_check(a, a->definitions.thread[i].location, &file, &ignored) ||
			file.records == UINT64_MAX)
			return 0;
		records += file.records;
	}
	return records;
}
