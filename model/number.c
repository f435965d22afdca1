/*
 * number.c -- sums of terms in an order of their own, so that equal sums are equal nodes; and what
 * they come to.
 */
#include "model/number.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/gcd.h"
#include "base/mem.h"

/* ------------------------------------------------------------------ sums */

struct sum {
	int64_t number;
	uint32_t terms;
	bool lost; /* 64 bits or NUMBER_TERMS did not suffice */
	struct {
		int64_t times;
		node_id factor;
	} term[NUMBER_TERMS];
};

static void sum_term(struct sum *to, node_id factor, int64_t times)
{
	for (uint32_t i = 0; i < to->terms; i++)
		if (to->term[i].factor == factor) {
			to->lost |= __builtin_add_overflow(to->term[i].times, times, &to->term[i].times);
			return;
		}
	if (to->terms == NUMBER_TERMS) {
		to->lost = true;
		return;
	}
	to->term[to->terms].factor = factor;
	to->term[to->terms++].times = times;
}

static void sum_constant(struct sum *to, int64_t number, int64_t times)
{
	int64_t product;
	to->lost |= __builtin_mul_overflow(number, times, &product) ||
		    __builtin_add_overflow(to->number, product, &to->number);
}

static void sum_add(const struct store *s, struct sum *to, node_id id, int64_t times)
{
	const struct node *n = node_of(s, id);
	if (!id) {
		to->lost = true;
		return;
	}
	sum_constant(to, n->number, times);
	for (uint32_t i = 0; i < n->kids; i++) {
		const struct node *t = node_of(s, n->kid[i]);
		int64_t product;
		to->lost |= __builtin_mul_overflow(t->number, times, &product);
		sum_term(to, t->kid[0], to->lost ? 0 : product);
	}
}

/* Terms stand as they are read: look-ups, the process, parameters, indices from the outermost,
   powers and remainders as they came. */
static int64_t order_of(const struct store *s, node_id factor)
{
	const struct node *f = node_of(s, factor);
	switch (f->kind) {
	case NODE_ENTRY:
		return -1;
	case NODE_PRODUCT: /* where the first of its factors stands that is more than an extent */
		for (uint32_t k = 0; k < f->kids; k++)
			if (node_of(s, f->kid[k])->kind != NODE_SUM &&
				node_of(s, f->kid[k])->uses[FOR_ALL] & ~USES_EXTENTS)
				return order_of(s, f->kid[k]);
		return -1;
	case NODE_VARIABLE:
		return f->number < VARIABLE_INDEX ? f->number : INT32_MAX - (f->number - VARIABLE_INDEX);
	case NODE_REMAINDER:
		return INT64_MAX - 1;
	default:
		return INT64_MAX;
	}
}

static node_id sum_done(struct store *s, struct sum *sum)
{
	node_id kid[NUMBER_TERMS];
	uint32_t kids = 0;
	for (uint32_t i = 0; i < sum->terms; i++)
		sum->lost |= sum->term[i].times == INT64_MIN;
	if (sum->lost || sum->number == INT64_MIN) /* which can not be read back */
		return NODE_NONE;
	for (uint32_t i = 1; i < sum->terms; i++)
		for (uint32_t k = i; k && order_of(s, sum->term[k - 1].factor) > order_of(s, sum->term[k].factor);
			k--) {
			struct sum other = {.term[0] = sum->term[k]};
			sum->term[k] = sum->term[k - 1];
			sum->term[k - 1] = other.term[0];
		}
	for (uint32_t i = 0; i < sum->terms; i++)
		if (sum->term[i].times)
			kid[kids++] = node_make(s, NODE_TERM, 0, 0, sum->term[i].times, 1, &sum->term[i].factor);
	return node_make(s, NODE_SUM, 0, 0, sum->number, kids, kid);
}

node_id number_constant(struct store *s, int64_t number)
{
	return node_make(s, NODE_SUM, 0, 0, number, 0, NULL);
}

node_id number_of_factor(struct store *s, node_id factor)
{
	struct sum sum = {0};
	if (!factor)
		return NODE_NONE;
	sum_term(&sum, factor, 1);
	return sum_done(s, &sum);
}

node_id number_variable(struct store *s, int64_t variable)
{
	return number_of_factor(s, node_make(s, NODE_VARIABLE, 0, 0, variable, 0, NULL));
}

