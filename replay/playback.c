/*
 * playback.c -- clocks of processes beside a schedule.
 */
#include "replay/playback.h"

#include <stdlib.h>
#include <string.h>

#include "ask/schedule.h"
#include "base/mem.h"

#define NANOSECONDS UINT64_C(1000000000)
#define NO_SLOT UINT32_MAX
#define WINDOW 64 /* messages of a collective that are found at once: of an all-to-all there are many */

/* A message of a collective. */
struct part {
	struct schedule_part message;
	uint64_t bytes;
};

/* A process on a network. */
struct simulated {
	struct port port;
	double posted; /* since when receives that are completed are posted, where they are requests */
	double enter; /* the event at hand */
	uint64_t bytes; /* ... its message */
	struct part *part; /* ... the next messages that it is made of, */
	uint32_t parts, at; /* ... how many these are, which is next */
	uint64_t first; /* ... how many were before them */
};

/* A process: where the profile says that it is, and where it is. */
struct clock {
	struct pacing *pacing;
	struct event_numbers event;
	uint64_t nominal, now;
	bool begun; /* it has a call */
	bool own; /* of the event at hand */
	struct pace_step step;
	uint64_t enter;
	uint32_t slot; /* of the send at hand */
};

/* A message under way: its mark is the number of its slot. */
struct slot {
	uint64_t message, sent;
	double mark; /* network.h */
	uint32_t next; /* free ones */
	uint32_t note;
};

struct playback {
	const struct pace *pace;
	const struct playback_network *network;
	struct simulated *simulated; /* by process */
	bool *requests; /* by line: are these receives of requests? */
	const struct playback_client *client;
	struct member_sets *sets;
	struct clock *clock;
	struct slot *slot;
	size_t slot_capacity;
	uint32_t slots, free_slot;
	uint64_t messages;
};

static uint32_t new_slot(struct playback *b, uint64_t sent)
{
	uint32_t at = b->free_slot;
	if (at != NO_SLOT) {
		b->free_slot = b->slot[at].next;
	} else {
		at = b->slots++;
		b->slot = mem_grow(b->slot, &b->slot_capacity, b->slots, sizeof *b->slot);
	}
	b->slot[at] = (struct slot){.message = ++b->messages, .sent = sent};
	return at;
}

static struct slot take_slot(struct playback *b, uint32_t at)
{
	struct slot s = b->slot[at];
	b->slot[at].next = b->free_slot;
	b->free_slot = at;
	return s;
}

/* What is local takes no time. */
static bool takes_time(const struct cursor *at)
{
	return kind_is_call(node_of(at->at.store, at->event)->sub);
}

/* Of an event, or a message that it is made of. */
static enum event_match match_of(const struct cursor *at, const struct schedule_part *part)
{
	if (part)
		return part->sends ? MATCH_OUT : MATCH_IN;
	return kind_rows[node_of(at->at.store, at->event)->sub].match;
}

/* ------------------------------------------------------------------ as the profile says */

/* The process comes to its event. Gives when. */
static uint64_t come_seen(struct playback *b, struct clock *c, const struct cursor *at)
{
	c->step = b->pace ? pacing_next(c->pacing, at) : (struct pace_step){.own = true, .call = PLAYBACK_CALL};
	c->own = c->step.own || !c->begun;
	if (c->step.timed && !c->begun)
		c->now = 0; /* not all that is apart stands at the begin */
	c->begun = true;
	if (c->step.timed) {
		c->nominal = c->step.leave;
		c->enter = c->own ? c->step.enter : c->enter;
		c->now = c->own && c->step.enter > c->now ? c->step.enter : c->now;
	} else if (c->own) {
		c->nominal += c->step.before + c->step.call;
		c->enter = c->now += c->step.before;
	}
	return c->step.timed ? c->step.time : c->now;
}

static void end_seen(const struct playback *b, struct clock *c, enum event_match match, uint64_t mark, struct played *p)
{
	bool free_to_move = !pace_is_exact(b->pace);
	c->now = c->nominal > c->now ? c->nominal : c->now;
	if (match == MATCH_IN)
		c->now = free_to_move && p->sent >= c->now ? p->sent + 1 : c->now;
	else if (match == MATCH_GROUP)
		c->now = free_to_move && mark > c->now ? mark : c->now;
	p->own = c->own;
	p->enter = c->enter;
	p->leave = c->now;
	p->time = c->step.timed ? c->step.time : match == MATCH_OUT && c->own ? c->enter : c->now;
	if (match == MATCH_IN && free_to_move && p->time <= p->sent)
		p->time = c->now;
	p->before = c->own ? c->step.before : 0;
	p->other = c->own ? c->step.other : 0;
}

/* ------------------------------------------------------------------ on a network */

static uint64_t nanoseconds(double seconds)
{
	return (uint64_t)(seconds * (double)NANOSECONDS + 0.5);
}

static uint64_t scaled(const struct playback *b, uint64_t bytes)
{
	return (uint64_t)(b->network->bytes < 0 ? (double)bytes * b->network->scale_bytes : b->network->bytes);
}

static void compute(struct playback *b, uint32_t rank, const struct cursor *at)
{
	struct simulated *s = &b->simulated[rank];
	if (!b->pace)
		return;
	double before = (double)pacing_next(b->clock[rank].pacing, at).before * b->network->compute[rank];
	s->port.now += before / (double)pace_ticks_per_second(b->pace);
	if (before > 0)
		s->posted = s->port.now;
}

static void note_part(void *context, const struct action *a)
{
	struct simulated *s = context;
	s->part[s->parts++] = (struct part){{a->peer, a->kind == ACTION_SEND}, a->bytes};
}

