/*
 * graphviz.c -- a layout on a surface: boxes and texts first, then lines, dashes and arrows.
 */
#include "viz/graphviz.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/escape.h"
#include "base/mem.h"
#include "viz/legend.h"
#include "viz/times.h"
#include "viz/viridis.h"

#define LINE_COLOUR "#8c8c8c"

/* ------------------------------------------------------------------ names */

static void put_sites(const struct scene *scene, uint32_t item, struct text *out)
{
	size_t before = out->length;
	text_put(out, " // ");
	size_t start = out->length;
	scene_sites(scene, item, out);
	if (out->length == start)
		text_truncate(out, before);
}

static void name_item(const struct picture *s, uint32_t item, struct text *name)
{
	struct text raw = {0}, *out = &raw;
	const struct scene *scene = s->layout->scene;
	const struct scene_item *i = &scene->item[item];
	scene_address(scene, item, out);
	text_put(out, ": ");
	if (i->kind == ITEM_LOOP) {
		if (i->words)
			text_put(out, i->words);
		else
			text_number(out, i->count);
		text_put(out, i->counted ? " iterations of " : ", of ");
		for (uint32_t k = 0; k < i->lanes && k < 64; k++) {
			text_put(out, k ? "," : "");
			ranks_print(&scene->lane[i->lane[k]], out);
		}
		text_format(out, ", %" PRIu64 " events", i->events);
		if (i->share >= 0)
			text_put(out, ", ");
		if (i->share >= 0)
			times_print(i->share, out);
		if (i->share >= 0)
			text_put(out, " of the run time");
	} else if (i->kind == ITEM_BLOCK) {
		text_format(out, "%" PRIu64 " events of ", i->count);
		ranks_print(&scene->lane[i->lane[0]], out);
	} else if (i->kind == ITEM_CUT) {
		item_label(scene, item, out);
	} else if (i->line) {
		text_put(out, i->line);
		scene_carried(scene, item, out);
	} else {
		node_print(scene->drawn->module, scene->drawn->line[i->statement].node, 0, out);
		scene_carried(scene, item, out);
		if (i->multiplicity > 1)
			text_format(out, " (and %" PRIu64 " alike)", i->multiplicity - 1);
	}
	if (i->lost)
		text_put(out, i->kind == ITEM_SEND ? ": receive not recorded" : ": send not recorded");
	put_sites(scene, item, out);
	text_put_printable(name, raw.data);
	text_clear(&raw);
}

/* ------------------------------------------------------------------ what the nodes are */

static double heat_of(const struct picture *s, double share)
{
	return share / s->layout->scene->time_top;
}

/*
 * The share of the time in its full colour, where no line runs; what lies below has only a tint of
 * it.
 */
static void draw_heading(struct picture *s, const struct scene_item *i, const struct place_of_item *p)
{
	double y = s->top + p->y0;
	surface_fill(surface_box(&s->surface, NULL, s->left + p->x0, y, s->left + p->x1, y + HEADING),
		heat_of_share(heat_of(s, i->share)));
}

static void draw_frame(struct picture *s, uint32_t item)
{
	const struct scene *scene = s->layout->scene;
	const struct scene_item *i = &scene->item[item];
	const struct place_of_item *p = &s->layout->item[item];
	struct text name = {0};
	name_item(s, item, &name);
	Agnode_t *n =
		surface_box(&s->surface, name.data, s->left + p->x0, s->top + p->y0, s->left + p->x1, s->top + p->y1);
	bool closed = i->inside == SCENE_NONE;
	uint32_t depth = scene->system[i->system].depth;
	surface_set(n, "style", closed ? "filled,dashed" : "filled");
	if (i->share < 0)
		surface_set(
			n, "fillcolor", i->kind == ITEM_BLOCK ? "#ffffff" : palette_shade(closed ? depth + 1 : depth));
	else
		surface_fill(n, heat_tint_of_share(heat_of(s, i->share)));
	surface_set(n, "color", "#8a8a8a");
	surface_set_number(n, "penwidth", 0.6);
	text_clear(&name);
	if (i->share >= 0)
		draw_heading(s, i, p);
}

