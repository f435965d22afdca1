/*
 * read_number.c -- numbers, places and conditions from their text.
 *
 * Two notations: models say what a reader takes in at a glance, sums of terms that are a number
 * times something, and are held to that; parametric texts hold any expression of extents. Both come
 * to the same nodes.
 */
#include "model/module_read.h"

#include "base/gcd.h"
#include "base/text.h"

static const char axis_name[] = "xyzw", extent_name[] = "XYZW";

/* What may stand in a sum. */
enum {
	AFFINE = 1, /* nothing but terms that are variables times numbers */
	NO_INDEX = 2
};

static node_id read_terms(struct reader *, const char **at, int allowed);

static bool too_large(struct reader *r, const char *at)
{
	return fail(r, at, "a number in a formula is too large");
}

/* Of arithmetic that 64 bits may not hold. */
static node_id made(struct reader *r, const char *at, node_id number)
{
	return number ? number : (node_id)too_large(r, at);
}

bool read_literal(struct reader *r, const char **at, int64_t limit, int64_t *number)
{
	uint64_t value;
	if (!text_read_number(at, (uint64_t)limit, &value))
		return fail(r, *at, "'%.*s' is not a number up to %lld, without leading zeros", SHOWN, *at,
			(long long)limit);
	*number = (int64_t)value;
	return true;
}

static bool read_modulus(struct reader *r, const char **at, int64_t limit, node_id *modulus)
{
	const char *start = *at;
	int64_t number;
	if (!read_literal(r, at, limit, &number))
		return false;
	*modulus = number_constant(r->store, number);
	return number || fail(r, start, "a remainder modulo 0");
}

/* ------------------------------------------------------------------ names */

static bool is_named(struct word word, const char *name, size_t length)
{
	return word.length == length && !memcmp(word.start, name, length);
}

static node_id variable(struct reader *r, int64_t of)
{
	return number_variable(r->store, of);
}

/* P, X, N: what parametric texts stand for numbers by. */
static node_id find_extent(struct reader *r, const char *name, size_t length)
{
	const struct module *m = r->module;
	const char *axis = length == 1 ? memchr(extent_name, *name, m->grid.axes) : NULL;
	if (axis)
		return variable(r, VARIABLE_SIZE + (axis - extent_name));
	if (length == 1 && *name == 'P')
		return variable(r, VARIABLE_RANKS);
	uint32_t word = store_word(r->store, name, length);
	for (uint32_t i = 0; i < m->symbols; i++)
		if (m->symbol[i] == word)
			return variable(r, VARIABLE_SYMBOL + i);
	return NODE_NONE;
}

static node_id find_name(struct reader *r, const char *name, size_t length, int allowed)
{
	const char *axis = length == 1 ? memchr(axis_name, *name, r->module->grid.axes) : NULL;
	size_t cut = length < INDEX_NAME_LIMIT ? length : INDEX_NAME_LIMIT;
	if (length == 1 && r->counter && *name == r->counter)
		return variable(r, VARIABLE_COUNTER);
	if (length == 1 && *name == 'p')
		return variable(r, VARIABLE_P);
	if (axis)
		return variable(r, VARIABLE_X + (axis - axis_name));
	node_id extent = r->module->parametric ? find_extent(r, name, length) : NODE_NONE;
	if (extent)
		return extent;
	for (size_t d = r->depth; d-- > 0;) {
		if (!is_named((struct word){r->index[d].name, r->index[d].length}, name, cut))
			continue;
		if (allowed & NO_INDEX)
			return fail(r, name,
				"'%.*s': an index may not stand here, only in tags, peers, roots, communicators and bounds",
				(int)(length < SHOWN ? length : SHOWN), name);
		return made(r, name,
			number_add(r->store, variable(r, VARIABLE_INDEX + (int64_t)(r->depth - 1 - d)), r->index[d].low,
				1));
	}
	for (uint32_t k = 0; k < r->parameters; k++)
		if (is_named(r->parameter[k], name, length))
			return variable(r, VARIABLE_PARAMETER + k);
	if (length == 1 && memchr(axis_name, *name, GRID_AXES))
		return fail(r, name, "the grid has no coordinate '%c' (it has %u)", *name, r->module->grid.axes);
	if (r->module->parametric)
		return fail(r, name,
			"'%.*s' is neither P nor an extent of the grid nor a parameter of this program, and no index of a loop around this line",
			(int)(length < SHOWN ? length : SHOWN), name);
	return fail(
		r, name, "'%.*s' is no index of a loop around this line", (int)(length < SHOWN ? length : SHOWN), name);
}

