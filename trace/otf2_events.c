/*
 * otf2_events.c -- the records of one location, as events of one process.
 *
 * With TRACE_ALL, these records are local events too: ENTER and LEAVE of any region ("call NAME",
 * "return NAME"), PARAMETER_STRING, _INT and _UNSIGNED_INT ("parameter NAME=VALUE"), THREAD_FORK
 * and OMP_FORK ("fork N"), THREAD_JOIN and OMP_JOIN ("join"), MEASUREMENT_ON_OFF ("measurement
 * on"), NON_BLOCKING_COLLECTIVE_REQUEST ("request collective").
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/text.h"
#include "trace/names.h"
#include "trace/otf2_stream.h"

/* ------------------------------------------------------------------ what comes out */

static bool pass_on(void *context, const struct trace_event *event)
{
	struct stream *s = context;
	s->events++;
	s->call.ours = true;
	bool going_on = s->sink->event(s->sink->context, s->merged ? s->feed : s->rank, event, s->error);
	s->call.ours = false;
	s->refused = !going_on;
	return going_on;
}

static inline bool hand_over(void *context, const struct trace_event *event, const struct posting *p)
{
	struct stream *s = context;
	struct postings *c = &s->postings;
	if (c->wanted || !postings_idle(c) || (p->posted && receive_order_waits(&s->order, p->posted)))
		return postings_take(c, event, p);
	c->delivered++;
	return pass_on(s, event);
}

/* What is neither sent nor received tells no call. */
static const struct posting nowhere = {.call = TRACE_NO_CALL};

/* Where it happens. */
static inline struct posting here(struct stream *s)
{
	return (struct posting){.call = s->inside, .begun = s->postings.begun};
}

/* An event that no wait call contains. */
static inline bool deliver_event(struct stream *s, const struct trace_event *e, const struct posting *p)
{
	s->facts->told[s->inside] = true;
	return (receive_order_idle(&s->order) || receive_order_break(&s->order)) && hand_over(s, e, p);
}

/* What it carries beside its fields, as far as that is asked for. */
static inline void carry(struct stream *s, const struct event_record *r, struct trace_event *e)
{
	if (s->sense.definitions)
		e->thread = thread_of(&s->sense, s->inside, r);
	if (s->carrying)
		stream_attributes(s, r, e);
	if (s->siting == SITES_TOLD) {
		e->site = s->site;
		e->entered = s->newly;
	} else if (s->siting)
		stream_site(s, r, e);
}

/* ------------------------------------------------------------------ messages */

static inline bool message(
	struct stream *s, enum raw_kind kind, const struct event_record *r, struct trace_event *event)
{
	if (!s->anonymous)
		return meanings_message(&s->meanings, kind, r->id, r->communicator, r->number, event);
	event->event = r->id < UINT32_C(1) << 31 ? 0 : EVENT_TO_NOBODY;
	return true;
}

/* Most events of most archives come by here: a copy for each kind of record. */
__attribute__((always_inline)) static inline bool on_message(
	struct stream *s, enum raw_kind kind, const struct event_record *r, bool requested)
{
	struct trace_event e = {.timed = true, .time = r->time, .sized = true, .bytes = r->bytes};
	if (!message(s, kind, r, &e))
		return false;
	if (e.event != EVENT_TO_NOBODY) {
		struct posting p = here(s);
		carry(s, r, &e);
		s->postings.arrived++;
		s->facts->sends += kind == RAW_SEND;
		s->facts->receives += kind == RAW_RECV;
		if (kind == RAW_RECV) {
			p.channel = (struct receive_channel){r->id, r->communicator, r->number};
			p.posted = receive_order_at_once(&s->order);
		} else if (requested) {
			p.is_open = true;
			p.request = r->request;
		}
		return deliver_event(s, &e, &p);
	}
	s->facts->to_nobody++;
	s->facts->told[s->inside] = true;
	return receive_order_break(&s->order);
}

