/*
 * connect.c -- union-find over the processes of a loop, along the channels that have both ends in
 * it.
 */
#include "fold/connect.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/union_find.h"
#include "model/matching.h"
#include "model/sides.h"

#define NONE MATCHING_NONE

/* In the loop at hand. */
struct channel {
	struct match_users users; /* processes */
	bool complete; /* a sync of all its members */
};

struct connections {
	const struct model *model;
	const struct nest_coverage *coverage;
	uint32_t *channel_of; /* by event; NONE: local */
	uint32_t channels;
	struct channel *channel;
	uint32_t *touched;
	uint32_t touches;
	uint32_t *parent; /* by process */
	uint32_t *seen; /* by loop: 1 + the loop in which it was last met */
	bool whole; /* the loop at hand has no empty loops */
};

struct connections *connections_new(const struct model *m, const struct nest_coverage *coverage)
{
	struct connections *c = mem_zero(sizeof *c);
	uint32_t events = dictionary_events(m->dictionary);
	struct sides sides;
	sides_start(&sides, m->dictionary);
	c->model = m;
	c->coverage = coverage;
	c->channel_of = mem_array(events, sizeof *c->channel_of);
	for (uint32_t e = 0; e < events; e++)
		c->channel_of[e] = sides_channel(&sides, e);
	c->channels = sides_channels(&sides);
	sides_end(&sides);
	c->channel = mem_array(c->channels, sizeof *c->channel);
	for (uint32_t k = 0; k < c->channels; k++)
		c->channel[k] = (struct channel){MATCH_USERS_NONE, false};
	c->touched = mem_array(c->channels, sizeof *c->touched);
	c->parent = mem_array(m->processes, sizeof *c->parent);
	c->seen = mem_zero(m->nest->loops * sizeof *c->seen);
	return c;
}

void connections_free(struct connections *c)
{
	free(c->channel_of);
	free(c->channel);
	free(c->touched);
	free(c->parent);
	free(c->seen);
	free(c);
}

uint32_t connections_channels(const struct connections *c)
{
	return c->channels;
}

static void touch(struct connections *c, uint32_t channel)
{
	const uint32_t *at = c->channel[channel].users.at;
	if (at[EVENT_SEND] == NONE && at[EVENT_RECV] == NONE && at[EVENT_SYNC] == NONE)
		c->touched[c->touches++] = channel;
}

static void meet_event(struct connections *c, uint32_t event)
{
	const struct event *e = dictionary_get_event(c->model->dictionary, event);
	if (e->kind == EVENT_LOCAL)
		return;
	struct ranks_run single;
	struct ranks who = event_processes(c->model->dictionary, event, &single);
	struct channel *channel = &c->channel[c->channel_of[event]];
	touch(c, c->channel_of[event]);
	struct ranks_walk walk = {0};
	for (uint32_t p; ranks_next(&who, &walk, &p);)
		match_users_join(&channel->users, e->kind, p, c->parent);
	if (e->kind == EVENT_SYNC) {
		struct ranks group = dictionary_get_ranks(
			c->model->dictionary, dictionary_get_sync(c->model->dictionary, e->subject)->group);
		channel->complete |= ranks_equal(&who, &group);
	}
}

/* Every loop inside counts once; recursion as deep as loops nest. */
static void meet_body(struct connections *c, node loop, uint32_t around)
{
	struct body body = nest_body(c->model->nest, loop);
	if (nest_coverage_of(c->coverage, loop) == NEST_COVERAGE_NONE) {
		c->whole = false;
		return;
	}
	for (size_t i = 0; i < body.length; i++) {
		if (!node_is_loop(body.node[i])) {
			meet_event(c, body.node[i]);
		} else if (c->seen[body.node[i] & ~NODE_LOOP] != around) {
			c->seen[body.node[i] & ~NODE_LOOP] = around;
			meet_body(c, body.node[i], around);
		}
	}
}

static void add_end(struct open_end **ends, size_t *length, size_t *capacity, uint32_t channel, uint32_t kind)
{
	*ends = mem_grow(*ends, capacity, *length + 1, sizeof **ends);
	(*ends)[(*length)++] = (struct open_end){channel, kind};
}

/* Forget the channels of this loop, and note those that are not closed in it. */
static void leave(struct connections *c, struct open_end **ends, size_t *length, size_t *capacity)
{
	for (uint32_t i = 0; i < c->touches; i++) {
		struct channel *x = &c->channel[c->touched[i]];
		const uint32_t *at = x->users.at;
		bool sends = at[EVENT_SEND] != NONE, receives = at[EVENT_RECV] != NONE;
		if (sends != receives)
			add_end(ends, length, capacity, c->touched[i], sends ? EVENT_SEND : EVENT_RECV);
		if (at[EVENT_SYNC] != NONE && !x->complete)
			add_end(ends, length, capacity, c->touched[i], EVENT_SYNC);
		*x = (struct channel){MATCH_USERS_NONE, false};
	}
	c->touches = 0;
}

bool connections_of(struct connections *c, node loop, struct open_end **ends, size_t *length, size_t *capacity)
{
	const struct ranks *who = nest_coverage_loop(c->coverage, loop);
	struct ranks_walk walk = {0};
	for (uint32_t p; ranks_next(who, &walk, &p);)
		c->parent[p] = p;
	c->whole = who->length > 0;
	if (!c->whole)
		return false;
	meet_body(c, loop, (loop & ~NODE_LOOP) + 1);
	uint32_t root = union_find_root(c->parent, who->run->first);
	walk = (struct ranks_walk){0};
	for (uint32_t p; ranks_next(who, &walk, &p);)
		c->whole &= union_find_root(c->parent, p) == root;
	leave(c, ends, length, capacity);
	return c->whole;
}
