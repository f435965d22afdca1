/*
 * c_text.c -- the shapes are those of a program's text, with the blanks that C has; tables become
 * static arrays, with as many dimensions as they have arguments where all their rows are equally
 * long.
 */
#include "scangen/c_text.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static const char axis_name[GRID_AXES] = {'x', 'y', 'z', 'w'};

char c_axis(uint32_t axis)
{
	return axis_name[axis];
}

void c_text_clear(struct c_text *c)
{
	free(c->table);
	*c = (struct c_text){.store = c->store, .grid = c->grid, .processes = c->processes};
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

/* ------------------------------------------------------------------ factors */

static const struct node *node(const struct c_text *c, node_id id)
{
	return node_of(c->store, id);
}

/* The one factor that a sum is. */
static const struct node *single(const struct c_text *c, node_id sum)
{
	return node(c, number_single(c->store, sum));
}

/* The order of terms; the constant is behind what the process is in. */
enum part { PART_TABLE, PART_PROCESS, PART_INDEX, PART_OTHER };

static enum part part_of(const struct node *factor)
{
	if (factor->kind == NODE_ENTRY || factor->kind == NODE_PRODUCT)
		return PART_TABLE;
	if (factor->kind != NODE_VARIABLE)
		return PART_OTHER;
	return factor->number >= VARIABLE_INDEX ? PART_INDEX : PART_PROCESS;
}

static void put_variable(struct c_text *c, int64_t variable, struct text *out)
{
	if (variable >= VARIABLE_INDEX) {
		put_index(c, c->loops - 1 - (unsigned)(variable - VARIABLE_INDEX), out);
	} else if (variable == VARIABLE_COUNTER) {
		text_put(out, c->counter ? c->counter : "q");
	} else if (variable >= VARIABLE_X) {
		put_axis(c, (int)(variable - VARIABLE_X), out);
	} else {
		text_put(out, c->process ? c->process : "p");
	}
}

static void put_terms(struct c_text *, const struct node *sum, int64_t constant, bool tables_behind, struct text *);

/* Is it never negative, once its constant has been taken modulo something? */
static bool rises(const struct c_text *c, const struct node *sum)
{
	bool all = true;
	for (uint32_t i = 0; i < sum->kids; i++) {
		const struct node *t = node(c, sum->kid[i]);
		all = all && t->number >= 0 && node(c, t->kid[0])->kind == NODE_VARIABLE;
	}
	return all;
}

static void put_modulo(struct c_text *c, const struct node *f, struct text *out)
{
	const struct node *sum = node(c, f->kid[0]);
	int64_t modulus, constant = sum->number;
	bool never_negative = number_is_constant(c->store, f->kid[1], &modulus) && rises(c, sum);
	if (never_negative)
		constant = (constant % modulus + modulus) % modulus;
	bool one = sum->kids + (constant != 0) <= 1 && (!sum->kids || node(c, sum->kid[0])->number == 1);
	text_put(out, !never_negative ? "wrap(" : one ? "" : "(");
	put_terms(c, sum, constant, false, out);
	text_put(out, !never_negative ? ", " : one ? " % " : ") % ");
	c_number(c, f->kid[1], out);
	text_put(out, never_negative ? "" : ")");
	c->wrap |= !never_negative;
}

/* table_nbr[p][i1], or where rows differ table_nbr[table_nbr_row[p] + i1] */
static void put_look_up(struct c_text *c, const struct node *f, struct text *out)
{
	static const char *const behind[] = {"", "_row", "_block"};
	const struct table *t = store_get_table(c->store, (uint32_t)node(c, f->kid[0])->number);
	const struct node *first = single(c, f->kid[1]);
	uint32_t arguments = f->kids - 1;
	size_t number = table_number(c, t);
	uint64_t rows;
	bool even = even_rows(t, &rows);
	c->table[number].by_process |= arguments == 1 && first->kind == NODE_VARIABLE && first->number == VARIABLE_P;
	for (uint32_t i = 0; i < (even ? 1 : arguments); i++) {
		put_table_name(t, number, out);
		text_format(out, "%s[", even ? "" : behind[i]);
	}
	for (uint32_t i = 0; i < arguments; i++) {
		text_put(out, !i ? "" : even ? "][" : "] + ");
		c_number(c, f->kid[i + 1], out);
	}
	text_char(out, ']');
}

static void put_call(struct c_text *c, const char *function, const struct node *f, bool tables_behind, struct text *out)
{
	text_format(out, "%s(", function);
	for (uint32_t i = 0; i < f->kids; i++) {
		text_put(out, i ? ", " : "");
		put_terms(c, node(c, f->kid[i]), node(c, f->kid[i])->number, tables_behind, out);
	}
	text_char(out, ')');
}

static void put_one(struct c_text *c, node_id id, struct text *out)
{
	const struct node *f = node(c, id);
	int64_t number;
	bool whole = f->kind == NODE_XOR &&
		     (number_is_constant(c->store, f->kid[0], &number) || single(c, f->kid[0])->kind == NODE_ENTRY);
	switch ((enum node_kind)f->kind) {
	case NODE_SUM:
		text_char(out, '(');
		c_number(c, id, out);
		text_char(out, ')');
		break;
	case NODE_VARIABLE:
		put_variable(c, f->number, out);
		break;
	case NODE_REMAINDER:
		put_modulo(c, f, out);
		break;
	case NODE_POWER:
		put_call(c, "power", f, false, out);
		c->power = true;
		break;
	case NODE_PRODUCT:
		text_put(out, "(long)");
		put_one(c, f->kid[0], out);
		text_put(out, " * ");
		put_one(c, f->kid[1], out);
		break;
	case NODE_XOR:
		text_put(out, whole ? "p ^ " : "p ^ (");
		c_number(c, f->kid[0], out);
		text_put(out, whole ? "" : ")");
		break;
	case NODE_GRID:
		put_call(c, "at", f, true, out);
		c->at = c->wrap = true;
		break;
	case NODE_FUNCTION:
		text_char(out, '(');
		c_number(c, f->kid[0], out);
		text_format(out, " %s ", function_rows[f->sub].text);
		c_number(c, f->kid[1], out);
		text_char(out, ')');
		break;
	default:
		put_look_up(c, f, out);
	}
}

static void put_part(struct c_text *c, const struct node *sum, enum part part, bool *first, struct text *out)
{
	for (uint32_t i = 0; i < sum->kids; i++) {
		const struct node *t = node(c, sum->kid[i]), *f = node(c, t->kid[0]);
		if (part_of(f) != part)
			continue;
		bool open = (t->number != 1 && f->kind == NODE_REMAINDER && rises(c, node(c, f->kid[0]))) ||
			    (f->kind == NODE_XOR && (sum->kids > 1 || sum->number || t->number != 1));
		put_factor(out, t->number, *first);
		text_put(out, open ? "(" : "");
		put_one(c, t->kid[0], out);
		text_put(out, open ? ")" : "");
		*first = false;
	}
}

/* A sum that begins with a minus begins with its constant, if that is positive. */
static void put_terms(struct c_text *c, const struct node *sum, int64_t constant, bool tables_behind, struct text *out)
{
	bool first = true, constant_first = false;
	for (uint32_t i = 0; i < sum->kids && constant > 0; i++) {
		const struct node *t = node(c, sum->kid[i]);
		constant_first |= t->number < 0 && part_of(node(c, t->kid[0])) == PART_PROCESS;
	}
	if (!tables_behind)
		put_part(c, sum, PART_TABLE, &first, out);
	if (constant_first)
		put_constant(out, constant, &first);
	put_part(c, sum, PART_PROCESS, &first, out);
	if (constant && !constant_first)
		put_constant(out, constant, &first);
	put_part(c, sum, PART_INDEX, &first, out);
	if (tables_behind)
		put_part(c, sum, PART_TABLE, &first, out);
	put_part(c, sum, PART_OTHER, &first, out);
	text_put(out, first ? "0" : "");
}

void c_number(struct c_text *c, node_id sum, struct text *out)
{
	put_terms(c, node(c, sum), node(c, sum)->number, false, out);
}

void c_test(struct c_text *c, node_id test, struct text *out)
{
	const struct node *t = node(c, test);
	bool among = t->sub == NODE_TEST_AMONG || t->sub == NODE_TEST_NOT_AMONG;
	text_put(out, !among ? "" : t->sub == NODE_TEST_AMONG ? "among(" : "!among(");
	c_number(c, t->kid[0], out);
	if (!among) {
		text_format(out, t->sub == NODE_TEST_EQUAL ? " == %lld" : " != %lld", (long long)t->number);
		return;
	}
	const struct table *set = store_get_table(c->store, (uint32_t)t->number);
	text_put(out, ", ");
	put_table_name(set, table_number(c, set), out);
	text_format(out, ", %lluL)", (unsigned long long)table_entries(set));
	c->among = true;
}

void c_inside(struct c_text *c, node_id place, struct text *out)
{
	const struct node *f = single(c, place);
	bool grid = f->kind == NODE_GRID;
	for (uint32_t i = 0; i < (grid ? f->kids : 1); i++) {
		text_put(out, i ? " && (unsigned long)(" : "(unsigned long)(");
		c_number(c, grid ? f->kid[i] : place, out);
		text_format(out, ") < %u", grid ? c->grid->size[i] : c->processes);
	}
}

bool c_is_defined(const struct store *s, node_id number)
{
	const struct node *n = node_of(s, number);
	bool defined = true;
	for (uint32_t k = 0; k < n->kids; k++)
		defined = defined && c_is_defined(s, n->kid[k]);
	if (n->kind != NODE_ENTRY || !defined)
		return defined;
	const struct node *argument = node_of(s, number_single(s, n->kid[1]));
	int64_t modulus;
	bool is_p = argument->kind == NODE_VARIABLE && argument->number == VARIABLE_P;
	bool within = argument->kind == NODE_REMAINDER && number_is_constant(s, argument->kid[1], &modulus) &&
		      table_entries(store_get_table(s, (uint32_t)node_of(s, n->kid[0])->number)) >= (uint64_t)modulus;
	return n->kids == 2 && (is_p || within);
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
