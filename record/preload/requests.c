/*
 * requests.c -- what is under way: posted by one call, completed by another.
 *
 * A request is known by its handle from the call that posted it to the one that completes it.
 * Handles are no identities: MPI gives the same one to all that are complete at once (small sends),
 * and takes them up again. Where several have a handle, the one that was put where it is read from
 * now is meant, the youngest of them (others that were put there are forgotten by the program);
 * where there is no such one (the program has moved its handles), the oldest. A call
 * that may complete takes its entries out of the table before MPI sees the handles, and puts back
 * what is not complete afterwards. Also requests of no interest (of MPI_PROC_NULL, of one-sided
 * calls and files) have entries, to keep the others from being taken for them.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "record/preload/recorder.h"

static struct request *request_new(enum request_kind kind)
{
	struct request *r = recorder.unused;
	if (r)
		recorder.unused = r->next;
	else
		r = mem_alloc(sizeof *r);
	*r = (struct request){.kind = kind, .recorded = recorder.on};
	return r;
}

static void request_drop(struct request *r)
{
	pending_drop(&r->pending);
	r->next = recorder.unused;
	recorder.unused = r;
}

static struct request *message_new(struct call *c, enum request_kind kind, MPI_Count count, MPI_Datatype type, int peer,
	int tag, struct communicator *k)
{
	bool nobody = !k || count < 0 || (peer < 0 && !(kind == REQUEST_RECEIVE && peer == MPI_ANY_SOURCE)) ||
		      peer >= k->others;
	struct request *r = request_new(nobody ? REQUEST_NOTHING : kind);
	if (nobody)
		return r;
	r->attributes = call_attributes(c);
	r->attributes.have |= 1 << ATTRIBUTE_TYPE | 1 << ATTRIBUTE_COUNT | 1 << ATTRIBUTE_REQUEST;
	r->attributes.type = datatype_of(type)->name;
	r->attributes.count = (uint64_t)count;
	r->message = (struct message_record){.peer = k->their_first + (uint32_t)peer,
		.communicator = communicator_id(k),
		.tag = (uint32_t)tag,
		.bytes = bytes_of(count, type)};
	if (kind == REQUEST_RECEIVE)
		r->attributes.have |= (peer == MPI_ANY_SOURCE) << ATTRIBUTE_POSTED_SOURCE |
				      (tag == MPI_ANY_TAG) << ATTRIBUTE_POSTED_TAG;
	r->first = k->their_first;
	r->unit = datatype_of(type)->size;
	return r;
}

/* From here on it is under way. */
static void begin_as(struct request *r, uint64_t number)
{
	r->active = true;
	r->recorded = recorder.on;
	r->number = r->message.request = r->collective.request = r->attributes.request = number;
}

static struct pending pending_of(const struct call *c, const struct request *r)
{
	struct pending p = {.where = PENDING_POSTED,
		.call = c->region,
		.site = c->site,
		.type = r->attributes.type,
		.peer = r->message.peer,
		.tag = r->message.tag,
		.communicator = r->message.communicator};
	if (r->kind == REQUEST_SEND) {
		p.kind = PENDING_SEND;
		p.sent = r->message.bytes;
	} else if (r->kind == REQUEST_RECEIVE) {
		p.kind = PENDING_RECEIVE;
		p.received = r->message.bytes;
		p.peer = r->attributes.have & 1 << ATTRIBUTE_POSTED_SOURCE ? PENDING_ANY : p.peer;
		p.tag = r->attributes.have & 1 << ATTRIBUTE_POSTED_TAG ? PENDING_ANY : p.tag;
	} else if (r->kind == REQUEST_COLLECTIVE)
		p = pending_collective(p, &r->collective, r->turn);
	return p;
}

static void begin(struct call *c, struct request *r)
{
	begin_as(r, ++recorder.posted);
	struct communicator *k = r->kind == REQUEST_COLLECTIVE ? communicator_of(r->meeting) : NULL;
	if (k && k->id == r->collective.communicator) /* a persistent one outlives it */
		r->turn = pending_turn(k);
	if (!recorder.on)
		return;
	r->pending = pending_add(pending_of(c, r));
	if (r->kind == REQUEST_SEND) {
		struct event_attributes sent = r->attributes;
		call_happens(c, &sent);
		event_writer_isend(recorder.events, c->time, &r->message, &sent);
		recorder.sends++;
	} else if (r->kind == REQUEST_RECEIVE) {
		struct event_attributes posted = r->attributes;
		posted.have &= 1 << ATTRIBUTE_SITE | 1 << ATTRIBUTE_PATH | 1 << ATTRIBUTE_REQUEST;
		event_writer_irecv_request(recorder.events, c->time, r->number, &posted);
	} else if (r->kind == REQUEST_COLLECTIVE) {
		struct event_attributes posted = r->attributes;
		bool among = posted.have & 1 << ATTRIBUTE_FROM; /* neighbours, who get now what is for them */
		posted.have = 1 << ATTRIBUTE_TO | (posted.have & (1 << ATTRIBUTE_SITE | 1 << ATTRIBUTE_PATH));
		event_writer_collective_request(
			recorder.events, c->time, r->collective.communicator, r->number, among ? &posted : NULL);
		r->posted = collective_posted(&r->collective, &r->attributes);
	}
}

