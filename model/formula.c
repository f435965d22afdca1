/*
 * formula.c -- affine functions of a process, its place on the grid and the indices around it:
 * evaluated, printed.
 *
 * Factors are small (FACTOR_LIMIT) and constants below CONSTANT_LIMIT, so that without indices no
 * evaluation can overflow but that of powers and of products of tables, each of which has to fit 64
 * bits by itself; indices may be large, and no sum of 128 bits can overflow by them.
 */
#include "model/formula.h"

#include <assert.h>
#include <string.h>

#include "base/gcd.h"

static const char axis_name[GRID_AXES] = {'x', 'y', 'z', 'w'};

/* ------------------------------------------------------------------ values */

/* Most indices are not asked: four of them are looked at at once. */
static __int128 affine_sum(const struct affine *a, const struct spot *s)
{
	__int128 sum = a->constant + a->p * s->p;
	for (int i = 0; i < GRID_AXES; i++)
		sum += a->axis[i] * s->axis[i];
	static_assert(INDEX_DEPTH % 4 == 0, "by four");
	for (int d = 0; s->index && d < INDEX_DEPTH; d += 4) {
		if (!(a->index[d] | a->index[d + 1] | a->index[d + 2] | a->index[d + 3]))
			continue;
		for (int k = d; k < d + 4; k++)
			if (a->index[k])
				sum += (__int128)a->index[k] * s->index[k];
	}
	return sum;
}

/* Of a sum with indices, which may be wide. */
static int64_t remainder_at(const struct affine *a, const struct spot *s, int64_t modulus)
{
	__int128 sum = affine_sum(a, s);
	return modulo((int64_t)(sum == (int64_t)sum ? sum : sum % modulus), modulus);
}

struct value value_looked_up(const struct table *table, const struct affine *argument)
{
	struct value v = {.lookup.table = table, .lookup.factor = 1};
	for (uint32_t i = 0; i < table_arguments(table); i++)
		v.lookup.argument[i].inside = argument[i];
	return v;
}

void value_oppose(struct value *v)
{
	int64_t *factor = &v->plain.constant;
	for (size_t i = 0; i < sizeof v->plain / sizeof *factor; i++)
		factor[i] = -factor[i];
	for (int i = 0; i < REMAINDERS; i++)
		v->remainder[i].factor = -v->remainder[i].factor;
	for (int i = 0; i < POWERS; i++)
		v->power[i].factor = -v->power[i].factor;
	v->lookup.factor = -v->lookup.factor;
}

struct value value_naming(const struct value *name)
{
	struct value condition = *name;
	value_oppose(&condition);
	condition.plain.p = 1;
	condition.test = TEST_EQUAL;
	return condition;
}

struct value value_negated(const struct value *v)
{
	static const enum test opposite[] = {TEST_EQUAL, TEST_DIFFERS, TEST_EQUAL, TEST_NOT_AMONG, TEST_AMONG};
	struct value not = *v;
	not .test = opposite[v->test]; /* not tested: 1 or 0, is it 0? */
	return not ;
}

bool value_is_flag(const struct value *v)
{
	struct value flag = {.lookup = v->lookup, .test = TEST_DIFFERS};
	return v->lookup.table && v->lookup.factor == 1 && !memcmp(&flag, v, sizeof flag) &&
	       table_least(v->lookup.table) >= 0 && table_most(v->lookup.table) <= 1;
}

bool value_is_constant(const struct value *v)
{
	struct value same = value_of(v->plain.constant);
	return !memcmp(v, &same, sizeof same);
}

uint32_t affine_indices(const struct affine *a)
{
	uint32_t used = 0;
	for (unsigned d = 0; d < INDEX_DEPTH; d++)
		used |= (uint32_t)(a->index[d] != 0) << d;
	return used;
}

bool value_is_entry(const struct value *v)
{
	struct value entry = {.plain.constant = v->plain.constant, .lookup = v->lookup};
	return v->lookup.table && v->lookup.factor == 1 && !memcmp(&entry, v, sizeof entry);
}

bool value_is_quasi_affine(const struct value *v)
{
	return !v->lookup.table && !v->power[0].base;
}

