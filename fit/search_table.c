/*
 * search_table.c -- tables of as few arguments as decide the numbers; products of two; tables beside
 * what one source contributes.
 *
 * Arguments are asked from few to many, and no more than decide: of those that decide, what is
 * printed is compared. What comes again with an argument is asked for modulo its period.
 */
#include "fit/search.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/gcd.h"
#include "base/mem.h"
#include "fit/affine_fit.h"
#include "fit/joined_arguments.h"
#include "fit/limits.h"

/* A cell by one of its arguments; those that differ in it alone are a row. */
struct row_cell {
	int64_t other[TABLE_ARGUMENTS - 1], at, number;
};

static int by_row(const void *a, const void *b)
{
	const struct row_cell *x = a, *y = b;
	for (int k = 0; k < TABLE_ARGUMENTS - 1; k++)
		if (x->other[k] != y->other[k])
			return x->other[k] < y->other[k] ? -1 : 1;
	return 0;
}

static struct row_cell *rows_of(const struct cells *c, uint32_t argument)
{
	struct row_cell *row = mem_zero(c->count * sizeof *row);
	for (size_t i = 0; i < c->count; i++) {
		const int64_t *at = c->at + i * c->arguments;
		row[i] = (struct row_cell){.at = at[argument], .number = c->number[i]};
		for (uint32_t k = 0, others = 0; k < c->arguments; k++)
			if (k != argument)
				row[i].other[others++] = at[k];
	}
	if (argument + 1 < c->arguments)
		qsort(row, c->count, sizeof *row, by_row);
	return row;
}

/* Do entries of all rows come again after so many? Mostly the first ones do not. */
static bool comes_again(const struct row_cell *row, size_t count, int64_t period)
{
	int64_t number[PERIOD_MOST];
	bool known[PERIOD_MOST] = {false};
	for (size_t i = 0; i < count; i++) {
		size_t at = (size_t)(row[i].at % period);
		if (i && by_row(&row[i], &row[i - 1]) != 0)
			memset(known, 0, (size_t)period * sizeof *known);
		if (known[at] && number[at] != row[i].number)
			return false;
		known[at] = true;
		number[at] = row[i].number;
	}
	return true;
}

/* How often an argument is counted before its entries come again; 0: they do not. */
static int64_t period_of(const struct search *s, const struct variable *v, const struct cells *c, uint32_t argument)
{
	int64_t most = v->column.most, size = 0, found = 0;
	struct row_cell *row = rows_of(c, argument);
	for (int k = 0; k < SOURCE_INDEX; k++)
		size = v->sources == UINT32_C(1) << k ? source_size(s->domain, k) : size;
	for (int64_t period = 2; period <= PERIOD_MOST && 2 * period <= most + 1 && !found; period++)
		if (!(size && size % period) && comes_again(row, c->count, period))
			found = period;
	free(row);
	return found;
}

/* What stands in the table of the cells; NODE_NONE: there is none. */
static node_id entry_of(struct search *s, const struct cells *c, const struct variable *const *v)
{
	node_id table = tabulate(s->tables, s->name, c), argument[TABLE_ARGUMENTS];
	for (uint32_t k = 0; k < c->arguments; k++)
		argument[k] = variable_node(s, v[k]);
	return table ? number_entry(s->store, table, argument, c->arguments) : NODE_NONE;
}

/* What is read less easily than a level, a neighbour, or a rank. */
static uint32_t argument_ties(const struct variable *const *v, uint32_t arguments)
{
	uint32_t ties = arguments * TIE_ARGUMENT, coordinates = 0;
	for (uint32_t k = 0; k < arguments; k++) {
		bool iteration = v[k]->sources & OF_INDICES && !v[k]->modulus;
		ties += iteration && v[k]->column.most >= LEVELS_MOST ? TIE_LONG : 0;
		ties += linear_terms(&v[k]->as) > 1 ? TIE_ARGUMENT : 0;
		ties += v[k]->sources & OF_P ? TIE_TERM : 0;
		coordinates += v[k]->sources & OF_P ? 2 : (v[k]->sources & OF_AXES) != 0;
	}
	return ties + (coordinates > 1 ? TIE_RANK : 0);
}

