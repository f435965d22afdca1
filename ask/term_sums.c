/*
 * term_sums.c -- sums of one term over an index, each kind in its way.
 *
 * With i from 0 to n - 1, and c all that the index does not change:
 *
 *	c + f * ((a*i + b) mod m)		how often a remainder is met is found with the inverse of a; their
 *						sum from those of floor((a*i + b) / m) (as in Euclid's algorithm)
 *	c + a*i					arithmetic series; one i for each number
 *	c + f * table[..., b + i]		sums before every 64th entry; where each number occurs, sorted
 *
 * What is none of these is added up, and every 64th sum is kept.
 */
#include "ask/term_sums.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/binary_search.h"
#include "base/compare.h"
#include "base/gcd.h"
#include "base/intern.h"
#include "base/mem.h"

/* Between two sums that are kept. */
#define STEP 64

/* Sums kept of what is added up: 32 MB. */
#define KEPT (UINT64_C(1) << 22)

/* Longer periods are not looked for; terms that depend on nothing are no numbers where adding up
   takes longer. */
#define PERIOD_LIMIT (INT64_C(1) << 20)
#define NUMBER_LIMIT (INT64_C(1) << 16)

enum way { NOT_ASKED, BY_REMAINDER, BY_INDEX, BY_ENTRIES, ADDED_UP };

/* How a term is summed over its index. */
struct method {
	enum way way;
	int remainder; /* which */
	bool process; /* does the product depend on it? */
	uint64_t indices; /* the others that it depends on */
	uint32_t series; /* of the product and the index */
	int64_t period; /* 0: none is known */
};

/* What is kept of a table. */
struct table_sums {
	const struct table *table;
	int64_t *before; /* sums before the entries 0, 64, ...; NULL: not asked for */
	bool too_large; /* 64 bits do not suffice for them */
	uint32_t *order; /* entries by their number, then by their place; NULL: not asked for */
};

struct prefix {
	int64_t *sum; /* of 0, 64, 128, ... */
	size_t sums, capacity;
};

struct term_sums {
	const struct program *program;
	const struct terms *terms;
	pthread_mutex_t lock; /* around all that follows */
	struct method *method; /* by term */
	size_t methods;
	struct table_sums *table;
	size_t tables, table_capacity;
	struct intern *series, *keys;
	struct prefix *prefix; /* by key */
	size_t prefixes, prefix_capacity;
	uint64_t kept;
	struct spot spot; /* the question at hand: who, */
	int64_t *index; /* and when */
	size_t index_capacity;
	int64_t patience; /* more is not added up */
};

struct term_sums *term_sums_new(const struct program *program, const struct terms *terms)
{
	struct term_sums *s = mem_zero(sizeof *s);
	s->program = program;
	s->terms = terms;
	s->series = intern_new();
	s->keys = intern_new();
	s->index = mem_grow(NULL, &s->index_capacity, 64, sizeof *s->index);
	pthread_mutex_init(&s->lock, NULL);
	return s;
}

static void forget_prefixes(struct term_sums *s)
{
	for (size_t i = 0; i < s->prefixes; i++)
		free(s->prefix[i].sum);
	s->prefixes = 0;
	s->kept = 0;
}

