/*
 * print_number.c -- a sum is printed term by term, in the order in which it is read best: what
 * stands in tables and the extents of the run, the process, the constant, indices, remainders and
 * powers. In places, p+1+$d[i0], the process comes first, in numbers, 1+p, the constant.
 *
 *	16*4^(5-i0)  p+1  (p+1)%16  @(x+1,3-y)  {800+2*$b[p,i1%7]}  {log2(P)-1}  {40 at 0}
 *
 * Products and remainders are read from the left: a factor that a number in front would take apart,
 * i0%7, has its number behind it, and brackets where it stands behind another one.
 */
#include "model/print_number.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"

/* Where the terms of a sum stand. Behind what stands in tables the constant does not come first. */
enum order {
	CONSTANT_FIRST, /* 1+x, $w[i0]+1+x */
	CONSTANT_BETWEEN, /* x+1+i0 */
	TABLES_BEHIND, /* x+1+i0+$w[i0] */
	TABLES_BEHIND_CONSTANT_FIRST /* 1-x+$w[i0] */
};
enum term { TERM_TABLE, TERM_PROCESS, TERM_CONSTANT, TERM_INDEX, TERM_OTHER };
#define PLACES 7
static const uint8_t place_of_term[][4] = {
	[TERM_TABLE] = {0, 0, 5, 5},
	[TERM_PROCESS] = {2, 2, 2, 2},
	[TERM_CONSTANT] = {1, 3, 3, 1},
	[TERM_INDEX] = {4, 4, 4, 4},
	[TERM_OTHER] = {6, 6, 6, 6},
};

static void print_in_order(struct printing *, node_id, enum order);

/* ------------------------------------------------------------------ names */

static const struct node *node(const struct printing *p, node_id id)
{
	return node_of(p->s, id);
}

static const char *parameter_name(const struct printing *p, int64_t k)
{
	const struct node *procedure = node(p, p->procedure);
	return procedure->kids > k + 1 ? store_get_word(p->s, node(p, procedure->kid[k + 1])->word) : "?";
}

static void print_variable(struct printing *p, int64_t v)
{
	if (v >= VARIABLE_INDEX)
		text_format(p->out, "i%" PRId64, p->index - 1 - (v - VARIABLE_INDEX));
	else if (v >= VARIABLE_PARAMETER)
		text_put(p->out, parameter_name(p, v - VARIABLE_PARAMETER));
	else if (v == VARIABLE_COUNTER)
		text_char(p->out, p->counter ? p->counter : 'c');
	else if (v >= VARIABLE_SYMBOL)
		text_put(p->out, store_get_word(p->s, p->m->symbol[v - VARIABLE_SYMBOL]));
	else
		text_char(p->out, "pxyzwPXYZW"[v]);
}

/* Indices that are parameters, call f(i0), keep their names: loops of the body are called i1, ...
   */
static uint32_t indices_of_parameters(const struct store *s, node_id procedure)
{
	const struct node *n = node_of(s, procedure);
	uint32_t next = 0;
	for (uint32_t k = 1; k < n->kids; k++) {
		const char *name = store_get_word(s, node_of(s, n->kid[k])->word), *digits = name + 1;
		uint64_t index;
		if (*name == 'i' && text_is_number(digits, UINT16_MAX, &index) && index >= next)
			next = (uint32_t)index + 1;
	}
	return next;
}

struct printing printing_at(const struct module *m, node_id procedure, uint32_t depth, struct text *out)
{
	return (struct printing){.m = m,
		.s = m->store,
		.out = out,
		.index = indices_of_parameters(m->store, procedure) + depth,
		.procedure = procedure};
}

uint32_t print_table_name(struct printing *p, node_id table)
{
	const struct node *t = node(p, table);
	text_char(p->out, '$');
	if (t->kind == NODE_VARIABLE) {
		print_variable(p, t->number);
		return INTERN_NONE;
	}
	text_put(p->out, store_get_word(p->s, t->word));
	if (!p->used)
		return INTERN_NONE;
	uint32_t id = intern_id(p->used->id, &table, sizeof table);
	(void)MEM_AT(p->used->head, p->used->capacity, id);
	return id;
}

/* ------------------------------------------------------------------ factors */

