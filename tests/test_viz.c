/*
 * test_viz.c -- the geometry of pictures: not how they look, but what must be true of any layout.
 *
 * Held against random programs, against hard cases written out, and against every model in the
 * directory TRACENEST_MODELS, where it is set (tests/e2e/draw.sh makes the models of the samples).
 */
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ask/measures.h"
#include "base/mem.h"
#include "lib/pipeline.h"
#include "tests/executed.h"
#include "tests/rows.h"
#include "tests/unit.h"
#include "viz/layout.h"
#include "viz/palette.h"
#include "viz/scene.h"
#include "viz/viz.h"
#include "viz/wording.h"

#define NEAR 0.001

/* ------------------------------------------------------------------ what must hold */

struct picture {
	const char *name;
	const struct scene *scene;
	const struct layout *layout;
	unsigned wrong;
};

static void complain(struct picture *p, const char *what, uint32_t item)
{
	if (p->wrong++ < 5) {
		struct text address = {0};
		if (item != SCENE_NONE)
			scene_address(p->scene, item, &address);
		printf("\n%s: %s (%s)\n", p->name, what, address.data ? address.data : "-");
		text_clear(&address);
	}
	CU_FAIL("a layout is wrong");
}

static bool is_frame(const struct picture *p, uint32_t item)
{
	return p->scene->item[item].kind == ITEM_LOOP;
}

/* Is a an item inside of loop b, at any depth? */
static bool is_inside(const struct picture *p, uint32_t a, uint32_t b)
{
	for (uint32_t owner = p->scene->system[p->scene->item[a].system].owner; owner != SCENE_NONE;
		owner = p->scene->system[p->scene->item[owner].system].owner)
		if (owner == b)
			return true;
	return false;
}

/* T: along every lane of every system, one behind the other. */
static void check_order(struct picture *p)
{
	for (size_t i = 0; i < p->scene->systems; i++) {
		const struct scene_system *s = &p->scene->system[i];
		for (uint32_t k = 1; k < s->steps; k++)
			if (s->step[k].lane == s->step[k - 1].lane &&
				p->layout->item[s->step[k].item].x0 <= p->layout->item[s->step[k - 1].item].x1 + NEAR)
				complain(p, "an item is not behind the one before it on its line", s->step[k].item);
	}
}

/* Has it, or a box around it, messages with what stands beside? out: that it sends. */
static bool leads_on(const struct scene *s, uint32_t item, bool out)
{
	for (; item != SCENE_NONE; item = s->system[s->item[item].system].owner)
		for (size_t i = 0; i < s->links; i++)
			if ((out ? s->link[i].from : s->link[i].to) == item)
				return true;
	return false;
}

/* C: every message that can be is an arrow to the right, or leaves a box that has an arrow. */
static void check_messages(struct picture *p, bool complete)
{
	const struct layout *l = p->layout;
	size_t arrows = 0, links = 0;
	for (size_t i = 0; i < l->arrows; i++) {
		const struct arrow *a = &l->arrow[i];
		if (a->kind == ARROW_MESSAGE || a->kind == ARROW_WITHIN) {
			arrows++;
			if (a->x1 <= a->x0)
				complain(p, "a receive is not right of its send", a->to);
			if (a->y0 != l->slot_y[l->item[a->from].top] || a->y1 != l->slot_y[l->item[a->to].top])
				complain(p, "an arrow does not join the lines of its events", a->to);
			if (a->x0 != l->item[a->from].x0 || a->x1 != l->item[a->to].x0)
				complain(p, "an arrow does not join its events", a->to);
		}
		bool out = a->kind == ARROW_OUT;
		if (complete && (out || a->kind == ARROW_IN) && !leads_on(p->scene, out ? a->from : a->to, out))
			complain(p, "a message of a complete program has lost an end",
				a->from != SCENE_NONE ? a->from : a->to);
	}
	for (size_t i = 0; i < p->scene->links; i++)
		links += p->scene->link[i].single;
	if (complete && arrows != links)
		complain(p, "messages are missing", SCENE_NONE);
}

/* A frame holds what is inside of it, and its slots are those of its lanes: it is tight. */
static void check_frame(struct picture *p, uint32_t box)
{
	const struct layout *l = p->layout;
	const struct scene_item *b = &p->scene->item[box];
	const struct place_of_item *f = &l->item[box];
	if (f->bottom - f->top + 1 != b->lanes)
		complain(p, "a box is not over exactly its processes", box);
	if (f->y0 >= l->slot_y[f->top] || f->y1 <= l->slot_y[f->bottom])
		complain(p, "a line leaves its box", box);
	if (b->inside == SCENE_NONE)
		return;
	const struct scene_system *s = &p->scene->system[b->inside];
	for (uint32_t i = s->first_item; i < s->first_item + s->items; i++) {
		const struct place_of_item *q = &l->item[i];
		if (q->x0 <= f->x0 || q->x1 >= f->x1 || q->y0 <= f->y0 || q->y1 >= f->y1 || q->top < f->top ||
			q->bottom > f->bottom)
			complain(p, "an item stands out of its box", i);
	}
}

static bool holds_lane(const struct scene_item *i, uint32_t lane)
{
	for (uint32_t k = 0; k < i->lanes; k++)
		if (i->lane[k] == lane)
			return true;
	return false;
}

/* Lines of others pass above or below a box, and do not change sides while it lasts. */
static void check_strangers(struct picture *p, uint32_t box)
{
	const struct layout *l = p->layout;
	const struct place_of_item *f = &l->item[box];
	for (uint32_t lane = 0; lane < l->slots; lane++) {
		bool member = holds_lane(&p->scene->item[box], lane);
		uint32_t at = layout_slot(l, lane, f->x0 - NEAR);
		if ((at >= f->top && at <= f->bottom) != member)
			complain(p, member ? "a process is not in its box" : "a stranger is in a box", box);
		for (size_t i = l->first_move[lane]; i < l->first_move[lane + 1]; i++) {
			const struct move *m = &l->move[i];
			if (m->x1 <= f->x0 + NEAR || m->x0 >= f->x1 - NEAR)
				continue;
			bool from = m->from >= f->top && m->from <= f->bottom,
			     to = m->to >= f->top && m->to <= f->bottom;
			if (from != member || to != member || (!member && (m->from < f->top) != (m->to < f->top)))
				complain(p, "a line crosses the frame of a box", box);
			if (member && (m->x0 < f->x0 || m->x1 > f->x1))
				complain(p, "a line moves while it enters a box", box);
		}
	}
}

static void check_boxes_apart(struct picture *p)
{
	const struct layout *l = p->layout;
	for (uint32_t a = 0; a < p->scene->items; a++) {
		if (!is_frame(p, a))
			continue;
		check_frame(p, a);
		check_strangers(p, a);
		const struct place_of_item *x = &l->item[a];
		for (uint32_t b = 0; b < p->scene->items; b++) {
			const struct place_of_item *y = &l->item[b];
			bool over = x->x0 <= y->x1 && y->x0 <= x->x1 && x->y0 <= y->y1 && y->y0 <= x->y1;
			if (a != b && over && !is_inside(p, a, b) && !is_inside(p, b, a))
				complain(p, "a box and another item overlap", b);
		}
	}
}

