/*
 * graphviz.c -- a layout drawn by Graphviz, which places nothing: every node is pinned and every edge has its curve (engine nop2).
 *
 * Boxes, texts and dots are nodes, in the order in which they are to be painted; lines, dashes and arrows are edges, painted after
 * all nodes. The names of nodes are what they stand for ("2.0.1: 0 send 1 tag3000"): SVG viewers show names as tooltips, and the
 * dot file can be read.
 */
#include "viz/graphviz.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <graphviz/cgraph.h>
#include <graphviz/gvc.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "viz/palette.h"
#include "viz/times.h"
#include "viz/viridis.h"
#include "viz/wording.h"

#define FONT "Helvetica,Arial,sans-serif"
#define MARGIN 12.0
#define LINE_COLOUR "#8c8c8c"
#define SYNC_COLOUR "#333333"
#define FAINT "#666666"
#define ARROW_HEAD 4.2
#define LEGEND_TAGS LOOKS

/* ------------------------------------------------------------------ a drawing surface */

struct surface {
	const struct layout *layout;
	const struct viz_options *options;
	struct palette *palette;
	Agraph_t *graph;
	double left, top; /* of the lanes in the picture */
	double width, height;
	uint64_t anonymous;
	bool dot; /* the graph itself is the output */
};

enum side { LEFT, MIDDLE, RIGHT };

static void set(void *object, const char *name, const char *value)
{
	agsafeset(object, (char *)name, (char *)value, (char *)"");
}

static void set_number(void *object, const char *name, double value)
{
	char text[40];
	snprintf(text, sizeof text, "%.4g", value);
	set(object, name, text);
}

/* In the DOT language a backslash may take the quote behind it away from the name: there, each is two. */
static void put_name(const struct surface *s, const char *name, struct text *out)
{
	for (; *name; name++) {
		text_char(out, *name);
		if (*name == '\\' && s->dot)
			text_char(out, *name);
	}
}

/* A name no other node has. */
static Agnode_t *add_node(struct surface *s, const char *plain, double x, double y)
{
	char text[80];
	struct text clean = {0};
	put_name(s, plain ? plain : "", &clean);
	const char *name = clean.data;
	Agnode_t *n = name ? agnode(s->graph, (char *)name, 0) : NULL;
	if (n || !name) {
		struct text unique = {0};
		text_format(&unique, "%s%s#%" PRIu64, name ? name : "", name ? " " : "", ++s->anonymous);
		n = agnode(s->graph, unique.data, 1);
		text_clear(&unique);
	} else {
		n = agnode(s->graph, (char *)name, 1);
	}
	text_clear(&clean);
	snprintf(text, sizeof text, "%.2f,%.2f", x, s->height - y);
	set(n, "pos", text);
	return n;
}

static Agnode_t *add_box(struct surface *s, const char *name, double x0, double y0, double x1, double y1)
{
	Agnode_t *n = add_node(s, name, (x0 + x1) / 2, (y0 + y1) / 2);
	set(n, "shape", "box");
	set_number(n, "width", (x1 - x0) / 72);
	set_number(n, "height", (y1 - y0) / 72);
	return n;
}

/* In labels a backslash and an ampersand have meanings of their own. */
static void escape(const char *string, struct text *out)
{
	struct text clean = {0};
	text_put_utf8(&clean, string);
	for (const char *from = clean.data ? clean.data : ""; *from; from++) {
		if (*from == '\\')
			text_put(out, "\\\\");
		else if (*from == '&')
			text_put(out, "&amp;");
		else
			text_char(out, *from);
	}
	text_clear(&clean);
}

/* A line of text; y is that of its middle. */
static void add_text(struct surface *s, double x, double y, enum side side, const char *string, double size, const char *colour)
{
	double width = text_width(string, size) + 4;
	double middle = side == LEFT ? x + width / 2 : side == RIGHT ? x - width / 2 : x;
	Agnode_t *n = add_node(s, NULL, middle, y);
	struct text label = {0};
	escape(string, &label);
	text_put(&label, side == LEFT ? "\\l" : side == RIGHT ? "\\r" : "");
	set(n, "shape", "plaintext");
	set(n, "style", "solid");
	set(n, "label", label.data);
	set_number(n, "width", width / 72);
	set_number(n, "height", size * 1.2 / 72);
	set_number(n, "fontsize", size);
	set(n, "fontcolor", colour);
	text_clear(&label);
}

