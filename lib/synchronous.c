/*
 * synchronous.c -- each process goes on through its timeline until it must wait; whoever posts what
 * it waits for wakes it. What is posted by a request is known where the request is complete, so
 * records are read ahead until there.
 */
#include "lib/synchronous.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ask/collective_names.h"
#include "base/mem.h"
#include "lib/event_places.h"
#include "trace/receive_order.h"
#include "trace/timeline.h"

#define NOWHERE UINT32_MAX
#define NO_NUMBER UINT64_MAX
#define OF_EXCHANGE UINT64_MAX /* in place of a request */

/* A record, and what it waits for once that is known. */
struct step {
	struct timeline_record record;
	uint64_t number; /* on its channel, or in its room; NO_NUMBER: not posted yet */
};

/* Sends of a process that it has not waited for. */
struct owed {
	uint64_t request;
	uint32_t channel;
	uint64_t number, time;
};

struct process {
	struct step *step; /* a queue */
	size_t front, length, capacity;
	struct owed *owed;
	size_t owes, owed_capacity;
	uint32_t region; /* entered last */
	bool ended, ready;
	bool buffers; /* some of what it starts is buffered: which, is not known */
	/* what it waits for: a receive to be posted, or a send, on this channel; or a room */
	uint32_t channel, room;
	uint64_t number;
	bool sends;
	uint64_t time; /* of the record it stands at */
};

struct channel {
	uint64_t sent, received; /* posted */
};

struct room {
	uint64_t *next; /* by rank; NULL: none came yet */
	uint64_t whole; /* meetings that all have come to */
	uint32_t *came; /* to those behind: a queue */
	size_t front, length, capacity;
	struct ranks waiting;
};

struct replay {
	struct trace *trace;
	struct timeline *timeline;
	uint32_t processes;
	struct process *process;
	struct event_places *places;
	struct channel *channel; /* by their numbers */
	struct room *room;
	size_t channel_capacity, room_capacity;
	uint32_t *ready; /* a stack of ranks */
	size_t readies, ready_capacity;
	bool vague; /* it is not known what a request was, or threads are told apart */
};

/* ------------------------------------------------------------------ what events are */

struct known {
	uint32_t channel, room; /* one of them; NOWHERE */
};

static struct known known_of(struct replay *r, uint32_t rank, uint32_t event)
{
	const struct event_place *at = event_place_of(r->places, rank, event);
	struct known k = {NOWHERE, NOWHERE};
	if (at->kind == PLACE_CHANNEL) {
		k.channel = at->number;
		(void)MEM_AT(r->channel, r->channel_capacity, at->number);
	} else if (at->kind == PLACE_ROOM && collective_scope(at->name) == SCOPE_GROUP &&
		   collective_is_known(at->name) && !event_places_get_room(r->places, at->number)->between) {
		k.room = at->number;
		struct room *room = MEM_AT(r->room, r->room_capacity, at->number);
		if (!room->next)
			room->next = mem_zero((r->processes + (size_t)1) * sizeof *room->next);
	} /* else nobody knows who waits for whom */
	return k;
}

/* ------------------------------------------------------------------ reading ahead */

static bool read_step(struct replay *r, uint32_t rank)
{
	struct process *p = &r->process[rank];
	const struct timeline_record *next = timeline_get(r->timeline, rank);
	if (!next)
		return false;
	struct step *s = MEM_QUEUE(p->step, p->front, p->length, p->capacity);
	*s = (struct step){*next, NO_NUMBER};
	r->vague |= next->thread != 0;
	timeline_next(r->timeline, rank);
	return true;
}

/* Where the request that is posted at the front is complete; NULL: not within reach. */
static struct step *completion_of(struct replay *r, uint32_t rank, uint64_t request)
{
	struct process *p = &r->process[rank];
	for (size_t i = 1; i < RECEIVE_ORDER_SPAN; i++) {
		if (p->front + i == p->length && !read_step(r, rank))
			return NULL;
		struct step *s = &p->step[p->front + i];
		bool completes = s->record.kind == TIMELINE_IRECV || s->record.kind == TIMELINE_COMPLETED ||
				 s->record.kind == TIMELINE_CANCELLED || s->record.kind == TIMELINE_OTHER;
		if (completes && s->record.request == request)
			return s;
	}
	r->vague = true;
	return NULL;
}

/* ------------------------------------------------------------------ waiting */

