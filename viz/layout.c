/*
 * layout.c -- columns by Lamport clocks, slots by lane_order.h, heights by what has to stand
 * between the lines.
 *
 * Columns are relative to the start of the enclosing system (the paper, section IV). Each slot has
 * a clock, the column where it is free again. An event takes the next column of its slot, a receive
 * also one behind its send; a collective and a box take the latest clock over all the slots that
 * they cross, so that nothing else stands there. Where lanes change their order, the slots
 * concerned wait for each other. A body is placed from 0 and its box is as wide as it; hence inside
 * out.
 *
 * Heights: above a line there is room for the headings of all boxes that begin at its slot, one
 * inside the other, and for the names of collectives; the most that any place in the picture needs,
 * so that slots are level everywhere.
 */
#include "viz/layout.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/binary_search.h"
#include "base/compare.h"
#include "base/intern.h"
#include "base/mem.h"
#include "model/sets.h"
#include "viz/lane_order.h"
#include "viz/times.h"

#define HALF 6.0 /* between a line and the frame of a box around it */
#define GAP 4.0 /* between frames of boxes on neighbouring slots */
#define NAME 10.0 /* of a collective */
#define WORDS 8.5 /* of a message */
#define WORDS_GAP 0.4 /* columns between them */
#define BUNDLE_ROOM 2.5 /* columns between loops that exchange messages but were not joined */
#define CLEARED_MOST 1000 /* items of a picture in which bundles are kept clear of the loops that they pass */
#define UPRIGHT 23 /* bundles between loops that run side by side; more say nothing to anybody */
#define FOOT 2.5 /* between the lower frames of boxes inside each other */

/* ------------------------------------------------------------------ texts */

double text_width(const char *text, double size)
{
	/* Hundredths of the size, from the blank on, of DejaVu Sans, the widest font that stands
	   for Helvetica. */
	static const unsigned char wide['~' - ' ' + 1] = {32, 41, 46, 84, 64, 95, 78, 28, 39, 39, 50, 84, 32, 37, 32,
		34, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 34, 34, 84, 84, 84, 54, 100, 69, 69, 70, 77, 64, 58, 78, 76,
		30, 30, 66, 56, 87, 75, 79, 61, 79, 70, 64, 62, 74, 69, 99, 69, 62, 69, 39, 34, 39, 84, 50, 50, 62, 64,
		55, 64, 62, 36, 64, 64, 28, 28, 58, 28, 98, 64, 62, 64, 64, 42, 53, 40, 64, 60, 82, 60, 60, 53, 64, 34,
		64, 84};
	enum { OTHER = 100 };
	unsigned sum = 0;
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;
		if (c < 0x80 || c >= 0xc0) /* else inside a character */
			sum += c >= ' ' && c <= '~' ? wide[c - ' '] : OTHER;
	}
	return sum * size / 100;
}

/*
 * Where to cut what stands from `start` on, so that at most so many bytes of it stay: before a
 * comma outside of groups. `start` if there is none.
 */
static size_t cut_of(const struct text *text, size_t start, size_t most)
{
	size_t cut = start;
	unsigned depth = 0;
	for (size_t at = start; at < text->length && at <= start + most; at++) {
		char c = text->data[at];
		if (c == '(')
			depth++;
		else if (c == ')')
			depth--;
		else if (c == ',' && !depth)
			cut = at;
	}
	return cut;
}

/* Of a set that is long however it is written: its first runs. */
static void shorten(const struct ranks *set, struct text *out, size_t start)
{
	enum { LONGEST = 16, LONGEST_GROUP = 24, RUNS = 3 };
	if (out->length - start <= LONGEST)
		return;
	size_t cut = cut_of(out, start, LONGEST - 2);
	if (cut == start && cut_of(out, start, SIZE_MAX - start) == start && out->length - start <= LONGEST_GROUP)
		return; /* a group that says it all: "(129-254)+128*126" */
	if (cut == start) {
		struct ranks first = {set->run, set->length < RUNS ? set->length : RUNS, 0};
		text_truncate(out, start);
		ranks_print(&first, out);
		cut = cut_of(out, start, LONGEST - 2);
		if (cut == start)
			cut = start + strcspn(out->data + start, ",");
	}
	text_truncate(out, cut);
	text_put(out, ", …");
}

/* Of an extent that stands for every one: the upper half counts from the end. */
static void put_coordinate(uint32_t value, uint32_t extent, const char *name, struct text *out)
{
	if (value < extent / 2)
		text_format(out, "%" PRIu32, value);
	else
		text_format(out, "%s-%" PRIu32, name, extent - value);
}

