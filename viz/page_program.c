/*
 * page_program.c -- lines of text beside statements, and their sums. Messages are those that
 * ask/communication counts, put together by lanes; statements that send alike share a list of pairs.
 */
#include "viz/page_program.h"

#include <stdlib.h>
#include <string.h>

#include "ask/communication.h"
#include "ask/executions.h"
#include "ask/measures.h"
#include "base/compare.h"
#include "base/gcd.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/saturate.h"

#define PAIRS_MOST 100000 /* kept apart by statement; else by loop, else of all */
#define TABLE_LINES 4 /* of each table that are shown, */
#define TABLE_BYTES 400 /* and of each line */

/* ------------------------------------------------------------------ who sends to whom */

struct pair {
	size_t statement; /* ALL: of none */
	uint32_t from, to; /* lanes; SCENE_NONE: to a process without one */
	uint64_t messages, bytes;
};

#define ALL SIZE_MAX

struct pairs {
	struct pair *pair;
	size_t length, capacity;
};

static int compare_pairs(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	if (x->statement != y->statement)
		return x->statement < y->statement ? -1 : 1;
	return x->from != y->from ? COMPARE(x->from, y->from) : COMPARE(x->to, y->to);
}

/* Equal ones from `first` on become one. */
static void join_pairs(struct pairs *p, size_t first)
{
	size_t kept = first;
	if (p->length > first)
		qsort(p->pair + first, p->length - first, sizeof *p->pair, compare_pairs);
	for (size_t i = first; i < p->length; i++) {
		if (kept > first && !compare_pairs(&p->pair[kept - 1], &p->pair[i])) {
			p->pair[kept - 1].messages += p->pair[i].messages;
			p->pair[kept - 1].bytes += p->pair[i].bytes;
		} else {
			p->pair[kept++] = p->pair[i];
		}
	}
	p->length = kept;
}

static void take_statement(struct pairs *p, const struct scene *s, size_t statement, const struct communication *x)
{
	size_t first = p->length;
	for (size_t i = 0; i < x->cells; i++) {
		const struct communication_cell *c = &x->cell[i];
		uint32_t from = s->lane_of[c->source],
			 to = c->destination < s->processes ? s->lane_of[c->destination] : SCENE_NONE;
		if (from == SCENE_NONE)
			continue; /* in a part that is not drawn */
		*MEM_PUSH(p->pair, p->length, p->capacity) = (struct pair){statement, from, to, c->messages, c->bytes};
	}
	join_pairs(p, first);
}

static void give_to_loops(struct pairs *p, const struct drawn *d)
{
	for (size_t i = 0; i < p->length; i++) {
		size_t around = ALL;
		for (size_t at = 0; at < p->pair[i].statement;) {
			bool inside = at + drawn_source(d, at)->lines > p->pair[i].statement;
			around = inside ? at : around;
			at += inside ? 1 : drawn_source(d, at)->lines;
		}
		p->pair[i].statement = around;
	}
	join_pairs(p, 0);
}

static struct pairs pairs_of(const struct scene *s, const struct communication *x)
{
	struct pairs p = {0};
	for (size_t i = 0; i < s->drawn->source->lines; i++)
		take_statement(&p, s, i, &x[i]);
	if (p.length > PAIRS_MOST)
		give_to_loops(&p, s->drawn);
	for (size_t i = 0; i < p.length && p.length > PAIRS_MOST; i++)
		p.pair[i].statement = ALL;
	join_pairs(&p, 0);
	return p;
}

/* ------------------------------------------------------------------ the lines */

/* On which line of the text each statement stands. */
struct places {
	size_t *line; /* by statement */
	size_t lines, start; /* before the one at hand; where it starts in the text */
};

static void note_line(const void *context, size_t statement, struct text *text)
{
	struct places *p = *(struct places *const *)context;
	for (const char *end; (end = memchr(text->data + p->start, '\n', text->length - p->start)); p->lines++)
		p->start = (size_t)(end - text->data) + 1;
	p->line[statement] = p->lines;
}