static bool on_irecv(struct stream *s, const struct event_record *r)
{
	s->facts->completed++;
	s->facts->told[s->inside] = true;
	struct trace_event e = {.timed = true, .time = r->time, .sized = true, .bytes = r->bytes};
	if (!message(s, RAW_RECV, r, &e))
		return false;
	if (e.event == EVENT_TO_NOBODY) {
		s->facts->to_nobody++;
		receive_order_take(&s->order, r->request);
		return true;
	}
	s->facts->receives++;
	carry(s, r, &e);
	struct posting p = here(s);
	p.channel = (struct receive_channel){r->id, r->communicator, r->number};
	s->postings.arrived++;
	return receive_order_receive(&s->order, &e, &p, r->request, s->seen & REGION_MPI);
}

static bool on_irecv_request(struct stream *s, const struct event_record *r)
{
	s->facts->posted++;
	if (call_starts(s->inside))
		s->facts->told[s->inside] = true;
	return receive_order_post(&s->order, r->request, s->postings.arrived, s->inside);
}

static bool on_request_cancelled(struct stream *s, const struct event_record *r)
{
	s->facts->completed++;
	receive_order_take(&s->order, r->request);
	return !s->postings.wanted || postings_forget(&s->postings, r->request);
}

/* ------------------------------------------------------------------ collectives */

/* Nothing is passed on by it, which has no size: also where it is recorded as one of 0. */
static bool is_signal(uint32_t operation)
{
	return operation == OTF2_COLLECTIVE_OP_BARRIER || operation == OTF2_COLLECTIVE_OP_CREATE_HANDLE ||
	       operation == OTF2_COLLECTIVE_OP_DESTROY_HANDLE;
}

/* Where a posted one completes, a wait for receives, too, goes on around it. */
static bool on_collective(struct stream *s, const struct event_record *r, bool posted)
{
	struct trace_event e = {.timed = true, .time = r->time, .bytes = r->bytes, .received = r->received};
	uint32_t operation = r->number | (posted ? OPERATION_POSTED : 0);
	e.sized = e.exchanged = e.bytes || e.received || !is_signal(r->number);
	s->facts->collectives_recorded = true;
	s->facts->told[s->inside] |= posted;
	if (!s->anonymous && !meanings_sync(&s->meanings, operation, r->communicator, r->id, &e.event))
		return false;
	carry(s, r, &e);
	s->postings.arrived++;
	return posted ? receive_order_other(&s->order, &e, &nowhere) : deliver_event(s, &e, &nowhere);
}

/* ------------------------------------------------------------------ windows */

static bool on_one_sided(struct stream *s, const struct event_record *r)
{
	bool moves = r->number < EVENT_KINDS && kind_is_one_sided(r->number);
	bool both = moves && kind_messages(r->number) > 1;
	struct trace_event e = {.timed = true, .time = r->time, .sized = moves, .bytes = r->bytes};
	e.exchanged = both;
	e.received = both ? r->received : 0;
	if (!s->anonymous && !meanings_one_sided(&s->meanings, r->number, r->id, r->communicator, s->entered, &e.event))
		return false;
	s->facts->told[s->inside] = true;
	if (e.event == EVENT_TO_NOBODY)
		return true;
	carry(s, r, &e);
	s->postings.arrived++;
	return deliver_event(s, &e, &nowhere);
}

static bool on_window_sync(struct stream *s, const struct event_record *r)
{
	struct trace_event e = {.timed = true, .time = r->time};
	s->facts->collectives_recorded = true;
	if (!s->anonymous && !meanings_window_sync(&s->meanings, r->number, r->communicator, s->entered, &e.event))
		return false;
	carry(s, r, &e);
	s->postings.arrived++;
	return deliver_event(s, &e, &nowhere);
}

/* ------------------------------------------------------------------ regions */

/* A local event: it keeps its place, also in the middle of a wait call. */
static bool deliver_local(struct stream *s, uint32_t event, const struct event_record *r)
{
	struct trace_event e = {.event = event, .timed = true, .time = r->time, .local = true};
	carry(s, s->archive->options.call_sites ? r : NULL, &e);
	return receive_order_other(&s->order, &e, &nowhere);
}

/* Does a group of receives that completed end where this region begins or ends? */
static bool is_boundary(const struct stream *s, unsigned flags)
{
	return !(s->order.waits || s->order.lasts) || flags & REGION_MPI;
}