static void wake(struct replay *r, uint32_t rank)
{
	struct process *p = &r->process[rank];
	if (p->ready || p->ended)
		return;
	p->ready = true;
	*MEM_PUSH(r->ready, r->readies, r->ready_capacity) = rank;
}

static uint64_t post(struct replay *r, uint32_t channel, bool sends)
{
	struct channel *c = &r->channel[channel];
	const struct place_channel *ends = event_places_get_channel(r->places, channel);
	uint32_t other = sends ? ends->destination : ends->source;
	if (r->process[other].channel == channel)
		wake(r, other);
	return sends ? c->sent++ : c->received++;
}

static uint64_t come(struct replay *r, uint32_t at, uint32_t rank)
{
	struct room *room = &r->room[at];
	uint32_t processes = event_places_get_room(r->places, at)->processes;
	uint64_t number = room->next[rank]++;
	while (room->length - room->front <= number - room->whole) {
		uint32_t *next = MEM_QUEUE(room->came, room->front, room->length, room->capacity);
		*next = 0;
	}
	room->came[room->front + (number - room->whole)]++;
	bool some = false;
	while (room->front < room->length && room->came[room->front] == processes) {
		room->front++;
		room->whole++;
		some = true;
	}
	struct ranks_walk walk = {0};
	uint32_t other;
	while (some && ranks_next(&room->waiting, &walk, &other))
		wake(r, other);
	if (some)
		ranks_clear(&room->waiting);
	return number;
}

/* May the process go on? If not, it is said what it waits for. */
static bool is_posted(struct replay *r, struct process *p, uint32_t channel, uint64_t number, bool sends)
{
	const struct channel *c = &r->channel[channel];
	if ((sends ? c->received : c->sent) > number)
		return true;
	p->channel = channel;
	p->number = number;
	p->sends = sends;
	return false;
}

static bool is_whole(struct replay *r, uint32_t rank, uint32_t room, uint64_t number)
{
	if (r->room[room].whole > number)
		return true;
	r->process[rank].room = room;
	r->process[rank].number = number;
	ranks_add(&r->room[room].waiting, rank);
	return false;
}

/* ------------------------------------------------------------------ one step */

static bool begins(const struct replay *r, const struct process *p, const char *name)
{
	const char *region = p->region == NOWHERE ? "" : timeline_region(r->timeline, p->region).name;
	return !strncmp(region, name, strlen(name));
}

static void owe(struct process *p, uint64_t request, uint32_t channel, uint64_t number)
{
	*MEM_PUSH(p->owed, p->owes, p->owed_capacity) = (struct owed){request, channel, number, p->time};
}

static void drop(struct process *p, size_t i)
{
	p->owed[i] = p->owed[--p->owes];
}

static bool send(struct replay *r, uint32_t rank, struct step *s, uint32_t channel, bool blocking)
{
	struct process *p = &r->process[rank];
	bool exchanges = begins(r, p, "MPI_Sendrecv"),
	     buffered = begins(r, p, "MPI_Ibsend") || (p->buffers && begins(r, p, "MPI_Start"));
	bool waits = blocking && (begins(r, p, "MPI_Send") || begins(r, p, "MPI_Ssend") || begins(r, p, "MPI_Rsend"));
	if (s->number == NO_NUMBER) {
		s->number = post(r, channel, true);
		if (exchanges || (!blocking && !buffered))
			owe(p, exchanges ? OF_EXCHANGE : s->record.request, channel, s->number);
	}
	return exchanges || !waits || is_posted(r, p, channel, s->number, true);
}

/* The request of a send is complete, or MPI_Sendrecv ends. */
static bool sent(struct replay *r, uint32_t rank, uint64_t request)
{
	struct process *p = &r->process[rank];
	size_t i = 0;
	while (i < p->owes && p->owed[i].request != request)
		i++;
	if (i == p->owes)
		return true;
	/* who asks would have heard that it is not complete yet, or that another one is */
	bool must = !begins(r, p, "MPI_Test") && !begins(r, p, "MPI_Waitany") && !begins(r, p, "MPI_Waitsome");
	if (must && !is_posted(r, p, p->owed[i].channel, p->owed[i].number, true)) {
		p->time = p->owed[i].time; /* it is told where it was sent */
		return false;
	}
	drop(p, i);
	return true;
}

