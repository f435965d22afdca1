/*
 * build.c -- statements to systems: raws first (by_process.c, by_role.c), then items, their lanes
 * and the messages between them.
 */
#include "viz/build.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/mem.h"
#include "base/saturate.h"
#include "viz/raws.h"
#include "viz/wording.h"

struct builder *builder_new(struct scene *scene, const struct traffic *traffic, enum viz_labels labels)
{
	struct builder *b = mem_zero(sizeof *b);
	size_t length = scene->drawn->module->lines;
	b->scene = scene;
	b->traffic = traffic;
	b->lane_of = scene->lane_of;
	b->labels = labels;
	b->counter = mem_zero((scene->processes + (size_t)1) * sizeof *b->counter);
	b->row = mem_zero((scene->lanes + (size_t)1) * sizeof *b->row);
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
	free(b->first_raw);
	free(b->raw_of);
	free(b->part_raw);
	free(b->part_count);
	free(b->queue);
	free(b);
}

/* ------------------------------------------------------------------ what is left out */

static void add_cut(struct builder *b, const struct entry *entry, const uint32_t *lane, uint32_t lanes)
{
	const struct drawn *d = b->scene->drawn;
	uint32_t raw = raws_add(b, ITEM_CUT, entry->from);
	b->raw[raw].past = entry->past;
	b->raw[raw].count = entry->cut;
	for (size_t i = entry->from; i < entry->past; i = drawn_behind(b->scene->drawn, i)) {
		b->raw[raw].events = saturating_add(b->raw[raw].events, d->events[i]);
		b->raw[raw].messages = saturating_add(b->raw[raw].messages, d->messages[i]);
	}
	for (uint32_t i = 0; i < lanes; i++) {
		if (b->scene->roles || b->scene->mixed[lane[i]])
			raws_append(b, lane[i], raw);
		else
			raws_put_all(b, &b->scene->lane[lane[i]], raw);
	}
}

/* ------------------------------------------------------------------ messages */

struct linking {
	struct builder *b;
	struct intern *seen;
	size_t first;
};

/*
 * By roles: from processes of a lane to others of the same, which stand before: no arrow can show
 * it.
 */
static bool leads_back(const struct scene *s, const struct raw *from, const struct raw *to, bool single)
{
	return s->roles && single && s->item[from->item].lane[0] == s->item[to->item].lane[0] && to->item < from->item;
}