static Agnode_t *add_dot(struct surface *s, const char *name, double x, double y, double radius, const char *colour)
{
	Agnode_t *n = add_node(s, name, x, y);
	set_number(n, "width", radius / 36);
	set_number(n, "height", radius / 36);
	set(n, "fillcolor", colour);
	return n;
}

static Agnode_t *add_point(struct surface *s, const char *name, double x, double y)
{
	Agnode_t *n = add_node(s, name, x, y);
	set(n, "style", "invis");
	return n;
}

struct curve {
	struct text text;
	double x, y;
};

static void path_point(const struct surface *s, struct curve *p, double x, double y)
{
	text_format(&p->text, "%s%.2f,%.2f", p->text.length ? " " : "", x, s->height - y);
}

static void path_start(const struct surface *s, struct curve *p, double x, double y)
{
	path_point(s, p, x, y);
	p->x = x;
	p->y = y;
}

static void path_line(const struct surface *s, struct curve *p, double x, double y)
{
	path_point(s, p, p->x + (x - p->x) / 3, p->y + (y - p->y) / 3);
	path_point(s, p, x - (x - p->x) / 3, y - (y - p->y) / 3);
	path_point(s, p, x, y);
	p->x = x;
	p->y = y;
}

/* Level at both ends. */
static void path_wave(const struct surface *s, struct curve *p, double x, double y)
{
	double middle = (p->x + x) / 2;
	path_point(s, p, middle, p->y);
	path_point(s, p, middle, y);
	path_point(s, p, x, y);
	p->x = x;
	p->y = y;
}

static Agedge_t *add_edge(struct surface *s, Agnode_t *from, Agnode_t *to, struct curve *path, const char *colour, double width)
{
	Agedge_t *e = agedge(s->graph, from, to, NULL, 1);
	set(e, "pos", path->text.data);
	set(e, "color", colour);
	set_number(e, "penwidth", width);
	text_clear(&path->text);
	return e;
}

static Agedge_t *add_line(struct surface *s, Agnode_t *from, Agnode_t *to, double x0, double y0, double x1, double y1,
	const char *colour, double width)
{
	struct curve path = {0};
	path_start(s, &path, x0, y0);
	path_line(s, &path, x1, y1);
	return add_edge(s, from, to, &path, colour, width);
}

/* A straight arrow; its shaft ends where the head begins. */
static Agedge_t *add_pointer(
	struct surface *s, Agnode_t *from, Agnode_t *to, double x0, double y0, double x1, double y1, const char *colour)
{
	double length = hypot(x1 - x0, y1 - y0), head = length > 2 * ARROW_HEAD ? ARROW_HEAD : length / 2;
	double bx = length > 0 ? x1 - (x1 - x0) * head / length : x1, by = length > 0 ? y1 - (y1 - y0) * head / length : y1;
	struct curve path = {0};
	text_format(&path.text, "e,%.2f,%.2f", x1, s->height - y1);
	path_start(s, &path, x0, y0);
	path_line(s, &path, bx, by);
	Agedge_t *e = add_edge(s, from, to, &path, colour, 0.8);
	set(e, "arrowhead", "normal");
	set_number(e, "arrowsize", head / 10);
	return e;
}

/* ------------------------------------------------------------------ names */

static void name_item(const struct surface *s, uint32_t item, struct text *name)
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
		text_put(out, " iterations of ");
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
	} else {
		event_print(scene_dictionary(scene), i->event, out);
		if (i->alike > 1)
			text_format(out, " (and %" PRIu64 " alike)", i->alike - 1);
	}
	text_put_utf8(name, raw.data);
	text_clear(&raw);
}

/* ------------------------------------------------------------------ what the nodes are */

static double heat_of(const struct surface *s, double share)
{
	return share / s->layout->scene->time_top;
}

static void set_colour(Agnode_t *n, unsigned colour)
{
	char text[16];
	snprintf(text, sizeof text, "#%06x", colour);
	set(n, "fillcolor", text);
}

/* The share of the time in its full colour, where no line runs; what lies below has only a tint of it. */
static void draw_heading(struct surface *s, const struct scene_item *i, const struct place_of_item *p)
{
	double y = s->top + p->y0;
	set_colour(add_box(s, NULL, s->left + p->x0, y, s->left + p->x1, y + HEADING), viridis(heat_of(s, i->share)));
}

