/*
 * c_text.c -- the shapes are those of formula.c's text, with the blanks that C has; tables become
 * static arrays, with as many dimensions as they have arguments where all their rows are equally
 * long.
 */
#include "scangen/c_text.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/number.h"

static const char axis_name[GRID_AXES] = {'x', 'y', 'z', 'w'};

char c_axis(uint32_t axis)
{
	return axis_name[axis];
}

void c_text_clear(struct c_text *c)
{
	free(c->table);
	*c = (struct c_text){.grid = c->grid, .processes = c->processes};
}

/* ------------------------------------------------------------------ sums */

static void put_sign(struct text *out, bool negative, bool first)
{
	text_put(out, negative ? (first ? "-" : " - ") : first ? "" : " + ");
}

static uint64_t magnitude(int64_t number)
{
	return number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
}

static void put_factor(struct text *out, int64_t factor, bool first)
{
	put_sign(out, factor < 0, first);
	if (factor != 1 && factor != -1)
		text_format(out, "%llu * ", (unsigned long long)magnitude(factor));
}

static void put_constant(struct text *out, int64_t constant, bool *first)
{
	put_sign(out, constant < 0, *first);
	text_format(out, "%llu", (unsigned long long)magnitude(constant));
	*first = false;
}

static void put_index(struct c_text *c, unsigned depth, struct text *out)
{
	c->indices |= UINT32_C(1) << depth;
	if (!c->relative)
		text_format(out, "i%u", depth);
	else if (depth < c->depth)
		text_format(out, "outer%u", depth);
	else
		text_format(out, "inner%u", depth - c->depth);
}

static void put_coordinate(const struct grid *g, uint32_t axis, const char *process, struct text *out)
{
	uint64_t below = 1;
	for (uint32_t i = 0; i < axis; i++)
		below *= g->size[i];
	text_put(out, process);
	if (below > 1)
		text_format(out, " / %llu", (unsigned long long)below);
	if (axis + 1 < g->axes)
		text_format(out, " %% %u", g->size[axis]);
}

static void put_axis(struct c_text *c, int axis, struct text *out)
{
	c->axis[axis] |= !c->process;
	if (!c->process) {
		text_char(out, axis_name[axis]);
		return;
	}
	text_char(out, '(');
	put_coordinate(c->grid, (uint32_t)axis, c->process, out);
	text_char(out, ')');
}

/* A sum that begins with a minus begins with its constant, if that is positive. */
static void c_affine(struct c_text *c, const struct affine *a, struct text *out)
{
	bool first = true, constant_first = a->constant > 0 && (a->p < 0 || a->axis[0] < 0);
	if (constant_first)
		put_constant(out, a->constant, &first);
	if (a->p) {
		put_factor(out, a->p, first);
		text_put(out, c->process ? c->process : "p");
		c->rank = true;
		first = false;
	}
	for (int i = 0; i < GRID_AXES; i++) {
		if (!a->axis[i])
			continue;
		put_factor(out, a->axis[i], first);
		put_axis(c, i, out);
		first = false;
	}
	if (a->constant && !constant_first)
		put_constant(out, a->constant, &first);
	for (unsigned d = 0; d < INDEX_DEPTH; d++) {
		if (!a->index[d])
			continue;
		put_factor(out, a->index[d], first);
		put_index(c, d, out);
		first = false;
	}
	if (first)
		text_char(out, '0');
}

static bool is_zero(const struct affine *a)
{
	static const struct affine none;
	return memcmp(a, &none, sizeof none) == 0;
}

/* Has it one term alone, so that it needs no parentheses as an operand? */
static bool is_single(const struct affine *a)
{
	int terms = (a->constant != 0) + (a->p != 0);
	bool plain = a->constant >= 0 && (a->p == 0 || a->p == 1);
	for (int i = 0; i < GRID_AXES; i++) {
		terms += a->axis[i] != 0;
		plain = plain && (a->axis[i] == 0 || a->axis[i] == 1);
	}
	for (int d = 0; d < INDEX_DEPTH; d++) {
		terms += a->index[d] != 0;
		plain = plain && (a->index[d] == 0 || a->index[d] == 1);
	}
	return terms <= 1 && plain;
}

