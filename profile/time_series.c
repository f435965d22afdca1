/*
 * time_series.c -- segments are rows of the database, sorted by process and time; a segment has an
 * index of its blocks; a block is gone through from its beginning.
 */
#include "profile/time_series.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "ask/arrival.h"
#include "base/binary_search.h"
#include "base/mem.h"
#include "base/packed.h"
#include "profile/database.h"

struct segment {
	sqlite3_int64 id, odds;
	uint32_t rank;
	uint64_t first, events, begin;
	struct columns_index index; /* where it was asked for lately; else empty */
};

/* Blocks of all segments whose indices are kept, at most. */
#ifndef TRACENEST_HOSTILE
#define KEPT_BLOCKS ((size_t)1 << 17)
#else
#define KEPT_BLOCKS ((size_t)8)
#endif

struct cached_tables {
	sqlite3_int64 id;
	struct columns_tables *read;
};

struct time_series {
	char *path;
	sqlite3 *db;
	struct run *run;
	uint32_t processes;
	struct stored_numbers numbers;
	uint64_t begin, ticks_per_second;
	struct trace_ending ending;
	struct columns_form form;
	struct segment *segment; /* by rank, then first event */
	size_t segments, capacity;
	size_t *of_rank; /* the first segment of each rank, and one more */
	struct cached_tables *tables; /* by id */
	size_t tables_length, tables_capacity;
	sqlite3_blob *blob; /* of the column `data` */
	sqlite3_stmt *index;
	struct columns_cursor *cursor; /* for questions */
	struct cursor **at; /* to ask in, by rank; NULL: not yet */
	size_t blocks; /* of all indices kept */
	struct text block;
};

static bool damaged(const struct time_series *m, struct error *error)
{
	return error_set(error, ERROR_INPUT, "%s: damaged: its times cannot be read; make the profile anew", m->path);
}

static bool failed(const struct time_series *m, struct error *error)
{
	return error_set(error, ERROR_INPUT, "%s: its times cannot be read: %s", m->path, sqlite3_errmsg(m->db));
}

/* ------------------------------------------------------------------ opening */

struct reading {
	struct time_series *series;
	struct error *error;
	int keep;
};

static bool each(struct reading *r, const char *sql, bool (*take)(void *context, sqlite3_stmt *))
{
	return database_rows(r->series->db, r->series->path, sql, take, r, r->error);
}

static bool take_form(void *context, sqlite3_stmt *s)
{
	struct reading *r = context;
	const char *key = (const char *)sqlite3_column_text(s, 0), *word = (const char *)sqlite3_column_text(s, 1);
	if (!key || !word)
		return true;
	if (!strcmp(key, "begin"))
		r->series->begin = (uint64_t)sqlite3_column_int64(s, 1);
	else if (!strcmp(key, "ticks_per_second"))
		r->series->ticks_per_second = (uint64_t)sqlite3_column_int64(s, 1);
	else if (!strcmp(key, "within"))
		r->series->form.within = sqlite3_column_double(s, 1);
	else if (!strcmp(key, "ending")) {
		text_truncate(&r->series->ending.line, 0);
		text_put(&r->series->ending.line, word);
	}
	for (int i = 0; i < COLUMNS_KEEPS && !strcmp(key, "times"); i++)
		r->keep = !strcmp(word, columns_keep_name((enum columns_keep)i)) ? i : r->keep;
	return true;
}

static bool read_form(struct time_series *m, struct error *error)
{
	struct reading r = {m, error, -1};
	if (!each(&r, "SELECT key, value FROM run", take_form))
		return false;
	if (r.keep < 0)
		return error_set(error, ERROR_INPUT,
			"%s: keeps no times: make the profile with --exact, or --within 1.2", m->path);
	m->form.keep = (enum columns_keep)r.keep;
	return m->form.keep != COLUMNS_WITHIN ||
	       (m->form.within >= COLUMNS_WITHIN_LEAST && m->form.within <= COLUMNS_WITHIN_MOST) || damaged(m, error);
}

