/*
 * otf2_timeline.c -- the records of all locations, each read slice by slice as it is asked for.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "trace/names.h"
#include "trace/otf2.h"
#include "trace/otf2_meanings.h"
#include "trace/otf2_threads.h"
#include "trace/receive_order.h"
#include "trace/timeline.h"

/* Records read at once. */
#ifndef TRACENEST_HOSTILE
#define SLICE UINT64_C(512)
#else
#define SLICE UINT64_C(2)
#endif

/* One location. */
struct lane {
	struct archive *archive;
	uint32_t rank;
	uint32_t thread; /* among all of the archive */
	struct thread_sense sense;
	struct meanings meanings;
	struct stream_facts facts; /* of what is lost */
	unsigned inside; /* this call, or TRACE_NO_CALL */
	uint32_t entered; /* the last region */
	struct library_call call;
	struct timeline_record *record;
	size_t at, settled, length, capacity; /* those before `settled` change no more */
	uint64_t passed; /* records before these */
	struct receive_order order;
	uint64_t read;
	struct error error;
	bool ended, failed;
};

/* A process of several threads. */
struct threaded {
	struct thread_merge merge;
	struct timeline_record next;
	bool is_next;
	bool ended; /* its one location */
};

struct timeline {
	struct archive *archive;
	struct lane *lane;
	struct location_reader *location; /* of each */
	uint32_t lanes;
	struct threaded *threaded; /* by rank; NULL: each process has one thread */
	uint64_t expected;
	uint64_t read;
	uint32_t failed; /* the lane; or NO_RANK */
};

/* ------------------------------------------------------------------ records */

static struct timeline_record *add(struct lane *l)
{
	if (l->length == l->capacity)
		l->record = mem_grow(l->record, &l->capacity, l->length + 1, sizeof *l->record);
	return &l->record[l->length++];
}

static uint32_t region_id(const struct definitions *d, const struct region *region)
{
	return (uint32_t)(region - d->region);
}

/* What a message, or a collective, is: false where it cannot be understood. */
static bool understand(struct lane *l, const struct event_record *from, struct timeline_record *r)
{
	struct trace_event e = {0};
	bool send = from->kind == RECORD_SEND || from->kind == RECORD_ISEND;
	if (from->kind == RECORD_WINDOW_SYNC)
		return meanings_window_sync(&l->meanings, from->number, from->communicator, l->entered, &r->id);
	if (from->kind == RECORD_ONE_SIDED) {
		if (!meanings_one_sided(&l->meanings, from->number, from->id, from->communicator, l->entered, &r->id))
			return false;
		if (r->id == EVENT_TO_NOBODY)
			r->kind = TIMELINE_OTHER;
		return true;
	}
	if (r->kind == TIMELINE_SYNC || r->kind == TIMELINE_COMPLETED) {
		uint32_t posted = r->kind == TIMELINE_COMPLETED ? OPERATION_POSTED : 0;
		return meanings_sync(&l->meanings, from->number | posted, from->communicator, from->id, &r->id);
	}
	if (!meanings_message(&l->meanings, send ? RAW_SEND : RAW_RECV, from->id, from->communicator, from->number, &e))
		return false;
	r->id = e.event;
	if (e.event == EVENT_TO_NOBODY)
		r->kind = TIMELINE_OTHER;
	return true;
}

/* Of two receives of a channel, what they are; each place keeps its time. */
static void exchange(void *context, uint64_t at, uint64_t with)
{
	struct lane *l = context;
	struct timeline_record *a = &l->record[at - l->passed], *b = &l->record[with - l->passed], old = *a;
	a->kind = b->kind;
	a->bytes = b->bytes;
	a->request = b->request;
	b->kind = old.kind;
	b->bytes = old.bytes;
	b->request = old.request;
}