bool number_is_constant(const struct store *s, node_id id, int64_t *number)
{
	const struct node *n = node_of(s, id);
	*number = n->number;
	return n->kind == NODE_SUM && !n->kids;
}

node_id number_single(const struct store *s, node_id id)
{
	const struct node *n = node_of(s, id);
	bool alone = n->kind == NODE_SUM && n->kids == 1 && !n->number && node_of(s, n->kid[0])->number == 1;
	return alone ? node_kid(s, n->kid[0], 0) : NODE_NONE;
}

/* ------------------------------------------------------------------ operations */

static int64_t power_of(int64_t base, int64_t exponent, enum failure *failure)
{
	int64_t result = 1;
	if (exponent < 0)
		*failure = FAILURE_EXPONENT;
	if (base == 0 || base == 1 || base == -1)
		return exponent == 0 ? 1 : exponent > 0 ? (exponent % 2 || base >= 0 ? base : 1) : 0;
	for (; exponent > 0; exponent--)
		if (__builtin_mul_overflow(result, base, &result)) {
			*failure = FAILURE_OVERFLOW;
			return 0;
		}
	return result;
}

static int64_t remainder_of(int64_t a, int64_t modulus, enum failure *failure)
{
	if (modulus > 0)
		return modulo(a, modulus);
	*failure = FAILURE_DIVISION;
	return 0;
}

/* A factor of these numbers, none of which is missing. */
static node_id factor_of(struct store *s, enum node_kind kind, int sub, uint32_t kids, const node_id *kid)
{
	for (uint32_t k = 0; k < kids; k++)
		if (!kid[k])
			return NODE_NONE;
	return number_of_factor(s, node_make(s, kind, sub, 0, 0, kids, kid));
}

node_id number_add(struct store *s, node_id a, node_id b, int64_t times)
{
	struct sum sum = {0};
	sum_add(s, &sum, a, 1);
	sum_add(s, &sum, b, times);
	return sum_done(s, &sum);
}

node_id number_multiply(struct store *s, node_id a, node_id b)
{
	struct sum sum = {0};
	int64_t x, y, times;
	if (!a || !b)
		return NODE_NONE;
	bool left = number_is_constant(s, a, &x), right = number_is_constant(s, b, &y);
	if (left || right) {
		sum_add(s, &sum, left ? b : a, left ? x : y);
		return sum_done(s, &sum);
	}
	const struct node *m = node_of(s, a), *n = node_of(s, b);
	if (m->kids != 1 || n->kids != 1 || m->number || n->number)
		return factor_of(s, NODE_PRODUCT, 0, 2, (node_id[]){a, b});
	const struct node *t = node_of(s, m->kid[0]), *u = node_of(s, n->kid[0]);
	sum.lost = __builtin_mul_overflow(t->number, u->number, &times);
	sum_term(&sum, node_make(s, NODE_PRODUCT, 0, 0, 0, 2, (node_id[]){t->kid[0], u->kid[0]}), sum.lost ? 0 : times);
	return sum_done(s, &sum);
}

node_id number_at_process(struct store *s, node_id value, node_id process, bool there)
{
	node_id side[] = {number_variable(s, VARIABLE_P), process};
	return number_multiply(s, value, number_function(s, there ? FUNCTION_EQUAL : FUNCTION_DIFFERS, side));
}

bool number_is_process_test(const struct store *s, node_id factor, struct number_there *to)
{
	const struct node *f = node_of(s, node_of(s, factor)->kind == NODE_SUM ? number_single(s, factor) : factor);
	bool is = f->kind == NODE_FUNCTION && (f->sub == FUNCTION_EQUAL || f->sub == FUNCTION_DIFFERS);
	const struct node *own = node_of(s, is ? number_single(s, f->kid[0]) : NODE_NONE);
	if (!is || own->kind != NODE_VARIABLE || own->number != VARIABLE_P)
		return false;
	to->there = f->sub == FUNCTION_EQUAL;
	to->process = f->kid[1];
	return true;
}

