/*
 * formula.c -- affine functions of a process, its place on the grid and the indices around it:
 * evaluated, printed, read.
 *
 * Factors are small (FACTOR_LIMIT) and constants below CONSTANT_LIMIT, so that without indices no
 * evaluation can overflow; indices may be large, and no sum of 128 bits can overflow by them.
 */
#include "model/formula.h"

#include <string.h>

#include "model/lines.h"

#define FACTOR_LIMIT (INT64_C(1) << 31)
#define CONSTANT_LIMIT (INT64_C(1) << 60)
#define REMAINDER_LIMIT (INT64_C(1) << 30)

static const char axis_name[GRID_AXES] = {'x', 'y', 'z', 'w'};

/* ------------------------------------------------------------------ values */

struct spot grid_spot(const struct grid *g, uint32_t rank)
{
	struct spot s = {.p = rank};
	for (uint32_t i = 0; i < g->axes; i++) {
		s.axis[i] = rank % g->size[i];
		rank /= g->size[i];
	}
	return s;
}

uint64_t grid_ranks(const struct grid *g)
{
	uint64_t product = 1;
	for (uint32_t i = 0; i < g->axes && product <= RANK_LIMIT; i++)
		product *= g->size[i];
	return product;
}

static inline bool has_index(const struct affine *a)
{
	int64_t any = 0;
#pragma GCC unroll 12
	for (int d = 0; d < INDEX_DEPTH; d++)
		any |= a->index[d];
	return any != 0;
}

static __int128 affine_sum(const struct affine *a, const struct spot *s)
{
	__int128 sum = a->constant + a->p * s->p;
	for (int i = 0; i < GRID_AXES; i++)
		sum += a->axis[i] * s->axis[i];
	if (!s->index || !has_index(a))
		return sum;
	for (int d = 0; d < INDEX_DEPTH; d++)
		if (a->index[d])
			sum += (__int128)a->index[d] * s->index[d];
	return sum;
}

static int64_t modulo(int64_t a, int64_t modulus)
{
	int64_t rest = a % modulus;
	return rest < 0 ? rest + modulus : rest;
}

/* Of a sum with indices, which may be wide. */
static int64_t remainder_at(const struct affine *a, const struct spot *s, int64_t modulus)
{
	__int128 sum = affine_sum(a, s);
	return modulo((int64_t)(sum == (int64_t)sum ? sum : sum % modulus), modulus);
}

