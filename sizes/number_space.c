/*
 * number_space.c -- a line through two runs that differ, proven on the others; an interval of c.
 */
#include "sizes/number_space.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/compare.h"
#include "base/gcd.h"
#include "base/mem.h"

/* Points along an edge of the whole, that are tried; planes that a block has beyond its own. */
#define WHOLE_MOST 2048
#define BEYOND_MOST 2

/* Numbers of functions: a divisor of T, or what T is divided by; the same where each rest is a case. */
#define MODULUS_MOST 64
#define CASES_MOST 8
#define TIMES_NONE INT64_MIN
#define MORE_NONE (-1)

/* Of more bytes an element is a block, which no number needs that an exact division explains. */
#define ELEMENT_MOST 8

/* Of t, which is above 0; below 0: there is none. */
static int64_t function_at(const struct formula *f, int64_t t)
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
static bool formula_term(const struct formula *f, const struct extents *x, int64_t *value)
{
	*value = f->a == TERM_NONE ? 1 : extents_term(x, f->a);
	if (f->b != TERM_NONE && __builtin_mul_overflow(*value, extents_term(x, f->b), value))
		return false;
	if (f->of != ITSELF)
		*value = *value > 0 ? function_at(f, *value) : -1;
	return f->of == ITSELF || *value >= 0;
}

/* Of one face; m*face. */
static int64_t blocks_at(const struct formula *f, const struct extents *x, int64_t t)
{
	int64_t whole = f->whole == TERM_NONE ? f->least : extents_term(x, f->whole), block = ceil_of(whole, t), all;
	bool beyond = __builtin_mul_overflow(f->unit, f->times == TIMES_NONE ? 1 : t + f->times, &all) ||
		      __builtin_mul_overflow(all, block + f->more[0], &all) ||
		      (f->more[1] != MORE_NONE && __builtin_mul_overflow(all, block + f->more[1], &all));
	return beyond ? 0 : all;
}

bool formula_range(const struct formula *f, const struct extents *x, int64_t *least, int64_t *most)
{
	int64_t t;
	if (!formula_term(f, x, &t))
		return false;
	switch (f->kind) {
	case FORMULA_CONSTANT:
		*least = *most = f->add;
		return true;
	case FORMULA_LINEAR:
		if (__builtin_mul_overflow(t, f->factor, &t) || __builtin_add_overflow(t, f->add, &t) || t % f->divisor)
			return false;
		*least = *most = t / f->divisor;
		return true;
	case FORMULA_INVERSE:
		*least = *most = t ? f->least / t : 0;
		return t && f->least % t == 0;
	case FORMULA_BLOCKS:
		*least = *most = t > 0 ? blocks_at(f, x, t) : 0;
		return t > 0;
	case FORMULA_CEIL:
		return t > 0 && !__builtin_mul_overflow(f->unit, ceil_of(f->least, t), least) &&
		       !__builtin_mul_overflow(f->unit, ceil_of(f->most, t), most);
	case FORMULA_FLOOR:
		return t > 0 && !__builtin_mul_overflow(f->unit, floor_of(f->least, t), least) &&
		       !__builtin_mul_overflow(f->unit, floor_of(f->most, t), most);
	}
	return false;
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

static void keep(struct space *s, const struct formula *f)
{
	s->proven |= f->proven;
	*MEM_PUSH(s->formula, s->length, s->capacity) = *f;
}

static bool explains(const struct space *s, const struct formula *f)
{
	for (size_t r = 0; r < s->runs->length; r++) {
		int64_t least, most;
		if (!formula_range(f, &s->runs->run[r], &least, &most) || least != s->value[r] || most != s->value[r])
			return false;
	}
	return true;
}

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
static bool is_plain(const struct formula *f)
{
	return f->of <= LOG2_UP;
}

/* (a*T+b)/d through two runs. own: so many free numbers has the function. */
static void find_line(struct space *s, struct formula f, const int64_t *t, size_t own)
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
	if (!explains(s, &f))
		return;
	bool one = f.divisor == 1 && (!f.add || f.factor == 1 || f.factor == -1); /* free number, two runs */
	bool fewer = own + (!one ? 2 : f.factor != 1 || f.add) < runs; /* free numbers than runs */
	f.proven = (one || distinct(t, runs) > 2) && (is_plain(&f) || fewer);
	if (is_plain(&f) || (s->rivals ? fewer : f.proven))
		keep(s, &f);
}