static node_id read_variable(struct reader *r, const char **at, int allowed)
{
	const char *name = *at;
	size_t length = name_length(name);
	if (!length || !is_letter(*name))
		return fail(
			r, name, "a number or one of p, x, y, z, w or an index is expected, not '%.*s'", SHOWN, name);
	*at += length;
	return find_name(r, name, length, allowed);
}

/* ------------------------------------------------------------------ tables */

node_id read_table_name(struct reader *r, struct word name)
{
	for (uint32_t k = 0; k < r->parameters; k++)
		if (is_named(r->parameter[k], name.start, name.length))
			return node_make(r->store, NODE_VARIABLE, 1, 0, VARIABLE_PARAMETER + k, 0, NULL);
	uint32_t id = intern_find(r->table_names, name.start + 1, name.length - 1);
	if (id != INTERN_NONE)
		return r->module->table[id];
	int length = (int)(name.length - 1 < SHOWN ? name.length - 1 : SHOWN);
	return fail(r, name.start, "there is no table $%.*s: '$%.*s[...] = ...' is missing at the end", length,
		name.start + 1, length, name.start + 1);
}

node_id number_wrapped(struct store *s, node_id number, node_id modulus)
{
	int64_t by;
	if (number && modulus && number_is_constant(s, modulus, &by) && by > 0) {
		int64_t constant = node_of(s, number)->number;
		number = number_add(s, number_add(s, number, number_constant(s, constant), -1),
			number_constant(s, modulo(constant, by)), 1);
	}
	return number_remainder(s, number, modulus);
}

/* (affine)%modulus or affine%modulus or affine, up to the comma or the bracket. */
static node_id read_argument(struct reader *r, const char **at)
{
	node_id modulus;
	bool parenthesis = **at == '(';
	if (r->module->parametric)
		return read_terms(r, at, 0);
	*at += parenthesis;
	node_id inside = read_terms(r, at, AFFINE);
	if (!inside)
		return NODE_NONE;
	if (parenthesis && !accept(at, ")"))
		return fail(r, *at, "')' is missing in the argument of a table");
	if (!accept(at, "%"))
		return inside;
	return read_modulus(r, at, MODULUS_LIMIT, &modulus) ? made(r, *at, number_wrapped(r->store, inside, modulus))
							    : NODE_NONE;
}

static bool check_arguments(struct reader *r, const char *at, node_id table, uint32_t arguments)
{
	const struct node *t = node_of(r->store, table);
	if (t->kind != NODE_TABLE)
		return true;
	uint32_t known = t->kids ? 1 : table_arguments(store_get_table(r->store, (uint32_t)t->number));
	const char *name = store_get_word(r->store, t->word);
	uint32_t id = intern_find(r->table_names, name, strlen(name));
	return known == arguments ||
	       fail(r, at, "table $%s has %u argument%s here, but %u in line %llu", name, arguments,
		       text_plural(arguments, "", "s"), known, (unsigned long long)r->table_line[id]);
}

/* $w[i0,p] at *at */
static node_id read_entry(struct reader *r, const char **at)
{
	const char *start = *at;
	size_t length = name_length(start + 1);
	node_id argument[TABLE_ARGUMENTS];
	uint32_t arguments = 0;
	if (!length || start[1 + length] != '[')
		return fail(r, start, "a table is written $NAME[ARGUMENT], not '%.*s'", SHOWN, start);
	node_id table = read_table_name(r, (struct word){start, 1 + length});
	if (!table)
		return NODE_NONE;
	*at += 1 + length;
	do {
		++*at;
		if (arguments == TABLE_ARGUMENTS)
			return fail(r, start, "a table has at most %d arguments", TABLE_ARGUMENTS);
		argument[arguments] = read_argument(r, at);
		if (!argument[arguments++])
			return NODE_NONE;
	} while (**at == ',');
	if (!accept(at, "]"))
		return fail(r, *at, "']' is expected behind the arguments of a table, not '%.*s'", SHOWN, *at);
	return check_arguments(r, start, table, arguments) ? number_entry(r->store, table, argument, arguments)
							   : NODE_NONE;
}

