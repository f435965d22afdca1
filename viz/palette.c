/*
 * palette.c -- the colours of Okabe and Ito, which eyes of all kinds tell apart, without the yellow
 * that paper swallows; then again with dashed and dotted lines.
 *
 * Looks belong to the program, not to the picture: the tags of its statements, in the order of
 * their names, have one look after the other; of a tag that is a function, those that it has on the
 * processes and in the first iterations. A tag that comes up otherwise looks like the one before.
 */
#include "viz/palette.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/binary_search.h"
#include "base/compare.h"
#include "base/mem.h"

struct look palette_look(uint32_t look)
{
	static const char *const colours[][2] = {{"#0072b2", "#4fa8dd"}, {"#d55e00", "#ff8a4c"}, {"#009e73", "#2cc795"},
		{"#cc79a7", "#e6a0c8"}, {"#e69f00", "#f0b840"}, {"#56b4e9", "#9fdbff"}, {"#000000", "#ffffff"}};
	static const char *const styles[] = {"solid", "dashed", "dotted"};
	if (look >= LOOKS)
		return (struct look){"#777777", "#999999", "solid"};
	return (struct look){colours[look % 7][0], colours[look % 7][1], styles[look / 7]};
}

const char *palette_shade(uint32_t depth)
{
	static const char *const shades[] = {"#f3f3f3", "#e6e6e6", "#d9d9d9", "#cccccc", "#bfbfbf"};
	return shades[depth < 5 ? depth : 4];
}

void tag_name(const struct scene *s, uint32_t id, struct text *out)
{
	tag_print(scene_dictionary(s), dictionary_get_tag(scene_dictionary(s), id), out);
}

void family_name(const struct scene *s, const struct family *f, struct text *out)
{
	const struct tag *first = dictionary_get_tag(scene_dictionary(s), f->first),
			 *last = dictionary_get_tag(scene_dictionary(s), f->last);
	tag_name(s, f->first, out);
	if (f->tags == 1)
		return;
	if (first->stem == last->stem && first->numbered && first->communicator == last->communicator) {
		text_truncate(out, 0);
		text_format(out, "%s%" PRIu64 "–%" PRIu64, dictionary_get_word(scene_dictionary(s), first->stem),
			first->number, last->number);
		if (first->communicator != NO_COMMUNICATOR)
			text_format(out, "@%" PRId64, first->communicator);
	} else {
		text_put(out, ", …");
	}
	text_format(out, " (%" PRIu32 " tags)", f->tags);
}

/* ------------------------------------------------------------------ the looks of a program */

struct known {
	struct tag tag;
	const char *stem;
	uint32_t look;
};

/* The loops around a statement, while a program is gone through. */
struct around {
	size_t past[INDEX_DEPTH];
	uint64_t count[INDEX_DEPTH];
	uint32_t depth;
};

struct looks {
	struct known *known; /* ascending */
	size_t length, capacity;
	struct around around; /* the statement at hand */
};

static int compare_known(const void *a, const void *b)
{
	const struct known *x = a, *y = b;
	int stems = x->tag.stem == y->tag.stem ? 0 : strcmp(x->stem, y->stem);
	if (stems)
		return stems;
	return x->tag.communicator != y->tag.communicator ? COMPARE(x->tag.communicator, y->tag.communicator)
							  : COMPARE(x->tag.number, y->tag.number);
}

#define ENTRIES_MOST 100000 /* of a table that are looked at */

/* As its first process has it, in the first iterations. */
static struct known tag_of(const struct program *p, const struct statement *s)
{
	struct form form = statement_form(p, s);
	struct ranks_run single;
	struct ranks who = program_processes(p, s, &single);
	struct spot spot = grid_spot(&p->grid, who.length ? who.run[0].first : 0);
	struct known k = {.stem = dictionary_get_word(p->dictionary, form.word)};
	int64_t number;
	k.tag.stem = form.word;
	k.tag.numbered = form.numbered;
	k.tag.number = form.number;
	if (form.varies)
		k.tag.number = value_fits(&form.value, &spot, &number) && number > 0 ? (uint64_t)number : 0;
	k.tag.communicator = value_fits(&form.communicator, &spot, &number) ? number : NO_COMMUNICATOR;
	return k;
}

static bool is_message(const struct program *p, const struct statement *s)
{
	enum event_kind kind = statement_is_loop(s) ? EVENT_LOCAL : statement_kind(p, s);
	return kind == EVENT_SEND || kind == EVENT_RECV;
}

static bool related(const struct known *a, const struct known *b, uint64_t gap)
{
	return a->tag.stem == b->tag.stem && a->tag.communicator == b->tag.communicator &&
	       b->tag.number - a->tag.number <= gap;
}