/* The last record takes its place among the receives of its channel. */
static void put_in_order(struct lane *l, const struct event_record *r)
{
	struct posting p = {.channel = {r->id, r->communicator, r->number}};
	switch (r->kind) {
	case RECORD_IRECV_REQUEST:
	case RECORD_COLLECTIVE_REQUEST:
		receive_order_post(&l->order, r->request, 0, TRACE_NO_CALL);
		break;
	case RECORD_COLLECTIVE_COMPLETE:
	case RECORD_CANCELLED:
		receive_order_take(&l->order, r->request);
		break;
	case RECORD_RECV:
	case RECORD_IRECV:
		p.posted = r->kind == RECORD_RECV ? receive_order_at_once(&l->order)
						  : receive_order_take(&l->order, r->request);
		receive_order_stand(&l->order, &p, l->passed + l->length - 1, exchange, l);
		break;
	default:
		break;
	}
}

/* What counts for missing records, as otf2_events.c counts it. */
static void count(struct lane *l, enum event_record_kind kind, const struct timeline_record *r)
{
	struct stream_facts *f = &l->facts;
	bool somebody = r->kind != TIMELINE_OTHER;
	switch (kind) {
	case RECORD_ENTER:
		l->inside = l->archive->definitions.region[r->id].call;
		f->entered[l->inside]++;
		return;
	case RECORD_LEAVE:
		l->inside = TRACE_NO_CALL;
		return;
	case RECORD_IRECV_REQUEST:
		f->posted++;
		f->told[l->inside] |= call_starts(l->inside);
		return;
	case RECORD_CANCELLED:
		f->completed++;
		return;
	case RECORD_ISEND_COMPLETE:
	case RECORD_COLLECTIVE_REQUEST:
		return;
	default:
		f->told[l->inside] = true;
		f->collectives_recorded |= kind == RECORD_COLLECTIVE_END || kind == RECORD_COLLECTIVE_COMPLETE ||
					   kind == RECORD_WINDOW_SYNC;
		f->sends += somebody && (kind == RECORD_SEND || kind == RECORD_ISEND);
		f->receives += somebody && (kind == RECORD_RECV || kind == RECORD_IRECV);
		f->completed += kind == RECORD_IRECV;
	}
}

/* A region that stands for a collective: it is complete. */
static void add_region_sync(struct lane *l, uint64_t time, uint32_t region)
{
	if (l->archive->collectives_from_regions &&
		definitions_region(&l->archive->definitions, region)->flags & REGION_COLLECTIVE)
		*add(l) = (struct timeline_record){.kind = TIMELINE_SYNC,
			.time = time,
			.id = meanings_region(&l->meanings, RAW_REGION_SYNC, region)};
}

static bool take_record(void *context, const struct event_record *from)
{
	/* one more; 0: it is of no interest */
	static const uint8_t kind_of[] = {
		[RECORD_ENTER] = TIMELINE_ENTER + 1,
		[RECORD_LEAVE] = TIMELINE_LEAVE + 1,
		[RECORD_SEND] = TIMELINE_SEND + 1,
		[RECORD_ISEND] = TIMELINE_ISEND + 1,
		[RECORD_ISEND_COMPLETE] = TIMELINE_SENT + 1,
		[RECORD_RECV] = TIMELINE_RECV + 1,
		[RECORD_IRECV_REQUEST] = TIMELINE_POST + 1,
		[RECORD_IRECV] = TIMELINE_IRECV + 1,
		[RECORD_CANCELLED] = TIMELINE_CANCELLED + 1,
		[RECORD_COLLECTIVE_END] = TIMELINE_SYNC + 1,
		[RECORD_COLLECTIVE_REQUEST] = TIMELINE_POST + 1,
		[RECORD_COLLECTIVE_COMPLETE] = TIMELINE_COMPLETED + 1,
		[RECORD_ONE_SIDED] = TIMELINE_ONE_SIDED + 1,
		[RECORD_WINDOW_SYNC] = TIMELINE_SYNC + 1,
		[RECORD_JOIN] = 0,
	};
	struct lane *l = context;
	const struct definitions *d = &l->archive->definitions;
	if (!kind_of[from->kind])
		return true;
	l->entered = from->kind == RECORD_ENTER ? from->id : l->entered;
	if (from->kind == RECORD_ENTER)
		thread_enters(&l->sense, from);
	else if (from->kind == RECORD_LEAVE)
		add_region_sync(l, from->time, from->id);
	struct timeline_record *r = add(l);
	*r = (struct timeline_record){.kind = kind_of[from->kind] - 1, .time = from->time, .request = from->request};
	switch (r->kind) {
	case TIMELINE_ENTER:
		r->bytes = archive_preempted(l->archive, from);
		/* fall through */
	case TIMELINE_LEAVE:
		r->id = region_id(d, definitions_region(d, from->id));
		r->thread = (uint16_t)thread_of(&l->sense, l->inside, from);
		break;
	case TIMELINE_SENT:
	case TIMELINE_POST:
	case TIMELINE_CANCELLED:
		break;
	default:
		r->bytes = from->bytes;
		r->thread = (uint16_t)thread_of(&l->sense, l->inside, from);
		l->failed |= !understand(l, from, r);
	}
	if (l->failed)
		return false;
	count(l, from->kind, r);
	put_in_order(l, from);
	return true;
}

