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
	const struct channel_key *tag = drawn_tag(s->drawn, id);
	text_put(out, store_get_word(s->drawn->module->store, tag->word));
	if (tag->tag_is == END_NUMBER)
		text_format(out, "%" PRId64, tag->tag);
	if (tag->communicator_is == END_NUMBER)
		text_format(out, "@%" PRId64, tag->communicator);
}

void family_name(const struct scene *s, const struct family *f, struct text *out)
{
	const struct channel_key *first = drawn_tag(s->drawn, f->first), *last = drawn_tag(s->drawn, f->last);
	tag_name(s, f->first, out);
	if (f->tags == 1)
		return;
	if (first->word == last->word && first->tag_is == END_NUMBER &&
		first->communicator_is == last->communicator_is && first->communicator == last->communicator) {
		text_truncate(out, 0);
		text_format(out, "%s%" PRId64 "–%" PRId64, store_get_word(s->drawn->module->store, first->word),
			first->tag, last->tag);
		if (first->communicator_is == END_NUMBER)
			text_format(out, "@%" PRId64, first->communicator);
	} else {
		text_put(out, ", …");
	}
	text_format(out, " (%" PRIu32 " tags)", f->tags);
}

/* ------------------------------------------------------------------ the looks of a program */

#define NO_COMMUNICATOR (-1)

struct known {
	const char *stem;
	uint64_t number;
	int64_t communicator;
	uint32_t word, look;
};

struct looks {
	struct known *known; /* ascending */
	size_t length, capacity;
	const struct drawn *drawn;
	struct environment at; /* of a statement, in the first iterations */
	size_t *loop; /* lines of those around the statement at hand */
};

static int compare_known(const void *a, const void *b)
{
	const struct known *x = a, *y = b;
	int stems = x->word == y->word ? 0 : strcmp(x->stem, y->stem);
	if (stems)
		return stems;
	return x->communicator != y->communicator ? COMPARE(x->communicator, y->communicator)
						  : COMPARE(x->number, y->number);
}

#define ENTRIES_MOST 100000 /* of a table that are looked at */

/* How large a tag is; less than 0: it does not come out. */
static int64_t number_of(struct looks *l, node_id number)
{
	l->at.failure = FAILURE_NONE;
	int64_t value = number_at(&l->at, number);
	return l->at.failure ? -1 : value;
}

static void set_process(struct looks *l, size_t line, uint32_t process)
{
	environment_set(&l->at, process);
	l->at.depth = l->drawn->written[line].loops;
}

static uint32_t first_of(const struct looks *l, const struct node *event)
{
	const struct ranks *who = run_ranks(l->drawn->source_run, event->kid[COLUMN_WHO]);
	return who && who->length ? who->run[0].first : 0;
}

/* As its first process has it, in the first iterations. */
static struct known tag_of(struct looks *l, size_t line)
{
	const struct node *n = drawn_source(l->drawn, line);
	struct known k = {
		.word = n->word, .stem = store_get_word(l->at.store, n->word), .communicator = NO_COMMUNICATOR};
	set_process(l, line, first_of(l, n));
	int64_t number = n->kid[COLUMN_TAG] ? number_of(l, n->kid[COLUMN_TAG]) : 0;
	k.number = number > 0 ? (uint64_t)number : 0;
	if (n->kid[COLUMN_COMMUNICATOR])
		k.communicator = number_of(l, n->kid[COLUMN_COMMUNICATOR]);
	return k;
}

static struct known known_tag(const struct scene *s, uint32_t id)
{
	const struct channel_key *tag = drawn_tag(s->drawn, id);
	return (struct known){.word = tag->word,
		.stem = store_get_word(s->drawn->module->store, tag->word),
		.number = (uint64_t)tag->tag,
		.communicator = tag->communicator_is == END_NUMBER ? tag->communicator : NO_COMMUNICATOR};
}

