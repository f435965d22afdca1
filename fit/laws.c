/*
 * laws.c -- laws read off from differences: where a remainder begins anew, the difference jumps;
 * of powers, the differences are powers again.
 */
#include "fit/laws.h"

#include <stdlib.h>

#include "base/gcd.h"
#include "base/mem.h"
#include "fit/affine_fit.h"
#include "fit/limits.h"

/* ------------------------------------------------------------------ one source */

/* a*u + factor*((u + phase) % modulus) + constant */
struct wave {
	int64_t a, factor, phase, modulus, constant;
};

/* From one to the next. */
static bool rise(const struct univariate *f, size_t k, int64_t *by)
{
	return !__builtin_sub_overflow(f->number[k + 1], f->number[k], by) && is_small(*by, CONSTANT_MOST);
}

static bool steps_evenly(const struct univariate *f, int64_t *step)
{
	*step = f->count > 1 ? f->at[1] - f->at[0] : 1;
	for (size_t k = 1; k + 1 < f->count; k++)
		if (f->at[k + 1] - f->at[k] != *step)
			return false;
	return true;
}

/* Numbers that can be multiplied twice by small ones. */
static bool is_bounded(const struct univariate *f)
{
	for (size_t k = 0; k < f->count; k++)
		if (!is_small(f->number[k], CONSTANT_MOST))
			return false;
	return true;
}

/* With the constant that is right for the first point. */
static bool settle_constant(const struct univariate *f, struct wave *w)
{
	__int128 constant = f->number[0] - (__int128)w->a * f->at[0] -
			    (__int128)w->factor * modulo(f->at[0] + w->phase, w->modulus);
	w->constant = (int64_t)constant;
	return is_small(constant, CONSTANT_MOST);
}

/* Differences are `jump` behind every modulus-th point, from `first` on, and `step` elsewhere. */
static bool is_wave(const struct univariate *f, size_t first, size_t modulus, int64_t stride, struct wave *w)
{
	int64_t jump, step, next;
	if (modulus < 2 || f->count < 3 || !rise(f, first, &jump) || !rise(f, first ? 0 : 1, &step) || jump == step)
		return false;
	for (size_t k = 0; k + 1 < f->count; k++)
		if (!rise(f, k, &next) || next != (k % modulus == first % modulus ? jump : step))
			return false;
	/* step = a + b, jump = a + b - b*modulus, by strides */
	int64_t fall = step - jump, period = (int64_t)modulus * stride;
	if (fall % period)
		return false;
	int64_t factor = fall / period, left = step - factor * stride;
	if (left % stride || !is_small(factor, FACTOR_MOST) || !is_small(left / stride, FACTOR_MOST))
		return false;
	int64_t phase = modulo(-(f->at[0] + ((int64_t)first + 1) * stride), period);
	*w = (struct wave){left / stride, factor, grid_nearest(phase, (uint32_t)period), period, 0};
	return settle_constant(f, w);
}

/* Does it explain more points than it has numbers of its own: modulus, phase, factors, constant? */
static bool has_evidence(const struct univariate *f, const struct wave *w)
{
	return f->count > 3 + (size_t)(w->a != 0) + (w->phase != 0);
}

/* a*u + b*((u+phase)%modulus) through three points. */
static bool wave_through(const struct univariate *f, int64_t modulus, int64_t phase, struct wave *w)
{
	__int128 u[2], rest[2], up[2];
	for (int k = 0; k < 2; k++) {
		u[k] = f->at[k + 1] - f->at[0];
		rest[k] = modulo(f->at[k + 1] + phase, modulus) - modulo(f->at[0] + phase, modulus);
		up[k] = (__int128)f->number[k + 1] - f->number[0];
	}
	__int128 bottom = u[0] * rest[1] - u[1] * rest[0], a = up[0] * rest[1] - up[1] * rest[0],
		 b = u[0] * up[1] - u[1] * up[0];
	if (!bottom || a % bottom || b % bottom || !b || !is_small(a / bottom, FACTOR_MOST) ||
		!is_small(b / bottom, FACTOR_MOST))
		return false;
	a /= bottom;
	b /= bottom;
	for (size_t k = 1; k < f->count; k++)
		if (f->number[k] - (__int128)f->number[0] !=
			a * (f->at[k] - f->at[0]) +
				b * (modulo(f->at[k] + phase, modulus) - modulo(f->at[0] + phase, modulus)))
			return false;
	*w = (struct wave){(int64_t)a, (int64_t)b, phase, modulus, 0};
	return settle_constant(f, w);
}

