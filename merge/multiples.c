/*
 * multiples.c -- a table divided by what all its entries share; where several tables are the same
 * then, that is the one that is looked up.
 */
#include "merge/multiples.h"

#include <stdlib.h>

#include "base/intern.h"
#include "base/mem.h"

struct sharing {
	struct program *program;
	struct intern *tables, *commons; /* const struct table * */
	struct multiple {
		const struct table *common;
		int64_t factor;
	} * multiple; /* by table */
	uint32_t *users; /* of each common one: tables that are multiples of it */
	size_t capacity, user_capacity;
};

static void find_common(struct sharing *s, const struct table *t)
{
	uint32_t known = intern_count(s->tables), at = intern_id(s->tables, &t, sizeof t);
	if (at < known)
		return;
	struct multiple m = {t, (int64_t)table_divisor(t)};
	if (m.factor > 1) {
		struct table *divided = table_divided(t, m.factor);
		m.common = dictionary_adopt(s->program->dictionary, divided, table_name(t));
		table_free(divided);
	}
	s->multiple = mem_grow(s->multiple, &s->capacity, (size_t)at + 1, sizeof *s->multiple);
	s->multiple[at] = m;
	known = intern_count(s->commons);
	at = intern_id(s->commons, &m.common, sizeof m.common);
	s->users = mem_grow(s->users, &s->user_capacity, (size_t)at + 1, sizeof *s->users);
	s->users[at] = at == known ? 1 : s->users[at] + 1;
}

/* Larger factors are not read back. */
#define FACTOR_MOST (INT64_C(1) << 30)

/* Gives whether it is another one now. */
static bool replace_table(const struct sharing *s, const struct table **table, int64_t *factor)
{
	const struct multiple *m = &s->multiple[intern_find(s->tables, table, sizeof *table)];
	int64_t product;
	if (s->users[intern_find(s->commons, &m->common, sizeof m->common)] < 2 || m->factor < 2 ||
		__builtin_mul_overflow(*factor, m->factor, &product) || product > FACTOR_MOST || product < -FACTOR_MOST)
		return false;
	*table = m->common;
	*factor = product;
	return true;
}

static bool note_tables(void *sharing, struct value *v)
{
	for (int k = 0; value_lookup(v, k); k++)
		find_common(sharing, value_lookup(v, k)->table);
	return false;
}

static bool replace_tables(void *sharing, struct value *v)
{
	bool changed = v->lookup.table && replace_table(sharing, &v->lookup.table, &v->lookup.factor);
	return (v->by.table && replace_table(sharing, &v->by.table, &v->lookup.factor)) || changed;
}

bool multiples_share(struct program *p)
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