bool number_is_at_process(const struct store *s, node_id sum, struct number_there *to)
{
	const struct node *n = node_of(s, sum), *t = node_of(s, n->kids == 1 ? n->kid[0] : NODE_NONE);
	if (n->kind != NODE_SUM || n->number || t->kind != NODE_TERM)
		return false;
	const struct node *f = node_of(s, t->kid[0]);
	*to = (struct number_there){.times = t->number};
	if (f->kind != NODE_PRODUCT)
		return number_is_process_test(s, t->kid[0], to);
	bool second = number_is_process_test(s, f->kid[1], to);
	to->value = f->kid[!second];
	return (second || number_is_process_test(s, f->kid[1], to)) &&
	       (to->times == 1 || node_of(s, to->value)->kind != NODE_SUM);
}

node_id number_there_value(struct store *s, const struct number_there *t)
{
	node_id times = number_constant(s, t->times);
	if (!t->value)
		return times;
	bool sum = node_of(s, t->value)->kind == NODE_SUM;
	return number_multiply(s, times, sum ? t->value : number_of_factor(s, t->value));
}

/* What two numbers come to, where both are known; else a factor of this kind. */
static node_id apply(
	struct store *s, enum node_kind kind, int64_t (*of)(int64_t, int64_t, enum failure *), node_id a, node_id b)
{
	enum failure failure = FAILURE_NONE;
	int64_t x, y;
	if (!a || !b || !number_is_constant(s, a, &x) || !number_is_constant(s, b, &y))
		return factor_of(s, kind, 0, 2, (node_id[]){a, b});
	x = of(x, y, &failure);
	return failure ? NODE_NONE : number_constant(s, x);
}

node_id number_remainder(struct store *s, node_id a, node_id modulus)
{
	return apply(s, NODE_REMAINDER, remainder_of, a, modulus);
}

/* (i0+5)%4 is (i0+1)%4 */
static node_id remainder_within(struct store *s, node_id number, node_id modulus)
{
	int64_t by;
	if (number && modulus && number_is_constant(s, modulus, &by) && by > 0) {
		int64_t constant = node_of(s, number)->number;
		number = number_add(s, number_add(s, number, number_constant(s, constant), -1),
			number_constant(s, modulo(constant, by)), 1);
	}
	return number_remainder(s, number, modulus);
}

node_id number_power(struct store *s, node_id base, node_id exponent)
{
	return apply(s, NODE_POWER, power_of, base, exponent);
}

node_id number_xor(struct store *s, node_id with)
{
	return factor_of(s, NODE_XOR, 0, 1, &with);
}

node_id number_grid(struct store *s, const node_id *coordinate, uint32_t axes)
{
	return factor_of(s, NODE_GRID, 0, axes, coordinate);
}

node_id number_entry(struct store *s, node_id table, const node_id *argument, uint32_t arguments)
{
	node_id kid[1 + TABLE_ARGUMENTS] = {table};
	for (uint32_t k = 0; k < arguments; k++) {
		const struct node *f = node_of(s, number_single(s, argument[k]));
		kid[k + 1] = f->kind == NODE_REMAINDER ? remainder_within(s, f->kid[0], f->kid[1]) : argument[k];
	}
	return factor_of(s, NODE_ENTRY, 0, 1 + arguments, kid);
}

node_id number_function(struct store *s, enum node_function f, const node_id *argument)
{
	return factor_of(s, NODE_FUNCTION, (int)f, function_rows[f].arguments, argument);
}

node_id test_make(struct store *s, enum node_test test, int64_t number, node_id sum)
{
	if (test == NODE_TEST_DIFFERS && !number)
		test = NODE_TEST_NOT_ZERO;
	return node_make(s, NODE_TEST, test, 0, number, 1, &sum);
}

node_id test_opposite(struct store *s, node_id test)
{
	static const enum node_test opposite[] = {
		NODE_TEST_EQUAL, NODE_TEST_DIFFERS, NODE_TEST_EQUAL, NODE_TEST_NOT_AMONG, NODE_TEST_AMONG};
	const struct node *t = node_of(s, test);
	return test_make(s, opposite[t->sub], t->number, t->kid[0]);
}

/* ------------------------------------------------------------------ how it is written */

/* p once, and no coordinate: p+1+i0 */
static bool is_offset(const struct store *s, node_id id)
{
	const struct node *n = node_of(s, id);
	bool found = false;
	for (uint32_t i = 0; n->kind == NODE_SUM && i < n->kids; i++) {
		const struct node *t = node_of(s, n->kid[i]), *f = node_of(s, t->kid[0]);
		if (f->kind == NODE_VARIABLE && f->number == VARIABLE_P && t->number == 1)
			found = true;
		else if (f->kind == NODE_VARIABLE                           ? f->number <= VARIABLE_W
			 : f->kind != NODE_ENTRY && f->kind != NODE_PRODUCT ? f->uses[FOR_ALL] & USES_PROCESS
									    : false)
			return false;
	}
	return found;
}

