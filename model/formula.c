/*
 * formula.c -- affine functions of a process and its place on the grid: evaluated, printed, read.
 *
 * Factors are small (FACTOR_LIMIT) and constants below CONSTANT_LIMIT, so that no evaluation can overflow.
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

static int64_t affine_at(const struct affine *a, const struct spot *s)
{
	int64_t sum = a->constant + a->p * s->p;
	for (int i = 0; i < GRID_AXES; i++)
		sum += a->axis[i] * s->axis[i];
	return sum;
}

static int64_t modulo(int64_t a, int64_t modulus)
{
	int64_t rest = a % modulus;
	return rest < 0 ? rest + modulus : rest;
}

bool value_is_constant(const struct value *v)
{
	struct value same = value_of(v->plain.constant);
	return !memcmp(v, &same, sizeof same);
}

int64_t value_at(const struct value *v, const struct spot *s)
{
	int64_t sum = affine_at(&v->plain, s);
	for (int i = 0; i < REMAINDERS && v->remainder[i].modulus; i++)
		sum += modulo(affine_at(&v->remainder[i].inside, s), v->remainder[i].modulus) * v->remainder[i].factor;
	return sum;
}

int64_t place_at(const struct place *f, const struct grid *g, const struct spot *s)
{
	int64_t rank = 0, scale = 1;
	switch ((enum place_kind)f->kind) {
	case PLACE_NUMBER:
		return f->number;
	case PLACE_OFFSET:
		return s->p + f->number;
	case PLACE_XOR:
		return s->p ^ f->number;
	case PLACE_GRID:
		for (uint32_t i = 0; i < g->axes; i++) {
			rank += modulo(affine_at(&f->axis[i], s), g->size[i]) * scale;
			scale *= g->size[i];
		}
		return rank;
	case PLACE_NONE:
		break;
	}
	return -1;
}

/* The ranks of the axes from 0 to `axis` at their places, above `base`; ascending, as the last axis is outermost. */
static void add_area(
	const struct area *a, const struct grid *g, const struct spot *s, int axis, uint32_t scale, uint32_t base, struct ranks *to)
{
	if (axis < 0) {
		ranks_add(to, base);
		return;
	}
	uint32_t below = scale / g->size[axis];
	if (!a->all[axis]) {
		uint32_t at = (uint32_t)modulo(affine_at(&a->axis[axis], s), g->size[axis]);
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
	add_area(a, g, s, (int)g->axes - 1, (uint32_t)grid_ranks(g), 0, to);
}

bool area_has(const struct area *a, const struct grid *g, const struct spot *s)
{
	for (uint32_t i = 0; i < g->axes; i++)
		if (!a->all[i] && modulo(affine_at(&a->axis[i], s), g->size[i]) != s->axis[i])
			return false;
	return true;
}

/* ------------------------------------------------------------------ as text */

static void print_term(int64_t factor, char name, bool first, struct text *out)
{
	if (factor < 0)
		text_char(out, '-');
	else if (!first)
		text_char(out, '+');
	uint64_t magnitude = factor < 0 ? 0 - (uint64_t)factor : (uint64_t)factor;
	if (magnitude != 1)
		text_format(out, "%llu*", (unsigned long long)magnitude);
	text_char(out, name);
}

static void print_constant(int64_t constant, bool first, struct text *out)
{
	text_format(out, first ? "%lld" : "%+lld", (long long)constant);
}

/* True if anything was printed; an affine that is 0 prints nothing. */
static bool print_affine(const struct affine *a, bool constant_first, struct text *out)
{
	int64_t factor[1 + GRID_AXES] = {a->p, a->axis[0], a->axis[1], a->axis[2], a->axis[3]};
	bool first = true;
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
	return !first;
}

void value_print(const struct value *v, struct text *out)
{
	text_char(out, '{');
	bool any = print_affine(&v->plain, true, out);
	for (int i = 0; i < REMAINDERS && v->remainder[i].modulus; i++) {
		const struct remainder *r = &v->remainder[i];
		if (r->factor < 0 || any)
			text_char(out, r->factor < 0 ? '-' : '+');
		text_char(out, '(');
		if (!print_affine(&r->inside, false, out))
			text_char(out, '0');
		text_format(out, ")%%%lld", (long long)r->modulus);
		uint64_t magnitude = r->factor < 0 ? 0 - (uint64_t)r->factor : (uint64_t)r->factor;
		if (magnitude != 1)
			text_format(out, "*%llu", (unsigned long long)magnitude);
		any = true;
	}
	if (!any)
		text_char(out, '0');
	text_char(out, '}');
}

/* x+1, but 3-x */
static void print_coordinate(const struct affine *a, struct text *out)
{
	int64_t leading = a->p;
	for (int i = 0; i < GRID_AXES && !leading; i++)
		leading = a->axis[i];
	if (!print_affine(a, leading < 0, out))
		text_char(out, '0');
}

void place_print(const struct place *f, const struct grid *g, struct text *out)
{
	switch ((enum place_kind)f->kind) {
	case PLACE_NUMBER:
		text_number(out, (uint64_t)f->number);
		break;
	case PLACE_OFFSET:
		text_char(out, 'p');
		if (f->number)
			text_format(out, "%+lld", (long long)f->number);
		break;
	case PLACE_XOR:
		text_format(out, "p^%lld", (long long)f->number);
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
		return error_set(error, ERROR_INPUT, "'%.*s' is not a number up to %lld, without leading zeros", SHOWN, *at,
			(long long)limit);
	*number = (int64_t)value;
	return true;
}

/* p, x, y, z, w: the factor in a to which it belongs. */
static bool read_variable(const char **at, const struct grid *g, struct affine *a, int64_t **factor, struct error *error)
{
	const char *name = *at, *found;
	if (!is_letter(*name))
		return error_set(error, ERROR_INPUT, "a number or one of p, x, y, z, w is expected, not '%.*s'", SHOWN, name);
	if (is_letter(name[1]) || is_digit(name[1]))
		return error_set(error, ERROR_INPUT,
			"'%.*s': only p, x, y, z and w may stand in a formula (indices of loops may not, in this version)", SHOWN,
			name);
	++*at;
	if (*name == 'p') {
		*factor = &a->p;
		return true;
	}
	found = memchr(axis_name, *name, g->axes);
	if (!found)
		return error_set(error, ERROR_INPUT, "the grid has no coordinate '%c' (it has %u)", *name, g->axes);
	*factor = &a->axis[found - axis_name];
	return true;
}

static bool add_limited(int64_t *sum, int64_t term, int64_t limit, struct error *error)
{
	*sum += term;
	if (*sum > limit || *sum < -limit)
		return error_set(error, ERROR_INPUT, "a number in a formula is too large");
	return true;
}

/* number, number*variable, variable or variable*number */
static bool read_term(struct affine *a, const struct grid *g, const char **at, bool negative, struct error *error)
{
	int64_t number = 1, *factor;
	if (is_digit(**at)) {
		if (!read_number(at, CONSTANT_LIMIT, &number, error))
			return false;
		if (**at != '*')
			return add_limited(&a->constant, negative ? -number : number, CONSTANT_LIMIT, error);
		++*at;
		if (!read_variable(at, g, a, &factor, error))
			return false;
	} else {
		if (!read_variable(at, g, a, &factor, error))
			return false;
		if (**at == '*') {
			++*at;
			if (!read_number(at, FACTOR_LIMIT, &number, error))
				return false;
		}
	}
	if (number > FACTOR_LIMIT)
		return error_set(error, ERROR_INPUT, "a factor in a formula is larger than %lld", (long long)FACTOR_LIMIT);
	return add_limited(factor, negative ? -number : number, FACTOR_LIMIT, error);
}

static bool read_sign(const char **at, bool *negative)
{
	*negative = **at == '-';
	if (**at != '-' && **at != '+')
		return false;
	++*at;
	return true;
}

static bool read_affine(struct affine *a, const struct grid *g, const char **at, struct error *error)
{
	bool negative = **at == '-';
	*at += negative;
	do {
		if (!read_term(a, g, at, negative, error))
			return false;
	} while (read_sign(at, &negative));
	return true;
}

/* (affine)%modulus or (affine)%modulus*factor */
static bool read_remainder(struct value *v, const struct grid *g, const char **at, bool negative, struct error *error)
{
	int used = 0;
	while (used < REMAINDERS && v->remainder[used].modulus)
		used++;
	if (used == REMAINDERS)
		return error_set(error, ERROR_INPUT, "more than %d remainders in a formula", REMAINDERS);
	struct remainder *r = &v->remainder[used];
	++*at;
	if (!read_affine(&r->inside, g, at, error))
		return false;
	if ((*at)[0] != ')' || (*at)[1] != '%')
		return error_set(error, ERROR_INPUT,
			"parentheses in a formula are for remainders, '(x+y)%%4': ')%%' is expected, not '%.*s'", SHOWN, *at);
	*at += 2;
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

static bool read_value(struct value *v, const struct grid *g, const char **at, struct error *error)
{
	bool negative = **at == '-';
	*at += negative;
	do {
		bool good = **at == '(' ? read_remainder(v, g, at, negative, error) : read_term(&v->plain, g, at, negative, error);
		if (!good)
			return false;
	} while (read_sign(at, &negative));
	return true;
}

bool value_parse(struct value *v, const struct grid *g, const char **at, struct error *error)
{
	*v = value_of(0);
	++*at;
	if (!read_value(v, g, at, error))
		return false;
	if (**at != '}')
		return error_set(error, ERROR_INPUT, "'}' is expected in a formula, not '%.*s'", SHOWN, *at);
	++*at;
	return true;
}

static bool read_coordinates(const struct grid *g, struct affine *axis, int64_t *all, const char **at, struct error *error)
{
	if (!g->axes)
		return error_set(error, ERROR_INPUT, "'@(...)' needs a grid: a header line '// grid NX NY'");
	if ((*at)[0] != '@' || (*at)[1] != '(')
		return error_set(error, ERROR_INPUT, "coordinates are written '@(x,y)', not '%.*s'", SHOWN, *at);
	*at += 2;
	for (uint32_t i = 0; i < g->axes; i++) {
		if (i && *(*at)++ != ',')
			return error_set(error, ERROR_INPUT, "%u coordinates are expected, as the grid has", g->axes);
		if (all && **at == '*') {
			all[i] = 1;
			++*at;
		} else if (!read_affine(&axis[i], g, at, error)) {
			return false;
		}
	}
	if (**at != ')')
		return error_set(error, ERROR_INPUT, "%u coordinates are expected, as the grid has", g->axes);
	++*at;
	return true;
}

bool area_parse(struct area *a, const struct grid *g, const char **at, struct error *error)
{
	*a = (struct area){.on_grid = 1};
	return read_coordinates(g, a->axis, a->all, at, error);
}

bool place_parse(struct place *f, const struct grid *g, const char **at, struct error *error)
{
	*f = (struct place){0};
	if (**at == '@') {
		f->kind = PLACE_GRID;
		return read_coordinates(g, f->axis, NULL, at, error);
	}
	if (**at != 'p') {
		f->kind = PLACE_NUMBER;
		return read_number(at, RANK_LIMIT - 1, &f->number, error);
	}
	char sign = *++*at;
	f->kind = PLACE_OFFSET;
	if (sign != '+' && sign != '-' && sign != '^')
		return true;
	++*at;
	if (!read_number(at, RANK_LIMIT - 1, &f->number, error))
		return false;
	if (sign == '^')
		f->kind = PLACE_XOR;
	if (sign == '-')
		f->number = -f->number;
	return true;
}
