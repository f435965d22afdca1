/*
 * moved.c -- each table by rank is compared with those before it, at every place of the grid.
 */
#include "merge/moved.h"

#include <stdlib.h>

#include "base/intern.h"
#include "base/mem.h"
#include "merge/by_axes.h"

/* Entries of a pair of tables that are compared, for each process: where most entries are equal,
   every place agrees in some of them. */
#define MOVED_COMPARED 64

struct by_rank {
	const struct table *table;
	uint32_t *row; /* by rank: which of the rows that are known */
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
	struct intern *rows; /* what tables have for a rank: entries, behind the length of each row */
	struct by_rank *by_rank; /* by these */
	size_t capacity;
};

static bool has_all_ranks(const struct moving *m, const struct table *t)
{
	uint64_t first, length;
	switch (table_arguments(t)) {
	case 1:
		return table_entries(t) == m->ranks;
	case 2:
		return table_row(t, (int64_t[]){m->ranks - 1}, &first, &length);
	default:
		return table_has_block(t, m->ranks - 1);
	}
}

static bool is_by_rank(const struct moving *m, const struct lookup *l)
{
	return by_axes_rank(l) && has_all_ranks(m, l->table) && table_least(l->table) != table_most(l->table);
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

/* The rank there as one argument: on two processes of an axis the other one is 1-x; who goes around a
   longer axis goes around all ranks where it is the last. */
static bool tell_move(const struct moving *m, uint32_t move, struct argument *a)
{
	const struct grid *g = m->grid;
	*a = (struct argument){.inside = {.p = 1}};
	for (uint32_t i = 0, stride = 1; i < g->axes; stride *= g->size[i++]) {
		uint32_t by = move / stride % g->size[i];
		if (by && g->size[i] > 2 && i + 1 < g->axes)
			return false;
		a->inside.constant += (int64_t)by * stride;
		if (by && g->size[i] == 2)
			a->inside.axis[i] = -2 * (int64_t)stride;
		else if (by)
			a->modulus = m->ranks;
	}
	return true;
}

/* More arguments than that of the rank leave no room for coordinates. */
static bool may_move(const struct moving *m, const struct table *t, uint32_t move)
{
	return table_arguments(t) == 1 || tell_move(m, move, &(struct argument){0});
}

static bool find_move(const struct moving *m, const struct by_rank *x, const struct by_rank *of, uint32_t *move)
{
	uint64_t left = (uint64_t)MOVED_COMPARED * m->ranks;
	if (table_arguments(x->table) != table_arguments(of->table) ||
		table_least(x->table) != table_least(of->table) || table_most(x->table) != table_most(of->table))
		return false;
	for (*move = 0; *move < m->ranks && left; ++*move) {
		uint32_t rank = 0;
		while (left && rank < m->ranks && x->row[rank] == of->row[moved_rank(m->grid, rank, *move)]) {
			rank++;
			left--;
		}
		if (rank == m->ranks && may_move(m, x->table, *move))
			return true;
		left -= left > 0;
	}
	return false;
}

/* Which row, or block, it has for this rank. */
static uint32_t row_of(const struct moving *m, const struct table *t, uint32_t rank)
{
	uint64_t first = rank, length = 1;
	int64_t at[TABLE_ARGUMENTS - 1] = {rank}, *row = NULL;
	size_t entries = 0, capacity = 0;
	bool more = table_arguments(t) == 1 || table_row(t, at, &first, &length);
	for (; more; more = table_arguments(t) > 2 && (at[1]++, table_row(t, at, &first, &length))) {
		row = mem_grow(row, &capacity, entries + length + 1, sizeof *row);
		row[entries++] = (int64_t)length;
		for (uint64_t i = 0; i < length; i++)
			row[entries++] = table_entry(t, first + i);
	}
	uint32_t id = intern_id(m->rows, row, entries * sizeof *row);
	free(row);
	return id;
}

static void note_table(struct moving *m, const struct table *t)
{
	uint32_t known = intern_count(m->tables), at = intern_id(m->tables, &t, sizeof t);
	if (at < known)
		return;
	m->by_rank = mem_grow(m->by_rank, &m->capacity, (size_t)at + 1, sizeof *m->by_rank);
	struct by_rank *x = &m->by_rank[at];
	*x = (struct by_rank){.table = t, .row = mem_array(m->ranks, sizeof *x->row), .of = at};
	for (uint32_t rank = 0; rank < m->ranks; rank++)
		x->row[rank] = row_of(m, t, rank);
	for (size_t i = 0; i < at && x->of == at; i++)
		if (m->by_rank[i].of == i && find_move(m, x, &m->by_rank[i], &x->move)) {
			x->of = i;
			m->by_rank[i].shared = true;
		}
}

static const struct table *by_axes(const struct moving *m, const struct table *by_rank)
{
	struct table *t = by_axes_table(by_rank, m->grid, m->grid->axes - 1);
	const struct table *kept = dictionary_adopt(m->program->dictionary, t, table_name(t));
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
	if (!of->shared || (table_arguments(l->table) > 1 && x == of))
		return false;
	if (table_arguments(l->table) > 1) {
		l->table = of->table;
		return tell_move(m, x->move, &l->argument[0]);
	}
	of->by_axis = of->by_axis ? of->by_axis : by_axes(m, of->table);
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
	if (!by_axes_possible(p))
		return false;
	m.tables = intern_new_keys(sizeof(const struct table *));
	m.rows = intern_new();
	program_attributes_change(p, note_tables, &m);
	bool any = program_attributes_change(p, replace_tables, &m);
	for (uint32_t i = 0; i < intern_count(m.tables); i++)
		free(m.by_rank[i].row);
	free(m.by_rank);
	intern_free(m.rows);
	intern_free(m.tables);
	return any;
}