/* $w[i0], $f[x]*$g[y] */
static node_id read_entries(struct reader *r, const char **at)
{
	node_id one = read_entry(r, at), other;
	if (!one || (*at)[0] != '*' || (*at)[1] != '$')
		return one;
	++*at;
	other = read_entry(r, at);
	return other ? number_multiply(r->store, one, other) : NODE_NONE;
}

/* ------------------------------------------------------------------ terms of models */

static node_id times(struct reader *r, const char *at, node_id number, int64_t factor)
{
	return number ? made(r, at, number_multiply(r->store, number, number_constant(r->store, factor))) : NODE_NONE;
}

/* number, number*variable, variable or variable*number */
static node_id read_term(struct reader *r, const char **at, int allowed)
{
	const char *start = *at;
	int64_t factor = 1;
	bool number = is_digit(*start);
	if (number && !read_literal(r, at, CONSTANT_LIMIT, &factor))
		return NODE_NONE;
	if (number && !accept(at, "*"))
		return number_constant(r->store, factor);
	node_id result = read_variable(r, at, allowed);
	if (!result || (!number && accept(at, "*") && !read_literal(r, at, FACTOR_LIMIT, &factor)))
		return NODE_NONE;
	if (factor > FACTOR_LIMIT)
		return fail(r, start, "a factor in a formula is larger than %lld", (long long)FACTOR_LIMIT);
	return times(r, start, result, factor);
}

/* i0, or a sum in parentheses, without the one that closes. */
static node_id read_inside(struct reader *r, const char **at)
{
	return accept(at, "(") ? read_terms(r, at, AFFINE) : read_variable(r, at, 0);
}

/* (x+y)%4*4, i0%7 */
static node_id read_remainder(struct reader *r, const char **at)
{
	const char *start = *at;
	int64_t factor = 1;
	node_id inside = read_inside(r, at), modulus;
	if (!inside)
		return NODE_NONE;
	if (!accept(at, *start == '(' ? ")%" : "%"))
		return fail(r, *at,
			"parentheses in a formula are for remainders, '(x+y)%%4': ')%%' is expected, not '%.*s'", SHOWN,
			*at);
	if (!read_modulus(r, at, MODULUS_LIMIT, &modulus) ||
		(accept(at, "*") && !read_literal(r, at, MODULUS_LIMIT, &factor)))
		return NODE_NONE;
	return times(r, start, number_remainder(r->store, inside, modulus), factor);
}

/* 3, i0, (5-i0) */
static node_id read_exponent(struct reader *r, const char **at)
{
	int64_t number;
	bool parenthesis = **at == '(';
	if (is_digit(**at))
		return read_literal(r, at, CONSTANT_LIMIT, &number) ? number_constant(r->store, number) : NODE_NONE;
	if (!parenthesis && !is_letter(**at))
		return fail(
			r, *at, "an exponent is a number, an index or a sum, 2^i0 or 2^(5-i0), not '%.*s'", SHOWN, *at);
	node_id exponent = read_inside(r, at);
	if (exponent && parenthesis && !accept(at, ")"))
		return fail(r, *at, "')' is missing behind an exponent: 2^(5-i0)");
	return exponent;
}

/* 2^i0, 16*4^(5-i0) */
static node_id read_power(struct reader *r, const char **at)
{
	const char *start = *at;
	int64_t base, factor = 1;
	if (!read_literal(r, at, CONSTANT_LIMIT, &base))
		return NODE_NONE;
	if (accept(at, "*")) {
		factor = base;
		if (!read_literal(r, at, CONSTANT_LIMIT, &base))
			return NODE_NONE;
	}
	++*at;
	if (base < 2 || base > MODULUS_LIMIT)
		return fail(r, start, "the base of a power is a number from 2 to %lld", (long long)MODULUS_LIMIT);
	node_id exponent = read_exponent(r, at);
	if (!exponent || !factor)
		return exponent ? number_constant(r->store, 0) : NODE_NONE;
	node_id power = number_power(r->store, number_constant(r->store, base), exponent);
	power = power ? number_multiply(r->store, power, number_constant(r->store, factor)) : NODE_NONE;
	return power ? power
		     : (node_id)fail(r, start, "a power in a formula is beyond 64 bits, or its exponent is negative");
}