static void find_inverse(struct space *s, struct formula f, const int64_t *t)
{
	f.kind = FORMULA_INVERSE;
	if (!t[0] || __builtin_mul_overflow(t[0], s->value[0], &f.least))
		return;
	f.proven = true;
	if (f.least && explains(s, &f))
		keep(s, &f);
}

/* u*ceil(c,T) = v: T*(v/u-1) < c <= T*v/u; of floor T*v/u <= c < T*(v/u+1). */
static void find_rounded(struct space *s, struct formula f, const int64_t *t, bool up, int64_t unit)
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
static void find_block(struct space *s, struct formula f, size_t run)
{
	int64_t t = extents_term(&s->runs->run[run], f.a), face;
	f.unit = 1;
	face = blocks_at(&f, &s->runs->run[run], t);
	if (face < 1 || s->value[run] % face)
		return;
	f.unit = s->value[run] / face;
	if (explains(s, &f))
		keep(s, &f);
}

/* All wholes; those with the same blocks in this run have the same face there. */
static void find_wholes(struct space *s, struct formula f, uint32_t axes, size_t run)
{
	uint32_t terms = extents_terms(&s->runs->run[0]);
	int64_t t = extents_term(&s->runs->run[run], f.a);
	for (f.whole = 1 + axes; f.whole < terms; f.whole++)
		find_block(s, f, run);
	f.whole = TERM_NONE;
	f.unit = 1;
	for (int64_t most = t; most < WHOLE_MOST + t; most += t) {
		f.least = most;
		int64_t face = blocks_at(&f, &s->runs->run[run], t);
		for (f.least = most - t + 1; face > 0 && s->value[run] % face == 0 && f.least <= most; f.least++)
			if (f.least > 1 && f.least <= WHOLE_MOST)
				find_block(s, f, run);
	}
}

