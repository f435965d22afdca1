/*
 * database_pace.c -- the times of statements in a profile, for those who play them back.
 */
#include <sqlite3.h>
#include <stdlib.h>

#include "base/mem.h"
#include "profile/database.h"
#include "profile/stored_numbers.h"
#include "profile/time_series.h"

struct reading {
	sqlite3 *db;
	const char *path, *model;
	const struct module *module;
	struct stored_numbers numbers;
	struct pace *pace;
	struct error *error;
};

static bool is_other(const struct reading *r, const char *what)
{
	return error_set(r->error, ERROR_INCONSISTENT, "%s: the profile is not that of the model %s: %s", r->path,
		r->model, what);
}

static uint64_t whole(sqlite3_stmt *s, int column)
{
	sqlite3_int64 number = sqlite3_column_int64(s, column);
	return number > 0 ? (uint64_t)number : 0;
}

/* ------------------------------------------------------------------ is it of this model? */

static bool take_run(void *context, sqlite3_stmt *s)
{
	struct reading *r = context;
	if (whole(s, 1) != r->module->processes)
		return is_other(r, "it has other processes");
	r->pace = pace_new(r->module->processes, whole(s, 0));
	pace_set_begin(r->pace, whole(s, 2));
	return true;
}

/* ------------------------------------------------------------------ times */

static bool take_process(void *context, sqlite3_stmt *s)
{
	struct reading *r = context;
	if (whole(s, 0) >= r->module->processes)
		return is_other(r, "it has other processes");
	struct pace_process p = {.first = whole(s, 1),
		.after_call = whole(s, 2),
		.after = whole(s, 3),
		.apart = whole(s, 4),
		.work = whole(s, 5)};
	pace_set_process(r->pace, (uint32_t)whole(s, 0), &p);
	return true;
}

static bool take_timing(void *context, sqlite3_stmt *s)
{
	struct reading *r = context;
	struct ranks ranks = {0};
	enum arrival arrival;
	const char *at = database_words(s, 1);
	struct pace_times times = {
		.occurrences = whole(s, 3), .calls = whole(s, 4), .before = whole(s, 5), .call = whole(s, 6)};
	bool good = whole(s, 0) < r->numbers.count && arrival_named(database_words(s, 2), &arrival) &&
		    ranks_parse(&ranks, &at, r->error) && !*at;
	if (good)
		pace_add(r->pace, r->numbers.line[whole(s, 0)], arrival, &ranks, &times);
	ranks_clear(&ranks);
	return good || is_other(r, "it has times of other statements");
}

static bool take_longest(void *context, sqlite3_stmt *s)
{
	struct reading *r = context;
	if (whole(s, 0) >= pace_rows(r->pace))
		return is_other(r, "it has times of other statements");
	pace_set_longest(r->pace, whole(s, 0), sqlite3_column_double(s, 1));
	return true;
}

static bool take_bin(void *context, sqlite3_stmt *s)
{
	struct reading *r = context;
	struct pace_bin bin = {whole(s, 1), whole(s, 2), whole(s, 3)};
	if (whole(s, 0) >= pace_rows(r->pace))
		return is_other(r, "it has histograms of other statements");
	pace_add_bin(r->pace, whole(s, 0), &bin);
	return true;
}

/* Databases of earlier versions have no such table. */
static bool has_together(sqlite3 *db)
{
	sqlite3_stmt *s = NULL;
	bool has = sqlite3_prepare_v2(db, "SELECT 1 FROM together", -1, &s, NULL) == SQLITE_OK;
	sqlite3_finalize(s);
	return has;
}

static bool each(struct reading *r, const char *sql, bool (*take)(void *context, sqlite3_stmt *))
{
	return database_rows(r->db, r->path, sql, take, r, r->error);
}

struct pace *database_pace(const char *path, const struct module *module, const char *model, struct error *error)
{
	struct reading r = {.path = path, .model = model, .module = module, .error = error};
	r.db = database_open(path, error);
	if (!r.db)
		return NULL;
	r.numbers = stored_numbers_of(module);
	bool good =
		each(&r,
			"SELECT value, (SELECT value FROM run WHERE key = 'processes'),"
			" (SELECT value FROM run WHERE key = 'begin') FROM run WHERE key = 'ticks_per_second'",
			take_run) &&
		(r.pace || is_other(&r, "it does not say how long a tick is")) &&
		database_is_of(r.db, path, module, model, error) &&
		each(&r, "SELECT rank, first, after_call, after, apart, work FROM process", take_process) &&
		each(&r,
			"SELECT b.statement, p.ranks, b.arrival, b.occurrences, b.times, b.total, c.total"
			" FROM timing b JOIN timing c ON c.statement = b.statement AND c.processes = b.processes"
			" AND c.arrival = b.arrival AND c.what = 'call' JOIN processes p ON p.id = b.processes"
			" WHERE b.what = 'before' ORDER BY b.id",
			take_timing) &&
		each(&r,
			"SELECT b.row, low, high, h.times FROM histogram h JOIN (SELECT id, row_number() OVER (ORDER BY id) - 1"
			" AS row FROM timing WHERE what = 'before') b ON b.id = h.timing ORDER BY h.timing, low",
			take_bin) &&
		(!has_together(r.db) ||
			each(&r,
				"SELECT b.row, longest FROM together t JOIN (SELECT id, row_number() OVER (ORDER BY id) - 1"
				" AS row FROM timing WHERE what = 'before') b ON b.id = t.timing",
				take_longest));
	database_close(r.db);
	stored_numbers_clear(&r.numbers);
	if (good)
		return r.pace;
	pace_free(r.pace);
	return NULL;
}

/* ------------------------------------------------------------------ times of all events */

static bool take_any(void *context, sqlite3_stmt *s)
{
	(void)s;
	*(bool *)context = true;
	return true;
}

bool database_keeps_times(const char *path, bool *keeps, struct error *error)
{
	sqlite3 *db = database_open(path, error);
	*keeps = false;
	bool good = db && database_rows(db, path, "SELECT 1 FROM run WHERE key = 'times'", take_any, keeps, error);
	database_close(db);
	return good;
}

bool database_pace_times(struct pace *pace, const char *path, struct run *run, const char *model, struct error *error)
{
	struct time_series *series = time_series_open(path, run, model, error);
	if (series)
		pace_set_series(pace, series, error);
	return series;
}