enum number_shape number_shape(const struct store *s, node_id id, bool place)
{
	int64_t number;
	node_id single = number_single(s, id);
	const struct node *f = node_of(s, single);
	bool entries = f->kind == NODE_PRODUCT && node_of(s, f->kid[0])->kind == NODE_ENTRY &&
		       node_of(s, f->kid[1])->kind == NODE_ENTRY;
	if (number_is_constant(s, id, &number))
		return SHAPE_NUMBER;
	if (single && (f->kind == NODE_ENTRY || entries))
		return SHAPE_ENTRY;
	if (single && place && f->kind == NODE_XOR)
		return SHAPE_XOR;
	if (single && place && f->kind == NODE_GRID)
		return SHAPE_GRID;
	if (single && place && f->kind == NODE_REMAINDER && is_offset(s, f->kid[0]))
		return SHAPE_RING;
	return place && is_offset(s, id) ? SHAPE_OFFSET : SHAPE_BRACES;
}

bool number_is_braced(const struct store *s, node_id id, bool place)
{
	enum number_shape shape = number_shape(s, id, place);
	if (shape == SHAPE_XOR)
		return number_shape(s, node_kid(s, number_single(s, id), 0), false) == SHAPE_BRACES;
	return shape == SHAPE_BRACES;
}

node_id attribute_of(struct store *s, uint32_t name, node_id number, node_id words)
{
	int64_t chosen;
	if (words && number && number_is_constant(s, number, &chosen)) {
		const struct node *w = node_of(s, words);
		node_id choice = chosen >= 0 && chosen < w->kids ? w->kid[chosen] : NODE_NONE;
		if (!choice)
			return NODE_NONE;
		number = NODE_NONE;
		words = choice;
	}
	if (words && node_of(s, words)->kind == NODE_SUM) {
		number = words;
		words = NODE_NONE;
	}
	return node_make(s, NODE_ATTRIBUTE, 0, name, 0, 2, (node_id[]){number, words});
}

/* ------------------------------------------------------------------ what it comes to */

const char *failure_text(enum failure failure)
{
	switch (failure) {
	case FAILURE_NONE:
		break;
	case FAILURE_OVERFLOW:
		return "a number is beyond 64 bits";
	case FAILURE_EXPONENT:
		return "an exponent is negative";
	case FAILURE_ENTRY:
		return "a table has no such entry";
	case FAILURE_DIVISION:
		return "a quotient is no number";
	case FAILURE_INDEX:
		return "a name stands for nothing";
	case FAILURE_STEPS:
		return "iterations differ, and there are too many to go through";
	case FAILURE_DEPTH:
		return "statements are too deep inside each other";
	case FAILURE_PEER:
		return "a peer is no process of the run";
	}
	return "";
}

bool environment_good(const struct environment *e, struct error *error)
{
	return !e->failure ||
	       error_set(error, ERROR_INCONSISTENT, "process %" PRId64 ": %s", e->p, failure_text(e->failure));
}

void environment_move(struct environment *e, uint32_t rank)
{
	e->p = rank;
	memset(e->axis, 0, sizeof e->axis);
	for (uint32_t a = 0; a < e->grid.axes; rank /= e->grid.size[a], a++)
		e->axis[a] = rank % e->grid.size[a];
}

void environment_set(struct environment *e, uint32_t rank)
{
	environment_move(e, rank);
	e->depth = e->base = 0;
	e->parameter = NULL;
	e->counter = 0;
	e->open = 0;
	e->failure = FAILURE_NONE;
	e->failed = NODE_NONE;
}

static int64_t fail(struct environment *e, enum failure failure, node_id what)
{
	if (!e->failure) {
		e->failure = failure;
		e->failed = what;
	}
	return 0;
}

static int64_t checked(struct environment *e, enum failure failure, node_id what, int64_t value)
{
	return failure ? fail(e, failure, what) : value;
}

