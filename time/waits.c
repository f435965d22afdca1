/*
 * waits.c -- who waited for whom.
 *
 * A receive knows its send when it is complete; a send learns only then when the receive was
 * posted, which may be long after the sender has gone on: until then its call is undecided, and
 * what comes before it on the path is open.
 *
 * Whether a sender waited shows in its completion: a rendezvous cannot be complete sooner after the
 * receive was posted than a message of this size takes. And a message that was complete before its
 * receive was posted is eager, as are all that are not larger.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ask/collective_names.h"
#include "base/buckets.h"
#include "base/mem.h"
#include "base/text.h"
#include "time/engine.h"

/* Calls of which it is not clear what they waited for that are put off. */
#define MOST_DOUBTFUL 256

/* Messages beyond so many bytes are taken for a rendezvous until they are seen not to be; those
   below, once they are seen to be. */
#define USUAL_EAGER 16384

/* Requests of a process that are remembered: some recorders never tell that sends are complete. */
#define MOST_REQUESTS 65536

static void drop_message(struct engine *e, struct timed_message *m)
{
	if (--m->users)
		return;
	piece_drop(e->paths, m->piece);
	piece_drop(e->paths, m->receiver);
	m->next = e->unused_message;
	e->unused_message = m;
}

static void unlist(struct timed_call *c)
{
	if (!c->listed)
		return;
	*c->self = c->next;
	if (c->next)
		c->next->self = c->self;
	c->listed = false;
}

void call_free(struct engine *e, struct timed_call *c)
{
	unlist(c);
	piece_drop(e->paths, c->entered);
	piece_drop(e->paths, c->piece);
	for (size_t i = 0; i < c->candidates; i++)
		piece_drop(e->paths, c->candidate[i].piece);
	c->next = e->unused_call;
	e->unused_call = c;
}

/* ------------------------------------------------------------------ deciding */

/*
 * Messages of a size are eager if some receive that was posted after its send took much less than
 * the shortest flight: the message had come before.
 */
enum manner { UNKNOWN, EAGER, RENDEZVOUS };

static enum manner manner_of(const struct engine *e, uint64_t bytes)
{
	const struct flight *f = &e->flight[bucket_of(bytes, SIZE_BITS)];
	if (bytes <= e->eager)
		return EAGER;
	if (e->eager_given || bytes > USUAL_EAGER)
		return RENDEZVOUS;
	if (f->awaited == UINT64_MAX || f->found == UINT64_MAX)
		return UNKNOWN;
	return f->found >= f->awaited / 4 * 3 ? RENDEZVOUS : EAGER;
}

/* The shortest flight known of messages of that size. */
static uint64_t shortest(const struct engine *e, uint64_t bytes)
{
	return e->expected[bucket_of(bytes, SIZE_BITS)];
}

static uint64_t met(const struct engine *e, unsigned class)
{
	const struct flight *f = &e->flight[class];
	return manner_of(e, f->bytes) == RENDEZVOUS && f->found < f->awaited ? f->found : f->awaited;
}

/*
 * What was met are upper bounds: a message may have come long before somebody looked. A flight
 * takes no longer than a line between those of a smaller and of a larger message says: so what is
 * expected is the lower convex hull.
 */
static void expect(struct engine *e)
{
	unsigned hull[SIZE_CLASSES], corners = 0;
	for (unsigned i = 0; i < SIZE_CLASSES; i++) {
		e->expected[i] = UINT64_MAX;
		if (e->flight[i].bytes == UINT64_MAX || met(e, i) == UINT64_MAX)
			continue;
		double x = (double)e->flight[i].bytes, y = (double)met(e, i);
		for (; corners > 1; corners--) {
			double x1 = (double)e->flight[hull[corners - 2]].bytes, y1 = (double)met(e, hull[corners - 2]);
			double x2 = (double)e->flight[hull[corners - 1]].bytes, y2 = (double)met(e, hull[corners - 1]);
			if ((y2 - y1) * (x - x1) < (y - y1) * (x2 - x1))
				break;
		}
		hull[corners++] = i;
	}
	for (unsigned k = 0; k < corners; k++) {
		unsigned from = hull[k], to = k + 1 < corners ? hull[k + 1] : from;
		double x = (double)e->flight[from].bytes, y = (double)met(e, from);
		double slope = to > from ? ((double)met(e, to) - y) / ((double)e->flight[to].bytes - x) : 0;
		for (unsigned i = from; i == from || i < to; i++)
			if (e->flight[i].bytes != UINT64_MAX)
				e->expected[i] = (uint64_t)(y + slope * ((double)e->flight[i].bytes - x));
	}
}

