/*
 * event_writer.c -- one event writer of the OTF2 library, with memory of ours.
 */
#include "trace/event_writer.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <otf2/otf2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"

/* All that a silent writer keeps, in a file that is mapped: where the process stands. */
struct event_stand {
	uint64_t time;
	uint32_t region, communicator;
	struct event_attributes where;
	bool entered, left, collective, off;
};

struct event_writer {
	OTF2_Archive *archive;
	OTF2_EvtWriter *events;
	OTF2_AttributeList *list;
	unsigned char *memory;
	uint64_t chunk, chunks, used; /* bytes of a chunk, how many there are, and are handed out */
	uint64_t records, last_time;
	uint32_t thread;
	const char *failure;
	bool silent;
	struct event_stand *stand; /* of a silent writer; NULL: no room for it */
	event_listener listener;
	void *context;
};

uint64_t event_chunk_bytes(uint64_t buffer)
{
	return buffer < EVENT_CHUNK_USUAL ? EVENT_CHUNK_LEAST : EVENT_CHUNK_USUAL;
}

/* ------------------------------------------------------------------ memory */

/*
 * The library asks for chunk after chunk; where it gets none, it writes what it has and gives all
 * of them back. A chunk is cleared when it is handed out, so that behind its last record there is a
 * byte 0, which is how the rescue finds the end; those that are written have no header any more.
 */
static void *next_chunk(void *context, OTF2_FileType type, OTF2_LocationRef location, void **data, uint64_t size)
{
	(void)type, (void)location, (void)data;
	struct event_writer *w = context;
	if (w->used == w->chunks || size != w->chunk)
		return NULL;
	return memset(w->memory + w->used++ * w->chunk, 0, w->chunk);
}

static void all_chunks_written(void *context, OTF2_FileType type, OTF2_LocationRef location, void **data, bool last)
{
	(void)type, (void)location, (void)data, (void)last;
	struct event_writer *w = context;
	for (uint64_t i = 0; i < w->used; i++)
		w->memory[i * w->chunk] = 0;
	w->used = 0;
}

static OTF2_FlushType before_flush(
	void *context, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool last)
{
	(void)context, (void)type, (void)location, (void)caller, (void)last;
	return OTF2_FLUSH;
}

static OTF2_ErrorCode keep_quiet(void *user, const char *file, uint64_t line, const char *function, OTF2_ErrorCode code,
	const char *format, va_list arguments)
{
	(void)user, (void)file, (void)line, (void)function, (void)format, (void)arguments;
	return code;
}

/* Room in the file is made at once: a full disk is found out now, and not where memory is
   touched. */
static void *map_file(const char *path, uint64_t size)
{
	int file = path ? open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : -1;
	if (file < 0)
		return MAP_FAILED;
	void *memory = MAP_FAILED;
	if (!posix_fallocate(file, 0, (off_t)size))
		memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	close(file);
	if (memory == MAP_FAILED)
		unlink(path);
	return memory;
}

