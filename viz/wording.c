/*
 * wording.c -- statements in few words.
 */
#include "viz/wording.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/lines.h"
#include "viz/palette.h"

#define TAG_LONGEST 14 /* bytes of a tag that are written */

/* The statement in the text of the program. */
static const struct statement *source_of(const struct scene *s, const struct scene_item *i)
{
	size_t at = s->drawn->origin[i->statement];
	return &s->drawn->source->statement[at];
}

/* Of a parametric text, what a statement says for every number of processes; NULL: it is none. */
static const char *formula_line(const struct scene *s, const struct scene_item *i)
{
	const struct program *p = s->drawn->source;
	return p->lines ? behind_blanks(p->line[s->drawn->origin[i->statement]]) : NULL;
}

/* The words of its message: "p send PEER TAG", "PEER recv p TAG". */
static void put_word(const char *line, const char *before, const char *behind, struct text *to)
{
	const char *end = strstr(line, " ; "), *at = before ? strstr(line, before) : line;
	end = end ? end : line + strlen(line);
	at = at ? at + (before ? strlen(before) : 0) : line;
	if (*at == '[')
		at = behind_blanks(strchr(at, ']') ? strchr(at, ']') + 1 : at);
	const char *stop = strstr(at, behind);
	text_add(to, at, (size_t)((stop && stop < end ? stop : end) - at));
}

