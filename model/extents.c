/*
 * extents.c -- expressions of extents: by recursive descent, straight from the text.
 */
#include "model/extents.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/gcd.h"
#include "model/lines.h"

static const char axis_name[] = "xyzw", extent_name[] = "XYZW";

/* Parentheses inside each other. */
#define EXPRESSION_DEPTH 64

struct evaluation {
	const struct extents *extents;
	const struct spot *spot;
	struct error *error;
	const char *at;
	int depth;
	char counter; /* the letter that a sum counts with; 0: there is none around */
	int64_t count;
};

/* Terms of a sum: as many as there are cells of a process, an extent. */
#define SUM_MOST 4096

#define wrong(e, ...) (error_set((e)->error, ERROR_INPUT, __VA_ARGS__))

static size_t name_length(const char *name)
{
	size_t length = 0;
	while (is_letter(name[length]) || is_digit(name[length]))
		length++;
	return is_digit(*name) ? 0 : length;
}

uint32_t extents_terms(const struct extents *x)
{
	return 1 + x->grid.axes + x->parameters;
}

int64_t extents_term(const struct extents *x, uint32_t k)
{
	return k == 0              ? x->processes
	       : k <= x->grid.axes ? x->grid.size[k - 1]
				   : x->parameter[k - 1 - x->grid.axes].value;
}

void extents_print_term(const struct extents *x, uint32_t k, struct text *to)
{
	if (k == 0)
		text_char(to, 'P');
	else if (k <= x->grid.axes)
		text_char(to, extent_name[k - 1]);
	else
		text_put(to, x->parameter[k - 1 - x->grid.axes].name);
}

bool extents_same(const struct extents *a, const struct extents *b)
{
	bool same = a->processes == b->processes && a->parameters == b->parameters;
	for (uint32_t i = 0; i < a->parameters && same; i++)
		same = a->parameter[i].value == b->parameter[i].value;
	return same;
}

/* What a name stands for; false: nothing. */
static bool find_name(const struct extents *x, const char *name, size_t length, int64_t *value)
{
	const char *axis = length == 1 ? memchr(extent_name, *name, x->grid.axes) : NULL;
	if (axis)
		*value = x->grid.size[axis - extent_name];
	else if (length == 1 && *name == 'P')
		*value = x->processes;
	for (uint32_t i = 0; i < x->parameters; i++) {
		const char *known = x->parameter[i].name;
		if (strlen(known) != length || memcmp(known, name, length) != 0)
			continue;
		*value = x->parameter[i].value;
		return true;
	}
	return axis || (length == 1 && *name == 'P');
}

static bool sum(struct evaluation *e, int64_t *value);

/* Inside of parentheses, or of a function's. */
static bool go_inside(struct evaluation *e)
{
	return ++e->depth <= EXPRESSION_DEPTH ||
	       wrong(e, "more than %d parentheses inside each other", EXPRESSION_DEPTH);
}

static bool too_large(struct evaluation *e)
{
	return wrong(e, "a number of the expression is beyond 64 bits");
}

static bool accept(struct evaluation *e, const char *what)
{
	size_t length = strlen(what);
	if (strncmp(e->at, what, length) != 0)
		return false;
	e->at += length;
	return true;
}

/* ------------------------------------------------------------------ functions */

static bool log2_of(struct evaluation *e, const int64_t *a, int64_t *value)
{
	if (*a <= 0 || *a & (*a - 1))
		return wrong(e, "log2(%" PRId64 ") is no whole number", *a);
	*value = __builtin_ctzll((unsigned long long)*a);
	return true;
}

static bool gcd_of(struct evaluation *e, const int64_t *a, int64_t *value)
{
	*value = a[0] > 0 && a[1] > 0 ? (int64_t)gcd((uint64_t)a[0], (uint64_t)a[1]) : 0;
	return *value || wrong(e, "gcd(%" PRId64 ",%" PRId64 ") is no number", a[0], a[1]);
}

static bool min_of(struct evaluation *e, const int64_t *a, int64_t *value)
{
	(void)e;
	*value = a[0] < a[1] ? a[0] : a[1];
	return true;
}

static bool divisor_of(struct evaluation *e, int64_t by)
{
	return by > 0 || wrong(e, "a division by %" PRId64, by);
}

static bool ceil_by(struct evaluation *e, const int64_t *a, int64_t *value)
{
	if (!divisor_of(e, a[1]))
		return false;
	*value = ceil_of(a[0], a[1]);
	return true;
}

