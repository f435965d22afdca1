/*
 * build.c -- statements to systems.
 *
 * By processes: every statement of a body is put, for each of its ranks, at the place (lane of the rank, number of the statement among those of
 * the rank); statements that meet at a place are one. Where lanes are single ranks nothing ever meets, but for collectives that a
 * body holds in parts (one line per process, as before the reduction): the k-th parts of all members are one.
 * On a lane of different ranks, what is neither loop nor collective is counted in blocks.
 *
 * By roles: all processes of a lane execute the same statements, so that each is one item on the lane, and a loop or collective one on all lanes whose
 * processes it joins.
 */
#include "viz/build.h"

#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "base/saturate.h"
#include "base/union_find.h"
#include "viz/times.h"
#include "viz/wording.h"

/* A statement, or several that are one. */
struct raw {
	enum item_kind kind;
	uint32_t into; /* itself, or what it became part of */
	size_t statement, past;
	uint32_t event;
	uint64_t count, alike, events, messages;
	double share;
	uint32_t next, last; /* the chain of those it stands for */
	uint32_t item;
};

struct row {
	uint32_t *raw;
	size_t length, capacity;
};

/* Messages of a raw (SCENE_NONE: of all that is drawn) between lanes. */
struct hidden {
	uint32_t raw, from, to;
};

struct builder {
	struct scene *scene;
	const struct traffic *traffic;
	const uint32_t *lane_of;
	enum viz_labels labels;
	uint32_t *counter; /* per rank */
	struct row *row; /* per lane */
	struct raw *raw;
	size_t raws, raw_capacity;
	size_t *first_raw; /* by statement: where in raw_of the raws stand that it is in the system at hand, one or (by roles) one by lane; SIZE_MAX: none */
	uint32_t *raw_of;
	size_t raw_ofs, raw_of_capacity;
	struct intern *parts; /* of collectives */
	uint32_t *part_raw;
	size_t part_capacity;
	uint32_t *part_count; /* per rank and sync channel, by id of `counts` */
	struct intern *counts;
	size_t count_capacity;
	struct intern *meetings; /* of roles: collectives by name, group and communicator */
	bool *inside; /* by lane: is it one of the system at hand? */
	struct hidden last_hidden; /* that was counted last, */
	uint32_t last_id; /* and its id */
	struct intern *hidden;
	uint64_t *hidden_count;
	size_t hidden_capacity;
	struct opening *queue;
	size_t queued, queue_capacity, served;
	bool out_of_step, join_parts;
};

struct builder *builder_new(struct scene *scene, const struct traffic *traffic, enum viz_labels labels)
{
	struct builder *b = mem_zero(sizeof *b);
	size_t length = scene->drawn->program->length;
	b->scene = scene;
	b->traffic = traffic;
	b->lane_of = scene->lane_of;
	b->labels = labels;
	b->counter = mem_zero((scene->processes + (size_t)1) * sizeof *b->counter);
	b->row = mem_zero((scene->lanes + (size_t)1) * sizeof *b->row);
	b->inside = mem_zero(scene->lanes + (size_t)1);
	b->first_raw = mem_array(length + 1, sizeof *b->first_raw);
	memset(b->first_raw, 0xff, (length + 1) * sizeof *b->first_raw);
	return b;
}

void builder_free(struct builder *b)
{
	for (uint32_t i = 0; i < b->scene->lanes; i++)
		free(b->row[i].raw);
	for (size_t i = b->served; i < b->queued; i++)
		free(b->queue[i].loop);
	free(b->row);
	free(b->counter);
	free(b->raw);
	free(b->inside);
	free(b->first_raw);
	free(b->raw_of);
	free(b->part_raw);
	free(b->part_count);
	free(b->hidden_count);
	free(b->queue);
	free(b);
}

static uint32_t find(struct builder *b, uint32_t r)
{
	while (b->raw[r].into != r)
		r = b->raw[r].into = b->raw[b->raw[r].into].into;
	return r;
}

static uint32_t unite(struct builder *b, uint32_t x, uint32_t y)
{
	x = find(b, x);
	y = find(b, y);
	if (x == y)
		return x;
	if (y < x) {
		uint32_t t = x;
		x = y;
		y = t;
	}
	struct raw *to = &b->raw[x], *from = &b->raw[y];
	b->out_of_step |= to->kind != from->kind;
	from->into = x;
	to->alike += from->alike;
	to->events = saturating_add(to->events, from->events);
	to->messages = saturating_add(to->messages, from->messages);
	to->share = times_add(to->share, from->share);
	b->raw[to->last].next = y;
	to->last = from->last;
	return x;
}

