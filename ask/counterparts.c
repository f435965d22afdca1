/*
 * counterparts.c -- the heaviest common subsequence of two lists of events; then loops, by votes of
 * the events inside.
 */
#include "ask/counterparts.h"

#include <inttypes.h>
#include <stdlib.h>

#include "ask/alignment.h"
#include "base/compare.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/text.h"

/* Pairs of events that are weighed, a byte each. */
#ifndef TRACENEST_HOSTILE
#define PAIRS (UINT64_C(1) << 26)
#else
#define PAIRS UINT64_C(64)
#endif

/* What one match counts, and what is added for each thing that is the same. */
#define MATCHED 8
#define SAME_SITE 4
#define SAME_PEER 2
#define SAME_LOOPS 1

#define NO_SITE UINT32_MAX

struct token {
	size_t statement;
	uint32_t sort; /* kind, stem and constant number, or collective */
	uint32_t peer, site; /* as words; NO_SITE */
	uint32_t depth; /* loops around */
};

/* The events of a program. */
struct tokens {
	struct token *token;
	size_t length, capacity;
};

struct reader {
	const struct program *program;
	struct intern *words; /* of both programs */
	struct tokens *to;
	uint32_t site; /* the attribute's name */
	struct text text;
};

/* ------------------------------------------------------------------ events as tokens */

static uint32_t word_of(struct reader *r)
{
	uint32_t id = intern_id(r->words, r->text.data ? r->text.data : "", r->text.length);
	text_clear(&r->text);
	return id;
}

static void put_sort(struct reader *r, const struct form *f)
{
	text_format(&r->text, "%u %s", (unsigned)f->kind, dictionary_get_word(r->program->dictionary, f->word));
	if ((f->kind == EVENT_SEND || f->kind == EVENT_RECV) && f->numbered && !f->varies)
		text_format(&r->text, " %" PRIu64, f->number);
}

static uint32_t site_of(struct reader *r, size_t at)
{
	struct attribute a;
	if (r->program->statement[at].sites != SITES_NONE) {
		sites_print_whole(&r->program->places, r->program->statement[at].sites, &r->text);
		return word_of(r);
	}
	if (r->site == INTERN_NONE || !program_attribute(r->program, at, r->site, &a))
		return NO_SITE;
	attribute_print(r->program, &a, &r->text);
	return word_of(r);
}

static void add_event(struct reader *r, size_t at, uint32_t depth)
{
	struct form form = statement_form(r->program, &r->program->statement[at]);
	struct token t = {.statement = at, .depth = depth};
	put_sort(r, &form);
	t.sort = word_of(r);
	if (form.kind == EVENT_SEND || form.kind == EVENT_RECV)
		place_print(&form.peer, &r->program->grid, &r->text);
	t.peer = word_of(r);
	t.site = site_of(r, at);
	r->to->token = mem_grow(r->to->token, &r->to->capacity, r->to->length + 1, sizeof t);
	r->to->token[r->to->length++] = t;
}

/* Recursion as deep as loops nest. */
static void add_body(struct reader *r, size_t from, size_t to, uint32_t depth)
{
	for (size_t i = from; i < to; i += statement_size(&r->program->statement[i])) {
		const struct statement *s = &r->program->statement[i];
		if (statement_is_loop(s))
			add_body(r, i + 1, i + s->size, depth + (statement_guard(s) == GUARD_NONE));
		else
			add_event(r, i, depth);
	}
}

static struct tokens tokens_of(const struct program *program, struct intern *words)
{
	struct tokens tokens = {0};
	struct reader r = {.program = program,
		.words = words,
		.to = &tokens,
		.site = dictionary_word(program->dictionary, "site", 4)};
	add_body(&r, 0, program->length, 0);
	return tokens;
}

/* ------------------------------------------------------------------ their alignment */

static bool equal(const struct token *a, const struct token *b)
{
	return a->sort == b->sort && a->peer == b->peer && a->site == b->site && a->depth == b->depth;
}

/* Two lists of them. */
struct lists {
	const struct token *first, *second;
};

static uint32_t weight_of(const void *context, size_t i, size_t k)
{
	const struct lists *l = context;
	const struct token *a = &l->first[i], *b = &l->second[k];
	if (a->sort != b->sort)
		return 0;
	return MATCHED + (a->site != NO_SITE && a->site == b->site ? SAME_SITE : 0) +
	       (a->peer == b->peer ? SAME_PEER : 0) + (a->depth == b->depth ? SAME_LOOPS : 0);
}

static void align_by_weight(const struct token *a, size_t n, const struct token *b, size_t m, size_t *of)
{
	size_t *taken = mem_array(n, sizeof *taken);
	alignment_heaviest(n, m, weight_of, &(struct lists){a, b}, taken);
	for (size_t i = 0; i < n; i++)
		if (taken[i] != ALIGNMENT_NONE)
			of[a[i].statement] = b[taken[i]].statement;
	free(taken);
}