/* Is it never negative, once its constant has been taken modulo something? */
static bool never_falls(const struct affine *a)
{
	bool rises = a->p >= 0;
	for (int i = 0; i < GRID_AXES; i++)
		rises = rises && a->axis[i] >= 0;
	for (int d = 0; d < INDEX_DEPTH; d++)
		rises = rises && a->index[d] >= 0;
	return rises;
}

/* (p + 15) % 16; where the sum may be negative, whose remainder in C would be, too, wrap(p - i0,
   16). */
static void put_remainder(struct c_text *c, const struct affine *inside, int64_t modulus, struct text *out)
{
	struct affine a = *inside;
	if (never_falls(&a)) {
		a.constant = (a.constant % modulus + modulus) % modulus;
		text_put(out, is_single(&a) ? "" : "(");
		c_affine(c, &a, out);
		text_format(out, "%s %% %lld", is_single(&a) ? "" : ")", (long long)modulus);
	} else {
		text_put(out, "wrap(");
		c_affine(c, &a, out);
		text_format(out, ", %lld)", (long long)modulus);
		c->wrap = true;
	}
}

/* ------------------------------------------------------------------ tables */

static size_t table_number(struct c_text *c, const struct table *t)
{
	size_t i = 0;
	while (i < c->tables && c->table[i].table != t)
		i++;
	if (i == c->tables) {
		c->table = mem_grow(c->table, &c->table_capacity, i + 1, sizeof *c->table);
		c->table[c->tables++] = (struct c_table){t, false};
	}
	return i;
}

/* Sets that conditions ask for have no name. */
static void put_table_name(const struct table *t, size_t number, struct text *out)
{
	if (*table_name(t))
		text_format(out, "table_%s", table_name(t));
	else
		text_format(out, "set_%zu", number);
}

/* The length of the rows of a table of two arguments, if all have the same; 0. */
static uint64_t even_rows(const struct table *t, uint64_t *rows)
{
	uint64_t first, length, all = 0;
	int64_t at[TABLE_ARGUMENTS] = {0};
	*rows = 0;
	if (table_arguments(t) != 2)
		return 0;
	for (; table_row(t, at, &first, &length); at[0]++, ++*rows) {
		if (*rows && length != all)
			return 0;
		all = length;
	}
	return all;
}

static void put_argument(struct c_text *c, const struct argument *a, struct text *out)
{
	if (a->modulus)
		put_remainder(c, &a->inside, a->modulus, out);
	else
		c_affine(c, &a->inside, out);
}

static bool is_process(const struct argument *a)
{
	struct affine p = {.p = 1};
	return !a->modulus && !memcmp(&a->inside, &p, sizeof p);
}

bool c_is_defined(const struct value *v)
{
	bool defined = true;
	for (int k = 0; value_lookup(v, k); k++) {
		const struct lookup *l = value_lookup(v, k);
		const struct argument *a = l->argument;
		defined = defined && table_arguments(l->table) == 1 &&
			  (is_process(a) || (a->modulus && table_entries(l->table) >= (uint64_t)a->modulus));
	}
	return defined;
}

