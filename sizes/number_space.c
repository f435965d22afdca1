/*
 * number_space.c -- a line through two runs that differ, proven on the others; an interval of c.
 */
#include "sizes/number_space.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/gcd.h"
#include "base/mem.h"
#include "base/text.h"
#include "model/module.h"

/* Points along an edge of the whole, that are tried; planes that a block has beyond its own. */
#define WHOLE_MOST 2048
#define BEYOND_MOST 2

/* Numbers of functions: a divisor of T, or what T is divided by; the same where each rest is a case. */
#define MODULUS_MOST 64
#define CASES_MOST 8
#define TIMES_NONE INT64_MIN
#define MORE_NONE (-1)
#define TERM_NONE UINT32_MAX

/* Of more bytes an element is a block, which no number needs that an exact division explains. */
#define ELEMENT_MOST 8

/* What is tried: T, and the free numbers. */
struct trial {
	enum formula_kind kind;
	bool proven;
	uint32_t a, b; /* T is a, a*b or a function of one of these; by their numbers, or TERM_NONE */
	enum term_function of;
	int64_t k, rest; /* IS_MODULO: T%k==rest */
	int64_t factor, add, divisor; /* LINEAR */
	int64_t least, most, unit; /* c of the others, which are linear in it; of BLOCKS N, and u */
	int64_t times, more[2]; /* of BLOCKS: m is T+times, TIMES_NONE: 1; a, b */
	uint32_t whole; /* of BLOCKS: N, a parameter; TERM_NONE: the number */
};

/* Of t, which is above 0; below 0: there is none. */
static int64_t function_at(const struct trial *f, int64_t t)
{
	switch (f->of) {
	case ITSELF:
		return t;
	case LOG2:
		return t & (t - 1) ? -1 : floor_log2(t);
	case LOG2_UP:
		return ceil_log2(t);
	case LOG2_DOWN:
		return floor_log2(t);
	case ROOT:
		return floor_root(t);
	case ABOVE_POWER:
		return t - (INT64_C(1) << floor_log2(t));
	case GCD_OF:
		return (int64_t)gcd((uint64_t)f->k, (uint64_t)t);
	case LEAST_OF:
		return t < f->k ? t : f->k;
	case REST_OF:
		return f->k % t;
	case MODULO:
		return t % f->k;
	case IS_MODULO:
		return t % f->k == f->rest;
	}
	return -1;
}

/* T; false: there is none. */
static bool term_at(const struct trial *f, const struct extents *x, int64_t *value)
{
	*value = f->a == TERM_NONE ? 1 : extents_term(x, f->a);
	if (f->b != TERM_NONE && __builtin_mul_overflow(*value, extents_term(x, f->b), value))
		return false;
	if (f->of != ITSELF)
		*value = *value > 0 ? function_at(f, *value) : -1;
	return f->of == ITSELF || *value >= 0;
}

/* m*face */
static int64_t blocks_at(const struct trial *f, const struct extents *x)
{
	int64_t t = extents_term(x, f->a), whole = f->whole == TERM_NONE ? f->least : extents_term(x, f->whole), all;
	if (t < 1)
		return 0;
	int64_t block = ceil_of(whole, t);
	bool beyond = __builtin_mul_overflow(f->unit, f->times == TIMES_NONE ? 1 : t + f->times, &all) ||
		      __builtin_mul_overflow(all, block + f->more[0], &all) ||
		      (f->more[1] != MORE_NONE && __builtin_mul_overflow(all, block + f->more[1], &all));
	return beyond ? 0 : all;
}

struct space {
	const struct learned_runs *runs;
	const int64_t *value;
	int64_t *term; /* by run, of the function at hand */
	struct formula *formula;
	size_t length, capacity;
	bool rivals; /* look for these: few different T are enough */
	bool proven; /* has one of them fewer free numbers than it explains? */
};

/* ------------------------------------------------------------------ as nodes */

uint32_t extent_along(const struct extents *x, uint32_t axis)
{
	return axis == GRID_AXES ? x->processes : x->grid.size[axis];
}

