/*
 * changes_units.c -- what is the same place in both programs: call sites are aligned by file and
 * function; and whether its calls are the same.
 */
#include "report/changes_work.h"

#include <stdlib.h>

#include "ask/alignment.h"
#include "base/compare.h"
#include "base/hash.h"
#include "base/mem.h"

struct site_call changes_bare_call(
	const struct comparing *c, const struct site_call *call, const struct site_unit *unit)
{
	struct site_call bare = *call;
	bare.site = bare.loose = 0;
	bare.apart = 0;
	if (!c->told[CHANGE_CALL])
		bare.call = bare.other = 0;
	if (unit && unit->tested)
		*completing(&bare) = 0;
	if (!c->told[CHANGE_BYTES])
		bare.bytes = bare.received = 0;
	return bare;
}

/* ------------------------------------------------------------------ sites that are one place */

struct listed_site {
	uint32_t site;
	const struct call_site *at;
	const struct site *home; /* whose file it is in: of a function that moved to another file, the golden one */
	uint64_t does; /* a hash of its calls; 0: that of the first one of its statement is of all */
};

struct site_list {
	struct listed_site *item;
	size_t length;
};

static int compare_sites(const void *left, const void *right)
{
	const struct listed_site *a = left, *b = right;
	const struct site *x = &a->at->parts, *y = &b->at->parts;
	int order = is_same_file(a->home, b->home) ? 0 : site_compare_files(a->home, b->home);
	if (!order && (x->line != y->line || x->offset != y->offset))
		return x->line != y->line ? COMPARE(x->line, y->line) : COMPARE(x->offset, y->offset);
	order = order ? order : strcmp(x->function, y->function);
	if (order)
		return order;
	return a->at->kind != b->at->kind ? COMPARE(a->at->kind, b->at->kind) : COMPARE(a->site, b->site);
}

/* Is the function of x in the file of y? */
static bool has_function(const struct call_sites *c, const struct site *x, const struct site *y)
{
	for (uint32_t i = 0; i < c->sites; i++)
		if (!strcmp(c->site[i].parts.function, x->function) && is_same_file(&c->site[i].parts, y))
			return true;
	return false;
}

static bool is_same_call(const struct call_site *a, const struct call_site *b)
{
	return a->kind == b->kind && a->word == b->word;
}

/* Where the golden program has the function of a call, if it moved to another file. */
static const struct site *home_of(
	const struct call_sites *golden, const struct call_sites *run, const struct call_site *at)
{
	if (!*at->parts.function || has_function(golden, &at->parts, &at->parts))
		return &at->parts;
	for (uint32_t i = 0; i < golden->sites; i++) {
		const struct call_site *was = &golden->site[i];
		if (is_same_call(was, at) && !was->parts.line == !at->parts.line &&
			!strcmp(was->parts.function, at->parts.function) &&
			!has_function(run, &was->parts, &was->parts))
			return &was->parts;
	}
	return &at->parts;
}

static struct site_list sites_of(const struct comparing *comparing, uint32_t side)
{
	const struct call_sites *c = comparing->calls[side], *golden = comparing->calls[GOLDEN];
	struct site_list p = {.item = mem_zero((c->sites + (size_t)1) * sizeof *p.item), .length = c->sites};
	for (uint32_t i = 0; i < c->sites; i++)
		p.item[i] = (struct listed_site){.site = i,
			.at = &c->site[i],
			.home = side == RUN ? home_of(golden, c, &c->site[i]) : &c->site[i].parts};
	for (uint32_t i = 0; i < intern_count(c->calls); i++) {
		const struct site_call *call = call_sites_get(c, i);
		struct site_call bare = changes_bare_call(comparing, call, NULL);
		p.item[call->site].does += hash_bytes(&bare, sizeof bare) * c->count[i];
	}
	for (uint32_t i = 0; i < c->sites; i++)
		if (c->site[i].first != i) {
			p.item[call_sites_first(c, i)].does += p.item[i].does;
			p.item[i].does = 0;
		}
	qsort(p.item, p.length, sizeof *p.item, compare_sites);
	return p;
}

