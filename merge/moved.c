/*
 * moved.c -- each table by rank is compared with those before it, at every place of the grid.
 */
#include "merge/moved.h"

#include <stdlib.h>
#include <string.h>

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

/* ------------------------------------------------------------------ an iteration later */

/* A table by rank and one index. */
struct rows {
	const struct table *table;
	int64_t **row; /* by rank */
	size_t *length;
	bool asked_otherwise; /* by another number than the index, or of ranks that are no move */
	size_t of; /* the table of which it is the next iterations, moved; itself: of none */
	uint32_t move;
	const struct table *longer; /* with rows of another one; NULL: it has none */
	bool grown;
};

struct later {
	struct moving moving;
	struct intern *tables;
	struct rows *rows; /* by these */
	size_t capacity;
};

/* The rank that is asked for, as seen from rank 0; UINT32_MAX: it is not as far from all. */
static uint32_t asked_move(const struct moving *m, const struct argument *a)
{
	uint32_t move = UINT32_MAX;
	for (uint32_t rank = 0; rank < m->ranks; rank++) {
		struct spot spot = grid_spot(m->grid, rank);
		int64_t at = a->inside.constant + a->inside.p * rank;
		for (uint32_t i = 0; i < m->grid->axes; i++)
			at += a->inside.axis[i] * spot.axis[i];
		at = a->modulus ? (at % a->modulus + a->modulus) % a->modulus : at;
		move = rank ? move : (uint32_t)at;
		if (affine_indices(&a->inside) || at < 0 || at >= m->ranks ||
			moved_rank(m->grid, rank, move) != (uint32_t)at)
			return UINT32_MAX;
	}
	return move;
}

static bool is_index(const struct argument *a)
{
	struct affine rest = a->inside;
	int64_t sum = 0;
	for (int i = 0; i < INDEX_DEPTH; i++) {
		sum += rest.index[i] == 1 ? 1 : rest.index[i] ? 2 : 0;
		rest.index[i] = 0;
	}
	return sum == 1 && !a->modulus && !memcmp(&rest, &(struct affine){0}, sizeof rest);
}

static bool has_rows(const struct moving *m, const struct lookup *l)
{
	return l->table && table_arguments(l->table) == 2 && has_all_ranks(m, l->table) && l->argument[0].inside.p &&
	       table_least(l->table) != table_most(l->table);
}

static void note_rows(struct later *s, const struct lookup *l)
{
	uint32_t known = intern_count(s->tables), at = intern_id(s->tables, &l->table, sizeof l->table),
		 ranks = s->moving.ranks;
	s->rows = mem_grow(s->rows, &s->capacity, (size_t)at + 1, sizeof *s->rows);
	struct rows *x = &s->rows[at];
	if (at == known) {
		*x = (struct rows){.table = l->table,
			.row = mem_array(ranks, sizeof *x->row),
			.length = mem_array(ranks, sizeof *x->length),
			.of = at};
		for (uint32_t rank = 0; rank < ranks; rank++) {
			uint64_t first, length;
			table_row(l->table, (int64_t[]){rank}, &first, &length);
			x->row[rank] = mem_array(length + 1, sizeof **x->row);
			x->length[rank] = length;
			for (uint64_t i = 0; i < length; i++)
				x->row[rank][i] = table_entry(l->table, first + i);
		}
	}
	x->asked_otherwise = x->asked_otherwise || !is_index(&l->argument[1]) ||
			     asked_move(&s->moving, &l->argument[0]) == UINT32_MAX;
}

static bool note_all_rows(void *later, struct value *v)
{
	struct later *s = later;
	for (int k = 0; value_lookup(v, k); k++)
		if (has_rows(&s->moving, value_lookup(v, k)))
			note_rows(s, value_lookup(v, k));
	return false;
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

static const struct table *longer_table(struct later *s, const struct rows *x)
{
	struct table *t = table_new(table_name(x->table), 2);
	for (uint32_t rank = 0; rank < s->moving.ranks; rank++) {
		for (size_t i = 0; i < x->length[rank]; i++)
			table_add(t, x->row[rank][i]);
		table_end(t, 1);
	}
	table_finish(t);
	const struct table *kept = dictionary_adopt(s->moving.program->dictionary, t, table_name(t));
	table_free(t);
	return kept;
}

static bool replace_by_later(struct later *s, struct lookup *l)
{
	uint32_t at = l->table ? intern_find(s->tables, &l->table, sizeof l->table) : INTERN_NONE;
	if (at == INTERN_NONE || !has_rows(&s->moving, l))
		return false;
	const struct rows *x = &s->rows[at];
	struct rows *of = &s->rows[x->of];
	if (!of->grown)
		return false;
	struct argument rank = l->argument[0];
	if (x != of &&
		!tell_move(&s->moving, moved_rank(s->moving.grid, asked_move(&s->moving, &rank), x->move), &rank))
		return false;
	l->argument[0] = rank;
	l->argument[1].inside.constant += x != of;
	of->longer = of->longer ? of->longer : longer_table(s, of);
	l->table = of->longer;
	return true;
}

static bool replace_all_rows(void *later, struct value *v)
{
	bool changed = replace_by_later(later, &v->lookup);
	return replace_by_later(later, &v->by) || changed;
}

bool moved_share_later(struct program *p)
{
	struct later s = {.moving = {.program = p, .grid = &p->grid, .ranks = p->processes}};
	if (!by_axes_possible(p))
		return false;
	s.tables = intern_new_keys(sizeof(const struct table *));
	program_attributes_change(p, note_all_rows, &s);
	for (size_t i = 0; i < intern_count(s.tables); i++)
		for (size_t k = 0; k < i && s.rows[i].of == i && !s.rows[i].asked_otherwise; k++)
			if (s.rows[k].of == k && !s.rows[i].grown &&
				find_any_move(&s.moving, s.rows[i].table, comes_later, &s.rows[i], &s.rows[k],
					&s.rows[i].move)) {
				s.rows[i].of = k;
				lengthen(&s.moving, &s.rows[k], &s.rows[i]);
			}
	bool any = program_attributes_change(p, replace_all_rows, &s);
	for (size_t i = 0; i < intern_count(s.tables); i++) {
		for (uint32_t rank = 0; rank < p->processes; rank++)
			free(s.rows[i].row[rank]);
		free(s.rows[i].row);
		free(s.rows[i].length);
	}
	free(s.rows);
	intern_free(s.tables);
	return any;
}
