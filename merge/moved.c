/*
 * moved.c -- each table by rank is compared with those before it, at every place of the grid.
 */
#include "merge/moved.h"

#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"

/* Entries of a pair of tables that are compared, for each process: where most entries are equal,
   every place agrees in some of them. */
#define MOVED_COMPARED 64

struct by_rank {
	const struct table *table;
	int64_t *entry; /* by rank */
	size_t of; /* the table that it is, moved; itself: of none */
	uint32_t move; /* the rank whose entry there is that of rank 0 here */
	bool shared; /* some other is this one */
	const struct table *by_axis; /* of who is shared, by coordinates */
};

struct moving {
	struct program *program;
	const struct grid *grid;
	uint32_t ranks;
	struct intern *tables; /* const struct table * */
	struct by_rank *by_rank; /* by these */
	size_t capacity;
};

static bool is_by_rank(const struct moving *m, const struct lookup *l)
{
	static const struct affine rank = {.p = 1};
	return l->table && table_arguments(l->table) == 1 && !l->argument[0].modulus &&
	       !memcmp(&l->argument[0].inside, &rank, sizeof rank) && table_entries(l->table) == m->ranks &&
	       table_least(l->table) != table_most(l->table);
}

/* The rank that is as far from `rank` as `move` is from 0, around the grid. */
static uint32_t moved_rank(const struct grid *g, uint32_t rank, uint32_t move)
{
	uint32_t to = 0, stride = 1;
	for (uint32_t i = 0; i < g->axes; i++) {
		uint32_t size = g->size[i];
		to += (rank / stride % size + move / stride % size) % size * stride;
		stride *= size;
	}
	return to;
}

static bool find_move(const struct moving *m, const struct by_rank *x, const struct by_rank *of, uint32_t *move)
{
	uint64_t left = (uint64_t)MOVED_COMPARED * m->ranks;
	if (table_least(x->table) != table_least(of->table) || table_most(x->table) != table_most(of->table))
		return false;
	for (*move = 0; *move < m->ranks && left; ++*move) {
		uint32_t rank = 0;
		while (left && rank < m->ranks && x->entry[rank] == of->entry[moved_rank(m->grid, rank, *move)]) {
			rank++;
			left--;
		}
		if (rank == m->ranks)
			return true;
		left -= left > 0;
	}
	return false;
}

static void note_table(struct moving *m, const struct table *t)
{
	uint32_t known = intern_count(m->tables), at = intern_id(m->tables, &t, sizeof t);
	if (at < known)
		return;
	m->by_rank = mem_grow(m->by_rank, &m->capacity, (size_t)at + 1, sizeof *m->by_rank);
	struct by_rank *x = &m->by_rank[at];
	*x = (struct by_rank){.table = t, .entry = mem_array(m->ranks, sizeof *x->entry), .of = at};
	for (uint32_t rank = 0; rank < m->ranks; rank++)
		x->entry[rank] = table_entry(t, rank);
	for (size_t i = 0; i < at && x->of == at; i++)
		if (m->by_rank[i].of == i && find_move(m, x, &m->by_rank[i], &x->move)) {
			x->of = i;
			m->by_rank[i].shared = true;
		}
}

/* The last argument counts along the first axis. */
static const struct table *by_axes(const struct moving *m, const struct by_rank *x)
{
	const struct grid *g = m->grid;
	struct table *t = table_new(table_name(x->table), g->axes);
	for (uint32_t rank = 0; rank < m->ranks; rank++) {
		table_add(t, x->entry[rank]);
		if ((rank + 1) % (g->size[0] * g->size[1]) == 0 && g->axes > 2)
			table_end(t, 2);
		else if ((rank + 1) % g->size[0] == 0)
			table_end(t, 1);
	}
	table_finish(t);
	const struct table *kept = dictionary_adopt(m->program->dictionary, t, table_name(x->table));
	table_free(t);
	return kept;
}

/* Gives whether it is another one now. */
static bool replace_lookup(struct moving *m, struct lookup *l)
{
	const struct grid *g = m->grid;
	if (!is_by_rank(m, l))
		return false;
	const struct by_rank *x = &m->by_rank[intern_find(m->tables, &l->table, sizeof l->table)];
	struct by_rank *of = &m->by_rank[x->of];
	if (!of->shared)
		return false;
	of->by_axis = of->by_axis ? of->by_axis : by_axes(m, of);
	l->table = of->by_axis;
	for (uint32_t i = 0, stride = 1; i < g->axes; stride *= g->size[i++]) {
		struct argument *a = &l->argument[g->axes - 1 - i];
		*a = (struct argument){.inside = {.constant = x->move / stride % g->size[i]}};
		a->inside.axis[i] = 1;
		a->modulus = a->inside.constant ? g->size[i] : 0;
	}
	return true;
}

static bool note_tables(void *moving, struct value *v)
{
	for (int k = 0; value_lookup(v, k); k++)
		if (is_by_rank(moving, value_lookup(v, k)))
			note_table(moving, value_lookup(v, k)->table);
	return false;
}

static bool replace_tables(void *moving, struct value *v)
{
	bool changed = replace_lookup(moving, &v->lookup);
	return replace_lookup(moving, &v->by) || changed;
}

bool moved_share(struct program *p)
{
	struct moving m = {.program = p, .grid = &p->grid, .ranks = p->processes};
	if (p->grid.axes < 2 || p->grid.axes > TABLE_ARGUMENTS || grid_ranks(&p->grid) != p->processes)
		return false;
	m.tables = intern_new_keys(sizeof(const struct table *));
	program_attributes_change(p, note_tables, &m);
	bool any = program_attributes_change(p, replace_tables, &m);
	for (uint32_t i = 0; i < intern_count(m.tables); i++)
		free(m.by_rank[i].entry);
	free(m.by_rank);
	intern_free(m.tables);
	return any;
}
