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

/* The statement in the text. */
static const struct module_line *source_of(const struct scene *s, const struct scene_item *i)
{
	return &s->drawn->written[scene_source(s, i)];
}

/* Of a parametric text, what a statement says for every number of processes; NULL: it is none. */
static const char *formula_line(const struct scene *s, const struct scene_item *i)
{
	return s->formula ? behind_blanks(s->formula[scene_source(s, i)]) : NULL;
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

/* What a long formula starts with: "tag{3000+(x+y)%4}" as "tag{3000+…}". */
static void put_tag(const struct module *m, const struct module_line *line, struct text *out)
{
	const struct node *n = node_of(m->store, line->node);
	size_t start = out->length;
	text_put(out, store_get_word(m->store, n->word));
	if (n->kid[COLUMN_TAG])
		node_print(m, n->kid[COLUMN_TAG], line->loops, out);
	text_put(out, n->kid[COLUMN_COMMUNICATOR] ? "@" : "");
	if (n->kid[COLUMN_COMMUNICATOR])
		node_print(m, n->kid[COLUMN_COMMUNICATOR], line->loops, out);
	if (out->length - start <= TAG_LONGEST)
		return;
	const char *tag = out->data + start, *brace = strchr(tag, '{'), *plus = brace ? strchr(brace, '+') : NULL;
	if (!plus)
		return;
	text_truncate(out, (size_t)(plus + 1 - out->data));
	text_put(out, "…}");
}

static uint32_t formula_tag(const struct scene *s, const struct scene_item *i)
{
	struct text name = {0};
	const char *line = formula_line(s, i);
	const char *formula = line ? strstr(line, " tag{") : NULL;
	if (formula)
		text_add(&name, formula + 1, strcspn(formula + 1, " "));
	else
		put_tag(s->drawn->source, source_of(s, i), &name);
	uint32_t tag = drawn_tag_named(s->drawn, name.data, name.length);
	text_clear(&name);
	return tag;
}

/* One of those that a table names, each time another. */
static void put_one_of(const struct module *m, const struct node *entry, struct text *out)
{
	const struct table *table = store_get_table(m->store, (uint32_t)node_of(m->store, entry->kid[0])->number);
	struct ranks all = {0};
	table_add_ranks(table, 0, m->processes, &all);
	text_put(out, "one of ");
	ranks_print_short(&all, out);
	ranks_clear(&all);
}

/* Of a table alone, the same for all processes, one of its entries. */
static void put_peer(const struct module *m, const struct module_line *line, struct text *out)
{
	node_id peer = node_kid(m->store, line->node, COLUMN_PEER);
	const struct node *f = node_of(m->store, number_single(m->store, peer));
	bool table = f->kind == NODE_ENTRY && !node_of(m->store, f->kid[0])->kids;
	if (table && !(node_of(m->store, peer)->uses[FOR_ALL] & USES_PROCESS))
		put_one_of(m, f, out);
	else
		node_print_place(m, peer, line->loops, out);
}

static bool tag_is_formula(const struct store *s, const struct node *event)
{
	return node_of(s, event->kid[COLUMN_TAG])->kids || node_of(s, event->kid[COLUMN_COMMUNICATOR])->kids;
}

/* "→p+1", "←p-1", with the tag where it is a function, or where all tags are wanted. */
static void say_message(struct scene *s, struct scene_item *i, enum viz_labels labels)
{
	const struct module *m = s->drawn->source;
	bool formula = tag_is_formula(m->store, node_of(m->store, source_of(s, i)->node));
	if (formula)
		i->tag = formula_tag(s, i);
	if (labels == VIZ_LABELS_NONE)
		return;
	struct text text = {0};
	if (drawn_is_named(s->drawn, i->statement))
		text_put(&text, "one ");
	const char *line = formula_line(s, i);
	text_put(&text, i->kind == ITEM_SEND ? "→" : "←");
	if (!line)
		put_peer(m, source_of(s, i), &text);
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

static void say_sync(struct scene *s, struct scene_item *i)
{
	const struct module *m = s->drawn->source;
	const struct module_line *line = source_of(s, i);
	const struct node *n = node_of(m->store, line->node);
	if (node_of(m->store, n->kid[COLUMN_GROUP])->kind != NODE_LINE)
		return;
	struct text text = {0};
	text_put(&text, store_get_word(m->store, n->word));
	text_char(&text, ' ');
	node_print(m, n->kid[COLUMN_GROUP], line->loops, &text);
	i->words = keep(s, &text);
}

/* The iterations without the braces around them: "1+i0"; of a guard, what it says. */
static void say_count(struct scene *s, struct scene_item *i)
{
	const struct module *m = s->drawn->source;
	const struct module_line *loop = source_of(s, i);
	const struct node *n = node_of(m->store, loop->node);
	struct text text = {0}, inside = {0};
	i->counted = n->kind == NODE_LOOP;
	if (!i->counted) {
		text_put(&text, n->sub ? "else" : "if ");
		if (!n->sub)
			node_print(m, n->kid[1], loop->loops, &text);
		i->words = keep(s, &text);
		return;
	}
	const char *line = formula_line(s, i);
	if (line) {
		put_count(line, &text);
		i->words = keep(s, &text);
		return;
	}
	if (!node_of(m->store, n->kid[1])->kids)
		return;
	node_print(m, number_add(m->store, n->kid[1], number_constant(m->store, 1), 1), loop->loops, &text);
	bool braces = text.length > 2 && text.data[0] == '{';
	text_add(&inside, text.data + braces, text.length - 2 * braces);
	text_clear(&text);
	i->words = keep(s, &inside);
}

void wording_add(struct scene *s, struct scene_item *i, enum viz_labels labels)
{
	if (i->kind > ITEM_LOOP)
		return;
	if (i->kind == ITEM_LOOP) {
		say_count(s, i);
		return;
	}
	struct text text = {0};
	const char *line = formula_line(s, i);
	if (line)
		text_put(&text, line);
	else
		node_print_event(s->drawn->source, source_of(s, i)->node, source_of(s, i)->loops, 0, &text);
	i->line = keep(s, &text);
	if (i->kind == ITEM_SYNC && labels != VIZ_LABELS_NONE)
		say_sync(s, i);
	else if (i->kind == ITEM_SEND || i->kind == ITEM_RECV)
		say_message(s, i, labels);
}

void wording_add_call(struct scene *s, struct scene_item *i, enum viz_labels labels)
{
	static const char begins[] = "call ", ends[] = "return ", prefix[] = "MPI_";
	if (i->kind != ITEM_LOCAL)
		return;
	const char *word = drawn_word(s->drawn, i->statement);
	if (drawn_accesses(s->drawn, i->statement)) {
		struct text access = {0};
		struct drawn_event e = i->event;
		e.peer = i->multiplicity > 1 ? ENDS_NONE : e.peer; /* those of several processes differ */
		drawn_access(s->drawn, i->statement, &e, false, &access);
		if (labels != VIZ_LABELS_NONE)
			i->words = keep(s, &access);
		else
			text_clear(&access);
		return;
	}
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
	const struct drawn_event *e = &i->event;
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
	if (written(s, '@') && s->formula)
		explain_extents(&s->drawn->source->grid, out);
	else if (written(s, '@'))
		explain_grid(&s->drawn->source->grid, out);
}