static void add_link(struct linking *l, const struct message *m)
{
	struct builder *b = l->b;
	struct scene *s = b->scene;
	const struct channel_key *channel = ends_key(&s->drawn->ends, m->channel);
	uint32_t from_lane = b->lane_of[channel->from], to_lane = b->lane_of[channel->to];
	uint32_t from = raws_at(b, m->from, from_lane), to = raws_at(b, m->to, to_lane);
	if (from == SCENE_NONE || to == SCENE_NONE)
		return;
	const struct raw *x = &b->raw[raws_find(b, from)], *y = &b->raw[raws_find(b, to)];
	if (x->item == y->item || x->item == SCENE_NONE || y->item == SCENE_NONE)
		return; /* from one iteration to another: its ends are marked inside */
	bool single = x->kind == ITEM_SEND && y->kind == ITEM_RECV;
	if (leads_back(s, x, y, single)) {
		s->item[x->item].loose = s->item[y->item].loose = true;
		return;
	}
	uint32_t tag = s->roles && single ? s->item[x->item].tag : drawn_tag_of(s->drawn, m->channel);
	uint32_t key[3] = {x->item, y->item, tag}, known = intern_count(l->seen),
		 id = intern_id(l->seen, key, sizeof key);
	if (id < known) {
		s->link[l->first + id].count = saturating_add(s->link[l->first + id].count, m->count);
		return;
	}
	*MEM_PUSH(s->link, s->links, s->link_capacity) = (struct scene_link){
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

static bool leads_to(const struct scene *s, const struct scene_system *system, uint32_t item, uint32_t lane)
{
	for (size_t i = system->first_link; i < system->first_link + system->links; i++)
		if (s->link[i].from == item && (!s->link[i].single || s->link[i].to_lane == lane))
			return true;
	return false;
}

/* By roles: what is sent to one that nothing leads to is received in another iteration. */
static void mark_loose(struct builder *b, const struct scene_system *system)
{
	struct scene *s = b->scene;
	for (uint32_t r = 0; r < b->raws && s->roles; r++) {
		const struct raw *raw = &b->raw[r];
		uint32_t known = SCENE_NONE, rank;
		struct ranks_walk walk = {0};
		if (raw->item == SCENE_NONE || raw->kind != ITEM_SEND)
			continue;
		struct scene_item *item = &s->item[raw->item];
		while (!item->loose && ranks_next(&s->lane[item->lane[0]], &walk, &rank)) {
			uint32_t peer = drawn_event_at(s->drawn, raw->statement, rank, raw->index).peer,
				 lane = b->lane_of[peer];
			item->loose = lane != known && !leads_to(s, system, raw->item, lane);
			known = lane;
		}
	}
}

/* ------------------------------------------------------------------ raws to items */

static void queue_loop(struct builder *b, uint32_t item, uint32_t raw)
{
	struct opening o = {.item = item};
	size_t capacity = 0;
	for (uint32_t r = raw; r != SCENE_NONE; r = b->raw[r].next) {
		if (b->raw[r].kind != ITEM_LOOP)
			continue;
		*MEM_PUSH(o.loop, o.loops, capacity) = b->raw[r].statement;
	}
	*MEM_PUSH(b->queue, b->queued, b->queue_capacity) = o;
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
		.count = r->count,
		.multiplicity = r->multiplicity,
		.events = r->events,
		.messages = r->messages,
		.share = r->share,
	};
	if (r->kind <= ITEM_LOCAL)
		s->item[s->items].event = drawn_event_at(s->drawn, r->statement, r->process, r->index);
	if (r->kind == ITEM_SEND || r->kind == ITEM_RECV)
		s->item[s->items].tag = drawn_tag_of(s->drawn, s->item[s->items].event.channel);
	const char *call = s->drawn->call[r->statement];
	s->item[s->items].counted = !call;
	s->item[s->items].words = call ? call + strlen("call ") : NULL;
	s->item[s->items].line = call;
	if (s->roles && !call)
		wording_add(s, &s->item[s->items], b->labels);
	wording_add_call(s, &s->item[s->items], b->labels);
	if (r->kind == ITEM_LOOP && s->system[system].depth < s->depth_limit)
		queue_loop(b, (uint32_t)s->items, raw);
	s->items++;
}

static int compare_steps(const void *a, const void *b)
{
	const struct scene_step *x = a, *y = b;
	return x->item != y->item ? COMPARE(x->item, y->item) : COMPARE(x->lane, y->lane);
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

static void finish(struct builder *b, uint32_t owner, const uint32_t *lane, uint32_t lanes,
	const struct exchange *const *body, size_t bodies)
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
			b->row[lane[i]].raw[k] = raws_find(b, b->row[lane[i]].raw[k]);
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
	system->links = (uint32_t)s->links - system->first_link;
	if (owner == SCENE_NONE)
		return;
	mark_loose(b, &s->system[id]);
	s->item[owner].inside = id;
}

/* ------------------------------------------------------------------ systems */

static void start(struct builder *b, const uint32_t *lane, uint32_t lanes)
{
	b->raws = b->raw_ofs = 0;
	for (uint32_t i = 0; i < lanes; i++) {
		b->row[lane[i]].length = 0;
		struct ranks_walk walk = {0};
		for (uint32_t r; !b->scene->roles && ranks_next(&b->scene->lane[lane[i]], &walk, &r);)
			b->counter[r] = 0;
	}
	b->parts = intern_new();
	b->counts = intern_new();
}

static void stop(struct builder *b)
{
	intern_free(b->parts);
	intern_free(b->counts);
}

static void read_root(
	struct builder *b, const struct entry *entry, size_t entries, const uint32_t *lane, uint32_t lanes)
{
	start(b, lane, lanes);
	for (size_t i = 0; i < entries; i++) {
		if (entry[i].cut)
			add_cut(b, &entry[i], lane, lanes);
		else if (b->scene->roles)
			raws_of_roles(b, entry[i].from, entry[i].past, lane, lanes, traffic_root(b->traffic)->index);
		else
			raws_of_processes(b, entry[i].from, entry[i].past);
	}
}

static void read_bodies(struct builder *b, const struct opening *o, const uint32_t *lane, uint32_t lanes)
{
	start(b, lane, lanes);
	for (size_t i = 0; i < o->loops; i++) {
		size_t from = o->loop[i] + 1, past = drawn_behind(b->scene->drawn, o->loop[i]);
		if (b->scene->roles)
			raws_of_roles(b, from, past, lane, lanes, traffic_of(b->traffic, o->loop[i])->index);
		else
			raws_of_processes(b, from, past);
	}
}

/* Statements may be read again for other lanes; those of a system that is done are forgotten. */
static void forget_raws(struct builder *b, size_t from, size_t past)
{
	for (size_t i = from; i < past; i = drawn_behind(b->scene->drawn, i))
		b->first_raw[i] = SIZE_MAX;
}

bool builder_root(struct builder *b, const struct entry *entry, size_t entries, const uint32_t *lane, uint32_t lanes)
{
	const struct exchange *root = traffic_root(b->traffic);
	b->join_parts = b->scene->roles || !b->scene->banded;
	read_root(b, entry, entries, lane, lanes);
	if (b->join_parts && raws_circular(b, lane, lanes)) {
		stop(b);
		b->join_parts = false;
		read_root(b, entry, entries, lane, lanes);
	}
	bool fits = !b->out_of_step && !(b->scene->banded && raws_circular(b, lane, lanes));
	if (fits)
		finish(b, SCENE_NONE, lane, lanes, &root, 1);
	stop(b);
	forget_raws(b, 0, b->scene->drawn->module->lines);
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
	if (b->join_parts && raws_circular(b, lane, lanes)) {
		stop(b);
		b->join_parts = false;
		read_bodies(b, &o, lane, lanes);
	}
	bool fits = !b->out_of_step && !(b->scene->banded && raws_circular(b, lane, lanes));
	if (fits)
		finish(b, o.item, lane, lanes, body, o.loops);
	stop(b);
	for (size_t i = 0; i < o.loops; i++)
		forget_raws(b, o.loop[i] + 1, drawn_behind(b->scene->drawn, o.loop[i]));
	free(body);
	free(o.loop);
	return fits;
}

bool builder_done(const struct builder *b)
{
	return b->served == b->queued;
}
