/*
 * otf2_events.c -- the records of one location, as events of one process.
 *
 * What a record means is worked out once for each distinct one: a table leads from its raw fields to the id of its event, so
 * that the usual record costs one look into it (and what is seldom needed is kept out of line: the callbacks run in some 3 ns).
 * Each stream has a reader of the OTF2 library to itself: nothing is shared between threads, and what the library holds is
 * given back when a stream ends.
 *
 * With TRACE_ALL, these records are local events too: ENTER and LEAVE of any region ("call NAME", "return NAME"),
 * PARAMETER_STRING, _INT and _UNSIGNED_INT ("parameter NAME=VALUE"), THREAD_FORK and OMP_FORK ("fork N"), THREAD_JOIN and
 * OMP_JOIN ("join"), MEASUREMENT_ON_OFF ("measurement on"), NON_BLOCKING_COLLECTIVE_REQUEST and _COMPLETE ("request
 * collective", "complete MPI_Bcast").
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/search.h"
#include "base/text.h"
#include "trace/names.h"
#include "trace/order.h"
#include "trace/otf2.h"

/* ------------------------------------------------------------------ from raw fields to events */

#define NOBODY (UINT32_MAX - 1) /* in place of an event: a message to or from MPI_PROC_NULL */
#define UNKNOWN UINT32_MAX

enum raw_kind { RAW_SEND, RAW_RECV, RAW_SYNC, RAW_CALL, RAW_RETURN, RAW_REGION_SYNC, RAW_SEND_SHAPE, RAW_RECV_SHAPE };

struct raw {
	uint64_t low, high;
};

struct meaning {
	struct raw raw;
	uint32_t event; /* UNKNOWN: an empty slot */
};

struct meanings {
	struct meaning *slot;
	size_t size, count;
};

static inline struct raw raw_message(enum raw_kind kind, uint32_t peer, uint32_t communicator, uint32_t tag)
{
	return (struct raw){(uint64_t)communicator << 32 | peer, (uint64_t)kind << 32 | tag};
}

static inline size_t meanings_home(const struct meanings *m, struct raw raw)
{
	uint64_t h = (raw.low ^ raw.high * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9);
	return (size_t)(h >> 32) & (m->size - 1);
}

static inline struct meaning *meanings_slot(const struct meanings *m, struct raw raw)
{
	for (size_t at = meanings_home(m, raw);; at = (at + 1) & (m->size - 1)) {
		struct meaning *slot = &m->slot[at];
		if ((slot->raw.low == raw.low && slot->raw.high == raw.high) || slot->event == UNKNOWN)
			return slot;
	}
}

static void meanings_resize(struct meanings *m, size_t size)
{
	struct meanings old = *m;
	*m = (struct meanings){mem_array(size, sizeof *m->slot), size, old.count};
	for (size_t i = 0; i < size; i++)
		m->slot[i] = (struct meaning){{0, 0}, UNKNOWN};
	for (size_t i = 0; i < old.size; i++)
		if (old.slot[i].event != UNKNOWN)
			*meanings_slot(m, old.slot[i].raw) = old.slot[i];
	free(old.slot);
}

__attribute__((noinline)) static void meanings_add(struct meanings *m, struct raw raw, uint32_t event)
{
	if (2 * ++m->count > m->size)
		meanings_resize(m, 2 * m->size);
	*meanings_slot(m, raw) = (struct meaning){raw, event};
}

/* ------------------------------------------------------------------ a stream */

/* Messages that differ in peer and number alone. */
struct message_shape {
	uint32_t event; /* that of them to or from 0, with the number 0 */
	uint32_t distinct; /* how many have ids */
};

struct stream {
	struct archive *archive;
	const struct definitions *definitions;
	uint32_t rank;
	uint64_t location;
	struct dictionary *dictionary;
	uint32_t tag_stem, self;
	const struct trace_sink *sink;
	struct error *error;
	struct meanings meanings;
	struct message_shape *shape;
	size_t shapes, shape_capacity;
	struct order order;
	bool ordered;
	bool anonymous;	      /* what events are is of no interest, only that they are */
	unsigned wanted; /* flags of regions whose calls and returns are events */
	unsigned interesting; /* flags of regions that must be looked at more closely */
	unsigned seen; /* flags of the regions seen so far */
	unsigned inside; /* the last call entered; TRACE_NO_CALL: it has been left */
	bool failed; /* a callback wants no more */
	bool refused; /* it was the receiver of the events, and the error is the receiver's */
	uint64_t events;
	struct stream_facts *facts;
	struct library_call call;
};

static OTF2_CallbackCode fail(struct stream *s)
{
	s->failed = true;
	return OTF2_CALLBACK_INTERRUPT;
}

static inline bool hand_over(void *context, const struct trace_event *event)
{
	struct stream *s = context;
	s->events++;
	s->call.ours = true;
	bool going_on = s->sink->event(s->sink->context, s->rank, event, s->error);
	s->call.ours = false;
	s->refused = !going_on;
	return going_on;
}

static inline OTF2_CallbackCode go_on(struct stream *s, bool good)
{
	return good ? OTF2_CALLBACK_SUCCESS : fail(s);
}