/* A table of these arguments; shorter where what it holds comes again with one of them. */
static void consider_table(
	struct search *s, const int64_t *number, struct cells *c, const struct variable *const *asked, struct found *f)
{
	const struct variable *v[TABLE_ARGUMENTS];
	struct variable around[TABLE_ARGUMENTS];
	uint32_t arguments = c->arguments;
	memcpy(v, asked, arguments * sizeof *v);
	node_id whole = entry_of(s, c, v);
	bool again = false;
	for (uint32_t k = 0; k < arguments && c->count <= TRIED_ENTRIES; k++) {
		int64_t period = v[k]->modulus ? 0 : period_of(s, v[k], c, k);
		if (!period)
			continue;
		int64_t *at = mem_array(s->domain->count, sizeof *at);
		for (size_t i = 0; i < s->domain->count; i++)
			at[i] = v[k]->column.at[i] % period;
		around[k] = *v[k];
		around[k].modulus = period;
		around[k].column = (struct column){at, 0, period - 1};
		v[k] = &around[k];
		cells_clear(c);
		again = cells_make(c, s->domain, number, v, arguments);
		assert(again);
	}
	if (again)
		found_consider(f, s, number, entry_of(s, c, v), argument_ties(v, arguments));
	found_consider(f, s, number, whole, argument_ties(asked, arguments));
	for (uint32_t k = 0; k < arguments; k++)
		if (v[k] == &around[k])
			free((int64_t *)around[k].column.at);
}

/* Arguments that decide the numbers: more than these need not be asked. */
struct decisive {
	uint64_t *variables; /* bits */
	size_t count, capacity;
};

static bool is_decided(const struct decisive *d, uint64_t variables)
{
	for (size_t i = 0; i < d->count; i++)
		if ((d->variables[i] & variables) == d->variables[i])
			return true;
	return false;
}

/* May they stand in one table: does each tell something of its own? */
static bool are_apart(const struct variable *a, const struct variable *b)
{
	bool rank = (a->sources & OF_P && b->sources & OF_AXES) || (a->sources & OF_AXES && b->sources & OF_P);
	return a != b && !rank && !(a->sources & b->sources);
}

struct asking {
	struct search *search;
	const int64_t *number;
	struct decisive decisive;
	struct found *found;
};

static void ask(struct asking *a, const struct variable *const *v, uint32_t arguments)
{
	struct search *s = a->search;
	uint64_t variables = 0;
	struct cells cells;
	for (uint32_t k = 0; k < arguments; k++)
		variables |= UINT64_C(1) << (v[k] - s->variable);
	if (is_decided(&a->decisive, variables) || (a->found->number && s->domain->count > PAIRS_POINTS) ||
		!cells_make(&cells, s->domain, a->number, v, arguments))
		return;
	struct decisive *d = &a->decisive;
	*MEM_PUSH(d->variables, d->count, d->capacity) = variables;
	consider_table(s, a->number, &cells, v, a->found);
	cells_clear(&cells);
}

static void ask_few(struct asking *a, uint32_t tabled)
{
	struct search *s = a->search;
	const struct variable *v[TABLE_ARGUMENTS], *all = s->variable;
	for (uint32_t x = 0; x < s->variables; x++)
		if (!(all[x].sources & ~tabled))
			ask(a, (v[0] = &all[x], v), 1);
	for (uint32_t x = 0; x < s->simple; x++)
		for (uint32_t y = x + 1; y < s->variables; y++)
			if (!((all[x].sources | all[y].sources) & ~tabled) && are_apart(&all[x], &all[y]))
				ask(a, (v[0] = &all[x], v[1] = &all[y], v), 2);
	for (uint32_t x = 0; x < s->simple; x++)
		for (uint32_t y = x + 1; y < s->simple; y++)
			for (uint32_t z = y + 1; z < s->simple; z++)
				if (!((all[x].sources | all[y].sources | all[z].sources) & ~tabled) &&
					are_apart(&all[x], &all[y]) && are_apart(&all[x], &all[z]) &&
					are_apart(&all[y], &all[z]))
					ask(a, (v[0] = &all[x], v[1] = &all[y], v[2] = &all[z], v), 3);
}

/* More arguments than a table has: the last ones become one, where that leaves few holes. */
static void ask_joined(struct search *s, const int64_t *number, uint32_t tabled, struct found *f)
{
	struct joined_arguments joined;
	for (enum joined_by by = JOINED_LAST; by < JOINED_WAYS && !f->number; by++) {
		const struct variable *v[TABLE_ARGUMENTS];
		struct cells cells;
		if (!joined_arguments_find(&joined, s, number, tabled, by))
			return;
		for (uint32_t k = 0; k < joined.arguments; k++)
			v[k] = &joined.argument[k];
		if (cells_make(&cells, s->domain, number, v, joined.arguments)) {
			consider_table(s, number, &cells, v, f);
			cells_clear(&cells);
		}
		joined_arguments_clear(&joined);
	}
}