/* Where sources are missing, or few, no difference tells: small remainders are tried. */
static bool uneven_wave(const struct univariate *f, struct wave *w)
{
	for (int64_t modulus = 2; modulus <= UNEVEN_MOST; modulus++)
		for (int64_t phase = 0; phase < modulus; phase++)
			if (wave_through(f, modulus, phase, w) && has_evidence(f, w))
				return true;
	return false;
}

static bool wave_of(const struct univariate *f, struct wave *w)
{
	int64_t stride, first, second;
	if (f->count < 3 || !is_bounded(f) || !rise(f, 0, &first))
		return false;
	if (!steps_evenly(f, &stride))
		return uneven_wave(f, w);
	bool around = f->size && stride == 1 && f->count <= f->size && f->size <= INT32_MAX;
	for (size_t jump = 0; around && jump + 1 < f->count; jump++)
		if (is_wave(f, jump, f->size, 1, w) && !w->a)
			return true; /* what a neighbour has, all the way around */
	size_t change = 0;
	do
		if (++change + 1 >= f->count || !rise(f, change, &second))
			return false;
	while (second == first);
	if (f->count > 2 * change + 1 && is_wave(f, change, change + 1, stride, w) && has_evidence(f, w))
		return true; /* begins with its source, and comes twice */
	/* the one before the change is the jump, or the change is */
	for (size_t k = change + 1; k + 1 < f->count; k++) {
		int64_t next;
		if (!rise(f, k, &next))
			return false;
		if (next == second && is_wave(f, change, k - change, stride, w))
			return has_evidence(f, w);
		if (next == first && k > 1 && is_wave(f, 0, k, stride, w))
			return has_evidence(f, w);
	}
	return f->count <= LEVELS_MOST && uneven_wave(f, w);
}

node_id univariate_wave(struct store *s, const struct univariate *f)
{
	struct wave w;
	if (!wave_of(f, &w))
		return NODE_NONE;
	struct linear plain = {.constant = w.constant}, inside = {.constant = w.phase};
	plain.factor[f->source] = w.a;
	inside.factor[f->source] = 1;
	node_id remainder = number_remainder(s, linear_node(s, &inside), number_constant(s, w.modulus));
	return number_add(s, linear_node(s, &plain), remainder, w.factor);
}

/* ------------------------------------------------------------------ powers */

static bool power_of(int64_t base, int64_t exponent, int64_t *power)
{
	*power = 1;
	for (int64_t k = 0; k < exponent; k++)
		if (__builtin_mul_overflow(*power, base, power))
			return false;
	return true;
}

/* c[0] + c[1]*base[1]^t + c[2]*base[2]^t, t counted from the first point, or to the last. */
struct powers {
	int64_t c[3], base[3];
	bool down;
};

static int64_t power_number(const struct univariate *f, bool down, size_t t)
{
	return f->number[down ? f->count - 1 - t : t];
}

/* How far the source is from where it begins, or ends. */
static int64_t power_exponent(const struct univariate *f, bool down, size_t t)
{
	return down ? f->at[f->count - 1] - f->at[f->count - 1 - t] : f->at[t] - f->at[0];
}

static bool powers_are_right(const struct univariate *f, const struct powers *x)
{
	for (size_t t = 0; t < f->count; t++) {
		__int128 sum = x->c[0];
		for (int k = 1; k < 3; k++) {
			int64_t power;
			if (!x->c[k])
				continue;
			if (!power_of(x->base[k], power_exponent(f, x->down, t), &power))
				return false;
			sum += (__int128)power * x->c[k];
		}
		if (sum != power_number(f, x->down, t))
			return false;
	}
	return true;
}