/* What it counts that two places are one: the same name and function, close by, doing the same. */
static uint32_t weigh(const void *context, size_t i, size_t k)
{
	const struct site_list *side = context;
	const struct listed_site *a = &side[GOLDEN].item[i], *b = &side[RUN].item[k];
	const struct site *x = &a->at->parts, *y = &b->at->parts;
	uint64_t moved = x->line > y->line ? x->line - y->line : y->line - x->line;
	bool same_name = a->at->word == b->at->word, same_function = !strcmp(x->function, y->function),
	     does_same = a->does && a->does == b->does;
	if (a->at->kind != b->at->kind || !is_same_file(a->home, b->home) || (!same_name && moved) ||
		(!same_function && !does_same))
		return 0;
	return 8 + 6 * same_name + 4 * same_function + 4 * does_same + (moved <= 3) + (moved <= 20);
}

/* Those that moved elsewhere: in the same function, or doing the same. */
static void pair_the_rest(const struct site_list side[SIDES], size_t *of, bool *taken)
{
	const struct site_list *a = &side[GOLDEN], *b = &side[RUN];
	for (int strict = 1; strict >= 0; strict--)
		for (size_t i = 0; i < a->length; i++)
			for (size_t k = 0; k < b->length && of[i] == ALIGNMENT_NONE; k++) {
				const struct listed_site *x = &a->item[i], *y = &b->item[k];
				bool same = strict ? x->does && x->does == y->does
						   : !strcmp(x->at->parts.function, y->at->parts.function) &&
							     is_same_file(x->home, y->home);
				if (taken[k] || !same || !is_same_call(x->at, y->at))
					continue;
				of[i] = k;
				taken[k] = true;
			}
}

/* Another line of its function that makes its call, and that nothing is paired with. */
static bool is_joined(const struct site_list *list, const bool *taken, size_t k, size_t other)
{
	const struct call_site *at = list->item[k].at, *next = list->item[other].at;
	return !taken[other] && is_same_call(at, next) && !strcmp(at->parts.function, next->parts.function);
}

/* A statement of several lines, whose function has another name now: the lines of a function that
   together do the same become one place. */
static void pair_statements(struct comparing *c, const struct site_list side[SIDES], size_t *of, bool *taken)
{
	const struct site_list *a = &side[GOLDEN], *b = &side[RUN];
	for (size_t i = 0; i < a->length; i++)
		for (size_t k = 0; k < b->length && of[i] == ALIGNMENT_NONE && a->item[i].does; k++) {
			uint64_t does = 0;
			if (taken[k] || !is_same_call(a->item[i].at, b->item[k].at))
				continue;
			for (size_t n = k; n < b->length; n++)
				does += is_joined(b, taken, k, n) ? b->item[n].does : 0;
			if (does != a->item[i].does)
				continue;
			of[i] = k;
			for (size_t n = k; n < b->length; n++)
				if (is_joined(b, taken, k, n)) {
					c->calls[RUN]->site[b->item[n].site].first = b->item[k].site;
					taken[n] = true;
				}
		}
}

static uint32_t unit_of(struct comparing *c, size_t side, uint32_t site)
{
	uint32_t *unit = &c->unit_of[side][call_sites_first(c->calls[side], site)];
	if (*unit == NONE) {
		*unit = (uint32_t)c->units++;
		c->unit[*unit] = (struct site_unit){.site = {NONE, NONE}};
		c->unit[*unit].site[side] = site;
	}
	return c->unit_of[side][site] = *unit;
}

void changes_find_units(struct comparing *c)
{
	struct site_list side[SIDES] = {sites_of(c, GOLDEN), sites_of(c, RUN)};
	size_t n = side[GOLDEN].length, m = side[RUN].length, *of = mem_array(n + 1, sizeof *of);
	bool *taken = mem_zero(m + 1);
	alignment_heaviest(n, m, weigh, side, of);
	for (size_t i = 0; i < n; i++)
		if (of[i] != ALIGNMENT_NONE)
			taken[of[i]] = true;
	pair_the_rest(side, of, taken);
	pair_statements(c, side, of, taken);
	c->unit = mem_array(n + m + 1, sizeof *c->unit);
	for (size_t k = 0; k < SIDES; k++) {
		c->unit_of[k] = mem_array(side[k].length + 1, sizeof *c->unit_of[k]);
		memset(c->unit_of[k], 0xff, (side[k].length + 1) * sizeof *c->unit_of[k]);
	}
	for (size_t i = 0; i < n; i++) {
		uint32_t unit = unit_of(c, GOLDEN, side[GOLDEN].item[i].site);
		if (of[i] == ALIGNMENT_NONE)
			continue;
		uint32_t there = side[RUN].item[of[i]].site;
		uint32_t run = call_sites_first(c->calls[RUN], there);
		if (c->unit_of[RUN][run] == NONE)
			c->unit_of[RUN][run] = unit;
		c->unit_of[RUN][there] = c->unit_of[RUN][run];
		if (c->unit[unit].site[RUN] == NONE)
			c->unit[unit].site[RUN] = there;
	}
	for (size_t k = 0; k < m; k++)
		unit_of(c, RUN, side[RUN].item[k].site);
	free(of);
	free(taken);
	free(side[GOLDEN].item);
	free(side[RUN].item);
}