static bool related(const struct known *a, const struct known *b, uint64_t gap)
{
	return a->word == b->word && a->communicator == b->communicator && b->number - a->number <= gap;
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

/* The term of a tag that looks up a table; NULL: there is none, or more than that. */
static const struct node *looked_up(const struct looks *l, size_t line)
{
	const struct node *tag = node_of(l->at.store, node_kid(l->at.store, l->drawn->written[line].node, COLUMN_TAG)),
			  *found = NULL;
	for (uint32_t k = 0; k < tag->kids; k++) {
		const struct node *term = node_of(l->at.store, tag->kid[k]), *f = node_of(l->at.store, term->kid[0]);
		if (f->kind == NODE_POWER || f->kind == NODE_PRODUCT || (f->kind == NODE_ENTRY && found))
			return NULL;
		if (f->kind == NODE_ENTRY && !node_of(l->at.store, f->kid[0])->kids)
			found = term;
	}
	return found;
}

/* All that a table makes of a tag, each once. */
static void add_looked_up(struct looks *l, size_t line, const struct node *term, struct known k)
{
	struct store *s = l->at.store;
	const struct node *entry = node_of(s, term->kid[0]);
	const struct table *table = store_get_table(s, (uint32_t)node_of(s, entry->kid[0])->number);
	node_id rest = number_add(
		s, drawn_source(l->drawn, line)->kid[COLUMN_TAG], number_of_factor(s, term->kid[0]), -term->number);
	size_t first = l->length;
	int64_t number;
	set_process(l, line, 0);
	int64_t base = number_of(l, rest);
	for (uint64_t i = 0; i < table_entries(table) && i < ENTRIES_MOST && !l->at.failure; i++) {
		if (__builtin_mul_overflow(term->number, table_entry(table, i), &number) ||
			__builtin_add_overflow(base, number, &number) || number < 0)
			continue;
		k.number = (uint64_t)number;
		add_known(l, &k);
	}
	keep_once(l, first);
}

#define PROCESSES_MOST 256 /* whose tags are looked at, */
#define ITERATIONS_MOST 64 /* and of each loop around */

/* What a function makes of a tag: for each process, and each iteration of one loop, the others in
   their first. */
static void add_values(struct looks *l, size_t line, struct known k)
{
	const struct node *n = drawn_source(l->drawn, line);
	const struct ranks *who = run_ranks(l->drawn->source_run, n->kid[COLUMN_WHO]);
	uint64_t uses = node_of(l->at.store, n->kid[COLUMN_TAG])->uses[FOR_ALL];
	size_t first = l->length, depth = l->drawn->written[line].loops;
	struct ranks_walk walk = {0};
	for (uint32_t i = 0, rank = 0; i < PROCESSES_MOST && i < l->at.processes; i++, rank++) {
		if (who && !ranks_next(who, &walk, &rank))
			break;
		for (size_t d = 0; d == 0 || d < depth; l->at.index[d++] = 0) {
			bool used = d < depth && uses & USES_INDEX(depth - 1 - d);
			set_process(l, line, rank);
			l->at.depth = used ? d : depth;
			int64_t most = used ? loop_trips(&l->at, l->drawn->written[l->loop[d]].node) : 1;
			l->at.depth = depth;
			for (int64_t *at = &l->at.index[d]; *at < ITERATIONS_MOST && *at < most; ++*at) {
				int64_t number = number_of(l, n->kid[COLUMN_TAG]);
				k.number = (uint64_t)number;
				if (number >= 0)
					add_known(l, &k);
			}
		}
	}
	keep_once(l, first);
}

/* Borrows what is drawn. */
static struct looks looks_of(const struct drawn *d)
{
	struct looks l = {.drawn = d, .at = run_environment(d->source_run)};
	l.at.index = mem_zero((run_depth(d->source_run) + 1) * sizeof *l.at.index);
	l.loop = mem_zero((run_depth(d->source_run) + 1) * sizeof *l.loop);
	for (size_t i = 0; i < d->source->lines; i++) {
		const struct node *n = drawn_source(d, i), *term;
		if (n->kind == NODE_LOOP)
			l.loop[d->written[i].loops] = i;
		enum event_match match = n->kind == NODE_EVENT ? kind_rows[n->sub].match : MATCH_NONE;
		if (match != MATCH_OUT && match != MATCH_IN)
			continue;
		struct known k = tag_of(&l, i);
		add_known(&l, &k);
		if ((term = looked_up(&l, i)))
			add_looked_up(&l, i, term, k);
		else if (node_of(l.at.store, n->kid[COLUMN_TAG])->kids)
			add_values(&l, i, k);
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
	if (i && l->known[i - 1].word == tag->word)
		return l->known[i - 1].look;
	return i < l->length && l->known[i].word == tag->word ? l->known[i].look : LOOKS;
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
	struct known k = known_tag(s, id);
	p->of_tag[id] = look_up(looks, &k);
}

static void choose_looks(struct palette *p, const struct layout *l)
{
	const struct scene *s = l->scene;
	struct looks looks = looks_of(s->drawn);
	for (size_t i = 0; i < l->arrows; i++)
		choose_look(p, s, &looks, l->arrow[i].tag);
	for (const struct scene_item *i = s->item; i < s->item + s->items; i++) {
		if (i->kind != ITEM_SEND && i->kind != ITEM_RECV)
			continue;
		choose_look(p, s, &looks, i->tag);
		if (!s->roles)
			continue;
		/* a tag may be a formula, which has a name of its own: its statement says which it
		   is, or that it is each time another */
		struct known k = tag_of(&looks, scene_source(s, i));
		p->of_tag[i->tag] = looked_up(&looks, scene_source(s, i)) ? LOOKS : look_up(&looks, &k);
	}
	free(looks.known);
	free(looks.at.index);
	free(looks.loop);
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

static void make_families(struct palette *p, const struct scene *s)
{
	struct used *used = mem_array(p->ids + 1, sizeof *used);
	uint32_t tags = 0;
	for (uint32_t i = 0; i < p->ids; i++)
		if (p->used[i]) {
			used[tags] = (struct used){known_tag(s, i), i};
			used[tags++].known.look = p->of_tag[i];
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
	make_families(p, l->scene);
	return p;
}

void palette_free(struct palette *p)
{
	free(p->family);
	free(p->of_tag);
	free(p->used);
	free(p);
}