/* Who asks for the calls themselves has their receives in them. */
static bool completes_some(const struct stream *s, unsigned flags)
{
	return flags & REGION_COMPLETES_SOME && !s->wanted && !s->postings.wanted;
}

__attribute__((noinline)) static bool enter(struct stream *s, const struct event_record *r, unsigned flags)
{
	uint32_t region = r->id;
	bool several = flags & REGION_COMPLETES_SEVERAL;
	if (flags & REGION_PROGRAM & s->interesting)
		call_path_enter(&s->path, region, definitions_region_name(s->definitions, region));
	if (completes_some(s, flags))
		return receive_order_some_begins(&s->order);
	if (!several && is_boundary(s, flags) && !receive_order_break(&s->order))
		return false;
	if (flags & s->wanted && !deliver_local(s, meanings_region(&s->meanings, RAW_CALL, region), r))
		return false;
	return !several || receive_order_wait_begins(&s->order);
}

__attribute__((noinline)) static bool leave(struct stream *s, const struct event_record *r, unsigned flags)
{
	uint32_t region = r->id;
	bool several = flags & REGION_COMPLETES_SEVERAL, good = true;
	if (completes_some(s, flags)) {
		receive_order_some_ends(&s->order);
		return true;
	}
	if (several ? !receive_order_wait_ends(&s->order) : is_boundary(s, flags) && !receive_order_break(&s->order))
		return false;
	if (flags & REGION_COLLECTIVE && s->archive->collectives_from_regions) {
		struct trace_event e = {.event = meanings_region(&s->meanings, RAW_REGION_SYNC, region),
			.timed = true,
			.time = r->time};
		carry(s, NULL, &e);
		if (!deliver_event(s, &e, &nowhere))
			return false;
	}
	if (flags & s->wanted)
		good = deliver_local(s, meanings_region(&s->meanings, RAW_RETURN, region), r);
	if (flags & REGION_PROGRAM & s->interesting)
		call_path_leave(&s->path, region);
	return good;
}

/* Most regions do not. */
static bool matters(struct stream *s, unsigned flags)
{
	s->seen |= flags;
	return flags & s->interesting || !receive_order_idle(&s->order);
}

static bool on_enter(struct stream *s, const struct event_record *record)
{
	const struct region *r = definitions_region(s->definitions, record->id);
	if (s->sense.definitions)
		thread_enters(&s->sense, record);
	s->entered = record->id;
	s->region = r;
	s->inside = r->call;
	s->postings.begun = s->postings.arrived;
	s->facts->entered[r->call]++;
	return !matters(s, r->flags) || enter(s, record, r->flags);
}

static bool on_leave(struct stream *s, const struct event_record *record)
{
	bool same = s->region && s->entered == record->id;
	const struct region *r = same ? s->region : definitions_region(s->definitions, record->id);
	unsigned flags = r->flags;
	bool good = !matters(s, flags) || leave(s, record, flags);
	s->inside = TRACE_NO_CALL;
	return good;
}

/* ------------------------------------------------------------------ calling contexts */

static void take_context(struct stream *s, uint32_t context, uint32_t distance)
{
	const struct calling_context *c = definitions_context(s->definitions, context);
	uint32_t entered = distance ? distance - 1 : 0, depth = c ? c->depth : 0,
		 kept = entered < depth ? depth - entered : 0;
	s->context = context;
	s->context_vague = s->context_vague || entered > depth;
	s->context_kept = kept < s->context_kept ? kept : s->context_kept;
}

static void leave_context(struct stream *s, uint32_t context)
{
	const struct calling_context *c = definitions_context(s->definitions, context);
	take_context(s, c ? c->caller : OTF2_UNDEFINED_CALLING_CONTEXT, 0);
}

/* ------------------------------------------------------------- other records that carry meaning */

static bool deliver_words(struct stream *s, const struct event_record *r, const char *words, const char *name)
{
	return deliver_local(s, meanings_local(&s->meanings, words, name), r);
}

static bool on_parameter(struct stream *s, const struct event_record *r)
{
	struct text name = {0};
	text_format(&name, "%s=", definitions_parameter(s->definitions, r->id));
	if (r->kind == RECORD_PARAMETER_STRING)
		text_put(&name, definitions_string(s->definitions, (uint32_t)r->bytes));
	else if (r->kind == RECORD_PARAMETER_INT)
		text_format(&name, "%" PRId64, (int64_t)r->bytes);
	else
		text_format(&name, "%" PRIu64, r->bytes);
	bool good = deliver_words(s, r, "parameter ", name.data);
	text_clear(&name);
	return good;
}

