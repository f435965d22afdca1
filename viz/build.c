/*
 * build.c -- listings to systems: the k-th constructs of the ranks of a lane are one item.
 *
 * Every construct of a listing is put, for each of its ranks, at the place (lane of the rank, number of the construct among those of
 * the rank); constructs that meet at a place are one. Where lanes are single ranks nothing ever meets, but for collectives that a
 * listing holds in parts (one line per process, as before the reduction): the k-th parts of all members are one.
 * On a lane of different ranks, what is neither loop nor collective is counted in blocks.
 *
 * Messages are matched first in, first out per channel, among all constructs of the listing: what a loop lets out counts there as a whole.
 */
#include "viz/build.h"

#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "base/saturate.h"

/* A construct of a listing, or several that are one. */
struct raw {
	enum item_kind kind;
	uint32_t index, into; /* into: itself, or what it became part of */
	node node;
	uint64_t count, alike, events, messages;
	uint32_t place; /* of a loop: among the times */
	double share;
	uint32_t next, last; /* the chain of those it stands for */
	uint32_t item;
};

struct place {
	uint32_t *raw;
	size_t length, capacity;
};

/* One end of messages. */
struct end {
	uint32_t channel, raw; /* raw: SCENE_NONE: left out of the picture */
	bool sends;
	uint64_t count;
	size_t order; /* in the listing */
};

struct builder {
	struct scene *scene;
	struct flows *flows;
	const uint32_t *lane_of;
	uint32_t *counter; /* per rank */
	struct place *place; /* per lane */
	struct raw *raw;
	size_t raws, raw_capacity;
	struct end *end;
	size_t ends, end_capacity;
	struct intern *parts; /* of collectives */
	uint32_t *part_raw;
	size_t part_capacity;
	uint32_t *part_count; /* per rank and sync channel, by id of `counts` */
	struct intern *counts;
	size_t count_capacity;
	struct intern *hidden; /* messages of blocks, and (raw SCENE_NONE) of all else: (raw, from lane, to lane) */
	uint64_t *hidden_count;
	size_t hidden_capacity;
	struct opening *queue;
	size_t queued, queue_capacity, served;
	bool out_of_step, join_parts;
};

struct builder *builder_new(struct scene *scene, struct flows *flows, const uint32_t *lane_of)
{
	struct builder *b = mem_zero(sizeof *b);
	b->scene = scene;
	b->flows = flows;
	b->lane_of = lane_of;
	b->counter = mem_zero((scene->model->processes + 1) * sizeof *b->counter);
	b->place = mem_zero((scene->lanes + 1) * sizeof *b->place);
	return b;
}