/* An event that no wait call contains. */
static inline OTF2_CallbackCode deliver_event(struct stream *s, const struct trace_event *e)
{
	s->facts->told[s->inside] = true;
	if (!order_idle(&s->order) && !order_break(&s->order))
		return fail(s);
	return go_on(s, hand_over(s, e));
}

static inline OTF2_CallbackCode deliver(struct stream *s, uint32_t event, uint64_t time, uint64_t bytes)
{
	struct trace_event e = {.event = event, .timed = true, .time = time, .bytes = bytes};
	return deliver_event(s, &e);
}

/* ------------------------------------------------------------------ what records mean */

/* The number of a member in a record, as a rank of the world: false, with the error set, if there is no such rank. */
static bool world_rank(struct stream *s, const struct group *group, uint32_t communicator, uint32_t number, uint32_t *rank)
{
	uint64_t members = group->identity ? s->definitions->processes : group->length;
	*rank = NO_RANK;
	if (group->self)
		*rank = s->rank;
	else if (number < members)
		*rank = group->identity ? number : group->member[number];
	if (*rank != NO_RANK)
		return true;
	return error_set(s->error, ERROR_INPUT, "damaged: process %u of communicator %u is named, which has %llu processes", number,
		communicator, (unsigned long long)members);
}

/* The group whose members a record of this process numbers: on an intercommunicator the other one. */
static const struct group *peers(const struct stream *s, const struct communicator *c)
{
	if (!c)
		return &s->definitions->everybody;
	return c->remote && ranks_has(&c->local->set, s->rank) ? c->remote : c->local;
}

static int64_t name_of_communicator(const struct communicator *c, uint32_t id)
{
	return c ? c->name : (int64_t)id;
}

static uint32_t message_event(struct stream *s, enum event_kind kind, uint32_t peer, int64_t communicator, uint32_t number)
{
	struct tag tag = {.stem = s->tag_stem, .numbered = true, .number = number, .communicator = communicator};
	struct event e = {.kind = kind, .process = s->rank, .peer = peer, .subject = dictionary_tag(s->dictionary, &tag)};
	return dictionary_event(s->dictionary, &e);
}

/* The shape of the messages of a kind and communicator. */
static struct message_shape *shape_of(struct stream *s, enum raw_kind raw_kind, uint32_t communicator, int64_t name)
{
	struct raw raw = raw_message(raw_kind == RAW_SEND ? RAW_SEND_SHAPE : RAW_RECV_SHAPE, 0, communicator, 0);
	uint32_t known = meanings_slot(&s->meanings, raw)->event;
	if (known != UNKNOWN)
		return &s->shape[known];
	meanings_add(&s->meanings, raw, (uint32_t)s->shapes);
	s->shape = mem_grow(s->shape, &s->shape_capacity, s->shapes + 1, sizeof *s->shape);
	s->shape[s->shapes] = (struct message_shape){message_event(s, raw_kind == RAW_SEND ? EVENT_SEND : EVENT_RECV, 0, name, 0), 0};
	return &s->shape[s->shapes++];
}

/* A message that has no id yet. */
__attribute__((noinline)) static bool understand_message(
	struct stream *s, enum raw_kind raw_kind, uint32_t peer, uint32_t communicator, uint32_t number, struct trace_event *event)
{
	event->event = NOBODY;
	if (peer < UINT32_C(1) << 31) { /* else it is MPI_PROC_NULL */
		const struct communicator *c = definitions_communicator(s->definitions, communicator);
		int64_t name = name_of_communicator(c, communicator);
		if (!world_rank(s, peers(s, c), communicator, peer, &event->peer))
			return false;
		uint32_t distinct = s->archive->options.distinct;
		struct message_shape *shape = distinct ? shape_of(s, raw_kind, communicator, name) : NULL;
		if (shape && shape->distinct++ >= distinct) {
			shape->distinct = distinct;
			event->shape = true;
			event->event = shape->event;
			event->number = number;
			return true;
		}
		event->event = message_event(s, raw_kind == RAW_SEND ? EVENT_SEND : EVENT_RECV, event->peer, name, number);
	}
	meanings_add(&s->meanings, raw_message(raw_kind, peer, communicator, number), event->event);
	return true;
}

static bool understand_root(struct stream *s, const struct communicator *c, uint32_t communicator, uint32_t root, uint32_t *rank)
{
	*rank = NO_ROOT;
	if (root == OTF2_COLLECTIVE_ROOT_SELF)
		*rank = s->rank;
	if (root == OTF2_COLLECTIVE_ROOT_NONE || root == OTF2_COLLECTIVE_ROOT_SELF || root == OTF2_COLLECTIVE_ROOT_THIS_GROUP)
		return true;
	return world_rank(s, peers(s, c), communicator, root, rank);
}

static uint32_t word_of_operation(struct stream *s, uint32_t operation)
{
	const char *known = name_of_operation(operation);
	char unknown[32];
	snprintf(unknown, sizeof unknown, "MPI_Collective_%u", operation);
	return dictionary_word(s->dictionary, known ? known : unknown, strlen(known ? known : unknown));
}

/* The processes of a collective; NULL: this one alone. */
static const struct ranks *members_of(const struct stream *s, const struct communicator *c)
{
	if (!c)
		return &s->definitions->everybody.set;
	if (c->remote)
		return &c->both;
	return c->local->self ? NULL : &c->local->set;
}

