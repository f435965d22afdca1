/*
 * multiples.c -- a table without its slices of zeros, divided by what all its entries share; where
 * several tables are the same then, that is the one that is looked up.
 */
#include "merge/multiples.h"

#include <stdlib.h>

#include "base/intern.h"
#include "base/mem.h"
#include "merge/by_axes.h"

struct sharing {
	struct program *program;
	struct intern *tables, *commons; /* const struct table * */
	struct multiple {
		const struct table *common, *rest; /* divided, and as it is without slices of zeros */
		int64_t factor;
		const struct table *mask; /* 1 or 0 by the first argument; NULL: there are no slices of zeros */
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

static const struct table *adopt(struct sharing *s, struct table *t)
{
	const struct table *kept = dictionary_adopt(s->program->dictionary, t, table_name(t));
	table_free(t);
	return kept;
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
	m->mask = adopt(s, mask);
	m->rest = adopt(s, rest);
}

static void find_masks(struct sharing *s, const struct lookup *l, struct multiple *m)
{
	const struct grid *g = &s->program->grid;
	if (table_arguments(l->table) > 1) {
		find_mask(s, l->table, m);
		return;
	}
	if (!by_axes_possible(s->program) || !by_axes_rank(l) || table_entries(l->table) != s->program->processes)
		return;
	uint32_t others = 0;
	for (uint32_t rank = 0; rank < s->program->processes && others < 2; rank++)
		others += table_entry(l->table, rank) != 0;
	if (others < 2)
		return; /* one process is told by its rank */
	for (m->axis = 0; m->axis < g->axes && !m->mask; m->axis += !m->mask) {
		struct table *t = by_axes_table(l->table, g, m->axis);
		find_mask(s, t, m);
		table_free(t);
	}
}

static void find_common(struct sharing *s, const struct lookup *l)
{
	uint32_t known = intern_count(s->tables), at = intern_id(s->tables, &l->table, sizeof l->table);
	if (at < known)
		return;
	struct multiple m = {.rest = l->table};
	find_masks(s, l, &m);
	m.common = m.rest;
	m.factor = (int64_t)table_divisor(m.rest);
	if (m.factor > 1)
		m.common = adopt(s, table_divided(m.rest, m.factor));
	s->multiple = mem_grow(s->multiple, &s->capacity, (size_t)at + 1, sizeof *s->multiple);
	s->multiple[at] = m;
	known = intern_count(s->commons);
	at = intern_id(s->commons, &m.common, sizeof m.common);
	s->users = mem_grow(s->users, &s->user_capacity, (size_t)at + 1, sizeof *s->users);
	if (at == known)
		s->users[at] = (struct users){0, m.factor};
	s->users[at].count++;
	s->users[at].factor = s->users[at].factor == m.factor ? m.factor : 0;
}

/* Larger factors are not read back. */
#define FACTOR_MOST (INT64_C(1) << 30)

/* The second table of a value is what there is beside the zeros. */
static void mask_lookup(const struct sharing *s, const struct multiple *m, const struct table *rest, struct value *v)
{
	const struct grid *g = &s->program->grid;
	bool by_rank = table_arguments(v->lookup.table) == 1;
	v->by = (struct lookup){.table = rest, .factor = 1};
	for (uint32_t k = 0; k < table_arguments(rest); k++) {
		struct argument *a = &v->by.argument[k];
		if (by_rank)
			a->inside.axis[by_axes_argument(g, m->axis, k + 1)] = 1;
		else
			*a = v->lookup.argument[k + 1];
	}
	v->lookup = (struct lookup){m->mask, v->lookup.factor, {v->lookup.argument[0]}};
	if (by_rank) {
		v->lookup.argument[0] = (struct argument){0};
		v->lookup.argument[0].inside.axis[m->axis] = 1;
	}
}

/* Gives whether it is another one now. */
static bool replace_table(const struct sharing *s, struct value *v, struct lookup *l)
{
	const struct multiple *m = &s->multiple[intern_find(s->tables, &l->table, sizeof l->table)];
	const struct users *users = &s->users[intern_find(s->commons, &m->common, sizeof m->common)];
	const struct table *to = users->factor ? m->rest : m->common;
	int64_t product;
	if (users->count < 2 || to == l->table ||
		__builtin_mul_overflow(v->lookup.factor, users->factor ? 1 : m->factor, &product) ||
		product > FACTOR_MOST || product < -FACTOR_MOST)
		return false;
	if (m->mask && (v->by.table || (table_arguments(l->table) == 1 && !by_axes_rank(l))))
		return false;
	v->lookup.factor = product;
	if (m->mask)
		mask_lookup(s, m, to, v);
	else
		l->table = to;
	return true;
}

static bool note_tables(void *sharing, struct value *v)
{
	for (int k = 0; value_lookup(v, k); k++)
		find_common(sharing, value_lookup(v, k));
	return false;
}

static bool replace_tables(void *sharing, struct value *v)
{
	bool changed = v->by.table && replace_table(sharing, v, &v->by);
	return (v->lookup.table && replace_table(sharing, v, &v->lookup)) || changed;
}

static bool share_once(struct program *p)
{
	struct sharing s = {.program = p,
		.tables = intern_new_keys(sizeof(const struct table *)),
		.commons = intern_new_keys(sizeof(const struct table *))};
	program_attributes_change(p, note_tables, &s);
	bool any = program_attributes_change(p, replace_tables, &s);
	intern_free(s.tables);
	intern_free(s.commons);
	free(s.multiple);
	free(s.users);
	return any;
}

/* What a mask is may be a multiple of, too. */
bool multiples_share(struct program *p)
{
	bool any = false;
	while (share_once(p))
		any = true;
	return any;
}