static void note_time(struct engine *e, uint64_t bytes, bool awaited, uint64_t took)
{
	struct flight *f = &e->flight[bucket_of(bytes, SIZE_BITS)];
	uint64_t *least = awaited ? &f->awaited : &f->found;
	bool news = took < *least || bytes < f->bytes;
	*least = took < *least ? took : *least;
	f->bytes = bytes < f->bytes ? bytes : f->bytes;
	if (news)
		expect(e);
}

/* When the sends of a call were complete says more than when their receives were. */
static void note_sends(struct engine *e, const struct timed_call *c)
{
	for (size_t i = 0; i < c->candidates; i++) {
		const struct wait_cause *k = &c->candidate[i];
		if (k->kind == WAIT_LATE_RECEIVER && k->start <= c->leave && k->bytes > USUAL_EAGER &&
			manner_of(e, k->bytes) == RENDEZVOUS)
			note_time(e, k->bytes, k->came < k->start, c->leave - k->start);
	}
}

/* A call that ended when the receiver came did not wait for it: where clocks are coarse, two such
   calls would wait for each other, or one for its own process. */
static bool can_be(const struct engine *e, const struct timed_call *c, const struct wait_cause *k)
{
	if (k->came > c->leave || (k->came == c->leave && k->kind == WAIT_LATE_RECEIVER))
		return false;
	if (k->kind != WAIT_LATE_RECEIVER || k->certain)
		return true;
	enum manner manner = manner_of(e, k->bytes);
	if (manner == EAGER || e->eager_given || k->bytes > USUAL_EAGER)
		return manner != EAGER;
	uint64_t least = shortest(e, k->bytes);
	if (manner == UNKNOWN || least == UINT64_MAX) {
		if (c->candidates > 1)
			return false;
		const struct flight *f = &e->flight[bucket_of(k->bytes, SIZE_BITS)]; /* its own among them */
		least = f->awaited < f->found ? f->awaited : f->found;
	}
	return c->leave - k->start >= least - least / 16;
}

/* When the flight began: an eager one does not wait for its receiver. */
static uint64_t base_of(const struct engine *e, const struct wait_cause *k)
{
	return k->kind == WAIT_LATE_SENDER && manner_of(e, k->bytes) == EAGER ? k->came : k->start;
}

/* What the call took beyond the flight that a message of this size takes at least. */
static uint64_t excess(const struct engine *e, const struct timed_call *c, const struct wait_cause *k)
{
	uint64_t took = c->leave - base_of(e, k), least = shortest(e, k->bytes);
	return k->kind >= WAIT_COLLECTIVES || least == UINT64_MAX ? 0 : took > least ? took - least : 0;
}

/* The same by the flights of its own channel. */
static uint64_t own_excess(const struct engine *e, const struct timed_call *c, const struct wait_cause *k)
{
	if (k->channel == NOBODY)
		return 0;
	const struct message_channel *channel = &e->channel[k->channel];
	uint64_t base = base_of(e, k), took = c->leave - base, own = base == k->came ? channel->sent : channel->flight;
	return own == UINT64_MAX || took <= own ? 0 : took - own;
}

/*
 * Which of them was complete last? The one whose flight explains when the call ended, by its size,
 * or, on a slow channel, by what is usual there; of several the one whose partner came last. It may
 * be that several channels could be the slow one: then later messages will tell.
 */
static const struct wait_cause *last_of(const struct engine *e, const struct timed_call *c, bool *doubtful)
{
	const struct wait_cause *best = NULL, *slow = NULL;
	size_t explain = 0;
	*doubtful = false;
	for (size_t i = 0; i < c->candidates; i++) {
		const struct wait_cause *k = &c->candidate[i];
		if (can_be(e, c, k) && (!best || excess(e, c, k) < excess(e, c, best) ||
					       (excess(e, c, k) == excess(e, c, best) && k->came > best->came)))
			best = k;
	}
	uint64_t least = best ? shortest(e, best->bytes) : UINT64_MAX;
	if (least == UINT64_MAX || c->candidates == 1 || excess(e, c, best) <= least / 4)
		return best;
	for (size_t i = 0; i < c->candidates; i++) {
		const struct wait_cause *k = &c->candidate[i];
		if (!can_be(e, c, k))
			continue;
		bool explains = own_excess(e, c, k) <= least / 4;
		if (!slow || (explains && !explain) ||
			(explains ? c->leave - base_of(e, k) > c->leave - base_of(e, slow)
				  : !explain && own_excess(e, c, k) < own_excess(e, c, slow)))
			slow = k;
		explain += explains;
	}
	*doubtful = explain > 1;
	return slow;
}

