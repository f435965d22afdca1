/*
 * scene.c -- what to show: which constructs, to which depth, on which lanes.
 *
 * Three limits keep a picture readable and small, whatever the model: many processes share lanes (bands.h); loops are opened
 * only as deep as the number of items allows; and a listing that is too long by itself loses its middle. What is not shown leaves a mark.
 */
#include "viz/scene.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/saturate.h"
#include "viz/bands.h"
#include "viz/build.h"
#include "viz/flows.h"
#include "viz/forms.h"

#define ITEMS_MOST 20000 /* in a picture */
#define CONSTRUCTS_MOST 4000000 /* of the model, looked at for it */

struct plan {
	struct entry *entry;
	size_t entries;
	uint32_t depth, depth_wanted;
	enum viz_labels labels;
	struct bands bands;
};

/* ------------------------------------------------------------------ the root */

static void whole_root(struct plan *p, const struct model *m)
{
	p->entry = mem_array(m->nest->root_length + 2, sizeof *p->entry);
	for (size_t i = 0; i < m->nest->root_length; i++)
		p->entry[p->entries++] = (struct entry){m->nest->root[i], (uint32_t)i, 0};
}

/* One construct; its address but for the last number goes into the scene. */
static bool single_root(struct plan *p, struct scene *s, const char *address, struct error *error)
{
	node found;
	if (!model_find(s->model, address, &found, error))
		return false;
	const char *dot = strrchr(address, '.');
	const char *last = dot ? dot + 1 : address;
	s->prefix = mem_text(address);
	s->prefix[last - address] = '\0';
	p->entry = mem_array(1, sizeof *p->entry);
	p->entry[p->entries++] = (struct entry){found, (uint32_t)strtoul(last, NULL, 10), 0};
	return true;
}

/* Replace entries from `first` up to `past` by a mark. They are all constructs. */
static void cut(struct plan *p, size_t first, size_t past)
{
	if (past <= first + 1)
		return; /* a mark takes as much room */
	p->entry[first].cut = past - first;
	memmove(p->entry + first + 1, p->entry + past, (p->entries - past) * sizeof *p->entry);
	p->entries -= past - first - 1;
}

/* Loops with a twentieth of all events matter. What stands before the first and after the last of them is left out. */
static void cut_ends(struct plan *p, const struct flows *f)
{
	uint64_t total = 0, most = 0;
	for (size_t i = 0; i < p->entries; i++) {
		node n = p->entry[i].node;
		uint64_t events = node_is_loop(n) ? f->events[n & ~NODE_LOOP] : 1;
		total = saturating_add(total, events);
		most = node_is_loop(n) && events > most ? events : most;
	}
	uint64_t least = total / 20 < most ? total / 20 : most;
	size_t first = SIZE_MAX, past = 0;
	for (size_t i = 0; i < p->entries && most; i++) {
		node n = p->entry[i].node;
		if (!node_is_loop(n) || f->events[n & ~NODE_LOOP] < least)
			continue;
		first = first == SIZE_MAX ? i : first;
		past = i + 1;
	}
	if (first == SIZE_MAX)
		return;
	cut(p, past, p->entries);
	cut(p, 0, first);
}

/* ------------------------------------------------------------------ depth */

/* Constructs that are listed when loops are opened to a depth: count[loop] for the loop and what it then shows. */
static uint64_t listed(const struct plan *p, const uint64_t *count)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < p->entries; i++) {
		node n = p->entry[i].node;
		sum = saturating_add(sum, !p->entry[i].cut && node_is_loop(n) ? count[n & ~NODE_LOOP] : 1);
	}
	return sum;
}

static bool open_one_more(const struct nest *nest, uint64_t *count)
{
	bool grew = false;
	for (size_t i = nest->loops; i-- > 0;) {
		struct body body = nest_body(nest, (node)i | NODE_LOOP);
		uint64_t sum = 1;
		for (size_t k = 0; k < body.length; k++)
			sum = saturating_add(sum, node_is_loop(body.node[k]) ? count[body.node[k] & ~NODE_LOOP] : 1);
		grew |= sum != count[i];
		count[i] = sum;
	}
	return grew;
}