/* From the left margin to the right, without a gap, and every event stands on its line. */
static void check_lines(struct picture *p)
{
	const struct layout *l = p->layout;
	for (uint32_t lane = 0; lane < l->slots; lane++) {
		uint32_t slot = lane;
		double x = 0;
		for (size_t i = l->first_move[lane]; i < l->first_move[lane + 1]; i++) {
			const struct move *m = &l->move[i];
			if (m->from != slot || m->x0 < x - NEAR || m->x1 <= m->x0 || m->lane != lane)
				complain(p, "a line is not continuous", SCENE_NONE);
			slot = m->to;
			x = m->x1;
		}
		if (x > l->width)
			complain(p, "a line ends too early", SCENE_NONE);
		if (lane && l->slot_y[lane] <= l->slot_y[lane - 1])
			complain(p, "slots are not below each other", SCENE_NONE);
	}
	for (uint32_t i = 0; i < p->scene->items; i++)
		for (uint32_t k = 0; k < p->scene->item[i].lanes; k++) {
			uint32_t lane = p->scene->item[i].lane[k];
			if (layout_slot(l, lane, l->item[i].x0 - NEAR) != l->item[i].slot[k])
				complain(p, "an item is not on its line", i);
			for (size_t m = l->first_move[lane]; m < l->first_move[lane + 1]; m++)
				if (l->move[m].x0 < l->item[i].x0 - NEAR && l->move[m].x1 > l->item[i].x0 + NEAR)
					complain(p, "an item stands where its line moves", i);
		}
}

/* No two slots hold two lines at once. */
static void check_slots(struct picture *p)
{
	const struct layout *l = p->layout;
	for (size_t m = 0; m <= l->moves; m++) {
		double x = m ? l->move[m - 1].x1 + NEAR : 0;
		bool *taken = mem_zero(l->slots + 1);
		for (uint32_t lane = 0; lane < l->slots; lane++) {
			uint32_t slot = layout_slot(l, lane, x);
			/*
			 * A line on its way counts where it goes: others may still be on their way
			 * from there, but no two go to one place.
			 */
			if (taken[slot])
				complain(p, "two lines in one slot", SCENE_NONE);
			taken[slot] = true;
		}
		free(taken);
	}
}

/* Names of collectives overlap neither each other nor boxes. */
static void check_names(struct picture *p)
{
	const struct layout *l = p->layout;
	for (uint32_t a = 0; a < p->scene->items; a++) {
		if (p->scene->item[a].kind != ITEM_SYNC)
			continue;
		struct text name = {0};
		item_label(p->scene, a, &name);
		double half = text_width(name.data, FONT_TEXT) / 2, x0 = l->item[a].x0 - half,
		       x1 = l->item[a].x0 + half;
		text_clear(&name);
		for (uint32_t b = 0; b < p->scene->items; b++) {
			if (a == b || l->item[b].top != l->item[a].top || is_inside(p, a, b))
				continue;
			if (p->scene->item[b].kind == ITEM_SYNC) {
				item_label(p->scene, b, &name);
				half = text_width(name.data, FONT_TEXT) / 2;
				text_clear(&name);
			} else if (is_frame(p, b)) {
				half = 0;
			} else {
				continue;
			}
			if (x0 < l->item[b].x1 + half && l->item[b].x0 - half < x1)
				complain(p, "the name of a collective overlaps another thing", a);
		}
	}
}

/* What is written in a box ends in it. */
static void check_box_labels(struct picture *p)
{
	const struct layout *l = p->layout;
	for (uint32_t i = 0; i < p->scene->items; i++) {
		struct text label = {0};
		if (p->scene->item[i].kind != ITEM_LOOP || l->item[i].told)
			continue;
		item_label(p->scene, i, &label);
		if (label.length && text_width(label.data, FONT_TEXT) > l->item[i].x1 - l->item[i].x0)
			complain(p, "a box is narrower than its label", i);
		text_clear(&label);
	}
}

/* Every item is a statement of the text that was given. */
static void check_addresses(struct picture *p)
{
	const struct drawn *d = p->scene->drawn;
	for (uint32_t i = 0; i < p->scene->items; i++) {
		struct text address = {0};
		struct error error = {0};
		uint64_t at;
		scene_address(p->scene, i, &address);
		if (!module_find(d->source, address.data, &at, &error))
			complain(p, error.message, i);
		else if (p->scene->item[i].kind < ITEM_BLOCK && !d->call[p->scene->item[i].statement] &&
			 (node_of(d->source->store, d->written[at].node)->kind != NODE_EVENT) != is_frame(p, i))
			complain(p, "an item has the address of something else", i);
		text_clear(&address);
	}
}

/* All statements that somebody executes are there; a box holds what its loop holds. */
static void check_contents(struct picture *p)
{
	const struct scene *s = p->scene;
	const struct drawn *drawn = s->drawn;
	for (size_t i = 0; i < s->systems && !s->roles; i++) {
		const struct scene_system *y = &s->system[i];
		uint64_t shown = 0, listed = 0;
		bool cut = false;
		for (uint32_t k = y->first_item; k < y->first_item + y->items; k++) {
			const struct scene_item *item = &s->item[k];
			cut |= item->kind == ITEM_CUT; /* counts loops that nobody executes, too */
			shown += item->kind == ITEM_CUT || item->kind == ITEM_BLOCK ? item->count : item->multiplicity;
		}
		const struct scene_item *owner = y->owner == SCENE_NONE ? NULL : &s->item[y->owner];
		size_t from = owner ? owner->statement + 1 : 0, past = owner ? owner->past : drawn->module->lines;
		for (size_t k = from; k < past; k = drawn_behind(drawn, k))
			listed += drawn_who(drawn, k).length > 0;
		if (owner && owner->multiplicity > 1)
			continue;
		if (cut ? shown < listed : shown != listed)
			complain(p, "statements have vanished", y->owner);
	}
}

/* ------------------------------------------------------------------ pictures by roles */

/* A loop of which no iteration is ever executed is not drawn. */
static bool runs(struct drawn *d, size_t at)
{
	int64_t *index = mem_zero(run_depth(d->run) * sizeof *index);
	bool runs = !drawn_is_loop(d, at) || (drawn_node(d, at)->lines > 1 && drawn_instance(d, at + 1, index));
	free(index);
	return runs;
}

/* Is it drawn as this item: the statement itself, or another part of one collective? */
static bool is_drawn_as(const struct drawn *d, size_t at, size_t item)
{
	if (at == item || drawn_is_loop(d, at) || drawn_is_loop(d, item))
		return at == item;
	const struct node *a = drawn_node(d, at), *b = drawn_node(d, item);
	return a->sub == EVENT_SYNC && b->sub == EVENT_SYNC && a->word == b->word;
}

/*
 * The statements of a line are those that each of its processes executes, one after the other;
 * where some are left out, some of these.
 */