node_id extent_number(struct store *s, uint32_t axis)
{
	return number_variable(s, axis == GRID_AXES ? VARIABLE_RANKS : VARIABLE_SIZE + (int64_t)axis);
}

node_id coordinate_number(struct store *s, uint32_t axis)
{
	return number_variable(s, axis == GRID_AXES ? VARIABLE_P : VARIABLE_X + (int64_t)axis);
}

const char table_axes[] = "xyzwp";

uint32_t axis_of_table(const struct node *table)
{
	return (uint32_t)(strchr(table_axes, table->sub) - table_axes);
}

node_id number_times(struct store *s, node_id factor, node_id number)
{
	const struct node *n = node_of(s, number);
	int64_t one;
	if ((number_is_constant(s, factor, &one) && one == 1) || (n->kids == 1 && !n->number) || !n->kids)
		return number_multiply(s, factor, number);
	return number_of_factor(s, node_make(s, NODE_PRODUCT, 0, 0, 0, 2, (node_id[]){factor, number}));
}

node_id function_number(struct store *s, enum node_function f, node_id a, node_id b, node_id c)
{
	return number_function(s, f, (node_id[]){a, b, c});
}

static node_id term_of_run(const struct space *s, uint32_t k)
{
	uint32_t axes = s->runs->run->grid.axes;
	return k > axes ? number_variable(s->runs->store, VARIABLE_SYMBOL + (int64_t)(k - axes) - 1)
			: extent_number(s->runs->store, k ? k - 1 : GRID_AXES);
}

static node_id function_of(const struct space *s, enum node_function f, node_id a, node_id b)
{
	return function_number(s->runs->store, f, a, b, NODE_NONE);
}

static node_id term_node(const struct space *s, const struct trial *f)
{
	static const enum node_function function[] = {[LOG2] = FUNCTION_LOG2,
		[LOG2_UP] = FUNCTION_LOG2UP,
		[LOG2_DOWN] = FUNCTION_LOG2DOWN,
		[ROOT] = FUNCTION_ISQRT,
		[ABOVE_POWER] = FUNCTION_LOG2DOWN,
		[GCD_OF] = FUNCTION_GCD,
		[LEAST_OF] = FUNCTION_MIN};
	struct store *store = s->runs->store;
	node_id t = f->a == TERM_NONE ? number_constant(store, 1) : term_of_run(s, f->a);
	node_id k = number_constant(store, f->k);
	if (f->b != TERM_NONE)
		t = number_multiply(store, t, term_of_run(s, f->b));
	switch (f->of) {
	case ITSELF:
		return t;
	case ABOVE_POWER:
		return number_add(store, t,
			number_power(store, number_constant(store, 2), function_of(s, FUNCTION_LOG2DOWN, t, 0)), -1);
	case REST_OF:
		return number_remainder(store, k, t);
	case MODULO:
		return number_remainder(store, t, k);
	case IS_MODULO:
		return function_of(s, FUNCTION_EQUAL, number_remainder(store, t, k), number_constant(store, f->rest));
	default:
		return function_of(s, function[f->of], t, k);
	}
}

static node_id times(struct store *s, int64_t factor, node_id number)
{
	return number_times(s, number_constant(s, factor), number);
}

static node_id blocks_node(const struct space *s, const struct trial *f)
{
	struct store *store = s->runs->store;
	node_id t = term_node(s, f),
		whole = f->whole == TERM_NONE ? number_constant(store, f->least) : term_of_run(s, f->whole);
	node_id block = function_of(s, FUNCTION_CEIL, whole, t), all = NODE_NONE;
	if (f->times != TIMES_NONE)
		all = number_add(store, t, number_constant(store, f->times), 1);
	for (int k = 0; k < 2 && f->more[k] != MORE_NONE; k++) {
		node_id face = number_add(store, block, number_constant(store, f->more[k]), 1);
		all = all ? number_multiply(store, all, face) : face;
	}
	return times(store, f->unit, all);
}