static void put_interval(uint32_t first, uint32_t last, uint32_t extent, const char *name, struct text *out)
{
	put_coordinate(first, extent, name, out);
	if (last > first)
		text_put(out, "..");
	if (last > first)
		put_coordinate(last, extent, name, out);
}

/* "x=0, y=1..Y-2" where the set is a box of the grid. */
static bool put_box(const struct ranks *set, const struct grid *grid, struct text *out)
{
	uint32_t least[GRID_AXES], most[GRID_AXES] = {0}, rank;
	struct ranks_walk walk = {0};
	uint64_t all = 1;
	memset(least, 0xff, sizeof least);
	while (ranks_next(set, &walk, &rank)) {
		struct spot spot = grid_spot(grid, rank);
		for (uint32_t i = 0; i < grid->axes; i++) {
			least[i] = spot.axis[i] < least[i] ? (uint32_t)spot.axis[i] : least[i];
			most[i] = spot.axis[i] > most[i] ? (uint32_t)spot.axis[i] : most[i];
		}
	}
	for (uint32_t i = 0; i < grid->axes; i++)
		all *= most[i] - least[i] + 1;
	if (all != ranks_count(set))
		return false;
	size_t start = out->length;
	for (uint32_t i = 0; i < grid->axes; i++) {
		char name[] = {"XYZW"[i], 0};
		if (!least[i] && most[i] + 1 == grid->size[i])
			continue;
		text_format(out, "%s%c=", out->length > start ? ", " : "", "xyzw"[i]);
		put_interval(least[i], most[i], grid->size[i], name, out);
	}
	text_put(out, out->length == start ? "all" : "");
	return true;
}

static void put_role(const struct scene *s, const struct ranks *set, struct text *out)
{
	const struct module *p = s->drawn->source;
	if (p->grid.axes && put_box(set, &p->grid, out))
		return;
	if (p->grid.axes) {
		set_print(set, &p->grid, p->processes, out);
		return;
	}
	for (size_t i = 0; i < set->length; i++) {
		text_put(out, i ? ", " : "");
		put_interval(set->run[i].first, set->run[i].last, p->processes, "P", out);
	}
}

void lane_name(const struct scene *s, uint32_t lane, struct text *out)
{
	const struct ranks *set = &s->lane[lane];
	size_t start = out->length;
	if (s->formula) {
		put_role(s, set, out);
		return;
	}
	(s->roles ? ranks_print_short : ranks_print)(set, out);
	uint64_t ranks = ranks_count(set);
	if (ranks < 2)
		return;
	shorten(set, out, start);
	if (set->length > 1)
		text_format(out, " (%" PRIu64 ")", ranks);
}

void text_grouped(struct text *out, uint64_t number)
{
	if (number >= 1000) {
		text_grouped(out, number / 1000);
		text_format(out, ",%03" PRIu64, number % 1000);
	} else {
		text_number(out, number);
	}
}

void item_label(const struct scene *s, uint32_t item, struct text *out)
{
	const struct scene_item *i = &s->item[item];
	if (i->kind == ITEM_LOOP) {
		if (i->words)
			text_put(out, i->words);
		else
			text_grouped(out, i->count);
		text_put(out, i->counted ? " ×" : "");
		const char *function = i->inside == SCENE_NONE ? scene_function(s, item) : NULL;
		if (i->inside == SCENE_NONE)
			text_put(out, " …");
		if (function)
			text_format(out, " %s", function);
		if (i->multiplicity > 1)
			text_format(out, "  (%" PRIu64 " alike)", i->multiplicity);
		if (i->share >= 0) {
			text_put(out, "  ");
			times_print(i->share, out);
		}
	} else if (i->kind == ITEM_CUT) {
		text_grouped(out, i->count);
		text_put(out, i->count == 1 ? " construct left out" : " constructs left out");
	} else if (i->words) {
		text_put(out, i->words);
	} else if (i->kind == ITEM_SYNC) {
		text_put(out, drawn_word(s->drawn, i->statement));
		if (i->multiplicity > 1 && s->banded)
			text_format(out, " (%" PRIu64 ")", i->multiplicity);
	} else if (i->kind == ITEM_BLOCK) {
		text_grouped(out, i->count);
	}
}

