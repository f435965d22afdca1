/*
 * otf2_events.c -- the records of one location, as events of one process.
 *
 * Each stream has a reader of the OTF2 library to itself: nothing is shared between threads, and
 * what the library holds is given back when a stream ends.
 *
 * With TRACE_ALL, these records are local events too: ENTER and LEAVE of any region ("call NAME",
 * "return NAME"), PARAMETER_STRING, _INT and _UNSIGNED_INT ("parameter NAME=VALUE"), THREAD_FORK
 * and OMP_FORK ("fork N"), THREAD_JOIN and OMP_JOIN ("join"), MEASUREMENT_ON_OFF ("measurement
 * on"), NON_BLOCKING_COLLECTIVE_REQUEST ("request collective").
 */
#include <stdio.h>

#include "base/text.h"
#include "trace/names.h"
#include "trace/otf2_stream.h"
#include "trace/timeline.h"

/* ------------------------------------------------------------------ what comes out */

static OTF2_CallbackCode fail(struct stream *s)
{
	s->failed = true;
	return OTF2_CALLBACK_INTERRUPT;
}

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

static inline OTF2_CallbackCode go_on(struct stream *s, bool good)
{
	return good ? OTF2_CALLBACK_SUCCESS : fail(s);
}

/* What is neither sent nor received tells no call. */
static const struct posting nowhere = {.call = TRACE_NO_CALL};

/* Where it happens. */
static inline struct posting here(struct stream *s)
{
	return (struct posting){.call = s->inside, .begun = s->postings.begun};
}

/* An event that no wait call contains. */
static inline OTF2_CallbackCode deliver_event(struct stream *s, const struct trace_event *e, const struct posting *p)
{
	s->facts->told[s->inside] = true;
	if (!receive_order_idle(&s->order) && !receive_order_break(&s->order))
		return fail(s);
	return go_on(s, hand_over(s, e, p));
}

/* What it carries beside its fields, as far as that is asked for. */
static inline void carry(struct stream *s, const OTF2_AttributeList *attributes, struct trace_event *e)
{
	if (s->sense.definitions)
		e->thread = thread_of(&s->sense, s->inside, attributes);
	if (s->carrying)
		stream_attributes(s, attributes, e);
	if (s->siting == SITES_TOLD) {
		e->site = s->site;
		e->entered = s->newly;
	} else if (s->siting)
		stream_site(s, attributes, e);
}

/* ------------------------------------------------------------------ for another reading */

/* Not usual: out of line, so that the callbacks stay small. */
__attribute__((noinline)) static void add_kept(
	struct kept_lane *kept, struct kept_what what, uint64_t time, uint64_t request)
{
	kept_add(kept, &what, time, request);
}

static inline void keep(struct stream *s, enum timeline_kind kind, uint64_t time, uint32_t id, uint64_t request)
{
	if (s->kept)
		add_kept(s->kept, (struct kept_what){.kind = kind, .peer = id}, time, request);
}

static inline void keep_message(struct stream *s, enum timeline_kind kind, uint64_t time, uint32_t peer,
	uint32_t communicator, uint32_t tag, uint64_t bytes, uint64_t request)
{
	if (s->kept)
		add_kept(s->kept, (struct kept_what){kind, peer, communicator, tag, bytes}, time, request);
}

/* ------------------------------------------------------------------ messages */

static inline bool message(struct stream *s, enum raw_kind kind, uint32_t peer, uint32_t communicator, uint32_t tag,
	struct trace_event *event)
{
	if (!s->anonymous)
		return meanings_message(&s->meanings, kind, peer, communicator, tag, event);
	event->event = peer < UINT32_C(1) << 31 ? 0 : EVENT_TO_NOBODY;
	return true;
}

/* Most events of most archives come by here: a copy for each callback. */
__attribute__((always_inline)) static inline OTF2_CallbackCode on_message(struct stream *s, enum raw_kind kind,
	uint64_t time, uint32_t peer, uint32_t communicator, uint32_t tag, uint64_t bytes, const uint64_t *request,
	const OTF2_AttributeList *attributes)
{
	struct trace_event e = {.timed = true, .time = time, .sized = true, .bytes = bytes};
	if (!message(s, kind, peer, communicator, tag, &e))
		return fail(s);
	if (e.event != EVENT_TO_NOBODY) {
		struct posting p = here(s);
		carry(s, attributes, &e);
		s->postings.arrived++;
		s->facts->sends += kind == RAW_SEND;
		s->facts->receives += kind == RAW_RECV;
		if (kind == RAW_RECV) {
			p.channel = (struct receive_channel){peer, communicator, tag};
			p.posted = receive_order_at_once(&s->order);
		} else if (request) {
			p.is_open = true;
			p.request = *request;
		}
		return deliver_event(s, &e, &p);
	}
	s->facts->to_nobody++;
	s->facts->told[s->inside] = true;
	return go_on(s, receive_order_break(&s->order));
}

