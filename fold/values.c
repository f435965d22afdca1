/*
 * values.c -- which functions explain the numbers that processes use?
 *
 * If one affine function a + b*p + c*x + ... tells the numbers of each turn, there can be no fewer,
 * as every process has one for each of its turns. Else observations propose (hypotheses.h) the
 * numbers themselves; a + b*p and the like with small or natural factors (the sizes of the grid
 * below an axis); and, if these are not as few as can be, numbers written in the sizes of the grid,
 * each digit a sum of coordinates modulo its size: 3000 + (x+y)%4 + 4*((-x)%4), as programs number
 * their cells. Digits are looked at one by one before they are put together: only sums that explain
 * a digit of several processes in one turn are.
 */
#include "fold/values.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/intern.h"
#include "base/mem.h"

#define CANDIDATES 128
#define ROUNDS 3
#define SAMPLE 400 /* observations that propose in a round */
#define FEW 8 /* processes that are drawn at least, about */
#define FITTING 8 /* ways to explain a digit of one number that are put together with others */
#define DIGITS 48 /* ways to explain a digit that are remembered */

static int64_t modulo(int64_t a, int64_t modulus)
{
	int64_t rest = a % modulus;
	return rest < 0 ? rest + modulus : rest;
}

/* ------------------------------------------------------------------ one affine function */

static int64_t coordinate(const struct spot *s, int which)
{
	return which < 0 ? s->p : s->axis[which];
}

static int64_t *factor_of(struct value *v, int which)
{
	return which < 0 ? &v->plain.p : &v->plain.axis[which];
}

/* The factor of one coordinate, from two processes that differ in it alone; 0 where there are none
   or it is no whole number. */
static int64_t slope(const struct observation *f, size_t count, const struct grid *g, int which)
{
	struct spot first = grid_spot(g, f[0].p);
	for (size_t i = 1; i < count; i++) {
		struct spot s = grid_spot(g, f[i].p);
		bool alone = true;
		for (int k = 0; k < (int)g->axes && which >= 0; k++)
			alone = alone && (k == which || s.axis[k] == first.axis[k]);
		int64_t step = coordinate(&s, which) - coordinate(&first, which);
		int64_t rise = (int64_t)f[i].number - (int64_t)f[0].number;
		if (alone && step)
			return rise % step == 0 ? rise / step : 0;
	}
	return 0;
}

static bool fits(const struct observation *f, size_t count, const struct grid *g, const struct value *v)
{
	for (size_t i = 0; i < count; i++) {
		struct spot s = grid_spot(g, f[i].p);
		if (value_at(v, &s) != (int64_t)f[i].number)
			return false;
	}
	return true;
}

static bool small(const struct value *v)
{
	bool good = llabs(v->plain.p) < 1 << 30;
	for (int i = 0; i < GRID_AXES; i++)
		good = good && llabs(v->plain.axis[i]) < 1 << 30;
	return good;
}

static bool fit_through(const struct observation *f, size_t count, const struct grid *g, struct value *v)
{
	struct spot first = grid_spot(g, f[0].p);
	if (!small(v))
		return false;
	v->plain.constant = (int64_t)f[0].number - value_at(v, &first);
	return fits(f, count, g, v);
}

bool values_fit(const struct observation *f, size_t count, const struct grid *g, struct value *v)
{
	for (int which = -1; which < (int)g->axes; which++) {
		*v = value_of(0);
		*factor_of(v, which) = slope(f, count, g, which);
		if (fit_through(f, count, g, v))
			return true;
	}
	*v = value_of(0);
	for (int which = 0; which < (int)g->axes; which++)
		*factor_of(v, which) = slope(f, count, g, which);
	return fit_through(f, count, g, v);
}

bool values_fit_several(struct observation *seen, size_t count, const struct grid *g, struct value *v)
{
	count = observations_sort(seen, count);
	bool differ = false;
	for (size_t i = 0; i < count; i++) {
		if (seen[i].number >= VALUES_LIMIT || (i && seen[i].p == seen[i - 1].p))
			return false;
		differ = differ || seen[i].number != seen->number;
	}
	return differ && values_fit(seen, count, g, v);
}

/* ------------------------------------------------------------------ affine functions */

static int64_t family_at(const void *function, const struct topology *t, const struct spot *spot)
{
	(void)t;
	return value_at(function, spot);
}

/* A value, small. */
struct packed {
	int64_t constant, p, axis[GRID_AXES];
	struct {
		int64_t constant, modulus, factor; /* modulus 0: not there */
		int16_t axis[GRID_AXES];
	} remainder[2];
};