static double label_width(const struct scene *s, uint32_t item, double size)
{
	struct text text = {0};
	item_label(s, item, &text);
	double width = text_width(text.data ? text.data : "", size);
	text_clear(&text);
	return width;
}

/* ------------------------------------------------------------------ columns */

static double larger(double a, double b)
{
	return a > b ? a : b;
}

/* Placing one system. Slots are counted from its first. */
struct placing {
	struct layout *layout;
	const struct scene_system *system;
	const struct ordering *ordering;
	uint32_t base; /* its first slot */
	double *clock; /* per slot: where it is free again */
	double *solid; /* per slot: where the last frame or name over its line ends */
	const uint32_t *slot; /* per lane of the system: where it is now */
	double labels; /* columns that the names of lanes take at the left of a box */
	uint32_t *link_first, *link; /* messages by the item that they go to */
};

static double arrange(struct layout *l, uint32_t system, const uint32_t *entry, uint32_t base);

static double latest(const double *clock, uint32_t top, uint32_t bottom)
{
	double x = 0;
	for (uint32_t i = top; i <= bottom; i++)
		x = clock[i] > x ? clock[i] : x;
	return x;
}

static void set_clock(double *clock, uint32_t top, uint32_t bottom, double x)
{
	for (uint32_t i = top; i <= bottom; i++)
		clock[i] = x;
}

static void add_moves(struct placing *p, const uint32_t *to, uint32_t top, uint32_t bottom)
{
	struct layout *l = p->layout;
	uint32_t farthest = 0;
	for (uint32_t i = 0; i < p->system->lanes; i++)
		if (p->slot[i] >= top && p->slot[i] <= bottom) {
			uint32_t far = p->slot[i] > to[i] ? p->slot[i] - to[i] : to[i] - p->slot[i];
			farthest = far > farthest ? far : farthest;
		}
	double x0 = latest(p->clock, top, bottom) + 0.7, x1 = x0 + 2.5 + (farthest < 40 ? farthest : 40) * 0.22;
	for (uint32_t i = 0; i < p->system->lanes; i++)
		if (p->slot[i] >= top && p->slot[i] <= bottom && p->slot[i] != to[i]) {
			l->move = mem_grow(l->move, &l->move_capacity, l->moves + 1, sizeof *l->move);
			uint32_t system = (uint32_t)(p->system - l->scene->system);
			l->move[l->moves++] = (struct move){
				p->system->lane[i], p->base + p->slot[i], p->base + to[i], system, x0, x1};
		}
	set_clock(p->clock, top, bottom, x1);
}

/*
 * Lanes change places only inside groups of slots that are closed under the change: no group waits
 * for another.
 */
static void reorder(struct placing *p, const uint32_t *to)
{
	uint32_t lanes = p->system->lanes;
	uint32_t *target = mem_array(lanes + 1, sizeof *target);
	for (uint32_t i = 0; i < lanes; i++)
		target[p->slot[i]] = to[i];
	for (uint32_t top = 0, reach, i; top < lanes; top = reach + 1) {
		for (i = top, reach = target[top]; i <= reach; i++)
			reach = target[i] > reach ? target[i] : reach;
		if (reach > top)
			add_moves(p, to, top, reach);
	}
	free(target);
	p->slot = to;
}

/* Which slots an item takes. */
static void find_slots(struct placing *p, uint32_t item)
{
	const struct scene_item *i = &p->layout->scene->item[item];
	struct place_of_item *place = &p->layout->item[item];
	uint32_t *slot = arena_alloc(p->layout->arena, i->lanes * sizeof *slot);
	place->top = UINT32_MAX;
	for (uint32_t k = 0; k < i->lanes; k++) {
		slot[k] = p->slot[scene_lane_index(p->system, i->lane[k])];
		place->top = slot[k] < place->top ? slot[k] : place->top;
		place->bottom = slot[k] > place->bottom ? slot[k] : place->bottom;
		slot[k] += p->base;
		place->odd |= slot[k] != i->lane[k];
	}
	place->slot = slot;
}

/* Of the names of all lanes, where any is not in its usual slot: boxes of some of them stay in
   line. */
static double rank_label_columns(const struct layout *l, const struct placing *p)
{
	double widest = 0;
	bool odd = false;
	for (uint32_t k = 0; k < p->system->lanes; k++) {
		struct text name = {0};
		odd |= p->base + p->slot[k] != p->system->lane[k];
		lane_name(l->scene, p->system->lane[k], &name);
		double width = name.length ? text_width(name.data, FONT_SMALL) : 0;
		widest = width > widest ? width : widest;
		text_clear(&name);
	}
	return odd ? widest / l->column + 0.3 : 0;
}

