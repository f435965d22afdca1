/*
 * page.c -- the page: the files of viz/page, embedded at build time, around the layout as JSON.
 *
 * The page places nothing by itself: folding, unrolling and zooming only map the coordinates of the one layout. What it knows of an item
 * is a row of numbers, in the order of the comments below; the same order stands in viz/page/data.js.
 */
#include "viz/page.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "viz/palette.h"
#include "viz/times.h"
#include "viz/viridis.h"
#include "viz/wording.h"
#include "viz/page.inc"

struct writing {
	const struct layout *layout;
	const struct scene *scene;
	struct palette *palette;
	struct intern *sets; /* of lanes */
	struct output *out;
	struct text text;
};

/* ------------------------------------------------------------------ JSON */

/* Numbers that JavaScript would round go as text. */
static void put_count(struct text *out, uint64_t number)
{
	text_format(out, number > UINT64_C(1) << 53 ? "\"%" PRIu64 "\"" : "%" PRIu64, number);
}

static void put_place(struct text *out, double x)
{
	char digits[32];
	int length = snprintf(digits, sizeof digits, "%.1f", x);
	if (length > 2 && digits[length - 1] == '0')
		digits[length - 2] = '\0';
	text_put(out, digits);
}

static void put_places(struct text *out, double a, double b)
{
	put_place(out, a);
	text_char(out, ',');
	put_place(out, b);
}

static void put_item_or_none(struct text *out, uint32_t item)
{
	if (item == SCENE_NONE)
		text_put(out, "-1");
	else
		text_number(out, item);
}

static void put_items_or_none(struct text *out, uint32_t a, uint32_t b)
{
	put_item_or_none(out, a);
	text_char(out, ',');
	put_item_or_none(out, b);
}

static void next(struct writing *w, bool first)
{
	if (!first)
		text_char(&w->text, ',');
	if (w->text.length > 1 << 16)
		output_text(w->out, &w->text);
}

/* ------------------------------------------------------------------ parts of the data */

