/*
 * multiples.c -- a table without its slices of zeros, divided by what all its entries share; where
 * several tables are the same then, that is the one that is looked up.
 */
#include "merge/multiples.h"

#include <stdlib.h>

#include "base/intern.h"
#include "base/mem.h"
#include "merge/by_axes.h"
#include "merge/lookups.h"

struct sharing {
	const struct module *module;
	struct store *store;
	struct draft_tables *all;
	struct intern *tables, *commons; /* nodes */
	struct multiple {
		node_id common, rest; /* divided, and as it is without slices of zeros */
		int64_t factor;
		node_id mask; /* 1 or 0 by the first argument; NODE_NONE: there are no slices of zeros */
		uint32_t axis; /* where the table is by rank alone: that argument */
	} * multiple; /* by table */
	struct users {
		uint32_t count; /* tables that are multiples of it */
		int64_t factor; /* of all of them; 0: they differ */
	} * users; /* by common one */
	size_t capacity, user_capacity;
};

/* The entries of a slice, which has this as its first argument, in rows: the number-th. */
static bool slice_row(const struct table *t, uint64_t slice, uint64_t number, uint64_t *first, uint64_t *length)
{
	return (number == 0 || table_arguments(t) > 2) &&
	       table_row(t, (int64_t[]){(int64_t)slice, (int64_t)number}, first, length);
}

static bool is_zero(const struct table *t, uint64_t slice)
{
	bool zero = true;
	uint64_t first, length;
	for (uint64_t row = 0; zero && slice_row(t, slice, row, &first, &length); row++)
		for (uint64_t i = 0; i < length && zero; i++)
			zero = table_entry(t, first + i) == 0;
	return zero;
}

/* Are there as many rows, as long as those of the other? zeros: nothing but these, or what that
   has. */
static bool is_like(const struct table *t, uint64_t slice, uint64_t other, bool zeros)
{
	bool like = true, there = true;
	for (uint64_t row = 0; like && there; row++) {
		uint64_t a = 0, b = 0, length = 0, of_other = 0;
		there = slice_row(t, slice, row, &a, &length);
		like = slice_row(t, other, row, &b, &of_other) == there && (!there || length == of_other);
		for (uint64_t i = 0; there && like && !zeros && i < length; i++)
			like = table_entry(t, a + i) == table_entry(t, b + i);
	}
	return like;
}

/* A table with several arguments that has for each value of the first one zeros, or the same
   numbers: then m becomes these two. */
static void find_mask(struct sharing *s, const struct table *t, struct multiple *m)
{
	uint64_t slices = 0, one = UINT64_MAX, zeros = 0, first, length;
	for (; slice_row(t, slices, 0, &first, &length); slices++) {
		bool zero = is_zero(t, slices);
		zeros += zero;
		one = !zero && one == UINT64_MAX ? slices : one;
	}
	bool masked = zeros && zeros < slices;
	for (uint64_t i = 0; i < slices && masked; i++)
		masked = is_like(t, i, one, is_zero(t, i));
	if (!masked)
		return;
	struct table *mask = table_new(table_name(t), 1), *rest = table_new(table_name(t), table_arguments(t) - 1);
	for (uint64_t i = 0; i < slices; i++)
		table_add(mask, !is_zero(t, i));
	for (uint64_t row = 0; slice_row(t, one, row, &first, &length); row++) {
		for (uint64_t i = 0; i < length; i++)
			table_add(rest, table_entry(t, first + i));
		if (table_arguments(rest) > 1)
			table_end(rest, 1);
	}
	table_finish(mask);
	table_finish(rest);
	if (table_least(rest) == table_most(rest)) {
		table_free(mask);
		table_free(rest);
		return;
	}
	m->mask = draft_tables_adopt(s->all, mask);
	m->rest = draft_tables_adopt(s->all, rest);
}

static void find_masks(struct sharing *s, node_id entry, struct multiple *m)
{
	const struct grid *g = &s->module->grid;
	const struct table *t = lookup_get_table(s->store, node_kid(s->store, entry, 0));
	if (table_arguments(t) > 1) {
		find_mask(s, t, m);
		return;
	}
	if (!by_axes_possible(s->module) || !by_axes_rank(s->store, entry) || table_entries(t) != s->module->processes)
		return;
	uint32_t others = 0;
	for (uint32_t rank = 0; rank < s->module->processes && others < 2; rank++)
		others += table_entry(t, rank) != 0;
	if (others < 2)
		return; /* one process is told by its rank */
	for (m->axis = 0; m->axis < g->axes && !m->mask; m->axis += !m->mask) {
		struct table *by_axis = by_axes_table(t, g, m->axis);
		find_mask(s, by_axis, m);
		table_free(by_axis);
	}
}

