/*
 * by_role.c -- all processes of a lane execute the same statements, so that each is one item on the
 * lane, and a loop or collective one on all lanes whose processes it joins.
 */
#include "viz/raws.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/union_find.h"

/* Whose words are those of a lane. */
static uint32_t first_of(const struct builder *b, uint32_t lane)
{
	return b->scene->lane[lane].run[0].first;
}

/* How many of a set are in a lane: all of it, or (of a plain event) one. */
static uint64_t members_in(const struct builder *b, const struct ranks *who, uint32_t lane)
{
	uint64_t all = ranks_count(&b->scene->lane[lane]);
	return ranks_count(who) < all ? ranks_count(who) : all;
}

/*
 * A raw for a statement on a lane, which the lanes before may have already. leader: the lane that
 * it is known by.
 */
static uint32_t role_raw(struct builder *b, enum item_kind kind, size_t at, uint32_t leader)
{
	uint32_t *raw = &b->raw_of[b->first_raw[at] + leader];
	if (*raw == SCENE_NONE)
		*raw = raws_add(b, kind, at);
	return b->raw_of[b->first_raw[at] + leader];
}

static void add_role_event(struct builder *b, size_t at, const struct ranks *who, uint32_t lane, const int64_t *index)
{
	static const enum item_kind kinds[] = {[EVENT_SEND] = ITEM_SEND,
		[EVENT_RECV] = ITEM_RECV,
		[EVENT_LOCAL] = ITEM_LOCAL,
		[EVENT_SYNC] = ITEM_SYNC};
	uint32_t event = program_event_at(b->scene->drawn->program, at, first_of(b, lane), index);
	uint32_t kind = dictionary_get_event(scene_dictionary(b->scene), event)->kind;
	uint32_t raw = role_raw(b, kinds[kind], at, lane);
	b->raw[raw].event = event;
	b->raw[raw].multiplicity = b->raw[raw].events =
		drawn_is_named(b->scene->drawn, at) ? 1 : members_in(b, who, lane);
	b->raw[raw].messages = kind == EVENT_SEND ? b->raw[raw].events : 0;
	raws_append(b, lane, raw);
}

/*
 * What a collective joins: by lane, the lowest one that its members are on together; of that, in
 * how many groups.
 */
struct joined {
	uint32_t *lane;
	uint64_t *groups;
};

static struct joined join_lanes(const struct builder *b, size_t at, const struct ranks *who)
{
	const struct scene *s = b->scene;
	const struct program *p = s->drawn->program;
	struct form form = statement_form(p, raws_statement(b, at));
	struct joined g = {mem_array(s->lanes, sizeof *g.lane), mem_zero(s->lanes * sizeof *g.groups)};
	uint32_t *lane_of_group = mem_array(p->processes, sizeof *lane_of_group);
	memset(lane_of_group, 0xff, p->processes * sizeof *lane_of_group);
	union_find_start(g.lane, s->lanes);
	struct ranks_walk walk = {0};
	for (uint32_t r; ranks_next(who, &walk, &r);) {
		struct spot spot = grid_spot(&p->grid, r);
		uint32_t group = form.area.kind ? program_first_member(p, &form, &spot) : 0, lane = b->lane_of[r];
		if (lane_of_group[group] == SCENE_NONE)
			lane_of_group[group] = lane;
		union_find_join(g.lane, lane_of_group[group], lane);
	}
	for (uint32_t i = 0; i < s->lanes; i++)
		g.lane[i] = union_find_root(g.lane, i);
	for (uint32_t i = 0; i < p->processes; i++)
		if (lane_of_group[i] != SCENE_NONE)
			g.groups[g.lane[lane_of_group[i]]]++;
	free(lane_of_group);
	return g;
}

/* Members that do not all stand in one statement meet by the number of the occurrence. */
static uint32_t meeting_of(struct builder *b, size_t at)
{
	const struct program *p = b->scene->drawn->program;
	struct {
		uint64_t name, group;
		int64_t communicator;
	} key;
	const struct statement *s = raws_statement(b, at);
	memset(&key, 0, sizeof key);
	if (s->set == STATEMENT_PLAIN) {
		const struct sync *sync =
			dictionary_get_sync(p->dictionary, dictionary_get_event(p->dictionary, s->event)->subject);
		key.name = sync->name;
		key.group = sync->group;
		key.communicator = sync->communicator;
	} else {
		struct form form = program_get_form(p, s->event);
		if (form.area.kind || !value_is_constant(&form.communicator))
			return SCENE_NONE;
		key.name = form.word;
		key.group = form.group;
		key.communicator = form.communicator.plain.constant;
	}
	return intern_id(b->meetings, &key, sizeof key);
}