static OTF2_CallbackCode on_send(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *context,
	OTF2_AttributeList *attributes, uint32_t receiver, OTF2_CommRef communicator, uint32_t tag, uint64_t bytes)
{
	(void)location, (void)position;
	keep_message(context, TIMELINE_SEND, time, receiver, communicator, tag, bytes, 0);
	return on_message(context, RAW_SEND, time, receiver, communicator, tag, bytes, NULL, attributes);
}

static OTF2_CallbackCode on_isend(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *context,
	OTF2_AttributeList *attributes, uint32_t receiver, OTF2_CommRef communicator, uint32_t tag, uint64_t bytes,
	uint64_t request)
{
	(void)location, (void)position;
	keep_message(context, TIMELINE_ISEND, time, receiver, communicator, tag, bytes, request);
	return on_message(context, RAW_SEND, time, receiver, communicator, tag, bytes, &request, attributes);
}

static OTF2_CallbackCode on_isend_complete(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
	void *context, OTF2_AttributeList *attributes, uint64_t request)
{
	(void)location, (void)position, (void)attributes;
	struct stream *s = context;
	keep(s, TIMELINE_SENT, time, 0, request);
	return s->postings.wanted ? go_on(s, postings_close(&s->postings, request, s->inside)) : OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_recv(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *context,
	OTF2_AttributeList *attributes, uint32_t sender, OTF2_CommRef communicator, uint32_t tag, uint64_t bytes)
{
	(void)location, (void)position;
	keep_message(context, TIMELINE_RECV, time, sender, communicator, tag, bytes, 0);
	return on_message(context, RAW_RECV, time, sender, communicator, tag, bytes, NULL, attributes);
}

static OTF2_CallbackCode on_irecv(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *context,
	OTF2_AttributeList *attributes, uint32_t sender, OTF2_CommRef communicator, uint32_t tag, uint64_t bytes,
	uint64_t request)
{
	(void)location, (void)position;
	struct stream *s = context;
	keep_message(s, TIMELINE_IRECV, time, sender, communicator, tag, bytes, request);
	s->facts->completed++;
	s->facts->told[s->inside] = true;
	struct trace_event e = {.timed = true, .time = time, .sized = true, .bytes = bytes};
	if (!message(s, RAW_RECV, sender, communicator, tag, &e))
		return fail(s);
	if (e.event == EVENT_TO_NOBODY) {
		s->facts->to_nobody++;
		receive_order_take(&s->order, request);
		return OTF2_CALLBACK_SUCCESS;
	}
	s->facts->receives++;
	carry(s, attributes, &e);
	struct posting p = here(s);
	p.channel = (struct receive_channel){sender, communicator, tag};
	s->postings.arrived++;
	return go_on(s, receive_order_receive(&s->order, &e, &p, request, s->seen & REGION_MPI));
}

static OTF2_CallbackCode on_irecv_request(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
	void *context, OTF2_AttributeList *attributes, uint64_t request)
{
	(void)location, (void)position, (void)attributes;
	struct stream *s = context;
	keep(s, TIMELINE_POST, time, 0, request);
	s->facts->posted++;
	if (call_starts(s->inside))
		s->facts->told[s->inside] = true;
	return go_on(s, receive_order_post(&s->order, request, s->postings.arrived, s->inside));
}

static OTF2_CallbackCode on_request_cancelled(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
	void *context, OTF2_AttributeList *attributes, uint64_t request)
{
	(void)location, (void)position, (void)attributes;
	struct stream *s = context;
	keep(s, TIMELINE_CANCELLED, time, 0, request);
	s->facts->completed++;
	receive_order_take(&s->order, request);
	return s->postings.wanted ? go_on(s, postings_forget(&s->postings, request)) : OTF2_CALLBACK_SUCCESS;
}

/* ------------------------------------------------------------------ collectives */

/* Nothing is passed on by it, which has no size: also where it is recorded as one of 0. */
static bool is_signal(uint32_t operation)
{
	return operation == OTF2_COLLECTIVE_OP_BARRIER || operation == OTF2_COLLECTIVE_OP_CREATE_HANDLE ||
	       operation == OTF2_COLLECTIVE_OP_DESTROY_HANDLE;
}

static bool collective(struct stream *s, OTF2_AttributeList *attributes, uint32_t operation, uint32_t communicator,
	uint32_t root, struct trace_event *event)
{
	event->sized = event->exchanged = event->bytes || event->received || !is_signal(operation & ~OPERATION_POSTED);
	s->facts->collectives_recorded = true;
	if (!s->anonymous && !meanings_sync(&s->meanings, operation, communicator, root, &event->event))
		return false;
	carry(s, attributes, event);
	s->postings.arrived++;
	return true;
}

static OTF2_CallbackCode on_collective(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *context,
	OTF2_AttributeList *attributes, OTF2_CollectiveOp operation, OTF2_CommRef communicator, uint32_t root,
	uint64_t sent, uint64_t received)
{
	(void)location, (void)position;
	struct trace_event e = {.timed = true, .time = time, .bytes = sent, .received = received};
	keep_message(context, TIMELINE_SYNC, time, root, communicator, operation, sent, 0);
	return collective(context, attributes, operation, communicator, root, &e) ? deliver_event(context, &e, &nowhere)
										  : fail(context);
}

/* Where it completes; a wait for receives, too, goes on around it. */
static OTF2_CallbackCode on_collective_complete(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
	void *context, OTF2_AttributeList *attributes, OTF2_CollectiveOp operation, OTF2_CommRef communicator,
	uint32_t root, uint64_t sent, uint64_t received, uint64_t request)
{
	(void)location, (void)position;
	struct stream *s = context;
	struct trace_event e = {.timed = true, .time = time, .bytes = sent, .received = received};
	uint32_t posted = operation | OPERATION_POSTED;
	keep_message(s, TIMELINE_COMPLETED, time, root, communicator, posted, sent, request);
	s->facts->told[s->inside] = true;
	return go_on(s, collective(s, attributes, posted, communicator, root, &e) &&
				receive_order_other(&s->order, &e, &nowhere));
}

/* ------------------------------------------------------------------ regions */

/* A local event: it keeps its place, also in the middle of a wait call. */
static OTF2_CallbackCode deliver_local(struct stream *s, uint32_t event, uint64_t time)
{
	struct trace_event e = {.event = event, .timed = true, .time = time, .local = true};
	carry(s, NULL, &e);
	return go_on(s, receive_order_other(&s->order, &e, &nowhere));
}

/* Does a group of receives that completed end where this region begins or ends? */
static bool is_boundary(const struct stream *s, unsigned flags)
{
	return !s->order.waits || flags & REGION_MPI;
}

__attribute__((noinline)) static bool enter(struct stream *s, uint32_t region, unsigned flags, uint64_t time)
{
	bool several = flags & REGION_COMPLETES_SEVERAL;
	if (flags & REGION_PROGRAM & s->interesting)
		call_path_enter(&s->path, region, definitions_region_name(s->definitions, region));
	if (!several && is_boundary(s, flags) && !receive_order_break(&s->order))
		return false;
	if (flags & s->wanted &&
		deliver_local(s, meanings_region(&s->meanings, RAW_CALL, region), time) != OTF2_CALLBACK_SUCCESS)
		return false;
	return !several || receive_order_wait_begins(&s->order);
}

__attribute__((noinline)) static bool leave(struct stream *s, uint32_t region, unsigned flags, uint64_t time)
{
	bool several = flags & REGION_COMPLETES_SEVERAL, good = true;
	if (several ? !receive_order_wait_ends(&s->order) : is_boundary(s, flags) && !receive_order_break(&s->order))
		return false;
	if (flags & REGION_COLLECTIVE && s->archive->collectives_from_regions) {
		struct trace_event e = {
			.event = meanings_region(&s->meanings, RAW_REGION_SYNC, region), .timed = true, .time = time};
		carry(s, NULL, &e);
		if (deliver_event(s, &e, &nowhere) != OTF2_CALLBACK_SUCCESS)
			return false;
	}
	if (flags & s->wanted)
		good = deliver_local(s, meanings_region(&s->meanings, RAW_RETURN, region), time) ==
		       OTF2_CALLBACK_SUCCESS;
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

static OTF2_CallbackCode on_enter(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *context,
	OTF2_AttributeList *attributes, OTF2_RegionRef region)
{
	(void)location, (void)position;
	struct stream *s = context;
	const struct region *r = definitions_region(s->definitions, region);
	if (s->sense.definitions)
		thread_enters(&s->sense, attributes);
	s->entered = region;
	s->region = r;
	if (s->kept)
		keep_message(s, TIMELINE_ENTER, time, region, 0, 0, archive_preempted(s->archive, attributes), 0);
	s->inside = r->call;
	s->postings.begun = s->postings.arrived;
	s->facts->entered[r->call]++;
	return matters(s, r->flags) ? go_on(s, enter(s, region, r->flags, time)) : OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_leave(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *context,
	OTF2_AttributeList *attributes, OTF2_RegionRef region)
{
	(void)location, (void)position, (void)attributes;
	struct stream *s = context;
	bool same = s->region && s->entered == region;
	const struct region *r = same ? s->region : definitions_region(s->definitions, region);
	unsigned flags = r->flags;
	keep(s, TIMELINE_LEAVE, time, region, 0);
	OTF2_CallbackCode code = matters(s, flags) ? go_on(s, leave(s, region, flags, time)) : OTF2_CALLBACK_SUCCESS;
	s->inside = TRACE_NO_CALL;
	return code;
}

/* ------------------------------------------------------------------ calling contexts */

/* distance: so many of its innermost frames, but one, were entered since the context before; 0: none
   were. */
static const struct calling_context *take_context(struct stream *s, uint32_t context, uint32_t distance)
{
	const struct calling_context *c = definitions_context(s->definitions, context);
	uint32_t entered = distance ? distance - 1 : 0, depth = c ? c->depth : 0,
		 kept = entered < depth ? depth - entered : 0;
	s->context = context;
	s->context_vague = s->context_vague || entered > depth;
	s->context_kept = kept < s->context_kept ? kept : s->context_kept;
	return c;
}

static OTF2_CallbackCode on_context_enter(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
	void *context, OTF2_AttributeList *attributes, OTF2_CallingContextRef entered, uint32_t distance)
{
	const struct calling_context *c = take_context(context, entered, distance);
	return on_enter(location, time, position, context, attributes, c ? c->region : OTF2_UNDEFINED_REGION);
}

static OTF2_CallbackCode on_context_leave(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
	void *context, OTF2_AttributeList *attributes, OTF2_CallingContextRef left)
{
	const struct calling_context *c = definitions_context(((struct stream *)context)->definitions, left);
	OTF2_CallbackCode code =
		on_leave(location, time, position, context, attributes, c ? c->region : OTF2_UNDEFINED_REGION);
	take_context(context, c ? c->caller : OTF2_UNDEFINED_CALLING_CONTEXT, 0);
	return code;
}

static OTF2_CallbackCode on_context_sample(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
	void *context, OTF2_AttributeList *attributes, OTF2_CallingContextRef sampled, uint32_t distance,
	OTF2_InterruptGeneratorRef generator)
{
	(void)location, (void)time, (void)position, (void)attributes, (void)generator;
	take_context(context, sampled, distance);
	return OTF2_CALLBACK_SUCCESS;
}

/* ------------------------------------------------------------- other records that carry meaning */

static OTF2_CallbackCode on_parameter(struct stream *s, uint64_t time, uint32_t parameter, const char *value)
{
	struct text name = {0};
	text_format(&name, "%s=%s", definitions_parameter(s->definitions, parameter), value);
	uint32_t event = meanings_local(&s->meanings, "parameter ", name.data);
	text_clear(&name);
	return deliver_local(s, event, time);
}

static OTF2_CallbackCode on_parameter_string(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
	void *context, OTF2_AttributeList *attributes, OTF2_ParameterRef parameter, OTF2_StringRef string)
{
	(void)location, (void)position, (void)attributes;
	struct stream *s = context;
	return on_parameter(s, time, parameter, definitions_string(s->definitions, string));
}

static OTF2_CallbackCode on_parameter_int(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
	void *context, OTF2_AttributeList *attributes, OTF2_ParameterRef parameter, int64_t value)
{
	(void)location, (void)position, (void)attributes;
	char digits[32];
	snprintf(digits, sizeof digits, "%lld", (long long)value);
	return on_parameter(context, time, parameter, digits);
}

static OTF2_CallbackCode on_parameter_unsigned(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
	void *context, OTF2_AttributeList *attributes, OTF2_ParameterRef parameter, uint64_t value)
{
	(void)location, (void)position, (void)attributes;
	char digits[32];
	snprintf(digits, sizeof digits, "%llu", (unsigned long long)value);
	return on_parameter(context, time, parameter, digits);
}

static OTF2_CallbackCode on_fork_of(struct stream *s, uint64_t time, uint32_t threads)
{
	char digits[16];
	snprintf(digits, sizeof digits, "%u", threads);
	return deliver_local(s, meanings_local(&s->meanings, "fork ", digits), time);
}

static OTF2_CallbackCode on_thread_fork(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
	void *context, OTF2_AttributeList *attributes, OTF2_Paradigm model, uint32_t threads)
{
	(void)location, (void)position, (void)attributes, (void)model;
	return on_fork_of(context, time, threads);
}

static OTF2_CallbackCode on_omp_fork(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *context,
	OTF2_AttributeList *attributes, uint32_t threads)
{
	(void)location, (void)position, (void)attributes;
	return on_fork_of(context, time, threads);
}

static OTF2_CallbackCode on_thread_join(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
	void *context, OTF2_AttributeList *attributes, OTF2_Paradigm model)
{
	(void)location, (void)position, (void)attributes, (void)model;
	struct stream *s = context;
	return deliver_local(s, meanings_local(&s->meanings, "join", NULL), time);
}

static OTF2_CallbackCode on_omp_join(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *context,
	OTF2_AttributeList *attributes)
{
	(void)location, (void)position, (void)attributes;
	struct stream *s = context;
	return deliver_local(s, meanings_local(&s->meanings, "join", NULL), time);
}

static OTF2_CallbackCode on_measurement(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
	void *context, OTF2_AttributeList *attributes, OTF2_MeasurementMode mode)
{
	(void)location, (void)position, (void)attributes;
	struct stream *s = context;
	return deliver_local(s,
		meanings_local(&s->meanings, mode == OTF2_MEASUREMENT_ON ? "measurement on" : "measurement off", NULL),
		time);
}

static OTF2_CallbackCode on_collective_request(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
	void *context, OTF2_AttributeList *attributes, uint64_t request)
{
	(void)location, (void)position, (void)attributes;
	struct stream *s = context;
	keep(s, TIMELINE_POST, time, 0, request);
	return s->archive->options.events == TRACE_ALL
		       ? deliver_local(s, meanings_local(&s->meanings, "request collective", NULL), time)
		       : OTF2_CALLBACK_SUCCESS;
}

/* ------------------------------------------------------------------ reading */

static void set_local_callbacks(OTF2_EvtReaderCallbacks *callbacks)
{
	OTF2_EvtReaderCallbacks_SetParameterStringCallback(callbacks, on_parameter_string);
	OTF2_EvtReaderCallbacks_SetParameterIntCallback(callbacks, on_parameter_int);
	OTF2_EvtReaderCallbacks_SetParameterUnsignedIntCallback(callbacks, on_parameter_unsigned);
	OTF2_EvtReaderCallbacks_SetThreadForkCallback(callbacks, on_thread_fork);
	OTF2_EvtReaderCallbacks_SetThreadJoinCallback(callbacks, on_thread_join);
	OTF2_EvtReaderCallbacks_SetOmpForkCallback(callbacks, on_omp_fork);
	OTF2_EvtReaderCallbacks_SetOmpJoinCallback(callbacks, on_omp_join);
	OTF2_EvtReaderCallbacks_SetMeasurementOnOffCallback(callbacks, on_measurement);
}

void stream_set_callbacks(OTF2_EvtReaderCallbacks *callbacks, const struct stream *s)
{
	OTF2_EvtReaderCallbacks_SetMpiSendCallback(callbacks, on_send);
	OTF2_EvtReaderCallbacks_SetMpiIsendCallback(callbacks, on_isend);
	OTF2_EvtReaderCallbacks_SetMpiRecvCallback(callbacks, on_recv);
	OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(callbacks, on_irecv);
	OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(callbacks, on_collective);
	OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(callbacks, on_collective_complete);
	OTF2_EvtReaderCallbacks_SetEnterCallback(callbacks, on_enter);
	OTF2_EvtReaderCallbacks_SetLeaveCallback(callbacks, on_leave);
	OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(callbacks, on_irecv_request);
	OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(callbacks, on_request_cancelled);
	if (s->siting == SITES_RECORDED && s->definitions->in_contexts) {
		/* else the library makes ENTER and LEAVE of them */
		OTF2_EvtReaderCallbacks_SetCallingContextEnterCallback(callbacks, on_context_enter);
		OTF2_EvtReaderCallbacks_SetCallingContextLeaveCallback(callbacks, on_context_leave);
		OTF2_EvtReaderCallbacks_SetCallingContextSampleCallback(callbacks, on_context_sample);
	}
	if (s->postings.wanted || s->kept)
		OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(callbacks, on_isend_complete);
	if (s->archive->options.events == TRACE_ALL || s->kept)
		OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(callbacks, on_collective_request);
	if (s->archive->options.events == TRACE_ALL)
		set_local_callbacks(callbacks);
}

bool stream_take(struct stream *s, const struct event_record *r)
{
	const struct message_record *m = r->message;
	const struct collective_record *c = r->collective;
	OTF2_CallbackCode code = OTF2_CALLBACK_SUCCESS;
	switch (r->kind) {
	case RECORD_ENTER:
		code = on_enter(0, r->time, 0, s, NULL, (uint32_t)r->id);
		break;
	case RECORD_LEAVE:
		code = on_leave(0, r->time, 0, s, NULL, (uint32_t)r->id);
		break;
	case RECORD_SEND:
		code = on_send(0, r->time, 0, s, NULL, m->peer, m->communicator, m->tag, m->bytes);
		break;
	case RECORD_ISEND:
		code = on_isend(0, r->time, 0, s, NULL, m->peer, m->communicator, m->tag, m->bytes, m->request);
		break;
	case RECORD_ISEND_COMPLETE:
		code = on_isend_complete(0, r->time, 0, s, NULL, r->id);
		break;
	case RECORD_RECV:
		code = on_recv(0, r->time, 0, s, NULL, m->peer, m->communicator, m->tag, m->bytes);
		break;
	case RECORD_IRECV_REQUEST:
		code = on_irecv_request(0, r->time, 0, s, NULL, r->id);
		break;
	case RECORD_IRECV:
		code = on_irecv(0, r->time, 0, s, NULL, m->peer, m->communicator, m->tag, m->bytes, m->request);
		break;
	case RECORD_CANCELLED:
		code = on_request_cancelled(0, r->time, 0, s, NULL, r->id);
		break;
	case RECORD_COLLECTIVE_END:
		code = on_collective(0, r->time, 0, s, NULL, (OTF2_CollectiveOp)c->operation, c->communicator, r->root,
			c->sent, c->received);
		break;
	case RECORD_COLLECTIVE_COMPLETE:
		code = on_collective_complete(0, r->time, 0, s, NULL, (OTF2_CollectiveOp)c->operation, c->communicator,
			r->root, c->sent, c->received, c->request);
		break;
	case RECORD_MEASUREMENT: /* what follows are no events where only communication is wanted */
	case RECORD_COLLECTIVE_BEGIN:
	case RECORD_COLLECTIVE_REQUEST:
		break;
	}
	return code == OTF2_CALLBACK_SUCCESS;
}

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
	s->interesting = s->wanted | REGION_COMPLETES_SEVERAL |
			 (s->archive->collectives_from_regions ? REGION_COLLECTIVE : 0) |
			 (s->siting == SITES_RECORDED && s->definitions->regions_named ? REGION_PROGRAM : 0);
	s->context = OTF2_UNDEFINED_CALLING_CONTEXT;
	s->inside = TRACE_NO_CALL;
	s->carrying = s->archive->options.attributes && s->definitions->attributes;
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
	s.kept = kept_begin(a->options.keep, rank);
	OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();
	stream_set_callbacks(callbacks, &s);
	library_enter(&s.call);
	*error = (struct error){0};
	bool good = location_open(&l, a, s.location, callbacks, &s, error) && read_slices(&s, &l, watch);
	if (!good && !s.refused && error->kind != ERROR_NONE)
		error_at(error, "%s: location %llu", a->files.anchor, (unsigned long long)s.location);
	location_close(&l);
	library_leave();
	OTF2_EvtReaderCallbacks_Delete(callbacks);
	if (good && s.kept)
		kept_end(s.kept, facts->records);
	facts->events = s.events;
	facts->collective_regions_seen = s.seen & REGION_COLLECTIVE;
	facts->disordered = s.order.disordered;
	stream_clear(&s);
	return good;
}