static void draw_frame(struct surface *s, uint32_t item)
{
	const struct scene *scene = s->layout->scene;
	const struct scene_item *i = &scene->item[item];
	const struct place_of_item *p = &s->layout->item[item];
	struct text name = {0};
	name_item(s, item, &name);
	Agnode_t *n = add_box(s, name.data, s->left + p->x0, s->top + p->y0, s->left + p->x1, s->top + p->y1);
	bool closed = i->inside == SCENE_NONE;
	uint32_t depth = scene->system[i->system].depth;
	set(n, "style", closed ? "filled,dashed" : "filled");
	if (i->share < 0)
		set(n, "fillcolor", i->kind == ITEM_BLOCK ? "#ffffff" : palette_shade(closed ? depth + 1 : depth));
	else
		set_colour(n, viridis_tint(heat_of(s, i->share)));
	set(n, "color", "#8a8a8a");
	set_number(n, "penwidth", 0.6);
	text_clear(&name);
	if (i->share >= 0)
		draw_heading(s, i, p);
}

static void label_frame(struct surface *s, uint32_t item)
{
	const struct scene *scene = s->layout->scene;
	const struct place_of_item *p = &s->layout->item[item];
	double share = scene->item[item].share;
	struct text label = {0};
	item_label(scene, item, &label);
	if (scene->item[item].kind == ITEM_BLOCK)
		add_text(s, s->left + (p->x0 + p->x1) / 2, s->top + (p->y0 + p->y1) / 2 - 3.2, MIDDLE, label.data, FONT_SMALL - 0.5,
			"#000000");
	else if (s->options->labels != VIZ_LABELS_NONE)
		add_text(s, s->left + p->x0 + (share < 0 ? 1 : 2.5), s->top + p->y0 + 6, LEFT, label.data, FONT_TEXT,
			share < 0 ? "#000000" : viridis_ink(viridis(heat_of(s, share))));
	text_clear(&label);
	if (!p->odd || scene->item[item].kind != ITEM_LOOP)
		return;
	for (uint32_t k = 0; k < scene->item[item].lanes; k++) {
		lane_name(scene, scene->item[item].lane[k], &label);
		add_text(s, s->left + p->x0 - 0.5, s->top + s->layout->slot_y[p->slot[k]] - 4.2, RIGHT, label.data, FONT_SMALL,
			"#000000");
		text_clear(&label);
	}
}

static void label_across(struct surface *s, uint32_t item)
{
	const struct place_of_item *p = &s->layout->item[item];
	struct text label = {0};
	item_label(s->layout->scene, item, &label);
	if (s->options->labels != VIZ_LABELS_NONE || s->layout->scene->item[item].kind == ITEM_CUT)
		add_text(s, s->left + (p->x0 + p->x1) / 2, s->top + s->layout->slot_y[p->top] - 9.5, MIDDLE, label.data, FONT_TEXT,
			"#000000");
	text_clear(&label);
}

/* On the side of the line that has fewer arrows. */
static void label_event(struct surface *s, uint32_t item)
{
	const struct scene_item *i = &s->layout->scene->item[item];
	const struct place_of_item *p = &s->layout->item[item];
	add_text(s, s->left + p->x0, s->top + s->layout->slot_y[p->top] + (i->below ? 7 : -7), MIDDLE, i->words, FONT_SMALL,
		palette_look(s->palette->of_tag[i->tag]).colour);
}

static void draw_lane_names(struct surface *s)
{
	const struct layout *l = s->layout;
	for (uint32_t i = 0; i < l->slots; i++) {
		struct text name = {0};
		lane_name(l->scene, i, &name);
		add_text(s, s->left - 3, s->top + l->slot_y[i], RIGHT, name.data, FONT_TEXT, "#000000");
		uint32_t end = layout_slot(l, i, l->width);
		if (end != i || l->width > 900)
			add_text(s, s->left + l->width + 3, s->top + l->slot_y[end], LEFT, name.data, FONT_TEXT, "#000000");
		text_clear(&name);
	}
}

/* ------------------------------------------------------------------ lines */