static bool floor_by(struct evaluation *e, const int64_t *a, int64_t *value)
{
	if (!divisor_of(e, a[1]))
		return false;
	*value = floor_of(a[0], a[1]);
	return true;
}

static bool share_of(struct evaluation *e, const int64_t *a, int64_t *value)
{
	if (!divisor_of(e, a[1]))
		return false;
	return !__builtin_add_overflow(floor_of(a[0], a[1]), a[2] < modulo(a[0], a[1]), value) || too_large(e);
}

static const struct function {
	const char *name;
	int arguments;
	bool (*apply)(struct evaluation *, const int64_t *argument, int64_t *value);
	int64_t (*of_one)(int64_t); /* instead: of a number above 0 */
} functions[] = {{"log2", 1, log2_of, NULL}, {"log2up", 1, NULL, ceil_log2}, {"log2down", 1, NULL, floor_log2},
	{"isqrt", 1, NULL, floor_root}, {"gcd", 2, gcd_of, NULL}, {"min", 2, min_of, NULL}, {"ceil", 2, ceil_by, NULL},
	{"floor", 2, floor_by, NULL}, {"share", 3, share_of, NULL}};

static const struct function *function_of(const char *name, size_t length)
{
	for (size_t i = 0; name[length] == '(' && i < sizeof functions / sizeof *functions; i++)
		if (strlen(functions[i].name) == length && !memcmp(functions[i].name, name, length))
			return &functions[i];
	return NULL;
}

static bool call(struct evaluation *e, const struct function *f, int64_t *value)
{
	int64_t argument[3];
	if (!go_inside(e))
		return false;
	for (int i = 0; i < f->arguments; i++) {
		e->at++;
		if (!sum(e, &argument[i]))
			return false;
		if (*e->at != (i + 1 < f->arguments ? ',' : ')'))
			return wrong(e, "%s() has %d argument%s", f->name, f->arguments, f->arguments == 1 ? "" : "s");
	}
	e->at++;
	e->depth--;
	if (f->apply)
		return f->apply(e, argument, value);
	*value = argument[0] > 0 ? f->of_one(argument[0]) : 0;
	return argument[0] > 0 || wrong(e, "%s(%" PRId64 ") is no number", f->name, argument[0]);
}

/* sum(c,k,E): of E for c from 0 to k-1. */
static bool sum_of(struct evaluation *e, int64_t *value)
{
	int64_t terms, term;
	char counter = e->at[1];
	if (e->counter)
		return wrong(e, "a sum() inside of a sum()");
	if (!is_letter(counter) || e->at[2] != ',' || !go_inside(e))
		return wrong(e, "sum(c,X,...) counts with a letter, not '%.*s'", SHOWN, e->at);
	e->at += 3;
	if (!sum(e, &terms))
		return false;
	if (*e->at != ',' || terms < 1 || terms > SUM_MOST)
		return wrong(e, "sum() has from 1 to %d terms", SUM_MOST);
	const char *body = e->at + 1;
	e->counter = counter;
	*value = 0;
	for (e->count = 0; e->count < terms; e->count++) {
		e->at = body;
		if (!sum(e, &term))
			return false;
		if (__builtin_add_overflow(*value, term, value))
			return too_large(e);
	}
	e->counter = 0;
	e->depth--;
	return accept(e, ")") || wrong(e, "')' is expected, not '%.*s'", SHOWN, e->at);
}

/* ------------------------------------------------------------------ expressions */

static bool named(struct evaluation *e, int64_t *value)
{
	size_t length = name_length(e->at);
	const struct function *f = function_of(e->at, length);
	const char *name = e->at,
		   *axis = length == 1 && e->spot ? memchr(axis_name, *name, e->extents->grid.axes) : NULL;
	if (!length)
		return wrong(e, "a number or a name is expected, not '%.*s'", SHOWN, e->at);
	e->at += length;
	if (f)
		return call(e, f, value);
	if (length == 3 && !memcmp(name, "sum", 3) && *e->at == '(')
		return sum_of(e, value);
	if (e->counter && length == 1 && *name == e->counter) {
		*value = e->count;
		return true;
	}
	if (axis)
		*value = e->spot->axis[axis - axis_name];
	else if (e->spot && length == 1 && *name == 'p')
		*value = e->spot->p;
	else if (!find_name(e->extents, name, length, value))
		return wrong(e, "'%.*s' is neither P nor an extent of the grid nor a parameter of this program",
			(int)(length < SHOWN ? length : SHOWN), name);
	return true;
}