static void posted(struct replay *r, uint32_t rank, uint64_t request)
{
	struct step *s = completion_of(r, rank, request);
	if (!s || s->number != NO_NUMBER || s->record.kind == TIMELINE_CANCELLED || s->record.kind == TIMELINE_OTHER)
		return;
	struct known k = known_of(r, rank, s->record.id);
	if (s->record.kind == TIMELINE_IRECV && k.channel != NOWHERE)
		s->number = post(r, k.channel, false);
	else if (s->record.kind == TIMELINE_COMPLETED && k.room != NOWHERE)
		s->number = come(r, k.room, rank);
}

static void cancelled(struct process *p, uint64_t request)
{
	for (size_t i = 0; i < p->owes; i++)
		if (p->owed[i].request == request) {
			drop(p, i);
			return;
		}
}

/* False: it waits. */
static bool step(struct replay *r, uint32_t rank)
{
	struct process *p = &r->process[rank];
	struct step *s = &p->step[p->front];
	const struct timeline_record *t = &s->record;
	bool event = t->kind == TIMELINE_SEND || t->kind == TIMELINE_ISEND || t->kind == TIMELINE_RECV ||
		     t->kind == TIMELINE_IRECV || t->kind == TIMELINE_SYNC || t->kind == TIMELINE_COMPLETED;
	struct known k = {NOWHERE, NOWHERE};
	p->channel = p->room = NOWHERE;
	p->time = t->time;
	if (event)
		k = known_of(r, rank, t->id);
	switch ((enum timeline_kind)t->kind) {
	case TIMELINE_ENTER:
		p->region = t->id;
		p->buffers |= begins(r, p, "MPI_Bsend_init");
		return true;
	case TIMELINE_LEAVE:
		return !begins(r, p, "MPI_Sendrecv") || sent(r, rank, OF_EXCHANGE);
	case TIMELINE_SEND:
		return k.channel == NOWHERE || send(r, rank, s, k.channel, true);
	case TIMELINE_ISEND:
		return k.channel == NOWHERE || send(r, rank, s, k.channel, false);
	case TIMELINE_SENT:
		return sent(r, rank, t->request);
	case TIMELINE_POST:
		posted(r, rank, t->request);
		return true;
	case TIMELINE_RECV:
	case TIMELINE_IRECV:
		if (k.channel == NOWHERE)
			return true;
		/* receives that overtook each other have changed places */
		r->vague |= t->kind == TIMELINE_IRECV && (begins(r, p, "MPI_Recv") || begins(r, p, "MPI_Sendrecv"));
		if (s->number == NO_NUMBER) {
			r->vague |= t->kind == TIMELINE_IRECV; /* of another recording, when paused */
			s->number = post(r, k.channel, false);
		}
		return is_posted(r, p, k.channel, s->number, false);
	case TIMELINE_SYNC:
	case TIMELINE_COMPLETED:
		if (k.room == NOWHERE)
			return true;
		if (s->number == NO_NUMBER)
			s->number = come(r, k.room, rank);
		return is_whole(r, rank, k.room, s->number);
	case TIMELINE_CANCELLED:
		cancelled(p, t->request);
		return true;
	case TIMELINE_ONE_SIDED: /* its target does nothing */
	case TIMELINE_OTHER:
		return true;
	}
	return true;
}

static void go_on(struct replay *r, uint32_t rank)
{
	struct process *p = &r->process[rank];
	while (p->front < p->length || read_step(r, rank)) {
		if (!step(r, rank))
			return;
		p->front++;
	}
	p->ended = true;
}

/* ------------------------------------------------------------------ who waits for whom */

/* NOWHERE: for nobody who could come. */
static uint32_t awaited(const struct replay *r, uint32_t rank)
{
	const struct process *p = &r->process[rank];
	if (p->ended)
		return NOWHERE;
	if (p->channel != NOWHERE) {
		const struct place_channel *ends = event_places_get_channel(r->places, p->channel);
		return p->sends ? ends->destination : ends->source;
	}
	const struct ranks *members = p->room == NOWHERE ? NULL : &event_places_get_room(r->places, p->room)->members;
	struct ranks_walk walk = {0};
	uint32_t other;
	while (members && ranks_next(members, &walk, &other))
		if (r->room[p->room].next[other] <= p->number)
			return other;
	return NOWHERE;
}

/* The site of the event at that time. */
struct search {
	const struct dictionary *dictionary;
	uint64_t time;
	const char *site;
	bool found;
};

static bool look(void *context, uint32_t rank, const struct trace_event *e, struct error *error)
{
	struct search *s = context;
	(void)rank;
	if (e->time < s->time || e->local)
		return true;
	s->found = true;
	s->site = e->site;
	return error_set(error, ERROR_INTERNAL, "enough");
}