static void draw_lane(struct surface *s, uint32_t lane)
{
	const struct layout *l = s->layout;
	struct curve path = {0};
	double y = s->top + l->slot_y[lane];
	path_start(s, &path, s->left, y);
	for (size_t i = l->first_move[lane]; i < l->first_move[lane + 1]; i++) {
		path_line(s, &path, s->left + l->move[i].x0, y);
		y = s->top + l->slot_y[l->move[i].to];
		path_wave(s, &path, s->left + l->move[i].x1, y);
	}
	path_line(s, &path, s->left + l->width, y);
	struct text name = {0}, end = {0};
	text_put(&name, "process ");
	ranks_print(&l->scene->lane[lane], &name);
	text_put(&end, name.data);
	text_put(&end, " ends");
	Agnode_t *from = add_point(s, name.data, s->left, s->top + l->slot_y[lane]);
	Agnode_t *to = add_point(s, end.data, s->left + l->width, y);
	text_clear(&name);
	text_clear(&end);
	add_edge(s, from, to, &path, LINE_COLOUR, 0.6);
}

static int compare_slots(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

/* Dashes between members that are neighbours, faint dots where the line passes others. */
static void draw_sync(struct surface *s, uint32_t item)
{
	const struct layout *l = s->layout;
	const struct place_of_item *p = &l->item[item];
	uint32_t members = l->scene->item[item].lanes;
	uint32_t *slot = mem_copy(p->slot, members * sizeof *slot);
	qsort(slot, members, sizeof *slot, compare_slots);
	double x = s->left + p->x0;
	struct text name = {0};
	name_item(s, item, &name);
	Agnode_t *last = NULL;
	for (uint32_t i = 0, k; i < members; i = k) {
		for (k = i + 1; k < members && slot[k] == slot[k - 1] + 1;)
			k++;
		double y0 = s->top + l->slot_y[slot[i]], y1 = s->top + l->slot_y[slot[k - 1]];
		Agnode_t *from = add_dot(s, last ? NULL : name.data, x, y0, 1.4, SYNC_COLOUR), *to = from;
		if (last)
			set(add_line(s, last, from, x, s->top + l->slot_y[slot[i - 1]], x, y0, "#777777", 0.6), "style", "dotted");
		for (uint32_t m = i + 1; m < k; m++)
			to = add_dot(s, NULL, x, s->top + l->slot_y[slot[m]], 1.4, SYNC_COLOUR);
		if (k > i + 1)
			set(add_line(s, from, to, x, y0, x, y1, SYNC_COLOUR, 0.9), "style", "dashed");
		last = to;
	}
	text_clear(&name);
	free(slot);
}

static void draw_cut(struct surface *s, uint32_t item)
{
	const struct place_of_item *p = &s->layout->item[item];
	struct text name = {0};
	name_item(s, item, &name);
	double middle = s->left + (p->x0 + p->x1) / 2;
	for (int side = -1; side <= 1; side += 2) {
		struct curve path = {0};
		double x = middle + 2.2 * side, y = s->top + p->y0, step = 5;
		path_start(s, &path, x, y);
		for (int i = 1; y + step <= s->top + p->y1; i++)
			path_line(s, &path, x + (i % 2 ? 2.5 : -2.5), y += step);
		path_line(s, &path, x, s->top + p->y1);
		Agnode_t *from = add_point(s, side < 0 ? name.data : NULL, x, s->top + p->y0);
		add_edge(s, from, add_point(s, NULL, x, s->top + p->y1), &path, FAINT, 0.8);
	}
	text_clear(&name);
}

/* ------------------------------------------------------------------ messages */

static void draw_tag(struct surface *s, const struct arrow *a)
{
	if (s->options->labels != VIZ_LABELS_TAGS || s->layout->scene->roles)
		return;
	struct text name = {0};
	tag_name(s->layout->scene, a->tag, &name);
	if (a->count > 1)
		text_format(&name, " ×%" PRIu64, a->count);
	add_text(s, s->left + (a->x0 + a->x1) / 2 + 1, s->top + (a->y0 + a->y1) / 2, LEFT, name.data ? name.data : "",
		FONT_SMALL - 2, palette_look(s->palette->of_tag[a->tag]).colour);
	text_clear(&name);
}

static void draw_arc(struct surface *s, const struct arrow *a, Agnode_t *from, Agnode_t *to, struct look look)
{
	double x0 = s->left + a->x0, x1 = s->left + a->x1, y = s->top + a->y0, high = 6.5;
	struct curve path = {0};
	text_format(&path.text, "e,%.2f,%.2f", x1, s->height - (y - 0.3));
	path_start(s, &path, x0, y);
	path_point(s, &path, x0 + (x1 - x0) * 0.2, y - high);
	path_point(s, &path, x1 - (x1 - x0) * 0.2, y - high);
	path_point(s, &path, x1 - 2.2, y - 3.2);
	Agedge_t *e = add_edge(s, from, to, &path, look.colour, 0.8);
	set(e, "arrowhead", "normal");
	set_number(e, "arrowsize", ARROW_HEAD / 10);
	if (strcmp(look.style, "solid") != 0)
		set(e, "style", look.style);
}

static void draw_arrow(struct surface *s, const struct arrow *a)
{
	struct look look = palette_look(s->palette->of_tag[a->tag]);
	struct text name = {0};
	double x0 = s->left + a->x0, y0 = s->top + a->y0, x1 = s->left + a->x1, y1 = s->top + a->y1;
	if (a->from != SCENE_NONE)
		name_item(s, a->from, &name);
	Agnode_t *from = a->kind == ARROW_BUNDLE || a->from == SCENE_NONE ? add_point(s, name.data, x0, y0)
									  : add_dot(s, name.data, x0, y0, 1.3, look.colour);
	text_clear(&name);
	if (a->to != SCENE_NONE)
		name_item(s, a->to, &name);
	Agnode_t *to = add_point(s, name.data, x1, y1);
	text_clear(&name);
	if (a->kind == ARROW_WITHIN) {
		draw_arc(s, a, from, to, look);
	} else {
		Agedge_t *e = add_pointer(s, from, to, x0, y0, x1, y1, look.colour);
		if (a->kind == ARROW_BUNDLE)
			set_number(e, "penwidth", 1.6);
		if (strcmp(look.style, "solid") != 0)
			set(e, "style", look.style);
	}
	if (a->kind == ARROW_BUNDLE) {
		struct text count = {0};
		text_format(&count, "%" PRIu64, a->count);
		add_text(s, x0 + (x1 - x0) * 0.3 + 3, y0 + (y1 - y0) * 0.3 - 2, LEFT, count.data, FONT_SMALL, look.colour);
		text_clear(&count);
	}
	if (a->kind == ARROW_MESSAGE || a->kind == ARROW_BUNDLE)
		draw_tag(s, a);
}

/* ------------------------------------------------------------------ around the lanes */

struct legend {
	struct surface *surface;
	double x, y, right;
};

#define LEGEND_ROW 14.0

/* Start an entry of this text after a sample of this width; gives the sample's x. */
static double legend_entry(struct legend *g, double sample, const char *text)
{
	double width = sample + 5 + text_width(text, FONT_TEXT) + 16;
	if (g->x + width > g->right && g->x > g->surface->left) {
		g->x = g->surface->left;
		g->y += LEGEND_ROW;
	}
	double x = g->x;
	if (g->surface->graph)
		add_text(g->surface, x + sample + 3, g->y, LEFT, text, FONT_TEXT, "#000000");
	g->x += width;
	return x;
}

static void legend_tags(struct legend *g)
{
	struct surface *s = g->surface;
	uint32_t families = s->palette->families, shown = families <= LEGEND_TAGS ? families : LEGEND_TAGS - 1;
	for (uint32_t i = 0; i < shown; i++) {
		struct text name = {0};
		family_name(s->layout->scene, &s->palette->family[i], &name);
		double x = legend_entry(g, 20, name.data ? name.data : "");
		text_clear(&name);
		if (!s->graph)
			continue;
		struct look look = palette_look(i);
		Agnode_t *from = add_dot(s, NULL, x, g->y, 1.3, look.colour);
		Agedge_t *e = add_pointer(s, from, add_point(s, NULL, x + 18, g->y), x, g->y, x + 18, g->y, look.colour);
		if (strcmp(look.style, "solid") != 0)
			set(e, "style", look.style);
	}
	if (shown < families) {
		struct text rest = {0};
		text_format(&rest, "… and %" PRIu32 " more", families - shown);
		legend_entry(g, 0, rest.data);
		text_clear(&rest);
	}
}

static void legend_box(struct legend *g, const char *fill, bool dashed, const char *text)
{
	struct surface *s = g->surface;
	double x = legend_entry(g, 16, text);
	if (!s->graph)
		return;
	Agnode_t *n = add_box(s, NULL, x, g->y - 5, x + 14, g->y + 5);
	set(n, "style", dashed ? "filled,dashed" : "filled");
	set(n, "fillcolor", fill);
	set(n, "color", "#8a8a8a");
	set_number(n, "penwidth", 0.6);
}

static void legend_sync(struct legend *g)
{
	struct surface *s = g->surface;
	double x = legend_entry(g, 6, "collective");
	if (s->graph) {
		Agnode_t *from = add_dot(s, NULL, x + 2, g->y - 5, 1.4, SYNC_COLOUR),
			 *to = add_dot(s, NULL, x + 2, g->y + 5, 1.4, SYNC_COLOUR);
		set(add_line(s, from, to, x + 2, g->y - 5, x + 2, g->y + 5, SYNC_COLOUR, 0.9), "style", "dashed");
	}
}

/* Colours of the shares of time, with numbers below. */
static void legend_times(struct legend *g)
{
	enum { STEPS = 50, SCALE = 150 };
	struct surface *s = g->surface;
	double top = s->layout->scene->time_top;
	g->x = s->left;
	g->y += LEGEND_ROW;
	double x = legend_entry(g, SCALE + 10, "of the run time of all processes together, which is 100 %");
	for (int i = 0; i < STEPS && s->graph; i++)
		set_colour(add_box(s, NULL, x + i * SCALE / STEPS, g->y - 4, x + SCALE, g->y + 4), /* overlapping: no seams */
			viridis((i + 0.5) / STEPS));
	for (int i = 0; i <= 2 && s->graph; i++) {
		struct text share = {0};
		times_print(top * i / 2, &share);
		add_text(s, x + i * SCALE / 2.0, g->y + 9, MIDDLE, share.data, FONT_SMALL, "#000000");
		text_clear(&share);
	}
	g->y += FONT_SMALL;
}

static void legend_forms(struct legend *g)
{
	struct text text = {0};
	if (g->surface->layout->scene->roles)
		wording_explain(g->surface->layout->scene, &text);
	if (text.length)
		legend_entry(g, 0, text.data);
	text_clear(&text);
}

struct kinds {
	bool open, closed, sync, block, cut, stub, bundle, local, timed;
	uint32_t depth;
};

static struct kinds find_kinds(const struct layout *l)
{
	struct kinds k = {0};
	for (size_t i = 0; i < l->scene->items; i++) {
		const struct scene_item *item = &l->scene->item[i];
		bool loop = item->kind == ITEM_LOOP;
		k.open |= loop && item->inside != SCENE_NONE;
		k.closed |= loop && item->inside == SCENE_NONE;
		k.timed |= loop && item->share >= 0;
		k.sync |= item->kind == ITEM_SYNC;
		k.block |= item->kind == ITEM_BLOCK;
		k.local |= item->kind == ITEM_LOCAL;
		if (loop && l->scene->system[item->system].depth + 1 > k.depth)
			k.depth = l->scene->system[item->system].depth + 1;
	}
	for (size_t i = 0; i < l->arrows; i++) {
		k.stub |= l->arrow[i].kind == ARROW_OUT || l->arrow[i].kind == ARROW_IN;
		k.bundle |= l->arrow[i].kind == ARROW_BUNDLE;
	}
	return k;
}

/* Gives the height that it takes. Without a graph, only measures. */
static double draw_legend(struct surface *s, double y)
{
	struct legend g = {s, s->left, y, s->width - MARGIN};
	struct kinds k = find_kinds(s->layout);
	legend_tags(&g);
	if (k.open || k.closed)
		legend_box(&g, palette_shade(0), false,
			s->layout->scene->time_top > 0 ? "loop: iterations, and its share of the run time; gray: not measured"
			: k.depth > 1			       ? "loop, with its iteration count; darker: inside another"
							       : "loop, with its iteration count");
	if (k.closed)
		legend_box(&g, palette_shade(1), true, "loop not opened");
	if (k.block)
		legend_box(&g, "#ffffff", true, "so many events, not drawn one by one");
	if (k.sync)
		legend_sync(&g);
	if (k.stub) {
		double x = legend_entry(&g, 14,
			s->layout->scene->roles ? "message within a line, or whose other end is elsewhere"
						 : "message whose other end is elsewhere");
		if (s->graph)
			add_pointer(s, add_dot(s, NULL, x, g.y + 3, 1.3, FAINT), add_point(s, NULL, x + 8, g.y - 4), x, g.y + 3,
				x + 8, g.y - 4, FAINT);
	}
	if (k.bundle) {
		double x = legend_entry(&g, 20, "so many messages between loops");
		if (s->graph)
			set_number(add_pointer(s, add_point(s, NULL, x, g.y), add_point(s, NULL, x + 18, g.y), x, g.y, x + 18, g.y,
					   FAINT),
				"penwidth", 1.6);
	}
	legend_forms(&g);
	if (s->layout->scene->banded)
		legend_entry(&g, 0, "A line with several ranks stands for all of them, an arrow for all their messages.");
	if (k.local) {
		double x = legend_entry(&g, 6, "local event");
		if (s->graph)
			add_dot(s, NULL, x + 2, g.y, 1.0, FAINT);
	}
	if (k.timed)
		legend_times(&g);
	return g.y - y + LEGEND_ROW;
}

static void subtitle(const struct layout *l, struct text *out)
{
	const struct scene *s = l->scene;
	text_grouped(out, s->processes);
	text_put(out, s->processes == 1 ? " process" : " processes");
	if (s->roles)
		text_format(out, " in %" PRIu32 " role%s", s->lanes, s->lanes == 1 ? "" : "s");
	else if (s->banded)
		text_format(out, " on %" PRIu32 " lines", s->lanes);
	if (s->part[0] || (s->systems && s->system[0].items == 1))
		return;
	text_put(out, ", ");
	text_grouped(out, program_events(s->drawn->source));
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

static void draw_everything(struct surface *s)
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
		struct text name = {0};
		if (scene->item[i].kind == ITEM_SYNC)
			draw_sync(s, i);
		else if (scene->item[i].kind == ITEM_CUT)
			draw_cut(s, i);
		else if (scene->item[i].kind == ITEM_LOCAL) {
			name_item(s, i, &name);
			add_dot(s, name.data, s->left + l->item[i].x0, s->top + l->item[i].y0, 1.0, FAINT);
			text_clear(&name);
		}
	}
	for (size_t i = 0; i < l->arrows; i++)
		draw_arrow(s, &l->arrow[i]);
}