/* ------------------------------------------------------------------ posting */

struct request *request_send(struct call *c, MPI_Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
	struct request *r = message_new(c, REQUEST_SEND, count, type, to, tag, communicator_of(comm));
	begin(c, r);
	return r;
}

struct request *request_receive(struct call *c, MPI_Count count, MPI_Datatype type, int from, int tag, MPI_Comm comm)
{
	struct request *r = message_new(c, REQUEST_RECEIVE, count, type, from, tag, communicator_of(comm));
	begin(c, r);
	return r;
}

struct request *request_receive_matched(struct call *c, MPI_Count count, MPI_Datatype type, struct matched m)
{
	struct request *r =
		message_new(c, REQUEST_RECEIVE, count, type, m.from, m.tag, m.known ? &m.communicator : NULL);
	if (m.number)
		begin_as(r, m.number);
	else
		begin(c, r);
	return r;
}

struct request *request_collective(struct call *c, struct collective *d)
{
	struct request *r = collective_request_new(c, d);
	begin(c, r);
	return r;
}

struct request *collective_request_new(struct call *c, struct collective *d)
{
	struct request *r = request_new(d->k ? REQUEST_COLLECTIVE : REQUEST_NOTHING);
	if (d->k)
		collective_describe(c, d, &r->collective, &r->attributes);
	r->meeting = d->handle;
	r->attributes.have |= 1 << ATTRIBUTE_REQUEST;
	return r;
}

struct request *request_communicator(MPI_Comm parent, const MPI_Comm *made)
{
	struct request *r = request_new(REQUEST_COMMUNICATOR);
	r->active = true;
	r->made = made;
	r->parent = parent;
	return r;
}

struct request *request_other(void)
{
	struct request *r = request_new(REQUEST_NOTHING);
	r->active = true;
	return r;
}

/* Where the program has its handle; NULL: not known, Open MPI's Fortran has others. */
static const MPI_Request *place_of(const MPI_Request *request)
{
	return here.in_layer ? NULL : request;
}

void request_posted(struct request *r, int result, const MPI_Request *request)
{
	r->place = place_of(request);
	if (result != MPI_SUCCESS || *request == recorder.mpi.no_request)
		request_drop(r);
	else
		handles_add(&recorder.requests, &r->entry, HANDLE_KEY(*request));
}

static void keep_for_start(struct request *r, int result, const MPI_Request *request)
{
	r->persistent = true;
	request_posted(r, result, request);
}

void request_persistent_send(struct call *c, int result, MPI_Count count, MPI_Datatype type, int to, int tag,
	MPI_Comm comm, const MPI_Request *request)
{
	keep_for_start(message_new(c, REQUEST_SEND, count, type, to, tag, communicator_of(comm)), result, request);
}

void request_persistent_receive(struct call *c, int result, MPI_Count count, MPI_Datatype type, int from, int tag,
	MPI_Comm comm, const MPI_Request *request)
{
	keep_for_start(message_new(c, REQUEST_RECEIVE, count, type, from, tag, communicator_of(comm)), result, request);
}

void request_partitioned_receive(struct call *c, int result, MPI_Count count, MPI_Datatype type, int from, int tag,
	MPI_Comm comm, const MPI_Request *request)
{
	struct request *r = message_new(c, REQUEST_RECEIVE, count, type, from, tag, communicator_of(comm));
	r->known = true; /* its status tells nothing of the message */
	keep_for_start(r, result, request);
}

void request_persistent_collective(int result, struct collective *d, struct call *c, const MPI_Request *request)
{
	keep_for_start(collective_request_new(c, d), result, request);
}

static struct request *with_handle(const MPI_Request *request, bool active)
{
	struct request *oldest = NULL;
	const MPI_Request *place = place_of(request);
	struct request *youngest = (struct request *)handles_youngest(&recorder.requests, HANDLE_KEY(*request));
	if (youngest && youngest->active == active && youngest->place == place && place)
		return youngest;
	struct handle *h = handles_find(&recorder.requests, HANDLE_KEY(*request));
	for (; h; h = handles_next(h)) {
		struct request *r = (struct request *)h;
		if (r->active == active && r->place == place && place)
			return r;
		if (r->active == active && !oldest)
			oldest = r;
	}
	return oldest;
}

