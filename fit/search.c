/*
 * search.c -- what one source alone contributes is taken off, until nothing is left that varies:
 *
 *	number = 3000 + 4*x + 2^i0 + (rest by y, i1)
 *
 * Points that differ in x alone tell by how much x raises the number; if all of them agree, that is
 * what x contributes, and the rest is one of fewer sources. A rest that cannot be taken apart is
 * digits, a product, or a table.
 */
#include "fit/search.h"

#include <stdlib.h>

#include "base/gcd.h"
#include "base/mem.h"
#include "fit/affine_fit.h"
#include "fit/laws.h"
#include "fit/limits.h"

/* ------------------------------------------------------------------ prices */

static uint32_t lookup_price(const struct lookup *l)
{
	return l->table ? COST_LOOKUP : 0;
}

/* {i0} = 3 needs no more thought than the guard itself. */
static bool is_bare(const struct affine *a)
{
	struct affine copy = *a;
	int64_t sum = 0;
	for (int s = 0; s < SOURCES; s++)
		sum += *affine_factor(&copy, s);
	return affine_terms(a) == 1 && sum == 1 && !a->constant;
}

uint32_t value_price(struct tables *t, const struct value *v)
{
	uint32_t terms = 0, price = 0;
	for (int k = 0; k < REMAINDERS; k++)
		terms += v->remainder[k].modulus != 0;
	for (int k = 0; k < POWERS; k++)
		terms += v->power[k].base != 0;
	if (terms)
		price = COST_REMAINDER + (terms - 1) * TIE_TERM;
	else if (affine_terms(&v->plain) && !(v->test && is_bare(&v->plain)))
		price = COST_AFFINE;
	if (v->test == TEST_AMONG || v->test == TEST_NOT_AMONG)
		price += COST_ENTRY * (uint32_t)tables_entries(t, v->among);
	return price + lookup_price(&v->lookup) + lookup_price(&v->by);
}

uint64_t table_price(struct tables *t, const struct table *table)
{
	return table ? COST_TABLE + COST_ENTRY * tables_entries(t, table) : 0;
}

static bool is_proven(const struct domain *d, const int64_t *number, const struct value *v)
{
	int64_t index[INDEX_DEPTH], is;
	for (size_t i = 0; i < d->count; i++) {
		struct spot spot = domain_spot(d, i, index);
		if (!value_fits(v, &spot, &is) || is != number[i])
			return false;
	}
	return true;
}

void found_consider(
	struct found *f, const struct search *s, const int64_t *number, const struct value *v, uint32_t more)
{
	uint32_t price = value_price(s->tables, v);
	uint64_t total = price + more + TIE_TERM * affine_terms(&v->plain) + table_price(s->tables, v->lookup.table);
	if (v->by.table != v->lookup.table)
		total += table_price(s->tables, v->by.table);
	if ((f->any && f->total <= total) || !is_proven(s->domain, number, v))
		return;
	*f = (struct found){.any = true, .value = *v, .price = price, .total = total};
}

/* ------------------------------------------------------------------ variables */

static struct variable variable_of(const struct domain *d, int source)
{
	struct variable v = {.sources = UINT32_C(1) << source, .column = d->column[source]};
	*affine_factor(&v.as.inside, source) = 1;
	return v;
}

/* (a+b+c)%size, (a-b)%size, ...: of one size, an index has any; the first sign is plus. */
static void add_derived(struct search *s, const int *source, const int *sign, uint32_t count)
{
	const struct domain *d = s->domain;
	int64_t size = source_size(d, source[0]);
	struct variable v = {.as.modulus = size};
	for (uint32_t k = 0; k < count; k++)
		if (!d->source[source[k]] || size < 2 || s->variables == SOURCES + DERIVED_MOST ||
			(source[k] < SOURCE_INDEX && source_size(d, source[k]) != size))
			return;
	int64_t *at = mem_zero(d->count * sizeof *at);
	for (uint32_t k = 0; k < count; k++) {
		for (size_t i = 0; i < d->count; i++)
			at[i] += sign[k] * d->source[source[k]][i];
		*affine_factor(&v.as.inside, source[k]) = sign[k];
		v.sources |= UINT32_C(1) << source[k];
	}
	for (size_t i = 0; i < d->count; i++)
		at[i] = modulo(at[i], size);
	v.column = (struct column){at, 0, size - 1};
	s->variable[s->variables++] = v;
}