static bool take_tables(void *context, sqlite3_stmt *s)
{
	struct reading *r = context;
	struct time_series *m = r->series;
	struct text raw = {0};
	const void *bytes = sqlite3_column_blob(s, 1);
	bool good = packed_open(bytes, (size_t)sqlite3_column_bytes(s, 1), &raw, r->error) ||
		    error_at(r->error, "%s", m->path);
	struct columns_tables *tables = good ? columns_tables_new(raw.data, raw.length) : NULL;
	text_clear(&raw);
	if (!tables)
		return good && damaged(m, r->error);
	*MEM_PUSH(m->tables, m->tables_length, m->tables_capacity) =
		(struct cached_tables){sqlite3_column_int64(s, 0), tables};
	return true;
}

static bool read_tables(struct time_series *m, struct error *error)
{
	return each(&(struct reading){m, error, 0}, "SELECT id, tables FROM odds ORDER BY id", take_tables);
}

static bool take_segment(void *context, sqlite3_stmt *s)
{
	struct reading *r = context;
	struct time_series *m = r->series;
	struct segment x = {.id = sqlite3_column_int64(s, 0),
		.odds = sqlite3_column_int64(s, 5),
		.rank = (uint32_t)sqlite3_column_int64(s, 1),
		.first = (uint64_t)sqlite3_column_int64(s, 2),
		.events = (uint64_t)sqlite3_column_int64(s, 3),
		.begin = m->begin + (uint64_t)sqlite3_column_int64(s, 4)};
	if (x.rank >= m->processes)
		return damaged(m, r->error);
	*MEM_PUSH(m->segment, m->segments, m->capacity) = x;
	m->of_rank[x.rank + 1]++;
	return true;
}

static bool read_segments(struct time_series *m, struct error *error)
{
	static const char sql[] = "SELECT id, rank, first, events, begin, odds FROM stretch ORDER BY rank, first";
	m->of_rank = mem_zero((m->processes + (size_t)2) * sizeof *m->of_rank);
	bool good = each(&(struct reading){m, error, 0}, sql, take_segment);
	for (uint32_t rank = 0; rank < m->processes; rank++)
		m->of_rank[rank + 1] += m->of_rank[rank];
	return good;
}

static bool take_stand(void *context, sqlite3_stmt *s)
{
	struct reading *r = context;
	struct trace_ending *e = &r->series->ending;
	sqlite3_int64 rank = sqlite3_column_int64(s, 0);
	if (rank < 0 || rank >= e->processes || e->stand[rank].call)
		return damaged(r->series, r->error);
	e->stand[rank] = (struct trace_stand){mem_text(database_words(s, 1)), mem_text(database_words(s, 2)),
		r->series->begin + (uint64_t)sqlite3_column_int64(s, 3)};
	return true;
}

/* Of a run that did not end. */
static bool read_ending(struct time_series *m, struct error *error)
{
	static const char sql[] = "SELECT rank, call, place, since FROM ending WHERE call IS NOT NULL";
	m->ending.processes = m->processes;
	m->ending.stand = mem_zero((m->processes + (size_t)1) * sizeof *m->ending.stand);
	return !m->ending.line.length || each(&(struct reading){m, error, 0}, sql, take_stand);
}

struct time_series *time_series_open(const char *path, struct run *run, const char *model, struct error *error)
{
	struct time_series *m = mem_zero(sizeof *m);
	m->path = mem_text(path);
	m->run = run;
	m->processes = run_module(run)->processes;
	m->numbers = stored_numbers_of(run_module(run));
	m->at = mem_zero((m->processes + (size_t)1) * sizeof *m->at);
	m->db = database_open(path, error);
	if (m->db) /* pages that are asked for again and again */
		sqlite3_exec(m->db, "PRAGMA cache_size = -65536", NULL, NULL, NULL);
	if (m->db && database_is_of(m->db, path, run_module(run), model, error) && read_form(m, error) &&
		read_ending(m, error) && read_tables(m, error) && read_segments(m, error)) {
		m->cursor = columns_cursor_new(&m->form);
		return m;
	}
	time_series_close(m);
	return NULL;
}

static void forget_indices(struct time_series *m)
{
	for (size_t i = 0; i < m->segments; i++)
		columns_index_clear(&m->segment[i].index);
	m->blocks = 0;
}

