/*
 * by_role.c -- all processes of a lane execute the same statements, so that each is one item on the
 * lane, and a loop or collective one on all lanes whose processes it joins.
 */
#include "viz/raws.h"

#include <stdlib.h>
#include <string.h>

#include "ask/loop_groups.h"
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
	struct drawn *d = b->scene->drawn;
	uint32_t raw = role_raw(b, raws_kind(b, at), at, lane);
	b->raw[raw].process = first_of(b, lane);
	b->raw[raw].index = index;
	b->raw[raw].multiplicity = b->raw[raw].events = drawn_is_named(d, at) ? 1 : members_in(b, who, lane);
	b->raw[raw].messages = b->raw[raw].events * kind_messages(drawn_node(d, at)->sub);
	raws_append(b, lane, raw);
}

/*
 * What a collective or a loop joins: by lane, the lowest one that its members are on together; of
 * that, in how many groups.
 */
struct joined {
	uint32_t *lane;
	uint64_t *groups;
};

/* group: by process, below `most`; NULL: all are one. */
static struct joined join_lanes(const struct builder *b, const struct ranks *who, const uint32_t *group, size_t most)
{
	const struct scene *s = b->scene;
	struct joined g = {mem_array(s->lanes, sizeof *g.lane), mem_zero(s->lanes * sizeof *g.groups)};
	uint32_t *lane_of_group = mem_array(most + 1, sizeof *lane_of_group);
	memset(lane_of_group, 0xff, (most + 1) * sizeof *lane_of_group);
	union_find_start(g.lane, s->lanes);
	struct ranks_walk walk = {0};
	for (uint32_t r; ranks_next(who, &walk, &r);) {
		uint32_t *first = &lane_of_group[group ? group[r] : 0];
		if (*first == SCENE_NONE)
			*first = b->lane_of[r];
		union_find_join(g.lane, *first, b->lane_of[r]);
	}
	for (uint32_t i = 0; i < s->lanes; i++)
		g.lane[i] = union_find_root(g.lane, i);
	for (size_t i = 0; i <= most; i++)
		if (lane_of_group[i] != SCENE_NONE)
			g.groups[g.lane[lane_of_group[i]]]++;
	free(lane_of_group);
	return g;
}

/* Is the group of a collective the same, whoever executes it? */
static bool is_of_one_group(const struct drawn *d, size_t at)
{
	const struct node *group = node_of(d->module->store, drawn_node(d, at)->kid[COLUMN_GROUP]);
	return group->kind == NODE_RANKS || group->kind == NODE_ALL;
}

static struct joined join_members(struct builder *b, size_t at, const struct ranks *who, const int64_t *index)
{
	struct drawn *d = b->scene->drawn;
	uint32_t *of = NULL, most = 0;
	struct ranks_walk walk = {0};
	if (!is_of_one_group(d, at))
		of = mem_zero(d->module->processes * sizeof *of);
	for (uint32_t r; of && ranks_next(who, &walk, &r);) {
		of[r] = ends_key(&d->ends, drawn_event_at(d, at, r, index).channel)->to;
		most = of[r] > most ? of[r] : most;
	}
	struct joined joined = join_lanes(b, who, of, most);
	free(of);
	return joined;
}

/* Who communicates inside; who has no events there is for himself. A loop without a set is one, whatever
   its processes do. */
static struct joined join_inside(const struct builder *b, size_t at, const struct ranks *who)
{
	const struct drawn *d = b->scene->drawn;
	struct loop_groups g = {0};
	struct error error;
	if (drawn_node(d, at)->kid[0])
		loop_groups_of(d->run, d->line[at].node, at, NULL, &g, &error);
	for (uint32_t r = 0; g.of && r < d->module->processes; r++)
		g.of[r] = g.of[r] == LOOP_GROUP_NONE ? g.count + r : g.of[r];
	struct joined joined = join_lanes(b, who, g.of, g.of ? g.count + (size_t)d->module->processes : 0);
	loop_groups_clear(&g);
	return joined;
}

/* Members that do not all stand in one statement meet by the number of the occurrence. */
static uint32_t meeting_of(struct builder *b, size_t at, uint32_t channel)
{
	const struct drawn *d = b->scene->drawn;
	const struct node *communicator = node_of(d->module->store, drawn_node(d, at)->kid[COLUMN_COMMUNICATOR]);
	return is_of_one_group(d, at) && !communicator->kids ? channel : SCENE_NONE;
}

static void add_role_sync(struct builder *b, size_t at, const struct ranks *who, const uint32_t *lane, uint32_t lanes,
	const int64_t *index)
{
	struct drawn *d = b->scene->drawn;
	struct joined g = join_members(b, at, who, index);
	for (uint32_t i = 0; i < lanes; i++) {
		if (!ranks_has(who, first_of(b, lane[i])))
			continue;
		uint32_t leader = g.lane[lane[i]], raw = role_raw(b, ITEM_SYNC, at, leader);
		if (!b->raw[raw].events)
			b->raw[raw].process = first_of(b, lane[i]);
		uint32_t channel = drawn_event_at(d, at, first_of(b, lane[i]), index).channel,
			 meeting = b->join_parts ? meeting_of(b, at, channel) : SCENE_NONE;
		b->raw[raw].index = index;
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
	struct drawn *d = b->scene->drawn;
	const struct exchange *body = traffic_of(b->traffic, at);
	uint64_t processes = ranks_count(who);
	uint32_t first = (uint32_t)b->raws;
	if (!body->executed)
		return;
	struct joined g = join_inside(b, at, who);
	for (uint32_t i = 0; i < lanes; i++) {
		if (!ranks_has(who, first_of(b, lane[i])))
			continue;
		uint32_t leader = g.lane[lane[i]], raw = role_raw(b, ITEM_LOOP, at, leader);
		b->raw_of[b->first_raw[at] + lane[i]] = raw;
		b->raw[raw].multiplicity = g.groups[leader];
		b->raw[raw].events += members_in(b, who, lane[i]); /* members, for now */
		raws_append(b, lane[i], raw);
	}
	free(g.lane);
	free(g.groups);
	for (uint32_t raw = first; raw < b->raws; raw++) {
		uint64_t members = b->raw[raw].events;
		b->raw[raw].past = drawn_behind(d, at);
		b->raw[raw].count = drawn_count(d, at, body->index);
		b->raw[raw].share = b->scene->share && b->scene->share[at] >= 0
					    ? b->scene->share[at] * (double)members / (double)processes
					    : TIMES_UNKNOWN;
		b->raw[raw].events = members == processes ? d->events[at] : part_of(d->events[at], members, processes);
		b->raw[raw].messages =
			members == processes ? d->messages[at] : part_of(d->messages[at], members, processes);
	}
}

static void add_role_statement(struct builder *b, size_t at, const uint32_t *lane, uint32_t lanes, const int64_t *index)
{
	const struct drawn *d = b->scene->drawn;
	struct ranks who = drawn_who(d, at);
	raws_open(b, at, b->scene->lanes);
	if (drawn_is_loop(d, at)) {
		add_role_loop(b, at, &who, lane, lanes);
		return;
	}
	if (drawn_match(d, at) == MATCH_GROUP) {
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
	for (size_t i = from; i < past; i = drawn_behind(b->scene->drawn, i))
		add_role_statement(b, i, lane, lanes, index);
}