static void add_pairs(struct search *s, int first, int a)
{
	for (int b = first; b < SOURCES; b++)
		for (int sign = 1; sign >= -1; sign -= 2)
			add_derived(s, (const int[]){a, b}, (const int[]){1, sign}, 2);
}

/* Cells of a block that goes around (multi-partitioning): of two coordinates and a step. */
static void add_triples(struct search *s, int a)
{
	for (int b = a + 1; b < SOURCE_INDEX; b++)
		for (int c = b + 1; c < SOURCES; c++)
			for (int signs = 0; signs < 4; signs++)
				add_derived(s, (const int[]){a, b, c},
					(const int[]){1, signs & 2 ? -1 : 1, signs & 1 ? -1 : 1}, 3);
}

void search_variables(struct search *s)
{
	if (s->variable)
		return;
	const struct domain *d = s->domain;
	s->variable = mem_array(SOURCES + DERIVED_MOST, sizeof *s->variable);
	if (d->source[SOURCE_P])
		s->variable[s->variables++] = variable_of(d, SOURCE_P);
	for (int k = SOURCE_INDEX; k-- > SOURCE_AXIS;) /* the slowest first */
		if (d->source[k])
			s->variable[s->variables++] = variable_of(d, k);
	for (int k = SOURCE_INDEX; k < SOURCES; k++)
		if (d->source[k])
			s->variable[s->variables++] = variable_of(d, k);
	s->simple = s->variables;
	if (d->count > PAIRS_POINTS)
		return;
	bool axes = d->sources & OF_AXES;
	for (int a = axes ? SOURCE_AXIS : SOURCE_P; a < SOURCE_INDEX; a++)
		add_pairs(s, axes ? a + 1 : SOURCE_INDEX, a);
	for (int a = SOURCE_AXIS; axes && a < SOURCE_INDEX; a++)
		add_triples(s, a);
}

void search_begin(struct search *s, const struct domain *d, struct tables *tables, const char *name)
{
	*s = (struct search){.domain = d, .tables = tables, .name = name, .sources = d->sources};
}

void search_end(struct search *s)
{
	for (uint32_t k = s->simple; k < s->variables; k++)
		free((int64_t *)s->variable[k].column.at);
	free(s->variable);
}

/* ------------------------------------------------------------------ formulas */

void search_affine(const struct search *s, const int64_t *number, struct found *f)
{
	struct value v = value_of(0);
	const uint32_t tried[] = {
		s->sources & OF_INDICES, s->sources & (OF_P | OF_INDICES), s->sources & (OF_AXES | OF_INDICES)};
	for (size_t k = 0; k < sizeof tried / sizeof *tried; k++) {
		if (k && tried[k] == tried[0])
			continue;
		if (s->unproven ? affine_solve(s->domain, number, tried[k], &v.plain)
				: affine_find(s->domain, number, tried[k], &v.plain))
			found_consider(f, s, number, &v, 0);
		if (f->any && !affine_terms(&f->value.plain))
			return;
	}
}

void search_count(const struct search *s, const int64_t *number, struct found *f)
{
	const struct domain *d = s->domain;
	for (int k = SOURCE_AXIS; k < SOURCES; k++)
		for (int64_t by = 1; by >= -1 && s->sources >> k & 1; by -= 2) {
			struct value v = value_of(number[0] - by * d->source[k][0]);
			*affine_factor(&v.plain, k) = by;
			found_consider(f, s, number, &v, 0);
		}
}

void search_around(const struct search *s, const int64_t *number, uint32_t size, struct found *f)
{
	struct value v = value_of(0);
	if (f->any || !(s->sources & OF_INDICES) ||
		!affine_find_modulo(s->domain, number, s->sources & OF_INDICES, size, &v.plain))
		return;
	uint32_t price = value_price(s->tables, &v);
	*f = (struct found){true, v, price, price + TIE_TERM * affine_terms(&v.plain)};
}

/* What is left when a source is taken off: of the rank, its place on the grid goes, too, and the
   other way round. */