/* Loops that exchange messages in both directions run side by side. */
static bool is_answered(const struct placing *p, const struct scene_link *link)
{
	uint32_t k = link->from - p->system->first_item;
	bool answered = false;
	for (uint32_t i = p->link_first[k]; i < p->link_first[k + 1] && !answered; i++)
		answered = p->layout->scene->link[p->link[i]].from == link->to;
	return answered;
}

/*
 * Where the item may begin for the messages that it gets; events have to wait a column for theirs.
 */
static double after_messages(const struct placing *p, uint32_t item)
{
	const struct layout *l = p->layout;
	uint32_t k = item - p->system->first_item;
	double x = 0;
	for (uint32_t i = p->link_first[k]; i < p->link_first[k + 1]; i++) {
		const struct scene_link *link = &l->scene->link[p->link[i]];
		const struct place_of_item *from = &l->item[link->from];
		if (from->x0 >= 0 && (link->single || !is_answered(p, link)))
			x = larger(x, link->single ? from->x0 + 1 : from->x1 + BUNDLE_ROOM);
	}
	return x;
}

static void place_box(struct placing *p, uint32_t item)
{
	struct layout *l = p->layout;
	const struct scene_item *i = &l->scene->item[item];
	struct place_of_item *place = &l->item[item];
	double width = (label_width(l->scene, item, FONT_TEXT) + 8) / l->column, inner = 0;
	width = width > 2 ? width : 2;
	if (i->inside != SCENE_NONE) {
		const struct scene_system *body = &l->scene->system[i->inside];
		uint32_t *entry = mem_array(body->lanes + 1, sizeof *entry);
		for (uint32_t k = 0; k < body->lanes; k++)
			entry[k] = place->slot[k] - p->base - place->top;
		inner = arrange(l, i->inside, entry, p->base + place->top);
		free(entry);
	}
	width = inner > width ? inner : width;
	double x = latest(p->clock, place->top, place->bottom) + 1;
	double frame = latest(p->solid, place->top, place->bottom) + 0.6;
	x = frame > x ? frame : x;
	x += p->labels;
	double message = after_messages(p, item);
	place->x0 = message > x ? message : x;
	place->x1 = place->x0 + width;
	set_clock(p->clock, place->top, place->bottom, place->x1);
	set_clock(p->solid, place->top, place->bottom, place->x1);
}

static void place_across(struct placing *p, uint32_t item)
{
	struct layout *l = p->layout;
	struct place_of_item *place = &l->item[item];
	bool sync = l->scene->item[item].kind == ITEM_SYNC;
	double half = (label_width(l->scene, item, FONT_TEXT) / 2 + 3) / l->column, around = sync ? 0 : 0.5;
	double x = latest(p->clock, place->top, place->bottom) + 1 + around;
	x = larger(x, p->solid[place->top] + half);
	place->x0 = x - around;
	place->x1 = x + around;
	set_clock(p->clock, place->top, place->bottom, place->x1);
	p->solid[place->top] = x + half;
}

static void place_event(struct placing *p, uint32_t item)
{
	struct place_of_item *place = &p->layout->item[item];
	double x = larger(p->clock[place->top] + 1, after_messages(p, item)), half = 0;
	if (p->layout->scene->item[item].words) {
		half = label_width(p->layout->scene, item, FONT_SMALL * 1.08) / 2 / p->layout->column;
		x = larger(x, p->solid[place->top] + WORDS_GAP + half);
		p->solid[place->top] = x + half;
	}
	place->x0 = place->x1 = x;
	p->clock[place->top] = x;
}

static void place_item(struct placing *p, uint32_t item)
{
	find_slots(p, item);
	enum item_kind kind = p->layout->scene->item[item].kind;
	if (kind == ITEM_LOOP || kind == ITEM_BLOCK)
		place_box(p, item);
	else if (kind == ITEM_SYNC || kind == ITEM_CUT)
		place_across(p, item);
	else
		place_event(p, item);
	p->layout->item[item].top += p->base;
	p->layout->item[item].bottom += p->base;
}