struct request *request_started(struct call *c, const MPI_Request *request)
{
	struct request *r = with_handle(request, false);
	if (!r || !r->persistent)
		return NULL;
	r->attributes.site = c->site;
	r->attributes.path = path_id(c->path);
	begin(c, r);
	return r;
}

void request_moved(struct request *r, MPI_Request request)
{
	if (!r || r->entry.key == HANDLE_KEY(request))
		return;
	handles_remove(&recorder.requests, &r->entry);
	handles_add(&recorder.requests, &r->entry, HANDLE_KEY(request));
}

/* ------------------------------------------------------------------ completion */

static void finished(struct request *r)
{
	r->active = r->cancelled = false;
	pending_drop(&r->pending);
	if (r->persistent)
		handles_put_back(&recorder.requests, &r->entry);
	else
		request_drop(r);
}

/* Of an MPI_Isendrecv that sends, too, MPICH tells nothing in the status: what stands there is of a
   request before it. */
static bool is_mute(const struct request *r)
{
#ifdef MPICH_VERSION
	return r->partner && r->partner->kind == REQUEST_SEND;
#else
	(void)r;
	return false;
#endif
}

static bool has_wildcard(const struct request *r)
{
	return r->attributes.have & (1 << ATTRIBUTE_POSTED_SOURCE | 1 << ATTRIBUTE_POSTED_TAG);
}

static void record_receive(struct call *c, struct request *r, const MPI_Status *status)
{
	struct message_record m = r->message;
	struct event_attributes a = r->attributes;
	if (is_mute(r) && has_wildcard(r)) {
		recorder_misses("this MPI does not tell what MPI_Isendrecv receives from any source, or with any tag: "
				"such messages are left out");
		return;
	}
	if (!r->known && !is_mute(r)) {
		MPI_Count bytes = 0;
		recorder.mpi.Get_elements_x(status, recorder.mpi.byte, &bytes);
		m.peer = r->first + (uint32_t)status->MPI_SOURCE;
		m.tag = (uint32_t)status->MPI_TAG;
		m.bytes = (uint64_t)bytes;
		a.count = r->unit ? m.bytes / r->unit : 0;
	}
	event_writer_irecv(recorder.events, c->time, &m, &a);
	recorder.receives++;
}

static bool was_cancelled(const struct request *r, const MPI_Status *status)
{
	int cancelled = 0;
	if (r->cancelled)
		recorder.mpi.Test_cancelled(status, &cancelled);
	return cancelled;
}

static void record_completion(struct call *c, struct request *r, const MPI_Status *status)
{
	if (was_cancelled(r, status))
		event_writer_cancelled(recorder.events, c->time, r->number);
	else if (r->kind == REQUEST_SEND)
		event_writer_isend_complete(recorder.events, c->time, r->number);
	else if (r->kind == REQUEST_RECEIVE)
		record_receive(c, r, status);
	else if (r->kind == REQUEST_COLLECTIVE) {
		r->posted->complete = true;
		collectives_complete(c);
	}
}

/* What was posted while events were recorded is completed, also where MPI_Pcontrol stopped them in
   between. */
static void completed(struct call *c, struct request *r, const MPI_Status *status)
{
	if (recorder.events && r->recorded)
		record_completion(c, r, status);
	if (r->kind == REQUEST_COMMUNICATOR)
		communicator_made(MPI_SUCCESS, r->parent, r->made);
	if (r->partner) {
		if (recorder.events && r->partner->recorded && r->partner->kind == REQUEST_SEND)
			event_writer_isend_complete(recorder.events, c->time, r->partner->number);
		request_drop(r->partner);
	}
	finished(r);
}

struct request *request_claim(const MPI_Request *request)
{
	if (*request == recorder.mpi.no_request)
		return NULL;
	struct request *r = with_handle(request, true);
	if (r) {
		handles_remove(&recorder.requests, &r->entry);
		pending_await(r->pending, true);
	}
	return r;
}

static void put_back(struct request *r)
{
	pending_await(r->pending, false);
	handles_put_back(&recorder.requests, &r->entry);
}

void request_returned(struct call *c, struct request *r, bool complete, const MPI_Status *status)
{
	if (r && complete)
		completed(c, r, status);
	else if (r)
		put_back(r);
	if (recorder.kept)
		requests_test_kept(c);
}

/* Room for a call; grown before the call, so that it does not move while others of this thread's
   use it (there are none: calls inside of calls are not seen). */