/* A product stands where the first of its factors does that is more than an extent. */
static enum term class_of(const struct store *s, node_id id)
{
	const struct node *factor = node_of(s, id);
	enum term class = TERM_CONSTANT;
	if (!(factor->uses[FOR_ALL] & ~USES_EXTENTS) && factor->kind != NODE_ENTRY)
		return TERM_CONSTANT;
	switch (factor->kind) {
	case NODE_VARIABLE:
		return factor->number > VARIABLE_COUNTER ? TERM_INDEX : TERM_PROCESS;
	case NODE_ENTRY:
		return TERM_TABLE;
	case NODE_FUNCTION:
		return TERM_CONSTANT;
	case NODE_PRODUCT:
		for (uint32_t k = 0; k < factor->kids && class == TERM_CONSTANT; k++) {
			node_id single = number_single(s, factor->kid[k]);
			class = class_of(s, single ? single : factor->kid[k]);
		}
		return class;
	default:
		return TERM_OTHER;
	}
}

/* Read as one whatever stands around it? */
static bool is_name(const struct node *factor)
{
	return factor->kind == NODE_VARIABLE || factor->kind == NODE_ENTRY || factor->kind == NODE_GRID ||
	       (factor->kind == NODE_FUNCTION && factor->sub != FUNCTION_DIVIDED);
}

/* A number in front of it, 2*i0%7, would be taken as a part of it. */
static bool is_open(const struct printing *p, node_id id)
{
	const struct node *f = node(p, id);
	if (f->kind == NODE_SUM)
		return number_single(p->s, id) && is_open(p, number_single(p->s, id));
	return f->kind == NODE_REMAINDER || (f->kind == NODE_FUNCTION && f->sub == FUNCTION_DIVIDED) ||
	       (f->kind == NODE_PRODUCT && is_open(p, f->kid[0]));
}

static bool is_count(const struct printing *p, node_id sum)
{
	int64_t number;
	return number_is_constant(p->s, sum, &number) && number >= 0;
}

static void print_factor(struct printing *, node_id);

/* 3-x, but x+3 */
static enum order order_of_coordinate(const struct printing *p, node_id sum, bool tables_behind)
{
	const struct node *n = node(p, sum), *process = NULL;
	for (uint32_t i = 0; i < n->kids && !process; i++)
		if (class_of(p->s, node_kid(p->s, n->kid[i], 0)) == TERM_PROCESS)
			process = node(p, n->kid[i]);
	if (process && process->number < 0)
		return tables_behind ? TABLES_BEHIND_CONSTANT_FIRST : CONSTANT_FIRST;
	return tables_behind ? TABLES_BEHIND : CONSTANT_BETWEEN;
}

/* A sum, or a factor, inside of another factor: how its terms stand, and what is read as one. */
enum { BARE_COUNT = 1, BARE_VARIABLE = 2, BARE_NAME = 4, BARE_FACTOR = 8, BARE_CLOSED = 16, BARE_TERM = 32 };
static const struct inside {
	enum order order;
	unsigned bare;
} place_inside = {TABLES_BEHIND, 0}, remainder_of = {CONSTANT_BETWEEN, BARE_COUNT | BARE_VARIABLE},
  modulus = {CONSTANT_BETWEEN, BARE_COUNT | BARE_NAME}, base_or_divisor = {CONSTANT_FIRST, BARE_COUNT | BARE_NAME},
  exponent = {CONSTANT_BETWEEN, BARE_COUNT | BARE_VARIABLE | BARE_NAME},
  first_factor = {CONSTANT_FIRST, BARE_COUNT | BARE_FACTOR | BARE_TERM}, second_factor = {CONSTANT_FIRST, BARE_CLOSED};

static void print_inside(struct printing *p, node_id id, struct inside how)
{
	const struct node *n = node(p, id);
	bool sum = n->kind == NODE_SUM;
	node_id single = sum ? number_single(p->s, id) : id;
	const struct node *f = node(p, single);
	bool closed = single && !is_open(p, single) && f->kind != NODE_PRODUCT;
	bool bare = how.bare & ((is_count(p, id) ? BARE_COUNT : 0u) | (f->kind == NODE_VARIABLE ? BARE_VARIABLE : 0u) |
				       (is_name(f) ? BARE_NAME : 0u) | (single ? BARE_FACTOR : 0u) |
				       (n->kids == 1 && !n->number ? BARE_TERM : 0u) | (closed ? BARE_CLOSED : 0u));
	text_put(p->out, bare ? "" : "(");
	if (sum)
		print_in_order(p, id, how.order);
	else
		print_factor(p, id);
	text_put(p->out, bare ? "" : ")");
}

static void print_pair(
	struct printing *p, const struct node *f, struct inside left, const char *sign, struct inside right)
{
	print_inside(p, f->kid[0], left);
	text_put(p->out, sign);
	print_inside(p, f->kid[1], right);
}

