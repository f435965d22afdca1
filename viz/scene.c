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
#include "viz/bands.h"
#include "viz/build.h"
#include "viz/times.h"
#include "viz/traffic.h"
#include "viz/wording.h"

#define ITEMS_MOST 20000 /* in a picture */
#define CONSTRUCTS_MOST 4000000 /* looked at for it */

/* A channel with more of this kind of ends. */
struct open_channel {
	struct channel channel;
	uint32_t kind; /* enum event_kind */
};

struct plan {
	struct entry *entry;
	size_t entries;
	uint32_t depth, depth_wanted;
	enum viz_labels labels;
	struct bands bands;
};

/* ------------------------------------------------------------------ the root */

static void list_root(struct plan *p, const struct program *drawn)
{
	p->entry = mem_array(drawn->length + 2, sizeof *p->entry);
	for (size_t i = 0; i < drawn->length; i += statement_size(&drawn->statement[i]))
		p->entry[p->entries++] = (struct entry){i, i + statement_size(&drawn->statement[i]), 0};
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
		bool loop = statement_is_loop(&d->program->statement[p->entry[i].from]);
		uint64_t events = d->events[p->entry[i].from];
		total = saturating_add(total, events);
		most = loop && events > most ? events : most;
	}
	uint64_t least = total / 20 < most ? total / 20 : most;
	size_t first = SIZE_MAX, past = 0;
	for (size_t i = 0; i < p->entries && most; i++) {
		size_t at = p->entry[i].from;
		if (!statement_is_loop(&d->program->statement[at]) || d->events[at] < least)
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
static uint64_t *count_by_depth(const struct plan *p, const struct program *drawn, uint32_t *depths)
{
	uint32_t deepest = program_depth(drawn);
	uint64_t *count = mem_zero((deepest + (size_t)2) * sizeof *count);
	size_t *past = mem_array(deepest + (size_t)1, sizeof *past); /* of the loops around */
	for (size_t i = 0; i < p->entries; i++) {
		uint32_t depth = 0;
		for (size_t at = p->entry[i].from; !p->entry[i].cut && at < p->entry[i].past; at++) {
			while (depth && past[depth - 1] <= at)
				depth--;
			count[depth]++;
			if (statement_is_loop(&drawn->statement[at]))
				past[depth++] = at + drawn->statement[at].size;
		}
	}
	free(past);
	*depths = deepest;
	return count;
}

/* The greatest depth within the limit. */
static void choose_depth(struct plan *p, struct scene *s)
{
	uint32_t depths;
	uint64_t *count = count_by_depth(p, s->drawn->program, &depths), listed = count[0];
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
	struct ranks all = coverage_of_all(s->drawn->coverage);
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

/* More sends than receives, or the other way round. */
static struct intern *open_channels(const struct exchange *root)
{
	struct intern *open = intern_new_keys(sizeof(struct open_channel));
	for (size_t i = 0; i < root->opens; i++) {
		const struct channel_sum *sum = &root->open[i];
		struct open_channel key = {sum->channel, sum->sends > sum->receives ? EVENT_SEND : EVENT_RECV};
		intern_id(open, &key, sizeof key);
	}
	return open;
}

static void mark_lost(struct scene *s, const struct exchange *root)
{
	const struct dictionary *d = scene_dictionary(s);
	struct intern *open = open_channels(root);
	for (size_t i = 0; i < s->items; i++) {
		struct scene_item *item = &s->item[i];
		if (item->kind != ITEM_SEND && item->kind != ITEM_RECV)
			continue;
		const struct event *e = dictionary_get_event(d, item->event);
		bool sends = item->kind == ITEM_SEND;
		struct open_channel key = {
			{sends ? e->process : e->peer, sends ? e->peer : e->process, e->subject}, e->kind};
		item->lost = intern_find(open, &key, sizeof key) != INTERN_NONE;
	}
	intern_free(open);
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
	struct traffic *t = traffic_new(s->drawn, lane_of, s->lanes);
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

static bool opened_exist(const struct viz_options *o, const struct program *m, struct error *error)
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
static void add_representatives(const struct program *program, struct ranks *to)
{
	const struct grid line = {1, {program->processes}}, *grid = program->grid.axes ? &program->grid : &line;
	uint32_t axes = 0;
	for (uint32_t lines = 1; axes < grid->axes && lines * 3 <= VIZ_ROLE_LINES; axes++)
		lines *= 3;
	for (uint32_t rank = 0; rank < program->processes; rank++) {
		struct spot spot = grid_spot(grid, rank);
		bool chosen = true;
		for (uint32_t i = 0; i < grid->axes && chosen; i++)
			chosen = i < axes ? spot.axis[i] <= 1 || spot.axis[i] == grid->size[i] - 1 : !spot.axis[i];
		if (chosen || program->processes <= VIZ_ROLE_LINES)
			ranks_add(to, rank);
	}
}

/* What the options ask for. */
static bool choose_statements(
	struct scene *s, const struct program *program, const struct viz_options *o, struct error *error)
{
	size_t from = 0, past = program->length;
	if (o->loop) {
		if (!program_find(program, o->loop, &from, error))
			return false;
		past = from + statement_size(&program->statement[from]);
	}
	s->part = mem_text(o->loop ? o->loop : "");
	s->drawn = drawn_new(program, from, past, !s->roles, error);
	if (!s->drawn)
		return false;
	s->share = times_shares(s->drawn, o->time, o->times);
	s->time_top = times_top(o->time, o->times);
	return true;
}

static struct scene *make_scene(
	const struct program *program, const struct viz_options *o, bool roles, struct error *error)
{
	struct scene *s = mem_zero(sizeof *s);
	s->processes = program->processes;
	s->roles = roles;
	s->arena = arena_new();
	if (!choose_statements(s, program, o, error)) {
		scene_free(s);
		return NULL;
	}
	struct plan p = {.depth_wanted = o->depth ? o->depth : NEST_DEPTH_LIMIT, .labels = o->labels};
	list_root(&p, s->drawn->program);
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
		add_representatives(program, &opened);
	ranks_intersect(&p.bands.opened, &p.bands.shown, &opened);
	ranks_clear(&opened);
	s->opened = p.bands.opened.length;
	p.bands.drawn = s->drawn;
	uint32_t *lane_of = mem_array(s->processes + (size_t)1, sizeof *lane_of);
	memset(lane_of, 0xff, (s->processes + (size_t)1) * sizeof *lane_of);
	s->lane_of = lane_of;
	bool good = !s->roles || roles_are_few(&p, lane_of, error);
	struct traffic *t = s->roles ? NULL : traffic_new(s->drawn, NULL, 0);
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
struct scene *scene_new(const struct program *program, const struct viz_options *o, struct error *error)
{
	struct error too_many = {0};
	if (!opened_exist(o, program, error))
		return NULL;
	bool irregular = !o->roles && drawn_is_irregular(program);
	struct scene *s = irregular ? make_scene(program, o, true, &too_many) : NULL;
	return s ? s : make_scene(program, o, o->roles, error);
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
	free(s->part);
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

static const struct statement *source_of(const struct scene *s, const struct scene_item *i)
{
	return &s->drawn->source->statement[s->drawn->origin[i->statement]];
}

/* The attributes of the statement that an event comes from. */
static size_t carried_by(const struct scene *s, const struct scene_item *i, struct attribute *attribute)
{
	return i->kind <= ITEM_LOCAL ? program_get_attributes(s->drawn->source, source_of(s, i)->attributes, attribute)
				     : 0;
}

static struct spot first_spot(const struct scene *s, const struct scene_item *i)
{
	return grid_spot(&s->drawn->source->grid, s->lane[i->lane[0]].run->first);
}

void scene_carried(const struct scene *s, uint32_t item, struct text *out)
{
	const struct scene_item *i = &s->item[item];
	struct attribute attribute[ATTRIBUTES_MOST];
	size_t count = carried_by(s, i, attribute);
	for (size_t k = 0; k < count; k++) {
		struct spot spot = first_spot(s, i);
		if (!s->roles)
			value_put_process(&attribute[k].value, &spot);
		text_put(out, k ? " " : " ; ");
		attribute_print(s->drawn->source, &attribute[k], out);
	}
}

void scene_sites(const struct scene *s, uint32_t item, struct text *out)
{
	const struct scene_item *i = &s->item[item];
	if (i->kind <= ITEM_LOOP)
		sites_print_paths(&s->drawn->source->places, source_of(s, i)->sites, PATH_SHORT, out);
}

const char *scene_function(const struct scene *s, uint32_t item)
{
	const struct scene_item *i = &s->item[item];
	const uint32_t *path;
	if (i->kind != ITEM_LOOP || sites_get(&s->drawn->source->places, source_of(s, i)->sites, &path) != 1)
		return NULL;
	const char *words = path_site(&s->drawn->source->places, path[0]);
	struct site site = site_parts(words);
	const char *function = *site.function ? site.function : words;
	bool named = (*site.function || !site.line) && !site_parts(function).offset;
	return named ? function : NULL;
}

bool scene_size(const struct scene *s, uint32_t item, uint64_t *bytes)
{
	static const int64_t first[INDEX_DEPTH];
	const struct scene_item *i = &s->item[item];
	struct attribute attribute[ATTRIBUTES_MOST];
	for (size_t k = carried_by(s, i, attribute); k-- > 0;) {
		const char *name = dictionary_get_word(s->drawn->source->dictionary, attribute[k].name);
		struct spot spot = first_spot(s, i);
		int64_t number;
		spot.index = first;
		if (strcmp(name, "bytes") || attribute[k].choices != CHOICES_NONE ||
			!value_fits(&attribute[k].value, &spot, &number) || number < 0)
			continue;
		*bytes = (uint64_t)number;
		return true;
	}
	return false;
}