uint32_t value_indices(const struct value *v)
{
	uint32_t used = affine_indices(&v->plain);
	for (int i = 0; i < REMAINDERS && v->remainder[i].modulus; i++)
		used |= affine_indices(&v->remainder[i].inside);
	for (int i = 0; i < POWERS && v->power[i].base; i++)
		used |= affine_indices(&v->power[i].exponent);
	for (int k = 0; value_lookup(v, k); k++)
		for (uint32_t i = 0; i < table_arguments(value_lookup(v, k)->table); i++)
			used |= affine_indices(&value_lookup(v, k)->argument[i].inside);
	return used | (value_is_quasi_affine(v) ? 0 : INDEX_TABLE);
}

uint32_t place_indices(const struct place *f)
{
	uint32_t used = 0;
	if (f->kind != PLACE_GRID)
		return value_indices(&f->value);
	for (int i = 0; i < GRID_AXES; i++)
		used |= affine_indices(&f->axis[i]);
	return used | affine_indices(&f->at) | (place_asks_table(f) ? INDEX_TABLE : 0);
}

struct lookup place_offset(const struct place *f, uint32_t axis)
{
	return (struct lookup){.table = f->offset[axis], .factor = 1, .argument[0].inside = f->at};
}

bool place_asks_table(const struct place *f)
{
	bool asks = f->kind != PLACE_GRID && f->value.lookup.table;
	for (int i = 0; i < GRID_AXES && f->kind == PLACE_GRID; i++)
		asks = asks || f->offset[i];
	return asks;
}

bool affine_is_uniform(const struct affine *a)
{
	bool uniform = !a->p;
	for (int i = 0; i < GRID_AXES; i++)
		uniform = uniform && !a->axis[i];
	return uniform;
}

bool value_is_uniform(const struct value *v)
{
	bool uniform = affine_is_uniform(&v->plain);
	for (int i = 0; i < REMAINDERS && v->remainder[i].modulus; i++)
		uniform = uniform && affine_is_uniform(&v->remainder[i].inside);
	for (int i = 0; i < POWERS && v->power[i].base; i++)
		uniform = uniform && affine_is_uniform(&v->power[i].exponent);
	for (int k = 0; value_lookup(v, k); k++)
		for (uint32_t i = 0; i < table_arguments(value_lookup(v, k)->table); i++)
			uniform = uniform && affine_is_uniform(&value_lookup(v, k)->argument[i].inside);
	return uniform;
}

/* False: it has no such entry. */
static bool lookup_at(const struct lookup *l, const struct spot *s, int64_t *entry)
{
	int64_t argument[TABLE_ARGUMENTS];
	for (uint32_t i = 0; i < table_arguments(l->table); i++) {
		const struct argument *a = &l->argument[i];
		__int128 sum = affine_sum(&a->inside, s);
		argument[i] = a->modulus ? remainder_at(&a->inside, s, a->modulus) : (int64_t)sum;
		if (!a->modulus && sum != argument[i])
			return false;
	}
	return table_value(l->table, argument, entry);
}

static bool fits(__int128 number, int64_t *to)
{
	*to = (int64_t)number;
	return *to == number;
}

/* The entries of both tables, multiplied. */
static bool product_at(const struct value *v, const struct spot *s, int64_t *product)
{
	int64_t other = 1;
	return lookup_at(&v->lookup, s, product) && (!v->by.table || lookup_at(&v->by, s, &other)) &&
	       !__builtin_mul_overflow(*product, other, product);
}

/* False: its exponent is negative, or 64 bits do not suffice. */
static bool power_at(const struct power *w, const struct spot *s, int64_t *number)
{
	__int128 exponent = affine_sum(&w->exponent, s);
	*number = w->factor;
	bool good = exponent >= 0;
	for (; exponent > 0 && good; exponent--) /* the base is 2 or more */
		good = !__builtin_mul_overflow(*number, w->base, number);
	return good;
}

/* Without its test. False: a part of it is no number. */
static bool sum_at(const struct value *v, const struct spot *s, __int128 *sum)
{
	int64_t part;
	bool good = true;
	*sum = affine_sum(&v->plain, s);
	for (int i = 0; i < REMAINDERS && v->remainder[i].modulus; i++)
		*sum += remainder_at(&v->remainder[i].inside, s, v->remainder[i].modulus) * v->remainder[i].factor;
	for (int i = 0; i < POWERS && v->power[i].base && good; i++) {
		good = power_at(&v->power[i], s, &part);
		*sum += good ? part : 0;
	}
	if (v->lookup.table && good) {
		good = product_at(v, s, &part);
		*sum += good ? (__int128)part * v->lookup.factor : 0;
	}
	return good;
}