/* $w[i0], 2*$w[i0] */
static node_id read_product(struct reader *r, const char **at)
{
	const char *start = *at;
	int64_t factor = 1;
	if (**at != '$' && !read_literal(r, at, FACTOR_LIMIT, &factor))
		return NODE_NONE;
	accept(at, "*");
	return times(r, start, read_entries(r, at), factor);
}

static const char *behind_digits(const char *at)
{
	while (is_digit(*at))
		at++;
	return at;
}

static bool is_product(const char *at)
{
	at = behind_digits(at);
	return at[0] == '$' || (at[0] == '*' && at[1] == '$');
}

static bool is_power(const char *at)
{
	const char *behind = behind_digits(at);
	if (behind[0] == '*' && is_digit(behind[1]))
		behind = behind_digits(behind + 1);
	return behind > at && *behind == '^';
}

static node_id read_any_term(struct reader *r, const char **at)
{
	bool remainder = **at == '(' || (is_letter(**at) && (*at)[name_length(*at)] == '%');
	return remainder         ? read_remainder(r, at)
	       : is_product(*at) ? read_product(r, at)
	       : is_power(*at)   ? read_power(r, at)
				 : read_term(r, at, 0);
}

/* ------------------------------------------------------------------ expressions */

static node_id read_expression(struct reader *, const char **at);

static bool go_inside(struct reader *r, const char *at)
{
	return ++r->inside <= PARENTHESES_LIMIT ||
	       fail(r, at, "more than %d parentheses inside each other", PARENTHESES_LIMIT);
}

/* A sum, or a comparison of two, up to a parenthesis. */
static node_id read_compared(struct reader *r, const char **at)
{
	static const enum node_function longest_first[] = {
		FUNCTION_AT_LEAST, FUNCTION_AT_MOST, FUNCTION_EQUAL, FUNCTION_DIFFERS, FUNCTION_LESS, FUNCTION_MORE};
	node_id side[2] = {read_expression(r, at)};
	for (size_t i = 0; side[0] && i < sizeof longest_first / sizeof *longest_first; i++) {
		if (!accept(at, function_rows[longest_first[i]].text))
			continue;
		side[1] = read_expression(r, at);
		return side[1] ? number_function(r->store, longest_first[i], side) : NODE_NONE;
	}
	return side[0];
}

/* sum(c,k,E), behind the parenthesis. */
static node_id read_counted(struct reader *r, const char **at)
{
	char counter = **at;
	node_id kid[2];
	if (r->counter)
		return fail(r, *at, "a sum() inside of a sum()");
	if (!is_letter(counter) || (*at)[1] != ',')
		return fail(r, *at, "sum(c,X,...) counts with a letter, not '%.*s'", SHOWN, *at);
	*at += 2;
	kid[0] = read_expression(r, at);
	if (!kid[0])
		return NODE_NONE;
	if (!accept(at, ","))
		return fail(r, *at, "',' is expected, not '%.*s'", SHOWN, *at);
	r->counter = counter;
	kid[1] = read_expression(r, at);
	r->counter = 0;
	return kid[1] ? number_function(r->store, FUNCTION_SUM, kid) : NODE_NONE;
}

static node_id read_function(struct reader *r, const char **at, enum node_function f)
{
	node_id kid[3];
	const struct function_row *row = &function_rows[f];
	if (f == FUNCTION_SUM)
		return read_counted(r, at);
	for (uint32_t i = 0; i < row->arguments; i++) {
		kid[i] = read_expression(r, at);
		if (!kid[i])
			return NODE_NONE;
		if (i + 1 < row->arguments ? !accept(at, ",") : **at != ')')
			return fail(r, *at, "%s() has %u argument%s", row->text, row->arguments,
				text_plural(row->arguments, "", "s"));
	}
	return number_function(r->store, f, kid);
}