static void add_role_sync(struct builder *b, size_t at, const struct ranks *who, const uint32_t *lane, uint32_t lanes,
	const int64_t *index)
{
	struct joined g = join_lanes(b, at, who);
	uint32_t meeting = b->join_parts ? meeting_of(b, at) : SCENE_NONE;
	for (uint32_t i = 0; i < lanes; i++) {
		if (!ranks_has(who, first_of(b, lane[i])))
			continue;
		uint32_t leader = g.lane[lane[i]], raw = role_raw(b, ITEM_SYNC, at, leader);
		if (!b->raw[raw].events)
			b->raw[raw].event = program_event_at(b->scene->drawn->program, at, first_of(b, lane[i]), index);
		b->raw[raw].multiplicity = g.groups[leader];
		b->raw[raw].events += members_in(b, who, lane[i]);
		raws_append(b, lane[i], raw);
		if (meeting != SCENE_NONE)
			raws_join_part(b, meeting, lane[i], raw);
	}
	free(g.lane);
	free(g.groups);
}

static uint64_t part_of(uint64_t all, uint64_t members, uint64_t processes)
{
	return all == UINT64_MAX ? all : (uint64_t)((double)all * (double)members / (double)processes);
}

/*
 * The processes of the loop in these lanes; where they are not all, what it amounts to is shared
 * out by their number.
 */
static void add_role_loop(struct builder *b, size_t at, const struct ranks *who, const uint32_t *lane, uint32_t lanes)
{
	const struct drawn *d = b->scene->drawn;
	const struct exchange *body = traffic_of(b->traffic, at);
	uint64_t processes = ranks_count(who);
	uint32_t first = (uint32_t)b->raws;
	if (!body->executed)
		return;
	for (uint32_t i = 0; i < lanes; i++) {
		if (!ranks_has(who, first_of(b, lane[i])))
			continue;
		uint32_t raw = role_raw(b, ITEM_LOOP, at, body->joined ? body->joined[lane[i]] : 0);
		b->raw_of[b->first_raw[at] + lane[i]] = raw;
		b->raw[raw].multiplicity = body->joined ? body->groups[body->joined[lane[i]]] : 1;
		b->raw[raw].events += members_in(b, who, lane[i]); /* members, for now */
		raws_append(b, lane[i], raw);
	}
	for (uint32_t raw = first; raw < b->raws; raw++) {
		uint64_t members = b->raw[raw].events;
		b->raw[raw].past = at + raws_statement(b, at)->size;
		b->raw[raw].count = drawn_count(d->program, at, body->index);
		b->raw[raw].share = b->scene->share && b->scene->share[at] >= 0
					    ? b->scene->share[at] * (double)members / (double)processes
					    : TIMES_UNKNOWN;
		b->raw[raw].events = members == processes ? d->events[at] : part_of(d->events[at], members, processes);
		b->raw[raw].messages =
			members == processes ? d->messages[at] : part_of(d->messages[at], members, processes);
	}
}

static bool is_sync(const struct builder *b, size_t at)
{
	const struct program *p = b->scene->drawn->program;
	const struct statement *s = raws_statement(b, at);
	return statement_kind(p, s) == EVENT_SYNC;
}

static void add_role_statement(struct builder *b, size_t at, const uint32_t *lane, uint32_t lanes, const int64_t *index)
{
	struct ranks who = coverage_of(b->scene->drawn->coverage, at);
	raws_open(b, at, b->scene->lanes);
	if (statement_is_loop(raws_statement(b, at))) {
		add_role_loop(b, at, &who, lane, lanes);
		return;
	}
	if (is_sync(b, at)) {
		add_role_sync(b, at, &who, lane, lanes, index);
		return;
	}
	for (uint32_t i = 0; i < lanes; i++)
		if (ranks_has(&who, first_of(b, lane[i])))
			add_role_event(b, at, &who, lane[i], index);
}

void raws_of_roles(
	struct builder *b, size_t from, size_t past, const uint32_t *lane, uint32_t lanes, const int64_t *index)
{
	for (size_t i = from; i < past; i += statement_size(raws_statement(b, i)))
		add_role_statement(b, i, lane, lanes, index);
}