static uint32_t sources_without(uint32_t sources, int own)
{
	uint32_t gone = UINT32_C(1) << own;
	if (own == SOURCE_P)
		gone |= OF_AXES;
	else if (own < SOURCE_INDEX)
		gone |= OF_P;
	return sources & ~gone;
}

/* Those that tell where a point is, but for one: the rank stands for its place on the grid. */
static uint32_t other_sources(const struct domain *d, uint32_t sources, int own)
{
	uint32_t others = d->sources & sources_without(sources, own);
	return others & OF_P ? others & ~OF_AXES : others;
}

/* By how much values of a source are above each other: a forest, each value by so much above its
   parent. */
struct heights {
	uint32_t *parent;
	int64_t *above;
};

static uint32_t root_of(struct heights *h, uint32_t value, int64_t *above)
{
	*above = 0;
	uint32_t root = value;
	while (h->parent[root] != root) {
		*above = (int64_t)((uint64_t)*above + (uint64_t)h->above[root]);
		root = h->parent[root];
	}
	/* shorten the way */
	for (int64_t left = *above; h->parent[value] != root && value != root;) {
		uint32_t next = h->parent[value];
		int64_t step = h->above[value];
		h->parent[value] = root;
		h->above[value] = left;
		left = (int64_t)((uint64_t)left - (uint64_t)step);
		value = next;
	}
	return root;
}

static bool set_height(struct heights *h, uint32_t a, uint32_t b, int64_t a_above_b)
{
	int64_t of_a, of_b;
	uint32_t root_a = root_of(h, a, &of_a), root_b = root_of(h, b, &of_b);
	int64_t roots = (int64_t)((uint64_t)a_above_b + (uint64_t)of_b - (uint64_t)of_a);
	if (root_a == root_b)
		return !roots;
	h->parent[root_a] = root_b;
	h->above[root_a] = roots;
	return true;
}

struct step {
	int64_t at, number;
};

static int by_step(const void *a, const void *b)
{
	const struct step *x = a, *y = b;
	return (x->at > y->at) - (x->at < y->at);
}

/* One number for each value of a source: `own`, where it is a function of the source, else its
   height, 0 at the first point. at, number: the caller's. False: some have nothing to do with each
   other. */
static bool make_univariate(const struct domain *d, int source, struct point_groups *values, size_t count,
	struct heights *h, const int64_t *own, struct univariate *f)
{
	struct step *step = mem_array(count, sizeof *step);
	int64_t *at = mem_array(count, sizeof *at), *number = mem_array(count, sizeof *number), above = 0, base;
	uint32_t root = root_of(h, 0, &base);
	bool connected = true;
	*f = (struct univariate){.source = source, .size = source_size(d, source), .at = at, .number = number};
	for (size_t i = 0; i < d->count; i++) {
		if (groups_first(values, i) != i)
			continue;
		connected = connected && (own || root_of(h, (uint32_t)i, &above) == root);
		step[f->count++] =
			(struct step){d->source[source][i], own ? own[i] : (int64_t)((uint64_t)above - (uint64_t)base)};
	}
	qsort(step, f->count, sizeof *step, by_step);
	for (size_t k = 0; k < f->count; k++) {
		at[k] = step[k].at;
		number[k] = step[k].number;
	}
	free(step);
	return connected;
}

/* What the points tell about one source. */
struct telling {
	struct point_groups *rest, *values; /* points with the same others; with the same value */
	struct heights heights;
	size_t told, different; /* points that tell something; values */
	bool alone; /* the number is a function of the source */
};

/* False, early: what it contributes depends on others. */
static bool tell(struct telling *t, const struct domain *d, const int64_t *number)
{
	t->alone = true;
	for (size_t i = 0; i < d->count; i++) {
		size_t other = groups_first(t->rest, i), same = groups_first(t->values, i);
		int64_t by;
		t->heights.parent[i] = (uint32_t)i;
		t->different += same == i;
		t->alone = t->alone && number[i] == number[same];
		if (other == i)
			continue;
		size_t before = groups_first(t->values, other);
		if (same == before) {
			if (number[i] != number[other])
				return false;
			continue;
		}
		t->told++;
		if (__builtin_sub_overflow(number[i], number[other], &by) ||
			!set_height(&t->heights, (uint32_t)same, (uint32_t)before, by))
			return false;
	}
	return true;
}