static void print_entry(struct printing *p, const struct node *f)
{
	size_t start = p->out->length;
	uint32_t used = print_table_name(p, f->kid[0]);
	for (uint32_t k = 1; k < f->kids; k++) {
		text_char(p->out, k > 1 ? ',' : '[');
		print_in_order(p, f->kid[k], CONSTANT_BETWEEN);
	}
	text_char(p->out, ']');
	if (used != INTERN_NONE && !p->used->head[used].length)
		text_add(&p->used->head[used], p->out->data + start, p->out->length - start);
}

static void print_function(struct printing *p, const struct node *f)
{
	const char *name = function_rows[f->sub].text;
	bool called = *name >= 'a' && *name <= 'z';
	text_put(p->out, called ? name : "");
	text_char(p->out, '(');
	if (f->sub == FUNCTION_SUM)
		text_put(p->out, "c,");
	for (uint32_t k = 0; k < f->kids; k++) {
		text_put(p->out, !k ? "" : called ? "," : name);
		print_in_order(p, f->kid[k], CONSTANT_FIRST);
	}
	text_char(p->out, ')');
}

static void print_coordinates(struct printing *p, const struct node *f)
{
	for (uint32_t a = 0; a < f->kids; a++) {
		text_put(p->out, a ? "," : "@(");
		if (f->kid[a])
			print_in_order(p, f->kid[a], order_of_coordinate(p, f->kid[a], true));
		else
			text_char(p->out, '*');
	}
	text_char(p->out, ')');
}

static void print_factor(struct printing *p, node_id id)
{
	const struct node *f = node(p, id);
	struct inside exponents = exponent;
	switch ((enum node_kind)f->kind) {
	case NODE_VARIABLE:
		print_variable(p, f->number);
		break;
	case NODE_REMAINDER:
		print_pair(p, f, remainder_of, "%", modulus);
		break;
	case NODE_POWER:
		exponents.order = order_of_coordinate(p, f->kid[1], false);
		print_pair(p, f, base_or_divisor, "^", exponents);
		break;
	case NODE_PRODUCT:
		print_pair(p, f, first_factor, "*", second_factor);
		break;
	case NODE_XOR:
		text_put(p->out, "p^");
		print_number(p, f->kid[0]);
		break;
	case NODE_GRID:
		print_coordinates(p, f);
		break;
	case NODE_ENTRY:
		print_entry(p, f);
		break;
	case NODE_FUNCTION:
		if (f->sub == FUNCTION_DIVIDED)
			print_pair(p, f, first_factor, "/", base_or_divisor);
		else
			print_function(p, f);
		break;
	default:
		break;
	}
}

/* ------------------------------------------------------------------ sums */

static void print_times(struct printing *p, int64_t number, node_id factor, bool first)
{
	uint64_t times = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
	const struct node *f = node(p, factor);
	bool open = is_open(p, factor);
	text_put(p->out, number < 0 ? "-" : first ? "" : "+");
	if (times != 1 && f->kind == NODE_REMAINDER && !(f->uses[FOR_ALL] & ~USES_EXTENTS)) { /* 8*(1000%P) */
		text_format(p->out, "%" PRIu64 "*(", times);
		print_factor(p, factor);
		text_char(p->out, ')');
		return;
	}
	if (times != 1 && !open)
		text_format(p->out, "%" PRIu64 "*", times);
	print_factor(p, factor);
	if (times != 1 && open)
		text_format(p->out, "*%" PRIu64, times);
}

static void print_constant(struct printing *p, const struct node *sum, bool *first)
{
	text_put(p->out, *first || sum->number < 0 ? "" : "+");
	text_integer(p->out, sum->number);
	*first = false;
}

/* 5-X: what is the same for all begins with a minus. */
static bool is_taken_from(const struct printing *p, const struct node *sum)
{
	for (uint32_t i = 0; i < sum->kids; i++) {
		const struct node *t = node(p, sum->kid[i]);
		if (class_of(p->s, t->kid[0]) == TERM_CONSTANT)
			return t->number < 0;
	}
	return false;
}