static void unpack(const void *packed, void *function)
{
	const struct packed *from = packed;
	struct value *to = function;
	*to = value_of(from->constant);
	to->plain.p = from->p;
	memcpy(to->plain.axis, from->axis, sizeof from->axis);
	for (int k = 0; k < 2; k++) {
		struct remainder *r = &to->remainder[k];
		*r = (struct remainder){.inside.constant = from->remainder[k].constant,
			.modulus = from->remainder[k].modulus,
			.factor = from->remainder[k].factor};
		for (int i = 0; i < GRID_AXES; i++)
			r->inside.axis[i] = from->remainder[k].axis[i];
	}
}

static void propose_affine(struct hypotheses *h, const struct observation *o, const void *context)
{
	const struct grid *g = &((const struct topology *)context)->grid;
	struct spot s = grid_spot(g, o->p);
	struct packed v = {.constant = (int64_t)o->number};
	hypotheses_propose(h, &v, 1);
	for (int which = -1; which < (int)g->axes; which++) {
		int64_t natural[2 * GRID_AXES + 2] = {1, -1};
		int naturals = 2;
		for (uint32_t i = 0, size = 1; i + 1 < g->axes; i++) {
			size *= g->size[i];
			natural[naturals++] = size;
			natural[naturals++] = -(int64_t)size;
		}
		for (int k = 0; k < naturals; k++) {
			v = (struct packed){.constant = (int64_t)o->number - natural[k] * coordinate(&s, which)};
			*(which < 0 ? &v.p : &v.axis[which]) = natural[k];
			hypotheses_propose(h, &v, 2);
		}
	}
}

/* ------------------------------------------------------------------ digits */

/* A digit as (sign[0]*x + sign[1]*y + ... + constant) % size. */
struct digit {
	int sign[GRID_AXES];
	int64_t constant;
	uint32_t size;
	uint32_t support; /* processes, in the turn where they are most */
};

/* How the numbers above the least are taken apart: the lower digit, and what is above it; of no
   size: nothing. */
struct numeral {
	uint32_t low_size, high_size;
	struct digit low[DIGITS], high[DIGITS];
	size_t lows, highs;
};

#define NUMERALS (GRID_AXES * GRID_AXES)

struct numerals {
	const struct topology *topology;
	uint64_t least; /* of all numbers */
	struct numeral numeral[NUMERALS];
	size_t count;
};

/* The next choice of signs -1, 0 and 1; false after the last. */
static bool next_signs(const struct grid *g, int *sign)
{
	for (uint32_t i = 0; i < g->axes; i++) {
		if (++sign[i] <= 1)
			return true;
		sign[i] = -1;
	}
	return false;
}

static bool digit_of(const struct numerals *x, const struct numeral *n, bool high, uint64_t number, int64_t *digit)
{
	uint64_t above = number - x->least, rest = above / n->low_size;
	*digit = (int64_t)(high ? rest : above % n->low_size);
	return rest < n->high_size;
}

static int64_t digit_constant(const struct grid *g, const struct spot *s, const int *sign, int64_t digit, uint32_t size)
{
	for (uint32_t i = 0; i < g->axes; i++)
		digit -= sign[i] * s->axis[i];
	return modulo(digit, size);
}

/* Keeps the best, in order. */
static void keep_digit(struct digit *kept, size_t *count, const struct digit *d)
{
	size_t at = *count;
	while (at && kept[at - 1].support < d->support)
		at--;
	if (at == DIGITS)
		return;
	*count += *count < DIGITS;
	memmove(kept + at + 1, kept + at, (*count - at - 1) * sizeof *kept);
	kept[at] = *d;
}

/* What speaks for a constant. */
struct backing {
	uint32_t turn, together, best; /* processes: of the turn at hand, and of the turn where they are most */
};

/* sequence: of observations, by turn. backing: by constant. */
static void study_signs(const struct numerals *x, struct numeral *n, bool high, const int *sign,
	const struct population *p, const uint32_t *sequence, size_t count, struct backing *backing)
{
	const struct grid *g = &x->topology->grid;
	uint32_t size = high ? n->high_size : n->low_size;
	memset(backing, 0, size * sizeof *backing);
	for (size_t i = 0; i < count; i++) {
		const struct observation *o = &p->seen[sequence[i]];
		struct spot s = grid_spot(g, o->p);
		int64_t digit;
		if (!digit_of(x, n, high, o->number, &digit))
			continue;
		struct backing *b = &backing[digit_constant(g, &s, sign, digit, size)];
		b->together = b->together && b->turn == o->turn ? b->together + 1 : 1;
		b->turn = o->turn;
		b->best = b->together > b->best ? b->together : b->best;
	}
	for (uint32_t c = 0; c < size; c++) {
		struct digit d = {.constant = c, .size = size, .support = backing[c].best};
		memcpy(d.sign, sign, sizeof d.sign);
		if (d.support >= 2)
			keep_digit(high ? n->high : n->low, high ? &n->highs : &n->lows, &d);
	}
}