static void label_frame(struct picture *s, uint32_t item)
{
	const struct scene *scene = s->layout->scene;
	const struct place_of_item *p = &s->layout->item[item];
	double share = scene->item[item].share;
	struct text label = {0};
	item_label(scene, item, &label);
	if (scene->item[item].kind == ITEM_BLOCK)
		surface_text(&s->surface, s->left + (p->x0 + p->x1) / 2, s->top + (p->y0 + p->y1) / 2 - 3.2, MIDDLE,
			label.data, FONT_SMALL - 0.5, "#000000");
	else if (s->options->labels != VIZ_LABELS_NONE && !p->told)
		surface_text(&s->surface, s->left + p->x0 + (share < 0 ? 1 : 2.5), s->top + p->y0 + 6, LEFT, label.data,
			FONT_TEXT, share < 0 ? "#000000" : viridis_ink(heat_of_share(heat_of(s, share))));
	text_clear(&label);
	if (!p->odd || scene->item[item].kind != ITEM_LOOP)
		return;
	for (uint32_t k = 0; k < scene->item[item].lanes; k++) {
		lane_name(scene, scene->item[item].lane[k], &label);
		surface_text(&s->surface, s->left + p->x0 - 0.5, s->top + s->layout->slot_y[p->slot[k]] - 4.2, RIGHT,
			label.data, FONT_SMALL, "#000000");
		text_clear(&label);
	}
}

static void label_across(struct picture *s, uint32_t item)
{
	const struct place_of_item *p = &s->layout->item[item];
	struct text label = {0};
	item_label(s->layout->scene, item, &label);
	if (s->options->labels != VIZ_LABELS_NONE || s->layout->scene->item[item].kind == ITEM_CUT)
		surface_text(&s->surface, s->left + (p->x0 + p->x1) / 2, s->top + s->layout->slot_y[p->top] - 9.5,
			MIDDLE, label.data, FONT_TEXT, "#000000");
	text_clear(&label);
}

/* On the side of the line that has fewer arrows. */
static void label_event(struct picture *s, uint32_t item)
{
	const struct scene_item *i = &s->layout->scene->item[item];
	const struct place_of_item *p = &s->layout->item[item];
	bool call = i->kind == ITEM_LOCAL;
	double off = call ? -9.5 : i->below ? 7 : -7;
	surface_text(&s->surface, s->left + p->x0, s->top + s->layout->slot_y[p->top] + off, MIDDLE, i->words,
		FONT_SMALL, call ? CALL_COLOUR : palette_look(s->palette->of_tag[i->tag]).colour);
}

static void draw_lane_names(struct picture *s)
{
	const struct layout *l = s->layout;
	for (uint32_t i = 0; i < l->slots; i++) {
		struct text name = {0};
		lane_name(l->scene, i, &name);
		surface_text(&s->surface, s->left - 3, s->top + l->slot_y[i], RIGHT, name.data, FONT_TEXT, "#000000");
		uint32_t end = layout_slot(l, i, l->width);
		if (end != i || l->width > 900)
			surface_text(&s->surface, s->left + l->width + 3, s->top + l->slot_y[end], LEFT, name.data,
				FONT_TEXT, "#000000");
		text_clear(&name);
	}
}

/* ------------------------------------------------------------------ lines */

static void draw_lane(struct picture *s, uint32_t lane)
{
	const struct layout *l = s->layout;
	struct curve path = {0};
	double y = s->top + l->slot_y[lane];
	curve_start(&s->surface, &path, s->left, y);
	for (size_t i = l->first_move[lane]; i < l->first_move[lane + 1]; i++) {
		curve_line(&s->surface, &path, s->left + l->move[i].x0, y);
		y = s->top + l->slot_y[l->move[i].to];
		curve_wave(&s->surface, &path, s->left + l->move[i].x1, y);
	}
	curve_line(&s->surface, &path, s->left + l->width, y);
	struct text name = {0}, end = {0};
	text_put(&name, "process ");
	ranks_print(&l->scene->lane[lane], &name);
	text_put(&end, name.data);
	text_put(&end, " ends");
	Agnode_t *from = surface_point(&s->surface, name.data, s->left, s->top + l->slot_y[lane]);
	Agnode_t *to = surface_point(&s->surface, end.data, s->left + l->width, y);
	text_clear(&name);
	text_clear(&end);
	surface_edge(&s->surface, from, to, &path, LINE_COLOUR, 0.6);
}

