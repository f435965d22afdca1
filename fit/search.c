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

/* No sum has more remainders, or powers, than these. */
static bool is_readable(const struct store *s, node_id number)
{
	const struct node *n = node_of(s, number);
	uint32_t remainders = 0, powers = 0;
	for (uint32_t i = 0; n->kind == NODE_SUM && n->marks && i < n->kids; i++) {
		enum node_kind kind = (enum node_kind)node_of(s, node_kid(s, n->kid[i], 0))->kind;
		remainders += kind == NODE_REMAINDER;
		powers += kind == NODE_POWER;
	}
	return remainders <= REMAINDERS_MOST && powers <= POWERS_MOST;
}

/* Sources in a sum, each so many times. */
static uint32_t plain_terms(const struct store *s, node_id sum)
{
	const struct node *n = node_of(s, sum);
	uint32_t terms = 0;
	for (uint32_t i = 0; i < n->kids; i++)
		terms += node_of(s, node_kid(s, n->kid[i], 0))->kind == NODE_VARIABLE;
	return terms;
}

static node_id sum_of(const struct store *s, node_id number)
{
	const struct node *n = node_of(s, number);
	return n->kind == NODE_TEST ? n->kid[0] : number;
}

uint32_t number_price(const struct store *s, struct tables *t, node_id number)
{
	const struct node *test = node_of(s, number), *sum = node_of(s, sum_of(s, number));
	bool tested = test->kind == NODE_TEST;
	/* {i0} = 3 needs no more thought than the guard itself */
	bool bare = tested && node_of(s, number_single(s, test->kid[0]))->kind == NODE_VARIABLE;
	uint32_t price = COST_LOOKUP * sum->looks;
	if (sum->marks)
		price += COST_REMAINDER + (sum->marks - 1u) * TIE_TERM;
	else if (plain_terms(s, sum_of(s, number)) && !bare)
		price += COST_AFFINE;
	if (tested && test->sub >= NODE_TEST_AMONG)
		price += COST_ENTRY * (uint32_t)tables_entries(t, store_get_table(s, (uint32_t)test->number));
	return price;
}

uint64_t table_price(const struct store *s, struct tables *t, node_id table)
{
	const struct node *n = node_of(s, table);
	return table ? COST_TABLE + COST_ENTRY * tables_entries(t, store_get_table(s, (uint32_t)n->number)) : 0;
}

/* Counted down by each table. */
static node_id find_table(const struct store *s, node_id id, uint32_t *k)
{
	const struct node *n = node_of(s, id);
	node_id found = NODE_NONE;
	if (n->kind == NODE_TABLE)
		return (*k)-- ? NODE_NONE : id;
	for (uint32_t i = 0; i < n->kids && n->looks && !found; i++)
		found = find_table(s, n->kid[i], k);
	return found;
}

node_id number_table(const struct store *s, node_id number, uint32_t k)
{
	return find_table(s, number, &k);
}

void found_consider(struct found *f, const struct search *s, const int64_t *number, node_id is, uint32_t more)
{
	if (!is || !is_readable(s->store, is))
		return;
	uint32_t price = number_price(s->store, s->tables, is);
	node_id table = number_table(s->store, is, 0), by = number_table(s->store, is, 1);
	uint64_t total = price + more + TIE_TERM * plain_terms(s->store, sum_of(s->store, is)) +
			 table_price(s->store, s->tables, table);
	if (by != table)
		total += table_price(s->store, s->tables, by);
	if ((f->number && f->total <= total) || !domain_proves(s->domain, number, is))
		return;
	*f = (struct found){.number = is, .price = price, .total = total};
}

/* ------------------------------------------------------------------ variables */

static struct variable variable_of(const struct domain *d, int source)
{
	struct variable v = {.sources = UINT32_C(1) << source, .column = d->column[source]};
	v.as.factor[source] = 1;
	return v;
}