/* False: it is put off. */
static bool decide(struct engine *e, struct timed_call *c, bool now)
{
	bool doubtful;
	uint64_t from = c->mark;
	note_sends(e, c);
	const struct wait_cause *k = last_of(e, c, &doubtful);
	if (doubtful && !now && (c->doubtful || e->doubtful < MOST_DOUBTFUL)) {
		e->doubtful += !c->doubtful;
		c->doubtful = true;
		return false;
	}
	c->culprit = k ? k->culprit : NOBODY;
	c->kind = k ? k->kind : WAIT_KINDS;
	if (k && k->came > c->enter && k->piece) {
		c->waited = k->came - c->enter;
		from = k->came;
		if (k->kind == WAIT_LATE_SENDER && c->enter >= e->process[c->rank].late.enter) {
			e->process[c->rank].late.enter = c->enter;
			e->process[c->rank].late.came = k->came;
			e->process[c->rank].late.wrong = 0;
			e->process[c->rank].late.construct = c->cell.construct;
		}
		if (e->options->waited)
			e->options->waited(e->options->context, c->rank, c->enter, k->came, k->culprit);
	}
	piece_close(e->paths, c->piece, c->waited ? k->piece : NULL);
	c->path = c->leave - from;
	c->decided = true;
	e->doubtful -= c->doubtful;
	unlist(c);
	if (!c->users)
		cells_settle(e, c);
	return true;
}

static void resolved(struct engine *e, struct timed_call *c)
{
	if (!--c->unresolved && c->closed)
		decide(e, c, false);
}

void calls_decide_all(struct engine *e)
{
	for (size_t i = 0; i < e->meetings; i++)
		for (size_t k = 0; k < e->meeting[i].gatherings; k++)
			e->analysis->unmatched += e->meeting[i].gathering[k].arrivals;
	while (e->undecided)
		decide(e, e->undecided, true);
}

void calls_decide_some(struct engine *e)
{
	for (struct timed_call *c = e->doubtful ? e->undecided : NULL, *next; c; c = next) {
		next = c->next;
		if (c->doubtful)
			decide(e, c, false);
	}
}

static void add_candidate(struct timed_call *c, const struct wait_cause *k)
{
	c->candidate = mem_grow(c->candidate, &c->capacity, c->candidates + 1, sizeof *c->candidate);
	c->candidate[c->candidates] = *k;
	if (k->came <= c->enter)
		c->candidate[c->candidates].piece = NULL;
	else
		piece_keep(k->piece);
	c->candidates++;
}

/* ------------------------------------------------------------------ beginning and end */

static struct timed_call *call_new(struct engine *e)
{
	struct timed_call *c = e->unused_call;
	if (c)
		e->unused_call = c->next;
	else
		*MEM_PUSH(e->made, e->calls_made, e->made_capacity) = c = mem_zero(sizeof *c);
	*c = (struct timed_call){.candidate = c->candidate, .capacity = c->capacity, .collective = NO_LABEL};
	return c;
}

/* Others may refer to the path of the process up to now; its reference is the caller's. */
static struct piece *share(struct engine *e, struct timed_process *p)
{
	struct piece *now = p->piece;
	p->piece = piece_new(e->paths, now);
	return now;
}

void call_begins(struct engine *e, uint32_t rank, uint64_t time, const struct timeline_region *region)
{
	struct timed_process *p = &e->process[rank];
	if (p->calls_open++)
		return;
	cells_work(e, rank, time);
	struct timed_call *c = call_new(e);
	c->rank = rank;
	c->enter = c->mark = time;
	c->synchronous = region->synchronous;
	c->neighbours = region->neighbours;
	c->sort = region->sort == TIMELINE_INIT       ? CONSTRUCT_INIT
		  : region->sort == TIMELINE_FINALIZE ? CONSTRUCT_FINALIZE
		  : region->sort == TIMELINE_IO       ? CONSTRUCT_IO
		  : region->sort == TIMELINE_DEVICE   ? CONSTRUCT_DEVICE
						      : CONSTRUCT_PROGRAM;
	e->analysis->communicates |= c->sort != CONSTRUCT_DEVICE;
	c->entered = share(e, p);
	p->call = c;
}