/* table_nbr[p][i1], or where rows differ table_nbr[table_nbr_row[p] + i1] */
static void put_lookup(struct c_text *c, const struct lookup *l, struct text *out)
{
	static const char *const behind[] = {"", "_row", "_block"};
	uint32_t arguments = table_arguments(l->table);
	size_t number = table_number(c, l->table);
	uint64_t rows;
	c->table[number].by_process |= arguments == 1 && is_process(&l->argument[0]);
	if (even_rows(l->table, &rows)) {
		put_table_name(l->table, number, out);
		for (uint32_t i = 0; i < arguments; i++) {
			text_char(out, '[');
			put_argument(c, &l->argument[i], out);
			text_char(out, ']');
		}
		return;
	}
	for (uint32_t i = 0; i < arguments; i++) {
		put_table_name(l->table, number, out);
		text_format(out, "%s[", behind[i]);
	}
	for (uint32_t i = 0; i < arguments; i++) {
		text_put(out, i ? "] + " : "");
		put_argument(c, &l->argument[i], out);
	}
	text_char(out, ']');
}

/* ------------------------------------------------------------------ values, places, conditions */

/* 16 * power(4, 5 - i0) */
static void put_power(struct c_text *c, const struct power *w, bool first, struct text *out)
{
	put_factor(out, w->factor, first);
	text_format(out, "power(%lld, ", (long long)w->base);
	c_affine(c, &w->exponent, out);
	text_char(out, ')');
	c->power = true;
}

void c_value(struct c_text *c, const struct value *v, struct text *out)
{
	bool first = true;
	if (v->lookup.table) {
		put_factor(out, v->lookup.factor, true);
		text_put(out, v->by.table ? "(long)" : "");
		put_lookup(c, &v->lookup, out);
		if (v->by.table) {
			text_put(out, " * ");
			put_lookup(c, &v->by, out);
		}
		first = false;
	}
	if (!is_zero(&v->plain) || (first && !v->remainder[0].modulus && !v->power[0].base)) {
		text_put(out, first ? "" : " + ");
		c_affine(c, &v->plain, out);
		first = false;
	}
	for (int i = 0; i < REMAINDERS && v->remainder[i].modulus; i++) {
		const struct remainder *r = &v->remainder[i];
		bool several = r->factor != 1 && never_falls(&r->inside);
		put_factor(out, r->factor, first);
		text_put(out, several ? "(" : "");
		put_remainder(c, &r->inside, r->modulus, out);
		text_put(out, several ? ")" : "");
		first = false;
	}
	for (int i = 0; i < POWERS && v->power[i].base; i++, first = false)
		put_power(c, &v->power[i], first, out);
}

void c_place(struct c_text *c, const struct place *place, struct text *out)
{
	struct value moved = place->value, relative = value_of(0); /* to p */
	moved.plain.p++;
	relative.plain = moved.plain;
	bool whole = value_is_constant(&place->value) || value_is_entry(&place->value);
	switch ((enum place_kind)place->kind) {
	case PLACE_NUMBER:
		c_value(c, &place->value, out);
		break;
	case PLACE_OFFSET:
		c_value(c, &moved, out);
		break;
	case PLACE_XOR:
		text_put(out, whole ? "p ^ " : "p ^ (");
		c_value(c, &place->value, out);
		text_put(out, whole ? "" : ")");
		break;
	case PLACE_RING:
		if (memcmp(&moved, &relative, sizeof moved) != 0) {
			text_put(out, "wrap(");
			c_value(c, &moved, out);
			text_format(out, ", %lld)", (long long)place->modulus);
			c->wrap = true;
		} else {
			put_remainder(c, &relative.plain, place->modulus, out);
		}
		break;
	case PLACE_GRID:
		for (uint32_t i = 0; i < c->grid->axes; i++) {
			text_put(out, i ? ", " : "at(");
			c_affine(c, &place->axis[i], out);
			struct lookup offset = place_offset(place, i);
			if (offset.table) {
				text_put(out, " + ");
				put_lookup(c, &offset, out);
			}
		}
		text_char(out, ')');
		c->at = c->wrap = true;
		break;
	case PLACE_NONE:
		text_char(out, '0');
		break;
	}
}