static void draw_axes(struct surface *s, double y)
{
	const struct layout *l = s->layout;
	if (s->options->title)
		add_text(s, MARGIN, MARGIN + FONT_TITLE / 2, LEFT, s->options->title, FONT_TITLE, "#000000");
	struct text text = {0};
	subtitle(l, &text);
	add_text(s, MARGIN, MARGIN + (s->options->title ? FONT_TITLE + 5 : 0) + FONT_TEXT / 2, LEFT, text.data, FONT_TEXT, FAINT);
	text_clear(&text);
	add_text(s, MARGIN, s->top - 8, LEFT, l->scene->banded ? "processes" : "process", FONT_TEXT, FAINT);
	add_text(s, s->left, y, LEFT, "logical time (Lamport clock), in each loop from its start", FONT_TEXT, FAINT);
	double x = s->left + text_width("logical time (Lamport clock), in each loop from its start", FONT_TEXT) + 8;
	add_pointer(s, add_point(s, NULL, x, y), add_point(s, NULL, x + 26, y), x, y, x + 26, y, FAINT);
}

static void set_defaults(Agraph_t *g)
{
	static const struct {
		int kind;
		const char *name, *value;
	} defaults[] = {
		{AGRAPH, "outputorder", "nodesfirst"},
		{AGRAPH, "splines", "true"},
		{AGRAPH, "pad", "0"},
		{AGRAPH, "margin", "0"},
		{AGRAPH, "fontname", FONT},
		{AGRAPH, "size", ""},
		{AGRAPH, "dpi", ""},
		{AGRAPH, "bb", ""},
		{AGRAPH, "bgcolor", "#ffffff"},
		{AGNODE, "shape", "point"},
		{AGNODE, "label", ""},
		{AGNODE, "pos", ""},
		{AGNODE, "width", "0.02"},
		{AGNODE, "height", "0.02"},
		{AGNODE, "fixedsize", "shape"},
		{AGNODE, "fontname", FONT},
		{AGNODE, "fontsize", "8.5"},
		{AGNODE, "fontcolor", "#000000"},
		{AGNODE, "style", "filled"},
		{AGNODE, "fillcolor", "#ffffff"},
		{AGNODE, "color", "#00000000"},
		{AGNODE, "penwidth", "0"},
		{AGNODE, "margin", "0"},
		{AGEDGE, "pos", ""},
		{AGEDGE, "color", "#000000"},
		{AGEDGE, "penwidth", "0.8"},
		{AGEDGE, "arrowhead", "none"},
		{AGEDGE, "arrowsize", "0.42"},
		{AGEDGE, "style", "solid"},
	};
	for (size_t i = 0; i < sizeof defaults / sizeof defaults[0]; i++)
		agattr(g, defaults[i].kind, (char *)defaults[i].name, (char *)defaults[i].value);
}