static uint32_t add_raw(struct builder *b, enum item_kind kind, size_t statement)
{
	b->raw = mem_grow(b->raw, &b->raw_capacity, b->raws + 1, sizeof *b->raw);
	uint32_t id = (uint32_t)b->raws++;
	b->raw[id] = (struct raw){.kind = kind,
		.into = id,
		.statement = statement,
		.past = statement + 1,
		.alike = 1,
		.share = TIMES_UNKNOWN,
		.next = SCENE_NONE,
		.last = id};
	return id;
}

/* So many raws may be what a statement is. */
static void open_raws(struct builder *b, size_t statement, uint32_t raws)
{
	b->raw_of = mem_grow(b->raw_of, &b->raw_of_capacity, b->raw_ofs + raws, sizeof *b->raw_of);
	memset(b->raw_of + b->raw_ofs, 0xff, raws * sizeof *b->raw_of);
	b->first_raw[statement] = b->raw_ofs;
	b->raw_ofs += raws;
}

/* What a statement is for the processes of a lane. */
static uint32_t raw_at(const struct builder *b, size_t statement, uint32_t lane)
{
	size_t first = b->first_raw[statement];
	return first == SIZE_MAX ? SCENE_NONE : b->raw_of[first + (b->scene->roles ? lane : 0)];
}

static void append(struct builder *b, uint32_t lane, uint32_t raw)
{
	struct row *p = &b->row[lane];
	p->raw = mem_grow(p->raw, &p->capacity, p->length + 1, sizeof *p->raw);
	p->raw[p->length++] = raw;
}

/* The construct as seen by one rank. */
static void put(struct builder *b, uint32_t rank, uint32_t raw)
{
	uint32_t lane = b->lane_of[rank];
	struct row *p = &b->row[lane];
	if (b->scene->mixed[lane]) {
		if (!p->length || find(b, p->raw[p->length - 1]) != find(b, raw))
			append(b, lane, raw);
		return;
	}
	uint32_t k = b->counter[rank]++;
	if (k < p->length)
		unite(b, p->raw[k], raw);
	else
		append(b, lane, raw);
}

static void put_all(struct builder *b, const struct ranks *set, uint32_t raw)
{
	struct ranks_walk walk = {0};
	for (uint32_t r; ranks_next(set, &walk, &r);)
		put(b, r, raw);
}

static const struct statement *statement_at(const struct builder *b, size_t at)
{
	return &b->scene->drawn->program->statement[at];
}

/* ------------------------------------------------------------------ messages that are counted by lanes */

static void count_hidden(struct builder *b, uint32_t raw, uint32_t from, uint32_t to)
{
	struct hidden key = {raw, from, to};
	uint32_t known = intern_count(b->hidden);
	if (!known || raw != b->last_hidden.raw || from != b->last_hidden.from || to != b->last_hidden.to) {
		b->last_hidden = key;
		b->last_id = intern_id(b->hidden, &key, sizeof key);
		b->hidden_count = mem_grow(b->hidden_count, &b->hidden_capacity, (size_t)b->last_id + 1, sizeof *b->hidden_count);
		if (b->last_id == known)
			b->hidden_count[known] = 0;
	}
	b->hidden_count[b->last_id]++;
}

struct counting {
	struct builder *b;
	uint32_t raw; /* SCENE_NONE: sent by an event that is drawn */
};

static void count_message(void *context, const struct channel *c, bool sends)
{
	struct counting *n = context;
	const struct scene *s = n->b->scene;
	uint32_t from = n->b->lane_of[c->from];
	if (sends && n->b->inside[from])
		count_hidden(n->b, n->raw, from, c->to < s->processes ? n->b->lane_of[c->to] : SCENE_NONE);
}

static void count_messages(struct builder *b, size_t at, const int64_t *index, uint32_t raw)
{
	if (b->scene->drawn->messages[at])
		traffic_each(b->scene->drawn->program, at, index, count_message, &(struct counting){b, raw});
}

/* ------------------------------------------------------------------ statements of processes */