void time_series_close(struct time_series *m)
{
	if (!m)
		return;
	for (uint32_t rank = 0; rank < m->processes; rank++)
		cursor_free(m->at[rank]);
	forget_indices(m);
	trace_ending_clear(&m->ending);
	for (size_t i = 0; i < m->tables_length; i++)
		columns_tables_free(m->tables[i].read);
	free(m->at);
	free(m->tables);
	free(m->segment);
	free(m->of_rank);
	columns_cursor_free(m->cursor);
	sqlite3_finalize(m->index);
	sqlite3_blob_close(m->blob);
	database_close(m->db);
	text_clear(&m->block);
	stored_numbers_clear(&m->numbers);
	free(m->path);
	free(m);
}

uint64_t time_series_begin(const struct time_series *m)
{
	return m->begin;
}

uint64_t time_series_ticks_per_second(const struct time_series *m)
{
	return m->ticks_per_second;
}

const char *time_series_ending(const struct time_series *m)
{
	return m->ending.line.length ? m->ending.line.data : NULL;
}

const struct columns_form *time_series_form(const struct time_series *m)
{
	return &m->form;
}

/* ------------------------------------------------------------------ from the database */

static const struct columns_tables *tables_of(const struct time_series *m, const struct segment *x)
{
	size_t at;
	SEARCH_FIRST(at, 0, m->tables_length, m->tables[at].id >= x->odds);
	return at < m->tables_length && m->tables[at].id == x->odds ? m->tables[at].read : NULL;
}

static bool read_index(struct time_series *m, const struct segment *x, struct columns_index *index, struct error *error)
{
	static const char sql[] = "SELECT blocks FROM stretch WHERE id = ?";
	if (!m->index && sqlite3_prepare_v2(m->db, sql, -1, &m->index, NULL) != SQLITE_OK)
		return failed(m, error);
	columns_index_clear(index);
	sqlite3_bind_int64(m->index, 1, x->id);
	bool good = sqlite3_step(m->index) == SQLITE_ROW;
	if (good) {
		const void *bytes = sqlite3_column_blob(m->index, 0);
		good = columns_index_read(
			       index, bytes, (size_t)sqlite3_column_bytes(m->index, 0), x->first, x->begin) &&
		       index->blocks;
		good = good || damaged(m, error);
	} else {
		failed(m, error);
	}
	sqlite3_reset(m->index);
	return good;
}

static bool read_block(struct time_series *m, const struct segment *x, const struct columns_block *b, struct text *to,
	struct error *error)
{
	int code = m->blob ? sqlite3_blob_reopen(m->blob, x->id)
			   : sqlite3_blob_open(m->db, "main", "stretch", "data", x->id, 0, &m->blob);
	if (code != SQLITE_OK)
		return failed(m, error);
	if (b->offset + b->size > (size_t)sqlite3_blob_bytes(m->blob))
		return damaged(m, error);
	text_truncate(to, 0);
	text_reserve(to, b->size);
	return sqlite3_blob_read(m->blob, to->data, (int)b->size, (int)b->offset) == SQLITE_OK || failed(m, error);
}

/* ------------------------------------------------------------------ all events of a process */

struct time_series_reader {
	struct time_series *series;
	uint32_t rank;
	size_t segment, block; /* the next ones */
	struct columns_index index;
	struct columns_cursor *cursor;
	struct text data;
	uint64_t left; /* events of the block */
};

struct time_series_reader *time_series_read(struct time_series *m, uint32_t rank)
{
	struct time_series_reader *r = mem_zero(sizeof *r);
	r->series = m;
	r->rank = rank;
	r->segment = m->of_rank[rank];
	r->cursor = columns_cursor_new(&m->form);
	return r;
}

void time_series_end(struct time_series_reader *r)
{
	if (!r)
		return;
	columns_index_clear(&r->index);
	columns_cursor_free(r->cursor);
	text_clear(&r->data);
	free(r);
}