static bool next_part(void *context, uint32_t rank, struct cursor *at, struct schedule_part *message)
{
	struct playback *b = context;
	struct simulated *s = &b->simulated[rank];
	if (s->at == s->parts && s->parts != 0 && s->parts < WINDOW) {
		s->at = s->parts = 0; /* these were the last ones */
		return false;
	}
	if (s->at == s->parts) {
		s->first += s->parts;
		s->at = s->parts = 0;
		if (!s->part)
			s->part = mem_array(WINDOW, sizeof *s->part);
		actions_at(b->network->actions, at, s->first, WINDOW, &(struct action_sink){s, note_part});
	}
	if (s->at == s->parts)
		return false;
	const struct part *part = &s->part[s->at++];
	*message = part->message;
	s->bytes = scaled(b, part->bytes);
	return true;
}

static uint64_t come_simulated(struct playback *b, uint32_t rank, struct cursor *at, enum event_match match)
{
	struct simulated *s = &b->simulated[rank];
	compute(b, rank, at);
	s->enter = s->port.now;
	s->first = 0;
	if (match == MATCH_OUT || match == MATCH_IN)
		s->bytes = scaled(b, actions_bytes(b->network->actions, at));
	return nanoseconds(s->port.now);
}

/* mark: of its send, of a receive (network.h). */
static void end_simulated(const struct playback *b, struct simulated *s, enum event_match match, bool posted,
	double mark, struct played *p)
{
	if (match == MATCH_IN)
		network_receive(&b->network->network, &s->port, mark, s->bytes, posted ? s->posted : s->port.now);
	else if (match == MATCH_GROUP)
		s->posted = s->port.now;
	p->own = true;
	p->enter = nanoseconds(s->enter);
	p->leave = p->time = nanoseconds(s->port.now);
}

/* ------------------------------------------------------------------ what a schedule asks */

static uint64_t come(void *context, uint32_t rank, struct cursor *at, const struct schedule_part *part)
{
	struct playback *b = context;
	struct clock *c = &b->clock[rank];
	enum event_match match = match_of(at, part);
	uint64_t sent;
	if (!part)
		event_numbers_at(&at->at, b->sets, at->event, &c->event);
	if (!takes_time(at))
		return 0;
	if (part)
		sent = nanoseconds(b->simulated[rank].port.now);
	else
		sent = b->network ? come_simulated(b, rank, at, match) : come_seen(b, c, at);
	if (match != MATCH_OUT)
		return b->network ? 0 : c->enter;
	c->slot = new_slot(b, sent);
	if (b->network)
		b->slot[c->slot].mark =
			network_send(&b->network->network, &b->simulated[rank].port, b->simulated[rank].bytes);
	return c->slot;
}

static bool be_done(void *context, uint32_t rank, struct cursor *at, const struct schedule_part *part, uint64_t mark)
{
	struct playback *b = context;
	struct clock *c = &b->clock[rank];
	enum event_match match = match_of(at, part);
	struct slot slot = {0};
	struct played p = {rank, at, &c->event, b->sets, .note = &slot.note};
	if (!takes_time(at))
		return true;
	if (match == MATCH_IN)
		slot = take_slot(b, (uint32_t)mark);
	if (match == MATCH_OUT) {
		slot = b->slot[c->slot];
		p.note = &b->slot[c->slot].note;
	}
	p.message = slot.message;
	p.sent = slot.sent;
	if (b->network)
		end_simulated(b, &b->simulated[rank], match, !part && b->requests[at->line], slot.mark, &p);
	else
		end_seen(b, c, match, mark, &p);
	return part || b->client->take(b->client->context, &p);
}

/* Receives that a wait completes were posted before. */
static bool *find_requests(struct run *run)
{
	struct overview o;
	overview_of(&o, run);
	bool *requests = mem_zero((o.lines + 1) * sizeof *requests);
	for (size_t i = 0; i < o.lines; i++) {
		const char *call = overview_attribute_word(&o, i, "call");
		requests[i] = !strncmp(call, "MPI_Wait", 8) || !strncmp(call, "MPI_Test", 8);
	}
	overview_clear(&o);
	return requests;
}

/* ------------------------------------------------------------------ in public */

uint64_t playback_ticks_per_second(const struct pace *pace)
{
	return pace ? pace_ticks_per_second(pace) : NANOSECONDS;
}

bool playback_run(struct run *run, const struct pace *pace, const struct playback_network *network,
	const struct playback_client *client)
{
	struct playback b = {.pace = pace, .network = network, .client = client, .free_slot = NO_SLOT};
	uint32_t processes = run_module(run)->processes;
	b.requests = network ? find_requests(run) : NULL;
	b.sets = member_sets_new(run);
	b.clock = mem_zero((processes + (size_t)1) * sizeof *b.clock);
	b.simulated = network ? mem_zero((processes + (size_t)1) * sizeof *b.simulated) : NULL;
	for (uint32_t rank = 0; pace && rank < processes; rank++) {
		struct pace_process p = pace_get_process(pace, rank);
		b.clock[rank].pacing = pacing_new(pace, rank);
		b.clock[rank].nominal = b.clock[rank].now = p.first + p.apart;
	}
	bool good = schedule_run(run, &(struct schedule_client){&b, come, be_done, network ? next_part : NULL});
	for (uint32_t rank = 0; rank < processes; rank++) {
		pacing_free(b.clock[rank].pacing);
		if (network)
			free(b.simulated[rank].part);
	}
	member_sets_free(b.sets);
	free(b.requests);
	free(b.simulated);
	free(b.clock);
	free(b.slot);
	return good;
}