static void add_block(struct builder *b, uint32_t lane, size_t at, const struct event *e)
{
	struct row *p = &b->row[lane];
	uint32_t raw = p->length ? p->raw[p->length - 1] : SCENE_NONE;
	if (raw == SCENE_NONE || b->raw[raw].kind != ITEM_BLOCK) {
		raw = add_raw(b, ITEM_BLOCK, at);
		append(b, lane, raw);
	}
	b->raw[raw].count++;
	b->raw[raw].events++;
	b->raw[raw].messages += e->kind == EVENT_SEND;
	count_messages(b, at, NULL, raw);
}

static uint32_t next_count(struct builder *b, uint32_t member, uint32_t channel)
{
	uint32_t key[2] = {member, channel}, known = intern_count(b->counts), id = intern_id(b->counts, key, sizeof key);
	b->part_count = mem_grow(b->part_count, &b->count_capacity, id + 1, sizeof *b->part_count);
	if (id == known)
		b->part_count[id] = 0;
	return b->part_count[id]++;
}

/* A collective of which there are several parts: join this one, of so many members (ranks, or lanes), to the other parts of the same occurrence. */
static void join_part(struct builder *b, uint32_t channel, uint32_t member, uint32_t raw)
{
	uint32_t key[2] = {channel, next_count(b, member, channel)};
	uint32_t known = intern_count(b->parts), id = intern_id(b->parts, key, sizeof key);
	b->part_raw = mem_grow(b->part_raw, &b->part_capacity, id + 1, sizeof *b->part_raw);
	if (id == known)
		b->part_raw[id] = raw;
	else
		unite(b, b->part_raw[id], raw);
}

static void add_sync(struct builder *b, size_t at, const struct event *e)
{
	const struct dictionary *d = scene_dictionary(b->scene);
	struct ranks_run single;
	struct ranks members = event_processes(d, statement_at(b, at)->event, &single);
	struct ranks group = dictionary_get_ranks(d, dictionary_get_sync(d, e->subject)->group);
	uint32_t raw = add_raw(b, ITEM_SYNC, at), channel = e->subject;
	b->raw[raw].event = statement_at(b, at)->event;
	b->raw[raw].events = ranks_count(&members);
	put_all(b, &members, raw);
	if (!b->join_parts || !members.length || ranks_equal(&members, &group))
		return;
	struct ranks_walk walk = {0};
	for (uint32_t r; ranks_next(&members, &walk, &r);)
		join_part(b, channel, r, raw);
}

static void add_event(struct builder *b, size_t at)
{
	static const enum item_kind kinds[] = {[EVENT_SEND] = ITEM_SEND, [EVENT_RECV] = ITEM_RECV, [EVENT_LOCAL] = ITEM_LOCAL};
	uint32_t event = statement_at(b, at)->event;
	struct event e = *dictionary_get_event(scene_dictionary(b->scene), event);
	if (e.kind == EVENT_SYNC) {
		add_sync(b, at, &e);
		return;
	}
	uint32_t lane = b->lane_of[e.process];
	if (b->scene->mixed[lane]) {
		add_block(b, lane, at, &e);
		return;
	}
	uint32_t raw = add_raw(b, kinds[e.kind], at);
	b->raw[raw].event = event;
	b->raw[raw].events = 1;
	b->raw[raw].messages = e.kind == EVENT_SEND;
	put(b, e.process, raw);
	open_raws(b, at, 1);
	b->raw_of[b->first_raw[at]] = raw;
	count_messages(b, at, NULL, SCENE_NONE);
}

static void add_loop(struct builder *b, size_t at)
{
	const struct drawn *d = b->scene->drawn;
	struct ranks who = coverage_of(d->coverage, at);
	if (!who.length)
		return; /* nobody executes it */
	uint32_t raw = add_raw(b, ITEM_LOOP, at);
	b->raw[raw].past = at + statement_at(b, at)->size;
	b->raw[raw].count = statement_at(b, at)->count;
	b->raw[raw].events = d->events[at];
	b->raw[raw].messages = d->messages[at];
	b->raw[raw].share = b->scene->share ? b->scene->share[at] : TIMES_UNKNOWN;
	put_all(b, &who, raw);
	open_raws(b, at, 1);
	b->raw_of[b->first_raw[at]] = raw;
}

static void add_body(struct builder *b, size_t from, size_t past)
{
	for (size_t i = from; i < past; i += statement_size(statement_at(b, i))) {
		if (statement_is_loop(statement_at(b, i)))
			add_loop(b, i);
		else
			add_event(b, i);
	}
}