void call_ends(struct engine *e, uint32_t rank, uint64_t time)
{
	struct timed_process *p = &e->process[rank];
	struct timed_call *c = p->call;
	if (!p->calls_open || --p->calls_open)
		return;
	c->leave = time;
	c->closed = true;
	bool plain = !c->candidates && !c->unresolved;
	uint64_t mark = c->mark;
	cells_call(e, rank, time, plain);
	p->call = NULL;
	if (plain) {
		if (c->known)
			constructs_count(e->constructs, &c->cell, rank, c->events);
		call_free(e, c);
		return;
	}
	c->mark = mark;
	c->piece = piece_keep(p->piece);
	piece_open(c->piece);
	if (!c->unresolved && decide(e, c, false))
		return;
	c->next = e->undecided;
	c->self = &e->undecided;
	if (c->next)
		c->next->self = &c->next;
	e->undecided = c;
	c->listed = true;
}

/* ------------------------------------------------------------------ channels */

struct channel_key {
	uint32_t source, destination;
	uint64_t number;
	int64_t communicator;
};

/* An array by event, with room for this one; all bytes of what is new are the same. */
static void *reach_event(void *array, size_t *length, uint32_t event, size_t size, int byte)
{
	size_t old = *length;
	char *reached = mem_grow(array, length, (size_t)event + 1, size);
	memset(reached + old * size, byte, (*length - old) * size);
	return reached;
}

static uint32_t *slot_of(struct engine *e, uint32_t rank, uint32_t event)
{
	struct timed_process *p = &e->process[rank];
	if (event >= p->channels)
		p->channel = reach_event(p->channel, &p->channels, event, sizeof *p->channel, 0xff);
	return &p->channel[event];
}

static uint32_t channel_of(struct engine *e, uint32_t rank, uint32_t id)
{
	uint32_t *slot = slot_of(e, rank, id);
	if (*slot != NOBODY)
		return *slot;
	const struct dictionary *d = trace_dictionary(e->trace, rank);
	const struct event *event = dictionary_get_event(d, id);
	const struct tag *tag = dictionary_get_tag(d, event->subject);
	bool send = kind_sends(event->kind);
	struct channel_key key;
	memset(&key, 0, sizeof key);
	key.source = send ? rank : event->peer;
	key.destination = send ? event->peer : rank;
	key.number = tag->number;
	key.communicator = e->communicators ? tag->communicator : NO_COMMUNICATOR;
	*slot = intern_id(e->channel_keys, &key, sizeof key);
	if (*slot == e->channels) {
		*MEM_PUSH(e->channel, e->channels, e->channel_capacity) = (struct message_channel){
			.destination = key.destination, .waiting = NOBODY, .flight = UINT64_MAX, .sent = UINT64_MAX};
	}
	return *slot;
}

/* ------------------------------------------------------------------ requests */

static void add_request(struct engine *e, struct timed_process *p, const struct timed_request *r)
{
	if (p->requests == MOST_REQUESTS) {
		piece_drop(e->paths, p->request[0].piece);
		if (p->request[0].message)
			drop_message(e, p->request[0].message);
		memmove(p->request, p->request + 1, --p->requests * sizeof *p->request);
	}
	*MEM_PUSH(p->request, p->requests, p->request_capacity) = *r;
}

enum request_kind { REQUEST_ANY, REQUEST_SEND, REQUEST_RECEIVE };

/* The latest of that number and kind, which is no longer open. (Numbers may be used again while a
   send is open whose completion no record tells.) */
static bool take_request(struct timed_process *p, uint64_t id, enum request_kind kind, struct timed_request *r)
{
	for (size_t i = p->requests; i > 0; i--)
		if (p->request[i - 1].id == id &&
			(kind == REQUEST_ANY || (p->request[i - 1].message != NULL) == (kind == REQUEST_SEND))) {
			*r = p->request[i - 1];
			memmove(&p->request[i - 1], &p->request[i], (p->requests - i) * sizeof *p->request);
			p->requests--;
			return true;
		}
	return false;
}

bool call_posts(struct engine *e, uint32_t rank, const struct timeline_record *r)
{
	struct timed_process *p = &e->process[rank];
	cells_call(e, rank, r->time, true);
	add_request(e, p,
		&(struct timed_request){
			.id = r->request, .post = r->time, .piece = share(e, p), .neighbours = p->call->neighbours});
	return true;
}