/* log2(P), (x+1), (y==0), which close. */
static node_id read_parenthesis(struct reader *r, const char **at)
{
	size_t length = name_length(*at);
	enum node_function f = FUNCTION_LOG2;
	while (length && f < FUNCTIONS &&
		(strlen(function_rows[f].text) != length || memcmp(function_rows[f].text, *at, length) != 0))
		f++;
	if (f == FUNCTIONS || !go_inside(r, *at))
		return f == FUNCTIONS ? find_name(r, *at, length, 0) : NODE_NONE;
	*at += length + 1;
	node_id inside = length ? read_function(r, at, f) : read_compared(r, at);
	r->inside--;
	if (inside && !accept(at, ")"))
		return fail(r, *at, "')' is expected, not '%.*s'", SHOWN, *at);
	return inside;
}

static node_id read_coordinates(struct reader *, const char **at);
static node_id read_raised(struct reader *, const char **at);

static node_id read_primary(struct reader *r, const char **at)
{
	const char *start = *at;
	int64_t number;
	if (accept(at, "-")) {
		node_id opposite = go_inside(r, start) ? read_raised(r, at) : NODE_NONE;
		r->inside--;
		return times(r, start, opposite, -1);
	}
	if (is_digit(*start))
		return read_literal(r, at, INT64_MAX, &number) ? number_constant(r->store, number) : NODE_NONE;
	if (*start == '$')
		return read_entry(r, at);
	if (*start == '@')
		return read_coordinates(r, at);
	return *start == '(' || start[name_length(start)] == '(' ? read_parenthesis(r, at) : read_variable(r, at, 0);
}

static node_id read_raised(struct reader *r, const char **at)
{
	node_id base = read_primary(r, at), exponent;
	const char *start = *at;
	if (!base || !accept(at, "^"))
		return base;
	exponent = read_primary(r, at);
	return exponent ? made(r, start, number_power(r->store, base, exponent)) : NODE_NONE;
}

static node_id operation(struct reader *r, char operator, node_id left, node_id right)
{
	int64_t a, b;
	if (operator== '*')
		return number_multiply(r->store, left, right);
	if (operator== '%')
		return number_remainder(r->store, left, right);
	if (number_is_constant(r->store, left, &a) && number_is_constant(r->store, right, &b))
		return b > 0 && a % b == 0 ? number_constant(r->store, a / b) : NODE_NONE;
	return number_function(r->store, FUNCTION_DIVIDED, (node_id[]){left, right});
}

static node_id read_expression_term(struct reader *r, const char **at)
{
	node_id left = read_raised(r, at);
	while (left && **at && strchr("*/%", **at)) {
		const char *start = *at;
		char operator= *(*at)++;
		node_id right = read_raised(r, at);
		left = right ? operation(r, operator, left, right) : NODE_NONE;
		if (right && !left)
			return fail(r, start, "'%c' gives no whole number of 64 bits here", operator);
	}
	return left;
}

/* ------------------------------------------------------------------ sums */

static bool read_sign(const char **at, bool *negative)
{
	*negative = **at == '-';
	if (**at != '-' && **at != '+')
		return false;
	++*at;
	return true;
}

/* Terms behind a sign are added to the sum, as long as there are signs. */
static node_id add_terms(struct reader *r, const char **at, int allowed, bool negative, node_id sum)
{
	do {
		const char *start = *at;
		node_id term = r->module->parametric ? read_expression_term(r, at)
			       : allowed & AFFINE    ? read_term(r, at, allowed)
						     : read_any_term(r, at);
		sum = term ? made(r, start, number_add(r->store, sum, term, negative ? -1 : 1)) : NODE_NONE;
		if (sum && allowed & AFFINE && (*at)[0] == '+' && (*at)[1] == '$')
			break; /* of a place; no term of an affine function */
	} while (sum && read_sign(at, &negative));
	return sum;
}