/* ------------------------------------------------------------------ products */

/* A number for each value of a variable. */
struct factors {
	int64_t *of;
	bool *known;
	size_t count; /* that are known */
};

static struct factors factors_new(const struct variable *v)
{
	return (struct factors){
		mem_zero((size_t)(v->column.most + 1) * sizeof(int64_t)), mem_zero((size_t)v->column.most + 1), 0};
}

static void factors_clear(struct factors *f)
{
	free(f->of);
	free(f->known);
}

static void set_factor(struct factors *f, int64_t at, int64_t number)
{
	f->count += !f->known[at];
	f->known[at] = true;
	f->of[at] = number;
}

static size_t row_end(const struct cells *c, size_t from)
{
	size_t to = from;
	while (to < c->count && c->at[2 * to] == c->at[2 * from])
		to++;
	return to;
}

/* How many times the second factor a row is, if that is known; and then of the second factor what
   only this row tells. */
static void factorize_row(const struct cells *c, size_t from, size_t to, struct factors *a, struct factors *b)
{
	int64_t row = c->at[2 * from];
	for (size_t i = from; i < to && !a->known[row]; i++) {
		int64_t by = c->at[2 * i + 1];
		if (b->known[by] && b->of[by])
			set_factor(a, row, c->number[i] / b->of[by]);
	}
	int64_t times = a->of[row];
	for (size_t i = from; i < to && times; i++)
		if (!b->known[c->at[2 * i + 1]])
			set_factor(b, c->at[2 * i + 1], c->number[i] / times);
}

static bool is_product(const struct cells *c, const struct factors *a, const struct factors *b)
{
	for (size_t i = 0; i < c->count; i++) {
		int64_t product, row = c->at[2 * i], by = c->at[2 * i + 1];
		if (!a->known[row] || !b->known[by] || __builtin_mul_overflow(a->of[row], b->of[by], &product) ||
			product != c->number[i])
			return false;
	}
	return true;
}

/* The longest row, without what all of it share, is the second factor; each row is so many times
   that. Rows that have something in common with none before wait for another round. */
static bool factorize(const struct cells *c, struct factors *a, struct factors *b)
{
	size_t first = 0, length = 0;
	uint64_t shared = 0;
	for (size_t from = 0, to; from < c->count; from = to) {
		to = row_end(c, from);
		bool zero = true;
		for (size_t i = from; i < to; i++)
			zero = zero && !c->number[i];
		if (!zero && to - from > length) {
			first = from;
			length = to - from;
		}
	}
	for (size_t i = first; i < first + length; i++)
		shared = gcd(shared, (uint64_t)llabs(c->number[i]));
	for (size_t i = first; i < first + length; i++)
		set_factor(b, c->at[2 * i + 1], c->number[i] / (int64_t)shared);
	for (size_t known = 0; known < a->count + b->count;) {
		known = a->count + b->count;
		for (size_t from = 0, to; from < c->count; from = to) {
			to = row_end(c, from);
			factorize_row(c, from, to, a, b);
		}
	}
	return length && is_product(c, a, b);
}

/* Is the k-th number of a row, in another order of going around it, less? */
static int compare_around(const int64_t *number, int64_t size, int64_t first, int64_t step, int64_t best, int64_t way)
{
	for (int64_t k = 0; k < size; k++) {
		int64_t a = number[modulo(first + step * k, size)], b = number[modulo(best + way * k, size)];
		if (a != b)
			return a < b ? -1 : 1;
	}
	return 0;
}

/* Rows that differ by where they begin, and which way they are read, become one: the least of them.
   The argument is moved instead. */
static void turn_around(struct factors *f, struct variable *argument)
{
	int64_t size = argument->modulus, first = 0, step = 1;
	if (!size || f->count != (size_t)size)
		return;
	for (int64_t k = 0; k < 2 * size; k++) {
		int64_t way = k < size ? 1 : -1;
		if (compare_around(f->of, size, k % size, way, first, step) < 0) {
			first = k % size;
			step = way;
		}
	}
	/* what stood at first + step*k stands at k */
	int64_t *turned = mem_array((size_t)size, sizeof *turned);
	for (int64_t k = 0; k < size; k++)
		turned[k] = f->of[modulo(first + step * k, size)];
	memcpy(f->of, turned, (size_t)size * sizeof *turned);
	free(turned);
	for (int s = 0; s < SOURCES; s++)
		argument->as.factor[s] *= step;
	argument->as.constant = modulo((argument->as.constant - first) * step, size);
}