bool call_cancelled(struct engine *e, uint32_t rank, const struct timeline_record *r)
{
	struct timed_request request;
	if (!take_request(&e->process[rank], r->request, REQUEST_ANY, &request))
		return true;
	piece_drop(e->paths, request.piece);
	if (request.message)
		drop_message(e, request.message);
	return true;
}

/* ------------------------------------------------------------------ messages */

/* The sender's side of a message whose receive is known: what its call may have waited for. */
static void tell_sender(struct engine *e, struct timed_message *m, struct timed_call *c)
{
	if (c->closed && c->leave < m->received && !m->synchronous && m->bytes > e->eager && !e->eager_given)
		e->eager = m->bytes;
	add_candidate(c, &(struct wait_cause){.came = m->received,
				 .start = m->received > m->post ? m->received : m->post,
				 .bytes = m->bytes,
				 .piece = m->receiver,
				 .culprit = m->destination,
				 .channel = m->channel,
				 .kind = WAIT_LATE_RECEIVER,
				 .certain = m->synchronous});
}

bool call_send(struct engine *e, uint32_t rank, const struct timeline_record *r)
{
	struct timed_process *p = &e->process[rank];
	struct timed_call *c = p->call;
	uint32_t id = channel_of(e, rank, r->id);
	struct timed_message *m = e->unused_message;
	if (!cells_event(e, rank, EVENT_SEND))
		return true;
	if (m)
		e->unused_message = m->next;
	else
		m = arena_alloc(e->messages, sizeof *m);
	*m = (struct timed_message){.source = rank,
		.destination = e->channel[id].destination,
		.users = 1,
		.bytes = r->bytes,
		.ideal = p->ideal,
		.synchronous = c->synchronous,
		.may_wait = c->synchronous || r->bytes > e->eager,
		.channel = id};
	if (r->kind == TIMELINE_SEND) {
		m->post = c->enter;
		m->piece = piece_keep(c->entered);
		if (m->may_wait) {
			m->call = c;
			c->unresolved++;
		}
	} else {
		m->post = r->time;
		cells_call(e, rank, r->time, true);
		m->piece = share(e, p);
		m->users++;
		add_request(e, p, &(struct timed_request){.id = r->request, .message = m});
	}
	struct message_channel *channel = &e->channel[id];
	if (channel->first)
		channel->last->next = m;
	else
		channel->first = m;
	channel->last = m;
	if (channel->waiting != NOBODY) {
		engine_wake(e, channel->waiting);
		channel->waiting = NOBODY;
	}
	return true;
}

/* It waits for nobody that a record tells of. */
bool call_accesses(struct engine *e, uint32_t rank, const struct timeline_record *r)
{
	uint32_t kind = dictionary_get_event(trace_dictionary(e->trace, rank), r->id)->kind;
	cells_event(e, rank, (enum event_kind)kind);
	return true;
}

bool call_sent(struct engine *e, uint32_t rank, const struct timeline_record *r)
{
	struct timed_process *p = &e->process[rank];
	struct timed_request request;
	if (!take_request(p, r->request, REQUEST_SEND, &request))
		return true;
	struct timed_message *m = request.message;
	if (m->matched)
		tell_sender(e, m, p->call);
	else if (m->may_wait) {
		m->call = p->call;
		p->call->unresolved++;
	}
	drop_message(e, m);
	return true;
}

/* Could it have been received while the process waited for another one? */
static void note_order(struct engine *e, uint32_t rank, const struct timed_message *m)
{
	struct timed_process *p = &e->process[rank];
	uint64_t there = m->post > p->late.enter ? m->post : p->late.enter;
	if (p->call->enter <= p->late.enter || there >= p->late.came || p->late.came - there <= p->late.wrong)
		return;
	constructs_share(e->constructs, p->late.construct, rank)->wrong_order += p->late.came - there - p->late.wrong;
	p->late.wrong = p->late.came - there;
}