/* What was written with numbers in their limits is within these. */
static node_id limited(struct reader *r, const char *at, node_id sum)
{
	const struct node *n = node_of(r->store, sum);
	bool good = n->number <= CONSTANT_LIMIT && n->number >= -CONSTANT_LIMIT;
	for (uint32_t i = 0; i < n->kids; i++) {
		const struct node *t = node_of(r->store, n->kid[i]), *f = node_of(r->store, t->kid[0]);
		int64_t limit = f->kind == NODE_VARIABLE || f->kind == NODE_ENTRY ? FACTOR_LIMIT : CONSTANT_LIMIT;
		good = good && t->number <= limit && t->number >= -limit;
	}
	return good || !sum || r->module->parametric ? sum : (node_id)too_large(r, at);
}

static node_id read_terms(struct reader *r, const char **at, int allowed)
{
	const char *start = *at;
	bool negative = accept(at, "-");
	return limited(r, start, add_terms(r, at, allowed, negative, number_constant(r->store, 0)));
}

static node_id read_expression(struct reader *r, const char **at)
{
	return read_terms(r, at, 0);
}

node_id read_sum(struct reader *r, const char **at)
{
	return read_terms(r, at, 0);
}

bool number_begins(const char *at)
{
	size_t length = *at == '$' ? name_length(at + 1) : 0;
	return *at == '{' || (length && at[1 + length] == '[');
}

node_id read_value(struct reader *r, const char **at)
{
	if (**at == '$')
		return read_entries(r, at);
	++*at;
	node_id sum = read_sum(r, at);
	if (sum && !accept(at, "}"))
		return fail(r, *at, "'}' is expected in a formula, not '%.*s'", SHOWN, *at);
	return sum;
}

/* ------------------------------------------------------------------ places */

static bool is_uniform(const struct reader *r, node_id number)
{
	return !(node_of(r->store, number)->uses[FOR_ALL] & USES_PROCESS);
}

/* +$dx[i0] at *at, behind a coordinate; argument: that of all such tables of the place. */
static node_id add_offset(struct reader *r, const char **at, node_id coordinate, node_id *argument)
{
	const char *start = (*at)++;
	node_id offset = read_entry(r, at);
	if (!offset)
		return NODE_NONE;
	const struct node *entry = node_of(r->store, number_single(r->store, offset));
	bool first = *argument == NODE_NONE,
	     good = entry->kids == 2 && is_uniform(r, entry->kid[1]) && (first || *argument == entry->kid[1]);
	const struct node *wrapped = node_of(r->store, number_single(r->store, good ? entry->kid[1] : NODE_NONE));
	if (!good || wrapped->kind == NODE_REMAINDER)
		return fail(r, start,
			"tables of offsets are all asked for the same function of indices: @(x+$dx[i0],y+$dy[i0])");
	*argument = entry->kid[1];
	return made(r, start, number_add(r->store, coordinate, offset, 1));
}

/* all: '*' stands for all coordinates, which give NODE_NONE. */
static bool read_axes(struct reader *r, const char **at, bool all, node_id *coordinate)
{
	uint32_t axes = r->module->grid.axes;
	node_id argument = NODE_NONE;
	if (!axes)
		return fail(r, *at, "'@(...)' needs a grid: a header line '// grid NX NY'");
	if (!accept(at, "@("))
		return fail(r, *at, "coordinates are written '@(x,y)', not '%.*s'", SHOWN, *at);
	for (uint32_t i = 0; i < axes; i++) {
		if (i && !accept(at, ","))
			return fail(r, *at, "%u coordinates are expected, as the grid has", axes);
		coordinate[i] = NODE_NONE;
		if (all && accept(at, "*"))
			continue;
		coordinate[i] = read_terms(r, at, AFFINE | (all ? NO_INDEX : 0));
		if (coordinate[i] && !all && (*at)[0] == '+' && (*at)[1] == '$')
			coordinate[i] = add_offset(r, at, coordinate[i], &argument);
		if (!coordinate[i])
			return false;
	}
	return accept(at, ")") || fail(r, *at, "%u coordinates are expected, as the grid has", axes);
}

bool read_line_of_grid(struct reader *r, const char **at, node_id *coordinate)
{
	return read_axes(r, at, true, coordinate);
}