/* The greatest depth within the limit. */
static void choose_depth(struct plan *p, struct scene *s)
{
	const struct nest *nest = s->model->nest;
	uint64_t *count = mem_array(nest->loops + 1, sizeof *count);
	for (size_t i = 0; i < nest->loops; i++)
		count[i] = 1;
	p->depth = 0;
	while (p->depth < p->depth_wanted) {
		/* Going down the loops, bodies still have the counts of one depth less. */
		if (!open_one_more(nest, count))
			break;
		if (listed(p, count) > CONSTRUCTS_MOST) {
			s->limited = true;
			break;
		}
		p->depth++;
	}
	free(count);
}

/* ------------------------------------------------------------------ lanes and systems */

static void find_drawn(struct plan *p, struct scene *s, bool part)
{
	if (!part) {
		if (s->model->processes)
			ranks_add_run(&p->bands.drawn, 0, s->model->processes - 1);
		return;
	}
	ranks_copy(&p->bands.drawn, nest_coverage_ranks(s->coverage, nest_coverage_of(s->coverage, p->entry[0].node)));
}

static void empty_systems(struct scene *s)
{
	s->items = s->links = s->systems = s->hiddens = s->sents = 0;
	arena_free(s->arena);
	s->arena = arena_new();
}

static void make_lanes(struct scene *s, const struct plan *p, enum band_level level, uint32_t *lane_of, uint32_t lanes)
{
	for (uint32_t i = 0; i < s->lanes; i++)
		ranks_clear(&s->lane[i]);
	free(s->lane);
	free(s->mixed);
	s->lanes = lanes;
	s->lane = mem_zero((lanes + 1) * sizeof *s->lane);
	s->mixed = mem_zero((lanes + 1) * sizeof *s->mixed);
	s->banded = false;
	struct ranks_walk walk = {0};
	for (uint32_t r; ranks_next(&p->bands.drawn, &walk, &r);)
		ranks_add(&s->lane[lane_of[r]], r);
	for (uint32_t i = 0; i < lanes; i++) {
		bool several = ranks_count(&s->lane[i]) > 1;
		s->banded |= several;
		s->mixed[i] = several && level == BANDS_BLOCKS;
	}
}

static int compare_hidden(const void *a, const void *b)
{
	const struct scene_hidden *x = a, *y = b;
	return x->item < y->item ? -1 : x->item > y->item;
}

static bool build(struct scene *s, struct plan *p, struct flows *f, const uint32_t *lane_of)
{
	empty_systems(s);
	s->depth_limit = p->depth;
	struct builder *b = builder_new(s, f, lane_of);
	uint32_t *all = arena_alloc(s->arena, (s->lanes + 1) * sizeof *all);
	for (uint32_t i = 0; i < s->lanes; i++)
		all[i] = i;
	bool good = builder_root(b, p->entry, p->entries, all, s->lanes);
	while (good && !builder_done(b) && s->items <= ITEMS_MOST)
		good = builder_next(b);
	builder_free(b);
	if (s->hiddens)
		qsort(s->hidden, s->hiddens, sizeof *s->hidden, compare_hidden);
	return good;
}

static bool build_on_roles(struct scene *s, struct plan *p, struct flows *f, uint32_t *lane_of)
{
	make_lanes(s, p, BANDS_ROLES, lane_of, bands_make(&p->bands, BANDS_ROLES, lane_of));
	if (!build(s, p, f, lane_of))
		return false;
	forms_add(s, p->labels);
	return true;
}

/* Bands as fine as they may be. */
static void build_on_lanes(struct scene *s, struct plan *p, struct flows *f, uint32_t *lane_of)
{
	bool many = ranks_count(&p->bands.drawn) >= VIZ_BANDS_FROM;
	p->bands.entry = p->entry;
	p->bands.entries = p->entries;
	p->bands.depth_limit = p->depth;
	if (s->folded && build_on_roles(s, p, f, lane_of))
		return;
	s->folded = NULL; /* it was not the program of this model */
	for (enum band_level level = many ? BANDS_RELATIVE : BANDS_NONE; level < BAND_LEVELS; level++) {
		uint32_t lanes = bands_make(&p->bands, level, lane_of);
		if (!lanes && ranks_count(&p->bands.drawn))
			continue;
		make_lanes(s, p, level, lane_of, lanes);
		if (build(s, p, f, lane_of))
			return;
	}
}