/* A sum, or a comparison of two. */
static bool compared(struct evaluation *e, int64_t *value)
{
	int64_t right;
	if (!sum(e, value))
		return false;
	bool equal = accept(e, "=="), differs = !equal && accept(e, "!="), at_least = accept(e, ">="),
	     at_most = accept(e, "<="), more = accept(e, ">"), less = accept(e, "<");
	if (!equal && !differs && !at_least && !at_most && !more && !less)
		return true;
	if (!sum(e, &right))
		return false;
	*value = equal      ? *value == right
		 : differs  ? *value != right
		 : at_least ? *value >= right
		 : at_most  ? *value <= right
		 : more     ? *value > right
			    : *value < right;
	return true;
}

static bool power(struct evaluation *e, int64_t *value);

/* Behind a sign: numbers stand in the place of names, and may be below 0. */
static bool negated(struct evaluation *e, int64_t *value)
{
	if (!go_inside(e) || !power(e, value))
		return false;
	e->depth--;
	return !__builtin_sub_overflow(0, *value, value) || too_large(e);
}

static bool primary(struct evaluation *e, int64_t *value)
{
	uint64_t number;
	if (accept(e, "-"))
		return negated(e, value);
	if (is_digit(*e->at)) {
		if (!text_read_number(&e->at, INT64_MAX, &number))
			return wrong(e, "'%.*s' is not a number of 64 bits without leading zeros", SHOWN, e->at);
		*value = (int64_t)number;
		return true;
	}
	if (*e->at != '(')
		return named(e, value);
	if (!go_inside(e))
		return false;
	e->at++;
	if (!compared(e, value))
		return false;
	e->depth--;
	return accept(e, ")") || wrong(e, "')' is expected, not '%.*s'", SHOWN, e->at);
}

static bool power(struct evaluation *e, int64_t *value)
{
	int64_t exponent, result = 1;
	if (!primary(e, value))
		return false;
	if (!accept(e, "^"))
		return true;
	if (!primary(e, &exponent))
		return false;
	if (exponent < 0 || exponent > 63)
		return wrong(e, "an exponent of %" PRId64, exponent);
	while (exponent--)
		if (__builtin_mul_overflow(result, *value, &result))
			return too_large(e);
	*value = result;
	return true;
}

static bool operation(struct evaluation *e, char operator, int64_t * value, int64_t right)
{
	if (operator== '*')
		return !__builtin_mul_overflow(*value, right, value) || too_large(e);
	if (!divisor_of(e, right))
		return false;
	if (operator== '%') {
		*value = modulo(*value, right);
		return true;
	}
	if (*value % right)
		return wrong(e, "%" PRId64 "/%" PRId64 " is no whole number", *value, right);
	*value /= right;
	return true;
}

static bool product(struct evaluation *e, int64_t *value)
{
	int64_t right;
	if (!power(e, value))
		return false;
	while (*e->at && strchr("*/%", *e->at)) {
		char operator= * e->at++;
		if (!power(e, &right) || !operation(e, operator, value, right))
			return false;
	}
	return true;
}

static bool sum(struct evaluation *e, int64_t *value)
{
	bool negative = accept(e, "-");
	if (!product(e, value))
		return false;
	if (negative && __builtin_sub_overflow(0, *value, value))
		return too_large(e);
	while (*e->at == '+' || *e->at == '-') {
		int64_t right;
		bool minus = *e->at++ == '-';
		if (!product(e, &right))
			return false;
		if (minus ? __builtin_sub_overflow(*value, right, value) : __builtin_add_overflow(*value, right, value))
			return too_large(e);
	}
	return true;
}

/* The expression at *at, which moves behind it. spot: the process that p, x, y, z, w are of; NULL:
   they may not occur. False with *error set where it is none, or no number. */
static bool evaluate(
	const struct extents *x, const struct spot *spot, const char **at, int64_t *value, struct error *error)
{
	struct evaluation e = {.extents = x, .spot = spot, .error = error, .at = *at};
	if (!sum(&e, value))
		return false;
	*at = e.at;
	return true;
}

/* ------------------------------------------------------------------ lines */

