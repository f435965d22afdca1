/*
 * forms.c -- items to statements, lane by lane: the k-th construct that a process executes of a body is the k-th statement that has
 * it in its set.
 *
 * A form's tag is made a tag of its own, so that colours and the legend tell formulas: "tag{3000+…}".
 */
#include "viz/forms.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "base/saturate.h"
#include "model/program.h"
#include "viz/palette.h"

#define TAG_LONGEST 14 /* bytes of a tag that are written */

struct forming {
	struct scene *scene;
	const struct program *folded;
	enum viz_labels labels;
};

/* ------------------------------------------------------------------ texts */

static const char *keep(struct forming *g, struct text *text)
{
	char *kept = arena_alloc(g->scene->arena, text->length + 1);
	memcpy(kept, text->length ? text->data : "", text->length);
	kept[text->length] = '\0';
	text_clear(text);
	return kept;
}

/* What a long formula starts with: "tag{3000+(x+y)%4}" as "tag{3000+…}". */
static void put_tag(const struct program *f, const struct form *form, struct text *out)
{
	size_t start = out->length;
	program_print_tag(f, form, out);
	if (out->length - start <= TAG_LONGEST)
		return;
	const char *tag = out->data + start, *brace = strchr(tag, '{'), *plus = brace ? strchr(brace, '+') : NULL;
	if (!plus)
		return;
	text_truncate(out, (size_t)(plus + 1 - out->data));
	text_put(out, "…}");
}

static uint32_t tag_of_form(const struct forming *g, const struct form *form)
{
	struct dictionary *d = g->scene->model->dictionary;
	struct text name = {0};
	put_tag(g->folded, form, &name);
	struct tag tag = {.stem = dictionary_word(d, name.data, name.length), .communicator = NO_COMMUNICATOR};
	text_clear(&name);
	return dictionary_tag(d, &tag);
}

static void put_peer(const struct forming *g, const struct statement *s, struct text *out)
{
	if (s->set == STATEMENT_PLAIN)
		text_number(out, dictionary_get_event(g->folded->dictionary, s->event)->peer);
	else
		place_print(&program_get_form(g->folded, s->event)->peer, NULL, &g->folded->grid, out);
}

/* "→p+1", "←p-1", with the tag where it is a function, or where all tags are wanted. */
static void say_message(struct forming *g, struct scene_item *i, const struct statement *s)
{
	const struct form *form = s->set == STATEMENT_PLAIN ? NULL : program_get_form(g->folded, s->event);
	bool formula = form && (form->varies || !value_is_constant(&form->communicator));
	if (formula)
		i->tag = tag_of_form(g, form);
	struct text text = {0};
	text_put(&text, i->kind == ITEM_SEND ? "→" : "←");
	put_peer(g, s, &text);
	if (formula || g->labels == VIZ_LABELS_TAGS) {
		text_char(&text, ' ');
		tag_name(g->scene, i->tag, &text);
	}
	i->form = keep(g, &text);
}

static void say_sync(struct forming *g, struct scene_item *i, const struct statement *s)
{
	const struct form *form = s->set == STATEMENT_PLAIN ? NULL : program_get_form(g->folded, s->event);
	if (!form || !form->area.on_grid)
		return;
	struct text text = {0};
	text_put(&text, dictionary_get_word(g->folded->dictionary, form->word));
	text_char(&text, ' ');
	area_print(&form->area, &g->folded->grid, &text);
	i->form = keep(g, &text);
}

static void say(struct forming *g, struct scene_item *i, const struct statement *s)
{
	struct text text = {0};
	program_print_event(g->folded, s, &text);
	i->statement = keep(g, &text);
	if (g->labels == VIZ_LABELS_NONE)
		return;
	if (i->kind == ITEM_SYNC)
		say_sync(g, i, s);
	else if (i->kind != ITEM_LOCAL)
		say_message(g, i, s);
}

/* ------------------------------------------------------------------ the statement of an item */

