/*
 * wording.c -- statements in few words.
 */
#include "viz/wording.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "viz/palette.h"

#define TAG_LONGEST 14 /* bytes of a tag that are written */

/* The statement in the text of the program. */
static const struct statement *source_of(const struct scene *s, const struct scene_item *i)
{
	return &s->drawn->source->statement[s->drawn->origin[i->statement]];
}

static const char *keep(struct scene *s, struct text *text)
{
	char *kept = arena_alloc(s->arena, text->length + 1);
	memcpy(kept, text->length ? text->data : "", text->length);
	kept[text->length] = '\0';
	text_clear(text);
	return kept;
}

static void put_whole_tag(const struct program *p, const struct statement *s, struct text *out)
{
	if (s->set != STATEMENT_PLAIN) {
		program_print_tag(p, s, out);
		return;
	}
	tag_print(p->dictionary,
		dictionary_get_tag(p->dictionary, dictionary_get_event(p->dictionary, s->event)->subject), out);
}

/* What a long formula starts with: "tag{3000+(x+y)%4}" as "tag{3000+…}". */
static void put_tag(const struct program *p, const struct statement *statement, struct text *out)
{
	size_t start = out->length;
	put_whole_tag(p, statement, out);
	if (out->length - start <= TAG_LONGEST)
		return;
	const char *tag = out->data + start, *brace = strchr(tag, '{'), *plus = brace ? strchr(brace, '+') : NULL;
	if (!plus)
		return;
	text_truncate(out, (size_t)(plus + 1 - out->data));
	text_put(out, "…}");
}

static uint32_t formula_tag(const struct scene *s, const struct statement *statement)
{
	struct text name = {0};
	put_tag(s->drawn->source, statement, &name);
	struct tag tag = {
		.stem = dictionary_word(scene_dictionary(s), name.data, name.length), .communicator = NO_COMMUNICATOR};
	text_clear(&name);
	return dictionary_tag(scene_dictionary(s), &tag);
}

static void put_peer(const struct program *p, const struct statement *s, struct text *out)
{
	struct form form = statement_form(p, s);
	place_print(&form.peer, &p->grid, out);
}

static bool tag_is_formula(const struct program *p, const struct statement *s)
{
	if (s->set == STATEMENT_PLAIN)
		return false;
	struct form form = program_get_form(p, s->event);
	return form.varies || !value_is_constant(&form.communicator);
}

/* "→p+1", "←p-1", with the tag where it is a function, or where all tags are wanted. */
static void say_message(
	struct scene *s, struct scene_item *i, const struct statement *statement, enum viz_labels labels)
{
	const struct program *p = s->drawn->source;
	bool formula = tag_is_formula(p, statement);
	if (formula)
		i->tag = formula_tag(s, statement);
	if (labels == VIZ_LABELS_NONE)
		return;
	struct text text = {0};
	text_put(&text, i->kind == ITEM_SEND ? "→" : "←");
	put_peer(p, statement, &text);
	if (formula || labels == VIZ_LABELS_TAGS) {
		text_char(&text, ' ');
		tag_name(s, i->tag, &text);
	}
	i->words = keep(s, &text);
}

static void say_sync(struct scene *s, struct scene_item *i, const struct statement *statement)
{
	const struct program *p = s->drawn->source;
	struct form form = statement_form(p, statement);
	if (!form.area.on_grid)
		return;
	struct text text = {0};
	text_put(&text, dictionary_get_word(p->dictionary, form.word));
	text_char(&text, ' ');
	area_print(&form.area, &p->grid, &text);
	i->words = keep(s, &text);
}

/* The iterations without the braces around them: "1+i0". */
static void say_count(struct scene *s, struct scene_item *i, const struct statement *loop)
{
	struct value count = program_bound(s->drawn->source, loop);
	if (value_is_constant(&count))
		return;
	struct text text = {0}, inside = {0};
	value_print(&count, &text);
	bool braces = text.length > 2 && text.data[0] == '{';
	text_add(&inside, text.data + braces, text.length - 2 * braces);
	text_clear(&text);
	i->words = keep(s, &inside);
}

void wording_add(struct scene *s, struct scene_item *i, enum viz_labels labels)
{
	if (i->kind > ITEM_LOOP)
		return;
	const struct statement *statement = source_of(s, i);
	if (i->kind == ITEM_LOOP) {
		say_count(s, i, statement);
		return;
	}
	struct text text = {0};
	program_print_event(s->drawn->source, statement, &text);
	i->line = keep(s, &text);
	if (i->kind == ITEM_SYNC && labels != VIZ_LABELS_NONE)
		say_sync(s, i, statement);
	else if (i->kind == ITEM_SEND || i->kind == ITEM_RECV)
		say_message(s, i, statement, labels);
}

/* Arcs stand above. */
void wording_choose_sides(struct scene *s)
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
		if (!item->words || item->kind == ITEM_SYNC || item->kind == ITEM_LOOP)
			continue;
		const struct event *e = dictionary_get_event(scene_dictionary(s), item->event);
		if (item->loose || !linked[i])
			above[i] += e->peer < e->process ? 1 : -1;
		item->below = above[i] > 0;
	}
	free(linked);
	free(above);
}

/* ------------------------------------------------------------------ the legend */

static bool written(const struct scene *s, char mark)
{
	for (size_t i = 0; i < s->items; i++)
		if (s->item[i].words && s->item[i].kind != ITEM_LOOP && strchr(s->item[i].words, mark))
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
		const char *words = s->item[i].words;
		if (s->item[i].kind != kind || !words)
			continue;
		size_t length = strcspn(words, " ");
		text_add(out, words, length);
		text_put(out, before);
		text_add(out, words + strlen("→"), length - strlen("→"));
		return;
	}
}

void wording_explain(const struct scene *s, struct text *out)
{
	size_t start = out->length;
	put_first_peer(s, ITEM_SEND, ": process p sends to ", out);
	if (out->length > start)
		text_put(out, "; ");
	put_first_peer(s, ITEM_RECV, ": it receives from ", out);
	if (written(s, '^'))
		text_put(out, "; ^: exclusive or");
	if (written(s, '@'))
		explain_grid(&s->drawn->source->grid, out);
}
