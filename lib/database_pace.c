/*
 * database_pace.c -- the times of statements in a profile, for those who play them back.
 */
#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "lib/database.h"

struct reading {
	sqlite3 *db;
	const char *path, *model;
	const struct program *program;
	struct pace *pace;
	struct error *error;
};

static bool failed(const struct reading *r)
{
	return error_set(
		r->error, ERROR_INPUT, "%s: not a profile that can be read: %s", r->path, sqlite3_errmsg(r->db));
}

static bool is_other(const struct reading *r, const char *what)
{
	return error_set(r->error, ERROR_INCONSISTENT, "%s: the profile is not that of the model %s: %s", r->path,
		r->model, what);
}

/* Every row of a query. */
static bool each(struct reading *r, const char *sql, bool (*take)(struct reading *, sqlite3_stmt *))
{
	sqlite3_stmt *s = NULL;
	int step = SQLITE_DONE;
	bool good = sqlite3_prepare_v2(r->db, sql, -1, &s, NULL) == SQLITE_OK;
	while (good && (step = sqlite3_step(s)) == SQLITE_ROW)
		if (!take(r, s)) {
			sqlite3_finalize(s);
			return false;
		}
	good = good && step == SQLITE_DONE;
	sqlite3_finalize(s);
	return good || failed(r);
}

static uint64_t whole(sqlite3_stmt *s, int column)
{
	sqlite3_int64 number = sqlite3_column_int64(s, column);
	return number > 0 ? (uint64_t)number : 0;
}

static const char *words(sqlite3_stmt *s, int column)
{
	const unsigned char *text = sqlite3_column_text(s, column);
	return text ? (const char *)text : "";
}

/* ------------------------------------------------------------------ is it of this model? */

static bool take_run(struct reading *r, sqlite3_stmt *s)
{
	if (whole(s, 1) != r->program->processes)
		return is_other(r, "it has other processes");
	r->pace = pace_new(r->program, whole(s, 0));
	return true;
}

/* ------------------------------------------------------------------ times */

static bool take_process(struct reading *r, sqlite3_stmt *s)
{
	if (whole(s, 0) >= r->program->processes)
		return is_other(r, "it has other processes");
	struct pace_process p = {.first = whole(s, 1),
		.after_call = whole(s, 2),
		.after = whole(s, 3),
		.apart = whole(s, 4),
		.work = whole(s, 5)};
	pace_set_process(r->pace, (uint32_t)whole(s, 0), &p);
	return true;
}

static bool take_timing(struct reading *r, sqlite3_stmt *s)
{
	struct ranks ranks = {0};
	enum arrival arrival;
	const char *at = words(s, 1);
	struct pace_times times = {
		.occurrences = whole(s, 3), .calls = whole(s, 4), .before = whole(s, 5), .call = whole(s, 6)};
	bool good = whole(s, 0) < r->program->length && arrival_named(words(s, 2), &arrival) &&
		    ranks_parse(&ranks, &at, r->error) && !*at;
	if (good)
		pace_add(r->pace, whole(s, 0), arrival, &ranks, &times);
	ranks_clear(&ranks);
	return good || is_other(r, "it has times of other statements");
}

static bool take_bin(struct reading *r, sqlite3_stmt *s)
{
	struct pace_bin bin = {whole(s, 1), whole(s, 2), whole(s, 3)};
	if (whole(s, 0) >= pace_rows(r->pace))
		return is_other(r, "it has histograms of other statements");
	pace_add_bin(r->pace, whole(s, 0), &bin);
	return true;
}

struct pace *database_pace(const char *path, const struct program *program, const char *model, struct error *error)
{
	struct reading r = {.path = path, .model = model, .program = program, .error = error};
	r.db = database_open(path, error);
	if (!r.db)
		return NULL;
	bool good =
		each(&r,
			"SELECT value, (SELECT value FROM run WHERE key = 'processes') FROM run"
			" WHERE key = 'ticks_per_second'",
			take_run) &&
		(r.pace || is_other(&r, "it does not say how long a tick is")) &&
		database_is_of(r.db, path, program, model, error) &&
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
			take_bin);
	database_close(r.db);
	if (good)
		return r.pace;
	pace_free(r.pace);
	return NULL;
}