static bool understand_sync(struct stream *s, uint32_t operation, uint32_t communicator, uint32_t root, uint32_t *event)
{
	const struct communicator *c = definitions_communicator(s->definitions, communicator);
	const struct ranks *members = members_of(s, c);
	struct event e = {.kind = EVENT_SYNC, .process = s->self};
	if (c && (c->local->damaged || (c->remote && c->remote->damaged)))
		return error_set(s->error, ERROR_INPUT, "damaged: communicator %u has members that are no processes", communicator);
	if (members && !ranks_has(members, s->rank))
		return error_set(s->error, ERROR_INPUT,
			"damaged: a collective on communicator %u, of which process %u is no member", communicator, s->rank);
	if (!understand_root(s, c, communicator, root, &e.peer))
		return false;
	struct sync sync = {.name = word_of_operation(s, operation),
		.group = members ? dictionary_ranks(s->dictionary, members) : s->self,
		.communicator = name_of_communicator(c, communicator)};
	e.subject = dictionary_sync(s->dictionary, &sync);
	*event = dictionary_event(s->dictionary, &e);
	return true;
}

static uint32_t region_sync(struct stream *s, uint32_t region)
{
	const char *name = name_of_collective_region(definitions_region_name(s->definitions, region));
	struct sync sync = {.name = dictionary_word(s->dictionary, name, strlen(name)),
		.group = dictionary_ranks(s->dictionary, &s->definitions->everybody.set),
		.communicator = NO_COMMUNICATOR};
	struct event e = {
		.kind = EVENT_SYNC, .process = s->self, .peer = NO_ROOT, .subject = dictionary_sync(s->dictionary, &sync)};
	return dictionary_event(s->dictionary, &e);
}

/* A local event described by these words, of which the last is a name from outside. */
static uint32_t local_event(struct stream *s, const char *words, const char *name)
{
	struct text text = {0};
	text_put(&text, words);
	if (name)
		name_clean(name, false, &text);
	struct event e = {
		.kind = EVENT_LOCAL, .process = s->rank, .subject = dictionary_word(s->dictionary, text.data, text.length)};
	text_clear(&text);
	return dictionary_event(s->dictionary, &e);
}

/* ------------------------------------------------------------------ messages */

static inline bool message(
	struct stream *s, enum raw_kind raw_kind, uint32_t peer, uint32_t communicator, uint32_t tag, struct trace_event *event)
{
	if (s->anonymous) {
		event->event = peer < UINT32_C(1) << 31 ? 0 : NOBODY;
		return true;
	}
	event->event = meanings_slot(&s->meanings, raw_message(raw_kind, peer, communicator, tag))->event;
	return event->event != UNKNOWN || understand_message(s, raw_kind, peer, communicator, tag, event);
}

static inline OTF2_CallbackCode on_message(
	struct stream *s, enum raw_kind kind, uint64_t time, uint32_t peer, uint32_t communicator, uint32_t tag, uint64_t bytes)
{
	struct trace_event e = {.timed = true, .time = time, .bytes = bytes};
	if (!message(s, kind, peer, communicator, tag, &e))
		return fail(s);
	if (e.event != NOBODY)
		return deliver_event(s, &e);
	s->facts->to_nobody++;
	s->facts->told[s->inside] = true;
	return go_on(s, order_break(&s->order));
}

static OTF2_CallbackCode on_send(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *context,
	OTF2_AttributeList *attributes, uint32_t receiver, OTF2_CommRef communicator, uint32_t tag, uint64_t bytes)
{
	(void)location, (void)position, (void)attributes;
	return on_message(context, RAW_SEND, time, receiver, communicator, tag, bytes);
}

static OTF2_CallbackCode on_isend(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *context,
	OTF2_AttributeList *attributes, uint32_t receiver, OTF2_CommRef communicator, uint32_t tag, uint64_t bytes,
	uint64_t request)
{
	(void)location, (void)position, (void)attributes, (void)request;
	return on_message(context, RAW_SEND, time, receiver, communicator, tag, bytes);
}

static OTF2_CallbackCode on_recv(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *context,
	OTF2_AttributeList *attributes, uint32_t sender, OTF2_CommRef communicator, uint32_t tag, uint64_t bytes)
{
	(void)location, (void)position, (void)attributes;
	return on_message(context, RAW_RECV, time, sender, communicator, tag, bytes);
}

static OTF2_CallbackCode on_irecv(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *context,
	OTF2_AttributeList *attributes, uint32_t sender, OTF2_CommRef communicator, uint32_t tag, uint64_t bytes, uint64_t request)
{
	(void)location, (void)position, (void)attributes;
	struct stream *s = context;
	s->facts->completed++;
	s->facts->told[s->inside] = true;
	if (!s->ordered)
		return on_message(s, RAW_RECV, time, sender, communicator, tag, bytes);
	struct trace_event e = {.timed = true, .time = time, .bytes = bytes};
	if (!message(s, RAW_RECV, sender, communicator, tag, &e))
		return fail(s);
	if (e.event == NOBODY) {
		s->facts->to_nobody++;
		order_cancel(&s->order, request);
		return OTF2_CALLBACK_SUCCESS;
	}
	return go_on(s, order_receive(&s->order, &e, request, s->seen & REGION_MPI));
}

