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
	size_t line;
	uint32_t sort; /* kind, stem and constant number, or collective */
	uint32_t peer, site; /* as words; NO_SITE */
	uint32_t depth; /* loops around */
};

/* The lines of a module: what they stand in, and its events. */
struct tokens {
	const struct module *module;
	struct module_line *line;
	struct token *token;
	size_t length, capacity;
	uint32_t site; /* the attribute's name */
	struct intern *words; /* of both modules */
	struct text text;
};

/* ------------------------------------------------------------------ events as tokens */

static uint32_t word_of(struct tokens *t)
{
	uint32_t id = intern_id(t->words, t->text.data ? t->text.data : "", t->text.length);
	text_clear(&t->text);
	return id;
}

static uint32_t sort_of(struct tokens *t, const struct node *n)
{
	const struct store *s = t->module->store;
	int64_t number;
	text_format(&t->text, "%u %s", (unsigned)n->sub, store_get_word(s, n->word));
	if (kind_is_message(n->sub) && n->kid[COLUMN_TAG] && number_is_constant(s, n->kid[COLUMN_TAG], &number))
		text_format(&t->text, " %" PRId64, number);
	return word_of(t);
}

static uint32_t site_of(struct tokens *t, const struct node *n, size_t line, uint32_t depth)
{
	const struct module *m = t->module;
	if (m->sites[line] != SITES_NONE) {
		sites_print_whole(&m->places, m->sites[line], &t->text);
		return word_of(t);
	}
	node_id site = event_attribute(m->store, n, t->site);
	if (!site)
		return NO_SITE;
	node_print(m, site, depth, &t->text);
	return word_of(t);
}

static void add_event(struct tokens *t, const struct node *n, size_t line, uint32_t depth)
{
	struct token token = {.line = line, .depth = depth, .sort = sort_of(t, n)};
	if (kind_is_message(n->sub))
		node_print_place(t->module, n->kid[COLUMN_PEER], depth, &t->text);
	token.peer = word_of(t);
	token.site = site_of(t, n, line, depth);
	*MEM_PUSH(t->token, t->length, t->capacity) = token;
}

static struct tokens tokens_of(const struct module *m, struct intern *words)
{
	struct tokens t = {
		.module = m, .line = module_statements(m), .words = words, .site = store_word(m->store, "site", 4)};
	for (size_t i = 0; i < m->lines; i++)
		if (node_of(m->store, t.line[i].node)->kind == NODE_EVENT)
			add_event(&t, node_of(m->store, t.line[i].node), i, t.line[i].loops);
	return t;
}

static void tokens_clear(struct tokens *t)
{
	free(t->line);
	free(t->token);
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
			of[a[i].line] = b[taken[i]].line;
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
		of[a[i].line] = b[k].line;
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
		of[a->line] = b->line;
		a++, b++, n--, m--;
	}
	while (n && m && equal(&a[n - 1], &b[m - 1])) {
		of[a[n - 1].line] = b[m - 1].line;
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
static size_t outwards(const struct tokens *t, size_t at, bool loop)
{
	do
		at = t->line[at].around;
	while (at != LINE_OUTERMOST && (node_of(t->module->store, t->line[at].node)->kind == NODE_LOOP) != loop);
	return at;
}

static int most_votes(const void *left, const void *right)
{
	const struct vote *a = left, *b = right;
	if (a->count != b->count)
		return COMPARE(b->count, a->count);
	return a->first != b->first ? COMPARE(a->first, b->first) : COMPARE(a->second, b->second);
}

static void pair_loops(const struct tokens *x, const struct tokens *y, size_t *of)
{
	struct votes v = {.pairs = intern_new()};
	bool *taken = mem_zero(y->module->lines + 1);
	for (size_t i = 0; i < x->length; i++)
		for (int loop = 0; loop < 2 && of[x->token[i].line] != COUNTERPART_NONE; loop++) {
			size_t a = x->token[i].line, b = of[a];
			while ((a = outwards(x, a, loop)) != LINE_OUTERMOST &&
				(b = outwards(y, b, loop)) != LINE_OUTERMOST)
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
	free(taken);
}

size_t *counterparts_of(const struct module *x, const struct module *y)
{
	struct intern *words = intern_new();
	struct tokens a = tokens_of(x, words), b = tokens_of(y, words);
	size_t *of = mem_array(x->lines + 1, sizeof *of);
	for (size_t i = 0; i < x->lines; i++)
		of[i] = COUNTERPART_NONE;
	align(&a, &b, intern_count(words), of);
	pair_loops(&a, &b, of);
	tokens_clear(&a);
	tokens_clear(&b);
	intern_free(words);
	return of;
}