static void index_links(struct placing *p)
{
	const struct scene_system *s = p->system;
	const struct scene *scene = p->layout->scene;
	p->link_first = mem_zero((s->items + 2) * sizeof *p->link_first);
	p->link = mem_array(s->links + 1, sizeof *p->link);
	for (uint32_t i = 0; i < s->links; i++)
		p->link_first[scene->link[s->first_link + i].to - s->first_item + 1]++;
	for (uint32_t i = 0; i < s->items; i++)
		p->link_first[i + 1] += p->link_first[i];
	uint32_t *at = mem_copy(p->link_first, (s->items + 1) * sizeof *at);
	for (uint32_t i = 0; i < s->links; i++)
		p->link[at[scene->link[s->first_link + i].to - s->first_item]++] = s->first_link + i;
	free(at);
}

/* Place the items of a system from column 0; gives its width. */
static double arrange(struct layout *l, uint32_t system, const uint32_t *entry, uint32_t base)
{
	struct placing p = {.layout = l, .system = &l->scene->system[system], .base = base, .slot = entry};
	uint32_t lanes = p.system->lanes;
	bool body = p.system->owner != SCENE_NONE;
	struct ordering *o = ordering_new(l->scene, system, entry, body);
	p.ordering = o;
	p.clock = mem_zero((lanes + 1) * sizeof *p.clock);
	p.solid = mem_zero((lanes + 1) * sizeof *p.solid);
	index_links(&p);
	l->crossings += o->crossings;
	l->crossings_plain += o->crossings_plain;
	for (uint32_t s = 0; s < o->stretches; s++) {
		if (o->stretch[s].moved)
			reorder(&p, o->stretch[s].slot);
		if (s == 0 && lanes) /* lanes that stay where they are begin with those that move */
			set_clock(p.clock, 0, lanes - 1, latest(p.clock, 0, lanes - 1));
		p.labels = rank_label_columns(l, &p);
		for (uint32_t i = 0; i < o->stretch[s].items; i++)
			place_item(&p, o->item[o->stretch[s].first + i]);
	}
	if (body && lanes && memcmp(p.slot, entry, lanes * sizeof *entry) != 0)
		reorder(&p, entry);
	double width = lanes ? larger(latest(p.clock, 0, lanes - 1) + 1, latest(p.solid, 0, lanes - 1) + 0.3) : 1;
	l->system_width[system] = width;
	free(p.clock);
	free(p.solid);
	free(p.link_first);
	free(p.link);
	ordering_free(o);
	return width;
}

/* ------------------------------------------------------------------ the whole */

static void shift_systems(struct layout *l)
{
	const struct scene *s = l->scene;
	for (size_t i = 0; i < s->systems; i++) { /* outer systems stand before inner ones */
		const struct scene_system *y = &s->system[i];
		l->system_x[i] = y->owner == SCENE_NONE ? 0 : l->item[y->owner].x0;
		for (uint32_t k = 0; k < y->items; k++) {
			l->item[y->first_item + k].x0 += l->system_x[i];
			l->item[y->first_item + k].x1 += l->system_x[i];
		}
	}
	for (size_t i = 0; i < l->moves; i++) {
		l->move[i].x0 += l->system_x[l->move[i].system];
		l->move[i].x1 += l->system_x[l->move[i].system];
	}
}

static void scale_columns(struct layout *l)
{
	for (size_t i = 0; i < l->scene->items; i++) {
		l->item[i].x0 *= l->column;
		l->item[i].x1 *= l->column;
	}
	for (size_t i = 0; i < l->scene->systems; i++) {
		l->system_x[i] *= l->column;
		l->system_width[i] *= l->column;
	}
	for (size_t i = 0; i < l->moves; i++) {
		l->move[i].x0 *= l->column;
		l->move[i].x1 *= l->column;
	}
}

static int compare_moves(const void *a, const void *b)
{
	const struct move *x = a, *y = b;
	return x->lane != y->lane ? COMPARE(x->lane, y->lane) : COMPARE(x->x0, y->x0);
}

static void sort_moves(struct layout *l)
{
	if (l->moves)
		qsort(l->move, l->moves, sizeof *l->move, compare_moves);
	l->first_move = mem_zero((l->slots + 2) * sizeof *l->first_move);
	for (size_t i = 0; i < l->moves; i++)
		l->first_move[l->move[i].lane + 1]++;
	for (uint32_t i = 0; i < l->slots; i++)
		l->first_move[i + 1] += l->first_move[i];
}

/*
 * Room that an item needs above the line of its first slot and below that of its last; of boxes,
 * with all that is in them.
 */
