/*
 * read_number.c -- numbers, places and conditions from their text: one grammar, whatever the number
 * is for. As a place p^ combines bits; elsewhere ^ raises to a power.
 *
 *	value   = "{" sum "}" | sum
 *	sum     = ["-"] product { ("+" | "-") product }
 *	product = power { ("*" | "/" | "%") power }
 *	power   = factor ["^" factor]
 *	factor  = number | name | "$" table "[" sum,... "]" | "@(" sum,... ")"
 *	        | function "(" sum,... ")" | "(" sum [relation sum] ")"
 */
#include "model/module_read.h"

#include "base/gcd.h"
#include "base/text.h"

static const char axis_name[] = "xyzw", extent_name[] = "XYZW";

/* Of arithmetic that 64 bits may not hold. */
static node_id made(struct reader *r, const char *at, node_id number)
{
	return number ? number : (node_id)fail(r, at, "a number in a formula is too large");
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

static node_id find_name(struct reader *r, const char *name, size_t length)
{
	const struct module *m = r->module;
	struct word word = {name, length};
	const char *axis = length == 1 ? memchr(axis_name, *name, m->grid.axes) : NULL;
	if (length == 1 && *name == r->counter)
		return variable(r, VARIABLE_COUNTER);
	if (length == 1 && *name == 'p')
		return variable(r, VARIABLE_P);
	if (axis)
		return variable(r, VARIABLE_X + (axis - axis_name));
	node_id extent = m->parametric || r->condition ? find_extent(r, name, length) : NODE_NONE;
	if (extent)
		return extent;
	for (size_t d = r->depth; d-- > r->base;)
		if (is_named(r->index[d].name, name, length))
			return made(r, name,
				number_add(r->store, variable(r, VARIABLE_INDEX + (int64_t)(r->depth - 1 - d)),
					r->index[d].low, 1));
	for (uint32_t k = 0; k < r->parameters; k++)
		if (is_named(r->parameter[k], name, length))
			return variable(r, VARIABLE_PARAMETER + k);
	if (r->condition)
		return fail(r, name,
			"a condition is of p, P, coordinates x and extents X of the grid, and numbers, not of '%.*s'",
			SHOWN_WORD(word));
	if (length == 1 && memchr(axis_name, *name, GRID_AXES))
		return fail(r, name, "the grid has no coordinate '%c' (it has %u)", *name, m->grid.axes);
	return fail(r, name, "'%.*s' is %sno index of a loop around this line", SHOWN_WORD(word),
		m->parametric ? "neither P nor an extent of the grid nor a parameter of this program, and " : "");
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

/* $w[i0,p] */
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
		argument[arguments] = read_sum(r, at);
		if (!argument[arguments++])
			return NODE_NONE;
	} while (**at == ',');
	if (!accept(at, "]"))
		return fail(r, *at, "']' is expected behind the arguments of a table, not '%.*s'", SHOWN, *at);
	return check_arguments(r, start, table, arguments)
		       ? made(r, start, number_entry(r->store, table, argument, arguments))
		       : NODE_NONE;
}

/* ------------------------------------------------------------------ factors */