static bool is_number(const struct value *v, const struct spot *s)
{
	int64_t number;
	return value_is_quasi_affine(v) || value_fits(v, s, &number);
}

/* 0 where there is no table. */
static bool offset_at(const struct place *f, uint32_t axis, const struct spot *s, int64_t *offset)
{
	struct lookup l = place_offset(f, axis);
	*offset = 0;
	return !l.table || lookup_at(&l, s, offset);
}

bool place_is_number(const struct place *f, const struct spot *s)
{
	bool good = f->kind == PLACE_GRID || is_number(&f->value, s);
	int64_t offset;
	for (uint32_t i = 0; i < GRID_AXES && f->kind == PLACE_GRID; i++)
		good = offset_at(f, i, s, &offset) && good;
	return good;
}

static bool holds(const struct value *v, int64_t sum)
{
	switch ((enum test)v->test) {
	case TEST_EQUAL:
		return sum == v->number;
	case TEST_DIFFERS:
		return sum != v->number;
	case TEST_AMONG:
		return table_has(v->among, sum);
	case TEST_NOT_AMONG:
		return !table_has(v->among, sum);
	case TEST_NONE:
		break;
	}
	return sum;
}

bool value_fits(const struct value *v, const struct spot *s, int64_t *number)
{
	__int128 sum;
	bool good = sum_at(v, s, &sum) && fits(sum, number);
	*number = (int64_t)sum;
	if (v->test)
		*number = holds(v, *number);
	return good;
}

bool value_product_range(const struct value *v, __int128 *least, __int128 *most)
{
	bool good = true;
	__int128 a[2] = {table_least(v->lookup.table), table_most(v->lookup.table)}, b[2] = {1, 1};
	if (v->by.table) {
		b[0] = table_least(v->by.table);
		b[1] = table_most(v->by.table);
	}
	for (int i = 0; i < 4; i++) {
		__int128 product = a[i / 2] * b[i % 2];
		int64_t number = product > INT64_MAX ? INT64_MAX : product < INT64_MIN ? INT64_MIN : (int64_t)product;
		good = good && number == product;
		product = (__int128)number * v->lookup.factor;
		*least = !i || product < *least ? product : *least;
		*most = !i || product > *most ? product : *most;
	}
	return good;
}

int64_t value_at(const struct value *v, const struct spot *s)
{
	int64_t number;
	value_fits(v, s, &number);
	return number;
}

static bool affine_put(struct affine *a, const int64_t *index, uint32_t depth)
{
	__int128 sum = a->constant;
	for (uint32_t d = 0; d < depth; d++)
		if (a->index[d])
			sum += (__int128)a->index[d] * index[d];
	for (uint32_t d = 0; d < INDEX_DEPTH; d++)
		a->index[d] = d + depth < INDEX_DEPTH ? a->index[d + depth] : 0;
	a->constant = (int64_t)sum;
	return a->constant == sum;
}

/* A remainder of nothing is a constant. */
static void settle_remainders(struct value *v)
{
	int kept = 0;
	for (int i = 0; i < REMAINDERS && v->remainder[i].modulus; i++) {
		struct remainder r = v->remainder[i];
		struct affine constant = {.constant = r.inside.constant};
		bool settled = !memcmp(&r.inside, &constant, sizeof constant);
		v->remainder[i] = (struct remainder){0};
		if (settled)
			v->plain.constant += modulo(r.inside.constant, r.modulus) * r.factor;
		else
			v->remainder[kept++] = r;
	}
}

static bool affine_is_constant(const struct affine *a)
{
	struct affine constant = {.constant = a->constant};
	return !memcmp(a, &constant, sizeof constant);
}

/* A power of a constant is one. False: it is no number; then it stays, as what is below does, and is
   found to be wrong wherever it is asked for. */
static bool settle_powers(struct value *v)
{
	int kept = 0;
	bool good = true;
	for (int i = 0; i < POWERS && v->power[i].base; i++) {
		struct power w = v->power[i];
		struct value sum = value_of(v->plain.constant);
		int64_t constant;
		sum.power[0] = w;
		v->power[i] = (struct power){0};
		bool settled = affine_is_constant(&w.exponent);
		if (settled && value_fits(&sum, &(struct spot){0}, &constant)) {
			v->plain.constant = constant;
			continue;
		}
		good = good && !settled;
		v->power[kept++] = w;
	}
	return good;
}