/* Less depth, then less of the root, until it fits. */
static void build_within_limits(struct scene *s, struct plan *p, struct flows *f, uint32_t *lane_of)
{
	build_on_lanes(s, p, f, lane_of);
	while (s->items > ITEMS_MOST && p->depth > 0) {
		s->limited = true;
		p->depth--;
		build_on_lanes(s, p, f, lane_of);
	}
	for (size_t keep = ITEMS_MOST / 2; s->items > ITEMS_MOST && keep > 0; keep /= 2) {
		if (p->entries <= 2 * keep)
			continue;
		struct plan shorter = *p;
		shorter.entry = mem_copy(p->entry, p->entries * sizeof *p->entry);
		cut(&shorter, keep, p->entries - keep);
		build_on_lanes(s, &shorter, f, lane_of);
		free(shorter.entry);
	}
}

static bool opened_exist(const struct viz_options *o, const struct model *m, struct error *error)
{
	if (!o->ranks.length)
		return true;
	uint32_t last = o->ranks.run[o->ranks.length - 1].last;
	if (last < m->processes)
		return true;
	if (!m->processes)
		return error_set(error, ERROR_INPUT, "--ranks: the model has no processes");
	return error_set(
		error, ERROR_INPUT, "--ranks: there is no rank %" PRIu32 ", the ranks are 0 to %" PRIu32, last, m->processes - 1);
}

static bool roles_are_few(struct plan *p, uint32_t *lane_of, struct error *error)
{
	p->bands.depth_limit = p->depth;
	return bands_make(&p->bands, BANDS_ROLES, lane_of) || !ranks_count(&p->bands.drawn) ||
	       error_set(error, ERROR_INPUT,
		       "the processes have more than %d roles, too many for lines of their own: fewer --depth, a part (--loop), or the "
		       "picture of the processes",
		       BANDS_MOST);
}

struct scene *scene_new(const struct model *m, const struct viz_options *o, struct error *error)
{
	if (!opened_exist(o, m, error))
		return NULL;
	struct scene *s = mem_zero(sizeof *s);
	s->model = m;
	s->times = times_new(o->time, o->times);
	s->arena = arena_new();
	s->folded = o->folded;
	struct plan p = {.depth_wanted = o->depth ? o->depth : NEST_DEPTH_LIMIT, .labels = o->labels};
	if (!o->loop) {
		whole_root(&p, m);
		s->prefix = mem_text("");
	} else if (!single_root(&p, s, o->loop, error)) {
		scene_free(s);
		return NULL;
	}
	s->coverage = nest_coverage_new(m, NULL);
	struct flows *f = flows_new(m);
	if (o->skip_short && !o->loop)
		cut_ends(&p, f);
	choose_depth(&p, s);
	find_drawn(&p, s, o->loop != NULL);
	ranks_intersect(&p.bands.opened, &p.bands.drawn, &o->ranks);
	p.bands.model = m;
	p.bands.folded = o->folded;
	p.bands.coverage = s->coverage;
	uint32_t *lane_of = mem_array(m->processes + 1, sizeof *lane_of);
	memset(lane_of, 0xff, (m->processes + 1) * sizeof *lane_of);
	s->lane_of = lane_of;
	bool good = !s->folded || roles_are_few(&p, lane_of, error);
	if (good)
		build_within_limits(s, &p, f, lane_of);
	flows_free(f);
	ranks_clear(&p.bands.drawn);
	ranks_clear(&p.bands.opened);
	free(p.entry);
	if (good)
		return s;
	scene_free(s);
	return NULL;
}