static int64_t grid_rank(struct environment *e, const struct node *f, node_id id)
{
	int64_t rank = 0, step = 1;
	for (uint32_t a = 0; a < f->kids && a < e->grid.axes; a++) {
		enum failure failure = FAILURE_NONE;
		int64_t at = remainder_of(number_at(e, f->kid[a]), e->grid.size[a], &failure);
		rank += step * checked(e, failure, id, at);
		step *= e->grid.size[a];
	}
	return rank;
}

/* A formula has the process, or a coordinate, that its argument says. */
static bool formula_at(struct environment *e, const struct node *table, const int64_t *argument, int64_t *entry)
{
	struct environment there = *e;
	if (table->sub == 'p') {
		if (*argument < 0 || *argument >= e->processes)
			return false;
		environment_set(&there, (uint32_t)*argument);
	} else {
		there.axis[table->sub == 'w' ? 3 : table->sub - 'x'] = *argument;
	}
	*entry = number_at(&there, table->kid[0]);
	if (there.failure)
		fail(e, there.failure, there.failed);
	return !there.failure;
}

bool entry_at(struct environment *e, node_id table, const int64_t *argument, uint32_t arguments, int64_t *entry)
{
	const struct node *t = node_of(e->store, table);
	if (t->kids)
		return formula_at(e, t, argument, entry);
	const struct table *entries = store_get_table(e->store, (uint32_t)t->number);
	return table_arguments(entries) == arguments && table_value(entries, argument, entry);
}

static int64_t entry_of(struct environment *e, const struct node *f, node_id id)
{
	int64_t argument[TABLE_ARGUMENTS], entry = 0;
	node_id table = f->kid[0];
	const struct node *t = node_of(e->store, table);
	for (uint32_t k = 1; k < f->kids; k++)
		argument[k - 1] = number_at(e, f->kid[k]);
	if (t->kind == NODE_VARIABLE) {
		if (!e->parameter)
			return fail(e, FAILURE_INDEX, id);
		table = (node_id)e->parameter[t->number - VARIABLE_PARAMETER];
	}
	if (e->failure || !entry_at(e, table, argument, f->kids - 1, &entry))
		return fail(e, FAILURE_ENTRY, id);
	return entry;
}

static int64_t variable_at(struct environment *e, const struct node *f, node_id id)
{
	int64_t v = f->number;
	if (v >= VARIABLE_INDEX) {
		int64_t at = (int64_t)e->depth - 1 - (v - VARIABLE_INDEX);
		return at >= (int64_t)e->base ? e->index[at] : fail(e, FAILURE_INDEX, id);
	}
	if (v >= VARIABLE_PARAMETER)
		return !e->parameter ? fail(e, FAILURE_INDEX, id)
		       : e->parameter[v - VARIABLE_PARAMETER] == PARAMETER_UNKNOWN
			       ? fail(e, FAILURE_ENTRY, id)
			       : e->parameter[v - VARIABLE_PARAMETER];
	if (v == VARIABLE_COUNTER)
		return e->counter;
	if (v >= VARIABLE_SYMBOL)
		return e->symbol[v - VARIABLE_SYMBOL];
	if (v >= VARIABLE_SIZE)
		return e->grid.size[v - VARIABLE_SIZE];
	return v == VARIABLE_RANKS ? e->processes : v == VARIABLE_P ? e->p : e->axis[v - VARIABLE_X];
}

/* Terms of a sum(): as many as there are cells of a process, an extent. */
#define COUNTED_MOST 4096

static int64_t counted_sum(struct environment *e, const struct node *f, node_id id)
{
	int64_t terms = number_at(e, f->kid[0]), sum = 0, outer = e->counter;
	if (terms < 1 || terms > COUNTED_MOST)
		return fail(e, FAILURE_DIVISION, id);
	for (e->counter = 0; e->counter < terms; e->counter++)
		if (__builtin_add_overflow(sum, number_at(e, f->kid[1]), &sum))
			fail(e, FAILURE_OVERFLOW, id);
	e->counter = outer;
	return sum;
}

static int64_t function_of_one(enum node_function f, int64_t a)
{
	return f == FUNCTION_LOG2UP ? ceil_log2(a) : f == FUNCTION_ISQRT ? floor_root(a) : floor_log2(a);
}