static bool executes(const struct program *f, size_t at, uint32_t rank)
{
	const struct statement *s = &f->statement[at];
	if (statement_is_loop(s) && s->set == STATEMENT_PLAIN) {
		for (size_t i = at + 1; s->count && i < at + s->size; i += statement_size(&f->statement[i]))
			if (executes(f, i, rank))
				return true;
		return false;
	}
	struct ranks_run single;
	struct ranks who = program_processes(f, s, &single);
	return ranks_has(&who, rank);
}

static size_t next_statement(const struct program *f, size_t at, size_t past, uint32_t rank)
{
	while (at < past && !executes(f, at, rank))
		at += statement_size(&f->statement[at]);
	return at;
}

/* Statements of the root that a mark hides from a process. */
static uint64_t hidden_from(const struct scene *s, const struct scene_item *cut, uint32_t rank)
{
	uint64_t hidden = 0;
	struct ranks_run single;
	for (uint64_t i = 0; i < cut->count; i++) {
		node n = s->model->nest->root[cut->index + i];
		struct ranks who = node_is_loop(n) ? *nest_coverage_loop(s->coverage, n) : event_processes(s->model->dictionary, n, &single);
		hidden += ranks_has(&who, rank);
	}
	return hidden;
}

static void match_lane(struct forming *g, const struct scene_step *step, uint32_t steps, size_t from, size_t past)
{
	struct scene *s = g->scene;
	const struct program *f = g->folded;
	uint32_t rank = s->lane[step->lane].run[0].first;
	size_t at = next_statement(f, from, past, rank);
	for (uint32_t k = 0; k < steps; k++) {
		struct scene_item *i = &s->item[step[k].item];
		uint64_t hidden = i->kind == ITEM_CUT ? hidden_from(s, i, rank) : 1;
		if (i->kind != ITEM_CUT && (at >= past || statement_is_loop(&f->statement[at]) != (i->kind == ITEM_LOOP)))
			return; /* not the program of this model: better no words than wrong ones */
		if (i->kind != ITEM_CUT)
			i->place = at;
		for (; hidden && at < past; hidden--)
			at = next_statement(f, at + statement_size(&f->statement[at]), past, rank);
	}
}

static void match_system(struct forming *g, const struct scene_system *y)
{
	const struct program *f = g->folded;
	size_t from = 0, past = f->length;
	if (y->owner != SCENE_NONE) {
		size_t loop = g->scene->item[y->owner].place;
		if (loop == SIZE_MAX)
			return;
		from = loop + 1;
		past = loop + f->statement[loop].size;
	}
	for (uint32_t i = 0, j; i < y->steps; i = j) {
		for (j = i; j < y->steps && y->step[j].lane == y->step[i].lane;)
			j++;
		match_lane(g, y->step + i, j - i, from, past);
	}
}

/* ------------------------------------------------------------------ messages */

static bool leads_back(const struct scene *s, const struct scene_link *l)
{
	return l->single && s->item[l->from].lane[0] == s->item[l->to].lane[0] && l->to < l->from;
}

/* Gives how many of the links of a system are left. */
static uint32_t join_links(struct scene *s, struct scene_link *link, uint32_t links)
{
	struct intern *seen = intern_new();
	for (uint32_t i = 0; i < links; i++) {
		struct scene_link l = link[i];
		if (leads_back(s, &l)) {
			s->item[l.from].loose = s->item[l.to].loose = true;
			continue;
		}
		l.tag = l.single ? s->item[l.from].tag : l.tag;
		uint32_t key[3] = {l.from, l.to, l.tag}, known = intern_count(seen), id = intern_id(seen, key, sizeof key);
		if (id == known)
			link[id] = l;
		else
			link[id].count = saturating_add(link[id].count, l.count);
	}
	uint32_t left = intern_count(seen);
	intern_free(seen);
	return left;
}