static bool get_memory(struct event_writer *w, const struct event_writer_options *options, struct error *error)
{
	w->chunk = event_chunk_bytes(options->buffer);
	w->chunks = options->buffer / w->chunk ? options->buffer / w->chunk : 1;
	w->memory = map_file(options->rescue, w->chunks * w->chunk);
	if (w->memory == MAP_FAILED)
		w->memory =
			mmap(NULL, w->chunks * w->chunk, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (w->memory != MAP_FAILED)
		return true;
	return error_set(error, ERROR_INTERNAL, "%s: no memory for %llu bytes of events", options->directory,
		(unsigned long long)(w->chunks * w->chunk));
}

/* ------------------------------------------------------------------ begin and end */

static bool start_library(struct event_writer *w, const struct event_writer_options *options, struct error *error)
{
	static const OTF2_FlushCallbacks flush = {before_flush, NULL}; /* NULL: no record of it is wanted */
	static const OTF2_MemoryCallbacks memory = {next_chunk, all_chunks_written};
	OTF2_Error_RegisterCallback(keep_quiet, NULL);
	w->archive = OTF2_Archive_Open(options->directory, "traces", OTF2_FILEMODE_WRITE, w->chunk, EVENT_CHUNK_LEAST,
		OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
	if (w->archive && !OTF2_Archive_SetFlushCallbacks(w->archive, &flush, w) &&
		!OTF2_Archive_SetMemoryCallbacks(w->archive, &memory, w) &&
		!OTF2_Archive_SetSerialCollectiveCallbacks(w->archive) && !OTF2_Archive_OpenEvtFiles(w->archive))
		w->events = OTF2_Archive_GetEvtWriter(w->archive, options->location);
	w->list = OTF2_AttributeList_New();
	if (w->events && w->list)
		return true;
	return error_set(
		error, ERROR_INPUT, "%s: event files cannot be written: %s", options->directory, strerror(errno));
}

struct event_writer *event_writer_open(const struct event_writer_options *options, struct error *error)
{
	struct event_writer *w = mem_zero(sizeof *w);
	w->silent = options->silent;
	if (w->silent) {
		void *page = map_file(options->rescue, sizeof *w->stand);
		w->stand = page == MAP_FAILED ? NULL : page;
	}
	if (w->silent || (get_memory(w, options, error) && start_library(w, options, error)))
		return w;
	if (options->rescue)
		unlink(options->rescue);
	free(w);
	return NULL;
}

void event_writer_forget(struct event_writer *w)
{
	OTF2_AttributeList_Delete(w->list);
	munmap(w->memory, w->chunks * w->chunk);
	free(w);
}

bool event_writer_close(struct event_writer *w)
{
	if (w->silent) {
		if (w->stand)
			munmap(w->stand, sizeof *w->stand);
		free(w);
		return true;
	}
	/* a writer that could not write is not to be touched again: the library would crash */
	if (!w->failure && OTF2_Archive_CloseEvtWriter(w->archive, w->events) != OTF2_SUCCESS)
		w->failure = "the last events could not be written";
	bool good = !w->failure;
	event_writer_forget(w); /* the archive is not closed: that would write an anchor */
	return good;
}

const char *event_writer_failure(const struct event_writer *w)
{
	return w->failure;
}

uint64_t event_writer_records(const struct event_writer *w)
{
	return w->records;
}

/* ------------------------------------------------------------------ records */

/* Of most records, messages; all others have one test for what they do not carry. */
#define USUAL                                                                                                          \
	(1u << ATTRIBUTE_SITE | 1u << ATTRIBUTE_PATH | 1u << ATTRIBUTE_KEPT | 1u << ATTRIBUTE_TYPE |                   \
		1u << ATTRIBUTE_COUNT | 1u << ATTRIBUTE_REQUEST)

static void add_unusual(struct event_writer *w, const struct event_attributes *a)
{
	const struct {
		enum event_attribute attribute;
		uint32_t string;
	} strings[] = {{ATTRIBUTE_OPERATION, a->operation}, {ATTRIBUTE_BYTES_BY_MEMBER, a->bytes_by_member},
		{ATTRIBUTE_TO, a->to}, {ATTRIBUTE_FROM, a->from}, {ATTRIBUTE_LOCK, a->lock},
		{ATTRIBUTE_GROUP, a->group}};
	for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
		if (a->have >> strings[i].attribute & 1)
			OTF2_AttributeList_AddStringRef(w->list, strings[i].attribute, strings[i].string);
	if (a->have & 1 << ATTRIBUTE_POSTED_SOURCE)
		OTF2_AttributeList_AddInt32(w->list, ATTRIBUTE_POSTED_SOURCE, -1);
	if (a->have & 1 << ATTRIBUTE_POSTED_TAG)
		OTF2_AttributeList_AddInt32(w->list, ATTRIBUTE_POSTED_TAG, -1);
	if (a->have & 1 << ATTRIBUTE_DISPLACEMENT)
		OTF2_AttributeList_AddInt64(w->list, ATTRIBUTE_DISPLACEMENT, a->displacement);
	if (a->have & 1 << ATTRIBUTE_SIZE)
		OTF2_AttributeList_AddUint64(w->list, ATTRIBUTE_SIZE, a->size);
	if (a->have & 1 << ATTRIBUTE_UNIT)
		OTF2_AttributeList_AddUint64(w->list, ATTRIBUTE_UNIT, a->unit);
	if (a->have & 1 << ATTRIBUTE_PREEMPTED)
		OTF2_AttributeList_AddUint64(w->list, ATTRIBUTE_PREEMPTED, a->preempted);
}

static OTF2_AttributeList *attributes(struct event_writer *w, const struct event_attributes *a)
{
	if (!a || !(a->have || w->thread))
		return NULL;
	if (w->thread)
		OTF2_AttributeList_AddUint32(w->list, ATTRIBUTE_THREAD, w->thread);
	if (a->have & 1 << ATTRIBUTE_SITE)
		OTF2_AttributeList_AddStringRef(w->list, ATTRIBUTE_SITE, a->site);
	if (a->have & 1 << ATTRIBUTE_PATH)
		OTF2_AttributeList_AddCallingContextRef(w->list, ATTRIBUTE_PATH, a->path);
	if (a->have & 1 << ATTRIBUTE_KEPT)
		OTF2_AttributeList_AddCallingContextRef(w->list, ATTRIBUTE_KEPT, a->kept);
	if (a->have & 1 << ATTRIBUTE_TYPE)
		OTF2_AttributeList_AddStringRef(w->list, ATTRIBUTE_TYPE, a->type);
	if (a->have & 1 << ATTRIBUTE_COUNT)
		OTF2_AttributeList_AddUint64(w->list, ATTRIBUTE_COUNT, a->count);
	if (a->have & 1 << ATTRIBUTE_REQUEST)
		OTF2_AttributeList_AddUint64(w->list, ATTRIBUTE_REQUEST, a->request);
	if (a->have & ~USUAL)
		add_unusual(w, a);
	return w->list;
}

void event_writer_thread(struct event_writer *w, uint32_t thread)
{
	w->thread = thread;
}

void event_writer_listen(struct event_writer *w, event_listener listener, void *context)
{
	w->listener = listener;
	w->context = context;
}

/* Tell it; is it to be written, too? */
static inline bool ready(struct event_writer *w, struct event_record record, const struct event_attributes *a)
{
	w->last_time = record.time;
	if (w->listener)
		w->listener(w->context, &record, a);
	w->records += w->silent;
	return !w->failure && !w->silent;
}

static inline struct event_record of_message(enum event_record_kind kind, uint64_t time, const struct message_record *m)
{
	return (struct event_record){.kind = (uint16_t)kind,
		.time = time,
		.id = m->peer,
		.communicator = m->communicator,
		.number = m->tag,
		.bytes = m->bytes,
		.request = m->request};
}

static inline void written(struct event_writer *w, OTF2_ErrorCode code)
{
	if (__builtin_expect(code == OTF2_SUCCESS, 1))
		w->records++;
	else
		w->failure = "events could not be written (is the disk full?)";
}

void event_writer_enter(struct event_writer *w, uint64_t time, uint32_t region, const struct event_attributes *a)
{
	if (w->stand)
		*w->stand = (struct event_stand){.time = time,
			.region = region,
			.where = a ? *a : (struct event_attributes){0},
			.entered = true};
	if (ready(w, (struct event_record){.kind = RECORD_ENTER, .time = time, .id = region}, a))
		written(w, OTF2_EvtWriter_Enter(w->events, attributes(w, a), time, region));
}

void event_writer_leave(struct event_writer *w, uint64_t time, uint32_t region)
{
	if (w->stand) {
		w->stand->time = time;
		w->stand->left = true;
	}
	if (ready(w, (struct event_record){.kind = RECORD_LEAVE, .time = time, .id = region}, NULL))
		written(w, OTF2_EvtWriter_Leave(w->events, NULL, time, region));
}

void event_writer_measurement(struct event_writer *w, uint64_t time, bool on)
{
	if (w->stand)
		w->stand->off = !on;
	OTF2_MeasurementMode mode = on ? OTF2_MEASUREMENT_ON : OTF2_MEASUREMENT_OFF;
	if (ready(w, (struct event_record){.kind = RECORD_MEASUREMENT, .time = time, .id = mode}, NULL))
		written(w, OTF2_EvtWriter_MeasurementOnOff(w->events, NULL, time, mode));
}

void event_writer_send(
	struct event_writer *w, uint64_t time, const struct message_record *m, const struct event_attributes *a)
{
	if (ready(w, of_message(RECORD_SEND, time, m), a))
		written(w, OTF2_EvtWriter_MpiSend(
				   w->events, attributes(w, a), time, m->peer, m->communicator, m->tag, m->bytes));
}

void event_writer_isend(
	struct event_writer *w, uint64_t time, const struct message_record *m, const struct event_attributes *a)
{
	if (ready(w, of_message(RECORD_ISEND, time, m), a))
		written(w, OTF2_EvtWriter_MpiIsend(w->events, attributes(w, a), time, m->peer, m->communicator, m->tag,
				   m->bytes, m->request));
}

void event_writer_isend_complete(struct event_writer *w, uint64_t time, uint64_t request)
{
	if (ready(w, (struct event_record){.kind = RECORD_ISEND_COMPLETE, .time = time, .request = request}, NULL))
		written(w, OTF2_EvtWriter_MpiIsendComplete(w->events, NULL, time, request));
}

void event_writer_recv(
	struct event_writer *w, uint64_t time, const struct message_record *m, const struct event_attributes *a)
{
	if (ready(w, of_message(RECORD_RECV, time, m), a))
		written(w, OTF2_EvtWriter_MpiRecv(
				   w->events, attributes(w, a), time, m->peer, m->communicator, m->tag, m->bytes));
}

void event_writer_irecv_request(
	struct event_writer *w, uint64_t time, uint64_t request, const struct event_attributes *a)
{
	if (ready(w, (struct event_record){.kind = RECORD_IRECV_REQUEST, .time = time, .request = request}, a))
		written(w, OTF2_EvtWriter_MpiIrecvRequest(w->events, attributes(w, a), time, request));
}

void event_writer_irecv(
	struct event_writer *w, uint64_t time, const struct message_record *m, const struct event_attributes *a)
{
	if (ready(w, of_message(RECORD_IRECV, time, m), a))
		written(w, OTF2_EvtWriter_MpiIrecv(w->events, attributes(w, a), time, m->peer, m->communicator, m->tag,
				   m->bytes, m->request));
}

void event_writer_cancelled(struct event_writer *w, uint64_t time, uint64_t request)
{
	if (ready(w, (struct event_record){.kind = RECORD_CANCELLED, .time = time, .request = request}, NULL))
		written(w, OTF2_EvtWriter_MpiRequestCancelled(w->events, NULL, time, request));
}

_Static_assert((int)OPERATION_REDUCE_SCATTER_BLOCK == (int)OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK &&
		       (int)OPERATION_CREATE_HANDLE_AND_ALLOCATE == (int)OTF2_COLLECTIVE_OP_CREATE_HANDLE_AND_ALLOCATE,
	"operations as OTF2 has them");

static uint32_t root_of(const struct collective_record *c)
{
	switch (c->root) {
	case COLLECTIVE_NO_ROOT:
		return OTF2_COLLECTIVE_ROOT_NONE;
	case COLLECTIVE_ROOT_IS_ME:
		return OTF2_COLLECTIVE_ROOT_SELF;
	case COLLECTIVE_ROOT_IN_MY_GROUP:
		return OTF2_COLLECTIVE_ROOT_THIS_GROUP;
	default:
		return c->root;
	}
}

static inline struct event_record of_collective(
	enum event_record_kind kind, uint64_t time, const struct collective_record *c)
{
	return (struct event_record){.kind = (uint16_t)kind,
		.time = time,
		.id = root_of(c),
		.communicator = c->communicator,
		.number = c->operation,
		.bytes = c->sent,
		.received = c->received,
		.request = c->request};
}

static bool ready_to_begin(
	struct event_writer *w, uint64_t time, uint32_t communicator, const struct event_attributes *a)
{
	if (w->stand) {
		w->stand->communicator = communicator;
		w->stand->collective = true;
	}
	struct event_record r = {.kind = RECORD_COLLECTIVE_BEGIN, .time = time, .communicator = communicator};
	if (!ready(w, r, a))
		return false;
	attributes(w, a);
	OTF2_AttributeList_AddCommRef(w->list, ATTRIBUTE_COMMUNICATOR, communicator);
	return true;
}

void event_writer_collective_begin(
	struct event_writer *w, uint64_t time, uint32_t communicator, const struct event_attributes *a)
{
	if (ready_to_begin(w, time, communicator, a))
		written(w, OTF2_EvtWriter_MpiCollectiveBegin(w->events, w->list, time));
}

void event_writer_collective_end(
	struct event_writer *w, uint64_t time, const struct collective_record *c, const struct event_attributes *a)
{
	if (ready(w, of_collective(RECORD_COLLECTIVE_END, time, c), a))
		written(w, OTF2_EvtWriter_MpiCollectiveEnd(w->events, attributes(w, a), time,
				   (OTF2_CollectiveOp)c->operation, c->communicator, root_of(c), c->sent, c->received));
}

void event_writer_collective_request(struct event_writer *w, uint64_t time, uint32_t communicator, uint64_t request,
	const struct event_attributes *a)
{
	struct event_record r = {
		.kind = RECORD_COLLECTIVE_REQUEST, .time = time, .communicator = communicator, .request = request};
	if (!ready(w, r, a))
		return;
	if (attributes(w, a))
		OTF2_AttributeList_AddCommRef(w->list, ATTRIBUTE_COMMUNICATOR, communicator);
	written(w, OTF2_EvtWriter_NonBlockingCollectiveRequest(w->events, a ? w->list : NULL, time, request));
}

void event_writer_collective_complete(
	struct event_writer *w, uint64_t time, const struct collective_record *c, const struct event_attributes *a)
{
	if (ready(w, of_collective(RECORD_COLLECTIVE_COMPLETE, time, c), a))
		written(w, OTF2_EvtWriter_NonBlockingCollectiveComplete(w->events, attributes(w, a), time,
				   (OTF2_CollectiveOp)c->operation, c->communicator, root_of(c), c->sent, c->received,
				   c->request));
}

/* ------------------------------------------------------------------ windows */

/* What comes back is told of where something goes there, too. */
static OTF2_ErrorCode write_one_sided(
	struct event_writer *w, OTF2_AttributeList *list, uint64_t time, const struct one_sided_record *r)
{
	static const OTF2_RmaAtomicType type_of[EVENT_KINDS] = {[EVENT_ACCUMULATE] = OTF2_RMA_ATOMIC_TYPE_ACCUMULATE,
		[EVENT_GET_ACCUMULATE] = OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE,
		[EVENT_FETCH_AND_OP] = OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ADD,
		[EVENT_COMPARE_AND_SWAP] = OTF2_RMA_ATOMIC_TYPE_COMPARE_AND_SWAP};
	if (r->kind == EVENT_PUT)
		return OTF2_EvtWriter_RmaPut(w->events, list, time, r->window, r->peer, r->bytes, w->records);
	if (r->kind == EVENT_LOCK)
		return OTF2_EvtWriter_RmaAcquireLock(w->events, list, time, r->window, r->peer, 0,
			r->exclusive ? OTF2_LOCK_EXCLUSIVE : OTF2_LOCK_SHARED);
	if (r->kind == EVENT_UNLOCK)
		return OTF2_EvtWriter_RmaReleaseLock(w->events, list, time, r->window, r->peer, 0);
	if (!kind_is_one_sided(r->kind)) /* the region that it is in tells which */
		return OTF2_EvtWriter_RmaSync(w->events, list, time, r->window, r->peer, OTF2_RMA_SYNC_TYPE_MEMORY);
	if (r->kind == EVENT_GET)
		return OTF2_EvtWriter_RmaGet(w->events, list, time, r->window, r->peer, r->bytes, w->records);
	return OTF2_EvtWriter_RmaAtomic(
		w->events, list, time, r->window, r->peer, type_of[r->kind], r->bytes, r->received, w->records);
}

void event_writer_one_sided(
	struct event_writer *w, uint64_t time, const struct one_sided_record *r, const struct event_attributes *a)
{
	struct event_record record = {.kind = RECORD_ONE_SIDED,
		.time = time,
		.id = r->peer,
		.communicator = r->window,
		.number = r->kind,
		.bytes = r->bytes,
		.received = r->received};
	if (ready(w, record, a))
		written(w, write_one_sided(w, attributes(w, a), time, r));
}

void event_writer_window_begin(struct event_writer *w, uint64_t time, uint32_t communicator)
{
	if (ready_to_begin(w, time, communicator, NULL))
		written(w, OTF2_EvtWriter_RmaCollectiveBegin(w->events, w->list, time));
}

void event_writer_window_end(
	struct event_writer *w, uint64_t time, const struct collective_record *c, const struct event_attributes *a)
{
	if (ready(w, of_collective(RECORD_WINDOW_SYNC, time, c), a))
		written(w, OTF2_EvtWriter_RmaCollectiveEnd(w->events, attributes(w, a), time,
				   (OTF2_CollectiveOp)c->operation,
				   OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY, c->communicator,
				   root_of(c), c->sent, c->received));
}

/* ------------------------------------------------------------------ after a process was killed */

/*
 * A chunk (otf2_files.c has more of this): the byte 3, the byte order, the numbers of its first and
 * last record, 8 bytes each; then records: 5 and 8 bytes of time; 6, a length and attributes; 10
 * and more, a length and an event. 0 ends a chunk that is filled up, 2 and 1 the file.
 */
#define HEADER_BYTES 18
#define BYTE_ORDER_MARK (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 'B' : '#')
#define TYPE_TIME 5
#define TYPE_ATTRIBUTES 6
#define TYPE_EVENT 10

static void put_number(unsigned char *at, uint64_t number)
{
	memcpy(at, &number, sizeof number); /* byte order is the machine's, as in the library */
}

static uint64_t get_number(const unsigned char *at)
{
	uint64_t number;
	memcpy(&number, at, sizeof number);
	return number;
}

/* The bytes of a record; 0 where none begins. */
static uint64_t record_bytes(const unsigned char *at, uint64_t room)
{
	if (*at == TYPE_TIME)
		return room > 9 ? 9 : 0;
	if ((*at != TYPE_ATTRIBUTES && *at < TYPE_EVENT) || room < 11)
		return 0;
	uint64_t length = at[1] == 255 ? 10 + get_number(at + 2) : 2 + (uint64_t)at[1];
	return length < room ? length : 0;
}

/* Where the last event of a chunk ends, and how many there are. */
static uint64_t last_event_end(const unsigned char *chunk, uint64_t size, uint64_t *events)
{
	uint64_t at = HEADER_BYTES, end = HEADER_BYTES;
	*events = 0;
	for (uint64_t length; at < size && (length = record_bytes(chunk + at, size - at)); at += length)
		if (chunk[at] >= TYPE_EVENT) {
			end = at + length;
			++*events;
		}
	return end;
}

static bool write_all(int file, const void *bytes, uint64_t size, uint64_t at)
{
	for (const char *from = bytes; size;) {
		ssize_t done = pwrite(file, from, size, (off_t)at);
		if (done <= 0)
			return false;
		from += done;
		at += (uint64_t)done;
		size -= (uint64_t)done;
	}
	return true;
}

/* The chunks of the file, in the order of their first records; those that are in the event file
   already (it was being written when the process ended) are passed over. */
struct rescue {
	const unsigned char *memory;
	uint64_t size, chunk;
};

static const unsigned char *chunk_beginning_with(const struct rescue *r, uint64_t record)
{
	for (uint64_t at = 0; at + r->chunk <= r->size; at += r->chunk)
		if (r->memory[at] == 3 && get_number(r->memory + at + 2) == record)
			return r->memory + at;
	return NULL;
}

/* Write a chunk at the end of the file: *records and *end move on. The last one ends where its
   events do. */
static bool append_chunk(
	int file, const unsigned char *chunk, uint64_t size, bool last, uint64_t *records, uint64_t *end)
{
	unsigned char *copy = mem_copy(chunk, size);
	uint64_t events, length = last_event_end(copy, size, &events);
	put_number(copy + 2, *records + 1);
	put_number(copy + 10, *records + events);
	memset(copy + length, 0, size - length);
	assert(length + 2 <= size); /* the library keeps room for the end */
	if (last) {
		copy[length++] = 2;
		copy[length++] = 1;
	}
	bool good = write_all(file, copy, last ? length : size, *end);
	*records += events;
	*end += last ? length : size;
	free(copy);
	return good;
}

static void learn_last_chunk(const unsigned char *chunk, uint64_t size, struct event_file_facts *facts)
{
	facts->records = get_number(chunk + 10);
	facts->last = 0;
	for (uint64_t at = HEADER_BYTES, length; at < size && (length = record_bytes(chunk + at, size - at));
		at += length)
		if (chunk[at] == TYPE_TIME)
			facts->last = get_number(chunk + at + 1);
}

/* What is written in part only is written again; of chunks that are whole the last one may have to
   end the file. */
static bool append_all(int file, const struct rescue *r, uint64_t size)
{
	uint64_t end = size / r->chunk * r->chunk, records = 0;
	unsigned char header[HEADER_BYTES];
	if (end && pread(file, header, sizeof header, (off_t)(end - r->chunk)) == sizeof header)
		records = get_number(header + 10);
	const unsigned char *chunk = chunk_beginning_with(r, records + 1);
	unsigned char *own = NULL;
	bool good = true;
	if (!chunk) {
		chunk = own = mem_zero(r->chunk);
		own[0] = 3;
		own[1] = BYTE_ORDER_MARK;
		if (end) {
			end -= r->chunk;
			good = pread(file, own, r->chunk, (off_t)end) == (ssize_t)r->chunk;
			records = get_number(own + 2) - 1;
		}
	}
	for (const unsigned char *next; good && chunk; chunk = next) {
		uint64_t events;
		last_event_end(chunk, r->chunk, &events);
		next = events && !own ? chunk_beginning_with(r, records + events + 1) : NULL;
		good = append_chunk(file, chunk, r->chunk, !next, &records, &end);
	}
	free(own);
	return good && !ftruncate(file, (off_t)end);
}

static bool append_rescued(int file, const char *rescue, uint64_t chunk, uint64_t size)
{
	struct rescue r = {.chunk = chunk};
	int memory = rescue ? open(rescue, O_RDONLY | O_CLOEXEC) : -1;
	off_t held = memory >= 0 ? lseek(memory, 0, SEEK_END) : 0;
	void *mapped = held > 0 ? mmap(NULL, (size_t)held, PROT_READ, MAP_PRIVATE, memory, 0) : MAP_FAILED;
	if (mapped != MAP_FAILED) {
		r.memory = mapped;
		r.size = (uint64_t)held;
	}
	bool good = append_all(file, &r, size);
	if (mapped != MAP_FAILED)
		munmap(mapped, (size_t)held);
	if (memory >= 0)
		close(memory);
	return good;
}

static bool is_whole(int file, uint64_t size)
{
	unsigned char end[2];
	return size > HEADER_BYTES && pread(file, end, 2, (off_t)size - 2) == 2 && end[0] == 2 && end[1] == 1;
}

static bool learn(int file, uint64_t chunk, struct event_file_facts *facts)
{
	off_t size = lseek(file, 0, SEEK_END);
	if (size <= HEADER_BYTES)
		return false;
	unsigned char *last = mem_zero(chunk);
	facts->bytes = (uint64_t)size;
	bool good = pread(file, last, chunk, (off_t)(((uint64_t)size - 1) / chunk * chunk)) > HEADER_BYTES;
	if (good)
		learn_last_chunk(last, chunk, facts);
	free(last);
	return good;
}

bool event_file_complete(
	const char *path, const char *rescue, uint64_t chunk, struct event_file_facts *facts, struct error *error)
{
	*facts = (struct event_file_facts){0};
	errno = 0;
	int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	off_t size = file >= 0 ? lseek(file, 0, SEEK_END) : -1;
	bool good = size >= 0 &&
		    (is_whole(file, (uint64_t)size) || append_rescued(file, rescue, chunk, (uint64_t)size)) &&
		    learn(file, chunk, facts);
	int reason = errno;
	if (file >= 0)
		close(file);
	return good || error_set(error, reason && reason != ENOENT ? ERROR_INTERNAL : ERROR_INPUT,
			       "%s: the events cannot be completed: %s", path, reason ? strerror(reason) : "damaged");
}

bool event_file_of_stand(const char *rescue, const struct event_writer_options *options, struct error *error)
{
	struct event_stand s = {0};
	int file = open(rescue, O_RDONLY | O_CLOEXEC);
	bool known = file >= 0 && read(file, &s, sizeof s) == (ssize_t)sizeof s;
	if (file >= 0)
		close(file);
	struct event_writer *w = event_writer_open(options, error);
	if (w && known && s.entered)
		event_writer_enter(w, s.time, s.region, &s.where);
	if (w && s.collective)
		event_writer_collective_begin(w, s.time, s.communicator, NULL);
	if (w && s.left)
		event_writer_leave(w, s.time, s.region);
	if (w && s.off)
		event_writer_measurement(w, s.time, false);
	return w &&
	       (event_writer_close(w) || error_set(error, ERROR_INTERNAL, "%s: cannot be written", options->directory));
}