static OTF2_CallbackCode on_irecv_request(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *context,
	OTF2_AttributeList *attributes, uint64_t request)
{
	(void)location, (void)time, (void)position, (void)attributes;
	struct stream *s = context;
	s->facts->posted++;
	return s->ordered ? go_on(s, order_post(&s->order, request)) : OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_request_cancelled(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *context,
	OTF2_AttributeList *attributes, uint64_t request)
{
	(void)location, (void)time, (void)position, (void)attributes;
	struct stream *s = context;
	s->facts->completed++;
	if (s->ordered)
		order_cancel(&s->order, request);
	return OTF2_CALLBACK_SUCCESS;
}

/* ------------------------------------------------------------------ collectives */

static OTF2_CallbackCode on_collective(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *context,
	OTF2_AttributeList *attributes, OTF2_CollectiveOp operation, OTF2_CommRef communicator, uint32_t root, uint64_t sent,
	uint64_t received)
{
	(void)location, (void)position, (void)attributes, (void)received;
	struct stream *s = context;
	struct raw raw = raw_message(RAW_SYNC, root, communicator, operation);
	uint32_t event = s->anonymous ? 0 : meanings_slot(&s->meanings, raw)->event;
	s->facts->collectives_recorded = true;
	if (event == UNKNOWN) {
		if (!understand_sync(s, operation, communicator, root, &event))
			return fail(s);
		meanings_add(&s->meanings, raw, event);
	}
	return deliver(s, event, time, sent);
}

/* ------------------------------------------------------------------ regions */

static uint32_t region_event(struct stream *s, enum raw_kind kind, uint32_t id)
{
	struct raw raw = {id, (uint64_t)kind << 32};
	uint32_t event = meanings_slot(&s->meanings, raw)->event;
	if (event != UNKNOWN)
		return event;
	if (kind == RAW_REGION_SYNC)
		event = region_sync(s, id);
	else
		event = local_event(s, kind == RAW_CALL ? "call " : "return ", definitions_region_name(s->definitions, id));
	meanings_add(&s->meanings, raw, event);
	return event;
}

/* A local event: it keeps its place, also in the middle of a wait call. */
static OTF2_CallbackCode deliver_local(struct stream *s, uint32_t event, uint64_t time)
{
	struct trace_event e = {.event = event, .timed = true, .time = time};
	return go_on(s, order_other(&s->order, &e));
}

/* Does a group of receives that completed end where this region begins or ends? */
static bool is_boundary(const struct stream *s, unsigned flags)
{
	return !s->order.waits || flags & REGION_MPI;
}

__attribute__((noinline)) static bool enter(struct stream *s, uint32_t region, unsigned flags, uint64_t time)
{
	bool several = flags & REGION_COMPLETES_SEVERAL && s->ordered;
	if (!several && is_boundary(s, flags) && !order_break(&s->order))
		return false;
	if (flags & s->wanted && deliver_local(s, region_event(s, RAW_CALL, region), time) != OTF2_CALLBACK_SUCCESS)
		return false;
	return !several || order_wait_begins(&s->order);
}

__attribute__((noinline)) static bool leave(struct stream *s, uint32_t region, unsigned flags, uint64_t time)
{
	bool several = flags & REGION_COMPLETES_SEVERAL && s->ordered;
	if (several ? !order_wait_ends(&s->order) : is_boundary(s, flags) && !order_break(&s->order))
		return false;
	if (flags & REGION_COLLECTIVE && s->archive->collectives_from_regions &&
		deliver(s, region_event(s, RAW_REGION_SYNC, region), time, 0) != OTF2_CALLBACK_SUCCESS)
		return false;
	return !(flags & s->wanted) || deliver_local(s, region_event(s, RAW_RETURN, region), time) == OTF2_CALLBACK_SUCCESS;
}

/* Most regions do not. */
static bool matters(struct stream *s, unsigned flags)
{
	s->seen |= flags;
	return flags & s->interesting || !order_idle(&s->order);
}

static OTF2_CallbackCode on_enter(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *context,
	OTF2_AttributeList *attributes, OTF2_RegionRef region)
{
	(void)location, (void)position, (void)attributes;
	struct stream *s = context;
	const struct region *r = definitions_region(s->definitions, region);
	s->inside = r->call;
	s->facts->entered[r->call]++;
	return matters(s, r->flags) ? go_on(s, enter(s, region, r->flags, time)) : OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_leave(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *context,
	OTF2_AttributeList *attributes, OTF2_RegionRef region)
{
	(void)location, (void)position, (void)attributes;
	struct stream *s = context;
	unsigned flags = definitions_region(s->definitions, region)->flags;
	OTF2_CallbackCode code = matters(s, flags) ? go_on(s, leave(s, region, flags, time)) : OTF2_CALLBACK_SUCCESS;
	s->inside = TRACE_NO_CALL;
	return code;
}

/* ------------------------------------------------------------------ other records that carry meaning */

static OTF2_CallbackCode on_parameter(struct stream *s, uint64_t time, uint32_t parameter, const char *value)
{
	struct text name = {0};
	text_format(&name, "%s=%s", definitions_parameter(s->definitions, parameter), value);
	uint32_t event = local_event(s, "parameter ", name.data);
	text_clear(&name);
	return deliver_local(s, event, time);
}

static OTF2_CallbackCode on_parameter_string(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *context,
	OTF2_AttributeList *attributes, OTF2_ParameterRef parameter, OTF2_StringRef string)
{
	(void)location, (void)position, (void)attributes;
	struct stream *s = context;
	return on_parameter(s, time, parameter, definitions_string(s->definitions, string));
}

static OTF2_CallbackCode on_parameter_int(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *context,
	OTF2_AttributeList *attributes, OTF2_ParameterRef parameter, int64_t value)
{
	(void)location, (void)position, (void)attributes;
	char digits[32];
	snprintf(digits, sizeof digits, "%lld", (long long)value);
	return on_parameter(context, time, parameter, digits);
}

static OTF2_CallbackCode on_parameter_unsigned(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *context,
	OTF2_AttributeList *attributes, OTF2_ParameterRef parameter, uint64_t value)
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
	return deliver_local(s, local_event(s, "fork ", digits), time);
}

static OTF2_CallbackCode on_thread_fork(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *context,
	OTF2_AttributeList *attributes, OTF2_Paradigm model, uint32_t threads)
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

static OTF2_CallbackCode on_thread_join(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *context,
	OTF2_AttributeList *attributes, OTF2_Paradigm model)
{
	(void)location, (void)position, (void)attributes, (void)model;
	struct stream *s = context;
	return deliver_local(s, local_event(s, "join", NULL), time);
}

static OTF2_CallbackCode on_omp_join(
	OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *context, OTF2_AttributeList *attributes)
{
	(void)location, (void)position, (void)attributes;
	struct stream *s = context;
	return deliver_local(s, local_event(s, "join", NULL), time);
}

static OTF2_CallbackCode on_measurement(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *context,
	OTF2_AttributeList *attributes, OTF2_MeasurementMode mode)
{
	(void)location, (void)position, (void)attributes;
	struct stream *s = context;
	return deliver_local(s, local_event(s, mode == OTF2_MEASUREMENT_ON ? "measurement on" : "measurement off", NULL), time);
}

static OTF2_CallbackCode on_collective_request(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *context,
	OTF2_AttributeList *attributes, uint64_t request)
{
	(void)location, (void)position, (void)attributes, (void)request;
	struct stream *s = context;
	return deliver_local(s, local_event(s, "request collective", NULL), time);
}

static OTF2_CallbackCode on_collective_complete(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *context,
	OTF2_AttributeList *attributes, OTF2_CollectiveOp operation, OTF2_CommRef communicator, uint32_t root, uint64_t sent,
	uint64_t received, uint64_t request)
{
	(void)location, (void)position, (void)attributes, (void)communicator, (void)root, (void)sent, (void)received, (void)request;
	struct stream *s = context;
	const char *name = name_of_operation(operation);
	return deliver_local(s, local_event(s, "complete ", name ? name : "collective"), time);
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
	OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(callbacks, on_collective_request);
	OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(callbacks, on_collective_complete);
}

static void set_callbacks(OTF2_EvtReaderCallbacks *callbacks, const struct stream *s)
{
	OTF2_EvtReaderCallbacks_SetMpiSendCallback(callbacks, on_send);
	OTF2_EvtReaderCallbacks_SetMpiIsendCallback(callbacks, on_isend);
	OTF2_EvtReaderCallbacks_SetMpiRecvCallback(callbacks, on_recv);
	OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(callbacks, on_irecv);
	OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(callbacks, on_collective);
	OTF2_EvtReaderCallbacks_SetEnterCallback(callbacks, on_enter);
	OTF2_EvtReaderCallbacks_SetLeaveCallback(callbacks, on_leave);
	OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(callbacks, on_irecv_request);
	OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(callbacks, on_request_cancelled);
	if (s->archive->options.events == TRACE_ALL)
		set_local_callbacks(callbacks);
}

/* One location of an archive, opened for itself. */
struct location_reader {
	OTF2_Reader *reader;
	OTF2_EvtReader *events;
	struct event_file file;
};

static bool refuse(struct error *error, const char *what)
{
	return error_set(error, ERROR_INPUT, "%s: %s", what, library_words());
}

/* Local definitions hold the tables that lead from the ids in the records to those of the global definitions, and the clock's offsets. */
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

static bool open_checked(struct location_reader *l, const struct archive *a, uint64_t location,
	const OTF2_EvtReaderCallbacks *callbacks, void *context, struct error *error)
{
	l->reader = OTF2_Reader_Open(a->files.anchor);
	if (!l->reader || OTF2_Reader_SetSerialCollectiveCallbacks(l->reader) != OTF2_SUCCESS)
		return refuse(error, "cannot be opened");
	if (OTF2_Reader_SelectLocation(l->reader, location) != OTF2_SUCCESS || OTF2_Reader_OpenDefFiles(l->reader) != OTF2_SUCCESS)
		return refuse(error, "its definitions cannot be opened");
	if (!read_local_definitions(l, location, error))
		return false;
	OTF2_Reader_CloseDefFiles(l->reader);
	if (OTF2_Reader_OpenEvtFiles(l->reader) != OTF2_SUCCESS || !(l->events = OTF2_Reader_GetEvtReader(l->reader, location)) ||
		OTF2_Reader_RegisterEvtCallbacks(l->reader, l->events, callbacks, context) != OTF2_SUCCESS)
		return refuse(error, "its events cannot be opened");
	return true;
}

static bool open_location(struct location_reader *l, const struct archive *a, uint64_t location,
	const OTF2_EvtReaderCallbacks *callbacks, void *context, struct error *error)
{
	return files_check_location(&a->files, location, &l->file, error) &&
	       open_checked(l, a, location, callbacks, context, error);
}

static void close_location(struct location_reader *l)
{
	if (l->events)
		OTF2_Reader_CloseEvtReader(l->reader, l->events);
	if (l->reader)
		OTF2_Reader_Close(l->reader);
}

/* Records read between two looks at the watch. */
#define SLICE (UINT64_C(1) << 17)

static bool check_amount(const struct event_file *file, uint64_t read, struct error *error)
{
	if (file->records != UINT64_MAX && read != file->records)
		return error_set(error, ERROR_INPUT, "damaged or cut off: %llu of %llu records found", (unsigned long long)read,
			(unsigned long long)file->records);
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
	for (uint64_t read = SLICE; read == SLICE; *total += read) {
		read = 0;
		OTF2_ErrorCode code = OTF2_Reader_ReadLocalEvents(l->reader, l->events, SLICE, &read);
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
	return order_break(&s->order);
}

static struct dictionary *dictionary_of(struct archive *a, uint32_t rank)
{
	if (!a->dictionary[rank])
		a->dictionary[rank] = dictionary_new();
	return a->dictionary[rank];
}

static void stream_begin(struct stream *s)
{
	s->definitions = &s->archive->definitions;
	s->location = s->definitions->location[s->rank];
	s->dictionary = dictionary_of(s->archive, s->rank);
	s->tag_stem = dictionary_word(s->dictionary, "tag", 3);
	s->self = dictionary_rank(s->dictionary, s->rank);
	s->ordered = !s->archive->options.recorded_order;
	if (s->archive->options.events != TRACE_COMM)
		s->wanted = s->archive->options.events == TRACE_MPI ? REGION_MPI : REGION_ANY;
	s->interesting = s->wanted | (s->ordered ? REGION_COMPLETES_SEVERAL : 0) |
			 (s->archive->collectives_from_regions ? REGION_COLLECTIVE : 0);
	s->inside = TRACE_NO_CALL;
	s->call.path = s->archive->files.anchor;
	meanings_resize(&s->meanings, 256);
	order_begin(&s->order, hand_over, s);
}

bool stream_read(struct archive *a, uint32_t rank, const struct trace_sink *sink, const struct stream_watch *watch,
	struct stream_facts *facts, struct error *error)
{
	struct stream s = {.archive = a, .rank = rank, .sink = sink, .error = error, .facts = facts};
	struct location_reader l = {0};
	stream_begin(&s);
	OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();
	set_callbacks(callbacks, &s);
	library_enter(&s.call);
	*error = (struct error){0};
	bool good = open_location(&l, a, s.location, callbacks, &s, error) && read_slices(&s, &l, watch);
	if (!good && !s.refused && error->kind != ERROR_NONE)
		error_at(error, "%s: location %llu", a->files.anchor, (unsigned long long)s.location);
	close_location(&l);
	library_leave();
	OTF2_EvtReaderCallbacks_Delete(callbacks);
	facts->events = s.events;
	facts->collective_regions_seen = s.seen & REGION_COLLECTIVE;
	order_clear(&s.order);
	free(s.meanings.slot);
	free(s.shape);
	return good;
}

/* ------------------------------------------------------------------ a look at a location */

static OTF2_CallbackCode found(void *context)
{
	*(bool *)context = true;
	return OTF2_CALLBACK_INTERRUPT;
}

static OTF2_CallbackCode found_message(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *context,
	OTF2_AttributeList *attributes, uint32_t peer, OTF2_CommRef communicator, uint32_t tag, uint64_t bytes)
{
	(void)location, (void)time, (void)position, (void)attributes, (void)peer, (void)communicator, (void)tag, (void)bytes;
	return found(context);
}

static OTF2_CallbackCode found_request(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *context,
	OTF2_AttributeList *attributes, uint32_t peer, OTF2_CommRef communicator, uint32_t tag, uint64_t bytes, uint64_t request)
{
	(void)location, (void)time, (void)position, (void)attributes, (void)peer, (void)communicator, (void)tag, (void)bytes,
		(void)request;
	return found(context);
}

static OTF2_CallbackCode found_collective(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *context,
	OTF2_AttributeList *attributes, OTF2_CollectiveOp operation, OTF2_CommRef communicator, uint32_t root, uint64_t sent,
	uint64_t received)
{
	(void)location, (void)time, (void)position, (void)attributes, (void)operation, (void)communicator, (void)root, (void)sent,
		(void)received;
	return found(context);
}

bool stream_communicates(const struct archive *a, uint64_t location, bool collectives_only, bool *result, struct error *error)
{
	struct library_call call = {.path = a->files.anchor};
	struct location_reader l = {0};
	OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();
	OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(callbacks, found_collective);
	if (!collectives_only) {
		OTF2_EvtReaderCallbacks_SetMpiSendCallback(callbacks, found_message);
		OTF2_EvtReaderCallbacks_SetMpiRecvCallback(callbacks, found_message);
		OTF2_EvtReaderCallbacks_SetMpiIsendCallback(callbacks, found_request);
		OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(callbacks, found_request);
	}
	*result = false;
	library_enter(&call);
	bool good = open_location(&l, a, location, callbacks, result, error);
	for (uint64_t total = 0, read = SLICE; good && !*result && read == SLICE; total += read) {
		OTF2_ErrorCode code = OTF2_Reader_ReadLocalEvents(l.reader, l.events, SLICE, &read);
		if (!*result && (code != OTF2_SUCCESS || total + read > l.file.limit))
			good = error_set(error, ERROR_INPUT, "damaged or cut off: %s", library_words());
	}
	if (!good)
		error_at(error, "%s: location %llu", a->files.anchor, (unsigned long long)location);
	close_location(&l);
	library_leave();
	OTF2_EvtReaderCallbacks_Delete(callbacks);
	return good;
}

/* ------------------------------------------------------------------ events on demand */

/* Records read between two looks at whether the wanted event has come; and, counting, between two marks. */
#ifndef TRACENEST_HOSTILE
#define STEP UINT64_C(256)
#define STRIDE UINT64_C(4096)

/* Going to a record costs as much as reading so many. */
#define LEAP UINT64_C(12288)
#else
#define STEP UINT64_C(1)
#define STRIDE UINT64_C(3)
#define LEAP UINT64_C(0)
#endif

struct trace_cursor {
	struct stream stream;
	struct stream_facts facts;
	struct trace_sink sink;
	struct location_reader location;
	OTF2_EvtReaderCallbacks *callbacks;
	const struct trace_marks *marks;
	uint64_t wanted; /* events before this one are passed over */
	uint64_t next; /* position of the next event that comes */
	uint64_t record; /* number of the last record read */
	uint64_t read; /* records read */
	struct trace_event *ready; /* what came at `wanted` and behind */
	size_t readys, capacity;
	uint64_t first_ready; /* position of ready[0] */
	const struct trace_mark *landed; /* where we leapt to, until the time of its event was compared */
	struct trace_mark *unfinished; /* a mark that waits for the time of its event */
	bool ended, cut, stale;
	uint64_t sound; /* of a stream that is cut: records that are there for certain */
	struct error why; /* it was cut */
};

static bool take_event(void *context, uint32_t rank, const struct trace_event *e, struct error *error)
{
	(void)rank, (void)error;
	struct trace_cursor *c = context;
	uint64_t position = c->next++;
	if (c->landed) {
		c->stale |= c->landed->time != e->time;
		c->landed = NULL;
	}
	if (c->unfinished) {
		c->unfinished->time = e->time;
		c->unfinished = NULL;
	}
	if (position < c->wanted)
		return true;
	if (!c->readys)
		c->first_ready = position;
	if (c->readys == c->capacity)
		c->ready = mem_grow(c->ready, &c->capacity, c->readys + 1, sizeof *c->ready);
	c->ready[c->readys++] = *e;
	return true;
}

/* An event file that is cut off is read as far as it is sound, for the library reads on in whatever its buffer holds: what is wrong is
   said when that end is reached. */
static bool open_damaged(struct trace_cursor *c, struct error *error)
{
	struct location_reader *l = &c->location;
	if (l->reader || l->file.definitions == UINT64_MAX) /* it is not the event file */
		return false;
	c->sound = files_whole_records(&c->stream.archive->files, c->stream.location);
	c->why = *error;
	c->cut = true;
	*error = (struct error){0};
	return open_checked(l, c->stream.archive, c->stream.location, c->callbacks, &c->stream, error);
}

struct trace_cursor *stream_cursor_open(struct archive *a, uint32_t rank, const struct trace_marks *marks, struct error *error)
{
	struct trace_cursor *c = mem_zero(sizeof *c);
	c->stream = (struct stream){.archive = a, .rank = rank, .error = &c->why, .facts = &c->facts, .sink = &c->sink};
	c->sink = (struct trace_sink){.context = c, .event = take_event};
	c->stream.anonymous = true;
	c->marks = marks;
	stream_begin(&c->stream);
	c->callbacks = OTF2_EvtReaderCallbacks_New();
	set_callbacks(c->callbacks, &c->stream);
	library_enter(&c->stream.call);
	*error = (struct error){0};
	bool good = open_location(&c->location, a, c->stream.location, c->callbacks, &c->stream, error) || open_damaged(c, error);
	library_leave();
	if (good)
		return c;
	error_at(error, "%s: location %llu", a->files.anchor, (unsigned long long)c->stream.location);
	trace_cursor_close(c);
	return NULL;
}

void trace_cursor_close(struct trace_cursor *c)
{
	if (!c)
		return;
	library_enter(&c->stream.call);
	close_location(&c->location);
	library_leave();
	OTF2_EvtReaderCallbacks_Delete(c->callbacks);
	order_clear(&c->stream.order);
	free(c->stream.meanings.slot);
	free(c->stream.shape);
	free(c->ready);
	free(c);
}

static void break_off(struct trace_cursor *c, const char *why)
{
	if (c->why.kind == ERROR_NONE)
		error_set(&c->why, ERROR_INCONSISTENT, "breaks off behind record %llu: %s", (unsigned long long)c->record, why);
	c->why.kind = ERROR_INCONSISTENT;
	c->cut = c->ended = true;
}

/* Some more records; at the end, what the ordering still holds. */
static void read_some(struct trace_cursor *c, uint64_t records)
{
	uint64_t read = 0;
	bool last = c->cut && c->sound - c->record <= records;
	if (last)
		records = c->sound - c->record;
	library_enter(&c->stream.call);
	OTF2_ErrorCode code = OTF2_Reader_ReadLocalEvents(c->location.reader, c->location.events, records, &read);
	c->record += read;
	c->read += read;
	bool whole = c->location.file.records == UINT64_MAX || c->record >= c->location.file.records;
	if (code != OTF2_SUCCESS || c->stream.failed)
		break_off(c, library_words());
	else if (c->record > c->location.file.limit)
		break_off(c, "more records than its file can hold");
	else if (read < records || last) {
		order_break(&c->stream.order);
		c->ended = true;
		if (c->cut || !whole)
			break_off(c, "its file holds no more");
	}
	library_leave();
}

/* The last mark that is not behind the position, if going there saves something. */
struct mark_position {
	const struct trace_marks *marks;
	uint64_t position;
};

static bool mark_is_behind(const void *context, size_t i)
{
	const struct mark_position *m = context;
	return m->marks->mark[i].event > m->position;
}

static const struct trace_mark *mark_before(const struct trace_cursor *c, uint64_t position)
{
	size_t behind = c->marks ? search_first(0, c->marks->length, mark_is_behind, &(struct mark_position){c->marks, position}) : 0;
	const struct trace_mark *mark = behind ? &c->marks->mark[behind - 1] : NULL;
	return mark && mark->event >= c->next && mark->record > c->record + LEAP ? mark : NULL;
}

static void leap(struct trace_cursor *c, const struct trace_mark *mark)
{
	library_enter(&c->stream.call);
	bool there = OTF2_EvtReader_Seek(c->location.events, mark->record) == OTF2_SUCCESS;
	library_leave();
	if (!there) {
		c->stale = true;
		return;
	}
	order_clear(&c->stream.order);
	order_begin(&c->stream.order, hand_over, &c->stream);
	for (uint32_t i = 0; i < mark->requests; i++)
		order_post(&c->stream.order, mark->request[i]);
	c->stream.seen |= mark->regions;
	c->record = mark->record - 1;
	c->next = mark->event;
	c->readys = 0;
	c->landed = mark;
}

enum trace_got trace_cursor_get(struct trace_cursor *c, uint64_t position, const struct trace_event **event, struct error *error)
{
	if (!c->readys || position >= c->first_ready + c->readys) {
		c->readys = 0;
		c->wanted = position;
		const struct trace_mark *mark = mark_before(c, position);
		if (mark)
			leap(c, mark);
		while (!c->stale && !c->ended && (!c->readys || position >= c->first_ready + c->readys))
			read_some(c, STEP);
	}
	if (c->stale)
		return TRACE_STALE;
	if (c->readys && position >= c->first_ready && position < c->first_ready + c->readys) {
		*event = &c->ready[position - c->first_ready];
		return TRACE_FOUND;
	}
	if (c->cut) {
		*error = c->why;
		error_at(error, "%s: location %llu", c->stream.archive->files.anchor, (unsigned long long)c->stream.location);
	}
	return c->cut ? TRACE_CUT : TRACE_ENDED;
}

/* May reading begin here? Then note the place. */
static void note_mark(struct trace_cursor *c, struct trace_marks *marks)
{
	if (!order_idle(&c->stream.order) || c->unfinished)
		return;
	struct trace_mark mark = {.event = c->next, .record = c->record + 1, .regions = c->stream.seen};
	size_t open = order_open_requests(&c->stream.order, mark.request, TRACE_MARK_REQUESTS);
	if (open == SIZE_MAX)
		return;
	mark.requests = (uint32_t)open;
	marks->mark = mem_grow(marks->mark, &marks->capacity, marks->length + 1, sizeof *marks->mark);
	marks->mark[marks->length] = mark;
	c->unfinished = &marks->mark[marks->length++];
}

enum trace_got trace_cursor_count(struct trace_cursor *c, struct trace_marks *marks, struct error *error)
{
	marks->length = 0;
	c->wanted = UINT64_MAX;
	while (!c->ended) {
		read_some(c, STRIDE);
		if (!c->ended)
			note_mark(c, marks);
	}
	if (c->unfinished) /* no event came behind it */
		marks->length--;
	marks->events = c->next;
	marks->records = c->record;
	if (!c->cut)
		return TRACE_ENDED;
	*error = c->why;
	error_at(error, "%s: location %llu", c->stream.archive->files.anchor, (unsigned long long)c->stream.location);
	return TRACE_CUT;
}

uint64_t trace_cursor_records(const struct trace_cursor *c)
{
	return c->read;
}

void trace_marks_clear(struct trace_marks *marks)
{
	free(marks->mark);
	*marks = (struct trace_marks){0};
}

uint64_t stream_records(const struct archive *a, uint32_t rank)
{
	struct event_file file;
	struct error ignored;
	if (!files_check_location(&a->files, a->definitions.location[rank], &file, &ignored) || file.records == UINT64_MAX)
		return 0;
	return file.records;
}
