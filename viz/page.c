/*
 * page.c -- the page: the files of viz/page, embedded at build time, around the layout as JSON.
 *
 * The page places nothing by itself: folding, unrolling and zooming only map the coordinates of the
 * one layout. What it knows of an item is a row of numbers, in the order of the comments below; the
 * same order stands in viz/page/data.js.
 */
#include "viz/page.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/intern.h"
#include "base/json.h"
#include "viz/page_program.h"
#include "viz/palette.h"
#include "viz/viridis.h"
#include "viz/wording.h"
#include "viz/page.inc"

struct writing {
	const struct layout *layout;
	const struct scene *scene;
	struct palette *palette;
	struct intern *sets; /* of lanes */
	struct json json;
};

/* ------------------------------------------------------------------ values */

static void put_place(struct json *j, const char *name, double x)
{
	json_short(j, name, x, 1);
}

static void put_item_or_none(struct json *j, uint32_t item)
{
	json_integer(j, NULL, item == SCENE_NONE ? -1 : (int64_t)item);
}

static void put_text(struct json *j, const char *name, struct text *text)
{
	json_string(j, name, text->data ? text->data : "");
	text_clear(text);
}

/* An item with something of its own. */
static void open_numbered(struct json *j, size_t number)
{
	char name[24];
	snprintf(name, sizeof name, "%zu", number);
	json_array(j, name, JSON_TIGHT);
}

/* ------------------------------------------------------------------ parts of the data */

static void put_lanes(struct writing *w)
{
	struct json *j = &w->json;
	json_array(j, "lanes", JSON_TIGHT);
	for (uint32_t i = 0; i < w->scene->lanes; i++) { /* [name, all its ranks, how many] */
		struct text name = {0}, ranks = {0};
		lane_name(w->scene, i, &name);
		ranks_print(&w->scene->lane[i], &ranks);
		json_array(j, NULL, JSON_TIGHT);
		put_text(j, NULL, &name);
		put_text(j, NULL, &ranks);
		json_number(j, NULL, ranks_count(&w->scene->lane[i]));
		json_close(j);
	}
	json_close(j);
	json_array(j, "slots", JSON_TIGHT);
	for (uint32_t i = 0; i < w->layout->slots; i++)
		put_place(j, NULL, w->layout->slot_y[i]);
	json_close(j);
	json_array(j, "moves", JSON_TIGHT);
	for (size_t i = 0; i < w->layout->moves; i++) { /* [lane, from, to, x0, x1] */
		const struct move *m = &w->layout->move[i];
		json_array(j, NULL, JSON_TIGHT);
		json_number(j, NULL, m->lane);
		json_number(j, NULL, m->from);
		json_number(j, NULL, m->to);
		put_place(j, NULL, m->x0);
		put_place(j, NULL, m->x1);
		json_close(j);
	}
	json_close(j);
}

static void put_tags(struct writing *w)
{
	const struct palette *p = w->palette;
	struct json *j = &w->json;
	json_object(j, "tags", JSON_TIGHT); /* id: [name, look] */
	for (uint32_t i = 0; i < p->ids; i++) {
		if (!p->used[i])
			continue;
		struct text name = {0};
		tag_name(w->scene, i, &name);
		open_numbered(j, i);
		put_text(j, NULL, &name);
		json_number(j, NULL, p->of_tag[i]);
		json_close(j);
	}
	json_close(j);
	json_array(j, "families", JSON_TIGHT); /* [name, look, its colour, on dark paper, its style] */
	for (uint32_t i = 0; i < p->families; i++) {
		struct text name = {0};
		struct look look = palette_look(p->family[i].look);
		family_name(w->scene, &p->family[i], &name);
		json_array(j, NULL, JSON_TIGHT);
		put_text(j, NULL, &name);
		json_number(j, NULL, p->family[i].look);
		json_string(j, NULL, look.colour);
		json_string(j, NULL, look.on_dark);
		json_string(j, NULL, look.style);
		json_close(j);
	}
	json_close(j);
}

static uint32_t set_of(struct writing *w, const struct scene_item *i)
{
	return intern_id(w->sets, i->lane, i->lanes * sizeof *i->lane);
}

/*
 * What an event is: of messages [process, peer, tag], of collectives [name, root or -1], of others
 * [process, "local WORDS" or "put PEER WINDOW"].
 */