static bool on_fork(struct stream *s, const struct event_record *r)
{
	char digits[16];
	snprintf(digits, sizeof digits, "%u", r->id);
	return deliver_words(s, r, "fork ", digits);
}

static bool on_other(struct stream *s, const struct event_record *r)
{
	switch (r->kind) {
	case RECORD_PARAMETER_STRING:
	case RECORD_PARAMETER_INT:
	case RECORD_PARAMETER_UNSIGNED:
		return on_parameter(s, r);
	case RECORD_FORK:
		return on_fork(s, r);
	case RECORD_JOIN:
		return deliver_words(s, r, "join", NULL);
	case RECORD_MEASUREMENT:
		return deliver_words(s, r, r->id == OTF2_MEASUREMENT_ON ? "measurement on" : "measurement off", NULL);
	case RECORD_COLLECTIVE_REQUEST:
		return deliver_words(s, r, "request collective", NULL);
	default:
		return true;
	}
}

static bool on_record(struct stream *s, const struct event_record *r)
{
	switch (r->kind) {
	case RECORD_ENTER:
		return on_enter(s, r);
	case RECORD_LEAVE:
		return on_leave(s, r);
	case RECORD_SEND:
		return on_message(s, RAW_SEND, r, false);
	case RECORD_ISEND:
		return on_message(s, RAW_SEND, r, true);
	case RECORD_ISEND_COMPLETE:
		return !s->postings.wanted || postings_close(&s->postings, r->request, s->inside);
	case RECORD_RECV:
		return on_message(s, RAW_RECV, r, false);
	case RECORD_IRECV_REQUEST:
		return on_irecv_request(s, r);
	case RECORD_IRECV:
		return on_irecv(s, r);
	case RECORD_CANCELLED:
		return on_request_cancelled(s, r);
	case RECORD_COLLECTIVE_END:
		return on_collective(s, r, false);
	case RECORD_COLLECTIVE_COMPLETE:
		return on_collective(s, r, true);
	case RECORD_ONE_SIDED:
		return on_one_sided(s, r);
	case RECORD_WINDOW_SYNC:
		return on_window_sync(s, r);
	default: /* no events where only communication is wanted */
		return s->archive->options.events != TRACE_ALL || on_other(s, r);
	}
}

bool stream_take(void *context, const struct event_record *r)
{
	struct stream *s = context;
	bool in_context = r->context && s->siting == SITES_RECORDED;
	if (in_context && r->kind != RECORD_LEAVE)
		take_context(s, r->context - 1, r->distance);
	s->failed = !on_record(s, r);
	if (in_context && r->kind == RECORD_LEAVE)
		leave_context(s, r->context - 1);
	return !s->failed;
}

/* ------------------------------------------------------------------ reading */

static bool check_amount(const struct event_file *file, uint64_t read, struct error *error)
{
	if (file->records != UINT64_MAX && read != file->records)
		return error_set(error, ERROR_INPUT, "damaged or cut off: %llu of %llu records found",
			(unsigned long long)read, (unsigned long long)file->records);
	return true;
}

static void tell_share(const struct stream_watch *watch, const struct event_file *file, uint64_t read)
{
	if (watch->share && file->records != UINT64_MAX && file->records)
		watch->share(watch->context, (double)read / (double)file->records);
}

static bool read_slices(struct stream *s, struct location_reader *l, const struct stream_watch *watch)
{
	uint64_t *total = &s->facts->records;
	for (uint64_t read = LOCATION_SLICE; read == LOCATION_SLICE; *total += read) {
		read = 0;
		OTF2_ErrorCode code = location_read(l, LOCATION_SLICE, &read);
		if (s->failed)
			return false;
		if (code != OTF2_SUCCESS)
			return error_set(s->error, ERROR_INPUT, "damaged or cut off behind record %llu: %s",
				(unsigned long long)(*total + read), library_words());
		if (*total + read > l->file.limit || (l->file.records != UINT64_MAX && *total + read > l->file.records))
			return error_set(s->error, ERROR_INPUT, "damaged: more records than its file holds");
		tell_share(watch, &l->file, *total + read);
		if (watch->stop && watch->stop(watch->context))
			return false;
	}
	if (!check_amount(&l->file, *total, s->error))
		return false;
	return stream_end(s);
}