/* (a+b+c)%size, (a-b)%size, ...: of one size, an index has any; the first sign is plus. */
static void add_derived(struct search *s, const int *source, const int *sign, uint32_t count)
{
	const struct domain *d = s->domain;
	int64_t size = source_size(d, source[0]);
	struct variable v = {.modulus = size};
	for (uint32_t k = 0; k < count; k++)
		if (!d->source[source[k]] || size < 2 || s->variables == SOURCES + DERIVED_MOST ||
			(source[k] < SOURCE_INDEX && source_size(d, source[k]) != size))
			return;
	int64_t *at = mem_zero(d->count * sizeof *at);
	for (uint32_t k = 0; k < count; k++) {
		for (size_t i = 0; i < d->count; i++)
			at[i] += sign[k] * d->source[source[k]][i];
		v.as.factor[source[k]] = sign[k];
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

node_id variable_node(const struct search *s, const struct variable *v)
{
	node_id sum = linear_node(s->store, &v->as);
	return v->modulus ? number_remainder(s->store, sum, number_constant(s->store, v->modulus)) : sum;
}

void search_begin(struct search *s, const struct domain *d, struct tables *tables, const char *name)
{
	*s = (struct search){
		.domain = d, .store = d->environment.store, .tables = tables, .name = name, .sources = d->sources};
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
	struct linear a;
	int64_t constant;
	const uint32_t tried[] = {
		s->sources & OF_INDICES, s->sources & (OF_P | OF_INDICES), s->sources & (OF_AXES | OF_INDICES)};
	for (size_t k = 0; k < sizeof tried / sizeof *tried; k++) {
		if (k && tried[k] == tried[0])
			continue;
		if (s->unproven ? affine_solve(s->domain, number, tried[k], &a)
				: affine_find(s->domain, number, tried[k], &a))
			found_consider(f, s, number, linear_node(s->store, &a), 0);
		if (f->number && number_is_constant(s->store, f->number, &constant))
			return;
	}
}

void search_count(const struct search *s, const int64_t *number, struct found *f)
{
	const struct domain *d = s->domain;
	for (int k = SOURCE_AXIS; k < SOURCES; k++)
		for (int64_t by = 1; by >= -1 && s->sources >> k & 1; by -= 2) {
			struct linear a = {.constant = number[0] - by * d->source[k][0]};
			a.factor[k] = by;
			found_consider(f, s, number, linear_node(s->store, &a), 0);
		}
}

void search_around(const struct search *s, const int64_t *number, uint32_t size, struct found *f)
{
	struct linear a;
	if (f->number || !(s->sources & OF_INDICES) ||
		!affine_find_modulo(s->domain, number, s->sources & OF_INDICES, size, &a))
		return;
	node_id sum = linear_node(s->store, &a);
	uint32_t price = number_price(s->store, s->tables, sum);
	*f = (struct found){sum, price, price + TIE_TERM * linear_terms(&a)};
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

/* What one source makes of it: affine, a remainder, a power; NODE_NONE: nothing. */
static node_id law_of(struct store *s, const struct univariate *f, bool told, bool evidence)
{
	struct domain alone = {.count = f->count, .sources = UINT32_C(1) << f->source};
	struct linear a;
	alone.source[f->source] = (int64_t *)f->at;
	if (told && affine_solve(&alone, f->number, alone.sources, &a) && linear_terms(&a))
		return linear_node(s, &a);
	node_id law = evidence ? univariate_wave(s, f) : NODE_NONE;
	return law || !evidence ? law : univariate_power(s, f);
}

/*
 * What a source contributes, whatever the others are, as a sum. NODE_NONE: that depends on others,
 * follows no law, or there are no more points than it takes to tell. both: it is told by two values
 * of the source alone.
 */
static node_id contribution(const struct domain *d, const int64_t *number, int source, uint32_t sources, bool *both)
{
	uint32_t others = other_sources(d, sources, source), columns = 0;
	struct column column[SOURCES];
	for (int k = 0; k < SOURCES; k++)
		if (others >> k & 1)
			column[columns++] = d->column[k];
	struct telling t = {.rest = groups_new(d->count, column, columns),
		.values = groups_new(d->count, &d->column[source], 1),
		.heights = {mem_array(d->count, sizeof(uint32_t)), mem_zero(d->count * sizeof(int64_t))}};
	node_id law = NODE_NONE;
	if (tell(&t, d, number)) {
		struct univariate f;
		/* where nothing else contributes, it is all of the number */
		if (make_univariate(d, source, t.values, t.different, &t.heights, t.alone ? number : NULL, &f))
			law = law_of(d->environment.store, &f, t.told > 1, t.told > t.different || t.alone);
		*both = f.count == 2;
		free((int64_t *)f.at);
		free((int64_t *)f.number);
	}
	groups_free(t.rest);
	groups_free(t.values);
	free(t.heights.parent);
	free(t.heights.above);
	return law;
}

/* What is left of numbers; the caller's. NULL: 64 bits do not suffice. */
static int64_t *rest_without(const struct domain *d, const int64_t *number, node_id term)
{
	struct environment e = d->environment;
	int64_t *rest = mem_array(d->count, sizeof *rest), own;
	for (size_t i = 0; i < d->count; i++) {
		if (points_number(&e, d->points, i, term, &own) && !__builtin_sub_overflow(number[i], own, &rest[i]))
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
		bool both, there = sources & d->sources & s->sources & UINT32_C(1) << k;
		node_id term = there ? contribution(d, number, k, sources, &both) : NODE_NONE;
		if (!term)
			continue;
		int64_t *rest = rest_without(d, number, term);
		struct found of_rest = {0};
		if (rest && !(both && column_is_constant(rest, d->count))) /* two numbers are no law */
			search(s, rest, sources_without(sources, k), &of_rest);
		free(rest);
		if (!of_rest.number)
			continue;
		found_consider(f, s, number, number_add(s->store, of_rest.number, term, 1), 0);
		return;
	}
}

static void formula_of(struct search *s, const int64_t *number, uint32_t sources, struct found *f)
{
	struct search part = *s;
	part.sources &= sources;
	search_affine(&part, number, f);
	if (f->number)
		return;
	search_without(s, number, sources, formula_of, f);
	const uint32_t tried[] = {part.sources & (OF_AXES | OF_INDICES), part.sources & (OF_P | OF_INDICES)};
	for (size_t k = 0; k < 2 && !f->number && s->digits && s->domain->count <= PAIRS_POINTS; k++)
		if (tried[k] && tried[k] != (k ? tried[0] : 0))
			found_consider(f, s, number, digits_find(s->domain, number, tried[k]), 0);
}

void search_formula(const struct search *s, const int64_t *number, struct found *f)
{
	struct search copy = *s;
	formula_of(&copy, number, s->sources, f);
}