void term_sums_free(struct term_sums *s)
{
	forget_prefixes(s);
	for (size_t i = 0; i < s->tables; i++) {
		free(s->table[i].before);
		free(s->table[i].order);
	}
	free(s->table);
	free(s->prefix);
	free(s->method);
	free(s->index);
	intern_free(s->series);
	intern_free(s->keys);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

static bool fits(__int128 sum, int64_t *result)
{
	*result = (int64_t)sum;
	return *result == sum;
}

/* ------------------------------------------------------------------ remainders */

/* For how many i of 0 to n - 1 is a*i + b = r, modulo m? */
static int64_t congruent(int64_t n, int64_t a, int64_t b, int64_t m, int64_t r)
{
	int64_t common = (int64_t)gcd((uint64_t)modulo(a, m), (uint64_t)m), distance = modulo(r - b, m);
	if (r < 0 || r >= m || distance % common)
		return 0;
	int64_t period = m / common, first = (int64_t)((__int128)(distance / common) *
						       inverse_modulo(modulo(a, m) / common, period) % period);
	return first < n ? (n - 1 - first) / period + 1 : 0;
}

/* The sum of floor((a*i + b) / m) over 0 <= i < n; 0 <= a, b < m. Numbers below 2^31. */
static __int128 floor_sum(__int128 n, __int128 m, __int128 a, __int128 b)
{
	__int128 sum = 0;
	for (;;) {
		sum += n * (n - 1) / 2 * (a / m) + n * (b / m);
		a %= m;
		b %= m;
		__int128 most = a * n + b, old = m;
		if (most < m)
			return sum;
		n = most / m;
		b = most % m;
		m = a;
		a = old;
	}
}

static __int128 remainder_sum(int64_t n, int64_t a, int64_t b, int64_t m)
{
	__int128 all = 0;
	a = modulo(a, m);
	b = modulo(b, m);
	for (int whole = 0; whole < 2; whole++) { /* of the period, and of the rest */
		__int128 i = whole ? m : n % m, sum = i * (i - 1) / 2 * a + i * b - (__int128)m * floor_sum(i, m, a, b);
		all += whole ? n / m * sum : sum;
	}
	return all;
}

/* ------------------------------------------------------------------ tables */

static struct table_sums *find_table(struct term_sums *s, const struct table *t)
{
	size_t i = 0;
	while (i < s->tables && s->table[i].table != t)
		i++;
	if (i == s->tables) {
		s->table = mem_grow(s->table, &s->table_capacity, i + 1, sizeof *s->table);
		s->table[s->tables++] = (struct table_sums){.table = t};
	}
	return &s->table[i];
}

static void add_before(struct table_sums *t)
{
	uint64_t entries = table_entries(t->table);
	int64_t sum = 0;
	t->before = mem_array(entries / STEP + 1, sizeof *t->before);
	for (uint64_t i = 0; i <= entries; i++) {
		if (i % STEP == 0)
			t->before[i / STEP] = sum;
		if (i < entries && __builtin_add_overflow(sum, table_entry(t->table, i), &sum))
			t->too_large = true;
	}
}

/* Of the entries before this one. */
static __int128 sum_before(const struct table_sums *t, uint64_t entry)
{
	__int128 sum = t->before[entry / STEP];
	for (uint64_t i = entry - entry % STEP; i < entry; i++)
		sum += table_entry(t->table, i);
	return sum;
}

struct of_entry {
	int64_t number;
	uint32_t entry;
};

static int by_number(const void *left, const void *right)
{
	const struct of_entry *a = left, *b = right;
	return a->number != b->number ? COMPARE(a->number, b->number) : COMPARE(a->entry, b->entry);
}

static void put_in_order(struct table_sums *t)
{
	uint64_t entries = table_entries(t->table);
	struct of_entry *of = mem_array(entries + 1, sizeof *of);
	for (uint64_t i = 0; i < entries; i++)
		of[i] = (struct of_entry){table_entry(t->table, i), (uint32_t)i};
	qsort(of, entries, sizeof *of, by_number);
	t->order = mem_array(entries + 1, sizeof *t->order);
	for (uint64_t i = 0; i < entries; i++)
		t->order[i] = of[i].entry;
	free(of);
}

static bool stands_behind(const struct table_sums *t, size_t place, int64_t number, uint64_t entry)
{
	int64_t there = table_entry(t->table, t->order[place]);
	return there != number ? there > number : t->order[place] >= entry;
}

/* Where in the order the number stands, from this entry on. */
static uint64_t place_in_order(const struct table_sums *t, int64_t number, uint64_t entry)
{
	size_t place;
	SEARCH_FIRST(place, 0, table_entries(t->table), stands_behind(t, place, number, entry));
	return place;
}

/* What is to be counted in a table: the sum of its entries, or how often this number is met. */
struct counted {
	struct table_sums *in;
	bool occurrences;
	int64_t number;
};

static __int128 count_entries(const struct counted *c, uint64_t first, uint64_t length)
{
	if (c->occurrences)
		return (__int128)place_in_order(c->in, c->number, first + length) -
		       place_in_order(c->in, c->number, first);
	return sum_before(c->in, first + length) - sum_before(c->in, first);
}

/* Entries of a row: consecutive ones, or (modulus) as often around as there are. */
struct stretch {
	uint64_t row, length; /* of the row */
	int64_t first, modulus;
	int64_t n;
};

static bool count_stretch(const struct counted *c, const struct stretch *x, __int128 *sum)
{
	if (!x->modulus) {
		*sum = 0;
		if (x->first < 0 || (uint64_t)x->first + (uint64_t)x->n > x->length)
			return false;
		*sum = count_entries(c, x->row + (uint64_t)x->first, (uint64_t)x->n);
		return true;
	}
	if ((uint64_t)x->modulus > x->length)
		return false;
	int64_t first = modulo(x->first, x->modulus), rest = x->n % x->modulus,
		here = rest < x->modulus - first ? rest : x->modulus - first;
	*sum = count_entries(c, x->row, (uint64_t)x->modulus) * (x->n / x->modulus) +
	       count_entries(c, x->row + (uint64_t)first, (uint64_t)here) +
	       count_entries(c, x->row, (uint64_t)(rest - here));
	return true;
}

/* ------------------------------------------------------------------ which way */

static bool index_in(const struct affine *a, uint16_t index)
{
	return index < INDEX_DEPTH && a->index[index];
}

static int remainder_in(const struct value *v, uint16_t index, int *many)
{
	int found = -1;
	*many = 0;
	for (int i = 0; i < REMAINDERS && v->remainder[i].modulus; i++) {
		if (!index_in(&v->remainder[i].inside, index))
			continue;
		found = i;
		++*many;
	}
	return found;
}

/* The arguments of the tables that the index stands in: a bit each. */
static uint32_t arguments_in(const struct value *v, uint16_t index)
{
	uint32_t used = 0;
	for (int k = 0; value_lookup(v, k); k++) {
		const struct lookup *l = value_lookup(v, k);
		for (uint32_t i = 0; i < table_arguments(l->table); i++)
			used |= (uint32_t)index_in(&l->argument[i].inside, index) << (k * TABLE_ARGUMENTS + (int)i);
	}
	return used;
}

static bool power_in(const struct value *v, uint16_t index)
{
	for (int i = 0; i < POWERS && v->power[i].base; i++)
		if (index_in(&v->power[i].exponent, index))
			return true;
	return false;
}

static void choose_way(struct method *m, const struct value *v, uint16_t index)
{
	int many, remainder = remainder_in(v, index, &many);
	bool plain = index_in(&v->plain, index);
	uint32_t arguments = arguments_in(v, index);
	m->way = ADDED_UP;
	m->remainder = remainder;
	if (power_in(v, index))
		return;
	if (many == 1 && !plain && !arguments)
		m->way = BY_REMAINDER;
	if (!many && plain && !arguments)
		m->way = BY_INDEX;
	if (many || plain || !arguments || v->by.table)
		return;
	uint32_t last = table_arguments(v->lookup.table) - 1;
	int64_t step = v->lookup.argument[last].inside.index[index];
	if (arguments == UINT32_C(1) << last && (step == 1 || step == -1))
		m->way = BY_ENTRIES;
}

/* After so many iterations it starts again; 0: it never does, for all that is known. */
static int64_t period_with(int64_t period, int64_t modulus)
{
	if (!period || !modulus)
		return 0;
	int64_t both = period / (int64_t)gcd((uint64_t)period, (uint64_t)modulus) * modulus;
	return both <= PERIOD_LIMIT ? both : 0;
}

static int64_t period_of(const struct term_sums *s, const struct sum_term *sum)
{
	int64_t period = 1;
	for (size_t i = 0; i < sum->product.degree; i++) {
		if (sum->product.index[i] < POLYNOMIAL_OTHERS)
			return 0;
		const struct sum_term *t = terms_get(s->terms, sum->product.index[i]);
		const struct value *v = &t->count;
		if (!(t->indices >> sum->index & 1))
			continue;
		if (t->is_sum || index_in(&v->plain, sum->index) || power_in(v, sum->index))
			return 0;
		for (int k = 0; k < REMAINDERS && v->remainder[k].modulus; k++)
			if (index_in(&v->remainder[k].inside, sum->index))
				period = period_with(period, v->remainder[k].modulus);
		for (int n = 0; value_lookup(v, n); n++) {
			const struct lookup *l = value_lookup(v, n);
			for (uint32_t k = 0; k < table_arguments(l->table); k++)
				if (index_in(&l->argument[k].inside, sum->index))
					period = period_with(period, l->argument[k].modulus);
		}
	}
	return period;
}

static struct method find_method(struct term_sums *s, const struct sum_term *sum)
{
	struct method m = {.way = ADDED_UP};
	struct {
		uint64_t index;
		struct polynomial_term product;
	} key = {sum->index, sum->product};
	for (size_t i = 0; i < sum->product.degree; i++) {
		uint16_t variable = sum->product.index[i];
		if (variable < POLYNOMIAL_OTHERS) {
			m.indices |= UINT64_C(1) << variable;
			continue;
		}
		m.indices |= terms_get(s->terms, variable)->indices;
		m.process |= terms_get(s->terms, variable)->process;
	}
	m.indices &= ~(UINT64_C(1) << sum->index);
	m.series = intern_id(s->series, &key, sizeof key);
	m.period = period_of(s, sum);
	if (sum->product.degree == 1 && sum->product.index[0] >= POLYNOMIAL_OTHERS &&
		!terms_get(s->terms, sum->product.index[0])->is_sum)
		choose_way(&m, &terms_get(s->terms, sum->product.index[0])->count, sum->index);
	return m;
}

/* Copied: what follows may move it. */
static struct method method_of(struct term_sums *s, uint16_t variable, const struct sum_term *sum)
{
	size_t at = variable - (size_t)POLYNOMIAL_OTHERS;
	if (at >= s->methods) {
		s->method = mem_resize(s->method, at + 1, sizeof *s->method);
		memset(s->method + s->methods, 0, (at + 1 - s->methods) * sizeof *s->method);
		s->methods = at + 1;
	}
	if (s->method[at].way == NOT_ASKED)
		s->method[at] = find_method(s, sum);
	return s->method[at];
}

/* ------------------------------------------------------------------ one term by a formula */

static bool value_of_term(struct term_sums *s, uint16_t variable, int64_t *number);

/* With the index at 0. */
static bool value_here(struct term_sums *s, const struct value *v, uint16_t index, int64_t *number)
{
	int64_t kept = s->index[index];
	s->index[index] = 0;
	bool good = value_fits(v, &s->spot, number);
	s->index[index] = kept;
	return good;
}

/* How often the sum is this number, of n times. */
typedef bool how_often(struct term_sums *, const void *context, int64_t number, __int128 *times);

/* The times that the test of v holds. */
static bool count_test(
	struct term_sums *s, const struct value *v, int64_t n, how_often *of, const void *context, __int128 *times)
{
	bool not = v->test == TEST_DIFFERS || v->test == TEST_NOT_AMONG, good = true;
	*times = 0;
	if (v->test == TEST_EQUAL || v->test == TEST_DIFFERS)
		good = of(s, context, v->number, times);
	for (uint64_t i = 0; v->among && i < table_entries(v->among) && good; i++) {
		__int128 more = 0;
		good = of(s, context, table_entry(v->among, i), &more);
		*times += more;
	}
	*times = not ? n - *times : *times;
	return good;
}

struct by_remainder {
	int64_t n, a, b, modulus, factor, rest;
};

static bool often_remainder(struct term_sums *s, const void *context, int64_t number, __int128 *times)
{
	const struct by_remainder *x = context;
	__int128 wanted = (__int128)number - x->rest;
	(void)s;
	*times = 0;
	if (wanted % x->factor == 0 && wanted / x->factor >= 0 && wanted / x->factor < x->modulus)
		*times = congruent(x->n, x->a, x->b, x->modulus, (int64_t)(wanted / x->factor));
	return true;
}

/* False: not this way. */
static bool sum_remainder(
	struct term_sums *s, const struct sum_term *sum, const struct value *v, int which, int64_t n, __int128 *total)
{
	struct remainder r = v->remainder[which];
	struct value rest = *v, inside = {.plain = r.inside};
	struct by_remainder x = {.n = n, .a = r.inside.index[sum->index], .modulus = r.modulus, .factor = r.factor};
	rest.test = TEST_NONE;
	for (int i = which; i < REMAINDERS; i++)
		rest.remainder[i] = i + 1 < REMAINDERS ? v->remainder[i + 1] : (struct remainder){0};
	if (!value_here(s, &rest, sum->index, &x.rest) || !value_here(s, &inside, sum->index, &x.b))
		return false;
	x.b = modulo(x.b, x.modulus);
	if (v->test)
		return count_test(s, v, n, often_remainder, &x, total);
	*total = (__int128)x.rest * n + x.factor * remainder_sum(n, x.a, x.b, x.modulus);
	return x.rest >= 0 && x.factor >= 0 && x.rest < INT64_C(1) << 60 && n < INT64_C(1) << 60;
}

struct by_index {
	int64_t n, step, rest;
};

static bool often_index(struct term_sums *s, const void *context, int64_t number, __int128 *times)
{
	const struct by_index *x = context;
	__int128 distance = (__int128)number - x->rest;
	(void)s;
	*times = distance % x->step == 0 && distance / x->step >= 0 && distance / x->step < x->n;
	return true;
}

/* Of max(0, rest + step*i): those i for which it is above are in a row. */
static __int128 positive_series(const struct by_index *x)
{
	__int128 first = 0, last = (__int128)x->n - 1, start = x->rest, end = start + x->step * last;
	if (start < 0)
		first = (-start + x->step - 1) / x->step;
	if (end < 0)
		last = start / -(__int128)x->step;
	if ((start < 0 && x->step < 0) || (end < 0 && x->step > 0) || first > last)
		return 0;
	return (2 * start + x->step * (first + last)) * (last - first + 1) / 2;
}

static bool sum_index(
	struct term_sums *s, const struct sum_term *sum, const struct value *v, int64_t n, __int128 *total)
{
	struct value rest = *v;
	struct by_index x = {.n = n, .step = v->plain.index[sum->index]};
	rest.test = TEST_NONE;
	if (!value_here(s, &rest, sum->index, &x.rest))
		return false;
	if (v->test)
		return count_test(s, v, n, often_index, &x, total);
	*total = positive_series(&x);
	return n < INT64_C(1) << 40 && x.rest < INT64_C(1) << 60 && x.rest > -(INT64_C(1) << 60);
}

struct by_entries {
	struct stretch stretch;
	struct table_sums *in;
	int64_t factor, rest;
};

static bool often_entry(struct term_sums *s, const void *context, int64_t number, __int128 *times)
{
	const struct by_entries *x = context;
	__int128 wanted = (__int128)number - x->rest;
	(void)s;
	*times = 0;
	if (wanted % x->factor)
		return true;
	int64_t entry;
	return !fits(wanted / x->factor, &entry) ||
	       count_stretch(&(struct counted){x->in, true, entry}, &x->stretch, times);
}

static bool sum_entries(
	struct term_sums *s, const struct sum_term *sum, const struct value *v, int64_t n, __int128 *total)
{
	uint32_t arguments = table_arguments(v->lookup.table);
	struct argument last = v->lookup.argument[arguments - 1];
	struct value rest = *v, inside = {.plain = last.inside};
	struct by_entries x = {.stretch = {.n = n, .modulus = last.modulus}, .factor = v->lookup.factor};
	int64_t argument[TABLE_ARGUMENTS] = {0};
	rest.test = TEST_NONE;
	memset(&rest.lookup, 0, sizeof rest.lookup);
	bool good = value_here(s, &rest, sum->index, &x.rest) && value_here(s, &inside, sum->index, &x.stretch.first);
	for (uint32_t i = 0; i + 1 < arguments && good; i++) {
		struct value other = {.plain = v->lookup.argument[i].inside};
		good = value_here(s, &other, sum->index, &argument[i]);
		if (v->lookup.argument[i].modulus)
			argument[i] = modulo(argument[i], v->lookup.argument[i].modulus);
	}
	if (!good || !table_row(v->lookup.table, argument, &x.stretch.row, &x.stretch.length))
		return false;
	if (last.inside.index[sum->index] < 0)
		x.stretch.first -= n - 1;
	x.in = find_table(s, v->lookup.table);
	if (v->test && !x.in->order)
		put_in_order(x.in);
	if (v->test)
		return count_test(s, v, n, often_entry, &x, total);
	if (!x.in->before)
		add_before(x.in);
	int64_t extreme = x.factor > 0 ? table_least(v->lookup.table) : table_most(v->lookup.table);
	if (x.in->too_large || (__int128)x.factor * extreme + x.rest < 0)
		return false;
	good = count_stretch(&(struct counted){.in = x.in}, &x.stretch, total);
	*total = *total * x.factor + (__int128)x.rest * n;
	return good;
}

/* ------------------------------------------------------------------ what is added up */

/* The product in iteration i. */
static bool product_at(struct term_sums *s, const struct sum_term *sum, int64_t i, int64_t *product)
{
	*product = 1;
	s->index[sum->index] = i;
	for (size_t k = 0; k < sum->product.degree && *product; k++) {
		uint16_t variable = sum->product.index[k];
		int64_t factor;
		if (variable < POLYNOMIAL_OTHERS)
			factor = s->index[variable];
		else if (!value_of_term(s, variable, &factor))
			return false;
		if (__builtin_mul_overflow(*product, factor, product))
			return false;
	}
	return true;
}

/* What has been added up for this process, in these iterations around. */
static uint32_t find_prefix(struct term_sums *s, const struct method *m)
{
	int64_t key[2 + 64] = {m->series, m->process ? s->spot.p : -1};
	size_t length = 2;
	for (unsigned d = 0; d < 64; d++)
		if (m->indices >> d & 1)
			key[length++] = s->index[d];
	uint32_t id = intern_id(s->keys, key, length * sizeof *key);
	s->prefix = mem_grow(s->prefix, &s->prefix_capacity, id + (size_t)1, sizeof *s->prefix);
	for (; s->prefixes <= id; s->prefixes++)
		s->prefix[s->prefixes] = (struct prefix){0};
	return id;
}

/* The sum from `first` to before `last` is added to *sum. */
static bool add_up(struct term_sums *s, const struct sum_term *sum, int64_t first, int64_t last, int64_t *to)
{
	int64_t kept = s->index[sum->index], product;
	bool good = true;
	for (int64_t i = first; i < last && good; i++)
		good = product_at(s, sum, i, &product) && !__builtin_add_overflow(*to, product, to);
	s->index[sum->index] = kept;
	return good;
}

static bool sum_to(struct term_sums *s, const struct sum_term *sum, const struct method *m, int64_t n, __int128 *total)
{
	uint32_t id = find_prefix(s, m);
	struct prefix p = s->prefix[id]; /* others may be added while it grows */
	bool good = true;
	if (!p.sums) {
		p.sum = mem_grow(p.sum, &p.capacity, 1, sizeof *p.sum);
		p.sum[p.sums++] = 0;
		s->kept++;
	}
	while (good && p.sums <= (size_t)(n / STEP)) {
		int64_t next = p.sum[p.sums - 1], first = (int64_t)(p.sums - 1) * STEP;
		good = add_up(s, sum, first, first + STEP, &next);
		if (!good)
			break;
		*MEM_PUSH(p.sum, p.sums, p.capacity) = next;
		s->kept++;
	}
	s->prefix[id] = p;
	if (!good)
		return false;
	int64_t sum_here = p.sum[n / STEP];
	good = add_up(s, sum, n - n % STEP, n, &sum_here);
	*total = sum_here;
	return good;
}

static bool sum_added_up(
	struct term_sums *s, const struct sum_term *sum, const struct method *m, int64_t n, __int128 *total)
{
	__int128 period = 0;
	int64_t rest = m->period ? n % m->period : n;
	if (rest > s->patience || m->period > s->patience)
		return false;
	if (rest < n && !sum_to(s, sum, m, m->period, &period))
		return false;
	bool good = sum_to(s, sum, m, rest, total);
	if (rest < n)
		*total += period * (n / m->period);
	return good;
}

/* ------------------------------------------------------------------ any of them */

static bool value_of_variable(const void *context, uint16_t variable, int64_t *number)
{
	return value_of_term((struct term_sums *)context, variable, number);
}

static bool value_of_polynomial(struct term_sums *s, const struct polynomial *p, int64_t *number)
{
	return polynomial_value_with(
		p, s->index, &(struct polynomial_others){.context = s, .value = value_of_variable}, number);
}

static bool value_of_sum(struct term_sums *s, uint16_t variable, const struct sum_term *sum, int64_t *number)
{
	int64_t n;
	*number = 0;
	if (!value_of_polynomial(s, &sum->n, &n))
		return false;
	if (n <= 0)
		return true;
	struct method m = method_of(s, variable, sum);
	__int128 total = 0;
	bool good = false;
	if (m.way != ADDED_UP) {
		struct value v = terms_get(s->terms, sum->product.index[0])->count;
		good = m.way == BY_REMAINDER ? sum_remainder(s, sum, &v, m.remainder, n, &total)
		       : m.way == BY_INDEX   ? sum_index(s, sum, &v, n, &total)
					     : sum_entries(s, sum, &v, n, &total);
	}
	return (good || sum_added_up(s, sum, &m, n, &total)) && fits(total, number);
}

/* Recursion as deep as sums stand inside of sums. */
static bool value_of_term(struct term_sums *s, uint16_t variable, int64_t *number)
{
	const struct sum_term *t = terms_get(s->terms, variable);
	if (t->is_sum)
		return value_of_sum(s, variable, t, number);
	bool good = value_fits(&t->count, &s->spot, number);
	*number = *number < 0 ? 0 : *number;
	return good;
}

static void begin(struct term_sums *s, uint32_t rank, const int64_t *index, size_t depth, int64_t patience)
{
	pthread_mutex_lock(&s->lock);
	if (s->kept > KEPT) {
		forget_prefixes(s);
		intern_free(s->keys);
		s->keys = intern_new();
	}
	s->index = mem_grow(s->index, &s->index_capacity, depth + 1, sizeof *s->index);
	memset(s->index, 0, s->index_capacity * sizeof *s->index);
	if (depth)
		memcpy(s->index, index, depth * sizeof *index);
	s->spot = grid_spot(&s->program->grid, rank);
	s->spot.index = s->index;
	s->patience = patience;
}

static bool has_terms(const struct polynomial *p)
{
	for (size_t i = 0; i < p->terms; i++) /* they are the last ones of a product */
		if (p->term[i].degree && p->term[i].index[p->term[i].degree - 1] >= POLYNOMIAL_OTHERS)
			return true;
	return false;
}

bool term_sums_value(struct term_sums *s, const struct polynomial *p, uint32_t rank, const int64_t *index, size_t depth,
	int64_t *result)
{
	if (!has_terms(p))
		return polynomial_value(p, index, result);
	begin(s, rank, index, depth, INT64_MAX);
	bool good = value_of_polynomial(s, p, result) && !p->unknown;
	pthread_mutex_unlock(&s->lock);
	return good;
}

bool term_value(struct term_sums *s, uint16_t variable, int64_t *number)
{
	begin(s, 0, NULL, 0, NUMBER_LIMIT);
	bool good = value_of_term(s, variable, number);
	pthread_mutex_unlock(&s->lock);
	return good;
}