/* The two ends of a message meet. */
static void match(struct engine *e, uint32_t rank, const struct timeline_record *r, struct timed_message *m)
{
	struct timed_process *p = &e->process[rank];
	struct timed_call *c = p->call;
	struct timed_request request = {.post = c->enter, .piece = c->entered};
	bool posted = r->kind == TIMELINE_IRECV && take_request(p, r->request, REQUEST_RECEIVE, &request);
	m->received = request.post;
	m->receiver = posted ? request.piece : piece_keep(request.piece);
	m->matched = true;
	p->ideal = m->ideal > p->ideal ? m->ideal : p->ideal;
	e->analysis->meetings++;
	note_order(e, rank, m);
	uint64_t start = m->post > m->received ? m->post : m->received, flight = r->time > start ? r->time - start : 0;
	if (r->time < m->post) {
		uint64_t by = m->post - r->time;
		e->analysis->contradictions++;
		e->analysis->contradiction = by > e->analysis->contradiction ? by : e->analysis->contradiction;
	} else {
		struct message_channel *channel = &e->channel[m->channel];
		note_time(e, m->bytes, m->post >= m->received, flight);
		channel->flight = flight < channel->flight ? flight : channel->flight;
		channel->sent = r->time - m->post < channel->sent ? r->time - m->post : channel->sent;
	}
	uint64_t late = m->post > c->enter && m->post <= r->time ? m->post - c->enter : 0;
	bool whole = manner_of(e, m->bytes) == RENDEZVOUS || r->time < m->post; /* it could not start before */
	constructs_message(e->constructs, &c->cell,
		&(struct analysis_link){
			m->source, rank, 1, m->bytes, flight, whole ? flight : r->time - m->post, late, 0});
	add_candidate(c, &(struct wait_cause){
				 m->post, start, m->bytes, m->piece, m->source, m->channel, WAIT_LATE_SENDER, true});
	if (m->call) {
		tell_sender(e, m, m->call);
		resolved(e, m->call);
	}
	drop_message(e, m);
}

bool call_receive(struct engine *e, uint32_t rank, const struct timeline_record *r)
{
	struct timed_process *p = &e->process[rank];
	uint32_t id = channel_of(e, rank, r->id);
	struct message_channel *channel = &e->channel[id];
	struct timed_message *m = channel->first;
	if (!m && !p->released) {
		channel->waiting = rank;
		return false;
	}
	if (!cells_event(e, rank, EVENT_RECV))
		return true;
	if (m) {
		channel->first = m->next;
		match(e, rank, r, m);
	} else {
		e->analysis->unmatched++;
		if (r->kind == TIMELINE_IRECV)
			call_cancelled(e, rank, r);
	}
	p->released = false;
	return true;
}

/* ------------------------------------------------------------------ collectives */

static void name_meeting(struct engine *e, uint32_t rank, const struct sync *sync, struct text *text)
{
	const struct dictionary *d = trace_dictionary(e->trace, rank);
	struct ranks group = dictionary_get_ranks(d, sync->group);
	text_format(text, "%s ", dictionary_get_word(d, sync->name));
	ranks_print(&group, text);
	if (e->communicators)
		text_format(text, "@%" PRId64, sync->communicator);
}

/* Where sizes may be 0, some may be needed by nobody. */
static enum meeting_sort sort_of_meeting(const char *name)
{
	static const struct {
		const char *name;
		enum meeting_sort sort;
	} known[] = {
		{"MPI_Barrier", MEET_BARRIER},
		{"MPI_Bcast", MEET_FROM_ROOT},
		{"MPI_Scatter", MEET_FROM_ROOT},
		{"MPI_Scatterv", MEET_FROM_ROOT},
		{"MPI_Reduce", MEET_TO_ROOT},
		{"MPI_Gather", MEET_TO_ROOT},
		{"MPI_Gatherv", MEET_TO_ROOT},
		{"MPI_Allgatherv", MEET_SOME},
		{"MPI_Alltoallv", MEET_SOME},
		{"MPI_Alltoallw", MEET_SOME},
		{"MPI_Scan", MEET_SOME},
		{"MPI_Exscan", MEET_SOME},
	};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcmp(collective_operation(name), known[i].name))
			return known[i].sort;
	return collective_scope(name) == SCOPE_GROUP ? MEET_ALL : MEET_SOME;
}

static uint32_t meeting_of(struct engine *e, uint32_t rank, uint32_t id)
{
	uint32_t *slot = slot_of(e, rank, id);
	if (*slot != NOBODY)
		return *slot;
	const struct dictionary *d = trace_dictionary(e->trace, rank);
	const struct sync *sync = dictionary_get_sync(d, dictionary_get_event(d, id)->subject);
	struct text text = {0};
	name_meeting(e, rank, sync, &text);
	*slot = intern_id(e->meeting_keys, text.data, text.length);
	text_clear(&text);
	if (*slot == e->meetings) {
		struct ranks group = dictionary_get_ranks(d, sync->group);
		*MEM_PUSH(e->meeting, e->meetings, e->meeting_capacity) =
			(struct collective_meeting){.members = (uint32_t)ranks_count(&group),
				.sort = sort_of_meeting(dictionary_get_word(d, sync->name))};
	}
	return *slot;
}