static void find_blocks(struct space *s, uint32_t axes)
{
	static const int64_t times[] = {TIMES_NONE, 0, -1, 1};
	struct formula f = {.kind = FORMULA_BLOCKS, .b = TERM_NONE};
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
static void find_function(struct space *s, struct formula f, size_t own)
{
	bool good = true, itself = true;
	for (size_t r = 0; r < s->runs->length && good; r++) {
		good = formula_term(&f, &s->runs->run[r], &s->term[r]);
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
			struct formula f = {.a = a, .b = TERM_NONE, .of = from[i].of, .divisor = 1};
			for (f.k = from[i].least; f.k <= from[i].most; f.k++)
				for (f.rest = 0; f.rest < (f.of == IS_MODULO ? f.k : 1); f.rest++)
					find_function(s, f, f.k > 2);
		}
}

static void find_with(struct space *s, uint32_t a, uint32_t b, enum term_function of)
{
	struct formula f = {.a = a, .b = b, .of = of, .divisor = 1};
	int64_t *t = s->term, unit = 0;
	bool good = true, varies = false;
	for (size_t r = 0; r < s->runs->length && good; r++) {
		good = formula_term(&f, &s->runs->run[r], &t[r]);
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

int64_t formula_length(const struct formula *f)
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

static int by_length(const void *a, const void *b)
{
	int64_t x = formula_length(a), y = formula_length(b);
	return x != y ? (x > y) - (x < y) : COMPARE(((const struct formula *)a)->a, ((const struct formula *)b)->a);
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
		keep(&s, &(struct formula){
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
		if (s.formula[i].proven && formula_length(&s.formula[i]) < shortest)
			shortest = formula_length(&s.formula[i]);
	for (uint32_t a = 0; a < terms && !same; a++) {
		size_t before = s.length;
		find_with(&s, a, TERM_NONE, LOG2_UP);
		if (s.length > before && formula_length(&s.formula[before]) >= shortest)
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
	if (s.length && !is_plain(s.formula))
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
		int64_t first = extents_term(runs->run, a), factor = first ? value[0] / first : 0;
		term |= explains(
			&s, &(struct formula){FORMULA_LINEAR, true, a, .b = TERM_NONE, .factor = factor, .divisor = 1});
	}
	find_functions(&s, functions, term ? 0 : sizeof functions / sizeof *functions);
	find_functions(&s, functions_of_numbers, term ? 0 : sizeof functions_of_numbers / sizeof *functions_of_numbers);
	free(s.term);
	*formula = s.formula;
	return s.length;
}

bool formulas_agree(const struct formula *f, size_t count, const struct extents *x, int64_t value)
{
	bool agree = count > 0;
	for (size_t i = 0; i < count && agree; i++) {
		int64_t least, most;
		agree = formula_range(&f[i], x, &least, &most) && least == value && most == value;
	}
	return agree;
}

static void term_text(const struct formula *f, const struct extents *names, struct text *to)
{
	static const char *const form[] = {"T", "log2(T)", "log2up(T)", "log2down(T)", "isqrt(T)", "(T-2^log2down(T))",
		"gcd(T,K)", "min(T,K)", "(K%T)", "(T%K)", "(T%K==R)"};
	for (const char *at = form[f->of]; *at; at++) {
		if (*at == 'K' || *at == 'R')
			text_format(to, "%" PRId64, *at == 'K' ? f->k : f->rest);
		else if (*at == 'T')
			extents_print_term(names, f->a, to);
		else
			text_char(to, *at);
		if (*at == 'T' && f->b != TERM_NONE) {
			text_char(to, '*');
			extents_print_term(names, f->b, to);
		}
	}
}

static void blocks_print(const struct formula *f, const struct extents *names, struct text *to)
{
	if (f->unit != 1)
		text_format(to, "%" PRId64 "*", f->unit);
	if (f->times != TIMES_NONE) {
		text_put(to, f->times ? "(" : "");
		term_text(f, names, to);
		if (f->times)
			text_format(to, "%+" PRId64 ")", f->times);
		text_char(to, '*');
	}
	for (int k = 0; k < 2 && f->more[k] != MORE_NONE; k++) {
		bool more = f->more[k] != 0;
		text_put(to, k ? "*" : "");
		text_put(to, more ? "(ceil(" : "ceil(");
		if (f->whole == TERM_NONE)
			text_format(to, "%" PRId64, f->least);
		else
			extents_print_term(names, f->whole, to);
		text_char(to, ',');
		term_text(f, names, to);
		text_char(to, ')');
		if (more)
			text_format(to, "%+" PRId64 ")", f->more[k]);
	}
}

void formula_print(const struct formula *f, const struct extents *names, struct text *to)
{
	bool several = f->kind == FORMULA_LINEAR && f->divisor != 1 && f->add;
	if (f->kind == FORMULA_CONSTANT) {
		text_format(to, "%" PRId64, f->add);
		return;
	}
	if (f->kind == FORMULA_INVERSE) {
		text_format(to, "%" PRId64 "/", f->least);
		text_put(to, f->b == TERM_NONE ? "" : "(");
		term_text(f, names, to);
		text_put(to, f->b == TERM_NONE ? "" : ")");
		return;
	}
	if (f->kind == FORMULA_BLOCKS) {
		blocks_print(f, names, to);
		return;
	}
	if (f->kind != FORMULA_LINEAR) {
		if (f->unit != 1)
			text_format(to, "%" PRId64 "*", f->unit);
		text_format(to, "%s(%" PRId64 ",", f->kind == FORMULA_CEIL ? "ceil" : "floor",
			f->kind == FORMULA_CEIL ? f->most : f->least);
		term_text(f, names, to);
		text_char(to, ')');
		return;
	}
	text_put(to, several ? "(" : "");
	if (f->factor < 0)
		text_format(to, "%" PRId64, f->add);
	if (f->factor == -1)
		text_char(to, '-');
	else if (f->factor != 1)
		text_format(to, "%" PRId64 "*", f->factor);
	term_text(f, names, to);
	if (f->factor > 0 && f->add)
		text_format(to, "%+" PRId64, f->add);
	text_put(to, several ? ")" : "");
	if (f->divisor != 1)
		text_format(to, "/%" PRId64, f->divisor);
}