static node_id formula_with(const struct space *s, const struct trial *f, int64_t c)
{
	struct store *store = s->runs->store;
	node_id t = term_node(s, f), number = number_constant(store, c), sum;
	switch (f->kind) {
	case FORMULA_CONSTANT:
		return number_constant(store, f->add);
	case FORMULA_LINEAR:
		sum = number_add(store, number_constant(store, f->add), times(store, llabs(f->factor), t),
			f->factor < 0 ? -1 : 1);
		return f->divisor == 1 ? sum
				       : function_of(s, FUNCTION_DIVIDED, sum, number_constant(store, f->divisor));
	case FORMULA_INVERSE:
		return function_of(s, FUNCTION_DIVIDED, number, t);
	case FORMULA_CEIL:
		return times(store, f->unit, function_of(s, FUNCTION_CEIL, number, t));
	case FORMULA_FLOOR:
		return times(store, f->unit, function_of(s, FUNCTION_FLOOR, number, t));
	case FORMULA_BLOCKS:
		return blocks_node(s, f);
	}
	return NODE_NONE;
}

static int64_t length_of(const struct trial *f)
{
	int64_t length = 10 * f->kind + 4 * (f->b != TERM_NONE) + 2 * (int64_t)f->of;
	if (f->kind == FORMULA_LINEAR) {
		length += (f->factor != 1) + 3 * (f->divisor != 1) + (f->add != 0 ? 1 + (llabs(f->add) > 2) : 0);
		length += f->factor != 1 && f->add ? 3 : 0;
		length = length > 40 ? 40 : length;
	}
	/* an extent before P */
	return 2 * length + (f->a == 0);
}

static void keep(struct space *s, const struct trial *f)
{
	struct formula made = {f->kind, f->of, f->a, f->proven, f->unit, length_of(f), formula_with(s, f, f->least), 0};
	bool interval = f->kind == FORMULA_CEIL || f->kind == FORMULA_FLOOR;
	made.most = interval && f->most != f->least ? formula_with(s, f, f->most) : made.least;
	if (!made.least || !made.most)
		return;
	s->proven |= f->proven;
	*MEM_PUSH(s->formula, s->length, s->capacity) = made;
}

node_id formula_node(const struct formula *f)
{
	return f->kind == FORMULA_CEIL ? f->most : f->least;
}

bool formula_range(const struct learned_runs *runs, const struct formula *f, const struct extents *x, int64_t *least,
	int64_t *most)
{
	struct environment at = extents_environment(x, runs->store);
	*least = *most = number_at(&at, f->least);
	if (f->most != f->least)
		*most = number_at(&at, f->most);
	return !at.failure;
}

bool formulas_agree(
	const struct learned_runs *runs, const struct formula *f, size_t count, const struct extents *x, int64_t value)
{
	bool agree = count > 0;
	for (size_t i = 0; i < count && agree; i++) {
		int64_t least, most;
		agree = formula_range(runs, &f[i], x, &least, &most) && least == value && most == value;
	}
	return agree;
}

void number_text(const struct learned_runs *runs, node_id number, struct text *to)
{
	struct module names = {.store = runs->store, .parametric = true, .symbols = runs->run->parameters};
	for (uint32_t k = 0; k < names.symbols; k++) {
		const char *name = runs->run->parameter[k].name;
		names.symbol[k] = store_word(runs->store, name, strlen(name));
	}
	node_print_sum(&names, number, 0, to);
}

void formula_print(const struct learned_runs *runs, const struct formula *f, struct text *to)
{
	number_text(runs, formula_node(f), to);
}

/* ------------------------------------------------------------------ what explains the runs */

static size_t distinct(const int64_t *t, size_t length)
{
	size_t count = 0;
	for (size_t i = 0; i < length; i++) {
		size_t k = 0;
		while (t[k] != t[i])
			k++;
		count += k == i;
	}
	return count;
}

/* T, or a logarithm of it. Formulas of other functions need fewer free numbers than there are
   runs. */
static bool is_plain(enum term_function of)
{
	return of <= LOG2_UP;
}

static bool line_explains(const struct space *s, const struct trial *f, const int64_t *t)
{
	bool good = true;
	for (size_t r = 0; r < s->runs->length && good; r++)
		good = (__int128)f->factor * t[r] + f->add == (__int128)s->value[r] * f->divisor;
	return good;
}