static void check_statements(struct picture *p, bool whole)
{
	const struct scene *s = p->scene;
	struct drawn *d = s->drawn;
	for (size_t i = 0; i < s->systems; i++) {
		const struct scene_system *y = &s->system[i];
		size_t loop = y->owner == SCENE_NONE ? 0 : s->item[y->owner].statement;
		size_t from = y->owner == SCENE_NONE ? 0 : loop + 1,
		       past = y->owner == SCENE_NONE ? d->module->lines : drawn_behind(d, loop);
		for (uint32_t k = 0, j; k < y->steps; k = j) {
			uint32_t lane = y->step[k].lane, rank;
			for (j = k; j < y->steps && y->step[j].lane == lane;)
				j++;
			struct ranks_walk walk = {0};
			while (ranks_next(&s->lane[lane], &walk, &rank)) {
				uint32_t at = k;
				for (size_t n = from; n < past; n = drawn_behind(d, n)) {
					struct ranks who = drawn_who(d, n);
					if (!ranks_has(&who, rank) || !runs(d, n))
						continue;
					bool shown = at < j && is_drawn_as(d, n, s->item[y->step[at].item].statement);
					at += shown;
					if (whole && !shown)
						complain(p, "a line does not have the statements of its processes",
							at < j ? y->step[at].item : SCENE_NONE);
				}
				if (whole && at != j)
					complain(p, "a line has a statement too many", y->step[at].item);
			}
		}
	}
}

/* A picture shows them, though they make no role. */
static bool has_loop_of_nothing(struct drawn *d)
{
	bool any = false;
	for (size_t i = 0; i < d->module->lines && !any; i++)
		any = drawn_node(d, i)->kind == NODE_LOOP && !drawn_is_divergent(d, i) &&
		      !drawn_count_of(d, i, 0, d->first);
	return any;
}

/* Lines with the same statements are one, but for those asked for. */
static void check_roles(struct picture *p)
{
	struct drawn *d = p->scene->drawn;
	struct ranks busy = rank_sets_get(d->sets, d->all);
	struct measures measures;
	struct error error;
	CU_ASSERT(measures_of(d->run, &measures, &error));
	bool idle = ranks_count(&busy) < d->module->processes;
	if (p->scene->lanes != measures.roles + idle && !has_loop_of_nothing(d))
		complain(p, "a line is not a role", SCENE_NONE);
	measures_clear(&measures);
}

static uint32_t peer_of(const struct scene *s, uint32_t item, uint32_t rank)
{
	return drawn_event_at(s->drawn, s->item[item].statement, rank, s->drawn->first).peer;
}

/*
 * An arrow leads from a role to another if some process of the one sends to one of the other, which
 * receives from it.
 */
static void check_arrows(struct picture *p)
{
	const struct scene *s = p->scene;
	for (size_t i = 0; i < s->links; i++) {
		const struct scene_link *link = &s->link[i];
		bool right = false;
		uint32_t rank;
		struct ranks_walk walk = {0};
		while (link->single && !right && ranks_next(&s->lane[link->from_lane], &walk, &rank)) {
			uint32_t to = peer_of(s, link->from, rank);
			right = ranks_has(&s->lane[link->to_lane], to) && peer_of(s, link->to, to) == rank;
		}
		if (link->single && !right)
			complain(p, "an arrow is no message", link->from);
	}
}

static bool is_on(const struct scene *s, uint32_t item, uint32_t lane)
{
	for (uint32_t i = 0; i < s->item[item].lanes; i++)
		if (s->item[item].lane[i] == lane)
			return true;
	return false;
}

/* Of the event, or of a box around it, to what is received in another. */
static bool has_link(const struct scene *s, uint32_t item, uint32_t lane)
{
	if (s->item[item].loose)
		return true;
	for (; item != SCENE_NONE; item = s->system[s->item[item].system].owner)
		for (size_t i = 0; i < s->links; i++)
			if (s->link[i].from == item &&
				(s->link[i].single ? s->link[i].to_lane == lane : is_on(s, s->link[i].to, lane)))
				return true;
	return false;
}

/* A send leads to all roles that its processes send to, or is marked, or a box around it does. */
static void check_targets(struct picture *p)
{
	const struct scene *s = p->scene;
	for (uint32_t i = 0; i < s->items; i++) {
		struct ranks_walk walk = {0};
		uint32_t rank;
		while (s->item[i].kind == ITEM_SEND && ranks_next(&s->lane[s->item[i].lane[0]], &walk, &rank))
			if (!has_link(s, i, s->lane_of[peer_of(s, i, rank)]))
				complain(p, "messages to a role are missing", i);
	}
}

/* Words stand apart on each side of a line, and inside of the box that they belong to. */
static void check_words(struct picture *p)
{
	const struct layout *l = p->layout;
	const struct scene *s = p->scene;
	for (uint32_t a = 0; a < s->items; a++) {
		if (s->item[a].kind > ITEM_RECV)
			continue;
		if (!s->item[a].words || !s->item[a].line) {
			complain(p, "a message has no words", a);
			continue;
		}
		double half = text_width(s->item[a].words, FONT_SMALL) / 2, x0 = l->item[a].x0 - half,
		       x1 = l->item[a].x0 + half;
		uint32_t owner = s->system[s->item[a].system].owner;
		if (owner != SCENE_NONE && (x0 < l->item[owner].x0 || x1 > l->item[owner].x1))
			complain(p, "words stand out of their box", a);
		for (uint32_t b = a + 1; b < s->items; b++) {
			if (s->item[b].kind > ITEM_RECV || !s->item[b].words || l->item[b].top != l->item[a].top)
				continue;
			half = text_width(s->item[b].words, FONT_SMALL) / 2;
			if (x0 < l->item[b].x0 + half && l->item[b].x0 - half < x1)
				complain(p, "words overlap", a);
		}
	}
}

static void check_by_roles(struct picture *p, const struct viz_options *o, bool complete)
{
	check_statements(p, !o->skip_short && !p->scene->limited);
	if (!o->depth && !o->loop && !p->scene->limited && !o->ranks.length)
		check_roles(p);
	check_arrows(p);
	if (complete)
		check_targets(p);
	if (o->labels != VIZ_LABELS_NONE)
		check_words(p);
}