/* all: '*' stands for all coordinates, which give NODE_NONE. */
static bool read_axes(struct reader *r, const char **at, bool all, node_id *coordinate)
{
	uint32_t axes = r->module->grid.axes;
	if (!axes)
		return fail(r, *at, "'@(...)' needs a grid: a header line '// grid NX NY'");
	if (!accept(at, "@("))
		return fail(r, *at, "coordinates are written '@(x,y)', not '%.*s'", SHOWN, *at);
	for (uint32_t i = 0; i < axes; i++) {
		coordinate[i] = NODE_NONE;
		if (!(all && accept(at, "*")) && !(coordinate[i] = read_sum(r, at)))
			return false;
		if (!accept(at, i + 1 < axes ? "," : ")"))
			return fail(r, *at, "%u coordinates are expected, as the grid has", axes);
	}
	return true;
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

enum node_function read_relation(const char **at)
{
	enum node_function f = FUNCTION_DIFFERS; /* the longest first */
	while (f >= FUNCTION_LESS && !accept(at, function_rows[f].text))
		f--;
	return f;
}

/* (x+1), (y==0) */
static node_id read_parenthesis(struct reader *r, const char **at)
{
	node_id side[2];
	++*at;
	side[0] = read_sum(r, at);
	enum node_function relation = side[0] ? read_relation(at) : FUNCTION_DIVIDED;
	if (relation != FUNCTION_DIVIDED) {
		side[1] = read_sum(r, at);
		side[0] = number_function(r->store, relation, side);
	}
	return !side[0] || accept(at, ")") ? side[0] : (node_id)fail(r, *at, "')' is expected, not '%.*s'", SHOWN, *at);
}

static enum node_function find_function(const char *name, size_t length)
{
	enum node_function f = FUNCTION_LOG2;
	while (f < FUNCTIONS &&
		!is_named((struct word){name, length}, function_rows[f].text, strlen(function_rows[f].text)))
		f++;
	return f;
}

/* log2(P); sum(c,X,c*8): a letter that counts, then how often, then what is added up. */
static node_id read_function(struct reader *r, const char **at, size_t length)
{
	enum node_function f = find_function(*at, length);
	const struct function_row *row = &function_rows[f];
	node_id kid[3];
	if (f == FUNCTIONS || (f == FUNCTION_SUM && !r->module->parametric)) /* what counts is no name of a run */
		return find_name(r, *at, length);
	*at += length + 1;
	char counter = f == FUNCTION_SUM ? **at : 0;
	if (counter && r->counter)
		return fail(r, *at, "a sum() inside of a sum()");
	if (counter && (!is_letter(counter) || (*at)[1] != ','))
		return fail(r, *at, "sum(c,X,...) counts with a letter, not '%.*s'", SHOWN, *at);
	*at += counter ? 2 : 0;
	for (uint32_t i = 0; i < row->arguments; i++) {
		if (counter && i)
			r->counter = counter;
		kid[i] = read_sum(r, at);
		if (kid[i] && !accept(at, i + 1 < row->arguments ? "," : ")"))
			return fail(r, *at, "%s() has %u argument%s", row->text, row->arguments,
				text_plural(row->arguments, "", "s"));
		if (!kid[i])
			return NODE_NONE;
	}
	r->counter = counter ? 0 : r->counter;
	return number_function(r->store, f, kid);
}

static node_id read_factor(struct reader *r, const char **at)
{
	const char *start = *at;
	size_t length = is_letter(*start) ? name_length(start) : 0;
	uint64_t number;
	switch (*start) {
	case '$':
		return read_entry(r, at);
	case '@':
		return read_coordinates(r, at);
	case '(':
		return read_parenthesis(r, at);
	default:
		if (length && start[length] == '(')
			return read_function(r, at, length);
		*at += length;
		if (length)
			return find_name(r, start, length);
		return text_read_number(at, INT64_MAX, &number)
			       ? number_constant(r->store, (int64_t)number)
			       : (node_id)fail(r, start,
					 "a number, without leading zeros, or a name is expected, not '%.*s'", SHOWN,
					 start);
	}
}

/* ------------------------------------------------------------------ sums */

static node_id read_power(struct reader *r, const char **at)
{
	node_id base = read_factor(r, at);
	const char *start = *at;
	if (!base || !accept(at, "^"))
		return base;
	node_id exponent = read_factor(r, at);
	return exponent ? made(r, start, number_power(r->store, base, exponent)) : NODE_NONE;
}

static node_id operation(struct reader *r, char operator, node_id left, node_id right)
{
	int64_t a, b;
	bool known = number_is_constant(r->store, right, &b);
	if (operator== '*')
		return number_multiply(r->store, left, right);
	if (known && b <= 0)
		return NODE_NONE;
	if (operator== '%')
		return number_remainder(r->store, left, right);
	if (known && number_is_constant(r->store, left, &a))
		return a % b == 0 ? number_constant(r->store, a / b) : NODE_NONE;
	return number_function(r->store, FUNCTION_DIVIDED, (node_id[]){left, right});
}

static node_id read_product(struct reader *r, const char **at)
{
	node_id left = read_power(r, at);
	while (left && **at && strchr("*/%", **at)) {
		const char *start = *at;
		char operator= *(*at)++;
		node_id right = read_power(r, at);
		left = right ? operation(r, operator, left, right) : NODE_NONE;
		if (right && !left)
			return fail(r, start, "'%c' gives no whole number of 64 bits here", operator);
	}
	return left;
}

node_id read_sum(struct reader *r, const char **at)
{
	node_id sum = number_constant(r->store, 0);
	if (++r->inside > PARENTHESES_LIMIT)
		return fail(r, *at, "more than %d parentheses inside each other", PARENTHESES_LIMIT);
	for (bool first = true; sum && (first || **at == '+' || **at == '-'); first = false) {
		const char *start = *at;
		int sign = accept(at, "-") || (!first && !accept(at, "+")) ? -1 : 1;
		node_id product = read_product(r, at);
		sum = product ? made(r, start, number_add(r->store, sum, product, sign)) : NODE_NONE;
	}
	r->inside--;
	return sum;
}

bool number_begins(const char *at)
{
	size_t length = *at == '$' ? name_length(at + 1) : 0;
	return *at == '{' || (length && at[1 + length] == '[');
}

node_id read_value(struct reader *r, const char **at)
{
	bool braces = accept(at, "{");
	node_id sum = read_sum(r, at);
	bool there = sum && braces && accept(at, " at "), elsewhere = sum && braces && accept(at, " not at ");
	if (there || elsewhere) {
		node_id process = read_sum(r, at);
		sum = process ? made(r, *at, number_at_process(r->store, sum, process, there)) : NODE_NONE;
	}
	if (sum && braces && !accept(at, "}"))
		return fail(r, *at, "'}' is expected in a formula, not '%.*s'", SHOWN, *at);
	return sum;
}

node_id read_place(struct reader *r, const char **at)
{
	if (!accept(at, "p^"))
		return read_value(r, at);
	return number_xor(r->store, number_begins(*at) ? read_value(r, at) : read_factor(r, at));
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

node_id read_test(struct reader *r, const char **at)
{
	static const struct {
		const char *word;
		enum node_test test;
	} words[] = {{"=", NODE_TEST_EQUAL}, {"!=", NODE_TEST_DIFFERS}, {"in", NODE_TEST_AMONG},
		{"not in", NODE_TEST_NOT_AMONG}};
	enum node_test test = NODE_TEST_NOT_ZERO;
	int64_t number = 0;
	node_id sum = read_value(r, at);
	for (size_t i = 0; sum && i < sizeof words / sizeof *words; i++)
		if (accept_between_blanks(at, words[i].word)) {
			test = words[i].test;
			break;
		}
	if (!sum || (test >= NODE_TEST_AMONG && !read_numbers(r, at, &number)))
		return NODE_NONE;
	const char *start = *at;
	if (test == NODE_TEST_EQUAL || test == NODE_TEST_DIFFERS) {
		node_id with = read_sum(r, at);
		if (with && !number_is_constant(r->store, with, &number))
			return fail(
				r, start, "a number is expected in a condition, {i0%%7} = 6, not '%.*s'", SHOWN, start);
		if (!with)
			return NODE_NONE;
	}
	return test_make(r->store, test, number, sum);
}