/* How often a loop to {X-2} is executed. */
static void put_count(const char *line, struct text *to)
{
	const char *from = strstr(line, " to "), *end = line + strlen(line);
	uint64_t less;
	from = from ? from + strlen(" to ") : line;
	while (end > from && is_blank(end[-1]))
		end--;
	bool braces = *from == '{' && end[-1] == '}';
	size_t start = to->length;
	text_add(to, from + braces, (size_t)(end - from) - 2 * braces);
	char *minus = strrchr(to->data + start, '-');
	if (!braces && text_is_number(to->data + start, UINT64_MAX / 2, &less)) {
		text_truncate(to, start);
		text_format(to, "%" PRIu64, less + 1);
	} else if (minus && minus > to->data + start && text_is_number(minus + 1, 1 << 30, &less) && less) {
		text_truncate(to, (size_t)(minus - to->data));
		if (less > 1)
			text_format(to, "-%" PRIu64, less - 1);
	} else {
		text_put(to, "+1");
	}
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

static uint32_t formula_tag(const struct scene *s, const struct scene_item *i, const struct statement *statement)
{
	struct text name = {0};
	const char *line = formula_line(s, i);
	const char *formula = line ? strstr(line, " tag{") : NULL;
	if (formula)
		text_add(&name, formula + 1, strcspn(formula + 1, " "));
	else
		put_tag(s->drawn->source, statement, &name);
	struct tag tag = {
		.stem = dictionary_word(scene_dictionary(s), name.data, name.length), .communicator = NO_COMMUNICATOR};
	text_clear(&name);
	return dictionary_tag(scene_dictionary(s), &tag);
}

/* The loops around a statement of the source that have no index in the text: a bit each. */
static uint32_t guards_around(const struct program *p, const struct statement *s)
{
	uint32_t guards = 0, depth = 0;
	for (size_t i = 0, at = (size_t)(s - p->statement); i < at;) {
		size_t size = statement_size(&p->statement[i]);
		bool around = i + size > at;
		if (around && depth < INDEX_DEPTH)
			guards |= (uint32_t)(statement_guard(&p->statement[i]) != GUARD_NONE) << depth++;
		i += around ? 1 : size;
	}
	return guards;
}

/* One of those that a table names, each time another. */
static void put_one_of(const struct program *p, const struct value *name, struct text *out)
{
	struct ranks all = {0};
	bool *met = mem_zero(p->processes + (size_t)1);
	for (uint64_t i = 0; i < table_entries(name->lookup.table); i++) {
		int64_t rank = table_entry(name->lookup.table, i);
		if (rank >= 0 && rank < p->processes)
			met[rank] = true;
	}
	for (uint32_t rank = 0; rank < p->processes; rank++)
		if (met[rank])
			ranks_add(&all, rank);
	text_put(out, "one of ");
	ranks_print_short(&all, out);
	ranks_clear(&all);
	free(met);
}

/* A table alone, the same for all processes. */
static bool names_one(const struct value *v)
{
	return value_is_entry(v) && !v->plain.constant && value_is_uniform(v);
}

static void put_peer(const struct program *p, const struct statement *s, struct text *out)
{
	struct form form = statement_form(p, s);
	place_squeeze(&form.peer, &p->grid, guards_around(p, s));
	if (form.peer.kind == PLACE_NUMBER && names_one(&form.peer.value))
		put_one_of(p, &form.peer.value, out);
	else
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
		i->tag = formula_tag(s, i, statement);
	if (labels == VIZ_LABELS_NONE)
		return;
	struct text text = {0};
	if (drawn_is_named(s->drawn, i->statement))
		text_put(&text, "one ");
	const char *line = formula_line(s, i);
	text_put(&text, i->kind == ITEM_SEND ? "→" : "←");
	if (!line)
		put_peer(p, statement, &text);
	else if (i->kind == ITEM_SEND)
		put_word(line, " send ", " ", &text);
	else
		put_word(line, NULL, " recv ", &text);
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
	if (form.area.kind != AREA_ON_GRID)
		return;
	struct text text = {0};
	text_put(&text, dictionary_get_word(p->dictionary, form.word));
	text_char(&text, ' ');
	area_print(&form.area, &p->grid, &text);
	i->words = keep(s, &text);
}

/* The iterations without the braces around them: "1+i0"; of a guard, what it says. */
static void say_count(struct scene *s, struct scene_item *i, const struct statement *loop)
{
	struct value count = program_bound(s->drawn->source, loop);
	struct text text = {0}, inside = {0};
	i->counted = statement_guard(loop) == GUARD_NONE;
	value_squeeze(&count, guards_around(s->drawn->source, loop));
	if (!i->counted) {
		text_put(&text, statement_guard(loop) == GUARD_ELSE     ? "else"
				: statement_guard(loop) == GUARD_INSIDE ? "where inside"
									: "if ");
		if (statement_guard(loop) == GUARD_IF)
			condition_print(&count, &text);
		i->words = keep(s, &text);
		return;
	}
	const char *line = formula_line(s, i);
	if (line) {
		put_count(line, &text);
		i->words = keep(s, &text);
		return;
	}
	if (value_is_constant(&count))
		return;
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
	const char *line = formula_line(s, i);
	if (line)
		text_put(&text, line);
	else
		program_print_event(s->drawn->source, statement, &text);
	i->line = keep(s, &text);
	if (i->kind == ITEM_SYNC && labels != VIZ_LABELS_NONE)
		say_sync(s, i, statement);
	else if (i->kind == ITEM_SEND || i->kind == ITEM_RECV)
		say_message(s, i, statement, labels);
}

void wording_add_call(struct scene *s, struct scene_item *i, enum viz_labels labels)
{
	static const char begins[] = "call ", ends[] = "return ", prefix[] = "MPI_";
	if (i->kind != ITEM_LOCAL)
		return;
	const struct dictionary *d = scene_dictionary(s);
	const char *word = dictionary_get_word(d, dictionary_get_event(d, i->event)->subject);
	if (!strncmp(word, ends, strlen(ends)))
		i->call = CALL_ENDS;
	if (strncmp(word, begins, strlen(begins)) != 0)
		return;
	i->call = CALL_BEGINS;
	word += strlen(begins);
	word += strncmp(word, prefix, strlen(prefix)) ? 0 : strlen(prefix);
	struct text name = {0};
	text_put(&name, word);
	if (labels != VIZ_LABELS_NONE)
		i->words = keep(s, &name);
	else
		text_clear(&name);
}

/* Does what an event is exchanged with stand above it? */
static bool stands_above(const struct scene *s, const struct scene_item *i)
{
	const struct event *e = dictionary_get_event(scene_dictionary(s), i->event);
	uint32_t lane = e->peer < s->processes ? s->lane_of[e->peer] : SCENE_NONE;
	return lane != SCENE_NONE && lane != i->lane[0] ? lane < i->lane[0] : e->peer < e->process;
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
		if (!item->words || item->kind >= ITEM_SYNC)
			continue;
		if (item->loose || !linked[i])
			above[i] += stands_above(s, item) ? 1 : -1;
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

/* The same of every grid. */
static void explain_extents(const struct grid *grid, struct text *out)
{
	for (uint32_t i = 0; i < grid->axes; i++) {
		text_put(out, i ? "+" : "; p = ");
		for (uint32_t k = 0; k < i; k++)
			text_format(out, "%c*", "XYZW"[k]);
		text_char(out, "xyzw"[i]);
	}
}

/* "one →0", "←one of 1-7" */
static bool says_one(const char *words)
{
	return !strncmp(words, "one ", 4) || strstr(words, "one of ");
}

/* The peer of the first event of a kind, "p+1"; nothing if there is none. */
static void put_first_peer(const struct scene *s, enum item_kind kind, const char *before, struct text *out)
{
	for (size_t i = 0; i < s->items; i++) {
		const char *words = s->item[i].words;
		if (s->item[i].kind != kind || !words || says_one(words))
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
	bool one = false;
	for (size_t i = 0; i < s->items; i++)
		one = one || (s->item[i].kind < ITEM_LOOP && s->item[i].words && says_one(s->item[i].words));
	if (one)
		text_put(out, out->length > start ? "; one: each time another" : "one: each time another");
	if (written(s, '^'))
		text_put(out, "; ^: exclusive or");
	if (written(s, '@') && s->drawn->source->lines)
		explain_extents(&s->drawn->source->grid, out);
	else if (written(s, '@'))
		explain_grid(&s->drawn->source->grid, out);
}