static bool is_constant_lookup(const struct lookup *l)
{
	bool constant = true;
	for (uint32_t i = 0; i < table_arguments(l->table); i++)
		constant = constant && affine_is_constant(&l->argument[i].inside);
	return constant;
}

/* One of two tables, at constant places, is a factor of the other. */
static void settle_product(struct value *v)
{
	const struct lookup *constant = is_constant_lookup(&v->by) ? &v->by : &v->lookup;
	int64_t entry, factor;
	if (!is_constant_lookup(constant) || !lookup_at(constant, &(struct spot){0}, &entry) || !entry ||
		__builtin_mul_overflow(entry, v->lookup.factor, &factor))
		return; /* 0 times what is no number is none */
	if (constant == &v->lookup)
		v->lookup = v->by;
	v->lookup.factor = factor;
	memset(&v->by, 0, sizeof v->by);
}

/* Tables at constant places are a constant; so is the test of one. */
static bool settle_lookup(struct value *v)
{
	struct lookup *l = &v->lookup;
	bool good = true;
	if (l->table && is_constant_lookup(l) && (!v->by.table || is_constant_lookup(&v->by))) {
		struct value sum = {.plain.constant = v->plain.constant, .lookup = *l, .by = v->by};
		int64_t constant;
		good = value_fits(&sum, &(struct spot){0}, &constant);
		if (good) {
			v->plain.constant = constant;
			memset(l, 0, sizeof *l);
			memset(&v->by, 0, sizeof v->by);
		}
	} else if (v->by.table) {
		settle_product(v);
	}
	if (v->test && value_is_quasi_affine(v) && !v->remainder[0].modulus && affine_is_constant(&v->plain))
		*v = value_of(holds(v, v->plain.constant));
	return good;
}

static bool settle(struct value *v)
{
	settle_remainders(v);
	bool good = settle_powers(v);
	return settle_lookup(v) && good;
}

static bool lookup_put(struct lookup *l, const int64_t *index, uint32_t depth)
{
	bool good = true;
	for (uint32_t i = 0; i < table_arguments(l->table); i++) {
		struct argument *a = &l->argument[i];
		good = affine_put(&a->inside, index, depth) && good;
		if (a->modulus)
			a->inside.constant = modulo(a->inside.constant, a->modulus);
	}
	return good;
}

bool value_put(struct value *v, const int64_t *index, uint32_t depth)
{
	bool good = affine_put(&v->plain, index, depth), moved = !value_is_quasi_affine(v) || v->test;
	for (int i = 0; i < REMAINDERS && v->remainder[i].modulus; i++) {
		struct affine *inside = &v->remainder[i].inside;
		if (!affine_indices(inside))
			continue;
		moved = true;
		good = affine_put(inside, index, depth) && good;
		inside->constant = modulo(inside->constant, v->remainder[i].modulus);
	}
	for (int i = 0; i < POWERS && v->power[i].base; i++)
		good = affine_put(&v->power[i].exponent, index, depth) && good;
	if (v->lookup.table)
		good = lookup_put(&v->lookup, index, depth) && good;
	if (v->by.table)
		good = lookup_put(&v->by, index, depth) && good;
	return moved ? settle(v) && good : good;
}

struct affine grid_coordinate(const struct affine *a, uint32_t size)
{
	static const int64_t none[GRID_AXES];
	struct affine to = *a;
	bool alone = !a->p && !memcmp(a->axis, none, sizeof none);
	to.constant = alone ? modulo(a->constant, size) : grid_nearest(a->constant, size);
	return to;
}

/* An offset at a constant place is a number. */
static bool settle_offset(struct place *f, uint32_t axis)
{
	int64_t offset, *constant = &f->axis[axis].constant;
	if (!affine_is_constant(&f->at))
		return true;
	if (!offset_at(f, axis, &(struct spot){0}, &offset) || __builtin_add_overflow(*constant, offset, constant))
		return false;
	f->offset[axis] = NULL;
	return true;
}