/* (a*T+b)/d through two runs. own: so many free numbers has the function. */
static void find_line(struct space *s, struct trial f, const int64_t *t, size_t own)
{
	size_t k = 1, runs = s->runs->length;
	while (k < runs && t[k] == t[0])
		k++;
	if (k == runs)
		return;
	int64_t rise = s->value[k] - s->value[0], run = t[k] - t[0];
	if (!rise)
		return;
	int64_t divisor = (int64_t)gcd((uint64_t)llabs(rise), (uint64_t)llabs(run));
	f.kind = FORMULA_LINEAR;
	f.factor = (run < 0 ? -rise : rise) / divisor;
	f.divisor = llabs(run) / divisor;
	__int128 add = (__int128)s->value[0] * f.divisor - (__int128)f.factor * t[0];
	if (add > INT64_MAX / 2 || add < -INT64_MAX / 2)
		return;
	f.add = (int64_t)add;
	if (f.of == REST_OF && (f.factor < 0 || (f.add && f.add != f.factor)))
		return; /* it, or, of a count, one more */
	if (!line_explains(s, &f, t))
		return;
	bool one = f.divisor == 1 && (!f.add || f.factor == 1 || f.factor == -1); /* free number, two runs */
	bool fewer = own + (!one ? 2 : f.factor != 1 || f.add) < runs; /* free numbers than runs */
	f.proven = (one || distinct(t, runs) > 2) && (is_plain(f.of) || fewer);
	if (is_plain(f.of) || (s->rivals ? fewer : f.proven))
		keep(s, &f);
}

static void find_inverse(struct space *s, struct trial f, const int64_t *t)
{
	f.kind = FORMULA_INVERSE;
	if (!t[0] || __builtin_mul_overflow(t[0], s->value[0], &f.least))
		return;
	f.proven = true;
	bool good = f.least != 0;
	for (size_t r = 0; r < s->runs->length && good; r++)
		good = (__int128)t[r] * s->value[r] == f.least;
	if (good)
		keep(s, &f);
}

/* u*ceil(c,T) = v: T*(v/u-1) < c <= T*v/u; of floor T*v/u <= c < T*(v/u+1). */
static void find_rounded(struct space *s, struct trial f, const int64_t *t, bool up, int64_t unit)
{
	f.kind = up ? FORMULA_CEIL : FORMULA_FLOOR;
	f.unit = unit;
	f.least = INT64_MIN;
	f.most = INT64_MAX;
	for (size_t r = 0; r < s->runs->length; r++) {
		__int128 whole = (__int128)(s->value[r] / unit) * t[r], least = up ? whole - t[r] + 1 : whole,
			 most = up ? whole : whole + t[r] - 1;
		if (t[r] <= 0 || s->value[r] <= 0 || s->value[r] % unit || most > INT64_MAX / 2)
			return;
		f.least = (int64_t)least > f.least ? (int64_t)least : f.least;
		f.most = (int64_t)most < f.most ? (int64_t)most : f.most;
	}
	f.proven = distinct(t, s->runs->length) > 2; /* intervals are easily met */
	if (f.least <= f.most && f.most > 0)
		keep(s, &f);
}

/* f at the run of the most blocks, whose faces are the fewest numbers: u follows from the value. */
static void find_block(struct space *s, struct trial f, size_t run)
{
	f.unit = 1;
	int64_t face = blocks_at(&f, &s->runs->run[run]);
	bool good = face > 0 && s->value[run] % face == 0;
	f.unit = good ? s->value[run] / face : 0;
	for (size_t r = 0; r < s->runs->length && good; r++)
		good = blocks_at(&f, &s->runs->run[r]) == s->value[r];
	if (good)
		keep(s, &f);
}