/* Dashes between members that are neighbours, faint dots where the line passes others. */
static void draw_sync(struct picture *s, uint32_t item)
{
	const struct layout *l = s->layout;
	const struct place_of_item *p = &l->item[item];
	uint32_t members = l->scene->item[item].lanes;
	uint32_t *slot = mem_copy(p->slot, members * sizeof *slot);
	qsort(slot, members, sizeof *slot, compare_u32);
	double x = s->left + p->x0;
	struct text name = {0};
	name_item(s, item, &name);
	Agnode_t *last = NULL;
	for (uint32_t i = 0, k; i < members; i = k) {
		for (k = i + 1; k < members && slot[k] == slot[k - 1] + 1;)
			k++;
		double y0 = s->top + l->slot_y[slot[i]], y1 = s->top + l->slot_y[slot[k - 1]];
		Agnode_t *from = surface_dot(&s->surface, last ? NULL : name.data, x, y0, 1.4, SYNC_COLOUR), *to = from;
		if (last)
			surface_set(surface_line(&s->surface, last, from, x, s->top + l->slot_y[slot[i - 1]], x, y0,
					    "#777777", 0.6),
				"style", "dotted");
		for (uint32_t m = i + 1; m < k; m++)
			to = surface_dot(&s->surface, NULL, x, s->top + l->slot_y[slot[m]], 1.4, SYNC_COLOUR);
		if (k > i + 1)
			surface_set(
				surface_line(&s->surface, from, to, x, y0, x, y1, SYNC_COLOUR, 0.9), "style", "dashed");
		last = to;
	}
	text_clear(&name);
	free(slot);
}

static void draw_cut(struct picture *s, uint32_t item)
{
	const struct place_of_item *p = &s->layout->item[item];
	struct text name = {0};
	name_item(s, item, &name);
	double middle = s->left + (p->x0 + p->x1) / 2;
	for (int side = -1; side <= 1; side += 2) {
		struct curve path = {0};
		double x = middle + 2.2 * side, y = s->top + p->y0, step = 5;
		curve_start(&s->surface, &path, x, y);
		for (int i = 1; y + step <= s->top + p->y1; i++)
			curve_line(&s->surface, &path, x + (i % 2 ? 2.5 : -2.5), y += step);
		curve_line(&s->surface, &path, x, s->top + p->y1);
		Agnode_t *from = surface_point(&s->surface, side < 0 ? name.data : NULL, x, s->top + p->y0);
		surface_edge(&s->surface, from, surface_point(&s->surface, NULL, x, s->top + p->y1), &path, FAINT, 0.8);
	}
	text_clear(&name);
}

/* "[" where a call begins, "]" where it ends; any other event of a process alone is a dot. */
static void draw_local(struct picture *s, uint32_t item)
{
	enum call_end call = s->layout->scene->item[item].call;
	double x = s->left + s->layout->item[item].x0, y = s->top + s->layout->item[item].y0;
	struct text name = {0};
	name_item(s, item, &name);
	if (drawn_accesses(s->layout->scene->drawn, s->layout->scene->item[item].statement))
		surface_dot(&s->surface, name.data, x, y, 2.0, "#000000");
	else if (call == CALL_NEITHER)
		surface_dot(&s->surface, name.data, x, y, 1.0, FAINT);
	else
		surface_bracket(&s->surface, name.data, x, y, call == CALL_BEGINS, CALL_COLOUR);
	text_clear(&name);
}

/* ------------------------------------------------------------------ messages */

static void draw_tag(struct picture *s, const struct arrow *a)
{
	if (s->options->labels != VIZ_LABELS_TAGS || s->layout->scene->roles)
		return;
	struct text name = {0};
	tag_name(s->layout->scene, a->tag, &name);
	if (a->count > 1)
		text_format(&name, " ×%" PRIu64, a->count);
	surface_text(&s->surface, s->left + (a->x0 + a->x1) / 2 + 1, s->top + (a->y0 + a->y1) / 2, LEFT,
		name.data ? name.data : "", FONT_SMALL - 2, palette_look(s->palette->of_tag[a->tag]).colour);
	text_clear(&name);
}