static void stack_frames(const struct layout *l, double *up, double *down)
{
	const struct scene *s = l->scene;
	for (size_t i = s->items; i-- > 0;) { /* inner items stand behind outer ones */
		const struct scene_item *item = &s->item[i];
		const struct place_of_item *place = &l->item[i];
		if (item->kind == ITEM_SYNC || item->kind == ITEM_CUT)
			up[i] = larger(up[i], NAME);
		else if (item->words && item->kind != ITEM_LOOP)
			*(item->below ? &down[i] : &up[i]) = WORDS;
		if (item->kind == ITEM_LOOP) {
			up[i] += HEADING;
			down[i] += FOOT;
		}
		uint32_t owner = s->system[item->system].owner;
		if (owner == SCENE_NONE)
			continue;
		if (l->item[owner].top == place->top)
			up[owner] = larger(up[owner], up[i]);
		if (l->item[owner].bottom == place->bottom)
			down[owner] = larger(down[owner], down[i]);
	}
}

static void give_heights(struct layout *l)
{
	const struct scene *s = l->scene;
	double *up = mem_zero((s->items + 1) * sizeof *up), *down = mem_zero((s->items + 1) * sizeof *down);
	double *slot_up = mem_zero((l->slots + 1) * sizeof *slot_up),
	       *slot_down = mem_zero((l->slots + 1) * sizeof *slot_down);
	stack_frames(l, up, down);
	for (size_t i = 0; i < s->items; i++) {
		slot_up[l->item[i].top] = larger(slot_up[l->item[i].top], up[i]);
		slot_down[l->item[i].bottom] = larger(slot_down[l->item[i].bottom], down[i]);
	}
	double y = 0;
	for (uint32_t i = 0; i < l->slots; i++) {
		y += HALF + slot_up[i] + (i ? HALF + GAP + slot_down[i - 1] : 0);
		l->slot_y[i] = y;
	}
	l->height = l->slots ? y + HALF + slot_down[l->slots - 1] : 0;
	for (size_t i = 0; i < s->items; i++) {
		struct place_of_item *p = &l->item[i];
		enum item_kind kind = s->item[i].kind;
		bool framed = kind == ITEM_LOOP || kind == ITEM_BLOCK || kind == ITEM_CUT;
		p->y0 = l->slot_y[p->top] - (framed ? HALF + (kind == ITEM_LOOP ? up[i] : 0) : 0);
		p->y1 = l->slot_y[p->bottom] + (framed ? HALF + (kind == ITEM_LOOP ? down[i] : 0) : 0);
	}
	free(up);
	free(down);
	free(slot_up);
	free(slot_down);
}

/* ------------------------------------------------------------------ boxes that are alike */

/* Boxes with this label that begin at one place of a system, as an id. */
static uint32_t stack_of(const struct layout *l, struct intern *stacks, uint32_t item)
{
	const double x0 = l->item[item].x0;
	struct text key = {0};
	text_add(&key, (const char *)&l->scene->item[item].system, sizeof l->scene->item[item].system);
	text_add(&key, (const char *)&x0, sizeof x0);
	item_label(l->scene, item, &key);
	uint32_t id = intern_id(stacks, key.data, key.length);
	text_clear(&key);
	return id;
}

/* Of several, the uppermost tells what they are. */
static void tell_once(struct layout *l)
{
	struct intern *stacks = intern_new();
	uint32_t *stack = mem_array(l->scene->items + 1, sizeof *stack),
		 *first = mem_array(l->scene->items + 1, sizeof *first);
	for (uint32_t i = 0; i < l->scene->items; i++) {
		if (l->scene->item[i].kind != ITEM_LOOP)
			continue;
		uint32_t known = intern_count(stacks);
		stack[i] = stack_of(l, stacks, i);
		if (stack[i] == known || l->item[i].top < l->item[first[stack[i]]].top)
			first[stack[i]] = i;
	}
	for (uint32_t i = 0; i < l->scene->items; i++)
		l->item[i].told = l->scene->item[i].kind == ITEM_LOOP && first[stack[i]] != i;
	free(first);
	free(stack);
	intern_free(stacks);
}

/* ------------------------------------------------------------------ arrows */

static double y_of(const struct layout *l, uint32_t item, uint32_t lane)
{
	const struct scene_item *i = &l->scene->item[item];
	for (uint32_t k = 0; k < i->lanes; k++)
		if (i->lane[k] == lane)
			return l->slot_y[l->item[item].slot[k]];
	return l->item[item].y0;
}