/* ------------------------------------------------------------------ statements of roles */

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

/* A raw for a statement on a lane, which the lanes before may have already. leader: the lane that it is known by. */
static uint32_t role_raw(struct builder *b, enum item_kind kind, size_t at, uint32_t leader)
{
	uint32_t *raw = &b->raw_of[b->first_raw[at] + leader];
	if (*raw == SCENE_NONE)
		*raw = add_raw(b, kind, at);
	return b->raw_of[b->first_raw[at] + leader];
}

static void add_role_event(struct builder *b, size_t at, const struct ranks *who, uint32_t lane, const int64_t *index)
{
	static const enum item_kind kinds[] = {
		[EVENT_SEND] = ITEM_SEND, [EVENT_RECV] = ITEM_RECV, [EVENT_LOCAL] = ITEM_LOCAL, [EVENT_SYNC] = ITEM_SYNC};
	uint32_t event = program_event_at(b->scene->drawn->program, at, first_of(b, lane), index);
	uint32_t kind = dictionary_get_event(scene_dictionary(b->scene), event)->kind;
	uint32_t raw = role_raw(b, kinds[kind], at, lane);
	b->raw[raw].event = event;
	b->raw[raw].alike = b->raw[raw].events = members_in(b, who, lane);
	b->raw[raw].messages = kind == EVENT_SEND ? b->raw[raw].events : 0;
	append(b, lane, raw);
}

/* The groups of a collective on the lanes of a system: by lane, the lowest one that a group joins it with, and of that how many groups there are. */
struct groups {
	uint32_t *joined;
	uint64_t *groups;
};

static struct groups groups_of(const struct builder *b, size_t at, const struct ranks *who)
{
	const struct scene *s = b->scene;
	const struct program *p = s->drawn->program;
	bool area = statement_at(b, at)->set != STATEMENT_PLAIN && program_get_form(p, statement_at(b, at)->event).area.on_grid;
	struct groups g = {mem_array(s->lanes, sizeof *g.joined), mem_zero(s->lanes * sizeof *g.groups)};
	uint32_t *lane_of_group = mem_array(p->processes, sizeof *lane_of_group);
	memset(lane_of_group, 0xff, p->processes * sizeof *lane_of_group);
	union_find_start(g.joined, s->lanes);
	struct ranks_walk walk = {0};
	for (uint32_t r; ranks_next(who, &walk, &r);) {
		struct spot spot = grid_spot(&p->grid, r);
		uint32_t group = area ? traffic_group(p, at, &spot) : 0, lane = b->lane_of[r];
		if (lane_of_group[group] == SCENE_NONE)
			lane_of_group[group] = lane;
		union_find_join(g.joined, lane_of_group[group], lane);
	}
	for (uint32_t i = 0; i < s->lanes; i++)
		g.joined[i] = union_find_root(g.joined, i);
	for (uint32_t i = 0; i < p->processes; i++)
		if (lane_of_group[i] != SCENE_NONE)
			g.groups[g.joined[lane_of_group[i]]]++;
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
	const struct statement *s = statement_at(b, at);
	memset(&key, 0, sizeof key);
	if (s->set == STATEMENT_PLAIN) {
		const struct sync *sync = dictionary_get_sync(p->dictionary, dictionary_get_event(p->dictionary, s->event)->subject);
		key.name = sync->name;
		key.group = sync->group;
		key.communicator = sync->communicator;
	} else {
		struct form form = program_get_form(p, s->event);
		if (form.area.on_grid || !value_is_constant(&form.communicator))
			return SCENE_NONE;
		key.name = form.word;
		key.group = form.group;
		key.communicator = form.communicator.plain.constant;
	}
	return intern_id(b->meetings, &key, sizeof key);
}

static void add_role_sync(struct builder *b, size_t at, const struct ranks *who, const uint32_t *lane, uint32_t lanes, const int64_t *index)
{
	struct groups g = groups_of(b, at, who);
	uint32_t meeting = b->join_parts ? meeting_of(b, at) : SCENE_NONE;
	for (uint32_t i = 0; i < lanes; i++) {
		if (!ranks_has(who, first_of(b, lane[i])))
			continue;
		uint32_t leader = g.joined[lane[i]], raw = role_raw(b, ITEM_SYNC, at, leader);
		if (!b->raw[raw].events)
			b->raw[raw].event = program_event_at(b->scene->drawn->program, at, first_of(b, lane[i]), index);
		b->raw[raw].alike = g.groups[leader];
		b->raw[raw].events += members_in(b, who, lane[i]);
		append(b, lane[i], raw);
		if (meeting != SCENE_NONE)
			join_part(b, meeting, lane[i], raw);
	}
	free(g.joined);
	free(g.groups);
}

