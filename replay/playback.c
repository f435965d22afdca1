/*
 * playback.c -- clocks of processes beside an execution.
 */
#include "replay/playback.h"

#include <stdlib.h>

#include "ask/execution.h"
#include "base/mem.h"

#define NANOSECONDS UINT64_C(1000000000)
#define NO_SLOT UINT32_MAX

/* A process: where the profile says that it is, and where it is. */
struct clock {
	struct pacing *pacing;
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
	uint32_t next; /* free ones */
	uint32_t note;
};

struct playback {
	const struct pace *pace;
	const struct playback_client *client;
	struct clock *clock;
	struct slot *slot;
	size_t slot_capacity;
	uint32_t slots, free_slot;
	uint64_t messages;
};

static struct pace_step step_of(const struct playback *b, struct clock *c, const struct walk *walk)
{
	if (!b->pace)
		return (struct pace_step){.own = true, .call = PLAYBACK_CALL};
	return pacing_next(c->pacing, walk);
}

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

static uint64_t come(void *context, uint32_t rank, const struct walk *walk, const struct plain_event *e)
{
	struct playback *b = context;
	struct clock *c = &b->clock[rank];
	if (e->kind == EVENT_LOCAL)
		return 0;
	c->step = step_of(b, c, walk);
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
	if (e->kind != EVENT_SEND)
		return c->enter;
	c->slot = new_slot(b, c->step.timed ? c->step.time : c->now);
	return c->slot;
}

static bool be_done(void *context, uint32_t rank, const struct walk *walk, const struct plain_event *e, uint64_t mark)
{
	struct playback *b = context;
	struct clock *c = &b->clock[rank];
	struct played p = {.rank = rank, .walk = walk, .event = e, .own = c->own, .enter = c->enter};
	bool free_to_move = !pace_is_exact(b->pace);
	struct slot s;
	if (e->kind == EVENT_LOCAL)
		return true;
	c->now = c->nominal > c->now ? c->nominal : c->now;
	if (e->kind == EVENT_RECV) {
		s = take_slot(b, (uint32_t)mark);
		p.message = s.message;
		p.sent = s.sent;
		p.note = &s.note;
		c->now = free_to_move && s.sent >= c->now ? s.sent + 1 : c->now;
	} else if (e->kind == EVENT_SYNC) {
		c->now = free_to_move && mark > c->now ? mark : c->now;
	} else {
		p.message = b->slot[c->slot].message;
		p.note = &b->slot[c->slot].note;
	}
	p.leave = c->now;
	p.time = c->step.timed ? c->step.time : e->kind == EVENT_SEND && c->own ? c->enter : c->now;
	if (e->kind == EVENT_RECV && free_to_move && p.time <= p.sent)
		p.time = c->now;
	p.before = c->own ? c->step.before : 0;
	p.other = c->own ? c->step.other : 0;
	return b->client->take(b->client->context, &p);
}

uint64_t playback_ticks_per_second(const struct pace *pace)
{
	return pace ? pace_ticks_per_second(pace) : NANOSECONDS;
}

bool playback_run(struct program *program, const struct pace *pace, const struct playback_client *client)
{
	struct playback b = {.pace = pace, .client = client, .free_slot = NO_SLOT};
	struct execution_client seen = {&b, come, be_done, NULL};
	b.clock = mem_zero((program->processes + (size_t)1) * sizeof *b.clock);
	for (uint32_t rank = 0; pace && rank < program->processes; rank++) {
		struct pace_process p = pace_get_process(pace, rank);
		b.clock[rank].pacing = pacing_new(pace, rank);
		b.clock[rank].nominal = b.clock[rank].now = p.first + p.apart;
	}
	struct execution *x = execution_new(program, &seen);
	bool good = execution_run(x);
	execution_free(x);
	for (uint32_t rank = 0; rank < program->processes; rank++)
		pacing_free(b.clock[rank].pacing);
	free(b.clock);
	free(b.slot);
	return good;
}