/* ------------------------------------------------------------------ what ranks do there */

static int by_unit(const void *left, const void *right)
{
	const struct site_item *a = left, *b = right;
	return a->unit != b->unit ? COMPARE(a->unit, b->unit) : COMPARE(a->side, b->side);
}

void changes_gather(struct comparing *c)
{
	size_t all = (size_t)intern_count(c->calls[GOLDEN]->calls) + intern_count(c->calls[RUN]->calls);
	c->item = mem_array(all + 1, sizeof *c->item);
	for (uint32_t side = 0; side < SIDES; side++)
		for (uint32_t i = 0; i < intern_count(c->calls[side]->calls); i++) {
			struct site_call call = *call_sites_get(c->calls[side], i);
			uint32_t unit = c->unit_of[side][call.site], by = *completing(&call);
			c->item[c->items++] = (struct site_item){call, c->calls[side]->count[i], unit, side};
			/* complete when it is tested, or later, when it is waited for */
			c->unit[unit].tested |=
				by != INTERN_NONE && text_begins_with(intern_data(c->words, by, NULL), "MPI_Test");
		}
	if (c->items)
		qsort(c->item, c->items, sizeof *c->item, by_unit);
	for (size_t i = 0; i < c->items; i++) {
		struct site_unit *u = &c->unit[c->item[i].unit];
		if (!u->end)
			u->first = i;
		u->end = i + 1;
	}
}

void changes_tally_add(struct tally *t, const void *key, size_t size, uint32_t side, uint64_t count)
{
	uint32_t id = intern_id(t->keys, key, size);
	if (id == t->length) {
		t->count = mem_grow(t->count, &t->capacity, t->length + 1, sizeof *t->count);
		t->count[t->length][GOLDEN] = t->count[t->length][RUN] = 0;
		t->length++;
	}
	t->count[id][side] += count;
}

void changes_tally_clear(struct tally *t)
{
	intern_free(t->keys);
	free(t->count);
}

/* A model may name ranks that are none of the run. */
bool changes_is_among(const struct comparing *c, const bool *them, uint32_t rank)
{
	return rank < c->program[GOLDEN]->processes && them[rank];
}

struct site_call changes_together(const struct comparing *c, const struct site_call *call)
{
	struct site_call any = *call;
	if (c->unforeseen[call->rank])
		any.rank = ANYBODY;
	if (!kind_gathers(call->kind) && changes_is_among(c, c->unforeseen, call->peer))
		any.peer = ANYBODY;
	return any;
}

bool changes_unit_same(const struct comparing *c, const struct site_unit *u, bool merged, bool apart)
{
	struct tally t = {.keys = intern_new_keys(sizeof(struct site_call))};
	for (size_t i = u->first; i < u->end; i++) {
		const struct site_call *call = &c->item[i].call;
		struct site_call bare = changes_bare_call(c, call, u);
		if (apart)
			bare.apart = call->apart;
		if (merged)
			bare = changes_together(c, &bare);
		changes_tally_add(&t, &bare, sizeof bare, c->item[i].side, c->item[i].count);
	}
	bool same = true;
	for (size_t i = 0; i < t.length && same; i++)
		same = u->counts_vary ? !t.count[i][GOLDEN] == !t.count[i][RUN] : t.count[i][GOLDEN] == t.count[i][RUN];
	changes_tally_clear(&t);
	return same;
}