static void put_lanes(struct writing *w)
{
	struct text *t = &w->text;
	text_put(t, ",\n\"lanes\":[");
	for (uint32_t i = 0; i < w->scene->lanes; i++) { /* [name, all its ranks, how many] */
		struct text name = {0}, ranks = {0};
		lane_name(w->scene, i, &name);
		ranks_print(&w->scene->lane[i], &ranks);
		next(w, i == 0);
		text_char(t, '[');
		json_quote(t, name.data);
		text_char(t, ',');
		json_quote(t, ranks.data);
		text_format(t, ",%" PRIu64 "]", ranks_count(&w->scene->lane[i]));
		text_clear(&name);
		text_clear(&ranks);
	}
	text_put(t, "],\n\"slots\":[");
	for (uint32_t i = 0; i < w->layout->slots; i++) {
		next(w, i == 0);
		put_place(t, w->layout->slot_y[i]);
	}
	text_put(t, "],\n\"moves\":[");
	for (size_t i = 0; i < w->layout->moves; i++) { /* [lane, from, to, x0, x1] */
		const struct move *m = &w->layout->move[i];
		next(w, i == 0);
		text_format(t, "[%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",", m->lane, m->from, m->to);
		put_places(t, m->x0, m->x1);
		text_char(t, ']');
	}
	text_char(t, ']');
}

static void put_tags(struct writing *w)
{
	const struct palette *p = w->palette;
	struct text *t = &w->text;
	bool first = true;
	text_put(t, ",\n\"tags\":{"); /* id: [name, family] */
	for (uint32_t i = 0; i < p->ids; i++) {
		if (!p->used[i])
			continue;
		struct text name = {0};
		tag_name(w->scene, i, &name);
		next(w, first);
		first = false;
		text_format(t, "\"%" PRIu32 "\":[", i);
		json_quote(t, name.data ? name.data : "");
		text_format(t, ",%" PRIu32 "]", p->of_tag[i]);
		text_clear(&name);
	}
	text_put(t, "},\n\"families\":["); /* [name, arrows] */
	for (uint32_t i = 0; i < p->families; i++) {
		struct text name = {0};
		family_name(w->scene, &p->family[i], &name);
		next(w, i == 0);
		text_char(t, '[');
		json_quote(t, name.data ? name.data : "");
		text_format(t, ",%" PRIu64 "]", p->family[i].arrows);
		text_clear(&name);
	}
	text_char(t, ']');
}

static void put_address(struct writing *w, uint32_t item)
{
	struct text address = {0};
	scene_address(w->scene, item, &address);
	json_quote(&w->text, address.data);
	text_clear(&address);
}

static uint32_t set_of(struct writing *w, const struct scene_item *i)
{
	return intern_id(w->sets, i->lane, i->lanes * sizeof *i->lane);
}

/* What an event is: of messages [process, peer, tag], of collectives [name, root or -1], of local events [process, words]. */
static void put_event(struct writing *w, const struct scene_item *i)
{
	const struct dictionary *d = scene_dictionary(w->scene);
	const struct event *e = dictionary_get_event(d, i->event);
	struct text *t = &w->text;
	if (i->kind == ITEM_SEND || i->kind == ITEM_RECV) {
		text_format(t, ",%" PRIu32 ",%" PRIu32 ",%" PRIu32, e->process, e->peer, i->tag);
	} else if (i->kind == ITEM_SYNC) {
		const struct sync *sync = dictionary_get_sync(d, e->subject);
		text_char(t, ',');
		json_quote(t, dictionary_get_word(d, sync->name));
		text_format(t, ",%" PRId64, e->peer == NO_ROOT ? INT64_C(-1) : (int64_t)e->peer);
	} else {
		text_format(t, ",%" PRIu32 ",", e->process);
		json_quote(t, dictionary_get_word(d, e->subject));
	}
}

/* [kind, system, set of lanes, address, alike, x0, x1, top, bottom, ...]; of frames: y0, y1, count, events, messages, system inside or -1. */
static void put_items(struct writing *w)
{
	struct text *t = &w->text;
	text_put(t, ",\n\"items\":[");
	for (size_t k = 0; k < w->scene->items; k++) {
		const struct scene_item *i = &w->scene->item[k];
		const struct place_of_item *p = &w->layout->item[k];
		next(w, k == 0);
		text_format(t, "[%d,%" PRIu32 ",%" PRIu32 ",", (int)i->kind, i->system, set_of(w, i));
		put_address(w, (uint32_t)k);
		text_char(t, ',');
		put_count(t, i->alike);
		text_char(t, ',');
		put_places(t, p->x0, p->x1);
		text_format(t, ",%" PRIu32 ",%" PRIu32, p->top, p->bottom);
		if (i->kind <= ITEM_LOCAL) {
			put_event(w, i);
		} else {
			text_char(t, ',');
			put_places(t, p->y0, p->y1);
			text_char(t, ',');
			put_count(t, i->count);
			text_char(t, ',');
			put_count(t, i->events);
			text_char(t, ',');
			put_count(t, i->messages);
			text_char(t, ',');
			put_item_or_none(t, i->inside);
		}
		text_char(t, ']');
	}
	text_char(t, ']');
}

/* By roles: what is written at an item ("": nothing), 1 if below its line, and, of an event, the whole statement. */
static void put_words(struct writing *w)
{
	struct text *t = &w->text;
	bool first = true;
	text_put(t, ",\n\"words\":{");
	for (size_t k = 0; k < w->scene->items; k++) {
		const struct scene_item *i = &w->scene->item[k];
		if (!i->words && !i->line)
			continue;
		next(w, first);
		first = false;
		text_format(t, "\"%zu\":[", k);
		json_quote(t, i->words ? i->words : "");
		text_put(t, i->below ? ",1," : ",0,");
		json_quote(t, i->line ? i->line : "");
		text_char(t, ']');
	}
	text_char(t, '}');
}

static void put_sets(struct writing *w)
{
	struct text *t = &w->text;
	text_put(t, ",\n\"sets\":[");
	for (uint32_t i = 0; i < intern_count(w->sets); i++) {
		size_t size;
		const uint32_t *lane = intern_data(w->sets, i, &size);
		next(w, i == 0);
		text_char(t, '[');
		for (size_t k = 0; k < size / sizeof *lane; k++)
			text_format(t, k ? ",%" PRIu32 : "%" PRIu32, lane[k]);
		text_char(t, ']');
	}
	text_char(t, ']');
}

static void put_arrows(struct writing *w)
{
	struct text *t = &w->text;
	text_put(t, ",\n\"arrows\":["); /* [kind, x0, y0, x1, y1, from, to, tag, count] */
	for (size_t i = 0; i < w->layout->arrows; i++) {
		const struct arrow *a = &w->layout->arrow[i];
		next(w, i == 0);
		text_format(t, "[%d,", (int)a->kind);
		put_places(t, a->x0, a->y0);
		text_char(t, ',');
		put_places(t, a->x1, a->y1);
		text_char(t, ',');
		put_items_or_none(t, a->from, a->to);
		text_format(t, ",%" PRIu32 ",", a->tag);
		put_count(t, a->count);
		text_char(t, ']');
	}
	text_char(t, ']');
}

static void put_flow(struct writing *w, const struct scene_flow *f)
{
	text_char(&w->text, '[');
	put_items_or_none(&w->text, f->from, f->to);
	text_char(&w->text, ',');
	put_count(&w->text, f->count);
	text_char(&w->text, ']');
}

/* Of each system: [owner or -1, x, width, [messages that its events send in one iteration, as [from, to, count] of lanes]]. */
static void put_systems(struct writing *w)
{
	struct text *t = &w->text;
	size_t at = 0;
	text_put(t, ",\n\"systems\":[");
	for (uint32_t i = 0; i < w->scene->systems; i++) {
		next(w, i == 0);
		text_char(t, '[');
		put_item_or_none(t, w->scene->system[i].owner);
		text_char(t, ',');
		put_places(t, w->layout->system_x[i], w->layout->system_width[i]);
		text_put(t, ",[");
		for (bool first = true; at < w->scene->sents && w->scene->sent[at].system == i; at++, first = false) {
			next(w, first);
			put_flow(w, &w->scene->sent[at].flow);
		}
		text_put(t, "]]");
	}
	text_char(t, ']');
}

/* The messages of what is not drawn, of all iterations. */
static void put_hidden(struct writing *w)
{
	struct text *t = &w->text;
	bool first = true;
	text_put(t, ",\n\"hidden\":{");
	for (uint32_t i = 0; i < w->scene->items; i++) {
		const struct scene_item *item = &w->scene->item[i];
		if (item->kind < ITEM_LOOP || item->inside != SCENE_NONE || !item->messages)
			continue;
		size_t length;
		struct scene_flow *flow = scene_hidden_flow(w->scene, i, &length);
		next(w, first);
		first = false;
		text_format(t, "\"%" PRIu32 "\":[", i);
		for (size_t k = 0; k < length; k++) {
			next(w, k == 0);
			put_flow(w, &flow[k]);
		}
		text_char(t, ']');
		free(flow);
	}
	text_char(t, '}');
}

static void put_explanation(struct writing *w)
{
	struct text explanation = {0};
	if (w->scene->roles)
		wording_explain(w->scene, &explanation);
	json_quote(&w->text, explanation.data ? explanation.data : "");
	text_clear(&explanation);
}

/* What is known of the times: where the scale ends, its colours in even steps, and the shares of items. */
static void put_times(struct writing *w)
{
	enum { COLOURS = 16 };
	struct text *t = &w->text;
	bool first = true;
	if (w->scene->time_top <= 0)
		return;
	text_format(t, ",\n\"times\":{\"top\":%g,\"colours\":[", w->scene->time_top);
	for (int i = 0; i < COLOURS; i++)
		text_format(t, "%s%u", i ? "," : "", viridis(i / (COLOURS - 1.0)));
	text_put(t, "],\"share\":{");
	for (size_t k = 0; k < w->scene->items; k++) {
		if (w->scene->item[k].share < 0)
			continue;
		next(w, first);
		first = false;
		text_format(t, "\"%zu\":%.6f", k, w->scene->item[k].share);
	}
	text_put(t, "}}");
}

static void put_head(struct writing *w, const struct viz_options *o)
{
	struct text *t = &w->text;
	text_put(t, "{\"title\":");
	json_quote(t, o->title ? o->title : "");
	text_put(t, ",\"part\":");
	json_quote(t, w->scene->part);
	text_format(t, ",\"processes\":%" PRIu32 ",\"events\":", w->scene->processes);
	put_count(t, program_events(w->scene->drawn->source));
	text_format(t, ",\"banded\":%s,\"limited\":%s,\"column\":", w->scene->banded ? "true" : "false",
		w->scene->limited ? "true" : "false");
	put_place(t, w->layout->column);
	text_format(t, ",\"roles\":%s,\"explained\":", w->scene->roles ? "true" : "false");
	put_explanation(w);
	text_put(t, ",\"width\":");
	put_place(t, w->layout->width);
	text_put(t, ",\"height\":");
	put_place(t, w->layout->height);
	text_put(t, ",\"version\":");
	json_quote(t, TRACENEST_VERSION);
}

static void put_data(struct writing *w, const struct viz_options *o)
{
	put_head(w, o);
	put_lanes(w);
	put_tags(w);
	put_items(w);
	put_words(w);
	put_sets(w);
	put_arrows(w);
	put_systems(w);
	put_hidden(w);
	put_times(w);
	text_put(&w->text, "}\n");
	output_text(w->out, &w->text);
}

/* ------------------------------------------------------------------ the page */

static void put_title(struct output *out, const char *title)
{
	struct text clean = {0}, escaped = {0};
	text_put_utf8(&clean, title);
	for (const char *c = clean.data ? clean.data : ""; *c; c++) {
		if (*c == '<')
			text_put(&escaped, "&lt;");
		else if (*c == '&')
			text_put(&escaped, "&amp;");
		else
			text_char(&escaped, *c);
	}
	output_text(out, &escaped);
	text_clear(&clean);
	text_clear(&escaped);
}

/* page.html has marks where the rest goes: @TITLE@, @CSS@, @DATA@, @JS@, each once. */
bool page_write(const struct layout *l, const struct viz_options *o, struct output *out, struct error *error)
{
	(void)error;
	struct writing w = {.layout = l, .scene = l->scene, .palette = palette_new(l), .sets = intern_new(), .out = out};
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
			put_data(&w, o);
		else if (!strncmp(mark, "@JS@", 4))
			output_write(out, page_js, sizeof page_js - 1);
		at = end + 1;
	}
	intern_free(w.sets);
	palette_free(w.palette);
	text_clear(&w.text);
	return true;
}