bool place_put(struct place *f, const struct grid *g, const int64_t *index, uint32_t depth)
{
	bool good = true;
	if (!place_indices(f))
		return true;
	if (f->kind != PLACE_GRID)
		good = value_put(&f->value, index, depth);
	if (f->kind == PLACE_RING)
		f->value.plain.constant = grid_nearest(f->value.plain.constant, (uint32_t)f->modulus);
	if (f->kind == PLACE_GRID)
		good = affine_put(&f->at, index, depth);
	for (uint32_t i = 0; f->kind == PLACE_GRID && i < g->axes; i++) {
		if (!affine_indices(&f->axis[i]) && !f->offset[i])
			continue;
		good = affine_put(&f->axis[i], index, depth) && settle_offset(f, i) && good;
		if (!f->offset[i])
			f->axis[i] = grid_coordinate(&f->axis[i], g->size[i]);
	}
	if (f->kind == PLACE_GRID && !place_asks_table(f))
		f->at = (struct affine){0};
	return good;
}

/* A number, and what stands in one table. */
static bool is_stencil_value(const struct value *v)
{
	struct value bare = {.plain.constant = v->plain.constant, .lookup = v->lookup};
	return v->lookup.table && table_arguments(v->lookup.table) == 1 && v->lookup.factor == 1 &&
	       !v->lookup.argument[0].modulus && !memcmp(&bare, v, sizeof bare);
}

const struct affine *place_stencil(const struct place *f, uint64_t *entries)
{
	*entries = UINT64_MAX;
	if (f->kind == PLACE_OFFSET && is_stencil_value(&f->value)) {
		const struct affine *at = &f->value.lookup.argument[0].inside;
		*entries = table_entries(f->value.lookup.table);
		return affine_is_uniform(at) ? at : NULL;
	}
	bool asks = f->kind == PLACE_GRID && place_asks_table(f);
	for (int i = 0; i < GRID_AXES && asks; i++) {
		uint64_t own = f->offset[i] ? table_entries(f->offset[i]) : UINT64_MAX;
		*entries = own < *entries ? own : *entries;
		asks = !affine_indices(&f->axis[i]);
	}
	return asks ? &f->at : NULL;
}

bool place_is_inside(const struct place *f, const struct grid *g, uint32_t processes, uint32_t rank, int64_t entry)
{
	struct spot spot = grid_spot(g, rank);
	int64_t offset;
	if (f->kind == PLACE_OFFSET) {
		__int128 at = affine_sum(&f->value.plain, &spot) + rank;
		return table_value(f->value.lookup.table, &entry, &offset) && at + offset >= 0 &&
		       at + offset < processes;
	}
	bool inside = true;
	for (uint32_t i = 0; i < g->axes && inside; i++) {
		__int128 at = affine_sum(&f->axis[i], &spot);
		if (f->offset[i])
			at += table_value(f->offset[i], &entry, &offset) ? offset : -1 - at;
		inside = at >= 0 && at < g->size[i];
	}
	return inside;
}

static int64_t ring_at(const struct place *f, const struct spot *s)
{
	__int128 sum;
	sum_at(&f->value, s, &sum);
	return modulo((int64_t)((sum + s->p) % f->modulus), f->modulus);
}

int64_t place_at(const struct place *f, const struct grid *g, const struct spot *s)
{
	int64_t rank = 0, scale = 1, offset;
	switch ((enum place_kind)f->kind) {
	case PLACE_NUMBER:
		return value_at(&f->value, s);
	case PLACE_OFFSET:
		return s->p + value_at(&f->value, s);
	case PLACE_XOR:
		return s->p ^ value_at(&f->value, s);
	case PLACE_RING:
		return ring_at(f, s);
	case PLACE_GRID:
		for (uint32_t i = 0; i < g->axes; i++) {
			offset_at(f, i, s, &offset);
			rank += modulo(remainder_at(&f->axis[i], s, g->size[i]) + offset % g->size[i], g->size[i]) *
				scale;
			scale *= g->size[i];
		}
		return rank;
	case PLACE_NONE:
		break;
	}
	return -1;
}

/* The ranks of the axes from 0 to `axis` at their places, above `base`; ascending, as the last axis
   is outermost. */