static const char *format_name(enum viz_format format)
{
	static const char *const names[] = {[VIZ_SVG] = "svg", [VIZ_PDF] = "pdf", [VIZ_PNG] = "png", [VIZ_DOT] = "dot"};
	return names[format];
}

/* Renderers have limits of their own: a PNG has at most 32,767 pixels a side, a PDF page 14,400 points. */
static void set_size(struct surface *s, enum viz_format format, double limit)
{
	char text[80];
	double most = format == VIZ_PDF ? 14000 : format == VIZ_PNG ? 15500 : 1e7, scale = 1;
	double longest = s->width > s->height ? s->width : s->height;
	if (longest > most)
		scale = most / longest;
	if (limit > 0 && s->width * scale > limit)
		scale = limit / s->width;
	if (scale < 1) {
		snprintf(text, sizeof text, "%.4f,%.4f", s->width * scale / 72, s->height * scale / 72);
		set(s->graph, "size", text);
	}
	if (format == VIZ_PNG)
		set(s->graph, "dpi", "144");
	snprintf(text, sizeof text, "0,0,%.2f,%.2f", s->width, s->height);
	set(s->graph, "bb", text);
}

static bool render(struct surface *s, enum viz_format format, struct output *out, struct error *error)
{
	char *data = NULL;
	unsigned length = 0;
	GVC_t *context = gvContext();
	agseterr(AGMAX);
	bool good = gvLayout(context, s->graph, "nop2") == 0 &&
		    gvRenderData(context, s->graph, format_name(format), &data, &length) == 0;
	if (good)
		output_write(out, data, length);
	else
		error_set(error, ERROR_INTERNAL, "Graphviz cannot make %s: %s", format_name(format),
			aglasterr() ? aglasterr() : "no reason given");
	if (data)
		gvFreeRenderData(data);
	gvFreeLayout(context, s->graph);
	agclose(s->graph);
	gvFreeContext(context);
	return good;
}

bool graphviz_render(const struct layout *l, const struct viz_options *o, enum viz_format format, double limit, struct output *out,
	struct error *error)
{
	struct surface s = {.layout = l, .options = o, .palette = palette_new(l), .dot = format == VIZ_DOT};
	s.left = MARGIN + names_width(l);
	s.top = MARGIN + (o->title ? FONT_TITLE + 5 : 0) + FONT_TEXT + 16;
	s.width = s.left + l->width + names_width(l) + MARGIN;
	s.width = s.width > 340 ? s.width : 340;
	double title = o->title ? text_width(o->title, FONT_TITLE) + 2 * MARGIN : 0;
	s.width = s.width > title ? s.width : title;
	double axis = s.top + l->height + 12;
	s.height = axis + 18;
	s.height += draw_legend(&s, 0) + MARGIN / 2;
	s.graph = agopen((char *)"tracenest", Agdirected, NULL);
	set_defaults(s.graph);
	add_box(&s, "paper", 0, 0, s.width, s.height); /* or the picture would be cut to its texts */
	draw_axes(&s, axis);
	draw_everything(&s);
	draw_legend(&s, axis + 18);
	set_size(&s, format, limit);
	bool good = render(&s, format, out, error);
	palette_free(s.palette);
	return good;
}