/* The difference is a power: its base tells itself. */
static bool one_power(const struct univariate *f, bool down, struct powers *x)
{
	int64_t n0 = power_number(f, down, 0), n1 = power_number(f, down, 1), n2 = power_number(f, down, 2), d0, d1;
	if (__builtin_sub_overflow(n1, n0, &d0) || __builtin_sub_overflow(n2, n1, &d1) || !d0 || d1 % d0)
		return false;
	int64_t base = d1 / d0;
	if (base < 2 || base > POWER_BASE_MOST || d0 % (base - 1))
		return false;
	*x = (struct powers){.c = {n0 - d0 / (base - 1), d0 / (base - 1)}, .base = {1, base}, .down = down};
	return f->count >= (x->c[0] ? 4 : 3) && powers_are_right(f, x);
}

/* n(t) = c0 + c1 a^t + c2 b^t: its differences less a times the ones before are c2 b^t
   (b-1)(b-a). */
static bool two_powers(const struct univariate *f, bool down, int64_t a, int64_t b, struct powers *x)
{
	int64_t n[3], d0, d1, rest;
	for (size_t t = 0; t < 3; t++)
		n[t] = power_number(f, down, t);
	if (__builtin_sub_overflow(n[1], n[0], &d0) || __builtin_sub_overflow(n[2], n[1], &d1) ||
		__builtin_mul_overflow(a, d0, &rest) || __builtin_sub_overflow(d1, rest, &rest))
		return false;
	int64_t c2 = rest / ((b - 1) * (b - a)), left, c1;
	if (!rest || rest % ((b - 1) * (b - a)) || __builtin_mul_overflow(c2, b - 1, &left) ||
		__builtin_sub_overflow(d0, left, &left) || !left || left % (a - 1))
		return false;
	c1 = left / (a - 1);
	*x = (struct powers){.c = {n[0] - c1 - c2, c1, c2}, .base = {1, a, b}, .down = down};
	return f->count >= (x->c[0] ? 5 : 4) && powers_are_right(f, x);
}

/* Where sources are missing, bases are tried. */
static bool uneven_power(const struct univariate *f, bool down, struct powers *x)
{
	int64_t up, power;
	if (__builtin_sub_overflow(power_number(f, down, 1), power_number(f, down, 0), &up))
		return false;
	for (int64_t base = 2; base <= POWER_BASE_MOST; base++) {
		if (!power_of(base, power_exponent(f, down, 1), &power) || up % (power - 1))
			continue;
		int64_t factor = up / (power - 1);
		*x = (struct powers){.c = {power_number(f, down, 0) - factor, factor}, .base = {1, base}, .down = down};
		if (factor && f->count >= (x->c[0] ? 4 : 3) && powers_are_right(f, x))
			return true;
	}
	return false;
}

static bool powers_find(const struct univariate *f, bool even, struct powers *x)
{
	if (!even)
		return uneven_power(f, false, x) || uneven_power(f, true, x);
	static const int64_t pair[][2] = {{2, 4}, {2, 8}, {4, 8}, {4, 16}, {3, 9}, {8, 64}};
	for (int down = 0; down < 2; down++)
		if (one_power(f, down, x))
			return true;
	for (int down = 0; down < 2; down++)
		for (size_t k = 0; k < sizeof pair / sizeof *pair; k++)
			if (two_powers(f, down, pair[k][0], pair[k][1], x))
				return true;
	return false;
}

node_id univariate_power(struct store *s, const struct univariate *f)
{
	struct powers x;
	int64_t stride;
	if (f->count < 3 || f->at[f->count - 1] - f->at[0] > POWER_EXPONENT_MOST || !is_bounded(f))
		return NODE_NONE;
	if (!powers_find(f, steps_evenly(f, &stride) && stride == 1, &x) || !is_small(x.c[0], CONSTANT_MOST))
		return NODE_NONE;
	node_id sum = number_constant(s, x.c[0]);
	for (int k = 2; k >= 1; k--) {
		int64_t from = x.down ? 0 : f->at[0], factor = x.c[k];
		struct linear exponent = {0};
		if (!factor)
			continue;
		for (; from > 0 && factor % x.base[k] == 0; from--)
			factor /= x.base[k];
		if (!is_small(factor, FACTOR_MOST))
			return NODE_NONE;
		exponent.factor[f->source] = x.down ? -1 : 1;
		exponent.constant = x.down ? f->at[f->count - 1] : -from;
		node_id power = number_power(s, number_constant(s, x.base[k]), linear_node(s, &exponent));
		sum = number_add(s, sum, power, factor);
	}
	return sum;
}