/* ------------------------------------------------------------------ reading */

static bool fail(struct timeline *t, struct lane *l)
{
	error_at(&l->error, "%s: location %llu", l->archive->files.anchor,
		(unsigned long long)l->archive->definitions.thread[l->thread].location);
	l->failed = l->ended = true;
	t->failed = l->thread < t->failed ? l->thread : t->failed;
	return false;
}

static bool check_amount(const struct timeline *t, struct lane *l, bool last)
{
	const struct event_file *file = &t->location[l->thread].file;
	if (l->read > file->limit || (file->records != UINT64_MAX && l->read > file->records))
		return error_set(&l->error, ERROR_INPUT, "damaged: more records than its file holds");
	if (last && file->records != UINT64_MAX && l->read != file->records)
		return error_set(&l->error, ERROR_INPUT, "damaged or cut off: %llu of %llu records found",
			(unsigned long long)l->read, (unsigned long long)file->records);
	return true;
}

/* A slice more; false: reading failed. */
static bool read_slice(struct timeline *t, struct lane *l)
{
	struct location_reader *own = &t->location[l->thread];
	uint64_t read = 0;
	library_enter(&l->call);
	OTF2_ErrorCode code = location_read(own, SLICE, &read);
	bool good = !l->failed;
	l->read += read;
	t->read += read;
	if (good && code != OTF2_SUCCESS)
		good = error_set(&l->error, ERROR_INPUT, "damaged or cut off behind record %llu: %s",
			(unsigned long long)l->read, library_words());
	library_leave();
	l->ended = read < SLICE;
	if (!good || !check_amount(t, l, l->ended))
		return fail(t, l);
	if (l->ended)
		call_counts_add(t->archive->counts, l->rank, &l->facts);
	return true;
}

/* Receives may wait for one posted before them, but not for ever. */
static void settle(struct lane *l)
{
	uint64_t end = l->passed + l->length, forget = end > RECEIVE_ORDER_SPAN ? end - RECEIVE_ORDER_SPAN : 0;
	uint64_t settled = receive_order_settled(&l->order, l->ended ? end : forget);
	l->settled = settled < end ? (size_t)(settled - l->passed) : l->length;
}

/* Read on until there is a record. */
static bool refill(struct timeline *t, struct lane *l)
{
	l->passed += l->at;
	l->length -= l->at;
	if (l->length)
		memmove(l->record, l->record + l->at, l->length * sizeof *l->record);
	l->at = l->settled = 0;
	while (!l->ended && !l->settled) {
		if (!read_slice(t, l))
			return false;
		settle(l);
	}
	return l->settled > 0;
}

/* Where its records take less room than what the library holds while it is open, it is read at once
   and closed. */
static bool is_small(const struct timeline *t, uint32_t lane)
{
	uint64_t records = t->location[lane].file.records, chunk = t->archive->files.chunk_bytes;
	return t->location[lane].events && records != UINT64_MAX && records < chunk / sizeof(struct timeline_record);
}

