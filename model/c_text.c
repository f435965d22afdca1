/*
 * c_text.c -- the shapes are those of formula.c's text, with the blanks that C has.
 */
#include "model/c_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void c_text_clear(struct c_text *c)
{
	free(c->table);
	*c = (struct c_text){0};
}

/* ------------------------------------------------------------------ formulas */

static const char axis_name[GRID_AXES] = {'x', 'y', 'z', 'w'};

static void put_factor(struct text *out, int64_t factor, bool first)
{
	text_put(out, factor < 0 ? (first ? "-" : " - ") : first ? "" : " + ");
	if (factor != 1 && factor != -1)
		text_format(out, "%llu * ", (unsigned long long)(factor < 0 ? 0 - (uint64_t)factor : (uint64_t)factor));
}

static void put_term(struct text *out, int64_t factor, char name, bool *first)
{
	if (!factor)
		return;
	put_factor(out, factor, *first);
	text_char(out, name);
	*first = false;
}

static void put_indices(const struct affine *a, struct text *out, bool *first)
{
	for (unsigned d = 0; d < INDEX_DEPTH; d++) {
		if (!a->index[d])
			continue;
		put_factor(out, a->index[d], *first);
		text_format(out, "i%u", d);
		*first = false;
	}
}

void c_affine(struct c_text *c, const struct affine *a, struct text *out)
{
	bool first = true;
	if (a->constant && (a->p < 0 || a->axis[0] < 0)) {
		text_format(out, "%lld", (long long)a->constant);
		first = false;
	}
	put_term(out, a->p, 'p', &first);
	c->rank |= a->p != 0;
	for (int i = 0; i < GRID_AXES; i++) {
		put_term(out, a->axis[i], axis_name[i], &first);
		c->axis[i] |= a->axis[i] != 0;
	}
	if (a->constant && !(a->p < 0 || a->axis[0] < 0)) {
		uint64_t magnitude = a->constant < 0 ? 0 - (uint64_t)a->constant : (uint64_t)a->constant;
		text_format(out, "%s%llu",
			a->constant < 0 ? (first ? "-" : " - ")
			: first         ? ""
					: " + ",
			(unsigned long long)magnitude);
		first = false;
	}
	put_indices(a, out, &first);
	if (first)
		text_char(out, '0');
}

/* Its number, also in the names of its arrays. */
static size_t table_number(struct c_text *c, const struct table *t)
{
	size_t i = 0;
	while (i < c->tables && c->table[i] != t)
		i++;
	if (i == c->tables) {
		c->table = mem_grow(c->table, &c->table_capacity, i + 1, sizeof *c->table);
		c->table[c->tables++] = t;
	}
	return i;
}

static void put_table_name(const struct table *t, size_t number, struct text *out)
{
	text_format(out, "table_%s_%zu", *table_name(t) ? table_name(t) : "set", number);
}

static void put_argument(struct c_text *c, const struct argument *a, struct text *out)
{
	text_put(out, a->modulus ? "wrap(" : "");
	c->wrap |= a->modulus != 0;
	c_affine(c, &a->inside, out);
	if (a->modulus)
		text_format(out, ", %lld)", (long long)a->modulus);
}

/* nbr[nbr_row[p] + i1] */
static void put_lookup(struct c_text *c, const struct lookup *l, struct text *out)
{
	static const char *const behind[] = {"", "_row", "_block"};
	uint32_t arguments = table_arguments(l->table);
	for (uint32_t i = 0; i < arguments; i++) {
		put_table_name(l->table, table_number(c, l->table), out);
		text_format(out, "%s[", behind[i]);
	}
	for (uint32_t i = 0; i < arguments; i++) {
		text_put(out, i ? "] + " : "");
		put_argument(c, &l->argument[i], out);
	}
	text_char(out, ']');
}