/* An archive that is in the making tells them with its records. */
static enum stream_sites sites_of(const struct stream *s)
{
	const struct definitions *d = s->definitions;
	if (!s->archive->options.sites)
		return SITES_UNWANTED;
	return d->sited || d->in_contexts || d->regions_named ? SITES_RECORDED : SITES_TOLD;
}

void stream_begin(struct stream *s)
{
	s->definitions = &s->archive->definitions;
	s->location = s->definitions->location ? s->definitions->location[s->rank] : s->rank;
	if (s->archive->options.events != TRACE_COMM)
		s->wanted = s->archive->options.events == TRACE_MPI ? REGION_MPI : REGION_ANY;
	s->siting = sites_of(s);
	s->interesting = s->wanted | REGION_COMPLETES_SEVERAL | REGION_COMPLETES_SOME |
			 (s->archive->collectives_from_regions ? REGION_COLLECTIVE : 0) |
			 (s->siting == SITES_RECORDED && s->definitions->regions_named ? REGION_PROGRAM : 0);
	s->context = OTF2_UNDEFINED_CALLING_CONTEXT;
	s->inside = TRACE_NO_CALL;
	s->carrying = s->archive->options.attributes && s->definitions->attributes ? CARRYING_ALL
		      : s->definitions->usual                                      ? CARRYING_USUAL
										   : CARRYING_NOTHING;
	s->call.path = s->archive->files.anchor;
	s->sense = thread_sense(s->archive, s->rank);
	meanings_start(&s->meanings, s->archive, s->rank, s->error);
	stream_order(s);
}

bool stream_end(struct stream *s)
{
	return receive_order_break(&s->order) && postings_end(&s->postings);
}

void stream_clear(struct stream *s)
{
	postings_clear(&s->postings);
	receive_order_clear(&s->order);
	meanings_clear(&s->meanings);
	intern_free(s->figures);
	call_path_clear(&s->path);
}

void stream_order(struct stream *s)
{
	postings_clear(&s->postings);
	receive_order_clear(&s->order);
	postings_begin(&s->postings, s->archive->options.calls, &s->order, pass_on, s);
	receive_order_begin(&s->order, s->archive->options.recorded_order, hand_over, s);
}

/* The same of several threads. */
static bool read_threads(struct archive *a, uint32_t rank, const struct trace_sink *sink,
	const struct stream_watch *watch, struct stream_facts *facts, struct error *error)
{
	struct process_reader *p = process_open(a, rank, false, facts, error);
	const struct trace_event *e;
	struct error own;
	bool good = true;
	if (!p)
		return false;
	while (good && (e = process_next(p)))
		good = sink->event(sink->context, rank, e, error) && !(watch->stop && watch->stop(watch->context));
	if (process_close(p, &own))
		return good;
	*error = own;
	return false;
}

bool stream_read(struct archive *a, uint32_t rank, const struct trace_sink *sink, const struct stream_watch *watch,
	struct stream_facts *facts, struct error *error)
{
	if (threads_several(a, rank))
		return read_threads(a, rank, sink, watch, facts, error);
	struct stream s = {.archive = a, .rank = rank, .sink = sink, .error = error, .facts = facts};
	struct location_reader l = {0};
	stream_begin(&s);
	library_enter(&s.call);
	*error = (struct error){0};
	bool good = location_open(&l, a, s.location, stream_take, &s, error) && read_slices(&s, &l, watch);
	if (!good && !s.refused && error->kind != ERROR_NONE)
		error_at(error, "%s: location %llu", a->files.anchor, (unsigned long long)s.location);
	location_close(&l);
	library_leave();
	facts->events = s.events;
	facts->collective_regions_seen = s.seen & REGION_COLLECTIVE;
	facts->disordered = s.order.disordered;
	stream_clear(&s);
	return good;
}