/* Whom one of them waited for, if they were free to go before the others came. */
static const struct collective_arrival *awaited(enum meeting_sort sort, const struct collective_arrival *all,
	size_t count, const struct collective_arrival *who, const struct collective_arrival *last, uint32_t root)
{
	if (sort == MEET_TO_ROOT || sort == MEET_SOME)
		return sort == MEET_TO_ROOT && who->rank == root ? last : NULL;
	for (size_t i = 0; i < count && who->rank != root; i++)
		if (all[i].rank == root)
			return &all[i];
	return NULL;
}

static enum wait_kind state_of(enum meeting_sort sort, uint32_t who, uint32_t by, uint32_t root)
{
	if (sort == MEET_FROM_ROOT && by == root)
		return WAIT_LATE_BROADCAST;
	if (sort == MEET_TO_ROOT && who == root)
		return WAIT_EARLY_REDUCE;
	return sort == MEET_BARRIER ? WAIT_BARRIER : WAIT_NXN;
}

/* All have come: what their calls may have waited for. Did nobody leave before the last came? */
static bool tell_arrivals(
	struct engine *e, enum meeting_sort sort, const struct collective_arrival *all, size_t count, uint32_t root)
{
	const struct collective_arrival *last = &all[0];
	uint64_t first_done = UINT64_MAX;
	for (size_t i = 0; i < count; i++) {
		const struct collective_arrival *a = &all[i];
		if (a->enter > last->enter || (a->enter == last->enter && a->rank < last->rank))
			last = a;
		first_done = a->done < first_done ? a->done : first_done;
	}
	e->analysis->meetings++;
	bool all_need_all = sort == MEET_ALL || sort == MEET_BARRIER;
	bool together = all_need_all || first_done >= last->enter;
	if (all_need_all && first_done < last->enter) {
		uint64_t by = last->enter - first_done;
		e->analysis->contradictions++;
		e->analysis->contradiction = by > e->analysis->contradiction ? by : e->analysis->contradiction;
	}
	for (size_t i = 0; i < count; i++) {
		const struct collective_arrival *a = &all[i],
						*by = together ? last : awaited(sort, all, count, a, last, root);
		if (by && by->enter <= a->done)
			add_candidate(a->call, &(struct wait_cause){by->enter, by->enter, 0, by->piece, by->rank,
						       NOBODY, state_of(sort, a->rank, by->rank, root), true});
	}
	for (size_t i = 0; i < count; i++)
		piece_drop(e->paths, all[i].piece);
	return together;
}

/* Their ideal clocks: of all members where none left before the last came, else of those that one
   of them needs. */
static void meet_ideally(
	struct engine *e, const struct collective_meeting *m, enum meeting_sort sort, uint32_t root, bool together)
{
	uint64_t last = 0, of_root = 0;
	for (size_t i = 0; i < m->arrivals; i++) {
		uint64_t ideal = e->process[m->arrival[i].rank].ideal;
		last = ideal > last ? ideal : last;
		of_root = m->arrival[i].rank == root ? ideal : of_root;
	}
	for (size_t i = 0; i < m->arrivals; i++) {
		bool is_root = m->arrival[i].rank == root;
		uint64_t *ideal = &e->process[m->arrival[i].rank].ideal;
		uint64_t needed = together || (sort == MEET_TO_ROOT && is_root) ? last
				  : sort == MEET_FROM_ROOT                      ? of_root
										: 0;
		*ideal = needed > *ideal ? needed : *ideal;
	}
}

static void meet(struct engine *e, struct collective_meeting *m, enum meeting_sort sort, uint32_t root)
{
	bool together = tell_arrivals(e, sort, m->arrival, m->arrivals, root);
	meet_ideally(e, m, sort, root, together);
	for (size_t i = 0; i < m->arrivals; i++) {
		e->process[m->arrival[i].rank].passed = true;
		if (i + 1 < m->arrivals)
			engine_wake(e, m->arrival[i].rank);
	}
	m->arrivals = 0;
}