static node_id read_coordinates(struct reader *r, const char **at)
{
	node_id coordinate[GRID_AXES];
	return read_axes(r, at, false, coordinate) ? number_grid(r->store, coordinate, r->module->grid.axes)
						   : NODE_NONE;
}

/* {1+i0}, {i0%7}; p+1 has no braces. */
static node_id read_computed_place(struct reader *r, const char **at)
{
	const char *start = *at;
	node_id place = read_value(r, at);
	bool own = false, affine = true;
	const struct node *n = node_of(r->store, place);
	for (uint32_t i = 0; i < n->kids; i++) {
		const struct node *t = node_of(r->store, n->kid[i]), *f = node_of(r->store, t->kid[0]);
		own = own || (f->kind == NODE_VARIABLE && f->number == VARIABLE_P && t->number == 1);
		affine = affine && f->kind == NODE_VARIABLE && !(f->uses[FOR_ALL] & USES_PARAMETERS);
	}
	if (own && affine)
		return fail(r, start, "a rank that is p and something is written without braces, p+1+i0");
	return place;
}

/* What is added to p is the same for all processes, but for tables. */
static bool is_offset(const struct reader *r, node_id place)
{
	const struct node *n = node_of(r->store, place);
	bool good = true;
	for (uint32_t i = 0; i < n->kids && good; i++) {
		node_id factor = node_of(r->store, n->kid[i])->kid[0];
		const struct node *f = node_of(r->store, factor);
		good = is_uniform(r, factor) || f->kind == NODE_ENTRY || f->kind == NODE_PRODUCT ||
		       (f->kind == NODE_VARIABLE && f->number == VARIABLE_P);
	}
	return good;
}

/* p, p+1, p-1+2*i0, p+2^i0, p+$d[i0] */
static node_id read_offset(struct reader *r, const char **at)
{
	const char *start = (*at)++;
	bool negative;
	node_id place = variable(r, VARIABLE_P);
	if (read_sign(at, &negative))
		place = limited(r, start, add_terms(r, at, 0, negative, place));
	int64_t own = 0;
	const struct node *n = node_of(r->store, place);
	for (uint32_t i = 0; i < n->kids; i++) {
		const struct node *t = node_of(r->store, n->kid[i]), *f = node_of(r->store, t->kid[0]);
		own = f->kind == NODE_VARIABLE && f->number == VARIABLE_P ? t->number : own;
	}
	if (place && (own != 1 || !is_offset(r, place)))
		return fail(r, start, "a rank relative to p is p+1, p-1 or p+1+i0");
	return place;
}

/* (p+1)%16 */
static node_id read_ring(struct reader *r, const char **at)
{
	node_id modulus;
	int64_t ranks;
	const char *start = *at;
	if ((*at)[1] != 'p')
		return fail(r, *at, "a rank in parentheses is relative to p, on a ring: (p+1)%%8");
	++*at;
	node_id place = read_offset(r, at);
	if (!place)
		return NODE_NONE;
	if (!accept(at, ")%"))
		return fail(r, *at, "a rank on a ring is written (p+1)%%8: ')%%' is expected, not '%.*s'", SHOWN, *at);
	if (!read_modulus(r, at, RANK_LIMIT, &modulus))
		return NODE_NONE;
	if (number_is_constant(r->store, modulus, &ranks) && ranks > r->module->processes)
		return fail(r, start, "the peer is on a ring of %lld ranks, but the header says %u processes",
			(long long)ranks, r->module->processes);
	return number_remainder(r->store, place, modulus);
}

/* What p is combined with: p^{2^i0}, p^$d[p], p^1 */
static node_id read_flips(struct reader *r, const char **at)
{
	int64_t number;
	if (!number_begins(*at)) {
		if (r->module->parametric)
			return number_xor(r->store, read_primary(r, at));
		return read_literal(r, at, RANK_LIMIT - 1, &number)
			       ? number_xor(r->store, number_constant(r->store, number))
			       : NODE_NONE;
	}
	const char *start = *at;
	node_id with = read_value(r, at);
	bool table = false;
	const struct node *n = node_of(r->store, with);
	for (uint32_t i = 0; i < n->kids; i++)
		table = table || node_of(r->store, n->kid[i])->looks;
	if (with && !table && !is_uniform(r, with) && !r->module->parametric)
		return fail(
			r, start, "what p is combined with is the same for all processes, p^{2^i0}, but for a table");
	return number_xor(r->store, with);
}