static node_id factors_entry(struct search *s, const struct factors *f, int64_t most, const struct variable *argument)
{
	struct cells c = {.arguments = 1,
		.at = mem_array((size_t)most + 1, sizeof *c.at),
		.number = mem_array((size_t)most + 1, sizeof *c.number)};
	for (int64_t k = 0; k <= most; k++)
		if (f->known[k]) {
			c.at[c.count] = k;
			c.number[c.count++] = f->of[k];
		}
	node_id entry = entry_of(s, &c, &argument);
	cells_clear(&c);
	return entry;
}

static uint64_t take_shared(struct factors *f, int64_t most)
{
	uint64_t shared = 0;
	for (int64_t k = 0; k <= most; k++)
		shared = gcd(shared, (uint64_t)llabs(f->of[k]));
	for (int64_t k = 0; k <= most && shared; k++)
		f->of[k] /= (int64_t)shared;
	return shared;
}

/* The size of the axis that the variable is the coordinate of; 0: it is none. */
static int64_t axis_size(const struct search *s, const struct variable *v)
{
	for (int k = SOURCE_AXIS; k < SOURCE_INDEX; k++)
		if (v->sources == UINT32_C(1) << k)
			return source_size(s->domain, k);
	return 0;
}

/* around: a coordinate goes around, too. */
static node_id factor_of(struct search *s, struct factors *f, const struct variable *v, bool around)
{
	struct variable argument = *v;
	if (!argument.modulus && around)
		argument.modulus = axis_size(s, v);
	turn_around(f, &argument);
	if (!memcmp(&argument.as, &v->as, sizeof argument.as))
		argument.modulus = v->modulus;
	return factors_entry(s, f, v->column.most, &argument);
}

/* NODE_NONE, where one of them is. */
static node_id times(struct search *s, node_id a, node_id b, int64_t by)
{
	return number_multiply(s->store, number_multiply(s->store, a, b), number_constant(s->store, by));
}

static void consider_product(struct search *s, const int64_t *number, const struct cells *c,
	const struct variable *const *v, struct found *f)
{
	struct factors a = factors_new(v[0]), b = factors_new(v[1]);
	bool derived = v[0]->modulus || v[1]->modulus;
	if (factorize(c, &a, &b) && c->count > a.count + b.count) {
		uint64_t shared = take_shared(&a, v[0]->column.most);
		/* two coordinates where the factors become one row by that */
		for (int around = derived; around < 2; around++) {
			node_id one = factor_of(s, &a, v[0], around), other = factor_of(s, &b, v[1], around);
			if (shared <= FACTOR_MOST)
				found_consider(
					f, s, number, times(s, one, other, (int64_t)shared), argument_ties(v, 2));
		}
	}
	factors_clear(&a);
	factors_clear(&b);
}

/* Does each factor tell something of its own? x and (x+y)%4 do. */
static bool are_factors(const struct variable *a, const struct variable *b)
{
	uint32_t both = a->sources | b->sources;
	bool ranks = both & OF_P && both & OF_AXES;
	return !ranks && (a->modulus || b->modulus || !(a->sources & b->sources));
}

/* Factors of each slice, a coordinate by a slice. */
struct slices {
	const struct variable *v;
	size_t count;
	struct factors *of; /* by slice */
};

static struct slices slices_new(const struct variable *v, size_t count)
{
	struct slices x = {v, count, mem_array(count, sizeof *x.of)};
	for (size_t i = 0; i < count; i++)
		x.of[i] = factors_new(v);
	return x;
}

static void slices_clear(struct slices *x)
{
	for (size_t i = 0; i < x->count; i++)
		factors_clear(&x->of[i]);
	free(x->of);
}

/* What each factor is by its coordinate and the slice, which is `at`, without what all share. */
static node_id slices_entry(
	struct search *s, const struct slices *x, const struct variable *by, const int64_t *at, int64_t *shared)
{
	size_t most = (size_t)(x->v->column.most + 1) * x->count;
	struct cells c = {
		.arguments = 2, .at = mem_array(2 * most, sizeof *c.at), .number = mem_array(most, sizeof *c.number)};
	uint64_t common = 0;
	for (int64_t k = 0; k <= x->v->column.most; k++)
		for (size_t i = 0; i < x->count; i++)
			if (x->of[i].known[k]) {
				c.at[2 * c.count] = k;
				c.at[2 * c.count + 1] = at[i];
				c.number[c.count++] = x->of[i].of[k];
				common = gcd(common, (uint64_t)llabs(x->of[i].of[k]));
			}
	for (size_t i = 0; i < c.count && common; i++)
		c.number[i] /= (int64_t)common;
	*shared = (int64_t)common;
	node_id entry = entry_of(s, &c, (const struct variable *[]){x->v, by});
	cells_clear(&c);
	return entry;
}