int64_t grid_nearest(int64_t move, uint32_t size)
{
	int64_t rest = modulo(move, size);
	return 2 * rest > size ? rest - size : rest;
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

uint32_t value_indices(const struct value *v)
{
	uint32_t used = affine_indices(&v->plain);
	for (int i = 0; i < REMAINDERS && v->remainder[i].modulus; i++)
		used |= affine_indices(&v->remainder[i].inside);
	if (!v->lookup.table)
		return used;
	for (uint32_t i = 0; i < table_arguments(v->lookup.table); i++)
		used |= affine_indices(&v->lookup.argument[i].inside);
	return used | INDEX_TABLE;
}

uint32_t place_indices(const struct place *f)
{
	uint32_t used = 0;
	if (f->kind != PLACE_GRID)
		return value_indices(&f->value);
	for (int i = 0; i < GRID_AXES; i++)
		used |= affine_indices(&f->axis[i]);
	return used;
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
	for (uint32_t i = 0; v->lookup.table && i < table_arguments(v->lookup.table); i++)
		uniform = uniform && affine_is_uniform(&v->lookup.argument[i].inside);
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

bool value_in_table(const struct value *v, const struct spot *s)
{
	int64_t entry;
	return !v->lookup.table || lookup_at(&v->lookup, s, &entry);
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
	__int128 sum = affine_sum(&v->plain, s);
	for (int i = 0; i < REMAINDERS && v->remainder[i].modulus; i++)
		sum += remainder_at(&v->remainder[i].inside, s, v->remainder[i].modulus) * v->remainder[i].factor;
	int64_t entry = 0;
	bool found = !v->lookup.table || lookup_at(&v->lookup, s, &entry);
	if (v->lookup.table)
		sum += (__int128)entry * v->lookup.factor;
	*number = (int64_t)sum;
	bool fits = found && *number == sum;
	if (v->test)
		*number = holds(v, *number);
	return fits;
}

int64_t value_most(const struct value *v)
{
	int64_t most = v->plain.constant;
	if (v->test)
		return 1;
	for (int i = 0; i < REMAINDERS && v->remainder[i].modulus; i++)
		most += v->remainder[i].factor > 0 ? (v->remainder[i].modulus - 1) * v->remainder[i].factor : 0;
	if (v->lookup.table)
		most += v->lookup.factor *
			(v->lookup.factor > 0 ? table_most(v->lookup.table) : table_least(v->lookup.table));
	return most;
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

/* A table at constant places is a constant; so is the test of one. */
static bool settle_lookup(struct value *v)
{
	struct lookup *l = &v->lookup;
	bool settled = l->table, good = true;
	for (uint32_t i = 0; l->table && i < table_arguments(l->table); i++)
		settled = settled && affine_is_constant(&l->argument[i].inside);
	if (settled) {
		int64_t entry = 0;
		good = lookup_at(l, &(struct spot){0}, &entry);
		v->plain.constant += entry * l->factor;
	}
	if (settled && good) /* else it stays, and is found to be wrong wherever it is asked for */
		memset(l, 0, sizeof *l);
	if (v->test && !l->table && !v->remainder[0].modulus && affine_is_constant(&v->plain))
		*v = value_of(holds(v, v->plain.constant));
	return good;
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
	bool good = affine_put(&v->plain, index, depth), settle = false;
	for (int i = 0; i < REMAINDERS && v->remainder[i].modulus; i++) {
		struct affine *inside = &v->remainder[i].inside;
		if (!affine_indices(inside))
			continue;
		settle = true;
		good = affine_put(inside, index, depth) && good;
		inside->constant = modulo(inside->constant, v->remainder[i].modulus);
	}
	if (settle)
		settle_remainders(v);
	if (v->lookup.table)
		good = lookup_put(&v->lookup, index, depth) && good;
	if (v->lookup.table || v->test)
		good = settle_lookup(v) && good;
	return good;
}

struct affine grid_coordinate(const struct affine *a, uint32_t size)
{
	static const int64_t none[GRID_AXES];
	struct affine to = *a;
	bool alone = !a->p && !memcmp(a->axis, none, sizeof none);
	to.constant = alone ? modulo(a->constant, size) : grid_nearest(a->constant, size);
	return to;
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
	for (uint32_t i = 0; f->kind == PLACE_GRID && i < g->axes; i++) {
		if (!affine_indices(&f->axis[i]))
			continue;
		good = affine_put(&f->axis[i], index, depth) && good;
		f->axis[i] = grid_coordinate(&f->axis[i], g->size[i]);
	}
	return good;
}

static int64_t ring_at(const struct place *f, const struct spot *s)
{
	struct affine inside = f->value.plain;
	int64_t entry = 0;
	inside.p++;
	if (f->value.lookup.table && lookup_at(&f->value.lookup, s, &entry))
		inside.constant += entry % f->modulus * (f->value.lookup.factor % f->modulus);
	return remainder_at(&inside, s, f->modulus);
}

int64_t place_at(const struct place *f, const struct grid *g, const struct spot *s)
{
	int64_t rank = 0, scale = 1;
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
			rank += remainder_at(&f->axis[i], s, g->size[i]) * scale;
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

uint32_t area_first(const struct area *a, const struct grid *g, const struct spot *s)
{
	uint32_t rank = g->axes ? 0 : (uint32_t)s->p, stride = 1;
	for (uint32_t i = 0; i < g->axes; stride *= g->size[i++])
		rank += a->all[i] ? 0 : stride * (uint32_t)remainder_at(&a->axis[i], s, g->size[i]);
	return rank;
}

bool area_has(const struct area *a, const struct grid *g, const struct spot *s)
{
	for (uint32_t i = 0; i < g->axes; i++)
		if (!a->all[i] && remainder_at(&a->axis[i], s, g->size[i]) != s->axis[i])
			return false;
	return true;
}

/* ------------------------------------------------------------------ one process */

static void affine_put_process(struct affine *a, const struct spot *s)
{
	a->constant += a->p * s->p;
	a->p = 0;
	for (int i = 0; i < GRID_AXES; i++) {
		a->constant += a->axis[i] * s->axis[i];
		a->axis[i] = 0;
	}
}

void value_put_process(struct value *v, const struct spot *s)
{
	affine_put_process(&v->plain, s);
	for (int i = 0; i < REMAINDERS && v->remainder[i].modulus; i++) {
		struct remainder *r = &v->remainder[i];
		affine_put_process(&r->inside, s);
		r->inside.constant = modulo(r->inside.constant, r->modulus);
	}
	settle_remainders(v);
	for (uint32_t i = 0; v->lookup.table && i < table_arguments(v->lookup.table); i++) {
		struct argument *a = &v->lookup.argument[i];
		affine_put_process(&a->inside, s);
		if (a->modulus)
			a->inside.constant = modulo(a->inside.constant, a->modulus);
	}
	if (v->lookup.table || v->test)
		settle_lookup(v);
}

/* Add (inside modulo modulus) * factor. */
static bool add_remainder(struct value *v, struct affine inside, int64_t modulus, int64_t factor)
{
	int used = 0;
	if (!affine_indices(&inside)) {
		v->plain.constant += modulo(inside.constant, modulus) * factor;
		return true;
	}
	while (used < REMAINDERS && v->remainder[used].modulus)
		used++;
	if (used == REMAINDERS)
		return false;
	inside.constant = modulo(inside.constant, modulus);
	v->remainder[used] = (struct remainder){inside, modulus, factor};
	return true;
}

bool place_put_process(struct place *f, const struct grid *g, const struct spot *s)
{
	struct place own = place_of(PLACE_NUMBER, 0);
	struct affine inside;
	int64_t scale = 1;
	bool good = true;
	switch ((enum place_kind)f->kind) {
	case PLACE_NONE:
		return true;
	case PLACE_NUMBER:
	case PLACE_OFFSET:
		own.value = f->value;
		own.value.plain.constant += f->kind == PLACE_OFFSET ? s->p : 0;
		value_put_process(&own.value, s);
		break;
	case PLACE_XOR:
		own.value.plain.constant = s->p ^ f->value.plain.constant;
		good = !f->value.lookup.table;
		break;
	case PLACE_RING:
		inside = f->value.plain;
		inside.constant += s->p;
		good = !f->value.lookup.table && add_remainder(&own.value, inside, f->modulus, 1);
		break;
	case PLACE_GRID:
		for (uint32_t i = 0; i < g->axes && good; scale *= g->size[i++]) {
			inside = f->axis[i];
			affine_put_process(&inside, s);
			good = add_remainder(&own.value, inside, g->size[i], scale);
		}
		break;
	}
	if (good)
		*f = own;
	return good;
}

/* ------------------------------------------------------------------ other indices */

/* False: some index has no place any more. */
typedef bool affine_change(struct affine *, uint32_t how);

static bool value_change(struct value *v, affine_change *change, uint32_t how)
{
	bool good = change(&v->plain, how);
	for (int i = 0; i < REMAINDERS && v->remainder[i].modulus; i++)
		good = change(&v->remainder[i].inside, how) && good;
	for (uint32_t i = 0; v->lookup.table && i < table_arguments(v->lookup.table); i++)
		good = change(&v->lookup.argument[i].inside, how) && good;
	return good;
}

static bool place_change(struct place *f, const struct grid *g, affine_change *change, uint32_t how)
{
	bool good = f->kind == PLACE_GRID || value_change(&f->value, change, how);
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

static bool affine_turn(struct affine *a, uint32_t depth)
{
	for (uint32_t d = 0; d < depth / 2; d++) {
		int64_t other = a->index[depth - 1 - d];
		a->index[depth - 1 - d] = a->index[d];
		a->index[d] = other;
	}
	return true;
}

void value_turn(struct value *v, uint32_t depth)
{
	value_change(v, affine_turn, depth);
}

void place_turn(struct place *f, const struct grid *g, uint32_t depth)
{
	place_change(f, g, affine_turn, depth);
}

static bool affine_deepen(struct affine *a, uint32_t depth)
{
	bool good = !a->index[INDEX_DEPTH - 1];
	memmove(a->index + depth + 1, a->index + depth, (INDEX_DEPTH - 1 - depth) * sizeof *a->index);
	a->index[depth] = 0;
	return good;
}

bool value_deepen(struct value *v, uint32_t depth)
{
	return value_change(v, affine_deepen, depth);
}

bool place_deepen(struct place *f, const struct grid *g, uint32_t depth)
{
	return place_change(f, g, affine_deepen, depth);
}

bool area_deepen(struct area *a, uint32_t depth)
{
	bool good = true;
	for (uint32_t i = 0; i < GRID_AXES; i++)
		good = affine_deepen(&a->axis[i], depth) && good;
	return good;
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

/* $w[i0,(p+1)%7] */
static void print_lookup(const struct lookup *l, struct text *out)
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

/* Nothing but what stands in a table. */
static bool is_bare_lookup(const struct value *v)
{
	static const struct affine none;
	return v->lookup.table && v->lookup.factor == 1 && !v->remainder[0].modulus &&
	       !memcmp(&v->plain, &none, sizeof none);
}

void value_print(const struct value *v, struct text *out)
{
	if (is_bare_lookup(v)) {
		print_lookup(&v->lookup, out);
		return;
	}
	text_char(out, '{');
	bool any = v->lookup.table;
	if (any) {
		print_factor(v->lookup.factor, true, out);
		print_lookup(&v->lookup, out);
	}
	any = print_affine(&v->plain, !any, any, out);
	for (int i = 0; i < REMAINDERS && v->remainder[i].modulus; i++, any = true)
		print_remainder(&v->remainder[i], any, out);
	if (!any)
		text_char(out, '0');
	text_char(out, '}');
}

static void print_set(const struct table *set, struct text *out)
{
	text_char(out, '{');
	for (uint64_t i = 0; i < table_entries(set);) {
		uint64_t last = i;
		while (last + 1 < table_entries(set) && table_entry(set, last + 1) == table_entry(set, last) + 1)
			last++;
		last = last > i + 1 ? last : i;
		text_format(out, "%s%lld", i ? "," : "", (long long)table_entry(set, i));
		if (last > i)
			text_format(out, "..%lld", (long long)table_entry(set, last));
		i = last + 1;
	}
	text_char(out, '}');
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
		print_set(v->among, out);
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
	if (!v->lookup.table)
		return;
	print_factor(v->lookup.factor, false, out);
	print_lookup(&v->lookup, out);
}

void place_print(const struct place *f, const struct grid *g, struct text *out)
{
	switch ((enum place_kind)f->kind) {
	case PLACE_NUMBER:
		if (value_is_constant(&f->value) && f->value.plain.constant >= 0)
			text_number(out, (uint64_t)f->value.plain.constant);
		else
			value_print(&f->value, out);
		break;
	case PLACE_OFFSET:
		print_offset(&f->value, out);
		break;
	case PLACE_RING:
		text_char(out, '(');
		print_offset(&f->value, out);
		text_format(out, ")%%%lld", (long long)f->modulus);
		break;
	case PLACE_XOR:
		text_put(out, "p^");
		if (f->value.lookup.table)
			print_lookup(&f->value.lookup, out);
		else
			text_format(out, "%lld", (long long)f->value.plain.constant);
		break;
	case PLACE_GRID:
		for (uint32_t i = 0; i < g->axes; i++) {
			text_put(out, i ? "," : "@(");
			print_coordinate(&f->axis[i], out);
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

/* ------------------------------------------------------------------ reading */

static bool read_number(const char **at, int64_t limit, int64_t *number, struct error *error)
{
	uint64_t value;
	if (!text_read_number(at, (uint64_t)limit, &value))
		return error_set(error, ERROR_INPUT, "'%.*s' is not a number up to %lld, without leading zeros", SHOWN,
			*at, (long long)limit);
	*number = (int64_t)value;
	return true;
}

/* What an affine expression is read into. */
struct reading {
	const struct scope *scope;
	struct affine *affine;
	bool indices; /* may stand here */
};

static size_t name_length(const char *name)
{
	size_t length = 0;
	while (is_letter(name[length]) || is_digit(name[length]))
		length++;
	return length;
}

/* The innermost loop whose index is called so; SIZE_MAX: none. */
static size_t find_index(const struct scope *scope, const char *name, size_t length)
{
	length = length < INDEX_NAME ? length : INDEX_NAME;
	for (size_t d = scope->depth; d-- > scope->hidden;)
		if (scope->index[d].length == length && !memcmp(scope->index[d].name, name, length))
			return d;
	return SIZE_MAX;
}

static const struct affine *find_parameter(const struct scope *scope, const char *name, size_t length)
{
	for (size_t i = 0; i < scope->parameters; i++)
		if (scope->parameter[i].length == length && !memcmp(scope->parameter[i].name, name, length))
			return &scope->parameter[i].value;
	return NULL;
}

/* The index of a loop around, or what is called so; an index starts at its loop's lower bound. */
static bool read_name(
	const char *name, size_t length, const struct reading *r, struct affine *variable, struct error *error)
{
	const struct grid *g = r->scope->grid;
	size_t index = find_index(r->scope, name, length);
	const struct affine *parameter = index == SIZE_MAX ? find_parameter(r->scope, name, length) : NULL;
	if (index == SIZE_MAX && !parameter && length == 1 && memchr(axis_name, *name, GRID_AXES))
		return error_set(
			error, ERROR_INPUT, "the grid has no coordinate '%c' (it has %u)", *name, g ? g->axes : 0);
	if (index == SIZE_MAX && !parameter)
		return error_set(error, ERROR_INPUT, "'%.*s' is no index of a loop around this line",
			(int)(length < 40 ? length : 40), name);
	if (!r->indices && (!parameter || affine_indices(parameter)))
		return error_set(error, ERROR_INPUT,
			"'%.*s': an index may not stand here, only in tags, peers, roots, communicators and bounds",
			(int)(length < 40 ? length : 40), name);
	if (parameter) {
		*variable = *parameter;
		return true;
	}
	if (index >= INDEX_DEPTH)
		return error_set(
			error, ERROR_INPUT, "indices of loops deeper than %d may not stand in formulas", INDEX_DEPTH);
	variable->index[index] = 1;
	variable->constant = r->scope->index[index].low;
	return true;
}

/* p, x, y, z, w, an index or a parameter. */
static bool read_variable(const char **at, const struct reading *r, struct affine *variable, struct error *error)
{
	const struct grid *g = r->scope->grid;
	const char *name = *at, *found;
	size_t length = name_length(name);
	*variable = (struct affine){0};
	if (!length || !is_letter(*name))
		return error_set(error, ERROR_INPUT,
			"a number or one of p, x, y, z, w or an index is expected, not '%.*s'", SHOWN, name);
	*at += length;
	if (length == 1 && *name == 'p') {
		variable->p = 1;
		return true;
	}
	found = length == 1 && g ? memchr(axis_name, *name, g->axes) : NULL;
	if (found) {
		variable->axis[found - axis_name] = 1;
		return true;
	}
	return read_name(name, length, r, variable, error);
}

static bool add_limited(int64_t *sum, int64_t term, int64_t limit, struct error *error)
{
	*sum += term;
	if (*sum > limit || *sum < -limit)
		return error_set(error, ERROR_INPUT, "a number in a formula is too large");
	return true;
}

static bool add_product(int64_t *sum, int64_t factor, int64_t number, int64_t limit, struct error *error)
{
	if (__builtin_mul_overflow(number, factor, &number) || number > limit || number < -limit)
		return error_set(error, ERROR_INPUT, "a number in a formula is too large");
	return add_limited(sum, number, limit, error);
}

static bool add_variable(struct affine *to, const struct affine *variable, int64_t number, struct error *error)
{
	bool good = add_product(&to->constant, variable->constant, number, CONSTANT_LIMIT, error) &&
		    add_product(&to->p, variable->p, number, FACTOR_LIMIT, error);
	for (int i = 0; i < GRID_AXES && good; i++)
		good = add_product(&to->axis[i], variable->axis[i], number, FACTOR_LIMIT, error);
	for (int i = 0; i < INDEX_DEPTH && good; i++)
		good = add_product(&to->index[i], variable->index[i], number, FACTOR_LIMIT, error);
	return good;
}

/* number, number*variable, variable or variable*number */
static bool read_term(const struct reading *r, const char **at, bool negative, struct error *error)
{
	int64_t number = 1;
	struct affine variable;
	if (is_digit(**at)) {
		if (!read_number(at, CONSTANT_LIMIT, &number, error))
			return false;
		if (**at != '*')
			return add_limited(&r->affine->constant, negative ? -number : number, CONSTANT_LIMIT, error);
		++*at;
		if (!read_variable(at, r, &variable, error))
			return false;
	} else {
		if (!read_variable(at, r, &variable, error))
			return false;
		if (**at == '*') {
			++*at;
			if (!read_number(at, FACTOR_LIMIT, &number, error))
				return false;
		}
	}
	if (number > FACTOR_LIMIT)
		return error_set(
			error, ERROR_INPUT, "a factor in a formula is larger than %lld", (long long)FACTOR_LIMIT);
	return add_variable(r->affine, &variable, negative ? -number : number, error);
}

static bool read_sign(const char **at, bool *negative)
{
	*negative = **at == '-';
	if (**at != '-' && **at != '+')
		return false;
	++*at;
	return true;
}

static bool read_affine(const struct reading *r, const char **at, struct error *error)
{
	bool negative = **at == '-';
	*at += negative;
	do {
		if (!read_term(r, at, negative, error))
			return false;
	} while (read_sign(at, &negative));
	return true;
}

/* (affine)%modulus or (affine)%modulus*factor; also i0%7 */
static bool read_remainder(
	struct value *v, const struct scope *scope, const char **at, bool negative, struct error *error)
{
	int used = 0;
	while (used < REMAINDERS && v->remainder[used].modulus)
		used++;
	if (used == REMAINDERS)
		return error_set(error, ERROR_INPUT, "more than %d remainders in a formula", REMAINDERS);
	struct remainder *r = &v->remainder[used];
	struct reading inside = {scope, &r->inside, true};
	if (is_letter(**at)) {
		if (!read_variable(at, &inside, &r->inside, error))
			return false;
		++*at;
	} else {
		++*at;
		if (!read_affine(&inside, at, error))
			return false;
		if ((*at)[0] != ')' || (*at)[1] != '%')
			return error_set(error, ERROR_INPUT,
				"parentheses in a formula are for remainders, '(x+y)%%4': ')%%' is expected, not '%.*s'",
				SHOWN, *at);
		*at += 2;
	}
	int64_t modulus = 0;
	if (!read_number(at, REMAINDER_LIMIT, &modulus, error))
		return false;
	if (!modulus)
		return error_set(error, ERROR_INPUT, "a remainder modulo 0");
	r->factor = 1;
	if (**at == '*') {
		++*at;
		if (!read_number(at, REMAINDER_LIMIT, &r->factor, error))
			return false;
	}
	r->modulus = modulus;
	r->factor = negative ? -r->factor : r->factor;
	return true;
}

/* (affine)%modulus or affine%modulus or affine, up to the comma or the bracket. */
static bool read_argument(struct argument *a, const struct scope *scope, const char **at, struct error *error)
{
	struct reading inside = {scope, &a->inside, true};
	bool parenthesis = **at == '(';
	*at += parenthesis;
	if (!read_affine(&inside, at, error))
		return false;
	if (parenthesis && *(*at)++ != ')')
		return error_set(error, ERROR_INPUT, "')' is missing in the argument of a table");
	if (**at != '%')
		return true;
	++*at;
	if (!read_number(at, REMAINDER_LIMIT, &a->modulus, error))
		return false;
	a->inside.constant = a->modulus ? modulo(a->inside.constant, a->modulus) : 0;
	return a->modulus || error_set(error, ERROR_INPUT, "a remainder modulo 0");
}

/* $w[i0,p] at *at */
static bool read_lookup(struct value *v, const struct scope *scope, const char **at, struct error *error)
{
	const char *name = *at + 1;
	size_t length = name_length(name);
	uint32_t arguments = 0;
	if (v->lookup.table)
		return error_set(error, ERROR_INPUT, "more than one table in a formula");
	if (!length || name[length] != '[')
		return error_set(error, ERROR_INPUT, "a table is written $NAME[ARGUMENT], not '%.*s'", SHOWN, *at);
	*at = name + length;
	do {
		++*at;
		if (arguments == TABLE_ARGUMENTS)
			return error_set(error, ERROR_INPUT, "a table has at most %d arguments", TABLE_ARGUMENTS);
		if (!read_argument(&v->lookup.argument[arguments++], scope, at, error))
			return false;
	} while (**at == ',');
	if (**at != ']')
		return error_set(
			error, ERROR_INPUT, "']' is expected behind the arguments of a table, not '%.*s'", SHOWN, *at);
	++*at;
	v->lookup.factor = 1;
	if (!scope->table)
		return error_set(error, ERROR_INPUT, "a table may not stand here");
	v->lookup.table = scope->table(scope->context, name, length, arguments, error);
	return v->lookup.table;
}

/* A table, perhaps with a number before it: 2*$w[i0] */
static bool read_product(
	struct value *v, const struct scope *scope, const char **at, bool negative, struct error *error)
{
	int64_t factor = 1;
	if (**at != '$' && !read_number(at, FACTOR_LIMIT, &factor, error))
		return false;
	*at += **at == '*';
	if (!read_lookup(v, scope, at, error))
		return false;
	v->lookup.factor = negative ? -factor : factor;
	return true;
}

/* (x+y)%4, i0%7 */
static bool is_remainder(const char *at)
{
	return *at == '(' || (is_letter(*at) && at[name_length(at)] == '%');
}

static bool is_product(const char *at)
{
	while (is_digit(*at))
		at++;
	return at[0] == '$' || (at[0] == '*' && at[1] == '$');
}

static bool read_value(struct value *v, const struct scope *scope, const char **at, struct error *error)
{
	struct reading plain = {scope, &v->plain, true};
	bool negative = **at == '-';
	*at += negative;
	do {
		bool good = is_remainder(*at) ? read_remainder(v, scope, at, negative, error)
			    : is_product(*at) ? read_product(v, scope, at, negative, error)
					      : read_term(&plain, at, negative, error);
		if (!good)
			return false;
	} while (read_sign(at, &negative));
	return true;
}

bool value_begins(const char *at)
{
	size_t length = *at == '$' ? name_length(at + 1) : 0;
	return *at == '{' || (length && at[1 + length] == '[');
}

bool value_parse(struct value *v, const struct scope *scope, const char **at, struct error *error)
{
	*v = value_of(0);
	error->kind = ERROR_NONE;
	if (**at == '$')
		return read_lookup(v, scope, at, error);
	++*at;
	if (!read_value(v, scope, at, error))
		return false;
	if (**at != '}')
		return error_set(error, ERROR_INPUT, "'}' is expected in a formula, not '%.*s'", SHOWN, *at);
	++*at;
	settle_remainders(v);
	return true;
}

bool sum_parse(struct affine *sum, const struct scope *scope, const char **at, struct error *error)
{
	*sum = (struct affine){0};
	return read_affine(&(struct reading){scope, sum, true}, at, error);
}

/* {3,17,20..30} at *at */
static bool read_set(struct value *v, const char **at, struct error *error)
{
	struct table *set = table_new("", 1);
	const char *close = strchr(*at, '}');
	struct text numbers = {0};
	for (const char *c = *at + 1; close && c < close; c++)
		text_char(&numbers, *c == ',' ? ' ' : *c);
	bool good = **at == '{' && close && close > *at + 1;
	if (!good)
		error_set(error, ERROR_INPUT, "a set of numbers is written {3,17,20..30}, not '%.*s'", SHOWN, *at);
	good = good && table_parse(set, numbers.data, error);
	for (uint64_t i = 1; good && i < table_entries(set); i++)
		if (table_entry(set, i) <= table_entry(set, i - 1))
			good = error_set(error, ERROR_INPUT, "the numbers of a set must ascend");
	text_clear(&numbers);
	if (good) {
		v->among = set;
		*at = close + 1;
	} else {
		table_free(set);
	}
	return good;
}

/* Is this what follows, between blanks? Then step over it. */
static bool accept(const char **at, const char *word)
{
	const char *here = *at;
	while (is_blank(*here))
		here++;
	if (strncmp(here, word, strlen(word)) || here == *at || !is_blank(here[strlen(word)]))
		return false;
	here += strlen(word);
	while (is_blank(*here))
		here++;
	*at = here;
	return true;
}

bool condition_parse(struct value *v, const struct scope *scope, const char **at, struct error *error)
{
	if (!value_begins(*at))
		return error_set(error, ERROR_INPUT,
			"a condition is {i0%%7} = 6, {i0} in {3,17,40} or $g[i0], not '%.*s'", SHOWN, *at);
	if (!value_parse(v, scope, at, error))
		return false;
	bool equal = accept(at, "="), differs = !equal && accept(at, "!="), among = accept(at, "in"),
	     not_among = !among && accept(at, "not in");
	if (equal || differs) {
		bool negative = **at == '-';
		*at += negative;
		v->test = equal ? TEST_EQUAL : TEST_DIFFERS;
		if (!read_number(at, CONSTANT_LIMIT, &v->number, error))
			return false;
		v->number = negative ? -v->number : v->number;
	} else if (among || not_among) {
		v->test = among ? TEST_AMONG : TEST_NOT_AMONG;
		return read_set(v, at, error);
	} else {
		v->test = TEST_DIFFERS; /* from 0 */
	}
	return true;
}

/* all: NULL where a coordinate may not be '*', but depend on indices. */
static bool read_coordinates(
	const struct scope *scope, struct affine *axis, int64_t *all, const char **at, struct error *error)
{
	uint32_t axes = scope->grid->axes;
	if (!axes)
		return error_set(error, ERROR_INPUT, "'@(...)' needs a grid: a header line '// grid NX NY'");
	if ((*at)[0] != '@' || (*at)[1] != '(')
		return error_set(error, ERROR_INPUT, "coordinates are written '@(x,y)', not '%.*s'", SHOWN, *at);
	*at += 2;
	for (uint32_t i = 0; i < axes; i++) {
		if (i && *(*at)++ != ',')
			return error_set(error, ERROR_INPUT, "%u coordinates are expected, as the grid has", axes);
		struct reading coordinate = {scope, &axis[i], !all};
		if (all && **at == '*') {
			all[i] = 1;
			++*at;
		} else if (!read_affine(&coordinate, at, error)) {
			return false;
		}
	}
	if (**at != ')')
		return error_set(error, ERROR_INPUT, "%u coordinates are expected, as the grid has", axes);
	++*at;
	return true;
}

bool area_parse(struct area *a, const struct scope *scope, const char **at, struct error *error)
{
	*a = (struct area){.on_grid = 1};
	if (**at == '@')
		return read_coordinates(scope, a->axis, a->all, at, error);
	++*at;
	for (uint32_t i = 0; i < scope->grid->axes; i++)
		a->axis[i].axis[i] = 1;
	return true;
}

/* {1+i0}, {i0%7} */
static bool read_computed_rank(struct place *f, const struct scope *scope, const char **at, struct error *error)
{
	f->kind = PLACE_NUMBER;
	if (!value_parse(&f->value, scope, at, error))
		return false;
	const struct value *v = &f->value;
	bool moved = v->plain.p == 1 && !v->remainder[0].modulus;
	return v->lookup.table || !moved ||
	       error_set(error, ERROR_INPUT, "a rank that is p and something is written without braces, p+1+i0");
}

/* p, p+1, p-1+2*i0, p+$d[i0] */
static bool read_offset(struct place *f, const struct scope *scope, const char **at, struct error *error)
{
	struct reading r = {scope, &f->value.plain, true};
	f->kind = PLACE_OFFSET;
	for (bool negative; read_sign(at, &negative);)
		if (!(is_product(*at) ? read_product(&f->value, scope, at, negative, error)
				      : read_term(&r, at, negative, error)))
			return false;
	return affine_is_uniform(&f->value.plain) ||
	       error_set(error, ERROR_INPUT, "a rank relative to p is p+1, p-1 or p+1+i0");
}

/* (p+1)%16, (p-1+i0)%16 */
static bool read_ring(struct place *f, const struct scope *scope, const char **at, struct error *error)
{
	if ((*at)[1] != 'p')
		return error_set(error, ERROR_INPUT, "a rank in parentheses is relative to p, on a ring: (p+1)%%8");
	*at += 2;
	if (!read_offset(f, scope, at, error))
		return false;
	if ((*at)[0] != ')' || (*at)[1] != '%')
		return error_set(error, ERROR_INPUT,
			"a rank on a ring is written (p+1)%%8: ')%%' is expected, not '%.*s'", SHOWN, *at);
	*at += 2;
	f->kind = PLACE_RING;
	if (!read_number(at, RANK_LIMIT, &f->modulus, error))
		return false;
	return f->modulus || error_set(error, ERROR_INPUT, "a remainder modulo 0");
}

bool place_parse(struct place *f, const struct scope *scope, const char **at, struct error *error)
{
	*f = (struct place){0};
	if (**at == '@') {
		f->kind = PLACE_GRID;
		return read_coordinates(scope, f->axis, NULL, at, error);
	}
	if (value_begins(*at))
		return read_computed_rank(f, scope, at, error);
	if (**at == '(')
		return read_ring(f, scope, at, error);
	if (**at != 'p') {
		f->kind = PLACE_NUMBER;
		return read_number(at, RANK_LIMIT - 1, &f->value.plain.constant, error);
	}
	++*at;
	if (**at != '^')
		return read_offset(f, scope, at, error);
	++*at;
	f->kind = PLACE_XOR;
	if (value_begins(*at) && **at == '$')
		return value_parse(&f->value, scope, at, error);
	return read_number(at, RANK_LIMIT - 1, &f->value.plain.constant, error);
}