static void put_wait(const struct replay *r, uint32_t rank, struct text *out)
{
	const struct process *p = &r->process[rank];
	struct search search = {.time = p->time};
	struct trace_sink sink = {.context = &search, .event = look};
	struct ranks one = {0};
	struct error ignored;
	ranks_add(&one, rank);
	trace_read(r->trace, 1, &one, &sink, &ignored);
	ranks_clear(&one);
	text_format(out, "%" PRIu32 " for %" PRIu32, rank, awaited(r, rank));
	if (p->channel == NOWHERE)
		text_put(out, " to come to a collective");
	else
		text_put(out, p->sends ? " to receive" : " to send");
	size_t length = search.site ? strcspn(search.site, " ") : 0;
	bool placed = length && memchr(search.site, ':', length);
	const struct place_channel *key =
		p->channel == NOWHERE ? NULL : event_places_get_channel(r->places, p->channel);
	if (placed)
		text_format(out, " (%.*s", (int)length, search.site);
	if (key)
		text_format(out, "%stag%" PRIu64, placed ? ", " : " (", key->number);
	if (key && key->communicator != NO_COMMUNICATOR)
		text_format(out, "@%" PRId64, key->communicator);
	if (placed || key)
		text_char(out, ')');
}

#define CYCLE_TOLD 6 /* processes */

static bool tell_cycle(const struct replay *r, struct text *out)
{
	uint32_t *order = mem_zero((r->processes + (size_t)1) * sizeof *order), count = 0, at = 0;
	while (at < r->processes && r->process[at].ended)
		at++;
	if (at == r->processes)
		at = NOWHERE;
	while (at != NOWHERE && !order[at]) {
		order[at] = ++count;
		at = awaited(r, at);
	}
	bool sends = false;
	uint32_t first = at, length = at == NOWHERE ? 0 : count + 1 - order[at];
	for (uint32_t i = 0; i < length; i++, at = awaited(r, at)) {
		sends |= r->process[at].channel == NOWHERE || r->process[at].sends;
		if (i < CYCLE_TOLD) {
			text_put(out, i ? ", " : "");
			put_wait(r, at, out);
		}
	}
	if (length > CYCLE_TOLD)
		text_format(out, ", and %" PRIu32 " more, the last for %" PRIu32, length - CYCLE_TOLD, first);
	free(order);
	return length && sends;
}

/* ------------------------------------------------------------------ all of it */

static void clear(struct replay *r)
{
	for (uint32_t rank = 0; rank < r->processes; rank++) {
		free(r->process[rank].step);
		free(r->process[rank].owed);
	}
	for (size_t i = 0; i < r->room_capacity; i++) {
		ranks_clear(&r->room[i].waiting);
		free(r->room[i].next);
		free(r->room[i].came);
	}
	event_places_free(r->places);
	free(r->channel);
	free(r->room);
	free(r->process);
	free(r->ready);
	timeline_close(r->timeline);
	trace_close(r->trace);
}

bool synchronous_replay(const char *path, const struct trace_options *options, enum synchronous *result,
	struct text *cycle, struct error *error)
{
	struct trace_options own = *options;
	own.sites = true;
	struct replay r = {.trace = trace_open(path, &own, error)};
	*result = SYNCHRONOUS_UNKNOWN;
	if (!r.trace)
		return false;
	bool ours = trace_is_recording(r.trace);
	if (!ours || !(r.timeline = timeline_open(r.trace, error))) {
		trace_close(r.trace);
		return !ours;
	}
	r.processes = trace_facts(r.trace)->processes;
	r.process = mem_zero((r.processes + (size_t)1) * sizeof *r.process);
	r.places = event_places_new(r.trace);
	for (uint32_t rank = r.processes; rank-- > 0;) {
		r.process[rank].region = r.process[rank].channel = r.process[rank].room = NOWHERE;
		wake(&r, rank);
	}
	while (r.readies && !r.vague) {
		uint32_t rank = r.ready[--r.readies];
		r.process[rank].ready = false;
		go_on(&r, rank);
	}
	bool good = timeline_good(r.timeline, error), all = true;
	for (uint32_t rank = 0; rank < r.processes; rank++)
		all = all && r.process[rank].ended;
	if (good && !r.vague)
		*result = all ? SYNCHRONOUS_ENDS : tell_cycle(&r, cycle) ? SYNCHRONOUS_STOPS : SYNCHRONOUS_UNKNOWN;
	clear(&r);
	return good;
}
