/*
 * value_nodes.c -- term by term.
 */
#include "fit/value_nodes.h"

struct crossing {
	struct store *store;
	struct tables *tables;
	const char *name;
};

static node_id affine_node(const struct crossing *c, const struct affine *a)
{
	struct store *s = c->store;
	node_id sum = number_constant(s, a->constant);
	if (a->p)
		sum = number_add(s, sum, number_variable(s, VARIABLE_P), a->p);
	for (int k = 0; k < GRID_AXES; k++)
		if (a->axis[k])
			sum = number_add(s, sum, number_variable(s, VARIABLE_X + k), a->axis[k]);
	for (int d = 0; d < INDEX_DEPTH; d++)
		if (a->index[d])
			sum = number_add(s, sum, number_variable(s, VARIABLE_INDEX + INDEX_DEPTH - 1 - d), a->index[d]);
	return sum;
}

static node_id remainder_node(const struct crossing *c, const struct affine *inside, int64_t modulus)
{
	node_id number = affine_node(c, inside);
	return modulus ? number_remainder(c->store, number, number_constant(c->store, modulus)) : number;
}

static node_id entry_node(const struct crossing *c, const struct lookup *l)
{
	node_id argument[TABLE_ARGUMENTS];
	for (uint32_t k = 0; k < table_arguments(l->table); k++)
		argument[k] = remainder_node(c, &l->argument[k].inside, l->argument[k].modulus);
	return number_entry(
		c->store, tables_node(c->tables, c->store, c->name, l->table), argument, table_arguments(l->table));
}

static node_id sum_node(const struct crossing *c, const struct value *v)
{
	struct store *s = c->store;
	node_id sum = affine_node(c, &v->plain);
	for (int k = 0; k < REMAINDERS && v->remainder[k].modulus; k++) {
		const struct remainder *r = &v->remainder[k];
		sum = number_add(s, sum, remainder_node(c, &r->inside, r->modulus), r->factor);
	}
	for (int k = 0; k < POWERS && v->power[k].base; k++) {
		const struct power *w = &v->power[k];
		node_id power = number_power(s, number_constant(s, w->base), affine_node(c, &w->exponent));
		sum = number_add(s, sum, power, w->factor);
	}
	if (v->lookup.table) {
		node_id entry = entry_node(c, &v->lookup);
		if (v->by.table)
			entry = number_multiply(s, entry, entry_node(c, &v->by));
		sum = number_add(s, sum, entry, v->lookup.factor);
	}
	return sum;
}

node_id node_of_value(struct store *s, struct tables *tables, const char *name, const struct value *v)
{
	struct crossing c = {s, tables, name};
	static const enum node_test test[] = {[TEST_EQUAL] = NODE_TEST_EQUAL,
		[TEST_DIFFERS] = NODE_TEST_DIFFERS,
		[TEST_AMONG] = NODE_TEST_AMONG,
		[TEST_NOT_AMONG] = NODE_TEST_NOT_AMONG};
	node_id sum = sum_node(&c, v);
	return !v->test
		       ? sum
		       : test_make(s, test[v->test], v->among ? store_table(s, table_share(v->among)) : v->number, sum);
}

node_id node_of_place(
	struct store *s, struct tables *tables, const char *name, const struct grid *g, const struct place *f)
{
	struct crossing c = {s, tables, name};
	node_id axis[GRID_AXES], number = f->kind == PLACE_GRID ? NODE_NONE : sum_node(&c, &f->value);
	switch ((enum place_kind)f->kind) {
	case PLACE_OFFSET:
		return number_add(s, number, number_variable(s, VARIABLE_P), 1);
	case PLACE_XOR:
		return number_xor(s, number);
	case PLACE_RING:
		return number_remainder(
			s, number_add(s, number, number_variable(s, VARIABLE_P), 1), number_constant(s, f->modulus));
	case PLACE_GRID:
		for (uint32_t k = 0; k < g->axes; k++) {
			struct lookup offset = place_offset(f, k);
			axis[k] = affine_node(&c, &f->axis[k]);
			if (offset.table)
				axis[k] = number_add(s, axis[k], entry_node(&c, &offset), 1);
		}
		return number_grid(s, axis, g->axes);
	default:
		return number;
	}
}
