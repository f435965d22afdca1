/*
 * tabulate.c -- holes of a table are filled in some ways, and the printer counts the entries of
 * each: it alone knows which repeats itself best.
 */
#include "fit/tabulate.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "fit/limits.h"

struct kept {
	const struct table *table;
	uint64_t entries; /* as printed */
	uint32_t stored; /* in the store, and one; 0: it is not */
};

struct tables {
	struct store *store;
	const char *name; /* NULL: as they come */
	struct kept *kept;
	size_t count, capacity;
	uint32_t *slot; /* by hash: number and one, 0: empty */
	size_t slots;
};

struct tables *tables_new(struct store *s)
{
	struct tables *t = mem_zero(sizeof *t);
	t->store = s;
	return t;
}

void tables_call(struct tables *t, const char *name)
{
	t->name = name;
}

void tables_free(struct tables *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->count; i++)
		table_free((struct table *)t->kept[i].table);
	free(t->kept);
	free(t->slot);
	free(t);
}

/* ------------------------------------------------------------------ kept */

static void widen(struct tables *t)
{
	free(t->slot);
	t->slots = t->slots ? 2 * t->slots : 64;
	t->slot = mem_zero(t->slots * sizeof *t->slot);
	for (size_t i = 0; i < t->count; i++) {
		size_t at = hash_mix(table_hash(t->kept[i].table)) & (t->slots - 1);
		while (t->slot[at])
			at = (at + 1) & (t->slots - 1);
		t->slot[at] = (uint32_t)i + 1;
	}
}

static uint32_t *slot_of(struct tables *t, const struct table *table)
{
	size_t at = hash_mix(table_hash(table)) & (t->slots - 1);
	while (t->slot[at] && !table_same(t->kept[t->slot[at] - 1].table, table))
		at = (at + 1) & (t->slots - 1);
	return &t->slot[at];
}

static struct kept *kept_of(struct tables *t, const struct table *table)
{
	uint32_t number = t->slots ? *slot_of(t, table) : 0;
	return number ? &t->kept[number - 1] : NULL;
}

uint64_t tables_entries(struct tables *t, const struct table *table)
{
	const struct kept *kept = kept_of(t, table);
	return kept ? kept->entries : table_entries_to_choose(table);
}

/* Takes the table: gives the one that says the same. */
static struct kept *keep(struct tables *t, struct table *table)
{
	if (2 * (t->count + 1) > t->slots)
		widen(t);
	uint32_t *slot = slot_of(t, table);
	if (*slot) {
		table_free(table);
		return &t->kept[*slot - 1];
	}
	*slot = (uint32_t)t->count + 1;
	struct kept *kept = MEM_PUSH(t->kept, t->count, t->capacity);
	*kept = (struct kept){table, table_entries_to_choose(table), 0};
	return kept;
}

void tables_keep(struct tables *t, const struct table *table)
{
	keep(t, table_share((struct table *)table));
}

const struct table *tables_same(struct tables *t, const struct table *table)
{
	const struct kept *kept = kept_of(t, table);
	return kept ? kept->table : NULL;
}

static uint32_t stored(struct tables *t, struct kept *kept)
{
	if (!kept->stored)
		kept->stored = store_table(t->store, table_share(kept->table)) + 1;
	return kept->stored - 1;
}

/* ------------------------------------------------------------------ holes */

/* What stands where nothing is asked for. */
enum fill { FILL_BEFORE, FILL_ABOVE, FILL_STEP, FILLS };

struct row {
	int64_t *entry;
	size_t length, capacity;
};

static void row_add(struct row *r, int64_t entry)
{
	*MEM_PUSH(r->entry, r->length, r->capacity) = entry;
}

/* What to put behind the row: `next` is the next number that is known. */
static int64_t filled(enum fill fill, const struct row *row, const struct row *above, int64_t next)
{
	size_t at = row->length;
	if (fill == FILL_ABOVE && at < above->length)
		return above->entry[at];
	if (!at)
		return next;
	int64_t step = 0, to = row->entry[at - 1];
	if (fill == FILL_STEP && at > 1 && !__builtin_sub_overflow(to, row->entry[at - 2], &step) &&
		!__builtin_add_overflow(to, step, &to))
		return to;
	return row->entry[at - 1];
}

