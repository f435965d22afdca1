/*
 * moved.c -- each table by rank is compared with those before it, at every place of the grid.
 */
#include "merge/moved.h"

#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "merge/by_axes.h"
#include "merge/lookups.h"

/* Entries of a pair of tables that are compared, for each process: where most entries are equal,
   every place agrees in some of them. */
#define MOVED_COMPARED 64

struct by_rank {
	const struct table *table;
	uint32_t *row; /* by rank: which of the rows that are known */
	size_t of; /* the table that it is, moved; itself: of none */
	uint32_t move; /* the rank whose entry there is that of rank 0 here */
	bool shared; /* some other is this one */
	node_id node, by_axis; /* the table; of who is shared, by coordinates */
};

struct moving {
	struct store *store;
	struct draft_tables *all;
	const struct grid *grid;
	uint32_t ranks;
	struct intern *tables; /* nodes */
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

static const struct table *table_of(const struct moving *m, node_id entry)
{
	return lookup_get_table(m->store, node_kid(m->store, entry, 0));
}

static bool is_by_rank(const struct moving *m, node_id entry)
{
	const struct table *t = table_of(m, entry);
	return by_axes_rank(m->store, entry) && has_all_ranks(m, t) && table_least(t) != table_most(t);
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
   longer axis goes around all ranks where it is the last. NODE_NONE: it is none. */
static node_id tell_move(const struct moving *m, uint32_t move)
{
	const struct grid *g = m->grid;
	node_id rank = number_variable(m->store, VARIABLE_P);
	bool around = false;
	for (uint32_t i = 0, stride = 1; i < g->axes; stride *= g->size[i++]) {
		uint32_t by = move / stride % g->size[i];
		if (by && g->size[i] > 2 && i + 1 < g->axes)
			return NODE_NONE;
		rank = number_add(m->store, rank, number_constant(m->store, (int64_t)by * stride), 1);
		if (by && g->size[i] == 2)
			rank = number_add(
				m->store, rank, number_variable(m->store, VARIABLE_X + i), -2 * (int64_t)stride);
		else
			around = around || by;
	}
	return around ? number_remainder(m->store, rank, number_constant(m->store, m->ranks)) : rank;
}

/* More arguments than that of the rank leave no room for coordinates. */
static bool may_move(const struct moving *m, const struct table *t, uint32_t move)
{
	return table_arguments(t) == 1 || tell_move(m, move);
}

/* The move by which every rank's part of the table is the same as the other's there. */
static bool find_any_move(const struct moving *m, const struct table *t,
	bool (*is_same)(const void *x, uint32_t rank, const void *of, uint32_t other), const void *x, const void *of,
	uint32_t *move)
{
	uint64_t left = (uint64_t)MOVED_COMPARED * m->ranks;
	for (*move = 0; *move < m->ranks && left; ++*move) {
		uint32_t rank = 0;
		while (left && rank < m->ranks && is_same(x, rank, of, moved_rank(m->grid, rank, *move))) {
			rank++;
			left--;
		}
		if (rank == m->ranks && may_move(m, t, *move))
			return true;
		left -= left > 0;
	}
	return false;
}

static bool has_same_row(const void *x, uint32_t rank, const void *of, uint32_t other)
{
	return ((const struct by_rank *)x)->row[rank] == ((const struct by_rank *)of)->row[other];
}

static bool find_move(const struct moving *m, const struct by_rank *x, const struct by_rank *of, uint32_t *move)
{
	return table_arguments(x->table) == table_arguments(of->table) &&
	       table_least(x->table) == table_least(of->table) && table_most(x->table) == table_most(of->table) &&
	       find_any_move(m, x->table, has_same_row, x, of, move);
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

static node_id note_table(void *moving, node_id entry, int64_t times, bool alone)
{
	struct moving *m = moving;
	node_id table = node_kid(m->store, entry, 0);
	(void)times, (void)alone;
	if (!is_by_rank(m, entry))
		return NODE_NONE;
	uint32_t known = intern_count(m->tables), at = intern_id(m->tables, &table, sizeof table);
	if (at < known)
		return NODE_NONE;
	m->by_rank = mem_grow(m->by_rank, &m->capacity, (size_t)at + 1, sizeof *m->by_rank);
	struct by_rank *x = &m->by_rank[at];
	*x = (struct by_rank){
		.table = table_of(m, entry), .node = table, .row = mem_array(m->ranks, sizeof *x->row), .of = at};
	for (uint32_t rank = 0; rank < m->ranks; rank++)
		x->row[rank] = row_of(m, x->table, rank);
	for (size_t i = 0; i < at && x->of == at; i++)
		if (m->by_rank[i].of == i && find_move(m, x, &m->by_rank[i], &x->move)) {
			x->of = i;
			m->by_rank[i].shared = true;
		}
	return NODE_NONE;
}

/* The look-up by coordinates, moved. */
static node_id moved_by_axes(const struct moving *m, node_id table, uint32_t move)
{
	const struct grid *g = m->grid;
	node_id argument[TABLE_ARGUMENTS];
	for (uint32_t i = 0, stride = 1; i < g->axes; stride *= g->size[i++]) {
		uint32_t by = move / stride % g->size[i];
		node_id at = number_add(
			m->store, number_variable(m->store, VARIABLE_X + i), number_constant(m->store, by), 1);
		argument[g->axes - 1 - i] =
			by ? number_remainder(m->store, at, number_constant(m->store, g->size[i])) : at;
	}
	return lookup_number(m->store, table, argument);
}

static node_id replace_table(void *moving, node_id entry, int64_t times, bool alone)
{
	struct moving *m = moving;
	const struct node *e = node_of(m->store, entry);
	(void)times, (void)alone;
	if (!is_by_rank(m, entry))
		return NODE_NONE;
	const struct by_rank *x = &m->by_rank[intern_find(m->tables, &e->kid[0], sizeof e->kid[0])];
	struct by_rank *of = &m->by_rank[x->of];
	if (!of->shared || (e->kids > 2 && x == of))
		return NODE_NONE;
	if (e->kids > 2) {
		node_id argument[TABLE_ARGUMENTS];
		memcpy(argument, e->kid + 1, (e->kids - 1) * sizeof *argument);
		argument[0] = tell_move(m, x->move);
		return lookup_number(m->store, of->node, argument);
	}
	of->by_axis = of->by_axis ? of->by_axis
				  : draft_tables_adopt(m->all, by_axes_table(of->table, m->grid, m->grid->axes - 1));
	return moved_by_axes(m, of->by_axis, x->move);
}

static struct moving moving_of(const struct draft *d)
{
	const struct module *m = d->module;
	return (struct moving){.store = m->store,
		.all = draft_tables_of(d),
		.grid = &m->grid,
		.ranks = m->processes,
		.tables = intern_new_keys(sizeof(node_id))};
}

bool moved_share(struct draft *d)
{
	if (!by_axes_possible(d->module))
		return false;
	struct moving m = moving_of(d);
	m.rows = intern_new();
	lookups_change(d, note_table, &m);
	bool any = lookups_change(d, replace_table, &m);
	for (uint32_t i = 0; i < intern_count(m.tables); i++)
		free(m.by_rank[i].row);
	free(m.by_rank);
	intern_free(m.rows);
	intern_free(m.tables);
	draft_tables_free(m.all);
	return any;
}

/* ------------------------------------------------------------------ an iteration later */

/* A table by rank and one index. */
struct rows {
	const struct table *table;
	int64_t **row; /* by rank */
	size_t *length;
	bool asked_otherwise; /* by another number than the index, or of ranks that are no move */
	size_t of; /* the table of which it is the next iterations, moved; itself: of none */
	uint32_t move;
	node_id longer; /* with rows of another one; NODE_NONE: it has none */
	bool grown;
};

struct later {
	struct moving moving;
	struct environment at;
	struct rows *rows; /* by table */
	size_t capacity;
};

/* The rank that is asked for, as seen from rank 0; UINT32_MAX: it is not as far from all. */
static uint32_t asked_move(struct later *s, node_id argument)
{
	uint32_t move = UINT32_MAX, ranks = s->moving.ranks;
	if (node_of(s->moving.store, argument)->uses[FOR_ALL] & USES_INDICES)
		return UINT32_MAX;
	for (uint32_t rank = 0; rank < ranks; rank++) {
		environment_set(&s->at, rank);
		int64_t at = number_at(&s->at, argument);
		move = rank ? move : (uint32_t)at;
		if (at < 0 || at >= ranks || moved_rank(s->moving.grid, rank, move) != (uint32_t)at)
			return UINT32_MAX;
	}
	return move;
}

static bool is_index(const struct store *s, node_id argument)
{
	const struct node *v = node_of(s, number_single(s, argument));
	return v->kind == NODE_VARIABLE && v->number >= VARIABLE_INDEX;
}

/* Of two arguments, the first of which depends on the rank. */
static bool has_rows(const struct moving *m, node_id entry)
{
	const struct table *t = table_of(m, entry);
	return table_arguments(t) == 2 && has_all_ranks(m, t) && table_least(t) != table_most(t) &&
	       node_of(m->store, node_kid(m->store, entry, 1))->uses[FOR_ALL] & USES_PROCESS;
}

static struct rows rows_of(const struct moving *m, const struct table *t)
{
	struct rows x = {
		.table = t, .row = mem_array(m->ranks, sizeof *x.row), .length = mem_array(m->ranks, sizeof *x.length)};
	for (uint32_t rank = 0; rank < m->ranks; rank++) {
		uint64_t first, length;
		table_row(t, (int64_t[]){rank}, &first, &length);
		x.row[rank] = mem_array(length + 1, sizeof **x.row);
		x.length[rank] = length;
		for (uint64_t i = 0; i < length; i++)
			x.row[rank][i] = table_entry(t, first + i);
	}
	return x;
}

static node_id note_rows(void *later, node_id entry, int64_t times, bool alone)
{
	struct later *s = later;
	const struct node *e = node_of(s->moving.store, entry);
	(void)times, (void)alone;
	if (!has_rows(&s->moving, entry))
		return NODE_NONE;
	struct intern *tables = s->moving.tables;
	uint32_t known = intern_count(tables), at = intern_id(tables, &e->kid[0], sizeof e->kid[0]);
	s->rows = mem_grow(s->rows, &s->capacity, (size_t)at + 1, sizeof *s->rows);
	struct rows *x = &s->rows[at];
	if (at == known) {
		*x = rows_of(&s->moving, table_of(&s->moving, entry));
		x->of = at;
	}
	x->asked_otherwise =
		x->asked_otherwise || !is_index(s->moving.store, e->kid[2]) || asked_move(s, e->kid[1]) == UINT32_MAX;
	return NODE_NONE;
}

/* Two entries tell that it is no accident. */
static bool comes_later(const void *rows, uint32_t rank, const void *of_rows, uint32_t other)
{
	const struct rows *x = rows, *of = of_rows;
	size_t length = of->length[other] ? of->length[other] - 1 : 0, same = 0;
	while (same < length && same < x->length[rank] && x->row[rank][same] == of->row[other][same + 1])
		same++;
	return same > 1 && (same == length || same == x->length[rank]);
}

/* By what comes behind its rows. */
static void lengthen(const struct moving *m, struct rows *of, const struct rows *x)
{
	for (uint32_t rank = 0; rank < m->ranks; rank++) {
		uint32_t other = moved_rank(m->grid, rank, x->move);
		size_t length = of->length[other], more = x->length[rank] + 1;
		if (more <= length)
			continue;
		int64_t *row = mem_array(more, sizeof *row);
		memcpy(row, of->row[other], length * sizeof *row);
		memcpy(row + length, x->row[rank] + length - 1, (more - length) * sizeof *row);
		free(of->row[other]);
		of->row[other] = row;
		of->length[other] = more;
	}
	of->grown = true;
}

static node_id longer_table(const struct later *s, const struct rows *x)
{
	struct table *t = table_new(table_name(x->table), 2);
	for (uint32_t rank = 0; rank < s->moving.ranks; rank++) {
		for (size_t i = 0; i < x->length[rank]; i++)
			table_add(t, x->row[rank][i]);
		table_end(t, 1);
	}
	table_finish(t);
	return draft_tables_adopt(s->moving.all, t);
}

static node_id replace_by_later(void *later, node_id entry, int64_t times, bool alone)
{
	struct later *s = later;
	struct store *store = s->moving.store;
	const struct node *e = node_of(store, entry);
	uint32_t at = intern_find(s->moving.tables, &e->kid[0], sizeof e->kid[0]);
	(void)times, (void)alone;
	if (at == INTERN_NONE || !has_rows(&s->moving, entry))
		return NODE_NONE;
	const struct rows *x = &s->rows[at];
	struct rows *of = &s->rows[x->of];
	if (!of->grown)
		return NODE_NONE;
	node_id argument[] = {e->kid[1], number_add(store, e->kid[2], number_constant(store, x != of), 1)};
	if (x != of)
		argument[0] = tell_move(&s->moving, moved_rank(s->moving.grid, asked_move(s, e->kid[1]), x->move));
	of->longer = of->longer ? of->longer : longer_table(s, of);
	return argument[0] ? lookup_number(store, of->longer, argument) : NODE_NONE;
}

bool moved_share_later(struct draft *d)
{
	if (!by_axes_possible(d->module))
		return false;
	struct later s = {.moving = moving_of(d), .at = module_environment(d->module)};
	lookups_change(d, note_rows, &s);
	size_t tables = intern_count(s.moving.tables);
	for (size_t i = 0; i < tables; i++)
		for (size_t k = 0; k < i && s.rows[i].of == i && !s.rows[i].asked_otherwise; k++)
			if (s.rows[k].of == k && !s.rows[i].grown &&
				find_any_move(&s.moving, s.rows[i].table, comes_later, &s.rows[i], &s.rows[k],
					&s.rows[i].move)) {
				s.rows[i].of = k;
				lengthen(&s.moving, &s.rows[k], &s.rows[i]);
			}
	bool any = lookups_change(d, replace_by_later, &s);
	for (size_t i = 0; i < tables; i++) {
		for (uint32_t rank = 0; rank < s.moving.ranks; rank++)
			free(s.rows[i].row[rank]);
		free(s.rows[i].row);
		free(s.rows[i].length);
	}
	free(s.rows);
	intern_free(s.moving.tables);
	draft_tables_free(s.moving.all);
	return any;
}