/* What it carries comes last, if it carries anything. */
static void put_event(struct writing *w, uint32_t k)
{
	const struct scene_item *i = &w->scene->item[k];
	const struct drawn_event *e = &i->event;
	struct json *j = &w->json;
	if (i->kind == ITEM_SEND || i->kind == ITEM_RECV) {
		json_number(j, NULL, e->process);
		json_number(j, NULL, e->peer);
		json_number(j, NULL, i->tag);
	} else if (i->kind == ITEM_SYNC) {
		json_string(j, NULL, drawn_word(w->scene->drawn, i->statement));
		json_integer(j, NULL, e->peer == ENDS_NONE ? -1 : (int64_t)e->peer);
	} else {
		struct text what = {0};
		if (drawn_accesses(w->scene->drawn, i->statement))
			drawn_access(w->scene->drawn, i->statement, e, true, &what);
		else
			text_format(&what, "local %s", drawn_word(w->scene->drawn, i->statement));
		json_number(j, NULL, e->process);
		json_string(j, NULL, what.data);
		text_clear(&what);
	}
	struct text carried = {0};
	scene_carried(w->scene, k, &carried);
	if (carried.length)
		json_string(j, NULL, carried.data);
	text_clear(&carried);
}

/*
 * [kind, system, set of lanes, address, multiplicity, x0, x1, top, bottom, ...]; of events last what they
 * carry, if anything; of frames: y0, y1, count,
 * events, messages, system inside or -1.
 */
static void put_item(struct writing *w, uint32_t k)
{
	const struct scene_item *i = &w->scene->item[k];
	const struct place_of_item *p = &w->layout->item[k];
	struct json *j = &w->json;
	struct text address = {0};
	scene_address(w->scene, k, &address);
	json_array(j, NULL, JSON_TIGHT);
	json_number(j, NULL, i->kind);
	json_number(j, NULL, i->system);
	json_number(j, NULL, set_of(w, i));
	put_text(j, NULL, &address);
	json_count(j, NULL, i->multiplicity);
	put_place(j, NULL, p->x0);
	put_place(j, NULL, p->x1);
	json_number(j, NULL, p->top);
	json_number(j, NULL, p->bottom);
	if (i->kind <= ITEM_LOCAL) {
		put_event(w, k);
	} else {
		put_place(j, NULL, p->y0);
		put_place(j, NULL, p->y1);
		json_count(j, NULL, i->count);
		json_count(j, NULL, i->events);
		json_count(j, NULL, i->messages);
		put_item_or_none(j, i->inside);
	}
	json_close(j);
}

static void put_items(struct writing *w)
{
	json_array(&w->json, "items", JSON_TIGHT);
	for (uint32_t k = 0; k < w->scene->items; k++)
		put_item(w, k);
	json_close(&w->json);
}

/*
 * What is written at an item ("": nothing), 1 if below its line, and the whole statement: by
 * roles, of an event; of a call.
 */
static void put_words(struct writing *w)
{
	struct json *j = &w->json;
	json_object(j, "words", JSON_TIGHT);
	for (size_t k = 0; k < w->scene->items; k++) {
		const struct scene_item *i = &w->scene->item[k];
		if (!i->words && !i->line)
			continue;
		open_numbered(j, k);
		json_string(j, NULL, i->words ? i->words : "");
		json_number(j, NULL, i->below);
		json_string(j, NULL, i->line ? i->line : "");
		json_close(j);
	}
	json_close(j);
}

/* Items whose other end is not in the trace; or boxes whose label stands above them already. */
static void put_marked(struct writing *w, const char *name, bool told)
{
	json_array(&w->json, name, JSON_TIGHT);
	for (uint32_t k = 0; k < w->scene->items; k++)
		if (told ? w->layout->item[k].told : w->scene->item[k].lost)
			json_number(&w->json, NULL, k);
	json_close(&w->json);
}

/* Where in the source items are, by item. */
static void put_sites(struct writing *w)
{
	struct json *j = &w->json;
	struct text sites = {0};
	json_object(j, "sites", JSON_TIGHT);
	for (uint32_t k = 0; k < w->scene->items; k++) {
		char name[24];
		text_truncate(&sites, 0);
		scene_sites(w->scene, k, &sites);
		snprintf(name, sizeof name, "%" PRIu32, k);
		if (sites.length)
			json_string(j, name, sites.data);
	}
	json_close(j);
	text_clear(&sites);
}

static void put_sets(struct writing *w)
{
	struct json *j = &w->json;
	json_array(j, "sets", JSON_TIGHT);
	for (uint32_t i = 0; i < intern_count(w->sets); i++) {
		size_t size;
		const uint32_t *lane = intern_data(w->sets, i, &size);
		json_array(j, NULL, JSON_TIGHT);
		for (size_t k = 0; k < size / sizeof *lane; k++)
			json_number(j, NULL, lane[k]);
		json_close(j);
	}
	json_close(j);
}

static void put_arrows(struct writing *w)
{
	struct json *j = &w->json;
	json_array(j, "arrows", JSON_TIGHT); /* [kind, x0, y0, x1, y1, from, to, tag, count] */
	for (size_t i = 0; i < w->layout->arrows; i++) {
		const struct arrow *a = &w->layout->arrow[i];
		json_array(j, NULL, JSON_TIGHT);
		json_number(j, NULL, a->kind);
		put_place(j, NULL, a->x0);
		put_place(j, NULL, a->y0);
		put_place(j, NULL, a->x1);
		put_place(j, NULL, a->y1);
		put_item_or_none(j, a->from);
		put_item_or_none(j, a->to);
		json_number(j, NULL, a->tag);
		json_count(j, NULL, a->count);
		json_close(j);
	}
	json_close(j);
}