/* For each number of an index a product of what two coordinates tell: faces of blocks, by
   direction. v: the index first. */
static void consider_slices(struct search *s, const int64_t *number, const struct cells *c,
	const struct variable *const *v, struct found *f)
{
	size_t slices = 0, told = 0;
	int64_t *at = mem_array(c->count, sizeof *at), *place = mem_array(2 * c->count, sizeof *place);
	for (size_t i = 0; i < c->count; i++) {
		if (!i || c->at[3 * i] != c->at[3 * i - 3])
			at[slices++] = c->at[3 * i];
		memcpy(place + 2 * i, c->at + 3 * i + 1, 2 * sizeof *place);
	}
	struct slices a = slices_new(v[1], slices), b = slices_new(v[2], slices);
	bool good = true;
	for (size_t i = 0, from = 0, to; i < slices && good; i++, from = to) {
		for (to = from; to < c->count && c->at[3 * to] == at[i];)
			to++;
		struct cells slice = {2, to - from, place + 2 * from, c->number + from};
		good = factorize(&slice, &a.of[i], &b.of[i]);
		told += a.of[i].count + b.of[i].count;
	}
	int64_t shared, one;
	if (good && told < c->count) {
		node_id left = slices_entry(s, &a, v[0], at, &shared), right = slices_entry(s, &b, v[0], at, &one);
		if (is_small((__int128)shared * one, FACTOR_MOST))
			found_consider(f, s, number, times(s, left, right, shared * one), argument_ties(v, 3));
	}
	slices_clear(&a);
	slices_clear(&b);
	free(at);
	free(place);
}

static void search_slices(struct search *s, const int64_t *number, uint32_t tabled, struct found *f)
{
	const struct variable *all = s->variable;
	for (uint32_t k = 0; k < s->simple; k++)
		for (uint32_t x = 0; x < s->simple && all[k].sources & OF_INDICES; x++)
			for (uint32_t y = 0; y < s->simple; y++) {
				const struct variable *v[] = {&all[k], &all[x], &all[y]};
				uint64_t cells = (uint64_t)(all[k].column.most + 1) *
						 (uint64_t)(all[x].column.most + all[y].column.most + 2);
				struct cells c;
				if (!((all[x].sources & all[y].sources) & OF_AXES) && all[x].sources & OF_AXES &&
					all[y].sources & OF_AXES &&
					!((v[0]->sources | v[1]->sources | v[2]->sources) & ~tabled) &&
					cells <= TRIED_ENTRIES && cells_make(&c, s->domain, number, v, 3)) {
					consider_slices(s, number, &c, v, f);
					cells_clear(&c);
				}
			}
}

static void search_products(struct search *s, const int64_t *number, uint32_t tabled, struct found *f)
{
	for (size_t i = 0; i < s->domain->count; i++)
		if (number[i] > CONSTANT_MOST || number[i] < -CONSTANT_MOST)
			return;
	search_slices(s, number, tabled, f);
	for (uint32_t x = 0; x < s->variables; x++)
		for (uint32_t y = x + 1; y < s->variables; y++) {
			const struct variable *v[] = {&s->variable[x], &s->variable[y]};
			struct cells c;
			if ((v[0]->sources | v[1]->sources) & ~tabled || !are_factors(v[0], v[1]) ||
				v[0]->column.most > TRIED_ENTRIES || v[1]->column.most > TRIED_ENTRIES ||
				!cells_make(&c, s->domain, number, v, 2))
				continue;
			consider_product(s, number, &c, v, f);
			cells_clear(&c);
		}
}

static void table_of(struct search *s, const int64_t *number, uint32_t tabled, struct found *f)
{
	struct asking a = {.search = s, .number = number, .found = f};
	ask_few(&a, tabled);
	free(a.decisive.variables);
	if (!a.decisive.count)
		ask_joined(s, number, tabled, f);
	if (s->domain->count <= PAIRS_POINTS)
		search_products(s, number, tabled, f);
	search_without(s, number, tabled, table_of, f);
}

void search_table(struct search *s, const int64_t *number, uint32_t tabled, struct found *f)
{
	search_variables(s);
	table_of(s, number, tabled, f);
}