static uint64_t part_of(uint64_t all, uint64_t members, uint64_t processes)
{
	return all == UINT64_MAX ? all : (uint64_t)((double)all * (double)members / (double)processes);
}

/* The processes of the loop in these lanes; where they are not all, what it amounts to is shared out by their number. */
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
		b->raw[raw].alike = body->joined ? body->groups[body->joined[lane[i]]] : 1;
		b->raw[raw].events += members_in(b, who, lane[i]); /* members, for now */
		append(b, lane[i], raw);
	}
	for (uint32_t raw = first; raw < b->raws; raw++) {
		uint64_t members = b->raw[raw].events;
		b->raw[raw].past = at + statement_at(b, at)->size;
		b->raw[raw].count = program_count(d->program, at, body->index);
		b->raw[raw].share = b->scene->share && b->scene->share[at] >= 0 ? b->scene->share[at] * (double)members / (double)processes : TIMES_UNKNOWN;
		b->raw[raw].events = members == processes ? d->events[at] : part_of(d->events[at], members, processes);
		b->raw[raw].messages = members == processes ? d->messages[at] : part_of(d->messages[at], members, processes);
	}
}

static bool is_sync(const struct builder *b, size_t at)
{
	const struct program *p = b->scene->drawn->program;
	const struct statement *s = statement_at(b, at);
	return statement_kind(p, s) == EVENT_SYNC;
}

