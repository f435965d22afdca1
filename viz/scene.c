/*
 * scene.c -- what to show: which constructs, to which depth, on which lanes.
 *
 * Three limits keep a picture readable and small, whatever the program: many processes share lanes
 * (bands.h); loops are opened only as deep as the number of items allows; and a listing that is too
 * long by itself loses its middle. What is not shown leaves a mark.
 */
#include "viz/scene.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/binary_search.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/saturate.h"
#include "model/module_read.h"
#include "viz/bands.h"
#include "viz/build.h"
#include "viz/times.h"
#include "viz/traffic.h"
#include "viz/wording.h"

#define ITEMS_MOST 20000 /* in a picture */
#define CONSTRUCTS_MOST 4000000 /* looked at for it */

struct plan {
	struct entry *entry;
	size_t entries;
	uint32_t depth, depth_wanted;
	enum viz_labels labels;
	struct bands bands;
};

/* ------------------------------------------------------------------ the root */

static void list_root(struct plan *p, const struct drawn *d)
{
	p->entry = mem_array(d->module->lines + 2, sizeof *p->entry);
	for (size_t i = 0; i < d->module->lines; i = drawn_behind(d, i))
		p->entry[p->entries++] = (struct entry){i, drawn_behind(d, i), 0};
}

/* Replace entries from `first` up to `past` by a mark. They are all constructs. */
static void cut(struct plan *p, size_t first, size_t past)
{
	if (past <= first + 1)
		return; /* a mark takes as much room */
	p->entry[first] = (struct entry){p->entry[first].from, p->entry[past - 1].past, past - first};
	memmove(p->entry + first + 1, p->entry + past, (p->entries - past) * sizeof *p->entry);
	p->entries -= past - first - 1;
}

/*
 * Loops with a twentieth of all events matter. What stands before the first and after the last of
 * them is left out.
 */