static node_id find_common(void *sharing, node_id entry, int64_t times, bool alone)
{
	struct sharing *s = sharing;
	node_id table = node_kid(s->store, entry, 0);
	uint32_t known = intern_count(s->tables), at = intern_id(s->tables, &table, sizeof table);
	(void)times, (void)alone;
	if (at < known)
		return NODE_NONE;
	struct multiple m = {.rest = table};
	find_masks(s, entry, &m);
	const struct table *rest = lookup_get_table(s->store, m.rest);
	m.common = m.rest;
	m.factor = (int64_t)table_divisor(rest);
	if (m.factor > 1)
		m.common = draft_tables_adopt(s->all, table_divided(rest, m.factor));
	s->multiple = mem_grow(s->multiple, &s->capacity, (size_t)at + 1, sizeof *s->multiple);
	s->multiple[at] = m;
	known = intern_count(s->commons);
	at = intern_id(s->commons, &m.common, sizeof m.common);
	s->users = mem_grow(s->users, &s->user_capacity, (size_t)at + 1, sizeof *s->users);
	if (at == known)
		s->users[at] = (struct users){0, m.factor};
	s->users[at].count++;
	s->users[at].factor = s->users[at].factor == m.factor ? m.factor : 0;
	return NODE_NONE;
}

/* Larger factors are not read back. */
#define FACTOR_MOST (INT64_C(1) << 30)

/* The mask times what there is beside the zeros. */
static node_id masked(struct sharing *s, const struct multiple *m, node_id rest, node_id entry)
{
	const struct node *e = node_of(s->store, entry);
	bool by_rank = e->kids == 2;
	node_id first = by_rank ? number_variable(s->store, VARIABLE_X + m->axis) : e->kid[1],
		argument[TABLE_ARGUMENTS];
	for (uint32_t k = 0; k < table_arguments(lookup_get_table(s->store, rest)); k++)
		argument[k] = by_rank ? number_variable(s->store,
						VARIABLE_X + by_axes_argument(&s->module->grid, m->axis, k + 1))
				      : e->kid[k + 2];
	return number_multiply(
		s->store, lookup_number(s->store, m->mask, &first), lookup_number(s->store, rest, argument));
}

static node_id replace_table(void *sharing, node_id entry, int64_t times, bool alone)
{
	struct sharing *s = sharing;
	const struct node *e = node_of(s->store, entry);
	const struct multiple *m = &s->multiple[intern_find(s->tables, &e->kid[0], sizeof e->kid[0])];
	const struct users *users = &s->users[intern_find(s->commons, &m->common, sizeof m->common)];
	node_id to = users->factor ? m->rest : m->common;
	int64_t factor = users->factor ? 1 : m->factor, product;
	if (users->count < 2 || to == e->kid[0] || __builtin_mul_overflow(times, factor, &product) ||
		product > FACTOR_MOST || product < -FACTOR_MOST)
		return NODE_NONE;
	if (m->mask && (!alone || (e->kids == 2 && !by_axes_rank(s->store, entry))))
		return NODE_NONE;
	return number_multiply(s->store, number_constant(s->store, factor),
		m->mask ? masked(s, m, to, entry) : lookup_number(s->store, to, e->kid + 1));
}

static bool share_once(struct draft *d)
{
	struct sharing s = {.module = d->module,
		.store = d->module->store,
		.all = draft_tables_of(d),
		.tables = intern_new_keys(sizeof(node_id)),
		.commons = intern_new_keys(sizeof(node_id))};
	lookups_change(d, find_common, &s);
	bool any = lookups_change(d, replace_table, &s);
	draft_tables_free(s.all);
	intern_free(s.tables);
	intern_free(s.commons);
	free(s.multiple);
	free(s.users);
	return any;
}

/* What a mask is may be a multiple of, too. */
bool multiples_share(struct draft *d)
{
	bool any = false;
	while (share_once(d))
		any = true;
	return any;
}