/* The k-th of a sort and the k-th. */
static void align_by_number(
	const struct token *a, size_t n, const struct token *b, size_t m, uint32_t sorts, size_t *of)
{
	size_t *next = mem_array(m + 1, sizeof *next), *first = mem_array(sorts + (size_t)1, sizeof *first);
	for (size_t i = 0; i <= sorts; i++)
		first[i] = m;
	for (size_t k = m; k-- > 0;) {
		next[k] = first[b[k].sort];
		first[b[k].sort] = k;
	}
	for (size_t i = 0; i < n; i++) {
		size_t k = first[a[i].sort];
		if (k == m)
			continue;
		of[a[i].statement] = b[k].statement;
		first[a[i].sort] = next[k];
	}
	free(next);
	free(first);
}

static void align(const struct tokens *x, const struct tokens *y, uint32_t sorts, size_t *of)
{
	const struct token *a = x->token, *b = y->token;
	size_t n = x->length, m = y->length;
	while (n && m && equal(a, b)) {
		of[a->statement] = b->statement;
		a++, b++, n--, m--;
	}
	while (n && m && equal(&a[n - 1], &b[m - 1])) {
		of[a[n - 1].statement] = b[m - 1].statement;
		n--, m--;
	}
	if (!n || !m)
		return;
	if ((uint64_t)(n + 1) * (m + 1) <= PAIRS)
		align_by_weight(a, n, b, m, of);
	else
		align_by_number(a, n, b, m, sorts, of);
}

/* ------------------------------------------------------------------ loops */

struct vote {
	size_t first, second;
	uint64_t count;
};

struct votes {
	struct intern *pairs;
	struct vote *vote;
	size_t length, capacity;
};

/* The loop, or the guard, around each statement; COUNTERPART_NONE. */
static size_t *parents_of(const struct program *p)
{
	size_t *parent = mem_array(p->length + 1, sizeof *parent);
	for (size_t i = 0; i < p->length; i++)
		parent[i] = COUNTERPART_NONE;
	for (size_t i = 0; i < p->length; i++)
		for (size_t k = i + 1; k < i + p->statement[i].size; k += statement_size(&p->statement[k]))
			parent[k] = i;
	return parent;
}

static void vote(struct votes *v, size_t first, size_t second)
{
	uint64_t pair[2] = {first, second};
	uint32_t id = intern_id(v->pairs, pair, sizeof pair);
	if (id == v->length) {
		*MEM_PUSH(v->vote, v->length, v->capacity) = (struct vote){.first = first, .second = second};
	}
	v->vote[id].count++;
}

/* The next one outwards that is a loop, or that is none. */
static size_t outwards(const struct program *p, const size_t *parent, size_t at, bool loop)
{
	do
		at = parent[at];
	while (at != COUNTERPART_NONE && (statement_guard(&p->statement[at]) == GUARD_NONE) != loop);
	return at;
}

static int most_votes(const void *left, const void *right)
{
	const struct vote *a = left, *b = right;
	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return a->first != b->first ? COMPARE(a->first, b->first) : COMPARE(a->second, b->second);
}

static void pair_loops(const struct program *x, const struct program *y, size_t *of)
{
	struct votes v = {.pairs = intern_new()};
	size_t *in_x = parents_of(x), *in_y = parents_of(y);
	bool *taken = mem_zero(y->length + 1);
	for (size_t i = 0; i < x->length; i++)
		for (int loop = 0; loop < 2 && !x->statement[i].size && of[i] != COUNTERPART_NONE; loop++) {
			size_t a = i, b = of[i];
			while ((a = outwards(x, in_x, a, loop)) != COUNTERPART_NONE &&
				(b = outwards(y, in_y, b, loop)) != COUNTERPART_NONE)
				vote(&v, a, b);
		}
	if (v.length)
		qsort(v.vote, v.length, sizeof *v.vote, most_votes);
	for (size_t i = 0; i < v.length; i++)
		if (of[v.vote[i].first] == COUNTERPART_NONE && !taken[v.vote[i].second]) {
			of[v.vote[i].first] = v.vote[i].second;
			taken[v.vote[i].second] = true;
		}
	intern_free(v.pairs);
	free(v.vote);
	free(in_x);
	free(in_y);
	free(taken);
}

size_t *counterparts_of(const struct program *x, const struct program *y)
{
	struct intern *words = intern_new();
	struct tokens a = tokens_of(x, words), b = tokens_of(y, words);
	size_t *of = mem_array(x->length + 1, sizeof *of);
	for (size_t i = 0; i < x->length; i++)
		of[i] = COUNTERPART_NONE;
	align(&a, &b, intern_count(words), of);
	pair_loops(x, y, of);
	free(a.token);
	free(b.token);
	intern_free(words);
	return of;
}