static void cut_ends(struct plan *p, const struct drawn *d)
{
	uint64_t total = 0, most = 0;
	for (size_t i = 0; i < p->entries; i++) {
		bool loop = drawn_is_loop(d, p->entry[i].from);
		uint64_t events = d->events[p->entry[i].from];
		total = saturating_add(total, events);
		most = loop && events > most ? events : most;
	}
	uint64_t least = total / 20 < most ? total / 20 : most;
	size_t first = SIZE_MAX, past = 0;
	for (size_t i = 0; i < p->entries && most; i++) {
		size_t at = p->entry[i].from;
		if (!drawn_is_loop(d, at) || d->events[at] < least)
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

/* Statements by the number of loops around them, in the entries that are not cut. */
static uint64_t *count_by_depth(const struct plan *p, const struct drawn *d, uint32_t *depths)
{
	size_t height = node_of(d->module->store, d->module->body)->height;
	uint64_t *count = mem_zero((height + 2) * sizeof *count);
	size_t *past = mem_array(height + 1, sizeof *past); /* of the loops around */
	*depths = 0;
	for (size_t i = 0; i < p->entries; i++) {
		uint32_t depth = 0;
		for (size_t at = p->entry[i].from; !p->entry[i].cut && at < p->entry[i].past; at++) {
			while (depth && past[depth - 1] <= at)
				depth--;
			count[depth]++;
			if (drawn_is_loop(d, at))
				past[depth++] = drawn_behind(d, at);
			*depths = depth > *depths ? depth : *depths;
		}
	}
	free(past);
	return count;
}

/* The greatest depth within the limit. */
static void choose_depth(struct plan *p, struct scene *s)
{
	uint32_t depths;
	uint64_t *count = count_by_depth(p, s->drawn, &depths), listed = count[0];
	for (p->depth = 0; p->depth < p->depth_wanted && p->depth < depths; p->depth++) {
		listed += count[p->depth + 1];
		if (listed > CONSTRUCTS_MOST) {
			s->limited = true;
			break;
		}
	}
	free(count);
}

/* ------------------------------------------------------------------ lanes and systems */

static void find_shown(struct plan *p, struct scene *s, bool part)
{
	struct ranks all = rank_sets_get(s->drawn->sets, s->drawn->all);
	if (part)
		ranks_copy(&p->bands.shown, &all);
	else if (s->processes)
		ranks_add_run(&p->bands.shown, 0, s->processes - 1);
}

static void empty_systems(struct scene *s)
{
	s->items = s->links = s->systems = 0;
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
	for (uint32_t r; ranks_next(&p->bands.shown, &walk, &r);)
		ranks_add(&s->lane[lane_of[r]], r);
	for (uint32_t i = 0; i < lanes; i++) {
		bool several = ranks_count(&s->lane[i]) > 1;
		s->banded |= several;
		s->mixed[i] = several && level == BANDS_BLOCKS;
	}
}

/* Where there are more sends than receives, or the other way round. */
static void mark_lost(struct scene *s, const struct exchange *root)
{
	size_t channels = intern_count(s->drawn->ends.channels);
	bool *lost[2] = {mem_zero(channels + 1), mem_zero(channels + 1)}; /* receives, sends */
	for (size_t i = 0; i < root->opens; i++)
		lost[root->open[i].sends > root->open[i].receives][root->open[i].channel] = true;
	for (struct scene_item *i = s->item; i < s->item + s->items; i++)
		if (i->kind == ITEM_SEND || i->kind == ITEM_RECV)
			i->lost = lost[i->kind == ITEM_SEND][i->event.channel];
	free(lost[0]);
	free(lost[1]);
}

static bool build(struct scene *s, struct plan *p, const struct traffic *t)
{
	empty_systems(s);
	s->depth_limit = p->depth;
	struct builder *b = builder_new(s, t, p->labels);
	uint32_t *all = arena_alloc(s->arena, (s->lanes + (size_t)1) * sizeof *all);
	for (uint32_t i = 0; i < s->lanes; i++)
		all[i] = i;
	bool good = builder_root(b, p->entry, p->entries, all, s->lanes);
	while (good && !builder_done(b) && s->items <= ITEMS_MOST)
		good = builder_next(b);
	builder_free(b);
	if (!*s->part)
		mark_lost(s, traffic_root(t));
	return good;
}

static void build_on_roles(struct scene *s, struct plan *p, uint32_t *lane_of)
{
	make_lanes(s, p, BANDS_ROLES, lane_of, bands_make(&p->bands, BANDS_ROLES, lane_of));
	struct traffic *t = traffic_new(s->drawn, lane_of);
	bool good = build(s, p, t);
	assert(good);
	(void)good;
	wording_choose_sides(s);
	traffic_free(t);
}

/* Bands as fine as they may be. */
static void build_on_lanes(struct scene *s, struct plan *p, const struct traffic *t, uint32_t *lane_of)
{
	uint64_t shown = ranks_count(&p->bands.shown);
	p->bands.entry = p->entry;
	p->bands.entries = p->entries;
	p->bands.depth_limit = p->depth;
	if (s->roles) {
		build_on_roles(s, p, lane_of);
		return;
	}
	for (enum band_level level = shown >= VIZ_BANDS_FROM ? BANDS_RELATIVE : BANDS_NONE; level < BAND_LEVELS;
		level++) {
		uint32_t lanes = bands_make(&p->bands, level, lane_of);
		if (!lanes && shown)
			continue;
		make_lanes(s, p, level, lane_of, lanes);
		if (build(s, p, t))
			return;
	}
}

/* Less depth, then less of the root, until it fits. */
static void build_within_limits(struct scene *s, struct plan *p, const struct traffic *t, uint32_t *lane_of)
{
	build_on_lanes(s, p, t, lane_of);
	while (s->items > ITEMS_MOST && p->depth > 0) {
		s->limited = true;
		p->depth--;
		build_on_lanes(s, p, t, lane_of);
	}
	for (size_t keep = ITEMS_MOST / 2; s->items > ITEMS_MOST && keep > 0; keep /= 2) {
		if (p->entries <= 2 * keep)
			continue;
		struct plan shorter = *p;
		shorter.entry = mem_copy(p->entry, p->entries * sizeof *p->entry);
		cut(&shorter, keep, p->entries - keep);
		build_on_lanes(s, &shorter, t, lane_of);
		free(shorter.entry);
	}
}

static bool opened_exist(const struct viz_options *o, const struct module *m, struct error *error)
{
	if (!o->ranks.length)
		return true;
	uint32_t last = o->ranks.run[o->ranks.length - 1].last;
	if (last < m->processes)
		return true;
	if (!m->processes)
		return error_set(error, ERROR_INPUT, "--rank: the model has no processes");
	return error_set(error, ERROR_INPUT, "--rank: there is no rank %" PRIu32 ", the ranks are 0 to %" PRIu32, last,
		m->processes - 1);
}

static bool roles_are_few(struct plan *p, uint32_t *lane_of, struct error *error)
{
	p->bands.entry = p->entry;
	p->bands.entries = p->entries;
	p->bands.depth_limit = p->depth;
	return bands_make(&p->bands, BANDS_ROLES, lane_of) || !ranks_count(&p->bands.shown) ||
	       error_set(error, ERROR_INPUT,
		       "the processes have more than %d roles, too many for lines of their own: fewer --depth, a part (--loop), or "
		       "the "
		       "picture of the processes",
		       BANDS_MOST);
}

/* All of few processes; of a grid the corner, what is next to it, and the opposite side, along as many
   axes as there is room for: neighbours, so that messages are seen. */
static void add_representatives(const struct module *m, struct ranks *to)
{
	const struct grid line = {1, {m->processes}}, *grid = m->grid.axes ? &m->grid : &line;
	uint32_t axes = 0;
	for (uint32_t lines = 1; axes < grid->axes && lines * 3 <= VIZ_ROLE_LINES; axes++)
		lines *= 3;
	for (uint32_t rank = 0; rank < m->processes; rank++) {
		struct spot spot = grid_spot(grid, rank);
		bool chosen = true;
		for (uint32_t i = 0; i < grid->axes && chosen; i++)
			chosen = i < axes ? spot.axis[i] <= 1 || spot.axis[i] == grid->size[i] - 1 : !spot.axis[i];
		if (chosen || m->processes <= VIZ_ROLE_LINES)
			ranks_add(to, rank);
	}
}

/* What the options ask for. */
static bool choose_statements(
	struct scene *s, const struct module *text, const struct viz_options *o, struct error *error)
{
	s->part = o->loop ? o->loop : "";
	s->formula = o->formula;
	s->drawn = drawn_new(text, o->loop, !s->roles, error);
	if (!s->drawn)
		return false;
	s->share = times_shares(s->drawn, o->time, o->times);
	s->time_top = times_top(o->time, o->times);
	return true;
}

static struct scene *make_scene(const struct module *text, const struct viz_options *o, bool roles, struct error *error)
{
	struct scene *s = mem_zero(sizeof *s);
	s->processes = text->processes;
	s->roles = roles;
	s->arena = arena_new();
	if (!choose_statements(s, text, o, error)) {
		scene_free(s);
		return NULL;
	}
	struct plan p = {.depth_wanted = o->depth ? o->depth : UINT32_MAX, .labels = o->labels};
	list_root(&p, s->drawn);
	if (o->skip_short && !o->loop) {
		size_t all = p.entries;
		cut_ends(&p, s->drawn);
		if (o->skipped)
			*o->skipped = p.entries < all;
	}
	if (o->keep && p.entries > 2 * (size_t)o->keep)
		cut(&p, o->keep, p.entries - o->keep);
	choose_depth(&p, s);
	find_shown(&p, s, o->loop != NULL);
	struct ranks opened = {0};
	ranks_copy(&opened, &o->ranks);
	if (roles && !o->roles)
		add_representatives(text, &opened);
	ranks_intersect(&p.bands.opened, &p.bands.shown, &opened);
	ranks_clear(&opened);
	s->opened = p.bands.opened.length;
	p.bands.drawn = s->drawn;
	uint32_t *lane_of = mem_array(s->processes + (size_t)1, sizeof *lane_of);
	memset(lane_of, 0xff, (s->processes + (size_t)1) * sizeof *lane_of);
	s->lane_of = lane_of;
	bool good = !s->roles || roles_are_few(&p, lane_of, error);
	struct traffic *t = s->roles ? NULL : traffic_new(s->drawn, NULL);
	if (good)
		build_within_limits(s, &p, t, lane_of);
	traffic_free(t);
	ranks_clear(&p.bands.shown);
	ranks_clear(&p.bands.opened);
	free(p.entry);
	if (good)
		return s;
	scene_free(s);
	return NULL;
}

/* Written out process by process, what is irregular would be one iteration after the other. */
struct scene *scene_new(const struct module *text, const struct viz_options *o, struct error *error)
{
	struct error too_many = {0};
	if (!opened_exist(o, text, error))
		return NULL;
	bool irregular = !o->roles && drawn_is_irregular(text);
	struct scene *s = irregular ? make_scene(text, o, true, &too_many) : NULL;
	return s ? s : make_scene(text, o, o->roles, error);
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
	free(s->share);
	free((void *)s->lane_of);
	drawn_free(s->drawn);
	arena_free(s->arena);
	free(s);
}

uint32_t scene_lane_index(const struct scene_system *s, uint32_t lane)
{
	size_t at;
	SEARCH_FIRST(at, 0, s->lanes, s->lane[at] >= lane);
	return (uint32_t)at;
}

void scene_address(const struct scene *s, uint32_t item, struct text *out)
{
	drawn_address(s->drawn, s->item[item].statement, out);
}

/* ------------------------------------------------------------------ what events carry */

static const struct node *source_of(const struct scene *s, const struct scene_item *i)
{
	return drawn_source(s->drawn, scene_source(s, i));
}

static struct environment first_place(const struct scene *s, const struct scene_item *i)
{
	struct environment e = run_environment(s->drawn->source_run);
	environment_set(&e, s->lane[i->lane[0]].run->first);
	e.depth = s->drawn->written[scene_source(s, i)].loops;
	e.index = mem_zero((e.depth + 1) * sizeof *e.index);
	return e;
}

/* The event with the process put in what it carries. */
static node_id event_of_first(const struct scene *s, const struct scene_item *i)
{
	struct store *store = s->drawn->source->store;
	struct environment e = first_place(s, i);
	struct substitution put = {.store = store, .at = &e, .kept = USES_INDICES};
	const struct node *n = source_of(s, i);
	node_id *kid = mem_copy(n->kid, n->kids * sizeof *kid);
	uint32_t kids = COLUMNS;
	for (uint32_t k = COLUMNS; k < n->kids; k++) {
		const struct node *a = node_of(store, n->kid[k]);
		node_id number = a->kid[0] ? number_put(&put, a->kid[0]) : NODE_NONE;
		kid[kids] = number || !a->kid[0] ? attribute_of(store, a->word, number, a->kid[1]) : n->kid[k];
		kids += kid[kids] != NODE_NONE;
	}
	node_id event = node_make(store, NODE_EVENT, n->sub, n->word, n->number, kids, kid);
	free(e.index);
	free(kid);
	return event;
}

void scene_carried(const struct scene *s, uint32_t item, struct text *out)
{
	const struct scene_item *i = &s->item[item];
	const struct drawn *d = s->drawn;
	struct text bare = {0}, whole = {0};
	if (i->kind > ITEM_LOCAL || source_of(s, i)->kids == COLUMNS)
		return;
	const struct module_line *line = &d->written[scene_source(s, i)];
	node_id event = s->roles ? line->node : event_of_first(s, i);
	node_print_event(d->source, event, line->loops, 0, &bare);
	node_print_event(d->source, event, line->loops, ATTRIBUTES_ALL, &whole);
	text_put(out, whole.data + bare.length);
	text_clear(&bare);
	text_clear(&whole);
}

void scene_sites(const struct scene *s, uint32_t item, struct text *out)
{
	const struct module *m = s->drawn->source;
	const struct scene_item *i = &s->item[item];
	if (i->kind <= ITEM_LOOP)
		sites_print_paths(&m->places, m->sites[scene_source(s, i)], PATH_SHORT, out);
}

const char *scene_function(const struct scene *s, uint32_t item)
{
	const struct module *m = s->drawn->source;
	const struct scene_item *i = &s->item[item];
	const uint32_t *path;
	if (i->kind != ITEM_LOOP || sites_get(&m->places, m->sites[scene_source(s, i)], &path) != 1)
		return NULL;
	const char *words = path_site(&m->places, path[0]);
	struct site site = site_parts(words);
	const char *function = *site.function ? site.function : words;
	bool named = (*site.function || !site.line) && !site_parts(function).offset;
	return named ? function : NULL;
}

bool scene_size(const struct scene *s, uint32_t item, uint64_t *bytes)
{
	const struct scene_item *i = &s->item[item];
	const struct store *store = s->drawn->source->store;
	const struct node *n = i->kind <= ITEM_LOCAL ? source_of(s, i) : node_of(store, NODE_NONE);
	struct environment e = first_place(s, i);
	bool known = false;
	for (uint32_t k = COLUMNS; k < n->kids && !known; k++) {
		const struct node *a = node_of(store, n->kid[k]);
		if (strcmp(store_get_word(store, a->word), "bytes") != 0 || a->kid[1])
			continue;
		int64_t number = number_at(&e, a->kid[0]);
		known = !e.failure && number >= 0;
		*bytes = (uint64_t)number;
		e.failure = FAILURE_NONE;
	}
	free(e.index);
	return known;
}