/* Of each system: [owner or -1, x, width]. */
static void put_systems(struct writing *w)
{
	struct json *j = &w->json;
	json_array(j, "systems", JSON_TIGHT);
	for (uint32_t i = 0; i < w->scene->systems; i++) {
		json_array(j, NULL, JSON_TIGHT);
		put_item_or_none(j, w->scene->system[i].owner);
		put_place(j, NULL, w->layout->system_x[i]);
		put_place(j, NULL, w->layout->system_width[i]);
		json_close(j);
	}
	json_close(j);
}

/* A scale of colours, in even steps. */
static void put_scale(struct json *j, const char *name, unsigned (*colour)(double part))
{
	enum { COLOURS = 16 };
	json_array(j, name, JSON_TIGHT);
	for (int i = 0; i < COLOURS; i++)
		json_number(j, NULL, colour(i / (COLOURS - 1.0)));
	json_close(j);
}

/* What is known of the times: where the scale ends, and the shares of items. */
static void put_times(struct writing *w)
{
	struct json *j = &w->json;
	char name[24];
	if (w->scene->time_top <= 0)
		return;
	json_object(j, "times", JSON_TIGHT);
	json_short(j, "top", w->scene->time_top, 9);
	json_object(j, "share", JSON_TIGHT);
	for (size_t k = 0; k < w->scene->items; k++) {
		snprintf(name, sizeof name, "%zu", k);
		if (w->scene->item[k].share >= 0)
			json_real(j, name, w->scene->item[k].share, 6);
	}
	json_close(j);
	json_close(j);
}

static void put_head(struct writing *w, const struct viz_options *o)
{
	struct json *j = &w->json;
	struct text explanation = {0};
	if (w->scene->roles)
		wording_explain(w->scene, &explanation);
	json_string(j, "title", o->title ? o->title : "");
	json_string(j, "part", w->scene->part);
	json_number(j, "processes", w->scene->processes);
	json_truth(j, "banded", w->scene->banded);
	json_truth(j, "opened", w->scene->opened);
	json_truth(j, "limited", w->scene->limited);
	put_place(j, "column", w->layout->column);
	json_truth(j, "roles", w->scene->roles);
	put_text(j, "explained", &explanation);
	put_place(j, "width", w->layout->width);
	put_place(j, "height", w->layout->height);
	json_string(j, "version", TRACENEST_VERSION);
}

static bool put_data(struct writing *w, const struct viz_options *o, struct error *error)
{
	json_object(&w->json, NULL, JSON_LINES);
	put_head(w, o);
	put_lanes(w);
	put_tags(w);
	put_items(w);
	put_words(w);
	put_sites(w);
	put_marked(w, "lost", false);
	put_marked(w, "told", true);
	put_sets(w);
	put_arrows(w);
	put_systems(w);
	put_scale(&w->json, "shares", heat_of_share);
	put_scale(&w->json, "amounts", viridis);
	put_times(w);
	bool good = page_put_program(&w->json, w->scene, error);
	json_close(&w->json);
	json_finish(&w->json);
	return good;
}

/* ------------------------------------------------------------------ the page */

static void put_title(struct output *out, const char *title)
{
	struct text escaped = {0};
	text_put_escaped(&escaped, title);
	output_text(out, &escaped);
	text_clear(&escaped);
}

/* page.html has marks where the rest goes: @TITLE@, @CSS@, @DATA@, @JS@, each once. */
bool page_write(const struct layout *l, const struct viz_options *o, struct output *out, struct error *error)
{
	bool good = true;
	struct writing w = {
		.layout = l, .scene = l->scene, .palette = palette_new(l), .sets = intern_new(), .json = {.out = out}};
	for (const char *at = page_html; *at;) {
		const char *mark = strchr(at, '@'), *end = mark ? strchr(mark + 1, '@') : NULL;
		output_write(out, at, mark ? (size_t)(mark - at) : strlen(at));
		if (!mark || !end)
			break;
		if (!strncmp(mark, "@TITLE@", 7))
			put_title(out, o->title ? o->title : "model");
		else if (!strncmp(mark, "@CSS@", 5))
			output_write(out, page_css, sizeof page_css - 1);
		else if (!strncmp(mark, "@DATA@", 6))
			good = put_data(&w, o, error);
		else if (!strncmp(mark, "@JS@", 4))
			output_write(out, page_js, sizeof page_js - 1);
		at = end + 1;
	}
	intern_free(w.sets);
	palette_free(w.palette);
	return good;
}