void c_value(struct c_text *c, const struct value *v, struct text *out)
{
	static const struct affine none;
	if (v->lookup.table) {
		put_factor(out, v->lookup.factor, true);
		put_lookup(c, &v->lookup, out);
		text_put(out, memcmp(&v->plain, &none, sizeof none) ? " + " : "");
		if (memcmp(&v->plain, &none, sizeof none))
			c_affine(c, &v->plain, out);
	} else {
		c_affine(c, &v->plain, out);
	}
	for (int i = 0; i < REMAINDERS && v->remainder[i].modulus; i++) {
		const struct remainder *r = &v->remainder[i];
		text_put(out, r->factor < 0 ? " - " : " + ");
		uint64_t magnitude = r->factor < 0 ? 0 - (uint64_t)r->factor : (uint64_t)r->factor;
		if (magnitude != 1)
			text_format(out, "%llu * ", (unsigned long long)magnitude);
		text_put(out, "wrap(");
		c_affine(c, &r->inside, out);
		text_format(out, ", %lld)", (long long)r->modulus);
		c->wrap = true;
	}
}

/* i0 % 7 == 6 */
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
		c_value(c, &sum, out);
		text_format(out, " %s %lld", condition->test == TEST_EQUAL ? "==" : "!=", (long long)condition->number);
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

void c_coordinate(const struct grid *g, uint32_t axis, struct text *out)
{
	uint32_t below = 1;
	for (uint32_t i = 0; i < axis; i++)
		below *= g->size[i];
	text_char(out, 'p');
	if (below > 1)
		text_format(out, " / %u", below);
	if (axis + 1 < g->axes)
		text_format(out, " %% %u", g->size[axis]);
}

/* ------------------------------------------------------------------ definitions */

static void put_array(
	const struct table *t, size_t number, const char *behind, const struct text *numbers, struct text *out)
{
	text_put(out, "static const long ");
	put_table_name(t, number, out);
	text_format(out, "%s[] = {%s};\n", behind, numbers->length ? numbers->data : "0");
}

static void add_number(struct text *numbers, int64_t number)
{
	text_format(numbers, "%s%lld",
		!numbers->length                                    ? ""
		: numbers->length % 100 < 8 && numbers->length > 99 ? ",\n\t"
								    : ", ",
		(long long)number);
}

/* The entries, and where rows and blocks begin. */
static void put_table(const struct table *t, size_t number, struct text *out)
{
	struct text numbers = {0}, rows = {0}, blocks = {0};
	int64_t at[TABLE_ARGUMENTS] = {0};
	uint64_t first, length, row = 0;
	uint32_t arguments = table_arguments(t);
	for (uint64_t i = 0; i < table_entries(t); i++)
		add_number(&numbers, table_entry(t, i));
	for (; arguments == 2 && table_row(t, at, &first, &length); at[0]++)
		add_number(&rows, (int64_t)first);
	for (; arguments == 3 && table_has_block(t, at[0]); at[0]++) {
		add_number(&blocks, (int64_t)row);
		for (at[1] = 0; table_row(t, at, &first, &length); at[1]++, row++)
			add_number(&rows, (int64_t)first);
	}
	put_array(t, number, "", &numbers, out);
	if (arguments > 1)
		put_array(t, number, "_row", &rows, out);
	if (arguments > 2)
		put_array(t, number, "_block", &blocks, out);
	text_clear(&numbers);
	text_clear(&rows);
	text_clear(&blocks);
}

static const char among[] = "static int among(long number, const long *set, long size)\n{\n"
			    "\twhile (size > 0 && *set != number)\n\t\tset++, size--;\n\treturn size > 0;\n}\n\n";

static const char wrap[] = "static long wrap(long a, long size)\n{\n\treturn (a % size + size) % size;\n}\n\n";

void c_text_definitions(const struct c_text *c, struct text *out)
{
	for (size_t i = 0; i < c->tables; i++)
		put_table(c->table[i], i, out);
	text_put(out, c->tables ? "\n" : "");
	text_put(out, c->wrap ? wrap : "");
	text_put(out, c->among ? among : "");
}