/* p - $w[i0] == 0 is read p == table_w[i0]. */
static void put_equation(struct c_text *c, const struct value *sum, int64_t number, bool equal, struct text *out)
{
	struct value other = *sum;
	if (sum->plain.p == 1 && sum->lookup.table && number == 0) {
		other.plain.p = 0;
		value_oppose(&other);
		text_format(out, "p %s ", equal ? "==" : "!=");
		c_value(c, &other, out);
		return;
	}
	c_value(c, sum, out);
	text_format(out, " %s %lld", equal ? "==" : "!=", (long long)number);
}

void c_condition(struct c_text *c, const struct value *condition, struct text *out)
{
	struct value sum = *condition;
	sum.test = TEST_NONE;
	switch ((enum test)condition->test) {
	case TEST_NONE:
		c_value(c, &sum, out);
		break;
	case TEST_EQUAL:
	case TEST_DIFFERS:
		put_equation(c, &sum, condition->number, condition->test == TEST_EQUAL, out);
		break;
	case TEST_AMONG:
	case TEST_NOT_AMONG:
		text_put(out, condition->test == TEST_AMONG ? "among(" : "!among(");
		c_value(c, &sum, out);
		text_put(out, ", ");
		put_table_name(condition->among, table_number(c, condition->among), out);
		text_format(out, ", %lluL)", (unsigned long long)table_entries(condition->among));
		c->among = true;
	}
}

/* ------------------------------------------------------------------ nodes */

static const struct node *node(const struct c_text *c, node_id id)
{
	return node_of(c->store, id);
}

/* With this constant, has the sum one term alone, so that it needs no parentheses as an operand? */
static bool sum_is_single(const struct c_text *c, const struct node *sum, int64_t constant)
{
	return sum->kids + (constant != 0) <= 1 && constant >= 0 && (!sum->kids || node(c, sum->kid[0])->number == 1);
}

static bool sum_never_falls(const struct c_text *c, const struct node *sum)
{
	bool rises = true;
	for (uint32_t k = 0; k < sum->kids; k++) {
		const struct node *t = node(c, sum->kid[k]), *f = node(c, t->kid[0]);
		rises = rises && t->number > 0 && (f->kind == NODE_VARIABLE || f->kind == NODE_REMAINDER);
	}
	return rises;
}

static void put_sum(struct c_text *c, const struct node *sum, int64_t constant, struct text *out);

static void put_modulo(struct c_text *c, const struct node *f, struct text *out)
{
	const struct node *inside = node(c, f->kid[0]);
	int64_t modulus = node(c, f->kid[1])->number;
	if (sum_never_falls(c, inside)) {
		int64_t constant = (inside->number % modulus + modulus) % modulus;
		bool single = sum_is_single(c, inside, constant);
		text_put(out, single ? "" : "(");
		put_sum(c, inside, constant, out);
		text_format(out, "%s %% %lld", single ? "" : ")", (long long)modulus);
	} else {
		text_put(out, "wrap(");
		put_sum(c, inside, inside->number, out);
		text_format(out, ", %lld)", (long long)modulus);
		c->wrap = true;
	}
}

static void put_entry(struct c_text *c, const struct node *f, struct text *out)
{
	static const char *const behind[] = {"", "_row", "_block"};
	const struct table *table = store_get_table(c->store, (uint32_t)node(c, f->kid[0])->number);
	size_t number = table_number(c, table);
	uint64_t rows;
	bool even = even_rows(table, &rows);
	const struct node *single = node(c, number_single(c->store, f->kid[1]));
	c->table[number].by_process |= f->kids == 2 && single->kind == NODE_VARIABLE && single->number == VARIABLE_P;
	for (uint32_t i = 0; i + 1 < (even ? 2 : f->kids); i++) {
		put_table_name(table, number, out);
		text_format(out, "%s[", even ? "" : behind[i]);
	}
	for (uint32_t i = 1; i < f->kids; i++) {
		text_put(out, i == 1 ? "" : even ? "][" : "] + ");
		c_number(c, f->kid[i], out);
	}
	text_char(out, ']');
}