void builder_free(struct builder *b)
{
	for (uint32_t i = 0; i < b->scene->lanes; i++)
		free(b->place[i].raw);
	for (size_t i = b->served; i < b->queued; i++) {
		free(b->queue[i].loop);
		free(b->queue[i].place);
	}
	free(b->place);
	free(b->counter);
	free(b->raw);
	free(b->end);
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

static uint32_t add_raw(struct builder *b, enum item_kind kind, uint32_t index, node n)
{
	b->raw = mem_grow(b->raw, &b->raw_capacity, b->raws + 1, sizeof *b->raw);
	uint32_t id = (uint32_t)b->raws++;
	b->raw[id] = (struct raw){.kind = kind,
		.index = index,
		.into = id,
		.node = n,
		.alike = 1,
		.place = TIMES_NOWHERE,
		.share = TIMES_UNKNOWN,
		.next = SCENE_NONE,
		.last = id};
	return id;
}

static void append(struct builder *b, uint32_t lane, uint32_t raw)
{
	struct place *p = &b->place[lane];
	p->raw = mem_grow(p->raw, &p->capacity, p->length + 1, sizeof *p->raw);
	p->raw[p->length++] = raw;
}

/* The construct as seen by one rank. */
static void put(struct builder *b, uint32_t rank, uint32_t raw)
{
	uint32_t lane = b->lane_of[rank];
	struct place *p = &b->place[lane];
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

static void add_end(struct builder *b, uint32_t channel, bool sends, uint64_t count, uint32_t raw)
{
	b->end = mem_grow(b->end, &b->end_capacity, b->ends + 1, sizeof *b->end);
	b->end[b->ends] = (struct end){channel, raw, sends, count, b->ends};
	b->ends++;
}

/* ------------------------------------------------------------------ constructs of a listing */

static void count_hidden(struct builder *b, uint32_t raw, uint32_t from, uint32_t to)
{
	uint32_t key[3] = {raw, from, to}, known = intern_count(b->hidden), id = intern_id(b->hidden, key, sizeof key);
	b->hidden_count = mem_grow(b->hidden_count, &b->hidden_capacity, id + 1, sizeof *b->hidden_count);
	if (id == known)
		b->hidden_count[id] = 0;
	b->hidden_count[id]++;
}

static void add_block(struct builder *b, uint32_t lane, uint32_t index, const struct event *e)
{
	struct place *p = &b->place[lane];
	uint32_t raw = p->length ? p->raw[p->length - 1] : SCENE_NONE;
	if (raw == SCENE_NONE || b->raw[raw].kind != ITEM_BLOCK) {
		raw = add_raw(b, ITEM_BLOCK, index, 0);
		append(b, lane, raw);
	}
	b->raw[raw].count++;
	b->raw[raw].events++;
	b->raw[raw].messages += e->kind == EVENT_SEND;
	if (e->kind == EVENT_SEND && e->peer < b->scene->model->processes)
		count_hidden(b, raw, lane, b->lane_of[e->peer]);
}

static uint32_t next_count(struct builder *b, uint32_t member, uint32_t channel)
{
	uint32_t key[2] = {member, channel}, known = intern_count(b->counts), id = intern_id(b->counts, key, sizeof key);
	b->part_count = mem_grow(b->part_count, &b->count_capacity, id + 1, sizeof *b->part_count);
	if (id == known)
		b->part_count[id] = 0;
	return b->part_count[id]++;
}

/* A collective that the listing holds in parts: join this one to the other parts of the same occurrence. */
static void join_part(struct builder *b, const struct event *e, const struct ranks *members, uint32_t raw)
{
	struct ranks_walk walk = {0};
	for (uint32_t r; ranks_next(members, &walk, &r);) {
		uint32_t key[2] = {e->subject, next_count(b, r, e->subject)};
		uint32_t known = intern_count(b->parts), id = intern_id(b->parts, key, sizeof key);
		b->part_raw = mem_grow(b->part_raw, &b->part_capacity, id + 1, sizeof *b->part_raw);
		if (id == known)
			b->part_raw[id] = raw;
		else
			unite(b, b->part_raw[id], raw);
	}
}

static void add_sync(struct builder *b, uint32_t index, node n, const struct event *e)
{
	const struct dictionary *d = b->scene->model->dictionary;
	struct ranks_run single;
	struct ranks members = event_processes(d, n, &single);
	struct ranks group = dictionary_get_ranks(d, dictionary_get_sync(d, e->subject)->group);
	uint32_t raw = add_raw(b, ITEM_SYNC, index, n);
	b->raw[raw].events = ranks_count(&members);
	put_all(b, &members, raw);
	if (b->join_parts && members.length && !ranks_equal(&members, &group))
		join_part(b, e, &members, raw);
}

static void add_event(struct builder *b, uint32_t index, node n)
{
	const struct event *e = dictionary_get_event(b->scene->model->dictionary, n);
	if (e->kind == EVENT_SYNC) {
		add_sync(b, index, n, e);
		return;
	}
	uint32_t lane = b->lane_of[e->process];
	if (b->scene->mixed[lane]) {
		add_block(b, lane, index, e);
		return;
	}
	static const enum item_kind kinds[] = {[EVENT_SEND] = ITEM_SEND, [EVENT_RECV] = ITEM_RECV, [EVENT_LOCAL] = ITEM_LOCAL};
	uint32_t raw = add_raw(b, kinds[e->kind], index, n);
	b->raw[raw].events = 1;
	b->raw[raw].messages = e->kind == EVENT_SEND;
	put(b, e->process, raw);
	if (e->kind == EVENT_SEND)
		count_hidden(b, SCENE_NONE, lane, e->peer < b->scene->model->processes ? b->lane_of[e->peer] : SCENE_NONE);
	if (e->kind != EVENT_LOCAL)
		add_end(b, flows_channel(b->flows, e), e->kind == EVENT_SEND, 1, raw);
}

static void add_opens(struct builder *b, uint32_t loop, uint32_t raw)
{
	for (size_t i = 0; i < b->flows->opens[loop]; i++) {
		const struct flow *f = &b->flows->open[loop][i];
		if (f->sends)
			add_end(b, f->channel, true, f->sends, raw);
		if (f->receives)
			add_end(b, f->channel, false, f->receives, raw);
	}
}

/* around: the place of the body among the times. */
static void add_loop(struct builder *b, uint32_t index, node n, uint32_t around)
{
	const struct ranks *set = nest_coverage_loop(b->scene->coverage, n);
	if (!set->length)
		return; /* nobody executes it */
	uint32_t loop = n & ~NODE_LOOP;
	uint32_t raw = add_raw(b, ITEM_LOOP, index, n);
	b->raw[raw].count = nest_get(b->scene->model->nest, n)->count;
	b->raw[raw].events = b->flows->events[loop];
	b->raw[raw].messages = b->flows->messages[loop];
	b->raw[raw].place = times_inside(b->scene->times, around, index);
	b->raw[raw].share = times_share(b->scene->times, b->raw[raw].place);
	put_all(b, set, raw);
	add_opens(b, loop, raw);
}

/* What is left out takes part in the matching of messages all the same. */
static void leave_out(struct builder *b, node n, uint32_t raw)
{
	struct raw *cut = &b->raw[raw];
	if (node_is_loop(n)) {
		cut->events = saturating_add(cut->events, b->flows->events[n & ~NODE_LOOP]);
		cut->messages = saturating_add(cut->messages, b->flows->messages[n & ~NODE_LOOP]);
		add_opens(b, n & ~NODE_LOOP, SCENE_NONE);
		return;
	}
	const struct event *e = dictionary_get_event(b->scene->model->dictionary, n);
	struct ranks_run single;
	struct ranks processes = event_processes(b->scene->model->dictionary, n, &single);
	cut->events = saturating_add(cut->events, ranks_count(&processes));
	cut->messages = saturating_add(cut->messages, e->kind == EVENT_SEND);
	if (e->kind == EVENT_SEND || e->kind == EVENT_RECV)
		add_end(b, flows_channel(b->flows, e), e->kind == EVENT_SEND, 1, SCENE_NONE);
}

static void add_cut(struct builder *b, const struct entry *entry, const uint32_t *lane, uint32_t lanes)
{
	uint32_t raw = add_raw(b, ITEM_CUT, entry->index, 0);
	b->raw[raw].count = entry->cut;
	for (uint64_t i = 0; i < entry->cut; i++)
		leave_out(b, b->scene->model->nest->root[entry->index + i], raw);
	for (uint32_t i = 0; i < lanes; i++) {
		struct ranks_walk walk = {0};
		if (b->scene->mixed[lane[i]])
			append(b, lane[i], raw);
		else
			for (uint32_t r; ranks_next(&b->scene->lane[lane[i]], &walk, &r);)
				put(b, r, raw);
	}
}

static void add_node(struct builder *b, uint32_t index, node n, uint32_t around)
{
	if (node_is_loop(n))
		add_loop(b, index, n, around);
	else
		add_event(b, index, n);
}

/* ------------------------------------------------------------------ messages */

static int compare_ends(const void *a, const void *b)
{
	const struct end *x = a, *y = b;
	if (x->channel != y->channel)
		return x->channel < y->channel ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

struct linking {
	struct builder *b;
	struct intern *seen;
	size_t first;
};

static void add_link(struct linking *l, const struct end *from, const struct end *to, uint64_t count)
{
	struct builder *b = l->b;
	struct scene *s = b->scene;
	if (from->raw == SCENE_NONE || to->raw == SCENE_NONE)
		return;
	const struct raw *x = &b->raw[find(b, from->raw)], *y = &b->raw[find(b, to->raw)];
	if (x->item == y->item)
		return; /* from one iteration to another: its ends are marked inside */
	const struct channel *c = intern_data(b->flows->channels, from->channel, NULL);
	uint32_t key[3] = {x->item, y->item, c->tag}, known = intern_count(l->seen);
	uint32_t id = intern_id(l->seen, key, sizeof key);
	if (id < known) {
		s->link[l->first + id].count = saturating_add(s->link[l->first + id].count, count);
		return;
	}
	s->link = mem_grow(s->link, &s->link_capacity, s->links + 1, sizeof *s->link);
	s->link[s->links++] = (struct scene_link){
		.from = x->item,
		.to = y->item,
		.from_lane = b->lane_of[c->from],
		.to_lane = b->lane_of[c->to],
		.tag = c->tag,
		.count = count,
		.single = x->kind == ITEM_SEND && y->kind == ITEM_RECV,
	};
}

/* The ends of one channel: receives take from sends in order. */
static void link_channel(struct linking *l, struct end *end, size_t length, bool whole)
{
	uint64_t sent = 0, received = 0;
	for (size_t i = 0; i < length; i++) {
		uint64_t *sum = end[i].sends ? &sent : &received;
		*sum = saturating_add(*sum, end[i].count);
	}
	if (whole && sent != received)
		return;
	size_t s = 0, r = 0;
	for (;;) {
		while (s < length && (!end[s].sends || !end[s].count))
			s++;
		while (r < length && (end[r].sends || !end[r].count))
			r++;
		if (s == length || r == length)
			return;
		uint64_t count = end[s].count < end[r].count ? end[s].count : end[r].count;
		add_link(l, &end[s], &end[r], count);
		end[s].count -= count;
		end[r].count -= count;
	}
}

/* whole: this is a loop's body, in which a channel that is not closed is left to the outside. */
static void link_items(struct builder *b, bool whole)
{
	struct linking l = {b, intern_new(), b->scene->links};
	if (b->ends)
		qsort(b->end, b->ends, sizeof *b->end, compare_ends);
	for (size_t i = 0, j; i < b->ends; i = j) {
		for (j = i; j < b->ends && b->end[j].channel == b->end[i].channel;)
			j++;
		link_channel(&l, b->end + i, j - i, whole);
	}
	intern_free(l.seen);
}

/* ------------------------------------------------------------------ raws to items */

static void queue_loop(struct builder *b, uint32_t item, uint32_t raw)
{
	size_t alike = b->raw[raw].alike;
	struct opening o = {.item = item, .loop = mem_array(alike, sizeof *o.loop), .place = mem_array(alike, sizeof *o.place)};
	for (uint32_t r = raw; r != SCENE_NONE; r = b->raw[r].next) {
		if (b->raw[r].kind != ITEM_LOOP)
			continue;
		o.loop[o.loops] = b->raw[r].node;
		o.place[o.loops++] = b->raw[r].place;
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
		.event = r->node,
		.count = r->count,
		.alike = r->alike,
		.events = r->events,
		.messages = r->messages,
		.share = r->share,
		.index = r->index,
	};
	if (r->kind == ITEM_SEND || r->kind == ITEM_RECV)
		s->item[s->items].tag = dictionary_get_event(s->model->dictionary, r->node)->subject;
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
		const uint32_t *key = intern_data(b->hidden, i, NULL);
		struct scene_flow flow = {key[1], key[2], b->hidden_count[i]};
		if (key[0] == SCENE_NONE) {
			s->sent = mem_grow(s->sent, &s->sent_capacity, s->sents + 1, sizeof *s->sent);
			s->sent[s->sents++] = (struct scene_sent){system, flow};
		} else {
			s->hidden = mem_grow(s->hidden, &s->hidden_capacity, s->hiddens + 1, sizeof *s->hidden);
			s->hidden[s->hiddens++] = (struct scene_hidden){b->raw[key[0]].item, flow};
		}
	}
}

static void finish(struct builder *b, uint32_t owner, const uint32_t *lane, uint32_t lanes)
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
		for (size_t k = 0; k < b->place[lane[i]].length; k++, steps++)
			b->place[lane[i]].raw[k] = find(b, b->place[lane[i]].raw[k]);
	for (uint32_t r = 0; r < b->raws; r++)
		b->raw[r].item = SCENE_NONE;
	bool *used = mem_zero(b->raws + 1);
	for (uint32_t i = 0; i < lanes; i++)
		for (size_t k = 0; k < b->place[lane[i]].length; k++)
			used[b->place[lane[i]].raw[k]] = true;
	for (uint32_t r = 0; r < b->raws; r++)
		if (used[r])
			make_item(b, r, id);
	free(used);
	struct scene_step *step = arena_alloc(s->arena, (steps + 1) * sizeof *step);
	uint32_t n = 0;
	for (uint32_t i = 0; i < lanes; i++)
		for (size_t k = 0; k < b->place[lane[i]].length; k++)
			step[n++] = (struct scene_step){lane[i], b->raw[b->place[lane[i]].raw[k]].item};
	give_lanes(s, step, n);
	system = &s->system[id];
	system->items = (uint32_t)s->items - system->first_item;
	system->step = step;
	system->steps = n;
	system->first_link = (uint32_t)s->links;
	link_items(b, owner != SCENE_NONE);
	keep_hidden(b, id);
	system->links = (uint32_t)s->links - system->first_link;
	if (owner != SCENE_NONE)
		s->item[owner].inside = id;
}

/* ------------------------------------------------------------------ systems */

static void start(struct builder *b, const uint32_t *lane, uint32_t lanes)
{
	b->raws = b->ends = 0;
	for (uint32_t i = 0; i < lanes; i++) {
		b->place[lane[i]].length = 0;
		struct ranks_walk walk = {0};
		for (uint32_t r; ranks_next(&b->scene->lane[lane[i]], &walk, &r);)
			b->counter[r] = 0;
	}
	b->parts = intern_new();
	b->counts = intern_new();
	b->hidden = intern_new();
}

static void stop(struct builder *b)
{
	intern_free(b->parts);
	intern_free(b->counts);
	intern_free(b->hidden);
}

/* Would the joined items stand in a circle? Kahn's algorithm over the steps alone. */
static bool circular(struct builder *b, const uint32_t *lane, uint32_t lanes)
{
	size_t left = 0;
	size_t *at = mem_zero((lanes + 1) * sizeof *at);
	uint32_t *missing = mem_zero((b->raws + 1) * sizeof *missing), *ready = mem_array(lanes + 1, sizeof *ready);
	for (uint32_t i = 0; i < lanes; i++)
		for (size_t k = 0; k < b->place[lane[i]].length; k++, left++)
			missing[find(b, b->place[lane[i]].raw[k])]++;
	/* An item may go when it is at the front of all its lanes; lanes are looked at again when their front changes. */
	uint32_t *arrived = mem_zero((b->raws + 1) * sizeof *arrived);
	uint32_t **waiting = mem_zero((b->raws + 1) * sizeof *waiting);
	uint32_t todo = 0;
	for (uint32_t i = 0; i < lanes; i++)
		ready[todo++] = i;
	while (todo) {
		uint32_t i = ready[--todo];
		struct place *p = &b->place[lane[i]];
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
	uint32_t around = times_at(b->scene->times, b->scene->prefix);
	start(b, lane, lanes);
	for (size_t i = 0; i < entries; i++) {
		if (entry[i].cut)
			add_cut(b, &entry[i], lane, lanes);
		else
			add_node(b, entry[i].index, entry[i].node, around);
	}
}

static void read_bodies(struct builder *b, const struct opening *o, const uint32_t *lane, uint32_t lanes)
{
	start(b, lane, lanes);
	for (size_t i = 0; i < o->loops; i++) {
		struct body body = nest_body(b->scene->model->nest, o->loop[i]);
		for (size_t k = 0; k < body.length; k++)
			add_node(b, (uint32_t)k, body.node[k], o->place[i]);
	}
}

bool builder_root(struct builder *b, const struct entry *entry, size_t entries, const uint32_t *lane, uint32_t lanes)
{
	b->join_parts = !b->scene->banded;
	read_root(b, entry, entries, lane, lanes);
	if (b->join_parts && circular(b, lane, lanes)) {
		stop(b);
		b->join_parts = false;
		read_root(b, entry, entries, lane, lanes);
	}
	bool fits = !b->out_of_step && !(b->scene->banded && circular(b, lane, lanes));
	if (fits)
		finish(b, SCENE_NONE, lane, lanes);
	stop(b);
	return fits;
}

bool builder_next(struct builder *b)
{
	struct opening o = b->queue[b->served++];
	const uint32_t *lane = b->scene->item[o.item].lane;
	uint32_t lanes = b->scene->item[o.item].lanes;
	b->join_parts = !b->scene->banded;
	read_bodies(b, &o, lane, lanes);
	if (b->join_parts && circular(b, lane, lanes)) {
		stop(b);
		b->join_parts = false;
		read_bodies(b, &o, lane, lanes);
	}
	bool fits = !b->out_of_step && !(b->scene->banded && circular(b, lane, lanes));
	if (fits)
		finish(b, o.item, lane, lanes);
	stop(b);
	free(o.loop);
	free(o.place);
	return fits;
}

bool builder_done(const struct builder *b)
{
	return b->served == b->queued;
}