static void add_area(const struct area *a, const struct grid *g, const struct spot *s, int axis, uint32_t scale,
	uint32_t base, struct ranks *to)
{
	if (axis < 0) {
		ranks_add(to, base);
		return;
	}
	uint32_t below = scale / g->size[axis];
	if (!a->all[axis]) {
		uint32_t at = (uint32_t)remainder_at(&a->axis[axis], s, g->size[axis]);
		add_area(a, g, s, axis - 1, below, base + at * below, to);
		return;
	}
	bool rest = true;
	for (int i = 0; i < axis; i++)
		rest = rest && a->all[i];
	if (rest) {
		ranks_add_run(to, base, base + scale - 1);
		return;
	}
	for (uint32_t at = 0; at < g->size[axis]; at++)
		add_area(a, g, s, axis - 1, below, base + at * below, to);
}

void area_at(const struct area *a, const struct grid *g, const struct spot *s, struct ranks *to)
{
	to->length = 0;
	if (!g->axes) {
		ranks_add(to, (uint32_t)s->p);
		return;
	}
	add_area(a, g, s, (int)g->axes - 1, (uint32_t)grid_ranks(g), 0, to);
}

bool area_has(const struct area *a, const struct grid *g, const struct spot *s)
{
	for (uint32_t i = 0; i < g->axes; i++)
		if (!a->all[i] && remainder_at(&a->axis[i], s, g->size[i]) != s->axis[i])
			return false;
	return true;
}

/* ------------------------------------------------------------------ other indices */

/* False: some index has no place any more. */
typedef bool affine_change(struct affine *, uint32_t how);

static bool value_change(struct value *v, affine_change *change, uint32_t how)
{
	bool good = change(&v->plain, how);
	for (int i = 0; i < REMAINDERS && v->remainder[i].modulus; i++)
		good = change(&v->remainder[i].inside, how) && good;
	for (int i = 0; i < POWERS && v->power[i].base; i++)
		good = change(&v->power[i].exponent, how) && good;
	for (uint32_t i = 0; v->lookup.table && i < table_arguments(v->lookup.table); i++)
		good = change(&v->lookup.argument[i].inside, how) && good;
	for (uint32_t i = 0; v->by.table && i < table_arguments(v->by.table); i++)
		good = change(&v->by.argument[i].inside, how) && good;
	return good;
}

static bool place_change(struct place *f, const struct grid *g, affine_change *change, uint32_t how)
{
	bool good = f->kind == PLACE_GRID ? change(&f->at, how) : value_change(&f->value, change, how);
	for (uint32_t i = 0; f->kind == PLACE_GRID && i < g->axes; i++)
		good = change(&f->axis[i], how) && good;
	return good;
}

static bool affine_squeeze(struct affine *a, uint32_t loops)
{
	uint32_t kept = 0;
	for (uint32_t d = 0; d < INDEX_DEPTH; d++)
		if (!(loops >> d & 1))
			a->index[kept++] = a->index[d];
	while (kept < INDEX_DEPTH)
		a->index[kept++] = 0;
	return true;
}

void value_squeeze(struct value *v, uint32_t loops)
{
	if (loops)
		value_change(v, affine_squeeze, loops);
}

void place_squeeze(struct place *f, const struct grid *g, uint32_t loops)
{
	if (loops)
		place_change(f, g, affine_squeeze, loops);
}

/* ------------------------------------------------------------------ as text */

static void print_factor(int64_t factor, bool first, struct text *out)
{
	if (factor < 0)
		text_char(out, '-');
	else if (!first)
		text_char(out, '+');
	uint64_t magnitude = factor < 0 ? 0 - (uint64_t)factor : (uint64_t)factor;
	if (magnitude != 1)
		text_format(out, "%llu*", (unsigned long long)magnitude);
}

static void print_term(int64_t factor, char name, bool first, struct text *out)
{
	print_factor(factor, first, out);
	text_char(out, name);
}

static void print_constant(int64_t constant, bool first, struct text *out)
{
	text_format(out, first ? "%lld" : "%+lld", (long long)constant);
}

/* True if anything stands there now. */
static bool print_indices(const struct affine *a, bool any, struct text *out)
{
	for (unsigned d = 0; d < INDEX_DEPTH; d++) {
		if (!a->index[d])
			continue;
		print_factor(a->index[d], !any, out);
		text_format(out, "i%u", d);
		any = true;
	}
	return any;
}

/* True if anything stands there now; an affine that is 0 prints nothing. any: something does
   before. */