static bool open_lane(struct timeline *t, uint32_t lane, struct error *error)
{
	struct lane *l = &t->lane[lane];
	uint64_t location = t->archive->definitions.thread[lane].location;
	library_enter(&l->call);
	bool good = location_open(&t->location[lane], t->archive, location, take_record, l, error);
	library_leave();
	if (!good)
		return error_at(error, "%s: location %llu", t->archive->files.anchor, (unsigned long long)location);
	uint64_t records = t->location[lane].file.records;
	t->expected += records != UINT64_MAX ? records : 0;
	if (!is_small(t, lane))
		return true;
	while (!l->ended && read_slice(t, l))
		settle(l);
	library_enter(&l->call);
	location_close(&t->location[lane]);
	library_leave();
	return true;
}

static void begin_lanes(struct timeline *t)
{
	struct archive *a = t->archive;
	for (uint32_t i = 0; i < t->lanes; i++) {
		struct lane *l = &t->lane[i];
		l->archive = a;
		l->rank = a->definitions.thread[i].rank;
		l->thread = i;
		l->sense = thread_sense(a, l->rank);
		l->inside = TRACE_NO_CALL;
		l->call.path = a->files.anchor;
		meanings_start(&l->meanings, a, l->rank, &l->error);
		receive_order_begin(&l->order, a->options.recorded_order, NULL, NULL);
	}
	if (!a->order)
		return;
	t->threaded = mem_zero(a->definitions.processes * sizeof *t->threaded);
	for (uint32_t rank = 0; rank < a->definitions.processes; rank++)
		if (threads_several(a, rank))
			merge_begin(&t->threaded[rank].merge, a, rank);
}

struct timeline *archive_timeline(struct archive *a, struct error *error)
{
	struct timeline *t = mem_zero(sizeof *t);
	call_counts_reset(a->counts);
	t->archive = a;
	t->failed = NO_RANK;
	t->lanes = a->definitions.threads;
	t->lane = mem_zero((t->lanes + (size_t)1) * sizeof *t->lane);
	t->location = mem_zero((t->lanes + (size_t)1) * sizeof *t->location);
	begin_lanes(t);
	for (uint32_t i = 0; i < t->lanes; i++)
		if (!open_lane(t, i, error)) {
			timeline_close(t);
			return NULL;
		}
	return t;
}

void timeline_close(struct timeline *t)
{
	if (!t)
		return;
	struct library_call call = {.path = t->archive->files.anchor};
	library_enter(&call);
	for (uint32_t i = 0; i < t->lanes; i++)
		location_close(&t->location[i]);
	library_leave();
	for (uint32_t i = 0; i < t->lanes; i++) {
		meanings_clear(&t->lane[i].meanings);
		receive_order_clear(&t->lane[i].order);
		free(t->lane[i].record);
	}
	for (uint32_t rank = 0; t->threaded && rank < t->archive->definitions.processes; rank++)
		merge_clear(&t->threaded[rank].merge);
	free(t->threaded);
	free(t->lane);
	free(t->location);
	free(t);
}

/* All that is settled of a location goes to the merge; false: there is no more. Regions are those of the first thread,
   since those of several do not nest. */
static bool feed(struct timeline *t, struct thread_merge *m, struct lane *l, uint32_t thread)
{
	bool any = l->at < l->settled || refill(t, l);
	for (; l->at < l->settled; l->at++) {
		const struct timeline_record *r = &l->record[l->at];
		bool region = r->kind == TIMELINE_ENTER || r->kind == TIMELINE_LEAVE;
		struct thread_item item = {r->time, region, m->apart ? thread : r->thread, .record = *r};
		item.local |= r->kind == TIMELINE_SENT || r->kind == TIMELINE_POST || r->kind == TIMELINE_CANCELLED ||
			      r->kind == TIMELINE_OTHER;
		if (!region || !item.thread)
			merge_put(m, &item);
	}
	return any;
}