/* The row of these cells; as long as the one above, where it is the same as far as it goes. */
static void fill_row(
	enum fill fill, const struct cells *c, size_t from, size_t to, const struct row *above, struct row *row)
{
	bool same = true;
	row->length = 0;
	for (size_t i = from; i < to; i++) {
		size_t at = (size_t)c->at[i * c->arguments + c->arguments - 1];
		while (row->length < at)
			row_add(row, filled(fill, row, above, c->number[i]));
		row_add(row, c->number[i]);
		same = same && at < above->length && above->entry[at] == c->number[i];
	}
	while (fill == FILL_ABOVE && same && row->length < above->length)
		row_add(row, above->entry[row->length]);
}

/* Argument `k` of a cell. */
static int64_t place(const struct cells *c, size_t cell, uint32_t k)
{
	return c->at[cell * c->arguments + k];
}

static size_t end_of_row(const struct cells *c, size_t from)
{
	size_t to = from + 1;
	while (to < c->count &&
		!memcmp(c->at + to * c->arguments, c->at + from * c->arguments, (c->arguments - 1) * sizeof *c->at))
		to++;
	return to;
}

static struct table *fill_table(enum fill fill, const char *name, const struct cells *c)
{
	struct table *t = table_new(name, c->arguments);
	struct row row = {0}, above = {0};
	int64_t block = 0, number = 0; /* of the row that comes next */
	for (size_t from = 0, to; from < c->count; from = to) {
		to = end_of_row(c, from);
		for (; c->arguments == 3 && block < place(c, from, 0); block++, number = 0)
			table_end(t, 2);
		for (; c->arguments > 1 && number < place(c, from, c->arguments - 2); number++)
			table_end(t, 1);
		fill_row(fill, c, from, to, &above, &row);
		for (size_t k = 0; k < row.length; k++)
			table_add(t, row.entry[k]);
		if (c->arguments > 1)
			table_end(t, 1);
		number++;
		struct row other = above;
		above = row;
		row = other;
	}
	table_finish(t);
	free(row.entry);
	free(above.entry);
	return t;
}

/* Places up to the last cell, and rows; saturates. Is any of them a hole? */
static bool count_places(const struct cells *c, uint64_t *places)
{
	*places = 0;
	bool holes = false;
	for (size_t from = 0, to; from < c->count; from = to) {
		to = end_of_row(c, from);
		uint64_t length = (uint64_t)place(c, to - 1, c->arguments - 1) + 1;
		holes = holes || length > to - from;
		if (__builtin_add_overflow(*places, length, places))
			*places = UINT64_MAX;
	}
	for (uint32_t k = 0; c->count && k + 1 < c->arguments; k++) {
		uint64_t rows = (uint64_t)place(c, c->count - 1, k) + 1;
		if (k)
			for (size_t i = 0; i < c->count; i++)
				rows = (uint64_t)place(c, i, k) + 1 > rows ? (uint64_t)place(c, i, k) + 1 : rows;
		if (__builtin_add_overflow(*places, rows, places))
			*places = UINT64_MAX;
	}
	return holes;
}

node_id tabulate(struct tables *t, const char *name, const struct cells *c)
{
	uint64_t places;
	const struct table *best = NULL;
	bool holes = count_places(c, &places), uneven = c->arguments > 1;
	if (!c->count || places / HOLES_RATIO > c->count + HOLES_FEW / HOLES_RATIO || places > TABLE_LIMIT)
		return NODE_NONE;
	uint64_t least = 0;
	for (enum fill fill = FILL_BEFORE; fill < FILLS; fill++) {
		if (best && (c->count > TRIED_ENTRIES || (!holes && (fill != FILL_ABOVE || !uneven))))
			continue;
		const struct kept *kept = keep(t, fill_table(fill, name, c));
		if (best && kept->entries >= least)
			continue;
		best = kept->table;
		least = kept->entries;
	}
	name = t->name ? t->name : table_name(best);
	uint32_t word = store_word(t->store, name, strlen(name)), table = stored(t, kept_of(t, best));
	return node_make(t->store, NODE_TABLE, 0, word, table, 0, NULL);
}

uint32_t tabulate_set(struct tables *t, const int64_t *number, size_t count)
{
	struct table *set = table_new("", 1);
	for (size_t i = 0; i < count; i++)
		table_add(set, number[i]);
	table_finish(set);
	return store_table(t->store, table_named(keep(t, set)->table, "")); /* whatever else says the same */
}
