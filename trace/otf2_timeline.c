/*
 * otf2_timeline.c -- the records of all locations, each read slice by slice as it is asked for.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "trace/kept.h"
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
	struct stream_facts facts; /* of what is lost; where records are kept, their first reader knows */
	unsigned inside; /* this call, or TRACE_NO_CALL */
	struct library_call call;
	struct timeline_record *record;
	size_t at, settled, length, capacity; /* those before `settled` change no more */
	uint64_t passed; /* records before these */
	struct receive_order order;
	uint64_t read;
	struct kept_lane *kept; /* records go there, too; or NULL */
	const struct kept_lane *from; /* they come from there; or NULL */
	struct kept_place place;
	struct timeline_record *known; /* by what they are there */
	bool *is_known;
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
	OTF2_EvtReaderCallbacks *callbacks;
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

static void keep(struct lane *l, const struct kept_what *what, uint64_t time, uint64_t request)
{
	if (l->kept)
		kept_add(l->kept, what, time, request);
}

/* What a record is, without its time and request: false where it cannot be understood. */
static bool understand(struct lane *l, const struct kept_what *what, struct timeline_record *r)
{
	const struct definitions *d = &l->archive->definitions;
	struct trace_event e = {0};
	*r = (struct timeline_record){.kind = (uint16_t)what->kind, .bytes = what->bytes};
	switch (what->kind) {
	case TIMELINE_SEND:
	case TIMELINE_ISEND:
	case TIMELINE_RECV:
	case TIMELINE_IRECV: {
		bool send = what->kind == TIMELINE_SEND || what->kind == TIMELINE_ISEND;
		l->failed |= !meanings_message(
			&l->meanings, send ? RAW_SEND : RAW_RECV, what->peer, what->communicator, what->number, &e);
		r->id = e.event;
		if (e.event == EVENT_TO_NOBODY)
			r->kind = TIMELINE_OTHER;
		break;
	}
	case TIMELINE_SYNC:
	case TIMELINE_COMPLETED:
		l->failed |= !meanings_sync(&l->meanings, what->number, what->communicator, what->peer, &r->id);
		break;
	case TIMELINE_ENTER:
	case TIMELINE_LEAVE:
		r->id = region_id(d, definitions_region(d, what->peer));
		break;
	}
	return !l->failed;
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
static void put_in_order(struct lane *l, const struct kept_what *what)
{
	const struct timeline_record *r = &l->record[l->length - 1];
	struct posting p = {.channel = {what->peer, what->communicator, what->number}};
	switch (what->kind) {
	case TIMELINE_POST:
		receive_order_post(&l->order, r->request, 0, TRACE_NO_CALL);
		break;
	case TIMELINE_COMPLETED:
	case TIMELINE_CANCELLED:
		receive_order_take(&l->order, r->request);
		break;
	case TIMELINE_RECV:
	case TIMELINE_IRECV:
		p.posted = what->kind == TIMELINE_RECV ? receive_order_at_once(&l->order)
						       : receive_order_take(&l->order, r->request);
		receive_order_stand(&l->order, &p, l->passed + l->length - 1, exchange, l);
		break;
	}
}

/* What counts for missing records, as otf2_events.c counts it. */
static void count(struct lane *l, enum timeline_kind kind, const struct timeline_record *r)
{
	struct stream_facts *f = &l->facts;
	bool somebody = r->kind != TIMELINE_OTHER;
	if (kind == TIMELINE_ENTER) {
		l->inside = l->archive->definitions.region[r->id].call;
		f->entered[l->inside]++;
	} else if (kind == TIMELINE_LEAVE) {
		l->inside = TRACE_NO_CALL;
	} else {
		f->told[l->inside] = true;
		f->collectives_recorded |= kind == TIMELINE_SYNC || kind == TIMELINE_COMPLETED;
		f->sends += somebody && (kind == TIMELINE_SEND || kind == TIMELINE_ISEND);
		f->receives += somebody && (kind == TIMELINE_RECV || kind == TIMELINE_IRECV);
		f->completed += kind == TIMELINE_IRECV;
	}
}

static OTF2_CallbackCode add_message(struct lane *l, enum timeline_kind kind, uint64_t time, uint32_t peer,
	uint32_t communicator, uint32_t tag, uint64_t bytes, uint64_t request, const OTF2_AttributeList *attributes)
{
	struct kept_what what = {kind, peer, communicator, tag, bytes};
	struct timeline_record *r = add(l);
	keep(l, &what, time, request);
	if (!understand(l, &what, r))
		return OTF2_CALLBACK_INTERRUPT;
	r->time = time;
	r->request = request;
	r->thread = (uint16_t)thread_of(&l->sense, l->inside, attributes);
	count(l, kind, r);
	put_in_order(l, &what);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_send(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *context,
	OTF2_AttributeList *attributes, uint32_t receiver, OTF2_CommRef communicator, uint32_t tag, uint64_t bytes)
{
	(void)location, (void)position;
	return add_message(context, TIMELINE_SEND, time, receiver, communicator, tag, bytes, 0, attributes);
}

static OTF2_CallbackCode on_isend(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *context,
	OTF2_AttributeList *attributes, uint32_t receiver, OTF2_CommRef communicator, uint32_t tag, uint64_t bytes,
	uint64_t request)
{
	(void)location, (void)position;
	return add_message(context, TIMELINE_ISEND, time, receiver, communicator, tag, bytes, request, attributes);
}

static OTF2_CallbackCode on_recv(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *context,
	OTF2_AttributeList *attributes, uint32_t sender, OTF2_CommRef communicator, uint32_t tag, uint64_t bytes)
{
	(void)location, (void)position;
	return add_message(context, TIMELINE_RECV, time, sender, communicator, tag, bytes, 0, attributes);
}

static OTF2_CallbackCode on_irecv(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *context,
	OTF2_AttributeList *attributes, uint32_t sender, OTF2_CommRef communicator, uint32_t tag, uint64_t bytes,
	uint64_t request)
{
	(void)location, (void)position;
	return add_message(context, TIMELINE_IRECV, time, sender, communicator, tag, bytes, request, attributes);
}

static OTF2_CallbackCode on_request(struct lane *l, enum timeline_kind kind, uint64_t time, uint64_t request)
{
	struct kept_what what = {.kind = kind};
	keep(l, &what, time, request);
	*add(l) = (struct timeline_record){.kind = (uint16_t)kind, .time = time, .request = request};
	put_in_order(l, &what);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_sent(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *context,
	OTF2_AttributeList *attributes, uint64_t request)
{
	(void)location, (void)position, (void)attributes;
	return on_request(context, TIMELINE_SENT, time, request);
}

static OTF2_CallbackCode on_post(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *context,
	OTF2_AttributeList *attributes, uint64_t request)
{
	(void)location, (void)position, (void)attributes;
	struct lane *l = context;
	l->facts.posted++;
	l->facts.told[l->inside] |= call_starts(l->inside);
	return on_request(l, TIMELINE_POST, time, request);
}

static OTF2_CallbackCode on_collective_post(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
	void *context, OTF2_AttributeList *attributes, uint64_t request)
{
	(void)location, (void)position, (void)attributes;
	return on_request(context, TIMELINE_POST, time, request);
}

static OTF2_CallbackCode on_cancelled(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *context,
	OTF2_AttributeList *attributes, uint64_t request)
{
	(void)location, (void)position, (void)attributes;
	struct lane *l = context;
	l->facts.completed++;
	return on_request(l, TIMELINE_CANCELLED, time, request);
}

static OTF2_CallbackCode on_collective(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *context,
	OTF2_AttributeList *attributes, OTF2_CollectiveOp operation, OTF2_CommRef communicator, uint32_t root,
	uint64_t sent, uint64_t received)
{
	(void)location, (void)position, (void)received;
	return add_message(context, TIMELINE_SYNC, time, root, communicator, operation, sent, 0, attributes);
}

static OTF2_CallbackCode on_collective_complete(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
	void *context, OTF2_AttributeList *attributes, OTF2_CollectiveOp operation, OTF2_CommRef communicator,
	uint32_t root, uint64_t sent, uint64_t received, uint64_t request)
{
	(void)location, (void)position, (void)received;
	return add_message(context, TIMELINE_COMPLETED, time, root, communicator, operation | OPERATION_POSTED, sent,
		request, attributes);
}

static OTF2_CallbackCode on_enter(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *context,
	OTF2_AttributeList *attributes, OTF2_RegionRef region)
{
	(void)location, (void)position;
	struct lane *l = context;
	thread_enters(&l->sense, attributes);
	return add_message(
		l, TIMELINE_ENTER, time, region, 0, 0, archive_preempted(l->archive, attributes), 0, attributes);
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

static OTF2_CallbackCode on_leave(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *context,
	OTF2_AttributeList *attributes, OTF2_RegionRef region)
{
	(void)location, (void)position;
	add_region_sync(context, time, region);
	return add_message(context, TIMELINE_LEAVE, time, region, 0, 0, 0, 0, attributes);
}

static OTF2_EvtReaderCallbacks *callbacks_new(void)
{
	OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();
	OTF2_EvtReaderCallbacks_SetEnterCallback(callbacks, on_enter);
	OTF2_EvtReaderCallbacks_SetLeaveCallback(callbacks, on_leave);
	OTF2_EvtReaderCallbacks_SetMpiSendCallback(callbacks, on_send);
	OTF2_EvtReaderCallbacks_SetMpiIsendCallback(callbacks, on_isend);
	OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(callbacks, on_sent);
	OTF2_EvtReaderCallbacks_SetMpiRecvCallback(callbacks, on_recv);
	OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(callbacks, on_post);
	OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(callbacks, on_irecv);
	OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(callbacks, on_cancelled);
	OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(callbacks, on_collective);
	OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(callbacks, on_collective_post);
	OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(callbacks, on_collective_complete);
	return callbacks;
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
	if (l->ended && l->kept)
		kept_end(l->kept, l->read);
	if (l->ended)
		call_counts_add(t->archive->counts, l->rank, &l->facts);
	return true;
}

/* The same from where they are kept. */
static bool take_slice(struct timeline *t, struct lane *l)
{
	uint32_t what;
	uint64_t time, request, n = 0;
	for (; n < SLICE && kept_next(l->from, &l->place, &what, &time, &request); n++) {
		if (!l->is_known[what])
			l->is_known[what] = understand(l, kept_what(l->from, what), &l->known[what]);
		if (l->failed)
			return fail(t, l);
		if (l->known[what].kind == TIMELINE_LEAVE)
			add_region_sync(l, time, kept_what(l->from, what)->peer);
		struct timeline_record *r = add(l);
		*r = l->known[what];
		r->time = time;
		r->request = request;
		put_in_order(l, kept_what(l->from, what));
	}
	l->ended = n < SLICE;
	uint64_t read = l->ended ? kept_records(l->from) - l->read : n; /* those that are of no interest, too */
	l->read += read;
	t->read += read;
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
		if (!(l->from ? take_slice : read_slice)(t, l))
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
	return records != UINT64_MAX && records < chunk / sizeof(struct timeline_record);
}

static bool open_lane(struct timeline *t, uint32_t lane, struct error *error)
{
	struct lane *l = &t->lane[lane];
	library_enter(&l->call);
	bool good = locations_start(t->location, t->archive, lane, t->callbacks, l, error);
	library_leave();
	if (!good || !is_small(t, lane))
		return good;
	while (!l->ended && read_slice(t, l))
		settle(l);
	library_enter(&l->call);
	locations_end(t->location, lane);
	library_leave();
	return true;
}

static void take_lanes(struct timeline *t)
{
	const struct kept *keep = t->archive->options.keep;
	for (uint32_t rank = 0; rank < t->lanes; rank++) {
		struct lane *l = &t->lane[rank];
		l->from = kept_lane(keep, rank);
		l->known = mem_zero((kept_whats(l->from) + (size_t)1) * sizeof *l->known);
		l->is_known = mem_zero((kept_whats(l->from) + (size_t)1) * sizeof *l->is_known);
		t->expected += kept_records(l->from);
	}
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

static bool open_lanes(struct timeline *t, struct error *error)
{
	struct archive *a = t->archive;
	struct library_call call = {.path = a->files.anchor};
	uint32_t failed;
	begin_lanes(t);
	if (kept_whole(a->options.keep)) {
		take_lanes(t);
		return true;
	}
	if (!t->threaded)
		for (uint32_t rank = 0; rank < t->lanes; rank++)
			t->lane[rank].kept = kept_begin(a->options.keep, rank);
	library_enter(&call);
	bool good = locations_open(t->location, a, &failed, error);
	library_leave();
	for (uint32_t i = 0; i < t->lanes && good; i++) {
		failed = i;
		good = open_lane(t, i, error);
	}
	if (!good && t->lanes)
		return error_at(error, "%s: location %llu", a->files.anchor,
			(unsigned long long)a->definitions.thread[failed].location);
	for (uint32_t i = 0; i < t->lanes; i++)
		if (t->location[i].file.records != UINT64_MAX)
			t->expected += t->location[i].file.records;
	return good;
}

struct timeline *archive_timeline(struct archive *a, struct error *error)
{
	struct timeline *t = mem_zero(sizeof *t);
	call_counts_reset(a->counts);
	t->archive = a;
	t->failed = NO_RANK;
	t->callbacks = callbacks_new();
	t->lanes = a->definitions.threads;
	t->lane = mem_zero((t->lanes + (size_t)1) * sizeof *t->lane);
	t->location = mem_zero((t->lanes + (size_t)1) * sizeof *t->location);
	if (open_lanes(t, error))
		return t;
	timeline_close(t);
	return NULL;
}

void timeline_close(struct timeline *t)
{
	if (!t)
		return;
	struct library_call call = {.path = t->archive->files.anchor};
	library_enter(&call);
	locations_close(t->location, t->lanes);
	library_leave();
	for (uint32_t i = 0; i < t->lanes; i++) {
		meanings_clear(&t->lane[i].meanings);
		receive_order_clear(&t->lane[i].order);
		free(t->lane[i].record);
		free(t->lane[i].known);
		free(t->lane[i].is_known);
	}
	for (uint32_t rank = 0; t->threaded && rank < t->archive->definitions.processes; rank++)
		merge_clear(&t->threaded[rank].merge);
	OTF2_EvtReaderCallbacks_Delete(t->callbacks);
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