bool call_meets(struct engine *e, uint32_t rank, const struct timeline_record *r)
{
	struct timed_process *p = &e->process[rank];
	uint32_t id = meeting_of(e, rank, r->id);
	struct collective_meeting *m = &e->meeting[id];
	if (!p->passed && !p->released) {
		*MEM_PUSH(m->arrival, m->arrivals, m->capacity) = (struct collective_arrival){
			rank, p->call->enter, r->time, piece_keep(p->call->entered), p->call};
		if (m->arrivals < m->members)
			return false;
		meet(e, m, p->call->neighbours ? MEET_SOME : m->sort,
			dictionary_get_event(trace_dictionary(e->trace, rank), r->id)->peer);
	}
	for (size_t i = 0; i < m->arrivals && p->released; i++)
		if (m->arrival[i].rank == rank) {
			piece_drop(e->paths, m->arrival[i].piece);
			m->arrival[i] = m->arrival[--m->arrivals];
			break;
		}
	e->analysis->unmatched += p->released && !p->call->neighbours;
	p->passed = p->released = false;
	cells_event(e, rank, EVENT_SYNC);
	return true;
}

/* ------------------------------------------------------------------ posted ones */

/* The one that is the process's turn. */
static struct timed_collective *gathering_of(struct collective_meeting *m, uint64_t turn)
{
	size_t at = (size_t)(turn - m->gathered);
	for (; m->gatherings <= at; m->gatherings++) {
		m->gathering = mem_grow(m->gathering, &m->gathering_capacity, m->gatherings + 1, sizeof *m->gathering);
		m->gathering[m->gatherings] =
			(struct timed_collective){mem_array(m->members, sizeof(struct collective_arrival)), 0};
	}
	return &m->gathering[at];
}

/* Who has come to one has come to those before it, so the first is complete first. */
static void forget_gathering(struct collective_meeting *m)
{
	free(m->gathering[0].arrival);
	memmove(m->gathering, m->gathering + 1, --m->gatherings * sizeof *m->gathering);
	m->gathered++;
}

/*
 * Who has posted goes on, and what others may do before it comes back for the collective may depend
 * on it: so nobody is kept waiting here. The call stays undecided until all have completed theirs.
 */
bool call_gathers(struct engine *e, uint32_t rank, const struct timeline_record *r)
{
	struct timed_process *p = &e->process[rank];
	struct timed_call *c = p->call;
	struct timed_request request = {.post = c->enter, .piece = c->entered};
	bool posted = take_request(p, r->request, REQUEST_RECEIVE, &request);
	struct piece *piece = posted ? request.piece : piece_keep(request.piece);
	if (!cells_event(e, rank, EVENT_SYNC)) {
		piece_drop(e->paths, piece);
		return true;
	}
	uint32_t id = meeting_of(e, rank, r->id);
	struct collective_meeting *m = &e->meeting[id];
	if (r->id >= p->turns)
		p->turn = reach_event(p->turn, &p->turns, r->id, sizeof *p->turn, 0);
	struct timed_collective *g = gathering_of(m, p->turn[r->id]++);
	g->arrival[g->arrivals++] = (struct collective_arrival){rank, request.post, r->time, piece, c};
	c->unresolved++;
	if (g->arrivals < m->members)
		return true;
	tell_arrivals(e, request.neighbours ? MEET_SOME : m->sort, g->arrival, g->arrivals,
		dictionary_get_event(trace_dictionary(e->trace, rank), r->id)->peer);
	for (size_t i = 0; i < g->arrivals; i++)
		resolved(e, g->arrival[i].call);
	forget_gathering(m);
	return true;
}

void call_release(struct engine *e, uint32_t rank)
{
	e->process[rank].released = true;
	engine_wake(e, rank);
}

/* ------------------------------------------------------------------ the end */

void calls_clear(struct engine *e)
{
	arena_free(e->messages);
	for (size_t i = 0; i < e->calls_made; i++) {
		free(e->made[i]->candidate);
		free(e->made[i]);
	}
	free(e->made);
	for (size_t i = 0; i < e->meetings; i++) {
		for (size_t k = 0; k < e->meeting[i].gatherings; k++)
			free(e->meeting[i].gathering[k].arrival);
		free(e->meeting[i].gathering);
		free(e->meeting[i].arrival);
	}
	free(e->channel);
	free(e->meeting);
	intern_free(e->channel_keys);
	intern_free(e->meeting_keys);
	intern_free(e->at_ends);
}