static void join_all_links(struct scene *s)
{
	size_t links = 0;
	for (size_t i = 0; i < s->systems; i++) {
		struct scene_system *y = &s->system[i];
		uint32_t left = y->links ? join_links(s, s->link + y->first_link, y->links) : 0;
		if (left)
			memmove(s->link + links, s->link + y->first_link, left * sizeof *s->link);
		y->first_link = (uint32_t)links;
		y->links = left;
		links += left;
	}
	s->links = links;
}

/* A form is written on the side of the line where fewer arrows are. Arcs stand above. */
static void choose_sides(struct scene *s)
{
	int *above = mem_zero((s->items + 1) * sizeof *above); /* arrows there, less those below */
	bool *linked = mem_zero(s->items + 1);
	for (size_t i = 0; i < s->links; i++) {
		const struct scene_link *l = &s->link[i];
		above[l->from] += l->from_lane < l->to_lane ? -1 : 1;
		above[l->to] += l->from_lane <= l->to_lane ? 1 : -1;
		linked[l->from] = linked[l->to] = true;
	}
	for (size_t i = 0; i < s->items; i++) {
		struct scene_item *item = &s->item[i];
		if (!item->form || item->kind == ITEM_SYNC)
			continue;
		const struct event *e = dictionary_get_event(s->model->dictionary, item->event);
		if (item->loose || !linked[i])
			above[i] += e->peer < e->process ? 1 : -1;
		item->below = above[i] > 0;
	}
	free(linked);
	free(above);
}

void forms_add(struct scene *s, enum viz_labels labels)
{
	struct forming g = {s, s->folded, labels};
	for (size_t i = 0; i < s->items; i++)
		s->item[i].place = SIZE_MAX;
	for (size_t i = 0; i < s->systems; i++) /* outer systems stand before inner ones */
		match_system(&g, &s->system[i]);
	for (size_t i = 0; i < s->items; i++)
		if (s->item[i].place != SIZE_MAX && s->item[i].kind < ITEM_LOOP)
			say(&g, &s->item[i], &s->folded->statement[s->item[i].place]);
	join_all_links(s);
	choose_sides(s);
}

/* ------------------------------------------------------------------ the legend */

static bool written(const struct scene *s, char mark)
{
	for (size_t i = 0; i < s->items; i++)
		if (s->item[i].form && strchr(s->item[i].form, mark))
			return true;
	return false;
}

/* "p = x+4*y" */
static void explain_grid(const struct grid *grid, struct text *out)
{
	uint64_t stride = 1;
	for (uint32_t i = 0; i < grid->axes; stride *= grid->size[i++]) {
		text_put(out, i ? "+" : "; p = ");
		if (i)
			text_format(out, "%" PRIu64 "*", stride);
		text_char(out, "xyzw"[i]);
	}
	for (uint32_t i = 0; i < grid->axes; i++)
		text_format(out, "%s%" PRIu32, i ? " × " : " on a grid of ", grid->size[i]);
}

/* The peer of the first event of a kind, "p+1"; nothing if there is none. */
static void put_first_peer(const struct scene *s, enum item_kind kind, const char *before, struct text *out)
{
	for (size_t i = 0; i < s->items; i++) {
		const char *form = s->item[i].form;
		if (s->item[i].kind != kind || !form)
			continue;
		size_t length = strcspn(form, " ");
		text_add(out, form, length);
		text_put(out, before);
		text_add(out, form + strlen("→"), length - strlen("→"));
		return;
	}
}

void forms_explain(const struct scene *s, struct text *out)
{
	size_t start = out->length;
	put_first_peer(s, ITEM_SEND, ": process p sends to ", out);
	if (out->length > start)
		text_put(out, "; ");
	put_first_peer(s, ITEM_RECV, ": it receives from ", out);
	if (written(s, '^'))
		text_put(out, "; ^: exclusive or");
	if (written(s, '@'))
		explain_grid(&s->folded->grid, out);
}