static void check_picture(const char *name, const struct module *m, const struct viz_options *o, bool complete)
{
	struct error error = {0};
	struct scene *s = scene_new(m, o, &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(s);
	struct layout *l = layout_new(s, COLUMN_WIDE);
	struct picture p = {.name = name, .scene = s, .layout = l};
	check_order(&p);
	check_messages(&p, complete && !s->banded && !s->roles);
	check_boxes_apart(&p);
	check_lines(&p);
	check_slots(&p);
	check_names(&p);
	check_box_labels(&p);
	check_addresses(&p);
	if (!o->loop)
		check_contents(&p);
	if (o->roles)
		check_by_roles(&p, o, complete);
	struct palette *palette = palette_new(l);
	CU_ASSERT(palette->families <= l->arrows);
	for (size_t i = 0; i < s->items; i++)
		CU_ASSERT(s->item[i].tag < palette->ids); /* for its label's colour, arrow or not */
	palette_free(palette);
	layout_free(l);
	scene_free(s);
}

static void check_roles_of(const char *name, const struct module *f, bool complete)
{
	struct error error = {0};
	struct scene *s = scene_new(f, &(struct viz_options){.roles = true}, &error);
	CU_ASSERT(s || strstr(error.message, "roles"));
	if (s) {
		check_picture(name, f, &(struct viz_options){.roles = true}, complete);
		check_picture(name, f, &(struct viz_options){.roles = true, .skip_short = true}, false);
		check_picture(
			name, f, &(struct viz_options){.roles = true, .depth = 1, .labels = VIZ_LABELS_TAGS}, complete);
		check_picture(name, f, &(struct viz_options){.roles = true, .labels = VIZ_LABELS_NONE}, complete);
	}
	scene_free(s);
}

static struct module *module_of(const char *text)
{
	struct error error = {0};
	struct module *m = module_parse("model", text, strlen(text), &error);
	if (!m)
		printf("\n%s\n", error.message);
	CU_ASSERT_PTR_NOT_NULL_FATAL(m);
	return m;
}

/* Folded, whatever it was. */
static struct module *folded_of(const struct module *m)
{
	struct text text = {0};
	struct error error;
	module_print_text(m, NULL, &text);
	struct executed e = executed_of_text(text.data);
	struct module *folded = module_fold(e.module, &error);
	CU_ASSERT_FATAL(folded && module_inline(folded, &error));
	text_truncate(&text, 0);
	module_print_text(folded, NULL, &text);
	struct module *made = module_of(text.data);
	text_clear(&text);
	module_free(folded);
	executed_clear(&e);
	return made;
}

static void check_all(const char *name, const struct module *p, bool complete)
{
	struct module *folded = folded_of(p);
	check_roles_of(name, folded, complete);
	check_picture(name, folded, &(struct viz_options){0}, complete);
	check_picture(name, p, &(struct viz_options){0}, complete);
	check_picture(name, p, &(struct viz_options){.skip_short = true}, false);
	check_picture(name, p, &(struct viz_options){.depth = 1}, complete);
	module_free(folded);
}

/* ------------------------------------------------------------------ random programs */

struct maker {
	uint64_t seed;
	struct text text;
	unsigned budget;
};

static unsigned draw(struct maker *m, unsigned below)
{
	m->seed = m->seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (unsigned)((m->seed >> 33) % below);
}

/* Some of these processes, in order; at least one. */
static unsigned choose(struct maker *m, const unsigned *from, unsigned n, unsigned *to)
{
	unsigned length = 0, kind = draw(m, 3);
	unsigned first = draw(m, n), step = 1 + draw(m, 3);
	if (kind == 0) { /* a run or every second or third */
		for (unsigned i = first; i < n && length < 1 + n / 2; i += step)
			to[length++] = from[i];
	} else {
		for (unsigned i = 0; i < n; i++)
			if (i == first || draw(m, 2))
				to[length++] = from[i];
	}
	return length;
}

static void make_sync(struct maker *m, const unsigned *who, unsigned n)
{
	struct ranks set = {0};
	for (unsigned i = 0; i < n; i++)
		ranks_add(&set, who[i]);
	struct text ranks = {0};
	ranks_print(&set, &ranks);
	text_format(
		&m->text, "%s sync MPI_%s %s\n", ranks.data, draw(m, 2) ? "Allreduce" : "Reduce_scatter", ranks.data);
	text_clear(&ranks);
	ranks_clear(&set);
}

static void make_body(struct maker *m, const unsigned *who, unsigned n, unsigned depth)
{
	unsigned *some = mem_array(n + 1, sizeof *some);
	for (unsigned i = 1 + draw(m, 6); i-- > 0 && m->budget > 0; m->budget--) {
		unsigned kind = draw(m, 10);
		if (kind < 4 && depth < 4) {
			unsigned k = draw(m, 4) ? choose(m, who, n, some) : n;
			text_format(&m->text, "for i = 0 to %u\n", 1 + draw(m, 300));
			make_body(m, k == n ? who : some, k, depth + 1);
			text_put(&m->text, "done\n");
		} else if (kind < 5) {
			unsigned k = draw(m, 2) ? choose(m, who, n, some) : n;
			make_sync(m, k == n ? who : some, k);
		} else if (kind < 6) {
			text_format(&m->text, "%u local work %u\n", who[draw(m, n)], draw(m, 3));
		} else if (kind < 8) { /* a wave */
			for (unsigned a = 0; a + 1 < n; a++)
				text_format(&m->text, "%u send %u tag%u\n%u recv %u tag%u\n", who[a], who[a + 1], kind,
					who[a], who[a + 1], kind);
		} else { /* an exchange */
			unsigned a = who[draw(m, n)], b = who[draw(m, n)], tag = draw(m, 4);
			text_format(&m->text,
				"%u send %u tag%u\n%u send %u tag%u\n%u recv %u tag%u\n%u recv %u tag%u\n", a, b, tag,
				b, a, tag + 5, a, b, tag, b, a, tag + 5);
		}
	}
	free(some);
}

static struct module *make_program(uint64_t seed, unsigned processes)
{
	struct maker m = {.seed = seed * 977 + processes, .budget = 120};
	unsigned *who = mem_array(processes, sizeof *who);
	for (unsigned i = 0; i < processes; i++)
		who[i] = i;
	text_format(&m.text, "// tracenest 1\n// processes %u\n", processes);
	for (int i = 0; i < 4; i++)
		make_body(&m, who, processes, 0);
	struct module *p = module_of(m.text.data);
	text_clear(&m.text);
	free(who);
	return p;
}

static void test_random(void)
{
	for (unsigned i = 0; i < rounds(150); i++) {
		char name[64];
		unsigned processes = 1 + (i * 7) % 17;
		snprintf(name, sizeof name, "random %u, %u processes", i, processes);
		struct module *m = make_program(i, processes);
		check_all(name, m, true);
		module_free(m);
	}
}

static void test_random_bands(void)
{
	for (unsigned i = 0; i < rounds(12); i++) {
		char name[64];
		unsigned processes = 64 + (i * 13) % 60;
		snprintf(name, sizeof name, "random bands %u, %u processes", i, processes);
		struct module *m = make_program(i, processes);
		check_all(name, m, true);
		struct viz_options some = {0};
		ranks_add_run(&some.ranks, 3, 9);
		check_picture(name, m, &some, true);
		ranks_clear(&some.ranks);
		ranks_add_run(&some.ranks, 0, processes - 1);
		check_picture(name, m, &some, true);
		ranks_clear(&some.ranks);
		module_free(m);
	}
}

/* A grid of processes, and the text of what all of them run. */
struct spmd_maker {
	struct maker m;
	unsigned nx, ny;
};

static void put_set(struct spmd_maker *g, int dx, int dy)
{
	struct ranks set = {0};
	for (unsigned p = 0; p < g->nx * g->ny; p++)
		if ((int)(p % g->nx) + dx >= 0 && (int)(p % g->nx) + dx < (int)g->nx && (int)(p / g->nx) + dy >= 0 &&
			(int)(p / g->nx) + dy < (int)g->ny)
			ranks_add(&set, p);
	text_char(&g->m.text, '[');
	ranks_print_short(&set, &g->m.text);
	text_put(&g->m.text, "] ");
	ranks_clear(&set);
}

/*
 * To the neighbour in a direction, where there is one: everybody sends first, or, as waves go,
 * receives first.
 */
static void make_shift(struct spmd_maker *g)
{
	static const int way[][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
	const int *d = way[draw(&g->m, 4)];
	unsigned tag = draw(&g->m, 3);
	if (d[0] ? g->nx < 2 : g->ny < 2)
		return;
	for (int first = (int)draw(&g->m, 2), k = 0; k < 2; k++) {
		bool send = (k == 0) == (first == 0);
		int sign = send ? 1 : -1, far = sign * (d[0] + d[1] * (int)g->nx);
		put_set(g, sign * d[0], sign * d[1]);
		if (send)
			text_format(&g->m.text, "p send p%+d ", far);
		else
			text_format(&g->m.text, "p%+d recv p ", far);
		if (tag)
			text_format(&g->m.text, "tag%u\n", tag);
		else
			text_format(&g->m.text, "tag{%d+p}\n", send ? 5000 : 5000 + far);
	}
}

static void make_statements(struct spmd_maker *g, unsigned depth)
{
	for (unsigned i = 1 + draw(&g->m, 5); i-- > 0 && g->m.budget > 0; g->m.budget--) {
		unsigned kind = draw(&g->m, 8);
		if (kind < 2 && depth < 3) {
			put_set(g, 0, 0);
			text_format(&g->m.text, "for i = 0 to %u\n", 1 + draw(&g->m, 300));
			make_shift(g);
			put_set(g, 0, 0);
			text_format(&g->m.text, "p sync MPI_Barrier 0-%u\n", g->nx * g->ny - 1);
			make_statements(g, depth + 1);
			text_put(&g->m.text, "done\n");
		} else if (kind < 3) {
			put_set(g, 0, 0);
			text_format(&g->m.text, "p sync MPI_Allreduce %s\n", draw(&g->m, 2) ? "@(*,y)" : "@(x,*)");
		} else {
			make_shift(g);
		}
	}
}

static void test_random_roles(void)
{
	unsigned roles = 0;
	for (unsigned i = 0; i < rounds(60); i++) {
		struct spmd_maker g = {.m = {.seed = i * 31 + 7, .budget = 40}, .nx = 2 + i % 5, .ny = 2 + i % 7};
		text_format(&g.m.text, "// tracenest 1\n// processes %u\n// grid %u %u\n", g.nx * g.ny, g.nx, g.ny);
		make_statements(&g, 0);
		char name[64];
		snprintf(name, sizeof name, "random roles %u, %u x %u processes", i, g.nx, g.ny);
		struct module *p = module_of(g.m.text.data), *f = folded_of(p);
		struct run *r = run_new(f, NULL);
		struct measures measures;
		struct error error;
		roles += measures_of(r, &measures, &error) && measures.roles <= 9;
		measures_clear(&measures);
		run_free(r);
		check_roles_of(name, p, true);
		check_roles_of(name, f, true);
		module_free(f);
		module_free(p);
		text_clear(&g.m.text);
	}
	CU_ASSERT(roles == rounds(60));
}

/* ------------------------------------------------------------------ written out */

static const struct {
	const char *why, *text;
	bool complete;
} hard[] = {
	{"no processes", "// tracenest 1\n// processes 0\n", true},
	{"no events", "// tracenest 1\n// processes 3\n", true},
	{"one process", "// tracenest 1\n// processes 1\n0 send 0 a\n0 recv 0 a\n0 sync MPI_Barrier 0\n", true},
	{"only collectives",
		"// tracenest 1\n// processes 4\n0-3 sync MPI_A 0-3\n0,2 sync MPI_B 0,2\n1,3 sync MPI_B 1,3\n", true},
	{"loops of nothing",
		"// tracenest 1\n// processes 2\nfor i = 0 to 9\ndone\nfor i = 0 to -1\n0 send 1 a\ndone\n", true},
	{"names that need care",
		"// tracenest 1\n// processes 2\n0-1 sync MPI_<&\"' 0-1\n0 send 1 <&\"'\n0 recv 1 <&\"'\n0 local "
		"\xc3\xa4\xe2\x86\x92 --> ]]>\n",
		true},
	{"a send that nobody receives", "// tracenest 1\n// processes 2\n0 send 1 a\n", false},
	{"a peer beyond the processes", "// tracenest 1\n// processes 2\n0 send 1 a\n1 send 0 a\n", false},
	{"a program that would block",
		"// tracenest 1\n// processes 2\n0 recv 1 a\n0 send 1 b\n1 recv 0 b\n1 send 0 a\n", false},
	{"loops that were not joined",
		"// tracenest 1\n// processes 2\nfor i = 0 to 9\n0 send 1 a\ndone\nfor i = 0 to 4\n0 recv 1 a\n0 recv 1 a\ndone\n",
		false},
	{"collectives in parts, process by process",
		"// tracenest 1\n// processes 2\n0 sync A 0-1\n0 sync B 0-1\n0 sync A 0-1\n1 sync A 0-1\n1 sync B 0-1\n1 sync A "
		"0-1\n",
		true},
	{"collectives in parts that cannot be joined",
		"// tracenest 1\n// processes 2\n0 sync A 0-1\n0 sync B 0-1\n1 sync B 0-1\n1 sync A 0-1\n", true},
	{"boxes in rows, then in columns",
		"// tracenest 1\n// processes 4\nfor i = 0 to 9\n0 send 1 a\n0 recv 1 a\ndone\nfor i = 0 to 9\n2 send 3 a\n2 recv "
		"3 a\ndone\n"
		"for i = 0 to 9\n0 send 2 a\n0 recv 2 a\ndone\nfor i = 0 to 9\n1 send 3 a\n1 recv 3 a\ndone\n",
		true},
};

static void test_hard(void)
{
	for (size_t i = 0; i < COUNT(hard); i++) {
		struct module *m = module_of(hard[i].text);
		check_all(hard[i].why, m, hard[i].complete);
		module_free(m);
	}
}

/*
 * Loops whose numbers advance are boxes by roles, and iterations one behind the other by processes.
 */
static const struct {
	const char *why, *text, *count; /* count: what is written at the first loop whose count advances */
	bool leaks; /* messages leave their iterations */
} advancing[] = {
	{"tags",
		"// tracenest 1\n// processes 2\n[0] for i0 = 0 to 9\n[0] p send 1 tag{5+2*i0}\ndone\n[1] for i0 = 0 to 9\n[1] 0 recv p tag{5+2*i0}\ndone\n",
		NULL, true},
	{"a peer",
		"// tracenest 1\n// processes 16\n[0] for i0 = 0 to 14\n[0] p send {1+i0} a\ndone\n[1-15] 0 recv p a\n",
		NULL, true},
	{"peers on a ring",
		"// tracenest 1\n// processes 16\n[0-15] for i0 = 0 to 14\n[0-15] p send (p+1+i0)%16 tag{i0}\n[0-15] (p-1-i0)%16 recv p tag{i0}\ndone\n",
		NULL, false},
	{"counts",
		"// tracenest 1\n// processes 4\nfor i0 = 0 to 9\nfor i1 = 0 to {i0}\n0 send 1 a\n0 recv 1 a\ndone\ndone\n",
		"1+i0", false},
	{"counts of nothing at first",
		"// tracenest 1\n// processes 4\n[0-3] for i0 = 0 to 9\n[0-3] for i1 = 0 to {i0-4}\n[0-3] p send p^1 a\n[0-3] p^1 recv p a\ndone\ndone\n",
		"-3+i0", false},
	{"counts by process, none of the first",
		"// tracenest 1\n// processes 3\n0 send 1 a\n0 send 2 a\n0 send 2 a\n[1-2] for i0 = 0 to {$n[p]-1}\n[1-2] 0 recv p a\ndone\n// tables\n$n[p] = 0 1 2\n",
		"$n[p]", false},
	{"a part of the last iteration, received behind the loop",
		"// tracenest 1\n// processes 2\n[0-1] for i0 = 0 to 3\nif {i0} = 3\n0 send 1 a\ndone\n0 send 1 b\n0 recv 1 b\ndone\n0 recv 1 a\n",
		"if {i0} = 3", false},
	{"... and in it",
		"// tracenest 1\n// processes 2\n[0-1] for i0 = 0 to 3\nif {i0} = 3\n0 send 1 a\ndone\n0 send 1 b\n0 recv 1 b\nif {i0} = 3\n0 recv 1 a\ndone\ndone\n",
		"if {i0} = 3", false},
	{"a loop that never runs",
		"// tracenest 1\n// processes 2\n[0-1] for i0 = 0 to 3\n[0-1] p sync B 0-1\n[0-1] for i1 = 0 to {i0-9}\n[0-1] p sync A 0-1\ndone\ndone\n",
		NULL, false},
	{"roots",
		"// tracenest 1\n// processes 6\n// grid 3 2\n[0-5] for i0 = 0 to 2\n[0-5] p sync MPI_Bcast @(*,y) root=@(i0,y)\ndone\n",
		NULL, false},
};

static void test_advancing(void)
{
	for (size_t i = 0; i < COUNT(advancing); i++) {
		struct module *p = module_of(advancing[i].text);
		check_roles_of(advancing[i].why, p, !advancing[i].leaks);
		check_picture(advancing[i].why, p, &(struct viz_options){0}, true);
		struct error error = {0};
		struct scene *s = scene_new(p, &(struct viz_options){.roles = true}, &error);
		const char *count = NULL;
		for (size_t k = 0; k < s->items && !count; k++)
			count = s->item[k].kind == ITEM_LOOP ? s->item[k].words : NULL;
		ROW(advancing[i].why,
			count ? advancing[i].count && !strcmp(count, advancing[i].count) : !advancing[i].count);
		scene_free(s);
		module_free(p);
	}
}

/* NPB SP: solves along the rows, the columns and the diagonals of a grid, forth and back. */
static void put_solves(struct text *t, unsigned n)
{
	static const int steps[3][2] = {{1, 0}, {0, 1}, {1, -1}};
	for (int d = 0; d < 6; d++) {
		unsigned dx = (unsigned)(steps[d / 2][0] + (int)n), dy = (unsigned)(steps[d / 2][1] + (int)n);
		for (unsigned ring = 0; ring < n; ring++) {
			unsigned x0 = d / 2 == 0 ? 0 : ring, y0 = d / 2 == 0 ? ring : 0;
			text_put(t, "for k = 0 to 2\n");
			for (int receive = 0; receive < 2; receive++)
				for (unsigned k = 0, x = x0, y = y0; k < n; k++) {
					unsigned x1 = (x + dx) % n, y1 = (y + dy) % n, a = y * n + x, b = y1 * n + x1;
					text_format(t, "%u %s %u tag%d\n", d % 2 ? b : a, receive ? "recv" : "send",
						d % 2 ? a : b, d);
					x = x1;
					y = y1;
				}
			text_put(t, "done\n");
		}
	}
}

/* A row's processes exchange something at the beginning of each step. */
static void put_faces(struct text *t, unsigned n)
{
	for (unsigned a = 0; a < n * n; a++)
		text_format(t, "%u send %u faces\n", a, a / n * n + (a + 1) % n);
	for (unsigned a = 0; a < n * n; a++)
		text_format(t, "%u recv %u faces\n", a / n * n + (a + n - 1) % n, a);
}

static struct module *make_sp(unsigned n, bool whole)
{
	struct text t = {0};
	text_format(&t, "// tracenest 1\n// processes %u\n", n * n);
	if (whole) {
		put_faces(&t, n);
		put_solves(&t, n);
	}
	text_put(&t, "for i = 0 to 399\n");
	if (whole)
		put_faces(&t, n);
	put_solves(&t, n);
	text_put(&t, "done\n");
	struct module *p = module_of(t.data);
	text_clear(&t);
	return p;
}

/* With what comes before its loop: boxes that are alike stand below each other, under one name. */
static void test_stacks(void)
{
	struct module *m = make_sp(4, true);
	check_all("all of SP on 16 processes", m, true);
	struct error error = {0};
	struct scene *s = scene_new(m, &(struct viz_options){0}, &error);
	struct layout *l = layout_new(s, COLUMN_WIDE);
	size_t named = 0;
	for (size_t i = 0; i < s->items; i++)
		named += s->item[i].kind == ITEM_LOOP && !l->item[i].told;
	CU_ASSERT(named == 6 + 1 + 6);
	layout_free(l);
	scene_free(s);
	module_free(m);
}

static void test_crossings(void)
{
	struct module *m = make_sp(4, false);
	check_all("SP on 16 processes", m, true);
	struct error error = {0};
	struct scene *s = scene_new(m, &(struct viz_options){0}, &error);
	struct layout *l = layout_new(s, COLUMN_WIDE);
	CU_ASSERT(l->crossings <= l->crossings_plain);
	printf("(%u crossings, %u by barycenters alone) ", (unsigned)l->crossings, (unsigned)l->crossings_plain);
	CU_ASSERT(l->crossings <= 142);
	layout_free(l);
	scene_free(s);
	module_free(m);
}

static void test_bands(void)
{
	struct module *m = make_sp(9, false);
	struct error error = {0};
	struct scene *s = scene_new(m, &(struct viz_options){0}, &error);
	CU_ASSERT(s->banded);
	CU_ASSERT(s->lanes <= 48);
	scene_free(s);
	struct viz_options all = {0};
	ranks_add_run(&all.ranks, 0, 80);
	s = scene_new(m, &all, &error);
	CU_ASSERT(!s->banded && s->lanes == 81);
	scene_free(s);
	ranks_add(&all.ranks, 81);
	CU_ASSERT_PTR_NULL(scene_new(m, &all, &error));
	CU_ASSERT(error.kind == ERROR_INPUT);
	ranks_clear(&all.ranks);
	module_free(m);
}

/* A sweep over a grid of 4 x 4: nine roles, and what is written. */
static void test_sweep(void)
{
	struct module *m = module_of(
		"// tracenest 1\n// processes 16\n[0-15] for i0 = 0 to 61\n[(1-3)+4*4] p-1 recv p tag2\n[4-15] p-4 recv p "
		"tag4\n[(0-2)+4*4] p send p+1 tag2\n[0-11] p send p+4 tag4\ndone\n");
	struct error error = {0};
	struct scene *s = scene_new(m, &(struct viz_options){.roles = true}, &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(s);
	CU_ASSERT_EQUAL(s->lanes, 9);
	static const char *const names[] = {
		"0", "1-2", "3", "4,8 (2)", "5-6,9-10 (4)", "7,11 (2)", "12", "13-14", "15"};
	for (uint32_t i = 0; i < s->lanes; i++) {
		struct text name = {0};
		lane_name(s, i, &name);
		CU_ASSERT_STRING_EQUAL(name.data, names[i]);
		text_clear(&name);
	}
	CU_ASSERT_EQUAL(s->items, 1 + 4 * 6);
	CU_ASSERT_STRING_EQUAL(s->item[1].words, "←p-1");
	CU_ASSERT_STRING_EQUAL(s->item[1].line, "[(1-3)+4*4] p-1 recv p tag2");
	for (size_t i = 1; i < s->items; i++) /* messages go down */
		CU_ASSERT_EQUAL(s->item[i].below, s->item[i].kind == ITEM_RECV);
	CU_ASSERT_EQUAL(s->links, 12); /* six along the rows, six along the columns */
	unsigned loose = 0;
	for (size_t i = 0; i < s->items; i++)
		loose += s->item[i].loose;
	CU_ASSERT_EQUAL(loose, 2 * 3 + 2 * 3); /* both ends, in roles of processes that are neighbours */
	struct text text = {0};
	wording_explain(s, &text);
	CU_ASSERT_STRING_EQUAL(text.data, "→p+1: process p sends to p+1; ←p-1: it receives from p-1");
	text_clear(&text);
	scene_free(s);
	module_free(m);
}

static const struct {
	const char *why, *set, *name;
} lane_names[] = {
	{"one run", "100-4000000", "100-4000000"},
	{"short groups", "(65-126)+64*62", "(65-126)+64*62 (3844)"},
	{"longer ones", "(129-254)+128*126", "(129-254)+128*126 (15876)"},
	{"the longest for which there is room", "(2049-4094)+2048*2046", "(2049-4094)+2048*2046 (4186116)"},
	{"groups that hold commas", "(0,3,7,19,25,111)+128*3", "(0,3,7,19,25,111)+128*3 (18)"},
	{"too many of them", "(0,3,7,19,25,37,49,111)+128*3", "0,3,7,19,25,37, … (24)"},
	{"groups of groups", "((1025-1030)+16*4)+1024*3", "1025-1030, … (72)"},
	{"long runs", "((1000000-1000777)+1000*4)+100000*3", "1000000-1000777, … (9336)"},
	{"a list", "0,1,3,8,22,37,90,110", "0-1,3,8,22,37, … (8)"},
};

/* A box for each call, with indices around and inside of it, in both pictures. */
static void test_calls(void)
{
	static const char text[] =
		"// tracenest 1\n// processes 4\n"
		"[0-3] for i0 = 0 to 2\n  call step(2+i0)\ndone\ncall step(9)\n"
		"// procedures\n"
		"procedure step(n)\n  call exchange(n)\n  [0-3] for i0 = 0 to {n}\n"
		"    [0-2] p send p+1 t{i0} ; bytes={n}\n    [1-3] p-1 recv p t{i0} ; bytes={n}\n  done\ndone\n"
		"procedure exchange(n)\n  [0-2] p send p+1 u{n}\n  [1-3] p-1 recv p u{n}\ndone\n";
	/* counts that advance are written out for processes; a system after the other */
	static const char *const want[] = {"step(2+i0) step(2+i0) step(2+i0) step(9) "
					   "exchange(2+i0) exchange(2+i0) exchange(2+i0) exchange(9)",
		"step(9) step(2+i0) exchange(9) exchange(2+i0)"};
	struct error error = {0};
	struct module *m = module_of(text);
	for (int roles = 0; roles < 2; roles++) {
		struct scene *s = scene_new(m, &(struct viz_options){.roles = roles}, &error);
		CU_ASSERT_PTR_NOT_NULL_FATAL(s);
		struct text got = {0};
		for (size_t i = 0; i < s->items; i++)
			if (s->drawn->call[s->item[i].statement] && s->item[i].inside != SCENE_NONE) {
				text_format(&got, "%s%s", got.length ? " " : "", s->item[i].words);
				CU_ASSERT(!strncmp(s->item[i].line, "call ", 5));
				CU_ASSERT_STRING_EQUAL(s->item[i].line + 5, s->item[i].words);
			}
		CU_ASSERT_STRING_EQUAL(got.data, want[roles]);
		text_clear(&got);
		scene_free(s);
	}
	check_all("calls", m, true);
	module_free(m);
}

static void test_lane_names(void)
{
	for (size_t i = 0; i < sizeof lane_names / sizeof *lane_names; i++) {
		struct ranks set = {0};
		struct text name = {0};
		struct error error = {0};
		const char *at = lane_names[i].set;
		ROW(lane_names[i].why, ranks_parse(&set, &at, &error));
		lane_name(&(struct scene){.roles = true, .lane = &set, .lanes = 1}, 0, &name);
		row_same(lane_names[i].why, name.data, lane_names[i].name);
		text_clear(&name);
		ranks_clear(&set);
	}
}

/* A message has one look in every picture of a program. */
static void test_looks(void)
{
	struct module *m =
		module_of("// tracenest 1\n// processes 4\n[0-3] for i0 = 0 to 1\n[0] p send 1 b9\n[1] 0 recv p b9\n"
			  "done\n[0-3] for i0 = 0 to 2\n[0] p send 1 a{3000+10*i0}\n[1] 0 recv p a{3000+10*i0}\n"
			  "[2] p send 3 a5\n[3] 2 recv p a5\ndone\n");
	static const struct {
		const char *why;
		struct viz_options options;
		const char *looks; /* of the sends, in the order of the text */
	} pictures[] = {
		{"processes", {0}, "0102034"}, /* the second loop is written out */
		{"roles: a tag that advances looks like its first", {.roles = true}, "410"},
		{"a part", {.loop = "1"}, "102030"},
		{"a part by roles", {.roles = true, .loop = "1"}, "10"},
	};
	for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++) {
		struct error error = {0};
		struct scene *s = scene_new(m, &pictures[i].options, &error);
		CU_ASSERT_PTR_NOT_NULL_FATAL(s);
		struct layout *l = layout_new(s, COLUMN_WIDE);
		struct palette *p = palette_new(l);
		struct text looks = {0};
		for (size_t k = 0; k < s->items; k++)
			if (s->item[k].kind == ITEM_SEND)
				text_number(&looks, p->of_tag[s->item[k].tag]);
		row_same(pictures[i].why, looks.data, pictures[i].looks);
		text_clear(&looks);
		palette_free(p);
		layout_free(l);
		scene_free(s);
	}
	module_free(m);
}

/* Every process for itself: too many roles. */
static void test_many_roles(void)
{
	struct text t = {0};
	text_put(&t, "// tracenest 1\n// processes 41\n");
	for (unsigned p = 0; p < 41; p++)
		text_format(&t, "%u local work %u\n", p, p);
	struct module *m = module_of(t.data);
	struct error error = {0};
	CU_ASSERT_PTR_NULL(scene_new(m, &(struct viz_options){.roles = true}, &error));
	CU_ASSERT(error.kind == ERROR_INPUT && strstr(error.message, "more than 40 roles"));
	module_free(m);
	text_clear(&t);
}

static void test_suffixes(void)
{
	static const struct {
		const char *path;
		int format;
	} names[] = {{"a.svg", VIZ_SVG}, {"a.b.html", VIZ_HTML}, {"x/y.dot", VIZ_DOT}, {"a.gif", -1}, {".svg", -1},
		{"svg", -1}, {"", -1}, {"-", -1}};
	for (size_t i = 0; i < COUNT(names); i++) {
		enum viz_format format = VIZ_SVG;
		struct error error = {0};
		bool good = viz_format_of(names[i].path, &format, &error);
		CU_ASSERT(good == (names[i].format >= 0));
		CU_ASSERT(!good || (int)format == names[i].format);
	}
}

/*
 * The DOT language knows the escape \\" alone, and a name may end with a backslash, or be markup.
 */
static const struct {
	const char *why, *tag;
} tags[] = {
	{"a backslash", "\\"},
	{"two of them", "\\\\"},
	{"three", "\\\\\\"},
	{"one before a quote", "a\\\""},
	{"a quote", "\""},
	{"quotes around it", "\"a\""},
	{"a variable of labels", "a\\N\\G"},
	{"markup", "<b>a</b>"},
	{"half of it", "<b"},
	{"half an entity", "&amp"},
	{"the end of a comment", "*/"},
	{"an edge", "a->b"},
	{"UTF-8", "\xcf\x80"},
	{"bytes that are none", "\xff\xc3"},
};

static bool draw_to(const char *path, const char *tag)
{
	struct text text = {0};
	struct error error = {0};
	text_format(&text, "// tracenest 1\n// processes 2\n0 send 1 %s\n0 recv 1 %s\n0-1 sync %s 0-1\n0 local %s\n",
		tag, tag, tag, tag);
	struct module *m = module_of(text.data);
	struct output *out = output_open(path, &error);
	struct viz_options options = {.title = tag, .labels = VIZ_LABELS_TAGS};
	bool good = viz_draw(m, &options, VIZ_DOT, out, &error) && output_close(out, &error);
	module_free(m);
	text_clear(&text);
	return good;
}

/* Nodes of a file in the DOT language, as the library of Graphviz reads it; -1: it does not. */
static int count_nodes(const char *path)
{
	void *library = dlopen("libcgraph.so.6", RTLD_NOW | RTLD_LOCAL), *graph;
	void *(*read)(FILE *, void *) = NULL;
	int (*count)(void *) = NULL, (*end)(void *) = NULL;
	CU_ASSERT_PTR_NOT_NULL_FATAL(library);
	memcpy(&read, &(void *){dlsym(library, "agread")}, sizeof read);
	memcpy(&count, &(void *){dlsym(library, "agnnodes")}, sizeof count);
	memcpy(&end, &(void *){dlsym(library, "agclose")}, sizeof end);
	FILE *in = fopen(path, "r");
	CU_ASSERT_FATAL(in && read && count && end);
	graph = read(in, NULL);
	int nodes = graph ? count(graph) : -1;
	if (graph)
		end(graph);
	fclose(in);
	return nodes;
}

static void test_dot(void)
{
	char path[] = "/tmp/tracenest-dot-XXXXXX";
	int file = mkstemp(path);
	CU_ASSERT_FATAL(file >= 0);
	close(file);
	int nodes = 0;
	for (size_t i = 0; i < COUNT(tags); i++) {
		ROW(tags[i].why, draw_to(path, tags[i].tag));
		int now = count_nodes(path);
		ROW(tags[i].why, now > 0 && (!nodes || now == nodes));
		nodes = now;
	}
	unlink(path);
}

/* ------------------------------------------------------------------ models in files */

static void check_file(const char *path)
{
	struct error error = {0};
	struct module *m = module_read(path, &error);
	if (!m) {
		printf("\n%s\n", error.message);
		CU_FAIL("a model is not read");
		return;
	}
	check_all(path, m, false);
	module_free(m);
}

static void test_files(void)
{
	const char *directory = getenv("TRACENEST_MODELS");
	DIR *d = opendir(directory);
	CU_ASSERT_PTR_NOT_NULL_FATAL(d);
	unsigned files = 0;
	for (struct dirent *e; (e = readdir(d));) {
		size_t length = strlen(e->d_name);
		if (length < 5 || strcmp(e->d_name + length - 5, ".nest") != 0)
			continue;
		struct text path = {0};
		text_format(&path, "%s/%s", directory, e->d_name);
		check_file(path.data);
		text_clear(&path);
		files++;
	}
	closedir(d);
	CU_ASSERT(files > 0);
}

void suite_viz(CU_pSuite suite)
{
	if (getenv("TRACENEST_MODELS")) { /* and all else has been run without */
		CU_add_test(suite, "models in TRACENEST_MODELS", test_files);
		return;
	}
	CU_add_test(suite, "random programs", test_random);
	CU_add_test(suite, "random programs in bands", test_random_bands);
	CU_add_test(suite, "random programs by roles", test_random_roles);
	CU_add_test(suite, "calls", test_calls);
	CU_add_test(suite, "names of lanes", test_lane_names);
	CU_add_test(suite, "a sweep by roles", test_sweep);
	CU_add_test(suite, "looks of tags", test_looks);
	CU_add_test(suite, "too many roles", test_many_roles);
	CU_add_test(suite, "hard cases", test_hard);
	CU_add_test(suite, "numbers that advance", test_advancing);
	CU_add_test(suite, "lines cross little", test_crossings);
	CU_add_test(suite, "boxes that are alike stand below each other", test_stacks);
	CU_add_test(suite, "bands", test_bands);
	CU_add_test(suite, "suffixes", test_suffixes);
	CU_add_test(suite, "strange tags as DOT", test_dot);
}