static void add_arrow(struct layout *l, struct arrow arrow)
{
	*MEM_PUSH(l->arrow, l->arrows, l->arrow_capacity) = arrow;
}

static void add_message(struct layout *l, const struct scene_link *link)
{
	const struct place_of_item *from = &l->item[link->from], *to = &l->item[link->to];
	bool self = link->from_lane == link->to_lane;
	add_arrow(l, (struct arrow){
			     .kind = self ? ARROW_WITHIN : ARROW_MESSAGE,
			     .x0 = from->x0,
			     .y0 = l->slot_y[from->top],
			     .x1 = to->x0,
			     .y1 = l->slot_y[to->top],
			     .from = link->from,
			     .to = link->to,
			     .tag = link->tag,
			     .count = link->count,
		     });
}

/* At the right of a box that is narrower than the one that it talks to: from its end to the other's
   frame, so that no frame and no name is crossed; the farther, the more to the right. */
static bool fan_out(const struct layout *l, const struct scene_link *link, struct arrow *a)
{
	enum { APART = 14 };
	const struct place_of_item *from = &l->item[link->from], *to = &l->item[link->to];
	bool sent = from->x1 < to->x1; /* by the narrower one */
	const struct place_of_item *narrow = sent ? from : to, *wide = sent ? to : from;
	bool above = narrow->bottom < wide->top;
	uint32_t slots = above ? wide->top - narrow->bottom : narrow->top - wide->bottom;
	double room = (wide->x1 - narrow->x1) * 0.9, step = room / (2.0 * l->slots + 1);
	if (room < 4 || (!above && narrow->top <= wide->bottom))
		return false;
	double x = narrow->x1 + (2.0 * slots - sent) * (step < APART ? step : APART), y = above ? wide->y0 : wide->y1;
	*(sent ? &a->x0 : &a->x1) = narrow->x1;
	*(sent ? &a->x1 : &a->x0) = x;
	*(sent ? &a->y1 : &a->y0) = y;
	return true;
}

/* Where a bundle to the right leaves the line of its loop: behind the loops that it passes. */
static double clear_of_loops(const struct layout *l, const struct scene_link *link)
{
	const struct place_of_item *from = &l->item[link->from], *to = &l->item[link->to];
	const struct scene_system *s = &l->scene->system[l->scene->item[link->from].system];
	uint32_t top = from->bottom < to->top ? from->bottom : to->bottom,
		 bottom = from->bottom < to->top ? to->top : from->top;
	double x = from->x1;
	for (uint32_t i = s->first_item; i < s->first_item + s->items; i++) {
		const struct place_of_item *other = &l->item[i];
		bool passed = l->scene->item[i].kind == ITEM_LOOP && other->top > top && other->bottom < bottom;
		if (passed && other->x0 < from->x1 && other->x1 < to->x0)
			x = larger(x, other->x1);
	}
	return x;
}

/*
 * Between loops that were left apart: from frame to frame, or straight down where they run side by
 * side.
 */
static void add_bundle(struct layout *l, const struct scene_link *link)
{
	const struct place_of_item *from = &l->item[link->from], *to = &l->item[link->to];
	struct arrow a = {
		.kind = ARROW_BUNDLE,
		.x0 = from->x1,
		.y0 = y_of(l, link->from, link->from_lane),
		.x1 = to->x0,
		.y1 = y_of(l, link->to, link->to_lane),
		.from = link->from,
		.to = link->to,
		.tag = link->tag,
		.count = link->count,
	};
	if (a.x1 < a.x0 && !fan_out(l, link, &a)) {
		double left = larger(from->x0, to->x0), right = from->x1 < to->x1 ? from->x1 : to->x1;
		double part = (double)(l->upright++ % UPRIGHT + 1) / (UPRIGHT + 1);
		a.x0 = a.x1 = left < right ? left + (right - left) * part : left;
	} else if (a.x0 < a.x1 && l->scene->items < CLEARED_MOST) {
		a.x0 = clear_of_loops(l, link);
	}
	add_arrow(l, a);
}