static bool print_affine(const struct affine *a, bool constant_first, bool any, struct text *out)
{
	int64_t factor[1 + GRID_AXES] = {a->p, a->axis[0], a->axis[1], a->axis[2], a->axis[3]};
	bool first = !any;
	if (constant_first && a->constant) {
		print_constant(a->constant, true, out);
		first = false;
	}
	for (int i = 0; i <= GRID_AXES; i++) {
		if (!factor[i])
			continue;
		print_term(factor[i], i ? axis_name[i - 1] : 'p', first, out);
		first = false;
	}
	if (!constant_first && a->constant) {
		print_constant(a->constant, first, out);
		first = false;
	}
	return print_indices(a, !first, out);
}

/* p, x, i0: a variable alone */
static bool is_variable(const struct affine *a)
{
	int64_t sum = a->p, terms = a->p != 0;
	for (int i = 0; i < GRID_AXES; i++) {
		sum += a->axis[i];
		terms += a->axis[i] != 0;
	}
	for (int d = 0; d < INDEX_DEPTH; d++) {
		sum += a->index[d];
		terms += a->index[d] != 0;
	}
	return terms == 1 && sum == 1 && !a->constant;
}

/* (p+1)%16; i0%7; x%2 */
static void print_modulo(const struct affine *inside, int64_t modulus, struct text *out)
{
	bool alone = is_variable(inside);
	text_put(out, alone ? "" : "(");
	if (!print_affine(inside, false, false, out))
		text_char(out, '0');
	text_format(out, "%s%%%lld", alone ? "" : ")", (long long)modulus);
}

static void print_remainder(const struct remainder *r, bool any, struct text *out)
{
	if (r->factor < 0 || any)
		text_char(out, r->factor < 0 ? '-' : '+');
	print_modulo(&r->inside, r->modulus, out);
	uint64_t magnitude = r->factor < 0 ? 0 - (uint64_t)r->factor : (uint64_t)r->factor;
	if (magnitude != 1)
		text_format(out, "*%llu", (unsigned long long)magnitude);
}

static void print_coordinate(const struct affine *, struct text *);

/* 16*4^(5-i0) */
static void print_power(const struct power *w, bool any, struct text *out)
{
	bool alone = is_variable(&w->exponent) || (affine_is_constant(&w->exponent) && w->exponent.constant >= 0);
	print_factor(w->factor, !any, out);
	text_format(out, "%lld^%s", (long long)w->base, alone ? "" : "(");
	print_coordinate(&w->exponent, out);
	text_put(out, alone ? "" : ")");
}

static void print_table(const struct lookup *l, struct text *out)
{
	text_format(out, "$%s[", table_name(l->table));
	for (uint32_t i = 0; i < table_arguments(l->table); i++) {
		const struct argument *a = &l->argument[i];
		text_put(out, i ? "," : "");
		if (a->modulus)
			print_modulo(&a->inside, a->modulus, out);
		else if (!print_affine(&a->inside, false, false, out))
			text_char(out, '0');
	}
	text_char(out, ']');
}

/* $w[i0,(p+1)%7], $f[x]*$g[y] */
static void print_lookup(const struct value *v, struct text *out)
{
	print_table(&v->lookup, out);
	if (!v->by.table)
		return;
	text_char(out, '*');
	print_table(&v->by, out);
}

/* Nothing but what stands in tables. */
static bool is_bare_lookup(const struct value *v)
{
	static const struct affine none;
	return v->lookup.table && v->lookup.factor == 1 && !v->remainder[0].modulus && !v->power[0].base &&
	       !memcmp(&v->plain, &none, sizeof none);
}

/* What follows something else. */
static bool print_rest(const struct value *v, bool any, struct text *out)
{
	for (int i = 0; i < REMAINDERS && v->remainder[i].modulus; i++, any = true)
		print_remainder(&v->remainder[i], any, out);
	for (int i = 0; i < POWERS && v->power[i].base; i++, any = true)
		print_power(&v->power[i], any, out);
	return any;
}

void sum_print(const struct value *v, struct text *out)
{
	bool any = v->lookup.table;
	if (any) {
		print_factor(v->lookup.factor, true, out);
		print_lookup(v, out);
	}
	any = print_affine(&v->plain, !any, any, out);
	if (!print_rest(v, any, out))
		text_char(out, '0');
}