static void put_node(struct c_text *c, node_id factor, struct text *out)
{
	const struct node *f = node(c, factor);
	bool single = sum_is_single(c, f, f->number);
	switch ((enum node_kind)f->kind) {
	case NODE_VARIABLE:
		if (f->number >= VARIABLE_INDEX)
			put_index(c, c->loops - 1 - (unsigned)(f->number - VARIABLE_INDEX), out);
		else if (f->number == VARIABLE_P)
			text_put(out, "p");
		else
			put_axis(c, (int)(f->number - VARIABLE_X), out);
		break;
	case NODE_REMAINDER:
		put_modulo(c, f, out);
		break;
	case NODE_POWER:
		text_put(out, "power(");
		c_number(c, f->kid[0], out);
		text_put(out, ", ");
		c_number(c, f->kid[1], out);
		text_char(out, ')');
		c->power = true;
		break;
	case NODE_PRODUCT:
		text_put(out, "(long)");
		put_node(c, f->kid[0], out);
		text_put(out, " * ");
		put_node(c, f->kid[1], out);
		break;
	case NODE_ENTRY:
		put_entry(c, f, out);
		break;
	default:
		text_put(out, single ? "" : "(");
		c_number(c, factor, out);
		text_put(out, single ? "" : ")");
	}
}

/* Behind look-ups, a sum that begins with the process in its own signs. */
static void put_sum(struct c_text *c, const struct node *sum, int64_t constant, struct text *out)
{
	bool first = true, behind = false;
	uint32_t k = 0;
	for (; k < sum->kids; k++) {
		const struct node *t = node(c, sum->kid[k]), *f = node(c, t->kid[0]);
		if (f->kind != NODE_ENTRY && f->kind != NODE_PRODUCT)
			break;
		put_factor(out, t->number, first);
		put_node(c, t->kid[0], out);
		first = false;
		behind = true;
	}
	const struct node *next = node(c, k < sum->kids ? sum->kid[k] : NODE_NONE);
	const struct node *factor = node(c, k < sum->kids ? next->kid[0] : NODE_NONE);
	bool plain = factor->kind == NODE_VARIABLE;
	if (behind && (constant || plain)) {
		text_put(out, " + ");
		first = true;
	}
	bool constant_left = constant || (!sum->kids);
	if (constant > 0 && plain && factor->number <= VARIABLE_X && next->number < 0) {
		put_constant(out, constant, &first);
		constant_left = false;
	}
	for (; k < sum->kids; k++) {
		const struct node *t = node(c, sum->kid[k]), *f = node(c, t->kid[0]);
		bool place = f->kind == NODE_VARIABLE && f->number < VARIABLE_INDEX,
		     several = f->kind == NODE_REMAINDER && t->number != 1 && sum_never_falls(c, node(c, f->kid[0]));
		if (constant_left && !place) {
			put_constant(out, constant, &first);
			constant_left = false;
		}
		put_factor(out, t->number, first);
		text_put(out, several ? "(" : "");
		put_node(c, t->kid[0], out);
		text_put(out, several ? ")" : "");
		first = false;
	}
	if (constant_left)
		put_constant(out, constant, &first);
}

void c_number(struct c_text *c, node_id number, struct text *out)
{
	put_sum(c, node(c, number), node(c, number)->number, out);
}

/* p - $w[i0] == 0 is read p == table_w[i0]. */
static void put_equation_of(struct c_text *c, node_id sum, int64_t number, const char *sign, struct text *out)
{
	node_id own = number_variable(c->store, VARIABLE_P);
	bool process = false, look_up = false;
	for (uint32_t k = 0; k < node(c, sum)->kids; k++) {
		const struct node *t = node(c, node(c, sum)->kid[k]);
		process |= t->number == 1 && t->kid[0] == number_single(c->store, own);
		look_up |= node(c, t->kid[0])->kind == NODE_ENTRY;
	}
	if (process && look_up && !number) {
		text_format(out, "p %s ", sign);
		c_number(c, number_add(c->store, own, sum, -1), out);
		return;
	}
	c_number(c, sum, out);
	text_format(out, " %s %lld", sign, (long long)number);
}