node_id read_place(struct reader *r, const char **at)
{
	int64_t number;
	if (accept(at, "p^"))
		return read_flips(r, at);
	if (number_begins(*at))
		return r->module->parametric ? read_value(r, at) : read_computed_place(r, at);
	if (r->module->parametric)
		return read_sum(r, at);
	if (**at == '@')
		return read_coordinates(r, at);
	if (**at == '(')
		return read_ring(r, at);
	if (**at == 'p')
		return read_offset(r, at);
	return read_literal(r, at, RANK_LIMIT - 1, &number) ? number_constant(r->store, number) : NODE_NONE;
}

/* ------------------------------------------------------------------ conditions */

/* {3,17,20..30} at *at, as a table of the store. */
static bool read_numbers(struct reader *r, const char **at, int64_t *set)
{
	const char *start = *at, *close = strchr(*at, '}');
	struct text numbers = {0};
	if (*start != '{' || !close || close == start + 1)
		return fail(r, start, "a set of numbers is written {3,17,20..30}, not '%.*s'", SHOWN, start);
	for (const char *c = start + 1; c < close; c++)
		text_char(&numbers, *c == ',' ? ' ' : *c);
	struct table *t = table_new("", 1);
	bool good = table_parse(t, numbers.data, r->error) || reader_place(r, start);
	for (uint64_t i = 1; good && i < table_entries(t); i++)
		if (table_entry(t, i) <= table_entry(t, i - 1))
			good = fail(r, start, "the numbers of a set must ascend");
	text_clear(&numbers);
	*at = close + 1;
	if (good)
		*set = store_table(r->store, t);
	else
		table_free(t);
	return good;
}

/* Is this what follows, between blanks? Then step over it. */
static bool accept_between_blanks(const char **at, const char *word)
{
	const char *here = behind_blanks(*at);
	if (here == *at || !accept(&here, word) || !is_blank(*here))
		return false;
	*at = behind_blanks(here);
	return true;
}

static node_id make_test(struct store *s, enum node_test test, int64_t number, node_id sum)
{
	if (test == NODE_TEST_DIFFERS && !number)
		test = NODE_TEST_NOT_ZERO;
	return node_make(s, NODE_TEST, test, 0, number, 1, &sum);
}

node_id read_test(struct reader *r, const char **at)
{
	static const struct {
		const char *word;
		enum node_test test;
	} words[] = {{"=", NODE_TEST_EQUAL}, {"!=", NODE_TEST_DIFFERS}, {"in", NODE_TEST_AMONG},
		{"not in", NODE_TEST_NOT_AMONG}};
	int64_t number = 0;
	if (!number_begins(*at))
		return fail(r, *at, "a condition is {i0%%7} = 6, {i0} in {3,17,40} or $g[i0], not '%.*s'", SHOWN, *at);
	node_id sum = read_value(r, at);
	for (size_t i = 0; sum && i < sizeof words / sizeof *words; i++) {
		if (!accept_between_blanks(at, words[i].word))
			continue;
		bool set = words[i].test >= NODE_TEST_AMONG, negative = !set && accept(at, "-");
		if (!(set ? read_numbers(r, at, &number) : read_literal(r, at, CONSTANT_LIMIT, &number)))
			return NODE_NONE;
		return make_test(r->store, words[i].test, negative ? -number : number, sum);
	}
	return sum ? make_test(r->store, NODE_TEST_NOT_ZERO, 0, sum) : NODE_NONE;
}

node_id test_opposite(struct store *s, node_id test)
{
	static const enum node_test opposite[] = {
		NODE_TEST_EQUAL, NODE_TEST_DIFFERS, NODE_TEST_EQUAL, NODE_TEST_NOT_AMONG, NODE_TEST_AMONG};
	const struct node *t = node_of(s, test);
	return make_test(s, opposite[t->sub], t->number, t->kid[0]);
}