void value_print(const struct value *v, struct text *out)
{
	bool bare = is_bare_lookup(v);
	text_put(out, bare ? "" : "{");
	sum_print(v, out);
	text_put(out, bare ? "" : "}");
}

void condition_print(const struct value *v, struct text *out)
{
	struct value sum = *v;
	sum.test = TEST_NONE;
	value_print(&sum, out);
	switch ((enum test)v->test) {
	case TEST_NONE:
		break;
	case TEST_EQUAL:
	case TEST_DIFFERS:
		if (v->test == TEST_EQUAL || v->number)
			text_format(out, v->test == TEST_EQUAL ? " = %lld" : " != %lld", (long long)v->number);
		break;
	case TEST_AMONG:
	case TEST_NOT_AMONG:
		text_put(out, v->test == TEST_AMONG ? " in " : " not in ");
		table_print_set(v->among, out);
		break;
	}
}

/* x+1, but 3-x */
static void print_coordinate(const struct affine *a, struct text *out)
{
	int64_t leading = a->p;
	for (int i = 0; i < GRID_AXES && !leading; i++)
		leading = a->axis[i];
	if (!print_affine(a, leading < 0, false, out))
		text_char(out, '0');
}

/* p+1+i0+$d[i1] */
static void print_offset(const struct value *v, struct text *out)
{
	text_char(out, 'p');
	if (v->plain.constant)
		text_format(out, "%+lld", (long long)v->plain.constant);
	print_indices(&v->plain, true, out);
	if (v->lookup.table) {
		print_factor(v->lookup.factor, false, out);
		print_lookup(v, out);
	}
	print_rest(v, true, out);
}

static void print_ring(const struct value *added, int64_t modulus, struct text *out)
{
	text_char(out, '(');
	print_offset(added, out);
	text_format(out, ")%%%lld", (long long)modulus);
}

/* p and what is the same for all, or stands in a table, is added: then what that is. */
static bool is_relative(const struct value *v, struct value *added)
{
	struct value sum = *added = *v;
	added->plain.p--;
	memset(&sum.lookup, 0, 2 * sizeof sum.lookup);
	sum.plain.p--;
	return value_is_uniform(&sum);
}

/* The same on a ring. */
static bool is_on_ring(const struct value *v, struct value *added)
{
	struct value rest = *v;
	memset(rest.remainder, 0, sizeof *rest.remainder);
	return v->remainder->modulus && v->remainder->factor == 1 && !memcmp(&rest, &(struct value){0}, sizeof rest) &&
	       is_relative(&(struct value){.plain = v->remainder->inside}, added);
}

void place_print(const struct place *f, const struct grid *g, struct text *out)
{
	struct value added;
	switch ((enum place_kind)f->kind) {
	case PLACE_NUMBER:
		if (value_is_constant(&f->value) && f->value.plain.constant >= 0)
			text_number(out, (uint64_t)f->value.plain.constant);
		else if (is_relative(&f->value, &added))
			print_offset(&added, out);
		else if (is_on_ring(&f->value, &added))
			print_ring(&added, f->value.remainder->modulus, out);
		else
			value_print(&f->value, out);
		break;
	case PLACE_OFFSET:
		print_offset(&f->value, out);
		break;
	case PLACE_RING:
		print_ring(&f->value, f->modulus, out);
		break;
	case PLACE_XOR:
		text_put(out, "p^");
		if (value_is_constant(&f->value))
			text_format(out, "%lld", (long long)f->value.plain.constant);
		else
			value_print(&f->value, out);
		break;
	case PLACE_GRID:
		for (uint32_t i = 0; i < g->axes; i++) {
			text_put(out, i ? "," : "@(");
			print_coordinate(&f->axis[i], out);
			struct lookup l = place_offset(f, i);
			if (l.table) {
				text_char(out, '+');
				print_table(&l, out);
			}
		}
		text_char(out, ')');
		break;
	case PLACE_NONE:
		break;
	}
}

void area_print(const struct area *a, const struct grid *g, struct text *out)
{
	if (!g->axes) {
		text_char(out, 'p');
		return;
	}
	for (uint32_t i = 0; i < g->axes; i++) {
		text_put(out, i ? "," : "@(");
		if (a->all[i])
			text_char(out, '*');
		else
			print_coordinate(&a->axis[i], out);
	}
	text_char(out, ')');
}