bool relation_holds(enum node_function f, int64_t a, int64_t b)
{
	bool equal = f == FUNCTION_EQUAL || f == FUNCTION_AT_MOST || f == FUNCTION_AT_LEAST,
	     less = f == FUNCTION_LESS || f == FUNCTION_AT_MOST || f == FUNCTION_DIFFERS,
	     more = f == FUNCTION_MORE || f == FUNCTION_AT_LEAST || f == FUNCTION_DIFFERS;
	return a == b ? equal : a < b ? less : more;
}

static int64_t function_at(struct environment *e, const struct node *f, node_id id)
{
	if (f->sub == FUNCTION_SUM)
		return counted_sum(e, f, id);
	int64_t a = number_at(e, f->kid[0]), b = f->kids > 1 ? number_at(e, f->kid[1]) : 0;
	bool divides = b > 0;
	switch ((enum node_function)f->sub) {
	case FUNCTION_LESS:
	case FUNCTION_AT_MOST:
	case FUNCTION_MORE:
	case FUNCTION_AT_LEAST:
	case FUNCTION_EQUAL:
	case FUNCTION_DIFFERS:
		return relation_holds((enum node_function)f->sub, a, b);
	case FUNCTION_MIN:
		return a < b ? a : b;
	case FUNCTION_DIVIDED:
		return divides && a % b == 0 ? a / b : fail(e, FAILURE_DIVISION, id);
	case FUNCTION_CEIL:
		return divides ? ceil_of(a, b) : fail(e, FAILURE_DIVISION, id);
	case FUNCTION_FLOOR:
		return divides ? floor_of(a, b) : fail(e, FAILURE_DIVISION, id);
	case FUNCTION_SHARE:
		if (!divides || __builtin_add_overflow(floor_of(a, b), number_at(e, f->kid[2]) < modulo(a, b), &a))
			return fail(e, divides ? FAILURE_OVERFLOW : FAILURE_DIVISION, id);
		return a;
	case FUNCTION_GCD:
		return a > 0 && divides ? (int64_t)gcd((uint64_t)a, (uint64_t)b) : fail(e, FAILURE_DIVISION, id);
	case FUNCTION_LOG2:
		return a > 0 && !(a & (a - 1)) ? floor_log2(a) : fail(e, FAILURE_DIVISION, id);
	case FUNCTION_LOG2UP:
	case FUNCTION_LOG2DOWN:
	case FUNCTION_ISQRT:
		return a > 0 ? function_of_one((enum node_function)f->sub, a) : fail(e, FAILURE_DIVISION, id);
	case FUNCTION_SUM:
	case FUNCTIONS:
		break;
	}
	return fail(e, FAILURE_DIVISION, id);
}

static int64_t factor_at(struct environment *e, node_id id)
{
	const struct node *f = node_of(e->store, id);
	enum failure failure = FAILURE_NONE;
	int64_t value;
	switch ((enum node_kind)f->kind) {
	case NODE_VARIABLE:
		return variable_at(e, f, id);
	case NODE_REMAINDER:
		value = remainder_of(number_at(e, f->kid[0]), number_at(e, f->kid[1]), &failure);
		return checked(e, failure, id, value);
	case NODE_POWER:
		value = power_of(number_at(e, f->kid[0]), number_at(e, f->kid[1]), &failure);
		return checked(e, failure, id, value);
	case NODE_XOR:
		return e->p ^ number_at(e, f->kid[0]);
	case NODE_GRID:
		return grid_rank(e, f, id);
	case NODE_ENTRY:
		return entry_of(e, f, id);
	case NODE_PRODUCT:
		if (__builtin_mul_overflow(number_at(e, f->kid[0]), number_at(e, f->kid[1]), &value))
			return fail(e, FAILURE_OVERFLOW, id);
		return value;
	case NODE_FUNCTION:
		return function_at(e, f, id);
	default:
		return fail(e, FAILURE_INDEX, id);
	}
}

int64_t number_at(struct environment *e, node_id id)
{
	const struct node *n = node_of(e->store, id);
	if (n->kind != NODE_SUM)
		return factor_at(e, id);
	int64_t result = n->number, product;
	for (uint32_t i = 0; i < n->kids; i++) {
		const struct node *t = node_of(e->store, n->kid[i]);
		if (__builtin_mul_overflow(t->number, factor_at(e, t->kid[0]), &product) ||
			__builtin_add_overflow(result, product, &result))
			return fail(e, FAILURE_OVERFLOW, id);
	}
	return result;
}