/*
 * What a source contributes, whatever the others are, as a term. False: that depends on others,
 * follows no law, or there are no more points than it takes to tell. both: it is told by two values
 * of the source alone.
 */
static bool contribution(
	const struct domain *d, const int64_t *number, int source, uint32_t sources, struct value *term, bool *both)
{
	uint32_t others = other_sources(d, sources, source), columns = 0;
	struct column column[SOURCES];
	for (int k = 0; k < SOURCES; k++)
		if (others >> k & 1)
			column[columns++] = d->column[k];
	struct telling t = {.rest = groups_new(d->count, column, columns),
		.values = groups_new(d->count, &d->column[source], 1),
		.heights = {mem_array(d->count, sizeof(uint32_t)), mem_zero(d->count * sizeof(int64_t))}};
	bool good = tell(&t, d, number);
	if (good) {
		struct univariate f;
		/* where nothing else contributes, it is all of the number */
		good = make_univariate(d, source, t.values, t.different, &t.heights, t.alone ? number : NULL, &f);
		*both = f.count == 2;
		bool evidence = t.told > t.different || t.alone;
		struct domain alone = {.count = f.count, .sources = UINT32_C(1) << source};
		alone.source[source] = (int64_t *)f.at;
		*term = value_of(0);
		good = good && ((t.told > 1 && affine_solve(&alone, f.number, alone.sources, &term->plain) &&
					affine_terms(&term->plain)) ||
				       (evidence && (univariate_wave(&f, term) || univariate_power(&f, term))));
		free((int64_t *)f.at);
		free((int64_t *)f.number);
	}
	groups_free(t.rest);
	groups_free(t.values);
	free(t.heights.parent);
	free(t.heights.above);
	return good;
}

/* What is left of numbers; the caller's. NULL: 64 bits do not suffice. */
static int64_t *rest_without(const struct domain *d, const int64_t *number, const struct value *term)
{
	int64_t *rest = mem_array(d->count, sizeof *rest), index[INDEX_DEPTH], own;
	for (size_t i = 0; i < d->count; i++) {
		struct spot spot = domain_spot(d, i, index);
		if (value_fits(term, &spot, &own) && !__builtin_sub_overflow(number[i], own, &rest[i]))
			continue;
		free(rest);
		return NULL;
	}
	return rest;
}

void search_without(struct search *s, const int64_t *number, uint32_t sources, search_rest *search, struct found *f)
{
	const struct domain *d = s->domain;
	for (int k = SOURCES; k-- > 0;) {
		struct value term;
		bool both;
		if (!(sources & d->sources & s->sources & UINT32_C(1) << k) ||
			!contribution(d, number, k, sources, &term, &both))
			continue;
		int64_t *rest = rest_without(d, number, &term);
		struct found of_rest = {0};
		if (rest && !(both && column_is_constant(rest, d->count))) /* two numbers are no law */
			search(s, rest, sources_without(sources, k), &of_rest);
		free(rest);
		if (of_rest.any && value_add(&of_rest.value, &term))
			found_consider(f, s, number, &of_rest.value, 0);
		if (of_rest.any)
			return;
	}
}

static void formula_of(struct search *s, const int64_t *number, uint32_t sources, struct found *f)
{
	struct search part = *s;
	part.sources &= sources;
	search_affine(&part, number, f);
	if (f->any)
		return;
	search_without(s, number, sources, formula_of, f);
	const uint32_t tried[] = {part.sources & (OF_AXES | OF_INDICES), part.sources & (OF_P | OF_INDICES)};
	for (size_t k = 0; k < 2 && !f->any && s->digits && s->domain->count <= PAIRS_POINTS; k++) {
		struct value v;
		if (tried[k] && tried[k] != (k ? tried[0] : 0) && digits_find(s->domain, number, tried[k], &v))
			found_consider(f, s, number, &v, 0);
	}
}

void search_formula(const struct search *s, const int64_t *number, struct found *f)
{
	struct search copy = *s;
	formula_of(&copy, number, s->sources, f);
}