struct claims requests_claim(struct call *c, int count, const MPI_Request *requests, MPI_Status **statuses)
{
	(void)c;
	size_t n = count > 0 ? (size_t)count : 0;
	if (n > here.claim_capacity)
		here.claim = mem_grow(here.claim, &here.claim_capacity, n, sizeof(struct request *));
	if (statuses && *statuses == MPI_STATUSES_IGNORE && n) {
		if (n > here.status_capacity)
			here.status = mem_grow(here.status, &here.status_capacity, n, sizeof(MPI_Status));
		*statuses = here.status;
	}
	for (size_t i = 0; i < n; i++)
		here.claim[i] = request_claim(&requests[i]);
	return (struct claims){here.claim, (int)n};
}

struct claims requests_started(struct call *c, int count, const MPI_Request *requests)
{
	size_t n = count > 0 ? (size_t)count : 0;
	if (n > here.claim_capacity)
		here.claim = mem_grow(here.claim, &here.claim_capacity, n, sizeof(struct request *));
	for (size_t i = 0; i < n; i++)
		here.claim[i] = request_started(c, &requests[i]);
	return (struct claims){here.claim, (int)n};
}

void requests_moved(const struct claims *k, const MPI_Request *requests)
{
	for (int i = 0; i < k->count; i++)
		request_moved(k->request[i], requests[i]);
}

static void give_back(struct call *c, struct claims *k)
{
	for (int i = k->count; i-- > 0;) /* the oldest one last, so that it is the first again */
		if (k->request[i])
			put_back(k->request[i]);
	if (recorder.kept)
		requests_test_kept(c);
}

static void take_one(struct call *c, struct claims *k, int index, const MPI_Status *status)
{
	struct request *r = k->request[index];
	k->request[index] = NULL;
	if (r)
		completed(c, r, status);
}

/* Where some failed, each status says how its request fared. */
static bool succeeded(int result, const MPI_Status *status)
{
	if (result == MPI_SUCCESS)
		return true;
	int class = result;
	recorder.mpi.Error_class(result, &class);
	return class == MPI_ERR_IN_STATUS && status->MPI_ERROR == MPI_SUCCESS;
}

void requests_all(struct call *c, struct claims *k, int result, bool complete, const MPI_Status *statuses)
{
	for (int i = 0; complete && i < k->count; i++)
		if (k->request[i] && succeeded(result, &statuses[i]))
			take_one(c, k, i, &statuses[i]);
	give_back(c, k);
}

void requests_one(struct call *c, struct claims *k, int result, int index, const MPI_Status *status)
{
	if (result == MPI_SUCCESS && index >= 0 && index < k->count)
		take_one(c, k, index, status);
	give_back(c, k);
}

void requests_some(
	struct call *c, struct claims *k, int result, int count, const int *indices, const MPI_Status *statuses)
{
	for (int i = 0; count != MPI_UNDEFINED && i < count; i++)
		if (succeeded(result, &statuses[i]) && indices[i] < k->count)
			take_one(c, k, indices[i], &statuses[i]);
	give_back(c, k);
}

/* ------------------------------------------------------------------ cancelled and freed */

void request_cancelled(const MPI_Request *request)
{
	struct request *r = with_handle(request, true);
	if (r)
		r->cancelled = true;
}

/*
 * A receive that the program gives up before it is complete would come unseen. So MPI does not hear
 * of it: the request is tested by us whenever the program completes others, and at the end. Nobody
 * can tell, but for the memory of a request.
 */
bool request_keep(const MPI_Request *request)
{
	struct request *r = with_handle(request, true);
	if (!r)
		r = with_handle(request, false);
	if (!r)
		return false;
	if (r->kind == REQUEST_RECEIVE && r->active && r->recorded && !r->persistent) {
		handles_remove(&recorder.requests, &r->entry);
		pending_drop(&r->pending);
		r->mpi = *request;
		r->next = recorder.kept;
		recorder.kept = r;
		return true;
	}
	handles_remove(&recorder.requests, &r->entry);
	request_drop(r);
	return false;
}

int request_not_freed(MPI_Request *request)
{
	*request = recorder.mpi.no_request;
	return MPI_SUCCESS;
}

void requests_test_kept(struct call *c)
{
	for (struct request **at = &recorder.kept; *at;) {
		struct request *r = *at;
		MPI_Status status;
		int done = 0;
		if (recorder.mpi.Test(&r->mpi, &done, &status) != MPI_SUCCESS || !done) {
			at = &r->next;
			continue;
		}
		*at = r->next;
		c->time = recorder_time(); /* it may have come since the call returned */
		record_completion(c, r, &status);
		request_drop(r);
	}
}