struct page_lines {
	struct json *json;
	const struct drawn *drawn;
	struct executions executions;
	struct communication *of; /* by line: with what is inside, but for its cells */
	struct pairs pairs;
	size_t next_pair;
	struct intern *lists; /* of shares, which several statements may have */
	size_t from, past; /* statements that are drawn */
	bool ended; /* the part that is drawn, its `done` and all */
	bool tables; /* what comes is tables: */
	unsigned table_line; /* of the one at hand */
};

/* By line, each with the sums of what is inside. */
static struct communication *communication_by_line(const struct drawn *d, struct error *error)
{
	size_t lines = d->source->lines, *group = mem_array(lines + 1, sizeof *group);
	struct communication_part part = {.whole = true, .group = group, .groups = lines + 1, .sizes = true};
	for (size_t i = 0; i < lines; i++)
		group[i] = i;
	struct communication *x = communication_new(d->source_run, &part, error);
	for (size_t i = lines; x && i-- > 0;)
		for (size_t k = i + 1; k < i + drawn_source(d, i)->lines; k += drawn_source(d, k)->lines) {
			x[i].events = saturating_add(x[i].events, x[k].events);
			x[i].sent = saturating_add(x[i].sent, x[k].sent);
			x[i].sized = saturating_add(x[i].sized, x[k].sized);
			x[i].bytes = saturating_add(x[i].bytes, x[k].bytes);
		}
	free(group);
	return x;
}

/* Of a list, divided by its factor. */
struct share {
	uint32_t from, to;
	uint64_t messages, bytes;
};

/* The list of the pairs of a statement, which come next, and its factor. */
static void put_pairs(struct page_lines *l, size_t statement)
{
	struct pair *first = l->pairs.pair + l->next_pair;
	size_t length = 0;
	uint64_t factor = 0;
	for (; l->next_pair < l->pairs.length && first[length].statement == statement; length++, l->next_pair++)
		factor = gcd(gcd(factor, first[length].messages), first[length].bytes);
	struct share *share = mem_array(length + 1, sizeof *share);
	for (size_t i = 0; i < length; i++)
		share[i] =
			(struct share){first[i].from, first[i].to, first[i].messages / factor, first[i].bytes / factor};
	json_integer(l->json, NULL, length ? (int64_t)intern_id(l->lists, share, length * sizeof *share) : -1);
	json_count(l->json, NULL, factor);
	free(share);
}

static void put_statement(struct page_lines *l, const char *words, size_t at)
{
	struct json *j = l->json;
	json_array(j, NULL, JSON_TIGHT);
	json_string(j, NULL, words);
	json_string(j, NULL, module_addresses_get(&l->drawn->address, at));
	json_count(j, NULL, l->executions.times[at]);
	json_count(j, NULL, l->executions.iterations[at]);
	json_count(j, NULL, l->of[at].events);
	json_count(j, NULL, l->of[at].sent);
	if (l->of[at].sized == l->of[at].sent)
		json_count(j, NULL, l->of[at].bytes);
	else
		json_integer(j, NULL, -1);
	while (l->next_pair < l->pairs.length && l->pairs.pair[l->next_pair].statement < at)
		l->next_pair++;
	put_pairs(l, at);
	json_close(j);
}

/* The first bytes of a line, whole characters; the line is changed. */
static void shorten(char *line)
{
	static const char dots[] = "…";
	if (strlen(line) <= TABLE_BYTES)
		return;
	size_t end = TABLE_BYTES - sizeof dots;
	while (end && ((unsigned char)line[end] & 0xc0) == 0x80)
		end--;
	memcpy(line + end, dots, sizeof dots);
}

static void put_table_line(struct page_lines *l, char *line)
{
	l->table_line = *line == ' ' ? l->table_line + 1 : 0;
	shorten(line);
	if (l->table_line <= TABLE_LINES)
		json_string(l->json, NULL, l->table_line == TABLE_LINES ? "  …" : line);
}