static void study_digit(const struct numerals *x, struct numeral *n, bool high, const struct population *p,
	const uint32_t *sequence, size_t count)
{
	uint32_t size = high ? n->high_size : n->low_size;
	struct backing *backing = mem_array(size, sizeof *backing);
	int sign[GRID_AXES] = {-1, -1, -1, -1};
	for (uint32_t i = x->topology->grid.axes; i < GRID_AXES; i++)
		sign[i] = 0;
	do
		study_signs(x, n, high, sign, p, sequence, count, backing);
	while (next_signs(&x->topology->grid, sign));
	free(backing);
}

/* Numerals of one and of two different axes; of those with equal sizes one. */
static void add_numeral(struct numerals *x, uint32_t low_size, uint32_t high_size)
{
	for (size_t k = 0; k < x->count; k++)
		if (x->numeral[k].low_size == low_size && x->numeral[k].high_size == high_size)
			return;
	x->numeral[x->count++] = (struct numeral){.low_size = low_size, .high_size = high_size};
}

/* By turn, those of some processes. */
static uint32_t *sample_by_turn(const struct population *p, size_t *count)
{
	uint32_t *sample = mem_array(p->count, sizeof *sample), turns = 0;
	size_t step = p->count / SAMPLE + 1, kept = 0;
	step = step < p->count / p->least / FEW + 1 ? step : p->count / p->least / FEW + 1;
	for (size_t i = 0; i < p->count; i++) {
		if (hash_mix(p->seen[i].p) % step)
			continue;
		sample[kept++] = (uint32_t)i;
		turns = p->seen[i].turn >= turns ? p->seen[i].turn + 1 : turns;
	}
	size_t *first = mem_zero((turns + (size_t)1) * sizeof *first);
	uint32_t *sorted = mem_array(kept, sizeof *sorted);
	for (size_t i = 0; i < kept; i++)
		first[p->seen[sample[i]].turn + 1]++;
	for (uint32_t t = 0; t < turns; t++)
		first[t + 1] += first[t];
	for (size_t i = 0; i < kept; i++)
		sorted[first[p->seen[sample[i]].turn]++] = sample[i];
	free(first);
	free(sample);
	*count = kept;
	return sorted;
}

static void study_numerals(struct numerals *x, const struct topology *t, const struct population *p)
{
	const struct grid *g = &t->grid;
	size_t count;
	uint32_t *sequence = sample_by_turn(p, &count);
	*x = (struct numerals){.topology = t, .least = UINT64_MAX};
	for (size_t i = 0; i < p->count; i++)
		x->least = p->seen[i].number < x->least ? p->seen[i].number : x->least;
	for (uint32_t i = 0; i < g->axes; i++)
		if (g->size[i] > 1)
			add_numeral(x, g->size[i], 1);
	for (uint32_t i = 0; i < g->axes; i++)
		for (uint32_t j = 0; j < g->axes; j++)
			if (j != i && g->size[i] > 1 && g->size[j] > 1)
				add_numeral(x, g->size[i], g->size[j]);
	for (size_t k = 0; k < x->count; k++) {
		study_digit(x, &x->numeral[k], false, p, sequence, count);
		if (x->numeral[k].high_size > 1)
			study_digit(x, &x->numeral[k], true, p, sequence, count);
	}
	free(sequence);
}

/* A remainder that is just a coordinate, or constant, is said without '%'. */
static void add_digit(const struct grid *g, struct packed *v, const struct digit *d, int64_t factor, uint32_t *cost)
{
	int only = -1, used = 0;
	for (int i = 0; i < (int)g->axes; i++)
		if (d->sign[i]) {
			used++;
			only = i;
		}
	if (!used) {
		v->constant += d->constant * factor;
		return;
	}
	*cost += (uint32_t)used;
	if (used == 1 && d->sign[only] == 1 && !d->constant && g->size[only] <= d->size) {
		v->axis[only] += factor;
		return;
	}
	int k = v->remainder[0].modulus != 0;
	v->remainder[k].constant = d->constant;
	v->remainder[k].modulus = d->size;
	v->remainder[k].factor = factor;
	for (uint32_t i = 0; i < g->axes; i++)
		v->remainder[k].axis[i] = (int16_t)d->sign[i];
}

static bool digit_fits(const struct grid *g, const struct spot *s, const struct digit *d, int64_t digit)
{
	return digit_constant(g, s, d->sign, digit, d->size) == d->constant;
}