static void add_role_statement(struct builder *b, size_t at, const uint32_t *lane, uint32_t lanes, const int64_t *index)
{
	struct ranks who = coverage_of(b->scene->drawn->coverage, at);
	open_raws(b, at, b->scene->lanes);
	if (statement_is_loop(statement_at(b, at))) {
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
	count_messages(b, at, index, SCENE_NONE);
}

static void add_role_body(struct builder *b, size_t from, size_t past, const uint32_t *lane, uint32_t lanes, const int64_t *index)
{
	for (size_t i = from; i < past; i += statement_size(statement_at(b, i)))
		add_role_statement(b, i, lane, lanes, index);
}

/* ------------------------------------------------------------------ what is left out */

static void add_cut(struct builder *b, const struct entry *entry, const uint32_t *lane, uint32_t lanes)
{
	const struct drawn *d = b->scene->drawn;
	uint32_t raw = add_raw(b, ITEM_CUT, entry->from);
	b->raw[raw].past = entry->past;
	b->raw[raw].count = entry->cut;
	for (size_t i = entry->from; i < entry->past; i += statement_size(statement_at(b, i))) {
		b->raw[raw].events = saturating_add(b->raw[raw].events, d->events[i]);
		b->raw[raw].messages = saturating_add(b->raw[raw].messages, d->messages[i]);
	}
	for (uint32_t i = 0; i < lanes; i++) {
		if (b->scene->roles || b->scene->mixed[lane[i]])
			append(b, lane[i], raw);
		else
			put_all(b, &b->scene->lane[lane[i]], raw);
	}
}

/* ------------------------------------------------------------------ messages */

struct linking {
	struct builder *b;
	struct intern *seen;
	size_t first;
};

/* By roles: from processes of a lane to others of the same, which stand before: no arrow can show it. */
static bool leads_back(const struct scene *s, const struct raw *from, const struct raw *to, bool single)
{
	return s->roles && single && s->item[from->item].lane[0] == s->item[to->item].lane[0] && to->item < from->item;
}

static void add_link(struct linking *l, const struct channel_match *m)
{
	struct builder *b = l->b;
	struct scene *s = b->scene;
	uint32_t from_lane = b->lane_of[m->channel.from], to_lane = b->lane_of[m->channel.to];
	uint32_t from = raw_at(b, m->from, from_lane), to = raw_at(b, m->to, to_lane);
	if (from == SCENE_NONE || to == SCENE_NONE)
		return;
	const struct raw *x = &b->raw[find(b, from)], *y = &b->raw[find(b, to)];
	if (x->item == y->item || x->item == SCENE_NONE || y->item == SCENE_NONE)
		return; /* from one iteration to another: its ends are marked inside */
	bool single = x->kind == ITEM_SEND && y->kind == ITEM_RECV;
	if (leads_back(s, x, y, single)) {
		s->item[x->item].loose = s->item[y->item].loose = true;
		return;
	}
	uint32_t tag = s->roles && single ? s->item[x->item].tag : m->channel.tag;
	uint32_t key[3] = {x->item, y->item, tag}, known = intern_count(l->seen), id = intern_id(l->seen, key, sizeof key);
	if (id < known) {
		s->link[l->first + id].count = saturating_add(s->link[l->first + id].count, m->count);
		return;
	}
	s->link = mem_grow(s->link, &s->link_capacity, s->links + 1, sizeof *s->link);
	s->link[s->links++] = (struct scene_link){
		.from = x->item,
		.to = y->item,
		.from_lane = from_lane,
		.to_lane = to_lane,
		.tag = tag,
		.count = m->count,
		.single = single,
	};
}

static void link_items(struct builder *b, const struct exchange *const *body, size_t bodies)
{
	struct linking l = {b, intern_new(), b->scene->links};
	for (size_t i = 0; i < bodies; i++)
		for (size_t k = 0; k < body[i]->messages; k++)
			add_link(&l, &body[i]->message[k]);
	intern_free(l.seen);
}

/* ------------------------------------------------------------------ raws to items */

static void queue_loop(struct builder *b, uint32_t item, uint32_t raw)
{
	struct opening o = {.item = item};
	size_t capacity = 0;
	for (uint32_t r = raw; r != SCENE_NONE; r = b->raw[r].next) {
		if (b->raw[r].kind != ITEM_LOOP)
			continue;
		o.loop = mem_grow(o.loop, &capacity, o.loops + 1, sizeof *o.loop);
		o.loop[o.loops++] = b->raw[r].statement;
	}
	b->queue = mem_grow(b->queue, &b->queue_capacity, b->queued + 1, sizeof *b->queue);
	b->queue[b->queued++] = o;
}

static void make_item(struct builder *b, uint32_t raw, uint32_t system)
{
	struct scene *s = b->scene;
	s->item = mem_grow(s->item, &s->item_capacity, s->items + 1, sizeof *s->item);
	const struct raw *r = &b->raw[raw];
	b->raw[raw].item = (uint32_t)s->items;
	s->item[s->items] = (struct scene_item){
		.kind = r->kind,
		.system = system,
		.inside = SCENE_NONE,
		.statement = r->statement,
		.past = r->past,
		.event = r->event,
		.count = r->count,
		.alike = r->alike,
		.events = r->events,
		.messages = r->messages,
		.share = r->share,
	};
	if (r->kind == ITEM_SEND || r->kind == ITEM_RECV)
		s->item[s->items].tag = dictionary_get_event(scene_dictionary(s), r->event)->subject;
	if (s->roles)
		wording_add(s, &s->item[s->items], b->labels);
	if (r->kind == ITEM_LOOP && s->system[system].depth < s->depth_limit)
		queue_loop(b, (uint32_t)s->items, raw);
	s->items++;
}

static int compare_steps(const void *a, const void *b)
{
	const struct scene_step *x = a, *y = b;
	if (x->item != y->item)
		return x->item < y->item ? -1 : 1;
	return x->lane < y->lane ? -1 : x->lane > y->lane;
}

/* Sort a copy of the steps by item: the lanes of each. */
static void give_lanes(struct scene *s, const struct scene_step *step, uint32_t steps)
{
	struct scene_step *by_item = mem_array(steps, sizeof *by_item);
	if (steps)
		memcpy(by_item, step, steps * sizeof *step);
	if (steps)
		qsort(by_item, steps, sizeof *by_item, compare_steps);
	uint32_t *lane = arena_alloc(s->arena, (steps + 1) * sizeof *lane);
	for (uint32_t i = 0; i < steps; i++)
		lane[i] = by_item[i].lane;
	for (uint32_t i = 0; i < steps; i++) {
		struct scene_item *item = &s->item[by_item[i].item];
		if (!item->lanes++)
			item->lane = lane + i;
	}
	free(by_item);
}

static void keep_hidden(struct builder *b, uint32_t system)
{
	struct scene *s = b->scene;
	for (uint32_t i = 0; i < intern_count(b->hidden); i++) {
		const struct hidden *key = intern_data(b->hidden, i, NULL);
		struct scene_flow flow = {key->from, key->to, b->hidden_count[i]};
		if (key->raw == SCENE_NONE) {
			s->sent = mem_grow(s->sent, &s->sent_capacity, s->sents + 1, sizeof *s->sent);
			s->sent[s->sents++] = (struct scene_sent){system, flow};
		} else {
			s->hidden = mem_grow(s->hidden, &s->hidden_capacity, s->hiddens + 1, sizeof *s->hidden);
			s->hidden[s->hiddens++] = (struct scene_hidden){b->raw[key->raw].item, flow};
		}
	}
}

static void finish(
	struct builder *b, uint32_t owner, const uint32_t *lane, uint32_t lanes, const struct exchange *const *body, size_t bodies)
{
	struct scene *s = b->scene;
	s->system = mem_grow(s->system, &s->system_capacity, s->systems + 1, sizeof *s->system);
	uint32_t id = (uint32_t)s->systems++;
	struct scene_system *system = &s->system[id];
	*system = (struct scene_system){.owner = owner, .lane = lane, .lanes = lanes};
	system->depth = owner == SCENE_NONE ? 0 : s->system[s->item[owner].system].depth + 1;
	system->first_item = (uint32_t)s->items;
	size_t steps = 0;
	for (uint32_t i = 0; i < lanes; i++)
		for (size_t k = 0; k < b->row[lane[i]].length; k++, steps++)
			b->row[lane[i]].raw[k] = find(b, b->row[lane[i]].raw[k]);
	for (uint32_t r = 0; r < b->raws; r++)
		b->raw[r].item = SCENE_NONE;
	bool *used = mem_zero(b->raws + 1);
	for (uint32_t i = 0; i < lanes; i++)
		for (size_t k = 0; k < b->row[lane[i]].length; k++)
			used[b->row[lane[i]].raw[k]] = true;
	for (uint32_t r = 0; r < b->raws; r++)
		if (used[r])
			make_item(b, r, id);
	free(used);
	struct scene_step *step = arena_alloc(s->arena, (steps + 1) * sizeof *step);
	uint32_t n = 0;
	for (uint32_t i = 0; i < lanes; i++)
		for (size_t k = 0; k < b->row[lane[i]].length; k++)
			step[n++] = (struct scene_step){lane[i], b->raw[b->row[lane[i]].raw[k]].item};
	give_lanes(s, step, n);
	system = &s->system[id];
	system->items = (uint32_t)s->items - system->first_item;
	system->step = step;
	system->steps = n;
	system->first_link = (uint32_t)s->links;
	link_items(b, body, bodies);
	keep_hidden(b, id);
	system->links = (uint32_t)s->links - system->first_link;
	if (owner != SCENE_NONE)
		s->item[owner].inside = id;
}

/* ------------------------------------------------------------------ systems */

static void start(struct builder *b, const uint32_t *lane, uint32_t lanes)
{
	b->raws = b->raw_ofs = 0;
	memset(b->inside, 0, b->scene->lanes);
	for (uint32_t i = 0; i < lanes; i++) {
		b->row[lane[i]].length = 0;
		b->inside[lane[i]] = true;
		struct ranks_walk walk = {0};
		for (uint32_t r; !b->scene->roles && ranks_next(&b->scene->lane[lane[i]], &walk, &r);)
			b->counter[r] = 0;
	}
	b->parts = intern_new();
	b->counts = intern_new();
	b->hidden = intern_new();
	b->meetings = intern_new();
}

static void stop(struct builder *b)
{
	intern_free(b->parts);
	intern_free(b->counts);
	intern_free(b->hidden);
	intern_free(b->meetings);
}

/* Would the joined items stand in a circle? Kahn's algorithm over the steps alone. */
static bool circular(struct builder *b, const uint32_t *lane, uint32_t lanes)
{
	size_t left = 0;
	size_t *at = mem_zero((lanes + 1) * sizeof *at);
	uint32_t *missing = mem_zero((b->raws + 1) * sizeof *missing), *ready = mem_array(lanes + 1, sizeof *ready);
	for (uint32_t i = 0; i < lanes; i++)
		for (size_t k = 0; k < b->row[lane[i]].length; k++, left++)
			missing[find(b, b->row[lane[i]].raw[k])]++;
	/* An item may go when it is at the front of all its lanes; lanes are looked at again when their front changes. */
	uint32_t *arrived = mem_zero((b->raws + 1) * sizeof *arrived);
	uint32_t **waiting = mem_zero((b->raws + 1) * sizeof *waiting);
	uint32_t todo = 0;
	for (uint32_t i = 0; i < lanes; i++)
		ready[todo++] = i;
	while (todo) {
		uint32_t i = ready[--todo];
		struct row *p = &b->row[lane[i]];
		if (at[i] == p->length)
			continue;
		uint32_t r = find(b, p->raw[at[i]]);
		if (!waiting[r])
			waiting[r] = mem_array(missing[r], sizeof **waiting);
		waiting[r][arrived[r]++] = i;
		if (arrived[r] < missing[r])
			continue;
		for (uint32_t k = 0; k < arrived[r]; k++) {
			at[waiting[r][k]]++;
			ready[todo++] = waiting[r][k];
			left--;
		}
	}
	for (size_t r = 0; r < b->raws; r++)
		free(waiting[r]);
	free(waiting);
	free(arrived);
	free(missing);
	free(ready);
	free(at);
	return left > 0;
}

static void read_root(struct builder *b, const struct entry *entry, size_t entries, const uint32_t *lane, uint32_t lanes)
{
	start(b, lane, lanes);
	for (size_t i = 0; i < entries; i++) {
		if (entry[i].cut)
			add_cut(b, &entry[i], lane, lanes);
		else if (b->scene->roles)
			add_role_body(b, entry[i].from, entry[i].past, lane, lanes, traffic_root(b->traffic)->index);
		else
			add_body(b, entry[i].from, entry[i].past);
	}
}

static void read_bodies(struct builder *b, const struct opening *o, const uint32_t *lane, uint32_t lanes)
{
	start(b, lane, lanes);
	for (size_t i = 0; i < o->loops; i++) {
		size_t from = o->loop[i] + 1, past = o->loop[i] + statement_at(b, o->loop[i])->size;
		if (b->scene->roles)
			add_role_body(b, from, past, lane, lanes, traffic_of(b->traffic, o->loop[i])->index);
		else
			add_body(b, from, past);
	}
}

/* Statements may be read again for other lanes; those of a system that is done are forgotten. */
static void forget_raws(struct builder *b, size_t from, size_t past)
{
	for (size_t i = from; i < past; i += statement_size(statement_at(b, i)))
		b->first_raw[i] = SIZE_MAX;
}

bool builder_root(struct builder *b, const struct entry *entry, size_t entries, const uint32_t *lane, uint32_t lanes)
{
	const struct exchange *root = traffic_root(b->traffic);
	b->join_parts = b->scene->roles || !b->scene->banded;
	read_root(b, entry, entries, lane, lanes);
	if (b->join_parts && circular(b, lane, lanes)) {
		stop(b);
		b->join_parts = false;
		read_root(b, entry, entries, lane, lanes);
	}
	bool fits = !b->out_of_step && !(b->scene->banded && circular(b, lane, lanes));
	if (fits)
		finish(b, SCENE_NONE, lane, lanes, &root, 1);
	stop(b);
	forget_raws(b, 0, b->scene->drawn->program->length);
	return fits;
}

bool builder_next(struct builder *b)
{
	struct opening o = b->queue[b->served++];
	const uint32_t *lane = b->scene->item[o.item].lane;
	uint32_t lanes = b->scene->item[o.item].lanes;
	const struct exchange **body = mem_array(o.loops, sizeof *body);
	for (size_t i = 0; i < o.loops; i++)
		body[i] = traffic_of(b->traffic, o.loop[i]);
	b->join_parts = b->scene->roles || !b->scene->banded;
	read_bodies(b, &o, lane, lanes);
	if (b->join_parts && circular(b, lane, lanes)) {
		stop(b);
		b->join_parts = false;
		read_bodies(b, &o, lane, lanes);
	}
	bool fits = !b->out_of_step && !(b->scene->banded && circular(b, lane, lanes));
	if (fits)
		finish(b, o.item, lane, lanes, body, o.loops);
	stop(b);
	for (size_t i = 0; i < o.loops; i++)
		forget_raws(b, o.loop[i] + 1, o.loop[i] + statement_at(b, o.loop[i])->size);
	free(body);
	free(o.loop);
	return fits;
}

bool builder_done(const struct builder *b)
{
	return b->served == b->queued;
}