static uint32_t count_looks(const struct looks *l, uint64_t gap)
{
	uint32_t looks = l->length > 0;
	for (size_t i = 1; i < l->length; i++)
		looks += !related(&l->known[i - 1], &l->known[i], gap);
	return looks;
}

/* Tags that are not further from each other than this look alike: the least for which LOOKS do. */
static uint64_t choose_gap(const struct looks *l)
{
	uint64_t gap = 0;
	while (gap < UINT64_C(1) << 40 && count_looks(l, gap) > LOOKS)
		gap = gap ? 2 * gap : 1;
	return gap;
}

static void add_known(struct looks *l, const struct known *k)
{
	*MEM_PUSH(l->known, l->length, l->capacity) = *k;
}

/* Sorted, those from `first` on. */
static void keep_once(struct looks *l, size_t first)
{
	size_t kept = first;
	if (l->length > first)
		qsort(l->known + first, l->length - first, sizeof *l->known, compare_known);
	for (size_t i = first; i < l->length; i++)
		if (kept == first || compare_known(&l->known[kept - 1], &l->known[i]))
			l->known[kept++] = l->known[i];
	l->length = kept;
}

static bool has_table_of_tags(const struct form *f)
{
	const struct value *v = &f->value;
	return f->varies && v->lookup.table && !v->by.table && !v->power[0].base && v->test == TEST_NONE;
}

/* All that a table makes of a tag, each once. */
static void add_looked_up(struct looks *l, const struct form *f, struct known k)
{
	const struct table *table = f->value.lookup.table;
	struct value rest = f->value;
	memset(&rest.lookup, 0, sizeof rest.lookup);
	struct spot nobody = {0};
	int64_t base, number;
	size_t first = l->length;
	for (uint64_t i = 0; i < table_entries(table) && i < ENTRIES_MOST; i++) {
		if (!value_fits(&rest, &nobody, &base) ||
			__builtin_mul_overflow(f->value.lookup.factor, table_entry(table, i), &number) ||
			__builtin_add_overflow(base, number, &number) || number < 0)
			continue;
		k.tag.number = (uint64_t)number;
		add_known(l, &k);
	}
	keep_once(l, first);
}

static void step_into(struct around *a, const struct program *p, size_t at)
{
	static const int64_t first[INDEX_DEPTH];
	while (a->depth && a->past[a->depth - 1] <= at)
		a->depth--;
	if (!statement_is_loop(&p->statement[at]) || a->depth == INDEX_DEPTH)
		return;
	a->past[a->depth] = at + p->statement[at].size;
	a->count[a->depth++] = drawn_count(p, at, first);
}

#define PROCESSES_MOST 256 /* whose tags are looked at, */
#define ITERATIONS_MOST 64 /* and of each loop around */

/* What a function makes of a tag: for each process, and each iteration of one loop, the others in
   their first. */
static void add_values(struct looks *l, const struct program *p, size_t at, const struct form *f, struct known k)
{
	size_t first = l->length;
	struct ranks_run single;
	struct ranks who = program_processes(p, &p->statement[at], &single);
	struct ranks_walk walk = {0};
	uint32_t processes = 0;
	for (uint32_t rank; processes++ < PROCESSES_MOST && ranks_next(&who, &walk, &rank);) {
		struct spot spot = grid_spot(&p->grid, rank);
		int64_t index[INDEX_DEPTH] = {0}, number;
		spot.index = index;
		for (uint32_t d = 0; d == 0 || d < l->around.depth; index[d++] = 0) {
			bool used = d < l->around.depth && value_indices(&f->value) >> d & 1;
			uint64_t most = used ? l->around.count[d] : 1;
			for (index[d] = 0; index[d] < ITERATIONS_MOST && (uint64_t)index[d] < most; index[d]++) {
				if (!value_fits(&f->value, &spot, &number) || number < 0)
					continue;
				k.tag.number = (uint64_t)number;
				add_known(l, &k);
			}
		}
	}
	keep_once(l, first);
}

static struct looks looks_of(const struct program *p)
{
	struct looks l = {0};
	for (size_t i = 0; i < p->length; i++) {
		step_into(&l.around, p, i);
		if (!is_message(p, &p->statement[i]))
			continue;
		struct known k = tag_of(p, &p->statement[i]);
		struct form form = statement_form(p, &p->statement[i]);
		add_known(&l, &k);
		if (has_table_of_tags(&form))
			add_looked_up(&l, &form, k);
		else if (form.varies)
			add_values(&l, p, i, &form, k);
	}
	keep_once(&l, 0);
	uint64_t gap = choose_gap(&l);
	for (size_t i = 1; i < l.length; i++)
		l.known[i].look = l.known[i - 1].look + !related(&l.known[i - 1], &l.known[i], gap);
	return l;
}