static void propose_numeral(
	struct hypotheses *h, const struct observation *o, const struct numerals *x, const struct numeral *n)
{
	static const struct digit none = {.size = 1};
	const struct grid *g = &x->topology->grid;
	struct spot s = grid_spot(g, o->p);
	const struct digit *high[FITTING] = {&none};
	size_t highs = n->high_size == 1;
	int64_t low_digit, high_digit;
	if (!digit_of(x, n, false, o->number, &low_digit) || !digit_of(x, n, true, o->number, &high_digit))
		return;
	for (size_t k = 0; k < n->highs && highs < FITTING; k++)
		if (digit_fits(g, &s, &n->high[k], high_digit))
			high[highs++] = &n->high[k];
	for (size_t i = 0, lows = 0; i < n->lows && lows < FITTING; i++) {
		if (!digit_fits(g, &s, &n->low[i], low_digit))
			continue;
		lows++;
		for (size_t k = 0; k < highs; k++) {
			struct packed v = {.constant = (int64_t)x->least};
			uint32_t cost = 3;
			add_digit(g, &v, &n->low[i], 1, &cost);
			add_digit(g, &v, high[k], n->low_size, &cost);
			hypotheses_propose(h, &v, cost);
		}
	}
}

static void propose_numerals(struct hypotheses *h, const struct observation *o, const void *context)
{
	const struct numerals *x = context;
	for (size_t k = 0; k < x->count; k++)
		propose_numeral(h, o, x, &x->numeral[k]);
}

/* ------------------------------------------------------------------ turn by turn */

static int by_turn(const void *a, const void *b)
{
	const struct observation *x = a, *y = b;
	if (x->turn != y->turn)
		return x->turn < y->turn ? -1 : 1;
	return (x->p > y->p) - (x->p < y->p);
}

/* Are the numbers of every turn one affine function, and those of some turn not the same? The
   functions, by turn, are the caller's. */
static struct intern *fit_turns(const struct population *p, const struct grid *g, uint32_t *of_turn)
{
	struct observation *o = mem_copy(p->seen, p->count * sizeof *o);
	struct intern *values = intern_new();
	bool good = p->count > 0, varies = false;
	qsort(o, p->count, sizeof *o, by_turn);
	for (size_t from = 0, to; from < p->count && good; from = to) {
		struct value v;
		for (to = from + 1; to < p->count && o[to].turn == o[from].turn;)
			to++;
		good = values_fit(o + from, to - from, g, &v);
		varies |= good && !value_is_constant(&v);
		of_turn[o[from].turn] = good ? intern_id(values, &v, sizeof v) : 0;
	}
	free(o);
	if (good && varies)
		return values;
	intern_free(values);
	return NULL;
}

bool values_choose_by_turn(struct explanation *to, const struct population *p, const struct topology *t)
{
	uint32_t turns = 0;
	for (size_t i = 0; i < p->count; i++)
		turns = p->seen[i].turn >= turns ? p->seen[i].turn + 1 : turns;
	uint32_t *of_turn = mem_array(turns, sizeof *of_turn);
	struct intern *values = fit_turns(p, &t->grid, of_turn);
	if (values) {
		uint32_t count = intern_count(values);
		struct value *value = mem_array(count, sizeof *value);
		*to = (struct explanation){value, count, mem_array(p->count, sizeof *to->of)};
		for (uint32_t k = 0; k < count; k++)
			value[k] = *(const struct value *)intern_data(values, k, NULL);
		for (size_t i = 0; i < p->count; i++)
			to->of[i] = of_turn[p->seen[i].turn];
		intern_free(values);
	}
	free(of_turn);
	return values != NULL;
}

/* ------------------------------------------------------------------ in public */

static void as_constant(void *packed, const struct observation *o)
{
	*(struct packed *)packed = (struct packed){.constant = (int64_t)o->number};
}

void values_choose(struct explanation *to, const struct population *p, const struct topology *t)
{
	static const struct family family = {.size = sizeof(struct value),
		.packed = sizeof(struct packed),
		.unpack = unpack,
		.at = family_at,
		.sample = SAMPLE,
		.candidates = CANDIDATES,
		.by_turns = true};
	if (values_choose_by_turn(to, p, t))
		return;
	struct hypotheses *h = hypotheses_new(&family, t, p);
	bool perfect = !hypotheses_round(h, true, propose_affine, t) && hypotheses_chosen(h) == p->least;
	if (!perfect && t->grid.axes) {
		struct numerals numerals;
		study_numerals(&numerals, t, p);
		for (int round = 0; round < ROUNDS && (!round || hypotheses_left(h)); round++)
			hypotheses_round(h, !round, propose_numerals, &numerals);
	}
	for (int round = 1; round < ROUNDS && hypotheses_left(h); round++)
		hypotheses_round(h, false, propose_affine, t);
	if (hypotheses_left(h))
		hypotheses_rest(h, as_constant);
	hypotheses_take(h, to);
}