/* Of an arrow: eight times the bytes, so much wider. */
#define WIDTH_LEAST 0.5
#define WIDTH_MOST 2.4
#define WIDTH_STEP 0.35

static double width_of(const struct scene *scene, const struct arrow *a)
{
	uint64_t bytes;
	uint32_t item = a->from != SCENE_NONE ? a->from : a->to;
	if (a->kind == ARROW_BUNDLE)
		return 1.6;
	if (item == SCENE_NONE || !scene_size(scene, item, &bytes))
		return 0;
	double width = WIDTH_LEAST + (bytes > 64 ? WIDTH_STEP * log2((double)bytes / 64) / 3 : 0);
	return width < WIDTH_MOST ? width : WIDTH_MOST;
}

/* An arrow in the look of its tag; width 0: the usual one. */
static void draw_pointer(Agedge_t *e, struct look look, double width)
{
	if (width > 0)
		surface_set_number(e, "penwidth", width);
	if (strcmp(look.style, "solid") != 0)
		surface_set(e, "style", look.style);
}

static void draw_arrow(struct picture *s, const struct arrow *a)
{
	struct look look = palette_look(s->palette->of_tag[a->tag]);
	struct text name = {0};
	double x0 = s->left + a->x0, y0 = s->top + a->y0, x1 = s->left + a->x1, y1 = s->top + a->y1;
	if (a->from != SCENE_NONE)
		name_item(s, a->from, &name);
	Agnode_t *from = a->kind == ARROW_BUNDLE || a->from == SCENE_NONE
				 ? surface_point(&s->surface, name.data, x0, y0)
				 : surface_dot(&s->surface, name.data, x0, y0, 1.3, look.colour);
	text_clear(&name);
	if (a->to != SCENE_NONE)
		name_item(s, a->to, &name);
	Agnode_t *to = surface_point(&s->surface, name.data, x1, y1);
	text_clear(&name);
	draw_pointer(a->kind == ARROW_WITHIN ? surface_arc(&s->surface, from, to, x0, x1, y0, look.colour)
					     : surface_pointer(&s->surface, from, to, x0, y0, x1, y1, look.colour),
		look, width_of(s->layout->scene, a));
	if (arrow_is_lost(s->layout, a))
		surface_text(&s->surface, a->kind == ARROW_OUT ? x1 : x0, a->kind == ARROW_OUT ? y1 : y0, MIDDLE, "×",
			FONT_TEXT, look.colour);
	if (a->kind == ARROW_BUNDLE && a->count > 1) {
		struct text count = {0};
		text_format(&count, "%" PRIu64, a->count);
		surface_text(&s->surface, x0 + (x1 - x0) * 0.3 + 3, y0 + (y1 - y0) * 0.3 - 2, LEFT, count.data,
			FONT_SMALL, look.colour);
		text_clear(&count);
	}
	if (a->kind == ARROW_MESSAGE || a->kind == ARROW_BUNDLE)
		draw_tag(s, a);
}

/* ------------------------------------------------------------------ around the lanes */

static void subtitle(const struct layout *l, struct text *out)
{
	const struct scene *s = l->scene;
	const struct module *p = s->drawn->source;
	enum failure failure;
	if (s->formula)
		text_put(out, p->grid.axes ? "every number of processes, drawn on "
					   : "every number P of processes, drawn on ");
	text_grouped(out, s->processes);
	text_put(out, text_plural(s->processes, " process", " processes"));
	if (s->roles && !s->opened)
		text_format(out, " in %" PRIu32 " role%s", s->lanes, s->lanes == 1 ? "" : "s");
	else if (s->banded)
		text_format(out, " on %" PRIu32 " lines", s->lanes);
	if (s->part[0] || s->formula || (s->systems && s->system[0].items == 1))
		return;
	text_put(out, ", ");
	text_grouped(out, run_events(s->drawn->source_run, &failure));
	text_put(out, " events");
	if (s->limited)
		text_format(out, "; loops opened to depth %" PRIu32, s->depth_limit);
}

static double names_width(const struct layout *l)
{
	double widest = 0;
	for (uint32_t i = 0; i < l->slots; i++) {
		struct text name = {0};
		lane_name(l->scene, i, &name);
		double width = text_width(name.data, FONT_TEXT);
		widest = width > widest ? width : widest;
		text_clear(&name);
	}
	return widest + 6;
}