int64_t number_of_member(struct environment *e, node_id id, uint32_t member)
{
	int64_t outer = e->counter;
	e->counter = member;
	int64_t number = number_at(e, id);
	e->counter = outer;
	return number;
}

bool test_holds(struct environment *e, node_id id)
{
	const struct node *t = node_of(e->store, id);
	int64_t value = number_at(e, t->kid[0]);
	switch ((enum node_test)t->sub) {
	case NODE_TEST_EQUAL:
		return value == t->number;
	case NODE_TEST_NOT_ZERO:
		return value != 0;
	case NODE_TEST_DIFFERS:
		return value != t->number;
	case NODE_TEST_AMONG:
	case NODE_TEST_NOT_AMONG:
		return table_has(store_get_table(e->store, (uint32_t)t->number), value) == (t->sub == NODE_TEST_AMONG);
	}
	return false;
}

bool comparison_holds(struct environment *e, node_id comparison)
{
	return function_at(e, node_of(e->store, comparison), comparison) != 0 && !e->failure;
}

bool domain_holds(struct environment *e, node_id domain, struct ranks *to)
{
	const struct node *w = node_of(e->store, domain);
	if (w->kind == NODE_RANKS)
		ranks_copy(to, store_get_ranks(e->store, (uint32_t)w->number));
	else if (w->kind == NODE_ALL && e->processes)
		ranks_add_run(to, 0, e->processes - 1);
	for (uint32_t rank = 0; w->kind == NODE_WHERE && rank < e->processes && !e->failure; rank++) {
		bool holds = true;
		environment_set(e, rank);
		for (uint32_t k = 0; k < w->kids && holds; k++)
			holds = comparison_holds(e, w->kid[k]);
		if (holds)
			ranks_add(to, rank);
	}
	return !e->failure;
}

bool place_is_in(struct environment *e, node_id place)
{
	const struct node *f = node_of(e->store, number_single(e->store, place));
	if (f->kind != NODE_GRID) {
		int64_t rank = number_at(e, place);
		return rank >= 0 && rank < e->processes;
	}
	for (uint32_t a = 0; a < f->kids && a < e->grid.axes; a++) {
		int64_t at = number_at(e, f->kid[a]);
		if (at < 0 || at >= e->grid.size[a])
			return false;
	}
	return true;
}

/* ------------------------------------------------------------------ with something put in */

bool is_put_in(const struct substitution *x, node_id id)
{
	uint64_t changes = x->argument ? USES_PARAMETERS : x->deeper ? USES_INDICES : 0;
	changes |= x->outer ? USES_INDICES & ~uses_inside(x->inside) : 0;
	return x->at || node_of(x->store, id)->uses[FOR_ALL] & changes;
}

static node_id variable_put(const struct substitution *x, node_id id)
{
	int64_t v = node_of(x->store, id)->number;
	struct substitution deeper = {.store = x->store, .deeper = x->deeper};
	if (x->argument && v >= VARIABLE_PARAMETER && v < VARIABLE_INDEX)
		return number_put(&deeper, x->argument[v - VARIABLE_PARAMETER]);
	if (x->outer && v >= VARIABLE_INDEX + x->inside)
		return number_put(&(struct substitution){.store = x->store, .deeper = x->inside},
			x->outer[v - VARIABLE_INDEX - x->inside]);
	bool moved = v >= VARIABLE_INDEX + x->inside && !x->argument;
	return moved ? number_variable(x->store, v + x->deeper) : number_of_factor(x->store, id);
}

static node_id table_put(const struct substitution *x, node_id id)
{
	const struct node *t = node_of(x->store, id);
	if (t->kind == NODE_VARIABLE && x->argument)
		return x->argument[t->number - VARIABLE_PARAMETER];
	bool known = t->kind == NODE_VARIABLE && x->at && x->at->parameter;
	return known ? (node_id)x->at->parameter[t->number - VARIABLE_PARAMETER] : id;
}

node_id number_of_kids(
	struct store *s, enum node_kind kind, int sub, uint32_t word, int64_t number, uint32_t kids, const node_id *kid)
{
	for (uint32_t k = 0; k < kids; k++)
		if (!kid[k])
			return NODE_NONE;
	switch (kind) {
	case NODE_REMAINDER:
		return number_remainder(s, kid[0], kid[1]);
	case NODE_POWER:
		return number_power(s, kid[0], kid[1]);
	case NODE_PRODUCT:
		return number_multiply(s, kid[0], kid[1]);
	case NODE_ENTRY:
		return number_entry(s, kid[0], kid + 1, kids - 1);
	default:
		return number_of_factor(s, node_make(s, kind, sub, word, number, kids, kid));
	}
}