static bool next_block(struct time_series_reader *r, size_t statement, struct error *error)
{
	struct time_series *m = r->series;
	if (r->block == r->index.blocks) {
		if (r->segment == m->of_rank[r->rank + 1])
			return damaged(m, error);
		if (!read_index(m, &m->segment[r->segment++], &r->index, error))
			return false;
		r->block = 0;
	}
	const struct segment *x = &m->segment[r->segment - 1];
	const struct columns_block *b = &r->index.block[r->block++];
	const struct columns_tables *tables = tables_of(m, x);
	if (!tables || b->statement != statement)
		return damaged(m, error);
	if (!read_block(m, x, b, &r->data, error))
		return false;
	columns_cursor_start(r->cursor, tables, r->rank, b, r->data.data);
	r->left = b->events;
	return true;
}

bool time_series_next(struct time_series_reader *r, size_t line, struct event_time *time, struct error *error)
{
	size_t statement = r->series->numbers.of_line[line];
	if (!r->left && !next_block(r, statement, error))
		return false;
	r->left--;
	return columns_cursor_next(r->cursor, statement, time) || damaged(r->series, error);
}

/* ------------------------------------------------------------------ where it was */

/* The last segment, the last block, that has begun by then; or the first one. */
static size_t find_segment(const struct time_series *m, uint32_t rank, uint64_t time)
{
	size_t behind;
	SEARCH_FIRST(behind, m->of_rank[rank] + 1, m->of_rank[rank + 1], m->segment[behind].begin > time);
	return behind - 1;
}

static size_t find_block(const struct columns_index *index, uint64_t time)
{
	size_t behind;
	SEARCH_FIRST(behind, 1, index->blocks, index->block[behind].begin > time);
	return behind - 1;
}

static const struct columns_index *index_of(struct time_series *m, struct segment *x, struct error *error)
{
	if (x->index.blocks)
		return &x->index;
	if (m->blocks >= KEPT_BLOCKS)
		forget_indices(m);
	if (!read_index(m, x, &x->index, error)) {
		columns_index_clear(&x->index);
		return NULL;
	}
	m->blocks += x->index.blocks;
	return &x->index;
}

static bool start_block(
	struct time_series *m, const struct segment *x, const struct columns_block *b, struct error *error)
{
	const struct columns_tables *tables = tables_of(m, x);
	struct cursor **at = &m->at[x->rank];
	if (!*at)
		*at = cursor_new(m->run, x->rank);
	if (!tables || !columns_block_find(b, &m->numbers, *at))
		return damaged(m, error);
	if (!read_block(m, x, b, &m->block, error))
		return false;
	columns_cursor_start(m->cursor, tables, x->rank, b, m->block.data);
	return true;
}

/* The event that the cursor stands at. */
static void set_place(struct time_point *to, uint64_t event, const struct cursor *at)
{
	struct control control = {0};
	to->event = event;
	to->line = at->line;
	arrival_next(at, &control);
	to->loops = control.loops;
	memcpy(to->index, control.index, sizeof to->index);
}

bool time_series_at(struct time_series *m, uint32_t rank, uint64_t time, struct time_point *to, struct error *error)
{
	const struct trace_stand *last = &m->ending.stand[rank];
	*to = (struct time_point){
		.state = TIME_POINT_NOTHING, .inside = last->call && last->since <= time ? last : NULL};
	if (m->of_rank[rank] == m->of_rank[rank + 1])
		return true;
	struct segment *x = &m->segment[find_segment(m, rank, time)];
	const struct columns_index *index = index_of(m, x, error);
	if (!index)
		return false;
	const struct columns_block *b = &index->block[find_block(index, time)];
	if (!start_block(m, x, b, error))
		return false;
	struct cursor *at = m->at[rank];
	for (uint64_t i = 0; i < b->events; i++) {
		uint64_t end = i ? to->time.leave : b->base;
		if ((i && !cursor_next(at)) || !columns_cursor_next(m->cursor, m->numbers.of_line[at->line], &to->time))
			return damaged(m, error);
		if (to->time.leave <= time)
			continue;
		to->state = time < to->time.enter ? TIME_POINT_BEFORE : TIME_POINT_INSIDE;
		to->since = to->state == TIME_POINT_INSIDE ? to->time.enter : end;
		set_place(to, b->first + i, at);
		return true;
	}
	to->state = TIME_POINT_BEHIND; /* of the last one: what begins a block later is later */
	to->since = to->time.leave;
	set_place(to, b->first + b->events - 1, at);
	return true;
}