void scene_free(struct scene *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < s->lanes; i++)
		ranks_clear(&s->lane[i]);
	free(s->lane);
	free(s->mixed);
	free(s->system);
	free(s->item);
	free(s->link);
	free(s->hidden);
	free(s->sent);
	free(s->prefix);
	times_free(s->times);
	free((void *)s->lane_of);
	if (s->coverage)
		nest_coverage_free(s->coverage);
	arena_free(s->arena);
	free(s);
}

uint32_t scene_lane_index(const struct scene_system *s, uint32_t lane)
{
	uint32_t low = 0, high = s->lanes;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (s->lane[middle] < lane)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void scene_address(const struct scene *s, uint32_t item, struct text *out)
{
	const struct scene_item *i = &s->item[item];
	uint32_t owner = s->system[i->system].owner;
	if (owner == SCENE_NONE) {
		text_put(out, s->prefix);
	} else {
		scene_address(s, owner, out);
		text_char(out, '.');
	}
	text_number(out, i->index);
}

/* ------------------------------------------------------------------ messages that are not shown */

static int compare_flows(const void *a, const void *b)
{
	const struct scene_flow *x = a, *y = b;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

struct flow_list {
	struct scene_flow *flow;
	size_t length, capacity;
};

static void add_flow(struct flow_list *l, uint32_t from, uint32_t to, uint64_t count)
{
	if (from == SCENE_NONE || to == SCENE_NONE)
		return; /* to a process that has no line */
	l->flow = mem_grow(l->flow, &l->capacity, l->length + 1, sizeof *l->flow);
	l->flow[l->length++] = (struct scene_flow){from, to, count};
}

static size_t sum_equal(struct scene_flow *flow, size_t length)
{
	size_t kept = 0;
	if (length)
		qsort(flow, length, sizeof *flow, compare_flows);
	for (size_t i = 0; i < length; i++) {
		if (kept && !compare_flows(&flow[kept - 1], &flow[i]))
			flow[kept - 1].count = saturating_add(flow[kept - 1].count, flow[i].count);
		else
			flow[kept++] = flow[i];
	}
	return kept;
}

/* How often every loop runs, from the outer to the inner, which stand before them in the nest. */
static void flows_of_nodes(const struct scene *s, const node *nodes, size_t length, struct flow_list *list)
{
	const struct model *m = s->model;
	uint64_t *times = mem_zero((m->nest->loops + 1) * sizeof *times);
	size_t loop = m->nest->loops;
	uint64_t here = 1;
	struct body body = {nodes, length};
	for (;;) {
		for (size_t i = 0; i < body.length; i++) {
			node n = body.node[i];
			if (node_is_loop(n)) {
				times[n & ~NODE_LOOP] = saturating_add(times[n & ~NODE_LOOP], here);
				continue;
			}
			const struct event *e = dictionary_get_event(m->dictionary, n);
			if (e->kind == EVENT_SEND && e->peer < m->processes)
				add_flow(list, s->lane_of[e->process], s->lane_of[e->peer], here);
		}
		do {
			if (loop == 0) {
				free(times);
				return;
			}
		} while (!times[--loop]);
		here = saturating_multiply(times[loop], nest_get(m->nest, (node)loop | NODE_LOOP)->count);
		body = nest_body(m->nest, (node)loop | NODE_LOOP);
	}
}

static void flows_of_block(const struct scene *s, uint32_t item, struct flow_list *list)
{
	size_t low = 0, high = s->hiddens;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (s->hidden[middle].item < item)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < s->hiddens && s->hidden[low].item == item; low++)
		add_flow(list, s->hidden[low].flow.from, s->hidden[low].flow.to, s->hidden[low].flow.count);
}

struct scene_flow *scene_hidden_flow(const struct scene *s, uint32_t item, size_t *length)
{
	const struct scene_item *i = &s->item[item];
	struct flow_list list = {0};
	if (i->kind == ITEM_CUT)
		flows_of_nodes(s, s->model->nest->root + i->index, i->count, &list);
	else if (i->kind == ITEM_BLOCK)
		flows_of_block(s, item, &list);
	else if (i->kind == ITEM_LOOP && i->inside == SCENE_NONE)
		flows_of_nodes(s, (node[]){i->event}, 1, &list);
	*length = sum_equal(list.flow, list.length);
	return list.flow;
}