void c_test(struct c_text *c, node_id test, struct text *out)
{
	const struct node *t = node(c, test);
	if (t->sub < NODE_TEST_AMONG) {
		put_equation_of(c, t->kid[0], t->number, t->sub == NODE_TEST_EQUAL ? "==" : "!=", out);
		return;
	}
	const struct table *among = store_get_table(c->store, (uint32_t)t->number);
	text_put(out, t->sub == NODE_TEST_AMONG ? "among(" : "!among(");
	c_number(c, t->kid[0], out);
	text_put(out, ", ");
	put_table_name(among, table_number(c, among), out);
	text_format(out, ", %lluL)", (unsigned long long)table_entries(among));
	c->among = true;
}

void c_inside(struct c_text *c, node_id place, struct text *out)
{
	const struct node *f = node(c, number_single(c->store, place));
	bool grid = f->kind == NODE_GRID;
	for (uint32_t i = 0; i < (grid ? f->kids : 1); i++) {
		text_put(out, i ? " && (unsigned long)(" : "(unsigned long)(");
		c_number(c, grid ? f->kid[i] : place, out);
		text_format(out, ") < %u", grid ? c->grid->size[i] : c->processes);
	}
}

void c_coordinate(const struct grid *g, uint32_t axis, struct text *out)
{
	put_coordinate(g, axis, "p", out);
}

/* ------------------------------------------------------------------ definitions */

#define ON_A_LINE 100
#define LONG_RUN 64 /* of equal numbers, which is written as a range (as gcc and clang have it) */

/* A list of numbers. */
struct numbers {
	struct text text;
	size_t line; /* where its last one begins */
	uint64_t before, run; /* numbers that are in the text; that follow, and are */
	int64_t last; /* ... this one */
};

static void put_run(struct numbers *n)
{
	for (uint64_t step = n->run < LONG_RUN ? 1 : n->run; n->run; n->run -= step, n->before += step) {
		bool full = n->text.length - n->line >= ON_A_LINE;
		text_put(&n->text, !n->text.length ? "" : full ? ",\n\t" : ", ");
		if (step > 1)
			text_format(&n->text, "[%llu ... %llu] = ", (unsigned long long)n->before,
				(unsigned long long)(n->before + step - 1));
		text_format(&n->text, "%lld", (long long)n->last);
		n->line = full ? n->text.length : n->line;
	}
}

static void put_numbers(struct text *out, struct numbers *n)
{
	put_run(n);
	text_format(out, n->line ? "{\n\t%s\n}" : "{%s}", n->text.length ? n->text.data : "0");
}

static void add_number(struct numbers *n, int64_t number)
{
	if (number != n->last)
		put_run(n);
	n->last = number;
	n->run++;
}

static const char *type_for(int64_t least, int64_t most)
{
	return least >= INT_MIN && most <= INT_MAX ? "int" : "long";
}

/* length: 0, or entries that it has, if these are more. */
static void put_array(const struct table *t, size_t number, const char *behind, const char *type, uint64_t length,
	struct numbers *numbers, struct text *out)
{
	text_format(out, "static const %s ", type);
	put_table_name(t, number, out);
	text_format(out, "%s[", behind);
	if (length)
		text_format(out, "%llu", (unsigned long long)length);
	text_put(out, "] = ");
	put_numbers(out, numbers);
	text_put(out, ";\n");
}