/* All wholes; those with the same blocks in this run have the same face there. */
static void find_wholes(struct space *s, struct trial f, uint32_t axes, size_t run)
{
	uint32_t terms = extents_terms(&s->runs->run[0]);
	int64_t t = extents_term(&s->runs->run[run], f.a);
	for (f.whole = 1 + axes; f.whole < terms; f.whole++)
		find_block(s, f, run);
	f.whole = TERM_NONE;
	f.unit = 1;
	for (int64_t most = t; most < WHOLE_MOST + t; most += t) {
		f.least = most;
		int64_t face = blocks_at(&f, &s->runs->run[run]);
		for (f.least = most - t + 1; face > 0 && s->value[run] % face == 0 && f.least <= most; f.least++)
			if (f.least > 1 && f.least <= WHOLE_MOST)
				find_block(s, f, run);
	}
}

static void find_blocks(struct space *s, uint32_t axes)
{
	static const int64_t times[] = {TIMES_NONE, 0, -1, 1};
	struct trial f = {.kind = FORMULA_BLOCKS, .b = TERM_NONE};
	for (size_t r = 0; r < s->runs->length; r++)
		if (s->value[r] <= 0)
			return;
	int64_t *t = mem_array(s->runs->length, sizeof *t);
	for (f.a = axes ? 1 : 0; f.a <= axes; f.a++) {
		size_t run = 0;
		for (size_t r = 0; r < s->runs->length; r++) {
			t[r] = extents_term(&s->runs->run[r], f.a);
			run = t[r] > t[run] ? r : run;
		}
		f.proven = distinct(t, s->runs->length) > 2;
		for (size_t m = 0; m < sizeof times / sizeof *times; m++)
			for (f.more[0] = 0; f.more[0] <= BEYOND_MOST; f.more[0]++)
				for (f.more[1] = MORE_NONE; f.more[1] <= f.more[0]; f.more[1]++) {
					f.times = times[m];
					find_wholes(s, f, axes, run);
				}
	}
	free(t);
}

/* What is T itself in all runs is none. */
static void find_function(struct space *s, struct trial f, size_t own)
{
	bool good = true, itself = true;
	for (size_t r = 0; r < s->runs->length && good; r++) {
		good = term_at(&f, &s->runs->run[r], &s->term[r]);
		itself &= s->term[r] == extents_term(&s->runs->run[r], f.a);
	}
	if (good && !itself)
		find_line(s, f, s->term, own);
}

/* Those of T alone, and parity; those with a number of their own. */
static const struct functions {
	enum term_function of;
	int64_t least, most; /* number */
} functions[] = {{LOG2_DOWN, 0, 0}, {ROOT, 0, 0}, {ABOVE_POWER, 0, 0}, {MODULO, 2, 2}},
  functions_of_numbers[] = {{GCD_OF, 3, MODULUS_MOST}, {MODULO, 3, MODULUS_MOST}, {IS_MODULO, 3, CASES_MOST},
	  {LEAST_OF, 2, WHOLE_MOST}, {REST_OF, 2, WHOLE_MOST}};

static void find_functions(struct space *s, const struct functions *from, size_t count)
{
	uint32_t terms = extents_terms(&s->runs->run[0]);
	for (uint32_t a = 0; a < terms; a++)
		for (size_t i = 0; i < count; i++) {
			struct trial f = {.a = a, .b = TERM_NONE, .of = from[i].of, .divisor = 1};
			for (f.k = from[i].least; f.k <= from[i].most; f.k++)
				for (f.rest = 0; f.rest < (f.of == IS_MODULO ? f.k : 1); f.rest++)
					find_function(s, f, f.k > 2);
		}
}

static void find_with(struct space *s, uint32_t a, uint32_t b, enum term_function of)
{
	struct trial f = {.a = a, .b = b, .of = of, .divisor = 1};
	int64_t *t = s->term, unit = 0;
	bool good = true, varies = false;
	for (size_t r = 0; r < s->runs->length && good; r++) {
		good = term_at(&f, &s->runs->run[r], &t[r]);
		varies |= good && t[r] != t[0];
		unit = (int64_t)gcd((uint64_t)unit, (uint64_t)llabs(s->value[r]));
	}
	if (good && varies) {
		find_line(s, f, t, 0);
		if (of == ITSELF) {
			find_inverse(s, f, t);
			const int64_t units[] = {1, 4, 8, unit};
			for (size_t k = 0; k < sizeof units / sizeof *units; k++)
				for (int up = 0; up < 2 && units[k] > 0; up++)
					if (k < 3 || unit > 8 || unit == 2)
						find_rounded(s, f, t, up, units[k]);
		}
	}
}

