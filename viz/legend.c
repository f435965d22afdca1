/*
 * legend.c -- entries in rows, as many in each as fit.
 */
#include "viz/legend.h"

#include <inttypes.h>
#include <string.h>

#include "viz/times.h"
#include "viz/viridis.h"
#include "viz/wording.h"

#define LEGEND_TAGS LOOKS

struct legend {
	struct picture *picture;
	double x, y, right;
};

#define LEGEND_ROW 14.0

/* Start an entry of this text after a sample of this width; gives the sample's x. */
static double legend_entry(struct legend *g, double sample, const char *text)
{
	double width = sample + 5 + text_width(text, FONT_TEXT) + 16;
	if (g->x + width > g->right && g->x > g->picture->left) {
		g->x = g->picture->left;
		g->y += LEGEND_ROW;
	}
	double x = g->x;
	if (g->picture->surface.graph)
		surface_text(&g->picture->surface, x + sample + 3, g->y, LEFT, text, FONT_TEXT, "#000000");
	g->x += width;
	return x;
}

static void legend_tags(struct legend *g)
{
	struct picture *s = g->picture;
	uint32_t families = s->palette->families, shown = families <= LEGEND_TAGS ? families : LEGEND_TAGS - 1;
	for (uint32_t i = 0; i < shown; i++) {
		struct text name = {0};
		family_name(s->layout->scene, &s->palette->family[i], &name);
		double x = legend_entry(g, 20, name.data ? name.data : "");
		text_clear(&name);
		if (!s->surface.graph)
			continue;
		struct look look = palette_look(s->palette->family[i].look);
		Agnode_t *from = surface_dot(&s->surface, NULL, x, g->y, 1.3, look.colour);
		Agedge_t *e = surface_pointer(&s->surface, from, surface_point(&s->surface, NULL, x + 18, g->y), x,
			g->y, x + 18, g->y, look.colour);
		if (strcmp(look.style, "solid") != 0)
			surface_set(e, "style", look.style);
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
	struct picture *s = g->picture;
	double x = legend_entry(g, 16, text);
	if (!s->surface.graph)
		return;
	Agnode_t *n = surface_box(&s->surface, NULL, x, g->y - 5, x + 14, g->y + 5);
	surface_set(n, "style", dashed ? "filled,dashed" : "filled");
	surface_set(n, "fillcolor", fill);
	surface_set(n, "color", "#8a8a8a");
	surface_set_number(n, "penwidth", 0.6);
}

static void legend_sync(struct legend *g)
{
	struct picture *s = g->picture;
	double x = legend_entry(g, 6, "collective");
	if (s->surface.graph) {
		Agnode_t *from = surface_dot(&s->surface, NULL, x + 2, g->y - 5, 1.4, SYNC_COLOUR),
			 *to = surface_dot(&s->surface, NULL, x + 2, g->y + 5, 1.4, SYNC_COLOUR);
		surface_set(surface_line(&s->surface, from, to, x + 2, g->y - 5, x + 2, g->y + 5, SYNC_COLOUR, 0.9),
			"style", "dashed");
	}
}

/* Colours of the shares of time, with numbers below. */
static void legend_times(struct legend *g)
{
	enum { STEPS = 50, SCALE = 150 };
	struct picture *s = g->picture;
	double top = s->layout->scene->time_top;
	g->x = s->left;
	g->y += LEGEND_ROW;
	double x = legend_entry(g, SCALE + 10, "of the run time of all processes together, which is 100 %");
	for (int i = 0; i < STEPS && s->surface.graph; i++)
		surface_fill(surface_box(&s->surface, NULL, x + i * SCALE / STEPS, g->y - 4, x + SCALE,
				     g->y + 4), /* overlapping: no seams */
			heat_of_share((i + 0.5) / STEPS));
	for (int i = 0; i <= 2 && s->surface.graph; i++) {
		struct text share = {0};
		times_print(top * i / 2, &share);
		surface_text(&s->surface, x + i * SCALE / 2.0, g->y + 9, MIDDLE, share.data, FONT_SMALL, "#000000");
		text_clear(&share);
	}
	g->y += FONT_SMALL;
}

static void legend_forms(struct legend *g)
{
	struct text text = {0};
	if (g->picture->layout->scene->roles)
		wording_explain(g->picture->layout->scene, &text);
	if (text.length)
		legend_entry(g, 0, text.data);
	text_clear(&text);
}

/* An end of a message; lost: the other one is not in the trace. */
static void legend_stub(struct legend *g, bool out, bool lost, const char *text)
{
	struct picture *s = g->picture;
	double x = legend_entry(g, 14, text), y0 = g->y + (out ? 3 : -4), y1 = g->y + (out ? -4 : 3);
	if (!s->surface.graph)
		return;
	Agnode_t *from =
		out ? surface_dot(&s->surface, NULL, x, y0, 1.3, FAINT) : surface_point(&s->surface, NULL, x, y0);
	surface_pointer(&s->surface, from, surface_point(&s->surface, NULL, x + 8, y1), x, y0, x + 8, y1, FAINT);
	if (lost)
		surface_text(&s->surface, out ? x + 8 : x, out ? y1 : y0, MIDDLE, "×", FONT_TEXT, FAINT);
}

static void legend_arrow(struct legend *g, double width, const char *text)
{
	struct picture *s = g->picture;
	double x = legend_entry(g, 20, text);
	if (s->surface.graph)
		surface_set_number(
			surface_pointer(&s->surface, surface_point(&s->surface, NULL, x, g->y),
				surface_point(&s->surface, NULL, x + 18, g->y), x, g->y, x + 18, g->y, FAINT),
			"penwidth", width);
}

/* Sizes of messages, where arrows differ in width. */
static void legend_sizes(struct legend *g, uint64_t least, uint64_t most)
{
	struct text text = {0};
	if (least >= most)
		return;
	text_put(&text, "the wider, the larger: ");
	text_grouped(&text, least);
	text_put(&text, " to ");
	text_grouped(&text, most);
	text_put(&text, " bytes");
	legend_arrow(g, 1.2, text.data);
	text_clear(&text);
}

struct kinds {
	uint64_t least, most; /* bytes of a message */
	bool open, closed, looped, called, sync, block, cut, stub, unreceived, unsent, bundle, local, call, access,
		timed;
	uint32_t depth;
};

static struct kinds find_kinds(const struct layout *l)
{
	struct kinds k = {.least = UINT64_MAX};
	for (size_t i = 0; i < l->scene->items; i++) {
		const struct scene_item *item = &l->scene->item[i];
		bool loop = item->kind == ITEM_LOOP;
		k.open |= loop && item->inside != SCENE_NONE;
		k.closed |= loop && item->inside == SCENE_NONE;
		k.called |= loop && l->scene->drawn->call[item->statement];
		k.looped |= loop && !l->scene->drawn->call[item->statement];
		k.timed |= loop && item->share >= 0;
		k.sync |= item->kind == ITEM_SYNC;
		k.block |= item->kind == ITEM_BLOCK;
		bool access = item->kind == ITEM_LOCAL && drawn_accesses(l->scene->drawn, item->statement);
		k.access |= access;
		k.local |= item->kind == ITEM_LOCAL && item->call == CALL_NEITHER && !access;
		k.call |= item->kind == ITEM_LOCAL && item->call != CALL_NEITHER;
		if (loop && l->scene->system[item->system].depth + 1 > k.depth)
			k.depth = l->scene->system[item->system].depth + 1;
	}
	for (size_t i = 0; i < l->arrows; i++) {
		bool out = l->arrow[i].kind == ARROW_OUT, in = l->arrow[i].kind == ARROW_IN;
		bool lost = arrow_is_lost(l, &l->arrow[i]);
		k.stub |= (out || in) && !lost;
		k.unreceived |= out && lost;
		k.unsent |= in && lost;
		k.bundle |= l->arrow[i].kind == ARROW_BUNDLE && l->arrow[i].count > 1;
		uint64_t bytes;
		if (l->arrow[i].kind == ARROW_BUNDLE ||
			!scene_size(l->scene, in ? l->arrow[i].to : l->arrow[i].from, &bytes))
			continue;
		k.least = bytes < k.least ? bytes : k.least;
		k.most = bytes > k.most ? bytes : k.most;
	}
	return k;
}

static void say_frames(const struct scene *s, const struct kinds *k, struct text *out)
{
	bool timed = s->time_top > 0;
	if (k->looped)
		text_put(out,
			timed ? "loop: iterations, and its share of the run time" : "loop, with its iteration count");
	if (k->called)
		text_put(out, k->looped ? ", or procedure, with its name" : "procedure, with its name");
	if (timed)
		text_put(out, "; gray: not measured");
	else if (k->depth > 1)
		text_put(out, "; darker: inside another");
}

/* Gives the height that it takes. Without a graph, only measures. */
double legend_draw(struct picture *s, double y)
{
	struct legend g = {s, s->left, y, s->surface.width - MARGIN};
	struct kinds k = find_kinds(s->layout);
	legend_tags(&g);
	legend_sizes(&g, k.least, k.most);
	if (k.open || k.closed) {
		struct text text = {0};
		say_frames(s->layout->scene, &k, &text);
		legend_box(&g, palette_shade(0), false, text.data);
		text_clear(&text);
	}
	if (k.closed)
		legend_box(&g, palette_shade(1), true, "loop not opened");
	if (k.block)
		legend_box(&g, "#ffffff", true, "so many events, not drawn one by one");
	if (k.sync)
		legend_sync(&g);
	if (k.stub)
		legend_stub(&g, true, false,
			s->layout->scene->roles ? "message within a line, or whose other end is not drawn"
						: "message whose other end is not drawn");
	if (k.unreceived)
		legend_stub(&g, true, true, "message whose receive was not recorded");
	if (k.unsent)
		legend_stub(&g, false, true, "message whose send was not recorded");
	if (k.bundle)
		legend_arrow(&g, 1.6, "so many messages between loops");
	if (s->layout->crowded)
		legend_entry(&g, 0, "Messages between loops that run side by side are not drawn.");
	legend_forms(&g);
	if (s->layout->scene->banded)
		legend_entry(
			&g, 0, "A line with several ranks stands for all of them, an arrow for all their messages.");
	if (k.call) {
		double x = legend_entry(&g, 16, "call begins and ends");
		if (s->surface.graph) {
			surface_bracket(&s->surface, NULL, x, g.y, true, CALL_COLOUR);
			surface_bracket(&s->surface, NULL, x + 11, g.y, false, CALL_COLOUR);
		}
	}
	if (k.access) {
		double x = legend_entry(&g, 6, "one-sided communication, with its target");
		if (s->surface.graph)
			surface_dot(&s->surface, NULL, x + 2, g.y, 2.0, "#000000");
	}
	if (k.local) {
		double x = legend_entry(&g, 6, "local event");
		if (s->surface.graph)
			surface_dot(&s->surface, NULL, x + 2, g.y, 1.0, FAINT);
	}
	if (k.timed)
		legend_times(&g);
	return g.y - y + LEGEND_ROW;
}