/* Of the whole, or of the part that is drawn; what the header says stands elsewhere in the page. */
static void put_lines(struct page_lines *l, struct text *text, const size_t *line_of)
{
	size_t at = l->from, number = 0, indent = 0;
	for (char *line = text->data, *end; (end = strchr(line, '\n')); line = end + 1, number++) {
		*end = '\0';
		size_t blanks = strspn(line, " ");
		l->tables = l->tables || !strcmp(line, "// tables");
		if (at < l->past && line_of[at] == number) {
			indent = at == l->from ? blanks : indent;
			put_statement(l, line, at);
			at++;
		} else if (l->tables) {
			put_table_line(l, line);
		} else if (at > l->from && !strcmp(line + blanks, "done") && blanks >= indent && !l->ended) {
			json_string(l->json, NULL, line);
			l->ended = l->past < l->drawn->source->lines && blanks == indent && at == l->past;
		}
	}
}

static void put_lists(struct page_lines *l)
{
	struct json *j = l->json;
	json_array(j, "pairs", JSON_TIGHT);
	for (uint32_t i = 0; i < intern_count(l->lists); i++) {
		size_t size;
		const struct share *share = intern_data(l->lists, i, &size);
		json_array(j, NULL, JSON_TIGHT);
		for (size_t k = 0; k < size / sizeof *share; k++) {
			json_array(j, NULL, JSON_TIGHT);
			json_number(j, NULL, share[k].from);
			json_integer(j, NULL, share[k].to == SCENE_NONE ? -1 : (int64_t)share[k].to);
			json_count(j, NULL, share[k].messages);
			json_count(j, NULL, share[k].bytes);
			json_close(j);
		}
		json_close(j);
	}
	json_close(j);
}

static void put_figures(struct json *j, const struct measures *m)
{
	json_object(j, "figures", JSON_TIGHT);
	json_count(j, "events", m->events);
	json_count(j, "statements", m->statements);
	json_count(j, "loops", m->loops);
	json_number(j, "roles", m->roles);
	json_close(j);
}

/* Does how often something happens depend on the process? */
static bool is_uneven(const struct drawn *d)
{
	bool uneven = false;
	for (size_t i = 0; i < d->source->lines && !uneven; i++)
		uneven = node_is_divergent(d->source->store, drawn_source(d, i));
	return uneven;
}

bool page_put_program(struct json *j, const struct scene *scene, struct error *error)
{
	const struct drawn *d = scene->drawn;
	struct measures measures;
	struct communication *x = measures_of(d->source_run, &measures, error) ? communication_by_line(d, error) : NULL;
	if (!x) {
		measures_clear(&measures);
		return false;
	}
	struct text text = {0};
	struct places places = {.line = mem_zero((d->source->lines + 1) * sizeof *places.line)}, *noting = &places;
	module_print_text(d->source, &(struct module_remarks){.context = &noting, .behind = note_line}, &text);
	struct page_lines l = {.json = j,
		.drawn = d,
		.of = x,
		.pairs = pairs_of(scene, x),
		.lists = intern_new(),
		.past = d->source->lines};
	if (*scene->part) {
		l.from = d->place;
		l.past = l.from + drawn_source(d, l.from)->lines;
	}
	run_executions(d->source_run, &l.executions);
	put_figures(j, &measures);
	measures_clear(&measures);
	json_truth(j, "uneven", is_uneven(d));
	json_array(j, "lines", JSON_TIGHT);
	put_lines(&l, &text, places.line);
	json_close(j);
	json_array(j, "pairs_of_all", JSON_TIGHT);
	put_pairs(&l, ALL);
	json_close(j);
	put_lists(&l);
	executions_clear(&l.executions);
	intern_free(l.lists);
	free(l.pairs.pair);
	communication_free(x);
	free(places.line);
	text_clear(&text);
	return true;
}