static void put_even(const struct table *t, size_t number, uint64_t rows, uint64_t length, struct text *out)
{
	text_format(out, "static const %s ", type_for(table_least(t), table_most(t)));
	put_table_name(t, number, out);
	text_format(out, "[%llu][%llu] = {\n", (unsigned long long)rows, (unsigned long long)length);
	for (uint64_t row = 0; row < rows; row++) {
		struct numbers numbers = {0};
		for (uint64_t i = 0; i < length; i++)
			add_number(&numbers, table_entry(t, row * length + i));
		put_run(&numbers);
		text_format(out, "\t{%s},\n", numbers.text.data);
		text_clear(&numbers.text);
	}
	text_put(out, "};\n");
}

/* The entries, and where rows and blocks begin. */
static void put_table(const struct c_text *c, size_t number, struct text *out)
{
	const struct table *t = c->table[number].table;
	struct numbers numbers = {0}, starts = {0}, blocks = {0};
	int64_t at[TABLE_ARGUMENTS] = {0};
	uint64_t rows, first, length, row = 0, even = even_rows(t, &rows);
	uint32_t arguments = table_arguments(t);
	if (even) {
		put_even(t, number, rows, even, out);
		return;
	}
	for (uint64_t i = 0; i < table_entries(t); i++)
		add_number(&numbers, table_entry(t, i));
	for (; arguments == 2 && table_row(t, at, &first, &length); at[0]++)
		add_number(&starts, (int64_t)first);
	for (; arguments == 3 && table_has_block(t, at[0]); at[0]++) {
		add_number(&blocks, (int64_t)row);
		for (at[1] = 0; table_row(t, at, &first, &length); at[1]++, row++)
			add_number(&starts, (int64_t)first);
	}
	put_array(t, number, "", *table_name(t) ? type_for(table_least(t), table_most(t)) : "long",
		c->table[number].by_process && table_entries(t) < c->processes ? c->processes : 0, &numbers, out);
	if (arguments > 1)
		put_array(t, number, "_row", "int", 0, &starts, out);
	if (arguments > 2)
		put_array(t, number, "_block", "int", 0, &blocks, out);
	text_clear(&numbers.text);
	text_clear(&starts.text);
	text_clear(&blocks.text);
}

static void put_at(const struct grid *g, struct text *out)
{
	text_put(out, "/* The rank at a place of the grid, which goes around. */\nstatic long at(");
	for (uint32_t i = 0; i < g->axes; i++)
		text_format(out, "%slong %c", i ? ", " : "", axis_name[i]);
	text_put(out, ")\n{\n\treturn ");
	for (uint32_t i = 0; i < g->axes; i++)
		text_format(out, i + 1 < g->axes ? "wrap(%c, %u) + %u * (" : "wrap(%c, %u)", axis_name[i], g->size[i],
			g->size[i]);
	for (uint32_t i = 1; i < g->axes; i++)
		text_char(out, ')');
	text_put(out, ";\n}\n\n");
}

void c_text_definitions(const struct c_text *c, struct text *out)
{
	for (size_t i = 0; i < c->tables; i++)
		put_table(c, i, out);
	text_put(out, c->tables ? "\n" : "");
	if (c->wrap)
		text_put(out, "static long wrap(long a, long size)\n{\n\treturn (a % size + size) % size;\n}\n\n");
	if (c->power)
		text_put(out, "static long power(long base, long exponent)\n{\n\tunsigned long product = 1;\n"
			      "\tfor (; exponent > 0 && exponent < 64; exponent--)\n"
			      "\t\tproduct *= (unsigned long)base;\n\treturn (long)product;\n}\n\n");
	if (c->most)
		text_put(out, "static long most(long a, long b)\n{\n\treturn a > b ? a : b;\n}\n\n");
	if (c->at)
		put_at(c->grid, out);
	if (c->among)
		text_put(out, "static int among(long number, const long *set, long size)\n{\n"
			      "\twhile (size > 0 && *set != number)\n\t\tset++, size--;\n\treturn size > 0;\n}\n\n");
}