double graphviz_margins(const struct layout *l)
{
	return 2 * MARGIN + 2 * names_width(l) + 6;
}

static void draw_everything(struct picture *s)
{
	const struct layout *l = s->layout;
	const struct scene *scene = l->scene;
	for (uint32_t i = 0; i < scene->items; i++) /* outer boxes stand before inner ones */
		if (scene->item[i].kind == ITEM_LOOP || scene->item[i].kind == ITEM_BLOCK)
			draw_frame(s, i);
	for (uint32_t i = 0; i < scene->items; i++) {
		enum item_kind kind = scene->item[i].kind;
		if (kind == ITEM_LOOP || kind == ITEM_BLOCK)
			label_frame(s, i);
		else if (kind == ITEM_SYNC || kind == ITEM_CUT)
			label_across(s, i);
		else if (scene->item[i].words)
			label_event(s, i);
	}
	draw_lane_names(s);
	for (uint32_t i = 0; i < l->slots; i++)
		draw_lane(s, i);
	for (uint32_t i = 0; i < scene->items; i++) {
		if (scene->item[i].kind == ITEM_SYNC)
			draw_sync(s, i);
		else if (scene->item[i].kind == ITEM_CUT)
			draw_cut(s, i);
		else if (scene->item[i].kind == ITEM_LOCAL)
			draw_local(s, i);
	}
	for (size_t i = 0; i < l->arrows; i++)
		draw_arrow(s, &l->arrow[i]);
}

static void draw_axes(struct picture *s, double y)
{
	const struct layout *l = s->layout;
	if (s->options->title)
		surface_text(
			&s->surface, MARGIN, MARGIN + FONT_TITLE / 2, LEFT, s->options->title, FONT_TITLE, "#000000");
	struct text text = {0};
	subtitle(l, &text);
	surface_text(&s->surface, MARGIN, MARGIN + (s->options->title ? FONT_TITLE + 5 : 0) + FONT_TEXT / 2, LEFT,
		text.data, FONT_TEXT, FAINT);
	text_clear(&text);
	surface_text(
		&s->surface, MARGIN, s->top - 8, LEFT, l->scene->banded ? "processes" : "process", FONT_TEXT, FAINT);
	surface_text(&s->surface, s->left, y, LEFT, "logical time (Lamport clock), in each loop from its start",
		FONT_TEXT, FAINT);
	double x = s->left + text_width("logical time (Lamport clock), in each loop from its start", FONT_TEXT) + 8;
	surface_pointer(&s->surface, surface_point(&s->surface, NULL, x, y),
		surface_point(&s->surface, NULL, x + 26, y), x, y, x + 26, y, FAINT);
}

bool graphviz_render(const struct layout *l, const struct viz_options *o, enum viz_format format, double limit,
	struct output *out, struct error *error)
{
	struct picture s = {.layout = l,
		.options = o,
		.palette = palette_new(l),
		.surface.dot = format == VIZ_DOT,
		.surface.inner = o->inner && format == VIZ_SVG};
	s.left = MARGIN + names_width(l);
	s.top = MARGIN + (o->title ? FONT_TITLE + 5 : 0) + FONT_TEXT + 16;
	s.surface.width = s.left + l->width + names_width(l) + MARGIN;
	s.surface.width = s.surface.width > 340 ? s.surface.width : 340;
	double title = o->title ? text_width(o->title, FONT_TITLE) + 2 * MARGIN : 0;
	s.surface.width = s.surface.width > title ? s.surface.width : title;
	double axis = s.top + l->height + 12;
	s.surface.height = axis + 18;
	s.surface.height += legend_draw(&s, 0) + MARGIN / 2;
	if (!surface_open(&s.surface, error)) {
		palette_free(s.palette);
		return false;
	}
	/* or the picture would be cut to its texts */
	surface_box(&s.surface, "paper", 0, 0, s.surface.width, s.surface.height);
	draw_axes(&s, axis);
	draw_everything(&s);
	legend_draw(&s, axis + 18);
	bool good = surface_render(&s.surface, limit, format, out, error);
	palette_free(s.palette);
	return good;
}