static void add_stub(struct layout *l, uint32_t item)
{
	const struct place_of_item *p = &l->item[item];
	const struct drawn_event *e = &l->scene->item[item].event;
	bool out = l->scene->item[item].kind == ITEM_SEND;
	uint32_t lane = e->peer < l->scene->processes ? l->scene->lane_of[e->peer] : SCENE_NONE;
	double y = l->slot_y[p->top], way = 0;
	if (lane != SCENE_NONE && lane != l->scene->item[item].lane[0])
		way = layout_slot(l, lane, p->x0) < p->top ? -6.5 : 6.5;
	else
		way = e->peer < e->process ? -6.5 : e->peer > e->process ? 6.5 : -4;
	double far = l->column * 0.45;
	struct arrow a = {
		.kind = out ? ARROW_OUT : ARROW_IN,
		.from = out ? item : SCENE_NONE,
		.to = out ? SCENE_NONE : item,
		.tag = l->scene->item[item].tag,
		.count = l->scene->item[item].multiplicity,
	};
	a.x0 = out ? p->x0 : p->x0 - far;
	a.x1 = out ? p->x0 + far : p->x0;
	a.y0 = out ? y : y + way;
	a.y1 = out ? y + way : y;
	add_arrow(l, a);
}

bool arrow_is_lost(const struct layout *l, const struct arrow *a)
{
	return (a->kind == ARROW_OUT && l->scene->item[a->from].lost) ||
	       (a->kind == ARROW_IN && l->scene->item[a->to].lost);
}

/* Does a bundle lead between loops that run side by side? */
static bool is_upright(const struct layout *l, const struct scene_link *link)
{
	return !link->single && l->item[link->to].x0 < l->item[link->from].x1;
}

static bool uprights_are_many(const struct layout *l)
{
	size_t upright = 0;
	for (size_t i = 0; i < l->scene->links; i++)
		upright += is_upright(l, &l->scene->link[i]);
	return upright > UPRIGHT;
}

static void make_arrows(struct layout *l)
{
	const struct scene *s = l->scene;
	l->crowded = uprights_are_many(l);
	bool *out = mem_zero(s->items + 1), *in = mem_zero(s->items + 1), *loose = mem_zero(s->items + 1);
	for (size_t i = 0; i < s->links; i++) {
		const struct scene_link *link = &s->link[i];
		if (s->item[link->from].kind == ITEM_BLOCK || s->item[link->to].kind == ITEM_BLOCK)
			continue;
		if (l->crowded && is_upright(l, link)) {
			continue;
		} else if (!link->single) {
			add_bundle(l, link);
		} else if (l->item[link->to].x0 <= l->item[link->from].x0) {
			loose[link->from] = loose[link->to] = s->roles;
			continue; /* only between bands, or where the program would block: its ends are marked */
		} else {
			add_message(l, link);
		}
		out[link->from] = in[link->to] = true;
	}
	for (uint32_t i = 0; i < s->items; i++)
		if ((s->item[i].kind == ITEM_SEND && !out[i]) || (s->item[i].kind == ITEM_RECV && !in[i]) ||
			s->item[i].loose || loose[i])
			add_stub(l, i);
	free(loose);
	free(out);
	free(in);
}

uint32_t layout_slot(const struct layout *l, uint32_t lane, double x)
{
	size_t behind, first = l->first_move[lane];
	SEARCH_FIRST(behind, first, l->first_move[lane + 1], !(l->move[behind].x0 <= x));
	return behind == first ? lane : l->move[behind - 1].to;
}

struct layout *layout_new(const struct scene *s, double column)
{
	struct layout *l = mem_zero(sizeof *l);
	l->scene = s;
	l->column = column;
	l->slots = s->lanes;
	l->arena = arena_new();
	l->slot_y = mem_zero((s->lanes + 1) * sizeof *l->slot_y);
	l->item = mem_zero((s->items + 1) * sizeof *l->item);
	l->system_x = mem_zero((s->systems + 1) * sizeof *l->system_x);
	l->system_width = mem_zero((s->systems + 1) * sizeof *l->system_width);
	for (size_t i = 0; i < s->items; i++)
		l->item[i].x0 = -1;
	uint32_t *entry = mem_array(s->lanes + 1, sizeof *entry);
	for (uint32_t i = 0; i < s->lanes; i++)
		entry[i] = i;
	arrange(l, 0, entry, 0);
	free(entry);
	shift_systems(l);
	scale_columns(l);
	sort_moves(l);
	give_heights(l);
	tell_once(l);
	make_arrows(l);
	l->width = l->system_width[0];
	return l;
}

void layout_free(struct layout *l)
{
	if (!l)
		return;
	free(l->slot_y);
	free(l->item);
	free(l->system_x);
	free(l->system_width);
	free(l->move);
	free(l->first_move);
	free(l->arrow);
	arena_free(l->arena);
	free(l);
}