static int by_length(const void *a, const void *b)
{
	const struct formula *x = a, *y = b;
	return x->length != y->length ? COMPARE(x->length, y->length) : COMPARE(x->term, y->term);
}

static bool all_same(const struct learned_runs *runs, const int64_t *value)
{
	bool same = true;
	for (size_t r = 1; r < runs->length; r++)
		same &= value[r] == value[0];
	return same;
}

size_t formulas_of(const struct learned_runs *runs, const int64_t *value, struct formula **formula)
{
	struct space s = {.runs = runs, .value = value, .term = mem_array(runs->length + 1, sizeof *s.term)};
	bool same = all_same(runs, value);
	if (same)
		keep(&s, &(struct trial){
				 FORMULA_CONSTANT, .proven = true, .a = TERM_NONE, .b = TERM_NONE, .add = value[0]});
	uint32_t terms = extents_terms(&runs->run[0]);
	for (uint32_t a = 0; a < terms && !same; a++) {
		find_with(&s, a, TERM_NONE, ITSELF);
		find_with(&s, a, TERM_NONE, LOG2);
		for (uint32_t b = a; b < terms; b++) {
			find_with(&s, a, b, ITSELF);
			if (b > a)
				find_with(&s, a, b, LOG2);
		}
	}
	int64_t shortest = INT64_MAX;
	for (size_t i = 0; i < s.length; i++)
		if (s.formula[i].proven && s.formula[i].length < shortest)
			shortest = s.formula[i].length;
	for (uint32_t a = 0; a < terms && !same; a++) {
		size_t before = s.length;
		find_with(&s, a, TERM_NONE, LOG2_UP);
		if (s.length > before && s.formula[before].length >= shortest)
			s.length = before;
	}
	if (!same && !s.proven)
		find_functions(&s, functions, sizeof functions / sizeof *functions);
	if (!same && !s.proven)
		find_blocks(&s, runs->run[0].grid.axes);
	if (!same && !s.proven)
		find_functions(&s, functions_of_numbers, sizeof functions_of_numbers / sizeof *functions_of_numbers);
	free(s.term);
	size_t kept = 0;
	bool divided = false;
	for (size_t i = 0; i < s.length; i++)
		divided |= s.formula[i].kind == FORMULA_INVERSE;
	for (size_t i = 0; i < s.length; i++) {
		const struct formula *f = &s.formula[i];
		bool coarse = (f->kind == FORMULA_CEIL || f->kind == FORMULA_FLOOR) && f->unit > ELEMENT_MOST;
		if ((f->proven || !s.proven) && !(divided && coarse))
			s.formula[kept++] = *f;
	}
	s.length = kept;
	if (s.length)
		qsort(s.formula, s.length, sizeof *s.formula, by_length);
	if (s.length && !is_plain(s.formula->of))
		s.length = 1; /* the others are its rivals */
	*formula = s.formula;
	return s.length;
}

size_t rivals_of(const struct learned_runs *runs, const int64_t *value, struct formula **formula)
{
	struct space s = {.runs = runs, .value = value, .rivals = true};
	bool term = false; /* is it one, or a multiple? Then it is nothing else */
	*formula = NULL;
	if (all_same(runs, value))
		return 0;
	s.term = mem_array(runs->length + 1, sizeof *s.term);
	for (uint32_t a = 0; a < extents_terms(&runs->run[0]); a++) {
		find_with(&s, a, TERM_NONE, LOG2_UP);
		int64_t first = extents_term(runs->run, a);
		bool multiple = true;
		for (size_t r = 0; r < runs->length && multiple; r++)
			multiple = first && value[0] / first * extents_term(&runs->run[r], a) == value[r];
		term |= multiple;
	}
	find_functions(&s, functions, term ? 0 : sizeof functions / sizeof *functions);
	find_functions(&s, functions_of_numbers, term ? 0 : sizeof functions_of_numbers / sizeof *functions_of_numbers);
	free(s.term);
	*formula = s.formula;
	return s.length;
}