/* ------------------------------------------------------------------ digits */

/* So many times the remainder of a sum; without '%', where it stays within anyway. */
static node_id digit_node(const struct domain *d, const struct linear *sum, uint32_t size, int64_t factor)
{
	struct store *store = d->environment.store;
	struct linear inside = *sum;
	int64_t least = INT64_MAX, most = INT64_MIN;
	for (size_t i = 0; i < d->count; i++) {
		int64_t at = inside.constant;
		for (int s = 0; s < SOURCES; s++)
			if (inside.factor[s])
				at += inside.factor[s] * d->source[s][i];
		least = at < least ? at : least;
		most = at > most ? at : most;
	}
	int64_t turns = least >= 0 ? least / size : -((size - 1 - least) / size);
	bool within = most < (turns + 1) * size;
	inside.constant -= within ? turns * size : 0;
	node_id digit = linear_node(store, &inside);
	if (!within)
		digit = number_remainder(store, digit, number_constant(store, size));
	return number_multiply(store, digit, number_constant(store, factor));
}

static uint32_t sizes_of(const struct domain *d, uint32_t *size)
{
	uint32_t sizes = 0;
	const struct environment *e = &d->environment;
	for (uint32_t k = 0; k <= e->grid.axes; k++) {
		uint32_t own = k < e->grid.axes ? e->grid.size[k] : e->processes;
		bool known = own < 2;
		for (uint32_t i = 0; i < sizes; i++)
			known = known || size[i] == own;
		if (!known)
			size[sizes++] = own;
	}
	return sizes;
}

/* Digits of one code are told by the points of all of them: on 2 by 2 processes no digit has points
   enough of its own. digit: room for the digits of each point. */
static node_id as_digits(const struct domain *d, const int64_t *number, uint32_t sources, int64_t least, int64_t unit,
	const uint32_t *size, uint32_t digits, int64_t *digit)
{
	struct store *store = d->environment.store;
	int64_t scale = 1;
	uint32_t used = 0;
	struct linear of[2];
	node_id sum = number_constant(store, least);
	for (uint32_t k = 0; k < digits; scale *= size[k++]) {
		for (size_t i = 0; i < d->count; i++)
			digit[i] = (number[i] - least) / unit / scale % size[k];
		if (!affine_solve_modulo(d, digit, sources, size[k], &of[k]))
			return NODE_NONE;
		sum = number_add(store, sum, digit_node(d, &of[k], size[k], unit * scale), 1);
		for (int s = 0; s < SOURCES; s++)
			used |= (uint32_t)(of[k].factor[s] != 0) << s;
	}
	bool told = domain_has(d, used, (size_t)__builtin_popcount(used) + 2);
	for (uint32_t k = 0; k < digits && !told; k++)
		if (!affine_has_evidence(d, &of[k]))
			return NODE_NONE;
	return sum;
}

node_id digits_find(const struct domain *d, const int64_t *number, uint32_t sources)
{
	int64_t least = number[0], most = number[0];
	uint32_t size[GRID_AXES + 1], sizes = sizes_of(d, size);
	uint64_t unit = 0;
	for (size_t i = 0; i < d->count; i++) {
		least = number[i] < least ? number[i] : least;
		most = number[i] > most ? number[i] : most;
	}
	if (!is_small((__int128)most - least, CONSTANT_MOST) || !is_small(least, CONSTANT_MOST))
		return NODE_NONE;
	for (size_t i = 0; i < d->count; i++)
		unit = gcd(unit, (uint64_t)(number[i] - least));
	int64_t *digit = NULL, range = unit ? (most - least) / (int64_t)unit : INT64_MAX;
	node_id found = NODE_NONE;
	if (unit > FACTOR_MOST / d->environment.processes)
		return NODE_NONE;
	for (uint32_t a = 0; a < sizes && !found; a++)
		for (uint32_t b = 0; b <= sizes && !found; b++) {
			uint32_t own[2] = {size[a], b ? size[b - 1] : 1};
			if (range >= (int64_t)own[0] * own[1] || (b && range < own[0]))
				continue;
			if (!digit)
				digit = mem_array(d->count, sizeof *digit);
			found = as_digits(d, number, sources, least, (int64_t)unit, own, b ? 2 : 1, digit);
		}
	free(digit);
	return found;
}