static void print_in_order(struct printing *p, node_id id, enum order order)
{
	const struct node *n = node(p, id);
	uint8_t constant = place_of_term[TERM_CONSTANT][order];
	bool first = true;
	for (uint32_t i = 0; i < n->kids && !place_of_term[TERM_TABLE][order]; i++)
		if (class_of(p->s, node_kid(p->s, n->kid[i], 0)) == TERM_TABLE)
			constant = place_of_term[TERM_CONSTANT][CONSTANT_BETWEEN];
	for (uint8_t place = 0; place < PLACES; place++) {
		bool here = place == constant && (n->number || !n->kids),
		     in_front = here && n->number > 0 && is_taken_from(p, n);
		if (in_front)
			print_constant(p, n, &first);
		for (uint32_t i = 0; i < n->kids; i++) {
			const struct node *t = node(p, n->kid[i]);
			enum term class = class_of(p->s, t->kid[0]);
			if ((class == TERM_CONSTANT ? constant : place_of_term[class][order]) != place)
				continue;
			print_times(p, t->number, t->kid[0], first);
			first = false;
		}
		if (here && !in_front)
			print_constant(p, n, &first);
	}
}

void print_sum(struct printing *p, node_id id)
{
	print_in_order(p, id, CONSTANT_FIRST);
}

void print_braced(struct printing *p, node_id id)
{
	bool bare = number_shape(p->s, id, false) == SHAPE_ENTRY;
	text_put(p->out, bare ? "" : "{");
	print_sum(p, id);
	text_put(p->out, bare ? "" : "}");
}

/* {40 at 0}, {8*4^i0 not at 3} */
static void print_at_process(struct printing *p, const struct number_there *t)
{
	text_char(p->out, '{');
	if (!t->value)
		text_integer(p->out, t->times);
	else if (node(p, t->value)->kind == NODE_SUM)
		print_sum(p, t->value);
	else
		print_times(p, t->times, t->value, true);
	text_put(p->out, t->there ? " at " : " not at ");
	print_in_order(p, t->process, CONSTANT_BETWEEN);
	text_char(p->out, '}');
}

void print_number(struct printing *p, node_id id)
{
	int64_t number;
	struct number_there there;
	if (number_is_constant(p->s, id, &number))
		text_integer(p->out, number);
	else if (number_is_at_process(p->s, id, &there))
		print_at_process(p, &there);
	else
		print_braced(p, id);
}

void print_place(struct printing *p, node_id id)
{
	enum number_shape shape = number_shape(p->s, id, true);
	if (shape == SHAPE_OFFSET)
		print_in_order(p, id, TABLES_BEHIND);
	else if (shape == SHAPE_RING)
		print_pair(p, node(p, number_single(p->s, id)), place_inside, "%", modulus);
	else if (shape == SHAPE_GRID || shape == SHAPE_XOR)
		print_factor(p, number_single(p->s, id));
	else if (is_count(p, id))
		print_sum(p, id);
	else
		print_braced(p, id);
}

/* ------------------------------------------------------------------ domains and conditions */

void print_domain(struct printing *p, node_id id)
{
	const struct node *d = node(p, id);
	switch ((enum node_kind)d->kind) {
	case NODE_ALL:
		text_char(p->out, '*');
		break;
	case NODE_RANKS:
		if (d->sub)
			ranks_print(store_get_ranks(p->s, (uint32_t)d->number), p->out);
		else
			text_put(p->out, store_ranks_text(p->s, (uint32_t)d->number));
		break;
	case NODE_WHERE:
		for (uint32_t i = 0; i < d->kids; i++) {
			const struct node *c = node(p, d->kid[i]);
			text_put(p->out, i ? "&&" : "");
			print_in_order(p, c->kid[0], CONSTANT_BETWEEN);
			text_put(p->out, function_rows[c->sub].text);
			print_in_order(p, c->kid[1], CONSTANT_BETWEEN);
		}
		break;
	case NODE_NAMED:
		print_braced(p, d->kid[0]);
		break;
	case NODE_LINE:
		print_coordinates(p, d);
		break;
	case NODE_SELF:
		text_char(p->out, 'p');
		break;
	default:
		break;
	}
}

void print_test(struct printing *p, node_id id)
{
	static const char *const words[] = {[NODE_TEST_NOT_ZERO] = "",
		[NODE_TEST_EQUAL] = " = ",
		[NODE_TEST_DIFFERS] = " != ",
		[NODE_TEST_AMONG] = " in ",
		[NODE_TEST_NOT_AMONG] = " not in "};
	const struct node *t = node(p, id);
	enum node_test test = (enum node_test)t->sub;
	print_braced(p, t->kid[0]);
	if (test == NODE_TEST_NOT_ZERO || (test == NODE_TEST_DIFFERS && !t->number))
		return;
	text_put(p->out, words[test]);
	if (test < NODE_TEST_AMONG) {
		text_integer(p->out, t->number);
		return;
	}
	table_print_set(store_get_table(p->s, (uint32_t)t->number), p->out);
}