/* That of the last one that is not behind it, if it has the same name; else of the next one. */
static uint32_t look_up(const struct looks *l, const struct known *tag)
{
	size_t i;
	SEARCH_FIRST(i, 0, l->length, compare_known(&l->known[i], tag) > 0);
	if (i && l->known[i - 1].tag.stem == tag->tag.stem)
		return l->known[i - 1].look;
	return i < l->length && l->known[i].tag.stem == tag->tag.stem ? l->known[i].look : LOOKS;
}

/* ------------------------------------------------------------------ the tags of a picture */

/* Those of messages without an arrow, too: their labels ask for a colour. */
static uint32_t ids_of(const struct layout *l)
{
	uint32_t ids = 0;
	for (size_t i = 0; i < l->arrows; i++)
		ids = l->arrow[i].tag >= ids ? l->arrow[i].tag + 1 : ids;
	for (size_t i = 0; i < l->scene->items; i++)
		ids = l->scene->item[i].tag >= ids ? l->scene->item[i].tag + 1 : ids;
	return ids;
}

static void choose_look(struct palette *p, const struct scene *s, const struct looks *looks, uint32_t id)
{
	struct known k = {.tag = *dictionary_get_tag(scene_dictionary(s), id)};
	k.stem = dictionary_get_word(scene_dictionary(s), k.tag.stem);
	p->of_tag[id] = look_up(looks, &k);
}

/* By roles a tag may be a formula, which has a name of its own: its statement says which it is, or
   that it is each time another. */
static void choose_look_of_statement(
	struct palette *p, const struct scene *s, const struct looks *looks, const struct scene_item *i)
{
	const struct program *source = s->drawn->source;
	const struct statement *statement = &source->statement[s->drawn->origin[i->statement]];
	struct form form = statement_form(source, statement);
	struct known k = tag_of(source, statement);
	p->of_tag[i->tag] = has_table_of_tags(&form) ? LOOKS : look_up(looks, &k);
}

static void choose_looks(struct palette *p, const struct layout *l)
{
	const struct scene *s = l->scene;
	struct looks looks = looks_of(s->drawn->source);
	for (size_t i = 0; i < l->arrows; i++)
		choose_look(p, s, &looks, l->arrow[i].tag);
	for (size_t i = 0; i < s->items; i++) {
		if (s->item[i].kind != ITEM_SEND && s->item[i].kind != ITEM_RECV)
			continue;
		if (s->roles)
			choose_look_of_statement(p, s, &looks, &s->item[i]);
		else
			choose_look(p, s, &looks, s->item[i].tag);
	}
	free(looks.known);
}

struct used {
	struct known known; /* with its look */
	uint32_t id;
};

static int compare_used(const void *a, const void *b)
{
	const struct used *x = a, *y = b;
	if (x->known.look != y->known.look)
		return x->known.look < y->known.look ? -1 : 1;
	return compare_known(&x->known, &y->known);
}

static void make_families(struct palette *p, const struct dictionary *d)
{
	struct used *used = mem_array(p->ids + 1, sizeof *used);
	uint32_t tags = 0;
	for (uint32_t i = 0; i < p->ids; i++)
		if (p->used[i]) {
			const struct tag *tag = dictionary_get_tag(d, i);
			used[tags++] = (struct used){{*tag, dictionary_get_word(d, tag->stem), p->of_tag[i]}, i};
		}
	if (tags)
		qsort(used, tags, sizeof *used, compare_used);
	p->family = mem_array(tags + (size_t)1, sizeof *p->family);
	for (uint32_t i = 0; i < tags; i++) {
		if (i == 0 || used[i - 1].known.look != used[i].known.look)
			p->family[p->families++] = (struct family){.first = used[i].id, .look = used[i].known.look};
		p->family[p->families - 1].last = used[i].id;
		p->family[p->families - 1].tags++;
	}
	free(used);
}

struct palette *palette_new(const struct layout *l)
{
	struct palette *p = mem_zero(sizeof *p);
	p->ids = ids_of(l);
	p->of_tag = mem_zero((p->ids + 1) * sizeof *p->of_tag);
	p->used = mem_zero(p->ids + 1);
	choose_looks(p, l);
	for (size_t i = 0; i < l->arrows; i++)
		p->used[l->arrow[i].tag] = true;
	make_families(p, scene_dictionary(l->scene));
	return p;
}

void palette_free(struct palette *p)
{
	free(p->family);
	free(p->of_tag);
	free(p->used);
	free(p);
}