static const struct timeline_record *next_of_threads(struct timeline *t, struct threaded *p, uint32_t rank)
{
	uint32_t thread, first = t->archive->definitions.first_thread[rank];
	const struct thread_item *item;
	while (!p->is_next && t->failed == NO_RANK) {
		if ((item = merge_next(&p->merge, &thread))) {
			p->next = item->record;
			p->next.time = item->time;
			p->is_next = true;
		} else {
			struct lane *l = &t->lane[first + (p->merge.apart ? thread : 0)];
			if (p->ended || (p->merge.apart && p->merge.lane[thread].ended))
				return NULL;
			bool more = feed(t, &p->merge, l, thread);
			p->ended = !more && !p->merge.apart;
			if (!more)
				for (uint32_t i = 0; i < p->merge.threads; i++)
					p->merge.lane[i].ended |= !p->merge.apart || i == thread;
		}
	}
	return p->is_next ? &p->next : NULL;
}

static struct threaded *threaded_of(const struct timeline *t, uint32_t rank)
{
	return t->threaded && threads_several(t->archive, rank) ? &t->threaded[rank] : NULL;
}

static struct lane *lane_of(const struct timeline *t, uint32_t rank)
{
	return &t->lane[t->archive->definitions.first_thread[rank]];
}

const struct timeline_record *timeline_get(struct timeline *t, uint32_t rank)
{
	struct lane *l = lane_of(t, rank);
	struct threaded *p = threaded_of(t, rank);
	if (p)
		return next_of_threads(t, p, rank);
	return l->at < l->settled || refill(t, l) ? &l->record[l->at] : NULL;
}

void timeline_next(struct timeline *t, uint32_t rank)
{
	struct threaded *p = threaded_of(t, rank);
	if (p)
		p->is_next = false;
	else
		lane_of(t, rank)->at++;
}

size_t timeline_ahead(const struct timeline *t, uint32_t rank)
{
	const struct threaded *p = threaded_of(t, rank);
	return p ? p->is_next : lane_of(t, rank)->settled - lane_of(t, rank)->at;
}

bool timeline_good(const struct timeline *t, struct error *error)
{
	if (t->failed == NO_RANK)
		return true;
	*error = t->lane[t->failed].error;
	return false;
}

uint64_t timeline_records(const struct timeline *t)
{
	return t->read;
}

uint64_t timeline_expected(const struct timeline *t)
{
	return t->expected;
}

void timeline_tell(const struct timeline *t, const struct progress *progress)
{
	uint64_t expected = timeline_expected(t);
	if (expected)
		progress_tell(progress, (double)timeline_records(t) / (double)expected);
}

/* ------------------------------------------------------------------ regions */

uint32_t timeline_regions(const struct timeline *t)
{
	return (uint32_t)t->archive->definitions.region_slots;
}

static bool begins(const char *name, const char *with)
{
	return !strncasecmp(name, with, strlen(with));
}

static enum timeline_sort sort_of(const char *name, unsigned flags)
{
	static const enum timeline_sort of_mpi[] = {TIMELINE_MPI, TIMELINE_INIT, TIMELINE_FINALIZE, TIMELINE_IO};
	if (flags & REGION_PROGRAM)
		return strstr(name, "Synchronize") ? TIMELINE_DEVICE : TIMELINE_PROGRAM;
	return flags & REGION_INTERNAL || !(flags & REGION_DEFINED) ? TIMELINE_INTERNAL : of_mpi[name_sort(name)];
}

struct timeline_region timeline_region(const struct timeline *t, uint32_t id)
{
	const struct definitions *d = &t->archive->definitions;
	const struct region *r = &d->region[id];
	const char *name = r->flags & REGION_DEFINED ? d->region_name[r->name] : "?";
	return (struct timeline_region){name, sort_of(name, r->flags),
		begins(name, "MPI_Ssend") || begins(name, "MPI_Issend"),
		begins(name, "MPI_Neighbor_") || begins(name, "MPI_Ineighbor_"), name_is_main(name)};
}