/* In a known iteration an entry of a table is a number. */
static bool entry_in_iteration(const struct substitution *x, const node_id *kid, uint32_t arguments, int64_t *entry)
{
	struct environment none = {.store = x->store};
	int64_t argument[TABLE_ARGUMENTS];
	bool known =
		x->outer && kid[0] && node_of(x->store, kid[0])->kind == NODE_TABLE && !node_of(x->store, kid[0])->kids;
	for (uint32_t k = 0; k < arguments; k++)
		known = known && kid[1 + k] && number_is_constant(x->store, kid[1 + k], &argument[k]);
	return known && entry_at(&none, kid[0], argument, arguments, entry);
}

static node_id factor_put(const struct substitution *x, node_id id)
{
	const struct node *f = node_of(x->store, id);
	node_id kid[1 + TABLE_ARGUMENTS];
	int64_t entry;
	if (f->kind == NODE_VARIABLE)
		return variable_put(x, id);
	for (uint32_t k = 0; k < f->kids; k++)
		kid[k] = f->kind == NODE_ENTRY && !k ? table_put(x, f->kid[k]) : number_put(x, f->kid[k]);
	if (x->at && f->kind == NODE_REMAINDER && kid[0] && kid[1])
		return remainder_within(x->store, kid[0], kid[1]);
	if (f->kind == NODE_ENTRY && entry_in_iteration(x, kid, f->kids - 1, &entry))
		return number_constant(x->store, entry);
	return number_of_kids(x->store, (enum node_kind)f->kind, f->sub, f->word, f->number, f->kids, kid);
}

node_id number_put(const struct substitution *x, node_id id)
{
	const struct node *n = node_of(x->store, id);
	struct sum sum = {.number = n->number};
	if (id && x->at && !(n->uses[FOR_ALL] & (x->kept | USES_COUNTER)))
		return number_constant(x->store, number_at(x->at, id));
	if (id && n->kind != NODE_SUM)
		return is_put_in(x, id) ? factor_put(x, id) : number_of_factor(x->store, id);
	if (!is_put_in(x, id))
		return id;
	for (uint32_t i = 0; i < n->kids; i++) {
		const struct node *t = node_of(x->store, n->kid[i]);
		sum_add(x->store, &sum, number_put(x, t->kid[0]), t->number);
	}
	return sum_done(x->store, &sum);
}

node_id node_put(const struct substitution *x, node_id id, bool *good)
{
	const struct node *n = node_of(x->store, id);
	if (n->kind == NODE_TABLE || n->kind == NODE_VARIABLE)
		return table_put(x, id);
	if (!is_put_in(x, id) || n->kind == NODE_WORDS || n->kind == NODE_PROCEDURE || !n->kids)
		return id;
	if (n->kind == NODE_SUM) {
		node_id sum = number_put(x, id);
		*good = *good && sum;
		return sum;
	}
	struct substitution inside = *x;
	inside.deeper += x->argument && n->kind == NODE_LOOP;
	inside.inside += n->kind == NODE_LOOP;
	node_id *kid = mem_array(n->kids, sizeof *kid);
	for (uint32_t k = 0; k < n->kids; k++)
		kid[k] = node_put(k == 2 ? &inside : x, n->kid[k], good);
	if (*good)
		id = n->kind == NODE_ATTRIBUTE ? attribute_of(x->store, n->word, kid[0], kid[1])
					       : node_with(x->store, id, kid);
	free(kid);
	return id;
}

/* USES_ of the indices of open loops. */
static uint64_t open_indices(const struct environment *e)
{
	uint64_t uses = 0;
	for (size_t d = 0; d < 64 && d < e->depth && e->open >> d; d++)
		uses |= e->open >> d & 1 ? USES_INDEX(e->depth - 1 - d) : 0;
	return uses;
}

bool environment_varies(const struct environment *e, uint64_t uses)
{
	return uses & open_indices(e);
}

node_id number_partial(struct environment *e, node_id id)
{
	return number_put(&(struct substitution){.store = e->store, .at = e, .kept = open_indices(e)}, id);
}