/* How far a factor goes that has nothing but numbers and names that are known, as far as can be
   seen without reading it: 0, it is none. any: has it a name? */
static size_t factor_length(const struct extents *x, const char *at, bool *any)
{
	size_t length = 0, name = name_length(at);
	int64_t value;
	if (is_digit(*at)) {
		while (is_digit(at[length]))
			length++;
	} else if (name && (function_of(at, name) || find_name(x, at, name, &value))) {
		length = name;
		*any = true;
	} else if (*at != '(') {
		return 0;
	}
	if (at[length] == '(') {
		int depth = 0;
		bool inside = length > 0;
		do {
			size_t word = name_length(at + length);
			depth += (at[length] == '(') - (at[length] == ')');
			bool known =
				word && (function_of(at + length, word) || find_name(x, at + length, word, &value));
			if ((word && !known) || !at[length] || strchr("{}[]$@ ", at[length]))
				return 0;
			inside |= known;
			length += word ? word : 1;
		} while (depth);
		if (!inside)
			return 0;
		*any = true;
	}
	return length;
}

/* The same of a term. all: products, too; else one factor. */
static size_t term_length(const struct extents *x, const char *at, bool all, bool *any)
{
	size_t length = factor_length(x, at, any);
	while (all && length && at[length] && strchr("*/^", at[length])) {
		bool more = false;
		size_t factor = factor_length(x, at + length + 1, &more);
		if (!factor)
			break;
		*any |= more;
		length += 1 + factor;
	}
	return length;
}

static bool fold_term(const struct extents *x, const char *at, size_t length, struct text *to, struct error *error)
{
	int64_t value = 0;
	struct text term = {0};
	text_add(&term, at, length);
	const char *from = term.data;
	bool good = evaluate(x, NULL, &from, &value, error);
	text_format(to, "%" PRId64, value);
	text_clear(&term);
	return good;
}

bool extents_fold(const struct extents *x, const char *line, struct text *to, struct error *error)
{
	char before = ' ';
	text_truncate(to, 0);
	text_add(to, "", 0);
	for (const char *at = line; *at;) {
		bool begins = !is_letter(before) && !is_digit(before) && before != '$', any = false;
		size_t length = begins ? term_length(x, at, !strchr("*%^", before), &any) : 0;
		if (length && any) {
			if (!fold_term(x, at, length, to, error))
				return false;
			at += length;
			before = '0';
			continue;
		}
		size_t word = begins && name_length(at) ? name_length(at) : 1;
		text_add(to, at, word);
		before = at[word - 1];
		at += word;
	}
	return true;
}

/* NAME=?(LEAST..MOST), and a semicolon that nothing follows. */
void extents_drop_holes(char *line)
{
	char *semicolon = strchr(line, ';');
	for (char *hole; semicolon && (hole = strstr(semicolon, "=?"));) {
		char *start = hole;
		while (start > semicolon + 1 && !is_blank(start[-1]))
			start--;
		char *end = hole + strcspn(hole, " \t");
		memmove(start, end, strlen(end) + 1);
	}
	if (semicolon && !*behind_blanks(semicolon + 1))
		*semicolon = 0;
}

/* ------------------------------------------------------------------ tables */

bool extents_is_formula(const char *definition)
{
	for (const char *at = definition; *at; at++) {
		size_t length = name_length(at);
		if (length)
			return true;
	}
	return false;
}

bool extents_table(
	const struct extents *x, const char *arguments, const char *formula, struct text *entries, struct error *error)
{
	const char *axis = memchr(axis_name, *arguments, x->grid.axes);
	bool by_process = *arguments == 'p';
	if ((!axis && !by_process) || arguments[1] != ']')
		return error_set(
			error, ERROR_INPUT, "a table that is given by a formula has one argument, p or a coordinate");
	uint32_t length = by_process ? x->processes : x->grid.size[axis - axis_name];
	for (uint32_t i = 0; i < length; i++) {
		struct spot spot = by_process ? grid_spot(&x->grid, i) : (struct spot){.p = i};
		const char *at = behind_blanks(formula);
		int64_t value;
		if (axis)
			spot.axis[axis - axis_name] = i;
		if (!evaluate(x, &spot, &at, &value, error))
			return false;
		if (*behind_blanks(at))
			return error_set(error, ERROR_INPUT, "'%.*s' is too much behind a formula", SHOWN, at);
		text_format(entries, "%" PRId64 " ", value);
	}
	return true;
}
